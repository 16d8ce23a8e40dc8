# GET /metrics is a page that Prometheus takes, and slow requests are logged
# with the id that their client was told, and without anything of items.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempfile);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 2\ndynamo.http_long_workers = 0\ndynamo.http_metrics = loopback\ndynamo.log_min_duration_request = 0\nlog_statement = none\nlog_error_verbosity = default");
my $app = tenant('app');
wait_for(sub { worker_pids() == 2 && ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")->{body} =~ /^dynamo_http_workers 2$/m });
sql(q{SET ROLE app; SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.create_index('Shop', 'ByN', 'n', partition_key_type => 'N');
	SELECT dynamo.enable_stream('Shop');
	SELECT dynamo.put_item('Shop', '{"id": "secret-key", "n": 1}')});
my $answer = call_as($app, 'GetItem', '{"TableName":"Shop","Key":{"id":{"S":"secret-key"}}}');
is($answer->{status}, 200, 'a request');
call_as($app, 'GetItem', '{"TableName":"Shop","Key":{"id":{"S":"none"}}}');
call_as($app, 'GetItem', '{"TableName":"Shop"}');

sub scrape { return ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") }
my $page = scrape();
is($page->{status}, 200, 'a page');
is($page->{head}{'content-type'}, 'text/plain; version=0.0.4; charset=utf-8', 'of Prometheus\' type');
my $text = $page->{body};
like($text, qr/^dynamo_requests_total\{operation="GetItem",table="Shop",code="Success"\} 2$/m, 'requests');
like($text, qr/^dynamo_requests_total\{operation="GetItem",table="",code="UserError"\} 1$/m, 'one that names no table');
like($text, qr/^dynamo_request_duration_seconds_bucket\{operation="GetItem",table="Shop",le="\+Inf"\} 2$/m, 'a histogram');
like($text, qr/^dynamo_request_duration_seconds_count\{operation="GetItem",table="Shop"\} 2$/m, 'its count');
like($text, qr/^dynamo_consumed_read_units_total\{operation="GetItem",table="Shop"\} 1.0$/m, 'units');
like($text, qr/^dynamo_index_consumed_write_units_total\{table="Shop",index="ByN"\} 1.0$/m, 'of an index');
my %typed = map { $_ => 1 } $text =~ /^# TYPE (\S+) \S+$/mg;
my %helped = map { $_ => 1 } $text =~ /^# HELP (\S+) \S/mg;
my %sampled = map { s/_(?:bucket|sum|count)\z//r => 1 } $text =~ /^(dynamo_\w+)/mg;
is(join(' ', grep { !$typed{$_} || !$helped{$_} } sort keys %sampled), '', 'each has its type and says what it is');
like($text, qr/^dynamo_stream_records_total\{table="Shop"\} 1$/m, 'records');
like($text, qr/^dynamo_stream_lag_records\{table="Shop"\} 0$/m, 'and how far readers are behind');
like($text, qr/^dynamo_http_workers 2$/m, 'workers');
unlike($text, qr/secret-key/, 'nothing of items');

# Buckets only grow, to the count.
my @buckets = $text =~ /^dynamo_request_duration_seconds_bucket\{operation="PutItem",table="Shop",le="[^"]+"\} (\d+)$/mg;
cmp_ok(scalar(@buckets), '>', 10, 'buckets');
is_deeply([ sort { $a <=> $b } @buckets ], \@buckets, 'which only grow');

# Latencies are those of requests that succeed; where there was one, all quantiles
# lie in its bucket, which is an eighth to a quarter as wide as it is long.
call_as($app, 'PutItem', '{"TableName":"Shop","Item":{"id":{"S":"secret-key"}},"ConditionExpression":"attribute_not_exists(id)"}');
is(sql(q{SELECT requests, successes, condition_failures FROM dynamo.stat_table_operations WHERE table_name = 'Shop' AND operation = 'PutItem'}), '2 1 1', 'one of two succeeds');
like(scrape()->{body}, qr/^dynamo_request_duration_seconds_count\{operation="PutItem",table="Shop"\} 1$/m, 'and has a latency');
my ($took) = $text =~ /^dynamo_request_duration_seconds_sum\{operation="PutItem",table="Shop"\} ([0-9.e-]+)$/m;
my @quantiles = split / /, sql(q{SELECT p50_ms, p99_ms, p999_ms FROM dynamo.stat_table_operations WHERE table_name = 'Shop' AND operation = 'PutItem'});
is(scalar(grep { $_ > $took * 1000 * 0.79 && $_ < $took * 1000 * 1.26 } @quantiles), 3, "quantiles: @quantiles ms of $took s");

SKIP:
{
	skip 'promtool is not installed', 1 if system('command -v promtool >/dev/null 2>&1') != 0;
	my ($file, $name) = tempfile(UNLINK => 1);
	print $file $text;
	close $file;
	my $complaints = `promtool check metrics < $name 2>&1`;
	is($complaints, '', 'promtool has no complaints');
}

# A scrape is no request of the API.
unlike(scrape()->{body}, qr/operation="Unknown"/, 'scrapes are not counted');

# A table that no request has looked at, with an index of which the catalogs have
# much to say: from 18 on they keep that out of line, and no snapshot is there.
sql(q{SELECT dynamo.create_table('Wide', 'k');
	SELECT dynamo.create_index('Wide', 'ByAll', names[1:4], names[5:8])
	FROM (SELECT array_agg(left(encode(sha512(i::text::bytea), 'hex'), 60)) AS names FROM generate_series(1, 8) AS i) AS all_of_them});
is(scrape()->{status}, 200, 'an index with long names');

# Tables that a request makes.
call_as($app, 'CreateTable', '{"TableName":"Made","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}');
my ($arn) = call_as($app, 'CreateBackup', '{"TableName":"Shop","BackupName":"shop-first"}')->{body} =~ /"BackupArn":"([^"]+)"/;
ok(wait_for(sub { call_as($app, 'DescribeBackup', qq({"BackupArn":"$arn"}))->{body} =~ /"AVAILABLE"/ }), 'a backup');
is(call_as($app, 'RestoreTableFromBackup', qq({"TargetTableName":"ShopAgain","BackupArn":"$arn"}))->{status}, 200, 'is restored');

# The log.
my $id = $answer->{head}{'x-amzn-requestid'};
ok(log_has(qr/LOG:  duration: \d+\.\d+ ms  dynamo request: GetItem on table "Shop" for role "app", success, 0.5 read units, 0.0 write units, request id $id$/m),
	'a slow request is logged under its id');
ok(log_has(qr/dynamo request: PutItem on table "Shop" for role "app", success, 0.0 read units, 2.0 write units, request id none$/m), 'one of SQL without');
ok(log_has(qr/dynamo request: GetItem on table "" for role "app", user error/), 'one that fails');
ok(log_has(qr/dynamo request: CreateTable on table "Made" for role "app", success/), 'one that makes a table');
ok(log_has(qr/dynamo request: RestoreTableFromBackup on table "ShopAgain" for role "app", success/), '... or restores one');
ok(!log_has(qr/secret-key/), 'and nothing of items');
sql(qq{CREATE ROLE "a\nb""c"; SET ROLE "a\nb""c"; SELECT * FROM dynamo.get_item('Shop', 'a')});
ok(log_has(qr/dynamo request: GetItem on table "Shop" for role "a\?b\?c", user error/), 'a name of a role makes no line of its own');
sql(q{ALTER SYSTEM SET dynamo.log_min_duration_request = -1; SELECT pg_reload_conf()});
ok(wait_for(sub { sql('SHOW dynamo.log_min_duration_request') eq '-1' }), 'switched off');

# Off: there is no such page.
sql(q{ALTER SYSTEM SET dynamo.http_metrics = off; SELECT pg_reload_conf()});
ok(wait_for(sub { (scrape()->{status} // 0) == 404 }), 'no page when it is off');
done_testing();

# A hot standby answers reads by HTTP, and tells an SDK to go elsewhere with the
# rest: during replication, when its replay cancels a read, and after promotion,
# when it writes.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;
use Standby;

my $PATIENCE = 120;
my $dir = abs_path(dirname(__FILE__));
start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\ndynamo.http_metrics = loopback\nmax_wal_senders = 4\n"
	  . "max_worker_processes = 16\nautovacuum = off\n");
chomp(my $standby_http = `$dir/../free-port`);

sql(q{CREATE EXTENSION dynamo; CREATE ROLE alice LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO alice;
	SET ROLE alice;
	SELECT dynamo.create_table('Shop', 'id'), dynamo.create_index('Shop', 'ByKind', 'kind'), dynamo.enable_stream('Shop'), dynamo.enable_ttl('Shop', 'until'),
		dynamo.create_table('Slow', 'id'), dynamo.put_item('Slow', '{"id": "a"}');
	SELECT dynamo.put_item('Shop', '{"id": "old", "kind": "k", "n": 1}');
	SELECT dynamo.call('CreateTable', '{"TableName": "Near", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"VectorIndexes": [{"IndexName": "Any", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"}}]}');
	SELECT dynamo.put_item('Near', '{"id": "near", "v": [1, 0]}'), dynamo.put_item('Near', '{"id": "far", "v": [0, 1]}');
	RESET ROLE;
	-- A read that takes long, until somebody changes his mind.
	CREATE TABLE pace (slow boolean); INSERT INTO pace VALUES (true); GRANT SELECT ON pace TO PUBLIC;
	CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN IF (SELECT slow FROM pace) THEN PERFORM pg_sleep(600); END IF; RETURN true; END $$;
	CREATE ROLE bob LOGIN; GRANT SELECT ON dynamo_data."Slow" TO bob;
	ALTER TABLE dynamo_data."Slow" ENABLE ROW LEVEL SECURITY; CREATE POLICY slowly ON dynamo_data."Slow" TO bob USING (waits())});
my $alice = new_key('alice');
my $bob = new_key('bob');
my $arn = sql(q{SELECT table_arn FROM (SELECT dynamo.call('DescribeTable', '{"TableName": "Shop"}') #>> '{Table,TableArn}') t (table_arn)});

start_standby("dynamo.http_port=$standby_http", 'max_standby_streaming_delay=100ms');
use_port($standby_http);
ok(wait_for(sub { my $socket = connection(); $socket && close $socket }, $PATIENCE), 'a standby listens');
like(standby_log(), qr/dynamo serves eventually consistent reads of database "postgres" by HTTP on 127\.0\.0\.1, port $standby_http/, 'and its log says what it serves');
like(standby_log(), qr/HINT:  This server is a standby\. It serves writes as well once it is promoted/, 'and why');

# What reads.
my $id = '"id":{"S":"old"}';
my @reads = (
	[ GetItem => qq({"TableName":"Shop","Key":{$id}}), qr/"n":\{"N":"1"\}/ ],
	[ GetItem => qq({"TableName":"Shop","Key":{$id},"ConsistentRead":false}), qr/"n":\{"N":"1"\}/ ],
	[ Query => '{"TableName":"Shop","KeyConditionExpression":"id = :i","ExpressionAttributeValues":{":i":{"S":"old"}}}', qr/"Count":1/ ],
	[ Query => '{"TableName":"Shop","IndexName":"ByKind","KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{":k":{"S":"k"}}}', qr/"Count":1/ ],
	[ Scan => '{"TableName":"Shop"}', qr/"Count":1/ ],
	[ BatchGetItem => qq({"RequestItems":{"Shop":{"Keys":[{$id}]}}}), qr/"n":\{"N":"1"\}/ ],
	[ ExecuteStatement => q({"Statement":"SELECT n FROM \"Shop\" WHERE id = 'old'"}), qr/"n":\{"N":"1"\}/ ],
	[ BatchExecuteStatement => q({"Statements":[{"Statement":"SELECT n FROM \"Shop\" WHERE id = 'old'"}]}), qr/"n":\{"N":"1"\}/ ],
	[ SearchVectors => '{"TableName":"Near","IndexName":"Any","TopK":1,"SearchVector":[{"N":"2"},{"N":"0"}]}', qr/"id":\{"S":"near"\}/ ],
	[ ListTables => '{}', qr/\["Near","Shop","Slow"\]/ ],
	[ DescribeTable => '{"TableName":"Shop"}', qr/"TableStatus":"ACTIVE"/ ],
	[ DescribeTimeToLive => '{"TableName":"Shop"}', qr/"ENABLED"/ ],
	[ DescribeContinuousBackups => '{"TableName":"Shop"}', qr/DISABLED/ ],
	[ DescribeLimits => '{}', qr/AccountMaxReadCapacityUnits/ ],
	[ ListBackups => '{}', qr/BackupSummaries/ ],
	[ ListTagsOfResource => qq({"ResourceArn":"$arn"}), qr/"Tags":\[\]/ ],
	[ 'DynamoDBStreams_20120810.ListStreams' => '{}', qr/StreamArn/ ]);
foreach my $read (@reads)
{
	my ($operation, $text, $answer) = @$read;
	my $found = call_as($alice, $operation, $text);
	ok(($found->{status} // 0) == 200 && $found->{body} =~ $answer, "$operation $text") or diag(($found->{status} // '') . ' ' . ($found->{body} // ''));
}

# What does not, or asks for what was committed last.
my $REFUSED = '{"__type":"com.amazon.coral.validate#ValidationException",'
  . '"message":"This server is a standby, which serves eventually consistent reads. Send writes and consistent reads to the primary server."}';
my @refused = (
	[ PutItem => '{"TableName":"Shop","Item":{"id":{"S":"new"}}}' ],
	[ PutItem => '{"TableName":"Shop","Item":{"id":{"S":"old"}},"ConditionExpression":"attribute_not_exists(id)"}' ],
	[ UpdateItem => qq({"TableName":"Shop","Key":{$id}}) ],
	[ DeleteItem => qq({"TableName":"Shop","Key":{$id}}) ],
	[ BatchWriteItem => qq({"RequestItems":{"Shop":[{"DeleteRequest":{"Key":{$id}}}]}}) ],
	[ TransactWriteItems => qq({"TransactItems":[{"Delete":{"TableName":"Shop","Key":{$id}}}]}) ],
	[ TransactGetItems => qq({"TransactItems":[{"Get":{"TableName":"Shop","Key":{$id}}}]}) ],
	[ ExecuteTransaction => q({"TransactStatements":[{"Statement":"SELECT n FROM \"Shop\" WHERE id = 'old'"}]}) ],
	[ ExecuteStatement => q({"Statement":"INSERT INTO \"Shop\" VALUE {'id': 'new'}"}) ],
	[ ExecuteStatement => q({"Statement":"DELETE FROM \"Shop\" WHERE id = 'old'"}) ],
	[ ExecuteStatement => q({"Statement":"SELECT n FROM \"Shop\" WHERE id = 'old'","ConsistentRead":true}) ],
	[ BatchExecuteStatement => q({"Statements":[{"Statement":"DELETE FROM \"Shop\" WHERE id = 'old'"}]}) ],
	[ BatchExecuteStatement => q({"Statements":[{"Statement":"SELECT n FROM \"Shop\" WHERE id = 'old'"},{"Statement":"SELECT n FROM \"Shop\" WHERE id = 'new'","ConsistentRead":true}]}) ],
	[ GetItem => qq({"TableName":"Shop","Key":{$id},"ConsistentRead":true}) ],
	[ GetItem => qq({"TableName":"Shop","Key":{$id},"ConsistentRead":"true"}) ],
	[ Query => '{"TableName":"Shop","ConsistentRead":true,"KeyConditionExpression":"id = :i","ExpressionAttributeValues":{":i":{"S":"old"}}}' ],
	[ Scan => '{"TableName":"Shop","ConsistentRead":true}' ],
	[ BatchGetItem => qq({"RequestItems":{"Slow":{"Keys":[{$id}]},"Shop":{"Keys":[{$id}],"ConsistentRead":true}}}) ],
	[ CreateTable => '{"TableName":"Other","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}' ],
	[ DeleteTable => '{"TableName":"Shop"}' ],
	[ UpdateTimeToLive => '{"TableName":"Shop","TimeToLiveSpecification":{"Enabled":false,"AttributeName":"until"}}' ],
	[ TagResource => qq({"ResourceArn":"$arn","Tags":[{"Key":"a","Value":"b"}]}) ],
	[ CreateBackup => '{"TableName":"Shop","BackupName":"one"}' ]);
foreach my $refused (@refused)
{
	my ($operation, $text) = @$refused;
	my $found = call_as($alice, $operation, $text);
	is(($found->{status} // '') . ' ' . ($found->{body} // ''), "400 $REFUSED", "$operation $text is refused");
}
is((call_as({ %$alice, secret => 'wrong' }, 'GetItem', $reads[0][1])->{body} // '') =~ /#(\w+)/ ? $1 : '', 'InvalidSignatureException', 'signatures are checked');
is((call_as($bob, 'GetItem', $reads[0][1])->{body} // '') =~ /#(\w+)/ ? $1 : '', 'AccessDeniedException', 'and rights');
like(ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")->{body}, qr/^dynamo_requests_total\{.*operation="GetItem".*\} [1-9]/m, 'metrics are there');
is(there("SELECT string_agg(DISTINCT backend_type, ',' ORDER BY backend_type) FROM pg_stat_activity WHERE backend_type LIKE 'dynamo %'"),
	'dynamo http long worker,dynamo http worker,dynamo launcher', 'nothing works in the background');

is(join(' ', map { ask("GET $_ HTTP/1.1\r\nHost: x\r\n\r\n")->{status} } '/', '/primary', '/primary?x', '/primaryx'), '200 503 503 404', 'it is healthy, and no primary');

# SQL says the same in its words.
like(there(q{SELECT dynamo.call('Scan', '{"TableName": "Shop", "ConsistentRead": true}')}), qr/ERROR:  cannot execute a consistent read during recovery/, 'dynamo.call');
like(there(q{SELECT dynamo.try_call('Scan', '{"TableName": "Shop", "ConsistentRead": true}')}), qr/ValidationException.*This server is a standby/, 'dynamo.try_call');
is(there(q{SELECT count(*) FROM dynamo.transact_get('[{"Get": {"TableName": "Shop", "Key": {"id": "old"}}}]')}), '1', 'a function of SQL reads what the standby has');

# What is written on the primary comes, also a new table and a new key.
sql(q{SET ROLE alice; SELECT dynamo.put_item('Shop', '{"id": "later"}'), dynamo.create_table('Young', 'id'), dynamo.put_item('Young', '{"id": "a"}')});
my $new = new_key('alice');
follows() or die 'the standby is behind';
is(call_as($new, 'Scan', '{"TableName":"Young"}')->{status}, 200, 'a new table, by a new key');
like(call_as($alice, 'Scan', '{"TableName":"Shop","Select":"COUNT"}')->{body}, qr/"Count":2/, 'a new item');
sql("SELECT dynamo.drop_access_key('$new->{key}'); REVOKE SELECT ON dynamo_data.\"Young\" FROM alice; ALTER TABLE dynamo_data.\"Young\" OWNER TO postgres");
follows() or die 'the standby is behind';
is((call_as($new, 'ListTables', '{}')->{body} // '') =~ /#(\w+)/ ? $1 : '', 'UnrecognizedClientException', 'and goes, a key');
is((call_as($alice, 'Scan', '{"TableName":"Young"}')->{body} // '') =~ /#(\w+)/ ? $1 : '', 'AccessDeniedException', 'and a right');

# A read that is in the way of replay is cancelled, and may be sent again.
foreach my $slow ([ GetItem => '{"TableName":"Slow","Key":{"id":{"S":"a"}}}' ], [ ExecuteStatement => '{"Statement":"SELECT * FROM \"Slow\""}' ])
{
	sql('UPDATE pace SET slow = true');
	follows() or die 'the standby is behind';
	my $socket = send_as($bob, @$slow);
	wait_for(sub { there("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") eq '1' }, $PATIENCE) or die "$slow->[0] does not wait";
	sql('BEGIN; UPDATE pace SET slow = false; LOCK TABLE dynamo_data."Slow" IN ACCESS EXCLUSIVE MODE; COMMIT');
	my $answer = receive($socket);
	is(($answer->{status} // '') . ' ' . (($answer->{body} // '') =~ /#(\w+)/ ? $1 : ''), '503 ServiceUnavailable', "$slow->[0] in the way of replay");
	follows() or die 'the standby is behind';
	like((call_as($bob, @$slow)->{body} // ''), qr/"S":"a"/, 'and again');
}

# An SDK as it is: reads, is told where to write, and repeats a cancelled read.
my $python = $ENV{BOTO_PYTHON} // 'python3';
my $boto = system("$python -c 'import boto3' 2>/dev/null") == 0;
my $environment = "AWS_ACCESS_KEY_ID=$bob->{key} AWS_SECRET_ACCESS_KEY=$bob->{secret} AWS_DEFAULT_REGION=us-east-1 $python $dir/standby/client.py http://127.0.0.1:$standby_http";
SKIP:
{
	skip 'boto3 is not installed', 2 unless $boto;
	is(run(qq{$environment reads}), "a\nValidationException 0\nValidationException 0", 'boto3 reads, and does not repeat a write');
	sql('UPDATE pace SET slow = true');
	follows() or die 'the standby is behind';
	open(my $client, '-|', "$environment repeats 2>&1") or die;
	wait_for(sub { there("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") eq '1' }, $PATIENCE) or die 'boto3 does not wait';
	sql('BEGIN; UPDATE pace SET slow = false; LOCK TABLE dynamo_data."Slow" IN ACCESS EXCLUSIVE MODE; COMMIT');
	like(do { local $/; <$client> }, qr/^a [1-9]\d*$/, 'and repeats a read that replay has cancelled');
	close $client;
}

# Promotion, under a connection that stays.
my $kept = connection();
is(call_as($alice, 'Scan', '{"TableName":"Shop","Select":"COUNT"}', $kept)->{status}, 200, 'a connection');
follows() or die 'the standby is behind';
server('crash');
standby_control('promote') or die 'no promotion';
is(call_as($alice, 'PutItem', '{"TableName":"Shop","Item":{"id":{"S":"after"},"until":{"N":"100"}}}', $kept)->{status}, 200, 'after the promotion it writes');
like(call_as($alice, 'GetItem', '{"TableName":"Shop","Key":{"id":{"S":"after"}},"ConsistentRead":true}', $kept)->{body}, qr/"after"/, 'and reads consistently');
is(call_as($alice, 'TransactWriteItems', '{"TransactItems":[{"Put":{"TableName":"Shop","Item":{"id":{"S":"b"}}}}]}')->{status}, 200, 'transactions');
is(call_as($alice, @{ (grep { $_->[0] eq 'CreateTable' } @refused)[0] })->{status}, 200, 'new tables');
SKIP:
{
	skip 'boto3 is not installed', 1 unless $boto;
	is(run("AWS_ACCESS_KEY_ID=$alice->{key} AWS_SECRET_ACCESS_KEY=$alice->{secret} AWS_DEFAULT_REGION=us-east-1 $python $dir/standby/client.py http://127.0.0.1:$standby_http writes"),
		'sdk', 'boto3 writes');
}
is(ask("GET /primary HTTP/1.1\r\nHost: x\r\n\r\n")->{body}, "primary\n", 'it is the primary');
ok(wait_for(sub { standby_log() =~ /dynamo serves writes of database "postgres" from now on/ }, $PATIENCE), 'the log says so');
ok(wait_for(sub { there("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background'") ne '0' }, $PATIENCE), 'work in the background begins')
  or diag(there('SELECT array_agg(DISTINCT backend_type) FROM pg_stat_activity'));
unlike(standby_log(), qr/ERROR:  XX|TRAP:|was terminated by signal|cannot (?:assign|execute).*during recovery.*\n.*dynamo http/, 'no error is internal');

done_testing();

# Two teams on one server: each has a database, a port and a table "Orders" of its own,
# by an SDK as it is.  Keys of one do not open the other, and one that is slow, dropped
# or busy does not stop the other.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IO::Socket::INET;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $top = abs_path(dirname(__FILE__) . '/../..');
chomp(my $second = `$top/test/free-port`);
my $PATIENCE = 120;

# A port that somebody else has.
my $taken = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die;
my $blocked = $taken->sockport;
my $began = time;

start_server("dynamo.http_workers = 1\ndynamo.http_database = billing\ndynamo.http_further_databases = 'shipping:$second, blocked:$blocked'\n"
	  . "dynamo.ttl_interval = 1\ndynamo.http_metrics = loopback\ndynamo.http_request_timeout = 0\nmax_worker_processes = 16\n");
my $first = port();
sql('CREATE ROLE billing LOGIN; CREATE ROLE shipping LOGIN; CREATE ROLE warehouse LOGIN');

sub make_team
{
	my ($team) = @_;
	sql("CREATE DATABASE $team");
	sql("CREATE EXTENSION dynamo; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO $team", $team);
	my ($id, $secret) = split ' ', sql(qq{SELECT * FROM dynamo.create_access_key('$team')}, $team);
	return { key => $id, secret => $secret };
}

# What a team's port says to this key.
sub ask_team
{
	my ($at, $key, $operation, $body) = @_;
	use_port($at);
	my $answer = call($operation, $body, signed_head($operation, $body, %$key));
	return ($answer->{status} // '') . ' ' . ($answer->{body} // '');
}

sub is_served
{
	my ($at) = @_;
	return wait_for(sub { use_port($at); my $socket = connection(); $socket && close $socket }, $PATIENCE);
}

# A list that cannot be served changes nothing, even while no database is there yet.
sql("ALTER SYSTEM SET dynamo.http_further_databases = 'shipping:$second, billing:$second'; SELECT pg_reload_conf()");
ok(wait_for(sub { log_has(qr/is served twice/) }, $PATIENCE), 'a list with a port twice is not taken');
ok(wait_for(sub { log_has(qr/goes on with the HTTP server as it was/) }, $PATIENCE), 'but that before is');

my $shipping = make_team('shipping');
ok(is_served($second), 'a further database is served when it is there');
ok(log_has(qr/dynamo waits for database "billing" to be created/), 'though the first one is not');
my $billing = make_team('billing');
ok(is_served($first), 'then the first one, too');
ok(log_has(qr/dynamo serves database "shipping" by HTTP on 127\.0\.0\.1, port $second/), 'the log says which is where');

# An SDK as it is, for each team, with the same words.
my $python = $ENV{BOTO_PYTHON} // 'python3';
my $client = <<'PYTHON';
import boto3, sys
db = boto3.resource('dynamodb', endpoint_url=sys.argv[1])
orders = db.create_table(TableName='Orders', BillingMode='PAY_PER_REQUEST',
    KeySchema=[{'AttributeName': 'id', 'KeyType': 'HASH'}], AttributeDefinitions=[{'AttributeName': 'id', 'AttributeType': 'S'}])
orders.wait_until_exists()
with orders.batch_writer() as batch:
    for i in range(60):
        batch.put_item(Item={'id': str(i), 'team': sys.argv[2], 'text': 'x' * 4000})
found = orders.scan()['Items']
print(len(found), {i['team'] for i in found}, [t.name for t in db.tables.all()])
PYTHON
open my $out, '>', directory() . '/client.py' or die;
print $out $client;
close $out;
SKIP:
{
	skip 'boto3 is not installed', 2 if system("$python -c 'import boto3' 2>/dev/null") != 0;
	foreach my $team ([ billing => $first, $billing ], [ shipping => $second, $shipping ])
	{
		my ($name, $at, $key) = @$team;
		is(run("NO_PROXY=127.0.0.1 AWS_ACCESS_KEY_ID=$key->{key} AWS_SECRET_ACCESS_KEY=$key->{secret} AWS_DEFAULT_REGION=us-east-1 "
				  . "$python " . directory() . "/client.py http://127.0.0.1:$at $name"),
			"60 {'$name'} ['Orders']", "boto3 of team $name has a table Orders");
	}
}

# The same byte by byte, and without an SDK.
my $make = '{"TableName":"Items","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}';
foreach my $team ([ 'billing', $first, $billing, 'b' ], [ 'shipping', $second, $shipping, 's' ])
{
	my ($name, $at, $key, $item) = @$team;
	like(ask_team($at, $key, CreateTable => $make), qr/^200 /, "$name makes a table Items");
	like(ask_team($at, $key, PutItem => qq({"TableName":"Items","Item":{"id":{"S":"$item"}}})), qr/^200 /, 'and puts an item');
}
like(ask_team($first, $billing, Scan => '{"TableName":"Items"}'), qr/"Items":\[\{"id":\{"S":"b"\}\}\]/, 'each sees its own');
like(ask_team($second, $shipping, Scan => '{"TableName":"Items"}'), qr/"Items":\[\{"id":\{"S":"s"\}\}\]/, 'and nothing else');
like(ask_team($second, $billing, ListTables => '{}'), qr/^400 .*UnrecognizedClientException/, 'a key of one team is none of the other');
like(ask_team($first, $shipping, ListTables => '{}'), qr/^400 .*UnrecognizedClientException/, 'neither way');

# Metrics by database.
use_port($second);
my $page = ask("GET /metrics HTTP/1.1\r\nHost: localhost:$second\r\nConnection: close\r\n\r\n")->{body};
like($page, qr/^dynamo_requests_total\{.*operation="PutItem".*table="Items".*\} 1$/m, 'a port shows the metrics of its database');
like($page, qr/^dynamo_http_workers 1$/m, 'and counts its process');

# What waits in the background of a database is told at one port, so that it is counted once.
sub databases
{
	my ($port) = @_;
	use_port($port);
	my $body = ask("GET /metrics HTTP/1.1\r\nHost: localhost:$port\r\nConnection: close\r\n\r\n")->{body};
	return join ' ', sort $body =~ /^dynamo_jobs_waiting\{database="(.*)"\}/mg;
}
sql('CREATE EXTENSION dynamo', 'postgres');
my @told;   # a database is told of, too, while a process looks whether there is work
wait_for(sub { @told = map { databases($_) } $first, $second; "@told" eq 'billing postgres shipping' });
is($told[0], 'billing postgres', 'work of databases without a port is told at the first');
is($told[1], 'shipping', 'and that of another at its own');
use_port($second);

# A long request is executed by the database's own process, since long workers are in the
# first one.
my $long = '{"RequestItems":{"Items":[' . join(',', map { '{"PutRequest":{"Item":{"id":{"S":"' . $_ . '"},"t":{"S":"' . 'x' x 8000 . '"}}}}' } 1 .. 25) . ']}}';
like(ask_team($second, $shipping, BatchWriteItem => $long), qr/^200 \{"UnprocessedItems":\{\}\}/, 'a long request');
like(ask_team($second, $shipping, Scan => '{"TableName":"Items","Select":"COUNT"}'), qr/"Count":26/, 'is done');

# A request that takes long at one team's port leaves the other's answering, and its own
# port open.
sql(q{CREATE TABLE pace (slow boolean); INSERT INTO pace VALUES (true); GRANT SELECT ON pace TO shipping;
	CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
		WHILE new.item->>'id' = 'slow' AND (SELECT slow FROM pace) LOOP PERFORM pg_sleep(0.05); END LOOP; RETURN new; END$$;
	CREATE TRIGGER slow BEFORE INSERT ON dynamo_data."Items" FOR EACH ROW EXECUTE FUNCTION slowly()}, 'shipping');
use_port($second);
my $slow = send_as($shipping, PutItem => '{"TableName":"Items","Item":{"id":{"S":"slow"}}}');
wait_for(sub { sql(q{SELECT now() - query_start > '2 s' FROM pg_stat_activity WHERE backend_type = 'dynamo http worker' AND datname = 'shipping' AND state = 'active'}) eq 't' }, $PATIENCE)
  or die 'the request does not run';
like(ask_team($first, $billing, ListTables => '{}'), qr/^200 /, 'while a request of one team takes long, the other is served');
use_port($second);
ok(my $later = connection(), 'and who comes to the busy one is not turned away');
sql('UPDATE pace SET slow = false', 'shipping');
like(receive($slow, $PATIENCE)->{body} // '', qr/^\{\}$/, 'the request is done');
is(call_as($shipping, 'ListTables', '{}', $later)->{status}, 200, 'and who came meanwhile is answered');

# The database of one team can be dropped, which the other does not notice.
my $worker = sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http worker' AND datname = 'billing'});
is(sql('DROP DATABASE shipping'), '', 'one database is dropped');
ok(log_has(qr/dynamo leaves database "shipping", which is being dropped/), 'its process has left');
is(sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http worker' AND datname = 'billing'}), $worker, 'that of the other stays');
like(ask_team($first, $billing, Scan => '{"TableName":"Items"}'), qr/"S":"b"/, 'and answers');
$shipping = make_team('shipping');
ok(is_served($second), 'a new database of that name is served');
is(ask_team($second, $shipping, ListTables => '{}'), '200 {"TableNames":[]}', 'and empty');

# The port that somebody else has is tried again, but not each time that the other
# databases are looked at; a reload has it tried at once.
my $tries = () = log_text() =~ /could not bind a socket for port $blocked/g;
cmp_ok($tries, '>', 0, 'a port that is taken is reported');
cmp_ok($tries, '<=', (time - $began) / 10 + 3, 'but not all the time');

# A reload takes databases away, and brings others.
chomp(my $third = `$top/test/free-port`);
my $warehouse = make_team('warehouse');
set('dynamo.http_further_databases', "warehouse:$third");
ok(is_served($third), 'a reload brings a database');
is(ask_team($third, $warehouse, ListTables => '{}'), '200 {"TableNames":[]}', 'which answers');
ok(wait_for(sub { use_port($second); !connection() }, $PATIENCE), 'and takes one away');
ok(is_served($first), 'the first one goes on');

# A database may be closed to all for a while.
sql('ALTER DATABASE warehouse ALLOW_CONNECTIONS false');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'warehouse'});
ok(wait_for(sub { log_has(qr/dynamo waits until database "warehouse" takes connections/) }, $PATIENCE), 'a database that nobody may connect to is waited for');
my $tried = closed_to();   # by who was on his way when it was closed
sql('ALTER DATABASE warehouse ALLOW_CONNECTIONS true');
ok(is_served($third), 'until somebody may');
is(closed_to(), $tried, 'and is not tried meanwhile');

# What cannot be served is refused, and what was served goes on.
foreach my $bad ('warehouse', 'warehouse:0', 'warehouse:65536', 'warehouse:x', ':8001', 'a:1,', '"a:1', 'x' x 64 . ':8001')
{
	like(sql("ALTER SYSTEM SET dynamo.http_further_databases = '$bad'"), qr/ERROR:  invalid value for parameter "dynamo.http_further_databases"/, "$bad is refused");
}
foreach my $twice ("billing:$third", "warehouse:$first", "warehouse:$third, warehouse:$second", "warehouse:$third, shipping:$third")
{
	my $n = () = log_text() =~ /is served twice/g;
	sql("ALTER SYSTEM SET dynamo.http_further_databases = '$twice'; SELECT pg_reload_conf()");
	ok(wait_for(sub { (() = log_text() =~ /is served twice/g) > $n }, $PATIENCE), "$twice is not taken");
	is(ask_team($third, $warehouse, ListTables => '{}'), '200 {"TableNames":[]}', 'and what was served goes on');
}

# How often somebody was refused a connection.
sub closed_to { return scalar(() = log_text() =~ /FATAL: .*"warehouse" is not currently accepting connections/g) }

sub log_text
{
	open my $log, '<', directory() . '/log' or die;
	return do { local $/; <$log> };
}

done_testing();

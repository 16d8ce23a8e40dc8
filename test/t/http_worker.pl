# Workers over time: they come when the database and the extension do, wait
# for nobody's lock, outlive a crash, follow a reload, and what they have
# answered is on disk.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use IPC::Open2;
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 2\n"
	  . "dynamo.http_database = later\nrestart_after_crash = on");

# A database and an extension that come later.
ok(!connection(), 'no database, nothing is served');
sql('CREATE DATABASE later');
ok(wait_for(sub { connection() }), 'the database comes and is served');
is(call('ListTables', '{}')->{status}, 503, 'without the extension: later');
sql('CREATE EXTENSION dynamo', 'later');
is(call('ListTables', '{}')->{status}, 200, 'with it: now');
ok(wait_for(sub { scalar(worker_pids()) == 2 }), 'by two workers');
ok(wait_for(sub { later(q{SELECT (SELECT count(DISTINCT pid) FROM dynamo.stat_activity) = count(*)
			FROM pg_stat_activity WHERE backend_type LIKE 'dynamo http%' AND pid > 0}) eq 't' }), 'and each worker has a place of its own');

sub later { return sql($_[0], 'later') }
later(q{SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo.put_item('Shop', '{"id": "a", "n": 0}')});
my $get = '{"TableName":"Shop","Key":{"id":{"S":"a"}}}';
my $add = '{"TableName":"Shop","Key":{"id":{"S":"a"}},"UpdateExpression":"ADD n :one",'
  . '"ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}';

# A lock of somebody else: who needs it waits, the others do not.
sub hold
{
	my ($sql, $seconds) = @_;
	my $pid = fork;
	if ($pid == 0)
	{
		open(STDOUT, '>', '/dev/null');
		run("psql -X -q -d later -c \"BEGIN; $sql; SELECT pg_sleep($seconds); COMMIT\"");
		_exit(0);
	}
	wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) eq '1' });
	return $pid;
}
sub release
{
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
	return waitpid($_[0], 0);
}
sql(q{ALTER SYSTEM SET dynamo.http_workers = 1; SELECT pg_reload_conf()});
ok(wait_for(sub { scalar(worker_pids()) == 1 && connection() }), 'a reload changes the number of workers');
# (They wait for five seconds.  Where the machine is so slow that these are over, another
# five are sent.)
my $holder;
my (@answers, $reads);
foreach my $try (1 .. 20)
{
	$holder = hold(q{UPDATE dynamo_data.\"Shop\" SET item = item}, 600);
	my @waiting = map {
		my $s = connection();
		print $s "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.UpdateItem\r\n"
		  . 'Content-Length: ' . length($add) . "\r\n\r\n$add";
		$s->flush;
		$s
	} 1 .. 5;
	$reads = grep { (call('GetItem', $get)->{body} // '') =~ /^\{"Item":\{"id":\{"S":"a"\},"n"/ } 1 .. 21;
	release($holder);
	@answers = map { receive($_)->{body} } @waiting;
	last unless grep { !/"N":/ } @answers;
}
is($reads, 21, 'others read while five wait for a lock');
my @n = sort { $a <=> $b } map { /"N":"(\d+)"/ } @answers;
is(join(' ', map { $_ - $n[0] } @n), '0 1 2 3 4', 'the five are done, each once');
is(call('GetItem', $get)->{body}, qq({"Item":{"id":{"S":"a"},"n":{"N":"$n[-1]"}}}), 'and none is lost');

$holder = hold(q{UPDATE dynamo_data.\"Shop\" SET item = item}, 60);
my $r = call('UpdateItem', $add);
is($r->{status}, 400, 'a lock that is held too long');
is($r->{body},
	'{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"Transaction is ongoing for the item"}',
	'is a conflict');
release($holder);

# A batch of statements waits, too, and in the end does what it can.
my $batch = q({"Statements":[{"Statement":"UPDATE \"Shop\" SET n = n + 1 WHERE id = 'a'"},{"Statement":"DELETE FROM \"Shop\" WHERE id = 'b'"}]});
foreach my $try (1 .. 20)
{
	$holder = hold(q{UPDATE dynamo_data.\"Shop\" SET item = item}, 2);
	$r = call('BatchExecuteStatement', $batch);
	waitpid($holder, 0);
	last if ($r->{body} // '') !~ /Error/;
}
is($r->{body}, '{"Responses":[{"TableName":"Shop"},{"TableName":"Shop"}]}', 'a batch of statements waits');
$holder = hold(q{UPDATE dynamo_data.\"Shop\" SET item = item}, 60);
is(call('BatchExecuteStatement', $batch)->{body},
	'{"Responses":[{"Error":{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"},"TableName":"Shop"},{"TableName":"Shop"}]}',
	'and tells at last which it could not do');
release($holder);

# A lock on the whole table, as of an ALTER TABLE.
sub waiting
{
	my ($operation, $body) = @_;
	my $s = connection();
	print $s "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n"
	  . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
	$s->flush;
	return $s;
}
my $tries = sub { sql(q{SELECT xact_rollback FROM pg_stat_database WHERE datname = 'later'}) };
my $tried = $tries->();
my $waited;
foreach my $try (1 .. 20)
{
	$holder = hold(q{LOCK TABLE dynamo_data.\"Shop\"}, 3);
	$waited = call('GetItem', $get)->{status};
	waitpid($holder, 0);
	last if ($waited // '') eq '200';
}
is($waited, 200, 'a read waits for it');
ok(wait_for(sub { $tries->() > $tried + 5 }), 'tried again all the time, not when something else happens');
$holder = hold(q{LOCK TABLE dynamo_data.\"Shop\"}, 60);
my ($read, $query, $write, $transaction, $change) = map { waiting(@$_) } (
	[ 'GetItem', $get ],
	[ 'Scan', '{"TableName":"Shop"}' ],
	[ 'UpdateItem', $add ],
	[ 'TransactGetItems', qq({"TransactItems":[{"Get":$get}]}) ],
	[ 'DeleteTable', '{"TableName":"Shop"}' ]);
foreach my $s ($read, $query)
{
	$r = receive($s);
	is($r->{status}, 503, 'a read that has waited too long: the client is to try again');
	is($r->{body},
		'{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"The service is temporarily unavailable."}',
		'by the one exception that says so');
}
$r = receive($write);
is("$r->{status} $r->{body}",
	'400 {"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"Transaction is ongoing for the item"}',
	'a write: a conflict');
like(receive($transaction)->{body}, qr/"CancellationReasons":\[\{"Code":"TransactionConflict"/, 'a transaction: cancelled');
$r = receive($change);
is("$r->{status} $r->{body}",
	'400 {"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"Attempt to change a resource which is still in use"}',
	'a change of the table: in use');
release($holder);

# Indexes are made and dropped by another process (index_build.pl), for which
# the request does not wait.
sub index_update
{
	my ($action) = @_;
	return qq({"TableName":"Shop","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"by","AttributeType":"S"}],)
	  . qq("GlobalSecondaryIndexUpdates":[$action]});
}
my $query_index = '{"TableName":"Shop","IndexName":"ByBy","KeyConditionExpression":"#b = :b",'
  . '"ExpressionAttributeNames":{"#b":"by"},"ExpressionAttributeValues":{":b":{"S":"x"}}}';
$holder = hold(q{LOCK TABLE dynamo_data.\"Shop\" IN ROW EXCLUSIVE MODE}, 60);
$r = call('UpdateTable', index_update('{"Create":{"IndexName":"ByBy","KeySchema":[{"AttributeName":"by","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}'));
is($r->{status}, 200, 'an index can be added to a table in use') or diag($r->{body});
release($holder);
ok(wait_for(sub { call('Query', $query_index)->{status} == 200 }), 'and is there when it is not');
is(call('Query', $query_index)->{body}, '{"Items":[],"Count":0,"ScannedCount":0}', 'to be read');
$holder = hold(q{LOCK TABLE dynamo_data.\"Shop\" IN ROW EXCLUSIVE MODE}, 60);
is(call('UpdateTable', index_update('{"Delete":{"IndexName":"ByBy"}}'))->{status}, 200, 'it can be deleted, too');
like(call('Query', $query_index)->{body}, qr/does not have the specified index/, 'and is gone');
release($holder);

# A transaction whose default is stricter.
sql(q{ALTER SYSTEM SET default_transaction_isolation = 'serializable'; SELECT pg_reload_conf()});
is(call('UpdateItem', $add)->{status}, 200, 'the isolation set for sessions does not matter');

# Long requests end.
set('dynamo.http_request_timeout', '2s');
later(q{
	CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_sleep(600); RETURN new; END $$;
	CREATE TRIGGER slow BEFORE UPDATE ON dynamo_data."Shop"
	FOR EACH ROW EXECUTE FUNCTION public.slow();
});
$r = call('UpdateItem', $add);
is($r->{status}, 500, 'a request is cancelled in time');
like($r->{body}, qr/#InternalServerError"/, 'as an internal error');
ok(reported(qr/ERROR: .*canceling statement due to statement timeout/), 'whose reason is in the log');
ok(wait_for(sub { sql(q{SELECT DISTINCT state FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'}) eq 'idle' }),
	'after which its worker is idle');
later('DROP TRIGGER slow ON dynamo_data."Shop"');
is(call('UpdateItem', $add)->{status}, 200, 'and the next is not');

# Load in the background: counts answers by status and by body.
sub load
{
	my ($seconds) = @_;
	my $pid = fork;
	return $pid if $pid;
	my $end = time() + $seconds;
	my $socket;
	while (time() < $end)
	{
		$socket ||= connection();
		my $r = call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"' . rand() . '"}}}', {}, $socket);
		undef $socket unless $r->{status};
	}
	_exit(0);
}

# DROP EXTENSION under load.
my @load = map { load(4) } 1 .. 3;
foreach (1 .. 3)
{
	sleep 0.4;
	my $dropped = later('DROP EXTENSION dynamo CASCADE');
	unlike($dropped, qr/ERROR/, 'the extension is dropped under load');
	ok(wait_for(sub { (call('ListTables', '{}')->{status} || 0) == 503 }, 120), 'and is gone');
	later(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id')});
	ok(wait_for(sub { (call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"a"}}}')->{status} || 0) == 200 }, 120),
		'and serves when it is back');
}
waitpid($_, 0) foreach @load;

# DROP DATABASE with force, and back.  (Without: http_database.pl)
is(sql('DROP DATABASE later WITH (FORCE)'), '', 'a database that is served goes by force');
ok(wait_for(sub { !connection() }), 'then nothing is served');
sql('CREATE DATABASE later');
later(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id')});
ok(wait_for(sub { connection() }), 'until it is there again');

# A worker that is told to end.
my ($pid) = worker_pids();
kill 'TERM', $pid;
ok(wait_for(sub { my ($p) = worker_pids(); $p && $p =~ /^\d+$/ && $p != $pid && connection() }), 'a worker that ends is replaced');

# One that crashes takes the server with it, and both come back.
($pid) = worker_pids();
kill 'KILL', $pid;
ok(wait_for(sub { my ($p) = worker_pids(); $p && $p =~ /^\d+$/ && $p != $pid && connection() }, 120),
	'a worker that is killed comes back with the server');
is(scalar(worker_pids()), 1, 'alone');

# Counters are reported while the worker idles.
later('SELECT pg_stat_reset()');
call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"counted"}}}') foreach 1 .. 3;
ok(wait_for(sub { later(q{SELECT n_tup_ins + n_tup_upd FROM pg_stat_user_tables WHERE relname = 'Shop'}) eq '3' }),
	'what was written is counted')
  or diag(later(q{SELECT * FROM pg_stat_user_tables WHERE relname = 'Shop'}));

# What was answered is there after a crash.
pipe(my $in, my $out);
$pid = fork;
if ($pid == 0)
{
	close $in;
	my $socket = connection();
	for (my $i = 0;; $i++)
	{
		my $r = call('PutItem', qq({"TableName":"Shop","Item":{"id":{"S":"k$i"}}}), {}, $socket);
		last unless ($r->{status} || 0) == 200;
		syswrite $out, "$i\n";
	}
	_exit(0);
}
close $out;
my @acknowledged = map { scalar <$in> } 1 .. 20;
server('crash');
# Read before waiting: the pipe may be full.
push @acknowledged, <$in>;
waitpid($pid, 0);
my $last = $acknowledged[-1] + 0;
cmp_ok(scalar(@acknowledged), '>', 10, "$last items were acknowledged");
ok(server('restart'), 'a crash and a restart');
is(later(qq{SELECT count(*) FROM generate_series(0, $last) i, dynamo.get_item('Shop', ('{"id":"k' || i || '"}')::dynamo.item)}),
	$last + 1, 'all of them are there');
ok(wait_for(sub { connection() }), 'and HTTP is served');

# Settings.
my $port = port();
sql(q{ALTER SYSTEM SET dynamo.http_port = 0; SELECT pg_reload_conf()});
ok(wait_for(sub { !connection() }), 'port 0 ends it');
sql(qq{ALTER SYSTEM SET dynamo.http_port = $port; SELECT pg_reload_conf()});
ok(wait_for(sub { connection() }), 'a port begins it');
sql(q{ALTER SYSTEM SET dynamo.http_listen_addresses = '*'; SELECT pg_reload_conf()});
ok(reported(qr/does not serve address "\*" without authentication/), 'no trust beyond this machine');
ok(reported(qr/WARNING: .*dynamo goes on with the HTTP server as it was/), 'what was served is served on');
is(call('ListTables', '{}')->{status}, 200, '... as it was');
is(run("ss -ltn 2>/dev/null | grep -c '0.0.0.0:$port '"), '0', '... and where it was');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'});
ok(wait_for(sub { (call('ListTables', '{}')->{status} // '') eq '200' }), 'a worker that begins later serves the same');
is(run("ss -ltn 2>/dev/null | grep -c '0.0.0.0:$port '"), '0', '... and no other address');
sql(q{ALTER SYSTEM SET dynamo.http_authentication = sigv4; SELECT pg_reload_conf()});
ok(wait_for(sub { (call('ListTables', '{}')->{status} // '') eq '400' }), 'with signatures, any address, and no request without one');

# The other way round, the address first: signatures are asked for until nobody
# else can be reached.
sql(q{ALTER SYSTEM SET dynamo.http_authentication = trust; SELECT pg_reload_conf()});
ok(reported(qr/WARNING: .*dynamo goes on with the HTTP server as it was/), 'trust is refused while all can come');
is(call('ListTables', '{}')->{status}, 400, '... and signatures are asked for');
sql(q{ALTER SYSTEM SET dynamo.http_listen_addresses = '127.0.0.1'; SELECT pg_reload_conf()});
ok(wait_for(sub { (call('ListTables', '{}')->{status} // '') eq '200' }), 'until both are right');

done_testing();

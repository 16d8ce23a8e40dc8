# Requests are counted by every door, for the table they are about, and shown
# to those who may know of the table; counters survive what they should.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.stat_max_tables = 20\ndynamo.ttl_interval = 0");
my $alice = tenant('alice');
my $bob = tenant('bob');
sql(q{GRANT CREATE ON SCHEMA dynamo_data TO alice, bob});

# Of a table: columns of stat_table_operations for one operation.
sub counted
{
	my ($table, $operation, $columns, $role) = @_;
	return sql(($role ? "SET ROLE $role; " : '')
		  . "SELECT $columns FROM dynamo.stat_table_operations WHERE table_name = '$table' AND operation = '$operation'");
}
my $all = 'requests, successes, user_errors, condition_failures, conflicts, system_errors, items_returned, read_units, write_units';

# Every door.
call_as($alice, 'CreateTable',
	'{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST",'
	  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],'
	  . '"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],'
	  . '"GlobalSecondaryIndexes":[{"IndexName":"ByN","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}');
is(call_as($alice, 'PutItem', '{"TableName":"Shop","Item":{"id":{"S":"a"},"n":{"N":"1"}}}')->{status}, 200, 'a put by HTTP');
sql(q{SET ROLE alice; SELECT dynamo.put_item('Shop', '{"id": "b", "n": 2}');
	SELECT dynamo.call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"c"},"n":{"N":"1"}}}')});
is(counted('Shop', 'PutItem', $all), '3 3 0 0 0 0 0 0 6',
	'puts by HTTP, by a function and by dynamo.call, each with its unit in the index');
sql(q{SET ROLE alice; SELECT * FROM dynamo.get_item('Shop', 'a'); SELECT dynamo.get_item('Shop', 'z');
	SELECT dynamo.call('GetItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}},"ConsistentRead":true}')});
is(counted('Shop', 'GetItem', $all), '3 3 0 0 0 0 2 2 0', 'gets: one found nothing, one was consistent');
sql(q{SET ROLE alice; SELECT * FROM dynamo.query('Shop', 'n = :n', '{":n": 1}', index_name => 'ByN');
	SELECT * FROM dynamo.scan('Shop');
	SELECT * FROM dynamo.batch_get('Shop', '{"id": "a"}', '{"id": "b"}', '{"id": "y"}');
	SELECT * FROM dynamo.partiql('SELECT * FROM "Shop" WHERE id = ''a''');
	SELECT dynamo.call('Query', '{"TableName":"Shop","IndexName":"ByN","KeyConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"1"}}}')});
is(counted('Shop', 'Query', $all), '2 2 0 0 0 0 4 1 0', 'queries');
is(counted('Shop', 'Scan', $all), '1 1 0 0 0 0 3 0.5 0', 'a scan');
is(counted('Shop', 'BatchGetItem', $all), '1 1 0 0 0 0 2 1.5 0', 'one batch of three keys');
is(counted('Shop', 'ExecuteStatement', $all), '1 1 0 0 0 0 1 0.5 0', 'a statement');
call_as($alice, 'BatchGetItem', '{"RequestItems":{"Shop":{"Keys":[{"id":{"S":"a"}},{"id":{"S":"y"}},{"id":{"S":"b"}}]}}}');
is(counted('Shop', 'BatchGetItem', $all), '2 2 0 0 0 0 4 3 0', 'such a batch by HTTP, with what it found');
is( sql(q{SELECT reads, items_returned, read_units, write_units FROM dynamo.stat_indexes WHERE index_name = 'ByN'}),
	'2 4 1 3', 'what the index gave and cost');
sql(q{SET ROLE alice; SELECT dynamo.transact_write('[{"Put":{"TableName":"Shop","Item":{"id":"t"}}},{"ConditionCheck":{"TableName":"Shop","Key":{"id":"a"},"ConditionExpression":"attribute_exists(id)"}}]');
	SELECT dynamo.transact_get('[{"Get":{"TableName":"Shop","Key":{"id":"t"}}}]')});
is(counted('Shop', 'TransactWriteItems', $all), '1 1 0 0 0 0 0 0 4', 'a transaction pays twice');
is(counted('Shop', 'TransactGetItems', $all), '1 1 0 0 0 0 1 2 0', 'and one that reads');

# What does not fit in one unit: a function that streams items adds up their bytes.
sql(q{SET ROLE alice; SELECT dynamo.create_table('Large', 'id', 'n', sort_key_type => 'N');
	SELECT dynamo.put_item('Large', jsonb_build_object('id', '1', 'n', n, 'filling', repeat('x', 3000))::dynamo.item) FROM generate_series(1, 3) n;
	SELECT count(*) FROM dynamo.query('Large', 'id = :i', '{":i": "1"}');
	SELECT count(*) FROM dynamo.partiql('SELECT * FROM "Large" WHERE id = ''1''')});
is(counted('Large', $_, 'items_returned, read_units'), '3 1.5', "$_ of 9,000 bytes") foreach 'Query', 'ExecuteStatement';
sql(q{SET ROLE alice; SELECT dynamo.drop_table('Large')});

# A request for several tables counts once, for the one that it opens first.
sql(q{SET ROLE alice; SELECT dynamo.create_table('Both-1', 'id'); SELECT dynamo.create_table('Both-2', 'id')});
call_as($alice, 'BatchGetItem', '{"RequestItems":{"Both-1":{"Keys":[{"id":{"S":"a"}}]},"Both-2":{"Keys":[{"id":{"S":"a"}}]}}}');
is(join(' ', map { counted($_, 'BatchGetItem', 'requests') || 0 } 'Both-1', 'Both-2'), '1 0', 'a batch of two tables');
sql(q{SET ROLE alice; SELECT dynamo.drop_table('Both-1'); SELECT dynamo.drop_table('Both-2')});

# What goes wrong.
sql(q{SET ROLE alice; SELECT dynamo.put_item('Shop', '{"id": "a"}', 'attribute_not_exists(id)')});
sql(q{SET ROLE alice; SELECT dynamo.put_item('Shop', '{"no": "key"}')});
is(counted('Shop', 'PutItem', 'requests, successes, user_errors, condition_failures'), '5 3 1 1', 'a condition, and a mistake');
sql(q{SET ROLE alice; SELECT dynamo.transact_write('[{"ConditionCheck":{"TableName":"Shop","Key":{"id":"a"},"ConditionExpression":"attribute_not_exists(id)"}}]')});
is(counted('Shop', 'TransactWriteItems', 'requests, condition_failures'), '2 1', 'a transaction that was cancelled for a condition');
call_as($bob, 'GetItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}}}');
is(counted('Shop', 'GetItem', 'requests, user_errors'), '4 1', 'a request that is refused');
is( sql(q{SELECT user_errors FROM dynamo.stat_operations WHERE operation = 'Query'}), '0', 'none so far');
sql(q{SELECT dynamo.call('Query', '{}')});
is( sql(q{SELECT user_errors FROM dynamo.stat_operations WHERE operation = 'Query'}), '1', 'one that names no table');

# A request that waits for a lock is one request, however often it is tried.
sql(q{CREATE FUNCTION public.lock_and(text) RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(0)'});
my $holder = in_transaction(q{BEGIN; UPDATE dynamo_data."Shop" SET item = item});
my $parked = send_as($alice, 'UpdateItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}},"UpdateExpression":"SET m = n"}');
ok(wait_for(sub { sql(q{SELECT sum(parked_requests) FROM dynamo.stat_activity}) eq '1' }), 'a parked request is shown');
is(counted('Shop', 'UpdateItem', 'requests') || 0, 0, 'and not counted yet');
close $holder;
is(receive($parked)->{status}, 200, 'it is done');
is(counted('Shop', 'UpdateItem', 'requests, successes'), '1 1', 'and counted once');
cmp_ok(counted('Shop', 'UpdateItem', 'p50_ms'), '>', 1, 'with the time it waited');

# Who sees it?
is(counted('Shop', 'PutItem', 'requests', 'alice'), '5', 'the owner');
is(counted('Shop', 'PutItem', 'requests', 'bob'), '', 'not a stranger');
is(sql(q{SET ROLE bob; SELECT count(*) FROM dynamo.stat_operations}), '0', 'not by sums, either');
is(sql(q{SET ROLE bob; SELECT count(*) FROM dynamo.stat_indexes}), '0', 'nor its indexes');
sql('GRANT pg_monitor TO bob');
is(counted('Shop', 'PutItem', 'requests', 'bob'), '5', 'a monitor does');
sql('REVOKE pg_monitor FROM bob');
like(sql(q{SET ROLE alice; SELECT dynamo.stat_reset()}), qr/permission denied for function stat_reset/, 'not everybody resets');

# Time to live and streams, when their transaction commits.
sql(q{SET ROLE alice; SELECT dynamo.call('UpdateTimeToLive', '{"TableName":"Shop","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}}');
	SELECT dynamo.enable_stream('Shop');
	SELECT dynamo.put_item('Shop', ('{"id": "old", "ttl": ' || extract(epoch FROM now())::int - 60 || '}')::dynamo.item);
	BEGIN; SELECT dynamo.put_item('Shop', '{"id": "undone"}'); ROLLBACK;
	SELECT dynamo.expire_items('Shop')});
is(sql(q{SELECT ttl_deletions, stream_records FROM dynamo.stat_tables}), '1 2', 'an item expired; two records');

# A table keeps its counters when it is renamed, and a new one has none.
my $puts = q{SELECT requests FROM dynamo.stat_operations WHERE operation = 'PutItem'};
my $before = sql($puts);
sql(q{ALTER TABLE dynamo_data."Shop" RENAME TO other});
is(counted('Shop', 'PutItem', 'requests > 5'), 't', 'its relation may be renamed');
sql(q{SELECT dynamo.drop_table('Shop'); SELECT dynamo.create_table('Shop', 'id')});
is(counted('Shop', 'PutItem', 'requests'), '', 'a new table of the name has no past');
sql(q{SELECT * FROM dynamo.get_item('Shop', 'a')});
is(counted('Shop', 'GetItem', 'requests'), '1', 'and counts its own');
sql(q{ALTER SYSTEM SET dynamo.ttl_interval = 1; SELECT pg_reload_conf()});
my $places = q{SELECT sum(requests) FROM dynamo.stat_operations};

# There is room for all of these when maintenance has freed that of the dropped ones.
sql(qq{SELECT dynamo.create_table('Many$_', 'id')}) foreach 1 .. 17;
ok(wait_for(sub {
	sql(join ';', map { "SELECT * FROM dynamo.get_item('Many$_', 'a')" } 1 .. 17);
	sql(q{SELECT count(*) FROM dynamo.stat_table_operations WHERE operation = 'GetItem' AND table_name LIKE 'Many%'}) eq '17';
}), 'maintenance runs');
is(sql($puts), $before, 'what a dropped table has counted stays in the sums');

# More tables than there is room for.
sql(qq{SELECT dynamo.create_table('Many$_', 'id'); SELECT * FROM dynamo.get_item('Many$_', 'a')}) foreach 18 .. 22;
cmp_ok(sql(q{SELECT dynamo_internal.stat_untracked()}), '>', 0, 'those that found no room are counted');
is(sql(q{SELECT sum(requests) FROM dynamo.stat_table_operations WHERE operation = 'GetItem' AND table_name LIKE 'Many%' OR table_name IS NULL AND operation = 'GetItem'}) >= 22, 1, 'none of their requests is lost');

# A clean restart keeps all; a crash none.
sub restart
{
	my ($mode, $between) = @_;
	as_server_user('pg_ctl', '-D', directory() . '/data', '-m', $mode, '-w', '-s', 'stop') or die 'no stop';
	$between->() if $between;
	as_server_user('pg_ctl', '-D', directory() . '/data', '-w', '-s', '-l', directory() . '/log', 'start') or die 'no start';
}
my $file = directory() . '/data/pg_stat/dynamo.stat';
sql(q{ALTER SYSTEM SET dynamo.ttl_interval = 0; SELECT pg_reload_conf()});
my $state = q{SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM (SELECT table_name, operation, requests, read_units, p99_ms, stats_since FROM dynamo.stat_table_operations) t};
$before = sql($state);
restart('fast', sub { ok(-s $file, 'a file is left') });
is(sql($state), $before, 'a clean restart changes nothing');
ok(!-e $file, 'the file is gone: it is old now');
sql(q{SELECT * FROM dynamo.get_item('Shop', 'a')});
restart('immediate');
is(sql($places), '', 'a crash begins anew');

# A file that somebody else has written, or that was torn.
sub with_file
{
	my ($change, $name) = @_;
	sql(q{SELECT * FROM dynamo.get_item('Shop', 'a')});
	restart('fast', sub {
		open my $in, '<:raw', $file or die;
		my $bytes = do { local $/; <$in> };
		close $in;
		$bytes = $change->($bytes);
		open my $out, '>:raw', $file or die;
		print $out $bytes;
		close $out;
	});
	ok(reported(qr/file "pg_stat\/dynamo.stat" is not what this version of dynamo has written/), "$name: said in the log");
	is(sql($places), '', "$name: begins anew");
}
with_file(sub { substr($_[0], 0, length($_[0]) / 2) }, 'a file cut in half');
with_file(sub { '' }, 'an empty file');
with_file(sub { 'x' x 10 }, 'a short one');
with_file(sub { my $b = $_[0]; substr($b, 40, 1) ^= "\x01"; $b }, 'a flipped bit');
with_file(sub { my $b = $_[0]; substr($b, 4, 4) = pack('V', 99); $b }, 'another version');
with_file(sub { $_[0] . $_[0] }, 'one too long');

# Reset.
sql(q{SELECT * FROM dynamo.get_item('Shop', 'a')});
isnt(sql($places), '', 'something is counted');
sql(q{SELECT dynamo.stat_reset()});
is(sql($places), '', 'and forgotten');
sql(q{SELECT * FROM dynamo.get_item('Shop', 'a')});
is(sql($places), '1', 'counting goes on');

# Off: nothing is counted.
sql(q{SET dynamo.track_requests = off; SELECT * FROM dynamo.get_item('Shop', 'a')});
is(sql($places), '1', 'nothing while track_requests is off');
like(sql(q{SET ROLE alice; SET dynamo.track_requests = off}), qr/permission denied/, 'which not everybody may turn off');
done_testing();

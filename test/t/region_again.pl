# After a failure a sender asks the other region where to go on: its row says that, and
# not that nothing is there.  And the log may end anywhere when a batch is sent: just
# behind the head of a page, too.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\nautovacuum = off\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo.put_item('Shop', '{"id": "was"}')}, 'us');

# An item that is written before the first copy comes to it, in the same transaction here.
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu'); SELECT dynamo.put_item('Shop', '{"id": "was", "again": true}')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');
is(sql(q{SELECT count(*), min(time) > 0 FROM dynamo_internal.item_versions}, $_), '1 t', "an item keeps the version of a write, at $_") foreach 'us', 'eu';
sql(q{SELECT dynamo.put_item('Shop', '{"id": "a"}')}, 'us');
settle('Shop', 'us', 'eu');

# A batch that is there, of which the answer was lost; once the sender knows that, and
# once it has begun anew.
foreach my $how ('', ', failures = 0, retry_at = NULL')
{
	sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'nobody_here')}, 'us');
	sql(q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'dynamo replication' AND datname = 'eu' AND backend_type = 'client backend'}, 'us');
	sql(qq{SELECT dynamo.put_item('Shop', '{"id": "b$how"}')}, 'us');
	like(await_sql('SELECT failures FROM dynamo_internal.replicas', qr/^[1-9]/, 'us'), qr/^[1-9]/, 'a region is cut off');
	my $number = sql('SELECT max(number) FROM dynamo_internal.item_versions', 'us');
	is(sql(qq{SELECT a.received FROM dynamo_internal.replicas_received r, dynamo_internal.apply_replica('Shop', 'us', r.incarnation, $number, '\\x01') a}, 'eu'), $number, '... and has what is sent');
	sql(qq{BEGIN; ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'postgres'); UPDATE dynamo_internal.replicas SET position = position$how; COMMIT}, 'us');
	is(await_sql('SELECT failures, position FROM dynamo_internal.replicas', "0 $number", 'us'), "0 $number", '... and is back, with all that it had');
}

# What is too early is sent again and again.
sql(q{ALTER DATABASE us SET dynamo.region_clock_offset = '1h'});
sql(q{SELECT dynamo.put_item('Shop', '{"id": "early"}')}, 'us');
is(await_sql('SELECT held FROM dynamo_internal.replicas', '1', 'us'), '1', 'an item is held');
my $sent = sql('SELECT sent FROM dynamo_internal.replicas', 'us');
foreach (1 .. 20)
{
	# Wait until it is sent once more, so that each switch is met by a turn.
	sql('SELECT pg_switch_wal()', 'us');
	my $now = $sent;
	wait_for(sub { $now = sql('SELECT sent FROM dynamo_internal.replicas', 'us'); return $now > $sent }, 120) or die 'it is not sent again';
	$sent = $now;
}
ok(!log_has(qr/xlog flush request/), 'it is sent whatever the log ends with');

# A replica is lost while it is made, as where its region goes on with a standby that had
# not got it. It is being made for as long as it has to wait for an item.
sql(q{SELECT dynamo.create_table('Lost', 'id')}, 'us');
sql(q{BEGIN; SELECT dynamo_internal.add_replica('Lost', 'eu'); SELECT dynamo.put_item('Lost', '{"id": "early"}'); COMMIT}, 'us');
my $lost = q{SELECT status, held FROM dynamo_internal.replicas WHERE relation = 'dynamo_data."Lost"'::regclass};
is(await_sql($lost, 'CREATING 1', 'us'), 'CREATING 1', 'a replica is being made');
is(sql(q{DROP TABLE dynamo_data."Lost"}, 'eu'), '', '... and lost');
is(await_sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Lost'}, '1', 'eu'), '1', '... and is made again');

done_testing();

# What has been written when a shard moves is at its new place.  HTTP servers
# commit without waiting for the disk, and Citus copies up to where the log has
# been written: a commit that was not lost its row, and clients were told of it.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Calls;
use Cluster;
use HttpClient;

# A session at a node that executes calls, as other nodes have them.
sub serving
{
	my ($node) = @_;
	my $socket = session_of($node);
	is((next_message($socket))[0], 'Z', "node $node: connected");
	say_to($socket, message('Q', "CALL dynamo_internal.serve_calls()\0"));
	is((next_message($socket))[0], 'W', '... and calls are served');
	return $socket;
}

# A counter is counted up there.
sub count_up
{
	my ($socket, $id) = @_;
	say_to($socket, call_of('UpdateItem', qq({"TableName":"Moved","Key":{"id":{"S":"$id"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}})));
	return;
}

sub waits
{
	my ($node, $where) = @_;
	return wait_for(sub { node($node, "SELECT count(*) > 0 FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT granted AND $where") eq 't' });
}

node(0, q{SELECT dynamo.create_table('Moved', 'id'); SELECT count(*) FROM generate_series(1, 40) AS i, dynamo.put_item('Moved', jsonb_build_object('id', 'k' || i, 'n', 0))});
my ($moving) = keys_of(2, 'Moved');
my ($shard) = (shard_of('Moved', $moving))[1];
my ($staying) = grep { (shard_of('Moved', $_))[1] ne $shard } keys_of(2, 'Moved');
my ($other) = (shard_of('Moved', $staying))[1];
my ($id) = $shard =~ /_(\d+)/;
configure('wal_writer_delay', "'10s'");
ok(wait_for(sub { node(2, 'SHOW wal_writer_delay') eq '10s' }), 'nothing but a flush brings a commit to disk');
my $socket = serving(2);
count_up($socket, $moving);
is((next_message($socket))[1], 'A{}', 'a write is answered');

# The move has begun, and waits for a lock at the coordinator.
my $holder = session_at(0, "BEGIN; SELECT lock_shard_metadata(5, ARRAY[$id]); SELECT pg_advisory_lock(4721);");
ok(wait_for(sub { node(0, 'SELECT count(*) FROM pg_locks WHERE objid = 4721 AND granted') eq '1' }), 'a lock is held');
my $mover = fork() // die;
if ($mover == 0)
{
	my $said = node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'force_logical')
		FROM citus_shards AS s, pg_dist_node AS n WHERE s.shardid = $id AND n.groupid = 1});
	diag $said if $said ne '';
	POSIX::_exit($said eq '' ? 0 : 1);
}
ok(waits(0, q{l.locktype = 'advisory' AND a.query ~ 'citus_move_shard_placement'}), 'a shard is copied');

# Two writes: one of the shard, one after it that keeps the answers of both.
my %rows = map { $_->[0] => session_at(2, "SET citus.enable_manual_changes_to_shards = on; BEGIN; SELECT FROM $_->[1] WHERE pk = '$_->[0]' FOR UPDATE; SELECT pg_advisory_lock($_->[2]);") }
	[ $moving, $shard, 4722 ], [ $staying, $other, 4723 ];
ok(wait_for(sub { node(2, 'SELECT count(*) FROM pg_locks WHERE objid IN (4722, 4723) AND granted') eq '2' }), 'two rows are held');
count_up($socket, $moving);
ok(waits(2, q{a.query ~ 'serve_calls'}), 'a write waits for one');

# A WAL writer that has had nothing to do for long is woken by each commit.
is(node(2, q{SET synchronous_commit = off; SELECT pg_logical_emit_message(true, 'moved', 'moved') IS NULL}), 'f', 'the WAL writer has something to do');
ok(wait_for(sub { node(2, 'SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()') eq 't' }), '... and has done it');
count_up($socket, $staying);
print $holder "COMMIT;\n\\q\n";
close $holder;
ok(waits(2, q{l.locktype = 'advisory' AND a.query ~ 'lock_shard_metadata'}), 'the move waits for the write');
print { $rows{$moving} } "COMMIT;\n\\q\n";
close $rows{$moving};

# The move is done, whatever the other write waits for.
waitpid $mover, 0;
is($? >> 8, 0, 'the shard has moved');
print { $rows{$staying} } "COMMIT;\n\\q\n";
close $rows{$staying};
is_deeply([ map { (next_message($socket))[1] } 1, 2 ], [ 'A{}', 'A{}' ], 'both writes are answered');
is(node($_, qq{SELECT item ->> 'n' FROM dynamo_data."Moved" WHERE pk = '$moving'}), 2, "node $_: what has been written is at the new place") for 0 .. 2;
is((shard_of('Moved', $moving))[0], 1, 'which is another node');
close $socket;

configure('wal_writer_delay', 'DEFAULT');
node(0, q{SELECT dynamo.drop_table('Moved')});
done_testing();

# Point-in-time recovery of a distributed table: while money goes from node to node,
# moments of all nodes are taken; whatever time the table is restored to, it has
# what the clients had written by then, all of a transaction or nothing.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use List::Util qw(first);
use Test::More;
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster qw(:DEFAULT ask_node);
use HttpClient;
use Money;

my $accounts = 40;
my $total = 100 * $accounts;
my $times = $ENV{RESTORES} // 20;
my $folder = tempdir(CLEANUP => 1);

sub recovery { my ($node, $table, $on) = @_; return ask_node($node, 'UpdateContinuousBackups', { TableName => $table, PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => $on ? JSON::PP::true : JSON::PP::false } }) }

# What a node says of the recovery of a table: its state, the first and the last time.
sub window
{
	my ($node, $table) = @_;
	my $said = ask_node($node, 'DescribeContinuousBackups', { TableName => $table })->{ContinuousBackupsDescription}{PointInTimeRecoveryDescription} // {};
	return ($said->{PointInTimeRecoveryStatus} // 'nothing', $said->{EarliestRestorableDateTime}, $said->{LatestRestorableDateTime});
}
sub mark { my $said = node(0, q{SELECT extract(epoch FROM dynamo.mark_recovery())}); $said =~ /\A[\d.]+\z/ or diag $said; return $said }
sub restore_to
{
	my ($node, $target, $time) = @_;
	return node($node, qq{SELECT dynamo.restore_table('$target', 'Bank', to_timestamp($time))});
}
sub drop { my ($table) = @_; return node(0, qq{SELECT dynamo.drop_table('$table')}) }
sub items { my ($table) = @_; return map { split ' ' } split /\n/, node(0, qq{SELECT item ->> 'id', item ->> 'n' FROM dynamo_data."$table"}) }

# Times of moments, as the coordinator keeps them.
sub moments { return split /\n/, node(0, q{SELECT extract(epoch FROM taken_at) FROM dynamo_internal.cluster_moments ORDER BY taken_at}) }

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Bank', 'id')});
ok(wait_for(sub { transact($_, put_action('a1', 100))->{status} == 200 }), "node $_: served") for 0 .. 2;
is(transact(0, map { put_action("a$_", 100) } 1 .. $accounts)->{status}, 200, 'accounts on all nodes');
my %of = map { $_ => [ keys_of($_, 'Bank') ] } 1, 2;
ok(@{ $of{$_} } > 3, "node $_ has some") for 1, 2;
is((window($_, 'Bank'))[0], 'DISABLED', "node $_: recovery is off") for 0 .. 2;

# On, off and on again, at any node.
foreach my $node (2, 1, 0)
{
	is(recovery($node, 'Bank', 1)->{status}, 200, "it is switched on at node $node");
	is((window($_, 'Bank'))[0], 'ENABLED', "node $_ says so") for 0 .. 2;
	is(node($_, q{SELECT count(*) FROM dynamo_internal.recovery}), 1, "node $_ keeps a journal") for 0 .. 2;
	is(recovery($node, 'Bank', 0)->{status}, 200, 'and off');
	is((window($_, 'Bank'))[0], 'DISABLED', "node $_ says so") for 0 .. 2;
	is(node($_, q{SELECT count(*) FROM dynamo_internal.recovery}), 0, "node $_ keeps none") for 0 .. 2;
}
is(recovery(1, 'Bank', 1)->{status}, 200, 'and on');
ok(wait_for(sub { (window(2, 'Bank'))[1] }), 'the first moment does not wait for a change');
is(node($_, q{SELECT days, earliest <= latest, earliest > now() - interval '1 hour' FROM dynamo.recovery_window('Bank')}), '35 t t', "node $_ tells it by SQL, too") for 0 .. 2;

# Each client writes an item of its own besides.
my $move = counted_move($folder, '', \&transact);
my $alone = 0;
my @clients = begin_clients(\%of, sub {
	my ($node) = @_;
	my $status = $move->(@_);
	ask_node($node, 'PutItem', { TableName => 'Bank', Item => { id => { S => "alone$node" }, n => { N => ++$alone . '' } } }) if $status == 200;
	return $status;
});
my $begin = mark();
sleep 25;
my $end = mark();
end_clients(@clients);
my @moments = moments();
ok(@moments >= 5, 'moments were taken by themselves') or diag "@moments";

# What is wrong with a table that was restored to a time.
sub faults
{
	my ($table, $time) = @_;
	my @before = grep { $_ <= $time + 0.0005 } @moments;
	my %item = items($table);
	my @faults;
	my $sum = 0;
	$sum += $item{"a$_"} // 0 for 1 .. $accounts;
	push @faults, "sum $sum" if $sum != $total;
	foreach my $client (0 .. 2)
	{
		my ($wrong, $low, $high) = client_faults($folder, $client, \%item, $before[-2] // 0, $before[-1] // 0);
		my $alone = $item{"alone$client"} // 0;
		push @faults, @$wrong;
		push @faults, "client $client: alone $alone, not between $low and $high" if $alone > $high || $alone < $low - 1;
	}
	return join '; ', @faults;
}

# Times between the marks; @reads are what was restored.
my ($restored, $different) = (0, {});
foreach my $i (1 .. $times)
{
	my $time = sprintf '%.3f', $i == 1 ? $begin : $i == $times ? $end : $begin + ($end - $begin) * ($i - 1) / $times;
	my $node = $i % 3;
	my $said = restore_to($node, "To$i", $time);
	if ($said ne qq{dynamo_data."To$i"})
	{
		ok(0, "restored to $time at node $node") or diag $said;
		next;
	}
	is(faults("To$i", $time), '', "at node $node, to $time: what was written by then");
	my %item = items("To$i");
	$different->{ $item{'count0-1'} // 0 }++;
	$restored++;
	drop("To$i");
}
is($restored, $times, 'all times are answered');
ok(keys %$different > 3, 'with different states');

# By HTTP, and the present.
foreach my $node (0 .. 2)
{
	is(ask_node($node, 'RestoreTableToPointInTime', { SourceTableName => 'Bank', TargetTableName => "At$node", RestoreDateTime => $begin + 0 })->{status}, 200, "asked for at node $node");
	ok(wait_for(sub { (ask_node($node, 'DescribeTable', { TableName => "At$node" })->{Table}{TableStatus} // '') eq 'ACTIVE' }), 'it is made');
	is(faults("At$node", $begin), '', 'of that time');
	is(node(0, qq{SELECT count(*) > 1 FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."At$node"'::regclass}), 't', 'and distributed');
	drop("At$node");
}
mark();
my %now = items('Bank');
is(ask_node(2, 'RestoreTableToPointInTime', { SourceTableName => 'Bank', TargetTableName => 'Latest', UseLatestRestorableTime => JSON::PP::true })->{status}, 200, 'the latest');
ok(wait_for(sub { (ask_node(0, 'DescribeTable', { TableName => 'Latest' })->{Table}{TableStatus} // '') eq 'ACTIVE' }), 'is made');
is_deeply({ items('Latest') }, \%now, 'it is what there is, where nothing has changed since a moment');
drop('Latest');

# While nothing changes, the last moment lasts, and no other is taken.
ok(wait_for(sub { my ($count, $latest) = (scalar(moments()), (window(1, 'Bank'))[2]); sleep 6; (window(1, 'Bank'))[2] > $latest + 4 && moments() == $count }, 90), 'the window goes on without another moment');
my $taken = moments();
mark();
is(scalar(moments()), $taken + 1, 'one is taken where it is asked for');

# It lasts for an hour, as its period ends one day.
my @marked = moments();
sub shift_moments { my ($by, $before) = @_; node(0, qq{UPDATE dynamo_internal.cluster_moments SET taken_at = taken_at + interval '$by' WHERE taken_at < now() - interval '$before'; UPDATE dynamo_internal.cluster_places SET since = since + interval '$by'}) }
shift_moments('-2 hours', '0 hours');
ok(wait_for(sub { moments() > @marked }, 30), 'then another is taken');
shift_moments('2 hours', '1 hour');

# Times that are not known.
my ($state, $first) = window(0, 'Bank');
like(restore_to(0, 'Never', $first - 1), qr/must be within EarliestRestorableDateTime/, 'before the first');
like(restore_to(1, 'Never', time + 10), qr/must be within EarliestRestorableDateTime/, 'in the future');
like(ask_node(2, 'RestoreTableToPointInTime', { SourceTableName => 'Bank', TargetTableName => 'Never', RestoreDateTime => $first - 1 })->{text}, qr/InvalidRestoreTimeException/, 'by HTTP');
node(0, qq{CREATE TEMP TABLE t AS SELECT 1; UPDATE dynamo_internal.cluster_moments SET taken_at = taken_at - interval '1 hour', lasted_until = taken_at - interval '1 hour' WHERE taken_at < (SELECT max(taken_at) FROM dynamo_internal.cluster_moments); UPDATE dynamo_internal.cluster_places SET since = since - interval '1 hour'; UPDATE dynamo_internal.recovery SET kept_from = kept_from - interval '1 hour'});
like(restore_to(0, 'Never', $end - 1800), qr/lies between points that are too far apart/, 'where no moments were taken for long');

# What is left to tables of one server.
like(node(0, q{SELECT dynamo.get_item('Bank', '{"id": "a1"}', as_of => now())}), qr/distributed and cannot be read as of a time/, 'an item is not read as of a time');
like(node(0, q{SELECT dynamo.undistribute_table('Bank')}), qr/cannot be gathered.*point-in-time recovery/s, 'it is not gathered');
node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Own', 'id'); SELECT dynamo.enable_recovery('Own')});
like(node(0, q{SELECT dynamo.distribute_table('Own')}), qr/It has point-in-time recovery/, 'and one with recovery not distributed');
node(0, q{SELECT dynamo.disable_recovery('Own'); SELECT dynamo.drop_table('Own')});

# Who may.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE teller LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO teller; GRANT USAGE ON SCHEMA dynamo_internal TO teller}) for 0 .. 2;
my $latest_id = node(0, q{SELECT moment_id FROM dynamo_internal.cluster_moments ORDER BY taken_at DESC LIMIT 1});
like(node(0, q{SET ROLE teller; SELECT dynamo.restore_table('Theirs', 'Bank', now())}), qr/not authorized to perform: dynamodb:RestoreTableToPointInTime/, 'who may not read a table restores it to no time');
like(node($_, qq{SET ROLE teller; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT dynamo_internal.moment_query('Bank', '$latest_id', ARRAY[1])}), qr/permission denied/, "node $_: nor does he read a moment") for 0 .. 2;
like(node($_, qq{SET ROLE teller; SELECT dynamo_internal.take_moment('$latest_id')}), qr/permission denied/, "node $_: nor take one") for 0 .. 2;
like(node($_, qq{SET ROLE teller; SELECT dynamo_internal.moment_lasts('$latest_id')}), qr/permission denied/, "node $_: nor ask for one") for 0 .. 2;
like(node($_, q{SET ROLE teller; SELECT * FROM dynamo_internal.node_moments}), qr/permission denied/, "node $_: nor look at them") for 0 .. 2;
like(node(0, q{SET ROLE teller; SELECT dynamo.enable_recovery('Bank')}), qr/must be owner/, 'nor switch recovery on');

# Whatever the door, and in the order of what waits for what: rows are stored before others of their keys are deleted.
sub restored { my ($time) = @_; my $said = node(0, qq{SELECT dynamo.restore_table('Past', 'Pairs', to_timestamp($time))}); my $all = listed('Past'); drop('Past'); return $said =~ /ERROR/ ? $said : $all }
sub listed { my ($table) = @_; return node(0, qq{SELECT item FROM dynamo_data."$table" ORDER BY item ->> 'id', item ->> 'sk'}) }
node(0, q{SELECT dynamo.create_table('Pairs', 'id', 'sk'); SELECT dynamo.put_item('Pairs', '{"id": "p", "sk": "x150", "n": 1}'); SELECT dynamo.put_item('Pairs', '{"id": "q", "sk": "a", "n": 1}'); SELECT dynamo.enable_recovery('Pairs')});
my @past = ([ mark(), listed('Pairs') ]);
my ($owner) = shard_of('Pairs', 'p');
my $third = session_at(0, q{BEGIN; SELECT dynamo.put_item('Pairs', '{"id": "p", "sk": "x000"}');});
ok(wait_for(sub { node($owner, q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xid IS NOT NULL}) > 0 }), 'somebody inserts a row');
my $second = session_at(0, q{INSERT INTO dynamo_data."Pairs" (item) SELECT format('{"id": "p", "sk": "x%s"}', lpad(i::text, 3, '0'))::dynamo.item FROM generate_series(0, 299) i ORDER BY i;});
ok(wait_for(sub { node($owner, q{SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted}) > 0 }), 'another inserts that, and more, and waits');
unlike(node(0, q{SELECT dynamo.delete_item('Pairs', '{"id": "p", "sk": "x150"}')}), qr/ERROR/, 'a row is deleted, whose key he has stored already');
print $third "ROLLBACK;\n";
close $third;
ok(close($second), 'he goes on');
push @past, [ mark(), listed('Pairs') ];
is(() = $past[1][1] =~ /x\d/g, 300, 'all are there');
node(0, q{DO $do$ BEGIN FOR i IN 1 .. 400 LOOP BEGIN PERFORM dynamo.put_item('Pairs', format('{"id": "r", "sk": "%s"}', i % 150)::dynamo.item); IF i % 3 = 0 THEN RAISE EXCEPTION 'no'; END IF; IF i % 5 = 0 THEN PERFORM dynamo.delete_item('Pairs', format('{"id": "r", "sk": "%s"}', i % 150)::dynamo.item); END IF; EXCEPTION WHEN raise_exception THEN NULL; END; END LOOP; END $do$});
push @past, [ mark(), listed('Pairs') ];
like($past[2][1], qr/"r"/, 'subtransactions, of which some are undone');
node(0, q{UPDATE dynamo_data."Pairs" SET item = '{"id": "q", "sk": "b"}', sk = dynamo_internal.sort_key('{"id": "q", "sk": "b"}', 'sk', 'S') WHERE item ->> 'sk' = 'a'; DELETE FROM dynamo_data."Pairs" WHERE item ->> 'id' = 'r'});
push @past, [ mark(), listed('Pairs') ];
like($past[3][1], qr/"q"\},"sk":\{"S":"b"\}/, 'a row has another key');
unlike(node(0, q{TRUNCATE dynamo_data."Pairs"}), qr/ERROR/, 'and all are gone');
push @past, [ mark(), listed('Pairs') ];
is($past[4][1], '', 'all');
is(restored($past[$_][0]), $past[$_][1], "time $_ is restored") for 0 .. 4;
node(0, q{SELECT dynamo.disable_recovery('Pairs'); SELECT dynamo.drop_table('Pairs')});

# Where items are only inserted markers are taken, too: from one of them on a node reads its journal.
sub markers { my ($node) = @_; return node($node, 'SELECT ' . join ' + ', map { "(SELECT count(*) FROM dynamo_internal.journal_$_ WHERE recovery = 0)" } 0 .. 19) }
foreach my $node (1, 2)
{
	my $before;
	ok(wait_for(sub { $before = markers($node); sleep 3; markers($node) == $before }, 90), "node $node: while nothing changes no marker is taken");
	my $new = first { (shard_of('Bank', $_))[0] == $node } map { "new$_" } 1 .. 100;
	is(ask_node($node, 'PutItem', { TableName => 'Bank', Item => { id => { S => $new }, n => { N => '0' } } })->{status}, 200, 'a new item');
	ok(wait_for(sub { markers($node) > $before }, 20), 'then one is');
}

# A node that was killed knows what it knew.
my $known = mark();
my %then = items('Bank');
halt(2) or die;
my $down = time;
is(ask_node(0, 'PutItem', { TableName => 'Bank', Item => { id => { S => $of{1}[0] }, n => { N => '1' } } })->{status}, 200, 'while a node is down the others are written');
my @some = moments();
sleep 6;
is(scalar(moments()), scalar(@some), 'no moment is taken');
my $stays = (window(1, 'Bank'))[2];
ok($stays <= $down, 'and the window does not go on') or diag "$stays after $down";
like(restore_to(0, 'Never', time), qr/must be within EarliestRestorableDateTime/, 'so what is later is refused');
restart(2) or die;
ok(wait_for(sub { repeated(2, 'GetItem', encode_json({ TableName => 'Bank', Key => { id => { S => $of{2}[0] } } })) =~ /^200/ }, 60), 'the node is back');
ok(wait_for(sub { (window(0, 'Bank'))[2] > $stays + 6 }, 90), 'and so are moments');
is(restore_to(0, 'Back', $known), 'dynamo_data."Back"', 'what was before is known');
is_deeply({ items('Back') }, \%then, 'and right');
drop('Back');

# One that has lost a moment, as a standby that was behind, is not believed.
my $lost = mark();
node(2, q{DELETE FROM dynamo_internal.node_moments WHERE taken_at = (SELECT max(taken_at) FROM dynamo_internal.node_moments)});
like(restore_to(1, 'Never', $lost), qr/does not know that moment/, 'a node that has lost a moment says so');
is(restore_to(1, 'Back', $known), 'dynamo_data."Back"', 'one before is known');
drop('Back');

# What stays prepared keeps no moment of its table, and holds nobody off.
my ($there, $shard) = shard_of('Bank', 'x');
node($there, qq{BEGIN; INSERT INTO $shard (pk, item) SELECT dynamo_internal.partition_key('{"id": "x"}', 'id', 'S'), '{"id": "x"}'; PREPARE TRANSACTION 'citus_stays'});
my $half = mark();
ok((window(0, 'Bank'))[2] < $half, 'a moment with something half committed does not count');
node($there, q{ROLLBACK PREPARED 'citus_stays'});
my $full = mark();
ok((window(0, 'Bank'))[2] >= $full, 'the next one does');

# So it is with what is committed while the moment is taken, after its snapshot.  A node
# waits a second for its row, so it may take some tries.  What ends that second in time
# are sessions that are there: to begin one may take as long.
my $late = '';
ask_node(0, 'PutItem', { TableName => 'Bank', Item => { id => { S => 'x' }, n => { N => '0' } } });
foreach my $try (1 .. 30)
{
	node($there, qq{BEGIN; UPDATE $shard SET item = dynamo.item_set(item, '{n}', '$try') WHERE pk = 'x'; PREPARE TRANSACTION 'citus_late'});
	my $committer = session_at($there, 'SELECT 1;');
	my $keeper = session_at($there, q{BEGIN; LOCK TABLE dynamo_internal.node_moments IN SHARE MODE;});
	my $locks = q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'dynamo_internal.node_moments'::regclass AND mode = '%s' AND %s granted};
	wait_for(sub { node($there, sprintf $locks, 'ShareLock', '') eq 't' }) or die;
	my $held = node(0, 'SELECT clock_timestamp()');
	my $marker = session_at(0, q{SELECT dynamo.mark_recovery();});
	my $waits = wait_for(sub { node($there, sprintf $locks, 'RowExclusiveLock', 'NOT') eq 't' }, 5);
	my $since = time;
	print $committer "COMMIT PREPARED 'citus_late';\n";
	print $keeper q{DO 'BEGIN WHILE EXISTS (SELECT FROM pg_prepared_xacts WHERE gid = ''citus_late'') LOOP PERFORM pg_sleep(0.01); END LOOP; END'; COMMIT;}, "\n";
	close $_ for $committer, $keeper;
	$waits &&= time - $since < 0.5;
	close $marker;
	next unless $waits;
	$late = node(0, qq{SELECT lacking <> '{}' FROM dynamo_internal.cluster_moments WHERE taken_at > '$held' ORDER BY taken_at LIMIT 1});
	last;
}
is($late, 't', 'nor does one with half of what is committed meanwhile');

# The first look at a shard meets a lock and fails; what the session changes then is noted.
{
	my $key = $of{1}[0];
	my ($node, $relation) = shard_of('Bank', $key);
	my $change = qq{UPDATE $relation SET item = dynamo.item_set(item, '{n}', '%d') WHERE item ->> 'id' = '$key';\n};
	my $entries = 'SELECT ' . join ' + ', map { "(SELECT count(*) FROM dynamo_internal.journal_$_ WHERE recovery <> 0)" } 0 .. 19;
	my $idle = q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4731};
	my $writer = session_at($node, qq{SET citus.enable_manual_changes_to_shards = on; SELECT dynamo.get_item('Bank', '{"id": "$key"}'); SELECT pg_advisory_lock(4731);});
	ok(wait_for(sub { node($node, $idle) eq '1' }), 'a session knows the table');
	my $holder = session_at($node, q{BEGIN; LOCK TABLE dynamo.streams IN ACCESS EXCLUSIVE MODE;});
	ok(wait_for(sub { node($node, q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo.streams'::regclass AND mode = 'AccessExclusiveLock' AND granted}) eq '1' }), 'the table of streams is locked');
	print $writer q{SET lock_timeout = '100ms'; }, sprintf($change, -1), "SELECT pg_advisory_unlock(4731);\n";
	ok(wait_for(sub { node($node, $idle) eq '0' }), 'a change');
	isnt(node($node, qq{SELECT item ->> 'n' FROM $relation WHERE item ->> 'id' = '$key'}), '-1', 'fails');
	print $holder "COMMIT;\n";
	close $holder;
	my $before = node($node, $entries);
	print $writer sprintf($change, -2);
	close $writer;
	is(node($node, qq{SELECT item ->> 'n' FROM $relation WHERE item ->> 'id' = '$key'}), '-2', 'the next one does not');
	is(node($node, $entries), $before + 1, 'and is in the journal');
}

# A shard that moves, and one that is split, begin the window anew.
foreach my $how ('move', 'split')
{
	my $old = mark();
	my ($from, $relation) = shard_of('Bank', $of{1}[0]);
	my ($id) = $relation =~ /_(\d+)/;
	my $to = 3 - $from;
	my $said = $how eq 'move'
	  ? node(0, qq{SELECT citus_move_shard_placement($id, (SELECT nodeid FROM pg_dist_node WHERE groupid = $from), (SELECT nodeid FROM pg_dist_node WHERE groupid = $to), 'block_writes')})
	  : node(0, qq{SELECT citus_split_shard_by_split_points($id, ARRAY[((s.shardminvalue::bigint + s.shardmaxvalue::bigint) / 2)::text], ARRAY[n.nodeid, n.nodeid]::int[], 'block_writes') FROM pg_dist_shard s, pg_dist_node n WHERE s.shardid = $id AND n.groupid = $from});
	unlike($said, qr/ERROR/, "a shard: $how");
	like(restore_to(0, 'Never', $old), qr/must be within|no point yet/, 'what was before is not known any more');
	my $new = mark();
	my %has = items('Bank');
	ask_node(1, 'PutItem', { TableName => 'Bank', Item => { id => { S => $_ }, n => { N => '0' } } }) for @{ $of{1} }, @{ $of{2} };
	is((window(2, 'Bank'))[1] > $old ? 1 : 0, 1, 'the window has begun anew');
	is(restore_to(2, 'After', $new), 'dynamo_data."After"', 'what is after is known');
	is_deeply({ items('After') }, \%has, 'and right');
	drop('After');
}

# A table that is dropped leaves a backup.
my %last = items('Bank');
is(ask_node(2, 'DeleteTable', { TableName => 'Bank' })->{status}, 200, 'the table is deleted');
my $backup = node(0, q{SELECT relation FROM dynamo.backups WHERE backup_name = 'Bank$DeletedTableBackup'});
is_deeply({ map { split ' ' } split /\n/, node(0, qq{SELECT item ->> 'id', item ->> 'n' FROM $backup}) }, \%last, 'it leaves a backup');
is(node($_, q{SELECT count(*) FROM dynamo_internal.recovery}), 0, "node $_: and no recovery") for 0 .. 2;

# Where no table has recovery any more, moments are forgotten a day later.
sub kept { my ($node) = @_; return node($node, q{SELECT (SELECT count(*) FROM dynamo_internal.node_moments), (SELECT count(*) FROM dynamo_internal.cluster_moments), (SELECT count(*) FROM dynamo_internal.cluster_places)}) }
like(kept($_), $_ ? qr/\A[1-9]\d* 0 0\z/ : qr/\A[1-9]\d* [1-9]\d* /, "node $_ keeps moments") for 0 .. 2;
node($_, q{UPDATE dynamo_internal.node_moments SET taken_at = taken_at - interval '25 hours'; UPDATE dynamo_internal.cluster_moments SET taken_at = taken_at - interval '25 hours'; SELECT dynamo.trim_recovery()}) for 0 .. 2;
is(kept($_), '0 0 0', "node $_ has forgotten them") for 0 .. 2;
node(0, "DROP TABLE $backup");
node($_, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY teller; DROP ROLE teller}) for 0 .. 2;
authenticate('DEFAULT');
done_testing();

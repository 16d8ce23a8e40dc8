# TransactGetItems of items of several nodes gives them as of one moment, beside
# writers of other items and of the same.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster qw(:DEFAULT ask_node);
use HttpClient;
use Money;

my $accounts = 60;
my $total = 100 * $accounts;
my $reads = $ENV{READS} // 40;

sub get_all
{
	my ($node, @ids) = @_;
	return ask_node($node, 'TransactGetItems', { TransactItems => [ map { { Get => { TableName => 'Bank', Key => { id => { S => $_ } } } } } @ids ] });
}
sub amount { my ($answer) = @_; my $n = 0; $n += $_->{Item}{n}{N} // 0 foreach @{ $answer->{Responses} // [] }; return $n }

# All reads are answered, some perhaps when they are asked again, as a machine may
# be busy, and each has all the money.
sub read_beside
{
	my ($what, @ids) = @_;
	my ($failed, $torn, $again, @took) = (0, 0, 0);
	foreach my $n (1 .. $reads)
	{
		my $began = time;
		my $answer = get_all($n % 3, @ids);
		if ($answer->{status} != 200 && $again++ < $reads / 10)
		{
			diag explain $answer;
			redo;
		}
		push @took, 1000 * (time - $began);
		if ($answer->{status} != 200) { $failed++ }
		elsif (amount($answer) != 100 * @ids) { $torn++ }
	}
	@took = sort { $a <=> $b } @took;
	diag sprintf '%s: %.1f ms, %.1f at most', $what, $took[ @took / 2 ], $took[-1];
	is($failed, 0, "$what: all are answered");
	is($torn, 0, "$what: as of one moment");
	return;
}

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Bank', 'id')});
ok(wait_for(sub { transact($_, put_action('a1', 100))->{status} == 200 }), "node $_: served") for 0 .. 2;
my @ids = map { "a$_" } 1 .. $accounts;
sub put_all { my $status = transact(0, map { put_action($_, 100) } @ids)->{status}; return is($status, 200, 'accounts on all nodes') }
put_all();
my @others = map { "b$_" } 1 .. $accounts;
is(transact(0, map { put_action($_, 100) } @others)->{status}, 200, 'and others');
my (%of, %other);
foreach my $node (1, 2)
{
	my @keys = keys_of($node, 'Bank');
	$of{$node} = [ grep { /^a/ } @keys ];
	$other{$node} = [ grep { /^b/ } @keys ];
	ok(@{ $of{$node} } > 3 && @{ $other{$node} } > 3, "node $node has some");
}

read_beside('alone', @ids);
my @writers = begin_clients(\%other, \&move_money);
read_beside('beside writers of other items', @ids);
end_clients(@writers);
@writers = begin_clients(\%of, \&move_money);
read_beside('beside writers of the same', @ids);
end_clients(@writers);
is(amount(get_all(1, @ids)), $total, 'nothing is lost');

# Items that others always change are locked while they are read, and no longer: the
# reader's transaction goes on, and so do those who write.
my $all_gets = encode_json([ map { { Get => { TableName => 'Bank', Key => { id => { S => $_ } } } } } @ids ]);
@writers = begin_clients(\%of, \&move_money);
my @readers = map { session_at($_, qq{BEGIN; SELECT count(*) FROM dynamo.transact_get('$all_gets'); SELECT pg_advisory_lock(4242);}) } 0 .. 2;
ok(wait_for(sub { node($_, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4242 AND granted}) eq '1' }), "node $_: has read") for 0 .. 2;
end_clients(@writers);
is(transact(0, map { move_action($_, 0) } @ids)->{status}, 200, 'its transaction holds no item');
close $_ foreach @readers;

# Nothing is locked where the transaction only reads, which other nodes are not told, in
# parallel mode, and before ALTER EXTENSION has made the function: it is read without.
sub xids { return join ' ', map { node($_, q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xid IS NOT NULL}) } 1, 2 }
my $sum = qq{(SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$all_gets'))};
my $parallel = qq{SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0};
my $function = 'FUNCTION dynamo_internal.hold_items(text, bytea[])';
node(0, q{CREATE TABLE several AS SELECT generate_series(1, 10000)});
like(node(0, "$parallel; EXPLAIN SELECT count(*) + $sum FROM several"), qr/Gather/, 'a query is executed in parallel');
@writers = begin_clients(\%of, \&move_money);
foreach my $how ('SET TRANSACTION READ ONLY', q{SET TRANSACTION READ WRITE})
{
	my @held = map { session_at(0, "BEGIN; $how; SAVEPOINT s; SELECT $sum; ROLLBACK TO s; SELECT pg_advisory_lock_shared(4244);") } 1 .. 5;
	ok(wait_for(sub { node(0, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4244 AND granted}) eq '5' }), 'they have read');
	kill 'STOP', @writers;
	my $quiet = wait_for(sub { xids() eq '0 0' }, $how =~ /ONLY/ ? 300 : 3);
	kill 'CONT', @writers;
	is(!!$quiet, $how =~ /ONLY/, "$how: locks are only taken by who may write");
	close $_ foreach @held;
}
like(node(0, "$parallel; SELECT count(*) + $sum FROM several"), qr/\A16000\z|could not read items of several nodes/, 'in parallel mode it is read, or a conflict') for 1 .. 5;
node($_, "SET citus.enable_ddl_propagation = off; ALTER EXTENSION dynamo DROP $function; ALTER $function RENAME TO hold_nothing") for 0 .. 2;
like(node($_ % 3, "SELECT $sum"), qr/\A6000\z|could not read items of several nodes/, 'so it is with objects of 1.0') for 1 .. 5;
node($_, "SET citus.enable_ddl_propagation = off; ALTER FUNCTION dynamo_internal.hold_nothing(text, bytea[]) RENAME TO hold_items; ALTER EXTENSION dynamo ADD $function") for 0 .. 2;
end_clients(@writers);
node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Purse', 'id'); SELECT dynamo.put_item('Purse', '{"id": "p", "n": 7}')});
my $mixed = $sum =~ s/\[/[{"Get": {"TableName": "Purse", "Key": {"id": {"S": "p"}}}}, /r;
is(node(0, "$parallel; SELECT count(*) + $mixed FROM several"), '16007', 'in parallel mode, with a table that is not distributed');
node(0, q{DROP TABLE several; SELECT dynamo.drop_table('Purse')});

# Who may check an item may lock it; who may only read keeps nobody waiting.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE get_reader LOGIN}) for 0 .. 2;
node(0, q{GRANT USAGE ON SCHEMA dynamo, dynamo_data TO get_reader; GRANT SELECT ON dynamo_data."Bank" TO get_reader});
node($_, q{SET citus.enable_ddl_propagation = off; GRANT USAGE ON SCHEMA dynamo_internal TO get_reader}) for 0 .. 2;
my $held = $of{2}[0];
my (undef, $held_shard) = shard_of('Bank', $held);
my $hold = qq{SELECT dynamo_internal.hold_items('Bank', ARRAY[dynamo_internal.item_send('{"id": "$held"}'), dynamo_internal.item_send('{"id": "none"}')])};
my $is_held = qq{SELECT xmax = pg_current_xact_id()::xid FROM $held_shard WHERE pk = '$held'};
is(node(2, "BEGIN; $hold; $is_held; ROLLBACK"), "t\nt", 'the owner locks an item');
is(node(2, "BEGIN; SET LOCAL ROLE get_reader; $hold; RESET ROLE; $is_held; ROLLBACK"), "f\nf", 'a reader does not');
is(node(2, "BEGIN READ ONLY; $hold; ROLLBACK"), 'f', 'nor does who reads only');
my $busy = session_at(2, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN; SELECT FROM $held_shard WHERE pk = '$held' FOR UPDATE; SELECT pg_advisory_lock(4243);});
ok(wait_for(sub { node(2, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4243 AND granted}) eq '1' }), 'somebody is changing it');
is(node(2, "BEGIN; SET LOCAL statement_timeout = '20s'; $hold; $is_held; ROLLBACK"), "t\nf", '... who is not waited for');
close $busy;
node(0, q{REVOKE ALL ON dynamo_data."Bank" FROM get_reader; REVOKE ALL ON SCHEMA dynamo, dynamo_data FROM get_reader});
node($_, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY get_reader; DROP ROLE get_reader}) for 0 .. 2;
put_all();

# A transaction that is prepared keeps those waiting who read what it has changed,
# in the end with a conflict, and no others.
my ($changed, $inserted) = ($of{2}[0], $other{2}[0]);
my (undef, $shard) = shard_of('Bank', $changed);
is(node(2, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN;
	UPDATE $shard SET item = dynamo.item_set(item, '{n}', '107') WHERE pk = '$changed'; PREPARE TRANSACTION 'citus_half'}), '', 'a transaction is prepared');
my $others = get_all(1, grep { $_ ne $changed } @ids);
is($others->{status}, 200, 'others are read');
my @few = ($of{1}[0], $changed, $of{2}[1]);
foreach my $node (0 .. 2)
{
	my $answer = get_all($node, @few);
	is($answer->{status}, 400, "node $node: what it has changed is not");
	like($answer->{__type}, qr/TransactionCanceledException/, '... the request is canceled');
	is_deeply([ map { $_->{Code} } @{ $answer->{CancellationReasons} } ], [qw(None TransactionConflict None)], '... with its reasons') or diag explain $answer;
}
my $reader = fork() // die;
POSIX::_exit(amount(get_all(1, @few)) == 307 ? 0 : 1) if $reader == 0;
node(2, q{COMMIT PREPARED 'citus_half'});
waitpid $reader, 0;
is($? >> 8, 0, 'and sees it when it has ended');
is(amount(get_all(0, @few)), 307, 'so do others');

# The same of an item that is not there yet.
node(0, qq{SELECT dynamo.delete_item('Bank', '$inserted')});
(undef, $shard) = shard_of('Bank', $inserted);
is(node(2, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN;
	INSERT INTO $shard (pk, item) VALUES ('$inserted', '{"id": "$inserted", "n": 5}'); PREPARE TRANSACTION 'citus_half'}), '', 'a transaction is prepared that inserts');
@few = ($of{1}[0], $of{2}[1], $inserted);
is_deeply([ map { $_->{Code} } @{ get_all(1, @few)->{CancellationReasons} } ], [qw(None None TransactionConflict)], 'a key that is being inserted is not read');
node(2, q{ROLLBACK PREPARED 'citus_half'});
is(amount(get_all(1, @few)), 200, '... but when that has failed');

# By SQL, also what the transaction has changed itself, and with a table of one node.
my $gets = encode_json([ map { { Get => { TableName => 'Bank', Key => { id => { S => $_ } } } } } $of{1}[0], $of{2}[1] ]);
is(node($_, qq{SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets')}), 200, "node $_: by SQL") for 0 .. 2;
is(node($_, qq{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets'); COMMIT}), 200, "node $_: in REPEATABLE READ") for 0 .. 2;
is(node($_, qq{BEGIN; SELECT FROM dynamo.put_item('Bank', '{"id": "$of{2}[1]", "n": 1}'); SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets'); ROLLBACK}), 101, "node $_: with what it has changed") for 0 .. 2;
node(1, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Here', 'id'); SELECT FROM dynamo.put_item('Here', '{"id": "a", "n": 1}')});
$gets = encode_json([ (map { { Get => { TableName => 'Bank', Key => { id => { S => $_ } } } } } $of{1}[0], $of{2}[1]), { Get => { TableName => 'Here', Key => { id => { S => 'a' } } } } ]);
is(node(1, qq{SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets')}), 201, 'with a table of one node');

# Statements for each item wait for what is prepared, too.
(undef, $shard) = shard_of('Bank', $of{2}[1]);
is(node(2, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN;
	UPDATE $shard SET item = dynamo.item_set(item, '{n}', '107') WHERE pk = '$of{2}[1]'; PREPARE TRANSACTION 'citus_half'}), '', 'a transaction is prepared');
like(node(1, qq{SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets')}), qr/ERROR:  could not read items of several nodes.*"None"\}.*"TransactionConflict".*"None"\}/s, 'with a table of one node what it has changed is not read');
$reader = fork() // die;
POSIX::_exit(node(1, qq{SELECT sum((item ->> 'n')::int) FROM dynamo.transact_get('$gets')}) eq '208' ? 0 : 1) if $reader == 0;
node(2, q{COMMIT PREPARED 'citus_half'});
waitpid $reader, 0;
is($? >> 8, 0, '... but when it has ended');

# What a node is asked for is made by nodes, or by anybody who calls the function.
like(node(2, qq{SELECT dynamo_internal.read_items('Bank', $_->[0], '{1}')}), $_->[1], "$_->[0] is no key") foreach
	[q{ARRAY['\x']::bytea[]}, qr/ERROR:  invalid binary format for type dynamo.item/],
	[q{ARRAY['\x05ff']::bytea[]}, qr/ERROR:  invalid binary format for type dynamo.item/],
	[q{ARRAY[dynamo_internal.item_send('{"x": 1}')]}, qr/ERROR: .*key/];
node(1, q{SELECT dynamo.drop_table('Here')});

# Shards move while they are read.
put_all();
@writers = begin_clients(\%of, \&move_money);
foreach my $to (2, 1)
{
	my $mover = fork() // die;
	if ($mover == 0)
	{
		node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
			FROM citus_shards AS s, pg_dist_node AS n WHERE s.table_name = 'dynamo_data."Bank"'::regclass AND n.groupid = $to AND s.nodeport <> n.nodeport ORDER BY s.shardid LIMIT 2});
		POSIX::_exit(0);
	}
	read_beside("while shards move to node $to", @ids);
	waitpid $mover, 0;
}
end_clients(@writers);
is(amount(get_all(2, @ids)), $total, 'nothing is lost');

node(0, q{SELECT dynamo.drop_table('Bank')});
authenticate('DEFAULT');
done_testing();

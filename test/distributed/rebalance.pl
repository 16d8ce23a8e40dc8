# Shards move where the load is less: by bytes alone nothing would be moved here,
# since all shards are alike, but all requests are for those of one node.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, 'ListTables', '{}')->{status} // 0) == 200 }), "node $node: served");
}
node(0, q{SELECT dynamo.create_table('Load', 'id');
	SELECT dynamo.put_item('Load', format('{"id": "k%s"}', n)::dynamo.item) FROM generate_series(1, 60) n});
my %node_of = map { split / /, $_, 2 } split /\n/, node(0, q{SELECT groupid, nodename || ':' || nodeport FROM pg_dist_node});
my ($first, $second) = @node_of{ 1, 2 };
is(node(0, q{SELECT string_agg(n::text, ' ' ORDER BY groupid) FROM (SELECT groupid, count(*) AS n FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
	WHERE logicalrelid = 'dynamo_data."Load"'::regclass GROUP BY 1) AS p}), '2 2', 'each worker has two shards');

# A key of each of the first worker's shards, which clients ask for all the time.
my %key;
$key{ (shard_of('Load', $_))[1] } //= $_ foreach keys_of(1, 'Load');
is(scalar keys %key, 2, 'both of the first have items');
my ($busy) = sort keys %key;
my @keys = @key{ sort keys %key };
my $client = fork() // die;
if ($client == 0)
{
	local $SIG{TERM} = sub { POSIX::_exit(0) };
	for (my $n = 0;; $n++)
	{
		# The first is asked for three times as often.
		at($n % 3, 'GetItem', qq({"TableName":"Load","Key":{"id":{"S":"$keys[$n % 4 == 0]"}},"ConsistentRead":true}));
		sleep 0.002;
	}
}
END { kill 'TERM', $client if $client }

# Which shard is hot, and where?
my $shards = q{FROM dynamo.stat_shards(3) WHERE table_name = 'Load'};
my ($shard) = $busy =~ /_(\d+)\b/;
foreach my $node (0, 1)
{
	like(node($node, "SELECT shard, node, accesses > 10, bytes > 0 $shards LIMIT 1"), qr/^$shard \Q$first\E t t$/, "node $node: the hottest shard and its node");
}
is(node(0, "SELECT count(*), count(*) FILTER (WHERE accesses = 0 AND node = '$second'), round(sum(share)) $shards"), '4 2 1', 'others have no requests; shares are of all');
cmp_ok(node(0, q{SELECT sum(accesses) FROM dynamo.stat_shards(0) WHERE table_name = 'Load'}), '>=', 60, 'all that was counted since they are there');

# The plan.
my $jobs = q{SELECT count(*) FROM pg_dist_background_job};
my $placements = q{SELECT md5(string_agg(shardid || ' ' || groupid, ',' ORDER BY shardid)) FROM pg_dist_placement};
my ($no_jobs, $before) = (node(0, $jobs), node(0, $placements));
is(node(0, q{SELECT count(*) FROM get_rebalance_table_shards_plan() WHERE table_name = 'dynamo_data."Load"'::regclass}), 0, 'Citus by itself would move nothing');
is(node(0, q{SELECT count(*) FROM dynamo.rebalance(access_weight => 0, measure_seconds => 0) WHERE table_name = 'Load'}), 0, 'nor would bytes alone');
my $plan = node(0, q{SET client_min_messages = warning; SELECT count(*) FILTER (WHERE source LIKE '%:%' AND accesses > 0), count(*), min(source), min(target) FROM dynamo.rebalance(measure_seconds => 3) WHERE table_name = 'Load' AND accesses > 0});
is($plan, "1 1 $first $second", 'one of the busy shards is to go to the other worker');
is(node(0, $jobs), $no_jobs, 'a dry run, which is the default, starts nothing');
is(node(0, $placements), $before, '... and moves nothing');
is(node(0, q{SELECT count(*) FROM pg_dist_rebalance_strategy WHERE name LIKE 'dynamo%'}), 0, '... and leaves no strategy');

# It is carried out.
my $out = node(0, q{SET client_min_messages = warning; SELECT count(*) FROM dynamo.rebalance(dry_run => false, measure_seconds => 3, shard_transfer_mode => 'block_writes') WHERE table_name = 'Load'; SELECT citus_rebalance_wait()});
like($out, qr/^[1-9]\d*\b/, 'the moves begin') or diag $out;
unlike($out, qr/ERROR/, 'and end well');
my @nodes = map { (shard_of('Load', $_))[0] } @keys;
is(join(' ', sort @nodes), '1 2', 'the busy shards are on different nodes now');
is(node(0, q{SELECT count(*) FROM pg_dist_rebalance_strategy WHERE name LIKE 'dynamo%'}), 0, 'no strategy is left');
is(at(0, 'GetItem', qq({"TableName":"Load","Key":{"id":{"S":"$_"}}}))->{status}, 200, "$_ is served") foreach @keys;

# A table that is none of dynamo's, in the schema whose name Citus leaves out, on the coordinator.
my $own = 'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 0';
my ($host, $port) = split / /, node(0, $own);
node(0, qq{SET citus.shard_count = 4; CREATE TABLE public."Notes" (id int, note text);
	SELECT citus_set_node_property('$host', $port, 'shouldhaveshards', true);
	SELECT create_distributed_table('public."Notes"', 'id', colocate_with => 'none');
	INSERT INTO public."Notes" SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 3000) n;
	SELECT citus_move_shard_placement(shardid, n.nodename, n.nodeport, '$host', $port, 'block_writes')
	FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node n USING (groupid)
	WHERE logicalrelid = 'public."Notes"'::regclass AND groupid <> 0});
like(node(0, q{SET client_min_messages = warning; SELECT count(*) FROM dynamo.rebalance(access_weight => 0, measure_seconds => 0) WHERE table_name LIKE '%Notes%' AND bytes > 0}),
	qr/^[1-9]/, 'shards of the schema public are measured on the coordinator, too');
node(0, qq{DROP TABLE public."Notes"; SELECT citus_set_node_property('$host', $port, 'shouldhaveshards', false)});

# What it refuses.
like(node(0, $_->[0]), $_->[1], $_->[0]) foreach
	[q{SELECT * FROM dynamo.rebalance(access_weight => 1.5)}, qr/ERROR:  argument "access_weight" must be between 0 and 1/],
	[q{SELECT * FROM dynamo.rebalance(access_weight => 'nan')}, qr/ERROR:  argument "access_weight" must be between 0 and 1/],
	[q{SELECT * FROM dynamo.rebalance(measure_seconds => -1)}, qr/ERROR:  argument "measure_seconds" must be between 0 and 3600/],
	[q{SELECT * FROM dynamo.stat_shards(3601)}, qr/ERROR:  argument "measure_seconds" must be between 0 and 3600/],
	[q{SELECT dynamo_internal.shard_cost(1)}, qr/ERROR:  shards have costs in dynamo.rebalance\(\) only/];
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE load_nobody LOGIN; CREATE ROLE load_watcher LOGIN IN ROLE pg_read_all_stats}) for 0 .. 2;
like(node(0, q{SET ROLE load_nobody; SELECT * FROM dynamo.rebalance()}), qr/ERROR:  permission denied/, 'a superuser alone may rebalance');
like(node(0, q{BEGIN; GRANT EXECUTE ON FUNCTION dynamo.rebalance(boolean, double precision, integer, text) TO load_nobody; SET ROLE load_nobody; SELECT * FROM dynamo.rebalance(measure_seconds => 0); ROLLBACK}),
	qr/ERROR:  shards are moved by a superuser/, '... whoever else may call the function');
like(node(0, q{SET ROLE load_nobody; SELECT * FROM dynamo.stat_shards(0)}), qr/ERROR:  permission denied/, 'and not everybody may see the load');
like(node(0, q{SET ROLE load_watcher; SELECT count(*) FROM dynamo.stat_shards(0) WHERE table_name = 'Load'}), qr/^4$/, 'pg_read_all_stats may');
node($_, q{SET citus.enable_ddl_propagation = off; DROP ROLE load_nobody, load_watcher}) for 0 .. 2;

# A node that is down.
ok(halt(2), 'a node is down');
like(node(0, q{SELECT * FROM dynamo.rebalance(measure_seconds => 0)}), qr/ERROR:  node \Q$second\E does not tell what its shards bear/, 'there is no plan');
like(node(0, q{SELECT 'shards', count(*) FROM dynamo.stat_shards(0) WHERE table_name = 'Load'}), qr/WARNING:  node \Q$second\E does not tell.*^shards [1-3]$/ms, 'what others have is told');
ok(restart(2), 'it is back');
kill 'TERM', $client;
waitpid $client, 0;
undef $client;
ok(wait_for(sub { node(0, q{SELECT count(*) FROM dynamo.stat_shards(0) WHERE table_name = 'Load'}) =~ /^4$/ }), 'and tells');
node(0, q{SELECT dynamo.drop_table('Load')});
authenticate('DEFAULT');
done_testing();

# Statistics and hot keys of a distributed table, of all nodes together: every
# request is counted once, where it was executed.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use List::Util qw(sum0);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, q{ListTables}, q({}))->{status} // 0) == 200 }), "node $node: served");
}
node(0, q{SELECT dynamo.create_table('Counted', 'id');
	SELECT dynamo.put_item('Counted', format('{"id": "k%s"}', n)::dynamo.item) FROM generate_series(1, 40) n});
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE counted_nobody LOGIN}) for 0 .. 2;
is(at(0, 'UpdateContributorInsights', '{"TableName":"Counted","ContributorInsightsAction":"ENABLE"}')->{status}, 200, 'keys are counted');
my @first = map { (keys_of($_, 'Counted'))[0] } 1, 2;
is(scalar(grep { defined } @first), 2, 'both workers have keys');

# What all nodes see of it.
sub everywhere
{
	my ($query, $expected, $what) = @_;
	is(node($_, $query), $expected, "node $_: $what") for 0 .. 2;
	return;
}
sub get { my ($node, $key) = @_; return at($node, 'GetItem', qq({"TableName":"Counted","Key":{"id":{"S":"$key"}},"ConsistentRead":true}))->{status} }
my $sums = q{SELECT requests, successes, items_returned, read_units, nodes, silent IS NULL FROM dynamo.stat_cluster_tables WHERE table_name = 'Counted'};
my $here = q{SELECT requests FROM dynamo.stat_tables WHERE table_name = 'Counted'};

# Of one partition key, at the node that has it, whichever is asked.
node($_, 'SELECT dynamo.stat_reset()') for 0 .. 2;
my @asked = map { my $node = $_; map { get($node, $first[0]) } 1 .. 4 } 0 .. 2;
is("@asked", join(' ', (200) x 12), 'twelve requests for a key');
is(get(0, $first[1]), 200, '... and one for another');
everywhere($sums, '13 13 13 13 3 t', 'each is counted once');
is(node(1, $here), 12, 'at the node that has the first key');
is(node(2, $here), 1, '... and the second');
is(node(0, $here), 0, '... and not where they came in');

# By SQL at the node that is asked; a batch by its parts.
node(0, qq{SELECT dynamo.get_item('Counted', '{"id": "$first[0]"}')});
is(node(0, $here), 1, 'a session counts its own requests');
my $batch = join ',', map { qq({"id":{"S":"$_"}}) } @first;
is(at(0, 'BatchGetItem', qq({"RequestItems":{"Counted":{"Keys":[$batch]}}}))->{status}, 200, 'a batch of two nodes');
is(join(' ', map { node($_, $here) } 0 .. 2), '1 13 2', 'is a request at each of them');
everywhere(q{SELECT requests FROM dynamo.stat_cluster_tables WHERE table_name = 'Counted'}, 16, 'all are in the sums');

# Hot keys, also of the session's node.
everywhere(q{SELECT partition_key, requests, error FROM dynamo.stat_keys('Counted', all_nodes => true) WHERE event = 'accessed' LIMIT 2},
	qq({"S":"$first[0]"} 14 0\n{"S":"$first[1]"} 2 0), 'the hottest keys');

# The same by HTTP: each node's own answer, by its name.
sub told { my ($node, $operation) = @_; return decode_json(at($node, "Dynamo_20261201.$operation", '{"TableName":"Counted","AllNodes":true}')->{body}) }
sub counted { my ($answer) = @_; return sum0(map { $_->{Operation} =~ /GetItem$/ ? $_->{Requests} : () } @{ $answer->{Operations} }) }
sub accessed { my ($answer) = @_; return map { $_->{Event} eq 'accessed' ? "$_->{PartitionKey}{S} $_->{Requests}" : () } @{ $answer->{Keys} } }
my $others = q{SELECT string_agg(nodename || ':' || nodeport, ' ' ORDER BY groupid) FROM pg_dist_node WHERE groupid <> };
foreach my $node (0 .. 2)
{
	my $answer = told($node, 'DescribeStatistics');
	is(join(' ', map { $_->{Node} } @{ $answer->{OtherNodes} }), node(0, $others . $node), "node $node: all others answer");
	is(join(' ', sort { $a <=> $b } counted($answer), map { counted($_->{Answer}) } @{ $answer->{OtherNodes} }), '1 2 13', "node $node: each what it has counted");
	ok(!(grep { exists $_->{Answer}{OtherNodes} && @{ $_->{Answer}{OtherNodes} } } @{ $answer->{OtherNodes} }), "node $node: and asks no further");
	$answer = told($node, 'DescribeHotKeys');
	is(join(', ', sort map { accessed($_) } $answer, map { $_->{Answer} } @{ $answer->{OtherNodes} }),
		join(', ', sort "$first[0] 1", "$first[0] 13", "$first[1] 2"), "node $node: and of keys");
}
ok(!exists decode_json(at(0, 'Dynamo_20261201.DescribeStatistics', '{"TableName":"Counted"}')->{body})->{OtherNodes}, 'only if that is asked for');

# Who may see it: as on one server.
my $as = q{SET ROLE counted_nobody;};
everywhere("$as SELECT count(*) FROM dynamo.stat_cluster_tables", 0, 'tables of others are not seen');
like(node($_, "$as SELECT count(*) FROM dynamo.stat_keys('Counted', all_nodes => true)"), qr/permission denied|not authorized|AccessDenied/, "node $_: nor their keys") for 0 .. 2;
like(node(0, q{SELECT count(*) FROM dynamo.stat_keys('None', true)}), qr/Requested resource not found/, 'nor what is not there');
like(node(0, q{SELECT count(*) FROM dynamo.stat_keys(NULL, true)}), qr/table_name/, 'a name is wanted');

# A table of one node is none of the cluster's.
node(1, q{SET dynamo.distribute_new_tables = off; SET citus.enable_ddl_propagation = off; SELECT dynamo.create_table('Alone', 'id'); SELECT dynamo.put_item('Alone', '{"id": "a"}')});
everywhere(q{SELECT count(*) FROM dynamo.stat_cluster_tables WHERE table_name = 'Alone'}, 0, 'a table of one node is not among them');
node(1, q{SET citus.enable_ddl_propagation = off; SELECT dynamo.drop_table('Alone')});

# A node that is down is missing, and that is told.
my ($name) = node(0, q{SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 2});
ok(halt(2), 'a node is down');
is(node(0, q{SET client_min_messages = error; SELECT nodes, silent FROM dynamo.stat_cluster_tables WHERE table_name = 'Counted'}), "2 $name", 'its part is missing');
is(join(' ', map { $_->{Node} . (exists $_->{Answer} ? ' answers' : '') } @{ told(1, 'DescribeStatistics')->{OtherNodes} }), node(0, q{SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0}) . " answers $name", 'nor does it answer by HTTP');
like(node(1, q{SELECT count(*) FROM dynamo.stat_keys('Counted', all_nodes => true)}), qr/WARNING:  node \Q$name\E does not tell what it has counted/, 'a warning says so');
ok(restart(2), 'it is back');
ok(wait_for(sub { node(0, q{SELECT nodes FROM dynamo.stat_cluster_tables WHERE table_name = 'Counted'}) =~ /^3$/ }), 'and tells');

node(0, q{SELECT dynamo.drop_table('Counted')});
node($_, q{SET citus.enable_ddl_propagation = off; DROP ROLE counted_nobody}) for 0 .. 2;
authenticate('DEFAULT');
done_testing();

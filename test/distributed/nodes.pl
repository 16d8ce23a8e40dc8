# A node joins, takes shards, gives them back and leaves, while
# clients count.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $here = abs_path(dirname(__FILE__));
my $file = "$here/../../tmp/nodes";
my $keys = 20;
authenticate('trust');
maintain('0');
node(0, q{SELECT dynamo.create_table('Nodes', 'id')});
node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Early', 'id');
	SELECT dynamo.distribute_table('Early', shard_count => 2); SELECT dynamo.enable_stream('Early');
	CREATE TABLE early_copy (LIKE dynamo_data."Early" INCLUDING ALL) USING dynamo;
	SELECT create_distributed_table('early_copy', 'pk', shard_count => 2, colocate_with => 'none')});
node(0, q{SET dynamo.distribute_new_tables = off; SET citus.shard_count = 3; SELECT dynamo.create_table('Unasked', 'id'); SELECT dynamo.distribute_table('Unasked')});
is(node(0, q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Unasked"'::regclass}), 3, 'as many shards as Citus says, if no number is given');
node(0, q{SELECT dynamo.drop_table('Unasked')});

sub add { my ($node, $key) = @_; return at($node, 'UpdateItem', qq({"TableName":"Nodes","Key":{"id":{"S":"n$key"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}})) }

# Maintenance of the coordinator, which tells nodes that join.
sub maintain { my ($interval) = @_; return node(0, "ALTER SYSTEM SET dynamo.ttl_interval = $interval") . node(0, 'SELECT pg_reload_conf()') }

# A request to the node that joins, and its answer.
sub at_new
{
	my ($operation, $json) = @_;
	use_port(node(3, 'SHOW dynamo.http_port'));
	my $answer = call($operation, $json);
	return ($answer->{status} // '') . ' ' . ($answer->{body} // '');
}

sub stream_at { my ($node, $operation, $json) = @_; return answer($node, "DynamoDBStreams_20120810.$operation", $json) }

# What the table has in all.
sub count_all { return node($_[0], q{SELECT sum((item ->> 'n')::int) FROM dynamo_data."Nodes"}) }
sub shards_of_new { return node(0, "SELECT count(*) FROM citus_shards WHERE nodeport = $_[0] AND table_name = 'dynamo_data.\"Nodes\"'::regclass") }

ok(wait_for(sub { (add($_, 0)->{status} // 0) == 200 }), "node $_: served") for 0 .. 2;
my $before = count_all(0);
my $busy = fork() // die;
if ($busy == 0)
{
	my ($done, $lost, $refused, $stop, $end) = (0, 0, 0, 0, time() + 400);
	local $SIG{TERM} = sub { $stop = 1 };
	until ($stop || time() > $end)
	{
		my $status = add(($done + $refused) % 3, $done % $keys)->{status} // 500;
		if ($status == 200) { $done++ }
		elsif ($status == 500) { $lost++ }
		else { $refused++ }
	}
	open my $handle, '>', $file or die;
	print $handle "$done $lost $refused";
	close $handle;
	POSIX::_exit(0);
}

is(system("$here/cluster add 3 citus >/dev/null 2>&1"), 0, 'a node joins');
node(3, 'ALTER SYSTEM SET dynamo.http_authentication = trust');
node(3, 'SELECT pg_reload_conf()');
my $port = node(3, 'SHOW port');

# A shard arrives before the definitions.
sub move_to_new
{
	my ($table) = @_;
	return node(0, qq{SELECT citus_move_shard_placement(shardid, nodename, nodeport, 'localhost', $port, 'block_writes')
		FROM citus_shards WHERE table_name = '$table'::regclass AND nodeport <> $port});
}
node(0, q{SELECT replicate_reference_tables('block_writes')});
is(move_to_new($_), '', "shards of $_ move to it") for 'dynamo_data."Early"', 'early_copy';
my $put = q{SELECT dynamo.put_item('Early', '{"id": "e"}')};
foreach my $write ($put, q{INSERT INTO dynamo_data."Early" (item) VALUES ('{"id": "e"}')}, 'TRUNCATE dynamo_data."Early"')
{
	like(node(0, $write), qr/ERROR:  this node has no definition of table dynamo_data\."Early" yet/, "refused: $write");
}
is(() = node(0, "$put; $put") =~ /no definition of table/g, 2, 'and refused again in the same session');
is(node(0, q{INSERT INTO early_copy (pk, item) VALUES (dynamo_internal.partition_key('{"id": "e"}', 'id', 'S'), '{"id": "e"}')}), '', 'a table that is not dynamo\'s is written');
unlike(node(0, q{SELECT dynamo.distribute_table('Early')}), qr/ERROR/, 'it gets the definition');
unlike(node(0, $put), qr/ERROR/, 'and is written');
is(node(3, q{SELECT count(*) FROM dynamo_internal.stream_shards}), 1, 'with a record');
foreach my $time ('first')
{
	maintain("'1s'");
	ok(wait_for(sub { at_new('DescribeTable', '{"TableName":"Nodes"}') =~ /\A200 / }), 'and serves the table') or diag at_new('DescribeTable', '{"TableName":"Nodes"}');
	unlike(node(0, "SELECT citus_rebalance_start(shard_transfer_mode => '" . ($time eq 'first' ? 'force_logical' : 'block_writes') . q{'); SELECT citus_rebalance_wait()}), qr/ERROR/, 'it gets shards');
	cmp_ok(shards_of_new($port), '>', 0, 'which it has');
	is(node(3, 'SELECT count(*) FROM dynamo_internal.nodes'), 1, 'and the table by which definitions are sent');
	is(scalar(grep { at_new('GetItem', qq({"TableName":"Nodes","Key":{"id":{"S":"n$_"}}})) !~ /\A200 .*"id":\{"S":"n$_"\}/ } 1 .. $keys - 1), 0, 'it serves all keys');
	like(node(0, q{SELECT dynamo.create_index('Nodes', 'By} . $time . q{', 'n')}), qr/\A\z/, 'an index is made');
	is(node(3, q{SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Nodes' AND index_name = 'By} . $time . q{'}), 1, 'also there');

	like(node(0, "SELECT dynamo.remove_node('localhost', 1)"), qr/ERROR: .*no worker localhost:1\b/, 'another one cannot leave');
	like(node(0, "SELECT dynamo.remove_node('localhost', " . node(0, 'SHOW port') . ')'), qr/ERROR: .*no worker/, 'nor the coordinator');
	node(0, q{SET client_min_messages = warning; CREATE TABLE keyless (a int); SELECT create_distributed_table('keyless', 'a', shard_count => 6, colocate_with => 'none')});
	like(node(0, "SELECT dynamo.remove_node('localhost', $port)"), qr/ERROR: .*keyless/, 'a shard that cannot move while it is written');
	is(node(0, "SELECT count(*) FROM pg_dist_node WHERE nodeport = $port AND hasmetadata"), 1, 'ends it');
	node(0, 'DROP TABLE keyless');
	is(scalar(grep { at_new('GetItem', qq({"TableName":"Nodes","Key":{"id":{"S":"n$_"}}})) !~ /\A200 .*"id":\{"S":"n$_"\}/ } 1 .. $keys - 1), 0, 'and the node serves all keys');
	like(node(0, "SELECT dynamo.remove_node('localhost', $port, 'block_writes')"), qr/ERROR: .*has records of \d+ shards of streams, less than a day old/, 'records of streams that it has');
	is(shards_of_new($port), 0, 'end it when its shards have left');
	is(scalar(grep { at_new('GetItem', qq({"TableName":"Nodes","Key":{"id":{"S":"n$_"}}})) !~ /\A200 .*"id":\{"S":"n$_"\}/ } 1 .. $keys - 1), 0, 'and it serves all keys');
	my $arn = node(0, q{SELECT dynamo.call('ListStreams', '{"TableName":"Early"}') #>> '{Streams,0,StreamArn}'});
	my $its = sprintf '-%08x"', node(0, "SELECT groupid FROM pg_dist_node WHERE nodeport = $port");
	my ($gone) = stream_at(1, 'DescribeStream', qq({"StreamArn":"$arn"})) =~ /"ShardId":"([^"]*$its)/;
	my $first = qq({"StreamArn":"$arn","ShardId":"$gone,"ShardIteratorType":"TRIM_HORIZON"});
	my ($iterator) = stream_at(1, 'GetShardIterator', $first) =~ /"ShardIterator":("[^"]+")/;
	unlike(node(0, "SELECT dynamo.remove_node('localhost', $port, 'block_writes', lose_records => true)"), qr/ERROR/, 'it leaves');
	is(node(0, "SELECT count(*) FROM pg_dist_node WHERE nodeport = $port"), 0, 'the cluster');
	like(at_new('GetItem', '{"TableName":"Nodes","Key":{"id":{"S":"n1"}}}'), qr/\A400 .*ResourceNotFoundException/, 'and has no table any more');
	like(at_new('PutItem', '{"TableName":"Nodes","Item":{"id":{"S":"n1"}}}'), qr/\A400 .*ResourceNotFoundException/, 'nor writes to it');
	foreach my $node (0 .. 2)
	{
		unlike(stream_at($node, 'DescribeStream', qq({"StreamArn":"$arn"})), qr/$its/, "node $node: the stream has lost the shards that were there, which children would wait for");
		like(stream_at($node, 'GetShardIterator', $first), qr/\A400 .*ResourceNotFoundException.*Shard does not exist/, 'who asks for one is told so');
		like(stream_at($node, 'GetRecords', qq({"ShardIterator":$iterator})), qr/\A400 .*ResourceNotFoundException.*Shard does not exist/, 'and who reads it');
	}
}
kill 'TERM', $busy;
waitpid($busy, 0);
open my $handle, '<', $file or die;
my ($done, $lost, $refused) = split ' ', <$handle>;
diag "$done counted, $lost with no answer, $refused refused";
is($lost, 0, 'every client was told');
is(count_all($_), $before + $done, "node $_: nothing was lost or done twice") for 0 .. 2;
unlink $file;

# It joins again, is down for a while, and learns by itself what has come since.
sub warnings { return logged() =~ /WARNING:.*could not send definitions to a node that lacks them: (.*)/g }
maintain('0');
node(0, q{SELECT dynamo.create_table('Later', 'id'); SELECT dynamo.create_access_key(current_user::regrole)});
unlike(node(0, "SELECT citus_add_node('localhost', $port)"), qr/ERROR/, 'the node joins again');
ok(halt(3), 'and goes down');
my @before = warnings();
maintain("'1s'");
ok(wait_for(sub { node(0, 'SELECT count(*) FROM dynamo_internal.known_nodes WHERE NOT told AND tried_at > since AND failure IS NOT NULL') eq '1' }), 'it is tried to tell it, again and again')
  or diag node(0, 'SELECT * FROM dynamo_internal.known_nodes');

# A connection that Citus still has may fail otherwise than a new one does.
my @warnings = warnings();
my %times;
$times{$_}++ foreach @warnings[scalar(@before) .. $#warnings];
ok(%times && !(grep { $_ > 1 } values %times), 'with one warning of each reason') or diag explain \%times;
ok(restart(3), 'it comes back');
ok(wait_for(sub { at_new('DescribeTable', '{"TableName":"Later"}') =~ /\A200 / }), 'and knows the table') or diag node(0, 'SELECT * FROM dynamo_internal.known_nodes');
my $keys_known = 'SELECT count(*), min(access_key_id) FROM dynamo.access_keys';
ok(wait_for(sub { node(0, 'SELECT bool_and(told) FROM dynamo_internal.known_nodes') eq 't' }), 'all are told');
is(node(3, $keys_known), node(0, $keys_known), 'and the access key');
unlike(node(0, "SELECT stop_metadata_sync_to_node('localhost', $port, clear_metadata => true); SELECT citus_remove_node('localhost', $port)"), qr/ERROR/, 'it leaves for good');
maintain('DEFAULT');
node(0, q{SELECT dynamo.drop_access_key(access_key_id) FROM dynamo.access_keys; SELECT dynamo.drop_table('Later')});
node(0, q{SELECT dynamo.drop_table('Nodes'); SELECT dynamo.drop_table('Early'); DROP TABLE early_copy});
system("$here/../server stop citus3");
authenticate('DEFAULT');
done_testing();

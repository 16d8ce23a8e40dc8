# A node is killed when it has told others to commit: its own part must be on
# disk by then, whatever synchronous_commit is.  HTTP workers commit without
# waiting for the disk, and flush before they answer.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $server = dirname(__FILE__) . '/../server';
node(0, q{SELECT dynamo.create_table('Crash', 'id')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Crash', '{"id": "c$_"}')} } 1 .. 20);
my ($here) = keys_of(1, 'Crash');
my ($there) = keys_of(2, 'Crash');

# Nobody else writes its WAL.
foreach my $node (1, 0)
{
	my $pid = node($node, q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'});
	kill 'STOP', $pid;
	my $set = join ',', map { qq({"Update": {"TableName": "Crash", "Key": {"id": {"S": "$_"}}, "UpdateExpression": "SET n$node = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}) } $here, $there;
	is(node($node, qq{SET synchronous_commit = off; SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [$set]}')}), '{}', "node $node: a transaction of two nodes");
	system("'$server' crash citus$node") == 0 or die;
	restart($node);
	ok(wait_for(sub { node($node, 'SELECT recover_prepared_transactions()') =~ /\A\d+\z/ && node(1, 'SELECT count(*) FROM pg_prepared_xacts') eq '0' && node(2, 'SELECT count(*) FROM pg_prepared_xacts') eq '0' }), 'after a crash it is over');
	is(node(2, qq{SELECT string_agg(item ->> 'n$node', ' ') FROM dynamo_data."Crash" WHERE item ->> 'id' IN ('$here', '$there')}), '1 1', 'and whole');
}
node(0, q{SELECT dynamo.drop_table('Crash')});
done_testing();

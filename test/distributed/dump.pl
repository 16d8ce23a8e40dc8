# A cluster is dumped by pg_dump of its coordinator, and restored into a new
# one, as docs/distributed.md tells.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp;
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;

my $here = abs_path(dirname(__FILE__));

# What is in a database, as a node of it sees it.
sub contents
{
	my ($node, $database) = @_;
	return node($node, q{
		SELECT count(*), md5(string_agg(item::text, ' ' ORDER BY pk, sk)) FROM dynamo_data."Dumped";
		SELECT string_agg(item ->> 'id', ' ') FROM dynamo.query('Dumped', 'g = :g', '{":g": "g7"}', index_name => 'by_g');
		SELECT table_id, ttl_attribute, settings ->> 'Tags' FROM dynamo.tables WHERE table_name = 'Dumped';
		SELECT policy_name, document FROM dynamo.role_policies WHERE role = 'dump_clerk'::regrole;
		SELECT document FROM dynamo.resource_policies}, $database);
}

node(0, q{CREATE ROLE dump_clerk LOGIN;
	SELECT dynamo.create_table('Dumped', 'id S', 'at N');
	SELECT dynamo.create_index('Dumped', 'by_g', 'g S');
	SELECT dynamo.enable_ttl('Dumped', 'until');
	SELECT dynamo.put_role_policy('dump_clerk', 'none', '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"dynamodb:GetItem","Resource":"*"}]}');
	SELECT dynamo.call('TagResource', '{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Dumped","Tags":[{"Key":"k","Value":"v"}]}');
	SELECT dynamo.call('PutResourcePolicy', $${"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Dumped",
		"Policy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:DeleteTable\",\"Resource\":\"*\"}]}"}$$);
	SELECT dynamo.put_item('Dumped', format('{"id": "k%s", "at": %s, "g": "g%s"}', n, n, n % 40)::dynamo.item) FROM generate_series(1, 200) AS n});
my $before = contents(0);
like($before, qr/^200 .*k87 k47 .* until .*\nnone .*DeleteTable/s, 'a table on several nodes');

my $dump = File::Temp->new();
is(system("bash -c 'eval \"\$($here/../server env citus0)\"; pg_dump -d postgres >$dump'"), 0, 'the coordinator is dumped');
is(system("'$here/cluster' database restored"), 0, 'a new database on all nodes');
my $restored = node(0, do { local $/; open my $file, '<', "$dump" or die; <$file> }, 'restored');
unlike($restored, qr/ERROR/, 'the dump is restored');
is(node(0, q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'dynamo_data."Dumped"'::regclass}, 'restored'), 0, 'to the coordinator alone');
is(contents(0, 'restored'), $before, 'and is as it was');
is(node(0, q{INSERT INTO dynamo_data."Dumped" (item) VALUES ('{"id": "plain", "at": 1}');
	SELECT dynamo.delete_item('Dumped', '{"id": "plain", "at": 1}', return_values => 'ALL_OLD') ->> 'id'}, 'restored'), 'plain', 'it is written in SQL as it was')
  or diag node(0, 'SELECT pk, sk FROM dynamo_data."Dumped" WHERE pk IS NULL', 'restored');
node(0, q{SELECT dynamo.distribute_table('Dumped', shard_count => 4)}, 'restored');
is(node(0, q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Dumped"'::regclass}, 'restored'), 4, 'it is distributed again');
is(contents($_, 'restored'), $before, "node $_: and is as it was") for 0 .. 2;
node(0, q{SELECT dynamo.drop_table('Dumped'); SELECT dynamo.delete_role_policy('dump_clerk', 'none')});
node($_, q{SET citus.enable_ddl_propagation = off; DROP DATABASE restored WITH (FORCE)}) for 0 .. 2;
node(0, 'DROP ROLE dump_clerk');

done_testing();

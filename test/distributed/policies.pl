# Policies of distributed tables go with their definitions, also in one transaction
# with them and by a role that is no superuser: in the session that sends definitions
# to the other nodes.  The owner of the extension, in another session, would wait for
# that one.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient qw(wait_for);

my $here = 'SET citus.enable_ddl_propagation = off;';
my $policy = '{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:%s\",\"Resource\":\"*\"}]}';
my $definition = '"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]';

sub as_clerk
{
	my ($node, $sql, $set) = @_;
	return node($node, "SET statement_timeout = '60s'; ${\($set // '')} SET ROLE policy_clerk; $sql");
}
sub calls
{
	my ($node, $operation, $request) = @_;
	unlike(as_clerk($node, "SELECT dynamo.call('$operation', \$\$$request\$\$)"), qr/ERROR/, "node $node: $operation");
	return;
}
sub everywhere
{
	my ($table, $expected, $what) = @_;
	is(node($_, qq{SELECT coalesce(string_agg(document::json #>> '{Statement,0,Action}', ' ' ORDER BY stream_label), 'none') FROM dynamo.resource_policies WHERE table_name = '$table'}),
		$expected, "node $_: $what") for 0 .. 2;
	return;
}

node($_, "$here CREATE ROLE policy_clerk LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO policy_clerk;
	GRANT EXECUTE ON FUNCTION dynamo_internal.take_definition TO policy_clerk") for 0 .. 2;
node(0, q{SELECT dynamo.create_table('PolicyFirst', 'id'); SELECT dynamo.drop_table('PolicyFirst')});
node(0, 'GRANT SELECT, UPDATE ON dynamo_internal.nodes TO policy_clerk');

foreach my $node (0, 1)
{
	my $table = "Policy$node";
	calls($node, 'CreateTable', qq({"TableName":"$table",$definition,"ResourcePolicy":"${\sprintf $policy, 'GetItem'}"}));
	everywhere($table, 'dynamodb:GetItem', 'what CreateTable gives it');
	my ($arn) = node(0, qq{SELECT dynamo.call('DescribeTable', '{"TableName":"$table"}') #>> '{Table,TableArn}'});
	calls($node, 'PutResourcePolicy', qq({"ResourceArn":"$arn","Policy":"${\sprintf $policy, 'PutItem'}"}));
	everywhere($table, 'dynamodb:PutItem', 'another one');
	calls($node, 'UpdateTable', qq({"TableName":"$table","DeletionProtectionEnabled":true}));
	everywhere($table, 'dynamodb:PutItem', 'it stays as it is');
	calls($node, 'DeleteResourcePolicy', qq({"ResourceArn":"$arn"}));
	everywhere($table, 'none', 'it is deleted');
	calls($node, 'PutResourcePolicy', qq({"ResourceArn":"$arn","Policy":"${\sprintf $policy, 'Query'}"}));
	calls($node, 'UpdateTable', qq({"TableName":"$table","DeletionProtectionEnabled":false}));
	calls($node, 'DeleteTable', qq({"TableName":"$table"}));
	everywhere($table, 'none', 'gone with the table');
}

# In one transaction, and with a table that gets to the other nodes.
unlike(as_clerk(0, qq{BEGIN;
	SELECT dynamo.call('CreateTable', \$\${"TableName":"PolicyOwn",$definition,"ResourcePolicy":"${\sprintf $policy, 'Scan'}"}\$\$);
	SELECT dynamo.distribute_table('PolicyOwn'); COMMIT}, 'SET dynamo.distribute_new_tables = off;'), qr/ERROR/, 'a table with a policy is distributed');
everywhere('PolicyOwn', 'dynamodb:Scan', 'it has it');
node(0, q{SELECT dynamo.put_role_policy('policy_clerk', 'some', '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}')});
unlike(as_clerk(0, q{SELECT dynamo.distribute_table('PolicyOwn')}), qr/ERROR/, 'he tells all nodes again');

# A superuser who does not own the extension sends what is shared in his session, too.
node($_, "$here CREATE ROLE policy_admin LOGIN SUPERUSER") for 0 .. 2;
unlike(node(0, q{SET statement_timeout = '60s'; SET ROLE policy_admin; BEGIN; SELECT dynamo.distribute_table('PolicyOwn');
	SELECT dynamo.delete_role_policy('policy_clerk', 'some'); COMMIT}), qr/ERROR/, 'a superuser tells all, and changes a policy of a role');
is(node($_, q{SELECT count(*) FROM dynamo.role_policies WHERE policy_name = 'some'}), 0, "node $_: it is gone") for 0 .. 2;

# A node has the revision of a policy that is sent.  What it has of that stays, since
# a principal that was dropped is a number here, and perhaps another role there.
node(0, 'CREATE ROLE policy_gone');
my $of_a_role = sprintf($policy, 'Scan') =~ s{\\"\*\\"}{{\\"AWS\\":\\"arn:aws:iam::000000000000:user/policy_gone\\"}}r;
calls(0, 'PutResourcePolicy', qq({"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyOwn","Policy":"$of_a_role"}));
node(0, 'DROP ROLE policy_gone');
my @principals = map { node($_, q{SELECT xmin, principals FROM dynamo.resource_policies WHERE table_name = 'PolicyOwn'}) } 0 .. 2;
node(0, q{SELECT dynamo.distribute_table('PolicyOwn')});
is_deeply([ map { node($_, q{SELECT xmin, principals FROM dynamo.resource_policies WHERE table_name = 'PolicyOwn'}) } 0 .. 2 ], \@principals, 'what is sent again is not written');
node(1, q{UPDATE dynamo.resource_policies SET document = '{}', revision_id = 'other' WHERE table_name = 'PolicyOwn'});
node(2, q{DELETE FROM dynamo.resource_policies WHERE table_name = 'PolicyOwn'});
node(0, q{SELECT dynamo.distribute_table('PolicyOwn')});
everywhere('PolicyOwn', 'dynamodb:Scan', 'told again');
is(node($_, q{SELECT principals FROM dynamo.resource_policies WHERE table_name = 'PolicyOwn'}), '{-}', "node $_: its principal is nobody") for 1, 2;

# A coordinator of an older version says nothing of policies.
is(node(1, q{SELECT dynamo_internal.take_definition(0, table_name, t::text, NULL, NULL, places) FROM dynamo.tables AS t, unnest('{NULL,"[]"}'::text[]) AS places WHERE table_name = 'PolicyOwn'}),
	"0\n0", 'a definition without a word of policies');
everywhere('PolicyOwn', 'dynamodb:Scan', 'they stay');

# A role that may not send definitions may drop a table.
node(0, 'REVOKE ALL ON dynamo_internal.nodes FROM policy_clerk');
calls(0, 'DeleteTable', '{"TableName":"PolicyOwn"}');
everywhere('PolicyOwn', 'none', 'no policy is left');
node($_, "$here DROP OWNED BY policy_clerk; DROP ROLE policy_clerk; DROP ROLE policy_admin") for 0 .. 2;
done_testing();

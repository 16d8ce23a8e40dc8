# What clients are told at one node of a cluster holds at all of them, for a
# load balancer may lead each request to another one.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, q{ListTables}, q({}))->{status} // 0) == 200 }), "node $node: served");
}
at(0, 'CreateTable', '{"TableName":"Every","BillingMode":"PAY_PER_REQUEST",'
	  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],'
	  . '"GlobalSecondaryIndexes":[{"IndexName":"by_g","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}');

# ClientRequestToken: a client that got no answer asks again, at another node.
sub add
{
	my ($node, $token, $by) = @_;
	return at($node, 'TransactWriteItems', qq({"ClientRequestToken":"$token","TransactItems":[) . join(',',
		map { qq({"Update":{"TableName":"Every","Key":{"id":{"S":"$_"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"$by"}}}}) } 'a', 'b') . ']}');
}

sub n { return node(0, q{SELECT string_agg(item ->> 'n', ' ' ORDER BY pk) FROM dynamo_data."Every" WHERE item ->> 'id' IN ('a', 'b')}) }

is(join(' ', map { add($_, 'one', 1)->{status} } 0 .. 2, 0 .. 2), '200 200 200 200 200 200', 'a transaction is sent six times, to all nodes');
is(n(), '1 1', 'and is done once');
like(add($_, 'one', 2)->{body}, qr/IdempotentParameterMismatchException/, "node $_: another one with its token is refused") for 0 .. 2;
is(add(1, 'two', 1)->{status}, 200, 'another token');
is(n(), '2 2', 'is another transaction');

# Two of them at once.
my $first = session_at(1, q{BEGIN; SELECT dynamo.call('TransactWriteItems', '{"ClientRequestToken":"held","TransactItems":[{"Put":{"TableName":"Every","Item":{"id":{"S":"held"}}}}]}');
	SELECT pg_advisory_lock(4713);});
ok(wait_for(sub { node(1, 'SELECT count(*) FROM pg_locks WHERE objid = 4713 AND granted') eq '1' }), 'a transaction is under way');
my $same = q({"ClientRequestToken":"held","TransactItems":[{"Put":{"TableName":"Every","Item":{"id":{"S":"held"}}}}]});
like(at($_, 'TransactWriteItems', $same)->{body}, qr/TransactionInProgressException/, "node $_: and may not be done beside itself") for 0 .. 2;
print $first "COMMIT;\n";
close $first;
is(at(2, 'TransactWriteItems', $same)->{status}, 200, 'afterwards it has been done');

# Nodes write times to one another in a form that does not depend on a session's DateStyle.
foreach my $token (map { "dated$_" } 1 .. 5)
{
	my $add = qq({"ClientRequestToken":"$token","TransactItems":[{"Update":{"TableName":"Every","Key":{"id":{"S":"dated"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}}}]});
	unlike(node($_, qq{SET datestyle = 'SQL, DMY'; SELECT dynamo.call('TransactWriteItems', '$add')}), qr/ERROR/, "node $_: token $token beside times of another form") for 1, 2;
}
is(node(0, q{SELECT item ->> 'n' FROM dynamo_data."Every" WHERE item ->> 'id' = 'dated'}), 5, 'each transaction is done once');

# A token stands in the transaction it stands for.
node(1, q{BEGIN; SELECT dynamo.call('TransactWriteItems', '{"ClientRequestToken":"undone","TransactItems":[{"Put":{"TableName":"Every","Item":{"id":{"S":"undone"}}}}]}'); ROLLBACK});
is(at(2, 'TransactWriteItems', q({"ClientRequestToken":"undone","TransactItems":[{"Put":{"TableName":"Every","Item":{"id":{"S":"undone"}}}}]}))->{status}, 200, 'one that was rolled back');
is(node(0, q{SELECT count(*) FROM dynamo_data."Every" WHERE item ->> 'id' = 'undone'}), 1, 'is done by the next node');

# After ten minutes a token is new; maintenance removes it.
node(0, q{UPDATE dynamo_internal.shared_tokens SET created_at = '2020-01-01' WHERE token = 'one'});
is(add(2, 'one', 1)->{status}, 200, 'after ten minutes');
is(n(), '3 3', 'a token is new');
node(0, q{UPDATE dynamo_internal.shared_tokens SET created_at = '2020-01-01'});
configure('dynamo.ttl_interval', 1);
ok(wait_for(sub { node(0, 'SELECT count(*) FROM dynamo_internal.shared_tokens') eq '0' }), 'and then it is forgotten');
configure('dynamo.ttl_interval', 'DEFAULT');

# Access keys and policies.  A role is at all nodes.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE every_clerk LOGIN; GRANT USAGE ON SCHEMA dynamo_data TO every_clerk}) for 0 .. 2;
node(0, q{GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."Every" TO every_clerk});
authenticate('DEFAULT');
my ($id, $secret) = split ' ', node(1, q{SELECT * FROM dynamo.create_access_key('every_clerk')});

my ($expiring) = split ' ', node(1, q{SET datestyle = 'SQL, DMY'; SELECT * FROM dynamo.create_access_key('every_clerk', expires_at => '2038-02-01 00:00+00')});
is(node($_, qq{SELECT extract(epoch FROM expires_at)::int8 FROM dynamo.access_keys WHERE access_key_id = '$expiring'}), 2148595200, "node $_: a key expires when it was said to") for 0 .. 2;
node(0, qq{SELECT dynamo.drop_access_key('$expiring')});

# The answer of a node to a request that the key signs.
sub signed
{
	my ($node) = @_;
	use_port((ports())[$node]);
	return call_as({ key => $id, secret => $secret }, 'GetItem', '{"TableName":"Every","Key":{"id":{"S":"a"}}}');
}

# ... "answer" becomes that of all nodes.
sub all_answer
{
	my ($status, $what) = @_;
	ok(wait_for(sub { (signed($_)->{status} // 0) == $status }), "node $_: $what") for 0 .. 2;
	return;
}

all_answer(200, 'a key that was made at one node signs');
node(2, q{SELECT dynamo.put_role_policy('every_clerk', 'none', '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"dynamodb:GetItem","Resource":"*"}]}')});
all_answer(400, 'what a policy of a role denies is denied');
node(0, q{SELECT dynamo.delete_role_policy('every_clerk', 'none')});
all_answer(200, 'until it is deleted');
my $arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Every';
my $policy = '{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:GetItem\",\"Resource\":\"*\"}]}';
node(1, qq{SELECT dynamo.call('PutResourcePolicy', \$\${"ResourceArn":"$arn","Policy":"$policy"}\$\$)});
all_answer(400, 'what a policy of the table denies is denied');
is(node(2, qq{SELECT dynamo.call('GetResourcePolicy', '{"ResourceArn":"$arn"}') ->> 'RevisionId'}),
	node(0, q{SELECT revision_id FROM dynamo.resource_policies}), 'and shown, as it is elsewhere');
node(2, qq{SELECT dynamo.call('DeleteResourcePolicy', '{"ResourceArn":"$arn"}')});
all_answer(200, 'until it is deleted');
like(node(1, q{SET citus.enable_ddl_propagation = off; BEGIN; CREATE ROLE every_alone LOGIN; SELECT dynamo.create_access_key('every_alone'); COMMIT}), qr/role "every_alone" does not exist/, 'a role that is not at all nodes gets no key');
node(1, qq{BEGIN; SELECT dynamo.drop_access_key('$id'); ROLLBACK});
all_answer(200, 'what is rolled back is so everywhere');
node(2, qq{SELECT dynamo.drop_access_key('$id')});
all_answer(400, 'a key that was dropped at one node signs no more');
node($_, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY every_clerk; DROP ROLE every_clerk}) for 0 .. 2;

# A role that was dropped is a number, which may be another role at another node.
my %gone;
foreach my $role ('every_gone', 'every_lost')
{
	node($_, "SET citus.enable_ddl_propagation = off; CREATE ROLE $role LOGIN") for 0 .. 2;
	$gone{$role} = (split ' ', node(0, "SELECT * FROM dynamo.create_access_key('$role')"))[0];
}
sub key_of { my ($role) = @_; return join ' ', map { node($_, "SELECT role FROM dynamo.access_keys WHERE access_key_id = '$gone{$role}'") } 1, 2 }
node(0, q{SET citus.enable_ddl_propagation = off; BEGIN; DROP ROLE every_gone; SELECT dynamo.distribute_table('Every'); COMMIT});
is(key_of('every_gone'), 'every_gone every_gone', 'the key of a role that was dropped is not sent');
node(0, qq{SET citus.enable_ddl_propagation = off; BEGIN; DROP ROLE every_lost; SELECT dynamo.update_access_key('$gone{every_lost}', comment => 'whose?'); COMMIT});
is(key_of('every_lost'), ' ', 'and is gone elsewhere when it is changed');
node($_, qq{SET citus.enable_ddl_propagation = off; SET client_min_messages = error; DROP ROLE IF EXISTS every_gone, every_lost;
	DELETE FROM dynamo.access_keys WHERE access_key_id IN ('$gone{every_gone}', '$gone{every_lost}')}) for 0 .. 2;
authenticate('trust');

# Tags and time to live.
node(1, qq{SELECT dynamo.call('TagResource', '{"ResourceArn":"$arn","Tags":[{"Key":"k","Value":"v"}]}')});
node(2, q{SELECT dynamo.call('UpdateTimeToLive', '{"TableName":"Every","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"until"}}')});
foreach my $node (0 .. 2)
{
	like(node($node, qq{SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn":"$arn"}')}), qr/"Value":"v"/, "node $node: a tag");
	like(node($node, q{SELECT dynamo.call('DescribeTimeToLive', '{"TableName":"Every"}')}), qr/"ENABLED".*"until"/, "node $node: when items expire");
}

# Point-in-time recovery, on and off.
foreach my $node (0 .. 2)
{
	like(at($node, 'UpdateContinuousBackups', qq({"TableName":"Every","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":$_}}))->{body},
		$_ eq 'true' ? qr/"PointInTimeRecoveryStatus":"ENABLED"/ : qr/"PointInTimeRecoveryStatus":"DISABLED"/, "node $node: recovery, $_") for qw(true true false false);
}

# What is made at any node is served at all, unless a table of one node is asked for.
configure('dynamo.distribute_new_tables', 'auto');
ok(wait_for(sub { node($_, 'SHOW dynamo.distribute_new_tables') eq 'auto' }), "node $_: the default") for 0 .. 2;
foreach my $node (0 .. 2)
{
	my $create = qq({"TableName":"New$node","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]});
	is(at($node, 'CreateTable', $create)->{status}, 200, "node $node: a table is made");
	is(join(' ', map { at($_, 'PutItem', qq({"TableName":"New$node","Item":{"id":{"S":"$_"}}}))->{status} } 0 .. 2), '200 200 200', 'and written at all nodes');
	is(node(0, qq{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."New$node"'::regclass}), 4, 'in as many shards as Citus makes');
	is(at(2 - $node, 'DeleteTable', qq({"TableName":"New$node"}))->{status}, 200, 'it is dropped');
	like(node($node, qq{SET dynamo.distribute_new_tables = off; SELECT dynamo.call('CreateTable', '$create') IS NOT NULL; SELECT dynamo.put_item('New$node', '{"id": "a"}')}), qr/\At\b/, 'one of the node alone');
	is(join(' ', map { at($_, 'GetItem', qq({"TableName":"New$node","Key":{"id":{"S":"a"}}}))->{status} } 0 .. 2), join(' ', map { $_ == $node ? 200 : 400 } 0 .. 2), 'is not there at others');
	node($node, qq{SELECT dynamo.drop_table('New$node')});
}
node($_, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Both', 'id')}) for 0, 1;
is(node(0, q{DROP TABLE dynamo_data."Both"}), '', 'one that the coordinator alone has is dropped by plain SQL');
is(node(1, q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Both'}), 1, 'and not the one that another node has alone under its name');
node(1, q{SELECT dynamo.drop_table('Both')});
configure('dynamo.distribute_new_tables', 'DEFAULT');

# A table stays while a node is to make a backup of it.
configure('dynamo.job_workers', 0);
ok(wait_for(sub { node(1, 'SHOW dynamo.job_workers') eq '0' }), 'jobs wait');
my ($promised) = (at(1, 'CreateBackup', '{"TableName":"Every","BackupName":"promised"}')->{body} // '') =~ /"BackupArn":"([^"]+)"/;
ok($promised, 'a backup is promised by a worker');
like(at($_, 'DeleteTable', '{"TableName":"Every"}')->{body}, qr/ResourceInUseException.*Table is being backed up/, "node $_: the table cannot be deleted") for 0 .. 2;
configure('dynamo.job_workers', 'DEFAULT');
ok(wait_for(sub { node(1, q{SELECT count(*) FROM dynamo.backups WHERE backup_name = 'promised'}) eq '1' }), 'and then it is made');
node(1, qq{SELECT dynamo.delete_backup('$promised')});

# Sizes are those of all shards.
at(0, 'PutItem', qq({"TableName":"Every","Item":{"id":{"S":"$_"},"g":{"S":"x"}}})) for 1 .. 60;
node(0, 'ANALYZE dynamo_data."Every"');
my $written = q{SELECT coalesce(sum(write_units), 0) FROM dynamo.stat_indexes WHERE table_name = 'Every'};
ok(wait_for(sub { my $units = 0; $units += node($_, $written) for 0 .. 2; return $units >= 60 }), "what shards write counts for the table's index");
my $count = node(0, 'SELECT count(*) FROM dynamo_data."Every"');
my @sizes = map {
	my $size = node($_, q{SELECT (t ->> 'TableSizeBytes')::bigint > 0, t ->> 'ItemCount', (i ->> 'IndexSizeBytes')::bigint > 0, i ->> 'ItemCount'
		FROM (SELECT dynamo.call('DescribeTable', '{"TableName":"Every"}') -> 'Table') AS d (t), json_array_elements(t -> 'GlobalSecondaryIndexes') AS i});
	$size
} 0 .. 2;
is($sizes[$_], "t $count t 60", "node $_: size and number of items are those of all shards") for 0 .. 2;
my $held = session_at(2, sprintf 'SET citus.enable_manual_changes_to_shards = on; BEGIN; LOCK %s; SELECT pg_advisory_lock(4714);', (shard_of('Every', (keys_of(2, 'Every'))[0]))[1]);
ok(wait_for(sub { node(2, 'SELECT count(*) FROM pg_locks WHERE objid = 4714 AND granted') eq '1' }), 'a shard is locked');
like(node(1, q{SET statement_timeout = '10s'; SELECT dynamo.call('DescribeTable', '{"TableName":"Every"}')}), qr/"ItemCount":\d/, 'a table is described all the same');
close $held;
halt(2) or die;
my $began = time();
like(at(1, 'DescribeTable', '{"TableName":"Every"}')->{body}, qr/"ItemCount":\d/, 'and when a node is down');
cmp_ok(time() - $began, '<', 10, 'soon');
restart(2) or die;
ok(wait_for(sub { (at(0, 'GetItem', qq({"TableName":"Every","Key":{"id":{"S":"$_"}}}))->{status} // 0) == 200 }, 30), "item $_ is back") for 1, 2, 3, 4;
node(0, q{SELECT dynamo.drop_table('Every')});
authenticate('DEFAULT');

done_testing();

# A role that is no superuser has tables on a cluster, by what docs/distributed.md
# says that it needs.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

node(0, q{SELECT dynamo.create_table('OwnerFirst', 'id')});
my ($who) = keyed_roles('owner', 1, 'SELECT', 'OwnerFirst');
node($_, q{SET citus.enable_ddl_propagation = off;
	GRANT CREATE ON SCHEMA dynamo_data TO owner_1;
	GRANT EXECUTE ON FUNCTION dynamo_internal.take_definition TO owner_1}) for 0 .. 2;
node(0, 'GRANT SELECT, UPDATE ON dynamo_internal.nodes TO owner_1');

sub asks
{
	my ($node, $operation, $request) = @_;
	use_port((ports())[$node]);
	my $answer = call_as($who, $operation, $request);
	return ($answer->{status} // 0) . ' ' . ($answer->{body} // '');
}
ok(wait_for(sub { asks(1, 'CreateTable', '{"TableName":"Owner","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}') =~ /^(?:200|400 .*ResourceInUse)/ }), 'it makes one at a worker');
ok(wait_for(sub { asks(1, 'PutItem', '{"TableName":"Owner","Item":{"id":{"S":"a"}}}') =~ /^200/ }), 'and writes to it');

# A job connects to the nodes, by passwords that only superusers see in Citus.
foreach my $node (0 .. 2)
{
	like(asks($node, 'CreateBackup', qq({"TableName":"Owner","BackupName":"by$node"})), qr/^200/, "node $node: it asks for a backup");
	ok(wait_for(sub { asks($node, 'ListBackups', '{"TableName":"Owner"}') =~ /"BackupName":"by$node"[^}]*"AVAILABLE"/ }, 30), "node $node: it has it");
}

# An index is built at a worker, which waits for all transactions there. One of
# them would be that of a request that the coordinator has wait for the build.
my ($at, $shard) = shard_of('Owner', 'a');
my $session = session_at($at, "BEGIN; SET LOCAL citus.enable_manual_changes_to_shards = on; LOCK TABLE $shard IN ROW EXCLUSIVE MODE;");
ok(wait_for(sub { node($at, q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%LOCK TABLE%'}) eq '1' }), 'a shard is held');
like(asks($at, 'UpdateTimeToLive', '{"TableName":"Owner","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}'), qr/^200/, 'the expiry is to be indexed');
ok(wait_for(sub { node($at, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'virtualxid'}) eq 't' }), 'the build waits');
my $stream = '{"TableName":"Owner","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}';
like(asks($at, 'UpdateTable', $stream), qr/^400 .*ResourceInUseException/, 'what has to wait for it is given up');
print $session "COMMIT;\n";
close $session;
ok(wait_for(sub { asks($at, 'UpdateTable', $stream) =~ /^200/ }, 60), 'and done once it is built');

node(0, q{SELECT dynamo.drop_access_key(access_key_id) FROM dynamo.access_keys WHERE role = 'owner_1'::regrole;
	SELECT dynamo.drop_table('Owner'); SELECT dynamo.drop_table('OwnerFirst')});
node($_, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY owner_1 CASCADE; DROP ROLE owner_1}) for 0 .. 2;
done_testing();

# Indexes of distributed tables are built by a worker of the coordinator, while
# all nodes write.  How far a build has come is decided by a transaction that
# it has to wait for, never by a clock.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Built', 'id');
	SELECT dynamo.put_item('Built', format('{"id": "k%s", "by": "b%s"}', i, i % 7)::dynamo.item) FROM generate_series(1, 60) i});

sub update
{
	my ($node, $action) = @_;
	return repeated($node, 'UpdateTable', qq({"TableName":"Built","AttributeDefinitions":[{"AttributeName":"by","AttributeType":"S"}],)
		  . qq("GlobalSecondaryIndexUpdates":[$action]}));
}
sub create { my ($node) = @_; return update($node // 0, '{"Create":{"IndexName":"ByBy","KeySchema":[{"AttributeName":"by","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}') }
sub drop_index { return update(0, '{"Delete":{"IndexName":"ByBy"}}') }

# What DescribeTable says of the index.
sub state_at
{
	return join ' ', grep { defined } answer($_[0], 'DescribeTable', '{"TableName":"Built"}') =~ /"IndexStatus":"(\w+)"|"Backfilling":(\w+)/g;
}

sub becomes
{
	my ($expected, $what) = @_;
	foreach my $node (0 .. 2)
	{
		wait_for(sub { state_at($node) eq $expected }, 60);
		is(state_at($node), $expected, "node $node: $what");
	}
	return;
}

# Keep builds on a node waiting from here on, until this is released.
sub hold
{
	my ($node) = @_;
	my ($key) = keys_of($node, 'Built');
	my (undef, $shard) = shard_of('Built', $key);
	my $session = session_at($node, "BEGIN; SET LOCAL citus.enable_manual_changes_to_shards = on; LOCK TABLE $shard IN ROW EXCLUSIVE MODE;");
	wait_for(sub { node($node, q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%LOCK TABLE%'}) eq '1' }, 30) or die 'no transaction';
	return $session;
}
sub release { my ($session) = @_; print $session "COMMIT;\n"; return close $session }
sub build_waits { my ($node) = @_; return wait_for(sub { node($node, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'virtualxid'}) eq 't' }, 30) }

# Every node finds in the index what a scan has, once.
sub is_whole
{
	my ($what) = @_;
	foreach my $node (0 .. 2)
	{
		is(node($node, q{SELECT (SELECT string_agg(item::text, ' ' ORDER BY item->>'id') FROM dynamo.scan('Built', index_name => 'ByBy'))
			= (SELECT string_agg(item::text, ' ' ORDER BY item->>'id') FROM dynamo.scan('Built') WHERE item->>'by' IS NOT NULL)}), 't', "node $node: $what");
	}
	return;
}

my $session = hold(1);
like(create(1), qr/^200 .*"IndexStatus":"CREATING"/, 'the answer of a worker comes at once');
ok(build_waits(1), 'the build waits on a worker');
becomes('CREATING true', 'it is being built');
foreach my $node (0 .. 2)
{
	is(answer($node, 'PutItem', qq({"TableName":"Built","Item":{"id":{"S":"new$node.$_"},"by":{"S":"b$_"}}})), '200 {}', "node $node: writes go on") for 1 .. 4;
	like(answer($node, 'Query', '{"TableName":"Built","IndexName":"ByBy","KeyConditionExpression":"#b = :b","ExpressionAttributeNames":{"#b":"by"},"ExpressionAttributeValues":{":b":{"S":"b1"}}}'),
		qr/^400 .*Cannot read from backfilling global secondary index: ByBy/, "node $node: it is not read");
}
like(node(0, q{SET lock_timeout = '20s'; SELECT dynamo.undistribute_table('Built')}), qr/An index of it is being built or dropped/, 'the table stays distributed meanwhile');
release($session);
becomes('ACTIVE', 'it is there');
is_whole('with what was written meanwhile');

$session = hold(1);
like(drop_index(), qr/^200 .*"IndexStatus":"DELETING"/, 'it is deleted, whoever writes to it');
becomes('', 'it is gone at once');
is(answer($_, 'PutItem', qq({"TableName":"Built","Item":{"id":{"S":"after$_"},"by":{"S":"b1"}}})), '200 {}', "node $_: nobody waits for that") for 0 .. 2;
release($session);

my $done = sub { node(0, q{SELECT building IS NULL, to_regclass('dynamo_data."Built/ByBy"') IS NULL FROM dynamo.tables WHERE table_name = 'Built'}) };
ok(wait_for(sub { $done->() eq 't t' }, 60), 'and what it was made of, in time');

$session = hold(2);
create();
ok(build_waits(2), 'another build waits');
drop_index();
becomes('', 'it is not wanted any more');
like(create(), qr/^200/, 'it is wanted again');
release($session);
becomes('ACTIVE', 'and built');
is_whole('after one that was given up');

drop_index();
ok(wait_for(sub { $done->() eq 't t' }, 60), 'it is deleted');
$session = hold(1);
create();
ok(build_waits(1), 'a build waits');
node(0, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dynamo index build'});
is(state_at(0), 'CREATING true', 'its process is ended');
halt(1);
close $session;
restart(1);
node(0, 'ALTER SYSTEM SET dynamo.ttl_interval = 1');
node(0, 'SELECT pg_reload_conf()');
becomes('ACTIVE', 'it is built after a node was killed');
is_whole('after a crash');
node(0, 'ALTER SYSTEM RESET dynamo.ttl_interval');
node(0, 'SELECT pg_reload_conf()');

# By SQL it is built in the transaction, at whatever node.
like(drop_index(), qr/^200/, 'an index is deleted after a crash');
ok(wait_for(sub { $done->() eq 't t' }, 60), 'it is deleted by HTTP');
is(node(1, q{SELECT dynamo.call('UpdateTable', '{"TableName":"Built","AttributeDefinitions":[{"AttributeName":"by","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"ByBy","KeySchema":[{"AttributeName":"by","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}')}) =~ /"IndexStatus": *"(\w+)"/ && node(0, q{SELECT building IS NULL FROM dynamo.tables WHERE table_name = 'Built'}), 't',
	'a session of a worker has it when the answer comes');
is_whole('by SQL');

# Time to live, by a worker, while somebody writes.
$session = hold(2);
like(repeated(1, 'UpdateTimeToLive', '{"TableName":"Built","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}'), qr/^200/, 'the expiry is to be indexed');
ok(build_waits(2), 'that waits, too');
is(answer($_, 'PutItem', qq({"TableName":"Built","Item":{"id":{"S":"ttl$_"},"by":{"S":"b1"}}})), '200 {}', "node $_: writes go on") for 0 .. 2;
release($session);
ok(wait_for(sub { node(0, q{SELECT building IS NULL AND to_regclass('dynamo_data."Built:ttl"') IS NOT NULL FROM dynamo.tables WHERE table_name = 'Built'}) eq 't' }, 60), 'it is there');

# The table is dropped while an index of it is built.
drop_index();
ok(wait_for(sub { $done->() eq 't t' }, 60), 'the index is deleted once more');
$session = hold(1);
create();
ok(build_waits(1), 'a build waits');
my $dropper = session_at(0, 'DROP TABLE dynamo_data."Built";');
ok(wait_for(sub { node(0, q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'dynamo_data."Built"'::regclass}) eq 't' }, 30), 'so does who drops the table');
release($session);
ok(wait_for(sub { node(0, q{SELECT to_regclass('dynamo_data."Built"') IS NULL}) eq 't' }, 60), 'it is dropped');
close $dropper;
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { node($node, q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Built' AND to_regclass('dynamo_data."Built"') IS NOT NULL}) eq '0' }, 30), "node $node: no table is left");
}
ok(wait_for(sub { node(0, q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo index build'}) eq '0' }, 60), 'the process leaves');
authenticate('DEFAULT');
done_testing();

# A global table by the API, in regions that are databases of one server:
# UpdateTable has a replica made, both are described, settings that are set in one
# are soon set in the other, and a replica is deleted from either side.  Then the
# same with a third region.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu', 'ap');

# What an operation answers, or what stands at a path in it.
sub answer
{
	my ($region, $operation, $request, $path) = @_;
	$path = $path ? "#>> '{$path}'" : '::text';
	return sql("SELECT dynamo.try_call('$operation', '$request')::jsonb $path", $region);
}

# ... and of the table, once it is that.
sub await_table
{
	my ($region, $path, $wanted) = @_;
	return await_sql(qq{SELECT dynamo.try_call('DescribeTable', '{"TableName": "Shop"}')::jsonb #>> '{Table,$path}'}, $wanted, $region);
}

# UpdateTable: what it says, or the table's state.
sub update
{
	my ($region, $changes) = @_;
	return sql(qq{SELECT coalesce(answer ->> 'message', answer #>> '{TableDescription,TableStatus}') FROM dynamo.try_call('UpdateTable', '{"TableName": "Shop", $changes}') answer}, $region);
}

answer('us', 'CreateTable', '{"TableName": "Shop", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}');
answer('us', 'PutItem', '{"TableName": "Shop", "Item": {"pk": {"S": "before"}}}');
is(answer('us', 'UpdateTable', '{"TableName": "Shop", "ReplicaUpdates": [{"Create": {"RegionName": "mars"}}]}', 'message'),
	'Region mars is not supported. The latest version of global tables are only supported in the following regions: [ap, eu, us]', 'regions are those that are known');
my $made = answer('us', 'UpdateTable', '{"TableName": "Shop", "ReplicaUpdates": [{"Create": {"RegionName": "eu"}}]}', 'TableDescription');
like($made, qr/"TableStatus": "UPDATING"/, 'a replica is asked for');
like($made, qr/"Replicas": \[\]/, '... and not listed yet');
like($made, qr/"GlobalTableVersion": "2019.11.21"/, '... of the version there is');
like($made, qr/"StreamViewType": "NEW_AND_OLD_IMAGES"/, '... with a stream');
is(await_table('us', 'Replicas,0,ReplicaStatus', 'ACTIVE'), 'ACTIVE', 'it is there');
is(await_table('us', 'TableStatus', 'ACTIVE'), 'ACTIVE', '... and the table as before');
is(await_table('eu', 'Replicas,0,RegionName', 'us'), 'us', 'it lists the other one');
is(answer('eu', 'GetItem', '{"TableName": "Shop", "Key": {"pk": {"S": "before"}}}', 'Item,pk,S'), 'before', '... and has its items');
is(await_table('eu', 'StreamSpecification,StreamViewType', 'NEW_AND_OLD_IMAGES'), 'NEW_AND_OLD_IMAGES', '... and its stream');

# Settings go both ways.
is(answer('us', 'UpdateTimeToLive', '{"TableName": "Shop", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ends"}}', 'TimeToLiveSpecification,AttributeName'), 'ends', 'time to live is set');
is(await_sql(q{SELECT ttl_attribute FROM dynamo.tables}, 'ends', 'eu'), 'ends', '... there, too');
is(update('eu', '"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "by_a", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}}]'), 'UPDATING', 'an index is made in the replica');
is(await_table('us', 'GlobalSecondaryIndexes,0,IndexStatus', 'ACTIVE'), 'ACTIVE', '... here, too');
is(update('us', '"TableClass": "STANDARD_INFREQUENT_ACCESS"'), 'UPDATING', 'a class is set');
is(await_table('eu', 'TableClassSummary,TableClass', 'STANDARD_INFREQUENT_ACCESS'), 'STANDARD_INFREQUENT_ACCESS', '... there, too');
is(update('eu', '"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}, "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "by_a", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}}]'), 'UPDATING', 'units are provisioned');
is(await_table('us', 'ProvisionedThroughput,WriteCapacityUnits', '8'), '8', '... here, too');
is(await_table('us', 'GlobalSecondaryIndexes,0,ProvisionedThroughput,ReadCapacityUnits', '3'), '3', '... of the index as well');
sql(q{SELECT dynamo.drop_index('Shop', 'by_a')}, 'us');
is(await_table('eu', 'GlobalSecondaryIndexes', ''), '', 'an index goes, by SQL: there, too');
is(update('us', '"DeletionProtectionEnabled": true'), 'ACTIVE', 'protection is set');
is(answer('eu', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Shop", "Tags": [{"Key": "k", "Value": "v"}]}'), '{}', '... and tags');
is(update('us', '"BillingMode": "PAY_PER_REQUEST"'), 'UPDATING', 'after these');
is(await_table('eu', 'BillingModeSummary,BillingMode', 'PAY_PER_REQUEST'), 'PAY_PER_REQUEST', '... a change arrives');
is(answer('eu', 'DescribeTable', '{"TableName": "Shop"}', 'Table,DeletionProtectionEnabled'), 'false', '... but what is each region\'s own stays there');
is(sql(q{SELECT (SELECT document::jsonb - 'x' FROM dynamo_internal.shared_settings)->'Billing'->>'Region'}, 'eu'), 'us', '... and it is known whose a setting is');

# The end, from both sides.
is(update('us', '"DeletionProtectionEnabled": false'), 'ACTIVE', 'no protection');
like(answer('us', 'DeleteTable', '{"TableName": "Shop"}', 'message'), qr/acted as a source region/, 'a source stays for a day');
is(answer('eu', 'DeleteTable', '{"TableName": "Shop"}', 'TableDescription,TableStatus'), 'DELETING', 'the replica is deleted in its region');
is(await_table('us', 'Replicas', ''), '', '... and leaves the group');
is(answer('us', 'DescribeTable', '{"TableName": "Shop"}', 'Table,GlobalTableVersion'), '', '... which is a table of one region again');
is(answer('us', 'GetItem', '{"TableName": "Shop", "Key": {"pk": {"S": "before"}}}', 'Item,pk,S'), 'before', '... with its items');
is(update('us', '"StreamSpecification": {"StreamEnabled": false}'), 'UPDATING', '... whose stream may end');
is(update('us', '"ReplicaUpdates": [{"Create": {"RegionName": "eu"}}]'), 'UPDATING', 'it may be made again');
is(await_table('us', 'Replicas,0,ReplicaStatus', 'ACTIVE'), 'ACTIVE', '... and is');
is(update('us', '"ReplicaUpdates": [{"Delete": {"RegionName": "eu"}}]'), 'UPDATING', '... and deleted from here');
is(await_table('us', 'Replicas', ''), '', '... as it should be');
is(sql(q{SELECT count(*) FROM dynamo.tables}, 'eu'), '0', 'nothing is left of it');

# A third region: the others send there, and it sends to them.
my $others = q{SELECT string_agg(region_name || ' ' || status, ', ' ORDER BY region_name) FROM dynamo.replicas};
is(update('us', '"ReplicaUpdates": [{"Create": {"RegionName": "eu"}}]'), 'UPDATING', 'a second region');
is(await_sql($others, 'eu ACTIVE', 'us'), 'eu ACTIVE', '... is there');
is(await_table('us', 'TableStatus', 'ACTIVE'), 'ACTIVE', '... for good');
is(update('us', '"ReplicaUpdates": [{"Create": {"RegionName": "ap"}}]'), 'UPDATING', 'a third one');
is(await_sql($others, 'ap ACTIVE, eu ACTIVE', 'us'), 'ap ACTIVE, eu ACTIVE', '... is there');
is(await_sql($others, 'ap ACTIVE, us ACTIVE', 'eu'), 'ap ACTIVE, us ACTIVE', '... and the second one knows it');
is(await_sql($others, 'eu ACTIVE, us ACTIVE', 'ap'), 'eu ACTIVE, us ACTIVE', '... which knows all');
is(answer('ap', 'GetItem', '{"TableName": "Shop", "Key": {"pk": {"S": "before"}}}', 'Item,pk,S'), 'before', '... and has the items');
answer($_, 'PutItem', qq({"TableName": "Shop", "Item": {"pk": {"S": "of $_"}}})) foreach 'us', 'eu', 'ap';
settle('Shop', 'us', 'eu', 'ap');
is(sql(q{SELECT string_agg(item->>'pk', ', ' ORDER BY item->>'pk' COLLATE "C") FROM dynamo.scan('Shop')}, $_), 'before, of ap, of eu, of us', "what each writes is in $_") foreach 'us', 'eu', 'ap';
is(await_sql(q{SELECT count(*) FROM dynamo_internal.shared_settings}, '1', $_), '1', "$_ has been told the settings") foreach 'eu', 'ap';
is(update('eu', '"TableClass": "STANDARD"'), 'UPDATING', 'a setting of the second one');
is(await_table($_, 'TableClassSummary,TableClass', 'STANDARD'), 'STANDARD', "... arrives in $_") foreach 'us', 'ap';
is(update('us', '"ReplicaUpdates": [{"Delete": {"RegionName": "ap"}}]'), 'UPDATING', 'the third one goes');
is(await_sql($others, 'eu ACTIVE', 'us'), 'eu ACTIVE', '... from here');
is(await_sql($others, 'us ACTIVE', 'eu'), 'us ACTIVE', '... and from the second one');
is(sql(q{SELECT count(*) FROM dynamo.tables}, 'ap'), '0', '... with its table');

done_testing();

# A region leaves a global table: it has all that was written before in any region, and
# so have the others; from then on its table is one of its own, and the others go on
# without it. Of two none is left.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\n");
my @names = ('us', 'eu', 'ap');
make_regions(@names);

sub ask
{
	my ($region, $operation, $request) = @_;
	return sql(qq{SELECT coalesce(answer ->> 'message', answer::text) FROM dynamo.try_call('$operation', '$request') AS answer}, $region);
}
sub leave
{
	my ($region, $table) = @_;
	$table //= 'Shop';
	return ask($region, 'UpdateTable', qq({"TableName": "$table", "ReplicaUpdates": [{"Disassociate": {"RegionName": "$region", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}));
}
my $members = q{SELECT coalesce(string_agg(region_name || ' ' || status, ', ' ORDER BY region_name), 'none') FROM dynamo.replicas};
my $described = q{SELECT t->>'TableStatus', coalesce((SELECT string_agg(r->>'RegionName' || ' ' || (r->>'ReplicaStatus'), ', ' ORDER BY r->>'RegionName') FROM json_array_elements(t->'Replicas') AS r), 'none'), t->'GlobalTableVersion' IS NULL
	FROM dynamo.call('DescribeTable', '{"TableName": "Shop"}') AS d, LATERAL (SELECT d->'Table') AS x(t)};
my $items = q{SELECT coalesce(string_agg(item->>'id' || coalesce(':' || (item->>'by'), ''), ' ' ORDER BY item->>'id'), '') FROM dynamo.scan('Shop')};

# Where a region is not reached by another.
sub cut
{
	my ($from, $to, $user) = @_;
	sql("ALTER USER MAPPING FOR PUBLIC SERVER region_$to OPTIONS (SET user '$user')", $from);
	return;
}
sub is_cut
{
	my ($from, $to) = @_;
	return like(await_sql("SELECT status_description FROM dynamo.replicas WHERE region_name = '$to'", qr/nobody_here/, $from), qr/nobody_here/, "$from does not reach $to");
}

sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo.create_index('Shop', 'by_v', 'v'); SELECT dynamo.enable_ttl('Shop', 'ends');
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', 'i' || i, 'v', 'x')::dynamo.item)) FROM generate_series(1, 5) AS i}, 'us');
ask('us', 'UpdateTable', '{"TableName": "Shop", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}');
foreach my $peer ('eu', 'ap')
{
	ask('us', 'UpdateTable', qq({"TableName": "Shop", "ReplicaUpdates": [{"Create": {"RegionName": "$peer"}}]}));
	is(await_sql("SELECT status FROM dynamo.replicas WHERE region_name = '$peer'", 'ACTIVE', 'us'), 'ACTIVE', "a replica in $peer");
}
await_sql('SELECT count(*) FROM dynamo.replicas', '2', $_) foreach @names;
settle('Shop', @names);
is(await_sql('SELECT ttl_attribute FROM dynamo.tables', 'ends', 'ap'), 'ends', '... with settings');
like(ask('ap', 'UpdateContinuousBackups', '{"TableName": "Shop", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}'), qr/ENABLED/, 'ap has point-in-time recovery');
my $kept = q{SELECT t->>'TableId', t->>'TableArn', t->>'LatestStreamArn', t->'GlobalSecondaryIndexes'->0->>'IndexName', (SELECT ttl_attribute FROM dynamo.tables),
	(SELECT c#>>'{ContinuousBackupsDescription,PointInTimeRecoveryDescription,PointInTimeRecoveryStatus}' FROM dynamo.call('DescribeContinuousBackups', '{"TableName": "Shop"}') AS c)
	FROM dynamo.call('DescribeTable', '{"TableName": "Shop"}') AS d, LATERAL (SELECT d->'Table') AS x(t)};
my $before = sql($kept, 'ap');
like($before, qr/ENABLED/, 'settings of ap');

# It is protected at first. Then it goes, but not before all is here and there.
like(leave('ap'), qr/disassociation protection enabled/, 'it is kept from leaving');
like(ask('ap', 'UpdateTable', '{"TableName": "Shop", "DisassociationProtectionEnabled": false}'), qr/"TableStatus"/, '... which is switched off');
cut('us', 'ap', 'nobody_here');
cut('ap', 'eu', 'nobody_here');
is_cut('us', 'ap');
is_cut('ap', 'eu');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "a", "by": "us"}')}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "b", "by": "ap"}'), dynamo.delete_item('Shop', 'i1')}, 'ap');
like(leave('ap'), qr/"TableStatus":\s*"UPDATING"/, 'it is to leave');
like(leave('ap'), qr/is in use/, '... once');
is(await_sql('SELECT until > 0 FROM dynamo_internal.replicas WHERE region_name = \'ap\'', 't', 'us'), 't', 'us knows of it, which has what ap has written');
is(sql($described, 'ap'), 'UPDATING eu UPDATING, us UPDATING f', '... but waits for what us has written');
is(sql($described, 'eu'), 'ACTIVE ap ACTIVE, us ACTIVE f', '... and eu does for ap');
like(sql(q{SELECT dynamo_internal.leave_replica('Shop', 'ap', 'us')}, 'ap'), qr/table "Shop" is leaving its global table/, 'nor does us delete it meanwhile');

# us can send what ap lacks: so us is left. What is written in ap after that goes to eu, which is not reached yet, or to none.
cut('us', 'ap', 'postgres');
is(await_sql($members, 'eu ACTIVE', 'us'), 'eu ACTIVE', 'us does without ap');
is(await_sql($members, 'eu UPDATING', 'ap'), 'eu UPDATING', '... and ap without us');
is(sql(q{SELECT item->>'by' FROM dynamo.get_item('Shop', 'a')}, 'ap'), 'us', 'it has what was written in us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "c", "by": "ap"}')}, 'ap');
cut('ap', 'eu', 'postgres');
is(await_sql($members, 'us ACTIVE', 'eu'), 'us ACTIVE', 'eu does without ap');
is(await_sql($members, 'none', 'ap'), 'none', '... and ap without all');
is(sql($described, 'ap'), 'ACTIVE none t', 'its table is one of its own');
is(sql($kept, 'ap'), $before, '... with all that it had');
is(sql(q{SELECT (SELECT count(*) FROM dynamo_internal.replicas_received), (SELECT count(*) FROM dynamo_internal.global_tables)}, 'ap'), '0 0', '... and nothing is left of the others');
is(sql($items, 'ap'), 'a:us b:ap c:ap i2 i3 i4 i5', '... and all items');

# What eu has been sent after that it has given to us.
await_sql('SELECT whole OR incarnation IS NULL FROM dynamo_internal.replicas', 'f', $_) foreach 'us', 'eu';
settle('Shop', 'us', 'eu');
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'the others have the same');
like(sql($items, 'us'), qr/^a:us b:ap (c:ap )?i2 i3 i4 i5$/, '... all that was written before');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "d", "by": "ap"}')}, 'ap');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "e", "by": "us"}')}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "f", "by": "eu"}')}, 'eu');
settle('Shop', 'us', 'eu');
is(digest('Shop', 'us'), digest('Shop', 'eu'), '... and go on');
like(sql($items, 'us'), qr/e:us f:eu/, '... with both');
unlike(sql($items, 'us'), qr/d:ap/, '... without ap');
unlike(sql($items, 'ap'), qr/e:us|f:eu/, 'ap has nothing of theirs');
is(sql(q{SELECT count(*) FROM dynamo.query('Shop', 'v = :v', '{":v": "x"}', index_name => 'by_v')}, 'ap'), '4', 'its index is right');
like(ask('ap', 'UpdateTable', '{"TableName": "Shop", "StreamSpecification": {"StreamEnabled": false}}'), qr/"TableStatus"/, '... and its stream may be disabled');
is(sql(q{SELECT dynamo_internal.part_replica('Shop', 'us', 'ap'), dynamo_internal.part_replica('None', 'us', 'ap')}, 'us'), 't t', 'who has left has left');

# Of two none is left.
like(ask('eu', 'UpdateTable', '{"TableName": "Shop", "DisassociationProtectionEnabled": false}'), qr/"TableStatus"/, 'eu is not protected any more');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "g", "by": "us"}')}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "h", "by": "eu"}')}, 'eu');
like(leave('eu'), qr/"TableStatus":\s*"UPDATING"/, 'eu is to leave');
is(await_sql($described, 'ACTIVE none t', $_), 'ACTIVE none t', "$_ has a table of its own") foreach 'eu', 'us';
is(sql($items, 'us'), sql($items, 'eu'), '... the same');
like(sql($items, 'us'), qr/g:us h:eu/, '... with all items');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "k", "by": "us"}')}, 'us');
is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Shop"'::regclass AND NOT tgisinternal}, 'us') > 0, 1, 'its stream is fed');

# What it waits for is lost.
sql(q{SELECT dynamo.create_table('Last', 'id'); SELECT dynamo_internal.add_replica('Last', 'eu')}, 'us');
is(await_sql($members, 'eu ACTIVE', 'us'), 'eu ACTIVE', 'another table');
is(await_sql($members, 'us ACTIVE', 'eu'), 'us ACTIVE', '... in both');
like(ask('eu', 'UpdateTable', '{"TableName": "Last", "DisassociationProtectionEnabled": false}'), qr/"TableStatus"/, '... not protected');
cut('eu', 'us', 'nobody_here');
is_cut('eu', 'us');
like(leave('eu', 'Last'), qr/"TableStatus":\s*"UPDATING"/, 'it is to leave who is not there');
is(sql($members, 'eu'), 'us UPDATING', '... and waits');
is(sql(q{SELECT dynamo.drop_region('us', lost => true)}, 'eu'), '', '... until that is lost');
is(sql($members, 'eu'), 'none', 'then it has left');
is(await_sql($members, 'none', 'us'), 'none', '... which the other finds');
done_testing();

# Two regions, which are databases of one server: a table gets a replica, has its
# items there, and what is written in one is soon in the other, until the replica
# is deleted.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');

is(sql(q{SELECT dynamo.create_table('Shop', 'h', 'r', 'S', 'N'); SELECT dynamo.create_index('Shop', 'by_v', 'v', partition_key_type => 'N');
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('h', 'h' || i % 7, 'r', i, 'v', i % 5)::dynamo.item)) FROM generate_series(1, 2500) AS i}, 'us'),
	qq(dynamo_data."Shop"\n\n0), 'items from before');
is(sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us'), '', 'a replica is asked for');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', '... and there');
is(sql(q{SELECT count(*), sum((item->>'r')::int), (SELECT count(*) FROM dynamo.query('Shop', 'v = :v', '{":v": 3}', index_name => 'by_v')) FROM dynamo.scan('Shop')}, 'eu'),
	'2500 3126250 500', '... with all items and indexes');
is(sql(q{SELECT region_name, status FROM dynamo.replicas}, 'eu'), 'us ACTIVE', '... which knows where it is from');

# Both ways.
sql(q{SELECT dynamo.put_item('Shop', '{"h": "new", "r": 1, "from": "us"}'); SELECT dynamo.delete_item('Shop', 'h1', 1)}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"h": "new", "r": 2, "from": "eu"}'); UPDATE dynamo_data."Shop" SET item = item::jsonb || '{"sql": true}' WHERE item->>'r' = '2' AND item->>'h' = 'h2'}, 'eu');
settle('Shop', 'us', 'eu');
is(sql(q{SELECT item->>'from' FROM dynamo.get_item('Shop', 'new', 1)}, 'eu'), 'us', 'a put arrives');
is(sql(q{SELECT item->>'from' FROM dynamo.get_item('Shop', 'new', 2)}, 'us'), 'eu', '... and the other way');
is(sql(q{SELECT count(*) FROM dynamo.get_item('Shop', 'h1', 1) WHERE item IS NOT NULL}, 'eu'), '0', '... and a delete');
is(sql(q{SELECT item->>'sql' FROM dynamo.get_item('Shop', 'h2', 2)}, 'us'), 'true', '... and plain SQL');
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'items and versions are equal');

# Nobody sends back what has come.
my $sent = sql(q{SELECT sent FROM dynamo.replicas}, 'eu');
sql(q{SELECT count(dynamo.put_item('Shop', jsonb_build_object('h', 'many', 'r', i)::dynamo.item)) FROM generate_series(1, 300) AS i}, 'us');
settle('Shop', 'us', 'eu');
is(sql(q{SELECT count(*) FROM dynamo.query('Shop', 'h = :h', '{":h": "many"}')}, 'eu'), '300', 'a batch');
is(sql(q{SELECT sent FROM dynamo.replicas}, 'eu'), $sent, '... is not sent back');

# The role of the mapping has no right to the table there. A turn that had begun before
# would still be of the other role, so the new one has to be seen first.
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'nobody_here')}, 'us');
like(await_sql(q{SELECT status_description FROM dynamo.replicas}, qr/role/, 'us'), qr/role "nobody_here" does not exist/, 'another role connects, which is not there, though nothing is to be sent');
sql(q{CREATE ROLE nobody_here LOGIN}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"h": "late", "r": 1}')}, 'us');
like(await_sql(q{SELECT status_description FROM dynamo.replicas}, qr/must be owner/, 'us'), qr/must be owner of table Shop/, 'without the rights nothing is applied');
is(sql(q{SELECT count(*) FROM dynamo.get_item('Shop', 'late', 1) WHERE item IS NOT NULL}, 'eu'), '0', '... at all');
is(await_sql(q{SELECT lag > '3 s' FROM dynamo.replicas}, 't', 'us'), 't', '... which is seen as its lag');
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'postgres')}, 'us');
settle('Shop', 'us', 'eu');
is(sql(q{SELECT item->>'h' FROM dynamo.get_item('Shop', 'late', 1)}, 'eu'), 'late', '... until it has them');
is(sql(q{SELECT status_description IS NULL FROM dynamo.replicas}, 'us'), 't', '... and nothing is in the way');
ok(wait_for(sub {
	sql(q{SELECT dynamo.put_item('Shop', '{"h": "late", "r": 2}')}, 'us');
	settle('Shop', 'us', 'eu');
	return sql(q{SELECT lag < '3 s' FROM dynamo.replicas}, 'us') eq 't';
}, 120), '... nor is it late any more');
my $noted = sql(q{SELECT sent_until FROM dynamo.replicas}, 'us');
is(await_sql(qq{SELECT sent_until > '$noted' FROM dynamo.replicas}, 't', 'us'), 't', '... and one that is idle is looked at');

# A change that is committed after a later one was written is not passed over. That the
# sender has been there meanwhile is told by another table.
sql(q{SELECT dynamo.create_table('Beside', 'id')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Beside', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas WHERE table_name = 'Beside'}, 'ACTIVE', 'us'), 'ACTIVE', 'another table');
my $slow = session(q{SET application_name = slow; BEGIN; SELECT dynamo.put_item('Shop', '{"h": "first", "r": 1}')}, 'postgres', 'us');
is(await_sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slow' AND state = 'idle in transaction' AND query ~ 'first'}, '1', 'us'), '1', 'a change is not committed');
sql(q{SELECT dynamo.put_item('Shop', '{"h": "second", "r": 1}')}, 'us');
foreach my $n (1 .. 3)
{
	sql(qq{SELECT dynamo.put_item('Beside', '{"id": "$n"}')}, 'us');
	await_sql(qq{SELECT count(*) FROM dynamo.get_item('Beside', '$n') WHERE item IS NOT NULL}, '1', 'eu');
}
print $slow "COMMIT;\n";
is(await_sql(qq{SELECT count(*) FROM dynamo.get_item('Shop', '$_', 1) WHERE item IS NOT NULL}, '1', 'eu'), '1', "... the $_ one arrives") foreach 'first', 'second';
close $slow;

# A server that is restarted at once.
sql(q{SELECT count(dynamo.put_item('Shop', jsonb_build_object('h', 'crash', 'r', i)::dynamo.item)) FROM generate_series(1, 300) AS i}, 'us');
server('crash');
server('restart');
settle('Shop', 'us', 'eu');
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'after a crash both are equal');

# A table of that name that is another one is not mixed with it.
sql(q{SELECT dynamo.create_table('Other', 'id')}, $_) foreach 'us', 'eu';
sql(q{SELECT dynamo_internal.add_replica('Other', 'eu')}, 'us');
ok(reported(qr/could not replicate to region "eu": ERROR:  table "Other" exists already/), 'a table that is there already is none of its replicas');
is(await_sql(q{SELECT count(*) FROM dynamo.replicas WHERE table_name = 'Other'}, '0', $_), '0', "... it has none in $_") foreach 'us', 'eu';
is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Other"'::regclass}, 'us'), '0', '... and is no global table');
is(sql(q{SELECT coalesce(answer ->> 'message', answer #>> '{TableDescription,DeletionProtectionEnabled}') FROM dynamo.try_call('UpdateTable', '{"TableName": "Other", "DeletionProtectionEnabled": true}') answer}, 'us'), 'true', '... nor UPDATING');

# What a policy hides from the owner is not left out without a word.
sql(q{CREATE ROLE keeper; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO keeper; SET ROLE keeper; SELECT dynamo.create_table('Kept', 'id');
	SELECT dynamo.put_item('Kept', '{"id": "seen"}'), dynamo.put_item('Kept', '{"id": "hidden"}');
	CREATE POLICY most ON dynamo_data."Kept" USING (item->>'id' <> 'hidden');
	ALTER TABLE dynamo_data."Kept" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Kept', 'eu')}, 'us');
my $kept = q{SELECT status, status_description FROM dynamo.replicas WHERE table_name = 'Kept'};
like(await_sql($kept, qr/row-level/, 'us'), qr/^CREATING .*row-level security can hide items of table "Kept" from its owner/, 'a policy binds the owner');
sql(q{ALTER TABLE dynamo_data."Kept" OWNER TO postgres}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas WHERE table_name = 'Kept'}, 'ACTIVE', 'us'), 'ACTIVE', '... and another one not');
is(sql(q{SELECT count(*) FROM dynamo.scan('Kept')}, 'eu'), '2', '... and all items are there');

# The end, which deletion protection there stops.
is(sql(q{SELECT dynamo.call('UpdateTable', '{"TableName": "Shop", "DeletionProtectionEnabled": true}') IS NOT NULL}, 'eu'), 't', 'protected');
is(sql(q{SELECT dynamo_internal.remove_replica('Shop', 'eu')}, 'us'), '', 'its end is asked for');
like(await_sql(q{SELECT status_description FROM dynamo.replicas WHERE table_name = 'Shop'}, qr/protection/, 'us'), qr/table "Shop" has deletion protection/, '... in vain');
is(sql(q{SELECT dynamo.call('UpdateTable', '{"TableName": "Shop", "DeletionProtectionEnabled": false}') IS NOT NULL}, 'eu'), 't', 'not any more');
is(await_sql(q{SELECT count(*) FROM dynamo.replicas WHERE table_name = 'Shop'}, '0', 'us'), '0', '... and comes');
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Shop'}, 'eu'), '0', '... with the table there');
is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Shop"'::regclass}, 'us'), '0', 'nothing is noted any more');
is(sql(q{SELECT dynamo.put_item('Shop', '{"h": "after", "r": 1}')}, 'us'), '', 'the table here goes on');

done_testing();

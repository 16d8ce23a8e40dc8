# A region is lost for good, when what was written there had come to one of the others
# only. It cannot be asked to leave. A superuser says that it is lost, in each of the
# others, and these send each other all that they have.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu', 'ap');
sql(q{SELECT dynamo.create_table('Shop', 'id'), dynamo.create_table('Pair', 'id')}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "first"}'), dynamo.put_item('Shop', '{"id": "second"}')}, 'us');
foreach my $peer ('eu', 'ap')
{
	sql("SELECT dynamo_internal.add_replica('Shop', '$peer')", 'us');
	is(await_sql("SELECT status FROM dynamo.replicas WHERE region_name = '$peer'", 'ACTIVE', 'us'), 'ACTIVE', "a replica in $peer");
}
sql(q{SELECT dynamo_internal.add_replica('Pair', 'ap')}, 'us');
is(await_sql("SELECT status FROM dynamo.replicas WHERE table_name = 'Pair'", 'ACTIVE', 'us'), 'ACTIVE', 'another table, in two regions');
await_sql(q{SELECT count(*) FROM dynamo.replicas}, 3, 'ap');

# What is written in ap from now on comes to us only.
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'nobody_here')}, 'ap');
ok(wait_for(sub {
	sql(q{SELECT dynamo.put_item('Shop', '{"id": "probe"}')}, 'ap');
	return sql(q{SELECT status_description FROM dynamo.replicas WHERE region_name = 'eu'}, 'ap') =~ /nobody_here/;
}, 120), 'ap does not reach eu');

# A transaction in us holds readers back: before it has ended none sends what comes now.
my $open = in_transaction(q{BEGIN; SELECT dynamo.put_item('Shop', '{"id": "open"}')}, undef, 'us');
ok($open, 'a transaction in us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "third"}'), dynamo.delete_item('Shop', 'first'), dynamo.put_item('Shop', '{"id": "second", "by": "ap"}')}, 'ap');
is(await_sql(q{SELECT string_agg(item->>'id' || coalesce(item->>'by', ''), ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop') WHERE item->>'id' <> 'probe'}, 'secondap third', 'us'),
	'secondap third', '... but us');
is(sql(q{SELECT string_agg(item->>'id' || coalesce(item->>'by', ''), ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop') WHERE item->>'id' <> 'probe'}, 'eu'),
	'first second', '... and eu has nothing of it');
like(sql('DROP DATABASE ap WITH (FORCE)'), qr/^$/, 'ap is lost');

like(sql(q{SELECT dynamo.drop_region('ap')}, 'us'), qr/region "ap" has replicas of tables/, 'its replicas are not forgotten by mistake');
like(sql(q{SELECT dynamo.drop_region('us', lost => true)}, 'us'), qr/region "us" has replicas of tables/, 'nor is this region itself');
sql(q{CREATE ROLE visitor}, 'us');
like(sql(q{GRANT EXECUTE ON FUNCTION dynamo.drop_region TO visitor; SET ROLE visitor; SELECT dynamo.drop_region('ap', lost => true)}, 'us'), qr/must be superuser/, '... nor by others');
is(sql(qq{SELECT dynamo.drop_region('ap', lost => true)}, $_), '', "a superuser says so in $_") foreach 'us', 'eu';
is(await_sql('SELECT position > 0 FROM dynamo_internal.replicas', 't', 'us'), 't', 'us sends all that it may');
is(sql('SELECT whole FROM dynamo_internal.replicas', 'us'), 't', '... which is not all');
print $open "ROLLBACK;\n";
is(await_sql(q{SELECT string_agg(item->>'id' || coalesce(item->>'by', ''), ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop') WHERE item->>'id' <> 'probe'}, 'secondap third', 'eu'),
	'secondap third', 'what ap had sent to us comes to eu');
ok(wait_for(sub { digest('Shop', 'us') eq digest('Shop', 'eu') }, 120), 'items and versions are equal');
is(sql(q{SELECT string_agg(table_name || region_name, ' ') FROM dynamo.replicas}, 'us'), 'Shopeu', 'the table of two regions is one of this region');
is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Pair"'::regclass}, 'us'), '0', '... whose changes are not noted');

# They go on.
sql(q{SELECT dynamo.put_item('Shop', '{"id": "fourth"}')}, 'eu');
settle('Shop', 'us', 'eu');
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'they go on');
await_sql('SELECT bool_or(whole) FROM dynamo_internal.replicas', 'f', $_) foreach 'us', 'eu';
my $sent = sql('SELECT sent FROM dynamo.replicas', 'eu');
sql(q{SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', 'n' || i)::dynamo.item)) FROM generate_series(1, 50) AS i}, 'us');
settle('Shop', 'us', 'eu');
is(sql('SELECT count(*) FROM dynamo.scan(\'Shop\')', 'eu'), '54', '50 items more');
is(sql('SELECT sent FROM dynamo.replicas', 'eu'), $sent, '... which are not sent back');
sql('DROP ROLE visitor', 'us');

done_testing();

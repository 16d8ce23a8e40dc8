# A region that has less than it once said, which may be noticed only when it is sent more,
# is sent all.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\ndynamo.tombstone_age = 0\n");
my @names = ('us', 'eu');
make_regions(@names);
sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i)::dynamo.item)) FROM unnest('{gone,stays}'::text[]) AS i}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', 'a replica in eu');
await_sql('SELECT count(*) FROM dynamo.replicas', '1', 'eu');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "own"}')}, 'eu');
settle('Shop', @names);
foreach my $i (1 .. 3)
{
	# ... nor has it what it had written itself.
	sql(q{BEGIN; DELETE FROM dynamo_data."Shop" WHERE item->>'id' = 'own'; DELETE FROM dynamo_internal.item_versions WHERE keys->>'id' = 'own'; COMMIT}, 'eu');
	sql(qq{SELECT dynamo.put_item('Shop', '{"id": "a$i"}')}, 'us');
	settle('Shop', @names);
	my $epoch = sql('SELECT epoch FROM dynamo_internal.replicas', 'us');
	sql('UPDATE dynamo_internal.replicas_received SET position = position - 1', 'eu');
	sql(qq{SELECT dynamo.put_item('Shop', '{"id": "b$i"}')}, 'us');
	settle('Shop', @names);
	is(await_sql("SELECT epoch <> $epoch FROM dynamo_internal.replicas", 't', 'us'), 't', "$i: all is sent");
	is(await_sql(q{SELECT count(*) FROM dynamo.get_item('Shop', 'own') WHERE item IS NOT NULL}, '1', 'eu'), '1', '... what others have of it, too');
	await_sql('SELECT whole OR incarnation IS NULL FROM dynamo_internal.replicas', 'f', $_) foreach @names;
}
done_testing();

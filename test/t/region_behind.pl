# A region that was put back, and is sent slowly what it lacks, takes none of that for
# deleted and forgotten: it forgets nothing until it has all.
#
# Takes long.
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

my $tombstones = 'SELECT count(*) FROM dynamo_internal.item_versions WHERE deleted';
my $items = q{SELECT coalesce(string_agg(item->>'id', ' ' ORDER BY item->>'id'), '') FROM dynamo.scan('Shop')};

sub quiet
{
	my ($name) = @_;
	sql("ALTER DATABASE $name ALLOW_CONNECTIONS false");
	return wait_for(sub {
		sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$name'");
		return sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '$name'") eq '0';
	}, 120);
}

# A copy of eu has a tombstone yet, and takes no item "late".
sql(q{SELECT dynamo.delete_item('Shop', 'gone')}, 'us');
settle('Shop', @names);
is(sql($tombstones, 'eu'), '1', 'a tombstone in eu');
sql(q{CREATE TABLE public.refused AS SELECT 'late'::text AS id;
	CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM public.refused WHERE id = NEW.item->>'id') THEN
			RAISE 'refused';
		END IF;
		RETURN NEW;
	END $$;
	CREATE TRIGGER refuse BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.refuse()}, 'eu');
ok(quiet('eu'), 'a copy of eu');
is(sql('CREATE DATABASE copy TEMPLATE eu ALLOW_CONNECTIONS false'), '', '... is made');
sql('ALTER DATABASE eu ALLOW_CONNECTIONS true');
sql('DELETE FROM public.refused', 'eu');

# All have the item, and say so.
sql(q{SELECT dynamo.put_item('Shop', '{"id": "late"}')}, 'us');
settle('Shop', @names);
is(await_sql($items, 'late stays', 'eu'), 'late stays', 'an item comes');
my $claimed = q{SELECT count(*) FROM dynamo_internal.stable_versions s, dynamo_internal.item_versions v WHERE s.time > v.time AND v.keys->>'id' = 'late'};
ok(wait_for(sub {
	sql('SELECT dynamo_internal.trim_replicas()', $_) foreach @names;
	return !grep { sql($claimed, $_) ne '2' } @names;
}, 180), '... which all claim to have');

# The copy is put in eu's place; what it has it can send, but "late" does not come.
ok(quiet('eu'), 'eu stops');
sql('DROP DATABASE eu');
sql('ALTER DATABASE copy RENAME TO eu');
sql('ALTER DATABASE eu ALLOW_CONNECTIONS true');
like(await_sql('SELECT status_description FROM dynamo.replicas', qr/refused/, 'us'), qr/refused/, 'it is put back, and refuses what it is sent');
await_sql('SELECT whole OR incarnation IS NULL FROM dynamo_internal.replicas', 'f', 'eu');
foreach (1 .. 10)
{
	sql('SELECT dynamo_internal.trim_replicas()', $_) foreach @names;
	# us has tried again: it tells, if it does, what it claims.
	sql('SELECT pg_sleep(1)');
}
is(sql($tombstones, 'eu'), '1', 'it forgets nothing');
sql('DELETE FROM public.refused', 'eu');
is(await_sql($items, 'late stays', 'eu'), 'late stays', 'all comes');
settle('Shop', @names);
is(sql($items, $_), 'late stays', "... and nothing is lost in $_") foreach @names;

done_testing();

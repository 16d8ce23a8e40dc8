# A region that is behind by many batches is sent one at a time, and the next is read while
# it stores the one before.  Where that is not stored, or not all of it, or nobody knows,
# what was read ahead is not sent.  Who stores slowly is sent small ones.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
my @names = ('us', 'eu');
make_regions(@names);

# Changes of other regions are stored in READ COMMITTED all the same: the trigger below
# refuses them else.
sql(q{ALTER DATABASE eu SET default_transaction_isolation = 'repeatable read'});
sql(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', 'a replica in eu');
await_sql('SELECT count(*) FROM dynamo.replicas', '1', 'eu');

# What eu does with an item that it is sent, a row of "does": refuse it, wait until the row
# is gone, or so for a moment with each.
sql(q{CREATE TABLE public.does (id text, what text);
	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF current_setting('application_name') = 'dynamo replication' AND current_setting('transaction_isolation') <> 'read committed' THEN
			RAISE 'not in %', current_setting('transaction_isolation');
		END IF;
		IF EXISTS (SELECT FROM public.does WHERE what = 'slow') THEN
			PERFORM pg_sleep(0.01);
		END IF;
		IF EXISTS (SELECT FROM public.does WHERE what = 'refuse' AND id = NEW.item->>'id') THEN
			RAISE 'refused %', NEW.item->>'id';
		END IF;
		WHILE EXISTS (SELECT FROM public.does WHERE what = 'wait' AND id = NEW.item->>'id') LOOP
			PERFORM pg_sleep(0.01);
		END LOOP;
		RETURN NEW;
	END $$;
	CREATE TRIGGER look BEFORE INSERT OR UPDATE ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.look()}, 'eu');

# A batch of 128 kB has some 120 of them.
sub write_items
{
	my ($name, $n) = @_;
	sql("SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', '$name' || lpad(i::text, 4, '0'), 'note', repeat('x', 1000))::dynamo.item)) FROM generate_series(1, $n) AS i", 'us');
	return;
}

# The same, which eu refuses at first: after a failure batches are small.  Then it does
# that with the first one.
sub write_after_failure
{
	my ($name, $n, $what) = @_;
	sql("INSERT INTO public.does VALUES ('${name}0001', 'refuse')", 'eu');
	write_items($name, $n);
	await_sql('SELECT failures > 0 FROM dynamo_internal.replicas', 't', 'us');
	sql("UPDATE public.does SET what = '$what' WHERE id = '${name}0001'", 'eu');
	return;
}

sub there
{
	my ($from, $to) = @_;
	return sql(qq{SELECT count(*) FROM dynamo_data."Shop" WHERE item->>'id' BETWEEN '$from' AND '$to'}, 'eu');
}

# All that is between the two.
sub comes
{
	my ($from, $to, $n, $what) = @_;
	settle('Shop', @names);
	is(there($from, $to), $n, $what);
	is(digest('Shop', 'us'), digest('Shop', 'eu'), '... as it is');
	return;
}

# While it stores one.
my $waits = q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'eu' AND application_name = 'dynamo replication' AND wait_event = 'PgSleep'};
my $offered = q{SELECT count(*) FROM dynamo_internal.item_versions v JOIN dynamo_internal.global_tables g USING (global_id) JOIN dynamo_internal.replicas r USING (relation) WHERE v.number BETWEEN r.position + 1 AND r.offered};
sql(q{INSERT INTO public.does VALUES ('A0001', 'wait')}, 'eu');
write_items('A', 1000);
is(await_sql($waits, '1'), '1', 'one is being stored');

# ... unless a turn has just ended; then that one is given up, and it is so with the next.
ok(wait_for(sub { return sql($offered, 'us') > 200 }, 120), 'the next has been read');
cmp_ok(sql($offered, 'us'), '<', 300, '... and no more than that');
is(there('A', 'B'), '0', 'none of it is there');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'eu' AND application_name = 'dynamo replication' AND wait_event = 'PgSleep'});
like(await_sql('SELECT status_description FROM dynamo.replicas', qr/./, 'us'), qr/./, 'the connection is lost');
sql('DELETE FROM public.does', 'eu');
comes('A', 'B', 1000, 'all comes');

# In the middle of some batch.
write_after_failure('a', 1000, 'wait');
sql(q{INSERT INTO public.does VALUES ('a0500', 'refuse'); DELETE FROM public.does WHERE what = 'wait'}, 'eu');
like(await_sql('SELECT status_description FROM dynamo.replicas', qr/a0500/, 'us'), qr/refused a0500/, 'one of many items is refused');
cmp_ok(there('a0001', 'a0499'), '>', 100, 'what was sent before it is there');
is(there('a0500', 'a9999'), '0', '... and nothing that was sent with it, or after it');
sql('DELETE FROM public.does', 'eu');
comes('a', 'b', 1000, 'all comes when it is not refused');

# ... and from an hour on.
my $hour = '(3600000::bigint << 16)';
write_after_failure('b', 1000, 'wait');
sql("UPDATE dynamo_internal.item_versions SET time = time + $hour WHERE keys->>'id' = 'b0500'", 'us');
sql('DELETE FROM public.does', 'eu');
is(await_sql('SELECT held > 0 FROM dynamo_internal.replicas', 't', 'us'), 't', 'one is from an hour on');
cmp_ok(there('b0001', 'b0499'), '==', 499, 'what was sent before it is there');
is(there('b0500', 'b0500'), '0', '... and it is not');
sql("UPDATE dynamo_internal.item_versions SET time = time - $hour WHERE keys->>'id' = 'b0500'", 'us');
comes('b', 'c', 1000, 'all comes when it is due');

# Each batch is a transaction.
write_after_failure('d', 600, 'slow');
settle('Shop', @names);
is(there('d', 'e'), '600', 'a region that stores slowly has all');
cmp_ok(sql(q{SELECT max(n) FROM (SELECT count(*) FROM dynamo_data."Shop" WHERE item->>'id' >= 'd' GROUP BY xmin) AS t (n)}, 'eu'), '<', 140, '... by small batches');

# Items are sent as they are packed now: this one is as before, {"g": "x", "h": "1", "id": "old"}.
sql(q{CREATE CAST (bytea AS dynamo.item) WITHOUT FUNCTION; INSERT INTO dynamo_data."Shop" (item) VALUES ('\x010c04080f0167017801680131026964016f6c64'::bytea::dynamo.item)}, 'us');
comes('old', 'old', 1, 'an item of the version before comes');

done_testing();

# Four writers, whose transactions change three items each, keep a log of what
# they have committed in a table beside.  Again and again all processes of the
# server are killed.  Then the table is read as of random times, but for those
# that recovery_holes shows, when the server was down: each time it is what the
# log says, with no transaction in half.  What was committed a tenth of a second
# before the last marker is there, and what began after the time is not.
#
# There are 2 kills and 5 times, or DYNAMO_RECOVERY_KILLS and
# DYNAMO_RECOVERY_TIMES.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Server;

my $kills = $ENV{DYNAMO_RECOVERY_KILLS} || 2;
my $times = $ENV{DYNAMO_RECOVERY_TIMES} || 5;
my $PATIENCE = 120;
local $SIG{PIPE} = 'IGNORE';

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nfsync = on\nautovacuum = off\n");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Ledger', 'id');
	SELECT dynamo.put_item('Ledger', '{"id": "before"}');
	SELECT dynamo.enable_recovery('Ledger');
	CREATE TABLE log (writer int, n int, shared int, own int, put boolean, began timestamptz, PRIMARY KEY (writer, n));

	-- Each transaction notes its number in an item of the writer, counts in one
	-- of all writers', and puts or deletes another of its own.
	CREATE PROCEDURE write(w int) LANGUAGE plpgsql AS $$
	DECLARE
		began timestamptz; i int; own int; put boolean;
		n int := (SELECT coalesce(max(log.n), 0) FROM log WHERE writer = w);
	BEGIN
		LOOP
			n := n + 1;
			began := clock_timestamp();
			i := floor(random() * 20);
			own := floor(random() * 5);
			put := random() < 0.7;
			PERFORM dynamo.update_item('Ledger', jsonb_build_object('id', 'shared-' || i)::dynamo.item, 'ADD n :one', '{":one": 1}');
			IF random() < 0.2 THEN
				BEGIN
					PERFORM dynamo.put_item('Ledger', jsonb_build_object('id', 'shared-' || i, 'n', -1)::dynamo.item);
					DELETE FROM dynamo_data."Ledger" WHERE pk = 'before';
					RAISE division_by_zero;
				EXCEPTION WHEN division_by_zero THEN
				END;
			END IF;
			IF put THEN
				INSERT INTO dynamo_data."Ledger" (item) VALUES (jsonb_build_object('id', w || '-' || own, 'n', n)::dynamo.item)
				ON CONFLICT (pk) DO UPDATE SET item = excluded.item;
			ELSE
				PERFORM dynamo.delete_item('Ledger', jsonb_build_object('id', w || '-' || own)::dynamo.item);
			END IF;
			PERFORM dynamo.put_item('Ledger', jsonb_build_object('id', 'writer-' || w, 'n', n)::dynamo.item);
			INSERT INTO log VALUES (w, n, i, own, put, began);
			IF random() < 0.1 THEN
				PERFORM pg_sleep(random() * 0.2);
			END IF;
			COMMIT;
		END LOOP;
	END $$;

	CREATE VIEW markers AS } . join(' UNION ALL ', map { "SELECT at, snapshot FROM dynamo_internal.journal_$_ WHERE recovery = 0" } 0 .. 19) . q{;

	-- What is wrong with the table as of then; nothing: the empty string.
	CREATE FUNCTION wrong(moment timestamptz) RETURNS text LANGUAGE sql AS $$
		WITH past AS MATERIALIZED (
			SELECT item->>'id' AS id, (item->>'n')::int AS n FROM dynamo.scan('Ledger', as_of => moment)),
		marker AS (SELECT max(at) AS at FROM markers WHERE at <= moment),
		writer AS (SELECT w, coalesce((SELECT n FROM past WHERE id = 'writer-' || w), 0) AS n FROM generate_series(1, 4) w),
		seen AS (SELECT log.* FROM log JOIN writer ON writer = w AND log.n <= writer.n),
		expected AS (
			SELECT 'before' AS id, NULL::int AS n
			UNION ALL SELECT 'writer-' || w, n FROM writer WHERE n > 0
			UNION ALL SELECT 'shared-' || shared, count(*)::int FROM seen GROUP BY shared
			UNION ALL SELECT writer || '-' || own, n FROM (SELECT DISTINCT ON (writer, own) * FROM seen ORDER BY writer, own, n DESC) l WHERE put)
		SELECT concat_ws('; ',
			(SELECT 'not there: ' || string_agg(e::text, ' ') FROM (TABLE expected EXCEPT ALL TABLE past) e),
			(SELECT 'there: ' || string_agg(e::text, ' ') FROM (TABLE past EXCEPT ALL TABLE expected) e),
			(SELECT 'too new: ' || string_agg(log::text, ' ') FROM log, writer WHERE writer = w AND log.n = writer.n AND began > moment),
			(SELECT 'too old: ' || string_agg(log::text, ' ') FROM log, writer, marker WHERE writer = w AND log.n = writer.n + 2 AND began < at - interval '0.1 s'))
	$$;
});

sub number { return sql($_[0]) =~ /^(\d+)$/ ? $1 : -1; }

my $confirmed = 0;
foreach my $round (1 .. $kills)
{
	my $markers = number('SELECT count(*) FROM markers');
	my @writers = map { session("CALL write($_)") } 1 .. 4;
	wait_for(sub { number('SELECT count(*) FROM markers') > $markers + 2 }, $PATIENCE)
	  or die 'no markers are taken';
	sleep rand 1;
	$confirmed = number('SELECT count(*) FROM log');
	server('crash') or die 'the server was not killed';
	close $_ foreach @writers;
	server('restart') or die 'the server did not start again';
	cmp_ok(number('SELECT count(*) FROM log'), '>=', $confirmed, "what was committed survives kill $round");
}
cmp_ok($confirmed, '>', 50 * $kills, 'there were many transactions');

# What comes last is to have a marker, too.  A marker may be taken at any time, so
# this leaves nothing that one could see.
sql(q{BEGIN; SELECT dynamo.put_item('Ledger', '{"id": "after"}'); SELECT dynamo.delete_item('Ledger', '{"id": "after"}'); COMMIT});
wait_for(sub { sql(q{SELECT max(at) > (SELECT max(began) FROM log) FROM markers}) eq 't' }, $PATIENCE);

my ($first, $last) = split / \| /, sql(q{SELECT earliest || ' | ' || latest FROM dynamo.recovery_window('Ledger')});
foreach my $time (1 .. $times)
{
	my ($moment, $wrong) = split /\|/, sql(qq{SELECT moment || '|' || wrong(moment)
		FROM (SELECT timestamptz '$first' + random() * (timestamptz '$last' - timestamptz '$first') AS moment FROM generate_series(1, 1000)) m
		WHERE NOT EXISTS (SELECT FROM dynamo.recovery_holes WHERE moment >= began_at AND moment < ended_at) LIMIT 1}), 2;
	is($wrong, '', "the table as of $moment");
}
is(sql(q{SELECT string_agg(at || ': ' || wrong, E'\n') FROM (SELECT at, wrong(at) FROM markers
		WHERE at >= (SELECT earliest FROM dynamo.recovery_window('Ledger')) ORDER BY random() LIMIT 20) w (at, wrong) WHERE wrong <> ''}),
	'', 'and as of markers');
done_testing();

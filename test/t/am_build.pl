# Index builds of a table USING dynamo that others write to and grant rights
# on meanwhile.  An update that is HOT for the indexes there were must not be
# for the one being built, and an invalidation of the relcache entry in the
# middle of the scan must not take heap's routine from under it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server();
%ENV = (%ENV, environment());

# What psql prints, also of a failure.
sub outcome
{
	open my $out, '-|', 'psql', '-XAqt', '-v', 'ON_ERROR_STOP=1', '-c', $_[0]
	  or die;
	my $result = join '', <$out>;
	close $out;
	$result =~ s/\n\z//;
	return $? ? "failed: $result" : $result;
}

# A statement in the background.
sub background
{
	my ($sql) = @_;
	my $pid = fork() // die;
	exec 'psql', '-XAqt', '-v', 'ON_ERROR_STOP=1', '-c', $sql if $pid == 0;
	return $pid;
}

outcome($_) for 'CREATE EXTENSION dynamo', 'CREATE EXTENSION amcheck',
  'CREATE TABLE items (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo WITH (fillfactor = 50)',
  q{CREATE INDEX gsi1 ON items ((item ->> 'a')) WHERE item ->> 'a' IS NOT NULL},
  q{INSERT INTO items SELECT i % 50, i / 50, jsonb_build_object('a', i, 'x', 0) FROM generate_series(0, 1999) i},
  q{CREATE FUNCTION slowly(i int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_sleep(0.001); PERFORM 1 FROM pg_class LIMIT 1; RETURN i; END $$},
  q{CREATE PROCEDURE churn() LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM pg_class WHERE relname = 'going') LOOP
			UPDATE items SET item = item || jsonb_build_object('x', (random() * 1000)::int)
				WHERE pk = (random() * 49)::int AND sk = (random() * 39)::int;
			COMMIT;
		END LOOP;
	END $$},
  q{CREATE PROCEDURE granting() LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM pg_class WHERE relname = 'going') LOOP
			GRANT SELECT ON items TO PUBLIC;
			COMMIT;
			PERFORM pg_sleep(0.01);
			REVOKE SELECT ON items FROM PUBLIC;
			COMMIT;
			PERFORM pg_sleep(0.01);
		END LOOP;
	END $$},
  'CREATE TABLE going ()';

my @pids = (background('CALL churn()'), background('CALL churn()'),
	background('CALL granting()'));
wait_for(sub { outcome(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CALL%'}) eq '3' });

is(outcome('CREATE INDEX CONCURRENTLY built ON items (slowly(sk))'),
	'', 'a concurrent build under invalidations');
is(outcome('DROP INDEX built'), '', 'and the index dropped');
is(outcome('CREATE INDEX built ON items (slowly(sk))'),
	'', 'a build under invalidations');
is(outcome('DROP INDEX built'), '', 'and the index dropped');

foreach my $round (1 .. 5)
{
	is(outcome(q{CREATE INDEX CONCURRENTLY built ON items ((item ->> 'x'))}),
		'', "round $round: concurrent build of an index on what changes");
	is(outcome(q{SELECT bt_index_check('built', true)}),
		'', "round $round: it has every row");
	is(outcome('REINDEX INDEX CONCURRENTLY built'), '', "round $round: built anew");
	is(outcome(q{SELECT bt_index_check('built', true)}),
		'', "round $round: it has every row");
	is(outcome('DROP INDEX CONCURRENTLY built'), '', "round $round: dropped");
}

outcome('DROP TABLE going');
foreach (@pids)
{
	waitpid $_, 0;
	is($?, 0, 'a writer ended well');
}
is( outcome(q{SELECT count(*) FROM pg_index, LATERAL bt_index_check(indexrelid, true) WHERE indrelid = 'items'::regclass}),
	2, 'the other indexes have every row');
ok(wait_for(sub { outcome(q{SELECT n_tup_hot_upd > 0 FROM pg_stat_user_tables WHERE relname = 'items'}) eq 't' }),
	'updates were HOT in between');
done_testing();

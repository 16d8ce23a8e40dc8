# Who: the owner of a table, who may create views beside it, and has given somebody
# SELECT on it.
# Wants: a function of his to run as the other, when that one exports the table, or restores
# it.
#
# A query names the relation.  Where the name is put into it before the relation is
# locked, it may be a view's by then.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_port = 0\ndynamo.job_workers = 0");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN;
	GRANT CREATE ON SCHEMA dynamo_data TO mallory, victim;
	SELECT dynamo.grant_bucket('files', 'victim');
	CREATE SCHEMA tower AUTHORIZATION mallory;
	SET ROLE mallory;
	GRANT USAGE ON SCHEMA tower TO PUBLIC;
	CREATE TABLE tower.caught (who name);
	GRANT INSERT ON tower.caught TO PUBLIC;
	CREATE FUNCTION tower.trap(item dynamo.item) RETURNS dynamo.item LANGUAGE plpgsql AS
	$$BEGIN INSERT INTO tower.caught VALUES (current_user); RETURN item; END$$});

# Swap the names while somebody waits for the table.
sub caught_by
{
	my ($table, $recovery, $sql) = @_;
	sql(qq{
		SET ROLE mallory;
		SELECT dynamo.create_table('$table', 'pk');
		SELECT dynamo.put_item('$table', '{"pk": "a"}');
		SELECT CASE WHEN $recovery THEN dynamo.enable_recovery('$table') END;
		GRANT SELECT ON dynamo_data."$table" TO victim});
	my $swapper = in_transaction(qq{BEGIN; ALTER TABLE dynamo_data."$table" RENAME TO "$table.moved";
		CREATE VIEW dynamo_data."$table" AS SELECT pk, tower.trap(item) AS item FROM dynamo_data."$table.moved";
		GRANT SELECT ON dynamo_data."$table" TO victim}, 'mallory');
	my $victim = session("$sql; SELECT 'ended'; SELECT pg_sleep(3600)", 'victim');
	ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity
		WHERE usename = 'victim' AND wait_event_type = 'Lock'}) eq '1' }), "$table: it waits for the table");
	print $swapper "COMMIT;\n";
	ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity
		WHERE usename = 'victim' AND query LIKE 'SELECT pg_sleep%'}) eq '1' }), '... and ends');
	close $swapper;
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'victim'});
	return sql('SELECT count(*) FROM tower.caught');
}

# Of the present, and of a time.
is(caught_by('Shop', 'false', q{SELECT dynamo.export_table('Shop', 'files'); CALL dynamo.run_jobs()}), '0', 'nobody has run his function');
is(caught_by('Past', 'true', q{SELECT dynamo.export_table('Past', 'files'); CALL dynamo.run_jobs()}), '0', '... nor by the journal');
is(sql(q{SELECT string_agg(status, ' ') FROM dynamo.jobs WHERE kind = 'EXPORT'}), 'COMPLETED COMPLETED', 'what was exported is the table');

is(caught_by('Again', 'true', q{SELECT dynamo.restore_table('Copy', 'Again')}), '0', 'nor where it is restored');
is(sql('SELECT item FROM dynamo_data."Copy"'), '{"pk":{"S":"a"}}', '... with its items');

# The names of schemas are kept by no lock.
sql(q{
	GRANT CREATE ON DATABASE postgres TO mallory;
	SET ROLE mallory;
	CREATE SCHEMA east;
	CREATE SCHEMA west;
	GRANT USAGE ON SCHEMA east, west TO PUBLIC;
	SELECT dynamo.create_table('Far', 'pk');
	SELECT dynamo.put_item('Far', '{"pk": "a"}');
	GRANT SELECT ON dynamo_data."Far" TO victim;
	ALTER TABLE dynamo_data."Far" SET SCHEMA east;
	CREATE VIEW west."Far" AS SELECT pk, tower.trap(item) AS item FROM east."Far";
	GRANT SELECT ON west."Far" TO victim});
my $holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' });
my $victim = session(q{SET dynamo_test.pause = 'query'; SELECT dynamo.export_table('Far', 'files'); CALL dynamo.run_jobs(); SELECT pg_sleep(3600)}, 'victim');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) eq '1' }), 'Far: a query names the relation');
sql(q{SET ROLE mallory; BEGIN; ALTER SCHEMA east RENAME TO north; ALTER SCHEMA west RENAME TO east; COMMIT});
close $holder;
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity
	WHERE usename = 'victim' AND query LIKE 'SELECT pg_sleep%'}) eq '1' }), '... and ends');
is(sql('SELECT count(*) FROM tower.caught'), '0', '... without his function');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'victim'});
close $victim;

done_testing();

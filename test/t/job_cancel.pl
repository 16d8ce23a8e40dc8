# Somebody cancels what a job's process does.  That is no failure of the job: it is
# tried again soon, as often as it takes, and none of these counts as an attempt.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files/in") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(qq{COPY (SELECT '{"Item":{"id":{"S":"a"}}}') TO '$buckets/files/in/items.json'});
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'id'), dynamo.grant_bucket('files', 'postgres');
	CREATE TABLE public.go ();
	CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(1); END LOOP; RETURN NEW; END$$;
	CREATE TRIGGER wait BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.wait()});
like(sql(q{SELECT dynamo.call('StartBulkPutItems', '{"TableName": "Shop",
		"InputS3Configuration": {"S3Bucket": "files", "S3KeyPrefix": "in/", "InputFormat": "DYNAMODB_JSON"},
		"OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]}}')}), qr/BulkOperationArn/, 'a job begins') or BAIL_OUT('no job');

# The transaction that stands in the trigger, and its process.  Each cancel ends the
# turn; then another begins, which is an attempt.
my $waits = q{SELECT xact_start, pid FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event = 'PgSleep'};
my $before = '';
my $most = 0;
my $end = time + 4;
while (time < $end)
{
	my $standing;
	wait_for(sub { $standing = sql($waits); $standing ne '' && $standing ne $before }, $PATIENCE) or BAIL_OUT('the job has ended');
	my $attempts = sql('SELECT attempts FROM dynamo_internal.jobs');
	$most = $attempts if $attempts > $most;
	$before = $standing;
	sql('SELECT pg_cancel_backend(' . (split ' ', $standing)[-1] . ')');
}
is($most, '1', 'no attempt before the last one has failed');
sql('INSERT INTO public.go DEFAULT VALUES');
ok(wait_for(sub { sql('SELECT status FROM dynamo.jobs') eq 'COMPLETED' }, $PATIENCE), 'it ends when it can');
is(sql(q{SELECT count(*) FROM dynamo.scan('Shop')}), '1', 'with its work done');

# A function that raises what a cancel does, each time, does not keep a process busy: the
# fourth turn comes three pauses of a second later.
sql(q{
	CREATE SEQUENCE public.turns;
	CREATE FUNCTION public.raise() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN PERFORM nextval('public.turns'); RAISE 'stopped' USING ERRCODE = 'query_canceled'; END$$;
	SELECT dynamo.create_table('Raises', 'id');
	CREATE TRIGGER raise BEFORE INSERT ON dynamo_data."Raises" FOR EACH ROW EXECUTE FUNCTION public.raise()});
my $began = time;
like(sql(q{SELECT dynamo.bulk_put_items('Raises', 'files', 'in/')}), qr/./, 'another job begins');
ok(wait_for(sub { sql('SELECT last_value FROM public.turns') >= 4 }, $PATIENCE), 'it is tried again and again');
cmp_ok(time - $began, '>=', 2, 'with pauses');
sql(q{SELECT dynamo.cancel_job(job) FROM dynamo.jobs WHERE status = 'IN_PROGRESS'});
ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.jobs WHERE status = 'CANCELLED'}) eq '1' }, $PATIENCE), 'until it is cancelled');

# A job that fails cleans up as whoever has its table by then.
sql(q{CREATE ROLE asker; CREATE ROLE heir; GRANT CREATE ON SCHEMA dynamo_data TO asker; SELECT dynamo.grant_bucket('files', 'asker', '{read}')});
sql(q{BEGIN; SET LOCAL ROLE asker; SELECT dynamo.import_table('Half', 'files', 'id', prefix => 'in/'); RESET ROLE;
	ALTER TABLE dynamo_data."Half" OWNER TO heir; COMMIT});
my $half = q{FROM dynamo.jobs WHERE table_name = 'Half'};
ok(wait_for(sub { sql("SELECT status $half") eq 'FAILED' }, $PATIENCE), 'an import fails whose table has got another owner');
like(sql("SELECT failure_message $half"), qr/not authorized to perform: dynamodb:ImportTable/, '... for that reason');
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Half'}), '0', '... and takes it away');

# One that is cancelled and cannot take its table away for now tries that again later, not
# all ten times at once.
sql(q{
	CREATE TABLE public.calm ();
	CREATE FUNCTION public.no_memory() RETURNS event_trigger LANGUAGE plpgsql AS
	$$BEGIN IF NOT EXISTS (SELECT FROM public.calm) THEN RAISE 'no memory' USING ERRCODE = 'out_of_memory'; END IF; END$$;
	CREATE EVENT TRIGGER no_memory ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION public.no_memory();
	DO $$DECLARE arn text := dynamo.import_table('Late', 'files', 'id', prefix => 'in/'); BEGIN PERFORM dynamo.cancel_job(arn); END$$});
my $late = q{FROM dynamo.jobs JOIN dynamo_internal.jobs i ON i.id = job WHERE jobs.table_name = 'Late'};
ok(wait_for(sub { sql("SELECT i.attempts $late") >= 2 }, $PATIENCE), 'an import that was cancelled cannot drop its table');
is(sql("SELECT jobs.status $late"), 'CANCELLING', '... and has not ended');
sql('INSERT INTO public.calm DEFAULT VALUES');
ok(wait_for(sub { sql("SELECT jobs.status $late") eq 'CANCELLED' }, $PATIENCE), '... until it can');
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Late'}), '0', '... and then there is no table');
done_testing();

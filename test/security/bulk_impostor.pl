# Who: the owner of a table, who may read a bucket.
# Wants: items in a table that he makes in its place, under keys that are not theirs; or a
# crash of the server.
#
# A bulk operation makes the keys of items as its table wants them, and then opens the table
# by its name.  The name may be another one's by then, which has a sort key.
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
sql(qq{COPY (SELECT '{"Item":{"pk":{"S":"a"},"sk":{"S":"b"}}}') TO '$buckets/files/one.json'});
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	GRANT CREATE ON SCHEMA dynamo_data TO mallory;
	SELECT dynamo.grant_bucket('files', 'mallory');
	SET ROLE mallory;
	SELECT dynamo.create_table('Shop', 'pk');
	SELECT dynamo.bulk_put_items('Shop', 'files')});

my $swapper = in_transaction(q{BEGIN; DROP TABLE dynamo_data."Shop"; SELECT dynamo.create_table('Shop', 'pk', 'sk')}, 'mallory');
my $worker = session('CALL dynamo.run_jobs()', 'mallory');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity
	WHERE usename = 'mallory' AND wait_event_type = 'Lock'}) eq '1' }), 'the step waits for the table');
print $swapper "COMMIT;\n";
ok(wait_for(sub { sql('SELECT ended_at IS NOT NULL FROM dynamo.jobs') eq 't' }, 60), 'it ends');
is(sql('SELECT status, failure_code FROM dynamo.jobs'), 'FAILED ResourceNotFoundException', '... as its table is gone');
is(sql('SELECT count(*) FROM dynamo_data."Shop"'), '0', 'the other table has no items');

# An import that is cancelled takes its table away.
sql(q{
	SET ROLE mallory;
	SELECT dynamo.create_table('Other', 'pk');
	SELECT dynamo.detach_table('Other');
	SELECT dynamo.import_table('Copy', 'files', 'pk');
	SELECT dynamo.cancel_job(job) FROM dynamo.jobs WHERE table_name = 'Copy'});
$swapper = in_transaction(q{BEGIN; DROP TABLE dynamo_data."Copy"; SELECT dynamo.attach_table('dynamo_data."Other"', 'Copy')}, 'mallory');
print $worker "CALL dynamo.run_jobs();\n";
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity
	WHERE usename = 'mallory' AND wait_event_type = 'Lock'}) eq '1' }), 'a cancelled import waits for the name of its table');
print $swapper "COMMIT;\n";
ok(wait_for(sub { sql(q{SELECT status FROM dynamo.jobs WHERE table_name = 'Copy'}) eq 'CANCELLED' }, 60), 'it ends');
is(sql(q{SELECT relation FROM dynamo.tables WHERE table_name = 'Copy'}), 'dynamo_data."Other"', '... and leaves the one that has it now');

done_testing();

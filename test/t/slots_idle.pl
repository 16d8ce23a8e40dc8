# A process that works on jobs when dynamo.job_workers is set to 0 leaves nothing behind
# for which others are sent: a second one had come for ever, to leave after a second.  Nor
# does one that has looked for replicas where there are none.
#
# Takes long: run with assertions only.
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

# Two jobs, of which the first stands in a trigger; and marks, for which a process stays.
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Marked', 'id'), dynamo.enable_recovery('Marked');
	SELECT dynamo.create_table('Shop', 'id');
	CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3600); RETURN NEW; END';
	CREATE TRIGGER wait BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.wait();
	SELECT dynamo.bulk_put_items('Shop', 'files', 'in/');
	SELECT dynamo.bulk_put_items('Shop', 'files', 'in/')});
my $processes = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background'};
ok(wait_for(sub { sql($processes) eq '2' }, $PATIENCE), 'there is work for two processes');
my $standing;
ok(wait_for(sub { ($standing = sql(q{SELECT pid FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event = 'PgSleep'})) =~ /^\d+$/ }, $PATIENCE),
	'of which one stands in a trigger');
set('dynamo.job_workers', 0);
sql("SELECT pg_cancel_backend($standing)");
ok(wait_for(sub { sql($processes) eq '1' }, $PATIENCE), 'one stays for the marks');
ok(!wait_for(sub { sql($processes) > 1 }, 5), 'and no other comes');

# A job that a process is at does not wait, however long a step of it takes: the log and an
# alert had told that it does.
sql('SELECT dynamo.cancel_job(job) FROM dynamo.jobs; CALL dynamo.run_jobs()');
set('dynamo.job_workers', 1);
sql(q{SELECT dynamo.bulk_put_items('Shop', 'files', 'in/')});
ok(wait_for(sub { ($standing = sql(q{SELECT pid FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event = 'PgSleep'})) =~ /^\d+$/ }, $PATIENCE),
	'a job stands in a trigger');
select undef, undef, undef, 3;
is(sql(q{SELECT count(*) FROM dynamo.stat_workers WHERE service = 'job' AND state = 'waiting'}), '0', 'none waits');
set('dynamo.job_workers', 0);
sql("SELECT pg_cancel_backend($standing)");
ok(wait_for(sub { sql($processes) eq '1' }, $PATIENCE), 'one process stays again');

# Each visit of maintenance has replicas looked for.  Where there are none, nobody is sent
# for them while the visit lasts.
sql(q{
	SELECT dynamo.create_table('Old', 'id'), dynamo.enable_ttl('Old', 'expires');
	SELECT dynamo.put_item('Old', format('{"id": "%s", "expires": %s}', i, extract(epoch FROM now())::bigint - 60)::dynamo.item) FROM generate_series(1, 4000) i;
	CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN OLD; END';
	CREATE TRIGGER slow BEFORE DELETE ON dynamo_data."Old" FOR EACH ROW EXECUTE FUNCTION public.slow()});
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { sql(q{SELECT count(*) < 4000 FROM dynamo_data."Old"}) eq 't' }, $PATIENCE), 'items expire, one after the other');
my %seen;
foreach my $look (1 .. 40)
{
	$seen{$_} = 1 foreach split ' ', sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo background'});
	select undef, undef, undef, 0.2;
}
is(sql(q{SELECT count(*) > 0 FROM dynamo_data."Old"}), 't', '... and are not all gone');
cmp_ok(scalar keys %seen, '<=', 2, '... and processes do not come and go');
done_testing();

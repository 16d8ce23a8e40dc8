# A job whose process is ended by somebody, or by a restart of the server, loses no
# attempt, however often: a long one would have failed though nothing crashed.  A crash
# counts.  A function that catches the cancel does not keep its process.  By hand, who
# cancels the session begins the job again himself.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Pause;
use Server;

my $PATIENCE = 120;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
	  . "dynamo.export_file_size = 64kB\ndynamo_test.pause = job\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files/in") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop');
	INSERT INTO dynamo_data."Shop" (item)
	SELECT jsonb_build_object('id', i::text, 'text', md5(i::text) || md5(random()::text)) FROM generate_series(1, 10000) i});

# The transaction that stands still, and its process; another one than before.
my $before = '';

sub stands
{
	my ($when) = @_;
	my $now = '';
	wait_for(sub {
		$now = sql(q{SELECT a.xact_start, a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND NOT l.granted});
		return $now =~ /^\d.* \d+$/ && $now ne $before;
	}, $PATIENCE) or die "$when: no job stands still";
	$before = $now;
	return (split ' ', $now)[-1];
}

sub attempts { return sql('SELECT attempts FROM dynamo_internal.jobs ORDER BY number DESC LIMIT 1') }

sub end_process { my ($pid) = @_; return sql("SELECT pg_terminate_backend($pid)") }

# An export is one step, which begins anew each time.
hold_jobs();
like(sql(q{SELECT dynamo.export_table('Shop', 'files')}), qr{/export/}, 'an export');
foreach my $time (1 .. 6)
{
	my $pid = stands("time $time");
	is(attempts(), '1', "begun, time $time");
	end_process($pid);
}
foreach my $time (1 .. 2)
{
	stands("before restart $time");
	is(attempts(), '1', "begun before restart $time");
	server('halt') or die 'the server was not shut down';
	server('restart') or die 'the server did not start again';
}
stands('after restarts');
is(attempts(), '1', 'begun after restarts');

# What a crash has left stays.
server('crash') or die 'the server was not killed';
server('restart') or die 'the server did not start again';
my $pid = stands('after a crash');
is(attempts(), '2', 'a crash is an attempt');
end_process($pid);
$pid = stands('after a crash, and an end');
is(attempts(), '2', 'and stays one');

# By hand.
set('dynamo.job_workers', 0);
end_process($pid);
ok(wait_for(sub { sql(qq{SELECT count(*) FROM pg_stat_activity WHERE pid = $pid}) eq '0' }, $PATIENCE), 'no process is at it');
like(sql(q{SET statement_timeout = '1s'; CALL dynamo.run_jobs()}), qr/canceling statement due to statement timeout/, "cancelled by hand, time $_")
  foreach 1 .. 5;
is(attempts(), '1', 'which is no attempt');
let_jobs_go();
set('dynamo.job_workers', 2);
sql('CALL dynamo.run_jobs()');
is(sql('SELECT status FROM dynamo.jobs'), 'COMPLETED', 'it completes');

# A function that goes on when it is cancelled.
set('dynamo.grace_period', '1s');
sql(qq{COPY (SELECT '{"Item":{"id":{"S":"a"}}}') TO '$buckets/files/in/items.json'});
sql(q{
	CREATE TABLE public.go ();
	CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		WHILE NOT EXISTS (SELECT FROM public.go) LOOP
			BEGIN
				PERFORM pg_sleep(0.5);
			EXCEPTION WHEN query_canceled THEN
				NULL;
			END;
		END LOOP;
		RETURN NEW;
	END $$;
	CREATE TRIGGER wait BEFORE INSERT OR UPDATE ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.wait()});
like(sql(q{SELECT dynamo.bulk_put_items('Shop', 'files', 'in/')}), qr/./, 'a bulk operation');
ok(wait_for(sub { ($pid = sql(q{SELECT pid FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event = 'PgSleep'})) =~ /^\d+$/ }, $PATIENCE),
	'a function goes on');
end_process($pid);
ok(wait_for(sub { sql(qq{SELECT count(*) FROM pg_stat_activity WHERE pid = $pid}) eq '0' }, $PATIENCE), 'its process ends in spite of it');
sql('INSERT INTO public.go DEFAULT VALUES');
ok(wait_for(sub { sql('SELECT status FROM dynamo.jobs ORDER BY created_at DESC LIMIT 1') eq 'COMPLETED' }, $PATIENCE), 'another one goes on');
done_testing();

# Others want all processes while long requests wait: who waits is answered, and then
# the long worker leaves.  It once left after the request that it was at, and those
# behind it waited for half a minute, to be throttled.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use HttpClient;

my $PROCESSES = 8;
start_server("dynamo.http_workers = 1\ndynamo.http_long_workers = 1\nmax_worker_processes = $PROCESSES\n"
	  . "dynamo.ttl_interval = 0\nautovacuum = off\n");
my $alice = tenant('alice');
local $SIG{PIPE} = 'IGNORE';

sub long_workers { return sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) }
sub status { return call_as($alice, @_)->{status} // 'closed' }

# A batch so large that it is long: one item into a table, padded with blanks.
sub batch
{
	my ($table, $id) = @_;
	my $body = qq({"RequestItems":{"$table":[{"PutRequest":{"Item":{"id":{"S":"$id"}}}}]}});
	return $body . ' ' x (8000 - length $body);
}

# Processes that count against max_worker_processes.
sub processes
{
	return sql(q{SELECT count(*) FROM pg_stat_activity
		WHERE backend_type LIKE 'dynamo %' OR backend_type IN ('parallel worker', 'logical replication launcher')});
}

# One more query, which takes a process if there is one.
my @queries;
my $queries = q{FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'};

sub take_one
{
	my $before = @queries;
	push @queries, session(q{SELECT set_config(name, 'on', false) FROM pg_settings
		WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
		SELECT pg_sleep(600)});
	wait_for(sub { sql("SELECT count(*) $queries") > $before }) or die 'a query does not run';
	return;
}

sql(q{
	CREATE TABLE public.gate ();
	GRANT SELECT ON public.gate TO alice;
	GRANT CREATE ON SCHEMA public TO alice;
	SET ROLE alice;
	SELECT dynamo.create_table('Tab', 'id'), dynamo.create_table('Held', 'id');
	CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM public.gate) LOOP
			PERFORM pg_sleep(0.02);
		END LOOP;
		RETURN new;
	END $$;
	CREATE TRIGGER waits BEFORE INSERT ON dynamo_data."Held" FOR EACH ROW EXECUTE FUNCTION public.waits();
	RESET ROLE;
	INSERT INTO public.gate DEFAULT VALUES});

ok(wait_for(sub { long_workers() == 1 }), 'there is a long worker');
my $held = send_as($alice, 'BatchWriteItem', batch('Held', 'a'));
ok(wait_for(sub {
	sql(q{SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
		WHERE relation = 'public.gate'::regclass AND backend_type = 'dynamo http long worker'}) eq '1';
}), 'it is held');
my $waiting = send_as($alice, 'BatchWriteItem', batch('Tab', 'b'));
is(status('ListTables', '{}'), 200, 'short requests are answered');
ok(!IO::Select->new($waiting)->can_read(0), 'another long one waits');
ok(wait_for(sub { processes() >= $PROCESSES || (@queries < 20 && take_one(), 0) }), 'queries have all processes that are left');
sql('DELETE FROM public.gate');
is(receive($held)->{status}, 200, 'the long worker is free again');
is(receive($waiting, 20)->{status}, 200, 'and executes what has waited for it');
ok(wait_for(sub { long_workers() == 0 || (@queries < 20 && processes() < $PROCESSES && take_one(), 0) }), 'then it leaves');
is(status('BatchWriteItem', batch('Tab', 'c')), 200, 'a long request is executed without it');
sql("SELECT pg_terminate_backend(pid) $queries");
close $_ foreach @queries;
ok(wait_for(sub { long_workers() == 1 }), 'it comes back when there is room');
is(status('BatchWriteItem', batch('Tab', 'd')), 200, 'and serves');

# One that has met a lock is with its worker for a moment, and comes again: it is left to
# nobody, either.  It waits for five seconds at most, so one process is left to be taken.
@queries = ();
my $holder = in_transaction(q{BEGIN; SELECT dynamo.put_item('Tab', '{"id": "e"}')});
ok(wait_for(sub { processes() >= $PROCESSES - 1 || (@queries < 20 && take_one(), 0) }), 'queries have all processes but one');
my $again = send_as($alice, 'BatchWriteItem', batch('Tab', 'e'));
ok(wait_for(sub { processes() >= $PROCESSES || (@queries < 20 && take_one(), 0) }), '... and that');
sleep 0.3;
close $holder;
is(receive($again, 20)->{status}, 200, 'a request that waits for it is executed');
sql("SELECT pg_terminate_backend(pid) $queries");
close $_ foreach @queries;

done_testing();

# Nobody keeps the background processes for himself: not a query whose parallel
# workers have had all slots once, not a function that does not return, not the
# owner of databases that cannot be connected to, and not databases that have
# nothing to do: there is room for sixteen with assertions.  And what waits is not forgotten while nothing can be done.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;

# One slot is core's, one the launcher's, three are left.
start_server("shared_preload_libraries = dynamo\nmax_worker_processes = 5\n"
	  . "dynamo.ttl_interval = 0\ndynamo.handler_timeout = 0\n");

# How many processes does a database have?
sub processes
{
	my ($database) = @_;
	return sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background' AND datname = '$database'");
}

sub comes
{
	my ($database, $what) = @_;
	return ok(wait_for(sub { processes($database) > 0 }, $PATIENCE), $what);
}

sub recover
{
	my ($database) = @_;
	return sql(q{CREATE EXTENSION dynamo; SELECT FROM dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop', 7)}, $database);
}

# A function that does not return before somebody says so.
recover('postgres');
sql(q{
	CREATE TABLE public.go ();
	CREATE FUNCTION public.wait(event jsonb) RETURNS void LANGUAGE plpgsql AS
	$$BEGIN WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(0.1); END LOOP; END$$;
	SELECT FROM dynamo.enable_stream('Shop');
	SELECT FROM dynamo.create_event_source_mapping('Shop', 'public.wait')});
comes('postgres', 'a database has a process');

# The entries of processes that are gone look as if they were there.
my $plan = sql(q{
	CREATE TABLE public.many AS SELECT i FROM generate_series(1, 100000) i;
	ALTER TABLE public.many SET (parallel_workers = 4);
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 4; SET max_parallel_workers = 4;
	EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT count(*) FROM public.many});
like($plan, qr/Workers Launched: [1-9]/, 'a query takes the slots that are free');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "1"}')});
ok(wait_for(sub { processes('postgres') == 2 }, $PATIENCE), 'later one of them goes to a second process, since a function keeps the first');

# A process that does not leave is not the only one that is told to.
sql("CREATE DATABASE $_") foreach qw(two three four);
recover($_) foreach qw(two three four);

# One that could not be connected to comes later, but it comes.  Who is there already
# is ended, and others are sent each second.
my $lock = session('BEGIN; REINDEX TABLE pg_class', undef, 'three');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 2662 AND mode = 'AccessExclusiveLock' AND granted}) > 0 }, $PATIENCE), 'database three is locked');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo background' AND datname = 'three'});
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { log_has(qr/could not visit database "three"/) }, $PATIENCE), '... and cannot be connected to');
set('dynamo.ttl_interval', 0);
close $lock;
foreach my $round (1 .. 2)
{
	foreach my $database (qw(two three four))
	{
		# who has nothing to do leaves, so there is always something
		ok(wait_for(sub { sql(q{SELECT dynamo.put_item('Shop', '{"id": "1"}')}, $database); processes($database) > 0 }, $PATIENCE),
			"database $database has its turn beside a function that does not return");
	}
}
sql('INSERT INTO public.go DEFAULT VALUES');

# While nothing can be written nothing is tried, and nothing is forgotten.
sql("DROP DATABASE $_") foreach qw(three four);
set('default_transaction_read_only', 'on');
ok(wait_for(sub { processes('postgres') + processes('two') == 0 }, $PATIENCE), 'where all is read-only no process stays');
set('default_transaction_read_only', 'off');
comes($_, "then database $_ has one again") foreach qw(postgres two);
sql('ALTER DATABASE two ALLOW_CONNECTIONS false');
sleep 4;
sql('ALTER DATABASE two ALLOW_CONNECTIONS true');
comes('two', 'a database that was closed has one, too');
sql('DROP DATABASE two');
sql('DROP EXTENSION dynamo CASCADE');

# A database with an item that is to go.
sub expire
{
	my ($database) = @_;
	sql("CREATE DATABASE $database");
	return sql(q{CREATE EXTENSION dynamo; SELECT FROM dynamo.create_table('Session', 'id'), dynamo.enable_ttl('Session', 'ttl');
		SELECT dynamo.put_item('Session', jsonb_build_object('id', 'old', 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item)}, $database);
}

sub expires
{
	my ($database, $what) = @_;
	return ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.scan('Session')}, $database) eq '0' }, $PATIENCE), $what);
}

# Databases that cannot be connected to; four keep two places for ever.
my @locks;
foreach my $n (1 .. 4)
{
	sql("CREATE DATABASE locked$n");
	push @locks, session('BEGIN; REINDEX TABLE pg_class', undef, "locked$n");
}
ok(wait_for(sub { sql(q{SELECT count(DISTINCT database) FROM pg_locks WHERE relation = 2662 AND mode = 'AccessExclusiveLock' AND granted}) == 4 }, $PATIENCE),
	'four databases are locked');
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { 4 == grep { log_has(qr/could not visit database "locked$_": it could not be connected to in time/) } 1 .. 4 }, $PATIENCE), 'none of them can be connected to');
expire('open');
expires('open', 'one that can be connected to is visited beside them');
ok(wait_for(sub { log_has(qr/WARNING: .*dynamo is late in database "locked\d": maintenance has waited for \d+ s/) }, $PATIENCE), 'the log says what has waited for long');
close $_ foreach @locks;
sql("DROP DATABASE locked$_ WITH (FORCE)") foreach 1 .. 4;

# More databases than there is room for.
sql('CREATE DATABASE idle0');
sql('CREATE EXTENSION dynamo', 'idle0');
sql('ALTER DATABASE idle0 ALLOW_CONNECTIONS false');
sql("CREATE DATABASE idle$_ TEMPLATE idle0") foreach 1 .. 16;
expire('last');
expires('last', 'databases without work do not keep the room of one that has some');
done_testing();

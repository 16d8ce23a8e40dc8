# Attacker: a role that owns event source mappings, runs them by hand in one
# session and deletes or loses them in another.
# Wants: that a process crashes, and the server with it; or that others lose
# the positions of their mappings.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\n"
	  . "dynamo.handler_interval = 50ms\n");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id'), dynamo.enable_stream('Source');
	CREATE ROLE keeper;
	CREATE ROLE leaver;
	GRANT SELECT ON dynamo_data."Source" TO keeper, leaver;
	GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO keeper, leaver;
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS '';
});

sub create
{
	my ($role) = @_;
	return sql("SET ROLE $role; SELECT dynamo.create_event_source_mapping('Source', 'see', enabled => false)");
}

# Deleted after it was found to be there, before it runs: what finds its stream
# waits for the lock, so that the moment is hit.
my $mapping = create('postgres');
my $deleter = session('BEGIN; LOCK TABLE dynamo.streams IN ACCESS EXCLUSIVE MODE');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo.streams'::regclass AND granted}) eq '1' }),
	'the streams are locked');
my $runner = session("SELECT dynamo.run_event_source_mapping($mapping)");
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo.streams'::regclass AND NOT granted}) eq '1' }),
	'a run waits');
print $deleter "SELECT dynamo.delete_event_source_mapping($mapping); COMMIT;\n";
close $deleter;
close $runner;
is(sql('SELECT 1'), '1', 'the server lives');
ok(!log_has(qr/terminated by signal/), 'no process has crashed');

# A role that is renamed is not gone: it finds its mapping when it has its name
# again.  One that is dropped is.
my $kept = create('keeper');
my $lost = create('leaver');
sql('ALTER ROLE keeper RENAME TO another; DROP OWNED BY leaver; DROP ROLE leaver');
ok(wait_for(sub { sql("SELECT count(*) FROM dynamo_internal.event_sources WHERE mapping = $lost") eq '0' }, 120),
	'the mapping of a role that is dropped goes');
is(sql("SELECT count(*) FROM dynamo_internal.event_sources WHERE mapping = $kept"), '1', 'that of a role that is renamed stays');
like(sql("CREATE ROLE keeper; SET ROLE keeper; SELECT dynamo.run_event_source_mapping($kept)"), qr/must be owner/,
	'another role of its name does not get it');
is(sql("DROP ROLE keeper; ALTER ROLE another RENAME TO keeper; SET ROLE keeper; SELECT dynamo.run_event_source_mapping($kept)"),
	'0', 'it has it again');
done_testing();

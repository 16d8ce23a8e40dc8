# The attacker is a tenant: mallory has a key, and a table whose trigger takes as
# long as she likes.  She sends many long requests, which are executed by
# processes that all roles share.  She wants all of these, the memory in which
# requests wait, or a process for ever.  A stranger without a key tries, too.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use lib dirname(__FILE__);
use Trap;

start_server("dynamo.http_workers = 2\nmax_worker_processes = 16\n"
	  . "dynamo.http_request_timeout = 10min\ndynamo.grace_period = 300ms\n");
my $mallory = tenant('mallory');
my $alice = tenant('alice');
make_pipe();

sub batch
{
	my ($table, $id, $size) = @_;
	my $body = qq({"RequestItems":{"$table":[{"PutRequest":{"Item":{"id":{"S":"$id"}}}}]}});
	return $body . ' ' x (($size || 8000) - length $body);
}
sub get { return qq({"TableName":"$_[0]","Key":{"id":{"S":"$_[1]"}}}) }
sub status { return call_as(@_)->{status} // 'closed' }

# The users whose requests the long workers execute.
sub users
{
	return sql(q{SELECT coalesce(string_agg(usename, ' ' ORDER BY usename), '') FROM pg_stat_activity
		WHERE backend_type = 'dynamo http long worker' AND state = 'active'});
}

# Dynamic shared memory that the HTTP server's processes have, in bytes.
sub shared_memory
{
	my %size;
	foreach my $pid (split ' ', sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type LIKE 'dynamo http%'}))
	{
		open(my $maps, '<', "/proc/$pid/maps") or next;
		no warnings 'portable';
		/^(\w+)-(\w+) .*(\/dev\/shm\/PostgreSQL\.\d+)$/ and $size{$3} = hex($2) - hex($1) foreach <$maps>;
	}
	my $sum = 0;
	$sum += $_ foreach values %size;
	return $sum;
}

sql(q{
	CREATE TABLE public.gate ();
	CREATE TABLE public.nothing (nothing text);
	CREATE FUNCTION public.hangs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		EXECUTE format('COPY public.nothing FROM %L', current_setting('data_directory') || '/pipe');
		RETURN new;
	END $$;
	GRANT SELECT ON public.gate TO mallory;
	GRANT CREATE ON SCHEMA public TO mallory;
	SET ROLE alice;
	SELECT dynamo.create_table('Shop', 'id');
	SET ROLE mallory;
	SELECT dynamo.create_table('Slow', 'id'), dynamo.create_table('Trap', 'id'), dynamo.create_table('Hang', 'id');
	CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM public.gate) LOOP
			PERFORM pg_sleep(0.02);
		END LOOP;
		RETURN new;
	END $$;
	CREATE TRIGGER waits BEFORE INSERT ON dynamo_data."Slow" FOR EACH ROW EXECUTE FUNCTION public.waits();
	CREATE TRIGGER hangs BEFORE INSERT ON dynamo_data."Hang" FOR EACH ROW EXECUTE FUNCTION public.hangs();
} . $CLINGS . q{
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap" FOR EACH ROW EXECUTE FUNCTION public.clings()});

# -- all long workers ---------------------------------------------------------

# Alice has been here.  So one long worker is kept from mallory.
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) eq '2' }),
	'two long workers are there');
is(status($alice, 'BatchWriteItem', batch('Shop', 'a')), 200, 'alice sends a long request');
sql('INSERT INTO public.gate DEFAULT VALUES');
my @hers = map { send_as($mallory, 'BatchWriteItem', batch('Slow', $_)) } 1 .. 8;
ok(wait_for(sub { users() eq 'mallory' }), 'mallory gets a long worker');
my @failed = grep { status($alice, 'BatchWriteItem', batch('Shop', $_)) ne '200' } 1 .. 20;
is("@failed", '', 'alice is served all along');
is(users(), 'mallory', 'mallory has one, and her other requests wait');
ok(!IO::Select->new(@hers)->can_read(0), 'unanswered');

# -- the memory in which requests wait ----------------------------------------

# A hundred megabytes and more of bodies; there is room for half of the 128 MB,
# and the rest waits in the workers' own memory, as before.
my $before = shared_memory();
my @large = map { send_as($mallory, 'BatchWriteItem', batch('Slow', "l$_", 12_000_000)) } 1 .. 12;
ok(wait_for(sub { shared_memory() - $before > 50_000_000 }), 'mallory fills her half');
is(status($alice, 'GetItem', get('Shop', 'a')), 200, 'alice is served');
is(status($alice, 'BatchWriteItem', batch('Shop', 'l', 15_000_000)), 200, 'and has room for a large request');
# What alice's request was in is kept for a second.
ok(wait_for(sub { shared_memory() - $before <= 68_000_000 }), 'mallory has no more than that');

# -- strangers ----------------------------------------------------------------

# With all long workers held, who is answered at once has never waited for one.
my $held = send_as($alice, 'BatchWriteItem', batch('Shop', 'x'));
my %stranger = (key => 'AKIASTRANGERSTRANGER', secret => 'x');
my $in_use = shared_memory();
foreach my $size (8000, 15_000_000)
{
	my $r = call_as(\%stranger, 'BatchWriteItem', batch('Shop', 's', $size));
	like($r->{body}, qr/UnrecognizedClientException/, "a stranger's request of $size bytes is refused");
	$r = call_as({ %$mallory, secret => 'wrong' }, 'BatchWriteItem', batch('Shop', 's', $size));
	like($r->{body}, qr/InvalidSignatureException/, 'so is one with a wrong signature');
}
cmp_ok(shared_memory(), '<=', $in_use, 'and is not kept in shared memory');
is(receive($held)->{status}, 200, "alice's was answered");

# What waits goes when its connection does, or comes to its end.
close $_ foreach splice @large;
sql('DELETE FROM public.gate');
is(join(' ', map { receive($_)->{status} // 'closed' } @hers), join(' ', (200) x 8), 'her requests are executed in the end');
ok(wait_for(sub { shared_memory() - $before < 1_000_000 }, 120), 'and no memory stays');

# -- shares -------------------------------------------------------------------

# Long requests count for the share as others do.
set('dynamo.http_workers_per_role', 1);
sql('INSERT INTO public.gate DEFAULT VALUES');
@hers = map { send_as($mallory, 'BatchWriteItem', batch('Slow', "r$_")) } 1 .. 2;
ok(wait_for(sub { users() eq 'mallory' }), 'mallory has one long worker');
like(call_as($mallory, 'GetItem', get('Slow', 'a'))->{body}, qr/ThrottlingException/, 'with a limit of one that is all she has');
is(status($alice, 'GetItem', get('Shop', 'a')), 200, 'alice has hers');
sql('DELETE FROM public.gate');
receive($_) foreach @hers;
sql('ALTER SYSTEM RESET dynamo.http_workers_per_role; SELECT pg_reload_conf()');

# -- a process for ever -------------------------------------------------------

# Who catches cancels loses the process, and is refused from then on.
set('dynamo.http_request_timeout', '300ms');
my $clings = send_as($mallory, 'BatchWriteItem', batch('Trap', 'a'));
ok(reported(qr/WARNING:  57014: dynamo had to end a worker that could not be cancelled: BatchWriteItem of table "Trap"/),
	'a long worker that cannot be cancelled is ended');
is(receive($clings)->{status}, undef, 'its client loses its connection');
ok(wait_for(sub { status($mallory, 'BatchWriteItem', batch('Trap', 'a')) eq '503' }), 'the like is refused');
is(status($alice, 'BatchWriteItem', batch('Shop', 'c')), 200, 'alice is served');

# Who never looks for interrupts keeps the process, but not its place.
my $hangs = send_as($mallory, 'BatchWriteItem', batch('Hang', 'a'));
ok(reported(qr/WARNING:  57014: dynamo has lost a worker that could not be ended: BatchWriteItem of table "Hang"/),
	'a long worker that cannot be ended is lost');
is(receive($hangs)->{status}, undef, 'its client is let go');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) eq '3' }),
	'another takes its place');
@failed = grep { status($alice, 'BatchWriteItem', batch('Shop', $_)) ne '200' } 1 .. 10;
is("@failed", '', 'alice is served');
let_go();
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) eq '2' }),
	'when it can, the process ends');
is(status($alice, 'BatchWriteItem', batch('Shop', 'z')), 200, 'and leaves everything as it was');

done_testing();

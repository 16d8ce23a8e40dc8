# The attacker is a tenant whose table calls something that waits and never
# looks for interrupts: a library of somebody's, here a read from a pipe that
# nobody writes to, by a function of the superuser's.  He wants the workers for
# ever.
#
# Nothing can end such a process but what would crash the server.  It keeps its
# process, but neither its place among the workers nor its clients.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use lib dirname(__FILE__);
use Trap;

start_server("dynamo.http_workers = 2\n"
	  . "dynamo.http_request_timeout = 2s\ndynamo.grace_period = 300ms\n");
my $mallory = tenant('mallory');
my $alice = tenant('alice');

make_pipe();

sub put { return qq({"TableName":"$_[0]","Item":{"id":{"S":"a"}}}) }
sub status { return call_as(@_)->{status} // 'closed' }
sub lost { return sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'}) - 2 }

# Does the server close this within so many seconds?
sub is_closed
{
	my ($socket, $seconds) = @_;
	return IO::Select->new($socket)->can_read($seconds) && !sysread($socket, my $byte, 1);
}

sub listening
{
	my ($port) = @_;
	my $hex = sprintf '%04X', $port;
	open(my $tcp, '<', '/proc/net/tcp') or die;
	return scalar grep { /^\s*\d+: \w+:$hex \w+:0000 0A / } <$tcp>;
}

sql(q{
	CREATE TABLE public.nothing (nothing text);
	CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		EXECUTE format('COPY public.nothing FROM %L', current_setting('data_directory') || '/pipe');
		RETURN new;
	END $$;
	SET ROLE alice;
	SELECT dynamo.create_table('Shop', 'id');
	SET ROLE mallory;
	SELECT dynamo.create_table('Trap', 'id'), dynamo.create_table('Trap2', 'id');
	CREATE TRIGGER waits BEFORE INSERT ON dynamo_data."Trap"
	FOR EACH ROW EXECUTE FUNCTION public.waits();
	CREATE TRIGGER waits BEFORE INSERT ON dynamo_data."Trap2"
	FOR EACH ROW EXECUTE FUNCTION public.waits()});

# The client whose request it is, and others of the same worker.
my @idle = map { my $s = connection(); call_as($alice, 'ListTables', '{}', $s); $s } 1 .. 20;
my $hers = send_as($mallory, 'PutItem', put('Trap'));
ok(reported(qr/WARNING:  57014: dynamo had to end a worker that could not be cancelled: PutItem of table "Trap"/),
	'the worker is told to end');
ok(reported(qr/WARNING:  57014: dynamo has lost a worker that could not be ended: PutItem of table "Trap"/),
	'it does not, and is lost');
ok(is_closed($hers, 120), 'its client is let go');
my @closed;
ok(wait_for(sub { @closed = grep { is_closed($_, 0) } @idle }), 'so are the others');
cmp_ok(scalar(@closed), '<', scalar(@idle), 'but those of the other worker');
ok(wait_for(sub { lost() == 1 }), 'another takes its place');
ok(wait_for(sub { listening(port()) == 2 }), 'two take clients');
my @failed = grep { status($alice, 'PutItem', put('Shop')) ne '200' } 1 .. 40;
is("@failed", '', 'and alice is served on each connection');
is(status($mallory, 'PutItem', put('Trap')), '503', 'the table is refused to mallory');

# However long it takes: the refusal alone, of as long as it took, would be over by now.
sleep 4;
is(status($mallory, 'PutItem', put('Trap')), '503', 'and goes on to be');

# A reload that stops all workers does not wait for those that do not stop, be
# they lost or on the way to it.
sql('ALTER SYSTEM SET dynamo.http_request_timeout = 0; SELECT pg_reload_conf()');
my $others = send_as($mallory, 'PutItem', put('Trap2'));
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http worker' AND state = 'active'}) eq '2' }),
	'another worker is held, and nothing will cancel that');
sql('ALTER SYSTEM SET dynamo.http_workers = 1; SELECT pg_reload_conf()');
ok(wait_for(sub { lost() == 1 }), 'a reload finds a new worker');
ok( wait_for(sub { (call_as($alice, 'PutItem', put('Shop'))->{status} // '') eq '200' }), 'that serves');

# What it calls returns.
sql(q{CREATE OR REPLACE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'});
let_go();
ok(wait_for(sub { lost() == -1 }), 'when they can, the processes end');
ok(wait_for(sub { status($mallory, 'PutItem', put('Trap')) eq '200' }), 'and after a while the table is served');

done_testing();

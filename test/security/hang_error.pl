# The attacker is a tenant whose table calls something that waits, looks for no
# interrupts, and at last fails: a foreign server that goes away, here a read
# from a pipe, of a line that COPY refuses.  She sends such a request as a long
# one.  Its process has been lost by then and has given the request back.  She
# wants it to answer once more, and the server to crash.  Then she tries a short
# request, which has its worker's clients closed.
use strict;
use warnings;
use Fcntl qw(O_RDWR);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use Server qw(directory);
use lib dirname(__FILE__);
use Trap;

start_server("dynamo.http_workers = 1\nmax_worker_processes = 16\n"
	  . "dynamo.http_request_timeout = 2s\ndynamo.grace_period = 300ms\n");
my $mallory = tenant('mallory');
make_pipe();

# With a writer the pipe can be opened; who reads waits for it to fill, or close.
my $pipe;
sub hold
{
	sysopen($pipe, directory() . '/data/pipe', O_RDWR) or die "pipe: $!";
	return;
}
sub let_fail
{
	syswrite($pipe, "two\tcolumns\n");
	close $pipe;
	return;
}

sub batch
{
	my ($table) = @_;
	my $body = qq({"RequestItems":{"$table":[{"PutRequest":{"Item":{"id":{"S":"a"}}}}]}});
	return $body . ' ' x (8000 - length $body);
}

sub pids
{
	return split ' ',
	  sql(qq{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http $_[0]' ORDER BY pid});
}

# Is one of these gone?
sub gone
{
	my ($kind, @before) = @_;
	my %is = map { $_ => 1 } pids($kind);
	return grep { !$is{$_} } @before;
}

sub checkpointer { return sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'}) }

sql(q{
	CREATE TABLE public.nothing (nothing text);
	CREATE FUNCTION public.fails() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		EXECUTE format('COPY public.nothing FROM %L', current_setting('data_directory') || '/pipe');
		RETURN new;
	END $$;
	SET ROLE mallory;
	SELECT dynamo.create_table('Shop', 'id'), dynamo.create_table('Fail', 'id'), dynamo.create_table('Short', 'id');
	CREATE TRIGGER fails BEFORE INSERT ON dynamo_data."Fail" FOR EACH ROW EXECUTE FUNCTION public.fails();
	CREATE TRIGGER fails BEFORE INSERT ON dynamo_data."Short" FOR EACH ROW EXECUTE FUNCTION public.fails()});
ok(wait_for(sub { pids('long worker') == 2 }), 'two long workers are there');
my $checkpointer = checkpointer();

hold();
my @before = pids('long worker');
my $long = send_as($mallory, 'BatchWriteItem', batch('Fail'));
ok(reported(qr/dynamo has lost a worker that could not be ended: BatchWriteItem of table "Fail"/),
	'a long worker is lost');
let_fail();
ok(wait_for(sub { gone('long worker', @before) }), 'it ends when it can');
is(checkpointer(), $checkpointer, 'without a crash');
ok(wait_for(sub { pids('long worker') == 2 }), 'another takes its place');
is(call_as($mallory, 'BatchWriteItem', batch('Shop'))->{status}, 200, 'and long requests are executed');

hold();
@before = pids('worker');
my $short = send_as($mallory, 'PutItem', '{"TableName":"Short","Item":{"id":{"S":"a"}}}');
ok(reported(qr/dynamo has lost a worker that could not be ended: PutItem of table "Short"/),
	'a worker is lost');
let_fail();
ok(wait_for(sub { gone('worker', @before) }), 'it ends when it can');
is(checkpointer(), $checkpointer, 'without a crash');

done_testing();

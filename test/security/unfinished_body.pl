# Bodies that never end.
#
# Attacker: anyone who reaches the port, without a key.  He begins many large
# requests and finishes none.  He wants the memory for bodies, so that there is
# none for anybody else, or connections and memory for as long as he likes.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $mega = 1024 * 1024;
my $pool = 256;    # megabytes for the bodies of a worker
my $most = 16;     # megabytes of a body

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql('CREATE EXTENSION dynamo');
ok(wait_for(sub { connection() }), 'the port is served');
my ($worker) = worker_pids();
local $SIG{PIPE} = 'IGNORE';

sub memory
{
	open(my $status, '<', "/proc/$worker/status") or die;
	my ($kb) = join('', <$status>) =~ /^VmRSS:\s+(\d+)/m;
	return $kb / 1024;
}

# A connection with a request whose body has begun.
sub begin
{
	my ($promised, $sent) = @_;
	my $socket = connection() or die;
	print $socket "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n"
	  . "Content-Length: $promised\r\n\r\n", $sent;
	$socket->flush;
	return $socket;
}

# What is promised costs nothing.
my $before = memory();
my @waiting = map { begin($most * $mega, '{}') } 1 .. 100;
is(call('ListTables', '{}')->{status}, 200, 'served beside promises of 1.6 GB');
cmp_ok(memory() - $before, '<', 16, 'which take no memory');

# What is sent does.  All but a byte of more bodies than there is memory for:
my $body = '{}' . ' ' x ($most * $mega - 2);
my $number = $pool / $most + 5;
my @unfinished = map { begin($most * $mega, substr $body, 1) } 1 .. $number;

# others are served as ever, with small bodies and with large ones,
is(call('ListTables', '{}')->{status}, 200, 'a small body is taken');
is(call('ListTables', $body)->{status}, 200, 'and so is a large one');
cmp_ok(memory() - $before, '<', $pool + 40, "the bodies of all take $pool MB");

# those that began first have given way, and are told so,
foreach my $n (0, 1)
{
	is(ask(' ', $unfinished[$n])->{status}, 503, 'who came early has to try again');
}

# and the last can go on.
is(ask(' ', $unfinished[-1])->{status}, 400, 'who came late is served');
(@waiting, @unfinished) = ();
ok(wait_for(sub { memory() - $before < $pool / 2 }), 'memory is given back');

# However busy a client is, a request has to be complete in time.
sql('ALTER SYSTEM SET authentication_timeout = 1; SELECT pg_reload_conf()');
ok(wait_for(sub { sql('SHOW authentication_timeout') eq '1s' }), 'time is short');
my %slow = map { $_ => connection() } "Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8\r\n", 'X-Long: ';
foreach (keys %slow)
{
	print { $slow{$_} } "POST / HTTP/1.1\r\nHost: x\r\n$_";
	$slow{$_}->flush;
}
wait_for(sub {
	foreach (keys %slow)
	{
		syswrite $slow{$_}, 'x';
		delete $slow{$_} if IO::Select->new($slow{$_})->can_read(0.03) && !sysread $slow{$_}, my $answer, 1000;
	}
	return !keys %slow;
});
is(join('', sort keys %slow), '', 'who sends a byte at a time is cut off');
is(call('ListTables', '{}')->{status}, 200, 'the server goes on');
my $kept = connection();
is(call('ListTables', '{}', {}, $kept)->{status}, 200, 'a connection is kept');
sleep 2;
is(call('ListTables', '{}', {}, $kept)->{status}, 200, 'and may be idle between requests');
is((worker_pids())[0], $worker, 'all by one worker');

done_testing();

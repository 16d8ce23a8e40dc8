# Attacker: anybody who reaches the port.
# Wants: the worker to use a connection that is gone.  The library forgets to
# say that a request has ended, when its first line takes all memory of the
# connection: libmicrohttpd 0.9.75 gives up the connection when a query string
# has more arguments than it can list.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

# What is freed is overwritten, so that its use shows.
$ENV{MALLOC_PERTURB_} = 165;
start_server("dynamo.http_workers = 1\nauthentication_timeout = 3s\n");
sql('CREATE EXTENSION dynamo');
wait_for(sub { connection() }) or die 'nothing is served';
my ($worker) = worker_pids();

# Over and over: some of these leave no room for an answer either.
my $line = 'POST /?' . '&' x 3000 . " HTTP/1.1\r\nHost: x\r\n\r\n";
for my $n (1 .. 40)
{
	my $socket = connection() or next;
	print $socket substr($line, 0, 200 + 75 * $n), " HTTP/1.1\r\nHost: x\r\n\r\n";
	$socket->flush;
	receive($socket, 1);
}
# Their time is over now, and the worker looks for who is late.
sleep 4;
is(call('ListTables', '{}')->{status}, 400, 'others are answered');
sleep 1;
is(call('ListTables', '{}')->{status}, 400, '... and later, too');
is(join(' ', worker_pids()), $worker, 'by the same worker');
done_testing();

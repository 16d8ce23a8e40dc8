# Two answers to one request.
#
# Attacker: a client behind a proxy whose connections to the server serve
# others, too.  He owns nothing.  He wants the server to answer twice, so that
# somebody else is given the second answer.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql('CREATE EXTENSION dynamo');
ok(wait_for(sub { connection() }), 'the port is served');
local $SIG{PIPE} = 'IGNORE';

my $head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n";

# All that comes until the server closes, as a list of the statuses in it.
sub statuses
{
	my ($socket, $bytes) = @_;
	print $socket $bytes;
	$socket->flush;
	my $all = '';
	1 while IO::Select->new($socket)->can_read(10) && sysread $socket, $all, 65536, length $all;
	return join ' ', $all =~ m{HTTP/1\.1 (\d+)}g;
}

# Lengths that are none.
foreach my $length ('+2', '-2', '0x2', '2x', '', '2, 2', '2 2', "2\t2", 'two')
{
	is(statuses(connection(), "${head}Content-Length: $length\r\n\r\n{}"), '400', "Content-Length: '$length'");
}
is(statuses(connection(), "${head}Content-Length: 18446744073709551616\r\n\r\n{}"), '413', 'too great a length');

# Behind a request that is served, and with another behind it.
my $served = "${head}Content-Length: 2\r\n\r\n{}";
is(statuses(connection(), "$served${head}Content-Length: +2\r\n\r\n{}$served"), '200 400', 'in the middle');

# While others send theirs, of which some are as bad.
my ($good, @bad) = map { connection() } 1 .. 4;
syswrite $good, "${head}Content-Length: 2\r\n";
foreach (@bad)
{
	syswrite $_, "${head}Content-Length: +2\r\nX: y\r\n";
	is(call('ListTables', '{}')->{status}, 200, 'which are read');
}
is(statuses($bad[$_], "\r\n{}"), '400', 'one that is bad') foreach 1, 0, 2;
is(ask("\r\n{}", $good)->{status}, 200, 'the good one');

# What else is refused before it is a request.
my %others = (
	'a long header'       => "${head}X: " . 'x' x 60_000 . "\r\n\r\n",
	'a long path'         => 'GET /' . 'x' x 60_000 . " HTTP/1.1\r\n\r\n",
	'no chunk'            => "${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
	'too large a chunk'   => "${head}Transfer-Encoding: chunked\r\n\r\n" . 'f' x 17 . "\r\n{}\r\n",
	'a bad last header'   => "${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx\r\n\r\n",
	'a line of no header' => "${head}x\r\n\r\n",
	'another version'     => "GET / HTTP/2.0\r\n\r\n");
like(statuses(connection(), $others{$_}), qr/\A[45]\d\d\z/, "once: $_") foreach sort keys %others;

done_testing();

# Who: anybody who can reach the port.
# Owns: a connection.  Wants: that two readers of one byte stream disagree on
# where a request ends, so that a request of his runs as somebody else's, or the
# worker loops or dies.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql('CREATE EXTENSION dynamo');
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');
my ($worker) = worker_pids();

my $head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n";
my $hidden = "POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.DeleteTable\r\nContent-Length: 2\r\n\r\n{}";
my %request = (
	'two lengths' => "${head}Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}$hidden",
	'a length and chunks' => "${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n$hidden",
	'a length below zero' => "${head}Content-Length: -1\r\n\r\n$hidden",
	'a length with a sign' => "${head}Content-Length: +2\r\n\r\n{}$hidden",
	'a length that overflows' => "${head}Content-Length: 18446744073709551618\r\n\r\n{}$hidden",
	'a length in hex' => "${head}Content-Length: 0x2\r\n\r\n{}$hidden",
	'a chunk below zero' => "${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n$hidden",
	'a chunk that overflows' => "${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n",
	'an unknown coding' => "${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n$hidden",
	'a folded header' => "${head}X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
	'a header without a colon' => "${head}nonsense\r\nContent-Length: 2\r\n\r\n{}",
	'a blank before the colon' => "${head}Content-Length : 2\r\n\r\n{}",
	'a NUL in a header' => "${head}X: a\0b\r\nContent-Length: 2\r\n\r\n{}",
	'no version' => "POST /\r\n\r\n",
	'bytes that are no HTTP' => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc" x 20);
foreach my $name (sort keys %request)
{
	my $socket = connection();
	my $first = ask($request{$name}, $socket);
	my $second = defined $first->{status} ? receive($socket, 1) : {};
	my $refused = !defined $first->{status} || $first->{status} >= 400;
	ok($refused || !defined $second->{status}, "$name: one request, or none")
	  or diag "$first->{status}, then " . ($second->{body} // '');
	unlike(($second->{body} // ''), qr/TableName/, "$name: what follows is not run");
}
is(join(',', worker_pids()), $worker, 'the worker is the one of the beginning');
is(call('ListTables', '{}')->{body}, '{"TableNames":[]}', 'and serves');

done_testing();

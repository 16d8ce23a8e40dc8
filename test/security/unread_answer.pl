# Answers that nobody reads.
#
# Attacker: a role with a key and a table.  He asks for much on many connections
# and reads nothing.  He wants the memory of the machine, and that for bodies, so
# that there is none for anybody else.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_RCVBUF inet_aton pack_sockaddr_in);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $most = 16 * 1024 * 1024;    # bytes of a body; there is memory for 16 of them

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Tab', 'id');
	SELECT dynamo.put_item('Tab', jsonb_build_object('id', i::text, 'a', repeat('x', 300000))::dynamo.item) FROM generate_series(1, 20) i;
});
ok(wait_for(sub { connection() }), 'the port is served');
local $SIG{PIPE} = 'IGNORE';

# A connection whose client has little room for an answer of 6 MB, and a request
# of so many bytes.
sub begin
{
	my ($size) = @_;
	my $body = '{"RequestItems":{"Tab":{"Keys":[' . join(',', map { qq({"id":{"S":"$_"}}) } 1 .. 20) . ']}}}';
	my $socket = IO::Socket::INET->new(Proto => 'tcp') or die;
	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 4096;
	$socket->connect(pack_sockaddr_in(port(), inet_aton('127.0.0.1'))) or die;
	$body .= ' ' x ($size - length $body);
	print $socket "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.BatchGetItem\r\n"
	  . "Content-Length: $size\r\n\r\n$body";
	$socket->flush;
	return $socket;
}

# Bodies: the memory of those that are answered serves others.
my @sockets = map { begin($most) } 1 .. 17;
my $line = readline $sockets[-1];
like($line, qr{^HTTP/1.1 200 }, 'the last of many large requests is served');

# Answers: with 300 MB of them, the oldest give way, and no other.
push @sockets, map { begin(1000) } 1 .. 33;
ok(wait_for(sub { IO::Select->new(@sockets)->can_read(0) == @sockets }, 120), 'all of them are answered');
cmp_ok(read($sockets[0], my $first, 6_000_000), '<', 6_000_000, 'the first was cut off');
is(read($sockets[-1], my $last, 6_000_000), 6_000_000, 'the last is there');
is(call('ListTables', '{}')->{status}, 200, 'the server goes on');

done_testing();

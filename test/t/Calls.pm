# PostgreSQL's protocol, as far as it takes to speak to a session that executes calls:
# dynamo_internal.serve_calls().
package Calls;

use strict;
use warnings;
use Exporter qw(import);
use IO::Socket::UNIX;

our @EXPORT = qw(message call_of say_to next_message begin_session);

my $patience = 60;

# A message: type, length, content.
sub message { my ($type, $content) = @_; return $type . pack('N', 4 + length $content) . $content }
sub call_of { my ($operation, $request) = @_; return message('d', "$operation\0$request") }
sub say_to { my ($socket, $bytes) = @_; $socket->print($bytes); $socket->flush(); return }

sub take
{
	my ($socket, $n) = @_;
	my $bytes = '';
	local $SIG{ALRM} = sub { die "no message came\n" };
	alarm $patience;
	while (length $bytes < $n)
	{
		$socket->sysread($bytes, $n - length $bytes, length $bytes) or do { alarm 0; return };
	}
	alarm 0;
	return $bytes;
}

# The next message but notices and settings, as type and content; an empty type at the
# end of the connection.
sub next_message
{
	my ($socket) = @_;
	for (;;)
	{
		my $head = take($socket, 5) // return ('');
		my ($type, $len) = unpack 'aN', $head;
		my $content = take($socket, $len - 4);
		return ($type, $content) unless $type =~ /[NSRK]/;
	}
}

# A session of a server, by its environment.  Its first message has not been received.
sub begin_session
{
	my ($env, $role, $database, $options) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => "$env->{PGHOST}/.s.PGSQL.$env->{PGPORT}") or die "$env->{PGHOST}: $!";
	my $start = pack('N', 196608) . join '', map { "$_\0" } 'user', $role, 'database', $database, 'options', $options // '', '';
	say_to($socket, pack('N', 4 + length $start) . $start);
	return $socket;
}

1;

# A private server that serves HTTP, and a client of plain sockets for it.
#
# The tests speak to the server byte by byte: what they send is often nothing
# that a library would agree to send.
package HttpClient;

use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use Exporter qw(import);
use File::Basename qw(dirname);
use IO::Select;
use IO::Socket::INET;
use POSIX qw(strftime);
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use Server ();

my @of_server;

BEGIN
{
	@of_server = grep { $_ ne 'start_server' } @Server::EXPORT;
	Server->import(@of_server);
}

our @EXPORT = (@of_server, qw(start_server port use_port connection tls_connection receive ask
	  call signed_head worker_pids tenant new_key call_as send_as $JSON));
our $JSON = 'application/x-amz-json-1.0';

my $top = abs_path(dirname(__FILE__) . '/../..');
my $port;

# Start a server that serves HTTP, with these lines in postgresql.conf.
sub start_server
{
	my ($conf) = @_;
	chomp($port = `$top/test/free-port`);
	Server::start_server("shared_preload_libraries = dynamo\ndynamo.http_port = $port\n"
		  . "dynamo.http_listen_addresses = '127.0.0.1'\n"
		  . "log_error_verbosity = verbose\n$conf\n");
	return;
}

sub port { return $port }

# Speak to a server that somebody else has started.
sub use_port
{
	($port) = @_;
	return;
}

sub worker_pids
{
	return split ' ',
	  sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'});
}

sub connection
{
	return IO::Socket::INET->new(
		PeerAddr => '127.0.0.1',
		PeerPort => $port,
		Proto    => 'tcp',
		Timeout  => 5);
}

# With TLS; options as for IO::Socket::SSL, to which $SSL_ERROR belongs.
sub tls_connection
{
	my (%options) = @_;
	require IO::Socket::SSL;
	return IO::Socket::SSL->new(
		PeerAddr        => '127.0.0.1',
		PeerPort        => $port,
		Timeout         => 5,
		SSL_verify_mode => 0,
		%options);
}

# The next response on a connection: status, headers by lower-case name, body.
# No status: the server closed it, or was silent for a while.
sub receive
{
	my ($socket, $seconds) = @_;
	my $select = IO::Select->new($socket);
	my $data = '';
	my $end = time() + ($seconds || 60);
	my %response = (status => undef, head => {}, body => '');

	while (time() < $end)
	{
		if ($data =~ /\A(.*?\r\n)\r\n(.*)\z/s)
		{
			my ($head, $body) = ($1, $2);
			my %head = map { /^([^:]+):\s*(.*?)\r?$/ ? (lc $1, $2) : () } split /\n/, $head;
			my ($status) = $head =~ m{\AHTTP/1\.1 (\d+)};
			if ($status == 100)
			{
				$data = $body;
				next;
			}
			if (length $body >= ($head{'content-length'} || 0))
			{
				@response{qw(status head body)} = ($status, \%head, $body);
				last;
			}
		}
		next unless ref $socket eq 'IO::Socket::SSL' && $socket->pending || $select->can_read(0.5);
		my $n = sysread($socket, $data, 65536, length $data);
		last unless $n;
	}
	return \%response;
}

# Send bytes, on a new connection unless one is given; the response.
sub ask
{
	my ($bytes, $socket) = @_;
	$socket ||= connection() or return { status => undef, head => {}, body => '' };
	local $SIG{PIPE} = 'IGNORE';
	print $socket $bytes;
	$socket->flush;
	return receive($socket);
}

# Run an operation; headers given replace those that are usual.
sub call
{
	my ($operation, $body, $headers, $socket) = @_;
	return ask(request($operation, $body, $headers), $socket);
}

# The bytes of a request.
sub request
{
	my ($operation, $body, $headers) = @_;
	my %head = (
		'Host'         => "127.0.0.1:$port",
		'Content-Type' => $JSON,
		'X-Amz-Target' => target($operation),
		'Content-Length' => length $body,
		%{ $headers || {} });
	return "POST / HTTP/1.1\r\n"
	  . join('', map { defined $head{$_} ? "$_: $head{$_}\r\n" : () } sort keys %head)
	  . "\r\n$body";
}

# An operation may have its service before it.
sub target
{
	my ($operation) = @_;
	return $operation =~ /\./ ? $operation : "DynamoDB_20120810.$operation";
}

# A role with a key, who may make tables.  Makes the extension if need be.
sub tenant
{
	my ($role) = @_;
	sql(qq{
		SET client_min_messages = error;
		CREATE EXTENSION IF NOT EXISTS dynamo;
		CREATE ROLE $role LOGIN;
		GRANT USAGE, CREATE ON SCHEMA dynamo_data TO $role;
		GRANT USAGE ON SCHEMA dynamo TO $role});
	my $key = new_key($role);
	wait_for(sub { connection() }) or die 'HTTP is not served';
	return $key;
}

# A key of a role.
sub new_key
{
	my ($role) = @_;
	my ($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('$role')");
	return { key => $key, secret => $secret };
}

# Run an operation with such a key.
sub call_as
{
	my ($who, $operation, $body, $socket) = @_;
	return call($operation, $body, signed_head($operation, $body, %$who), $socket);
}

# Only send it; the connection.
sub send_as
{
	my ($who, $operation, $body) = @_;
	my $socket = connection() or die 'no connection';
	print $socket request($operation, $body, signed_head($operation, $body, %$who));
	$socket->flush;
	return $socket;
}

# The headers that sign an operation.  Options: key, secret, time, region,
# service, payload (what stands for the body), sign (body that is signed), more
# (headers that are signed, too), signed (the names of all that are).
sub signed_head
{
	my ($operation, $body, %o) = @_;
	my $stamp = strftime('%Y%m%dT%H%M%SZ', gmtime($o{time} || time()));
	my $day = $o{day} || substr($stamp, 0, 8);
	my $region = $o{region} || 'us-east-1';
	my $service = $o{service} || 'dynamodb';
	my %more = ($o{payload} ? ('X-Amz-Content-Sha256' => $o{payload}) : (), %{ $o{more} || {} });
	my %value = (
		'content-type' => $JSON,
		'host'         => "127.0.0.1:$port",
		'x-amz-date'   => $stamp,
		'x-amz-target' => target($operation),
		map { lc $_ => $more{$_} } keys %more);
	my $signed = $o{signed} // join ';', sort keys %value;
	my $payload = $o{payload} || sha256_hex(exists $o{sign} ? $o{sign} : $body);
	my $canonical = join("\n",
		'POST', '/', '',
		(map { "$_:" . ($value{$_} // '') } split /;/, $signed), '',
		$signed, $payload);
	my $scope = "$day/$region/$service/aws4_request";
	my $key = "AWS4$o{secret}";
	$key = hmac_sha256($_, $key) foreach $day, $region, $service, 'aws4_request';
	my $signature = hmac_sha256_hex(
		join("\n", 'AWS4-HMAC-SHA256', $stamp, $scope, sha256_hex($canonical)), $key);
	return {
		'X-Amz-Date'    => $stamp,
		%more,
		'Authorization' => "AWS4-HMAC-SHA256 Credential=$o{key}/$scope, "
		  . "SignedHeaders=$signed, Signature=$signature" };
}

1;

# Where HTTP is served: what dynamo.http_listen_addresses may be.
#
# What is wrong is reported, and served is what is left.  Where nothing is left
# no worker starts, only to end at once and be started again.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::INET;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 2");
sql('CREATE EXTENSION dynamo');
ok(wait_for(sub { connection() }), 'the port is served');

sub set
{
	my ($name, $value) = @_;
	return sql("ALTER SYSTEM SET $name = $value; SELECT pg_reload_conf()");
}

sub serves
{
	my ($address) = @_;
	return IO::Socket::INET->new(PeerAddr => $address, PeerPort => port(), Proto => 'tcp', Timeout => 5);
}

# Several addresses; a worker opens all of them.
set('dynamo.http_listen_addresses', q{'127.0.0.2, 127.0.0.3'});
ok(wait_for(sub { !serves('127.0.0.1') && serves('127.0.0.2') && serves('127.0.0.3') }), 'those set are served, and no other');

# What is none.
set('dynamo.http_listen_addresses', q{'no-such-host.invalid, 127.0.0.1'});
ok(reported(qr/could not resolve "no-such-host\.invalid" of dynamo\.http_listen_addresses/), 'a name that is none is reported');
ok(wait_for(sub { serves('127.0.0.1') && !serves('127.0.0.2') }), 'and the other address served');
set('dynamo.http_listen_addresses', q{''});
ok(wait_for(sub { !serves('127.0.0.1') && !worker_pids() }), 'no address ends it');
set('dynamo.http_listen_addresses', q{'no-such-host.invalid'});
ok(reported(qr/could not resolve/), 'only a name that is none');
set('dynamo.http_listen_addresses', q{'127.0.0.1,,127.0.0.2'});
ok(reported(qr/invalid list syntax in parameter "dynamo\.http_listen_addresses"/), 'and no list');
set('dynamo.http_authentication', 'sigv4');    # without, it would be refused for that
set('dynamo.http_listen_addresses', q{'192.0.2.1'});
ok(reported(qr/could not bind a socket for port \d+: Cannot assign requested address/), 'and an address of another machine');
is(join(' ', worker_pids()), '', 'serve nobody, where nothing was served');
set('dynamo.http_authentication', 'trust');

# A port that somebody else has.
my $busy = IO::Socket::INET->new(LocalAddr => '127.0.0.4', Proto => 'tcp', Listen => 1) or die "no port: $!";
my $port = port();
set($_->[0], $_->[1]) foreach [ 'dynamo.http_port', $busy->sockport ], [ 'dynamo.http_listen_addresses', q{'127.0.0.4'} ];
ok(reported(qr/could not bind a socket for port \d+: Address already in use/), 'a port in use is reported');
is(join(' ', worker_pids()), '', 'and not taken');
set('dynamo.http_port', $port);
ok(wait_for(sub { serves('127.0.0.4') && scalar(my @pids = worker_pids()) == 2 }), 'another one is');

# What cannot be served leaves what is.
foreach my $bad ([ 'dynamo.http_port', $busy->sockport ], [ 'dynamo.http_listen_addresses', q{'no-such-host.invalid'} ],
	[ 'dynamo.http_listen_addresses', q{'127.0.0.1,,127.0.0.2'} ], [ 'dynamo.http_tls_cert_file', q{'nowhere'} ])
{
	my @before = sort(worker_pids());
	set(@$bad);
	set('dynamo.http_tls_key_file', q{'nowhere'}) if $bad->[1] =~ /nowhere/;
	ok(reported(qr/WARNING: .*dynamo goes on with the HTTP server as it was/), "$bad->[0] = $bad->[1] is refused");
	ok(serves('127.0.0.4'), '... and what was served is served on');
	is("@{[ sort(worker_pids()) ]}", "@before", '... by the same workers');
	sql("ALTER SYSTEM RESET $_; SELECT pg_reload_conf()") foreach 'dynamo.http_tls_key_file', 'dynamo.http_tls_cert_file';
	set('dynamo.http_port', $port);
	set('dynamo.http_listen_addresses', q{'127.0.0.4'});
}

# The number of workers.
ok(wait_for(sub { scalar(my @pids = worker_pids()) == 2 }), 'two workers');
set('dynamo.http_workers', 3);
ok(wait_for(sub { scalar(my @pids = worker_pids()) == 3 }), 'and three, when that is wanted');
set('dynamo.http_workers', 1);
ok(wait_for(sub { scalar(my @pids = worker_pids()) == 1 && serves('127.0.0.4') }), 'and one');

is(run('grep -c "has no address to serve" ' . directory() . '/log'), '0', 'no worker has started in vain');

done_testing();

# Work for a client that is not known.
#
# Attacker: anyone who reaches the port.  He owns no key, or knows the name of
# one without its secret.  He wants the time and the memory of the workers, by
# bodies that are cheap to send and dear to unpack or to parse.
use strict;
use warnings;
use Compress::Zlib qw(memGzip);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $mega = 1024 * 1024;

start_server("dynamo.http_workers = 1\ndynamo.http_region = 'us-east-1'");
sql('CREATE EXTENSION dynamo');
my ($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('postgres')");
ok(wait_for(sub { connection() }), 'the port is served');

# The most memory the worker ever had, in kilobytes.
my ($worker) = worker_pids();
sub peak
{
	open(my $status, '<', "/proc/$worker/status") or die;
	my ($kb) = join('', <$status>) =~ /^VmHWM:\s+(\d+)/m;
	return $kb;
}

# Who he says he is: what makes the headers for a body, and what he is told.
my %ok = (key => $key, secret => $secret);
my %strangers = (
	'nobody'                      => [ sub { {} }, 'MissingAuthenticationToken' ],
	'a key that does not exist'   => [ sub { signed_head('ListTables', shift, %ok, key => 'AKIANONE') }, 'UnrecognizedClient' ],
	'a key without its secret'    => [ sub { signed_head('ListTables', shift, %ok, secret => 'guess') }, 'InvalidSignature' ],
	'a signature of another day'  => [ sub { signed_head('ListTables', shift, %ok, time => time() - 86400) }, 'InvalidSignature' ],
	'a signature for elsewhere'   => [ sub { signed_head('ListTables', shift, %ok, region => 'nowhere') }, 'InvalidSignature' ]);

sub refused
{
	my ($who, $body, $head, $name) = @_;
	my ($sign, $exception) = @{ $strangers{$who} };
	my $r = call('ListTables', $body, { %{ $sign->($body) }, %$head });
	is($r->{status}, 400, "$who, $name: refused");
	like($r->{body}, qr/#${exception}Exception"/, 'for who it is');
	return;
}

# 16 MB of arrays, and of objects, in a few kilobytes.  What cannot be parsed is
# refused as that by who looks at it.
my %gzip = ('Content-Encoding' => 'gzip');
my $arrays = memGzip('[' . '[],' x (5 * $mega) . '[]]');
my $objects = memGzip('[' . '{},' x (5 * $mega) . '{}');
cmp_ok(length $arrays, '<', 20_000, 'a small body');
# What a worker loads when it refuses somebody for the first time is not meant.
refused($_, '{}', {}, 'a small body') foreach sort keys %strangers;
my $before = peak();
foreach my $who (sort keys %strangers)
{
	refused($who, $arrays, \%gzip, 'packed arrays');
	refused($who, $objects, \%gzip, 'packed objects, and no JSON');
	refused($who, 'x' x 1000, \%gzip, 'not packed at all');
	refused($who, '{}', { 'Content-Encoding' => 'br' }, 'packed otherwise');
}
cmp_ok(peak() - $before, '<', 4096, 'nothing was unpacked');

# The same as it is.  The worker has to keep what is sent, and no more.
refused($_, '[' . '{},' x (5 * $mega) . '{}', {}, '16 MB of objects') foreach sort keys %strangers;
cmp_ok(peak() - $before, '<', 40 * 1024, 'nothing was parsed');

# The service speaks of JSON and of the operation first.  So does this server,
# for bodies that cost nothing.
my $envelope = sub { call($_[0], $_[1], signed_head('ListTables', $_[1], %ok, key => 'AKIANONE'))->{body} };
like($envelope->('ListTables', '[' x 4096), qr/#SerializationException/, '4096 bytes are parsed');
like($envelope->('ListTables', '[' x 4097), qr/#UnrecognizedClientException/, '4097 are not');
like($envelope->('NoSuch', '[' x 4097), qr/#UnknownOperationException/, 'the operation is looked at whatever the body');

# The signature covers the bytes as sent.
my $packed = memGzip('{}');
is(call('ListTables', $packed, { %{ signed_head('ListTables', $packed, %ok) }, %gzip })->{body}, '{"TableNames":[]}',
	'who signs what it packed is served');
like(call('ListTables', $packed, { %{ signed_head('ListTables', '{}', %ok) }, %gzip })->{body},
	qr/#InvalidSignatureException/, 'who signs what was in it is not');
is((worker_pids())[0], $worker, 'all by one worker');

done_testing();

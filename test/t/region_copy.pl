# What is in the place of a region answers all questions with COPY. They fail, and the process that
# has asked goes on.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::INET;
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use Calls;
use Regions;
use Server;

# Messages of a client, until it is gone: one that is a query is done, others are copied.
sub serve
{
	my ($client) = @_;
	my $take = sub { my ($n) = @_; my $got = $client->read(my $bytes, $n); return ($got // 0) == $n ? $bytes : undef };
	my $length = $take->(4) // return;
	$take->(unpack('N', $length) - 4) // return;
	say_to($client, message('R', pack('N', 0)) . message('Z', 'I'));
	while (defined(my $head = $take->(5)))
	{
		my ($type, $len) = unpack('aN', $head);
		return if $len > 4 && !defined $take->($len - 4);
		say_to($client, message('C', "SET\0") . message('Z', 'I')) if $type eq 'Q';
		say_to($client, message('H', pack('Cn', 0, 0))) if $type eq 'S';
	}
	return;
}

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');

my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
my $child = fork() // die $!;
if ($child == 0)
{
	local $SIG{PIPE} = 'IGNORE';
	while (my $client = $listener->accept())
	{
		serve($client);
		close $client;
	}
	kill 'KILL', $$;
}
at_end(sub { return kill 'KILL', $child });

my $port = $listener->sockport;
sql(qq{ALTER SERVER region_eu OPTIONS (SET host '127.0.0.1', SET port '$port', ADD sslmode 'disable')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql('SELECT status_description FROM dynamo.replicas', qr/./, 'us'), 'the region has answered what it was not asked', 'it is not believed');
like(await_sql('SELECT failures FROM dynamo_internal.replicas', qr/^([2-9]|\d\d)$/, 'us'), qr/^([2-9]|\d\d)$/, '... and is asked again');

done_testing();

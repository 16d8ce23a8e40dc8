# A server is often started with a low limit of open files, which its processes may
# raise: systemd's is 1,024, and the server itself counts on as many.  HTTP workers ask
# for more, or else they would serve a hundred connections each.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

# Which takes a shell.
if (!$ENV{DESCRIPTORS_STARTED})
{
	$ENV{DESCRIPTORS_STARTED} = 1;
	exec 'sh', '-c', 'ulimit -Sn 1024 && exec "$@"', 'sh', $^X, $0;
}
chomp(my $most = `sh -c 'ulimit -Hn'`);
plan skip_all => "$most files at most may be open" if $most ne 'unlimited' && $most < 3000;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
ok(wait_for(sub { connection() }), 'the port is served');
sql('CREATE EXTENSION dynamo');

# All stay open, and each is answered.
my @open;
foreach (1 .. 150)
{
	my $socket = connection() or last;
	print $socket "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\n"
	  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}";
	last if (receive($socket)->{status} // 0) != 200;
	push @open, $socket;
}
is(scalar(@open), 150, 'more than a hundred connections are served at the same time');

done_testing();

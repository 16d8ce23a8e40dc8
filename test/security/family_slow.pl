# Who: anybody who can reach the port.
# Owns: many connections.  Wants: to hold the worker by sending slowly, by never
# reading, or by leaving halfway, so that others wait.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk');
	SELECT dynamo.put_item('Tab', jsonb_build_object('pk', n::text, 'f', repeat('x', 10000))::dynamo.item) FROM generate_series(1, 150) n});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');
my ($worker) = worker_pids();
local $SIG{PIPE} = 'IGNORE';

my $head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\n";
my @held;
sub hold
{
	my ($bytes) = @_;
	foreach (1 .. 40)
	{
		my $socket = connection() or next;
		syswrite $socket, $bytes;
		push @held, $socket;
	}
	return;
}
hold('');
hold('P');
hold("${head}X-Amz-Target: DynamoDB_20120810.Scan\r\nContent-Le");
hold("${head}X-Amz-Target: DynamoDB_20120810.Scan\r\nContent-Length: 16000000\r\n\r\n{");
hold("${head}X-Amz-Target: DynamoDB_20120810.Scan\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n");

# Answers of a megabyte that nobody reads.
my $scan = '{"TableName":"Tab"}';
hold("${head}X-Amz-Target: DynamoDB_20120810.Scan\r\nContent-Length: " . length($scan) . "\r\n\r\n$scan");

# Requests whose sender is gone before the answer.
foreach (1 .. 40)
{
	my $socket = connection() or next;
	syswrite $socket, "${head}X-Amz-Target: DynamoDB_20120810.Scan\r\nContent-Length: " . length($scan) . "\r\n\r\n$scan";
	close $socket;
}
my $answered = grep { (call('GetItem', '{"TableName":"Tab","Key":{"pk":{"S":"1"}}}')->{status} // 0) == 200 } 1 .. 20;
is($answered, 20, 'a bystander is served beside ' . @held . ' who are slow');
close $_ foreach @held;
is(join(',', worker_pids()), $worker, 'by the same worker');

done_testing();

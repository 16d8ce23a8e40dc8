# docs/high-availability.md, step by step: its commands make a standby, which answers
# reads, and takes over when the primary is lost.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use HttpClient;

my $PATIENCE = 120;
my $top = abs_path(dirname(__FILE__) . '/../..');

open my $in, '<', "$top/docs/high-availability.md" or die;
my @steps = do { local $/; <$in> } =~ /^```sh standby\n(.*?)^```$/msg;
is(scalar @steps, 4, 'the document has four steps') or die 'other steps';

start_server("dynamo.http_workers = 1\nmax_wal_senders = 4\nmax_worker_processes = 16\ndynamo.ttl_interval = 1s\n");
my $primary_http = port();
my %environment = environment();
my $there = directory() . '/standby';
my $port = $environment{PGPORT} + 1;
chomp(my $http = `$top/test/free-port`);
my $key = tenant('alice');
my $table = '{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}';
is(call_as($key, CreateTable => $table)->{status}, 200, 'a table');
is(call_as($key, PutItem => '{"TableName":"Shop","Item":{"id":{"S":"a"}}}')->{status}, 200, 'and an item');

# A step as it stands there, but for names and ports: both servers are on this machine.
# $here is the port of the server that "psql" without a host means.
sub step
{
	my ($text, $here) = @_;
	$text =~ s/host=primary\.example/host=$environment{PGHOST} port=$environment{PGPORT}/g;
	$text =~ s/-h primary\.example/-h $environment{PGHOST} -p $environment{PGPORT}/g;
	$text =~ s/localhost:8000/localhost:$http/g;
	$text =~ s/-l standby\.log/-l $there.log -o '-p $port -c dynamo.http_port=$http'/g;
	my $file = directory() . '/step';
	open my $out, '>', $file or die;
	print $out "set -e\nexport PGDATA=$there PGPORT=$here no_proxy=localhost NO_PROXY=localhost\nPATH=$environment{PATH}\n$text";
	close $out;
	chmod 0644, $file;
	my ($uid, $gid) = (stat directory() . '/data')[4, 5];
	my $as = $> == 0 ? "setpriv --reuid=$uid --regid=$gid --clear-groups" : '';
	my ($said, $status) = run("cd /; $as bash $file");
	is($status, 0, (split /\n/, $text)[0]) or diag($said);
	return $said;
}

step($steps[0], $environment{PGPORT});
my $controller = run('dirname "$(command -v psql)"') . '/pg_ctl';
at_end(sub { as_server_user($controller, '-D', $there, '-m', 'fast', '-w', '-s', 'stop') });
step($steps[1], $port);
use_port($http);
ok(wait_for(sub { my $socket = connection(); $socket && close $socket }, $PATIENCE), 'it listens');
my $said = step($steps[2], $port);
like($said, qr/^standby$/m, 'it says that it is a standby');
like($said, qr/streaming/, 'which the primary knows');
ok(wait_for(sub { (call_as($key, GetItem => '{"TableName":"Shop","Key":{"id":{"S":"a"}}}')->{body} // '') =~ /"S":"a"/ }, $PATIENCE), 'it answers reads');
is(call_as($key, PutItem => '{"TableName":"Shop","Item":{"id":{"S":"b"}}}')->{status}, 400, 'and no writes');

ok(server('crash'), 'the primary is lost');
like(step($steps[3], $port), qr/^primary$/m, 'the standby takes over');
is(call_as($key, PutItem => '{"TableName":"Shop","Item":{"id":{"S":"b"}}}')->{status}, 200, 'and writes');
like(call_as($key, Scan => '{"TableName":"Shop","Select":"COUNT","ConsistentRead":true}')->{body}, qr/"Count":2/, 'beside what was there');

done_testing();

# Who: a role that may connect, and owns nothing.
# Gain: no clients are served.
# How: workers leave a database that somebody drops, and who drops one has
# locked it.  DROP DATABASE locks before it asks for rights; so a role that has
# none asks for it without end.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.http_database = 'shop'");
sql('CREATE DATABASE shop; CREATE ROLE mallory LOGIN');
ok(wait_for(sub { worker_pids() == 1 && connection() }), 'a database is served');
my @pids = worker_pids();

my @sessions = map { session('SELECT 1', 'mallory') } 1 .. 6;
foreach my $n (1 .. 6000)
{
	print $_ "DROP DATABASE shop;\n" foreach @sessions;
}
close $_ foreach @sessions;
ok(log_has(qr/must be owner of database shop/), 'he is refused, again and again');
is_deeply([ worker_pids() ], \@pids, 'the workers stay');
ok(!log_has(qr/dynamo leaves database/), 'and have not left meanwhile');

done_testing();

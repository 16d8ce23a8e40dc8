# A standby serves a database that is dropped on the primary: replay of the drop
# ends its workers, and they come back when there is a database of that name.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;
use Standby;

my $PATIENCE = 120;
my $dir = abs_path(dirname(__FILE__));
start_server("dynamo.http_workers = 2\nmax_wal_senders = 4\nmax_worker_processes = 16\nautovacuum = off\n");
chomp(my $standby_http = `$dir/../free-port`);
sql('CREATE DATABASE shop');
sql("CREATE EXTENSION dynamo; CREATE ROLE alice LOGIN", 'shop');
my ($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('alice')", 'shop');
my $alice = { key => $key, secret => $secret };
start_standby('dynamo.http_database=shop', "dynamo.http_port=$standby_http");
use_port($standby_http);
ok(wait_for(sub { my $s = connection(); $s && close $s }, $PATIENCE), 'a standby serves a database');
is(call_as($alice, 'ListTables', '{}')->{status}, 200, 'and answers');
my $kept = connection();
is(call_as($alice, 'ListTables', '{}', $kept)->{status}, 200, 'on a connection that stays');
sql('DROP DATABASE shop');
ok(follows(), 'replay drops it');
ok(wait_for(sub { standby_log() =~ /dynamo waits for database "shop" to be created/ }, $PATIENCE), 'it is waited for');
sql('CREATE DATABASE shop');
sql("CREATE EXTENSION dynamo", 'shop');
($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('alice')", 'shop');
ok(wait_for(sub { (call_as({ key => $key, secret => $secret }, 'ListTables', '{}')->{status} // 0) == 200 }, $PATIENCE), 'and served again');

done_testing();

# A standby serves a database that is dropped on the primary: replay of the drop
# ends its workers, and they come back when there is a database of that name.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use HttpClient;

my $PATIENCE = 120;
my $dir = abs_path(dirname(__FILE__));
start_server("dynamo.http_workers = 2\nmax_wal_senders = 4\nmax_worker_processes = 16\nautovacuum = off\n");
my $standby = directory() . '/standby';
my $port = run('echo $((PGPORT + 1))');
my $controller = run('dirname "$(command -v psql)"') . '/pg_ctl';
chomp(my $standby_http = `$dir/../free-port`);
sql('CREATE DATABASE shop');
sql("CREATE EXTENSION dynamo; CREATE ROLE alice LOGIN", 'shop');
my ($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('alice')", 'shop');
my $alice = { key => $key, secret => $secret };
as_server_user('pg_basebackup', '-D', $standby, '-R', '-c', 'fast', '-X', 'stream') or die 'no base backup';
as_server_user($controller, '-D', $standby, '-w', '-s', '-l', "$standby/log", '-o', "-p $port -c dynamo.http_database=shop -c dynamo.http_port=$standby_http", 'start')
  or die 'the standby does not start';
at_end(sub { as_server_user($controller, '-D', $standby, '-m', 'fast', '-w', '-s', 'stop') });
use_port($standby_http);
ok(wait_for(sub { my $s = connection(); $s && close $s }, $PATIENCE), 'a standby serves a database');
is(call_as($alice, 'ListTables', '{}')->{status}, 200, 'and answers');
my $kept = connection();
is(call_as($alice, 'ListTables', '{}', $kept)->{status}, 200, 'on a connection that stays');
sql('DROP DATABASE shop');
my $end = sql('SELECT pg_current_wal_insert_lsn()');
ok(wait_for(sub { run(qq{PGPORT=$port psql -XAtc "SELECT pg_last_wal_replay_lsn() >= '$end'"}) eq 't' }, $PATIENCE), 'replay drops it');
ok(wait_for(sub { run("cat $standby/log") =~ /dynamo waits for database "shop" to be created/ }, $PATIENCE), 'it is waited for');
sql('CREATE DATABASE shop');
sql("CREATE EXTENSION dynamo", 'shop');
($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('alice')", 'shop');
ok(wait_for(sub { (call_as({ key => $key, secret => $secret }, 'ListTables', '{}')->{status} // 0) == 200 }, $PATIENCE), 'and served again');

done_testing();

# A backup that another node has, and that node hangs, or its backup is locked: a restore
# ends, and its error says which node it is.  So does a backup of items that are locked.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $name = 'localhost:' . node(2, 'SHOW port');

# The postmaster of a node and its children.
sub processes
{
	my ($node) = @_;
	open my $file, '<', "$top/tmp/citus$node/data/postmaster.pid" or die;
	chomp(my $parent = <$file>);
	return ($parent, split ' ', `cat /proc/$parent/task/*/children`);
}

# A statement at the coordinator; nobody waits for ever for what it prints.  The table is
# one of that node: Citus itself waits for a node that hangs if it has to undo work there.
sub patiently { my ($sql) = @_; return node(0, "SET statement_timeout = '90s'; SET dynamo.distribute_new_tables = off; $sql") }

# Somebody locks a relation at node 2 until the session is closed.
sub locked
{
	my ($relation) = @_;
	my $session = session_at(2, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN; LOCK TABLE $relation; SELECT pg_sleep(600);});
	ok(wait_for(sub { node(2, "SELECT count(*) FROM pg_locks WHERE relation = '$relation'::regclass AND mode = 'AccessExclusiveLock' AND granted") }), "$relation is locked");
	return $session;
}
sub unlock
{
	my ($session) = @_;
	node(2, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'});
	close $session;
	return ok(wait_for(sub { !node(2, q{SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'}) }), 'and no more');
}

authenticate('trust');
configure('citus.node_connection_timeout', 2000);
ok(wait_for(sub { node(0, 'SHOW citus.node_connection_timeout') eq '2s' }), 'nodes are waited for two seconds');
node(0, q{SELECT dynamo.create_table('Hang', 'id')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Hang', '{"id": "h$_"}')} } 1 .. 40);
my $arn;
my @before = log_ends();
ok(wait_for(sub { ($arn = node(2, q{SELECT dynamo.create_backup('Hang', 'hang')})) =~ /\Aarn:/ }), 'node 2 has a backup') or diag $arn;
unlike(logged(@before), qr/WARNING/, 'without a warning');
my $relation = node(2, q{SELECT relation FROM dynamo.backups WHERE backup_name = 'hang'});
my $restore = qq{SELECT dynamo.restore_table('Again', backup_arn => '$arn')};

# Locks.
my $lock = locked($relation);
like(patiently($restore), qr/ERROR:  items cannot be read from node \Q$name\E: .*lock timeout.*HINT:  See whether it runs/s, 'a restore of it ends');
unlock($lock);
my ($shard) = map { (shard_of('Hang', $_))[1] } keys_of(2, 'Hang');
$lock = locked($shard);
like(patiently(q{SELECT dynamo.create_backup('Hang', 'again')}), qr/ERROR:  items cannot be read from node .*lock timeout.*\Q$name\E/s, 'a backup of items that are locked ends');
unlock($lock);

# The node hangs when it has been asked for the items.
$lock = locked($relation);
my $child = fork() // die;
if ($child == 0)
{
	my $said = patiently($restore);
	POSIX::_exit($said =~ /ERROR:  items cannot be read: node \Q$name\E does not answer\nHINT:  See whether it hangs/ ? 0 : 1);
}
ok(wait_for(sub { node(2, qq{SELECT count(*) FROM pg_locks WHERE relation = '$relation'::regclass AND NOT granted}) }), 'it is asked');
my @stopped = processes(2);
kill 'STOP', @stopped;
waitpid($child, 0);
is($? >> 8, 0, 'a restore ends when the node is silent, and says so');
kill 'CONT', @stopped;
unlock($lock);

# It hangs before.
node(0, 'ALTER SYSTEM SET dynamo.job_workers = 0');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, 'SHOW dynamo.job_workers') eq '0' }), 'jobs wait');
is(at(0, 'RestoreTableFromBackup', qq({"TargetTableName":"Again","BackupArn":"$arn"}))->{status}, 200, 'a restore is asked for');
@stopped = processes(2);
kill 'STOP', @stopped;
my $said = patiently('CALL dynamo.run_jobs()');
kill 'CONT', @stopped;
like($said, qr/node \Q$name\E does not answer/, 'its job finds that the node hangs') or diag node(0, 'SELECT * FROM dynamo.jobs');
diag node(0, 'SELECT * FROM dynamo.jobs');
node(0, 'ALTER SYSTEM RESET dynamo.job_workers');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, q{SELECT count(*) FROM dynamo.jobs WHERE ended_at IS NULL}) eq '0' }, 60), 'which is back, and the restore ends') or diag node(0, 'SELECT * FROM dynamo.jobs');

node(0, q{SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name IN ('Hang', 'Again')});
at(0, 'DeleteBackup', qq({"BackupArn":"$arn"}));
configure('citus.node_connection_timeout', 'DEFAULT');
authenticate('DEFAULT');
done_testing();

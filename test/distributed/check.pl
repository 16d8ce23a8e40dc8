# dynamo.check_cluster(): what is wrong with the settings of nodes, and nothing else.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient qw(wait_for);

my @port = map { node($_, 'SHOW port') } 0 .. 2;

# All findings, with the numbers of nodes for their addresses.
sub findings
{
	my $all = node(0, q{SELECT node || ': ' || finding FROM dynamo.check_cluster() ORDER BY node, finding});
	$all =~ s/localhost:$port[$_]\b/node $_/g for 0 .. 2;
	return join "\n", sort split /\n/, $all;
}

# Settings of a node that take effect when it starts.
sub restart_with
{
	my ($node, @settings) = @_;
	node($node, "ALTER SYSTEM $_") for @settings;
	return halt($node) && restart($node);
}

node(0, q{SELECT dynamo.create_table('Sound', 'id')});
ok(wait_for(sub { findings() eq '' }, 30), 'nothing is wrong') or diag findings();

# Settings.
node(0, 'ALTER SYSTEM SET dynamo.ttl_interval = 0');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, 'SHOW dynamo.ttl_interval') eq '0' }), 'maintenance is off');
ok(restart_with(2, 'SET max_worker_processes = 9', 'SET max_prepared_transactions = 150', 'SET wal_level = replica'), 'a node is set badly');
node(1, 'ALTER SYSTEM SET dynamo.distribute_new_tables = off');
node(1, 'SELECT pg_reload_conf()');
my $expected = join "\n", 'node 0: dynamo.ttl_interval is 0',
  'node 1: dynamo.distribute_new_tables is off, and on on the coordinator',
  'node 2: max_prepared_transactions is 150, and max_connections 200', 'node 2: max_worker_processes is 9', 'node 2: wal_level is replica';
ok(wait_for(sub { findings() =~ s/\nnode 2: Citus' maintenance daemon.*?(?=\n|\z)//r eq $expected }, 30), 'all of that is found') or diag findings();
is(node(0, q{SELECT count(*) >= 5, bool_and(coalesce(advice ~ '^(set|see|install|call|alter|let|correct|wait) ', false)) FROM dynamo.check_cluster()}), 't t', 'with what to do');

# Nodes that are down.
ok(halt(2), 'a node is down');
like(findings(), qr/^node 2: it does not answer: /m, 'that is found');
like(findings(), qr/^node 1: it cannot connect to node 2$/m, 'from all sides');
unlike(findings(), qr/^node 2: (?!it does not answer)/m, 'and no more is said of it');
ok(restart(2), 'it is back');
ok(restart_with(2, 'RESET max_worker_processes', 'RESET max_prepared_transactions', 'RESET wal_level'), 'its settings are as before');
node(1, 'ALTER SYSTEM RESET dynamo.distribute_new_tables');
node(1, 'SELECT pg_reload_conf()');
node(0, 'ALTER SYSTEM RESET dynamo.ttl_interval');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { findings() eq '' }, 30), 'nothing is wrong') or diag findings();

# Who gets in.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE sound_clerk LOGIN}) for 0 .. 2;
node(0, q{SELECT dynamo.create_access_key('sound_clerk')});
is(findings(), '', 'a role that can log in at all nodes');
node(2, q{SET citus.enable_ddl_propagation = off; ALTER ROLE sound_clerk NOLOGIN});
is(findings(), 'node 2: roles with access keys cannot log in: sound_clerk', 'and at one it cannot');
node(2, q{SET citus.enable_ddl_propagation = off; DROP ROLE sound_clerk});
is(findings(), 'node 2: roles with access keys are missing: sound_clerk', 'and at one it is not');
node(2, q{SET citus.enable_ddl_propagation = off; DELETE FROM dynamo.access_keys WHERE role NOT IN (SELECT oid FROM pg_roles); CREATE ROLE sound_clerk LOGIN});
is(findings(), '', 'and is again');
my $hba = node(1, 'SHOW hba_file');
my $lines = node(1, q{SELECT max(line_number) FROM pg_hba_file_rules});
open my $file, '>>', $hba or die "$hba: $!";
print $file "host all all 10.0.0.0/8 trust\n";
close $file;
like(findings(), qr/^node 1: pg_hba.conf lets other machines in without a password, line \d+$/m, 'who needs no password');
open $file, '>>', $hba or die "$hba: $!";
print $file "host nonsense\n";
close $file;
like(findings(), qr/^node 1: pg_hba.conf has an error in line \d+$/m, 'a line that is not read');
open $file, '<', $hba or die "$hba: $!";
my @kept = <$file>;
close $file;
splice @kept, -2;
open $file, '>', $hba or die "$hba: $!";
print $file @kept;
close $file;
node($_, q{SET citus.enable_ddl_propagation = off; DELETE FROM dynamo.access_keys WHERE role = 'sound_clerk'::regrole; DROP ROLE sound_clerk}) for 0 .. 2;

# Who asks.
foreach my $call ('SELECT * FROM dynamo.check_cluster()', 'SELECT * FROM dynamo.cluster_nodes()', 'SELECT * FROM dynamo.rebalance(measure_seconds => 0)',
	q{CALL dynamo.add_node('localhost', 1)}, q{SELECT dynamo.remove_node('localhost', 1)})
{
	my ($what) = $call =~ /(dynamo\.\w+\()/;
	$what .= ')';
	like(node(1, $call), qr/ERROR:  \Q$what\E must be called on the coordinator of the cluster\nHINT:  Connect to localhost:$port[0]\./, "a worker refuses $what, and names the coordinator");
}
like(node(1, q{SELECT dynamo.distribute_table('Sound')}), qr/ERROR:  tables are distributed on the coordinator of the cluster\nHINT:  Connect to localhost:$port[0]\./, '... and to distribute');
node(0, q{SET citus.enable_ddl_propagation = off; CREATE ROLE sound_other; GRANT USAGE ON SCHEMA dynamo TO sound_other});
like(node(0, 'SET ROLE sound_other; SELECT * FROM dynamo.check_cluster()'), qr/permission denied for function check_cluster/, 'it is not for everybody');
node(0, 'SET citus.enable_ddl_propagation = off; GRANT EXECUTE ON FUNCTION dynamo.check_cluster() TO sound_other');
like(node(0, 'SET ROLE sound_other; SELECT * FROM dynamo.check_cluster()'), qr/checked by a superuser/, 'whoever may call it');
node(0, 'SET citus.enable_ddl_propagation = off; DROP OWNED BY sound_other; DROP ROLE sound_other');

# The owner of a database decides on search_path there.
my $trap = q{SET citus.enable_ddl_propagation = off; CREATE SCHEMA sound_trap;
	CREATE FUNCTION sound_trap.snap(name, name) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
	CREATE OPERATOR sound_trap.= (LEFTARG = name, RIGHTARG = name, FUNCTION = sound_trap.snap);
	CREATE FUNCTION sound_trap.snap(uuid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
	CREATE DOMAIN sound_trap.uuid AS pg_catalog.uuid CHECK (sound_trap.snap(VALUE));
	ALTER DATABASE postgres SET search_path = sound_trap, pg_catalog};
unlike(node(0, q{SELECT dynamo.enable_recovery('Sound'); SELECT dynamo.mark_recovery()}), qr/ERROR/, 'a moment of all nodes');
is(node($_, $trap), '', "node $_: a trap") for 0, 1;
is(findings(), '', 'has no use');
unlike(node(0, q{SELECT dynamo.mark_recovery()}), qr/ERROR/, 'nor while another moment is taken');
node($_, q{SET citus.enable_ddl_propagation = off; ALTER DATABASE postgres RESET search_path; DROP SCHEMA sound_trap CASCADE}) for 0, 1;
node(0, q{SELECT dynamo.disable_recovery('Sound'); SELECT dynamo.drop_table('Sound')});

done_testing();

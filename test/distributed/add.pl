# dynamo.add_node(): a server becomes a node, or stays outside where a step fails.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $here = abs_path(dirname(__FILE__));
authenticate('trust');
node(0, q{SELECT dynamo.create_table('Added', 'id')});
node(0, qq{SELECT dynamo.put_item('Added', '{"id": "k$_"}')}) for 1 .. 20;
node(0, q{SET client_min_messages = warning; CREATE TABLE countries (code text PRIMARY KEY); SELECT create_reference_table('countries'); INSERT INTO countries VALUES ('ch')});

$ENV{SERVER_CONF} = 'dynamo.distribute_new_tables = ' . node(0, 'SHOW dynamo.distribute_new_tables');
is(system("$here/cluster alone 3 citus >/dev/null 2>&1"), 0, 'a server is there');
my $port = node(3, 'SHOW port');
my $name = "localhost:$port";
my $members = "SELECT count(*) FROM pg_dist_node WHERE nodeport = $port";

sub add { my ($options, $before) = @_; return node(0, ($before // '') . "CALL dynamo.add_node('localhost', $port" . ($options // '') . ')') }

# Settings of the server that take effect when it starts.
sub restart_with
{
	my (@settings) = @_;
	node(3, "ALTER SYSTEM $_") for @settings;
	return halt(3) && restart(3);
}

# What stops it before anything is done.
sub refused
{
	my ($what, $pattern, $options, $before) = @_;
	like(add($options, $before), qr/$pattern/s, "$what: refused");
	return is(node(0, $members), 0, 'and it is no node');
}

ok(restart_with('SET max_worker_processes = 9', 'SET wal_level = replica'), 'it is set badly');
refused('settings', qr/ERROR:  \Q$name\E is not ready to join the cluster\nDETAIL:  \Q$name\E: max_worker_processes is 9: set it to 16.*\n\Q$name\E: wal_level is replica: set it to logical/);
ok(restart_with('RESET max_worker_processes', 'RESET wal_level'), 'it is set well');
node(3, 'ALTER SYSTEM SET dynamo.distribute_new_tables = off');
node(3, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(3, 'SHOW dynamo.distribute_new_tables') eq 'off' }), 'it makes other tables');
refused('a setting that differs', qr/dynamo\.distribute_new_tables is off, and \w+ on the coordinator/);
node(3, q{SELECT dynamo.create_table('Added', 'other')});
node(3, 'ALTER SYSTEM RESET dynamo.distribute_new_tables');
node(3, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(3, 'SHOW dynamo.distribute_new_tables') ne 'off' }), 'it makes the same');
refused('a table of its own', qr/\Q$name\E: it has a table of its own, "Added": drop it/);
node(3, q{SELECT dynamo.drop_table('Added')});
node(0, 'ALTER SYSTEM SET dynamo.ttl_interval = 0');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, 'SHOW dynamo.ttl_interval') eq '0' }), 'maintenance is off');
refused('nobody to tell it', qr/dynamo\.ttl_interval is 0: set it/);
node(0, 'ALTER SYSTEM RESET dynamo.ttl_interval');
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, 'SHOW dynamo.ttl_interval') ne '0' }), 'maintenance is on');
node(3, 'DROP EXTENSION dynamo CASCADE');
refused('a server without the extension', qr/\Q$name\E: it does not answer: .*both extensions/);
node(3, 'CREATE EXTENSION dynamo');
ok(halt(3), 'the server is down');
refused('a server that is down', qr/\Q$name\E: it does not answer: /);
ok(restart(3), 'it is back');

# Nodes that do not get into one another: each has other ways to connect than the rest.
foreach my $case ([1, 3], [3, 1])
{
	my ($from, $to) = @$case;
	my ($here, $there) = map { 'localhost:' . node($_, 'SHOW port') } $from, $to;
	node($from, q{ALTER SYSTEM SET citus.node_conninfo = 'sslmode=require'});
	node($from, 'SELECT pg_reload_conf()');
	ok(wait_for(sub { node($from, 'SHOW citus.node_conninfo') eq 'sslmode=require' }), "node $from: wants TLS");
	refused("node $from cannot connect to node $to", qr/\Q$here\E: it cannot connect to \Q$there\E: see pg_hba\.conf/);
	node($from, 'ALTER SYSTEM RESET citus.node_conninfo');
	node($from, 'SELECT pg_reload_conf()');
	ok(wait_for(sub { node($from, 'SHOW citus.node_conninfo') eq 'sslmode=prefer' }), 'and no more');
}
refused('in a transaction block', qr/ERROR:  dynamo\.add_node\(\) cannot run inside a transaction block/, '', 'BEGIN; ');
refused('in a function', qr/ERROR:  dynamo\.add_node\(\) cannot run inside a transaction block/, '', 'BEGIN; SELECT 1; ');
refused('a mode that is none', qr/ERROR:  invalid input value for enum/, q{, 'sideways'});
like(node(0, q{CALL dynamo.add_node('localhost', NULL)}), qr/ERROR:  .*port/, 'a port that is null');

# Who asks.
node(0, q{SET citus.enable_ddl_propagation = off; CREATE ROLE added_other; GRANT USAGE ON SCHEMA dynamo TO added_other});
foreach my $call ("CALL dynamo.add_node('localhost', $port)", 'SELECT * FROM dynamo.cluster_nodes()')
{
	my ($what) = $call =~ /dynamo\.(\w+)/;
	like(node(0, "SET ROLE added_other; $call"), qr/permission denied for (function|procedure) $what/, "$what is not for everybody");
}
node(0, q{SET citus.enable_ddl_propagation = off; GRANT EXECUTE ON PROCEDURE dynamo.add_node TO added_other; GRANT EXECUTE ON FUNCTION dynamo.cluster_nodes TO added_other});
like(node(0, "SET ROLE added_other; CALL dynamo.add_node('localhost', $port)"), qr/nodes are added by a superuser/, 'whoever may call it');
like(node(0, 'SET ROLE added_other; SELECT * FROM dynamo.cluster_nodes()'), qr/listed for a superuser/, 'or them');
node(0, 'SET citus.enable_ddl_propagation = off; DROP OWNED BY added_other; DROP ROLE added_other');
is(node(0, $members), 0, 'it is still no node');

# It joins.
my $said = add(q{, rebalance => true, shard_transfer_mode => 'block_writes'});
like($said, qr/NOTICE:  \Q$name\E: is ready to join\n.*NOTICE:  \Q$name\E: is in the cluster\n.*NOTICE:  \Q$name\E: has all definitions\n.*NOTICE:  \Q$name\E: shards begin to move\z/s, 'it joins');
unlike($said, qr/ERROR/, 'without an error');
is(node(3, 'SELECT code FROM countries'), 'ch', 'it has the reference tables');
node(3, 'ALTER SYSTEM SET dynamo.http_authentication = trust');
node(3, 'SELECT pg_reload_conf()');
use_port(node(3, 'SHOW dynamo.http_port'));
ok(wait_for(sub { (call('DescribeTable', '{"TableName":"Added"}')->{status} // 0) == 200 }), 'and serves the table');
my $rebalanced = q{SELECT bool_and(state::text = 'finished') FROM citus_rebalance_status()};
ok(wait_for(sub { node(0, $rebalanced) eq 't' }, 60), 'and they have moved') or diag node(0, 'SELECT state, details FROM citus_rebalance_status()');
my $shards = "SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node USING (groupid) JOIN pg_dist_shard USING (shardid)
	JOIN pg_dist_partition USING (logicalrelid) WHERE nodeport = $port AND partmethod = 'h'";
cmp_ok(node(0, $shards), '>', 0, 'it gets shards');
is(scalar(grep { (call('GetItem', qq({"TableName":"Added","Key":{"id":{"S":"k$_"}}}))->{body} // '') !~ /"k$_"/ } 1 .. 20), 0, 'and serves all keys');
is(node(0, "SELECT told, failure IS NULL, shards = ($shards), arriving, leaving FROM dynamo.cluster_nodes() WHERE node = '$name'"), 't t t 0 0', 'it is listed');
is(node(0, 'SELECT count(*), count(*) FILTER (WHERE told) FROM dynamo.cluster_nodes()'), '4 4', 'with the others');
unlike($said = add(), qr/ERROR/, 'it is added again');
like($said, qr/has all definitions\z/, 'which does no harm');

# A move that waits for a writer is listed.
my $shard = node(0, "SELECT shardid FROM citus_shards WHERE nodeport = $port AND table_name = 'dynamo_data.\"Added\"'::regclass LIMIT 1");
my $writer = session_at(0, q{BEGIN; UPDATE dynamo_data."Added" SET item = item; SELECT pg_sleep(600);});
ok(wait_for(sub { node(0, q{SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'}) }), 'somebody writes');
my $mover = session_at(0, qq{SELECT citus_move_shard_placement($shard, 'localhost', $port, nodename, nodeport, 'block_writes') FROM pg_dist_node WHERE groupid = 1;});
ok(wait_for(sub { node(0, "SELECT arriving > 0 FROM dynamo.cluster_nodes() JOIN pg_dist_node ON node = nodename || ':' || nodeport WHERE groupid = 1") eq 't' }, 60), 'a shard arrives')
  or diag node(0, 'SELECT * FROM dynamo.cluster_nodes()');
is(node(0, "SELECT leaving > 0 FROM dynamo.cluster_nodes() WHERE node = '$name'"), 't', 'and leaves here');
node(0, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'});
close $writer;
close $mover;
is(node(0, 'SELECT sum(arriving + leaving) FROM dynamo.cluster_nodes()'), 0, 'and has arrived');

# It is in the cluster, and lost what it knew: the same call waits until it knows it.
node(0, "SELECT start_metadata_sync_to_node('localhost', $port)");
unlike($said = add(), qr/ERROR/, 'a node whose metadata were sent again');
is(node(0, "SELECT told FROM dynamo.cluster_nodes() WHERE node = '$name'"), 't', 'is told');

unlike(node(0, "SELECT dynamo.remove_node('localhost', $port, 'block_writes', lose_records => true)"), qr/ERROR/, 'it leaves');
is(node(0, $members), 0, 'the cluster');

# Nothing of a move stays behind where nobody can drop it.
unlike(add(q{, rebalance => true, shard_transfer_mode => 'block_writes'}), qr/ERROR/, 'it comes back');
ok(wait_for(sub { node(0, $rebalanced) eq 't' }, 60), 'its shards move again') or diag node(0, 'SELECT state, details FROM citus_rebalance_status()');
unlike(node(0, "SELECT dynamo.remove_node('localhost', $port, 'block_writes', lose_records => true)"), qr/ERROR/, 'and it leaves again');

# One of the reference tables has no key, by which Citus could copy it while it is written.
unlike(add(), qr/ERROR/, 'it comes back where nothing is said of how');
is(node(3, 'SELECT code FROM countries'), 'ch', 'and has the reference tables again');
unlike(node(0, "SELECT dynamo.remove_node('localhost', $port)"), qr/ERROR/, 'and leaves in the same way');
node(0, q{SELECT dynamo.drop_table('Added'); DROP TABLE countries});
system("$here/../server stop citus3");
authenticate('DEFAULT');
done_testing();

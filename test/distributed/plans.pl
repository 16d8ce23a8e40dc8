# Citus keeps something of each execution with a prepared statement, which is
# kept for the session.  So the memory of plans stays what it is, however many
# statements a session executes.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Cluster;

node(0, q{SELECT dynamo.create_table('Plans', 'id'); SELECT dynamo.create_index('Plans', 'ByN', 'n', partition_key_type => 'N')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Plans', '{"id": "k$_", "n": 1}')} } 1 .. 40);
my %of = map { $_ => [ keys_of($_, 'Plans') ] } 1, 2;
ok(@{ $of{$_} } > 2, "node $_ has items") for 1, 2;

# Kilobytes of the plans of a session, after so many rounds of all statements, and after ten times as many.
sub memory
{
	my ($node, $table, $rounds, $before, @keys) = @_;
	my $list = join ', ', map { "'$_'" } @keys;
	my $statements = qq{
		DO \$\$ DECLARE k text; BEGIN
			FOR i IN 1 .. %d LOOP FOREACH k IN ARRAY ARRAY[$list] LOOP
				PERFORM dynamo.get_item('$table', jsonb_build_object('id', k));
				PERFORM dynamo.update_item('$table', jsonb_build_object('id', k), 'ADD n :n', '{":n": 1}');
				PERFORM dynamo.delete_item('$table', jsonb_build_object('id', k));
				PERFORM dynamo.put_item('$table', jsonb_build_object('id', k, 'n', i));
			END LOOP; END LOOP; END \$\$;};
	my $work = $statements . q{
		SELECT sum(total_bytes)::int8 / 1024 FROM pg_backend_memory_contexts WHERE name IN ('CachedPlan', 'CachedPlanSource', 'CachedPlanQuery');};
	$before = sprintf($statements, 1) . $before if $before;
	return grep { /\S/ } split /\n/, node($node, $before . sprintf($work, $rounds) . sprintf($work, 10 * $rounds));
}

foreach my $node (1, 2)
{
	my ($few, $many) = memory(1, 'Plans', 20, '', @{ $of{$node} }[0 .. 2]);
	like("$few $many", qr/\A\d+ \d+\z/, "node $node: statements are executed");
	cmp_ok($many, '<', 4096 + 2 * $few, "... and their plans stay as large as they were") or diag "$few, $many";
}

# A session that has had plans of a table before it was distributed, some of whose shards are on its own node.
my ($host, $port) = split / /, node(0, 'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid = 0');
node(0, qq{SELECT citus_set_node_property('$host', $port, 'shouldhaveshards', true);
	SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Grown', 'id');
	ALTER TABLE dynamo_data."Grown" ADD CONSTRAINT own CHECK (item IS NOT NULL)});
my ($few, $many) = memory(0, 'Grown', 20, q{SET client_min_messages = warning; SELECT dynamo.distribute_table('Grown');}, map { "k$_" } 1 .. 9);
ok(keys_of(0, 'Grown') > 0, 'the coordinator has items');
like("$few $many", qr/\A\d+ \d+\z/, 'statements are executed before and after the table is distributed');
cmp_ok($many, '<', 4096 + 2 * $few, '... and their plans stay as large as they were') or diag "$few, $many";
node(0, qq{SELECT dynamo.drop_table('Grown'); SELECT citus_set_node_property('$host', $port, 'shouldhaveshards', false)});

node(0, q{SELECT dynamo.drop_table('Plans')});
done_testing();

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

# Kilobytes of the plans of a session at node 1, after so many rounds of all statements, and after ten times as many.
sub memory
{
	my ($rounds, @keys) = @_;
	my $list = join ', ', map { "'$_'" } @keys;
	my $work = qq{
		DO \$\$ DECLARE k text; BEGIN
			FOR i IN 1 .. %d LOOP FOREACH k IN ARRAY ARRAY[$list] LOOP
				PERFORM dynamo.get_item('Plans', jsonb_build_object('id', k));
				PERFORM dynamo.update_item('Plans', jsonb_build_object('id', k), 'ADD n :n', '{":n": 1}');
				PERFORM dynamo.delete_item('Plans', jsonb_build_object('id', k));
				PERFORM dynamo.put_item('Plans', jsonb_build_object('id', k, 'n', i));
			END LOOP; END LOOP; END \$\$;
		SELECT sum(total_bytes)::int8 / 1024 FROM pg_backend_memory_contexts WHERE name IN ('CachedPlan', 'CachedPlanSource', 'CachedPlanQuery');};
	my @found = split /\n/, node(1, sprintf($work, $rounds) . sprintf($work, 10 * $rounds));
	return @found;
}

foreach my $node (1, 2)
{
	my ($few, $many) = memory(20, @{ $of{$node} }[0 .. 2]);
	like("$few $many", qr/\A\d+ \d+\z/, "node $node: statements are executed");
	cmp_ok($many, '<', 4096 + 2 * $few, "... and their plans stay as large as they were") or diag "$few, $many";
}

node(0, q{SELECT dynamo.drop_table('Plans')});
done_testing();

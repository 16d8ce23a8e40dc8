# What a process knows of shards, and the lock on them: while shards are split,
# tables come and go, and where Citus, or somebody's own way to distribute a
# table, is not what it should be.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $quiet = 'SET client_min_messages = error;';
my $table = q{'dynamo_data."Shards"'::regclass};
authenticate('trust');
node(0, q{SELECT dynamo.create_table('Shards', 'id')});
my $put = q{SELECT dynamo.put_item('Shards', '{"id": "%s"}')};
my $route = q{get_shard_id_for_distribution_column('dynamo_data."Shards"', '%s')};
node(0, join ';', map { sprintf $put, "k$_" } 1 .. 60);

# The numbers, from the first, of the shards that have a session's locks.
sub places { my ($node, $where) = @_; return node($node, "SELECT string_agg(classid::text, ' ' ORDER BY classid) FROM pg_locks WHERE objsubid = 8 AND $where") }

my ($far) = keys_of(2, 'Shards');

# A trigger's request is not the one that came by HTTP.
node(1, qq{SET dynamo.distribute_new_tables = off; SET citus.enable_ddl_propagation = off;
	SELECT dynamo.create_table('Local', 'id');
	CREATE FUNCTION dynamo_data.look() RETURNS trigger LANGUAGE plpgsql AS \$\$
		BEGIN PERFORM dynamo.get_item('Shards', '{"id": "$far"}'); RETURN NEW; END\$\$;
	CREATE TRIGGER look BEFORE INSERT ON dynamo_data."Local" FOR EACH ROW EXECUTE FUNCTION dynamo_data.look()});
is(at(1, 'PutItem', '{"TableName":"Local","Item":{"id":{"S":"a"}}}')->{body}, '{}', 'a trigger reads what is elsewhere');
is(node(1, q{SET citus.enable_ddl_propagation = off; SELECT count(*) FROM dynamo_data."Local"; SELECT dynamo.drop_table('Local'); DROP FUNCTION dynamo_data.look()}),
	1, 'and the item is here');

# The class of the lock is Citus' own affair.
like(node(1, "$quiet SET citus.enable_ddl_propagation = off; BEGIN;
	CREATE OR REPLACE FUNCTION pg_catalog.lock_shard_metadata(lock_mode int, shard_id bigint[]) RETURNS void LANGUAGE sql AS 'SELECT';"
	  . sprintf($put, 'k1')), qr/this version of Citus locks shards in an unknown way/, 'nothing is written without the lock of Citus');

# A shard has another lock when one before it was split.
my ($key) = split /\n/, node(0, qq{SELECT item ->> 'id' FROM dynamo_data."Shards" WHERE get_shard_id_for_distribution_column('dynamo_data."Shards"', pk)
	= (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = $table ORDER BY shardminvalue::int DESC LIMIT 1)});
my $last = node(0, "SELECT count(*) - 1 FROM pg_dist_shard WHERE logicalrelid = $table");
my $mover = session_at(0, sprintf "BEGIN; SELECT lock_shard_metadata(7, ARRAY[$route]);", $key);
ok(wait_for(sub { places(0, "mode = 'ExclusiveLock'") eq $last }), 'somebody works on the last shard');
my $writer = session_at(0, sprintf "BEGIN; $put;", $key);
ok(wait_for(sub { places(0, 'NOT granted') eq $last }), 'a write waits for it');
unlike(node(0, "SELECT citus_split_shard_by_split_points(shardid, ARRAY[((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text],
	(SELECT array_agg(nodeid) FROM pg_dist_node WHERE groupid > 0), 'block_writes')
	FROM pg_dist_shard WHERE logicalrelid = $table ORDER BY shardminvalue::int LIMIT 1"), qr/ERROR/, 'the first is split');
print $mover "COMMIT;\n";
ok(wait_for(sub { places(0, "mode = 'ShareLock' AND granted") =~ /\b\Q${\($last + 1)}\E\b/ }), 'the write has the lock that the shard has now');
print $writer "COMMIT;\n";
close $_ for $mover, $writer;
is(node(0, q{SELECT count(*) FROM dynamo_data."Shards"}), 60, 'all items are there');
foreach my $node (0 .. 2)
{
	is(scalar(grep { at($node, 'GetItem', qq({"TableName":"Shards","Key":{"id":{"S":"k$_"}}}))->{body} ne qq({"Item":{"id":{"S":"k$_"}}}) } 1 .. 60),
		0, "node $node: also by HTTP");
}

# What is kept of tables that are no more.
my $one = q{SELECT dynamo.create_table('Gone', 'id'); SELECT dynamo.put_item('Gone', '{"id": "a"}'); SELECT dynamo.drop_table('Gone');};
cmp_ok(node(0, $quiet . $one x 6 . q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dynamo shards'}) =~ /(\d+)\z/ ? $1 : 99,
	'<', 3, 'nothing is kept of tables that were dropped');

# Distributed by hand, in ways that are not ours.
foreach my $case (['by another column', '', "'sk', colocate_with => 'none'"],
	['in two copies', 'SET citus.shard_replication_factor = 2;', "'pk', colocate_with => 'none', shard_count => 2"])
{
	my ($name, $set, $how) = @$case;
	node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Own', 'id', sort_key => 's');});
	my @keys = map { node(0, qq{SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum
		WHERE adrelid = 'dynamo_data."Own"'::regclass AND attname = '$_'}) } qw(pk sk);
	unlike(node(0, qq{$quiet $set ALTER TABLE dynamo_data."Own" ALTER pk DROP EXPRESSION, ALTER sk DROP EXPRESSION,
		ADD CONSTRAINT dynamo_key CHECK (pk = $keys[0] AND sk = $keys[1]);
		SELECT create_distributed_table('dynamo_data."Own"', $how)}), qr/ERROR/, "a table is distributed $name");
	like(node(0, q{SELECT dynamo.put_item('Own', '{"id": "a", "s": "b"}')}), qr/distributed by Citus, but not by dynamo.distribute_table/, 'it is refused');
	node(0, q{SELECT dynamo.drop_table('Own')});
}

# How many copies Citus is to make of shards by itself is nothing to ours.
unlike(node(0, q{SET citus.shard_replication_factor = 2; SELECT dynamo.create_table('Single', 'id')}), qr/ERROR/, 'a table is made where shards are to have two copies');
unlike(node(0, q{SELECT dynamo.put_item('Single', '{"id": "a"}')}), qr/ERROR/, 'it is served, with one of each');
node(0, q{SELECT dynamo.drop_table('Single')});
node(0, q{SELECT dynamo.drop_table('Shards')});
authenticate('DEFAULT');
done_testing();

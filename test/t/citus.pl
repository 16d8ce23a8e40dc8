# Beside Citus: HTTP and SQL are served, and scans get past its planner.  A table
# is distributed, used and gathered again.  A relation that Citus has distributed
# in another way is refused instead of being read as if the rows were in it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $config = $ENV{PG_CONFIG} || 'pg_config';
my $top = dirname(__FILE__) . '/../..';
chomp(my $share = `$config --sharedir`);
plan skip_all => 'Citus is not installed' unless -e "$top/tmp/pg$share/extension/citus.control";

start_server("shared_preload_libraries = 'citus, dynamo'\nmax_prepared_transactions = 50\n"
	  . "listen_addresses = 'localhost'\nlog_min_messages = fatal\n"
	  . "dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION citus;
	CREATE EXTENSION dynamo;
	SELECT citus_set_coordinator_host('localhost', current_setting('port')::int);
	SELECT citus_set_node_property('localhost', current_setting('port')::int, 'shouldhaveshards', true);
	ALTER SYSTEM SET citus.shard_count = 2;
	SELECT pg_reload_conf()});

sub make { sql(qq{SELECT dynamo.create_table('$_[0]', 'id'); SELECT dynamo.put_item('$_[0]', '{"id": "a"}')}) }
sub get_by_http { call('GetItem', qq({"TableName":"$_[0]","Key":{"id":{"S":"a"}}}))->{body} }
sub get_by_sql { sql(qq{SELECT dynamo.get_item('$_[0]', '{"id": "a"}')}) }

# Tables that Citus leaves alone.
make('Plain');
ok(wait_for(sub { get_by_http('Plain') eq '{"Item":{"id":{"S":"a"}}}' }), 'served by HTTP');
is(get_by_sql('Plain'), '{"id":{"S":"a"}}', 'and by SQL');
sql(q{CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON dynamo_data."Plain" FOR EACH ROW EXECUTE FUNCTION nothing()});
is(sql(q{SELECT * FROM dynamo.scan('Plain')}), '{"id":{"S":"a"}}', 'a scan without parameters goes by the planner');

# Each way of distributing one.  A worker and a session have its definition.
my %ways = (
	Copied => q{SELECT create_reference_table('dynamo_data."Copied"')},
	Sharded => q{ALTER TABLE dynamo_data."Sharded" ALTER pk DROP EXPRESSION;
		SELECT create_distributed_table('dynamo_data."Sharded"', 'pk')});
for my $name (sort keys %ways)
{
	make($name);
	is(get_by_http($name), '{"Item":{"id":{"S":"a"}}}', "$name: at first");
	sql($ways{$name});
	is(sql(qq{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'dynamo_data."$name"'::regclass}),
		1, "$name: distributed");
	like(get_by_http($name), qr/ValidationException.*Table $name is distributed by Citus, but not by dynamo.distribute_table/,
		"$name: refused by HTTP");
	like(get_by_sql($name), qr/ERROR:  Table $name is distributed by Citus/, "$name: and by SQL");
	like(sql(qq{SELECT dynamo.put_item('$name', '{"id": "b"}')}), qr/ERROR:  Table $name is distributed/,
		"$name: nothing is written to the shell");
	is(sql(qq{SELECT item->>'id' FROM dynamo_data."$name"}), 'a', "$name: plain SQL finds the row");
	sql(qq{DROP TABLE dynamo_data."$name"});
	like(get_by_http($name), qr/ResourceNotFoundException/, "$name: dropped by plain SQL");
}

# A table that we have distributed, here over shards of one node.
my $rows = 900;
sql(qq{SELECT dynamo.create_table('Spread', 'id', 'at', sort_key_type => 'N');
	SELECT dynamo.create_index('Spread', 'ByA', 'a', 'b');
	SELECT count(dynamo.put_item('Spread', format('{"id": "p%s", "at": %s, "a": "x%s", "b": "y%s"}',
		i % 20, i, i % 2, i % 100)::dynamo.item)) FROM generate_series(1, $rows) AS i;
	CREATE FUNCTION answers() RETURNS TABLE (what text, answer text) LANGUAGE sql AS \$\$
		SELECT 'scan', string_agg(item::text, E'\\n') FROM dynamo.scan('Spread')
		UNION ALL SELECT 'segment', string_agg(item::text, E'\\n') FROM dynamo.scan('Spread', segment => 1, total_segments => 3)
		UNION ALL SELECT 'query', string_agg(item::text, E'\\n')
			FROM dynamo.query('Spread', 'id = :p AND #at < :t', '{":p": "p3", ":t": 500}', expression_attribute_names => '{"#at": "at"}', scan_index_forward => false)
		UNION ALL SELECT 'index', string_agg(item::text, E'\\n') FROM dynamo.query('Spread', 'a = :a', '{":a": "x1"}', index_name => 'ByA')
		UNION ALL SELECT 'index scan', string_agg(item::text, E'\\n') FROM dynamo.scan('Spread', index_name => 'ByA')
		UNION ALL SELECT 'page', dynamo.call('Query', '{"TableName": "Spread", "IndexName": "ByA", "Limit": 70, "ScanIndexForward": false,
			"KeyConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "x0"}}}')::text \$\$;
	CREATE TABLE answers_before AS SELECT * FROM answers();
	GRANT SELECT ON dynamo_data."Spread" TO PUBLIC});
my $settings = q{SELECT table_name, table_id, created_at, settings FROM dynamo.tables WHERE table_name = 'Spread'};
my $before = sql($settings);
my $same = q{SELECT string_agg(what, ', ') FROM (TABLE answers_before EXCEPT SELECT * FROM answers()) AS other};
sql(q{SELECT dynamo.distribute_table('Spread', 4)});
is(sql(q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Spread"'::regclass}), 4, 'shards');
is(sql($same), '', 'every answer is the same');
is(sql($settings), $before, 'and so is the definition');
is(sql(q{SELECT store_reason FROM dynamo.explain('GetItem', '{"TableName": "Spread", "Key": {"id": {"S": "a"}, "at": {"N": "1"}}}')}),
	'the relation is distributed', 'the shell is for SQL');

# Writes: one row, several, none.
is(call('PutItem', '{"TableName":"Spread","Item":{"id":{"S":"h"},"at":{"N":"1"},"n":{"N":"1"}}}')->{body}, '{}', 'put by HTTP');
is(call('UpdateItem', '{"TableName":"Spread","Key":{"id":{"S":"h"},"at":{"N":"1"}},"UpdateExpression":"ADD n :n",'
	. '"ExpressionAttributeValues":{":n":{"N":"2"}},"ReturnValues":"UPDATED_NEW"}')->{body}, '{"Attributes":{"n":{"N":"3"}}}', 'updated');
like(call('PutItem', '{"TableName":"Spread","Item":{"id":{"S":"h"},"at":{"N":"1"}},"ConditionExpression":"n = :n",'
	. '"ExpressionAttributeValues":{":n":{"N":"2"}}}')->{body}, qr/ConditionalCheckFailedException/, 'a condition fails');
is(sql(q{SELECT dynamo.delete_item('Spread', '{"id": "h", "at": 1}', return_values => 'ALL_OLD')->>'n'}), '3', 'deleted');
sub transaction
{
	my $n = shift;
	my @actions = map { qq({"Put":{"TableName":"Spread","Item":{"id":{"S":"t$_"},"at":{"N":"$n"}}}}) } 1 .. 8;
	push @actions, '{"ConditionCheck":{"TableName":"Spread","Key":{"id":{"S":"none"},"at":{"N":"1"}},'
	  . '"ConditionExpression":"attribute_not_exists(id)"}}';
	return call('TransactWriteItems', '{"TransactItems":[' . join(',', @actions) . ']}')->{body};
}
is(transaction(1), '{}', 'a transaction over shards');
sql(q{SELECT dynamo.put_item('Spread', '{"id": "none", "at": 1}')});
like(transaction(2), qr/TransactionCanceledException/, 'another fails');
is(sql(q{SELECT string_agg(item->>'at', ' ') FROM dynamo.scan('Spread', 'begins_with(id, :t)', '{":t": "t"}')}), '1 1 1 1 1 1 1 1',
	'as a whole');
sql(q{BEGIN; SELECT dynamo.put_item('Spread', '{"id": "rolled", "at": 1}'); ROLLBACK});
is(sql(q{SELECT dynamo.get_item('Spread', '{"id": "rolled", "at": 1}')}), '', 'rolled back');

# Its definition changes, and what it cannot have is refused.
sql(q{SELECT dynamo.create_index('Spread', 'ByC', 'c'); SELECT dynamo.enable_ttl('Spread', 'ttl');
	SELECT dynamo.put_item('Spread', format('{"id": "old", "at": 1, "c": "c", "ttl": %s}', extract(epoch FROM now())::bigint - 100)::dynamo.item)});
is(sql(q{SELECT item->>'id' FROM dynamo.query('Spread', 'c = :c', '{":c": "c"}', index_name => 'ByC')}), 'old', 'a new index');
is(sql(q{SELECT dynamo.expire_items('Spread')}), 1, 'items expire');
sql(q{SELECT dynamo.drop_index('Spread', 'ByC')});
like(sql(q{SELECT dynamo.detach_table('Spread')}), qr/table "Spread" is distributed and cannot be detached/, 'not detached');
like(sql(q{ALTER TABLE dynamo_data."Spread" ENABLE ROW LEVEL SECURITY}), qr/table "Spread" is distributed and cannot have row-level security/, 'no row-level security');
sql(q{ALTER EVENT TRIGGER dynamo_capture_touched DISABLE; ALTER TABLE dynamo_data."Spread" ENABLE ROW LEVEL SECURITY});
like(sql(q{SELECT dynamo.get_item('Spread', '{"id": "a", "at": 1}')}), qr/row-level security is enabled for distributed table "Spread"/, 'nor is it read with that');
sql(q{ALTER TABLE dynamo_data."Spread" DISABLE ROW LEVEL SECURITY; ALTER EVENT TRIGGER dynamo_capture_touched ENABLE});
sql(q{SELECT dynamo.create_table('Streamed', 'id'); SELECT dynamo.enable_stream('Streamed')});
like(sql(q{SELECT dynamo.distribute_table('Streamed')}), qr/table "Streamed" cannot be distributed\nDETAIL:  It has a stream/, 'nor with a stream');

# Back, with all that it had.
sql(q{SELECT dynamo.delete_item('Spread', i::dynamo.item) FROM (SELECT json_build_object('id', item->>'id', 'at', (item->>'at')::int)
	FROM dynamo.scan('Spread', 'NOT begins_with(id, :p)', '{":p": "p"}') AS item) AS i(i)});
sql(q{SELECT dynamo.undistribute_table('Spread')});
is(sql($same), '', 'gathered: every answer is the same');
is(sql($settings), $before, 'and so is the definition');
is(sql(q{SELECT store FROM dynamo.explain('GetItem', '{"TableName": "Spread", "Key": {"id": {"S": "a"}, "at": {"N": "1"}}}')}),
	'local', 'its own relation has the rows');
is(sql(q{SELECT string_agg(attgenerated::text, '' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dynamo_data."Spread"'::regclass AND attnum > 0}),
	'ss', 'its key is generated again');
like(sql(q{SELECT relacl FROM pg_class WHERE oid = 'dynamo_data."Spread"'::regclass}), qr/=r\/postgres/, 'its privileges are kept');

# New ones.
sql(q{SET dynamo.distribute_new_tables = on; SELECT dynamo.create_table('New', 'id'); SELECT dynamo.put_item('New', '{"id": "a"}')});
is(sql(q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."New"'::regclass}), 2, 'a new one is distributed');
sql(q{SELECT dynamo.drop_table('New')});
is(sql(q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text ~ 'New'}), 0, 'and dropped');

done_testing();

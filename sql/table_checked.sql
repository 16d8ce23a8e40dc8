-- Key columns that are ordinary ones, under a CHECK that keeps them what they
-- would be made of the item: what a distributed table has.  The engine serves
-- such a relation by itself; with any other CHECK it leaves it to SQL.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('Checked', 'id', 'at', sort_key_type => 'N');
SELECT dynamo.create_index('Checked', 'ByA', 'a');
SELECT dynamo.put_item('Checked', '{"id": "a", "at": 1, "a": "x"}');
CREATE FUNCTION store() RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(': ', store, store_reason)
	FROM dynamo.explain('GetItem', '{"TableName": "Checked", "Key": {"id": {"S": "a"}, "at": {"N": "1"}}}') $$;
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT store();
-- ordinary columns could be anything
ALTER TABLE dynamo_data."Checked" ALTER pk DROP EXPRESSION, ALTER sk DROP EXPRESSION;
SELECT store();
-- not both of them
ALTER TABLE dynamo_data."Checked" ADD CONSTRAINT half CHECK (pk = dynamo_internal.partition_key(item, 'id', 'S'));
SELECT store();
-- another attribute
ALTER TABLE dynamo_data."Checked" DROP CONSTRAINT half;
ALTER TABLE dynamo_data."Checked" ADD CONSTRAINT other CHECK (
	pk = dynamo_internal.partition_key(item, 'id', 'S') AND sk = dynamo_internal.sort_key(item, 'to', 'N')) NOT VALID;
SELECT store();
-- rows that are there may differ
ALTER TABLE dynamo_data."Checked" DROP CONSTRAINT other;
ALTER TABLE dynamo_data."Checked" ADD CONSTRAINT keys CHECK (
	pk = dynamo_internal.partition_key(item, 'id', 'S') AND sk = dynamo_internal.sort_key(item, 'at', 'N')) NOT VALID;
SELECT store();
ALTER TABLE dynamo_data."Checked" VALIDATE CONSTRAINT keys;
SELECT store();
-- one more is for SQL to check
ALTER TABLE dynamo_data."Checked" ADD CONSTRAINT more CHECK (item->>'a' <> 'y');
SELECT store();
SELECT try($$SELECT dynamo.put_item('Checked', '{"id": "a", "at": 2, "a": "y"}')$$);
SELECT dynamo.put_item('Checked', '{"id": "a", "at": 2, "a": "x"}');
SELECT dynamo.put_item('Checked', '{"id": "a", "at": 2, "a": "z"}', return_values => 'ALL_OLD');
ALTER TABLE dynamo_data."Checked" DROP CONSTRAINT more;
-- plain SQL need not name the key, and cannot name a wrong one
SELECT try($$INSERT INTO dynamo_data."Checked" (item) VALUES ('{"id": "b", "at": 2}')$$);
SELECT try($$INSERT INTO dynamo_data."Checked" VALUES ('c', 1, '{"id": "b", "at": 1}')$$);
SELECT try($$INSERT INTO dynamo_data."Checked" VALUES ('b', 1, '{"id": "b", "at": 1, "a": "x"}')$$);
SELECT try($$UPDATE dynamo_data."Checked" SET item = '{"id": "c", "at": 1}' WHERE pk = 'b'$$);
SELECT dynamo.update_item('Checked', '{"id": "b", "at": 1}', 'ADD n :n', '{":n": 1}', return_values => 'ALL_NEW');
SELECT dynamo.put_item('Checked', '{"id": "d", "at": 1, "a": "x"}');
SELECT pk, sk, item FROM dynamo_data."Checked" ORDER BY pk, sk;
SELECT * FROM dynamo.query('Checked', 'a = :a', '{":a": "x"}', index_name => 'ByA');
-- without Citus no table is distributed
SELECT try($$SELECT dynamo.distribute_table('Checked')$$);
SELECT try($$SELECT dynamo.distribute_table('Checked', shard_count => 4)$$);
SELECT try($$SELECT dynamo.distribute_table('Checked', NULL)$$);
SELECT try($$SELECT dynamo.distribute_table(NULL)$$);
SELECT try($$SELECT dynamo.undistribute_table('Checked')$$);
SELECT try($$SELECT * FROM dynamo.check_cluster()$$);
SELECT try($$SELECT * FROM dynamo.cluster_nodes()$$);
SELECT try($$SELECT * FROM dynamo.stat_shards()$$);
SELECT try($$SELECT * FROM dynamo.rebalance(dry_run => false)$$);
CALL dynamo.add_node('db2', 5432);
-- and whoever may call the functions of clusters has to be a superuser for these
BEGIN;
GRANT EXECUTE ON FUNCTION dynamo.cluster_nodes(), dynamo.remove_node(text, integer, text, boolean), dynamo.rebalance(boolean, double precision, integer, text), dynamo.check_cluster() TO pg_read_server_files;
SET LOCAL ROLE pg_read_server_files;
SELECT try($$SELECT * FROM dynamo.cluster_nodes()$$);
SELECT try($$SELECT dynamo.remove_node('db2', 5432)$$);
SELECT try($$SELECT * FROM dynamo.rebalance()$$);
SELECT try($$SELECT * FROM dynamo.check_cluster()$$);
ROLLBACK;
SET dynamo.distribute_new_tables = on;
SELECT try($$SELECT dynamo.create_table('New', 'id')$$);
SELECT dynamo.try_call('CreateTable', '{"TableName": "New", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}');
RESET dynamo.distribute_new_tables;
-- Attack: any role, or the database's owner for all others, turns that on.
CREATE ROLE checked_owner;
SET ROLE checked_owner;
SET dynamo.distribute_new_tables = on;
ALTER ROLE checked_owner SET dynamo.distribute_new_tables = on;
RESET ROLE;
DROP ROLE checked_owner;
DROP FUNCTION store;
DROP FUNCTION try;
SELECT dynamo.drop_table('Checked');

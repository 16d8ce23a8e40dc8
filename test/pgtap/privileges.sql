-- Who may do what: the grants on a table's relation hold for every function.
BEGIN;
SET LOCAL search_path = tap, pg_catalog;
SELECT no_plan();

SELECT dynamo.create_table('Guarded', 'pk');
SELECT dynamo.create_index('Guarded', 'ByOwner', 'owner');
SELECT dynamo.put_item('Guarded', '{"pk": "1", "owner": "ann", "n": 1}');
SELECT dynamo.call('UpdateTable', '{"TableName": "Guarded", "VectorIndexUpdates": [{"Create": {"IndexName": "Near",
	"VectorAttribute": {"AttributeName": "v"}, "Dimensions": 1, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT dynamo.enable_stream('Guarded');

CREATE ROLE dynamo_test_nobody;
CREATE ROLE dynamo_test_reader;
CREATE ROLE dynamo_test_inserter;
CREATE ROLE dynamo_test_deleter;
CREATE ROLE dynamo_test_clerk;
GRANT USAGE ON SCHEMA tap TO PUBLIC;
GRANT SELECT ON dynamo_data."Guarded" TO dynamo_test_reader;
GRANT INSERT ON dynamo_data."Guarded" TO dynamo_test_inserter;
GRANT DELETE ON dynamo_data."Guarded" TO dynamo_test_deleter;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."Guarded" TO dynamo_test_clerk;

-- What a role may do: each statement is let through, or refused for lack of
-- privilege, be it in Postgres's words or as AccessDeniedException.
CREATE FUNCTION pg_temp.attempt(role name, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE statement;
	RESET ROLE;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN CASE WHEN SQLSTATE IN ('42501', 'ND015') THEN 'denied' ELSE SQLSTATE || ' ' || SQLERRM END;
END
$$;

CREATE TEMP TABLE statement (ordinal serial, name text, needs text[], command text);
INSERT INTO statement (name, needs, command) VALUES
	('get_item', '{SELECT}', $$SELECT * FROM dynamo.get_item('Guarded', '{"pk": "1"}')$$),
	('query', '{SELECT}', $$SELECT * FROM dynamo.query('Guarded', 'pk = :p', '{":p": "1"}')$$),
	('query on an index', '{SELECT}', $$SELECT * FROM dynamo.query('Guarded', '#o = :o', '{":o": "ann"}', index_name => 'ByOwner', expression_attribute_names => '{"#o": "owner"}')$$),
	('scan', '{SELECT}', $$SELECT * FROM dynamo.scan('Guarded')$$),
	('search_vectors', '{SELECT}', $$SELECT * FROM dynamo.search_vectors('Guarded', 'Near', ARRAY[1], 1)$$),
	('batch_get', '{SELECT}', $$SELECT * FROM dynamo.batch_get('Guarded', '{"pk": "1"}', '{"pk": "2"}')$$),
	('transact_get', '{SELECT}', $$SELECT * FROM dynamo.transact_get('[{"Get": {"TableName": "Guarded", "Key": {"pk": "1"}}}]')$$),
	('put_item', '{INSERT,UPDATE}', $$SELECT dynamo.put_item('Guarded', '{"pk": "2"}')$$),
	('update_item', '{SELECT,INSERT,UPDATE}', $$SELECT dynamo.update_item('Guarded', '{"pk": "3"}', 'SET n = :n', '{":n": 1}')$$),
	('delete_item', '{DELETE}', $$SELECT dynamo.delete_item('Guarded', '{"pk": "2"}')$$),
	('transact_write', '{INSERT,UPDATE}', $$SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Guarded", "Item": {"pk": "4"}}}]')$$),
	('call GetItem', '{SELECT}', $$SELECT dynamo.call('GetItem', '{"TableName": "Guarded", "Key": {"pk": {"S": "1"}}}')$$),
	('call PutItem', '{INSERT,UPDATE}', $$SELECT dynamo.call('PutItem', '{"TableName": "Guarded", "Item": {"pk": {"S": "5"}}}')$$),
	('stream', '{SELECT}', $$SELECT * FROM dynamo.stream('Guarded')$$),
	('disable_stream', '{OWN}', $$SELECT dynamo.disable_stream('Guarded')$$),
	('trim_streams', '{OWN}', $$SELECT dynamo.trim_streams()$$),
	('enable_recovery', '{OWN}', $$SELECT dynamo.enable_recovery('Guarded', 7)$$),
	('log_conflicts', '{OWN}', $$SELECT dynamo.log_conflicts('Guarded')$$),
	('disable_recovery', '{OWN}', $$SELECT dynamo.disable_recovery('Guarded')$$),
	('mark_recovery', '{OWN}', $$SELECT dynamo.mark_recovery()$$),
	('trim_recovery', '{OWN}', $$SELECT dynamo.trim_recovery()$$),
	('drop_table', '{OWN}', $$SELECT dynamo.drop_table('Guarded')$$),
	('create_index', '{OWN}', $$SELECT dynamo.create_index('Guarded', 'More', 'more')$$),
	('create_table', '{CREATE}', $$SELECT dynamo.create_table('Another', 'pk')$$);

CREATE TEMP TABLE role_has (role name, has text[]);
INSERT INTO role_has VALUES
	('dynamo_test_nobody', '{}'),
	('dynamo_test_reader', '{SELECT}'),
	('dynamo_test_inserter', '{INSERT}'),
	('dynamo_test_deleter', '{DELETE}'),
	('dynamo_test_clerk', '{SELECT,INSERT,UPDATE,DELETE}');

SELECT is(pg_temp.attempt(role, command), CASE WHEN needs <@ has THEN 'done' ELSE 'denied' END,
	format('%s by %s', name, role))
FROM statement CROSS JOIN role_has ORDER BY ordinal, role;

-- Definitions are written by no one, and read by anyone who may use the table
-- (rows of others are hidden by policies).
SELECT table_privs_are('dynamo', t, 'dynamo_test_clerk', '{SELECT}', 'definitions in ' || t)
FROM unnest('{tables,indexes,streams}'::name[]) AS t;

-- Nothing refused has left a trace.
SELECT is((SELECT count(*) FROM dynamo.scan('Guarded')), 4::bigint, 'only the clerk wrote');

-- With CREATE on schema dynamo_data a plain role makes its own tables.
GRANT CREATE ON SCHEMA dynamo_data TO dynamo_test_clerk;
SELECT is(pg_temp.attempt('dynamo_test_clerk', $$SELECT dynamo.create_table('Own', 'pk')$$), 'done', 'create_table with CREATE');
SELECT is(pg_temp.attempt('dynamo_test_clerk', $$SELECT dynamo.put_item('Own', '{"pk": "1"}')$$), 'done', 'put_item into it');
SELECT is(pg_temp.attempt('dynamo_test_clerk', $$SELECT dynamo.create_index('Own', 'ByA', 'a')$$), 'done', 'create_index on it');
SELECT is(pg_temp.attempt('dynamo_test_reader', $$SELECT dynamo.drop_table('Own')$$), 'denied', 'not dropped by others');
SELECT is(pg_temp.attempt('dynamo_test_clerk', $$SELECT dynamo.drop_table('Own')$$), 'done', 'dropped by its owner');

-- What a policy hides, no function shows (it may refuse to read at all).
ALTER TABLE dynamo_data."Guarded" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON dynamo_data."Guarded" USING (item->>'owner' = 'bob');
CREATE FUNCTION pg_temp.count_as(role name, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE format('SELECT count(*) FROM %s', query) INTO n;
	RESET ROLE;
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END
$$;
SELECT isnt(pg_temp.count_as('dynamo_test_clerk', query), '1', 'a policy hides items from ' || query)
FROM unnest(ARRAY[
	$$dynamo.scan('Guarded')$$,
	$$dynamo.query('Guarded', 'pk = :p', '{":p": "1"}')$$,
	$$dynamo.get_item('Guarded', '{"pk": "1"}')$$]) AS query;

SELECT * FROM finish();
ROLLBACK;

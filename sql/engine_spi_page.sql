-- A page of a relation that needs the planner is read from an index, item by
-- item: what comes after it is neither read nor sorted
\t on
\a
SELECT dynamo.create_table('EngineSpiPage', 'pk', 'sk'), dynamo.create_index('EngineSpiPage', 'ByKind', 'kind', 'n', sort_key_type => 'N');
INSERT INTO dynamo_data."EngineSpiPage" (item)
SELECT jsonb_build_object('pk', 'p' || n % 100, 'sk', lpad(n::text, 5, '0'), 'kind', 'k', 'n', n)::dynamo.item FROM generate_series(1, 5000) n;
ANALYZE dynamo_data."EngineSpiPage";
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN new; END$$;
CREATE TRIGGER pass BEFORE UPDATE ON dynamo_data."EngineSpiPage" FOR EACH ROW EXECUTE FUNCTION pass();
-- rows read since the last call, in a few words
CREATE FUNCTION pg_temp.rows_read() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  seen bigint = coalesce(nullif(current_setting('regress.seen', true), ''), '0')::bigint;
  now bigint = (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = dynamo.relation('EngineSpiPage'));
BEGIN
  PERFORM set_config('regress.seen', now::text, true);
  RETURN CASE WHEN now - seen <= 100 THEN 'few' WHEN now - seen < 5000 THEN 'some' ELSE 'all' END;
END $$;
CREATE FUNCTION pg_temp.call(operation text, more text) RETURNS text LANGUAGE sql AS $$
  SELECT dynamo.call(operation, ('{"TableName": "EngineSpiPage", "Limit": 2, "Select": "COUNT", ' || more || '}')::json) ->> 'Count' $$;
BEGIN;
-- a page of a Scan: of the table, from the middle of a segment, of an index
SELECT pg_temp.call('Scan', '"ReturnConsumedCapacity": "NONE"'), pg_temp.rows_read();
SELECT pg_temp.call('Scan', '"Segment": 1, "TotalSegments": 3'), pg_temp.rows_read();
SELECT pg_temp.call('Scan', '"ExclusiveStartKey": {"pk": {"S": "p7"}, "sk": {"S": "00007"}}'), pg_temp.rows_read();
SELECT pg_temp.call('Scan', '"IndexName": "ByKind"'), pg_temp.rows_read();
-- a page of a Query: forwards, backwards, from inside a range
SELECT pg_temp.call('Query', '"IndexName": "ByKind", "KeyConditionExpression": "kind = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}'), pg_temp.rows_read();
SELECT pg_temp.call('Query', '"IndexName": "ByKind", "KeyConditionExpression": "kind = :k AND n < :n", "ExpressionAttributeValues": {":k": {"S": "k"}, ":n": {"N": "4000"}}, "ScanIndexForward": false'), pg_temp.rows_read();
SELECT pg_temp.call('Query', '"IndexName": "ByKind", "KeyConditionExpression": "kind = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}, "ExclusiveStartKey": {"kind": {"S": "k"}, "n": {"N": "100"}, "pk": {"S": "p0"}, "sk": {"S": "00100"}}'), pg_temp.rows_read();
SELECT pg_temp.call('Query', '"KeyConditionExpression": "pk = :p AND sk > :s", "ExpressionAttributeValues": {":p": {"S": "p7"}, ":s": {"S": "02"}}'), pg_temp.rows_read();
-- ... even if the planner thinks that to read and sort them all is cheaper
SET LOCAL random_page_cost = 100000;
SELECT pg_temp.call('Query', '"IndexName": "ByKind", "KeyConditionExpression": "kind = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}'), pg_temp.rows_read();
SET LOCAL random_page_cost = 4;
-- so does LIMIT
SELECT count(*), pg_temp.rows_read() FROM (SELECT FROM dynamo.scan('EngineSpiPage') LIMIT 3) s;
SELECT count(*), pg_temp.rows_read() FROM (SELECT FROM dynamo.query('EngineSpiPage', 'kind = :k', '{":k": "k"}', index_name => 'ByKind', scan_index_forward => false) LIMIT 3) s;
-- who asks for all reads all; the settings of the session are as they were
SELECT count(*), pg_temp.rows_read() FROM dynamo.scan('EngineSpiPage');
SHOW enable_sort;
COMMIT;
SELECT dynamo.drop_table('EngineSpiPage');
DROP FUNCTION pass;

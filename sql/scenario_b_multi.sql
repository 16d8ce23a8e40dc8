-- Orders of customers by an index with several key attributes: the model
-- without c#, i#, o# prefixes glued into its keys.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenMulti', 'PK', 'SK');
-- the table has items before it has the index; they are not touched by it
SELECT count(*) FROM unnest(ARRAY[
  '{"PK": "o#001", "SK": "o#001", "CustomerId": "c#001", "EntityType": "order", "OrderDate": "2025-02-10"}',
  '{"PK": "o#001", "SK": "p#001", "CustomerId": "c#001", "EntityType": "product", "OrderDate": "2025-02-10", "quantity": 2}',
  '{"PK": "o#001", "SK": "p#002", "CustomerId": "c#001", "EntityType": "product", "OrderDate": "2025-02-10", "quantity": 1}',
  '{"PK": "o#001", "SK": "i#001", "CustomerId": "c#001", "EntityType": "invoice", "OrderDate": "2025-02-11", "amount": 320}',
  '{"PK": "o#002", "SK": "i#002", "CustomerId": "c#001", "EntityType": "invoice", "OrderDate": "2025-04-03", "amount": 150}',
  '{"PK": "o#003", "SK": "i#003", "CustomerId": "c#002", "EntityType": "invoice", "OrderDate": "2025-02-12", "amount": 1}',
  '{"PK": "o#004", "SK": "i#004", "CustomerId": "c#001", "EntityType": "invoice2", "OrderDate": "2025-02-12"}',
  '{"PK": "p#001", "SK": "p#001", "title": "Lamp", "OrderDate": 7}']) i, dynamo.put_item('ScenMulti', i::dynamo.item);
CREATE TABLE scen_rows AS SELECT ctid AS place, xmin::text AS writer, item FROM dynamo_data."ScenMulti";
SELECT dynamo.call('UpdateTable', '{"TableName": "ScenMulti", "AttributeDefinitions": [{"AttributeName": "CustomerId", "AttributeType": "S"}, {"AttributeName": "EntityType", "AttributeType": "S"}, {"AttributeName": "OrderDate", "AttributeType": "S"}],
  "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "ByCustomer", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "CustomerId", "KeyType": "HASH"}, {"AttributeName": "EntityType", "KeyType": "RANGE"}, {"AttributeName": "OrderDate", "KeyType": "RANGE"}]}}]}')
  #>> '{TableDescription,GlobalSecondaryIndexes,0,KeySchema}';
SELECT count(*) FROM scen_rows r JOIN dynamo_data."ScenMulti" t ON t.ctid = place AND t.xmin::text = writer AND t.item = r.item;
DROP TABLE scen_rows;
CREATE FUNCTION pg_temp.query(condition text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  all_values jsonb = '{":c": "c#001", ":t": "invoice", ":d": "2025-02-11", ":a": "2025-01-01", ":b": "2025-03-31", ":i": "i"}';
  vals jsonb = (SELECT jsonb_object_agg(key, value) FROM jsonb_each(all_values) WHERE condition ~ (key || '\M'));
  answer json = dynamo.try_call('Query', (jsonb_build_object('TableName', 'ScenMulti', 'IndexName', 'ByCustomer', 'KeyConditionExpression', condition, 'ProjectionExpression', 'SK',
    'ExpressionAttributeValues', (SELECT jsonb_object_agg(key, jsonb_build_object('S', value)) FROM jsonb_each(vals))) || more)::json);
  sql text;
BEGIN
  -- the other door must give the same
  BEGIN
    SELECT coalesce(string_agg(q.item ->> 'SK', ' '), '') INTO sql FROM dynamo.query('ScenMulti', condition, vals::dynamo.item, index_name => 'ByCustomer', scan_index_forward => coalesce((more ->> 'ScanIndexForward')::bool, true)) q;
  EXCEPTION WHEN OTHERS THEN
    sql = sqlerrm;
  END;
  RETURN CASE WHEN sql = coalesce(answer ->> 'message', (SELECT string_agg(i #>> '{SK,S}', ' ') FROM json_array_elements(answer -> 'Items') i), '') THEN sql ELSE 'DIFFERENT: ' || sql || ' / ' || answer END;
END $$;

-- allowed: the partition key alone; the first sort attribute; both equal; equal and a range on the second
SELECT pg_temp.query('CustomerId = :c');
SELECT pg_temp.query('CustomerId = :c', '{"ScanIndexForward": false}');
SELECT pg_temp.query('CustomerId = :c AND EntityType = :t');
SELECT pg_temp.query('CustomerId = :c AND EntityType = :t AND OrderDate = :d');
SELECT pg_temp.query('CustomerId = :c AND EntityType = :t AND OrderDate BETWEEN :a AND :b');
SELECT pg_temp.query('OrderDate > :d AND EntityType = :t AND CustomerId = :c');
SELECT pg_temp.query('CustomerId = :c AND EntityType > :t');
SELECT pg_temp.query('CustomerId = :c AND begins_with(EntityType, :i)');
-- refused: EntityType passed over; anything after a range on it; no partition key, or a range on it
SELECT pg_temp.query('CustomerId = :c AND OrderDate = :d');
SELECT pg_temp.query('CustomerId = :c AND EntityType > :t AND OrderDate = :d');
SELECT pg_temp.query('CustomerId = :c AND begins_with(EntityType, :i) AND OrderDate BETWEEN :a AND :b');
SELECT pg_temp.query('EntityType = :t AND OrderDate = :d');
SELECT pg_temp.query('begins_with(CustomerId, :c) AND EntityType = :t');
-- a filter is no way to ask for a key attribute; for another it is
SELECT dynamo.try_call('Query', '{"TableName": "ScenMulti", "IndexName": "ByCustomer", "KeyConditionExpression": "CustomerId = :c", "FilterExpression": "OrderDate = :d", "ExpressionAttributeValues": {":c": {"S": "c#001"}, ":d": {"S": "2025-02-11"}}}');
SELECT dynamo.call('Query', '{"TableName": "ScenMulti", "IndexName": "ByCustomer", "KeyConditionExpression": "CustomerId = :c AND EntityType = :t", "FilterExpression": "amount > :n", "Select": "COUNT",
  "ExpressionAttributeValues": {":c": {"S": "c#001"}, ":t": {"S": "invoice"}, ":n": {"N": "200"}}}');

-- pages go on inside equal keys; the key of a page has all attributes of both
SELECT dynamo.call('Query', '{"TableName": "ScenMulti", "IndexName": "ByCustomer", "KeyConditionExpression": "CustomerId = :c AND EntityType = :t", "Limit": 1, "ProjectionExpression": "SK", "ExpressionAttributeValues": {":c": {"S": "c#001"}, ":t": {"S": "product"}}}') AS page \gset
\echo :page
SELECT dynamo.call('Query', jsonb_set('{"TableName": "ScenMulti", "IndexName": "ByCustomer", "KeyConditionExpression": "CustomerId = :c AND EntityType = :t", "Limit": 2, "ProjectionExpression": "SK", "ExpressionAttributeValues": {":c": {"S": "c#001"}, ":t": {"S": "product"}}}',
  '{ExclusiveStartKey}', :'page'::jsonb -> 'LastEvaluatedKey')::json);

-- sparse: an item without one of the three is not there; one that loses it, leaves; one of the wrong type is refused
SELECT dynamo.put_item('ScenMulti', '{"PK": "o#005", "SK": "i#005", "CustomerId": "c#001", "EntityType": "invoice"}');
SELECT dynamo.update_item('ScenMulti', '{"PK": "o#002", "SK": "i#002"}', 'REMOVE OrderDate');
SELECT pg_temp.query('CustomerId = :c AND EntityType = :t');
SELECT dynamo.update_item('ScenMulti', '{"PK": "o#005", "SK": "i#005"}', 'SET OrderDate = :d', '{":d": "2025-01-05"}');
SELECT pg_temp.query('CustomerId = :c AND EntityType = :t');
SELECT dynamo.put_item('ScenMulti', '{"PK": "o#006", "SK": "i#006", "OrderDate": 7}');
SELECT dynamo.update_item('ScenMulti', '{"PK": "o#005", "SK": "i#005"}', 'SET EntityType = :d', '{":d": ""}');
SELECT dynamo.update_item('ScenMulti', '{"PK": "o#005", "SK": "i#005"}', 'REMOVE EntityType');
SELECT count(*) FROM dynamo.scan('ScenMulti', index_name => 'ByCustomer');

-- four and four, of all types; a fifth is refused
SELECT dynamo.create_index('ScenMulti', 'Wide', '{h1,h2,h3,h4}'::text[], '{r1,r2,r3,r4}'::text[], '{S,N,B,S}', '{N,S,B,N}', 'KEYS_ONLY');
SELECT dynamo.create_index('ScenMulti', 'Wider', '{h1,h2,h3,h4,h5}'::text[]);
SELECT dynamo.create_index('ScenMulti', 'Wider', '{h1}'::text[], '{r1,r2,r3,r4,r5}'::text[]);
SELECT count(dynamo.put_item('ScenMulti', (jsonb_build_object('PK', jsonb_build_object('S', n::text), 'SK', '{"S": "w"}'::jsonb, 'x', '{"N": "1"}'::jsonb, 'r1', jsonb_build_object('N', (n % 2 * -10)::text), 'r4', jsonb_build_object('N', (10 - n)::text))
  || '{"h1": {"S": "h"}, "h2": {"N": "2"}, "h3": {"B": "/w=="}, "h4": {"S": "i"}, "r2": {"S": "s"}, "r3": {"B": "AA=="}}')::text::dynamo.item, return_values => 'ALL_OLD')) FROM generate_series(1, 4) n;
SELECT item::jsonb FROM dynamo.query('ScenMulti', 'h4 = :h4 AND h3 = :h3 AND h2 = :h2 AND h1 = :h1', '{":h1": {"S": "h"}, ":h2": {"N": "2.0"}, ":h3": {"B": "/w=="}, ":h4": {"S": "i"}}', index_name => 'Wide', projection_expression => 'PK, r1, r4');
SELECT item ->> 'PK' FROM dynamo.query('ScenMulti', 'h4 = :h4 AND h3 = :h3 AND h2 = :h2 AND h1 = :h1 AND r1 = :r1 AND r2 = :s AND r3 = :b AND r4 > :r4',
  '{":h1": {"S": "h"}, ":h2": {"N": "2"}, ":h3": {"B": "/w=="}, ":h4": {"S": "i"}, ":r1": {"N": "-1e1"}, ":s": {"S": "s"}, ":b": {"B": "AA=="}, ":r4": {"N": "8.5"}}', index_name => 'Wide');
-- no trick with where one attribute ends and the next begins
SELECT count(*) FROM dynamo.query('ScenMulti', 'h4 = :h4 AND h3 = :h3 AND h2 = :h2 AND h1 = :h1', '{":h1": {"S": "i"}, ":h2": {"N": "2"}, ":h3": {"B": "/w=="}, ":h4": {"S": "h"}}', index_name => 'Wide');
SELECT dynamo.drop_table('ScenMulti');

-- Vector indexes: what writes may give their attributes, by every door
\t on
\a
CREATE FUNCTION pg_temp.must(operation text, request json) RETURNS void LANGUAGE sql AS $$ SELECT dynamo.call(operation, request) $$;
CREATE FUNCTION pg_temp.refused(operation text, request text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a->>'message', a::text) FROM dynamo.try_call(operation, request::json) a $$;
SELECT pg_temp.must('CreateTable', '{"TableName": "Vectored", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "Country", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
  "VectorIndexes": [{"IndexName": "vidx", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 4, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"},
    "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "Country", "SearchSchemaElementType": "INLINE_FILTER"}]}]}');
CREATE FUNCTION pg_temp.put(attributes text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.refused('PutItem', json_build_object('TableName', 'Vectored', 'Item', '{"pk": {"S": "a"}}'::jsonb || attributes::jsonb)::text) $$;
CREATE FUNCTION pg_temp.found(tenant text DEFAULT 't') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('SearchVectors', json_build_object('TableName', 'Vectored', 'IndexName', 'vidx', 'TopK', 9, 'SearchVector', '[{"N": "0"}, {"N": "0"}, {"N": "0"}, {"N": "0"}]'::json,
    'SearchConditionExpression', 'tenant = :t', 'ExpressionAttributeValues', json_build_object(':t', json_build_object('S', tenant))))->'SearchResults' $$;

-- the vector: a list, of that size, of numbers, each a float4; the first that is not is told
SELECT a, pg_temp.put(a) FROM unnest(ARRAY[
  '{"emb": {"S": "x"}}', '{"emb": {"NS": ["1", "2", "3", "4"]}}', '{"emb": {"L": [{"N": "1"}, {"S": "2"}, {"N": "3"}]}}', '{"emb": {"L": []}}',
  '{"emb": {"L": [{"N": "1"}, {"S": "2"}, {"N": "4e38"}, {"N": "4"}]}}', '{"emb": {"L": [{"N": "1"}, {"N": "3.5e38"}, {"S": "2"}, {"N": "4"}]}}',
  '{"emb": {"L": [{"N": "1"}, {"N": "-400000000000000000000000000000000000000"}, {"N": "2"}, {"N": "4"}]}}', '{"emb": {"L": [{"N": "1"}, {"L": []}, {"N": "2"}, {"N": "4"}]}}',
  '{"emb": {"L": [{"N": "1e125"}, {"N": "1"}, {"N": "2"}, {"N": "4"}]}}']) a;
SELECT pg_temp.put('{"emb": {"L": [{"N": "3.4028235e38"}, {"N": "-3.4028235e38"}, {"N": "1e-130"}, {"N": "0"}]}}');
-- the attributes of the SearchSchema
SELECT pg_temp.put('{"Country": {"N": "1"}}');
SELECT pg_temp.put('{"tenant": {"BOOL": true}}');
SELECT pg_temp.put('{"tenant": {"S": ""}}');
SELECT pg_temp.put(json_build_object('tenant', json_build_object('S', repeat('x', 2049)))::text);
SELECT pg_temp.put(json_build_object('Country', json_build_object('S', repeat('x', 10241)))::text);
SELECT pg_temp.put(json_build_object('tenant', json_build_object('S', repeat('x', 2048)), 'Country', json_build_object('S', repeat('x', 10240)))::text);
-- an empty filter is allowed
SELECT pg_temp.put('{"Country": {"S": ""}, "tenant": {"S": "t"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}');
SELECT pg_temp.found();
-- the index is sparse: without the vector, without the HASH attribute
SELECT pg_temp.put('{"tenant": {"S": "t"}}');
SELECT pg_temp.put('{"emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}');
SELECT pg_temp.found();

-- an update is asked about what it changes
CREATE FUNCTION pg_temp.update(expression text, val text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.refused('UpdateItem', json_build_object('TableName', 'Vectored', 'Key', '{"pk": {"S": "a"}}'::json, 'UpdateExpression', expression,
    'ExpressionAttributeValues', CASE WHEN val IS NOT NULL THEN json_build_object(':v', val::json) END)::text) $$;
SELECT pg_temp.update('SET emb = :v', '{"L": [{"N": "1"}]}');
SELECT pg_temp.update('SET emb[4] = :v', '{"N": "1"}');
SELECT pg_temp.update('SET emb[1] = :v', '{"S": "1"}');
SELECT pg_temp.update('SET Country = :v', '{"NULL": true}');
SELECT pg_temp.update('SET tenant = :v', '{"S": "t"}');
SELECT pg_temp.update('SET emb[1] = :v', '{"N": "3"}');
SELECT pg_temp.found();
SELECT pg_temp.update('REMOVE emb', NULL);
SELECT pg_temp.found();
-- what was refused has changed nothing
SELECT dynamo.get_item('Vectored', '{"pk": "a"}');

-- batches, of which one bad put fails all; transactions, with a reason; PartiQL
SELECT pg_temp.refused('BatchWriteItem', '{"RequestItems": {"Vectored": [{"PutRequest": {"Item": {"pk": {"S": "b"}}}}, {"PutRequest": {"Item": {"pk": {"S": "c"}, "emb": {"S": "x"}}}}]}}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "Vectored", "Item": {"pk": {"S": "b"}}}}, {"Put": {"TableName": "Vectored", "Item": {"pk": {"S": "c"}, "emb": {"S": "x"}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "Vectored", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET emb = :v", "ExpressionAttributeValues": {":v": {"L": [{"N": "1"}]}}}}]}');
SELECT pg_temp.refused('ExecuteStatement', '{"Statement": "INSERT INTO \"Vectored\" VALUE {''pk'': ''p'', ''emb'': [1, 2]}"}');
SELECT pg_temp.refused('ExecuteStatement', '{"Statement": "UPDATE \"Vectored\" SET emb = [1, 2, 3, ''x''] WHERE pk = ''a''"}');
-- by SQL
SELECT dynamo.put_item('Vectored', '{"pk": "s", "emb": [1]}');
SELECT dynamo.transact_write('[{"Put": {"TableName": "Vectored", "Item": {"pk": {"S": "s"}, "emb": {"L": []}}}}]');
SELECT count(*) FROM dynamo.scan('Vectored');
-- what comes by plain SQL is stored; it is just not in the index
INSERT INTO dynamo_data."Vectored" (item) VALUES ('{"pk": "s0", "tenant": "q", "emb": [1]}');
INSERT INTO dynamo_data."Vectored" (item) VALUES ('{"pk": "s1", "tenant": "q", "emb": [1]}'), ('{"pk": "s2", "tenant": "q", "emb": [1, 2, 3, "x"]}'),
  ('{"pk": "s3", "tenant": "q", "emb": [1, 2, 3, 1e40]}'), ('{"pk": "s4", "tenant": "q", "Country": 1, "emb": [1, 2, 3, 4]}'), ('{"pk": "s5", "tenant": "q", "emb": "x"}'),
  ('{"pk": "s6", "tenant": "q", "emb": [1, 2, 3, 4]}') RETURNING 1;
SELECT pg_temp.found('q');
COPY dynamo_data."Vectored" (item) FROM STDIN;
{"pk": "c1", "tenant": "q", "emb": [0, 0, 0, 5.5]}
{"pk": "c2", "tenant": "q", "emb": 1}
\.
UPDATE dynamo_data."Vectored" SET item = '{"pk": "s6", "tenant": "other", "emb": [1, 2, 3, 4]}' WHERE item->>'pk' = 's6';
SELECT pg_temp.found('q');
-- a HASH attribute that no write may be given is in no index, though a condition may name it
INSERT INTO dynamo_data."Vectored" (item) SELECT jsonb_build_object('pk', 'long' || n, 'tenant', repeat('x', n), 'emb', '[1, 2, 3, 4]'::jsonb)::dynamo.item FROM unnest(ARRAY[2048, 2049]) n;
SELECT n, json_array_length(pg_temp.found(repeat('x', n))) FROM unnest(ARRAY[2048, 2049]) n;
DELETE FROM dynamo_data."Vectored";
-- so does a table with a trigger, which SQL serves
CREATE FUNCTION vector_write_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$;
CREATE TRIGGER t BEFORE INSERT ON dynamo_data."Vectored" FOR EACH ROW EXECUTE FUNCTION vector_write_trigger();
SELECT pg_temp.put('{"emb": {"S": "x"}}');
SELECT pg_temp.put('{"tenant": {"S": "t"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}');
SELECT pg_temp.found();
DROP TRIGGER t ON dynamo_data."Vectored";
DROP FUNCTION vector_write_trigger();

-- capacity: bytes of the index when its entry changes, of the vector as float4, its name, keys, and what is projected
CREATE FUNCTION pg_temp.consumed(operation text, request text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call(operation, ('{"TableName": "Vectored", "ReturnConsumedCapacity": "INDEXES"}'::jsonb || request::jsonb)::json)->'ConsumedCapacity' $$;
SELECT pg_temp.consumed('PutItem', '{"Item": {"pk": {"S": "a"}, "tenant": {"S": "t"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}}');
SELECT pg_temp.consumed('PutItem', '{"Item": {"pk": {"S": "a"}, "tenant": {"S": "t"}, "x": {"S": "not projected"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "2"}]}}}');
SELECT pg_temp.consumed('PutItem', '{"Item": {"pk": {"S": "a"}, "tenant": {"S": "t"}, "x": {"S": "still not"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "2"}]}}}');
SELECT pg_temp.consumed('PutItem', json_build_object('Item', json_build_object('pk', '{"S": "a"}'::json, 'tenant', '{"S": "t"}'::json, 'Country', json_build_object('S', repeat('x', 5000)),
  'emb', '{"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "2"}]}'::json))::text);
SELECT pg_temp.consumed('DeleteItem', '{"Key": {"pk": {"S": "a"}}}');
SELECT pg_temp.consumed('DeleteItem', '{"Key": {"pk": {"S": "a"}}}');
SELECT pg_temp.consumed('PutItem', '{"Item": {"pk": {"S": "a"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}}');
SELECT pg_temp.consumed('DeleteItem', '{"Key": {"pk": {"S": "a"}}}');
SELECT dynamo.call('TransactWriteItems', '{"ReturnConsumedCapacity": "INDEXES", "TransactItems": [{"Put": {"TableName": "Vectored", "Item": {"pk": {"S": "a"}, "tenant": {"S": "t"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}}}]}');
DROP TABLE dynamo_data."Vectored";

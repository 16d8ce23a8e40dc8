-- Local secondary indexes: a customer's orders by status, read consistently
\t on
\a
\set VERBOSITY terse
CREATE FUNCTION pg_temp.create_orders(name text, indexes text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('CreateTable', format('{"TableName": "%s", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"}, {"AttributeName": "status", "AttributeType": "S"}, {"AttributeName": "total", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}], "LocalSecondaryIndexes": [%s]}', name, indexes)::json) $$;
CREATE FUNCTION pg_temp.local_index(name text, key text, projection text) RETURNS text LANGUAGE sql AS $$
  SELECT format('{"IndexName": "%s", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "%s", "KeyType": "RANGE"}], "Projection": %s}', name, key, projection) $$;
SELECT pg_temp.create_orders('ScenLocal', pg_temp.local_index('ByStatus', 'status', '{"ProjectionType": "INCLUDE", "NonKeyAttributes": ["day"]}') || ',' || pg_temp.local_index('ByTotal', 'total', '{"ProjectionType": "KEYS_ONLY"}')) #>> '{TableDescription,LocalSecondaryIndexes,0}';
SELECT dynamo.put_item('ScenLocal', jsonb_build_object('PK', 'C#' || c, 'SK', 'O#' || n, 'status', (ARRAY['PENDING', 'SHIPPED', 'PENDING'])[1 + n % 3], 'total', n * 7.5 % 40, 'day', '2024-03-1' || n, 'note', repeat('x', 3000))::dynamo.item) IS NULL FROM generate_series(1, 2) c, generate_series(1, 6) n GROUP BY 1;
CREATE FUNCTION pg_temp.query(condition text, vals json, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', (jsonb_build_object('TableName', 'ScenLocal', 'IndexName', 'ByStatus', 'KeyConditionExpression', condition, 'ExpressionAttributeValues', vals, 'ExpressionAttributeNames', '{"#s": "status"}'::json) || more)::json) $$;

-- one customer's orders of a status: the table's keys, the index's, and what it includes; not the other customer's
SELECT pg_temp.query('PK = :c AND #s = :p', '{":c": {"S": "C#1"}, ":p": {"S": "PENDING"}}');
SELECT item::jsonb FROM dynamo.query('ScenLocal', 'PK = :c AND #s = :p', '{":c": "C#1", ":p": "SHIPPED"}', index_name => 'ByStatus', expression_attribute_names => '{"#s": "status"}');
-- consistently, also what the index does not hold: it is fetched from the table, and charged
SELECT pg_temp.query('PK = :c AND begins_with(#s, :p)', '{":c": {"S": "C#1"}, ":p": {"S": "SH"}}', '{"ConsistentRead": true, "ReturnConsumedCapacity": "INDEXES"}');
SELECT pg_temp.query('PK = :c AND begins_with(#s, :p)', '{":c": {"S": "C#1"}, ":p": {"S": "SH"}}', '{"ConsistentRead": true, "ReturnConsumedCapacity": "INDEXES", "ProjectionExpression": "SK, #t", "ExpressionAttributeNames": {"#s": "status", "#t": "total"}}');
SELECT json_array_length(a -> 'Items'), length(a #>> '{Items,0,note,S}') FROM pg_temp.query('PK = :c AND begins_with(#s, :p)', '{":c": {"S": "C#1"}, ":p": {"S": "SH"}}', '{"Select": "ALL_ATTRIBUTES"}') a;
-- a number sorts as a number, both ways
SELECT string_agg(item ->> 'total', ' ') FROM dynamo.query('ScenLocal', 'PK = :c AND #t BETWEEN :a AND :b', '{":c": "C#2", ":a": 7, ":b": 37.50}', index_name => 'ByTotal', expression_attribute_names => '{"#t": "total"}', scan_index_forward => false);
-- a write is in the index at once; an order that loses its status leaves it and stays in the table
SELECT dynamo.update_item('ScenLocal', '{"PK": "C#1", "SK": "O#1"}', 'SET #s = :p', '{":p": "PENDING"}', expression_attribute_names => '{"#s": "status"}');
SELECT dynamo.update_item('ScenLocal', '{"PK": "C#1", "SK": "O#2"}', 'REMOVE #s', expression_attribute_names => '{"#s": "status"}');
SELECT pg_temp.query('PK = :c', '{":c": {"S": "C#1"}}', '{"ProjectionExpression": "SK, #s"}') -> 'Items';
SELECT count(*) FROM dynamo.query('ScenLocal', 'PK = :c', '{":c": "C#1"}');
-- pages name the three keys, and start inside equal ones
SELECT pg_temp.query('PK = :c AND #s = :p', '{":c": {"S": "C#1"}, ":p": {"S": "PENDING"}}', '{"Limit": 2, "ProjectionExpression": "SK"}');
SELECT pg_temp.query('PK = :c AND #s = :p', '{":c": {"S": "C#1"}, ":p": {"S": "PENDING"}}', '{"Limit": 3, "ProjectionExpression": "SK", "ExclusiveStartKey": {"PK": {"S": "C#1"}, "SK": {"S": "O#6"}, "status": {"S": "PENDING"}}}');
SELECT pg_temp.query('PK = :c AND #s = :p', '{":c": {"S": "C#1"}, ":p": {"S": "PENDING"}}', '{"ExclusiveStartKey": {"PK": {"S": "C#2"}, "SK": {"S": "O#2"}, "status": {"S": "PENDING"}}}') ->> 'message';
-- a scan of it has both customers, each status in order
SELECT string_agg(item ->> 'SK', ' ') FROM dynamo.scan('ScenLocal', index_name => 'ByStatus') WHERE item ->> 'PK' = 'C#2';
SELECT dynamo.call('Scan', '{"TableName": "ScenLocal", "IndexName": "ByTotal", "Select": "COUNT", "ConsistentRead": true}');
-- a key of the wrong type is refused; so is one that is empty
SELECT dynamo.put_item('ScenLocal', '{"PK": "C#1", "SK": "O#7", "status": 1}');
SELECT dynamo.update_item('ScenLocal', '{"PK": "C#1", "SK": "O#1"}', 'SET #s = :p', '{":p": ""}', expression_attribute_names => '{"#s": "status"}');
-- the size of a collection is told for such a table only
SELECT dynamo.call('PutItem', '{"TableName": "ScenLocal", "Item": {"PK": {"S": "C#3"}, "SK": {"S": "O#1"}}, "ReturnItemCollectionMetrics": "SIZE"}');

-- it comes with the table or never: not added, not dropped; at most five; the table's own partition key; a sort key
SELECT dynamo.drop_index('ScenLocal', 'ByStatus');
SELECT dynamo.try_call('UpdateTable', '{"TableName": "ScenLocal", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByStatus"}}]}');
SELECT pg_temp.create_orders('ScenLocal5', (SELECT string_agg(pg_temp.local_index('index' || n, CASE WHEN n % 2 = 0 THEN 'status' ELSE 'total' END, '{"ProjectionType": "ALL"}'), ',') FROM generate_series(1, 5) n)) #>> '{TableDescription,TableStatus}';
SELECT pg_temp.create_orders('ScenLocal6', (SELECT string_agg(pg_temp.local_index('index' || n, CASE WHEN n % 2 = 0 THEN 'status' ELSE 'total' END, '{"ProjectionType": "ALL"}'), ',') FROM generate_series(1, 6) n));
SELECT pg_temp.create_orders('ScenLocal6', replace(pg_temp.local_index('ByStatus', 'total', '{"ProjectionType": "ALL"}'), '"PK"', '"status"'));
SELECT pg_temp.create_orders('ScenLocal6', pg_temp.local_index('a-1', 'status', '{"ProjectionType": "ALL"}') || ',' || pg_temp.local_index('a-2', 'total', '{"ProjectionType": "ALL"}') || ', {"IndexName": "ByStatus", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}');
SELECT dynamo.drop_table('ScenLocal'), dynamo.drop_table('ScenLocal5');

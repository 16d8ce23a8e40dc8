-- Requests with very many members: 16 MB have room for them, and what is asked
-- of each against all others must not take minutes
SET statement_timeout = '90s';
\t on
\a
SELECT dynamo.create_table('CallMany', 'pk');
-- values, in the order that is worst for a sorted map
SELECT left(dynamo.try_call('Scan', json_build_object('TableName', 'CallMany', 'FilterExpression', 'a = :a', 'ExpressionAttributeValues', v)) ->> 'message', 100)
  FROM (SELECT json_object_agg(':' || i, '{"NULL": true}'::json ORDER BY i DESC) FROM generate_series(100000, 299999) i) x(v);
-- legacy updates, likewise: many attributes come, and go; a few stay
SELECT dynamo.call('UpdateItem', json_build_object('TableName', 'CallMany', 'Key', '{"pk": {"S": "a"}}'::json, 'AttributeUpdates', u))
  FROM (SELECT json_object_agg(to_hex(i), '{"Action": "PUT", "Value": {"BOOL": true}}'::json ORDER BY to_hex(i) DESC) FROM generate_series(1, 65000) i) x(u);
SELECT dynamo.call('UpdateItem', json_build_object('TableName', 'CallMany', 'Key', '{"pk": {"S": "a"}}'::json, 'AttributeUpdates', u))
  FROM (SELECT json_object_agg(to_hex(i), CASE i WHEN 65000 THEN '{"Action": "PUT", "Value": {"S": "new"}}' ELSE '{"Action": "DELETE"}' END::json) FROM generate_series(3, 65000) i) x(u);
SELECT dynamo.call('GetItem', '{"TableName": "CallMany", "Key": {"pk": {"S": "a"}}}');
-- attributes that come between those that are there
SELECT dynamo.call('UpdateItem', json_build_object('TableName', 'CallMany', 'Key', '{"pk": {"S": "b"}}'::json, 'AttributeUpdates', u))
  FROM (SELECT json_object_agg(to_hex(i), '{"Action": "PUT", "Value": {"BOOL": true}}'::json) FROM generate_series(100000, 160000, 2) i) x(u);
SELECT dynamo.call('UpdateItem', json_build_object('TableName', 'CallMany', 'Key', '{"pk": {"S": "b"}}'::json, 'AttributeUpdates', u))
  FROM (SELECT json_object_agg(to_hex(i), CASE i % 2 WHEN 1 THEN '{"Action": "PUT", "Value": {"N": "1"}}' ELSE '{"Action": "DELETE"}' END::json) FROM generate_series(100000, 160000) i) x(u);
SELECT count(*), count(*) FILTER (WHERE value::text = '{"N":"1"}') FROM json_each(dynamo.call('GetItem', '{"TableName": "CallMany", "Key": {"pk": {"S": "b"}}}') -> 'Item');
-- attributes that an index does not carry, of which it knows one
SELECT dynamo.create_index('CallMany', 'Keys', 'q', projection => 'KEYS_ONLY');
SELECT left(m, 107), length(m)
  FROM (SELECT jsonb_agg('a' || i) || '["q"]' FROM generate_series(1, 100000) i) x(names),
    dynamo.try_call('Scan', json_build_object('TableName', 'CallMany', 'IndexName', 'Keys', 'AttributesToGet', names)) a, LATERAL (SELECT a ->> 'message') y(m);
SELECT dynamo.try_call('Query', json_build_object('TableName', 'CallMany', 'IndexName', 'Keys', 'KeyConditionExpression', 'q = :q', 'FilterExpression', 'b = :q OR a = :q OR b.c = :q', 'ExpressionAttributeValues', '{":q": {"S": "x"}}'::json)) ->> 'message';
SELECT dynamo.drop_index('CallMany', 'Keys');
-- keys of a batch: the first that came before is found
SELECT dynamo.try_call('BatchGetItem', json_build_object('RequestItems', json_build_object('CallMany', json_build_object('Keys', k)))) ->> 'message'
  FROM (SELECT json_agg(json_build_object('pk', json_build_object('L', (SELECT json_agg(json_build_object('N', j::text)) FROM generate_series(1, 1000) j)), 'sk', json_build_object('N', (i % 99)::text))) FROM generate_series(1, 100) i) x(k);
SELECT dynamo.try_call('BatchGetItem', json_build_object('RequestItems', json_build_object('CallMany', json_build_object('Keys', k)))) ->> 'message'
  FROM (VALUES ('[{"pk": {"S": "a"}}, {"pk": {"S": "b"}}, {"pk": {"S": "a"}}, {"pk": {"Q": 1}}]'::json), ('[{"pk": {"S": "a"}}, {"pk": {"N": "x"}}, {"pk": {"S": "a"}}]')) x(k);
-- tags; the first of a key that came before is named
SELECT dynamo.try_call('TagResource', json_build_object('ResourceArn', dynamo.call('DescribeTable', '{"TableName": "CallMany"}') #>> '{Table,TableArn}', 'Tags', t))
  FROM (SELECT json_agg(json_build_object('Key', 'k' || i, 'Value', '')) FROM generate_series(1, 50000) i) x(t);
SELECT dynamo.try_call('TagResource', json_build_object('ResourceArn', dynamo.call('DescribeTable', '{"TableName": "CallMany"}') #>> '{Table,TableArn}', 'Tags', t))
  FROM (SELECT json_agg(json_build_object('Key', k, 'Value', '')) FROM unnest(ARRAY['c', 'b', 'a', 'b', 'a', 'c']) k) x(t);
-- definitions of attributes, and of indexes
SELECT left(dynamo.try_call('CreateTable', json_build_object('TableName', 'CallMany2', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "a1", "KeyType": "HASH"}]'::json, 'AttributeDefinitions', d)) ->> 'message', 100)
  FROM (SELECT json_agg(json_build_object('AttributeName', 'a' || i, 'AttributeType', 'S')) FROM generate_series(1, 100000) i) x(d);
SELECT dynamo.try_call('CreateTable', json_build_object('TableName', 'CallMany2', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "a", "KeyType": "HASH"}]'::json, 'AttributeDefinitions', d))
  FROM (SELECT json_agg(json_build_object('AttributeName', a, 'AttributeType', 'S')) FROM unnest(ARRAY['c', 'b', 'a', 'b', 'a', 'c']) a) x(d);
SELECT dynamo.try_call('UpdateTable', json_build_object('TableName', 'CallMany', 'GlobalSecondaryIndexUpdates', u)) ->> 'message'
  FROM (SELECT json_agg(json_build_object('Delete', json_build_object('IndexName', 'index' || i))) FROM generate_series(1, 50000) i) x(u);
SELECT dynamo.try_call('UpdateTable', json_build_object('TableName', 'CallMany', 'GlobalSecondaryIndexUpdates', u)) ->> 'message'
  FROM (SELECT json_agg(json_build_object('Delete', json_build_object('IndexName', 'index' || i))) FROM unnest(ARRAY[1, 2, 3, 2, 1]) i) x(u);
-- regions
SELECT dynamo.try_call('UpdateTable', json_build_object('TableName', 'CallMany', 'ReplicaUpdates', u)) ->> 'message'
  FROM (SELECT json_agg(json_build_object('Create', json_build_object('RegionName', 'r' || i))) FROM generate_series(1, 300000) i) x(u);
-- a key of many attributes; many indexes that look for theirs
SELECT dynamo.try_call('CreateTable', json_build_object('TableName', 'CallMany2', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "a1", "KeyType": "HASH"}]'::json, 'AttributeDefinitions', d,
  'GlobalSecondaryIndexes', json_build_array(json_build_object('IndexName', 'index', 'KeySchema', k, 'Projection', '{"ProjectionType": "ALL"}'::json)))) ->> 'message'
  FROM (SELECT json_agg(json_build_object('AttributeName', 'a' || i, 'AttributeType', 'S')), json_agg(json_build_object('AttributeName', 'a' || i, 'KeyType', 'HASH')) FROM generate_series(1, 100000) i) x(d, k);
SELECT left(dynamo.try_call('CreateTable', json_build_object('TableName', 'CallMany2', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "a1", "KeyType": "HASH"}]'::json, 'AttributeDefinitions', d,
  'GlobalSecondaryIndexes', g)) ->> 'message', 83)
  FROM (SELECT json_agg(json_build_object('AttributeName', 'a' || i, 'AttributeType', 'S')),
    json_agg(json_build_object('IndexName', 'index' || i, 'KeySchema', '[{"AttributeName": "a9", "KeyType": "HASH"}]'::json, 'Projection', '{"ProjectionType": "ALL"}'::json)) FROM generate_series(1, 100000) i) x(d, g);
-- values that are lists, each packed by itself: the memory they take is theirs
SELECT dynamo.call('ExecuteStatement', json_build_object('Statement', 'SELECT * FROM "CallMany" WHERE pk = ''c''', 'Parameters', p))
  FROM (SELECT json_agg('{"L": []}'::json) FROM generate_series(1, 200000)) x(p);
-- sets that differ, and a condition that compares them 1,300 times
SET statement_timeout = '20s';
SELECT dynamo.matches(i, e, v) FROM
  (SELECT ('{"a":{"NS":[' || string_agg('"' || n || '"', ',' ORDER BY md5(n::text)) || ']}}')::dynamo.item, ('{":v":{"NS":[' || string_agg('"' || n + 1 || '"', ',' ORDER BY md5(n::text)) || ']}}')::dynamo.item FROM generate_series(10001, 50000) n) x(i, v),
  (SELECT string_agg('a IN (:v' || repeat(',:v', 99) || ')', ' OR ') FROM generate_series(1, 13)) y(e);
SELECT dynamo.drop_table('CallMany');

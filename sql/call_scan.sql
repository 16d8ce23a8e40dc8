-- Scan: hash order, filters, segments, and what it refuses
\t on
\a
SELECT dynamo.create_table('CallScan', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.create_index('CallScan', 'gsi', 'g', partition_key_type => 'N');
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallScan', 'Item', json_build_object(
    'pk', json_build_object('S', p), 'sk', json_build_object('N', n::text), 'g', json_build_object('N', (n % 2)::text)))))
  FROM unnest(ARRAY['hello', 'zapf', 'aardman', 'äáöü']) p, generate_series(1, 2) n;

-- the order of the service's hash, sort keys in order under one hash key
SELECT dynamo.call('Scan', '{"TableName": "CallScan", "ProjectionExpression": "pk, sk"}');
SELECT dynamo.call('Scan', '{"TableName": "CallScan", "Select": "COUNT"}');
-- a filter may use the keys
SELECT dynamo.call('Scan', '{"TableName": "CallScan", "FilterExpression": "pk > :p AND sk = :s", "ProjectionExpression": "pk",
  "ExpressionAttributeValues": {":p": {"S": "i"}, ":s": {"N": "2"}}}');
-- an index
SELECT dynamo.call('Scan', '{"TableName": "CallScan", "IndexName": "gsi", "Select": "COUNT", "FilterExpression": "g = :g", "ExpressionAttributeValues": {":g": {"N": "1"}}}');
-- segments are disjoint and complete, however many there are
SELECT n, sum((dynamo.call('Scan', json_build_object('TableName', 'CallScan', 'Select', 'COUNT', 'Segment', s, 'TotalSegments', n)) ->> 'Count')::int)
  FROM unnest(ARRAY[1, 2, 3, 7]) n, generate_series(0, n - 1) s GROUP BY n ORDER BY n;
SELECT sum((dynamo.call('Scan', json_build_object('TableName', 'CallScan', 'IndexName', 'gsi', 'Select', 'COUNT', 'Segment', s, 'TotalSegments', 3)) ->> 'Count')::int)
  FROM generate_series(0, 2) s;

-- they begin where the service's do: the first 12 bits of these hashes are 0x555, 0x556, 0xAAA, 0xAAB
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallScan', 'Item', json_build_object('pk', json_build_object('S', p), 'sk', '{"N": "-1"}'::json))))
  FROM unnest('{1044,241,2363,689}'::text[]) p;
SELECT s, dynamo.call('Scan', json_build_object('TableName', 'CallScan', 'Segment', s, 'TotalSegments', 3, 'ProjectionExpression', 'pk',
  'FilterExpression', 'sk = :n', 'ExpressionAttributeValues', '{":n": {"N": "-1"}}'::json)) -> 'Items' FROM generate_series(0, 2) s;
SELECT count(dynamo.call('DeleteItem', json_build_object('TableName', 'CallScan', 'Key', json_build_object('pk', json_build_object('S', p), 'sk', '{"N": "-1"}'::json))))
  FROM unnest('{1044,241,2363,689}'::text[]) p;
-- refused: segments
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "Segment": 0}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "TotalSegments": 1}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "Segment": 2, "TotalSegments": 2}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "Segment": -1, "TotalSegments": 1000001}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "Limit": 0}');
-- Select, placeholders, table, index
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "Select": "ALL_PROJECTED_ATTRIBUTES"}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "ExpressionAttributeValues": {":a": {"S": "x"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScanNot"}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "IndexName": "nope"}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "IndexName": "gsi", "ConsistentRead": true}');
-- the start key
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "ExclusiveStartKey": {"pk": {"S": "a"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "1"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}, "x": {"N": "1"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "IndexName": "gsi", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "CallScan", "ExclusiveStartKey": {"pk": {"SS": []}}}');
SELECT seg, dynamo.try_call('Scan', json_build_object('TableName', 'CallScan', 'Select', 'COUNT', 'Segment', seg, 'TotalSegments', 2,
    'ExclusiveStartKey', '{"pk": {"S": "hello"}, "sk": {"N": "1"}}'::json)) FROM generate_series(0, 1) seg;
SELECT dynamo.drop_table('CallScan');

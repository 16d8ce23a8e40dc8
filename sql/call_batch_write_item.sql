-- BatchWriteItem
\t on
\a
SELECT dynamo.create_table('CallWriteA', 'pk', partition_key_type => 'N');
SELECT dynamo.create_table('CallWriteB', 'pk', 'sk');
SELECT dynamo.create_index('CallWriteB', 'gsi', 'g');

SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {
  "CallWriteA": [{"PutRequest": {"Item": {"pk": {"N": "1"}, "x": {"S": "a"}}}}, {"PutRequest": {"Item": {"pk": {"N": "2"}}}}],
  "CallWriteB": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "g": {"S": "g"}}}}]}}');
-- puts replace, deletes of what is missing are done as well
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {
  "CallWriteA": [{"PutRequest": {"Item": {"pk": {"N": "1"}, "y": {"S": "b"}}}}, {"DeleteRequest": {"Key": {"pk": {"N": "2"}}}}, {"DeleteRequest": {"Key": {"pk": {"N": "3"}}}}],
  "CallWriteB": [{"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}}}]}, "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}');
SELECT dynamo.call('Scan', '{"TableName": "CallWriteA"}');
SELECT dynamo.call('Scan', '{"TableName": "CallWriteB"}');

-- refused
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": []}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {"Item": {}}, "DeleteRequest": {"Key": {}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"aa;": [{"PutRequest": {"Item": {}}}]}}');
SELECT left(dynamo.try_call('BatchWriteItem', json_build_object('RequestItems', json_build_object('CallWriteA', (SELECT json_agg(
  json_build_object('DeleteRequest', json_build_object('Key', json_build_object('pk', json_build_object('N', n::text))))) FROM generate_series(1, 26) n)))) ->> 'message', 150);
SELECT dynamo.try_call('BatchWriteItem', json_build_object('RequestItems', json_build_object(
  'CallWriteA', (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('pk', json_build_object('N', n::text))))) FROM generate_series(1, 13) n),
  'NoSuchTable', (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('pk', json_build_object('N', n::text))))) FROM generate_series(1, 13) n))));
-- values and sizes, before the tables
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"NoSuchTable": [{"PutRequest": {"Item": {"pk": {"N": "x"}}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', json_build_object('RequestItems', json_build_object('NoSuchTable',
  json_build_array(json_build_object('PutRequest', json_build_object('Item', json_build_object('x', json_build_object('S', repeat('x', 409600)))))))));
-- tables, before the keys; one that is missing and nothing is written
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {"Item": {"pk": {"N": "77"}}}}], "NoSuchTable": [{"PutRequest": {"Item": {}}}]}}');
-- a put with a bad key has the text of a Key here; index keys have their own
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {"Item": {"x": {"N": "77"}}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {"Item": {"pk": {"S": "77"}}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"DeleteRequest": {"Key": {"pk": {"N": "77"}, "x": {"N": "1"}}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteB": [{"PutRequest": {"Item": {"pk": {"S": ""}, "sk": {"S": "b"}}}}]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteB": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "g": {"N": "1"}}}}]}}');
-- one item twice, numbers by value, after the tables
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallWriteA": [{"PutRequest": {"Item": {"pk": {"N": "77"}}}}, {"DeleteRequest": {"Key": {"pk": {"N": "77.0"}}}}]}}');
SELECT dynamo.call('Scan', '{"TableName": "CallWriteA", "Select": "COUNT"}');
SELECT dynamo.drop_table('CallWriteA');
SELECT dynamo.drop_table('CallWriteB');

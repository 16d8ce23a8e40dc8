-- Wrong JSON types, found over the whole body before any rule is looked at
\t on
\a
CREATE FUNCTION pg_temp.call(operation text, request json) RETURNS text LANGUAGE sql AS $$
  SELECT (a ->> '__type') || ' ' || coalesce(a ->> 'Message', a ->> 'message', '-') FROM dynamo.try_call(operation, request) a $$;
-- no object: an error without text
SELECT r, pg_temp.call('GetItem', r::json) FROM unnest(ARRAY['null', '[]', '""', '1', 'true', '[null]']) r;
-- strings
SELECT r, pg_temp.call('GetItem', ('{"TableName": ' || r || '}')::json) FROM unnest(ARRAY['1', '1.5', 'true', 'false', '[]', '{}']) r;
-- booleans take a few words
SELECT r, pg_temp.call('GetItem', ('{"ConsistentRead": ' || r || '}')::json) FROM unnest(ARRAY['1', '1.5', '"x"', '[]', '{}', '"YES"', '"0"']) r;
-- integers; a fraction is floored
SELECT r, pg_temp.call('Query', ('{"Limit": ' || r || '}')::json) FROM unnest(ARRAY['"1"', 'true', '[]', '{}', '0.9', '-0.1']) r;
-- lists
SELECT r, pg_temp.call('GetItem', ('{"AttributesToGet": ' || r || '}')::json) FROM unnest(ARRAY['"a"', '1', '{}', '[1]', '[[]]']) r;
SELECT r, pg_temp.call('BatchGetItem', ('{"RequestItems": {"abc": {"Keys": ' || r || '}}}')::json) FROM unnest(ARRAY['"a"', '{}', '["a"]', '[1]', '[[]]']) r;
-- maps
SELECT r, pg_temp.call('GetItem', ('{"Key": ' || r || '}')::json) FROM unnest(ARRAY['"a"', '1', '[]']) r;
SELECT r, pg_temp.call('GetItem', ('{"ExpressionAttributeNames": ' || r || '}')::json) FROM unnest(ARRAY['"a"', '[]', '{"#a": 1}', '{"#a": {}}']) r;
SELECT r, pg_temp.call('BatchGetItem', ('{"RequestItems": ' || r || '}')::json) FROM unnest(ARRAY['"a"', '[]', '{"a": 1}', '{"a": []}']) r;
SELECT r, pg_temp.call('BatchWriteItem', ('{"RequestItems": ' || r || '}')::json) FROM unnest(ARRAY['"a"', '[]', '{"a": 1}', '{"a": {}}', '{"a": [1]}', '{"a": [[]]}', '{"a": [{"PutRequest": 1}]}']) r;
-- structures
SELECT r, pg_temp.call('PutItem', ('{"Expected": ' || r || '}')::json) FROM unnest(ARRAY['{"a": 1}', '{"a": []}', '{"a": {"Exists": 1}}', '{"a": {"AttributeValueList": {}}}', '{"a": {"Value": 1}}']) r;
SELECT r, pg_temp.call('TransactWriteItems', ('{"TransactItems": ' || r || '}')::json) FROM unnest(ARRAY['{}', '[1]', '[[]]', '[{"Put": 1}]', '[{"Put": []}]', '[{"Put": {"Item": 1}}]']) r;
-- of structures with the same members, each its own name
SELECT r, pg_temp.call('UpdateTable', ('{"GlobalSecondaryIndexUpdates": ' || r || '}')::json) FROM unnest(ARRAY['[[]]', '[{"Create": []}]', '[{"Update": []}]', '[{"Delete": []}]']) r;
SELECT pg_temp.call('CreateTable', '{"GlobalSecondaryIndexes": [[]]}');
-- attribute values
SELECT r, pg_temp.call('GetItem', ('{"Key": {"a": ' || r || '}}')::json) FROM unnest(ARRAY['"a"', '1', '[]', '{"S": 1}', '{"N": 3}', '{"B": 1}', '{"B": "x"}', '{"B": "1234!"}', '{"B": "YR=="}',
  '{"BOOL": "x"}', '{"NULL": 1}', '{"SS": "a"}', '{"SS": [1]}', '{"NS": [1]}', '{"L": {}}', '{"L": [1]}', '{"L": [{"N": 3}]}', '{"M": []}', '{"M": {"x": 1}}', '{"M": {"x": {"N": 3}}}']) r;
-- null is absent, unknown members are ignored, and so is what they hold
SELECT pg_temp.call('GetItem', '{"TableName": null, "Nope": {"a": [1, {"b": 2}]}, "tablename": 3}');
-- types come before rules
SELECT pg_temp.call('GetItem', '{"TableName": "a b", "ReturnConsumedCapacity": "x", "Key": {"a": {"N": 3}}}');

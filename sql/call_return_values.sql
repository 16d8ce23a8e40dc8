-- ReturnValues of UpdateItem: the paths an update names, old or new
\t on
\a
SELECT dynamo.create_table('CallReturn', 'pk');
CREATE FUNCTION pg_temp.put() RETURNS void LANGUAGE sql AS $$
  SELECT dynamo.call('PutItem', '{"TableName": "CallReturn", "Item": {"pk": {"S": "a"}, "n": {"N": "1"},
    "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}, "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]}, "s": {"SS": ["a", "b"]}}}') $$;
CREATE FUNCTION pg_temp.update(expression text, vals text DEFAULT NULL)
RETURNS TABLE (return_values text, answer json) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH return_values IN ARRAY ARRAY['ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW'] LOOP
    PERFORM pg_temp.put();
    answer := dynamo.call('UpdateItem', json_strip_nulls(json_build_object('TableName', 'CallReturn', 'Key', '{"pk": {"S": "a"}}'::json,
      'UpdateExpression', expression, 'ExpressionAttributeValues', vals::json, 'ReturnValues', return_values)));
    RETURN NEXT;
  END LOOP;
END $$;

-- a top-level attribute; unchanged values count as updated
SELECT * FROM pg_temp.update('SET n = :v', '{":v": {"N": "1"}}');
-- a fragment in place
SELECT * FROM pg_temp.update('SET m.x = :v', '{":v": {"N": "5"}}');
-- what was removed is only in the old; what was made only in the new
SELECT * FROM pg_temp.update('REMOVE n SET o = :v', '{":v": {"N": "5"}}');
-- list elements come packed, in ascending order
SELECT * FROM pg_temp.update('SET l[2] = :v, l[0] = :v', '{":v": {"N": "9"}}');
-- paths are looked up literally in the new item: appended at 3, not at 100
SELECT * FROM pg_temp.update('SET l[100] = :v', '{":v": {"N": "9"}}');
-- the element that moved into the place of the removed one
SELECT * FROM pg_temp.update('REMOVE l[1]');
SELECT * FROM pg_temp.update('DELETE s :v', '{":v": {"SS": ["a", "b"]}}');

-- a new item has no old values; NONE is nothing
SELECT dynamo.call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "new"}}, "UpdateExpression": "SET n = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}, "ReturnValues": "UPDATED_OLD"}');
SELECT dynamo.call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "new2"}}, "UpdateExpression": "SET n = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}, "ReturnValues": "ALL_OLD"}');
SELECT dynamo.call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}, "ReturnValues": "NONE"}');
-- an update of nothing: no part of it, but the whole item
SELECT dynamo.call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "k"}}, "AttributeUpdates": {}, "ReturnValues": "UPDATED_NEW"}');
SELECT dynamo.call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "k"}}, "AttributeUpdates": {}, "ReturnValues": "ALL_NEW"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallReturn", "Key": {"pk": {"S": "k"}}, "ReturnValues": "all_new"}');
SELECT dynamo.drop_table('CallReturn');

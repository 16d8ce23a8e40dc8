-- GetItem: what it returns, and the order in which it refuses
\t on
\a
SELECT dynamo.create_table('CallGet', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.call('PutItem', '{"TableName": "CallGet", "Item": {
  "pk": {"S": "a"}, "sk": {"N": "1"}, "name": {"S": "Ann"},
  "list": {"L": [{"S": "x"}, {"M": {"y": {"N": "2"}}}, {"BOOL": true}]},
  "map": {"M": {"k": {"S": "v"}, "l": {"NULL": true}}}}}');

-- the whole item; a number is the same key however it is written
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}}');
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1.00"}}, "ConsistentRead": true}');
-- a missing item is no Item at all
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}}');
-- a table may be named by its ARN
SELECT dynamo.call('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/CallGet",
  "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "ProjectionExpression": "pk", "ReturnConsumedCapacity": "TOTAL"}');

-- projections keep enclosing maps, pack lists, add no keys
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
  "ProjectionExpression": "#n, #l[2], #l[0], #m.k", "ExpressionAttributeNames": {"#n": "name", "#l": "list", "#m": "map"}}');
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
  "AttributesToGet": ["name", "sk", "nope"]}');
-- an item of which the projection leaves nothing is there all the same
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
  "ProjectionExpression": "nope"}');

-- refused: mixing, before the values
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {}},
  "AttributesToGet": ["a"], "ProjectionExpression": "a"}');
-- placeholders that nothing could use, before the values
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {}},
  "AttributesToGet": ["a", "a"], "ExpressionAttributeNames": {}}');
-- values, before placeholders
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {}},
  "ProjectionExpression": "", "ExpressionAttributeNames": {}}');
-- placeholders
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "ExpressionAttributeNames": {"#a": "b"}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "ProjectionExpression": "a", "ExpressionAttributeNames": {}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "ProjectionExpression": "a", "ExpressionAttributeNames": {"a": "b"}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "ProjectionExpression": "a", "ExpressionAttributeNames": {"#a": "b"}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "ProjectionExpression": "a, a.b"}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "AttributesToGet": ["a", "a"]}');
-- ... the one that is repeated first, not the first by name
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "AttributesToGet": ["b", "b", "a", "a"]}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}},
  "AttributesToGet": [""]}');
-- the expressions, before the table
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGetNot", "Key": {"pk": {"S": "a"}},
  "ProjectionExpression": "a,,b"}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGetNot", "Key": {"pk": {"S": "a"}}}');
-- the key against the schema: too few, too many, other type, empty, too long
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}, "x": {"N": "1"}}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": ""}, "sk": {"N": "1"}}}');
SELECT dynamo.try_call('GetItem', json_build_object('TableName', 'CallGet', 'Key',
  json_build_object('pk', json_build_object('S', repeat('x', 2049)), 'sk', json_build_object('N', '1'))));
-- a path into a key attribute
SELECT dynamo.try_call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
  "ProjectionExpression": "pk.a"}');

-- capacity: half a unit eventually, 4 KB a unit, a missing item costs as well
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true}');
SELECT dynamo.call('GetItem', '{"TableName": "CallGet", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "ReturnConsumedCapacity": "NONE"}');
SELECT dynamo.drop_table('CallGet');

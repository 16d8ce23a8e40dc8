-- TransactWriteItems: faults that are told in another place than by the single operation
\t on
\a
SELECT dynamo.create_table('TransactFaults', 'pk');
SELECT dynamo.create_index('TransactFaults', 'gsi', 'g', 'b', 'S', 'B');
CREATE FUNCTION pg_temp.transact(action text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', ('{"TransactItems": [' || action || ']}')::json) $$;
CREATE FUNCTION pg_temp.deep(levels int) RETURNS text LANGUAGE sql AS $$ SELECT repeat('{"L": [', levels) || '{"S": "a"}' || repeat(']}', levels) $$;

-- an update that makes an index key empty is an error of the request, not a cancelled transaction
SELECT pg_temp.transact('{"Update": {"TableName": "TransactFaults", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET g = :e", "ExpressionAttributeValues": {":e": {"S": ""}}}}');
SELECT pg_temp.transact('{"Update": {"TableName": "TransactFaults", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET b = :e", "ExpressionAttributeValues": {":e": {"B": ""}}}}');
-- whatever another action has against it
SELECT pg_temp.transact('{"ConditionCheck": {"TableName": "TransactFaults", "Key": {"pk": {"S": "z"}}, "ConditionExpression": "attribute_exists(pk)"}},
  {"Update": {"TableName": "TransactFaults", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET g = :e", "ExpressionAttributeValues": {":e": {"S": ""}}}}');
-- one of a wrong type cancels
SELECT pg_temp.transact('{"Update": {"TableName": "TransactFaults", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET g = :e", "ExpressionAttributeValues": {":e": {"N": "1"}}}}') -> 'CancellationReasons';
-- nothing was written
SELECT dynamo.call('Scan', '{"TableName": "TransactFaults", "Select": "COUNT"}');

-- an empty name of a put is told bare, before a value that is too deep, in either order
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "": {"S": "x"}}}}');
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "": {"S": "x"}, "d": ' || pg_temp.deep(40) || '}}}') ->> 'message';
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "d": ' || pg_temp.deep(40) || ', "": {"S": "x"}}}}') ->> 'message';
-- nested in a map it comes after, in either order
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "m": {"M": {"": {"S": "x"}}}}}}') ->> 'message';
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "m": {"M": {"": {"S": "x"}}}, "d": ' || pg_temp.deep(40) || '}}}') ->> 'message';
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "d": ' || pg_temp.deep(40) || ', "m": {"M": {"": {"S": "x"}}}}}}') ->> 'message';
-- 31 levels are not too deep
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "m": {"M": {"": {"S": "x"}}}, "d": ' || pg_temp.deep(31) || '}}}') ->> 'message';
-- other values keep the order of the document
SELECT pg_temp.transact('{"Put": {"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "n": {"N": "x"}, "": {"S": "x"}}}}') ->> 'message';
-- PutItem, and the key of another action, as they were
SELECT dynamo.try_call('PutItem', '{"TableName": "TransactFaults", "Item": {"pk": {"S": "a"}, "": {"S": "x"}}}') ->> 'message';
SELECT pg_temp.transact('{"Delete": {"TableName": "TransactFaults", "Key": {"pk": {"S": "a"}, "": {"S": "x"}}}}') ->> 'message';

-- a delete whose key is too deep: syntax and size of its condition first, no more of it
CREATE FUNCTION pg_temp.delete(condition text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.transact('{"Delete": {"TableName": "TransactFaults", "Key": {"pk": ' || pg_temp.deep(40) || '}, "ConditionExpression": "' || condition || '"}}') ->> 'message' $$;
SELECT pg_temp.delete('a = ');
SELECT pg_temp.delete('');
SELECT pg_temp.delete(repeat('a', 4097));
SELECT pg_temp.delete('a = :v');
SELECT pg_temp.delete('attribute_exists(pk)');
SELECT pg_temp.transact('{"Delete": {"TableName": "TransactFaults", "Key": {"pk": ' || pg_temp.deep(40) || '}}}') ->> 'message';
SELECT pg_temp.transact('{"Update": {"TableName": "TransactFaults", "Key": {"pk": ' || pg_temp.deep(40) || '}, "UpdateExpression": "SET a = :v", "ConditionExpression": "a = "}}') ->> 'message';

SELECT dynamo.drop_table('TransactFaults');

-- What is wrong with a value, in the wording of each operation
\t on
\a
SELECT dynamo.create_table('WordingValue', 'pk');
CREATE FUNCTION pg_temp.call(operation text, request text) RETURNS text LANGUAGE sql AS $$ SELECT dynamo.try_call(operation, request::json) ->> 'message' $$;
CREATE TABLE pg_temp.value (n serial, value text);
INSERT INTO pg_temp.value (value) VALUES
	('{"N": "abc"}'), ('{"N": " 1"}'), ('{"N": "0x10"}'), ('{"N": "1e"}'), ('{"N": "NaN"}'), ('{"N": "Infinity"}'), ('{"N": ""}'),
	('{"N": "1e126"}'), ('{"N": "1e2147483647"}'), ('{"N": "1e2147483648"}'), ('{"N": "1e99999999999"}'),
	('{"N": "1e-131"}'), ('{"N": "1e-2147483648"}'), ('{"N": "1e-99999999999"}'),
	('{"N": "123456789012345678901234567890123456789"}'),
	('{"SS": ["b", "a", "b"]}'), ('{"SS": ["d", "c", "a", "c", "b", "a"]}'), ('{"SS": ["\"", "\""]}'),
	('{"BS": ["AA==", "/w==", "AA=="]}'), ('{"BS": ["/w==", "AA==", "AA==", "AQ=="]}'), ('{"NS": ["1", "1.0"]}'),
	('{"SS": []}'), ('{"NS": []}'), ('{"BS": []}'), ('{"NULL": false}'), ('{"SS": [null]}'),
	('{}'), ('{"S": "a", "N": "1"}');

-- PutItem counts them, save that a value has no type or several
SELECT value, pg_temp.call('PutItem', '{"TableName": "WordingValue", "Item": {"pk": {"S": "a"}, "v": ' || value || '}}') FROM pg_temp.value ORDER BY n;
-- GetItem does not count
SELECT value, pg_temp.call('GetItem', '{"TableName": "WordingValue", "Key": {"pk": ' || value || '}}') FROM pg_temp.value WHERE value ~ 'abc|""|2147483647|"b"|AA|1.0|\[\]|false' ORDER BY n;
-- BatchWriteItem has kept the classic texts
SELECT value, pg_temp.call('BatchWriteItem', '{"RequestItems": {"WordingValue": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "v": ' || value || '}}}]}}')
FROM pg_temp.value WHERE value ~ 'abc|""|2147483647|"b"|AA|1.0|\[\]|false' ORDER BY n;
-- and so have transactions
SELECT value, pg_temp.call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "WordingValue", "Item": {"pk": {"S": "a"}, "v": ' || value || '}}}]}')
FROM pg_temp.value WHERE value ~ 'abc|""|2147483647|"b"|AA|1.0|\[\]|false' ORDER BY n;

-- it is the same in keys, ExpressionAttributeValues, AttributeUpdates and Expected
CREATE TABLE pg_temp.place (n serial, operation text, rest text);
INSERT INTO pg_temp.place (operation, rest) VALUES
	('UpdateItem', '"Key": {"pk": $}'),
	('DeleteItem', '"Key": {"pk": $}'),
	('PutItem', '"Item": {"pk": {"S": "a"}}, "ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": $}'),
	('UpdateItem', '"Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": $}'),
	('DeleteItem', '"Key": {"pk": {"S": "a"}}, "ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": $}'),
	('UpdateItem', '"Key": {"pk": {"S": "a"}}, "AttributeUpdates": {"a": {"Value": $}}'),
	('PutItem', '"Item": {"pk": {"S": "a"}}, "Expected": {"a": {"Value": $}}'),
	('DeleteItem', '"Key": {"pk": {"S": "a"}}, "Expected": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [$]}}'),
	('Query', '"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": $}'),
	('Query', '"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [$]}}'),
	('Query', '"KeyConditionExpression": "pk = :v", "ExclusiveStartKey": {"pk": $}, "ExpressionAttributeValues": {":v": {"S": "a"}}'),
	-- Scan is as it was: it names the value
	('Scan', '"FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": $}'),
	('Scan', '"ScanFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [$]}}');
SELECT operation, rest, pg_temp.call(operation, '{"TableName": "WordingValue", ' || replace(rest, '$', value) || '}')
FROM pg_temp.place p, pg_temp.value v WHERE v.value IN ('{"N": ""}', '{"SS": ["b", "a", "b"]}', '{}') ORDER BY v.n, p.n;
SELECT pg_temp.call('BatchGetItem', '{"RequestItems": {"WordingValue": {"Keys": [{"pk": {"NS": ["1", "1"]}}]}}}');
-- a transaction names the value, too
SELECT pg_temp.call('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "WordingValue", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": {"N": ""}}}}]}');
SELECT pg_temp.call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "WordingValue", "Key": {"pk": {"NS": ["1", "1"]}}}}]}');
-- what goes wrong while an update is done is no error of the request
SELECT dynamo.call('PutItem', '{"TableName": "WordingValue", "Item": {"pk": {"S": "a"}, "n": {"N": "9e125"}}}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "WordingValue", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = n + :v", "ExpressionAttributeValues": {":v": {"N": "9e125"}}}');

SELECT dynamo.drop_table('WordingValue');

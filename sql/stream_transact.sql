-- TransactWriteItems: a record for each item changed, none for what is only
-- claimed or checked, none when it is cancelled.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('Ledger', 'pk');
SELECT dynamo.create_table('Balance', 'pk');
SELECT count(dynamo.enable_stream(name)) FROM unnest(ARRAY['Ledger', 'Balance']) name;
SELECT dynamo.put_item('Balance', '{"pk": "ann", "amount": 10}');
SELECT dynamo.put_item('Balance', '{"pk": "old"}');

SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Ledger", "Item": {"pk": "1", "amount": 3}}},
	{"Update": {"TableName": "Balance", "Key": {"pk": "ann"}, "UpdateExpression": "ADD amount :a",
		"ExpressionAttributeValues": {":a": -3}}},
	{"Update": {"TableName": "Balance", "Key": {"pk": "bob"}, "UpdateExpression": "ADD amount :a",
		"ExpressionAttributeValues": {":a": 3}}},
	{"Delete": {"TableName": "Balance", "Key": {"pk": "old"}}},
	{"Delete": {"TableName": "Balance", "Key": {"pk": "missing"}}},
	{"ConditionCheck": {"TableName": "Ledger", "Key": {"pk": "2"}, "ConditionExpression": "attribute_not_exists(pk)"}}]');
SELECT * FROM pg_temp.records('Ledger');
SELECT * FROM pg_temp.records('Balance') OFFSET 2;

-- One that fails, after others were claimed.
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Ledger", "Item": {"pk": "3", "amount": 3}}},
	{"ConditionCheck": {"TableName": "Ledger", "Key": {"pk": "1"}, "ConditionExpression": "attribute_not_exists(pk)"}}]');
SELECT count(*) FROM pg_temp.records('Ledger');

-- Nothing changes, nothing is recorded.
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Ledger", "Item": {"pk": "1", "amount": 3.0}}},
	{"Delete": {"TableName": "Ledger", "Key": {"pk": "2"}}}]');
SELECT count(*) FROM pg_temp.records('Ledger');

SELECT dynamo.drop_table(name) FROM unnest(ARRAY['Ledger', 'Balance']) name;

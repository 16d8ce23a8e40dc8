-- Many tenants in one table: TENANT#<name>#... keys, one role a tenant, and a
-- policy that lets a role at its own partition keys only.  Whatever function
-- is asked, through either door, the others' items are not there.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenTenants', 'PK', 'SK'), dynamo.create_index('ScenTenants', 'ByMail', 'mail', 'SK');
CREATE ROLE regress_acme;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."ScenTenants" TO regress_acme;
ALTER TABLE dynamo_data."ScenTenants" ENABLE ROW LEVEL SECURITY;
CREATE POLICY acme ON dynamo_data."ScenTenants" TO regress_acme USING (starts_with(item ->> 'PK', 'TENANT#acme#'));
INSERT INTO dynamo_data."ScenTenants" (item)
SELECT jsonb_build_object('PK', format('TENANT#%s#USER#%s', tenant, n), 'SK', 'PROFILE', 'mail', format('user%s@x.y', n), 'tenant', tenant)::dynamo.item
FROM unnest('{acme,acme2,beta}'::text[]) tenant, generate_series(1, 3) n;
-- what the others must find at the end as it is now
CREATE TABLE scen_before AS SELECT item FROM dynamo.scan('ScenTenants') WHERE item ->> 'tenant' <> 'acme';
GRANT SELECT ON scen_before TO regress_acme;
CREATE FUNCTION pg_temp.act(kind text, key text, more text) RETURNS text LANGUAGE sql AS $$
  SELECT format('{"%s": {"TableName": "ScenTenants", "%s": {"PK": {"S": "%s"}, "SK": {"S": "PROFILE"}}%s}}', kind, CASE kind WHEN 'Put' THEN 'Item' ELSE 'Key' END, key, more) $$;
CREATE FUNCTION pg_temp.call(operation text, request text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call(operation, format(request, '"TableName": "ScenTenants"')::json) $$;
SET ROLE regress_acme;

-- its own: every operation works
SELECT dynamo.put_item('ScenTenants', '{"PK": "TENANT#acme#USER#4", "SK": "PROFILE", "mail": "user1@x.y", "tenant": "acme"}');
SELECT dynamo.put_item('ScenTenants', '{"PK": "TENANT#acme#USER#4", "SK": "PROFILE", "mail": "user1@x.y", "tenant": "acme"}', 'attribute_not_exists(PK)');
SELECT dynamo.update_item('ScenTenants', '{"PK": "TENANT#acme#USER#1", "SK": "PROFILE"}', 'ADD visits :one', '{":one": 1}', return_values => 'UPDATED_NEW');
SELECT dynamo.delete_item('ScenTenants', '{"PK": "TENANT#acme#USER#3", "SK": "PROFILE"}', return_values => 'ALL_OLD');
SELECT item FROM dynamo.get_item('ScenTenants', '{"PK": "TENANT#acme#USER#1", "SK": "PROFILE"}');
SELECT pg_temp.call('UpdateItem', '{%s, "Key": {"PK": {"S": "TENANT#acme#USER#1"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "ADD visits :one", "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "UPDATED_NEW"}');
SELECT * FROM dynamo.transact_write(('[' || pg_temp.act('Put', 'TENANT#acme#USER#5', '') || ',' || pg_temp.act('ConditionCheck', 'TENANT#acme#USER#1', ', "ConditionExpression": "attribute_exists(PK)"') || ']')::json);
SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {"ScenTenants": [{"PutRequest": {"Item": {"PK": {"S": "TENANT#acme#USER#6"}, "SK": {"S": "PROFILE"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "TENANT#acme#USER#5"}, "SK": {"S": "PROFILE"}}}}]}}');

-- reading the others': nothing, as if it did not exist; no error tells that it does
SELECT count(*) FROM dynamo.get_item('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}');
SELECT count(*) FROM dynamo.get_item('ScenTenants', '{"PK": "TENANT#acme2#USER#1", "SK": "PROFILE"}');
SELECT pg_temp.call('GetItem', '{%s, "Key": {"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}, "ConsistentRead": true}');
SELECT count(*) FROM dynamo.query('ScenTenants', 'PK = :p', '{":p": "TENANT#beta#USER#1"}');
SELECT pg_temp.call('Query', '{%s, "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "TENANT#beta#USER#1"}}}');
SELECT item ->> 'PK' FROM dynamo.scan('ScenTenants') ORDER BY 1;
SELECT pg_temp.call('Scan', '{%s, "Select": "COUNT"}'), pg_temp.call('Scan', '{%s, "Select": "COUNT", "Segment": 0, "TotalSegments": 1, "Limit": 2}');
SELECT item ->> 'PK' FROM dynamo.batch_get('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}', '{"PK": "TENANT#acme#USER#2", "SK": "PROFILE"}');
SELECT pg_temp.call('BatchGetItem', '{"RequestItems": {"ScenTenants": {"ProjectionExpression": "PK", "Keys": [{"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}, {"PK": {"S": "TENANT#acme#USER#2"}, "SK": {"S": "PROFILE"}}]}}}');
SELECT ordinal, item ->> 'PK' FROM dynamo.transact_get(('[' || pg_temp.act('Get', 'TENANT#acme#USER#2', '') || ',' || pg_temp.act('Get', 'TENANT#beta#USER#2', '') || ']')::json);
-- an index is no way around: one address that three tenants know
SELECT item ->> 'PK' FROM dynamo.query('ScenTenants', 'mail = :m', '{":m": "user1@x.y"}', index_name => 'ByMail') ORDER BY 1;
SELECT pg_temp.call('Query', '{%s, "IndexName": "ByMail", "KeyConditionExpression": "mail = :m AND begins_with(SK, :s)", "ExpressionAttributeValues": {":m": {"S": "user2@x.y"}, ":s": {"S": "P"}}, "ProjectionExpression": "PK"}');
SELECT item ->> 'PK' FROM dynamo.scan('ScenTenants', index_name => 'ByMail') ORDER BY 1;
-- the policy costs no index: keys are looked up as without it
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT item FROM dynamo_data."ScenTenants" WHERE pk = 'TENANT#acme#USER#1' AND sk > 'P' ORDER BY pk, sk;
EXPLAIN (COSTS OFF) SELECT item FROM dynamo_data."ScenTenants" WHERE dynamo_internal.index_partition_hash(item, 'mail', 'S'::"char") = 1 AND dynamo_internal.index_sort_key(item, 'SK', 'S') IS NOT NULL
  AND (dynamo_internal.index_sort_key(item, 'SK', 'S'), dynamo_internal.key_hash(item, 'PK', 'SK')) > ('PROFILE'::bytea, 0);
RESET enable_seqscan;
RESET enable_bitmapscan;
-- and the functions that are looked up so raise nothing that could tell of what is hidden
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace AND nspname = 'dynamo_internal' WHERE proleakproof AND proname !~ '^(partition|sort)_key_' ORDER BY 1::text COLLATE "C";
SELECT dynamo_internal.index_partition_hash(item, 'PK', 'X'::"char") IS NULL, dynamo_internal.index_partition_hash(item, '{PK,SK}'::text[], '{S}') IS NULL, dynamo_internal.index_sort_key(item, 'SK', 'X') IS NULL, dynamo_internal.key_hash(item, 'PK', 'SK', 'mail') IS NULL
  FROM dynamo.get_item('ScenTenants', '{"PK": "TENANT#acme#USER#1", "SK": "PROFILE"}');

-- writing the others': refused, whether the item is there or not
SELECT dynamo.put_item('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}');
SELECT dynamo.put_item('ScenTenants', '{"PK": "TENANT#beta#USER#9", "SK": "PROFILE"}');
SELECT dynamo.put_item('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}', 'attribute_not_exists(PK)');
SELECT dynamo.update_item('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}', 'SET x = :x', '{":x": 1}');
SELECT dynamo.update_item('ScenTenants', '{"PK": "TENANT#beta#USER#9", "SK": "PROFILE"}', 'SET x = :x', '{":x": 1}');
SELECT pg_temp.call('PutItem', '{%s, "Item": {"PK": {"S": "TENANT#acme2#USER#1"}, "SK": {"S": "PROFILE"}}}');
SELECT pg_temp.call('UpdateItem', '{%s, "Key": {"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}');
-- a condition on it sees nothing; a deletion of nothing is a success
SELECT pg_temp.call('UpdateItem', '{%s, "Key": {"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "SET x = :x", "ConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":x": {"N": "1"}, ":t": {"S": "beta"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT dynamo.delete_item('ScenTenants', '{"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}', return_values => 'ALL_OLD') IS NULL;
SELECT pg_temp.call('DeleteItem', '{%s, "Key": {"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}, "ReturnValues": "ALL_OLD"}');
-- with one of them in it, a transaction or a batch does nothing at all
SELECT * FROM dynamo.transact_write(('[' || pg_temp.act('Put', 'TENANT#acme#USER#7', '') || ',' || pg_temp.act('Put', 'TENANT#beta#USER#1', '') || ']')::json);
SELECT pg_temp.call('TransactWriteItems', '{"TransactItems": [' || pg_temp.act('Put', 'TENANT#acme#USER#7', '') || ',' || pg_temp.act('Update', 'TENANT#beta#USER#1', ', "UpdateExpression": "SET x = x"') || ']}');
SELECT pg_temp.call('TransactWriteItems', '{"TransactItems": [' || pg_temp.act('Put', 'TENANT#acme#USER#7', '') || ',' || pg_temp.act('ConditionCheck', 'TENANT#beta#USER#1', ', "ConditionExpression": "attribute_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"') || ']}');
SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {"ScenTenants": [{"PutRequest": {"Item": {"PK": {"S": "TENANT#acme#USER#8"}, "SK": {"S": "PROFILE"}}}}, {"PutRequest": {"Item": {"PK": {"S": "TENANT#beta#USER#1"}, "SK": {"S": "PROFILE"}}}}]}}');
SELECT item ->> 'PK' FROM dynamo.scan('ScenTenants') ORDER BY 1;

-- nor may a tenant make or drop anything of the table's
SELECT dynamo.create_index('ScenTenants', 'Mine', 'tenant');
SELECT pg_temp.call('DeleteTable', '{%s}');
SELECT pg_temp.call('UpdateTable', '{%s, "BillingMode": "PAY_PER_REQUEST"}');
RESET ROLE;

-- the others: nothing lost, nothing changed, nothing new
SELECT count(*) FROM (SELECT item FROM dynamo.scan('ScenTenants') WHERE item ->> 'PK' NOT LIKE 'TENANT#acme#%') a FULL JOIN scen_before b ON a.item = b.item WHERE a.item IS NULL OR b.item IS NULL;
SELECT count(*) FROM scen_before;
DROP TABLE scen_before;
SELECT dynamo.drop_table('ScenTenants');
DROP ROLE regress_acme;

-- Users: found by e-mail through a sparse index, and an address that only one
-- may have
\t on
\a
\set VERBOSITY terse
SELECT dynamo.call('CreateTable', '{"TableName": "ScenUsers", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [
    {"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"}, {"AttributeName": "email", "AttributeType": "S"}, {"AttributeName": "active_since", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
  "GlobalSecondaryIndexes": [{"IndexName": "ByEmail", "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}},
    {"IndexName": "ACTIVE_USERS", "KeySchema": [{"AttributeName": "active_since", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') #>> '{TableDescription,TableStatus}';
CREATE FUNCTION pg_temp.by_email(address text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', json_build_object('TableName', 'ScenUsers', 'IndexName', 'ByEmail', 'KeyConditionExpression', 'email = :e', 'ExpressionAttributeValues', json_build_object(':e', json_build_object('S', address)), 'ProjectionExpression', 'PK, SK')) $$;

-- a profile, and further addresses as items of their own: each leads to the user
SELECT dynamo.put_item('ScenUsers', '{"PK": "USER#7f3a", "SK": "PROFILE", "name": "Ann", "email": "ann@x.y"}');
SELECT dynamo.put_item('ScenUsers', '{"PK": "USER#7f3a", "SK": "EMAIL#ann@home.y", "email": "ann@home.y"}');
SELECT pg_temp.by_email('ann@x.y'), pg_temp.by_email('ann@home.y');
SELECT u.item ->> 'name' FROM dynamo.query('ScenUsers', 'email = :e', '{":e": "ann@home.y"}', index_name => 'ByEmail') q, dynamo.get_item('ScenUsers', jsonb_build_object('PK', q.item -> 'PK', 'SK', 'PROFILE')::dynamo.item) u;
-- byte for byte: neither case nor blanks are forgiven
SELECT pg_temp.by_email('Ann@x.y') ->> 'Count', pg_temp.by_email('ann@x.y ') ->> 'Count', pg_temp.by_email('') ->> 'message';
SELECT item ->> 'SK' FROM dynamo.query('ScenUsers', 'PK = :u AND begins_with(SK, :e)', '{":u": "USER#7f3a", ":e": "EMAIL#"}');

-- without email: not in the index; with one that is no string or empty: refused
SELECT dynamo.put_item('ScenUsers', '{"PK": "USER#0001", "SK": "PROFILE", "name": "Bob"}');
SELECT count(*) FROM dynamo.scan('ScenUsers', index_name => 'ByEmail');
SELECT dynamo.put_item('ScenUsers', '{"PK": "USER#0001", "SK": "PROFILE", "email": null}');
SELECT dynamo.try_call('PutItem', '{"TableName": "ScenUsers", "Item": {"PK": {"S": "USER#0001"}, "SK": {"S": "PROFILE"}, "email": {"S": ""}}}');
-- coming, changing, going: the index follows every kind of write
SELECT dynamo.update_item('ScenUsers', '{"PK": "USER#0001", "SK": "PROFILE"}', 'SET email = :e', '{":e": "bob@x.y"}');
SELECT pg_temp.by_email('bob@x.y') ->> 'Count';
SELECT dynamo.call('UpdateItem', '{"TableName": "ScenUsers", "Key": {"PK": {"S": "USER#0001"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "SET email = :e", "ExpressionAttributeValues": {":e": {"S": "bob@home.y"}}, "ReturnValues": "UPDATED_OLD"}');
SELECT pg_temp.by_email('bob@x.y') ->> 'Count', pg_temp.by_email('bob@home.y') ->> 'Count';
SELECT dynamo.put_item('ScenUsers', '{"PK": "USER#0001", "SK": "PROFILE", "name": "Bob"}');
SELECT pg_temp.by_email('bob@home.y') ->> 'Count';

-- uniqueness: the user and a guard EMAIL#..., both new or neither
CREATE FUNCTION pg_temp.register(id text, address text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', format('{"TransactItems": [
    {"Put": {"TableName": "ScenUsers", "Item": {"PK": {"S": "USER#%1$s"}, "SK": {"S": "PROFILE"}, "email": {"S": "%2$s"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
    {"Put": {"TableName": "ScenUsers", "Item": {"PK": {"S": "EMAIL#%2$s"}, "SK": {"S": "GUARD"}, "owner": {"S": "USER#%1$s"}}, "ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}', id, address)::json) $$;
SELECT pg_temp.register('a1', 'new@x.y');
-- the address is taken: who has it is told, and the user is not made
SELECT pg_temp.register('b2', 'new@x.y');
SELECT count(*) FROM dynamo.get_item('ScenUsers', '{"PK": "USER#b2", "SK": "PROFILE"}');
-- the user is taken; both are
SELECT pg_temp.register('a1', 'other@x.y') #>> '{CancellationReasons}';
SELECT pg_temp.register('a1', 'new@x.y') ->> 'Message';
SELECT pg_temp.by_email('new@x.y');
-- another address: the old guard goes, a new one comes, the profile moves in the index
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "ScenUsers", "Key": {"PK": "EMAIL#new@x.y", "SK": "GUARD"}, "ConditionExpression": "#o = :u", "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":u": "USER#a1"}}},
  {"Put": {"TableName": "ScenUsers", "Item": {"PK": "EMAIL#newer@x.y", "SK": "GUARD", "owner": "USER#a1"}, "ConditionExpression": "attribute_not_exists(PK)"}},
  {"Update": {"TableName": "ScenUsers", "Key": {"PK": "USER#a1", "SK": "PROFILE"}, "UpdateExpression": "SET email = :e", "ConditionExpression": "email = :old", "ExpressionAttributeValues": {":e": "newer@x.y", ":old": "new@x.y"}}}]');
SELECT pg_temp.by_email('new@x.y') ->> 'Count', pg_temp.by_email('newer@x.y') ->> 'Count', pg_temp.register('b2', 'new@x.y')::text;

-- an index that a tenth of the users is in is about a tenth of one that all are in
INSERT INTO dynamo_data."ScenUsers" (item)
SELECT (jsonb_build_object('PK', 'USER#' || n, 'SK', 'PROFILE', 'email', format('user%s@example.com', lpad(n::text, 6, '0')))
  || CASE WHEN n % 10 = 0 THEN jsonb_build_object('active_since', format('2024-01-01T%s+00:00', lpad(n::text, 6, '0'))) ELSE '{}' END)::dynamo.item FROM generate_series(1, 20000) n;
SELECT round(pg_relation_size('dynamo_data."ScenUsers/ACTIVE_USERS"')::numeric / pg_relation_size('dynamo_data."ScenUsers/ByEmail"'), 2) BETWEEN 0.05 AND 0.2 AS "about a tenth";
SELECT count(*) FROM dynamo.scan('ScenUsers', index_name => 'ACTIVE_USERS');
-- so are the reads: what is charged is what is in the index, keys only
SELECT dynamo.call('Scan', '{"TableName": "ScenUsers", "IndexName": "ACTIVE_USERS", "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('Scan', '{"TableName": "ScenUsers", "IndexName": "ACTIVE_USERS", "Limit": 1}') #>> '{Items,0}' ~ '^{"PK":{"S":"USER#\d+0"},"SK":{"S":"PROFILE"},"active_since":{"S":"[^"]*"}}$';
SELECT dynamo.drop_table('ScenUsers');

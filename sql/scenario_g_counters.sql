-- Page views: ten shards a page, ADD from everywhere, one Query for the sum.
-- (What many clients do at once is in test/t/counter.pl.)
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenViews', 'PK', 'SK');
CREATE FUNCTION pg_temp.view(page text, shard int) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('UpdateItem', format('{"TableName": "ScenViews", "Key": {"PK": {"S": "PAGEVIEW#%s"}, "SK": {"S": "SHARD#%s"}}, "UpdateExpression": "ADD view_count :one", "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "UPDATED_NEW"}', page, shard)::json) $$;

-- the first view makes the item, the next adds to it
SELECT pg_temp.view('home', 0);
SELECT pg_temp.view('home', 0);
SELECT dynamo.update_item('ScenViews', '{"PK": "PAGEVIEW#home", "SK": "SHARD#0"}', 'ADD view_count :one', '{":one": 1}', return_values => 'ALL_NEW');
-- spread over the shards, through both doors
SELECT count(pg_temp.view('home', n % 10)) FROM generate_series(1, 500) n;
SELECT count(dynamo.update_item('ScenViews', jsonb_build_object('PK', 'PAGEVIEW#home', 'SK', 'SHARD#' || n % 10)::dynamo.item, 'ADD view_count :one', '{":one": 1}', return_values => 'UPDATED_NEW')) FROM generate_series(1, 500) n;
-- another page, whose name begins the same
SELECT pg_temp.view('home2', 3);
-- the sum over one Query: in SQL, and as an SDK adds it up
SELECT count(*), sum((item ->> 'view_count')::int) FROM dynamo.query('ScenViews', 'PK = :p', '{":p": "PAGEVIEW#home"}');
SELECT a ->> 'Count', (SELECT sum((i #>> '{view_count,N}')::int) FROM json_array_elements(a -> 'Items') i), a #>> '{ConsumedCapacity,CapacityUnits}'
  FROM dynamo.call('Query', '{"TableName": "ScenViews", "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)", "ExpressionAttributeValues": {":p": {"S": "PAGEVIEW#home"}, ":s": {"S": "SHARD#"}}, "ProjectionExpression": "view_count", "ReturnConsumedCapacity": "TOTAL"}') a;
-- the item that ADD made has its keys and the counter, nothing else
SELECT item FROM dynamo.get_item('ScenViews', '{"PK": "PAGEVIEW#home2", "SK": "SHARD#3"}');

-- sums are exact: 0.1 ten times is 1, and a counter may go beyond any integer type
SELECT dynamo.update_item('ScenViews', '{"PK": "exact", "SK": "n"}', 'ADD tenth :t, big :b', '{":t": 0.1, ":b": 3333333333333333333333333333333333333}', return_values => 'UPDATED_NEW') FROM generate_series(1, 10) OFFSET 9;
SELECT dynamo.update_item('ScenViews', '{"PK": "exact", "SK": "n"}', 'ADD big :b', '{":b": 66666666666666666666666666666666666669}', return_values => 'UPDATED_NEW');
SELECT dynamo.update_item('ScenViews', '{"PK": "exact", "SK": "n"}', 'ADD tenth :t, big :one', '{":t": -1, ":one": 1}', return_values => 'UPDATED_NEW');
-- what 38 digits do not hold is refused, not rounded
SELECT dynamo.update_item('ScenViews', '{"PK": "exact", "SK": "n"}', 'ADD big :one', '{":one": 1}');
SELECT item FROM dynamo.get_item('ScenViews', '{"PK": "exact", "SK": "n"}');
-- what is no number is not counted: neither the operand nor what is there
SELECT dynamo.update_item('ScenViews', '{"PK": "exact", "SK": "n"}', 'ADD tenth :t', '{":t": "1"}');
SELECT dynamo.put_item('ScenViews', '{"PK": "text", "SK": "n", "view_count": "7"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "ScenViews", "Key": {"PK": {"S": "text"}, "SK": {"S": "n"}}, "UpdateExpression": "ADD view_count :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}');
-- SET counts as well, with a start value; without one the first time fails
SELECT dynamo.update_item('ScenViews', '{"PK": "set", "SK": "n"}', 'SET view_count = view_count + :one', '{":one": 1}');
SELECT dynamo.update_item('ScenViews', '{"PK": "set", "SK": "n"}', 'SET view_count = if_not_exists(view_count, :zero) + :one', '{":zero": 0, ":one": 1}', return_values => 'UPDATED_NEW') FROM generate_series(1, 2);
-- a limited counter stops at its limit, and says where it stands
SELECT dynamo.try_call('UpdateItem', '{"TableName": "ScenViews", "Key": {"PK": {"S": "set"}, "SK": {"S": "n"}}, "UpdateExpression": "ADD view_count :one", "ConditionExpression": "view_count < :max", "ExpressionAttributeValues": {":one": {"N": "1"}, ":max": {"N": "3"}}, "ReturnValues": "UPDATED_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}') FROM generate_series(1, 2);
-- a view that is counted with what it is of, once: the visitor's guard and the counter in one transaction
CREATE FUNCTION pg_temp.visit(visitor text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', format('{"TransactItems": [{"Put": {"TableName": "ScenViews", "Item": {"PK": {"S": "PAGEVIEW#home"}, "SK": {"S": "VISITOR#%s"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
    {"Update": {"TableName": "ScenViews", "Key": {"PK": {"S": "PAGEVIEW#home"}, "SK": {"S": "VISITORS"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]}', visitor)::json) $$;
SELECT pg_temp.visit(v) ->> 'Message' FROM unnest('{ann,bob,ann}'::text[]) v;
SELECT item ->> 'n' FROM dynamo.get_item('ScenViews', '{"PK": "PAGEVIEW#home", "SK": "VISITORS"}');
SELECT dynamo.drop_table('ScenViews');

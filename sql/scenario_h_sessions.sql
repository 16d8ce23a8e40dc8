-- Sessions that end by themselves: ttl in epoch seconds, a read that does not
-- wait for the sweeper, and the sweeper
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenSessions', 'PK');
SELECT 1700000000 AS now \gset
SELECT dynamo.create_index('ScenSessions', 'ByUser', 'owner', 'ttl', sort_key_type => 'N');
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#abc", "owner": "USER#1", "ttl": 1700003600, "data": {"cart": ["p-1"], "lang": "en"}}');
SELECT dynamo.call('PutItem', '{"TableName": "ScenSessions", "Item": {"PK": {"S": "SESSION#old"}, "owner": {"S": "USER#1"}, "ttl": {"N": "1699999999"}}}');
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#edge", "owner": "USER#1", "ttl": 1700000000}');
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#forever", "owner": "USER#1"}');
-- a millisecond clock is a mistake that lives for ever; a fraction is a number as well
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#millis", "owner": "USER#2", "ttl": 1699999999000}');
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#half", "owner": "USER#2", "ttl": 1700000000.5}');

-- by key: the caller looks at ttl, as the item may not be gone yet
SELECT item ->> 'ttl', (item ->> 'ttl')::numeric > :now FROM dynamo.batch_get('ScenSessions', '{"PK": "SESSION#abc"}', '{"PK": "SESSION#old"}', '{"PK": "SESSION#none"}');
-- by filter, one session or all: only what is alive, the border being dead; no ttl is no number
SELECT item ->> 'PK' FROM unnest('{SESSION#abc,SESSION#old,SESSION#edge,SESSION#forever}'::text[]) s, dynamo.query('ScenSessions', 'PK = :s', jsonb_build_object(':s', s, ':now', :now)::dynamo.item, filter_expression => '#ttl > :now', expression_attribute_names => '{"#ttl": "ttl"}');
SELECT item ->> 'PK' FROM dynamo.scan('ScenSessions', '#ttl > :now', jsonb_build_object(':now', :now)::dynamo.item, expression_attribute_names => '{"#ttl": "ttl"}') ORDER BY 1;
SELECT item ->> 'PK' FROM dynamo.scan('ScenSessions', '#ttl > :now OR attribute_not_exists(#ttl)', jsonb_build_object(':now', :now)::dynamo.item, expression_attribute_names => '{"#ttl": "ttl"}') ORDER BY 1;
SELECT dynamo.call('Scan', '{"TableName": "ScenSessions", "FilterExpression": "#ttl > :now", "ExpressionAttributeNames": {"#ttl": "ttl"}, "ExpressionAttributeValues": {":now": {"N": "1700000000"}}, "Select": "COUNT"}');
SELECT dynamo.call('Query', '{"TableName": "ScenSessions", "KeyConditionExpression": "PK = :s", "FilterExpression": "#ttl > :now", "ExpressionAttributeNames": {"#ttl": "ttl"}, "ExpressionAttributeValues": {":s": {"S": "SESSION#old"}, ":now": {"N": "1700000000"}}}');
-- a user's living sessions by a key condition, the next to end first
SELECT item ->> 'PK' FROM dynamo.query('ScenSessions', '#o = :u AND #ttl > :now', jsonb_build_object(':u', 'USER#1', ':now', :now)::dynamo.item, index_name => 'ByUser', expression_attribute_names => '{"#o": "owner", "#ttl": "ttl"}');
SELECT dynamo.call('Query', '{"TableName": "ScenSessions", "IndexName": "ByUser", "KeyConditionExpression": "#o = :u AND #ttl > :now", "ExpressionAttributeNames": {"#o": "owner", "#ttl": "ttl"},
  "ExpressionAttributeValues": {":u": {"S": "USER#2"}, ":now": {"N": "1.7E9"}}, "ProjectionExpression": "PK, #ttl"}');

-- a living session is prolonged; a dead one is not brought back, whether it is still there or not
CREATE FUNCTION pg_temp.touch(session text, now bigint) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('UpdateItem', format('{"TableName": "ScenSessions", "Key": {"PK": {"S": "%s"}}, "UpdateExpression": "SET #ttl = :end, #d.seen = :now", "ConditionExpression": "#ttl > :now",
    "ExpressionAttributeNames": {"#ttl": "ttl", "#d": "data"}, "ExpressionAttributeValues": {":now": {"N": "%s"}, ":end": {"N": "%s"}}, "ReturnValues": "UPDATED_NEW"}', session, now, now + 3600)::json) $$;
SELECT pg_temp.touch('SESSION#abc', 1700000100);
SELECT pg_temp.touch('SESSION#old', 1700000100);
SELECT pg_temp.touch('SESSION#none', 1700000100);
SELECT count(*) FROM dynamo.get_item('ScenSessions', '{"PK": "SESSION#none"}');
-- its data: lists and maps change in place
SELECT dynamo.update_item('ScenSessions', '{"PK": "SESSION#abc"}', 'SET #d.cart = list_append(#d.cart, :p) REMOVE #d.lang', '{":p": ["p-2"]}', expression_attribute_names => '{"#d": "data"}', return_values => 'ALL_NEW');
-- an identifier is taken over only when the one that had it is dead
CREATE FUNCTION pg_temp.take(session text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('PutItem', format('{"TableName": "ScenSessions", "Item": {"PK": {"S": "%s"}, "owner": {"S": "USER#9"}, "ttl": {"N": "1700007200"}}, "ConditionExpression": "attribute_not_exists(PK) OR #ttl <= :now",
    "ExpressionAttributeNames": {"#ttl": "ttl"}, "ExpressionAttributeValues": {":now": {"N": "1700000000"}}}', session)::json) $$;
SELECT session, pg_temp.take(session) FROM unnest('{SESSION#abc,SESSION#old,SESSION#edge,SESSION#forever,SESSION#none}'::text[]) session;

-- what a sweeper does: an expired one goes on condition that it is still expired
SELECT dynamo.put_item('ScenSessions', '{"PK": "SESSION#old2", "ttl": 1}');
SELECT item ->> 'PK', dynamo.delete_item('ScenSessions', jsonb_build_object('PK', item -> 'PK')::dynamo.item, '#ttl <= :now', jsonb_build_object(':now', :now)::dynamo.item, '{"#ttl": "ttl"}', 'ALL_OLD')
  FROM dynamo.scan('ScenSessions', '#ttl <= :now', jsonb_build_object(':now', :now)::dynamo.item, expression_attribute_names => '{"#ttl": "ttl"}');
SELECT dynamo.delete_item('ScenSessions', '{"PK": "SESSION#abc"}', '#ttl <= :now', jsonb_build_object(':now', :now)::dynamo.item, '{"#ttl": "ttl"}');
SELECT count(*) FROM dynamo.scan('ScenSessions');
-- logging out everywhere: the user's sessions by index, deleted in one batch
SELECT dynamo.call('BatchWriteItem', json_build_object('RequestItems', json_build_object('ScenSessions', json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('PK', json_build_object('S', item ->> 'PK'))))))))
  FROM dynamo.query('ScenSessions', '#o = :u', '{":u": "USER#9"}', index_name => 'ByUser', expression_attribute_names => '{"#o": "owner"}');
SELECT item ->> 'PK' FROM dynamo.scan('ScenSessions') ORDER BY 1;

-- and so does time to live, by itself: an hour after the last touch a session is gone, from its user's list as well
DELETE FROM dynamo_data."ScenSessions";
SELECT dynamo.enable_ttl('ScenSessions', 'ttl');
SELECT extract(epoch FROM now())::bigint AS now \gset
SELECT dynamo.put_item('ScenSessions', format('{"PK": "SESSION#%s", "owner": "USER#3", "ttl": %s, "data": {}}', name, :now + seconds)::dynamo.item)
  FROM (VALUES ('alive', 3600), ('touched', -60), ('over', -61), ('half over', -0.5 - 61), ('long over', -86400)) x (name, seconds);
-- until it is, it is there: whoever asks for it by a condition finds it dead, and may bring it back by a put
SELECT pg_temp.touch('SESSION#over', :now) ->> 'message';
SELECT dynamo.put_item('ScenSessions', format('{"PK": "SESSION#touched", "owner": "USER#3", "ttl": %s}', :now + 3600)::dynamo.item);
SELECT dynamo.expire_items('ScenSessions');
SELECT item ->> 'PK' FROM dynamo.query('ScenSessions', '#o = :u', '{":u": "USER#3"}', index_name => 'ByUser', expression_attribute_names => '{"#o": "owner"}') ORDER BY 1;
SELECT dynamo.call('GetItem', '{"TableName": "ScenSessions", "Key": {"PK": {"S": "SESSION#over"}}}');
SELECT pg_temp.touch('SESSION#over', :now) ->> 'message';
SELECT dynamo.drop_table('ScenSessions');

-- Relations in one table: one to one, many to many from both sides, a
-- hierarchy in the sort key, versions of a document
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenGraph', 'PK', 'SK');
-- the inverted index: the table's keys change places
SELECT dynamo.create_index('ScenGraph', 'Inverted', 'SK', 'PK');
CREATE FUNCTION pg_temp.query(condition text, vals json, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', (jsonb_build_object('TableName', 'ScenGraph', 'KeyConditionExpression', condition, 'ExpressionAttributeValues', vals) || more)::json) $$;

-- one to one: a user's parts under one partition key, read together or alone
SELECT dynamo.put_item('ScenGraph', '{"PK": "USER#1", "SK": "METADATA", "name": "Ann"}');
SELECT dynamo.call('PutItem', '{"TableName": "ScenGraph", "Item": {"PK": {"S": "USER#1"}, "SK": {"S": "PREFERENCES"}, "theme": {"S": "dark"}, "tags": {"SS": ["b", "a"]}}}');
SELECT item FROM dynamo.query('ScenGraph', 'PK = :u', '{":u": "USER#1"}');
SELECT item ->> 'theme' FROM dynamo.get_item('ScenGraph', '{"PK": "USER#1", "SK": "PREFERENCES"}');
-- a change of the one leaves the other alone
SELECT dynamo.update_item('ScenGraph', '{"PK": "USER#1", "SK": "PREFERENCES"}', 'SET theme = :t DELETE tags :a', '{":t": {"S": "light"}, ":a": {"SS": ["a"]}, ":old": {"S": "blue"}}', 'theme = :old', return_values => 'ALL_NEW');
SELECT dynamo.update_item('ScenGraph', '{"PK": "USER#1", "SK": "PREFERENCES"}', 'SET theme = :t DELETE tags :a', '{":t": {"S": "light"}, ":a": {"SS": ["a"]}, ":old": {"S": "dark"}}', 'theme = :old', return_values => 'ALL_NEW');
SELECT dynamo.call('GetItem', '{"TableName": "ScenGraph", "Key": {"PK": {"S": "USER#1"}, "SK": {"S": "METADATA"}}, "ConsistentRead": true}');

-- many to many: an edge is an item; the index answers from the other side
SELECT count(*) FROM unnest(ARRAY[
  '{"PK": "STUDENT#1", "SK": "STUDENT#1", "name": "Ann"}', '{"PK": "STUDENT#2", "SK": "STUDENT#2", "name": "Bob"}',
  '{"PK": "COURSE#db", "SK": "COURSE#db", "title": "Databases"}', '{"PK": "COURSE#os", "SK": "COURSE#os", "title": "Systems"}',
  '{"PK": "STUDENT#1", "SK": "COURSE#db", "grade": 1}', '{"PK": "STUDENT#1", "SK": "COURSE#os", "grade": 3}', '{"PK": "STUDENT#2", "SK": "COURSE#db", "grade": 2}']) i, dynamo.put_item('ScenGraph', i::dynamo.item);
-- the courses of a student, without the student
SELECT item ->> 'SK', item ->> 'grade' FROM dynamo.query('ScenGraph', 'PK = :s AND begins_with(SK, :c)', '{":s": "STUDENT#1", ":c": "COURSE#"}');
-- the students of a course, in the order of their keys, and backwards
SELECT item ->> 'PK', item ->> 'grade' FROM dynamo.query('ScenGraph', 'SK = :c AND begins_with(PK, :s)', '{":c": "COURSE#db", ":s": "STUDENT#"}', index_name => 'Inverted');
SELECT pg_temp.query('SK = :c AND PK > :s', '{":c": {"S": "COURSE#db"}, ":s": {"S": "COURSE#z"}}', '{"IndexName": "Inverted", "ProjectionExpression": "PK, grade", "ScanIndexForward": false}');
-- the course itself is in the index as well; paging there names index and table keys, which are the same
SELECT pg_temp.query('SK = :c', '{":c": {"S": "COURSE#db"}}', '{"IndexName": "Inverted", "Limit": 2, "ProjectionExpression": "PK"}');
SELECT pg_temp.query('SK = :c', '{":c": {"S": "COURSE#db"}}', '{"IndexName": "Inverted", "Limit": 2, "ProjectionExpression": "PK", "ExclusiveStartKey": {"PK": {"S": "STUDENT#1"}, "SK": {"S": "COURSE#db"}}}');
-- both edges of a change in one transaction: Ann leaves systems for a new course
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [
  {"Delete": {"TableName": "ScenGraph", "Key": {"PK": {"S": "STUDENT#1"}, "SK": {"S": "COURSE#os"}}, "ConditionExpression": "attribute_exists(PK)"}},
  {"Put": {"TableName": "ScenGraph", "Item": {"PK": {"S": "STUDENT#1"}, "SK": {"S": "COURSE#ai"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
  {"ConditionCheck": {"TableName": "ScenGraph", "Key": {"PK": {"S": "STUDENT#1"}, "SK": {"S": "STUDENT#1"}}, "ConditionExpression": "attribute_exists(PK)"}}]}');
SELECT string_agg(item ->> 'PK', ' ') FROM dynamo.query('ScenGraph', 'SK = :c', '{":c": "COURSE#os"}', index_name => 'Inverted');
SELECT string_agg(item ->> 'PK', ' ') FROM dynamo.query('ScenGraph', 'SK = :c', '{":c": "COURSE#ai"}', index_name => 'Inverted');

-- adjacency list: one graph, each edge stored once and found from both ends
SELECT count(dynamo.put_item('ScenGraph', jsonb_build_object('PK', 'NODE#' || a, 'SK', 'EDGE#' || b)::dynamo.item, return_values => 'ALL_OLD')) FROM (VALUES (1, 2), (1, 3), (2, 3), (3, 1)) e (a, b);
SELECT item ->> 'SK' AS out FROM dynamo.query('ScenGraph', 'PK = :n AND begins_with(SK, :e)', '{":n": "NODE#1", ":e": "EDGE#"}');
SELECT item ->> 'PK' AS into FROM dynamo.query('ScenGraph', 'SK = :e', '{":e": "EDGE#3"}', index_name => 'Inverted');

-- hierarchy: one condition for each level, a level is no prefix of its neighbour
SELECT dynamo.call('BatchWriteItem', ('{"RequestItems": {"ScenGraph": [' || string_agg(format('{"PutRequest": {"Item": {"PK": {"S": "STORES"}, "SK": {"S": "%s"}}}}', place), ', ') || ']}}')::json)
  FROM unnest('{US#CA#SanFrancisco#94102,US#CA#SanFrancisco#94103,US#CA#SanJose#95101,US#CAX#Nowhere#1,US#NY#NewYork#10001,UK#ENG#London#E1}'::text[]) place;
SELECT level, (SELECT string_agg(item ->> 'SK', ' ') FROM dynamo.query('ScenGraph', 'PK = :p AND begins_with(SK, :l)', jsonb_build_object(':p', 'STORES', ':l', level)::dynamo.item))
  FROM unnest('{US#,US#CA#,US#CA#SanFrancisco#,US#CA#SanFrancisco#94102}'::text[]) level;
SELECT pg_temp.query('PK = :p AND begins_with(SK, :l)', '{":p": {"S": "STORES"}, ":l": {"S": "US#CA#"}}', '{"Select": "COUNT"}'),
  pg_temp.query('PK = :p AND SK BETWEEN :a AND :b', '{":p": {"S": "STORES"}, ":a": {"S": "US#CA#"}, ":b": {"S": "US#CA$"}}', '{"Select": "COUNT"}');

-- versions: v0_ is the current one; publishing copies it away and goes on, in one transaction
CREATE FUNCTION pg_temp.publish(version int, body text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT action FROM dynamo.transact_write(json_build_array(
    json_build_object('Update', json_build_object('TableName', 'ScenGraph', 'Key', '{"PK": "DOC#1", "SK": "v0_doc"}'::json,
      'UpdateExpression', 'SET body = :b, latest = if_not_exists(latest, :zero) + :one', 'ConditionExpression', 'attribute_not_exists(PK) OR latest = :old',
      'ExpressionAttributeValues', json_build_object(':b', body, ':zero', 0, ':one', 1, ':old', version - 1))),
    json_build_object('Put', json_build_object('TableName', 'ScenGraph', 'Item', json_build_object('PK', 'DOC#1', 'SK', format('v%s_doc', version), 'body', body),
      'ConditionExpression', 'attribute_not_exists(PK)')))) $$;
SELECT pg_temp.publish(1, 'one');
SELECT pg_temp.publish(2, 'two');
-- who still believes in version 1 is told, and neither item changes
SELECT pg_temp.publish(2, 'lost');
SELECT item ->> 'SK', item ->> 'body', item ->> 'latest' FROM dynamo.query('ScenGraph', 'PK = :d', '{":d": "DOC#1"}');
-- the current one by key; the history newest first, without it
SELECT dynamo.call('GetItem', '{"TableName": "ScenGraph", "Key": {"PK": {"S": "DOC#1"}, "SK": {"S": "v0_doc"}}, "ProjectionExpression": "body, latest"}');
SELECT item ->> 'SK' FROM dynamo.query('ScenGraph', 'PK = :d AND SK > :v', '{":d": "DOC#1", ":v": "v0_z"}', scan_index_forward => false);
SELECT dynamo.drop_table('ScenGraph');

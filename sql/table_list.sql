-- ListTables: byte order, pages, a start that need not exist.
\a

BEGIN;
DELETE FROM dynamo.tables;		-- whatever stands here, for this transaction
SELECT dynamo.call('ListTables', '{}');
SELECT dynamo.create_table(name, 'id')
FROM unnest(ARRAY['aab', 'aaB', 'a-b', 'a_b', 'a.b', 'Zzz']) name;

SELECT dynamo.call('ListTables', '{}');
SELECT dynamo.call('ListTables', '{"Limit": 2}');
SELECT dynamo.call('ListTables', '{"Limit": 2, "ExclusiveStartTableName": "a.b"}');
SELECT dynamo.call('ListTables', '{"Limit": 2, "ExclusiveStartTableName": "aaB"}');
-- exactly as many as are left: no LastEvaluatedTableName
SELECT dynamo.call('ListTables', '{"Limit": 3, "ExclusiveStartTableName": "a.c"}');
SELECT dynamo.call('ListTables', '{"ExclusiveStartTableName": "zzz"}');

-- A hundred at most by default, and 101 are too many to ask for.
SELECT count(dynamo.create_table('many' || i, 'id')) FROM generate_series(100, 200) i;
SELECT json_array_length(answer -> 'TableNames'), answer ->> 'LastEvaluatedTableName'
FROM dynamo.call('ListTables', '{}') answer;
SAVEPOINT s;
SELECT dynamo.call('ListTables', '{"Limit": 101}');
ROLLBACK TO s;
SELECT dynamo.call('ListTables', '{"Limit": 0}');
ROLLBACK TO s;
SELECT dynamo.call('ListTables', '{"ExclusiveStartTableName": "a"}');
ROLLBACK;

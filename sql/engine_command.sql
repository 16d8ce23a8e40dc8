-- Calls within one statement and one transaction, and what else is on the relation
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineCommand', 'pk', 'sk');

-- each write sees those before it in the same statement
SELECT dynamo.update_item('EngineCommand', '{"pk": "a", "sk": "1"}', 'ADD n :n', jsonb_build_object(':n', n)::dynamo.item, return_values => 'UPDATED_NEW')
FROM generate_series(1, 4) n;
SELECT dynamo.put_item('EngineCommand', '{"pk": "a", "sk": "2"}', 'attribute_not_exists(pk)'), dynamo.delete_item('EngineCommand', '{"pk": "a", "sk": "2"}', 'attribute_exists(pk)'),
  dynamo.put_item('EngineCommand', '{"pk": "a", "sk": "2"}', 'attribute_not_exists(pk)');
-- ... and so does each read by dynamo.call, which is VOLATILE
SELECT dynamo.call('PutItem', '{"TableName": "EngineCommand", "Item": {"pk": {"S": "call"}, "sk": {"S": "1"}}}'),
  dynamo.call('GetItem', '{"TableName": "EngineCommand", "Key": {"pk": {"S": "call"}, "sk": {"S": "1"}}}'),
  dynamo.call('DeleteItem', '{"TableName": "EngineCommand", "Key": {"pk": {"S": "call"}, "sk": {"S": "1"}}}'),
  dynamo.call('GetItem', '{"TableName": "EngineCommand", "Key": {"pk": {"S": "call"}, "sk": {"S": "1"}}}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "a", "sk": "3"}');
SELECT count(*) FROM dynamo.query('EngineCommand', 'pk = :a', '{":a": "a"}');
-- a subtransaction's writes go with it
BEGIN;
SAVEPOINT one;
SELECT dynamo.delete_item('EngineCommand', '{"pk": "a", "sk": "1"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "a", "sk": "4"}');
ROLLBACK TO one;
SELECT dynamo.update_item('EngineCommand', '{"pk": "a", "sk": "1"}', 'ADD n :n', '{":n": 1}', 'attribute_exists(pk)', return_values => 'ALL_NEW');
SELECT dynamo.put_item('EngineCommand', '{"pk": "a", "sk": "4"}', 'attribute_not_exists(pk)');
COMMIT;
-- of the rows that plain SQL wrote, and a write called by plain SQL
INSERT INTO dynamo_data."EngineCommand" (item) SELECT jsonb_build_object('pk', 'sql', 'sk', n::text)::dynamo.item FROM generate_series(1, 3) n;
UPDATE dynamo_data."EngineCommand" SET item = dynamo.update_item('EngineCommand', '{"pk": "count", "sk": "0"}', 'ADD n :n', '{":n": 1}', return_values => 'ALL_NEW') WHERE false;
SELECT dynamo.update_item('EngineCommand', item, 'ADD n :n', '{":n": 1}', return_values => 'ALL_NEW') FROM dynamo_data."EngineCommand" WHERE pk = 'sql' ORDER BY sk;

-- an index of the user's is kept, partial or unique or both
CREATE UNIQUE INDEX command_mail ON dynamo_data."EngineCommand" ((item ->> 'mail')) WHERE item ? 'mail';
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "1", "mail": "ann@example.org"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "2", "mail": "ann@example.org"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "1", "mail": "ann@example.net"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "2", "mail": "ann@example.org"}');
SET enable_seqscan = off;
SELECT item ->> 'sk' FROM dynamo_data."EngineCommand" WHERE item ->> 'mail' = 'ann@example.net' AND item ? 'mail';
RESET enable_seqscan;
-- what its predicate leaves out has no entry
CREATE UNIQUE INDEX command_open ON dynamo_data."EngineCommand" ((item ->> 'desk')) WHERE NOT item ? 'closed';
SELECT dynamo.put_item('EngineCommand', jsonb_build_object('pk', 'desk', 'sk', n, 'desk', 'one', 'closed', true)::dynamo.item) FROM unnest('{1,2}'::text[]) n;
SELECT dynamo.put_item('EngineCommand', '{"pk": "desk", "sk": "3", "desk": "one"}');
SELECT dynamo.update_item('EngineCommand', '{"pk": "desk", "sk": "2"}', 'REMOVE closed');
DROP INDEX dynamo_data.command_open;
-- of a transaction that breaks it nothing is left
SELECT dynamo.transact_write('[{"Put": {"TableName": "EngineCommand", "Item": {"pk": {"S": "u"}, "sk": {"S": "3"}}}},
  {"Put": {"TableName": "EngineCommand", "Item": {"pk": {"S": "u"}, "sk": {"S": "4"}, "mail": {"S": "ann@example.org"}}}}]');
-- and of one that checks or deletes what is not there neither
SELECT count(*) FROM dynamo.transact_write('[{"ConditionCheck": {"TableName": "EngineCommand", "Key": {"pk": {"S": "u"}, "sk": {"S": "5"}}, "ConditionExpression": "attribute_not_exists(pk)"}},
  {"Delete": {"TableName": "EngineCommand", "Key": {"pk": {"S": "u"}, "sk": {"S": "6"}}}},
  {"Update": {"TableName": "EngineCommand", "Key": {"pk": {"S": "u"}, "sk": {"S": "7"}}, "UpdateExpression": "REMOVE x"}}]');
SELECT string_agg(item ->> 'sk', ' ') FROM dynamo_data."EngineCommand" WHERE pk = 'u';

-- so is an exclusion constraint
ALTER TABLE dynamo_data."EngineCommand" ADD CONSTRAINT one_room EXCLUDE USING btree ((item ->> 'room') WITH =);
SELECT dynamo.put_item('EngineCommand', '{"pk": "r", "sk": "1", "room": "12"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "r", "sk": "2", "room": "12"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "r", "sk": "2"}'), dynamo.update_item('EngineCommand', '{"pk": "r", "sk": "2"}', 'SET room = :r', '{":r": "13"}');
SELECT dynamo.update_item('EngineCommand', '{"pk": "r", "sk": "2"}', 'SET room = :r', '{":r": "12"}');
ALTER TABLE dynamo_data."EngineCommand" DROP CONSTRAINT one_room;

-- no change to what could not be replicated, as in SQL: only deletes are published
SET client_min_messages = error;	-- of wal_level, perhaps
CREATE PUBLICATION command_gone FOR TABLE dynamo_data."EngineCommand" WITH (publish = 'delete');
RESET client_min_messages;
ALTER TABLE dynamo_data."EngineCommand" REPLICA IDENTITY NOTHING;
SELECT dynamo.delete_item('EngineCommand', '{"pk": "u", "sk": "3"}');
SELECT dynamo.transact_write('[{"Delete": {"TableName": "EngineCommand", "Key": {"pk": {"S": "u"}, "sk": {"S": "3"}}}}]');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "3"}'), dynamo.update_item('EngineCommand', '{"pk": "u", "sk": "3"}', 'ADD n :n', '{":n": 1}');
ALTER PUBLICATION command_gone SET (publish = 'insert, update');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "3"}');
SELECT dynamo.update_item('EngineCommand', '{"pk": "u", "sk": "3"}', 'ADD n :n', '{":n": 1}');
SELECT dynamo.delete_item('EngineCommand', '{"pk": "u", "sk": "3"}', return_values => 'ALL_OLD');
ALTER TABLE dynamo_data."EngineCommand" REPLICA IDENTITY DEFAULT;
DROP PUBLICATION command_gone;

-- nothing is written where nothing may be
BEGIN READ ONLY;
SELECT count(*) FROM dynamo.get_item('EngineCommand', '{"pk": "u", "sk": "1"}');
SELECT dynamo.put_item('EngineCommand', '{"pk": "u", "sk": "1"}');
ROLLBACK;
SELECT dynamo.drop_table('EngineCommand');

-- Entries of secondary indexes follow every kind of write
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineIndex', 'pk');
SELECT dynamo.create_index('EngineIndex', 'gsi', 'g', 'h', sort_key_type => 'N');
SELECT dynamo.create_index('EngineIndex', 'several', ARRAY['a', 'b'], ARRAY['c', 'd'], ARRAY['S', 'N'], ARRAY['B', 'S']);
-- what each index holds: by the API, and by its entries alone
CREATE VIEW entries AS
  SELECT (SELECT count(*) FROM dynamo.scan('EngineIndex', index_name => 'gsi')) AS gsi,
    (SELECT count(*) FROM dynamo.scan('EngineIndex', index_name => 'several')) AS several,
    (SELECT count(*) FROM dynamo_data."EngineIndex" WHERE dynamo_internal.index_partition_hash(item, 'g'::text, 'S') IS NOT NULL AND dynamo_internal.index_sort_key(item, 'h'::text, 'N') IS NOT NULL) AS gsi_by_sql;
SELECT dynamo.put_item('EngineIndex', '{"pk": "1", "g": "x", "h": 1}');
SELECT dynamo.put_item('EngineIndex', '{"pk": {"S": "2"}, "g": {"S": "x"}, "h": {"N": "2"}, "a": {"S": "a"}, "b": {"N": "-1"}, "c": {"B": "/w=="}, "d": {"S": "d"}}');
SELECT dynamo.put_item('EngineIndex', '{"pk": "3", "g": "x"}');
INSERT INTO dynamo_data."EngineIndex" (item) VALUES ('{"pk": "4", "g": "x", "h": "of the wrong type"}'), ('{"pk": "5", "g": "y", "h": 5}');
TABLE entries;
-- put over, update in and out, from one key to another, delete
SELECT dynamo.put_item('EngineIndex', '{"pk": "1", "g": "y", "h": 1}');
SELECT item FROM dynamo.query('EngineIndex', 'g = :g', '{":g": "x"}', index_name => 'gsi');
SELECT dynamo.update_item('EngineIndex', '{"pk": "3"}', 'SET h = :h', '{":h": 3}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "2"}', 'SET h = h + :h', '{":h": 8}');
SELECT item ->> 'pk', item ->> 'h' FROM dynamo.query('EngineIndex', 'g = :g', '{":g": "x"}', index_name => 'gsi');
SELECT dynamo.update_item('EngineIndex', '{"pk": "2"}', 'REMOVE g, d');
SELECT dynamo.delete_item('EngineIndex', '{"pk": "5"}');
TABLE entries;
SELECT count(*) FROM dynamo.transact_write('[{"Update": {"TableName": "EngineIndex", "Key": {"pk": {"S": "2"}}, "UpdateExpression": "SET d = :d", "ExpressionAttributeValues": {":d": {"S": "e"}}}},
  {"Delete": {"TableName": "EngineIndex", "Key": {"pk": {"S": "1"}}}},
  {"Put": {"TableName": "EngineIndex", "Item": {"pk": {"S": "6"}, "g": {"S": "x"}, "h": {"N": "6"}}}}]');
TABLE entries;
SELECT item ->> 'pk' FROM dynamo.query('EngineIndex', 'a = :a AND b = :b AND c = :c AND begins_with(d, :d)',
  '{":a": {"S": "a"}, ":b": {"N": "-1.0"}, ":c": {"B": "/w=="}, ":d": {"S": "e"}}', index_name => 'several');

-- keys that an index cannot take
SELECT dynamo.put_item('EngineIndex', '{"pk": "7", "g": 1}');
SELECT dynamo.put_item('EngineIndex', '{"pk": "7", "g": ""}');
SELECT dynamo.put_item('EngineIndex', '{"pk": "7", "d": null}');
SELECT dynamo.put_item('EngineIndex', jsonb_build_object('pk', '7', 'd', repeat('x', 1025))::dynamo.item);
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET h = :h', '{":h": "x"}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET h = g');
-- ... from the request or from the item, whatever else the update reads
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET h = :h, v = g', '{":h": "x"}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET g = :g + :g', '{":g": 1}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET v = :v, g = if_not_exists(w, :v)', '{":v": 1}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET g = :g', '{":g": ""}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET g = :g', jsonb_build_object(':g', repeat('x', 2049))::dynamo.item);
-- the limits themselves are within
SELECT dynamo.update_item('EngineIndex', '{"pk": "6"}', 'SET g = :g', jsonb_build_object(':g', repeat('x', 2048))::dynamo.item);
SELECT item ->> 'pk' FROM dynamo.query('EngineIndex', 'g = :g', jsonb_build_object(':g', repeat('x', 2048))::dynamo.item, index_name => 'gsi');
-- one of the wrong type that was there before hinders no other update
SELECT dynamo.update_item('EngineIndex', '{"pk": "4"}', 'SET v = :v', '{":v": 1}', return_values => 'ALL_NEW');
-- indexes of the user's are kept, by whatever access method
CREATE INDEX ON dynamo_data."EngineIndex" USING brin ((item ->> 'v'));
CREATE INDEX ON dynamo_data."EngineIndex" USING hash ((item ->> 'v'));
SELECT dynamo.put_item('EngineIndex', '{"pk": "8", "v": "brin"}');
SELECT dynamo.update_item('EngineIndex', '{"pk": "8"}', 'SET v = :v', '{":v": "hash"}');
SET enable_seqscan = off;
SELECT item FROM dynamo_data."EngineIndex" WHERE item ->> 'v' = 'hash';
RESET enable_seqscan;
DROP VIEW entries;
SELECT dynamo.drop_table('EngineIndex');

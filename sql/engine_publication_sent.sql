-- What a publication sends of the changes that requests make: with REPLICA IDENTITY
-- FULL a delete has the old item, or nobody would know which is gone.
-- It takes wal_level = logical; where that is another, it ends here.
SELECT current_setting('wal_level') <> 'logical' AS lacking \gset
\if :lacking
\echo wal_level is not logical
\quit
\endif
SELECT dynamo.create_table('Sent', 'pk', 'sk N');
SELECT 'init' FROM pg_create_logical_replication_slot('sent_slot', 'pgoutput');
CREATE PUBLICATION sent FOR TABLE dynamo_data."Sent";
-- by the key
SELECT dynamo.put_item('Sent', '{"pk": "a", "sk": 1, "v": 1}');
SELECT dynamo.put_item('Sent', '{"pk": "a", "sk": 1, "v": 2}');
SELECT dynamo.update_item('Sent', '{"pk": "a", "sk": 1}', 'ADD v :n', '{":n": 1}');
SELECT dynamo.delete_item('Sent', '{"pk": "a", "sk": 1}');
-- by all of the row
ALTER TABLE dynamo_data."Sent" REPLICA IDENTITY FULL;
SELECT dynamo.transact_write('[{"Put": {"TableName": "Sent", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}, "v": {"S": "full"}}}}]');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"Sent": [{"PutRequest": {"Item": {"pk": {"S": "b"}, "sk": {"N": "1"}, "v": {"S": "over"}}}}]}}');
SELECT dynamo.call('ExecuteStatement', '{"Statement": "UPDATE \"Sent\" SET v = ''partiql'' WHERE pk = ''b'' AND sk = 1"}');
SELECT dynamo.delete_item('Sent', '{"pk": "b", "sk": 1}');
SELECT chr(get_byte(data, 0)) AS message, position('"partiql"'::bytea in data) > 0 AS partiql
FROM pg_logical_slot_get_binary_changes('sent_slot', NULL, NULL, 'proto_version', '1', 'publication_names', 'sent')
WHERE chr(get_byte(data, 0)) IN ('I', 'U', 'D');
SELECT pg_drop_replication_slot('sent_slot');
DROP PUBLICATION sent;
SELECT dynamo.drop_table('Sent');

-- Requests change a table under whatever publication it is in.  PostgreSQL 18
-- refuses to update where a replica identity has generated columns that are not
-- published, as keys are by every publication that does not ask for them:
-- PutItem, UpdateItem and DeleteItem failed.
SELECT dynamo.create_table('Published', 'pk', 'sk N');
SET client_min_messages = error;	-- of wal_level, perhaps
CREATE PUBLICATION published FOR TABLE dynamo_data."Published";

-- by the key, and by all of the row
SELECT dynamo.put_item('Published', '{"pk": "a", "sk": 1, "v": 1}');
SELECT dynamo.put_item('Published', '{"pk": "a", "sk": 1, "v": 2}');
SELECT dynamo.update_item('Published', '{"pk": "a", "sk": 1}', 'ADD v :n', '{":n": 1}');
SELECT dynamo.delete_item('Published', '{"pk": "a", "sk": 1}');
ALTER TABLE dynamo_data."Published" REPLICA IDENTITY FULL;
SELECT dynamo.transact_write('[{"Put": {"TableName": "Published", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}, "v": {"S": "full"}}}}]');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"Published": [{"PutRequest": {"Item": {"pk": {"S": "b"}, "sk": {"N": "1"}, "v": {"S": "over"}}}}]}}');
SELECT dynamo.call('ExecuteStatement', '{"Statement": "UPDATE \"Published\" SET v = ''partiql'' WHERE pk = ''b'' AND sk = 1"}');
SELECT dynamo.delete_item('Published', '{"pk": "b", "sk": 1}');

-- in two publications, one of all tables
CREATE PUBLICATION published_all FOR ALL TABLES;
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1}');
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1, "v": 2}');
ALTER TABLE dynamo_data."Published" REPLICA IDENTITY DEFAULT;
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1, "v": 3}');

-- all other reasons count, of each publication: a list of columns without the key
\set VERBOSITY terse
DROP PUBLICATION published;
CREATE PUBLICATION published FOR TABLE dynamo_data."Published" (item);
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1, "v": 4}');
SELECT dynamo.delete_item('Published', '{"pk": "c", "sk": 1}');
-- one that sends insertions alone is no reason
DROP PUBLICATION published;
CREATE PUBLICATION published FOR TABLE dynamo_data."Published" (item) WITH (publish = 'insert');
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1, "v": 5}');
SELECT dynamo.delete_item('Published', '{"pk": "c", "sk": 1}');
-- a filter on what is not in the key
DROP PUBLICATION published;
ALTER TABLE dynamo_data."Published" ADD note int;
CREATE PUBLICATION published FOR TABLE dynamo_data."Published" WHERE (note IS NULL);
SELECT dynamo.put_item('Published', '{"pk": "c", "sk": 1, "v": 4}');
SELECT dynamo.delete_item('Published', '{"pk": "c", "sk": 1}');
DROP PUBLICATION published, published_all;
SELECT dynamo.delete_item('Published', '{"pk": "c", "sk": 1}');
SELECT dynamo.drop_table('Published');

-- An example of each SQL function: what the pages below docs/reference/functions show.
--
-- A line "-- name: what it shows" begins the example of a function, "-- ." ends it.
-- make reference writes the pages, from the expected output.
SET client_min_messages = error;
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/garden-files && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SET client_min_messages = error;
SET DateStyle = ISO;
SET TimeZone = UTC;
CREATE ROLE gardener LOGIN;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO gardener;
CREATE FUNCTION count_plants(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT';

-- create_table: Makes a table, whose items are found by one or two attributes. Nothing but these is declared.
SELECT dynamo.create_table('Garden', partition_key => 'bed', sort_key => 'plant');
-- .
-- put_item: Stores an item: plain JSON, or DynamoDB's typed JSON where JSON has no such type, as for a set.
SELECT dynamo.put_item('Garden', '{"bed": "north", "plant": "fern", "height": 40}');
SELECT dynamo.put_item('Garden', '{"bed": {"S": "north"}, "plant": {"S": "ivy"}, "height": {"N": "120"}, "kinds": {"SS": ["dark", "light"]}}');
-- Only if there is none yet, and with the item that was there:
SELECT dynamo.put_item('Garden', '{"bed": "south", "plant": "rose", "height": 90}',
	condition_expression => 'attribute_not_exists(bed)', return_values => 'ALL_OLD');
-- .
-- get_item: Reads one item, by the values of its key, or by the key as an item.
SELECT item FROM dynamo.get_item('Garden', 'north', 'fern');
SELECT item FROM dynamo.get_item('Garden', '{"bed": "north", "plant": "ivy"}', projection_expression => 'kinds');
-- .
-- update_item: Changes parts of an item, if a condition holds.
SELECT dynamo.update_item('Garden', '{"bed": "north", "plant": "fern"}',
	'SET height = height + :grown, watered = :day', '{":grown": 2, ":day": "2026-05-01", ":high": 100}',
	condition_expression => 'height < :high', return_values => 'UPDATED_NEW');
-- .
-- delete_item: Removes an item, by the values of its key, or by the key as an item.
SELECT dynamo.delete_item('Garden', 'south', 'rose');
SELECT dynamo.delete_item('Garden', '{"bed": "south", "plant": "rose"}', return_values => 'ALL_OLD');
-- .
-- query: Reads the items of one partition key, in the order of the sort key. LIMIT stops the reading.
SELECT item->>'plant' AS plant, item->>'height' AS height
FROM dynamo.query('Garden', 'bed = :b AND plant >= :p', '{":b": "north", ":p": "f"}',
	scan_index_forward => false)
LIMIT 2;
-- .
-- scan: Reads all items, or those that a filter lets through.
SELECT item->>'bed' AS bed, item->>'plant' AS plant
FROM dynamo.scan('Garden', 'height > :h', '{":h": 100}');
-- .
-- batch_get: Reads some items by their keys, in the order of these; what is not there is left out.
SELECT item->>'plant' AS plant
FROM dynamo.batch_get('Garden', '{"bed": "north", "plant": "ivy"}', '{"bed": "moon", "plant": "moss"}', '{"bed": "north", "plant": "fern"}');
-- .
-- create_index: Adds a global secondary index, which only the items that have its key are in.
SELECT dynamo.create_index('Garden', 'ByHeight', 'bed', 'height N');
SELECT item->>'plant' AS plant
FROM dynamo.query('Garden', 'bed = :b AND height < :h', '{":b": "north", ":h": 100}', index_name => 'ByHeight');
-- Keys of several attributes:
SELECT dynamo.create_index('Garden', 'ByCare', ARRAY['bed', 'watered'], ARRAY['plant']);
-- .
-- search_vectors: Finds the items of a vector index that are nearest to a vector, and how near they are.
SELECT dynamo.call('UpdateTable', '{"TableName": "Garden", "VectorIndexUpdates": [{"Create": {"IndexName": "Alike",
	"VectorAttribute": {"AttributeName": "look"}, "Dimensions": 2, "DistanceFunction": "EUCLIDEAN",
	"Projection": {"ProjectionType": "ALL"}}}]}') IS NOT NULL AS made;
SELECT dynamo.update_item('Garden', item, 'SET look = :l', jsonb_build_object(':l', look))
FROM (VALUES ('{"bed": "north", "plant": "fern"}', '[1, 0]'::jsonb), ('{"bed": "north", "plant": "ivy"}', '[4, 4.5]')) AS given (item, look);
SELECT item->>'plant' AS plant, score
FROM dynamo.search_vectors('Garden', 'Alike', ARRAY[1, 0.5], top_k => 2);
-- .
SELECT dynamo.call('UpdateTable', '{"TableName": "Garden", "VectorIndexUpdates": [{"Delete": {"IndexName": "Alike"}}]}') IS NOT NULL AS dropped;
SELECT dynamo.update_item('Garden', item, 'REMOVE look')
FROM (VALUES ('{"bed": "north", "plant": "fern"}'), ('{"bed": "north", "plant": "ivy"}')) AS given (item);
-- drop_index: Drops an index; the items stay.
SELECT dynamo.drop_index('Garden', 'ByCare');
-- .
-- transact_write: Does up to 100 writes and checks, all or none.
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Garden", "Item": {"bed": "west", "plant": "fern", "height": 40}}},
	{"Delete": {"TableName": "Garden", "Key": {"bed": "north", "plant": "fern"},
		"ConditionExpression": "attribute_exists(bed)"}}]');
-- .
-- transact_get: Reads up to 100 items, of one moment.
SELECT * FROM dynamo.transact_get('[
	{"Get": {"TableName": "Garden", "Key": {"bed": "west", "plant": "fern"}}},
	{"Get": {"TableName": "Garden", "Key": {"bed": "north", "plant": "fern"}}}]');
-- .
-- partiql: Runs a statement of PartiQL, with parameters of any type that an attribute has.
SELECT item->>'plant' AS plant
FROM dynamo.partiql('SELECT * FROM "Garden" WHERE bed = ? AND height > ?', 'north', 100);
SELECT item FROM dynamo.partiql('UPDATE "Garden" SET height = 41 WHERE bed = ''west'' AND plant = ''fern'' RETURNING MODIFIED NEW *');
-- .
-- call: Runs any operation of the API, in JSON. An exception is an error.
SELECT dynamo.call('GetItem', '{"TableName": "Garden", "Key": {"bed": {"S": "west"}, "plant": {"S": "fern"}}}');
-- .
-- try_call: Does the same, but an exception is an answer.
SELECT dynamo.try_call('GetItem', '{"TableName": "Gardn", "Key": {"bed": {"S": "west"}}}');
-- .
-- explain: Tells what a request would read and write.
SELECT action, index_name, access, condition
FROM dynamo.explain('Query', '{"TableName": "Garden", "IndexName": "ByHeight",
	"KeyConditionExpression": "bed = :b AND height < :h",
	"ExpressionAttributeValues": {":b": {"S": "north"}, ":h": {"N": "100"}}}');
-- .
-- relation: The relation behind a table, for plain SQL.
SELECT dynamo.relation('Garden');
-- .
-- begins_with: A condition on the sort key in plain SQL, which an index serves.
SELECT item->>'plant' AS plant FROM dynamo_data."Garden" WHERE pk = 'north' AND dynamo.begins_with(sk, 'i');
-- .
-- matches: Does an item at hand meet a condition?
SELECT dynamo.matches('{"height": 40, "kinds": {"dark": true}}', 'height > :h AND kinds.dark = :t', '{":h": 30, ":t": true}');
-- .
-- project: The parts of an item at hand that somebody is to see.
SELECT dynamo.project('{"bed": "north", "place": {"x": 1, "y": 2}, "seen": [7, 8, 9]}', 'place.x, seen[1]');
-- .
-- apply_update: What an update would make of an item at hand; nothing is written.
SELECT dynamo.apply_update('{"bed": "north", "height": 40}', 'SET height = height + :n REMOVE bed', '{":n": 2}');
-- .
-- item_set: Puts a value into an item at hand; what is around it keeps its type.
SELECT dynamo.item_set('{"kinds": {"SS": ["dark"]}, "place": {"M": {"x": {"N": "1"}}}}', '{place,x}', '5');
-- .
-- item_size: Bytes of an item as DynamoDB counts them: names, values and a little more.
SELECT dynamo.item_size('{"bed": "north", "height": 40}');
-- .
-- vector_elements: The vector in an attribute, for an index of pgvector's.
SELECT dynamo.vector_elements('{"shade": [0.2, 0.9]}', 'shade', 2);
-- .
-- to_json: Typed JSON, in which nothing is lost; a cast to json or jsonb gives plain JSON.
SELECT dynamo.to_json(item) FROM dynamo.get_item('Garden', 'north', 'ivy');
-- .
-- enable_ttl: Lets items expire at the time in an attribute, in seconds since 1970.
SELECT dynamo.enable_ttl('Garden', 'gone_at');
SELECT dynamo.put_item('Garden', jsonb_build_object('bed', 'east', 'plant', 'poppy',
	'gone_at', extract(epoch FROM now() - interval '1 hour')::bigint));
-- .
-- expire_items: Deletes expired items now, as a background process does anyway.
SELECT dynamo.expire_items('Garden', max_items => 1000);
-- .
-- disable_ttl: Lets no more items expire.
SELECT dynamo.disable_ttl('Garden');
-- .
-- enable_stream: Records changes from now on, each for 24 hours.
SELECT dynamo.enable_stream('Garden') AS label \gset
SELECT dynamo.put_item('Garden', '{"bed": "east", "plant": "poppy"}');
-- .
-- stream_arn: The ARN of a stream, by table_name and label, which are columns of dynamo.streams.
SELECT dynamo.stream_arn('Garden', '2026-12-01T10:00:00.000');
-- .
-- stream: Reads the changes, in their order; the next call gives those after the last number that was seen.
SELECT event_name, keys->>'plant' AS plant, new_image->>'bed' AS bed
FROM dynamo.stream('Garden', after => NULL);
-- .
-- trim_streams: Takes old records away, as a background process does anyway.
SELECT dynamo.trim_streams() AS emptied \gset
-- .
-- create_event_source_mapping: Has a function called with each change. Its argument is the event that Lambda gives.
SELECT dynamo.create_event_source_mapping('Garden', 'count_plants', batch_size => 10, starting_position => 'TRIM_HORIZON') AS mapping \gset
-- .
-- run_event_source_mapping: Handles what there is, in this session.
SELECT dynamo.run_event_source_mapping(:mapping);
-- .
-- update_event_source_mapping: Changes a mapping; what is not named stays.
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 100, enabled => false);
-- .
-- delete_event_source_mapping: Ends a mapping.
SELECT dynamo.delete_event_source_mapping(:mapping);
-- .
-- disable_stream: Records no more changes; those that there are can be read until they are 24 hours old.
SELECT dynamo.disable_stream('Garden');
-- .
-- enable_recovery: Lets any second from now on be read and restored, for some days.
SELECT dynamo.enable_recovery('Garden', days => 7);
-- .
-- mark_recovery: Makes a point that can be restored to, as a background process does each second.
SELECT dynamo.mark_recovery() AS marked \gset
-- .
-- recovery_window: Tells from when and to when a table can be restored.
SELECT * FROM dynamo.recovery_window('Garden') \gset
\echo :days days
-- .
-- trim_recovery: Takes away what is too old, as a background process does anyway.
SELECT dynamo.trim_recovery() AS emptied \gset
-- .
-- disable_recovery: Ends that; what was kept is gone.
SELECT dynamo.disable_recovery('Garden');
-- .
-- create_backup: Copies the items of a table, as of one moment. dynamo.backups lists the copies.
SELECT dynamo.create_backup('Garden', 'before-winter') AS backup \gset
-- .
-- restore_table: Makes a table of a backup, or of the past of a table.
SELECT dynamo.restore_table('GardenAgain', backup_arn => :'backup');
SELECT count(*) FROM dynamo_data."GardenAgain";
-- .
-- delete_backup: Drops a backup.
SELECT dynamo.delete_backup(:'backup');
-- .
-- grant_bucket: Lets a role read from a bucket, write to it, or both.
SELECT dynamo.grant_bucket('garden-files', 'gardener', '{read,write}');
-- .
-- export_table: Writes the items of a table to files, in the background; dynamo.jobs shows how far it is.
SELECT dynamo.export_table('Garden', 'garden-files', prefix => 'spring') AS export \gset
-- .
-- run_jobs: Does the work of all jobs in this session: for scripts and tests.
CALL dynamo.run_jobs();
SELECT status FROM dynamo.jobs WHERE job = :'export';
-- .
-- bucket_items: Shows what an import would read.
SELECT item->>'bed' AS bed, item->>'plant' AS plant, problem FROM dynamo.bucket_items('garden-files', 'spring/', input_compression => 'GZIP') ORDER BY bed, plant;
-- .
-- import_table: Makes a table of files, in the background.
SELECT dynamo.import_table('GardenCopy', 'garden-files', 'bed', 'plant', prefix => 'spring/', input_compression => 'GZIP') AS import \gset
CALL dynamo.run_jobs();
SELECT count(*) FROM dynamo_data."GardenCopy";
-- .
-- bulk_put_items: Puts the items of files into a table that is there, in the background.
SELECT dynamo.bulk_put_items('GardenAgain', 'garden-files', prefix => 'spring/', input_compression => 'GZIP') AS bulk \gset
-- .
-- cancel_job: Ends a job.
SELECT dynamo.cancel_job(:'bulk');
-- .
CALL dynamo.run_jobs();
-- revoke_bucket: Takes back what grant_bucket gave.
SELECT dynamo.revoke_bucket('garden-files', 'gardener', '{write}');
-- .
-- create_region: Names the region that this database is, or another one's database.
SELECT dynamo.create_region('eu-west-1');
-- .
-- drop_region: Forgets a region.
SELECT dynamo.drop_region('eu-west-1');
-- .
-- log_conflicts: Has writes that are lost to those of other regions logged.
SELECT dynamo.log_conflicts('Garden', days => 30);
-- .
-- create_bucket: Names a bucket at an S3-compatible store.
SELECT dynamo.create_bucket('garden-store', 'https://store.example:9000', path_style => true);
-- .
-- drop_bucket: Forgets such a bucket; the files at the store stay.
SELECT dynamo.drop_bucket('garden-store');
-- .
-- create_access_key: Makes a key that signs requests by HTTP. The secret is shown only now.
SELECT * FROM dynamo.create_access_key('gardener', comment => 'the shed') \gset
-- For development, one that you know:
SELECT * FROM dynamo.create_access_key('gardener', id => 'GARDENERSKEY', secret => 'known-to-all-developers');
-- .
-- update_access_key: Gives a key another comment, or an end.
SELECT dynamo.update_access_key('GARDENERSKEY', expires_at => now() + '7 days');
-- .
-- drop_access_key: Drops a key; requests signed with it are refused from now on.
SELECT dynamo.drop_access_key('GARDENERSKEY');
-- .
-- put_role_policy: Gives a role a policy as AWS writes it, which narrows what GRANT gives.
SELECT dynamo.put_role_policy('gardener', 'read-garden', '{"Version": "2012-10-17", "Statement": [
	{"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"],
	 "Resource": "arn:aws:dynamodb:*:*:table/Garden"}]}');
-- .
-- delete_role_policy: Takes a policy away.
SELECT dynamo.delete_role_policy('gardener', 'read-garden');
-- .
-- grant_leading_keys: Lets a role see the items of some partition keys, and no others. A * stands for any text.
GRANT SELECT ON dynamo_data."Garden" TO gardener;
SELECT dynamo.grant_leading_keys('gardener', 'Garden', 'north', 'w*');
SET ROLE gardener;
SELECT DISTINCT item->>'bed' AS bed FROM dynamo.scan('Garden') ORDER BY bed;
RESET ROLE;
-- .
-- revoke_leading_keys: Takes that back: the role sees no items any more.
SELECT dynamo.revoke_leading_keys('gardener', 'Garden');
-- .
ALTER TABLE dynamo_data."Garden" DISABLE ROW LEVEL SECURITY;
-- set_auto_scaling: Lets provisioned units follow what is consumed.
SELECT dynamo.call('UpdateTable', '{"TableName": "Garden", "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "ByHeight", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}}]}') IS NOT NULL AS provisioned;
SELECT dynamo.set_auto_scaling('Garden', 'ReadCapacityUnits', min_capacity => 5, max_capacity => 500, target_utilization => 70);
-- .
-- drop_auto_scaling: Ends that; what is provisioned stays as it is.
SELECT dynamo.drop_auto_scaling('Garden', 'ReadCapacityUnits');
-- .
-- stat_keys: The keys that are asked for most, once UpdateContributorInsights has enabled that.
SELECT event, partition_key, requests FROM dynamo.stat_keys('Garden');
-- .
-- stat_reset: Lets all counters of this database begin at zero.
SELECT dynamo.stat_reset();
-- .
-- check_table: Tells what is wrong with a table. No rows: nothing.
SELECT * FROM dynamo.check_table('Garden');
-- .
-- table_placement: Tells whether the items of a key lie together on disk.
SELECT items, collections, items_per_collection FROM dynamo.table_placement('Garden');
-- .
-- detach_table: Forgets a table; its relation stays, with all items.
SELECT dynamo.detach_table('GardenAgain');
-- .
-- attach_table: Makes a table of a relation that has the columns of one.
SELECT dynamo.attach_table('dynamo_data."GardenAgain"');
-- .
-- distribute_table: Distributes a table over the nodes of a Citus cluster; without Citus it says so.
SELECT dynamo.distribute_table('Garden', shard_count => 32);
-- .
-- undistribute_table: Brings a distributed table back to the coordinator.
SELECT dynamo.undistribute_table('Garden');
-- .
-- add_node: Makes a server a worker of a Citus cluster; without Citus it says so.
CALL dynamo.add_node('db2', 5432);
-- .
-- cluster_nodes: Lists the nodes of a Citus cluster; without Citus it says so.
SELECT * FROM dynamo.cluster_nodes();
-- .
-- stat_shards: Lists the shards of distributed tables, the most accessed first; without Citus it says so.
SELECT * FROM dynamo.stat_shards() LIMIT 5;
-- .
-- rebalance: Shows which shards should move, and moves them if asked to; without Citus it says so.
SELECT * FROM dynamo.rebalance();
-- .
-- remove_node: Takes a worker out of a Citus cluster; without Citus it says so.
SELECT dynamo.remove_node('db2', 5432);
-- .
-- check_cluster: Tells what is wrong with the nodes of a Citus cluster; without Citus it says so.
SELECT * FROM dynamo.check_cluster();
-- .
-- drop_table: Drops a table with all its items and indexes.
SELECT dynamo.drop_table('GardenAgain');
-- .
SELECT dynamo.drop_table('GardenCopy');
SELECT dynamo.drop_table('Garden');
DROP FUNCTION count_plants(jsonb);
DROP OWNED BY gardener;
DROP ROLE gardener;
DELETE FROM dynamo_internal.jobs;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';

-- A function is called with the changes to a table, in Lambda's format, each
-- once and those of an item in order.  Run by hand; by workers in
-- test/t/handler_worker.pl.
SET dynamo.stream_shards = 4;
SELECT dynamo.create_table('Events', 'id', 'n N');
SELECT dynamo.enable_stream('Events') IS NOT NULL AS enabled;
CREATE TABLE events (ordinal serial, event jsonb);
CREATE FUNCTION keep_event(event jsonb) RETURNS void LANGUAGE sql AS
'INSERT INTO public.events (event) VALUES ($1)';
CREATE VIEW records AS
SELECT e.ordinal, r.ordinality AS place, r.value AS record
FROM events e, jsonb_array_elements(event -> 'Records') WITH ORDINALITY r;

SELECT dynamo.put_item('Events', '{"id": "before", "n": 1}');
SELECT dynamo.create_event_source_mapping('Events', 'keep_event', enabled => false) AS mapping \gset
-- LATEST: what was there before is not handled
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.put_item('Events', '{"id": "a", "n": 1, "v": "x"}');
SELECT dynamo.update_item('Events', '{"id": "a", "n": 1}', 'SET v = :v', '{":v": 2}');
SELECT dynamo.delete_item('Events', '{"id": "a", "n": 1}');
SELECT lag > '0' AS behind FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT lag IS NULL AS done, handled, discarded, last_processing_result FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT jsonb_pretty(record #- '{eventID}' #- '{eventSourceARN}' #- '{dynamodb,SequenceNumber}' #- '{dynamodb,ApproximateCreationDateTime}')
FROM records ORDER BY place;
SELECT count(DISTINCT record ->> 'eventID') AS ids, bool_and(record ->> 'eventSourceARN' ~ '^arn:aws:dynamodb:us-east-1:000000000000:table/Events/stream/20') AS arn,
	bool_and((record #>> '{dynamodb,SequenceNumber}')::numeric IN (SELECT sequence_number FROM dynamo.stream('Events'))) AS numbers
FROM records;
-- Nothing is handled again
SELECT dynamo.run_event_source_mapping(:mapping);

-- The transaction of the work is that of the position
BEGIN;
SELECT dynamo.put_item('Events', '{"id": "b", "n": 1}');
-- not yet committed, so not in the stream
SELECT dynamo.run_event_source_mapping(:mapping);
COMMIT;
TRUNCATE events;
BEGIN;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM records;
ROLLBACK;
SELECT count(*) FROM records;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM records;

-- What expires is the service's work
TRUNCATE events;
SELECT dynamo.enable_ttl('Events', 'ttl');
SELECT dynamo.put_item('Events', jsonb_build_object('id', 't', 'n', 1, 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item);
SELECT dynamo.expire_items('Events');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT record ->> 'eventName' AS event, record -> 'userIdentity' AS identity FROM records ORDER BY place;

-- Batches have no more than batch_size records; all of an item's are in order,
-- with a parallelization factor, too
TRUNCATE events;
SELECT dynamo.create_event_source_mapping('Events', 'keep_event', 3, starting_position => 'TRIM_HORIZON',
	parallelization_factor => 4, enabled => false) AS parallel \gset
INSERT INTO dynamo_data."Events" (item) SELECT jsonb_build_object('id', 'p' || i % 7, 'n', i) FROM generate_series(1, 60) i;
UPDATE dynamo_data."Events" SET item = item::jsonb || '{"v": 1}';
SELECT dynamo.run_event_source_mapping(:parallel) = (SELECT count(*) FROM dynamo.stream('Events')) AS all;
SELECT max(jsonb_array_length(event -> 'Records')) AS most FROM events;
SELECT count(*), count(DISTINCT record ->> 'eventID') AS different FROM records;
SELECT bool_and(number > before) AS ordered
FROM (SELECT record #>> '{dynamodb,SequenceNumber}' AS number,
		lag(record #>> '{dynamodb,SequenceNumber}', 1, '') OVER (PARTITION BY record #> '{dynamodb,Keys,id}' ORDER BY ordinal, place) AS before
	FROM records) r;
SELECT count(*) > 4 AS more_than_shards FROM dynamo_internal.event_source_positions WHERE mapping = :parallel AND handled > 0;

-- From a time on
SELECT dynamo.disable_stream('Events');
SELECT dynamo.enable_stream('Events', 'KEYS_ONLY') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Events', '{"id": "early", "n": 1}');
SELECT clock_timestamp() AS time \gset
SELECT dynamo.put_item('Events', '{"id": "late", "n": 1}');
TRUNCATE events;
SELECT dynamo.create_event_source_mapping('Events', 'keep_event', starting_position => 'AT_TIMESTAMP',
	starting_timestamp => :'time', enabled => false) AS timed \gset
SELECT dynamo.run_event_source_mapping(:timed);
SELECT record #> '{dynamodb,Keys}' AS keys, record #> '{dynamodb,NewImage}' AS image FROM records;
-- ... and from the first one
SELECT dynamo.create_event_source_mapping('Events', 'keep_event', starting_position => 'AT_TIMESTAMP',
	starting_timestamp => '-infinity', enabled => false) AS timed \gset
SELECT dynamo.run_event_source_mapping(:timed);
SELECT dynamo.delete_event_source_mapping(:timed);

SELECT dynamo.delete_event_source_mapping(mapping) FROM dynamo.event_source_mappings WHERE table_name = 'Events';
SELECT count(*) FROM dynamo_internal.event_source_positions p WHERE NOT EXISTS (SELECT FROM dynamo_internal.event_sources s WHERE s.mapping = p.mapping);
SELECT dynamo.drop_table('Events');
DROP TABLE events CASCADE;
DROP FUNCTION keep_event;

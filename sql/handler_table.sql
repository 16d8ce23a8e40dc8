-- What becomes of a mapping when its table, stream, function, owner or privileges
-- change; and who may do what with it.
\set VERBOSITY terse
SELECT setval('dynamo_internal.event_source_ids', 3000, false);
SET dynamo.stream_shards = 2;
CREATE ROLE dynamo_test_owner;
CREATE ROLE dynamo_test_handler;
CREATE ROLE dynamo_test_stranger;
GRANT CREATE ON SCHEMA public TO dynamo_test_handler;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO dynamo_test_handler, dynamo_test_stranger;
SELECT dynamo.create_table('Changing', 'id');
ALTER TABLE dynamo_data."Changing" OWNER TO dynamo_test_owner;
CREATE TABLE seen (records int);
CREATE FUNCTION see(event jsonb) RETURNS void LANGUAGE sql AS $$INSERT INTO public.seen VALUES (jsonb_array_length($1 -> 'Records'))$$;
CREATE FUNCTION put(n int) RETURNS void LANGUAGE sql AS
$$SELECT dynamo.put_item('Changing', jsonb_build_object('id', i::text, 'v', random())::dynamo.item) FROM generate_series(1, $1) i$$;

-- Without a stream, without the right to it
\set VERBOSITY sqlstate
SELECT dynamo.create_event_source_mapping('Nowhere', 'see');
SELECT dynamo.create_event_source_mapping('Changing', 'see');
SELECT dynamo.enable_stream('Changing') IS NOT NULL AS enabled;
SET ROLE dynamo_test_handler;
SELECT dynamo.create_event_source_mapping('Changing', 'see');
RESET ROLE;
\set VERBOSITY terse
GRANT SELECT ON dynamo_data."Changing" TO dynamo_test_handler;
-- Without the right to the function: who owns it could have it do anything
GRANT INSERT ON seen TO dynamo_test_handler;
SET ROLE dynamo_test_handler;
CREATE FUNCTION own(event jsonb) RETURNS void LANGUAGE sql AS $$INSERT INTO public.seen VALUES (jsonb_array_length($1 -> 'Records'))$$;
REVOKE EXECUTE ON FUNCTION own FROM PUBLIC, dynamo_test_handler;
SELECT dynamo.create_event_source_mapping('Changing', 'own');
GRANT EXECUTE ON FUNCTION own TO dynamo_test_handler;
RESET ROLE;
GRANT SELECT ON dynamo_data."Changing" TO dynamo_test_stranger;
GRANT EXECUTE ON FUNCTION own TO dynamo_test_stranger;
SET ROLE dynamo_test_stranger;
SELECT dynamo.create_event_source_mapping('Changing', 'own');
RESET ROLE;
-- Functions of another form
CREATE FUNCTION takes_json(event json) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION takes_two(event jsonb, more jsonb DEFAULT NULL) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION returns_text(event jsonb) RETURNS text LANGUAGE sql AS $$SELECT ''$$;
CREATE FUNCTION returns_set(event jsonb) RETURNS SETOF jsonb LANGUAGE sql AS $$SELECT event$$;
CREATE PROCEDURE is_procedure(event jsonb) LANGUAGE sql AS '';
CREATE AGGREGATE is_aggregate(jsonb) (sfunc = jsonb_concat, stype = jsonb);
SELECT dynamo.create_event_source_mapping('Changing', 'takes_json');
SELECT dynamo.create_event_source_mapping('Changing', 'takes_two');
SELECT dynamo.create_event_source_mapping('Changing', 'returns_text');
SELECT dynamo.create_event_source_mapping('Changing', 'returns_set');
SELECT dynamo.create_event_source_mapping('Changing', 'is_procedure');
SELECT dynamo.create_event_source_mapping('Changing', 'is_aggregate');
SELECT dynamo.create_event_source_mapping('Changing', 0);
SELECT dynamo.create_event_source_mapping('Changing', NULL);
SELECT dynamo.create_event_source_mapping(NULL, 'see');
-- Values out of range
SELECT dynamo.create_event_source_mapping('Changing', 'see', batch_size => 0);
SELECT dynamo.create_event_source_mapping('Changing', 'see', batch_size => 10001);
SELECT dynamo.create_event_source_mapping('Changing', 'see', batching_window_seconds => 301);
SELECT dynamo.create_event_source_mapping('Changing', 'see', maximum_retry_attempts => -2);
SELECT dynamo.create_event_source_mapping('Changing', 'see', maximum_record_age_seconds => 59);
SELECT dynamo.create_event_source_mapping('Changing', 'see', parallelization_factor => 11);
SELECT dynamo.create_event_source_mapping('Changing', 'see', starting_position => 'EARLIEST');
SELECT dynamo.create_event_source_mapping('Changing', 'see', starting_position => 'AT_TIMESTAMP');
SELECT dynamo.create_event_source_mapping('Changing', 'see', starting_timestamp => now());
SELECT dynamo.create_event_source_mapping('Changing', 'see', on_failure => 'pg_class');
CREATE TABLE private_failures (message jsonb);
SET ROLE dynamo_test_handler;
SELECT dynamo.create_event_source_mapping('Changing', 'own', on_failure => 'private_failures');
RESET ROLE;
BEGIN READ ONLY;
SELECT dynamo.create_event_source_mapping('Changing', 'see');
ROLLBACK;

-- Who sees it, changes it, runs it, deletes it
SET ROLE dynamo_test_handler;
SELECT dynamo.create_event_source_mapping('Changing', 'own', enabled => false) AS mapping \gset
SELECT dynamo.update_event_source_mapping(:mapping, on_failure => 'private_failures');
SELECT dynamo.update_event_source_mapping(:mapping, on_failure => 'pg_class');
RESET ROLE;
SELECT put(3);
SET ROLE dynamo_test_stranger;
SELECT count(*) FROM dynamo.event_source_mappings;
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 1);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.delete_event_source_mapping(:mapping);
SELECT dynamo_internal.event_source_lag(:mapping);
SELECT * FROM dynamo_internal.event_sources;
SELECT * FROM dynamo_internal.event_source_positions;
-- The table's owner may end it, and no more
SET ROLE dynamo_test_owner;
SELECT owner, last_processing_result FROM dynamo.event_source_mappings;
SELECT dynamo.update_event_source_mapping(:mapping, enabled => true);
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 1, enabled => false);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.update_event_source_mapping(:mapping, enabled => false);
SET ROLE dynamo_test_handler;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 1, batching_window_seconds => 1, maximum_retry_attempts => 1,
	bisect_on_error => true, maximum_record_age_seconds => 60);
SELECT owner, function, enabled, batch_size, batching_window_seconds, maximum_retry_attempts, bisect_on_error, maximum_record_age_seconds, parallelization_factor
FROM dynamo.event_source_mappings;
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 0);
SELECT dynamo.update_event_source_mapping(4711);
RESET ROLE;
-- A function is held to the owner of the mapping, whoever changes it
CREATE FUNCTION strange(event jsonb) RETURNS void LANGUAGE sql AS '';
ALTER FUNCTION strange OWNER TO dynamo_test_stranger;
SELECT dynamo.update_event_source_mapping(:mapping, 'strange');
SELECT dynamo.update_event_source_mapping(:mapping, 'takes_json');
SELECT function FROM dynamo.event_source_mappings;
DROP FUNCTION strange;
-- The owner of the table may disable a mapping with filters, too, however they are written
SET ROLE dynamo_test_handler;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{ "Filters": [ {"Pattern": {"eventName": ["INSERT", "MODIFY", "REMOVE"]}} ] }');
SET ROLE dynamo_test_owner;
SELECT dynamo.update_event_source_mapping(:mapping, enabled => false);
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{"Filters": []}');
SET ROLE dynamo_test_handler;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{"Filters": []}');
RESET ROLE;

-- Privileges that are gone are missed at the next batch, and cost no attempt
SELECT put(3);
REVOKE SELECT ON dynamo_data."Changing" FROM dynamo_test_handler;
\set VERBOSITY sqlstate
SELECT dynamo.run_event_source_mapping(:mapping);
\set VERBOSITY terse
GRANT SELECT ON dynamo_data."Changing" TO dynamo_test_handler;
ALTER FUNCTION own OWNER TO dynamo_test_stranger;
SELECT dynamo.run_event_source_mapping(:mapping);
ALTER FUNCTION own OWNER TO dynamo_test_handler;
ALTER FUNCTION own RENAME TO renamed;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT last_processing_result FROM dynamo.event_source_mappings;
-- Another function of its name, by somebody else
CREATE FUNCTION own(event jsonb) RETURNS void LANGUAGE sql AS $$SELECT public.put(1)$$;
ALTER FUNCTION own OWNER TO dynamo_test_stranger;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT max(failures) AS failures FROM dynamo_internal.event_source_positions WHERE mapping = :mapping;
SELECT dynamo.update_event_source_mapping(:mapping, function => 'renamed', batch_size => 100);
SELECT dynamo.run_event_source_mapping(:mapping);
-- Row-level security hides what the stream would show
ALTER TABLE dynamo_data."Changing" ENABLE ROW LEVEL SECURITY;
SELECT put(1);
\set VERBOSITY sqlstate
SELECT dynamo.run_event_source_mapping(:mapping);
\set VERBOSITY terse
ALTER TABLE dynamo_data."Changing" DISABLE ROW LEVEL SECURITY;
SELECT dynamo.run_event_source_mapping(:mapping);

-- Names of relation and table: the relation may have another name
ALTER TABLE dynamo_data."Changing" RENAME TO changed;
SELECT put(2);
SELECT dynamo.run_event_source_mapping(:mapping);
ALTER TABLE dynamo_data.changed RENAME TO "Changing";

-- A stream that ends is read to its end; the next one is read from its start
SELECT put(4);
SELECT dynamo.disable_stream('Changing');
SELECT put(5);
SELECT dynamo.enable_stream('Changing') IS NOT NULL AS enabled;
SELECT put(6);
SELECT stream_label < (SELECT max(label) FROM dynamo.streams) AS before FROM dynamo.event_source_mappings;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT stream_label = (SELECT max(label) FROM dynamo.streams) AS now, handled FROM dynamo.event_source_mappings;
SELECT dynamo.run_event_source_mapping(:mapping);

-- Records that were trimmed too early are lost, and that is told
SELECT put(2);
UPDATE dynamo.streams SET trimmed_number = (SELECT last_value FROM dynamo_internal.stream_sequence) WHERE table_name = 'Changing';
SELECT put(3);
\set VERBOSITY sqlstate
SELECT dynamo.run_event_source_mapping(:mapping);
\set VERBOSITY terse
SELECT lost_at IS NOT NULL AS lost FROM dynamo.event_source_mappings;

-- Records that are too old are given up
SELECT dynamo.update_event_source_mapping(:mapping, on_failure => NULL, maximum_record_age_seconds => 3600);
SELECT put(2);
DO $$
BEGIN
	FOR i IN 0 .. 7 LOOP
		EXECUTE format('UPDATE dynamo_internal.stream_records_%s SET created_at = created_at - interval ''2 hours''', i);
	END LOOP;
END $$;
SELECT put(1);
\set VERBOSITY sqlstate
SELECT dynamo.run_event_source_mapping(:mapping);
\set VERBOSITY terse
SELECT discarded FROM dynamo.event_source_mappings;

-- The table that keeps failures is dropped: the mapping is disabled
CREATE TABLE failures (message jsonb);
GRANT INSERT ON failures TO dynamo_test_handler;
SELECT dynamo.update_event_source_mapping(:mapping, on_failure => 'failures', enabled => true);
SELECT on_failure, enabled FROM dynamo.event_source_mappings;
DROP TABLE failures;
SELECT on_failure, enabled FROM dynamo.event_source_mappings;

-- A role that is gone leaves a mapping that nobody runs
CREATE ROLE dynamo_test_leaver;
GRANT SELECT ON dynamo_data."Changing" TO dynamo_test_leaver;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO dynamo_test_leaver;
SET ROLE dynamo_test_leaver;
-- A superuser's function will do: he has all rights anyway
SELECT dynamo.create_event_source_mapping('Changing', 'see') AS orphan \gset
RESET ROLE;
DROP OWNED BY dynamo_test_leaver;
DROP ROLE dynamo_test_leaver;
CREATE ROLE dynamo_test_leaver;
GRANT SELECT ON dynamo_data."Changing" TO dynamo_test_leaver;
SET ROLE dynamo_test_leaver;
SELECT dynamo.run_event_source_mapping(:orphan);
RESET ROLE;
SELECT dynamo.run_event_source_mapping(:orphan);
SELECT dynamo.delete_event_source_mapping(:orphan);
DROP OWNED BY dynamo_test_leaver;
DROP ROLE dynamo_test_leaver;

-- DROP TABLE and detach_table take the mappings along
BEGIN;
SELECT dynamo.disable_stream('Changing');
SELECT dynamo.detach_table('Changing');
SELECT count(*) FROM dynamo.event_source_mappings;
ROLLBACK;
BEGIN;
DROP TABLE dynamo_data."Changing";
SELECT count(*) FROM dynamo_internal.event_sources;
SELECT count(*) FROM dynamo_internal.event_source_positions;
ROLLBACK;
SELECT count(*) FROM dynamo.event_source_mappings;
SELECT dynamo.drop_table('Changing');
SELECT count(*) FROM dynamo_internal.event_sources;
SELECT count(*) FROM dynamo_internal.event_source_positions;

DROP TABLE seen, private_failures;
DROP FUNCTION see, put, takes_json, takes_two, returns_text, returns_set, renamed, own;
DROP PROCEDURE is_procedure;
DROP AGGREGATE is_aggregate(jsonb);
REVOKE EXECUTE ON FUNCTION dynamo.create_event_source_mapping FROM dynamo_test_handler, dynamo_test_stranger;
REVOKE CREATE ON SCHEMA public FROM dynamo_test_handler;
DROP ROLE dynamo_test_owner, dynamo_test_handler, dynamo_test_stranger;

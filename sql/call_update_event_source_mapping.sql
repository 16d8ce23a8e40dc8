-- UpdateEventSourceMapping, an operation of ours: a mapping is stopped and started, and
-- a batch that waits after a failure is tried again at once
\t on
\a
SET client_min_messages = error;
SET dynamo.stream_shards = 1;
CREATE ROLE mapper;
CREATE ROLE mapper_of_table;
CREATE ROLE mapper_nobody;
GRANT USAGE ON SCHEMA dynamo_data TO mapper, mapper_of_table, mapper_nobody;
SELECT dynamo.create_table('Retried', 'pk') IS NOT NULL;
SELECT dynamo.enable_stream('Retried') IS NOT NULL;
ALTER TABLE dynamo_data."Retried" OWNER TO mapper_of_table;
GRANT SELECT ON dynamo_data."Retried" TO mapper;
GRANT CREATE ON SCHEMA public TO mapper;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO mapper;
SET ROLE mapper;
CREATE FUNCTION public.try_change(event jsonb) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE ''not today''; END';
SELECT dynamo.create_event_source_mapping('Retried', 'public.try_change', starting_position => 'TRIM_HORIZON', enabled => false) AS mapping \gset
RESET ROLE;
SELECT dynamo.put_item('Retried', '{"pk": "1"}');
SELECT dynamo.run_event_source_mapping(:mapping);
CREATE FUNCTION shown(request text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((a -> 'EventSourceMapping')::jsonb - '{Mapping,StreamLabel,LastDateTime,LagSeconds}'::text[], a::jsonb)::text
	FROM dynamo.try_call('UpdateEventSourceMapping', request::json) AS a $$;
CREATE FUNCTION state() RETURNS TABLE (waits boolean, failures integer, enabled boolean) LANGUAGE sql AS $$
	SELECT p.retry_at IS NOT NULL, p.failures, m.enabled
	FROM dynamo_internal.event_source_positions AS p JOIN dynamo_internal.event_sources AS m USING (mapping)
	WHERE m.function_name = 'try_change' $$;
SELECT * FROM state();
-- one that stays disabled waits on
SELECT shown(format('{"Mapping": %s}', :mapping)) ~ 'RetryDateTime' AS waits;
SELECT * FROM state();
SET ROLE mapper;
SELECT shown(format('{"Mapping": %s, "Enabled": true}', :mapping));
RESET ROLE;
-- the attempts are counted on
SELECT * FROM state();
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT * FROM state();
-- nothing but the wait changes
SET ROLE mapper;
SELECT shown(format('{"Mapping": %s}', :mapping)) ~ 'RetryDateTime' AS waits;
RESET ROLE;
SELECT * FROM state();
-- by SQL, too
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.update_event_source_mapping(:mapping, batch_size => 7);
SELECT * FROM state();
-- the owner of the table may stop it, and no more
SET ROLE mapper_of_table;
SELECT shown(format('{"Mapping": %s}', :mapping));
SELECT shown(format('{"Mapping": %s, "Enabled": false}', :mapping));
SELECT shown(format('{"Mapping": %s, "Enabled": true}', :mapping));
RESET ROLE;
SELECT * FROM state();
-- others learn nothing
SET ROLE mapper_nobody;
SELECT regexp_replace(shown(format('{"Mapping": %s, "Enabled": true}', :mapping)), 'mapping \d+', 'mapping N');
RESET ROLE;
SELECT shown('{"Mapping": 2147483647}');
-- policies
SELECT dynamo.put_role_policy('mapper', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:UpdateEventSourceMapping", "Resource": "*"}]}');
SET ROLE mapper;
SELECT shown(format('{"Mapping": %s, "Enabled": true}', :mapping));
RESET ROLE;
SELECT * FROM state();
-- what is no such request
SELECT shown('{}');
SELECT shown('{"Mapping": 0}');
SELECT shown('{"Mapping": 2147483648}');
SELECT shown('{"Mapping": "1"}');
SELECT shown('[]');
-- Clean up
SELECT dynamo.delete_role_policy('mapper', 'few');
SELECT dynamo.delete_event_source_mapping(:mapping);
SELECT dynamo.drop_table('Retried');
DROP FUNCTION shown(text);
DROP FUNCTION state();
DROP FUNCTION public.try_change(jsonb);
DROP OWNED BY mapper, mapper_of_table, mapper_nobody;
DROP ROLE mapper, mapper_of_table, mapper_nobody;

-- ListEventSourceMappings, an operation of ours: who sees which mappings
\t on
\a
SET client_min_messages = warning;
CREATE ROLE mapped_reader;
CREATE ROLE mapped_nobody;
GRANT USAGE ON SCHEMA dynamo_data TO mapped_reader, mapped_nobody;
SELECT dynamo.create_table('Mapped', 'pk', 'sk') IS NOT NULL;
SELECT dynamo.enable_stream('Mapped') IS NOT NULL;
CREATE FUNCTION watch_change(event jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb';
SELECT dynamo.create_event_source_mapping('Mapped', 'watch_change', filter_criteria => '{"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}]}') AS mapping \gset
SELECT (m::jsonb - '{Mapping,StreamLabel,Owner}'::text[]) FROM json_array_elements(dynamo.call('ListEventSourceMappings', '{}') -> 'EventSourceMappings') AS m WHERE m ->> 'TableName' = 'Mapped';
-- of one's own functions, or on one's tables
SET ROLE mapped_nobody;
SELECT count(*) FROM json_array_elements(dynamo.call('ListEventSourceMappings', '{}') -> 'EventSourceMappings') AS m;
RESET ROLE;
ALTER TABLE dynamo_data."Mapped" OWNER TO mapped_reader;
SET ROLE mapped_reader;
-- the last result is for members of the role that the function runs as
SELECT m ->> 'FunctionName', m ->> 'LastProcessingResult' FROM json_array_elements(dynamo.call('ListEventSourceMappings', '{}') -> 'EventSourceMappings') AS m;
RESET ROLE;
SELECT dynamo.put_role_policy('mapped_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:ListEventSourceMappings", "Resource": "*"}]}');
SET ROLE mapped_reader;
SELECT dynamo.try_call('ListEventSourceMappings', '{}');
RESET ROLE;
-- Clean up
SELECT dynamo.delete_role_policy('mapped_reader', 'few');
SELECT dynamo.delete_event_source_mapping(:mapping);
SELECT dynamo.drop_table('Mapped');
DROP FUNCTION watch_change(jsonb);
DROP OWNED BY mapped_reader, mapped_nobody;
DROP ROLE mapped_reader, mapped_nobody;

-- Destinations at Kinesis, where there can be none: what each operation says
\t on
\a
CREATE FUNCTION pg_temp.ask(operation text, more jsonb, stream text DEFAULT 'arn:aws:kinesis:us-east-1:000000000000:stream/Here') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call(operation, (jsonb_build_object('TableName', 'CallKinesis', 'StreamArn', stream) || more)::json)::text, 'com[a-z0-9.]*#', '') $$;
SELECT dynamo.create_table('CallKinesis', 'pk');
\set precise '''{"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}'''

SELECT pg_temp.ask('DescribeKinesisStreamingDestination', '{}');
-- it cannot be switched on; what is not there can neither be changed nor switched off
SELECT pg_temp.ask('EnableKinesisStreamingDestination', '{}');
SELECT pg_temp.ask('DisableKinesisStreamingDestination', '{}');
SELECT pg_temp.ask('UpdateKinesisStreamingDestination', :precise);
-- no table
SELECT pg_temp.ask(operation, '{"TableName": "Nothing"}'::jsonb || :precise)
FROM unnest('{Describe,Enable,Disable,Update}'::text[]) verb, concat(verb, 'KinesisStreamingDestination') operation;
-- a change must change something, whatever the table
SELECT pg_temp.ask('UpdateKinesisStreamingDestination', more)
FROM unnest('{"{}", "{\"UpdateKinesisStreamingConfiguration\": {}}", "{\"TableName\": \"Nothing\", \"UpdateKinesisStreamingConfiguration\": {\"ApproximateCreationDateTimePrecision\": null}}"}'::jsonb[]) more;
-- constraints
SELECT pg_temp.ask('EnableKinesisStreamingDestination', '{"TableName": "x", "EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}}', 'short');
SELECT pg_temp.ask('DisableKinesisStreamingDestination', '{"TableName": null, "StreamArn": null}');
SELECT pg_temp.ask('UpdateKinesisStreamingDestination', '{"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}}');
SELECT dynamo.drop_table('CallKinesis');

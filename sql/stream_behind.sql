-- A stream restored without the sequence of numbers: its records would have
-- numbers that no reader looks at, so none is written.

SELECT dynamo.create_table('Behind', 'pk');
SELECT dynamo.enable_stream('Behind') IS NOT NULL AS enabled;
UPDATE dynamo.streams SET start_number = 1000000000000 WHERE table_name = 'Behind';
\set VERBOSITY terse
SELECT dynamo.put_item('Behind', '{"pk": "lost"}');
INSERT INTO dynamo_data."Behind" (item) VALUES ('{"pk": "lost"}');
SELECT count(*) FROM dynamo.scan('Behind');

-- A new stream is right.
SELECT dynamo.disable_stream('Behind');
SELECT dynamo.enable_stream('Behind') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Behind', '{"pk": "found"}');
SELECT event_name, keys FROM dynamo.stream('Behind');
SELECT dynamo.drop_table('Behind');

-- Which writes leave a record, and of which kind.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('Events', 'pk');
SELECT dynamo.enable_stream('Events') ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$' AS label;
SELECT * FROM pg_temp.records('Events');

-- PutItem: INSERT, nothing when all is equal by value, MODIFY.
SELECT dynamo.put_item('Events', '{"pk": "put", "n": 1, "m": {"a": 1, "b": 2}}');
SELECT dynamo.put_item('Events', '{"m": {"b": 2.0, "a": 1}, "n": 1e0, "pk": "put"}');
SELECT dynamo.put_item('Events', '{"pk": {"S": "put"}, "s": {"SS": ["x", "y"]}}');
SELECT dynamo.put_item('Events', '{"pk": {"S": "put"}, "s": {"SS": ["y", "x"]}}');
SELECT * FROM pg_temp.records('Events');

-- UpdateItem creates or modifies; what changes nothing leaves nothing, and a
-- REMOVE alone creates nothing.
SELECT dynamo.update_item('Events', '{"pk": "update"}', 'ADD n :n', '{":n": 1}');
SELECT dynamo.update_item('Events', '{"pk": "update"}', 'ADD n :n', '{":n": 0}');
SELECT dynamo.update_item('Events', '{"pk": "update"}', 'SET n = :n', '{":n": 1.0}');
SELECT dynamo.update_item('Events', '{"pk": "update"}', 'REMOVE absent');
SELECT dynamo.update_item('Events', '{"pk": "update"}', 'SET n = n + :n', '{":n": 1}');
SELECT dynamo.update_item('Events', '{"pk": "missing"}', 'REMOVE absent');
SELECT dynamo.update_item('Events', '{"pk": "bare"}', NULL);
SELECT event, old, new FROM pg_temp.records('Events') OFFSET 2;

-- DeleteItem, of something and of nothing.
SELECT dynamo.delete_item('Events', '{"pk": "update"}');
SELECT dynamo.delete_item('Events', '{"pk": "update"}');
SELECT event, old, new FROM pg_temp.records('Events') OFFSET 5;

-- A condition that fails leaves nothing.
SELECT dynamo.put_item('Events', '{"pk": "put"}', 'attribute_not_exists(pk)');
SELECT dynamo.delete_item('Events', '{"pk": "put"}', 'attribute_not_exists(pk)');

-- A batch is so many writes.
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"Events": [
	{"PutRequest": {"Item": {"pk": {"S": "put"}, "s": {"SS": ["x", "y"]}}}},
	{"DeleteRequest": {"Key": {"pk": {"S": "bare"}}}},
	{"DeleteRequest": {"Key": {"pk": {"S": "missing"}}}},
	{"PutRequest": {"Item": {"pk": {"S": "batch"}}}}]}}');
SELECT event, old, new FROM pg_temp.records('Events') OFFSET 6;

-- Numbers rise, and one can go on from any of them.
SELECT bool_and(sequence_number > before), count(*)
FROM (SELECT sequence_number, lag(sequence_number) OVER () AS before FROM dynamo.stream('Events')) s
WHERE before IS NOT NULL;
SELECT min(length(sequence_number::text)), max(length(sequence_number::text)), bool_and(NOT by_service)
FROM dynamo.stream('Events');
SELECT event_name, new_image::jsonb AS new
FROM dynamo.stream('Events', (SELECT sequence_number FROM dynamo.stream('Events') OFFSET 5 LIMIT 1));
SELECT count(*)
FROM dynamo.stream('Events', (SELECT max(sequence_number) FROM dynamo.stream('Events')));
SELECT * FROM dynamo.stream('Events', 7);
SELECT * FROM dynamo.stream('Events', 100000000000000000000.5);
SELECT * FROM dynamo.stream('Events', 12);
SELECT * FROM dynamo.stream('Events', 1000000000000000007.5);
SELECT * FROM dynamo.stream('Events', 207000000000000000000);
SELECT * FROM dynamo.stream('Events', 1000000000000000000007);
SELECT * FROM dynamo.stream('Events', 109223372036854775808);
SELECT * FROM dynamo.stream('Events', 109223372036854775807);

-- A LIMIT stops reading: no node collects the records.
EXPLAIN (COSTS off) SELECT event_name FROM dynamo.stream('Events') LIMIT 1;

SELECT dynamo.drop_table('Events');

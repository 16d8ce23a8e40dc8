-- Filters: what a pattern lets through, and which patterns are refused.
\set VERBOSITY terse
SELECT setval('dynamo_internal.event_source_ids', 2000, false);
SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('Filtered', 'id');
SELECT dynamo.enable_stream('Filtered') IS NOT NULL AS enabled;
CREATE TABLE seen (id text);
CREATE FUNCTION see(event jsonb) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.seen SELECT r #>> '{dynamodb,Keys,id,S}' || left(r ->> 'eventName', 1) FROM jsonb_array_elements($1 -> 'Records') r$$;
SELECT dynamo.put_item('Filtered', '{"id": "shoe", "price": 100, "name": "Red Shoe", "tags": ["a", "b"], "on": true, "gone": null}');
SELECT dynamo.put_item('Filtered', '{"id": "hat", "price": 5.5, "name": "red hat", "size": {"cm": 56}}');
SELECT dynamo.put_item('Filtered', '{"id": "scarf", "price": -1, "name": "Blue"}');
SELECT dynamo.update_item('Filtered', '{"id": "hat"}', 'SET price = :p', '{":p": 7}');
SELECT dynamo.delete_item('Filtered', '{"id": "scarf"}');

-- What those patterns let through of all changes
CREATE FUNCTION let_through(VARIADIC patterns jsonb[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	m int := dynamo.create_event_source_mapping('Filtered', 'see', starting_position => 'TRIM_HORIZON', enabled => false,
		filter_criteria => json_build_object('Filters', (SELECT json_agg(json_build_object('Pattern', p::text)) FROM unnest(patterns) p)));
	result text;
BEGIN
	DELETE FROM public.seen;
	PERFORM dynamo.run_event_source_mapping(m);
	PERFORM dynamo.delete_event_source_mapping(m);
	SELECT string_agg(id, ' ') INTO result FROM public.seen;
	RETURN result;
END $$;
SELECT p AS pattern, let_through(p::jsonb) AS let_through FROM (VALUES
	('{"eventName": ["INSERT"]}'),
	('{"eventName": ["REMOVE", "MODIFY"]}'),
	('{"eventName": ["insert"]}'),
	('{"dynamodb": {"Keys": {"id": {"S": ["hat"]}}}}'),
	('{"eventName": ["INSERT"], "dynamodb": {"Keys": {"id": {"S": ["hat"]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"prefix": "Red"}]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"suffix": "hat"}]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"equals-ignore-case": "RED HAT"}, {"prefix": "Bl"}]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"anything-but": "red hat"}]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"anything-but": ["red hat", "Blue"]}]}}}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"anything-but": {"prefix": "Red"}}]}}}}'),
	('{"dynamodb": {"NewImage": {"price": {"N": ["100"]}}}}'),
	('{"dynamodb": {"NewImage": {"price": {"N": [{"numeric": [">", 5, "<=", 7]}]}}}}'),
	('{"dynamodb": {"NewImage": {"price": {"N": [{"numeric": ["=", 100]}, {"numeric": ["<", 0]}]}}}}'),
	('{"dynamodb": {"SizeBytes": [{"numeric": [">", 60]}]}}'),
	('{"dynamodb": {"NewImage": {"name": {"S": [{"numeric": [">", 0]}]}}}}'),
	('{"dynamodb": {"NewImage": {"on": {"BOOL": [true]}}}}'),
	('{"dynamodb": {"NewImage": {"gone": {"NULL": [true]}}}}'),
	('{"dynamodb": {"OldImage": {"id": {"S": [{"exists": true}]}}}}'),
	('{"dynamodb": {"OldImage": {"id": {"S": [{"exists": false}]}}}}'),
	('{"dynamodb": {"NewImage": {"size": {"M": {"cm": {"N": ["56"]}}}}}}'),
	('{"dynamodb": {"NewImage": {"tags": {"L": {"S": ["b"]}}}}}'),
	('{"userIdentity": {"type": ["Service"]}}'),
	('{"$or": [{"eventName": ["REMOVE"]}, {"dynamodb": {"NewImage": {"price": {"N": ["100"]}}}}]}'),
	('{"eventName": ["INSERT"], "$or": [{"dynamodb": {"Keys": {"id": {"S": ["hat"]}}}}, {"dynamodb": {"Keys": {"id": {"S": ["shoe"]}}}}]}')) v (p);
-- Several filters: one will do
SELECT let_through('{"eventName": ["REMOVE"]}', '{"dynamodb": {"Keys": {"id": {"S": ["shoe"]}}}}');

-- A batch is made of what is let through, and the rest is passed over for good
SELECT dynamo.create_event_source_mapping('Filtered', 'see', 2, starting_position => 'TRIM_HORIZON', enabled => false,
	filter_criteria => '{"Filters": [{"Pattern": {"eventName": ["REMOVE"]}}]}') AS mapping \gset
SELECT filter_criteria, lag > '0' AS behind FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT handled, lag FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.delete_event_source_mapping(:mapping);

-- A number beyond 64 bits in a filter leaves the other settings alone
SELECT dynamo.create_event_source_mapping('Filtered', 'see', 2, enabled => false,
	filter_criteria => '{"Filters": [{"Pattern": {"dynamodb": {"SizeBytes": [{"numeric": ["<", 10000000000000000000000]}]}}}]}') AS mapping \gset
SELECT dynamo.update_event_source_mapping(:mapping, maximum_retry_attempts => 3);
SELECT batch_size, maximum_retry_attempts FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- Patterns that are none are refused when the mapping is made
CREATE FUNCTION refused(criteria text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_event_source_mapping('Filtered', 'see', filter_criteria => criteria::json, enabled => false);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT c AS criteria, refused(c) FROM (VALUES
	('[]'), ('{"filters": []}'), ('{"Filters": 1}'), ('{"Filters": [], "More": 1}'), ('{"Filters": [{}]}'),
	('{"Filters": ["x"]}'), ('{"Filters": [{"Pattern": "{"}]}'), ('{"Filters": [{"Pattern": {}}]}'),
	('{"Filters": [{"Pattern": "[]"}]}')) v (c);
-- ... and so is what takes each worker long to read, however it is written
SELECT refused(format('{"Filters": [{"Pattern": {"a": [%s 1]}}]}', repeat('1, ', 40000))) AS long,
	refused(repeat(' ', 100000) || '{"Filters": []}') AS spaced;
SELECT p AS pattern, refused(format('{"Filters": [{"Pattern": %s}]}', p)) FROM (VALUES
	('{"a": 1}'), ('{"a": []}'), ('{"a": {}}'), ('{"a": [[1]]}'), ('{"a": [{}]}'), ('{"a": [{"prefix": 1}]}'),
	('{"a": [{"prefix": "x", "suffix": "y"}]}'), ('{"a": [{"wildcard": "*"}]}'), ('{"a": [{"exists": 1}]}'),
	('{"a": [{"anything-but": true}]}'), ('{"a": [{"anything-but": [true]}]}'), ('{"a": [{"anything-but": []}]}'),
	('{"a": [{"anything-but": {"exists": true}}]}'), ('{"a": [{"numeric": 1}]}'), ('{"a": [{"numeric": [">"]}]}'),
	('{"a": [{"numeric": ["!", 1]}]}'), ('{"a": [{"numeric": [">", "1"]}]}'), ('{"a": [{"numeric": [">", 1, "=", 2]}]}'),
	('{"$or": []}'), ('{"$or": [{"a": [1]}]}'), ('{"$or": [{"a": [1]}, 2]}')) v (p);
SELECT refused(json_build_object('Filters', json_agg(json_build_object('Pattern', '{"a": [1]}')))::text) FROM generate_series(1, 11);
SELECT refused(json_build_object('Filters', ARRAY[json_build_object('Pattern', '{"a": ["' || repeat('x', 4090) || '"]}')])::text);
-- ... but ten of them, and one of 4,096 characters, are taken
BEGIN;
SELECT n, refused(json_build_object('Filters', json_agg(json_build_object('Pattern', '{"a": [1]}')))::text) FROM unnest('{10,11}'::int[]) n, generate_series(1, n) GROUP BY n ORDER BY n;
SELECT n, refused(json_build_object('Filters', ARRAY[json_build_object('Pattern', '{"a": ["' || repeat('x', n - 11) || '"]}')])::text) FROM unnest('{4096,4097}'::int[]) n;
ROLLBACK;
-- However deep
SELECT refused('{"Filters": [{"Pattern": ' || repeat('{"a":', 2000) || '[1]' || repeat('}', 2000) || '}]}');
SELECT refused('{"Filters": [{"Pattern": ' || repeat('{"a":', 20000) || '[1]' || repeat('}', 20000) || '}]}');
SELECT count(*) FROM dynamo.event_source_mappings;

SELECT dynamo.drop_table('Filtered');
DROP TABLE seen;
DROP FUNCTION see, let_through, refused;

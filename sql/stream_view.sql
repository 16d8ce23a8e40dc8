-- The four view types: which images a record has; the key is always there.

SELECT name, dynamo.create_table(name, 'pk', 'sk N')
FROM unnest(ARRAY['ViewKeys', 'ViewNew', 'ViewOld', 'ViewBoth']) name;
SELECT count(dynamo.enable_stream(name, view))
FROM (VALUES ('ViewKeys', 'KEYS_ONLY'), ('ViewNew', 'NEW_IMAGE'),
	('ViewOld', 'OLD_IMAGE'), ('ViewBoth', 'NEW_AND_OLD_IMAGES')) v(name, view);

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['ViewKeys', 'ViewNew', 'ViewOld', 'ViewBoth'] LOOP
		PERFORM dynamo.put_item(name, '{"pk": "p", "sk": 1, "v": "one"}');
		PERFORM dynamo.update_item(name, '{"pk": "p", "sk": 1}', 'SET v = :v', '{":v": "two"}');
		PERFORM dynamo.delete_item(name, '{"pk": "p", "sk": 1}');
		PERFORM dynamo.put_item(name, '{"pk": "p", "sk": 2}');
	END LOOP;
END
$$;

SELECT event_name, keys::jsonb, old_image::jsonb AS old, new_image::jsonb AS new FROM dynamo.stream('ViewKeys');
SELECT event_name, keys::jsonb, old_image::jsonb AS old, new_image::jsonb AS new FROM dynamo.stream('ViewNew');
SELECT event_name, keys::jsonb, old_image::jsonb AS old, new_image::jsonb AS new FROM dynamo.stream('ViewOld');
SELECT event_name, keys::jsonb, old_image::jsonb AS old, new_image::jsonb AS new FROM dynamo.stream('ViewBoth');

SELECT table_name, view_type FROM dynamo.streams WHERE table_name LIKE 'View%' ORDER BY stream_id;
SELECT dynamo.enable_stream('ViewBoth', 'BOTH');

-- Items that do not fit a page come back whole.
SELECT dynamo.put_item('ViewBoth', jsonb_build_object('pk', 'large', 'sk', 1,
	'v', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 10000) i))::dynamo.item);
SELECT dynamo.update_item('ViewBoth', '{"pk": "large", "sk": 1}', 'SET w = :w', '{":w": 1}');
SELECT event_name, length(old_image ->> 'v') AS old, length(new_image ->> 'v') AS new,
	new_image = (SELECT item FROM dynamo.get_item('ViewBoth', '{"pk": "large", "sk": 1}')) AS latest
FROM dynamo.stream('ViewBoth') WHERE keys ->> 'pk' = 'large';

SELECT dynamo.drop_table(name)
FROM unnest(ARRAY['ViewKeys', 'ViewNew', 'ViewOld', 'ViewBoth']) name;

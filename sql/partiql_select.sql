-- SELECT of PartiQL: what is found, in which order, and what is returned.
\pset format unaligned
\pset tuples_only on
SET extra_float_digits = 0;
SELECT dynamo.create_table('Shop', 'pk', 'sk') IS NOT NULL;
CREATE FUNCTION pg_temp.run(statement text, parameters json DEFAULT NULL,
							more json DEFAULT '{}')
RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	answer json;
BEGIN
	answer := dynamo.try_call('ExecuteStatement',
		(json_strip_nulls(json_build_object('Statement', statement,
											'Parameters', parameters))::jsonb
		 || more::jsonb)::json);
	IF answer->>'__type' IS NOT NULL THEN
		RETURN NEXT split_part(answer->>'__type', '#', 2) || ': ' ||
			coalesce(answer->>'message', answer->>'Message', '');
		RETURN;
	END IF;
	RETURN QUERY SELECT (i::jsonb)::text
		FROM json_array_elements(answer->'Items') AS i;
	IF answer->'NextToken' IS NOT NULL THEN
		RETURN NEXT 'more';
	END IF;
	IF answer->'ConsumedCapacity' IS NOT NULL THEN
		RETURN NEXT answer->'ConsumedCapacity';
	END IF;
END $$;
SELECT dynamo.put_item('Shop', i::dynamo.item) IS NULL FROM (VALUES
	('{"pk": "a", "sk": "1", "n": 1, "m": {"k": [5, 6], "z": "x"}}'::jsonb),
	('{"pk": "a", "sk": "2", "n": 2, "tag": "red"}'),
	('{"pk": "a", "sk": "3", "n": 3, "tag": null}'),
	('{"pk": "b", "sk": "1", "n": 4, "on": true}'),
	('{"pk": "b", "sk": "2", "n": 5, "date": "d", "#x": "y"}')) v(i);

-- keys: one, several, ranges
SELECT pg_temp.run('SELECT * FROM "Shop" WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('select sk from Shop where pk = ''a''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk > ''1''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk BETWEEN ''1'' AND ''2''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND begins_with(sk, ''3'')');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE ''2'' <= sk AND ''a'' = pk');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk IN [''b'', ''a'']');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk IN (''b'', ''a'') AND sk IN [''2'', ''1'']');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk = ''b'' AND sk = ''2'' OR pk = ''a'' AND sk = ''3'' OR pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('SELECT * FROM Shop WHERE pk = ''none''');
SELECT pg_temp.run('SELECT * FROM Shop WHERE pk = ''a'' AND pk = ''b''');

-- filters, by key and without
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND n > 1');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND (sk = ''1'' OR sk = ''3'')');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk > ''1'' AND sk < ''3''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE tag = ''red''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND tag <> ''red''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND NOT tag = ''red''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE tag IS MISSING AND pk = ''a''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE tag IS NOT MISSING AND pk = ''a''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE tag IS NULL AND pk = ''a''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE tag IS STRING AND pk = ''a''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''b'' AND "on" IS BOOL');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''b'' AND "on" = true');
SELECT pg_temp.run('SELECT n FROM Shop WHERE attribute_exists(m.k) = true');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND attribute_exists("tag") = false');
SELECT pg_temp.run('SELECT n FROM Shop WHERE (pk = ''a'' AND n > 0) = true AND n < 3 AND tag = ''red''');
SELECT pg_temp.run('SELECT n FROM Shop WHERE (n = 1 OR n = 9) = true OR n = 8 OR n = 3');
SELECT pg_temp.run('DELETE FROM Shop WHERE (pk = ''a'' AND sk = ''2'') = true AND n = 2 AND tag = ''blue''');
SELECT pg_temp.run('DELETE FROM Shop WHERE n = 1 AND (pk = ''a'' AND sk = ''2'')');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND ATTRIBUTE_TYPE(m, ''M'') AND size(m.k) = 2');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND contains(tag, ''e'')');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND m = {''z'': ''x'', ''k'': [5, 6]}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND m.k = [6, 5]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk < 3');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND tag < 3');

-- the SELECT list
SELECT pg_temp.run('SELECT m.k[1], m.z, n FROM Shop WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('SELECT "date", "#x" FROM Shop WHERE pk = ''b'' AND sk = ''2''');
SELECT pg_temp.run('SELECT nothing FROM Shop WHERE pk = ''b'' AND sk = ''2''');
SELECT pg_temp.run('SELECT m.z, z FROM Shop');
SELECT pg_temp.run('SELECT n, m.k[1], m.k FROM Shop');

-- order
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' ORDER BY sk DESC');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' ORDER BY sk ASC');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk IN [''a'', ''b''] ORDER BY pk DESC');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk IN [''b'', ''a''] ORDER BY pk, sk DESC');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk IN [''1'', ''3'', ''2''] ORDER BY sk DESC');
SELECT pg_temp.run('SELECT sk FROM Shop ORDER BY sk');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE n = 1 ORDER BY sk');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' ORDER BY n');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk IN [''a'', ''b''] ORDER BY sk');

-- alternatives of one partition
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND n = 1 OR pk = ''a'' AND sk = ''2''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND n <> 1 OR pk = ''a'' AND sk = ''2''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' OR pk = ''a''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk IN [''a'', ''a'']');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk = ''2'' OR pk = ''a'' AND NOT sk = ''1''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk = ''2'' OR pk = ''a'' AND sk <> ''2''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk = ''2'' OR pk = ''a'' AND NOT begins_with(sk, ''1'')');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk = ''2'' OR pk = ''a'' AND NOT sk IN [''1'']');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' OR pk = ''a'' AND NOT sk > ''1''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk = ''1'' OR pk = ''a'' AND NOT sk > ''1''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk < ''2'' OR pk = ''a'' AND sk >= ''2''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk <= ''2'' OR pk = ''a'' AND sk >= ''2''');
SELECT pg_temp.run('SELECT pk, sk FROM Shop WHERE pk = ''a'' AND sk = ''1'' OR n = 4');

-- 50 reads, and no more; 100 operands, and no more
SELECT count(*) FROM pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk IN [' ||
	(SELECT string_agg(quote_literal(i), ',') FROM generate_series(1, 50) i) || ']');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''a'' AND sk IN [' ||
	(SELECT string_agg(quote_literal(i), ',') FROM generate_series(1, 51) i) || ']');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE n IN [' ||
	(SELECT string_agg(quote_literal(i), ',') FROM generate_series(1, 101) i) || ']');

-- parameters
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ? AND sk = ?', '[{"S":"a"},{"S":"2"}]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ? AND n IN [?, ?]', '[{"S":"a"},{"N":"2"},{"N":"3.0"}]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ? AND contains(tag, ?) = ?', '[{"S":"a"},{"S":"r"},{"BOOL":true}]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ?', '[{"S":"a"},{"S":"unused"}]', '{"Limit":1}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ?');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ?', '[]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ?', '[{"N":"1"}]');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk = 1');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk BETWEEN ''1'' AND 2');

-- comments and blanks
SELECT pg_temp.run(E'/* one */ SELECT n -- two\n FROM/**/"Shop" WHERE pk = ''a'' /* ''three'' **/ AND sk=''1'' ; -- four');

-- pages
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a''', NULL, '{"Limit":2}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk IN [''a'', ''b'']', NULL, '{"Limit":4}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk IN [''1'', ''2'']', NULL, '{"Limit":1}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk IN [''1'', ''2'']', NULL, '{"Limit":2}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND n = 2', NULL, '{"Limit":1}');
SELECT pg_temp.run('SELECT n FROM Shop', NULL, '{"Limit":0}');
DO $$
DECLARE
	statement text;
	token text;
	answer json;
	found text;
BEGIN
	FOREACH statement IN ARRAY ARRAY['SELECT n FROM Shop',
		'SELECT n FROM Shop WHERE pk IN [''a'', ''b'']',
		'SELECT n FROM Shop WHERE pk IN [''b'', ''a''] ORDER BY pk, sk DESC',
		'SELECT n FROM Shop WHERE pk = ''b'' AND sk IN [''2'', ''1''] OR pk = ''a'' AND sk > ''0''']
	LOOP
		token := NULL;
		found := '';
		LOOP
			answer := dynamo.call('ExecuteStatement', json_strip_nulls(
				json_build_object('Statement', statement, 'Limit', 1,
								  'NextToken', token)));
			found := found || coalesce(answer->'Items'->0->'n'->>'N', '-') || ' ';
			token := answer->>'NextToken';
			EXIT WHEN token IS NULL;
		END LOOP;
		RAISE NOTICE '%: %', statement, found;
	END LOOP;
END $$;

-- capacity
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk = ''1''', NULL, '{"ReturnConsumedCapacity":"TOTAL"}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk = ''1''', NULL, '{"ReturnConsumedCapacity":"TOTAL", "ConsistentRead":true}');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''a'' AND sk IN [''1'', ''none'']', NULL, '{"ReturnConsumedCapacity":"INDEXES"}');

SELECT pg_temp.run('SELECT * FROM Nowhere');
SELECT dynamo.drop_table('Shop');

--
-- Expressions are remembered by their texts: names and values are not, nor is
-- any check skipped
--
SELECT dynamo.create_table('Remembered', 'id', 'n', sort_key_type => 'N');
INSERT INTO dynamo_data."Remembered" (item) SELECT jsonb_build_object('id', 'x', 'n', n, 'a', n, 'b', -n, 'l', ARRAY[n]) FROM generate_series(1, 200) n;

-- one text, other names, other values
SELECT names, dynamo.matches('{"a": 1, "b": 2}', '#p = :v', '{":v": 2}', names::jsonb) FROM unnest(ARRAY['{"#p": "a"}', '{"#p": "b"}', '{"#p": "c"}']) names;
SELECT v, dynamo.matches('{"a": 1, "b": 2}', '#p = :v', v::dynamo.item, '{"#p": "a"}') FROM unnest(ARRAY['{":v": 1}', '{":v": 2}', '{":v": "1"}']) v;
SELECT names, dynamo.project('{"a": 1, "b": {"c": 2}, "c": 3}', '#p.#q, a', names::jsonb) FROM unnest(ARRAY['{"#p": "b", "#q": "c"}', '{"#p": "c", "#q": "b"}']) names;
SELECT names, dynamo.apply_update('{"a": 1, "b": 2}', 'SET #p = #p + :v', '{":v": 5}', names::jsonb) FROM unnest(ARRAY['{"#p": "a"}', '{"#p": "b"}']) names;
-- ... a name that looks like a placeholder is resolved once, each time
SELECT dynamo.matches('{"#p": 1}', '#p = :v', '{":v": 1}', '{"#p": "#p"}'), dynamo.matches('{"#p": 1}', '#p = :v', '{":v": 1}', '{"#p": "a"}');

-- what is wrong is wrong again, and with other names
SELECT dynamo.matches('{}', 'a = ', '{":v": 1}');
SELECT dynamo.matches('{}', 'a = ', '{":v": 1}');
SELECT dynamo.matches('{}', 'year = :v', '{":v": 1}');
SELECT dynamo.matches('{}', 'year = :v', '{":v": 1}');
SELECT dynamo.matches('{}', 'f(a)');
SELECT dynamo.matches('{}', 'f(a)');
SELECT dynamo.matches('{}', '#p = :v', '{":v": 1}');
SELECT dynamo.matches('{}', '#p = :v', '{":w": 1}', '{"#p": "a"}');
SELECT dynamo.matches('{}', '#p = :v', '{":v": 1, ":w": 1}', '{"#p": "a"}');
SELECT dynamo.matches('{}', 'begins_with(a, :v)', '{":v": "a"}'), dynamo.matches('{}', 'begins_with(a, :v)', '{":v": 1}');
SELECT dynamo.apply_update('{}', 'SET #p = :v, #q = :v', '{":v": 1}', '{"#p": "a", "#q": "b"}');
SELECT dynamo.apply_update('{}', 'SET #p = :v, #q = :v', '{":v": 1}', '{"#p": "a", "#q": "a"}');

-- one text as a condition, as a filter, as a condition on keys: each has its own errors
SELECT dynamo.put_item('Remembered', '{"id": "y", "n": 1}', 'id = :i AND', '{":i": "x"}');
SELECT * FROM dynamo.query('Remembered', 'id = :i', '{":i": "x"}', filter_expression => 'id = :i AND');
SELECT * FROM dynamo.query('Remembered', 'id = :i AND', '{":i": "x"}');
-- ... and what is well formed in one place is not in another
SELECT dynamo.project('{"a": 1, "b": 2}', 'a, b');
SELECT dynamo.matches('{"a": 1, "b": 2}', 'a, b');
SELECT dynamo.apply_update('{"a": 1, "b": 2}', 'a, b');

-- a cursor goes on, though others drive its expressions out of the cache meanwhile
BEGIN;
DECLARE c CURSOR FOR SELECT item ->> 'n' AS n, item FROM dynamo.query('Remembered', 'id = :i AND n > :n', '{":i": "x", ":n": 10, ":a": 100}',
	filter_expression => 'a < :a AND #b < :n', projection_expression => 'n, #l[0]', expression_attribute_names => '{"#b": "b", "#l": "l"}');
FETCH 2 FROM c;
SELECT count(*) FILTER (WHERE dynamo.matches('{"a": 1}', format('a%s = :v', i), '{":v": 1}')) AS true, count(*) AS texts FROM generate_series(1, 3000) i;
FETCH 2 FROM c;
MOVE FORWARD ALL FROM c;
COMMIT;

-- neither many texts nor one text many times takes more memory than the cache
CREATE FUNCTION pg_temp.context_bytes() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'dynamo parsed text'
$$;
SELECT pg_temp.context_bytes() < 256 * 16384 AS bounded, (SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dynamo parsed text') <= 256 AS few;
SELECT dynamo.drop_table('Remembered');

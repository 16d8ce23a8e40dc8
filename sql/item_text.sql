-- Plain JSON is read in one pass where it is usual, and by way of jsonb where it
-- is not.  Both make the same item, byte by byte, or raise the same error.
\a
\t on
CREATE FUNCTION pg_temp.reading(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo_internal.item_send(t::dynamo.item);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION pg_temp.reading_by_jsonb(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo_internal.item_send(t::jsonb::dynamo.item);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- The text behind a member that shows it to be plain, and how it was read.
CREATE FUNCTION pg_temp.compare(value text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN pg_temp.reading(t) IS DISTINCT FROM pg_temp.reading_by_jsonb(t)
			THEN 'differs: ' || pg_temp.reading(t) || ' / ' || pg_temp.reading_by_jsonb(t)
		WHEN pg_temp.reading(t) LIKE '\\x%' THEN t::dynamo.item::text
		ELSE pg_temp.reading(t) END
	FROM (SELECT '{"x":0,"y":' || value || '}' AS t) s
$$;

-- Numbers, as JSON has them and as it has not.
SELECT v, pg_temp.compare(v) FROM unnest(ARRAY['0', '-0', '7', '-12.50', '1e2', '1E+2', '1e-2', '0.10e-3',
	'12345678901234567890123456789012345678', '123456789012345678901234567890123456789',
	'1e125', '1e126', '-1e-130', '1e-131', '00', '01', '-', '-a', '+1', '.5', '1.', '1.e1', '1e', '1e+', '1a', '0x1', '1 2', 'NaN']) v;

-- Strings: escapes that are read at once, others, and what is none.
SELECT v, pg_temp.compare(v) FROM unnest(ARRAY['""', '"a"', '"12345678"', '"1234567\"9"', '"\"\\\/\b\f\n\r\t"', '"\u0041"', '"\ud83d\ude00"', '"\ud83d"', '"\u0000"',
	'"ä€😀"', '"\x"', '"\', '"', '"a', '"a' || chr(10) || '"', '"a' || chr(31) || '"', '"' || chr(127) || '"', '''a''']) v;

-- Words, containers, space.
SELECT v, pg_temp.compare(v) FROM unnest(ARRAY['true', 'false', 'null', 'True', 'tru', 'truex', 'nul', '[]', '{}', '[ ]', '{ }', '[1,]', '[,1]', '[1 2]', '[1', '{"a"}', '{"a":}', '{"a":1,}', '{,}', '{a:1}', '{"a" 1}',
	' [ 1 , "a" , { "b" : null } ] ', '[1]]', '{"b":1,"a":2,"ab":3}', '{"a":1,"b":2,"a":3}', '{"":1}', '{"a\tb":1}', '{"a":1}}', chr(9) || chr(10) || chr(13) || '1', chr(11) || '1', '']) v;
SELECT pg_temp.compare('{"' || repeat('n', n) || '":1}') = pg_temp.compare('{"' || repeat('n', n) || '":1}'), length(pg_temp.compare('{"' || repeat('n', n) || '":1}'))
	FROM unnest(ARRAY[65535, 65536]) n;
SELECT n, left(pg_temp.compare(repeat('[', n) || repeat(']', n)), 60) FROM unnest(ARRAY[31, 32, 33]) n;
SELECT n, left(pg_temp.compare(repeat('{"a":', n) || '1' || repeat('}', n)), 60) FROM unnest(ARRAY[31, 32, 33]) n;

-- What is no object.
SELECT v, pg_temp.reading(v), pg_temp.reading(v) = pg_temp.reading_by_jsonb(v) FROM unnest(ARRAY['', ' ', '1', '[]', '"a"', 'null', '{', '{}', ' { } ', '{}x', '{"a":1} {"b":2}']) v;

-- Members come in the order of their names, also where these begin alike and where there are many.
SELECT v, pg_temp.compare(v) FROM unnest(ARRAY['{"abcdefghb":1,"abcdefgha":2,"abcdefgh":3,"abcdefg":4,"abcdefi":5,"a":6,"ä":7,"B":8}',
	'{"abcdefgha":1,"abcdefghb":2,"abcdefgha":3}']) v;
SELECT n, pg_temp.reading(t) = pg_temp.reading_by_jsonb(t), length(pg_temp.reading(t)) FROM unnest(ARRAY[31, 32, 33, 64, 65, 400]) n,
	LATERAL (SELECT '{' || string_agg(format('"attribute%s":%s', i * 7919 % 1009, i), ',') || '}' AS t FROM generate_series(1, n) i) s;

-- What must be escaped is, wherever it stands in a string of whatever length.
SELECT count(*), count(*) FILTER (WHERE (item::text)::json #>> '{s,S}' IS DISTINCT FROM s)
FROM (SELECT s, jsonb_build_object('s', s)::dynamo.item AS item
	FROM generate_series(1, 20) n, generate_series(1, n) p, unnest(ARRAY['"', '\', chr(10), chr(31), chr(127), 'ä', '!', '#', '[', ']']) c,
		LATERAL (SELECT overlay(repeat('a', n) PLACING c FROM p FOR 1) AS s) t) u;

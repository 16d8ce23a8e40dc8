--
-- How much memory JSON text may take once it is parsed
--
-- The parser's document is many times larger than its text.  Each text below
-- consists of small values alone, which make the most of it.
--
CREATE FUNCTION parsed(element text, n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ('{"a":{"L":[' || repeat(element || ',', n - 1) || element || ']}}')::dynamo.item;
	RETURN n || ' values';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- The smallest values that there are, as many as an item of 400 kB can hold
SELECT element, parsed(element, 102400)
FROM unnest(ARRAY['{"M":{}}', '{"L":[]}', '{"S":""}', '{"NULL":true}']) element;

-- No text takes more than 512 kB and 64 times its length.  These are no values, but the
-- parser does not know.
SELECT element, parsed(element, 100000) FROM unnest(ARRAY['{}', '[]', '1', '""']) element;

-- Nor more than 512 MB
SELECT parsed('{"M":{}}', 1100000);

-- What does not fit any more may be a part of a string
CREATE FUNCTION parsed_before(n int, length int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.call('GetItem', ('[' || repeat('{},', n) || '"' || repeat('x', length) || '"]')::json);
	RETURN 'all';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlerrm;
END $$;
SELECT DISTINCT parsed_before(17000, length) COLLATE "C" AS parsed
FROM generate_series(1500, 4500, 30) length ORDER BY 1;
DROP FUNCTION parsed_before;

-- More than 2,048 arrays in one another
SELECT left(parsed(repeat('[', depth) || repeat(']', depth), 1), 60)
FROM unnest(ARRAY[2000, 3000]) depth;

-- A short text that opens many is malformed, and not too large
SELECT n, left(parsed(repeat('[', n), 1), 60) FROM unnest(ARRAY[30, 100, 1000]) n;

DROP FUNCTION parsed;

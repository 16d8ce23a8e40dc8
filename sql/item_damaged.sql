--
-- dynamo.item: bytes as a broken disk gives them are read within their bounds,
-- or refused as corrupt data (XX001); nothing else
--
-- What is behind the length word is not looked at on the way in.
CREATE CAST (bytea AS dynamo.item) WITHOUT FUNCTION;
CREATE FUNCTION read(bytes bytea, how text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s)::text FROM (SELECT $1::dynamo.item AS i OFFSET 0) s', how) INTO result USING bytes;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- the cast does what it should
SELECT read(dynamo_internal.item_send('{"a":"x","b":1}'), 'i');
-- nothing, no root, another version, offsets past the end, a name past the end
SELECT b, read(b, 'i'), read(b, 'dynamo.item_size(i)'), read(b, 'i -> ''a''')
FROM unnest(ARRAY['', '\x02', '\x0300', '\x02087f1161781262c102', '\x02fcffffff0f', '\x0204f16178', '\x0204017f6178', '\x02041b6178']::bytea[]) b;
-- the same in the older version
SELECT b, read(b, 'i'), read(b, 'dynamo.item_size(i)'), read(b, 'i -> ''a''')
FROM unnest(ARRAY['\x01', '\x01040501610178', '\x01fcffffff0f', '\x0104047f610178', '\x01040401610b78', '\x0104040161040178', '\x01ffffffff0f']::bytea[]) b;
-- a map in a map: offsets that reach into what comes after it, harmless bytes by themselves
SELECT read('\x0208051a61080715621562', 'i'), read('\x0108050901610a050300017805', 'i');
-- a member alone is asked for: one that reaches into what comes after its map, and
-- one of a list whose offsets do
SELECT how, read(b, how) FROM (VALUES
  ('\x02080b1a610c020a156211631564117a68656c6c6f'::bytea, 'dynamo.project(i, ''a.c'')'),
  ('\x02080619010d02009921016278', 'dynamo.project(i, ''#a[0]'', ''{"#a":"\u0001"}'')')) v(b, how);
-- a name twice: each reader sees one of them; none can write it back
SELECT how, read('\x0208031161621161'::bytea || '\x63', how) FROM unnest(ARRAY['i ? ''a''', 'dynamo.apply_update(i, ''SET b = a'')', 'dynamo.project(i, ''a, b'')']) how;
-- numbers and sets that are none
SELECT b, read(b, 'i'), read(b, 'i = i'), read(b, 'dynamo.apply_update(i, ''ADD a :n'', ''{":n":1}'')')
FROM unnest(ARRAY['\x02041261', '\x02041261c1', '\x02041261c1ff', '\x0204166100', '\x0204166108016161', '\x0204176103010103']::bytea[]) b;

DROP CAST (bytea AS dynamo.item);
DROP FUNCTION read;

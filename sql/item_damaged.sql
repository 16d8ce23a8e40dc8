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
FROM unnest(ARRAY['', '\x01', '\x0200', '\x01040501610178', '\x01fcffffff0f', '\x0104047f610178', '\x01040401610b78']::bytea[]) b;
-- a map in a map: offsets that reach into what comes after it, harmless bytes by themselves
SELECT read('\x0108050901610a050300017805', 'i');
-- a name twice: each reader sees one of them; none can write it back
SELECT how, read('\x01080409016104090161016202', how) FROM unnest(ARRAY['i ? ''a''', 'dynamo.apply_update(i, ''SET b = a'')', 'dynamo.project(i, ''a, b'')']) how;
-- numbers and sets that are none
SELECT b, read(b, 'i'), read(b, 'i = i'), read(b, 'dynamo.apply_update(i, ''ADD a :n'', ''{":n":1}'')')
FROM unnest(ARRAY['\x010403016102', '\x010404016102c1', '\x010405016102c1ff', '\x01040401610600', '\x0104080161060801026161', '\x01040601610703010103']::bytea[]) b;

DROP CAST (bytea AS dynamo.item);
DROP FUNCTION read;

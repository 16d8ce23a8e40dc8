--
-- dynamo.item and the keys: binary input takes what output gives, and checks it
--
-- A bytea travels in binary as its bytes, so a file of bytea is a file of
-- whatever those bytes are taken for.
SELECT current_setting('data_directory') || '/item_binary.' || pg_backend_pid() AS file \gset
CREATE TABLE item_bytes (b bytea);
CREATE FUNCTION recv(bytes bytea, file text, type regtype) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	CREATE TEMP TABLE received (v text);
	EXECUTE format('ALTER TABLE received ALTER v TYPE %s USING NULL', type);
	TRUNCATE item_bytes;
	INSERT INTO item_bytes VALUES (bytes);
	EXECUTE format('COPY item_bytes TO %L (FORMAT binary)', file);
	BEGIN
		EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
		SELECT v INTO result FROM received;
	EXCEPTION WHEN OTHERS THEN
		result := sqlstate || ' ' || sqlerrm;
	END;
	DROP TABLE received;
	RETURN result;
END $$;

-- round trip, all types
SELECT recv(dynamo_internal.item_send(i), :'file', 'dynamo.item') = i::text AS same FROM unnest(ARRAY[
  '{}', '{"s":{"S":"x\u0000é"},"n":{"N":"-1.5"},"b":{"B":"AAE="},"t":{"BOOL":true},"z":{"NULL":true},"ss":{"SS":["b","a"]},"ns":{"NS":["3","1"]},"bs":{"BS":["/w==","AA=="]},"l":{"L":[{"S":"x"},{"L":[]}]},"m":{"M":{"k":{"M":{}}}}}'
  ]::dynamo.item[]) i;
SELECT recv(dynamo_internal.item_send(jsonb_build_object('l', repeat('x', 300), 'm', repeat('y', 70000))), :'file', 'dynamo.item') = dynamo.to_json(jsonb_build_object('l', repeat('x', 300), 'm', repeat('y', 70000)))::text AS wide;
-- the last offset that fits in one or two bytes, and one more
SELECT n, recv(dynamo_internal.item_send(i), :'file', 'dynamo.item') = i::text AS same
FROM unnest(ARRAY[255, 256, 65535, 65536]) n, CAST(jsonb_build_object('a', repeat('x', n - 2), 'b', 'y') AS dynamo.item) i;
-- the longest numbers: 38 digits in 19 pairs and in 20, of either sign
SELECT n, recv(dynamo_internal.item_send(i), :'file', 'dynamo.item') = i::text AS same
FROM unnest(ARRAY[repeat('9', 38), '9.' || repeat('9', 37), '0.0' || repeat('9', 38)]) digits, unnest(ARRAY[digits, '-' || digits]) n, CAST(format('{"n":{"N":"%s"}}', n) AS dynamo.item) i;

-- the layout: version, head (count * 4 + width - 1), ends, members
SELECT dynamo_internal.item_send('{}'), dynamo_internal.item_send('{"a":{"S":"x"},"b":{"N":"1"}}'), dynamo_internal.item_send('{"a":{"L":[{"BOOL":true},{"NULL":true}]}}');
SELECT what, recv(b, :'file', 'dynamo.item') FROM (VALUES
  ('empty', ''::bytea), ('no root', '\x02'), ('older version', '\x0100'), ('unknown version', '\x0300'), ('width of nothing', '\x0201'),
  ('fine', '\x0204116178'), ('wide offset', '\x020903001161781262c102'), ('end past the end', '\x02087f1161781262c102'), ('ends out of order', '\x020c0603116178116278116378'),
  ('two members', '\x0208031161781262c102'), ('trailing byte', '\x020000'), ('huge count', '\x02fcffffff0f'), ('superfluous varint byte', '\x028400116178'),
  ('empty name', '\x0204010078'), ('NUL in a name', '\x0204110078'), ('name not UTF-8', '\x020411ff78'), ('name past the end', '\x0204f16178'), ('long name past the end', '\x0204017f6178'),
  ('name of 16', '\x02040110616161616161616161616161616161617a'), ('short name with a length', '\x020401016178'), ('unknown type', '\x02041b6178'), ('type 0', '\x0204106178'), ('string not UTF-8', '\x02041161ff'),
  ('boolean 2', '\x0204146102'), ('NULL of a byte', '\x0204156100'), ('names out of order', '\x02080215621561'), ('name twice', '\x02080215611561'),
  ('number', '\x02041261c102'), ('number of no digits', '\x02041261c1'), ('least number', '\x020412618002'), ('trailing pair 00', '\x02041261c10201'), ('pair 100', '\x02041261c166'), ('first pair 00', '\x02041261c10102'),
  ('negative, not closed', '\x020412613e64'), ('39 digits', decode('02041261d4' || repeat('64', 19) || '5b', 'hex')), ('40 digits', decode('02041261d4' || repeat('64', 20), 'hex')),
  ('empty set', '\x0204166100'), ('SS out of order', '\x0204166108016261'), ('SS twice', '\x0204166108016161'), ('SS', '\x0204166108016162'),
  ('NS twice', '\x020417610802c102c102'), ('BS twice', '\x0204186108016161')) v(what, b);
-- nesting: 31 lists around a leaf, and one more
SELECT n, length(recv(nested, :'file', 'dynamo.item')) AS length FROM (
  WITH RECURSIVE l(n, v) AS (SELECT 0, '\x05'::bytea UNION ALL
    SELECT n + 1, '\x0904'::bytea || v FROM l WHERE n < 32)
  SELECT n, '\x02041961'::bytea || substr(v, 2) AS nested FROM l WHERE n > 30) x;

-- keys
SELECT k, recv(dynamo_internal.partition_key_send(k), :'file', 'dynamo.partition_key') = k::text AS same
FROM unnest(ARRAY['CUSTOMER#1', '{"N":"5"}', '{"B":"AA=="}', '{"L":[{"S":"a"},{"N":"5"}]}']::dynamo.partition_key[]) k;
SELECT recv(dynamo_internal.partition_key_send(repeat('x', 2000)::dynamo.partition_key), :'file', 'dynamo.partition_key') = repeat('x', 2000)::dynamo.partition_key::text AS long;
SELECT k, recv(dynamo_internal.sort_key_send(k), :'file', 'dynamo.sort_key') = k::text AS same FROM unnest(ARRAY['ORDER#1', '{"N":"-5"}', '{"N":"-9.9999999999999999999999999999999999999"}', '{"B":"AA=="}']::dynamo.sort_key[]) k;
-- a sort key of 1024 bytes, and one more, which no text would give back
SELECT n, left(recv('\x01' || decode(repeat('78', n), 'hex'), :'file', 'dynamo.sort_key'), 20) FROM unnest(ARRAY[1024, 1025]) n;
SELECT dynamo_internal.sort_key_in(textout('{"raw":"' || translate(encode('\x01' || decode(repeat('78', 1025), 'hex'), 'base64'), E'\n', '') || '"}'));
-- a hash that is not the value's would hide the row
SELECT recv(set_byte(dynamo_internal.partition_key_send('x'), 0, 0), :'file', 'dynamo.partition_key');
SELECT recv(set_byte(dynamo_internal.partition_key_send('x'), 4, 2), :'file', 'dynamo.partition_key');
-- two values, the second's length far past the end
SELECT recv('\x0000000009010000000161017fffffff62'::bytea, :'file', 'dynamo.partition_key');
SELECT recv(''::bytea, :'file', 'dynamo.partition_key'), recv('\x001122', :'file', 'dynamo.partition_key');

-- leave no file behind
CREATE FUNCTION remove(file text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('COPY (SELECT) TO PROGRAM %L', format('cat >/dev/null; rm %L', file));
END $$;
SELECT remove(:'file');
DROP FUNCTION remove;
DROP FUNCTION recv;
DROP TABLE item_bytes;

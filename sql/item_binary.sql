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
FROM unnest(ARRAY[255, 256, 65535, 65536]) n, CAST(jsonb_build_object('a', repeat('x', n - 3)) AS dynamo.item) i;
-- the longest numbers: 38 digits in 19 pairs and in 20, of either sign
SELECT n, recv(dynamo_internal.item_send(i), :'file', 'dynamo.item') = i::text AS same
FROM unnest(ARRAY[repeat('9', 38), '9.' || repeat('9', 37), '0.0' || repeat('9', 38)]) digits, unnest(ARRAY[digits, '-' || digits]) n, CAST(format('{"n":{"N":"%s"}}', n) AS dynamo.item) i;

-- the layout: version, head (count * 4 + width - 1), ends, members
SELECT dynamo_internal.item_send('{}'), dynamo_internal.item_send('{"a":{"S":"x"},"b":{"N":"1"}}'), dynamo_internal.item_send('{"a":{"L":[{"BOOL":true},{"NULL":true}]}}');
SELECT what, recv(b, :'file', 'dynamo.item') FROM (VALUES
  ('empty', ''::bytea), ('no root', '\x01'), ('version', '\x0200'), ('width of nothing', '\x0101'),
  ('fine', '\x01040401610178'), ('wide offset', '\x0105040001610178'), ('end past the end', '\x01040501610178'), ('end too early', '\x01040301610178'),
  ('trailing byte', '\x0104040161017800'), ('huge count', '\x01fcffffff0f'), ('superfluous varint byte', '\x0184000401610178'),
  ('empty name', '\x010403000178'), ('NUL in a name', '\x01040401000178'), ('name not UTF-8', '\x01040401ff0178'), ('name past the end', '\x0104047f610178'),
  ('unknown type', '\x01040401610b78'), ('type 0', '\x01040401610078'), ('string not UTF-8', '\x010404016101ff'),
  ('boolean 2', '\x01040401610402'), ('NULL of a byte', '\x01040401610500'), ('names out of order', '\x01080306016205016105'), ('name twice', '\x01080306016105016105'),
  ('number', '\x010405016102c102'), ('number of no digits', '\x010404016102c1'), ('least number', '\x0104050161028002'), ('trailing pair 00', '\x010406016102c10201'), ('pair 100', '\x010405016102c166'), ('first pair 00', '\x010406016102c10102'),
  ('negative, not closed', '\x0104050161023e64'), ('39 digits', decode('010418016102d4' || repeat('64', 19) || '5b', 'hex')), ('40 digits', decode('010418016102d4' || repeat('64', 20), 'hex')),
  ('empty set', '\x01040401610600'), ('SS out of order', '\x0104080161060801026261'), ('SS twice', '\x0104080161060801026161'), ('SS', '\x0104080161060801026162'),
  ('NS twice', '\x01040a016107080204c102c102'), ('BS twice', '\x0104080161080801026161')) v(what, b);
-- nesting: 31 lists around a leaf, and one more
SELECT n, length(recv(nested, :'file', 'dynamo.item')) AS length FROM (
  WITH RECURSIVE l(n, v) AS (SELECT 0, '\x05'::bytea UNION ALL
    SELECT n + 1, '\x0904'::bytea || set_byte('\x00', 0, length(v)) || v FROM l WHERE n < 32)
  SELECT n, '\x0104'::bytea || set_byte('\x00', 0, length(v) + 2) || '\x0161' || v AS nested FROM l WHERE n > 30) x;

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
	EXECUTE format('COPY (SELECT) TO PROGRAM %L', format('rm %L', file));
END $$;
SELECT remove(:'file');
DROP FUNCTION remove;
DROP FUNCTION recv;
DROP TABLE item_bytes;

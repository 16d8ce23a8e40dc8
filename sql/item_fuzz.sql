--
-- Damaged text as item, partition key and sort key: an error a client may see,
-- or a value that comes back from its own text; nothing else
--
-- not notices of what is read as a map
SET client_min_messages = warning;
CREATE FUNCTION damage(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	parts text[] := ARRAY['"', '{', '}', '[', ']', ':', ',', '\', '\u0000', 'S', 'N', 'B', 'M', 'L', 'SS', '0', '9', 'e', '-', '.',
		'null', 'true', ' ', 'é', '1e400', '99999999999999999999999', '"N"', '{"S":"x"}', '', E'\x01', '\ud800'];
	place int;
BEGIN
	FOR step IN 1 .. 1 + floor(random() * 3) LOOP
		place := 1 + floor(random() * length(input));
		input := CASE floor(random() * 3)
			WHEN 0 THEN overlay(input PLACING parts[1 + floor(random() * array_length(parts, 1))] FROM place FOR 1)
			WHEN 1 THEN overlay(input PLACING parts[1 + floor(random() * array_length(parts, 1))] FROM place FOR 0)
			ELSE overlay(input PLACING substr(input, 1 + floor(random() * length(input))::int, 9) FROM place FOR 3) END;
	END LOOP;
	RETURN input;
END $$;

-- how the text fares: its SQLSTATE, or "same", or "changed"
CREATE FUNCTION fate(input text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	same boolean;
BEGIN
	EXECUTE format('SELECT dynamo_internal.%1$I_in(dynamo_internal.%1$I_out(v)) = v FROM dynamo_internal.%1$I_in(textout($1)) v', type) INTO same USING input;
	RETURN CASE WHEN same THEN 'same' ELSE 'changed' END;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END $$;

SELECT setseed(0.5);
-- 22003 and 22P05 are jsonb's own words on plain JSON
SELECT type, fate, CASE WHEN fate NOT IN ('same', '22003', '22P02', '22P05', 'ND001', 'ND002') THEN text END AS text
FROM (SELECT type, text, fate(text, type) FROM (
  SELECT type, damage(seed) AS text
  FROM unnest(ARRAY['item', 'partition_key', 'sort_key']) type, unnest(ARRAY[
    '{"s":{"S":"x\u0000é\ud83d\ude00"},"n":{"N":"-01.50E3"},"b":{"B":"AAE="},"t":{"BOOL":true},"ss":{"SS":["b","a",""]},"ns":{"NS":["3","1e1"]},"l":{"L":[{"S":"x"},{"L":[]}]}}',
    '{"s":"x","n":1.50e-3,"t":true,"z":null,"l":[1,[],{}],"m":{"S":"x"}}', '{"a":{"x":1},"b":{"y":[1,2,{"z":"\\"}]}}',
    '{"L":[{"S":"a"},{"N":"5"}]}', '{"raw":"AAAAAAAAAAABQQ=="}', '{"N":"5"}', 'CUSTOMER#1']) seed,
    generate_series(1, 300)) d) f
WHERE fate NOT IN ('same', '22003', '22P02', '22P05', 'ND001', 'ND002');
DROP FUNCTION damage, fate;

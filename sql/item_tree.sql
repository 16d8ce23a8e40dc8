--
-- Requests are read in one pass where their JSON is usual, and by jansson where
-- it is not: one answer either way.  With assertions on, both ways are compared.
--
\a
\t on
CREATE FUNCTION pg_temp.told(request text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.call('DescribeTable', request::json);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- An item by way of typed JSON, which is read as requests are
CREATE FUNCTION pg_temp.typed(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN ('{"a":' || value || '}')::dynamo.item;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || SQLERRM || ' ' || detail;
END $$;

-- Strings: plain, with escapes, with letters of several bytes, not closed, with a NUL
SELECT v, pg_temp.typed(v) FROM unnest(ARRAY['{"S":"x"}', '{"S":""}', '{"S":"12345678"}', '{"S":"1234567\"9"}', '{"S":"\u00e4\ud83d\ude00"}', '{"S":"ä😀"}', '{"S":"\u0000"}', '{"S":"x}', '{"S":"\x"}', '{"S":"\ud83d"}',
	'{"\u0053":"x"}', '{"S\u0000":"x"}', '{"S":"a' || chr(9) || '"}', '{ "S" : "x" }']) v;
-- Words, numbers, containers, a member twice
SELECT v, pg_temp.typed(v) FROM unnest(ARRAY['{"BOOL":true}', '{"BOOL":false}', '{"BOOL":1}', '{"BOOL":truex}', '{"NULL":true}', '{"NULL":null}', '{"L":[]}', '{"L":[{"S":"x"},{"N":"1"}]}', '{"L":[{"S":"x"},]}', '{"L":[,]}', '{"L":[{"S":"x"}', '{"M":{}}',
	'{"M":{"b":{"S":"x"},"a":{"N":"-1.5"}}}', '{"S":"x","S":"y"}', '{"S":"x",}', '{"S":"x","N":"1"}', '{"S" "x"}', '{S:"x"}', '{"SS":["b","a"]}', '{"SS":["a","a"]}', '{"S":"x"}}', '{"S":"x"} x']) v;
-- Integers, and what only begins like one
SELECT v, pg_temp.typed('{"N":' || v || '}') FROM unnest(ARRAY['0', '-0', '7', '007', '-', '1.5', '1e2', '999999999999999999', '9999999999999999999', '99999999999999999999', '1x']) v;
-- Names of as many bytes as are usual, and one more
SELECT n, length(pg_temp.typed('{"M":{"' || repeat('n', n) || '":{"S":"x"}}}')) FROM unnest(ARRAY[255, 256, 65535, 65536]) n;
-- Nesting: of an item, of what is read at once, and of what jansson takes
SELECT n, left(pg_temp.typed(repeat('{"L":[', n) || repeat(']}', n)), 100) FROM unnest(ARRAY[31, 32, 33, 63, 64, 65, 1023, 1024]) n;

SELECT r, pg_temp.told(r) FROM unnest(ARRAY['{"TableName":"none"}', '{"TableName":"n\u006fne"}', '{"TableName":1}', '{"TableName":1.5}', '{"TableName":123456789012345678901234567890}', '{"TableName":true}', '{"TableName":null}', '{}', '[]', '""', '7',
	'{"TableName":"other","TableName":"none"}', ' { "TableName" : "none" } ', '{"TableName":"none","X":[1,-2,[{"y":false}]]}']) r;

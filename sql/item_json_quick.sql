-- Simple JSON is read by a parser of our own, the rest by jansson: both must
-- agree.  The same value is read with nothing escaped and with an escape.

-- blanks, words, nesting, text that is not ASCII
SELECT ' { "a" : { "S" : "x" } , "b" : { "L" : [ { "BOOL" : true } , { "NULL" : true } , { "M" : { } } ] } } '::dynamo.item =
	'{"a":{"S":"\u0078"},"b":{"L":[{"BOOL":true},{"NULL":true},{"M":{}}]}}'::dynamo.item AS equal;
SELECT '{"a":{"S":"é 😀"}}'::dynamo.item = '{"a":{"S":"\u00e9 \ud83d\ude00"}}'::dynamo.item AS equal;

-- of a member that comes twice, the last counts
SELECT '{"a":{"S":"1"},"b":{"S":"2"},"a":{"S":"3"}}'::dynamo.item AS quick,
	'{"a":{"S":"1"},"b":{"S":"\u0032"},"a":{"S":"3"}}'::dynamo.item AS jansson;

-- numbers of JSON, where a request has them
SELECT n, dynamo.try_call('ListTables', format('{"Limit":%s}', n)::json)->'__type' IS NULL AS taken
FROM unnest(ARRAY['1', '1.0', '1e1', '100']) n;
SELECT n, dynamo.try_call('ListTables', format('{"Limit":%s}', n)::json)->>'message' AS message
FROM unnest(ARRAY['0', '-0', '-1', '101', '123456789012345678', '1234567890123456789', '12345678901234567890']) n;

-- what is malformed is jansson's to explain
CREATE FUNCTION explain_item(text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM $1::dynamo.item;
	RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN sqlerrm || ': ' || detail;
END $$;
SELECT t AS text, explain_item(t)
FROM unnest(ARRAY[
	'{"a":{"S":"x"}',
	'{"a":{"S":"x"}} x',
	'{"a":{"S":"x"},}',
	'{"a":{"S" "x"}}',
	'{"a":{"S":"x}}',
	'{"a":{"S":tru}}',
	'{"a":{"N":01}}',
	'{"a":{"N":-}}',
	E'{"a":{"S":"\t"}}']) t;

-- nested deeper than we read: jansson's, and too deep for an item
SELECT dynamo.try_call('PutItem', (repeat('[', 100) || repeat(']', 100))::json)->>'__type' AS type;
SELECT explain_item('{"a":' || repeat('{"L":[', 40) || repeat(']}', 40) || '}');
DROP FUNCTION explain_item(text);

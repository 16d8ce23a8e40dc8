--
-- Operators that make items of items keep every type that they do not touch
--
CREATE TABLE item_operators (id int, i dynamo.item);
INSERT INTO item_operators VALUES (1, '{"s":{"S":"x"},"n":{"N":"5"},"b":{"B":"AAE="},"z":{"NULL":true},"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AA==","AQ=="]},
	"m":{"M":{"ss":{"SS":["c"]},"l":{"L":[{"S":"x"},{"NULL":true},{"M":{"b":{"B":"Ag=="}}}]}}}}');

-- || : the right side wins; nulls and empty items
SELECT i || '{"n": 6, "new": [1]}' AS joined FROM item_operators;
SELECT i || jsonb_build_object('s', 'y') || dynamo.project(i, 'b') AS joined FROM item_operators;
SELECT '{"a": 1}'::dynamo.item || '{}' AS nothing, '{}'::dynamo.item || '{"a": 1}' AS all, '{"a": 1}'::dynamo.item || NULL AS none,
	'{"a":{"M":{"x":{"N":"1"}}}}'::dynamo.item || '{"a": {"y": 2}, "k": 1}' AS shallow;

-- - : an attribute, or several, named once or more
SELECT i - 'm' - 'none' AS less, i - ARRAY['m', 'ss', 'ss', NULL, 'none'] AS fewer FROM item_operators;
SELECT i - 'm'::text = i - ARRAY['m'] AS same, i - '{}'::text[] = i AS none, i - ARRAY['s', 'n', 'b', 'z', 'ss', 'ns', 'bs', 'm'] AS empty FROM item_operators;

-- #>> and ? beside #>
SELECT i #>> '{m,l,0}' AS text, i #>> '{m,l,1}' AS null, i #>> '{m,l,-1,b}' AS last, i #>> '{ns,1}' AS member, i #>> '{}' = (i::jsonb)::text AS whole,
	i #>> ARRAY['m', NULL] AS none, i ? 'm' AS has, i ? 'x' AS has_not FROM item_operators;

-- @> and <@ : maps within maps, lists in any order, sets, and lists in sets
SELECT part, i @> part::dynamo.item AS contains, part::dynamo.item <@ i AS contained
FROM item_operators, unnest(ARRAY['{}', '{"n": 5.0}', '{"n": "5"}', '{"s": "x", "n": 5}', '{"m": {}}', '{"m": {"l": ["x"]}}', '{"m": {"l": [null, "x", "x"]}}',
	'{"m": {"l": [{}]}}', '{"m": {"l": ["y"]}}', '{"ss": ["b"]}', '{"ss":{"SS":["b","a"]}}', '{"ss":{"SS":["b","c"]}}', '{"ns":{"NS":["2"]}}', '{"ns": [1, "2"]}',
	'{"b":{"B":"AAE="}}', '{"b": "AAE="}', '{"bs":{"BS":["AQ=="]}}', '{"ss": {}}', '{"x": 1}']) AS part;

-- item_set : like jsonb_set
SELECT dynamo.item_set(i, '{m,l,0}', '"y"') - ARRAY['bs', 'ns'] AS changed FROM item_operators;
SELECT dynamo.item_set(i, '{m,l,99}', '[]') -> 'm' AS appended, dynamo.item_set(i, '{m,new}', '1') -> 'm' AS created,
	dynamo.item_set(i, '{m,new}', '1', false) = i AS not_created, dynamo.item_set(i, '{none,new}', '1') = i AS no_way, dynamo.item_set(i, '{n,x}', '1') = i AS a_scalar,
	dynamo.item_set(i, '{}', '1') = i AS no_path, dynamo.item_set(i, '{s}', NULL) AS null FROM item_operators;
SELECT dynamo.item_set(i, '{m,l,x}', '1') FROM item_operators;
SELECT dynamo.item_set(i, '{m,l,-9}', '1') FROM item_operators;
SELECT dynamo.item_set(i, ARRAY['m', NULL], '1') FROM item_operators;
SELECT dynamo.item_set(i, '{""}', '1') FROM item_operators;

-- What jsonb cannot say stays what it was: read, changed and written back.
SELECT dynamo.item_set(i, '{ss}', (i->'ss') || '["z", "a"]') #>> '{}' IS NOT NULL AS changed,
	dynamo.project(dynamo.item_set(i, '{ss}', (i->'ss') || '["z", "a"]'), 'ss') AS strings,
	dynamo.project(dynamo.item_set(i, '{ns}', (i->'ns') - 0), 'ns') AS numbers,
	dynamo.project(dynamo.item_set(i, '{bs}', (i->'bs') || '"/w=="'), 'bs') AS binaries,
	dynamo.project(dynamo.item_set(i, '{b}', i->'b'), 'b') AS "binary" FROM item_operators;
SELECT dynamo.item_set(i, '{m}', (i->'m') || '{"k": 1}') - ARRAY['bs', 'ns', 'ss'] AS nested FROM item_operators;
SELECT dynamo.item_set('{"l":{"L":[{"B":"AAAA"},{"SS":["a"]},{"S":"x"}]}}', '{l}', v) AS lists
FROM unnest('{"[\"AAAA\", [\"a\"], 5]","[[\"a\"], \"AAAB\"]","[\"AAAB\", [\"a\", \"b\"]]"}'::jsonb[]) AS v;
-- ... and becomes what it is given where that is of another kind.
SELECT dynamo.project(dynamo.item_set(i, '{ss}', '[]'), 'ss') AS empty, dynamo.project(dynamo.item_set(i, '{ss}', '["a", 1]'), 'ss') AS mixed,
	dynamo.project(dynamo.item_set(i, '{bs}', '["no base64"]'), 'bs') AS text, dynamo.project(dynamo.item_set(i, '{b}', '"no base64"'), 'b') AS string,
	dynamo.project(dynamo.item_set(i, '{s}', '["a"]'), 's') AS list FROM item_operators;

-- Depth is bounded as everywhere, and so are numbers.
SELECT dynamo.item_set('{"a":{}}', '{a,x}', (repeat('[', 30) || repeat(']', 30))::jsonb) IS NOT NULL AS deep;
SELECT dynamo.item_set('{"a":{}}', '{a,x}', (repeat('[', 31) || repeat(']', 31))::jsonb);
SELECT dynamo.item_set('{}', '{a}', '1e400');
SELECT dynamo.item_set('{}', '{a}', '"\u0001"') AS control;

-- JSON for all that makes JSON of rows; json text keeps what jsonb cannot hold.
SELECT to_jsonb(t) AS to_jsonb, row_to_json(t) AS row_to_json FROM item_operators AS t;
SELECT jsonb_agg(i) AS jsonb_agg, json_build_object('item', i - ARRAY['m', 'bs', 'ns']) AS object FROM item_operators GROUP BY id, i;
SELECT '{"s":{"S":"a\u0000b"},"n":{"N":"1e100"}}'::dynamo.item::json;
SELECT '{"s":{"S":"a\u0000b"}}'::dynamo.item::jsonb;

DROP TABLE item_operators;

--
-- dynamo.item: text input and output
--

-- all ten types, typed; sets: SS comes back sorted, NS and BS as written
SELECT '{"s":{"S":"x"},"n":{"N":"-01.50"},"b":{"B":"AAE="},"t":{"BOOL":true},
  "z":{"NULL":true},"ss":{"SS":["b","a",""]},"ns":{"NS":["3","1e1","-2"]},
  "bs":{"BS":["/w==","AA=="]},"l":{"L":[{"S":"x"},{"L":[]}]},
  "m":{"M":{"k":{"M":{}}}}}'::dynamo.item;

-- strings: empty, escapes, NUL, beyond the BMP; binaries may be empty
SELECT $j${"a":{"S":""},"b":{"S":"q\" b\\ s\/ \b\f\n\r\t \u0001 \u007f"},"c":{"S":"x\u0000y"},"d":{"S":"\ud83d\ude00 é"},"e":{"B":""}}$j$::dynamo.item;

-- typed: an object with exactly one member.  With more, at any depth, nothing
-- is dropped: it is plain, or an error.
SELECT '{"a":{"S":"x","N":null,"Q":[1]}}'::dynamo.item;
SELECT '{":s":{"S":"sold out","XL":"3"}}'::dynamo.item;
SELECT '{"a":{"S":"x","b":1}, "z":{"S":"y"}}'::dynamo.item;
SELECT '{"a":{"M":{"b":{"L":[{"S":"x"},{"S":"y","Q":1}]}}}}'::dynamo.item;
SELECT '{"a":{"M":{"b":{"S":"x","Q":1}}}}'::jsonb::dynamo.item;
-- the last of equal names wins
SELECT '{"a":{"S":"x"},"a":{"S":"y"}}'::dynamo.item, '{"a":1,"a":2}'::dynamo.item;
-- strings that pass for booleans
SELECT '{"a":{"BOOL":"YES"},"b":{"BOOL":"0"},"c":{"NULL":"true"}}'::dynamo.item;

-- plain JSON: not all members are objects, or none has just one member, named
-- like a type
SELECT '{"s":"x","n":1.50,"t":true,"z":null,"l":[1,[],{}],"m":{"S":"x"}}'::dynamo.item;
SELECT '{"m":{"S":"x"},"n":1}'::dynamo.item;
SELECT '{"a":{"x":1},"b":{}}'::dynamo.item, '{}'::dynamo.item, ' { } '::dynamo.item;
SELECT '{"a":{"x":1},"b":{"S":"y"}}'::dynamo.item;	-- typed, so "a" is empty
-- plain numbers are exact
SELECT '{"a":{"x":12345678901234567890123456789012345678,"y":0.1}}'::dynamo.item;
SELECT '{"a":123456789012345678901234567890123456789}'::dynamo.item;
SELECT '{"a":{"x":1e126}}'::dynamo.item;
SELECT '{"a":{"x":1e-131}}'::dynamo.item;
-- a typed number is a string
SELECT '{"a":{"N":12345678901234567890123}}'::dynamo.item;

-- order of names is that of bytes, the shorter first
SELECT '{"b":1,"aa":1,"a":1,"A":1,"é":1,"a!":1}'::dynamo.item;

-- many members, in whatever order they come
SELECT count(*), count(*) FILTER (WHERE (i -> ('a' || n)) = to_jsonb(n)) AS found, count(DISTINCT i::text) AS items,
	bool_and((SELECT string_agg(k, ' ') = string_agg(k, ' ' ORDER BY k COLLATE "C") FROM json_object_keys(i::text::json) k)) AS in_order
FROM (SELECT ('{' || string_agg('"a' || n || '":{"N":"' || n || '"}', ',' ORDER BY n * step % 101) || '}')::dynamo.item AS i
	FROM generate_series(1, 100) n, (VALUES (1), (7), (100)) s (step) GROUP BY step) items, generate_series(1, 100) n;

-- one of many names that comes twice is one name
SELECT count(*), count(DISTINCT k) AS names FROM json_object_keys((SELECT
	('{' || string_agg('"a' || n % 100 || '": ' || n, ',' ORDER BY n) || '}')::dynamo.item::text::json
	FROM generate_series(1, 130) n)) k;

-- what is no item
SELECT ''::dynamo.item;
SELECT 'null'::dynamo.item;
SELECT '[{"S":"x"}]'::dynamo.item;
SELECT '{"a":{"S":"x"}'::dynamo.item;
SELECT '{"a":{"S":"x"}} x'::dynamo.item;
SELECT '{"a\u0000":{"S":"x"}}'::dynamo.item;
SELECT '{"a":{"S":"\ud800"}}'::dynamo.item;

-- output is input, also through COPY
CREATE TABLE item_io (i dynamo.item);
INSERT INTO item_io VALUES
  ('{"c":{"S":"x\u0000\t\n\\y"},"b":{"BS":["/w==","AA=="]},"n":{"NS":["2","1"]}}'),
  ('{"plain":"\\n"}'), ('{}');
COPY item_io TO STDOUT;
COPY item_io FROM STDIN;
{"c":{"S":"x\\u0000\\t\\n\\\\y"},"n":{"NS":["2","1"]}}
\.
SELECT count(*), bool_and(i::text::dynamo.item = i AND i::text::dynamo.item::text = i::text) FROM item_io;
DROP TABLE item_io;

--
-- updates: what each action does, and what its operands may be
--
-- of the values, only those the update uses are passed on
CREATE FUNCTION pg_temp.apply(update text, item dynamo.item, vals json DEFAULT '{}', names jsonb DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	used dynamo.item := (SELECT json_object_agg(key, value)::text FROM json_each(vals) WHERE update ~ (key || '\M'));
BEGIN
	RETURN coalesce(dynamo.apply_update(item, update, used, names)::jsonb::text, 'no item');
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on
\set vals '{":n":{"N":"1"},":s":{"S":"x"},":b":{"B":"AQ=="},":t":{"BOOL":true},":z":{"NULL":true},":l":{"L":[{"N":"8"},{"N":"9"}]},":m":{"M":{"k":{"N":"1"}}},":ss":{"SS":["b","c"]},":ns":{"NS":["1"]},":max":{"N":"99999999999999999999999999999999999999"},":tiny":{"N":"0.5"},":huge":{"N":"9e125"}}'

-- SET: creates and replaces, any type by any; reads other attributes
SELECT e, pg_temp.apply(e, '{"a":"old","n":5}', :'vals') FROM unnest(ARRAY['SET a = :n', 'SET b = :l, c = :z', 'SET b = a', 'SET a = n + :n', 'SET a = :n - n', 'SET a = (n - n)', 'SET a = n, n = :n']) e;
-- every right-hand side sees the item as it was
SELECT e, pg_temp.apply(e, '{"a":1,"b":2}', :'vals') FROM unnest(ARRAY['SET a = b, b = a', 'REMOVE a SET b = a', 'SET x = :n, y = x', 'SET a = a + :n, b = a', 'ADD a :n SET b = a']) e;
-- if_not_exists: the value if the path resolves, else the other; may nest and be added to
SELECT e, pg_temp.apply(e, '{"a":1,"m":{}}', :'vals') FROM unnest(ARRAY['SET a = if_not_exists(a, :s)', 'SET b = if_not_exists(b, :s)', 'SET b = if_not_exists(m.x, a)', 'SET b = if_not_exists(q.x[1], :n) + a', 'SET b = if_not_exists(x, if_not_exists(y, :s))', 'SET b = if_not_exists(x, y)', 'SET b = if_not_exists(a, y)']) e;
-- list_append: both lists, either order, paths and values
SELECT e, pg_temp.apply(e, '{"l":[1,2],"a":1,"m":{"l":[]}}', :'vals') FROM unnest(ARRAY['SET l = list_append(l, :l)', 'SET l = list_append(:l, l)', 'SET b = list_append(l, l)', 'SET b = list_append(if_not_exists(q, :l), m.l)', 'SET m.l = list_append(m.l, l)', 'SET l = list_append(l, a)', 'SET l = list_append(l, q)', 'SET l = (list_append(l, :l))']) e;
-- ADD: numbers from nothing or 0, set union, nested paths
SELECT e, pg_temp.apply(e, '{"n":-3,"m":{"n":1},"l":[1]}', :'vals') FROM unnest(ARRAY['ADD n :n', 'ADD b :n', 'ADD m.n :n, m.x :n', 'ADD l[0] :n', 'ADD l[7] :n', 'ADD b :ss']) e;
SELECT e, pg_temp.apply(e, '{"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]}}', :'vals') FROM unnest(ARRAY['ADD ss :ss', 'ADD ns :ns', 'ADD ss :ss, ns :ns']) e;
-- DELETE: difference; what is emptied goes; what is missing stays missing
SELECT e, pg_temp.apply(e, '{"ss":{"SS":["a","b"]},"ns":{"NS":["1.0"]},"m":{"M":{"s":{"NS":["1"]}}},"l":{"L":[{"NS":["1"]},{"S":"x"}]}}', :'vals') FROM unnest(ARRAY['DELETE ss :ss', 'DELETE ns :ns', 'DELETE m.s :ns', 'DELETE l[0] :ns', 'DELETE q :ss', 'DELETE m.q :ss', 'DELETE l[9] :ss']) e;
-- what only takes away makes no item
SELECT e, pg_temp.apply(e, NULL, :'vals') FROM unnest(ARRAY['REMOVE a', 'DELETE ss :ss', 'REMOVE a DELETE ss :ss', 'DELETE ss :ss SET a = :n', 'REMOVE a ADD n :n']) e;
-- large sets meet in reasonable time
SELECT jsonb_array_length(dynamo.apply_update(s, 'ADD s :v', v) -> 's'), dynamo.apply_update(s, 'DELETE s :v', v)
  FROM (SELECT json_build_object('s', json_build_object('NS', json_agg(n::text)))::text::dynamo.item AS s, json_build_object(':v', json_build_object('NS', json_agg((n + 1)::text)))::text::dynamo.item AS v FROM generate_series(1, 50000) n) x;
-- numbers: exact, 38 digits, no more
SELECT e, pg_temp.apply(e, '{"n":{"N":"0.1"}}', :'vals') FROM unnest(ARRAY['SET n = n + :tiny', 'SET n = :max - :n', 'SET n = :max + :n', 'SET n = :max + :tiny', 'SET n = :huge + :huge', 'ADD n :huge', 'SET n = :huge - :huge']) e;

-- wrong types in the item
SELECT e, pg_temp.apply(e, '{"s":{"S":"a"},"n":{"N":"1"},"l":{"L":[]},"ss":{"SS":["a"]},"ns":{"NS":["1"]},"z":{"NULL":true}}', :'vals') FROM unnest(ARRAY['SET a = s + :n', 'SET a = :n - l', 'SET a = list_append(l, n)', 'SET a = if_not_exists(s, :n) + :n', 'ADD s :n', 'ADD n :ss', 'ADD ss :ns', 'ADD z :n', 'ADD l :n', 'DELETE s :ss', 'DELETE ns :ss']) e;
-- they come before paths and missing attributes, those from the last action back
SELECT e, pg_temp.apply(e, '{"s":"a","n":1}', :'vals') FROM unnest(ARRAY['SET a = nope, b = s + n', 'SET a = s + nope', 'SET a = nope + s', 'SET a = nope ADD s :n', 'SET q.r = n, a = s + n', 'SET a = nope, q.r = n', 'SET q.r = n, a = nope', 'SET q.r = nope']) e;
-- wrong types of constants
SELECT e, pg_temp.apply(e, '{}', :'vals') FROM unnest(ARRAY['SET a = b + :s', 'SET a = :ss - b', 'SET a = list_append(b, :n)', 'ADD a :s', 'ADD a :b', 'ADD a :t', 'ADD a :z', 'ADD a :l', 'ADD a :m', 'DELETE a :n', 'DELETE a :s', 'DELETE a :l']) e;
-- functions: names, languages, places, operands
SELECT e, pg_temp.apply(e, '{}', :'vals') FROM unnest(ARRAY['SET a = f(b)', 'SET a = size(b)', 'SET a = contains(b, c)', 'SET a = List_append(b, c)', 'SET a = list_append(list_append(b, c), d)', 'SET a = if_not_exists(b, list_append(c, d))', 'SET a = list_append(b, c) + :n',
  'SET a = if_not_exists(b)', 'SET a = list_append(b)', 'SET a = list_append(b, c, d)', 'SET a = if_not_exists(:n, b)', 'SET a = if_not_exists(if_not_exists(b, c), d)', 'SET a = if_not_exists(b, b)']) e;
-- each section once
SELECT e, pg_temp.apply(e, '{}', :'vals') FROM unnest(ARRAY['REMOVE a REMOVE b', 'SET a = :n REMOVE b Set c = :n', 'ADD a :n DELETE b :ss ADD c :n', 'ADD a :n SET b = :n REMOVE c DELETE d :ss']) e;
-- order of the checks
SELECT e, pg_temp.apply(e, '{}', :'vals') FROM unnest(ARRAY['SET a = f(name), #x = :x REMOVE a REMOVE b', 'SET a = f(b), #x = :x REMOVE a REMOVE b', 'SET a = :x, #x = b REMOVE a REMOVE c', 'SET a = :x, #x = b REMOVE a', 'SET a = :x REMOVE a', 'SET a = if_not_exists(b) REMOVE a', 'SET a = if_not_exists(b) ADD c :s']) e;

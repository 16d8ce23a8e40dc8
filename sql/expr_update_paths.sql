--
-- updates: document paths, lists, items that are missing
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
\set vals '{":n":{"N":"9"},":s":{"S":"x"},":ss":{"SS":["a"]},":m":{"M":{"k":{"N":"1"}}}}'

-- nested SET, in maps and lists
SELECT e, pg_temp.apply(e, '{"m":{"x":1,"l":[1]},"l":[0,[1,2],{"k":5}]}', :'vals') FROM unnest(ARRAY['SET m.x = :n', 'SET m.y = :n', 'SET m.l[0] = :n', 'SET l[1][0] = :n', 'SET l[2].k = :n, l[2].j = :s', 'SET l[0] = l[1], l[1] = l[0]', 'SET m = :n']) e;
SELECT pg_temp.apply('SET m.#d = :n, #d = :n', '{"m":{}}', :'vals', '{"#d":"a.b"}');
-- past the end: appended without a gap, by position, whatever the order of the text
SELECT e, pg_temp.apply(e, '{"l":[0,1]}', :'vals') FROM unnest(ARRAY['SET l[2] = :n', 'SET l[100] = :n', 'SET l[9] = :n, l[5] = :s', 'SET l[9] = :n, l[0] = :s', 'SET l[2147483647] = :n']) e;
-- removing: later elements move up once all is done; a list or map stays when emptied
SELECT e, pg_temp.apply(e, '{"l":[0,1,2,3],"m":{"x":1}}', :'vals') FROM unnest(ARRAY['REMOVE l[0]', 'REMOVE l[1], l[0]', 'REMOVE l[0], l[1], l[2], l[3]', 'REMOVE l[1] SET l[2] = :n', 'REMOVE l[0] SET l[9] = :n', 'REMOVE l[3], l[0] SET l[1] = l[3], l[4] = l[0]', 'REMOVE m.x', 'REMOVE m', 'REMOVE m, l']) e;
SELECT pg_temp.apply('REMOVE l[0], l[1][0], l[2].x SET l[1][7] = :n', '{"l":[0,[1,2],{"x":1}]}', :'vals');
-- a missing leaf, or a position past the end, is nothing to remove
SELECT e, pg_temp.apply(e, '{"l":[0],"m":{"x":1}}', :'vals') FROM unnest(ARRAY['REMOVE q', 'REMOVE m.q', 'REMOVE l[1]', 'REMOVE l[9]']) e;
-- the parent must be there, and be a map or a list as the step says
SELECT e, pg_temp.apply(e, '{"s":"text","l":[0],"m":{"x":1}}', :'vals') FROM unnest(ARRAY['SET q.r = :n', 'SET q[0] = :n', 'SET m.q.r = :n', 'SET s.x = :n', 'SET s[0] = :n', 'SET m[0] = :n', 'SET l.x = :n', 'SET l[0].x = :n', 'SET l[9].x = :n',
  'REMOVE q.r', 'REMOVE m.q.r', 'REMOVE s.x', 'REMOVE s[1]', 'REMOVE l[9].x', 'ADD q.r :n', 'ADD l.x :n', 'DELETE q.r :ss', 'DELETE m[0] :ss']) e;
-- even if another action of the update makes it
SELECT e, pg_temp.apply(e, '{"l":[0]}', :'vals') FROM unnest(ARRAY['SET l[5] = :m, l[1].k = :n', 'SET l[3] = :m, l[9] = :n, l[1][0] = :n']) e;

-- one path may not be another, nor begin it; aliases resolved
SELECT e, pg_temp.apply(e, '{}', :'vals', CASE WHEN e ~ '#' THEN '{"#a":"a"}'::jsonb END) FROM unnest(ARRAY['SET a = :n, a = :s', 'SET a = :n, a.b = :s', 'SET a.b = :n, a = :s', 'SET a = :n REMOVE #a', 'REMOVE a[1], a[1].x', 'ADD a.b.c :n DELETE a.b :ss', 'REMOVE a, b, a']) e;
-- nor may one take for a list what another takes for a map
SELECT e, pg_temp.apply(e, '{}', :'vals') FROM unnest(ARRAY['SET a.b = :n, a[1] = :s', 'REMOVE a[1], a.c', 'SET a.b[0].c = :n, a.b[0][1] = :n', 'SET b.x = :n, c[0] = :n REMOVE b.y, c[1]']) e;

-- a missing item: SET and ADD create it, REMOVE and DELETE do not, whatever the path
SELECT e, pg_temp.apply(e, NULL, :'vals') FROM unnest(ARRAY['SET a = :n', 'ADD a :n', 'SET a = :n REMOVE b', 'REMOVE a', 'REMOVE a.b[1]', 'DELETE a :ss', 'DELETE a.b :ss REMOVE c.d', 'SET a.b = :n', 'SET a = b', 'SET a = if_not_exists(b, :n)']) e;

-- the result may nest as deep as an item can, and no deeper
SELECT n, left(dynamo.apply_update('{"m":{"M":{"m":{"M":{}}}}}', 'SET m.m.m = :d', d::dynamo.item)::text, 20) FROM (SELECT n, '{":d":' || repeat('{"L":[', n) || '{"S":"x"}' || repeat(']}', n) || '}' AS d FROM unnest(ARRAY[29]) n) x;
SELECT dynamo.apply_update('{"m":{"M":{"m":{"M":{}}}}}', 'SET m.m.m = :d', (SELECT '{":d":' || repeat('{"L":[', n) || '{"S":"x"}' || repeat(']}', n) || '}' FROM unnest(ARRAY[30]) n)::dynamo.item);
SELECT dynamo.apply_update('{"m":{"M":{"m":{"M":{}}}}}', 'SET m.m.m = :d', (SELECT '{":d":' || repeat('{"L":[', n) || '{"L":[]}' || repeat(']}', n) || '}' FROM unnest(ARRAY[29]) n)::dynamo.item);
-- nor be larger; an update that multiplies is stopped before it is made
SELECT dynamo.item_size(dynamo.apply_update('{}', 'SET a = :v', jsonb_build_object(':v', repeat('x', 409599))));
SELECT dynamo.apply_update('{}', 'SET a = :v', jsonb_build_object(':v', repeat('x', 409600)));
SELECT dynamo.apply_update(dynamo.apply_update('{}', 'SET l = :l', jsonb_build_object(':l', to_jsonb(array_fill(1, ARRAY[100000])))), 'SET ' || string_agg('a' || n || '=list_append(l,l)', ',')) FROM generate_series(1, 150) n;

--
-- projections: the named parts in place, lists packed, parts merged
--
CREATE FUNCTION pg_temp.project(projection text, item dynamo.item DEFAULT '{}', names jsonb DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.project(item, projection, names)::jsonb;
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on
\set item '{"a":1,"b":"two","l":[0,{"x":1,"y":2},[7,8,9]],"m":{"x":{"y":{"z":1}},"l":["p","q"]},"x.y":"dot"}'

-- whole attributes; missing ones are left out, keys are not added
SELECT e, pg_temp.project(e, :'item') FROM unnest(ARRAY['a', 'a, b', 'b,a', 'nope', 'nope, a', 'm', 'l']) e;
-- nested: enclosing maps and lists are kept, several elements come ascending without gaps, parts of one element merge
SELECT e, pg_temp.project(e, :'item') FROM unnest(ARRAY['m.x.y', 'm.l[1]', 'l[0]', 'l[2], l[0]', 'l[2][2], l[2][0], l[0]', 'l[1].y, l[1].x', 'l[1].y, a, l[2][1], m.l[0], m.x', 'm.l[1], m.l[0]']) e;
-- what leads nowhere leaves no empty container behind
SELECT e, pg_temp.project(e, :'item') FROM unnest(ARRAY['m.nope', 'm.x.nope.y', 'l[9]', 'l[1].nope', 'a.x', 'a[0]', 'l.x', 'm[0]', 'm.nope, l[1].x, l[9]']) e;
-- empty containers are values
SELECT pg_temp.project('a, b.c, d[0]', '{"a":{},"b":{"c":[]},"d":[{}]}');
-- more paths than there are attributes, at each level
SELECT pg_temp.project('z, b.y, a, b.c, q, b.d, n[0]', '{"a":1,"b":{"c":2}}');
-- all types come as they are
SELECT dynamo.project('{"b":{"B":"AA=="},"z":{"NULL":true},"ss":{"SS":["b","a"]},"n":{"N":"1.50"},"m":{"M":{"t":{"BOOL":false}}}}', 'b, z, ss, n, m.t');
-- aliases: one step each
SELECT pg_temp.project('#a, #m.#l[0], m.#x', :'item', '{"#a":"x.y","#m":"m","#l":"l","#x":"x"}');

-- overlaps and conflicts, after aliases
SELECT e, pg_temp.project(e, '{}', CASE WHEN e ~ '#' THEN '{"#a":"a"}'::jsonb END) FROM unnest(ARRAY['a, a', 'a, #a', 'a.b, a', 'a, b, a.b', 'a[1].x, a[1]', 'a[1], a[2]', 'a.b, a.c', 'a.b, a[0]', 'a[0].x, a[0][1]', 'ab, a']) e;
-- order of the checks: reserved words, names, overlaps
SELECT e, pg_temp.project(e) FROM unnest(ARRAY['a, a, #x, name', 'a, a, #x', 'a, a, b.c, b[0]']) e;
-- NULL in, NULL out
SELECT dynamo.project(NULL, 'a') IS NULL, dynamo.project('{}', NULL) IS NULL;
-- as many paths as fit
SELECT dynamo.item_size(dynamo.project(i, p)) FROM (SELECT jsonb_object_agg('a' || n, n)::dynamo.item AS i, string_agg('a' || n, ',') AS p FROM generate_series(1, 800) n) x;

--
-- functions of conditions, and what their operands may be
--
-- of the values, only those the condition uses are passed on
CREATE FUNCTION pg_temp.try(condition text, vals json DEFAULT '{}', names jsonb DEFAULT NULL, item dynamo.item DEFAULT '{}')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	used dynamo.item := (SELECT json_object_agg(key, value)::text FROM json_each(vals) WHERE condition ~ (key || '\M'));
BEGIN
	RETURN dynamo.matches(item, condition, used, names);
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on
\set item '{"s":{"S":"hello"},"n":{"N":"12345"},"b":{"B":"AQID"},"t":{"BOOL":true},"z":{"NULL":true},"ss":{"SS":["a","hello"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AQ=="]},"l":{"L":[{"N":"1"},{"S":"x"},{"L":[{"S":"y"}]},{"SS":["a"]}]},"m":{"M":{"x":{"S":"a"},"y":{"M":{}}}},"u":{"S":"a😀é"},"nil":{"S":""}}'

-- attribute_exists, attribute_not_exists: nested paths through missing or wrong parents lead nowhere; the type NULL exists
SELECT e, pg_temp.try('attribute_exists(' || e || ')', '{}', NULL, :'item'), pg_temp.try('attribute_not_exists(' || e || ')', '{}', NULL, :'item')
  FROM unnest(ARRAY['s', 'z', 'nope', 'm.x', 'm.nope', 's.x', 's[0]', 'l[3]', 'l[4]', 'l.x', 'm[0]', 'm.y.z']) e;
-- attribute_type: each of the ten names, and only the exact one
SELECT e, t, pg_temp.try('attribute_type(' || e || ', :t)', json_build_object(':t', t), NULL, :'item')
  FROM (VALUES ('s','S'), ('n','N'), ('b','B'), ('t','BOOL'), ('z','NULL'), ('ss','SS'), ('ns','NS'), ('bs','BS'), ('l','L'), ('m','M'), ('s','SS'), ('nope','S'), ('l[1]','S'), (':t','S')) v (e, t);
-- begins_with: S or B, both of one type, either operand a path; what follows a value in the item is not it
SELECT e, pg_temp.try(e, '{":he":{"S":"he"},":e":{"S":""},":long":{"S":"hello!"},":after":{"S":"hello&ss"},":b":{"B":"AQI="}}', NULL, :'item')
  FROM unnest(ARRAY['begins_with(s, :he)', 'begins_with(s, :e)', 'begins_with(s, :long)', 'begins_with(s, :after)', 'begins_with(:long, s)', 'begins_with(b, :b)', 'begins_with(s, :b)', 'begins_with(n, :he)', 'begins_with(nope, :he)', 'begins_with(nil, :e)']) e;
-- contains: part of S or B, member of a set, element of a list of any type, never in a map
SELECT e, pg_temp.try(e, '{":ell":{"S":"ell"},":a":{"S":"a"},":n":{"N":"1"},":b":{"B":"AgM="},":bell":{"B":"ZWxs"},":one":{"B":"AQ=="},":y":{"L":[{"S":"y"}]},":as":{"SS":["a"]},":e":{"S":""},":x":{"S":"x"}}', NULL, :'item')
  FROM unnest(ARRAY['contains(s, :ell)', 'contains(s, :a)', 'contains(s, :e)', 'contains(s, :n)', 'contains(s, :bell)', 'contains(b, :b)', 'contains(b, :n)', 'contains(ss, :a)', 'contains(ss, :ell)', 'contains(ss, :as)', 'contains(ns, :n)', 'contains(ns, :a)',
  'contains(bs, :one)', 'contains(l, :n)', 'contains(l, :x)', 'contains(l, :y)', 'contains(l, :as)', 'contains(l, :a)', 'contains(m, :x)', 'contains(n, :n)', 'contains(t, :x)', 'contains(nope, :x)', 'contains(l[2], :x)', 'contains(:ell, l[1])', 'contains(s, m.x)', 'contains(ns, size(l[2]))']) e;
-- size: UTF-16 units, bytes, members; nothing for other types, so comparisons are false but for <>
SELECT e, pg_temp.try('size(' || e || ') = :n', json_build_object(':n', n), NULL, :'item')
  FROM (VALUES ('s', 5), ('u', 4), ('b', 3), ('ss', 2), ('ns', 2), ('bs', 1), ('l', 4), ('m', 2), ('nil', 0), ('m.y', 0), ('n', 5), ('n', 3), ('t', 1), ('nope', 0)) v (e, n);
SELECT e, pg_temp.try(e, '{":n":0}', NULL, :'item') FROM unnest(ARRAY['size(n) <> :n', 'size(nope) <> :n', 'size(t) >= :n', 'size(nope) BETWEEN :n AND :n', 'size(ss) = size(ns)', 'size(l) > size(ss)', 'size(s) IN (size(b), size(u))', 'size(s) < n', 'size(a) = size(a)']) e;

-- names of functions are case-sensitive; each language has its own
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['f(a)', 'a = f(a)', 'Size(a) = b', 'CONTAINS(a, b)', 'date(a)', 'f(g(a))', 'if_not_exists(a, b)', 'a = list_append(a, b)']) e;
-- truths are no operands, size() is no truth
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['size(a)', 'not size(a)', '(size(a)) and b = c', 'contains(a, b) = c', 'a = contains(a, b)', 'size(contains(a, b)) > c', 'attribute_exists(contains(a, b))', 'a in (b, begins_with(a, b))']) e;
-- number of operands
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['attribute_exists(a, b)', 'attribute_not_exists(a, b)', 'attribute_type(a)', 'begins_with(a)', 'contains(a)', 'contains(a, b, c)', 'size(a, b) > c']) e;
-- a path is needed
SELECT e, pg_temp.try(e, '{":a":1}') FROM unnest(ARRAY['attribute_exists(:a)', 'attribute_not_exists(:a)', 'attribute_exists(size(:a))', 'attribute_not_exists(size(a)) and a = :a']) e;
-- the first operand must not come again, after aliases; constants may
SELECT e, pg_temp.try(e, '{}', CASE WHEN e ~ '#' THEN '{"#b":"a"}'::jsonb END) FROM unnest(ARRAY['a = a', 'a <> a', 'a.b[1] < a.b[1]', 'a = #b', 'a[1] = #b[1]', 'a BETWEEN b AND a', 'a BETWEEN a AND b', 'a IN (b, a)', 'contains(a, a)', 'begins_with(a, a)', 'attribute_type(a, a)', 'a BETWEEN b AND b', 'a[1] = a[2]', 'a IN (b, b)', 'size(a) = a']) e;
-- types of constants: "=" takes all, the others some
SELECT t, pg_temp.try(e, json_build_object(':v', v))
  FROM (VALUES ('a = :v')) f (e), (VALUES ('BOOL', '{"BOOL":true}'::json), ('NULL', '{"NULL":true}'), ('L', '{"L":[]}')) c (t, v);
SELECT e, t, pg_temp.try(e, json_build_object(':v', v))
  FROM unnest(ARRAY['a < :v', ':v >= a', 'a BETWEEN b AND :v', 'begins_with(a, :v)', 'begins_with(:v, a)', 'size(:v) > a', 'attribute_type(a, :v)', 'contains(:v, a)']) e,
  (VALUES ('N', '{"N":"1"}'::json), ('BOOL', '{"BOOL":true}'), ('SS', '{"SS":["a"]}'), ('M', '{"M":{}}')) c (t, v);
SELECT e, pg_temp.try(e, '{":t":"STRING"}') FROM unnest(ARRAY['attribute_type(a, :t)', 'attribute_type(a, b)', 'attribute_type(a, size(b))', 'begins_with(a, size(b))', 'size(size(a)) > b']) e;
-- BETWEEN: constant bounds of one type, in order
SELECT pg_temp.try('a BETWEEN :l AND :h', v) FROM unnest(ARRAY['{":l":{"N":"1"},":h":{"S":"a"}}', '{":l":{"S":"b"},":h":{"S":"a"}}', '{":l":{"N":"10"},":h":{"N":"9.50"}}', '{":l":{"B":"/w=="},":h":{"B":"AQ=="}}', '{":l":{"S":"a"},":h":{"S":"a"}}', '{":l":{"S":"b"},":h":{"BOOL":true}}']::json[]) v;
-- order: functions, their places, reserved words; then condition by condition
SELECT e, pg_temp.try(e, '{":b":true}') FROM unnest(ARRAY['#a = name AND size(b) AND f(c)', '#a = name AND size(b)', '#a = name', '#a = :a', ':a = #a', '#a = a AND contains(a)', 'contains(a) AND #a = a', 'a = a AND b < :b', 'b < :b AND a = a', 'b < :b AND contains(a)']) e;

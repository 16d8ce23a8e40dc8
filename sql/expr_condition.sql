--
-- conditions: what comparisons hold, by type, for missing attributes and
-- inside documents
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
\set item '{"s":{"S":"b"},"n":{"N":"10"},"m":{"N":"10.0"},"b":{"B":"/w=="},"c":{"B":"AQ=="},"t":{"BOOL":true},"z":{"NULL":true},"ss":{"SS":["a","b"]},"sr":{"SS":["b","a"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AQ==","Ag=="]},"l":{"L":[{"N":"1"},{"S":"x"}]},"lr":{"L":[{"S":"x"},{"N":"1"}]},"d":{"M":{"k":{"L":[{"NS":["2","1.0"]}]}}},"e":{"M":{"k":{"L":[{"NS":["1","2"]}]}}},"nil":{"S":""}}'

-- equality: numbers by value, sets in any order, lists in order, documents deep; one type only
SELECT e, pg_temp.try(e, '{}', NULL, :'item') FROM unnest(ARRAY['n = m', 's = n', 'ss = sr', 'ss = ns', 'l = lr', 'd = e', 'd.k = e.k', 'd.k[0] = e.k[0]', 't = z', 'l[0] = d.k[0]', 'l[0] = l[1]']) e;
SELECT e, pg_temp.try(e, '{":s":{"S":"b"},":n":{"N":"1e1"},":b":{"B":"/w=="},":t":{"BOOL":true},":f":{"BOOL":false},":z":{"NULL":true},":l":{"L":[{"N":"1.0"},{"S":"x"}]},":d":{"M":{"k":{"L":[{"NS":["1","2"]}]}}}}', NULL, :'item')
  FROM unnest(ARRAY['s = :s', 'n = :n', 'b = :b', 't = :t', 't = :f', 'z = :z', 'l = :l', 'd = :d']) e;
-- ... also where the order decides how wide offsets are
SELECT dynamo.matches(i, 'a = b'), dynamo.matches(i, 'a <> b'), dynamo.matches(i, 'a IN (c, b)'), dynamo.matches(i, 'contains(l, b)'), dynamo.matches(i, 'm = n'), dynamo.matches(i, 'a = c'), dynamo.matches(i, 'm = o')
FROM (SELECT format('{"a":{"BS":["%1$s","AQ=="]},"b":{"BS":["AQ==","%1$s"]},"c":{"BS":["Ag==","%1$s"]},"l":{"L":[{"BS":["%1$s","AQ=="]}]},"m":{"M":{"k":{"BS":["%1$s","AQ=="]}}},"n":{"M":{"k":{"BS":["AQ==","%1$s"]}}},"o":{"M":{"j":{"BS":["AQ==","%1$s"]}}}}', repeat('AAAA', 100))::dynamo.item AS i) s;
-- "<>" is the negation: true for another type, for a missing operand, for two of them
SELECT e, pg_temp.try(e, '{":x":1}', NULL, :'item') FROM unnest(ARRAY['n <> m', 's <> n', 'nope <> :x', 'nope <> nada', 'nope = nada', 'NOT nope = :x', 'l[5] <> :x', 's.x <> :x']) e;
-- order: S, N, B of one type; anything else is false either way
SELECT e, pg_temp.try(e, '{":a":{"S":"a"},":two":{"N":"2"},":one":{"B":"AQ=="},":minus":{"N":"-1E-130"}}', NULL, :'item')
  FROM unnest(ARRAY['s > :a', 's < :a', 'n > :two', 'n <= :two', 'n >= m', 'n > m', 'b > :one', 'c < b', 'n > :minus', 's > :two', 's < :two', 'n > :a', 'l > :two', 't > :two', 'nope < :two', 'NOT nope < :two', ':two < n', 'nil < :a']) e;
-- strings by their UTF-8 bytes, not by a collation, and not normalized
SELECT pg_temp.try('a < b AND b < c AND c < d', '{}', NULL, '{"a":"Z","b":"a","c":"é","d":"😀"}'), pg_temp.try('a = b', '{}', NULL, '{"a":"\u00e9","b":"e\u0301"}');
-- BETWEEN is inclusive, and false across types
SELECT e, pg_temp.try(e, '{":a":{"S":"a"},":b":{"S":"b"},":one":{"N":"1"},":ten":{"N":"10"}}', NULL, :'item')
  FROM unnest(ARRAY['s BETWEEN :a AND :b', 's BETWEEN :a AND s', 'n BETWEEN :one AND :ten', 'n BETWEEN :a AND :b', 'nope BETWEEN :a AND :b', ':ten BETWEEN n AND m', 'n BETWEEN :one AND nope', ':ten BETWEEN :one AND n']) e;
-- IN is equality with one of a list of any types
SELECT e, pg_temp.try(e, '{":a":{"S":"a"},":b":{"S":"b"},":ten":{"N":"10"},":l":{"L":[{"N":"1"},{"S":"x"}]}}', NULL, :'item')
  FROM unnest(ARRAY['s IN (:a, :b)', 's IN (:a)', 's IN (:ten, :l, :b)', 'l IN (:l)', 'n IN (m)', 'nope IN (:a)', 'nope IN (nada)', ':ten IN (s, n)', 'size(l) IN (:ten)']) e;
-- a missing item is an empty one
SELECT dynamo.matches(NULL, 'attribute_not_exists(pk)'), dynamo.matches(NULL, 'pk <> :x', '{":x":1}'), dynamo.matches(NULL, 'pk = :x', '{":x":1}'), dynamo.matches('{}', NULL) IS NULL;
-- comparing constants is allowed
SELECT pg_temp.try(':a = :a', '{":a":1}'), pg_temp.try(':a > :a', '{":a":1}'), pg_temp.try('size(:a) = :n', '{":a":"xyz",":n":3}');
-- names may hold anything, dots included; a placeholder stands for one step
SELECT pg_temp.try('#a = :v', '{":v":1}', '{"#a":"x.y"}', '{"x.y":1,"x":{"y":2}}'), pg_temp.try('x.#y = :v', '{":v":2}', '{"#y":"y"}', '{"x.y":1,"x":{"y":2}}'), pg_temp.try('#a = :v', '{":v":1}', '{"#a":"#a"}', '{"#a":1}');
-- the same call with other arguments row after row
SELECT n, dynamo.matches(dynamo.apply_update('{}', 'SET n = :n', jsonb_build_object(':n', n)), e, v) FROM (VALUES (1, 'n = :v', '{":v":1}'::dynamo.item), (2, 'n = :v', '{":v":1}'), (3, 'n <> :v', '{":v":1}'), (1, 'n = :v', '{":v":1}')) r (n, e, v);
-- ... from a table: the memory of a row's arguments serves the next row
CREATE TEMP TABLE calls (e text, v dynamo.item);
INSERT INTO calls VALUES ('n = :v', '{":v":1}'), ('n > :v', '{":v":1}'), ('n < :v', '{":v":1}'), ('n < :v', '{":v":2}'), ('n = :v', '{":v":2}');
SELECT e, v, dynamo.matches('{"n":1}', e, v) FROM calls;
DROP TABLE calls;

--
-- Subscripts of items: read, and assigned in place
--
CREATE TABLE item_subscript (id int, i dynamo.item);
INSERT INTO item_subscript VALUES (1, '{"s":{"S":"x"},"ss":{"SS":["a","b"]},"b":{"B":"AAE="},"m":{"M":{"l":{"L":[{"S":"x"},{"NS":["1"]}]}}}}'), (2, NULL);

-- names, positions, negative ones, and what is not there
SELECT id, i['s'] AS s, i['m']['l'][0] AS first, i['m']['l'][-1] AS last, i['m']['l']['1'][0] AS member, i['none']['x'] AS none, i['s']['x'] AS scalar, i['m'][NULL] AS null
FROM item_subscript ORDER BY id;
SELECT i[n]['l'] FROM item_subscript, (VALUES ('m'::text)) AS v(n) WHERE id = 1;
SELECT i['m']['l'][p] FROM item_subscript, generate_series(0, 2) AS p WHERE id = 1;
SELECT i['m'][0:1] FROM item_subscript;
SELECT i[1.5] FROM item_subscript;
SELECT pg_typeof(i['s']) FROM item_subscript WHERE id = 1;

-- assigned: the rest keeps its types; maps on the way are made; sets stay sets
UPDATE item_subscript SET i['s'] = '"y"', i['new']['deep'] = '[1]', i['m']['l'][0] = 'true', i['m']['l'][9] = '"end"' WHERE id = 1;
UPDATE item_subscript SET i['ss'] = i['ss'] || '"c"', i['b'] = i['b'] WHERE id = 1;
SELECT i FROM item_subscript WHERE id = 1;
-- in a list a set stays one only where it is the same: members of lists move
UPDATE item_subscript SET i['m']['l'] = '["x", [1], [1, 2]]' WHERE id = 1 RETURNING i;
UPDATE item_subscript SET i['m']['l'] = '["x", [1, 2], [1]]' WHERE id = 1 RETURNING i;
UPDATE item_subscript SET i['a'] = '1', i['z'] = NULL WHERE id = 2;
SELECT i FROM item_subscript WHERE id = 2;
INSERT INTO item_subscript (id, i['k']) VALUES (3, '{"x": 1}') RETURNING i;
-- a list where a position leads into it, a map where a name does
INSERT INTO item_subscript (id, i['l'][0]['x'], i['m']['0']) VALUES (4, '1', '2') RETURNING i;
UPDATE item_subscript SET i['l2'][-1] = '1' WHERE id = 4;

-- refused: a way through a scalar or a set, no position, an empty name
UPDATE item_subscript SET i['s']['x'] = '1' WHERE id = 1;
UPDATE item_subscript SET i['ss'][0] = '1' WHERE id = 1;
UPDATE item_subscript SET i['m']['l']['x'] = '1' WHERE id = 1;
UPDATE item_subscript SET i['m']['l'][-9] = '1' WHERE id = 1;
UPDATE item_subscript SET i[''] = '1' WHERE id = 1;
UPDATE item_subscript SET i[NULL] = '1' WHERE id = 1;
UPDATE item_subscript SET i['s'] = 5 WHERE id = 1;
-- no deeper than any item
DO $$
BEGIN
	EXECUTE 'UPDATE item_subscript SET i' || repeat('[''x'']', 32) || ' = ''1'' WHERE id = 3';
	EXECUTE 'UPDATE item_subscript SET i' || repeat('[''x'']', 33) || ' = ''1'' WHERE id = 3';
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '% %', sqlstate, left(sqlerrm, 60);
END
$$;

-- a table's item: its keys follow, and may not be lost
SELECT dynamo.create_table('ItemSubscript', 'pk', 'sk N');
INSERT INTO dynamo_data."ItemSubscript" (item) VALUES ('{"pk": "a", "sk": 1, "tags":{"x": 1}}');
UPDATE dynamo_data."ItemSubscript" SET item['sk'] = '2', item['tags']['y'] = '2' WHERE pk = 'a' AND sk = 1 RETURNING pk, sk, item;
UPDATE dynamo_data."ItemSubscript" SET item['pk'] = '5';
SELECT dynamo.drop_table('ItemSubscript');

-- in PL/pgSQL
DO $$
DECLARE
	i dynamo.item := '{"n": 1}';
BEGIN
	i['n'] := to_jsonb((i['n'])::int + 1);
	i['l']['x'] := '[]';
	RAISE NOTICE '%', i;
END
$$;
DROP TABLE item_subscript;

-- INSERT, UPDATE and DELETE of PartiQL.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Shop', 'pk', 'sk') IS NOT NULL;
CREATE FUNCTION pg_temp.run(statement text, parameters json DEFAULT NULL,
							more json DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN answer->>'__type' IS NULL THEN answer::jsonb::text
		ELSE split_part(answer->>'__type', '#', 2) || ': ' ||
			coalesce(answer->>'message', answer->>'Message', '') ||
			coalesce(' ' || (answer->'Item')::jsonb::text, '') END
	FROM dynamo.try_call('ExecuteStatement',
		(json_strip_nulls(json_build_object('Statement', statement,
											'Parameters', parameters))::jsonb
		 || more::jsonb)::json) answer
$$;
CREATE FUNCTION pg_temp.item(sk text) RETURNS SETOF dynamo.item LANGUAGE sql
	AS $$ SELECT * FROM dynamo.get_item('Shop', ('{"pk": "a", "sk": "' || sk || '"}')::dynamo.item) $$;

-- INSERT
SELECT pg_temp.run('INSERT INTO "Shop" VALUE {''pk'': ''a'', ''sk'': ''1'', ''n'': 1, ''f'': false, ''nil'': null, ''l'': [1, ''x'', {''k'': [ ]}], ''ss'': <<''a'', ''b''>>, ''ns'': <<2, 1.50>>, ''q'': ''it''''s''}');
SELECT * FROM pg_temp.item('1');
SELECT pg_temp.run('insert into Shop value {''pk'': ?, ''sk'': ?, ''b'': ?}', '[{"S":"a"}, {"S":"2"}, {"B":"AQI="}]');
SELECT * FROM pg_temp.item('2');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''1''}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''1''}', NULL, '{"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a''}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': 1}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''''}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3'', ''n'': ?}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3'', ''sk'': ''4''}');
SELECT pg_temp.run('INSERT INTO Shop VALUE ?', '[{"M":{}}]');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}', NULL, '{"ReturnConsumedCapacity": "INDEXES"}');

-- UPDATE: the item is there, and all of WHERE holds
SELECT pg_temp.run('UPDATE Shop SET n = n + 1, m = {''a'': 1} SET x = ''y'' REMOVE nil REMOVE f WHERE pk = ''a'' AND sk = ''1''');
SELECT * FROM pg_temp.item('1');
SELECT pg_temp.run('FROM Shop WHERE pk = ''a'' AND sk = ''1'' SET n = n - 0.5, l[1] = ? REMOVE q', '[{"S":"p"}]');
SELECT * FROM pg_temp.item('1');
SELECT pg_temp.run('FROM Shop WHERE pk = ''a'' AND sk = ''1'' SET n = n RETURNING MODIFIED OLD *');
SELECT pg_temp.run('FROM Shop WHERE pk = ''a'' AND sk = ''1'' REMOVE none RETURNING ALL NEW *');
SELECT pg_temp.run('FROM Shop WHERE pk = ''a'' AND sk = ''1'' SET n = 1 WHERE x = 1');
SELECT pg_temp.run('UPDATE Shop SET n = 9 WHERE pk = ''a'' AND sk = ''1'' AND x = ''z''');
SELECT pg_temp.run('UPDATE Shop SET n = 9 WHERE pk = ''a'' AND sk = ''1'' AND x = ''z''', NULL, '{"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT pg_temp.run('UPDATE Shop SET n = 9 WHERE pk = ''a'' AND sk = ''1'' AND x = ''y'' AND n < 2 RETURNING MODIFIED NEW *');
SELECT pg_temp.run('UPDATE Shop SET n = 9 WHERE pk = ''a'' AND sk = ''none''');
SELECT pg_temp.run('UPDATE Shop SET n = 9 WHERE pk = ''a'' AND sk = ''none'' AND attribute_not_exists(pk)');
SELECT count(*) FROM pg_temp.item('none');
SELECT pg_temp.run('UPDATE Shop SET l = list_append(l, [2]) WHERE pk = ''a'' AND sk = ''1'' RETURNING MODIFIED NEW *');
SELECT pg_temp.run('UPDATE Shop SET l = list_append(?, l) WHERE pk = ''a'' AND sk = ''1'' RETURNING MODIFIED NEW *', '[{"L":[{"BOOL":true}]}]');
SELECT pg_temp.run('UPDATE Shop SET n = x WHERE pk = ''a'' AND sk = ''1'' RETURNING MODIFIED NEW *');
SELECT pg_temp.run('UPDATE Shop SET none.k = 1 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET none[0] = 1 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = none WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = x + 1 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = 1 + ''1'' WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = 1 + 1 + 1 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = n * 2 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = if_not_exists(n, 2) WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = 1, n = 2 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET m.k = 1 REMOVE m WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET sk = ''2'' WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = 126e125 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET n = [?] WHERE pk = ''a'' AND sk = ''1''', '[{"S":"p"}]');
SELECT pg_temp.run('UPDATE Shop SET "" = 1 WHERE pk = ''a'' AND sk = ''1''');
SELECT pg_temp.run('UPDATE Shop SET m."" = 1 WHERE pk = ''a'' AND sk = ''1''');

-- the key, by equality and whole
SELECT s, pg_temp.run('UPDATE Shop SET n = 9' || s), pg_temp.run('DELETE FROM Shop' || s) FROM (VALUES
	(''), (' WHERE pk = ''a'''), (' WHERE sk = ''1'''), (' WHERE x = ''y'''),
	(' WHERE pk = ''a'' AND sk > ''1'''), (' WHERE pk = ''a'' AND sk IN [''1'']'),
	(' WHERE pk = ''a'' AND sk = ''1'' OR pk = ''a'' AND sk = ''2'''),
	(' WHERE NOT (pk = ''a'' AND sk = ''1'')'), (' WHERE pk = x AND sk = ''1'''),
	(' WHERE pk = ''a'' AND sk = ''1'' AND pk = ''b'''),
	(' WHERE pk = ''a'' AND sk = 1')) v(s);
SELECT pg_temp.run('FROM Shop WHERE x = ''y'' SET n = 9'), pg_temp.run('FROM Shop SET n = 9');

-- RETURNING
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''r'', ''tags'': [''a'', ''b''], ''m'': {''k'': 1, ''z'': 2}, ''n'': 1}');
SELECT s, pg_temp.run('UPDATE Shop ' || s || ' WHERE pk = ''a'' AND sk = ''r'' RETURNING ' || r || ' *') FROM (VALUES
	('SET n = 2', 'ALL OLD'), ('SET n = 3', 'ALL NEW'), ('SET n = 4', 'MODIFIED OLD'),
	('SET n = 5', 'modified new'), ('SET m.k = 2', 'MODIFIED NEW'),
	('SET new = 1', 'MODIFIED OLD'), ('REMOVE new', 'MODIFIED NEW'),
	('SET tags[5] = ''c''', 'MODIFIED OLD'), ('SET tags[9] = ''d''', 'MODIFIED NEW'),
	('SET tags[4] = ''e''', 'MODIFIED NEW'), ('REMOVE tags[1]', 'MODIFIED NEW'),
	('REMOVE tags[0]', 'MODIFIED OLD'), ('REMOVE tags[2]', 'MODIFIED NEW'),
	('SET tags[1] = 1, tags[0] = 0', 'MODIFIED NEW'), ('REMOVE none', 'MODIFIED OLD')) v(s, r);

-- sets
SELECT s, pg_temp.run('UPDATE Shop SET ' || s || ' WHERE pk = ''a'' AND sk = ''1'' RETURNING MODIFIED NEW *', '[{"SS":["p"]}]') FROM (VALUES
	('ss = set_add(ss, <<''b'', ''c''>>)'), ('ss = SET_ADD(ss, ?)'),
	('ss = set_delete(ss, <<''a'', ''none''>>)'),
	('ss = set_delete(ss, <<''b'', ''c'', ''p''>>)'),
	('ss = set_delete(ss, <<''b''>>)'), ('ss = set_add(ss, <<''b''>>)'),
	('ss = set_add(ns, <<''b''>>)'), ('ss = set_add(''ss'', <<''b''>>)'),
	('ss = set_add(ss, ''b'')'), ('ss = set_delete(ss, ns)'), ('ss = set_add(ss)'),
	('ss = set_delete(ss, <<''b''>>, 1)'), ('ss = set_add(ss, <<1>>)'),
	('n = set_add(n, <<1>>)'), ('ss = set_add(ss, <<''x'', ''x''>>)'),
	('ss = set_add(ss, <<>>)'), ('ss = list_append(ss, [1])'), ('ss = size(ss)')) v(s);
SELECT pg_temp.run('UPDATE Shop SET ss = set_add(ss, <<''b''>>) WHERE pk = ''a'' AND sk = ''none''');

-- DELETE
SELECT pg_temp.run('DELETE FROM Shop WHERE pk = ''a'' AND sk = ''1'' AND n = 100');
SELECT pg_temp.run('DELETE FROM Shop WHERE pk = ''a'' AND sk = ''none''');
SELECT pg_temp.run('DELETE FROM Shop WHERE pk = ''a'' AND sk = ''none'' AND n = 100 RETURNING ALL OLD *');
SELECT pg_temp.run('DELETE FROM Shop WHERE pk = ''a'' AND sk = ''2'' AND attribute_exists(b) RETURNING ALL OLD *');
SELECT pg_temp.run('DELETE FROM Shop WHERE sk = ? AND pk = ?', '[{"S":"3"}, {"S":"a"}]', '{"ReturnConsumedCapacity": "TOTAL"}');
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}');
SELECT item->>'sk' FROM dynamo.query('Shop', 'pk = :p', '{":p": "a"}') item;

-- size
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''big'', ''v'': ?}',
	json_build_array(json_build_object('S', repeat('x', 409600 - 9))));
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''mor'', ''v'': ?}',
	json_build_array(json_build_object('S', repeat('x', 409600 - 8))));
SELECT pg_temp.run('UPDATE Shop SET v = ? WHERE pk = ''a'' AND sk = ''big''',
	json_build_array(json_build_object('S', repeat('y', 409600 - 9))));
SELECT pg_temp.run('UPDATE Shop SET v = ? WHERE pk = ''a'' AND sk = ''big''',
	json_build_array(json_build_object('S', repeat('x', 409600 - 8))));
SELECT dynamo.drop_table('Shop');

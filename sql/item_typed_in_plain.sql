-- Typed JSON that stands in plain JSON is a map there; a notice says so.
\pset format unaligned
\pset tuples_only on

-- jsonb is never typed
SELECT '{"pk": "a", "v": {"S": "x"}}'::jsonb::dynamo.item;
SELECT '{"pk": {"S": "a"}, "v": {"S": "x"}}'::jsonb::dynamo.item;
-- json and text are typed only if all members are
SELECT '{"pk": {"S": "a"}, "v": {"S": "x"}}'::json::dynamo.item;
SELECT '{"pk": "a", "v": {"S": "x"}}'::json::dynamo.item;
SELECT '{"pk": "a", "v": {"S": "x"}}'::dynamo.item;
-- with what only the reader by way of jsonb takes
SELECT '{"pk": "\u0061", "v": {"S": "x"}}'::dynamo.item;

-- each type, deep in a list or a map, too
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"N": "1e3"}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"B": "AAEC"}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"BOOL": false}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"NULL": true}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"L": []}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"M": {}}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('{"SS": ["a"]}')) t (v);
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL FROM (VALUES ('[1, {"x": {"NS": ["1"]}}]')) t (v);

-- what typed JSON would not have is nothing to be told of
SELECT v, ('{"pk": "a", "v": ' || v || '}')::jsonb::dynamo.item IS NULL, ('{"pk": "a", "v": ' || v || '}')::dynamo.item IS NULL
FROM (VALUES ('{"S": 1}'), ('{"N": 5}'), ('{"N": "many"}'), ('{"BOOL": "true"}'), ('{"L": {}}'), ('{"M": []}'), ('{"SS": []}'), ('{"SS": [1]}'),
	('{"S": "x", "M": "y"}'), ('{"s": "x"}'), ('{"SIZES": "x"}'), ('{}')) t (v);
SELECT '{"S": "x"}'::jsonb::dynamo.item, '{"S": "x"}'::dynamo.item;

-- once a statement, however many rows it has; and again in the next
SELECT count(('{"pk": "a", "v": {"S": "x' || n || '"}}')::jsonb::dynamo.item) FROM generate_series(1, 3) n;
SELECT count(('{"pk": "a", "v": {"S": "x' || n || '"}}')::jsonb::dynamo.item) FROM generate_series(1, 3) n;

-- by the functions
SELECT dynamo.create_table('ItemTypedInPlain', 'pk');
SELECT dynamo.put_item('ItemTypedInPlain', '{"pk": "a", "v": {"N": "1"}}'::jsonb);
SELECT dynamo.update_item('ItemTypedInPlain', '{"pk": "a"}', 'SET w = :w, x = :x', '{":w": 1, ":x": {"S": "x"}}');
SELECT item FROM dynamo.get_item('ItemTypedInPlain', 'a');
UPDATE dynamo_data."ItemTypedInPlain" SET item['v'] = '{"N": "2"}';
-- and what is typed tells nothing
SELECT dynamo.put_item('ItemTypedInPlain', '{"pk": {"S": "a"}, "v": {"M": {"S": {"S": "x"}}}}'::json);
SELECT dynamo.call('PutItem', '{"TableName": "ItemTypedInPlain", "Item": {"pk": {"S": "a"}, "v": {"M": {"S": {"S": "x"}}}}}');
SELECT item FROM dynamo.get_item('ItemTypedInPlain', 'a');
SELECT dynamo.drop_table('ItemTypedInPlain');

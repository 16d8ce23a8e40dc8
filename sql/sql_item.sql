--
-- put_item, get_item, update_item, delete_item, batch_get
--
SELECT dynamo.create_table('Goods', 'pk', 'sk');

-- return_values of put_item: nothing, or the item before
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "1", "n": 1}');
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "1", "n": 2}', return_values => 'ALL_OLD');
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "2"}', return_values => 'ALL_OLD');
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "2"}', return_values => NULL);

-- Typed and plain input are the same item
SELECT dynamo.put_item('Goods', '{"pk": {"S": "t"}, "sk": {"S": "1"}, "s": {"SS": ["x", "y"]}, "m": {"M": {"l": {"L": [{"BOOL": true}, {"NULL": true}]}}}}');
SELECT dynamo.to_json(item), item::jsonb FROM dynamo.get_item('Goods', '{"pk": {"S": "t"}, "sk": {"S": "1"}}');

-- A projection, with names
SELECT item FROM dynamo.get_item('Goods', '{"pk": "t", "sk": "1"}', 'sk, m.l[0], #s, unheard', '{"#s": "s"}');
-- Of an item that is there but has none of it, an empty item; of none, no row
SELECT item FROM dynamo.get_item('Goods', '{"pk": "t", "sk": "1"}', 'unheard');
SELECT item FROM dynamo.get_item('Goods', '{"pk": "t", "sk": "9"}');

-- Conditions
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "1", "n": 3}', 'n = :n', '{":n": 2}');
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "1", "n": 4}', '#n = :n', '{":n": 2}', '{"#n": "n"}');
SELECT item FROM dynamo.get_item('Goods', '{"pk": "a", "sk": "1"}');

-- update_item: the five return_values
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'SET n = n + :one', '{":one": 1}');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'ADD n :one', '{":one": 1}', return_values => 'UPDATED_OLD');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'ADD n :one', '{":one": 1}', return_values => 'UPDATED_NEW');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'SET #t = :t', '{":t": "x"}',
	expression_attribute_names => '{"#t": "text"}', return_values => 'ALL_OLD');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'REMOVE n', '{":n": 6}', 'n = :n', return_values => 'ALL_NEW');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "1"}', 'SET n = :n', '{":n": 6}', 'n = :n');
-- It creates what is missing, a bare key included
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "3"}', 'SET n = :n', '{":n": 1}', return_values => 'ALL_NEW');
SELECT dynamo.update_item('Goods', '{"pk": "a", "sk": "4"}', NULL, return_values => 'ALL_NEW');

-- One statement may write an item again and again
SELECT (dynamo.update_item('Goods', '{"pk": "counter", "sk": "1"}', 'ADD n :one', '{":one": 1}', return_values => 'UPDATED_NEW'))->>'n' AS n
FROM generate_series(1, 5);
SELECT n, dynamo.put_item('Goods', jsonb_build_object('pk', 'row', 'sk', n::text)::dynamo.item) IS NULL
FROM generate_series(1, 3) AS n;
SELECT count(*) FROM dynamo.query('Goods', 'pk = :p', '{":p": "row"}');
-- and a reader in the same statement sees the table as it was
SELECT dynamo.put_item('Goods', '{"pk": "row", "sk": "4"}'), count(*) FROM dynamo.query('Goods', 'pk = :p', '{":p": "row"}');

-- delete_item
SELECT dynamo.delete_item('Goods', '{"pk": "a", "sk": "1"}', 'attribute_exists(n)');
SELECT dynamo.delete_item('Goods', '{"pk": "a", "sk": "1"}', return_values => 'ALL_OLD');
SELECT dynamo.delete_item('Goods', '{"pk": "a", "sk": "1"}', return_values => 'ALL_OLD');
SELECT dynamo.delete_item('Goods', '{"pk": "a", "sk": "1"}', return_values => 'ALL_NEW');

-- batch_get: in the order asked; what is missing gives no row
SELECT item->>'pk' AS pk, item->>'sk' AS sk
FROM dynamo.batch_get('Goods', '{"pk": "row", "sk": "3"}', '{"pk": "none", "sk": "1"}', NULL, '{"pk": "a", "sk": "2"}');

-- Arguments that a call makes no sense without; a null key asks for nothing
SELECT dynamo.put_item(NULL, '{"pk": "a", "sk": "1"}');
SELECT dynamo.put_item('Goods', NULL);
SELECT dynamo.update_item('Goods', NULL, 'REMOVE n');
SELECT dynamo.delete_item('Goods', NULL);
SELECT item FROM dynamo.get_item(NULL, '{"pk": "a", "sk": "1"}');
SELECT item FROM dynamo.get_item('Goods', NULL);
SELECT item FROM dynamo.batch_get(NULL, '{"pk": "a", "sk": "1"}');
SELECT item FROM dynamo.query(NULL, 'pk = :p', '{":p": "a"}');
-- Values are looked at before they are looked for
SELECT dynamo.put_item('Goods', '{"pk": "a", "sk": "1"}', 'n = :n', '{":n": 1, "n": 2}');

-- Everything is part of the transaction
BEGIN;
SELECT dynamo.put_item('Goods', '{"pk": "gone", "sk": "1"}');
SAVEPOINT s;
SELECT dynamo.delete_item('Goods', '{"pk": "a", "sk": "2"}');
SELECT count(*) FROM dynamo.get_item('Goods', '{"pk": "a", "sk": "2"}');
ROLLBACK TO s;
SELECT count(*) FROM dynamo.get_item('Goods', '{"pk": "a", "sk": "2"}');
SELECT count(*) FROM dynamo.get_item('Goods', '{"pk": "gone", "sk": "1"}');
ROLLBACK;
SELECT count(*) FROM dynamo.get_item('Goods', '{"pk": "gone", "sk": "1"}');

SELECT dynamo.drop_table('Goods');

-- A GIN index for items: on their jsonb, as docs/sql.md says.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('ItemGin', 'pk', 'sk', 'S', 'N');
SELECT count(dynamo.put_item('ItemGin', jsonb_build_object('pk', 'p' || n % 10, 'sk', n, 'kind', 'k' || n % 100, 'tags', jsonb_build_array('t' || n % 50, 'all'))))
FROM generate_series(1, 2000) n;
SELECT dynamo.put_item('ItemGin', '{"pk": {"S": "set"}, "sk": {"N": "1"}, "kind": {"S": "odd"}, "tags": {"SS": ["t7", "set"]}, "bin": {"B": "AAEC"}}');
CREATE INDEX item_gin ON dynamo_data."ItemGin" USING gin ((item::jsonb) jsonb_path_ops);
CREATE INDEX item_gin_keys ON dynamo_data."ItemGin" USING gin ((item::jsonb));
ANALYZE dynamo_data."ItemGin";

-- containment: the plan, and the rows; a set is an array
EXPLAIN (COSTS OFF) SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "k7", "tags": ["t7"]}';
SELECT count(*) FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "k7", "tags": ["t7"]}';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"tags": ["t7", "set"]}';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"bin": "AAEC"}';
-- existence
EXPLAIN (COSTS OFF) SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb ? 'bin';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb ? 'bin';
-- jsonpath
EXPLAIN (COSTS OFF) SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @@ '$.kind == "odd"';

-- writes by every door keep it
SELECT dynamo.update_item('ItemGin', '{"pk": "set", "sk": 1}', 'SET kind = :k REMOVE bin', '{":k": "even"}');
SELECT dynamo.call('PutItem', '{"TableName": "ItemGin", "Item": {"pk": {"S": "new"}, "sk": {"N": "1"}, "kind": {"S": "fresh"}}}');
SELECT dynamo.delete_item('ItemGin', 'p7', 7);
INSERT INTO dynamo_data."ItemGin" (item) VALUES ('{"pk": "sql", "sk": 1, "kind": "fresh"}');
SET enable_seqscan = off;
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "even"}';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "odd"}';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb ? 'bin';
SELECT pk FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "fresh"}' ORDER BY pk::text;
SELECT count(*) FROM dynamo_data."ItemGin" WHERE item::jsonb @> '{"kind": "k7"}';
RESET enable_seqscan;
-- and go the fast way
SELECT store, store_reason FROM dynamo.explain('PutItem', '{"TableName": "ItemGin", "Item": {"pk": {"S": "new"}, "sk": {"N": "1"}}}') WHERE store IS NOT NULL;
-- jsonb has no NUL: such an item is refused, as whole as it came
SELECT dynamo.put_item('ItemGin', '{"pk": {"S": "nul"}, "sk": {"N": "1"}, "v": {"S": "\u0000"}}');
SELECT count(*) FROM dynamo.get_item('ItemGin', 'nul', 1);
SELECT count(*) FROM dynamo.check_table('ItemGin');
SELECT dynamo.drop_table('ItemGin');

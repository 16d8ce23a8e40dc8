-- dynamo.explain: what an operation would do, with the privileges that the
-- operation needs, and without doing anything.
SELECT dynamo.create_table('Plan', 'pk', 'sk', 'S', 'N');
SELECT dynamo.create_index('Plan', 'ByColor', 'color');
SELECT count(dynamo.put_item('Plan', jsonb_build_object('pk', 'p' || i % 10, 'sk', i, 'color', 'c' || i % 5, 'text', repeat('x', 100))::dynamo.item))
FROM generate_series(1, 200) AS i;
VACUUM ANALYZE dynamo_data."Plan";
CREATE FUNCTION plan(operation text, request json)
RETURNS TABLE (step int, action text, index_name text, access text, condition text, r float8, o float8, ru float8, wu float8, store text)
LANGUAGE sql AS $$
	SELECT step, action, index_name, access, condition, items_read, items_returned, read_units, write_units, store
	FROM dynamo.explain(operation, request) $$;
-- One item: an eventual read is half a unit, a consistent one is one.
SELECT * FROM plan('GetItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}}}');
SELECT * FROM plan('GetItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}},"ConsistentRead":true}');
SELECT * FROM plan('GetItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}},"ConsistentRead":"true"}');
-- Writes; a put is charged in the index, too.
SELECT * FROM plan('PutItem', '{"TableName":"Plan","Item":{"pk":{"S":"p1"},"sk":{"N":"999"},"color":{"S":"c1"}}}');
SELECT * FROM plan('UpdateItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}},"UpdateExpression":"SET a = :a","ExpressionAttributeValues":{":a":{"S":"b"}},"ReturnValues":"ALL_NEW","ReturnConsumedCapacity":"INDEXES"}');
SELECT * FROM plan('DeleteItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}},"ReturnValues":"ALL_OLD","ConditionExpression":"attribute_exists(pk)"}');
-- Ranges: of a collection, of an index, cut short by Limit, with a filter.
SELECT * FROM plan('Query', '{"TableName":"Plan","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p1"}}}');
SELECT * FROM plan('Query', '{"TableName":"Plan","KeyConditionExpression":"pk = :p AND sk > :s","ExpressionAttributeValues":{":p":{"S":"p1"},":s":{"N":"5"}},"ScanIndexForward":false,"Limit":3}');
SELECT * FROM plan('Query', '{"TableName":"Plan","IndexName":"ByColor","KeyConditionExpression":"color = :c","FilterExpression":"sk > :s","ExpressionAttributeValues":{":c":{"S":"c1"},":s":{"N":"5"}}}');
SELECT * FROM plan('Scan', '{"TableName":"Plan"}');
SELECT * FROM plan('Scan', '{"TableName":"Plan","Segment":0,"TotalSegments":4}');
-- Many items.
SELECT * FROM plan('BatchGetItem', '{"RequestItems":{"Plan":{"Keys":[{"pk":{"S":"p1"},"sk":{"N":"1"}},{"pk":{"S":"p2"},"sk":{"N":"2"}}]}}}');
SELECT * FROM plan('BatchGetItem', '{"RequestItems":{"Plan":{"Keys":[{"pk":{"S":"p1"},"sk":{"N":"1"}}],"ConsistentRead":true}}}');
SELECT * FROM plan('BatchWriteItem', '{"RequestItems":{"Plan":[{"PutRequest":{"Item":{"pk":{"S":"n"},"sk":{"N":"1"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"p1"},"sk":{"N":"1"}}}}]}}');
SELECT * FROM plan('TransactGetItems', '{"TransactItems":[{"Get":{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}}}}]}');
SELECT * FROM plan('TransactWriteItems', '{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"Plan","Item":{"pk":{"S":"n"},"sk":{"N":"1"}}}},{"ConditionCheck":{"TableName":"Plan","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}},"ConditionExpression":"attribute_not_exists(pk)"}}]}');
SELECT count(*) FROM dynamo_internal.transact_tokens WHERE token = 't';
-- PartiQL.
SELECT * FROM plan('ExecuteStatement', '{"Statement":"SELECT * FROM \"Plan\" WHERE pk = ''p1'' AND sk = 1"}');
SELECT * FROM plan('ExecuteStatement', '{"Statement":"SELECT * FROM \"Plan\" WHERE pk = ''p1'' AND sk > 3"}');
SELECT * FROM plan('ExecuteStatement', '{"Statement":"SELECT * FROM \"Plan\" WHERE text = ''x''"}');
SELECT * FROM plan('ExecuteStatement', '{"Statement":"INSERT INTO \"Plan\" VALUE {''pk'': ''n'', ''sk'': 5}"}');
SELECT * FROM plan('BatchExecuteStatement', '{"Statements":[{"Statement":"DELETE FROM \"Plan\" WHERE pk = ''p1'' AND sk = 1"}]}');
SELECT * FROM plan('BatchExecuteStatement', '{"Statements":[{"Statement":"SELECT * FROM \"Plan\" WHERE pk = ''p1'' AND sk = 1","ConsistentRead":true}]}');
SELECT * FROM plan('ExecuteTransaction', '{"TransactStatements":[{"Statement":"UPDATE \"Plan\" SET a = 1 WHERE pk = ''p1'' AND sk = 1"}]}');
-- Nothing was done.
SELECT count(*) FROM dynamo.scan('Plan');
SELECT count(*) FROM dynamo.get_item('Plan', 'p1', 1);
-- What the operation refuses is refused; afterwards operations work again.
SELECT * FROM plan('GetItem', '{"TableName":"Plan","Key":{"pk":{"S":"p1"}}}');
SELECT * FROM plan('GetItem', '{"TableName":"Nowhere","Key":{"pk":{"S":"p1"}}}');
SELECT * FROM plan('Query', '{"TableName":"Plan","IndexName":"None","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p1"}}}');
SELECT * FROM plan('DeleteTable', '{"TableName":"Plan"}');
SELECT * FROM plan('Fly', '{}');
SELECT item -> 'color' AS color FROM dynamo.get_item('Plan', 'p1', 1);
-- A role sees what the operation would let it do; figures only with SELECT.
SET client_min_messages = warning;
CREATE ROLE plan_user;
SET client_min_messages = notice;
GRANT EXECUTE ON FUNCTION plan TO plan_user;
SET ROLE plan_user;
SELECT * FROM plan('Scan', '{"TableName":"Plan"}');
RESET ROLE;
GRANT INSERT, UPDATE ON dynamo_data."Plan" TO plan_user;
SET ROLE plan_user;
SELECT * FROM plan('Scan', '{"TableName":"Plan"}');
SELECT * FROM plan('PutItem', '{"TableName":"Plan","Item":{"pk":{"S":"p1"},"sk":{"N":"999"}}}');
SELECT * FROM plan('PutItem', '{"TableName":"Plan","Item":{"pk":{"S":"p1"},"sk":{"N":"999"}},"ReturnValues":"ALL_OLD"}');
RESET ROLE;
-- Why the slow store is taken.
ALTER TABLE dynamo_data."Plan" ADD CONSTRAINT small CHECK (dynamo.item_size(item) < 1000);
SELECT store, store_reason FROM dynamo.explain('Scan', '{"TableName":"Plan"}');
ALTER TABLE dynamo_data."Plan" DROP CONSTRAINT small;
CREATE FUNCTION plan_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER t BEFORE INSERT ON dynamo_data."Plan" FOR EACH ROW EXECUTE FUNCTION plan_trigger();
SELECT store, store_reason FROM dynamo.explain('Scan', '{"TableName":"Plan"}');
DROP TRIGGER t ON dynamo_data."Plan";
ALTER TABLE dynamo_data."Plan" ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON dynamo_data."Plan" TO plan_user;
SET ROLE plan_user;
SELECT store, store_reason FROM dynamo.explain('Scan', '{"TableName":"Plan"}');
RESET ROLE;
SELECT store, store_reason FROM dynamo.explain('Scan', '{"TableName":"Plan"}');
SELECT dynamo.drop_table('Plan');
DROP FUNCTION plan, plan_trigger;
DROP ROLE plan_user;

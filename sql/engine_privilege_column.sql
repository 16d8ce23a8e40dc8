-- Privileges on columns count as they do in SQL: pk and sk are what a condition
-- on the key reads, item is what everything else reads and what is written.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineColumn', 'pk', 'sk');
SELECT dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a", "n": 1}');
CREATE ROLE regress_engine_eve;
CREATE FUNCTION try_columns() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  request record;
BEGIN
  FOR request IN SELECT * FROM (VALUES
    ('get', $q$dynamo.get_item('EngineColumn', '{"pk": "1", "sk": "a"}')$q$),
    ('get the key', $q$dynamo.get_item('EngineColumn', '{"pk": "1", "sk": "a"}', 'pk')$q$),
    ('put', $q$dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a", "n": 1}')$q$),
    ('put if there is none', $q$dynamo.put_item('EngineColumn', '{"pk": "3", "sk": "a"}', 'attribute_not_exists(sk)')$q$),
    ('put if n is 1', $q$dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a", "n": 1}', 'n = :n AND attribute_exists(pk)', '{":n": 1}')$q$),
    ('put, old item', $q$dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a", "n": 1}', return_values => 'ALL_OLD')$q$),
    ('update', $q$dynamo.update_item('EngineColumn', '{"pk": "1", "sk": "a"}', 'SET n = :n', '{":n": 1}')$q$),
    ('make', $q$dynamo.update_item('EngineColumn', '{"pk": "2", "sk": "a"}', NULL)$q$),
    ('delete if it is there', $q$dynamo.delete_item('EngineColumn', '{"pk": "3", "sk": "a"}', 'attribute_exists(pk)')$q$),
    ('check the key', $q$dynamo.transact_write('[{"ConditionCheck": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}, "ConditionExpression": "sk > pk"}}]')$q$),
    ('check p', $q$dynamo.transact_write('[{"ConditionCheck": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}, "ConditionExpression": "attribute_not_exists(p)"}}]')$q$),
    ('check n', $q$dynamo.transact_write('[{"ConditionCheck": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}, "ConditionExpression": "attribute_exists(n)"}}]')$q$)) v (name, call)
  LOOP
    BEGIN
      EXECUTE 'SELECT * FROM ' || request.call;
      RETURN NEXT 'yes    ' || request.name;
    EXCEPTION WHEN SQLSTATE 'ND015' THEN
      RETURN NEXT 'no     ' || request.name;
    END;
  END LOOP;
END $$;
-- writing the item, and nothing else
GRANT INSERT (item), UPDATE (item) ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT try_columns();
RESET ROLE;
-- a part of the key is not enough
GRANT DELETE, SELECT (pk) ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT try_columns();
RESET ROLE;
-- the key: whether an item is there, and no more
GRANT SELECT (sk) ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT try_columns();
-- a condition that fails shows no item, nor does what the write costs
SELECT dynamo.try_call('PutItem', '{"TableName": "EngineColumn", "Item": {"pk": {"S": "1"}, "sk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "EngineColumn", "Item": {"pk": {"S": "1"}, "sk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}') ->> '__type';
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "EngineColumn", "Item": {"pk": {"S": "1"}, "sk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}') ->> '__type';
RESET ROLE;
SELECT dynamo.put_item('EngineColumn', jsonb_build_object('pk', '1', 'sk', 'a', 'long', repeat('x', 5000))::text::dynamo.item);
SET ROLE regress_engine_eve;
SELECT dynamo.call('DeleteItem', '{"TableName": "EngineColumn", "Key": {"pk": {"S": "1"}, "sk": {"S": "a"}}, "ConditionExpression": "attribute_exists(pk)", "ReturnConsumedCapacity": "TOTAL"}');
RESET ROLE;
-- all columns are the table
SELECT dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a", "n": 1}');
GRANT SELECT (item) ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT try_columns();
RESET ROLE;
-- of a transaction each action needs its own
REVOKE ALL ON dynamo_data."EngineColumn" FROM regress_engine_eve;
GRANT DELETE ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT dynamo.transact_write('[{"Delete": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}}}, {"Put": {"TableName": "EngineColumn", "Item": {"pk": "2", "sk": "b"}}}]');
SELECT dynamo.transact_write('[{"Delete": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}}}, {"Update": {"TableName": "EngineColumn", "Key": {"pk": "2", "sk": "b"}, "UpdateExpression": "REMOVE n"}}]');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"EngineColumn": [{"DeleteRequest": {"Key": {"pk": {"S": "1"}, "sk": {"S": "a"}}}}, {"PutRequest": {"Item": {"pk": {"S": "2"}, "sk": {"S": "b"}}}}]}}');
RESET ROLE;
REVOKE ALL ON dynamo_data."EngineColumn" FROM regress_engine_eve;
GRANT INSERT, UPDATE ON dynamo_data."EngineColumn" TO regress_engine_eve;
SET ROLE regress_engine_eve;
SELECT dynamo.transact_write('[{"Put": {"TableName": "EngineColumn", "Item": {"pk": "2", "sk": "b"}}}, {"Delete": {"TableName": "EngineColumn", "Key": {"pk": "1", "sk": "a"}}}]');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"EngineColumn": [{"DeleteRequest": {"Key": {"pk": {"S": "1"}, "sk": {"S": "a"}}}}, {"PutRequest": {"Item": {"pk": {"S": "2"}, "sk": {"S": "b"}}}}]}}');
RESET ROLE;
SELECT item FROM dynamo.scan('EngineColumn');
-- a policy that is forced on the owner hides from him what it hides from others:
-- the key of an item he does not see is denied, not taken for a lost race
GRANT ALL ON SCHEMA dynamo_data TO regress_engine_eve;
ALTER TABLE dynamo_data."EngineColumn" OWNER TO regress_engine_eve;
ALTER TABLE dynamo_data."EngineColumn" ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON dynamo_data."EngineColumn" FOR SELECT USING (item ->> 'n' IS NULL);
CREATE POLICY anything ON dynamo_data."EngineColumn" FOR INSERT WITH CHECK (true);
ALTER TABLE dynamo_data."EngineColumn" FORCE ROW LEVEL SECURITY;
SET ROLE regress_engine_eve;
SELECT item FROM dynamo.get_item('EngineColumn', '{"pk": "1", "sk": "a"}');
SELECT dynamo.put_item('EngineColumn', '{"pk": "1", "sk": "a"}');
RESET ROLE;
SELECT item FROM dynamo.scan('EngineColumn');
SELECT dynamo.drop_table('EngineColumn');
DROP FUNCTION try_columns;
REVOKE ALL ON SCHEMA dynamo_data FROM regress_engine_eve;
DROP ROLE regress_engine_eve;

-- Privileges on the relation are what a request may do
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EnginePrivilege', 'pk');
CREATE ROLE regress_engine_bob;
CREATE FUNCTION try_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  statement text;
BEGIN
  FOREACH statement IN ARRAY ARRAY[
    $q$dynamo.put_item('EnginePrivilege', '{"pk": "1"}')$q$,
    $q$dynamo.put_item('EnginePrivilege', '{"pk": "1"}', return_values => 'ALL_OLD')$q$,
    $q$dynamo.put_item('EnginePrivilege', '{"pk": "1"}', 'attribute_exists(pk)')$q$,
    $q$dynamo.update_item('EnginePrivilege', '{"pk": "1"}', 'SET v = :v', '{":v": 1}')$q$,
    $q$dynamo.update_item('EnginePrivilege', '{"pk": "1"}', 'SET v = w', NULL)$q$,
    $q$dynamo.get_item('EnginePrivilege', '{"pk": "1"}')$q$,
    $q$dynamo.query('EnginePrivilege', 'pk = :p', '{":p": "1"}')$q$,
    $q$dynamo.scan('EnginePrivilege')$q$,
    $q$dynamo.delete_item('EnginePrivilege', '{"pk": "1"}')$q$,
    $q$dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/EnginePrivilege"}')$q$,
    $q$dynamo.call('DescribeContinuousBackups', '{"TableName": "EnginePrivilege"}')$q$,
    $q$dynamo.transact_write('[{"ConditionCheck": {"TableName": "EnginePrivilege", "Key": {"pk": {"S": "9"}}, "ConditionExpression": "attribute_not_exists(pk)"}}]')$q$,
    $q$dynamo.transact_write('[{"ConditionCheck": {"TableName": "EnginePrivilege", "Key": {"pk": {"S": "9"}}, "ConditionExpression": "attribute_not_exists(pk)"}},
      {"Delete": {"TableName": "EnginePrivilege", "Key": {"pk": {"S": "8"}}}}]')$q$,
    $q$dynamo.call('BatchWriteItem', '{"RequestItems": {"EnginePrivilege": [{"PutRequest": {"Item": {"pk": {"S": "7"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "8"}}}}]}}')$q$]
  LOOP
    BEGIN
      EXECUTE 'SELECT * FROM ' || statement;
      RETURN NEXT 'yes    ' || substr(statement, 8, 12);
    EXCEPTION WHEN OTHERS THEN
      RETURN NEXT 'no     ' || substr(statement, 8, 12) || ': ' || sqlerrm;
    END;
  END LOOP;
END $$;
SELECT dynamo.put_item('EnginePrivilege', '{"pk": "1", "w": 1}');
SET ROLE regress_engine_bob;
SELECT try_all();
-- ... nor does it see the definition, nor may it make one, and hears so in the service's words
SELECT dynamo.try_call('CreateTable', '{"TableName": "EngineOther", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}');
SELECT count(*) FROM dynamo.tables WHERE table_name = 'EnginePrivilege';
RESET ROLE;
-- reading only
GRANT SELECT ON dynamo_data."EnginePrivilege" TO regress_engine_bob;
SET ROLE regress_engine_bob;
SELECT try_all();
RESET ROLE;
-- writing only: nothing that tells what is there
REVOKE SELECT ON dynamo_data."EnginePrivilege" FROM regress_engine_bob;
GRANT INSERT, UPDATE ON dynamo_data."EnginePrivilege" TO regress_engine_bob;
SET ROLE regress_engine_bob;
SELECT try_all();
RESET ROLE;
-- all but deleting
GRANT SELECT ON dynamo_data."EnginePrivilege" TO regress_engine_bob;
SET ROLE regress_engine_bob;
SELECT try_all();
SELECT count(*) FROM dynamo.tables WHERE table_name = 'EnginePrivilege';
RESET ROLE;
-- a table that is not there is told to everybody
SELECT dynamo.get_item('EngineNoSuchTable', '{"pk": "1"}');
SELECT dynamo.drop_table('EnginePrivilege');
DROP FUNCTION try_all;
DROP ROLE regress_engine_bob;

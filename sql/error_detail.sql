-- What an error carries beyond its text is a JSON object in its detail
\t on
\a
SELECT dynamo.create_table('ErrorDetail', 'pk');
SELECT dynamo.put_item('ErrorDetail', '{"pk": "1", "v": 1}');

-- an SQL caller can read it
DO $$
DECLARE
  detail jsonb;
BEGIN
  PERFORM dynamo.transact_write('[
    {"ConditionCheck": {"TableName": "ErrorDetail", "Key": {"pk": "1"}, "ConditionExpression": "v = :v",
                        "ExpressionAttributeValues": {":v": 2}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
    {"Put": {"TableName": "ErrorDetail", "Item": {"pk": "2"}}}]');
EXCEPTION WHEN SQLSTATE 'ND009' THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RAISE NOTICE '% %', detail #>> '{CancellationReasons,0,Code}', detail #>> '{CancellationReasons,0,Item,v,N}';
END $$;

-- the error body has its members
SELECT dynamo.try_call('PutItem', '{"TableName": "ErrorDetail", "Item": {"pk": {"S": "1"}},
  "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');

-- a trigger that raises our SQLSTATE with another detail does not break the body
CREATE FUNCTION error_detail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'not today' USING ERRCODE = 'ND008', DETAIL = new.item ->> 'detail';
END $$;
CREATE TRIGGER error_detail BEFORE INSERT ON dynamo_data."ErrorDetail" FOR EACH ROW EXECUTE FUNCTION error_detail();
SELECT dynamo.try_call('PutItem', '{"TableName": "ErrorDetail", "Item": {"pk": {"S": "3"}, "detail": {"S": "{\"a\":1}, {}"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "ErrorDetail", "Item": {"pk": {"S": "3"}, "detail": {"S": "{}"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "ErrorDetail", "Item": {"pk": {"S": "3"}, "detail": {"S": "{\"a\":1}"}}}');

-- what PostgreSQL, or a function, says of an error or a refusal stays on the server
CREATE OR REPLACE FUNCTION error_detail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a secret' USING ERRCODE = new.item ->> 'code', DETAIL = '{"Secret": 1}';
END $$;
SELECT replace(dynamo.try_call('PutItem', json_build_object('TableName', 'ErrorDetail', 'Item',
  json_build_object('pk', json_build_object('S', '3'), 'code', json_build_object('S', code))))::text, 'user/' || current_user, 'user/ME')
FROM unnest(ARRAY['22012', 'P0001', '42501']) code;

SELECT dynamo.drop_table('ErrorDetail');
DROP FUNCTION error_detail();

-- A read-only transaction changes no definition, and reads all
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ReadOnly', 'pk');
SELECT dynamo.put_item('ReadOnly', '{"pk": "1"}');
CREATE FUNCTION try_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  statement text;
BEGIN
  FOREACH statement IN ARRAY ARRAY[
    $q$dynamo.scan('ReadOnly')$q$,
    $q$dynamo.call('DescribeTable', '{"TableName": "ReadOnly"}')$q$,
    $q$dynamo.put_item('ReadOnly', '{"pk": "2"}')$q$,
    $q$dynamo.delete_item('ReadOnly', '{"pk": "2"}')$q$,
    $q$dynamo.create_table('ReadOnly2', 'pk')$q$,
    $q$dynamo.create_index('ReadOnly', 'index', 'a')$q$,
    $q$dynamo.drop_table('ReadOnly')$q$,
    $q$dynamo.call('UpdateTable', '{"TableName": "ReadOnly", "DeletionProtectionEnabled": true}')$q$,
    $q$dynamo.call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/ReadOnly", "Tags": [{"Key": "a", "Value": "b"}]}')$q$]
  LOOP
    BEGIN
      EXECUTE 'SELECT * FROM ' || statement;
      RETURN NEXT 'yes    ' || substr(statement, 8, 20);
    EXCEPTION WHEN OTHERS THEN
      RETURN NEXT 'no     ' || substr(statement, 8, 20) || ': ' || sqlerrm;
    END;
  END LOOP;
END $$;
BEGIN READ ONLY;
SELECT try_all();
COMMIT;
SELECT dynamo.call('DescribeTable', '{"TableName": "ReadOnly"}') #>> '{Table,DeletionProtectionEnabled}' AS protected;
SELECT dynamo.drop_table('ReadOnly');
DROP FUNCTION try_all;

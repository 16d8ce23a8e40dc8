-- Tags of what belongs to another account are not ours to tell, whether it exists or not
\t on
\a
SELECT dynamo.create_table('TagAccount', 'pk');
SELECT dynamo.enable_stream('TagAccount') IS NOT NULL;
SELECT dynamo.call('DescribeTable', '{"TableName": "TagAccount"}') #>> '{Table,LatestStreamLabel}' AS label \gset
CREATE FUNCTION pg_temp.ask(arn text) RETURNS TABLE (operation text, answer json) LANGUAGE sql AS $$
  SELECT operation, dynamo.try_call(operation, json_build_object('ResourceArn', arn, 'Tags', '[{"Key": "a", "Value": "b"}]'::json, 'TagKeys', '["a"]'::json))
  FROM unnest(ARRAY['TagResource', 'UntagResource', 'ListTagsOfResource', 'GetResourcePolicy']) operation $$;

-- dynamo.account_id says which is ours
SHOW dynamo.account_id;
SELECT * FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:000000000001:table/TagAccount');
SELECT * FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:000000000001:table/NoSuchTable');
SELECT * FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:000000000001:table/TagAccount/stream/' || :'label');
SELECT * FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:0000000000001:table/TagAccount');
-- another region's is said before
SELECT answer ->> 'message' FROM pg_temp.ask('arn:aws:dynamodb:eu-west-2:000000000001:table/TagAccount');
SELECT answer ->> 'message' = 'Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-2:000000000001:table/TagAccount/stream/' || :'label'
FROM pg_temp.ask('arn:aws:dynamodb:eu-west-2:000000000001:table/TagAccount/stream/' || :'label');
-- an account is one part of an ARN
SELECT answer ->> 'message' FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:000000000000:x:table/TagAccount');
SELECT operation, answer -> '__type' FROM pg_temp.ask('arn:aws:dynamodb:us-east-1:000000000000:table/TagAccount/stream/' || :'label');

SELECT dynamo.drop_table('TagAccount');

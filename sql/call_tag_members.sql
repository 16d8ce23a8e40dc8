-- Members of a tag that the API does not know are not kept, whatever is in
-- them: PostgreSQL's jsonb, in which tags are kept, has no NUL.

SELECT dynamo.try_call('CreateTable', '{"TableName": "Tagged", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"Tags": [{"Key": "a", "Value": "1", "More": "x\u0000y", "": {"x": "\u0000"}}]}')::jsonb #> '{TableDescription,TableName}' AS name;
SELECT dynamo.try_call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged",
	"Tags": [{"Key": "b", "Value": "2", "More": ["x\u0000y"]}, {"Key": "c", "Value": ""}]}');
SELECT dynamo.try_call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged",
	"Tags": [{"Key": "a", "Value": "3"}]}');
SELECT dynamo.try_call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged"}');
-- on one page, so nobody has a token of another
SELECT dynamo.try_call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged", "NextToken": "x"}')->>'message' AS error;

-- In those that it does know it is refused.
SELECT dynamo.try_call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged",
	"Tags": [{"Key": "d", "Value": "x\u0000y"}]}')::json ->> '__type';
SELECT dynamo.try_call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged",
	"Tags": [{"Key": "d\u0000", "Value": "x"}]}')::json ->> '__type';
SELECT dynamo.drop_table('Tagged');

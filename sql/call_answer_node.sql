-- What a node of a cluster answers to another: "A" and the response, or "E" and
-- the error with all its fields, so that the one that asks can raise it.
CREATE FUNCTION pg_temp.answer(operation text, request json) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT field
	FROM dynamo_internal.answer_node(operation, request, false) a,
		decode(CASE left(a, 1) WHEN 'E' THEN substr(a, 2) ELSE '' END, 'hex') b,
		LATERAL (SELECT string_agg(CASE get_byte(b, i) WHEN 0 THEN '~' ELSE chr(get_byte(b, i)) END, '' ORDER BY i)
			FROM generate_series(0, length(b) - 1) i) AS c (fields),
		string_to_table(coalesce(fields, a), '~') field
	WHERE field NOT SIMILAR TO 'W%|' $$;
SELECT dynamo.create_table('CallAnswer', 'id');

SELECT pg_temp.answer('PutItem', '{"TableName": "CallAnswer", "Item": {"id": {"S": "a"}}}');
SELECT pg_temp.answer('GetItem', '{"TableName": "CallAnswer", "Key": {"id": {"S": "a"}}}');
SELECT pg_temp.answer('GetItem', '{"TableName": "CallNoAnswer", "Key": {"id": {"S": "a"}}}');

-- The item of a failed condition, and the reasons of a canceled transaction.
SELECT pg_temp.answer('PutItem', '{"TableName": "CallAnswer", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)",
	"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT pg_temp.answer('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "CallAnswer", "Key": {"id": {"S": "a"}},
	"ConditionExpression": "attribute_not_exists(id)"}}]}');

-- What users have made is named by its fields, not by the text.
ALTER TABLE dynamo_data."CallAnswer" ADD CONSTRAINT short CHECK (item ->> 'id' <> 'ab');
SELECT pg_temp.answer('PutItem', '{"TableName": "CallAnswer", "Item": {"id": {"S": "ab"}}}');

SELECT dynamo.drop_table('CallAnswer');

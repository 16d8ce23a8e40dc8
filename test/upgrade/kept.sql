-- What the dump of a released version holds, which later versions have to restore
-- (test/t/kept_dumps.pl): something of all that a dump carries.
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('Shop', 'PK', 'SK N');
SELECT dynamo.create_index('Shop', 'ByDay', 'day', 'time N');
SELECT dynamo.create_index('Shop', 'Many', ARRAY['day', 'kind'], ARRAY['time N'],
	projection => 'INCLUDE', non_key_attributes => ARRAY['note']);
SELECT dynamo.enable_ttl('Shop', 'ttl');
SELECT dynamo.call('CreateTable', '{"TableName": "Local",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"},
		{"AttributeName": "b", "AttributeType": "B"}, {"AttributeName": "c", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "ByC", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"Tags": [{"Key": "k", "Value": "v"}]}') IS NOT NULL AS made;
SELECT dynamo.set_auto_scaling('Local', 'ReadCapacityUnits', 1, 50);
SELECT dynamo.call('CreateTable', '{"TableName": "Vectors", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "tenant", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"VectorIndexes": [{"IndexName": "Near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
		"DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"},
		"SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]}]}') IS NOT NULL AS made;

-- items of all types
SELECT count(dynamo.put_item('Shop', jsonb_build_object('PK', 'p' || i % 5, 'SK', i, 'day', 'd' || i % 3,
	'time', i, 'kind', 'k', 'note', repeat('x', i)))) FROM generate_series(1, 100) AS i;
SELECT dynamo.put_item('Shop', '{"PK": {"S": "all"}, "SK": {"N": "-12345678901234567890.12345678"},
	"l": {"L": [{"M": {}}, {"NULL": true}, {"BOOL": false}]}, "ss": {"SS": ["b", "a"]}, "ns": {"NS": ["3", "1"]},
	"bs": {"BS": ["AP8="]}, "b": {"B": "AAEC"}, "e": {"S": ""}}');
SELECT count(dynamo.put_item('Local', format('{"a": {"S": "x"}, "b": {"B": "%s"}, "c": {"S": "%s"}}',
	encode(int4send(i), 'base64'), i % 3))) FROM generate_series(1, 20) AS i;
SELECT count(dynamo.put_item('Vectors', format('{"id": "%s", "tenant": "t%s", "v": [%s, %s]}', i, i % 2, i, 10 - i)))
FROM generate_series(1, 10) AS i;

-- a stream and its reader, a backup, the past, policies, a bucket
SELECT dynamo.enable_stream('Shop') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Shop', '{"PK": "stream", "SK": 1, "v": 1}');
SELECT dynamo.update_item('Shop', '{"PK": "stream", "SK": 1}', 'SET v = :v', '{":v": 2}');
SELECT dynamo.delete_item('Shop', '{"PK": "stream", "SK": 1}');
CREATE TABLE public.handled (id text, event text);
CREATE FUNCTION public.handle(event jsonb) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.handled SELECT r #>> '{dynamodb,Keys,PK,S}', r ->> 'eventName'
FROM jsonb_array_elements(event -> 'Records') AS r$$;
SELECT dynamo.create_event_source_mapping('Shop', 'public.handle', enabled => false, starting_position => 'TRIM_HORIZON');
SELECT dynamo.create_backup('Shop', 'kept') IS NOT NULL AS made;
SELECT dynamo.enable_recovery('Local');
CREATE ROLE kept_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."Shop" TO kept_tenant;
SELECT dynamo.put_role_policy('kept_tenant', 'narrow', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
	"Action": "dynamodb:GetItem", "Resource": "*"}]}');
SELECT dynamo.call('PutResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Local",
	"Policy": "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:DeleteItem\",\"Resource\":\"*\"}]}"}') IS NOT NULL AS put;
SELECT dynamo.grant_bucket('kept', 'kept_tenant', '{read,write}');

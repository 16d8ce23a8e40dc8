-- Everything that a database can hold of dynamo, made by the old version.  The
-- server does not preload the library, so that jobs stay where they are.
CREATE EXTENSION dynamo;
CREATE ROLE clerk LOGIN;
CREATE ROLE tenant LOGIN;

-- tables, and all kinds of indexes
SELECT dynamo.create_table('Shop', 'PK', 'SK N');
SELECT dynamo.create_index('Shop', 'ByDay', 'day', 'time N');
SELECT dynamo.create_index('Shop', 'Many', ARRAY['day', 'kind'], ARRAY['time N'],
	projection => 'INCLUDE', non_key_attributes => ARRAY['note']);
SELECT dynamo.enable_ttl('Shop', 'ttl');
SELECT dynamo.create_table('Binary', 'id B');
SELECT dynamo.call('CreateTable', '{"TableName": "Local",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"},
		{"AttributeName": "b", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "byC", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"Tags": [{"Key": "k", "Value": "v"}]}') IS NOT NULL;
SELECT dynamo.set_auto_scaling('Local', 'ReadCapacityUnits', 1, 50);

-- items: many of a collection, long ones, all types
INSERT INTO dynamo_data."Shop" (item)
SELECT jsonb_build_object('PK', 'p' || i % 50, 'SK', i, 'day', 'd' || i % 3,
	'time', i, 'kind', 'k', 'note', repeat('x', i % 900))
FROM generate_series(1, 3000) AS i;
INSERT INTO dynamo_data."Shop" (item)
SELECT jsonb_build_object('PK', 'long', 'SK', i, 'text', string_agg(md5(n::text), ''))
FROM generate_series(1, 5) AS i, generate_series(1, 4000) AS n GROUP BY i;
SELECT dynamo.put_item('Binary', '{"id": {"B": "AAEC"}, "n": {"N": "-12345678901234567890.12345678"},
	"l": {"L": [{"M": {}}, {"NULL": true}, {"BOOL": false}]}, "s": {"SS": ["b", "a"]}, "ns": {"NS": ["3", "1"]}}');
SELECT count(dynamo.update_item('Shop', format('{"PK": "p%s", "SK": %s}', i % 50, i)::dynamo.item,
	'SET note = :n', '{":n": "changed"}')) FROM generate_series(1, 3000, 17) AS i;

-- streams, of a table and of one that is gone; an event source mapping that has
-- handled some of it
SELECT dynamo.enable_stream('Shop') IS NOT NULL;
SELECT dynamo.put_item('Shop', '{"PK": "stream", "SK": 1, "v": 1}');
SELECT dynamo.update_item('Shop', '{"PK": "stream", "SK": 1}', 'SET v = :v', '{":v": 2}');
SELECT dynamo.create_table('Gone', 'id');
SELECT dynamo.enable_stream('Gone', 'KEYS_ONLY') IS NOT NULL;
SELECT dynamo.put_item('Gone', '{"id": "1"}');
SELECT dynamo.drop_table('Gone');
CREATE TABLE public.handled (id text, name text);
CREATE FUNCTION public.handle(event jsonb) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.handled SELECT r #>> '{dynamodb,Keys,PK,S}', r ->> 'eventName'
FROM jsonb_array_elements(event -> 'Records') AS r$$;
SELECT dynamo.create_event_source_mapping('Shop', 'public.handle', enabled => false,
	starting_position => 'TRIM_HORIZON');
SELECT dynamo.run_event_source_mapping(1);
SELECT dynamo.put_item('Shop', '{"PK": "to handle", "SK": 1}');

-- the past, and backups
SELECT dynamo.create_table('Past', 'id');
SELECT dynamo.put_item('Past', '{"id": "1", "v": "before"}');
SELECT dynamo.enable_recovery('Past');
CREATE TABLE public.moment AS SELECT dynamo.mark_recovery() AS at;
SELECT dynamo.put_item('Past', '{"id": "1", "v": "after"}');
SELECT dynamo.put_item('Past', '{"id": "2"}');
SELECT dynamo.create_backup('Shop', 'kept') IS NOT NULL;

-- who may what
SELECT dynamo.put_role_policy('tenant', 'narrow', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
	"Action": "dynamodb:GetItem", "Resource": "*"}]}');
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."Shop" TO clerk, tenant;
SELECT dynamo.call('PutResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Past",
	"Policy": "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:DeleteItem\",\"Resource\":\"*\"}]}"}') IS NOT NULL;
SELECT count(*) FROM dynamo.create_access_key('clerk');

-- publications that say nothing of generated columns, as those of 15 cannot:
-- from 18 on core refuses to change tables under them
CREATE PUBLICATION one FOR TABLE dynamo_data."Shop";
CREATE PUBLICATION every FOR ALL TABLES;

-- a bucket, and a job that ends its session in its second step
SELECT dynamo.grant_bucket('files', 'clerk', '{read,write}');
SELECT dynamo.create_table('Half', 'id');
CREATE FUNCTION public.leave() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END$$;
CREATE TRIGGER leave BEFORE INSERT ON dynamo_data."Half" FOR EACH ROW
	WHEN ((new.item ->> 'id') = '6000') EXECUTE FUNCTION public.leave();
SELECT dynamo.bulk_put_items('Half', 'files', 'half.json') IS NOT NULL;

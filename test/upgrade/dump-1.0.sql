SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS dynamo WITH SCHEMA pg_catalog;
COMMENT ON EXTENSION dynamo IS 'DynamoDB inside PostgreSQL';
CREATE FUNCTION public.handle(event jsonb) RETURNS void
    LANGUAGE sql
    AS $$INSERT INTO public.handled SELECT r #>> '{dynamodb,Keys,PK,S}', r ->> 'eventName'
FROM jsonb_array_elements(event -> 'Records') AS r$$;
ALTER FUNCTION public.handle(event jsonb) OWNER TO postgres;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE dynamo_backup."01795903710951-00011e1d" (
    item dynamo.item
);
ALTER TABLE dynamo_backup."01795903710951-00011e1d" OWNER TO postgres;
SET default_table_access_method = dynamo;
CREATE TABLE dynamo_data."Local" (
    pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'a'::text, 'S'::"char")) STORED NOT NULL,
    sk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, 'b'::text, 'B'::"char")) STORED NOT NULL,
    item dynamo.item NOT NULL
)
WITH (fillfactor='95');
ALTER TABLE dynamo_data."Local" OWNER TO postgres;
COMMENT ON TABLE dynamo_data."Local" IS 'DynamoDB table; key a (S), b (B); ByC: a (S), c (S)';
CREATE TABLE dynamo_data."Shop" (
    pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'PK'::text, 'S'::"char")) STORED NOT NULL,
    sk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, 'SK'::text, 'N'::"char")) STORED NOT NULL,
    item dynamo.item NOT NULL
)
WITH (fillfactor='95');
ALTER TABLE dynamo_data."Shop" OWNER TO postgres;
COMMENT ON TABLE dynamo_data."Shop" IS 'DynamoDB table; key PK (S), SK (N); ByDay: day (S), time (N); Many: day (S), kind (S), time (N)';
CREATE TABLE dynamo_data."Vectors" (
    pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'id'::text, 'S'::"char")) STORED NOT NULL,
    item dynamo.item NOT NULL
)
WITH (fillfactor='95');
ALTER TABLE dynamo_data."Vectors" OWNER TO postgres;
COMMENT ON TABLE dynamo_data."Vectors" IS 'DynamoDB table; key id (S); Near: vectors of v';
SET default_table_access_method = heap;
CREATE TABLE public.handled (
    id text,
    event text
);
ALTER TABLE public.handled OWNER TO postgres;
COPY dynamo.backups (backup_id, backup_name, backup_type, table_name, table_id, relation, created_at, expires_at, size_bytes, item_count, definition) FROM stdin;
01795903710951-00011e1d	kept	USER	Shop	b6462914-e80a-4853-82ca-d830a7135f85	dynamo_backup."01795903710951-00011e1d"	2026-11-28 22:08:30.951214+00	\N	49152	101	{"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"N"},{"AttributeName":"day","AttributeType":"S"},{"AttributeName":"kind","AttributeType":"S"},{"AttributeName":"time","AttributeType":"N"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"ByDay","KeySchema":[{"AttributeName":"day","KeyType":"HASH"},{"AttributeName":"time","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"Many","KeySchema":[{"AttributeName":"day","KeyType":"HASH"},{"AttributeName":"kind","KeyType":"HASH"},{"AttributeName":"time","KeyType":"RANGE"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["note"]}}],"TableCreationDateTime":1795903710.792,"StreamDescription":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}}
\.
COPY dynamo.bucket_grants (bucket, role, may_read, may_write) FROM stdin;
kept	kept_tenant	t	t
\.
COPY dynamo.indexes (table_name, index_name, ordinal, is_local, partition_key, partition_key_type, sort_key, sort_key_type, projection, non_key_attributes, settings, vector_attribute, dimensions, distance_function) FROM stdin;
Shop	ByDay	1	f	{day}	{S}	{time}	{N}	ALL	\N	{"WarmThroughput": {"Status": "ACTIVE", "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0}}	\N	\N	\N
Shop	Many	2	f	{day,kind}	{S,S}	{time}	{N}	INCLUDE	{note}	{"WarmThroughput": {"Status": "ACTIVE", "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0}}	\N	\N	\N
Local	ByC	1	t	{a}	{S}	{c}	{S}	ALL	\N	{}	\N	\N	\N
Vectors	Near	1	f	{tenant}	{S}	{}	{}	ALL	\N	{}	v	2	COSINE
\.
COPY dynamo.resource_policies (table_name, stream_label, table_id, revision_id, document, principals) FROM stdin;
Local		d6a1141c-3a85-4388-9447-0c27e295ec4d	1795903710985	{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:DeleteItem","Resource":"*"}]}	{}
\.
COPY dynamo.role_policies (role, policy_name, document) FROM stdin;
kept_tenant	narrow	{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",\n\t"Action": "dynamodb:GetItem", "Resource": "*"}]}
\.
COPY dynamo.streams (stream_id, relation, table_name, label, view_type, shards, partition_key, partition_key_type, sort_key, sort_key_type, owner, owner_oid, created_at, start_number, trimmed_number, disabled_at, end_number) FROM stdin;
1	dynamo_data."Shop"	Shop	2026-11-28T22:08:30.918	NEW_AND_OLD_IMAGES	1	PK	S	SK	N	postgres	10	2026-11-28 22:08:30.918+00	1	1	\N	\N
\.
COPY dynamo.tables (table_name, relation, partition_key, partition_key_type, sort_key, sort_key_type, table_id, created_at, settings, ttl_attribute, building) FROM stdin;
Shop	dynamo_data."Shop"	PK	S	SK	N	b6462914-e80a-4853-82ca-d830a7135f85	2026-11-28 22:08:30.792513+00	{"BillingMode": "PAY_PER_REQUEST", "WarmThroughput": {"Status": "ACTIVE", "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}, "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": 1795903710.792}, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0}}	ttl	\N
Vectors	dynamo_data."Vectors"	id	S	\N	\N	2a5f3b38-60d2-4203-9cb7-15c9bd251185	2026-11-28 22:08:30.87016+00	{"BillingMode": "PAY_PER_REQUEST", "WarmThroughput": {"Status": "ACTIVE", "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}, "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": 1795903710.870}, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0}}	\N	\N
Local	dynamo_data."Local"	a	S	b	B	d6a1141c-3a85-4388-9447-0c27e295ec4d	2026-11-28 22:08:30.82959+00	{"Tags": [{"Key": "k", "Value": "v"}], "AutoScaling": {"table:ReadCapacityUnits": {"MaxCapacity": 50, "MinCapacity": 1, "TargetValue": 70, "DisableScaleIn": false}}, "BillingMode": "PROVISIONED", "WarmThroughput": {"Status": "ACTIVE", "ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 6}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6, "NumberOfDecreasesToday": 0}}	\N	\N
\.
COPY dynamo_backup."01795903710951-00011e1d" (item) FROM stdin;
{"PK":{"S":"p1"},"SK":{"N":"1"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"x"},"time":{"N":"1"}}
{"PK":{"S":"p2"},"SK":{"N":"2"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xx"},"time":{"N":"2"}}
{"PK":{"S":"p3"},"SK":{"N":"3"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxx"},"time":{"N":"3"}}
{"PK":{"S":"p4"},"SK":{"N":"4"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxx"},"time":{"N":"4"}}
{"PK":{"S":"p0"},"SK":{"N":"5"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxx"},"time":{"N":"5"}}
{"PK":{"S":"p1"},"SK":{"N":"6"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxx"},"time":{"N":"6"}}
{"PK":{"S":"p2"},"SK":{"N":"7"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxx"},"time":{"N":"7"}}
{"PK":{"S":"p3"},"SK":{"N":"8"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxx"},"time":{"N":"8"}}
{"PK":{"S":"p4"},"SK":{"N":"9"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxx"},"time":{"N":"9"}}
{"PK":{"S":"p0"},"SK":{"N":"10"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxx"},"time":{"N":"10"}}
{"PK":{"S":"p1"},"SK":{"N":"11"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxx"},"time":{"N":"11"}}
{"PK":{"S":"p2"},"SK":{"N":"12"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxx"},"time":{"N":"12"}}
{"PK":{"S":"p3"},"SK":{"N":"13"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxx"},"time":{"N":"13"}}
{"PK":{"S":"p4"},"SK":{"N":"14"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxx"},"time":{"N":"14"}}
{"PK":{"S":"p0"},"SK":{"N":"15"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxx"},"time":{"N":"15"}}
{"PK":{"S":"p1"},"SK":{"N":"16"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxx"},"time":{"N":"16"}}
{"PK":{"S":"p2"},"SK":{"N":"17"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxx"},"time":{"N":"17"}}
{"PK":{"S":"p3"},"SK":{"N":"18"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxx"},"time":{"N":"18"}}
{"PK":{"S":"p4"},"SK":{"N":"19"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxx"},"time":{"N":"19"}}
{"PK":{"S":"p0"},"SK":{"N":"20"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxx"},"time":{"N":"20"}}
{"PK":{"S":"p1"},"SK":{"N":"21"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"21"}}
{"PK":{"S":"p2"},"SK":{"N":"22"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"22"}}
{"PK":{"S":"p3"},"SK":{"N":"23"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"23"}}
{"PK":{"S":"p4"},"SK":{"N":"24"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"24"}}
{"PK":{"S":"p0"},"SK":{"N":"25"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"25"}}
{"PK":{"S":"p1"},"SK":{"N":"26"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"26"}}
{"PK":{"S":"p2"},"SK":{"N":"27"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"27"}}
{"PK":{"S":"p3"},"SK":{"N":"28"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"28"}}
{"PK":{"S":"p4"},"SK":{"N":"29"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"29"}}
{"PK":{"S":"p0"},"SK":{"N":"30"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"30"}}
{"PK":{"S":"p1"},"SK":{"N":"31"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"31"}}
{"PK":{"S":"p2"},"SK":{"N":"32"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"32"}}
{"PK":{"S":"p3"},"SK":{"N":"33"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"33"}}
{"PK":{"S":"p4"},"SK":{"N":"34"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"34"}}
{"PK":{"S":"p0"},"SK":{"N":"35"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"35"}}
{"PK":{"S":"p1"},"SK":{"N":"36"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"36"}}
{"PK":{"S":"p2"},"SK":{"N":"37"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"37"}}
{"PK":{"S":"p3"},"SK":{"N":"38"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"38"}}
{"PK":{"S":"p4"},"SK":{"N":"39"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"39"}}
{"PK":{"S":"p0"},"SK":{"N":"40"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"40"}}
{"PK":{"S":"p1"},"SK":{"N":"41"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"41"}}
{"PK":{"S":"p2"},"SK":{"N":"42"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"42"}}
{"PK":{"S":"p3"},"SK":{"N":"43"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"43"}}
{"PK":{"S":"p4"},"SK":{"N":"44"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"44"}}
{"PK":{"S":"p0"},"SK":{"N":"45"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"45"}}
{"PK":{"S":"p1"},"SK":{"N":"46"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"46"}}
{"PK":{"S":"p2"},"SK":{"N":"47"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"47"}}
{"PK":{"S":"p3"},"SK":{"N":"48"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"48"}}
{"PK":{"S":"p4"},"SK":{"N":"49"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"49"}}
{"PK":{"S":"p0"},"SK":{"N":"50"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"50"}}
{"PK":{"S":"p1"},"SK":{"N":"51"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"51"}}
{"PK":{"S":"p2"},"SK":{"N":"52"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"52"}}
{"PK":{"S":"p3"},"SK":{"N":"53"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"53"}}
{"PK":{"S":"p4"},"SK":{"N":"54"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"54"}}
{"PK":{"S":"p0"},"SK":{"N":"55"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"55"}}
{"PK":{"S":"p1"},"SK":{"N":"56"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"56"}}
{"PK":{"S":"p2"},"SK":{"N":"57"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"57"}}
{"PK":{"S":"p3"},"SK":{"N":"58"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"58"}}
{"PK":{"S":"p4"},"SK":{"N":"59"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"59"}}
{"PK":{"S":"p0"},"SK":{"N":"60"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"60"}}
{"PK":{"S":"p1"},"SK":{"N":"61"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"61"}}
{"PK":{"S":"p2"},"SK":{"N":"62"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"62"}}
{"PK":{"S":"p3"},"SK":{"N":"63"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"63"}}
{"PK":{"S":"p4"},"SK":{"N":"64"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"64"}}
{"PK":{"S":"p0"},"SK":{"N":"65"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"65"}}
{"PK":{"S":"p1"},"SK":{"N":"66"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"66"}}
{"PK":{"S":"p2"},"SK":{"N":"67"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"67"}}
{"PK":{"S":"p3"},"SK":{"N":"68"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"68"}}
{"PK":{"S":"p4"},"SK":{"N":"69"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"69"}}
{"PK":{"S":"p1"},"SK":{"N":"71"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"71"}}
{"PK":{"S":"p2"},"SK":{"N":"72"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"72"}}
{"PK":{"S":"p3"},"SK":{"N":"73"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"73"}}
{"PK":{"S":"p4"},"SK":{"N":"74"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"74"}}
{"PK":{"S":"p1"},"SK":{"N":"76"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"76"}}
{"PK":{"S":"p2"},"SK":{"N":"77"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"77"}}
{"PK":{"S":"p3"},"SK":{"N":"78"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"78"}}
{"PK":{"S":"p4"},"SK":{"N":"79"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"79"}}
{"PK":{"S":"p1"},"SK":{"N":"81"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"81"}}
{"PK":{"S":"p2"},"SK":{"N":"82"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"82"}}
{"PK":{"S":"p3"},"SK":{"N":"83"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"83"}}
{"PK":{"S":"p4"},"SK":{"N":"84"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"84"}}
{"PK":{"S":"p1"},"SK":{"N":"86"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"86"}}
{"PK":{"S":"p2"},"SK":{"N":"87"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"87"}}
{"PK":{"S":"p3"},"SK":{"N":"88"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"88"}}
{"PK":{"S":"p4"},"SK":{"N":"89"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"89"}}
{"PK":{"S":"p1"},"SK":{"N":"91"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"91"}}
{"PK":{"S":"p2"},"SK":{"N":"92"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"92"}}
{"PK":{"S":"p3"},"SK":{"N":"93"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"93"}}
{"PK":{"S":"p4"},"SK":{"N":"94"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"94"}}
{"PK":{"S":"p1"},"SK":{"N":"96"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"96"}}
{"PK":{"S":"p2"},"SK":{"N":"97"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"97"}}
{"PK":{"S":"p3"},"SK":{"N":"98"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"98"}}
{"PK":{"S":"p4"},"SK":{"N":"99"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"99"}}
{"PK":{"S":"p0"},"SK":{"N":"70"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"70"}}
{"PK":{"S":"p0"},"SK":{"N":"75"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"75"}}
{"PK":{"S":"p0"},"SK":{"N":"80"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"80"}}
{"PK":{"S":"p0"},"SK":{"N":"85"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"85"}}
{"PK":{"S":"p0"},"SK":{"N":"90"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"90"}}
{"PK":{"S":"p0"},"SK":{"N":"95"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"95"}}
{"PK":{"S":"p0"},"SK":{"N":"100"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"100"}}
{"PK":{"S":"all"},"SK":{"N":"-12345678901234567890.12345678"},"b":{"B":"AAEC"},"bs":{"BS":["AP8="]},"e":{"S":""},"l":{"L":[{"M":{}},{"NULL":true},{"BOOL":false}]},"ns":{"NS":["3","1"]},"ss":{"SS":["a","b"]}}
\.
COPY dynamo_data."Local" (item) FROM stdin;
{"a":{"S":"x"},"b":{"B":"AAAAAQ=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAAAg=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAAAw=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAABA=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAABQ=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAABg=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAABw=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAACA=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAACQ=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAACg=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAACw=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAADA=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAADQ=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAADg=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAADw=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAAEA=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAAEQ=="},"c":{"S":"2"}}
{"a":{"S":"x"},"b":{"B":"AAAAEg=="},"c":{"S":"0"}}
{"a":{"S":"x"},"b":{"B":"AAAAEw=="},"c":{"S":"1"}}
{"a":{"S":"x"},"b":{"B":"AAAAFA=="},"c":{"S":"2"}}
\.
COPY dynamo_data."Shop" (item) FROM stdin;
{"PK":{"S":"p1"},"SK":{"N":"1"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"x"},"time":{"N":"1"}}
{"PK":{"S":"p2"},"SK":{"N":"2"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xx"},"time":{"N":"2"}}
{"PK":{"S":"p3"},"SK":{"N":"3"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxx"},"time":{"N":"3"}}
{"PK":{"S":"p4"},"SK":{"N":"4"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxx"},"time":{"N":"4"}}
{"PK":{"S":"p0"},"SK":{"N":"5"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxx"},"time":{"N":"5"}}
{"PK":{"S":"p1"},"SK":{"N":"6"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxx"},"time":{"N":"6"}}
{"PK":{"S":"p2"},"SK":{"N":"7"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxx"},"time":{"N":"7"}}
{"PK":{"S":"p3"},"SK":{"N":"8"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxx"},"time":{"N":"8"}}
{"PK":{"S":"p4"},"SK":{"N":"9"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxx"},"time":{"N":"9"}}
{"PK":{"S":"p0"},"SK":{"N":"10"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxx"},"time":{"N":"10"}}
{"PK":{"S":"p1"},"SK":{"N":"11"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxx"},"time":{"N":"11"}}
{"PK":{"S":"p2"},"SK":{"N":"12"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxx"},"time":{"N":"12"}}
{"PK":{"S":"p3"},"SK":{"N":"13"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxx"},"time":{"N":"13"}}
{"PK":{"S":"p4"},"SK":{"N":"14"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxx"},"time":{"N":"14"}}
{"PK":{"S":"p0"},"SK":{"N":"15"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxx"},"time":{"N":"15"}}
{"PK":{"S":"p1"},"SK":{"N":"16"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxx"},"time":{"N":"16"}}
{"PK":{"S":"p2"},"SK":{"N":"17"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxx"},"time":{"N":"17"}}
{"PK":{"S":"p3"},"SK":{"N":"18"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxx"},"time":{"N":"18"}}
{"PK":{"S":"p4"},"SK":{"N":"19"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxx"},"time":{"N":"19"}}
{"PK":{"S":"p0"},"SK":{"N":"20"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxx"},"time":{"N":"20"}}
{"PK":{"S":"p1"},"SK":{"N":"21"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"21"}}
{"PK":{"S":"p2"},"SK":{"N":"22"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"22"}}
{"PK":{"S":"p3"},"SK":{"N":"23"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"23"}}
{"PK":{"S":"p4"},"SK":{"N":"24"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"24"}}
{"PK":{"S":"p0"},"SK":{"N":"25"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"25"}}
{"PK":{"S":"p1"},"SK":{"N":"26"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"26"}}
{"PK":{"S":"p2"},"SK":{"N":"27"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"27"}}
{"PK":{"S":"p3"},"SK":{"N":"28"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"28"}}
{"PK":{"S":"p4"},"SK":{"N":"29"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"29"}}
{"PK":{"S":"p0"},"SK":{"N":"30"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"30"}}
{"PK":{"S":"p1"},"SK":{"N":"31"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"31"}}
{"PK":{"S":"p2"},"SK":{"N":"32"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"32"}}
{"PK":{"S":"p3"},"SK":{"N":"33"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"33"}}
{"PK":{"S":"p4"},"SK":{"N":"34"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"34"}}
{"PK":{"S":"p0"},"SK":{"N":"35"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"35"}}
{"PK":{"S":"p1"},"SK":{"N":"36"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"36"}}
{"PK":{"S":"p2"},"SK":{"N":"37"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"37"}}
{"PK":{"S":"p3"},"SK":{"N":"38"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"38"}}
{"PK":{"S":"p4"},"SK":{"N":"39"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"39"}}
{"PK":{"S":"p0"},"SK":{"N":"40"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"40"}}
{"PK":{"S":"p1"},"SK":{"N":"41"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"41"}}
{"PK":{"S":"p2"},"SK":{"N":"42"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"42"}}
{"PK":{"S":"p3"},"SK":{"N":"43"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"43"}}
{"PK":{"S":"p4"},"SK":{"N":"44"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"44"}}
{"PK":{"S":"p0"},"SK":{"N":"45"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"45"}}
{"PK":{"S":"p1"},"SK":{"N":"46"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"46"}}
{"PK":{"S":"p2"},"SK":{"N":"47"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"47"}}
{"PK":{"S":"p3"},"SK":{"N":"48"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"48"}}
{"PK":{"S":"p4"},"SK":{"N":"49"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"49"}}
{"PK":{"S":"p0"},"SK":{"N":"50"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"50"}}
{"PK":{"S":"p1"},"SK":{"N":"51"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"51"}}
{"PK":{"S":"p2"},"SK":{"N":"52"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"52"}}
{"PK":{"S":"p3"},"SK":{"N":"53"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"53"}}
{"PK":{"S":"p4"},"SK":{"N":"54"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"54"}}
{"PK":{"S":"p0"},"SK":{"N":"55"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"55"}}
{"PK":{"S":"p1"},"SK":{"N":"56"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"56"}}
{"PK":{"S":"p2"},"SK":{"N":"57"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"57"}}
{"PK":{"S":"p3"},"SK":{"N":"58"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"58"}}
{"PK":{"S":"p4"},"SK":{"N":"59"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"59"}}
{"PK":{"S":"p0"},"SK":{"N":"60"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"60"}}
{"PK":{"S":"p1"},"SK":{"N":"61"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"61"}}
{"PK":{"S":"p2"},"SK":{"N":"62"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"62"}}
{"PK":{"S":"p3"},"SK":{"N":"63"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"63"}}
{"PK":{"S":"p4"},"SK":{"N":"64"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"64"}}
{"PK":{"S":"p0"},"SK":{"N":"65"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"65"}}
{"PK":{"S":"p1"},"SK":{"N":"66"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"66"}}
{"PK":{"S":"p2"},"SK":{"N":"67"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"67"}}
{"PK":{"S":"p3"},"SK":{"N":"68"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"68"}}
{"PK":{"S":"p4"},"SK":{"N":"69"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"69"}}
{"PK":{"S":"p1"},"SK":{"N":"71"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"71"}}
{"PK":{"S":"p2"},"SK":{"N":"72"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"72"}}
{"PK":{"S":"p3"},"SK":{"N":"73"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"73"}}
{"PK":{"S":"p4"},"SK":{"N":"74"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"74"}}
{"PK":{"S":"p1"},"SK":{"N":"76"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"76"}}
{"PK":{"S":"p2"},"SK":{"N":"77"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"77"}}
{"PK":{"S":"p3"},"SK":{"N":"78"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"78"}}
{"PK":{"S":"p4"},"SK":{"N":"79"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"79"}}
{"PK":{"S":"p1"},"SK":{"N":"81"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"81"}}
{"PK":{"S":"p2"},"SK":{"N":"82"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"82"}}
{"PK":{"S":"p3"},"SK":{"N":"83"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"83"}}
{"PK":{"S":"p4"},"SK":{"N":"84"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"84"}}
{"PK":{"S":"p1"},"SK":{"N":"86"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"86"}}
{"PK":{"S":"p2"},"SK":{"N":"87"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"87"}}
{"PK":{"S":"p3"},"SK":{"N":"88"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"88"}}
{"PK":{"S":"p4"},"SK":{"N":"89"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"89"}}
{"PK":{"S":"p1"},"SK":{"N":"91"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"91"}}
{"PK":{"S":"p2"},"SK":{"N":"92"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"92"}}
{"PK":{"S":"p3"},"SK":{"N":"93"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"93"}}
{"PK":{"S":"p4"},"SK":{"N":"94"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"94"}}
{"PK":{"S":"p1"},"SK":{"N":"96"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"96"}}
{"PK":{"S":"p2"},"SK":{"N":"97"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"97"}}
{"PK":{"S":"p3"},"SK":{"N":"98"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"98"}}
{"PK":{"S":"p4"},"SK":{"N":"99"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"99"}}
{"PK":{"S":"p0"},"SK":{"N":"70"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"70"}}
{"PK":{"S":"p0"},"SK":{"N":"75"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"75"}}
{"PK":{"S":"p0"},"SK":{"N":"80"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"80"}}
{"PK":{"S":"p0"},"SK":{"N":"85"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"85"}}
{"PK":{"S":"p0"},"SK":{"N":"90"},"day":{"S":"d0"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"90"}}
{"PK":{"S":"p0"},"SK":{"N":"95"},"day":{"S":"d2"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"95"}}
{"PK":{"S":"p0"},"SK":{"N":"100"},"day":{"S":"d1"},"kind":{"S":"k"},"note":{"S":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"time":{"N":"100"}}
{"PK":{"S":"all"},"SK":{"N":"-12345678901234567890.12345678"},"b":{"B":"AAEC"},"bs":{"BS":["AP8="]},"e":{"S":""},"l":{"L":[{"M":{}},{"NULL":true},{"BOOL":false}]},"ns":{"NS":["3","1"]},"ss":{"SS":["a","b"]}}
\.
COPY dynamo_data."Vectors" (item) FROM stdin;
{"id":{"S":"1"},"tenant":{"S":"t1"},"v":{"L":[{"N":"1"},{"N":"9"}]}}
{"id":{"S":"2"},"tenant":{"S":"t0"},"v":{"L":[{"N":"2"},{"N":"8"}]}}
{"id":{"S":"3"},"tenant":{"S":"t1"},"v":{"L":[{"N":"3"},{"N":"7"}]}}
{"id":{"S":"4"},"tenant":{"S":"t0"},"v":{"L":[{"N":"4"},{"N":"6"}]}}
{"id":{"S":"5"},"tenant":{"S":"t1"},"v":{"L":[{"N":"5"},{"N":"5"}]}}
{"id":{"S":"6"},"tenant":{"S":"t0"},"v":{"L":[{"N":"6"},{"N":"4"}]}}
{"id":{"S":"7"},"tenant":{"S":"t1"},"v":{"L":[{"N":"7"},{"N":"3"}]}}
{"id":{"S":"8"},"tenant":{"S":"t0"},"v":{"L":[{"N":"8"},{"N":"2"}]}}
{"id":{"S":"9"},"tenant":{"S":"t1"},"v":{"L":[{"N":"9"},{"N":"1"}]}}
{"id":{"S":"10"},"tenant":{"S":"t0"},"v":{"L":[{"N":"10"},{"N":"0"}]}}
\.
COPY dynamo_internal.event_source_positions (mapping, lane, number, handled, discarded, batch_end, batch_limit, failures, retry_at, last_at, result, lost_at) FROM stdin;
1	0	1	0	0	\N	\N	0	\N	\N	No records processed	\N
\.
COPY dynamo_internal.event_sources (mapping, relation, stream, owner, owner_oid, function_schema, function_name, enabled, created_at, settings, on_failure) FROM stdin;
1	dynamo_data."Shop"	1	postgres	10	public	handle	f	2026-11-28 22:08:30.949052+00	{"BatchSize":100,"MaximumBatchingWindowInSeconds":0,"MaximumRetryAttempts":-1,"BisectBatchOnFunctionError":false,"MaximumRecordAgeInSeconds":-1,"ParallelizationFactor":1}	\N
\.
COPY dynamo_internal.recovery (recovery_id, relation, days, kept_from, ended_at, partition_key, partition_key_type, sort_key, sort_key_type) FROM stdin;
1	dynamo_data."Local"	35	2026-11-28 22:08:30.968127+00	\N	a	S	b	B
\.
COPY dynamo_internal.stream_records_0 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_1 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_2 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_3 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_4 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_5 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
2	2026-11-28 22:08:30.929923+00	1	0	I	f	\N	\N	{"PK":{"S":"stream"},"SK":{"N":"1"},"v":{"N":"1"}}
3	2026-11-28 22:08:30.930676+00	1	0	M	f	\N	{"PK":{"S":"stream"},"SK":{"N":"1"},"v":{"N":"1"}}	{"PK":{"S":"stream"},"SK":{"N":"1"},"v":{"N":"2"}}
4	2026-11-28 22:08:30.935384+00	1	0	R	f	\N	{"PK":{"S":"stream"},"SK":{"N":"1"},"v":{"N":"2"}}	\N
\.
COPY dynamo_internal.stream_records_6 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY dynamo_internal.stream_records_7 (number, created_at, stream, shard, event, service, keys, old_image, new_image) FROM stdin;
\.
COPY public.handled (id, event) FROM stdin;
\.
SELECT pg_catalog.setval('dynamo_internal.event_source_ids', 1, true);
SELECT pg_catalog.setval('dynamo_internal.recovery_ids', 1, true);
SELECT pg_catalog.setval('dynamo_internal.stream_ids', 1, true);
SELECT pg_catalog.setval('dynamo_internal.stream_sequence', 4, true);
ALTER TABLE ONLY dynamo_data."Local"
    ADD CONSTRAINT "Local:pkey" PRIMARY KEY (pk, sk);
ALTER TABLE ONLY dynamo_data."Shop"
    ADD CONSTRAINT "Shop:pkey" PRIMARY KEY (pk, sk);
ALTER TABLE ONLY dynamo_data."Vectors"
    ADD CONSTRAINT "Vectors:pkey" PRIMARY KEY (pk);
CREATE INDEX "Local/ByC" ON dynamo_data."Local" USING btree (dynamo_internal.index_partition_hash(item, 'a'::text, 'S'::"char"), dynamo_internal.index_sort_key(item, 'c'::text, 'S'::"char"), dynamo_internal.key_hash(item, VARIADIC ARRAY['a'::text, 'b'::text])) WHERE ((dynamo_internal.index_partition_hash(item, 'a'::text, 'S'::"char") IS NOT NULL) AND (dynamo_internal.index_sort_key(item, 'c'::text, 'S'::"char") IS NOT NULL));
CREATE INDEX "Shop/ByDay" ON dynamo_data."Shop" USING btree (dynamo_internal.index_partition_hash(item, 'day'::text, 'S'::"char"), dynamo_internal.index_sort_key(item, 'time'::text, 'N'::"char"), dynamo_internal.key_hash(item, VARIADIC ARRAY['PK'::text, 'SK'::text])) WHERE ((dynamo_internal.index_partition_hash(item, 'day'::text, 'S'::"char") IS NOT NULL) AND (dynamo_internal.index_sort_key(item, 'time'::text, 'N'::"char") IS NOT NULL));
CREATE INDEX "Shop/Many" ON dynamo_data."Shop" USING btree (dynamo_internal.index_partition_hash(item, '{day,kind}'::text[], '{S,S}'::"char"[]), dynamo_internal.index_sort_key(item, 'time'::text, 'N'::"char"), dynamo_internal.key_hash(item, VARIADIC ARRAY['PK'::text, 'SK'::text])) WHERE ((dynamo_internal.index_partition_hash(item, '{day,kind}'::text[], '{S,S}'::"char"[]) IS NOT NULL) AND (dynamo_internal.index_sort_key(item, 'time'::text, 'N'::"char") IS NOT NULL));
CREATE INDEX "Shop:ttl" ON dynamo_data."Shop" USING btree (dynamo_internal.expiry(item, 'ttl'::text), dynamo_internal.key_hash(item, VARIADIC ARRAY['PK'::text, 'SK'::text])) WHERE (dynamo_internal.expiry(item, 'ttl'::text) IS NOT NULL);
CREATE INDEX "Vectors/Near" ON dynamo_data."Vectors" USING dynamo_vector (dynamo_internal.vector_entry(item, 'v'::text, 2, '{tenant}'::text[], '{S}'::"char"[], true));
CREATE TRIGGER "!dynamo_stream" AFTER INSERT OR DELETE OR UPDATE ON dynamo_data."Local" FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE TRIGGER "!dynamo_stream" AFTER INSERT OR DELETE OR UPDATE ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE TRIGGER "!dynamo_stream_truncate" BEFORE TRUNCATE ON dynamo_data."Local" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE TRIGGER "!dynamo_stream_truncate" BEFORE TRUNCATE ON dynamo_data."Shop" FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.stream_capture();
REVOKE ALL ON TABLE dynamo_backup."01795903710951-00011e1d" FROM postgres;
GRANT SELECT ON TABLE dynamo_backup."01795903710951-00011e1d" TO postgres;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dynamo_data."Shop" TO kept_tenant;

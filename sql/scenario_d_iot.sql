-- Sensor readings: the partition key is a device and an hour, the sort key the
-- time to the millisecond; a day is 24 Queries that the client merges.
\t on
\a
SELECT dynamo.create_table('ScenIot', 'PK', 'SK');
-- a reading every 29 minutes and 0.25 s of two days, of two devices; ttl is a week later
INSERT INTO dynamo_data."ScenIot" (item)
SELECT jsonb_build_object('PK', format('DEVICE#%s#%s', d, to_char(t, 'YYYY-MM-DD-HH24')), 'SK', to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'temperature', 20 + n % 7 + 0.5, 'ttl', extract(epoch FROM t AT TIME ZONE 'UTC' + interval '7 days')::bigint)::dynamo.item
  FROM unnest('{123,9}'::text[]) d, generate_series(0, 99) n, LATERAL (SELECT timestamp '2024-03-15 00:00:00.125' + n * interval '29 minutes 0.25 seconds') x (t);
CREATE FUNCTION pg_temp.query(more text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', ('{"TableName": "ScenIot", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "DEVICE#123#2024-03-15-14"}}, ' || more || '}')::json) $$;

-- one hour, in the order of time, through both doors
SELECT item ->> 'SK', item ->> 'temperature' FROM dynamo.query('ScenIot', 'PK = :p', '{":p": "DEVICE#123#2024-03-15-14"}');
SELECT pg_temp.query('"ProjectionExpression": "SK, temperature"');
-- a device's number that begins with another's is another device
SELECT count(*) FROM dynamo.query('ScenIot', 'PK = :p', '{":p": "DEVICE#12#2024-03-15-14"}');
-- part of an hour: milliseconds count, both bounds belong to it
SELECT item ->> 'SK' FROM dynamo.query('ScenIot', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": "DEVICE#123#2024-03-15-14", ":a": "2024-03-15T14:01:07.375Z", ":b": "2024-03-15T14:30:07.625Z"}');
SELECT item ->> 'SK' FROM dynamo.query('ScenIot', 'PK = :p AND SK > :a', '{":p": "DEVICE#123#2024-03-15-14", ":a": "2024-03-15T14:01:07.375Z"}');
SELECT item ->> 'SK' FROM dynamo.query('ScenIot', 'PK = :p AND begins_with(SK, :m)', '{":p": "DEVICE#123#2024-03-15-14", ":m": "2024-03-15T14:30"}');
-- the latest reading: Limit 1 from the end; the key it stops at is said
SELECT pg_temp.query('"ScanIndexForward": false, "Limit": 1, "ProjectionExpression": "temperature"');

-- a day: 24 Queries in SQL, merged, with nothing of the days around
SELECT count(*), min(item ->> 'SK'), max(item ->> 'SK'), round(avg((item ->> 'temperature')::numeric), 2) FROM generate_series(0, 23) h,
  dynamo.query('ScenIot', 'PK = :p', jsonb_build_object(':p', format('DEVICE#123#2024-03-15-%s', lpad(h::text, 2, '0')))::dynamo.item);
SELECT sum((a ->> 'Count')::int) FROM generate_series(0, 23) h, LATERAL (SELECT dynamo.call('Query', format('{"TableName": "ScenIot", "Select": "COUNT", "KeyConditionExpression": "PK = :p",
  "ExpressionAttributeValues": {":p": {"S": "DEVICE#123#2024-03-15-%s"}}}', lpad(h::text, 2, '0'))::json)) x (a);
-- the buckets of the day are as many partitions; together with the next day's all is there once
SELECT count(DISTINCT item ->> 'PK'), count(DISTINCT (item ->> 'PK') || (item ->> 'SK')), count(*) FROM dynamo.scan('ScenIot');
SELECT sum((a ->> 'Count')::int) FROM generate_series(0, 3) s, LATERAL (SELECT dynamo.call('Scan', format('{"TableName": "ScenIot", "Select": "COUNT", "Segment": %s, "TotalSegments": 4}', s)::json)) x (a);

-- what has expired may still be there: a read filters by ttl (a reserved word), and only numbers count
SELECT dynamo.put_item('ScenIot', '{"PK": "DEVICE#123#2024-03-15-14", "SK": "2024-03-15T14:59:59.999Z", "temperature": 99, "ttl": "1800000000"}');
SELECT dynamo.put_item('ScenIot', '{"PK": "DEVICE#123#2024-03-15-14", "SK": "2024-03-15T14:59:59.998Z", "temperature": 98, "ttl": 1800000000}');
SELECT item ->> 'SK' FROM dynamo.query('ScenIot', 'PK = :p', '{":p": "DEVICE#123#2024-03-15-14", ":now": 1711117000}', filter_expression => '#ttl > :now', expression_attribute_names => '{"#ttl": "ttl"}');
SELECT dynamo.try_call('Query', '{"TableName": "ScenIot", "KeyConditionExpression": "PK = :p", "FilterExpression": "#ttl > :now", "ExpressionAttributeNames": {"#ttl": "ttl"},
  "ExpressionAttributeValues": {":p": {"S": "DEVICE#123#2024-03-15-14"}, ":now": {"N": "1711117000"}}, "Select": "COUNT"}');
SELECT pg_temp.query('"FilterExpression": "ttl > :p"');

-- a late reading that came twice is stored once; a second sensor's clock collision is seen
SELECT dynamo.call('PutItem', '{"TableName": "ScenIot", "Item": {"PK": {"S": "DEVICE#123#2024-03-15-14"}, "SK": {"S": "2024-03-15T14:59:59.998Z"}, "temperature": {"N": "98.0"}}, "ReturnValues": "ALL_OLD"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "ScenIot", "Item": {"PK": {"S": "DEVICE#123#2024-03-15-14"}, "SK": {"S": "2024-03-15T14:59:59.998Z"}, "temperature": {"N": "1"}},
  "ConditionExpression": "attribute_not_exists(SK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
-- an hour's statistics are kept beside it by ADD, whichever reading comes first
SELECT dynamo.update_item('ScenIot', '{"PK": "DEVICE#123#2024-03-15-14", "SK": "STATISTICS"}', 'ADD readings :one, degrees :t', jsonb_build_object(':one', 1, ':t', t)::dynamo.item, return_values => 'UPDATED_NEW') FROM unnest('{20.5,21.25,-0.75}'::numeric[]) t;

-- readings expire: gone without being read back, each with a record in the stream that says who did it
SELECT extract(epoch FROM now())::bigint AS now \gset
DELETE FROM dynamo_data."ScenIot";
SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "ScenIot", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}}');
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "ScenIot"}');
SELECT dynamo.call('UpdateTable', '{"TableName": "ScenIot", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}') #>> '{TableDescription,StreamSpecification,StreamViewType}';
SELECT count(dynamo.call('PutItem', format('{"TableName": "ScenIot", "Item": {"PK": {"S": "DEVICE#7#now"}, "SK": {"S": "%s"}, "temperature": {"N": "%s"}, "ttl": {"N": "%s"}}}', lpad(n::text, 2, '0'), n, :now + (n - 10.5) * 100)::json)) FROM generate_series(1, 20) n;
SELECT dynamo.call('DeleteItem', '{"TableName": "ScenIot", "Key": {"PK": {"S": "DEVICE#7#now"}, "SK": {"S": "01"}}}');
SELECT dynamo.expire_items('ScenIot', 4);
SELECT count(*), min(item ->> 'SK') FROM dynamo.query('ScenIot', 'PK = :p', '{":p": "DEVICE#7#now"}');
SELECT dynamo.expire_items('ScenIot');
SELECT count(*), min(item ->> 'SK') FROM dynamo.query('ScenIot', 'PK = :p', '{":p": "DEVICE#7#now"}');
SELECT record ->> 'eventName', record ->> 'userIdentity', count(*), min(record #>> '{dynamodb,OldImage,temperature,N}'), max(record #>> '{dynamodb,OldImage,temperature,N}')
  FROM dynamo.call('DescribeTable', '{"TableName": "ScenIot"}') t (t), LATERAL (SELECT t #>> '{Table,LatestStreamArn}') a (arn),
    LATERAL json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn', arn)) #> '{StreamDescription,Shards}') shard,
    LATERAL (SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard ->> 'ShardId', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator') i (iterator),
    LATERAL json_array_elements(dynamo.call('GetRecords', json_build_object('ShardIterator', iterator)) -> 'Records') record
  GROUP BY 1, 2 ORDER BY 1, 3;
SELECT dynamo.drop_table('ScenIot');

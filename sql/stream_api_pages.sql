-- GetRecords by pages: each record once whatever the limit, no more than 1000
-- or 1 MB at a time, and the end of what is closed.
\a
\t on
SET dynamo.stream_shards = 4;

CREATE FUNCTION pg_temp.iterators(arn text) RETURNS TABLE (shard int, iterator text)
LANGUAGE sql AS $$
	SELECT n, dynamo.call('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', s -> 'ShardId', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator'
	FROM json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn', arn)) #> '{StreamDescription,Shards}') WITH ORDINALITY AS s (s, n)
$$;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text
LANGUAGE sql AS $$ SELECT dynamo.call('DescribeTable', json_build_object('TableName', name)) -> 'Table' ->> 'LatestStreamArn' $$;

-- Read a shard to its end, or to an empty page.
CREATE FUNCTION pg_temp.shard(iterator text, page int, OUT events text[], OUT pages int, OUT ended boolean)
LANGUAGE plpgsql AS $$
DECLARE
	answer json;
BEGIN
	pages := 0;
	events := '{}';
	LOOP
		answer := dynamo.call('GetRecords', json_build_object('ShardIterator', iterator, 'Limit', page));
		iterator := answer ->> 'NextShardIterator';
		ended := iterator IS NULL;
		EXIT WHEN json_array_length(answer -> 'Records') = 0;
		pages := pages + 1;
		events := events || ARRAY(SELECT r ->> 'eventName' || ' ' || (r #>> '{dynamodb,Keys,pk,S}') || ' ' || (r #>> '{dynamodb,SequenceNumber}') || ' ' || (r ->> 'eventID')
			FROM json_array_elements(answer -> 'Records') r);
		EXIT WHEN ended;
	END LOOP;
END $$;

SELECT dynamo.create_table('StreamPages', 'pk');
SELECT dynamo.enable_stream('StreamPages', 'NEW_IMAGE') IS NOT NULL;
SELECT bool_and(dynamo.put_item('StreamPages', jsonb_build_object('pk', 'k' || n % 50, 'n', n)::dynamo.item) IS NULL) FROM generate_series(1, 150) n;
SELECT bool_and(dynamo.delete_item('StreamPages', jsonb_build_object('pk', 'k' || n)::dynamo.item) IS NULL) FROM generate_series(0, 49) n;

-- Every record once, in order, the same at any limit.
CREATE TEMP TABLE seen AS
SELECT page, shard, event, n FROM unnest(ARRAY[1, 7, 1000]) page, pg_temp.iterators(pg_temp.arn('StreamPages')) i,
	pg_temp.shard(iterator, page) s, unnest(s.events) WITH ORDINALITY AS e (event, n);
SELECT page, count(*) AS records, count(DISTINCT split_part(event, ' ', 3)) AS numbers, count(DISTINCT split_part(event, ' ', 4)) AS ids, count(DISTINCT shard) AS shards
FROM seen GROUP BY page ORDER BY page;
SELECT count(DISTINCT md5) AS orders FROM (SELECT md5(string_agg(event, ',' ORDER BY shard, n)) FROM seen GROUP BY page) s;
SELECT bool_and(more) AS in_order FROM (SELECT split_part(event, ' ', 3) > lag(split_part(event, ' ', 3), 1, '') OVER (PARTITION BY page, shard ORDER BY n) AS more FROM seen) s;
SELECT events, count(*) AS items, bool_and(shards = 1) AS in_one_shard
FROM (SELECT split_part(event, ' ', 2) AS key, string_agg(split_part(event, ' ', 1), ' ' ORDER BY n) AS events, count(DISTINCT shard) AS shards FROM seen WHERE page = 7 GROUP BY 1) s
GROUP BY events;

-- The same names and numbers for whoever asks again.
SELECT bool_and(s.events = ARRAY(SELECT event FROM seen WHERE seen.shard = i.shard AND page = 1 ORDER BY n)) AS same
FROM pg_temp.iterators(pg_temp.arn('StreamPages')) i, pg_temp.shard(iterator, 100) s;

-- Closed: behind the last record there is no iterator, nor at the latest.
SELECT pg_temp.arn('StreamPages') AS arn \gset
SELECT bool_or(ended) AS ended FROM pg_temp.iterators(:'arn'), pg_temp.shard(iterator, 1000);
SELECT iterator AS open FROM pg_temp.iterators(:'arn') WHERE shard = 1 \gset
SELECT dynamo.disable_stream('StreamPages');
SELECT dynamo.put_item('StreamPages', '{"pk": "late"}');
SELECT page, sum(array_length(events, 1)) AS records, bool_and(ended) AS ended FROM unnest(ARRAY[1, 7, 1000]) page, pg_temp.iterators(:'arn'), pg_temp.shard(iterator, page) GROUP BY page ORDER BY page;
SELECT ended FROM pg_temp.shard(:'open', 1000);
SELECT dynamo.call('GetRecords', json_build_object('ShardIterator', dynamo.call('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardIteratorType', 'LATEST',
	'ShardId', dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn')) #> '{StreamDescription,Shards,2,ShardId}')) -> 'ShardIterator'));

-- A new stream is empty, and the old one is not.
SELECT dynamo.enable_stream('StreamPages', 'NEW_IMAGE') IS NOT NULL;
SELECT count(*) AS shards, sum(pages) AS pages, bool_or(ended) AS ended FROM pg_temp.iterators(pg_temp.arn('StreamPages')), pg_temp.shard(iterator, 1000);
SELECT sum(array_length(events, 1)) AS records FROM pg_temp.iterators(:'arn'), pg_temp.shard(iterator, 1000);

-- 1 MB: three images of 400 kB are two pages, one image alone is always told.
SELECT bool_and(dynamo.put_item('StreamPages', jsonb_build_object('pk', 'big', 'n', n, 'x', repeat('x', 400000))::dynamo.item) IS NULL) FROM generate_series(1, 3) n;
SELECT array_length(events, 1) AS records, pages FROM pg_temp.iterators(pg_temp.arn('StreamPages')), pg_temp.shard(iterator, 1000) WHERE pages > 0;

-- 1000 records are a page if no limit is given.
SELECT dynamo.disable_stream('StreamPages');
SELECT dynamo.enable_stream('StreamPages', 'KEYS_ONLY') IS NOT NULL;
SELECT bool_and(dynamo.put_item('StreamPages', jsonb_build_object('pk', 'one', 'n', n)::dynamo.item) IS NULL) FROM generate_series(1, 1001) n;
SELECT max(json_array_length(dynamo.call('GetRecords', json_build_object('ShardIterator', iterator)) -> 'Records')) AS most
FROM pg_temp.iterators(pg_temp.arn('StreamPages'));

-- What was rolled back was never there, what is not committed is not there yet.
BEGIN;
SELECT dynamo.put_item('StreamPages', '{"pk": "rolled back"}');
SELECT sum(array_length(events, 1)) AS records FROM pg_temp.iterators(pg_temp.arn('StreamPages')), pg_temp.shard(iterator, 1000);
ROLLBACK;
SELECT sum(array_length(events, 1)) AS records FROM pg_temp.iterators(pg_temp.arn('StreamPages')), pg_temp.shard(iterator, 1000);

-- The table dropped, its stream is readable.
SELECT pg_temp.arn('StreamPages') AS arn \gset
SELECT dynamo.drop_table('StreamPages');
SELECT sum(array_length(events, 1)) AS records, bool_and(ended) AS ended FROM pg_temp.iterators(:'arn'), pg_temp.shard(iterator, 1000);

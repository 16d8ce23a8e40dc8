-- Scan returns partitions in the service's hash order; segments divide it
\t on
\a
SELECT dynamo.create_table('EngineOrder', 'pk');
SELECT count(dynamo.put_item('EngineOrder', jsonb_build_object('pk', k, 'g', 'x')::dynamo.item))
FROM unnest('{0,1,2,3,4,5,6,7,8,9,hello,zapf,aardman,äáöü}'::text[]) k;
SELECT string_agg(item ->> 'pk', ' ') FROM dynamo.scan('EngineOrder');
-- numbers hash by their sortable form
SELECT dynamo.create_table('EngineOrderN', 'pk', partition_key_type => 'N');
SELECT count(dynamo.put_item('EngineOrderN', jsonb_build_object('pk', k)::dynamo.item))
FROM unnest('{0,1,2,3,4,5,6,7,8,9,-0.09,999.9,0.012345,-999.9}'::numeric[]) k;
SELECT string_agg(item ->> 'pk', ' ') FROM dynamo.scan('EngineOrderN');
-- one number, one item, however it is written
SELECT dynamo.put_item('EngineOrderN', '{"pk": {"N": "1.0"}, "v": {"S": "same"}}');
SELECT item FROM dynamo.get_item('EngineOrderN', '{"pk": {"N": "0.1E1"}}');
SELECT count(*) FROM dynamo.scan('EngineOrderN');

-- four segments, in the service's places; of any number each item is in one
SELECT s, (SELECT string_agg(item ->> 'pk', ' ') FROM dynamo.scan('EngineOrder', segment => s, total_segments => 4))
FROM generate_series(0, 3) s;
SELECT dynamo.create_index('EngineOrder', 'gsi', 'pk');
SELECT t, count(*), count(DISTINCT item ->> 'pk')
FROM (VALUES (1), (3), (7), (4096), (4097), (10000)) total (t), generate_series(0, t - 1) s,
  dynamo.scan('EngineOrder', segment => s, total_segments => t) GROUP BY t ORDER BY t;
SELECT t, count(*), count(DISTINCT item ->> 'pk')
FROM (VALUES (3), (5000)) total (t), generate_series(0, t - 1) s,
  dynamo.scan('EngineOrder', index_name => 'gsi', segment => s, total_segments => t) GROUP BY t ORDER BY t;
-- a segment goes on after a key of its own
SELECT item ->> 'pk' FROM dynamo.scan('EngineOrder', segment => 1, total_segments => 4,
  exclusive_start_key => (SELECT jsonb_build_object('pk', item ->> 'pk')::dynamo.item
    FROM dynamo.scan('EngineOrder', segment => 1, total_segments => 4) LIMIT 1));
SELECT dynamo.drop_table('EngineOrder'), dynamo.drop_table('EngineOrderN');

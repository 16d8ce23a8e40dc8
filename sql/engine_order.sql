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
-- ... and of no other, be it the first one of the next: the service divides 4096
-- ranges of hashes, of which 1365 is the last of the first of three segments
CREATE TEMP TABLE keys AS SELECT k, get_byte(b, 0) * 16 + get_byte(b, 1) / 16 AS range
FROM unnest('{228,1044,241,2363,689,335}'::text[]) k, dynamo_internal.partition_key_send(k::dynamo.partition_key) b;
CREATE FUNCTION pg_temp.goes_on(k text, s int, t int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM dynamo.scan('EngineOrder', segment => s, total_segments => t,
    exclusive_start_key => jsonb_build_object('pk', k)::dynamo.item)) || ' more';
EXCEPTION WHEN SQLSTATE 'ND001' THEN
  RETURN substring(sqlerrm FROM 'Invalid [^.]*.');
END $$;
SELECT range, s, pg_temp.goes_on(k, s, 3) FROM keys, generate_series(0, 2) s ORDER BY range, s;
INSERT INTO dynamo_data."EngineOrder" (item) SELECT jsonb_build_object('pk', k)::dynamo.item FROM keys;
SELECT s, string_agg(range::text, ' ' ORDER BY range) FROM generate_series(0, 2) s, dynamo.scan('EngineOrder', segment => s, total_segments => 3) JOIN keys ON k = item ->> 'pk' GROUP BY s ORDER BY s;
-- more segments than ranges: 32 bits are divided
SELECT s, pg_temp.goes_on(k, s, 8192) FROM keys, generate_series(8189, 8191) s WHERE range = 4095;
-- at least one segment, and each has its number
SELECT count(*) FROM dynamo.scan('EngineOrder', segment => 0, total_segments => 1);
SELECT * FROM dynamo.scan('EngineOrder', segment => 0, total_segments => 0);
SELECT * FROM dynamo.scan('EngineOrder', segment => -1, total_segments => 1);
SELECT * FROM dynamo.scan('EngineOrder', segment => 1, total_segments => 1);
SELECT * FROM dynamo.scan('EngineOrder', segment => 1000000, total_segments => 1000000);
SELECT * FROM dynamo.scan('EngineOrder', segment => 0, total_segments => 1000001);
SELECT * FROM dynamo.scan('EngineOrder', segment => 0);
SELECT * FROM dynamo.scan('EngineOrder', total_segments => 1);
SELECT dynamo.drop_table('EngineOrder'), dynamo.drop_table('EngineOrderN');

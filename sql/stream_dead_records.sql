-- Records of transactions rolled back lie among those that are read.  A scan
-- that meets them makes notes, and keeps them for as long as it lives.

SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('Dead', 'pk');
SELECT dynamo.enable_stream('Dead') IS NOT NULL AS enabled;
SELECT count(dynamo.put_item('Dead', jsonb_build_object('pk', 'first', 'n', n)::dynamo.item))
FROM generate_series(1, 20) n;
BEGIN;
SELECT count(dynamo.put_item('Dead', jsonb_build_object('pk', n::text)::dynamo.item))
FROM generate_series(1, 100) n;
ROLLBACK;
SELECT count(dynamo.put_item('Dead', jsonb_build_object('pk', 'last', 'n', n)::dynamo.item))
FROM generate_series(1, 200) n;

SELECT count(*), count(DISTINCT sequence_number), sum(length(repeat(new_image->>'pk', 1500))) FROM dynamo.stream('Dead');
SELECT count(*), count(old_image), min(new_image->>'pk'), max((new_image->>'n')::int)
FROM dynamo.stream('Dead');
BEGIN;
DECLARE c CURSOR FOR SELECT new_image FROM dynamo.stream('Dead');
FETCH FORWARD 22 FROM c \g /dev/null
FETCH c;
MOVE ALL c;
COMMIT;
SELECT dynamo.drop_table('Dead');

--
-- Keys in plain SQL: comparisons with other types, index use, binary form
--
CREATE TABLE key_index (pk dynamo.partition_key, sk dynamo.sort_key, PRIMARY KEY (pk, sk));
INSERT INTO key_index SELECT p, 'ORDER#' || o FROM unnest('{a,b,c}'::text[]) p, generate_series(1, 20) o;
INSERT INTO key_index SELECT p, o FROM generate_series(1, 3) p, generate_series(-5, 5) o;
INSERT INTO key_index VALUES ('\x00ff'::bytea, '\x00'::bytea), ('\x00ff'::bytea, '\xff'::bytea);
SET enable_seqscan = off;
SET enable_bitmapscan = off;

EXPLAIN (COSTS OFF) SELECT sk FROM key_index WHERE pk = 'a' AND sk > 'ORDER#5';
SELECT sk FROM key_index WHERE pk = 'a' AND sk > 'ORDER#5';
EXPLAIN (COSTS OFF) SELECT sk FROM key_index WHERE pk = 2 AND sk BETWEEN -2 AND 1.5;
SELECT sk FROM key_index WHERE pk = 2 AND sk BETWEEN -2 AND 1.5;
SELECT sk FROM key_index WHERE pk = '\x00ff'::bytea ORDER BY sk DESC;
-- a column of another type
SELECT count(*) FROM key_index JOIN (VALUES ('a'::text), ('c')) v(t) ON pk = t;
SELECT count(*) FROM key_index JOIN (VALUES ('a'::varchar)) v(t) ON pk = t;
SELECT count(*) FROM key_index JOIN (VALUES (1::bigint), (7)) v(t) ON pk = t;
SELECT count(*) FROM key_index WHERE pk IN ('a', 'c', 'nobody');
SELECT count(*) FROM key_index WHERE pk = '1';	-- a string, not the number

-- prefixes
EXPLAIN (COSTS OFF) SELECT sk FROM key_index WHERE pk = 'b' AND dynamo.begins_with(sk, 'ORDER#1');
SELECT sk FROM key_index WHERE pk = 'b' AND dynamo.begins_with(sk, 'ORDER#1');
SELECT count(*) FROM key_index WHERE dynamo.begins_with(sk, '');

-- sorting, grouping, hashing
SET enable_indexonlyscan = off;
SET enable_indexscan = off;
SET enable_seqscan = on;
SELECT pk, count(*), min(sk::text) FROM key_index GROUP BY pk ORDER BY pk;
SELECT count(*) FROM (SELECT DISTINCT sk FROM key_index) d;
SET enable_hashagg = off;
SELECT count(*) FROM (SELECT DISTINCT sk FROM key_index) d;
SELECT bool_and(pk >= before) FROM (SELECT pk, lag(pk) OVER (ORDER BY pk) AS before FROM key_index) o;
RESET ALL;
DROP TABLE key_index;

-- each is the default of its type
SELECT opcname, opcdefault FROM pg_opclass WHERE opcintype IN ('dynamo.item'::regtype, 'dynamo.partition_key'::regtype, 'dynamo.sort_key'::regtype) ORDER BY 1;

-- Hash indexes, partitions and the shards of a cluster stand on hashes that are stored:
-- no version may give another one.  (Where bytes have another order, hashes of PostgreSQL,
-- of which these are made, are others, and there is nothing to compare with.)
WITH machine AS (SELECT hashtext('a') = 1075015857 AS little_endian),
	hashes(of, hash, extended, kept, kept_extended) AS (VALUES
		('partition key a', dynamo_internal.partition_key_hash('a'::dynamo.partition_key), dynamo_internal.partition_key_hash_extended('a'::dynamo.partition_key, 7), -2047684353, -76488862415953664),
		('partition key 1', dynamo_internal.partition_key_hash(1::numeric::dynamo.partition_key), dynamo_internal.partition_key_hash_extended(1::numeric::dynamo.partition_key, 7), 376114414, -7732469496653298991),
		('sort key a', dynamo_internal.sort_key_hash('a'::dynamo.sort_key), dynamo_internal.sort_key_hash_extended('a'::dynamo.sort_key, 7), -431535186, -7387843836110684947),
		('sort key 1', dynamo_internal.sort_key_hash(1::numeric::dynamo.sort_key), dynamo_internal.sort_key_hash_extended(1::numeric::dynamo.sort_key, 7), 418159447, -7046977300909477753),
		('item', dynamo_internal.item_hash('{"a":"x","b":[1,null]}'::jsonb::dynamo.item), dynamo_internal.item_hash_extended('{"a":"x","b":[1,null]}'::jsonb::dynamo.item, 7), 634234732, -166769663801372509))
SELECT of, NOT little_endian OR (hash, extended) = (kept, kept_extended) AS as_kept FROM hashes, machine;

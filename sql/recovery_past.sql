-- The past of a table, whoever has changed it since, and how.

SELECT dynamo.create_table('Past', 'pk', 'sk', 'S', 'N');
SELECT dynamo.create_index('Past', 'ByColour', 'colour');
SELECT count(dynamo.put_item('Past', json_build_object('pk', p, 'sk', s, 'colour', 'red')::text::dynamo.item))
FROM unnest('{a,b,c}'::text[]) p, generate_series(1, 3) s;
SELECT dynamo.enable_recovery('Past');
SELECT dynamo.mark_recovery() AS t \gset
CREATE VIEW past AS SELECT item->>'pk' AS pk, (item->>'sk')::int AS sk, item->>'colour' AS colour, length(item->>'long') AS long FROM dynamo.scan('Past', as_of => :'t');
CREATE TABLE was AS SELECT * FROM past;
CREATE FUNCTION differences() RETURNS SETOF past LANGUAGE sql AS $$
	(SELECT * FROM was EXCEPT ALL SELECT * FROM past) UNION ALL (SELECT * FROM past EXCEPT ALL SELECT * FROM was)
$$;
SELECT * FROM past ORDER BY pk, sk;

-- Beside parallel workers.
CREATE TABLE workers AS SELECT 'a' AS pk FROM generate_series(1, 20000);
ANALYZE workers;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT count(*) FROM workers JOIN past USING (pk);
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT count(*) FROM workers JOIN past USING (pk);
ROLLBACK;
DROP TABLE workers;

-- The API: changed twice, removed, made anew after that, added, added and removed.
SELECT count(dynamo.update_item('Past', '{"pk": "a", "sk": 1}', 'SET colour = :c', json_build_object(':c', c)::text::dynamo.item)) FROM unnest('{blue,green}'::text[]) c;
SELECT dynamo.delete_item('Past', '{"pk": "a", "sk": 2}');
SELECT dynamo.delete_item('Past', '{"pk": "a", "sk": 3}');
SELECT dynamo.put_item('Past', '{"pk": "a", "sk": 3, "colour": "white"}');
SELECT dynamo.put_item('Past', '{"pk": "d", "sk": 1, "colour": "red"}');
SELECT dynamo.put_item('Past', '{"pk": "a", "sk": 4}');
SELECT dynamo.delete_item('Past', '{"pk": "a", "sk": 4}');
SELECT * FROM differences();

-- One partition, one item, a range backwards; an index, and what is not in it now.
SELECT * FROM dynamo.query('Past', 'pk = :p', '{":p": "a"}', as_of => :'t');
SELECT * FROM dynamo.query('Past', 'pk = :p', '{":p": "d"}', as_of => :'t');
SELECT * FROM dynamo.query('Past', 'pk = :p AND sk < :s', '{":p": "a", ":s": 3}', scan_index_forward => false, max_items => 1, as_of => :'t');
SELECT * FROM dynamo.query('Past', 'pk = :p', '{":p": "a"}', exclusive_start_key => '{"pk": "a", "sk": 1}', as_of => :'t');
SELECT * FROM dynamo.get_item('Past', '{"pk": "a", "sk": 2}', as_of => :'t');
SELECT * FROM dynamo.get_item('Past', '{"pk": "a", "sk": 1}', 'colour', as_of => :'t');
SELECT * FROM dynamo.get_item('Past', '{"pk": "b", "sk": 1}', as_of => :'t');
SELECT * FROM dynamo.get_item('Past', '{"pk": "a", "sk": 4}', as_of => :'t');
SELECT * FROM dynamo.get_item('Past', '{"pk": "a", "sk": 1}', as_of => NULL);
SELECT count(*) AS red_now FROM dynamo.query('Past', 'colour = :c', '{":c": "red"}', index_name => 'ByColour');
SELECT count(*) AS red_then FROM dynamo.query('Past', 'colour = :c', '{":c": "red"}', index_name => 'ByColour', as_of => :'t');
SELECT count(*) FROM generate_series(0, 3) s, dynamo.scan('Past', segment => s, total_segments => 4, as_of => :'t');

-- Plain SQL: another item, another key, an item that takes the key of another, COPY.
UPDATE dynamo_data."Past" SET item = '{"pk": "e", "sk": 9, "colour": "moved"}' WHERE pk = 'b' AND sk = 1::numeric;
DELETE FROM dynamo_data."Past" WHERE pk = 'b' AND sk = 2::numeric;
UPDATE dynamo_data."Past" SET item = '{"pk": "b", "sk": 2, "colour": "taken"}' WHERE pk = 'b' AND sk = 3::numeric;
COPY dynamo_data."Past" (item) FROM stdin;
{"pk": "f", "sk": 1, "colour": "copied"}
\.
SELECT * FROM differences();

-- Savepoints that are rolled back, and the transaction around them.
BEGIN;
SAVEPOINT a;
SELECT dynamo.put_item('Past', '{"pk": "c", "sk": 1, "colour": "gone"}');
ROLLBACK TO a;
SELECT dynamo.put_item('Past', '{"pk": "c", "sk": 1, "colour": "pink"}');
SAVEPOINT b;
SELECT dynamo.put_item('Past', '{"pk": "c", "sk": 1, "colour": "lila"}');
SELECT dynamo.delete_item('Past', '{"pk": "c", "sk": 2}');
RELEASE b;
SELECT * FROM differences();
COMMIT;
SELECT * FROM differences();
BEGIN;
SELECT dynamo.put_item('Past', '{"pk": "c", "sk": 3, "colour": "never"}');
ROLLBACK;
SELECT * FROM differences();

-- Large images, rewritten and renamed relations.
SELECT dynamo.put_item('Past', json_build_object('pk', 'c', 'sk', 3, 'long', repeat('0123456789', 30000))::text::dynamo.item);
SELECT dynamo.mark_recovery() AS t2 \gset
SELECT dynamo.put_item('Past', '{"pk": "c", "sk": 3}');
SELECT length(item->>'long') FROM dynamo.get_item('Past', '{"pk": "c", "sk": 3}', as_of => :'t2');
VACUUM FULL dynamo_data."Past";
ALTER TABLE dynamo_data."Past" RENAME TO renamed;
SELECT * FROM differences();
ALTER TABLE dynamo_data.renamed RENAME TO "Past";

-- All at once.
TRUNCATE dynamo_data."Past";
SELECT count(*) AS now, (SELECT count(*) FROM past) AS once FROM dynamo.scan('Past');
SELECT * FROM differences();

-- More of them than are read at a time.
SELECT dynamo.create_table('Many', 'id', 'n N');
SELECT count(dynamo.put_item('Many', json_build_object('id', 'a', 'n', n)::text::dynamo.item)) FROM generate_series(1, 1100) n;
SELECT dynamo.enable_recovery('Many');
SELECT dynamo.mark_recovery() AS t3 \gset
TRUNCATE dynamo_data."Many";
SELECT count(*) FROM dynamo.scan('Many', as_of => :'t3');
DROP TABLE dynamo_data."Many";

-- What changes nothing leaves nothing; nor do writers whose triggers are off, as with streams.
CREATE FUNCTION entries() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE total bigint := 0; n bigint;
BEGIN
	FOR i IN 0..19 LOOP
		EXECUTE format('SELECT count(*) FROM dynamo_internal.journal_%s WHERE recovery <> 0', i) INTO n;
		total := total + n;
	END LOOP;
	RETURN total;
END $$;
SELECT dynamo.put_item('Past', '{"pk": "g", "sk": 1}');
SELECT entries() AS before \gset
SELECT dynamo.put_item('Past', '{"pk": "g", "sk": 1}');
SELECT dynamo.delete_item('Past', '{"pk": "h", "sk": 1}');
SET session_replication_role = replica;
SELECT dynamo.put_item('Past', '{"pk": "g", "sk": 2}');
RESET session_replication_role;
SELECT entries() - :before AS more;

-- Bytes and numbers as keys; other tables do not get in the way.
SELECT dynamo.create_table('Bytes', 'pk', 'sk', 'B', 'B');
SELECT dynamo.enable_recovery('Bytes', 1);
SELECT dynamo.put_item('Bytes', '{"pk": {"B": "AAE="}, "sk": {"B": "/w=="}, "v": {"N": "1"}}');
SELECT dynamo.mark_recovery() AS t \gset
SELECT dynamo.put_item('Bytes', '{"pk": {"B": "AAE="}, "sk": {"B": "/w=="}, "v": {"N": "2"}}');
SELECT * FROM dynamo.scan('Bytes', as_of => :'t');
SELECT * FROM dynamo.scan('Past', as_of => :'t');
DROP VIEW past CASCADE;
DROP TABLE dynamo_data."Past", dynamo_data."Bytes";

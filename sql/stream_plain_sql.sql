-- Plain SQL on the relation leaves the records that the API would.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('PlainSql', 'pk', 'sk N');
SELECT dynamo.enable_stream('PlainSql') IS NOT NULL AS enabled;

INSERT INTO dynamo_data."PlainSql" (item) VALUES ('{"pk": "a", "sk": 1}'), ('{"pk": "a", "sk": 2, "v": 1}');
UPDATE dynamo_data."PlainSql" SET item = item::jsonb || '{"v": 2}' WHERE sk = 2;
DELETE FROM dynamo_data."PlainSql" WHERE sk = 1;
SELECT * FROM pg_temp.records('PlainSql');

-- An update that leaves the item as it was, or writes it otherwise, is none.
UPDATE dynamo_data."PlainSql" SET item = item;
UPDATE dynamo_data."PlainSql" SET item = '{"sk": 2.0, "v": 2, "pk": "a"}' WHERE pk = 'a';
SELECT count(*) FROM pg_temp.records('PlainSql');

-- SQL can give an item another key: one is gone, another is new.
UPDATE dynamo_data."PlainSql" SET item = '{"pk": "a", "sk": 3, "v": 2}' WHERE sk = 2;
UPDATE dynamo_data."PlainSql" SET item = '{"pk": "b", "sk": 3, "v": 2}' WHERE sk = 3;
SELECT * FROM pg_temp.records('PlainSql') OFFSET 4;

-- Upserts: what became of the row counts, not the word of the statement.
INSERT INTO dynamo_data."PlainSql" (item) VALUES ('{"pk": "b", "sk": 3}'), ('{"pk": "c", "sk": 3}')
ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
INSERT INTO dynamo_data."PlainSql" (item) VALUES ('{"pk": "c", "sk": 3, "v": 9}')
ON CONFLICT DO NOTHING;
MERGE INTO dynamo_data."PlainSql" t USING (VALUES ('c'), ('d')) s(pk) ON t.pk = s.pk
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT (item) VALUES (jsonb_build_object('pk', s.pk, 'sk', 4)::dynamo.item);
SELECT * FROM pg_temp.records('PlainSql') OFFSET 8;

-- COPY
COPY dynamo_data."PlainSql" (item) FROM stdin;
{"pk": "e", "sk": 1}
{"pk": "e", "sk": 2}
\.
SELECT * FROM pg_temp.records('PlainSql') OFFSET 12;

-- TRUNCATE removes each item.
TRUNCATE dynamo_data."PlainSql";
SELECT event, old, new FROM pg_temp.records('PlainSql') OFFSET 14;

-- A statement that fails leaves nothing.
INSERT INTO dynamo_data."PlainSql" (item) VALUES ('{"pk": "f", "sk": 1}'), ('{"pk": "f", "sk": 1}');
SELECT count(*) FROM pg_temp.records('PlainSql');

-- Both doors in one statement and one transaction.
BEGIN;
SELECT dynamo.put_item('PlainSql', '{"pk": "g", "sk": 1}');
UPDATE dynamo_data."PlainSql" SET item = '{"pk": "g", "sk": 1, "v": 1}';
SELECT dynamo.update_item('PlainSql', '{"pk": "g", "sk": 1}', 'SET v = :v', '{":v": 2}');
DELETE FROM dynamo_data."PlainSql";
COMMIT;
SELECT event, old, new FROM pg_temp.records('PlainSql') OFFSET 18;

-- Someone's own use of the triggers' function records nothing twice.
CREATE TRIGGER again AFTER INSERT ON dynamo_data."PlainSql"
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
INSERT INTO dynamo_data."PlainSql" (item) VALUES ('{"pk": "h", "sk": 1}');
SELECT count(*) FROM pg_temp.records('PlainSql');
CREATE TEMP TABLE other (a int);
CREATE TRIGGER other AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
INSERT INTO other VALUES (1);
CREATE TRIGGER wrong BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
INSERT INTO other VALUES (1);

SELECT dynamo.drop_table('PlainSql');

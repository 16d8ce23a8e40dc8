--
-- The first day of somebody who knows jsonb: what one tries, in that order
--

-- A table. Items are rows, and the table is a table.
SELECT dynamo.create_table('FirstDay', partition_key => 'pk', sort_key => 'sk');
\d dynamo_data."FirstDay"

-- Items go in as JSON, by a function or by INSERT. What JSON has no type for,
-- as a set, is written as DynamoDB does.
SELECT dynamo.put_item('FirstDay', '{"pk": "customer#1", "sk": "profile", "name": "Ann", "address": {"city": "Rome", "zip": "00100"}, "langs": ["it", "en"]}');
INSERT INTO dynamo_data."FirstDay" (item) VALUES
	('{"pk": "customer#2", "sk": "profile", "name": "Bob", "vip": true, "address": {"city": "Oslo"}}'),
	('{"pk": "customer#1", "sk": "order#1", "total": 12.50, "day": 1, "lines": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]}'),
	('{"pk": "customer#1", "sk": "order#2", "total": 7.25, "day": 2, "lines": [{"sku": "a", "n": 1}]}'),
	('{"pk": {"S": "customer#2"}, "sk": {"S": "order#3"}, "total": {"N": "99"}, "day": {"N": "2"}, "tags": {"SS": ["gift", "fast"]}, "scan": {"B": "3q0="}}');

-- Read: the arrows, paths, subscripts, and the questions.
SELECT item->>'name' AS name, item->'address'->>'city' AS city FROM dynamo_data."FirstDay" WHERE sk = 'profile' ORDER BY pk;
SELECT item #>> '{lines,0,sku}' AS first, item['lines'][1]['n'] AS second FROM dynamo_data."FirstDay" WHERE pk = 'customer#1' AND dynamo.begins_with(sk, 'order#');
SELECT item->>'name' AS vip FROM dynamo_data."FirstDay" WHERE item ? 'vip';
SELECT item->>'sk' AS "order" FROM dynamo_data."FirstDay" WHERE item @> '{"tags": ["gift"]}';
SELECT item FROM dynamo.get_item('FirstDay', 'customer#1', 'profile');
SELECT item->>'sk' AS "order" FROM dynamo.query('FirstDay', 'pk = :pk AND begins_with(sk, :o)', '{":pk": "customer#1", ":o": "order#"}', scan_index_forward => false);

-- Update in place: a part, a merge, attributes taken out. The set stays a set,
-- the binary a binary.
UPDATE dynamo_data."FirstDay" SET item['address']['city'] = '"Paris"', item['address']['geo'] = '[48.9, 2.4]' WHERE pk = 'customer#1' AND sk = 'profile' RETURNING item->'address' AS address;
UPDATE dynamo_data."FirstDay" SET item = (item || '{"paid": true, "total": 90}') - 'note' WHERE sk = 'order#3' RETURNING item;
UPDATE dynamo_data."FirstDay" SET item['tags'] = item['tags'] || '"late"' WHERE item ? 'tags' RETURNING dynamo.project(item, 'tags, #s', '{"#s": "scan"}');
UPDATE dynamo_data."FirstDay" SET item = dynamo.item_set(item, '{lines,0,n}', '3') - array['note', 'none'] WHERE sk = 'order#2' RETURNING item->'lines' AS lines;
SELECT dynamo.update_item('FirstDay', '{"pk": "customer#2", "sk": "profile"}', 'ADD visits :one', '{":one": 1}', return_values => 'UPDATED_NEW');
INSERT INTO dynamo_data."FirstDay" AS old (item) VALUES ('{"pk": "customer#2", "sk": "profile", "name": "Bo"}')
	ON CONFLICT (pk, sk) DO UPDATE SET item = old.item || excluded.item RETURNING item;
BEGIN;
DELETE FROM dynamo_data."FirstDay" WHERE pk = 'customer#2' RETURNING sk;
ROLLBACK;

-- With the rest of the database: functions of jsonb, joins, aggregates.
SELECT o.item->>'sk' AS "order", l.sku, l.n FROM dynamo_data."FirstDay" AS o, jsonb_to_recordset(o.item->'lines') AS l(sku text, n int) WHERE item ? 'lines' ORDER BY 1, 2;
SELECT key, value FROM dynamo_data."FirstDay", jsonb_each_text(item->'address') WHERE pk = 'customer#1' AND sk = 'profile' ORDER BY key;
SELECT jsonb_path_query_array(item::jsonb, '$.lines[*].sku') AS skus FROM dynamo_data."FirstDay" WHERE sk = 'order#1';
CREATE TABLE first_day_customer (id text PRIMARY KEY, since int);
INSERT INTO first_day_customer VALUES ('customer#1', 2019), ('customer#3', 2024);
SELECT c.id, c.since, i.item->>'name' AS name FROM first_day_customer AS c LEFT JOIN dynamo_data."FirstDay" AS i ON i.pk = c.id AND i.sk = 'profile' ORDER BY c.id;
SELECT c.id, g.item->>'name' AS name FROM first_day_customer AS c, dynamo.get_item('FirstDay', c.id, 'profile') AS g;
SELECT item->>'day' AS day, count(*), sum((item->>'total')::numeric) AS total FROM dynamo_data."FirstDay" WHERE item ? 'total' GROUP BY 1 ORDER BY 1;

-- Out again, as JSON.
SELECT jsonb_agg(item - array['lines', 'pk'] ORDER BY sk) AS orders FROM dynamo_data."FirstDay" WHERE pk = 'customer#1' AND item ? 'total';
SELECT to_jsonb(t) AS row FROM (SELECT c.*, g.item FROM first_day_customer AS c, dynamo.get_item('FirstDay', c.id, 'order#2') AS g) AS t;
SELECT row_to_json(t)->'item' AS plain, dynamo.to_json(item) AS typed FROM dynamo_data."FirstDay" AS t WHERE sk = 'order#3';

-- An index on an expression, and a view with columns.
CREATE INDEX first_day_city ON dynamo_data."FirstDay" ((item->'address'->>'city'));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT pk FROM dynamo_data."FirstDay" WHERE item->'address'->>'city' = 'Oslo';
RESET enable_seqscan;
RESET enable_bitmapscan;
CREATE VIEW first_day_order AS SELECT item->>'pk' AS customer, (item->>'total')::numeric AS total FROM dynamo_data."FirstDay" WHERE item->>'sk' LIKE 'order#%';
SELECT customer, max(total) FROM first_day_order GROUP BY customer ORDER BY customer;

-- Who may do what is said by GRANT, row by row by policies. Nothing but the
-- table has to be granted.
CREATE ROLE first_day_clerk;
GRANT SELECT, UPDATE ON dynamo_data."FirstDay" TO first_day_clerk;
ALTER TABLE dynamo_data."FirstDay" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON dynamo_data."FirstDay" TO first_day_clerk USING (pk = 'customer#2');
SET ROLE first_day_clerk;
SELECT pk, sk FROM dynamo_data."FirstDay" ORDER BY sk;
SELECT item->>'name' AS name FROM dynamo.scan('FirstDay', 'attribute_exists(visits)');
UPDATE dynamo_data."FirstDay" SET item['note'] = '"by the clerk"' WHERE sk = 'profile' RETURNING item @> '{"vip": true}' AS vip, item->>'note' AS note;
SELECT dynamo.delete_item('FirstDay', 'customer#2', 'profile');
RESET ROLE;

-- What refuses says why.
INSERT INTO dynamo_data."FirstDay" (item) VALUES ('{"pk": "customer#1", "name": "no sort key"}');
INSERT INTO dynamo_data."FirstDay" (item) VALUES ('{"pk": "customer#1", "sk": "profile"}');
SELECT item FROM dynamo.get_item('FirstDay', 'customer#1');
\set VERBOSITY terse
CREATE TABLE first_day_note (customer text, kind text, FOREIGN KEY (customer, kind) REFERENCES dynamo_data."FirstDay");
\set VERBOSITY default

-- What is there? A screen of functions, and four tables.
\pset format unaligned
\pset tuples_only on
\df dynamo.*
SELECT oid::regclass FROM pg_class WHERE relnamespace = 'dynamo'::regnamespace AND relkind = 'r' ORDER BY relname;
\pset tuples_only off
\pset format aligned

-- The end of the day.
DROP TABLE first_day_customer;
DROP VIEW first_day_order;
SELECT dynamo.drop_table('FirstDay');
DROP ROLE first_day_clerk;

--
-- Keys compared with values of core's types: in any direction, by an index, in
-- joins; and no foreign key between text and a key
--
SELECT dynamo.create_table('KeyValue', 'pk', 'sk N');
INSERT INTO dynamo_data."KeyValue" (item) SELECT jsonb_build_object('pk', 'p' || i % 3, 'sk', i) FROM generate_series(1, 9) i;
SELECT dynamo.create_table('KeyNumber', 'n N', 'b B');
INSERT INTO dynamo_data."KeyNumber" (item) VALUES ('{"n":{"N":"1"},"b":{"B":"AA=="}}'), ('{"n":{"N":"1"},"b":{"B":"AQ=="}}'), ('{"n":{"N":"2.5"},"b":{"B":"AA=="}}');

-- literals, typed text, parameters without a type and with one
SELECT sk FROM dynamo_data."KeyValue" WHERE pk = 'p1' AND sk > '{"N":"3"}';
SELECT sk FROM dynamo_data."KeyValue" WHERE pk = 'p1'::text AND sk > 3 AND 7.5 >= sk;
SELECT sk FROM dynamo_data."KeyValue" WHERE 'p1'::varchar = pk AND sk BETWEEN 4 AND 7::bigint;
SELECT pk, sk FROM dynamo_data."KeyNumber" WHERE pk = 1 AND sk > '\x00'::bytea;
SELECT pk, sk FROM dynamo_data."KeyNumber" WHERE pk <> 1 OR 2.5 < pk OR pk IN (2.5, 3);
PREPARE key_untyped AS SELECT sk FROM dynamo_data."KeyValue" WHERE pk = $1 AND sk = $2;
EXECUTE key_untyped('p1', '{"N":"4"}');
DEALLOCATE key_untyped;
PREPARE key_typed (text, int) AS SELECT sk FROM dynamo_data."KeyValue" WHERE pk = $1 AND sk >= $2;
EXECUTE key_typed('p1', 4);
DEALLOCATE key_typed;
SELECT count(*) FROM dynamo_data."KeyValue" WHERE pk IN ('p1', 'p2');
SELECT count(*) FROM dynamo_data."KeyValue" WHERE pk = ANY (ARRAY['p1', 'p2']) AND sk = ANY (ARRAY[1, 2, 3]);
SELECT sk FROM dynamo_data."KeyValue" WHERE pk = 'p1' AND (pk, sk) > ('p1'::text, 4) ORDER BY sk;
-- another type is never equal, and sorts apart
SELECT count(*) FROM dynamo_data."KeyValue" WHERE sk = '4'::text OR pk = 1;

-- by the index, both ways round
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT sk FROM dynamo_data."KeyValue" WHERE pk = 'p1'::text AND sk > 3;
EXPLAIN (COSTS OFF) SELECT sk FROM dynamo_data."KeyValue" WHERE 'p1'::text = pk AND 3 < sk;
RESET enable_seqscan;

-- joins with other tables: by the index, and hashed
CREATE TABLE key_value_customer (id text, day int);
INSERT INTO key_value_customer SELECT 'p' || i, i FROM generate_series(0, 4) i;
ANALYZE key_value_customer;
SELECT c.id, count(v.item) FROM key_value_customer c LEFT JOIN dynamo_data."KeyValue" v ON v.pk = c.id AND c.day <= v.sk GROUP BY c.id ORDER BY c.id;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM key_value_customer c JOIN dynamo_data."KeyValue" v ON c.id = v.pk;
SELECT count(*) FROM key_value_customer c JOIN dynamo_data."KeyValue" v ON c.id = v.pk;
SELECT count(*) FROM key_value_customer c JOIN dynamo_data."KeyValue" v ON v.sk = c.day;
RESET enable_nestloop;

-- A foreign key compares by the index's own type.  Text is none, so it is
-- refused; a column of the key's type may have one.
SELECT dynamo.create_table('KeyParent', 'pk');
INSERT INTO dynamo_data."KeyParent" (item) VALUES ('{"pk": "a"}');
\set VERBOSITY terse
CREATE TABLE key_value_child (parent text REFERENCES dynamo_data."KeyParent" (pk));
CREATE TABLE key_value_child (parent int REFERENCES dynamo_data."KeyParent" (pk));
\set VERBOSITY default
CREATE TABLE key_value_child (parent dynamo.partition_key REFERENCES dynamo_data."KeyParent" (pk) ON DELETE CASCADE);
INSERT INTO key_value_child VALUES ('a');
INSERT INTO key_value_child VALUES ('b');
DELETE FROM dynamo_data."KeyParent" WHERE pk = 'a';
SELECT count(*) FROM key_value_child;
CREATE TABLE key_value_parent (id text PRIMARY KEY);
\set VERBOSITY terse
ALTER TABLE dynamo_data."KeyParent" ADD FOREIGN KEY (pk) REFERENCES key_value_parent;
\set VERBOSITY default
DROP TABLE key_value_child, key_value_parent, key_value_customer;
SELECT dynamo.drop_table(t) FROM unnest('{KeyParent,KeyValue,KeyNumber}'::text[]) t;

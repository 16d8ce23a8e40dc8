-- Relations that need the planner and the executor: what is on them holds for the API
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineSpi', 'pk', 'sk');
SELECT dynamo.create_index('EngineSpi', 'gsi', 'g', projection => 'INCLUDE', non_key_attributes => '{v}');

-- a trigger sees every write, may change it, and may refuse it
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'DELETE' THEN
    RAISE NOTICE '% %', tg_op, old.item;
    RETURN old;
  END IF;
  RAISE NOTICE '% %', tg_op, new.item;
  IF new.item ? 'refused' THEN
    RETURN NULL;
  END IF;
  new.item := (new.item::jsonb || '{"stamped": true}')::dynamo.item;
  RETURN new;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE OR DELETE ON dynamo_data."EngineSpi" FOR EACH ROW EXECUTE FUNCTION stamp();
SELECT dynamo.put_item('EngineSpi', '{"pk": "a", "sk": "1", "g": "x", "v": 1, "w": 2}');
SELECT dynamo.update_item('EngineSpi', '{"pk": "a", "sk": "1"}', 'ADD v :v', '{":v": 1}', 'v = :v', return_values => 'ALL_NEW');
SELECT dynamo.update_item('EngineSpi', '{"pk": "a", "sk": "1"}', 'ADD v :v', '{":v": 1}', 'v = :v');
SELECT dynamo.update_item('EngineSpi', '{"pk": "a", "sk": "0"}', 'SET v = :v', '{":v": 1}', return_values => 'ALL_NEW');
SELECT dynamo.put_item('EngineSpi', '{"pk": "a", "sk": "2", "refused": true}');
SELECT item FROM dynamo.query('EngineSpi', 'g = :g', '{":g": "x"}', index_name => 'gsi');
SELECT count(*) FROM dynamo.transact_write('[{"Put": {"TableName": "EngineSpi", "Item": {"pk": {"S": "a"}, "sk": {"S": "3"}}}},
  {"ConditionCheck": {"TableName": "EngineSpi", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_exists(v)"}},
  {"ConditionCheck": {"TableName": "EngineSpi", "Key": {"pk": {"S": "a"}, "sk": {"S": "9"}}, "ConditionExpression": "attribute_not_exists(v)"}},
  {"Delete": {"TableName": "EngineSpi", "Key": {"pk": {"S": "a"}, "sk": {"S": "4"}}}}]');
SELECT dynamo.delete_item('EngineSpi', '{"pk": "a", "sk": "1"}', return_values => 'ALL_OLD');
SELECT item FROM dynamo.scan('EngineSpi');
DROP TRIGGER stamp ON dynamo_data."EngineSpi";
-- ranges, in both directions, more rows than are fetched at a time
INSERT INTO dynamo_data."EngineSpi" (item) SELECT jsonb_build_object('pk', 'r', 'sk', lpad(n::text, 3, '0'))::dynamo.item FROM generate_series(1, 100) n;
CREATE TRIGGER stamp BEFORE DELETE ON dynamo_data."EngineSpi" FOR EACH ROW EXECUTE FUNCTION stamp();
SELECT count(*), min(item ->> 'sk'), max(item ->> 'sk') FROM dynamo.query('EngineSpi', 'pk = :p AND sk BETWEEN :l AND :h', '{":p": "r", ":l": "005", ":h": "095"}');
SELECT string_agg(item ->> 'sk', ' ') FROM dynamo.query('EngineSpi', 'pk = :p AND begins_with(sk, :b)', '{":p": "r", ":b": "09"}', scan_index_forward => false);
SELECT string_agg(item ->> 'sk', ' ') FROM (SELECT * FROM dynamo.query('EngineSpi', 'pk = :p AND sk < :h', '{":p": "r", ":h": "099"}', scan_index_forward => false,
  exclusive_start_key => '{"pk": "r", "sk": "050"}') LIMIT 3) q;
SELECT t, count(*) FROM generate_series(1, 4) t, generate_series(0, t - 1) s, dynamo.scan('EngineSpi', segment => s, total_segments => t) GROUP BY t ORDER BY t;
SELECT dynamo.drop_table('EngineSpi');

-- a constraint and a column of the user's
SELECT dynamo.create_table('EngineSpiCheck', 'pk');
ALTER TABLE dynamo_data."EngineSpiCheck" ADD COLUMN name text GENERATED ALWAYS AS (item ->> 'name') STORED, ADD COLUMN made_by text DEFAULT 'somebody';
SELECT dynamo.put_item('EngineSpiCheck', '{"pk": "0", "name": "zoe"}');
SELECT dynamo.update_item('EngineSpiCheck', '{"pk": "0"}', 'SET #n = :n', '{":n": "ben"}', expression_attribute_names => '{"#n": "name"}');
ALTER TABLE dynamo_data."EngineSpiCheck" ADD CHECK (name <> 'nobody');
SELECT dynamo.put_item('EngineSpiCheck', '{"pk": "1", "name": "ann"}');
SELECT dynamo.put_item('EngineSpiCheck', '{"pk": "2", "name": "nobody"}');
SELECT name, made_by, item FROM dynamo_data."EngineSpiCheck";
SELECT dynamo.drop_table('EngineSpiCheck');

-- ... and a constraint alone
SELECT dynamo.create_table('EngineSpiAlone', 'pk');
ALTER TABLE dynamo_data."EngineSpiAlone" ADD CHECK (item ->> 'name' <> 'nobody');
SELECT dynamo.put_item('EngineSpiAlone', '{"pk": "1", "name": "ann"}');
SELECT dynamo.put_item('EngineSpiAlone', '{"pk": "2", "name": "nobody"}');
SELECT dynamo.update_item('EngineSpiAlone', '{"pk": "1"}', 'SET #n = :n', '{":n": "nobody"}', expression_attribute_names => '{"#n": "name"}');
SELECT item FROM dynamo.scan('EngineSpiAlone');
SELECT dynamo.drop_table('EngineSpiAlone');

-- row-level security: another's items are not there, and cannot be made
SELECT dynamo.create_table('EngineSpiPolicy', 'pk');
CREATE ROLE regress_engine_ann;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."EngineSpiPolicy" TO regress_engine_ann;
ALTER TABLE dynamo_data."EngineSpiPolicy" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON dynamo_data."EngineSpiPolicy" TO regress_engine_ann USING (item ->> 'owner' = current_user);
SELECT dynamo.put_item('EngineSpiPolicy', '{"pk": "bob''s", "owner": "bob"}');
SET ROLE regress_engine_ann;
SELECT dynamo.put_item('EngineSpiPolicy', '{"pk": "hers", "owner": "regress_engine_ann"}');
SELECT dynamo.put_item('EngineSpiPolicy', '{"pk": "new", "owner": "bob"}');
SELECT dynamo.put_item('EngineSpiPolicy', '{"pk": "bob''s", "owner": "regress_engine_ann"}');
SELECT dynamo.update_item('EngineSpiPolicy', '{"pk": "hers"}', 'SET #o = :b', '{":b": "bob"}', expression_attribute_names => '{"#o": "owner"}');
SELECT dynamo.delete_item('EngineSpiPolicy', '{"pk": "bob''s"}', return_values => 'ALL_OLD');
SELECT item FROM dynamo.get_item('EngineSpiPolicy', '{"pk": "bob''s"}');
SELECT item FROM dynamo.scan('EngineSpiPolicy');
RESET ROLE;
SELECT count(*) FROM dynamo.scan('EngineSpiPolicy');
-- an item that may be seen, but not be changed
CREATE POLICY look ON dynamo_data."EngineSpiPolicy" FOR SELECT TO regress_engine_ann USING (true);
SET ROLE regress_engine_ann;
SELECT dynamo.put_item('EngineSpiPolicy', '{"pk": "bob''s", "owner": "regress_engine_ann"}');
SELECT dynamo.delete_item('EngineSpiPolicy', '{"pk": "bob''s"}');
RESET ROLE;
SELECT item FROM dynamo.get_item('EngineSpiPolicy', '{"pk": "bob''s"}');
SELECT dynamo.drop_table('EngineSpiPolicy');
DROP ROLE regress_engine_ann;
DROP FUNCTION stamp;

-- a trigger that raises ends the transaction it is asked in, with its own error, whether an item is inserted or updated;
-- what surrounds it goes on
SELECT dynamo.create_table('EngineSpiRaise', 'pk');
CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.item ? 'bad' THEN
    RAISE EXCEPTION '% of %', tg_op, new.item ->> 'pk' USING ERRCODE = 'raise_exception';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER raise BEFORE INSERT OR UPDATE ON dynamo_data."EngineSpiRaise" FOR EACH ROW EXECUTE FUNCTION raise();
INSERT INTO dynamo_data."EngineSpiRaise" (item) VALUES ('{"pk": "there", "n": 0}');
CREATE FUNCTION two(pk text, bad text) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM dynamo.transact_write(format('[{"Update": {"TableName": "EngineSpiRaise", "Key": {"pk": "there"}, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": 1}}},
    {"Put": {"TableName": "EngineSpiRaise", "Item": {"pk": "%s", "%s": true}}}, {"Delete": {"TableName": "EngineSpiRaise", "Key": {"pk": "missing"}}}]', pk, bad)::json) $$;
SELECT two('new', 'bad');
SELECT two('new', 'good');
SELECT two('new', 'bad');
BEGIN;
SELECT dynamo.put_item('EngineSpiRaise', '{"pk": "around"}');
DO $$
BEGIN
  FOR i IN 1 .. 3 LOOP
    BEGIN
      PERFORM two('newer', 'bad');
    EXCEPTION WHEN raise_exception THEN
      RAISE NOTICE 'caught: %', sqlerrm;
    END;
  END LOOP;
END $$;
SELECT two('newest', 'good');
COMMIT;
SELECT item FROM dynamo.scan('EngineSpiRaise');
SELECT dynamo.drop_table('EngineSpiRaise');
DROP FUNCTION raise, two;

-- a rule does what it does also
SELECT dynamo.create_table('EngineSpiRule', 'pk');
CREATE TABLE gone (pk text);
CREATE RULE remember AS ON DELETE TO dynamo_data."EngineSpiRule" DO ALSO INSERT INTO gone VALUES (old.item ->> 'pk');
INSERT INTO dynamo_data."EngineSpiRule" (item) SELECT jsonb_build_object('pk', k)::dynamo.item FROM unnest('{a,b,c,kept}'::text[]) k;
SELECT dynamo.delete_item('EngineSpiRule', '{"pk": "a"}', return_values => 'ALL_OLD');
SELECT count(*) FROM dynamo.transact_write('[{"Delete": {"TableName": "EngineSpiRule", "Key": {"pk": "b"}}}]');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"EngineSpiRule": [{"DeleteRequest": {"Key": {"pk": {"S": "c"}}}}]}}');
SELECT string_agg(pk, ' ' ORDER BY pk) AS gone, (SELECT string_agg(item ->> 'pk', ' ') FROM dynamo.scan('EngineSpiRule')) AS left FROM gone;
SELECT dynamo.drop_table('EngineSpiRule');
DROP TABLE gone;

-- one of INSERT as well, beside which an INSERT can have no ON CONFLICT
SELECT dynamo.create_table('EngineSpiRule', 'pk');
CREATE TABLE come (pk text);
CREATE RULE note AS ON INSERT TO dynamo_data."EngineSpiRule" DO ALSO INSERT INTO come VALUES ('new');
SELECT dynamo.put_item('EngineSpiRule', '{"pk": "a"}');
SELECT dynamo.put_item('EngineSpiRule', '{"pk": "a", "v": 1}');
SELECT item, (SELECT count(*) FROM come) FROM dynamo.get_item('EngineSpiRule', '{"pk": "a"}');
SELECT dynamo.drop_table('EngineSpiRule');
DROP TABLE come;

-- On a relation with triggers and policies, who loses a race for a key tries again: he is not denied, and does not think it done
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineSpiRace', 'pk');
-- triggers play the others: so often, an item with the key comes right before ours, and has gone when the statement ends
CREATE SEQUENCE rivals;
GRANT USAGE ON SEQUENCE rivals TO public;
CREATE FUNCTION come() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() = 1 AND nextval('rivals') <= 20 THEN
    INSERT INTO dynamo_data."EngineSpiRace" (item) VALUES (jsonb_build_object('pk', new.item -> 'pk', 'rival', true)::dynamo.item);
  END IF;
  RETURN new;
END $$;
CREATE FUNCTION go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN
    DELETE FROM dynamo_data."EngineSpiRace" WHERE item ? 'rival';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER come BEFORE INSERT ON dynamo_data."EngineSpiRace" FOR EACH ROW EXECUTE FUNCTION come();
CREATE TRIGGER go AFTER INSERT ON dynamo_data."EngineSpiRace" FOR EACH STATEMENT EXECUTE FUNCTION go();
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a"}');
SELECT dynamo.update_item('EngineSpiRace', '{"pk": "b"}', 'ADD n :n', '{":n": 1}');
SELECT setval('rivals', 1);
SELECT count(*) FROM dynamo.transact_write('[{"Put": {"TableName": "EngineSpiRace", "Item": {"pk": {"S": "c"}}}}, {"Put": {"TableName": "EngineSpiRace", "Item": {"pk": {"S": "d"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiRace');

-- with row-level security that lets everything pass
CREATE ROLE regress_engine_rival;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."EngineSpiRace" TO regress_engine_rival;
ALTER TABLE dynamo_data."EngineSpiRace" ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_it ON dynamo_data."EngineSpiRace" TO regress_engine_rival USING (true);
SELECT setval('rivals', 1);
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "e"}');
RESET ROLE;
SELECT item FROM dynamo.get_item('EngineSpiRace', '{"pk": "e"}');
DROP TRIGGER come ON dynamo_data."EngineSpiRace";
DROP TRIGGER go ON dynamo_data."EngineSpiRace";

-- a trigger that refuses an item is asked twice, and is not a policy
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'no'; RETURN NULL; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON dynamo_data."EngineSpiRace" FOR EACH ROW EXECUTE FUNCTION refuse();
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "f"}');
RESET ROLE;
SELECT count(*) FROM dynamo.get_item('EngineSpiRace', '{"pk": "f"}');
DROP TRIGGER refuse ON dynamo_data."EngineSpiRace";
-- one that stores it under another key, which is taken, is no rival for this one: nobody tries for ever
CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.item := '{"pk": "other"}'::jsonb::dynamo.item; RETURN new; END $$;
CREATE TRIGGER other BEFORE INSERT ON dynamo_data."EngineSpiRace" FOR EACH ROW EXECUTE FUNCTION other();
SET statement_timeout = '1min';
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "f"}');
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "f"}');
SELECT count(*) FROM dynamo.transact_write('[{"Put": {"TableName": "EngineSpiRace", "Item": {"pk": {"S": "f"}}}}]');
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "f"}');
RESET ROLE;
RESET statement_timeout;
DROP TRIGGER other ON dynamo_data."EngineSpiRace";
SELECT dynamo.delete_item('EngineSpiRace', '{"pk": "other"}');
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN coalesce(new, old); END $$;
CREATE TRIGGER pass BEFORE INSERT OR UPDATE OR DELETE ON dynamo_data."EngineSpiRace" FOR EACH ROW EXECUTE FUNCTION pass();

-- another unique index of the user's is no race
CREATE UNIQUE INDEX ON dynamo_data."EngineSpiRace" ((item ->> 'name'));
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "g", "name": "ann"}');
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "h", "name": "ann"}');
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "h", "name": "ann"}');
RESET ROLE;

-- a hidden item denies its key, to one that would be hidden, too, and to one that would not; in REPEATABLE READ as well,
-- even to the owner if he forces it on himself
CREATE POLICY not_hers ON dynamo_data."EngineSpiRace" AS RESTRICTIVE TO regress_engine_rival USING (item ->> 'pk' <> 'a' OR item ? 'n') WITH CHECK (true);
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a", "x": 1}');
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a", "n": 1}');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a", "n": 1}');
ROLLBACK;
RESET ROLE;
-- it is missing for who may not see it, and nobody waits for ever to make that sure
SET ROLE regress_engine_rival;
SELECT count(*) FROM dynamo.transact_write('[{"ConditionCheck": {"TableName": "EngineSpiRace", "Key": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}},
  {"Delete": {"TableName": "EngineSpiRace", "Key": {"pk": {"S": "never"}}}}, {"Update": {"TableName": "EngineSpiRace", "Key": {"pk": {"S": "b"}}, "UpdateExpression": "REMOVE x"}}]');
RESET ROLE;
ALTER TABLE dynamo_data."EngineSpiRace" OWNER TO regress_engine_rival;
ALTER TABLE dynamo_data."EngineSpiRace" FORCE ROW LEVEL SECURITY;
SET ROLE regress_engine_rival;
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a", "x": 1}');
SELECT dynamo.put_item('EngineSpiRace', '{"pk": "a", "n": 1}');
SELECT count(*) FROM dynamo.get_item('EngineSpiRace', '{"pk": "a"}');
SELECT dynamo.delete_item('EngineSpiRace', '{"pk": "a"}', return_values => 'ALL_OLD');
RESET ROLE;
SELECT item FROM dynamo.get_item('EngineSpiRace', '{"pk": "a"}');
-- one that changes what another action is about is no rival that goes: nobody tries for ever
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dynamo_data."EngineSpiTally" SET item = item::jsonb || '{"n": 1}' WHERE item ->> 'sk' = 'b';
  RETURN NULL;
END $$;
SELECT dynamo.create_table('EngineSpiTally', 'pk', 'sk');
SELECT dynamo.put_item('EngineSpiTally', '{"pk": "p", "sk": "b"}');
CREATE TRIGGER counts AFTER INSERT ON dynamo_data."EngineSpiTally" FOR EACH ROW EXECUTE FUNCTION counts();
SET statement_timeout = '5min';
SELECT count(*) FROM dynamo.transact_write('[{"Put": {"TableName": "EngineSpiTally", "Item": {"pk": {"S": "p"}, "sk": {"S": "a"}}}},
  {"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "b"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}]');
RESET statement_timeout;
SELECT item FROM dynamo.scan('EngineSpiTally');
-- nor is what it changes lost
DROP TRIGGER counts ON dynamo_data."EngineSpiTally";
SELECT dynamo.put_item('EngineSpiTally', '{"pk": "p", "sk": "a"}');
CREATE TRIGGER counts AFTER UPDATE ON dynamo_data."EngineSpiTally" FOR EACH ROW WHEN (old.item ->> 'sk' = 'a') EXECUTE FUNCTION counts();
SELECT count(*) FROM dynamo.transact_write('[{"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}},
  {"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "b"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiTally');
-- nor in a table that has no trigger itself
SELECT dynamo.create_table('EngineSpiTotal', 'pk');
ALTER TABLE dynamo_data."EngineSpiTotal" ADD CHECK (item ? 'pk');
SELECT dynamo.put_item('EngineSpiTotal', '{"pk": "t"}');
CREATE FUNCTION totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dynamo_data."EngineSpiTotal" SET item = item::jsonb || '{"n": 1}';
  RETURN NULL;
END $$;
CREATE TRIGGER totals AFTER UPDATE ON dynamo_data."EngineSpiTally" FOR EACH ROW EXECUTE FUNCTION totals();
SELECT count(*) FROM dynamo.transact_write('[{"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}, "UpdateExpression": "REMOVE x"}},
  {"Update": {"TableName": "EngineSpiTotal", "Key": {"pk": {"S": "t"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiTotal');
-- nor in one that is served otherwise by itself; what it has changed may be deleted, too
ALTER TABLE dynamo_data."EngineSpiTotal" DROP CONSTRAINT "EngineSpiTotal_item_check";
SELECT dynamo.put_item('EngineSpiTotal', '{"pk": "t"}');
SELECT count(*) FROM dynamo.transact_write('[{"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}},
  {"Update": {"TableName": "EngineSpiTotal", "Key": {"pk": {"S": "t"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiTotal');
SELECT count(*) FROM dynamo.transact_write('[{"Update": {"TableName": "EngineSpiTally", "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}, "UpdateExpression": "REMOVE x"}},
  {"Delete": {"TableName": "EngineSpiTotal", "Key": {"pk": {"S": "t"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiTotal');
SELECT dynamo.drop_table('EngineSpiTally'), dynamo.drop_table('EngineSpiTotal');
-- in one transaction with a relation of no such kind
SELECT dynamo.create_table('EngineSpiPlain', 'pk');
SELECT count(*) FROM dynamo.transact_write('[{"Put": {"TableName": "EngineSpiPlain", "Item": {"pk": {"S": "new"}}}}, {"Put": {"TableName": "EngineSpiRace", "Item": {"pk": {"S": "new"}}}},
  {"Delete": {"TableName": "EngineSpiPlain", "Key": {"pk": {"S": "never"}}}}, {"Delete": {"TableName": "EngineSpiRace", "Key": {"pk": {"S": "never"}}}}]');
SELECT item FROM dynamo.scan('EngineSpiPlain');
SELECT dynamo.drop_table('EngineSpiPlain');
SELECT dynamo.drop_table('EngineSpiRace');
DROP FUNCTION come, go, refuse, other, pass, counts, totals;
DROP SEQUENCE rivals;
DROP ROLE regress_engine_rival;

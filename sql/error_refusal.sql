-- What a user's constraint, domain, trigger, policy or event trigger refuses is
-- no internal error, which SDKs would repeat: a ValidationException that names
-- the constraint, and shows nothing of the item.
\a
\t on
CREATE ROLE refusal_owner;
GRANT CREATE ON SCHEMA dynamo_data TO refusal_owner;
CREATE SCHEMA refusal;
GRANT ALL ON SCHEMA refusal TO refusal_owner;
SET ROLE refusal_owner;
SELECT dynamo.create_table('Refusal', 'pk');
CREATE FUNCTION refusal.called(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(substr(answer->>'__type', strpos(answer->>'__type', '#') + 1) || ': ' || coalesce(answer->>'message', answer->>'Message'), answer::text)
	FROM dynamo.try_call(operation, request) answer $$;
CREATE FUNCTION refusal.put(item text) RETURNS text LANGUAGE sql AS $$
	SELECT refusal.called('PutItem', format('{"TableName": "Refusal", "Item": %s}', item::dynamo.item)::json) $$;
SELECT refusal.put('{"pk": "a"}');
-- CHECK, and an expression of it that fails
ALTER TABLE dynamo_data."Refusal" ADD CONSTRAINT small CHECK ((item->>'n')::int < 10);
SELECT refusal.put('{"pk": "secret", "n": 99}');
SELECT refusal.put('{"pk": "secret", "n": "hidden"}');
SELECT refusal.called('UpdateItem', '{"TableName": "Refusal", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "99"}}}');
SELECT refusal.called('BatchWriteItem', '{"RequestItems": {"Refusal": [{"PutRequest": {"Item": {"pk": {"S": "secret"}, "n": {"N": "99"}}}}]}}');
SELECT refusal.called('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "Refusal", "Item": {"pk": {"S": "secret"}, "n": {"N": "99"}}}}]}');
SELECT refusal.called('ExecuteStatement', '{"Statement": "INSERT INTO \"Refusal\" VALUE {''pk'': ''secret'', ''n'': 99}"}');
SELECT refusal.called('BatchExecuteStatement', '{"Statements": [{"Statement": "INSERT INTO \"Refusal\" VALUE {''pk'': ''secret'', ''n'': 99}"}]}');
ALTER TABLE dynamo_data."Refusal" DROP CONSTRAINT small;
-- unique, exclusion, NOT NULL, a domain, a foreign key both ways, a long entry of an index
CREATE UNIQUE INDEX once ON dynamo_data."Refusal" ((item->>'u'));
SELECT refusal.put('{"pk": "b", "u": "taken"}');
SELECT refusal.put('{"pk": "c", "u": "taken"}');
SELECT refusal.called('PutItem', json_build_object('TableName', 'Refusal', 'Item', json_build_object('pk', json_build_object('S', 'c'),
	'u', json_build_object('S', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 500) i)))));
DROP INDEX dynamo_data.once;
ALTER TABLE dynamo_data."Refusal" ADD CONSTRAINT excluded EXCLUDE ((item->>'x') WITH =);
SELECT refusal.put('{"pk": "d", "x": "taken"}'), refusal.put('{"pk": "e", "x": "taken"}');
ALTER TABLE dynamo_data."Refusal" DROP CONSTRAINT excluded;
CREATE DOMAIN refusal.positive AS integer CONSTRAINT above CHECK (value > 0);
ALTER TABLE dynamo_data."Refusal" ADD d refusal.positive GENERATED ALWAYS AS ((item->>'d')::int) STORED;
SELECT refusal.put('{"pk": "f", "d": -1}');
ALTER TABLE dynamo_data."Refusal" DROP d;
CREATE TABLE refusal.referring (pk dynamo.partition_key CONSTRAINT refers REFERENCES dynamo_data."Refusal");
INSERT INTO refusal.referring SELECT pk FROM dynamo_data."Refusal" WHERE pk = 'a';
SELECT refusal.called('DeleteItem', '{"TableName": "Refusal", "Key": {"pk": {"S": "a"}}}');
DROP TABLE refusal.referring;
-- triggers: RAISE, a code of their own, an assertion, what they make of the constraint's name
CREATE FUNCTION refusal.raise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE new.item->>'pk'
		WHEN 'raise' THEN RAISE 'no place for %', new.item;
		WHEN 'own' THEN RAISE 'no place for %', new.item USING ERRCODE = 'U0001';
		WHEN 'digits' THEN RAISE 'no place for %', new.item USING ERRCODE = '99001';
		WHEN 'named' THEN RAISE check_violation USING CONSTRAINT = new.item::text, TABLE = repeat('x', 100);
		WHEN 'assert' THEN ASSERT false, new.item::text;
		WHEN 'divide' THEN PERFORM 1 / 0;
		WHEN 'internal' THEN RAISE 'no place for %', new.item USING ERRCODE = 'XX000';
		WHEN 'disk' THEN RAISE 'no place for %', new.item USING ERRCODE = 'disk_full';
		-- as where somebody makes a relation of the same name at the same time
		WHEN 'catalog' THEN RAISE unique_violation USING SCHEMA = 'pg_catalog', TABLE = 'pg_class', CONSTRAINT = 'pg_class_relname_nsp_index';
		ELSE RETURN new;
	END CASE;
END $$;
CREATE TRIGGER raise BEFORE INSERT ON dynamo_data."Refusal" FOR EACH ROW EXECUTE FUNCTION refusal.raise();
SELECT pk, refusal.put(format('{"pk": "%s", "secret": "%s"}', pk, repeat('hidden', 20))) FROM unnest('{raise,own,digits,named,assert,divide,internal,disk,catalog}'::text[]) pk;
-- JSON of which most is small values is refused by nobody's constraint
SELECT refusal.called('GetItem', ('{"a":[' || repeat('{},', 99999) || '{}]}')::json);
-- An event trigger
RESET ROLE;
CREATE FUNCTION refusal.event() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'not now: %', tg_tag; END$$;
CREATE EVENT TRIGGER refusal ON ddl_command_start WHEN TAG IN ('CREATE TABLE', 'DROP TABLE') EXECUTE FUNCTION refusal.event();
SET ROLE refusal_owner;
SELECT refusal.called('CreateTable', '{"TableName": "Refused", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}');
SELECT refusal.called('DeleteTable', '{"TableName": "Refusal"}');
RESET ROLE;
DROP EVENT TRIGGER refusal;
SELECT dynamo.drop_table('Refusal');
SET client_min_messages = warning;
DROP SCHEMA refusal CASCADE;
DROP OWNED BY refusal_owner;
DROP ROLE refusal_owner;

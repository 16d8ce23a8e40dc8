-- The index by which items expire is there while time to live is on, whatever
-- is done to the table
\t on
\a
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS amcheck;
RESET client_min_messages;
SELECT dynamo.create_table('TtlDefinition', 'PK', 'SK');
SELECT extract(epoch FROM now())::bigint AS now \gset
CREATE FUNCTION pg_temp.status() RETURNS TABLE (status text, attribute text, index regclass) LANGUAGE sql AS $$
  SELECT a #>> '{TimeToLiveDescription,TimeToLiveStatus}', a #>> '{TimeToLiveDescription,AttributeName}', to_regclass('dynamo_data."TtlDefinition:ttl"')
    FROM dynamo.call('DescribeTimeToLive', '{"TableName": "TtlDefinition"}') a $$;
CREATE FUNCTION pg_temp.put(now bigint) RETURNS void LANGUAGE sql AS $$
  SELECT dynamo.put_item('TtlDefinition', jsonb_build_object('PK', 'p', 'SK', 's', 'ttl', now - 10, 'v', 0)::dynamo.item) $$;

SELECT * FROM pg_temp.status();
SELECT dynamo.enable_ttl('TtlDefinition', 'ttl');
SELECT * FROM pg_temp.status();
SELECT indexdef FROM pg_indexes WHERE indexname = 'TtlDefinition:ttl';
-- what is taken back was never there
BEGIN;
SELECT dynamo.disable_ttl('TtlDefinition');
SELECT * FROM pg_temp.status();
SAVEPOINT s;
SELECT dynamo.enable_ttl('TtlDefinition', 'other');
SELECT * FROM pg_temp.status();
ROLLBACK TO s;
SELECT * FROM pg_temp.status();
ROLLBACK;
SELECT * FROM pg_temp.status();

-- rebuilt in every way, it serves
SELECT pg_temp.put(:now);
REINDEX INDEX dynamo_data."TtlDefinition:ttl";
SELECT dynamo.expire_items('TtlDefinition'), pg_temp.put(:now);
REINDEX TABLE CONCURRENTLY dynamo_data."TtlDefinition";
SELECT dynamo.expire_items('TtlDefinition'), pg_temp.put(:now);
VACUUM FULL dynamo_data."TtlDefinition";
SELECT dynamo.expire_items('TtlDefinition'), pg_temp.put(:now);
CLUSTER dynamo_data."TtlDefinition" USING "TtlDefinition:pkey";
SELECT dynamo.expire_items('TtlDefinition'), pg_temp.put(:now);
ALTER TABLE dynamo_data."TtlDefinition" RENAME TO "ttl definition";
SELECT dynamo.expire_items('TtlDefinition'), pg_temp.put(:now);
ALTER TABLE dynamo_data."ttl definition" RENAME TO "TtlDefinition";
TRUNCATE dynamo_data."TtlDefinition";
SELECT dynamo.expire_items('TtlDefinition');
SELECT * FROM pg_temp.status();
-- under another name it is not found; back again, it is
ALTER INDEX dynamo_data."TtlDefinition:ttl" RENAME TO elsewhere;
SELECT * FROM pg_temp.status();
SELECT dynamo.expire_items('TtlDefinition');
-- nor is somebody else's of its name read instead
BEGIN;
CREATE INDEX "TtlDefinition:ttl" ON dynamo_data."TtlDefinition" ((pk::text));
SELECT dynamo.expire_items('TtlDefinition');
ROLLBACK;
-- to disable it drops no index then, and is in force at once nevertheless
BEGIN;
SELECT dynamo.disable_ttl('TtlDefinition');
SELECT * FROM pg_temp.status();
ROLLBACK;
SELECT * FROM pg_temp.status();
ALTER INDEX dynamo_data.elsewhere RENAME TO "TtlDefinition:ttl";
SELECT * FROM pg_temp.status();

-- an update is HOT unless it changes the seconds of the expiry, by SQL and by the API
CREATE FUNCTION pg_temp.hot(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  before bigint := pg_stat_get_xact_tuples_hot_updated('dynamo_data."TtlDefinition"'::regclass);
BEGIN
  EXECUTE statement;
  RETURN pg_stat_get_xact_tuples_hot_updated('dynamo_data."TtlDefinition"'::regclass) > before;
END $$;
CREATE FUNCTION pg_temp.update(expression text, more jsonb DEFAULT '{}') RETURNS boolean LANGUAGE sql AS $$
  SELECT pg_temp.hot(format($s$SELECT dynamo.update_item('TtlDefinition', '{"PK": "p", "SK": "s"}', %L, %L, expression_attribute_names => '{"#t": "ttl"}', condition_expression => 'attribute_exists(PK) OR attribute_exists(#t)')$s$, expression, jsonb_build_object(':n', 1) || more)) $$;
SELECT pg_temp.put(:now + 1000);
SELECT pg_temp.update('ADD v :n'), pg_temp.update('ADD v :n SET #t = #t + :z', '{":z": 0}'), pg_temp.update('ADD v :n SET #t = #t + :half', '{":half": 0.5}');
SELECT pg_temp.update('ADD #t :n'), pg_temp.update('SET v = :n REMOVE #t'), pg_temp.update('SET v = :two, w = :n', '{":two": 2}'), pg_temp.update('SET #t = :n'), pg_temp.update('SET #t = :s, v = :n', '{":s": "x"}');
SELECT pg_temp.hot($$UPDATE dynamo_data."TtlDefinition" SET item = item::jsonb || '{"v": 7}'$$), pg_temp.hot($$UPDATE dynamo_data."TtlDefinition" SET item = item::jsonb || '{"ttl": 7}'$$), pg_temp.hot($$UPDATE dynamo_data."TtlDefinition" SET item = item::jsonb || '{"ttl": 7.5}'$$);
SELECT bt_index_check('dynamo_data."TtlDefinition:ttl"', true);

-- dropped by plain SQL it is off, for good: nothing goes on without an index
DROP INDEX dynamo_data."TtlDefinition:ttl";
SELECT * FROM pg_temp.status();
SELECT dynamo.expire_items('TtlDefinition');
-- somebody else's of that name is in the way, not ours, and not what is dropped elsewhere
CREATE INDEX "TtlDefinition:ttl" ON dynamo_data."TtlDefinition" ((pk::text));
SELECT dynamo.enable_ttl('TtlDefinition', 'ttl');
SELECT * FROM pg_temp.status();
DROP INDEX dynamo_data."TtlDefinition:ttl";
SELECT dynamo.enable_ttl('TtlDefinition', 'ttl');
CREATE TABLE elsewhere (i int);
CREATE INDEX "TtlDefinition:ttl" ON elsewhere (i);
DROP TABLE elsewhere;
SELECT * FROM pg_temp.status();

-- a GSI called ttl is another index; a long name is shortened as any
SELECT dynamo.create_index('TtlDefinition', 'ttl', 'g');
SELECT * FROM pg_temp.status();
SELECT dynamo.drop_index('TtlDefinition', 'ttl');
SELECT * FROM pg_temp.status();
SELECT dynamo.create_table(repeat('TtlLong', 30), 'PK') IS NOT NULL, dynamo.enable_ttl(repeat('TtlLong', 30), 'ttl');
SELECT dynamo.put_item(repeat('TtlLong', 30), jsonb_build_object('PK', 'p', 'ttl', :now - 10)::dynamo.item);
SELECT dynamo.expire_items(repeat('TtlLong', 30));
SELECT dynamo.drop_table(repeat('TtlLong', 30));

-- a table made anew has no time to live
SELECT dynamo.drop_table('TtlDefinition');
SELECT dynamo.create_table('TtlDefinition', 'PK', 'SK');
SELECT * FROM pg_temp.status();
SELECT pg_temp.put(:now);
SELECT dynamo.expire_items('TtlDefinition');
SELECT dynamo.drop_table('TtlDefinition');

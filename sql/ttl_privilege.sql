-- Who may have items expire, and tables that need the planner: policies,
-- triggers hold for expiry, too
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('TtlPrivilege', 'PK', 'SK');
SELECT dynamo.enable_ttl('TtlPrivilege', 'ttl');
SELECT extract(epoch FROM now())::bigint AS now \gset
CREATE FUNCTION pg_temp.fill(now bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO dynamo_data."TtlPrivilege" (item) SELECT format('{"PK": "%s", "SK": "%s", "ttl": %s}', p, n, now + n * 1000)::dynamo.item
    FROM unnest('{acme,umbrella}'::text[]) p, generate_series(-2, 2) n WHERE n <> 0 ON CONFLICT DO NOTHING $$;
CREATE FUNCTION pg_temp.left() RETURNS TABLE (items text) LANGUAGE sql AS $$
  SELECT string_agg(item ->> 'PK' || ' ' || (item ->> 'SK'), ', ' ORDER BY item ->> 'PK', item ->> 'SK') FROM dynamo_data."TtlPrivilege" $$;
SELECT pg_temp.fill(:now);

-- DELETE and SELECT; ownership to switch
CREATE ROLE ttl_sweeper;
SET ROLE ttl_sweeper;
SELECT dynamo.expire_items('TtlPrivilege');
RESET ROLE;
GRANT DELETE ON dynamo_data."TtlPrivilege" TO ttl_sweeper;
SET ROLE ttl_sweeper;
SELECT dynamo.expire_items('TtlPrivilege');
SELECT dynamo.disable_ttl('TtlPrivilege');
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "TtlPrivilege"}');
RESET ROLE;
GRANT SELECT ON dynamo_data."TtlPrivilege" TO ttl_sweeper;
SET ROLE ttl_sweeper;
SELECT dynamo.expire_items('TtlPrivilege', 1);
RESET ROLE;
BEGIN READ ONLY;
SELECT dynamo.expire_items('TtlPrivilege');
ROLLBACK;

-- row-level security: of the items that the user sees, and may delete
ALTER TABLE dynamo_data."TtlPrivilege" ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON dynamo_data."TtlPrivilege" FOR SELECT USING (pk = 'acme' OR sk = '-1');
CREATE POLICY locked ON dynamo_data."TtlPrivilege" FOR UPDATE USING (true);
CREATE POLICY deleted ON dynamo_data."TtlPrivilege" FOR DELETE USING (pk = 'acme');
SELECT pg_temp.fill(:now);
-- SQL locks rows for who may change them
SET ROLE ttl_sweeper;
SELECT dynamo.expire_items('TtlPrivilege');
RESET ROLE;
GRANT UPDATE ON dynamo_data."TtlPrivilege" TO ttl_sweeper;
SET ROLE ttl_sweeper;
SELECT dynamo.expire_items('TtlPrivilege'), dynamo.expire_items('TtlPrivilege');
RESET ROLE;
SELECT * FROM pg_temp.left();
-- its owner is above that
SELECT dynamo.expire_items('TtlPrivilege'), dynamo.expire_items('TtlPrivilege');
SELECT * FROM pg_temp.left();
-- the planner finds the index, also below a policy
SET ROLE ttl_sweeper;
SET enable_seqscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT item FROM dynamo_data."TtlPrivilege" WHERE dynamo_internal.expiry(item, 'ttl') IS NOT NULL AND dynamo_internal.expiry(item, 'ttl') < 5 ORDER BY dynamo_internal.expiry(item, 'ttl');
RESET enable_seqscan;
RESET enable_sort;
RESET ROLE;
ALTER TABLE dynamo_data."TtlPrivilege" DISABLE ROW LEVEL SECURITY;

-- a trigger sees each; what it refuses stays and is not counted
SELECT pg_temp.fill(:now);
CREATE FUNCTION pg_temp.keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '%', old.item ->> 'PK' || ' ' || (old.item ->> 'SK');
  RETURN CASE WHEN old.pk = 'acme' THEN NULL ELSE old END;
END $$;
CREATE TRIGGER keep BEFORE DELETE ON dynamo_data."TtlPrivilege" FOR EACH ROW EXECUTE FUNCTION pg_temp.keep();
SELECT dynamo.expire_items('TtlPrivilege', 1), dynamo.expire_items('TtlPrivilege'), dynamo.expire_items('TtlPrivilege');
SELECT * FROM pg_temp.left();
DROP TRIGGER keep ON dynamo_data."TtlPrivilege";
-- an item that is given more time while the sweep is on its way to it stays
SELECT dynamo.expire_items('TtlPrivilege') > 0, pg_temp.fill(:now);
CREATE FUNCTION pg_temp.more() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dynamo_data."TtlPrivilege" SET item = item::jsonb || '{"ttl": 5000000000}' WHERE pk = old.pk AND sk = '-1';
  RETURN NULL;
END $$;
CREATE TRIGGER more AFTER DELETE ON dynamo_data."TtlPrivilege" FOR EACH ROW WHEN (old.sk = '-2') EXECUTE FUNCTION pg_temp.more();
SELECT dynamo.expire_items('TtlPrivilege');
SELECT * FROM pg_temp.left();
DROP TRIGGER more ON dynamo_data."TtlPrivilege";
-- an error of its own ends all
DELETE FROM dynamo_data."TtlPrivilege";
SELECT pg_temp.fill(:now);
CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
CREATE TRIGGER fail AFTER DELETE ON dynamo_data."TtlPrivilege" FOR EACH ROW EXECUTE FUNCTION pg_temp.fail();
SELECT dynamo.expire_items('TtlPrivilege');
DROP TRIGGER fail ON dynamo_data."TtlPrivilege";
SELECT dynamo.expire_items('TtlPrivilege');
SELECT * FROM pg_temp.left();
SELECT dynamo.drop_table('TtlPrivilege');
DROP ROLE ttl_sweeper;

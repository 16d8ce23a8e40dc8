-- An item that expires leaves a REMOVE record in the name of the service;
-- nobody else's does
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('TtlStream', 'PK', 'SK');
SELECT dynamo.enable_ttl('TtlStream', 'ttl');
SELECT dynamo.enable_stream('TtlStream') IS NOT NULL;
SELECT extract(epoch FROM now())::bigint AS now \gset
CREATE FUNCTION pg_temp.put(sk text, ttl bigint) RETURNS void LANGUAGE sql AS $$
  SELECT dynamo.put_item('TtlStream', format('{"PK": "p", "SK": "%s", "ttl": %s}', sk, ttl)::dynamo.item) $$;
CREATE TEMP TABLE seen (number numeric);
-- what has come since it was last asked
CREATE FUNCTION pg_temp.news() RETURNS TABLE (event text, sk text, had boolean, has boolean, by_service boolean) LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT * FROM dynamo.stream('TtlStream', (SELECT max(number) FROM seen)) LOOP
    INSERT INTO seen VALUES (r.sequence_number);
    event := r.event_name;
    sk := r.keys ->> 'SK';
    had := r.old_image IS NOT NULL;
    has := r.new_image IS NOT NULL;
    by_service := r.by_service;
    RETURN NEXT;
  END LOOP;
END $$;

SELECT pg_temp.put('a', :now - 10), pg_temp.put('b', :now - 5), pg_temp.put('c', :now + 1000), pg_temp.put('d', :now - 1);
SELECT * FROM pg_temp.news();
SELECT dynamo.delete_item('TtlStream', '{"PK": "p", "SK": "d"}');
SELECT dynamo.expire_items('TtlStream');
SELECT * FROM pg_temp.news();
-- a change afterwards is a user's again
SELECT dynamo.delete_item('TtlStream', '{"PK": "p", "SK": "c"}');
SELECT * FROM pg_temp.news();
-- nothing is recorded of what is taken back, of what is kept, or found by nobody
SELECT pg_temp.put('e', :now - 10);
BEGIN;
SELECT dynamo.expire_items('TtlStream');
ROLLBACK;
SELECT pg_temp.put('e', :now + 10000);
SELECT dynamo.expire_items('TtlStream');
SELECT * FROM pg_temp.news();

-- where SQL does the work it is the same; a trigger's own changes are its user's
ALTER TABLE dynamo_data."TtlStream" ADD CHECK (item ? 'PK');
CREATE FUNCTION pg_temp.log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dynamo_data."TtlLog" SET item = item::jsonb || jsonb_build_object('last', old.item ->> 'SK');
  RETURN NULL;
END $$;
SELECT dynamo.create_table('TtlLog', 'PK');
SELECT dynamo.put_item('TtlLog', '{"PK": "log"}');
SELECT dynamo.enable_stream('TtlLog', 'KEYS_ONLY') IS NOT NULL;
CREATE TRIGGER log AFTER DELETE ON dynamo_data."TtlStream" FOR EACH ROW EXECUTE FUNCTION pg_temp.log();
SELECT pg_temp.put('f', :now - 10), pg_temp.put('g', :now - 5);
SELECT dynamo.expire_items('TtlStream', 1);
SELECT dynamo.delete_item('TtlStream', '{"PK": "p", "SK": "g"}');
SELECT * FROM pg_temp.news();
SELECT event_name, by_service FROM dynamo.stream('TtlLog');
-- in the same table, too
CREATE FUNCTION pg_temp.beside() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.item ->> 'SK' = 'x' THEN
    PERFORM dynamo.delete_item('TtlStream', '{"PK": "p", "SK": "e"}');
    PERFORM dynamo.put_item('TtlStream', '{"PK": "p", "SK": "z"}');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER beside AFTER DELETE ON dynamo_data."TtlStream" FOR EACH ROW EXECUTE FUNCTION pg_temp.beside();
SELECT pg_temp.put('x', :now - 10);
SELECT dynamo.expire_items('TtlStream');
SELECT * FROM pg_temp.news();
DROP TRIGGER beside ON dynamo_data."TtlStream";
-- an error in a sweep leaves nothing behind
CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
CREATE TRIGGER refuse BEFORE DELETE ON dynamo_data."TtlStream" FOR EACH ROW EXECUTE FUNCTION pg_temp.fail();
SELECT pg_temp.put('h', :now - 10);
SELECT dynamo.expire_items('TtlStream');
DROP TRIGGER refuse ON dynamo_data."TtlStream";
DELETE FROM dynamo_data."TtlStream" WHERE sk = 'h';
SELECT * FROM pg_temp.news();
SELECT dynamo.drop_table('TtlStream'), dynamo.drop_table('TtlLog');

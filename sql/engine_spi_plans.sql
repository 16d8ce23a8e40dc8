-- Statements of the store that goes through SQL are prepared once in a session;
-- those on relations that are gone do not stay for ever.

DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		PERFORM dynamo.create_table('Passing', 'pk');
		ALTER TABLE dynamo_data."Passing" ADD CHECK (item->>'pk' <> '');
		PERFORM dynamo.put_item('Passing', '{"pk": "a"}'), dynamo.delete_item('Passing', '{"pk": "a"}'),
			dynamo.get_item('Passing', '{"pk": "a"}');
		PERFORM dynamo.drop_table('Passing');
	END LOOP;
END
$$;
SELECT count(*) BETWEEN 1 AND 150 AS few_plans FROM pg_backend_memory_contexts
WHERE name = 'SPI Plan';

-- They are of a relation, whatever it is called: one that takes the name of
-- another is not written in its place.
SELECT dynamo.create_table('Planned', 'pk');
ALTER TABLE dynamo_data."Planned" ADD CHECK (item ? 'pk');
SELECT dynamo.put_item('Planned', '{"pk": "a"}');
ALTER TABLE dynamo_data."Planned" RENAME TO other;
CREATE TABLE dynamo_data."Planned" (LIKE dynamo_data.other INCLUDING ALL);
SELECT dynamo.put_item('Planned', '{"pk": "b"}');
SELECT dynamo.update_item('Planned', '{"pk": "a"}', 'SET n = :n', '{":n": 1}');
SELECT tableoid::regclass, item FROM dynamo_data.other
UNION ALL SELECT tableoid::regclass, item FROM dynamo_data."Planned";
DROP TABLE dynamo_data."Planned";
SELECT dynamo.drop_table('Planned');

-- They find a row by its key, whoever the policies are for when they are planned anew.
SELECT dynamo.create_table('Turns', 'pk');
INSERT INTO dynamo_data."Turns" (item) VALUES ('{"pk": "a"}');
ANALYZE dynamo_data."Turns";
CREATE ROLE regress_turns_ann;
CREATE ROLE regress_turns_ben;
GRANT SELECT ON dynamo_data."Turns" TO regress_turns_ann, regress_turns_ben;
ALTER TABLE dynamo_data."Turns" ENABLE ROW LEVEL SECURITY;
CREATE POLICY everything ON dynamo_data."Turns" USING (true);
BEGIN;
SET LOCAL ROLE regress_turns_ann;
SELECT dynamo.get_item('Turns', '{"pk": "a"}');
SET LOCAL ROLE regress_turns_ben;
SELECT dynamo.get_item('Turns', '{"pk": "a"}');
RESET ROLE;
SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'Turns';
COMMIT;
SELECT dynamo.drop_table('Turns');
DROP ROLE regress_turns_ann, regress_turns_ben;

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

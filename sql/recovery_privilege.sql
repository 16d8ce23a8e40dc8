-- Who may read the past: whoever may read all of the present.

SELECT dynamo.create_table('Secret', 'pk');
SELECT dynamo.put_item('Secret', '{"pk": "1", "owner": "ann"}');
SELECT dynamo.enable_recovery('Secret');
SELECT dynamo.mark_recovery() AS t \gset
SELECT dynamo.put_item('Secret', '{"pk": "1", "owner": "bob"}');
SELECT dynamo.relation('Secret')::oid AS relation \gset
CREATE ROLE dynamo_test_reader;
CREATE ROLE dynamo_test_columns;
CREATE ROLE dynamo_test_writer;
CREATE ROLE dynamo_test_exempt BYPASSRLS;
GRANT SELECT ON dynamo_data."Secret" TO dynamo_test_reader, dynamo_test_exempt;
GRANT SELECT (pk, item) ON dynamo_data."Secret" TO dynamo_test_columns;
GRANT INSERT, UPDATE, DELETE, SELECT (pk) ON dynamo_data."Secret" TO dynamo_test_writer;

CREATE FUNCTION pg_temp.asked(role name, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE query INTO answer;
	RESET ROLE;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN
	RESET ROLE;
	RETURN SQLERRM;
END $$;
CREATE FUNCTION pg_temp.all_asked(t timestamptz, relation oid) RETURNS TABLE (role name, what text, answer text) LANGUAGE sql AS $$
	SELECT r, w, pg_temp.asked(r::name, q)
	FROM unnest('{dynamo_test_reader,dynamo_test_columns,dynamo_test_writer,dynamo_test_exempt}'::text[]) r,
		(VALUES (1, 'get_item', format($q$SELECT item->>'owner' FROM dynamo.get_item('Secret', '{"pk": "1"}', as_of => %L)$q$, t)),
			(2, 'query', format($q$SELECT item->>'owner' FROM dynamo.query('Secret', 'pk = :p', '{":p": "1"}', as_of => %L)$q$, t)),
			(3, 'scan', format($q$SELECT item->>'owner' FROM dynamo.scan('Secret', as_of => %L)$q$, t)),
			(4, 'the journal', format($q$SELECT old_image->>'owner' FROM dynamo_internal.past(%s, '1:1:', '-infinity')$q$, relation))) v(i, w, q)
	ORDER BY r, i
$$;
SELECT * FROM pg_temp.all_asked(:'t', :relation);

-- Row-level security is about rows as they are now.
ALTER TABLE dynamo_data."Secret" ENABLE ROW LEVEL SECURITY;
CREATE POLICY anns ON dynamo_data."Secret" USING (item->>'owner' = 'ann');
SELECT * FROM pg_temp.all_asked(:'t', :relation);

-- Other relations have no past.
SELECT pg_temp.asked('dynamo_test_reader', $q$SELECT count(*) FROM dynamo_internal.past('pg_authid'::regclass, '1:1:', '-infinity')$q$);
SELECT pg_temp.asked('dynamo_test_reader', $q$SELECT count(*) FROM dynamo_internal.past(0, '1:1:', '-infinity')$q$);
SELECT pg_temp.asked('dynamo_test_reader', $q$SELECT count(*) FROM dynamo_internal.past(NULL, '1:1:', '-infinity')$q$);
SELECT pg_temp.asked('dynamo_test_reader', 'SELECT count(*) FROM dynamo_internal.journal_0');

SELECT dynamo.disable_recovery('Secret');
SELECT dynamo.drop_table('Secret');
DROP ROLE dynamo_test_reader, dynamo_test_columns, dynamo_test_writer, dynamo_test_exempt;

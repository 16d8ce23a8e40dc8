-- A trigger of the user's that expires items of another table, or of the same:
-- what the outer call deletes after it is the service's deletion still.

SELECT dynamo.create_table(name, 'pk'), dynamo.enable_stream(name) IS NOT NULL AS streams,
	dynamo.enable_ttl(name, 'due')
FROM unnest('{Outer,Inner}'::text[]) name;
SELECT count(dynamo.put_item(name, jsonb_build_object('pk', n::text, 'due', extract(epoch FROM now())::bigint - 100 - n)::dynamo.item))
FROM unnest('{Outer,Inner}'::text[]) name, generate_series(1, 3) n;
CREATE FUNCTION pg_temp.expire_more() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.expire_items('Inner');
	PERFORM dynamo.delete_item('Inner', '{"pk": "kept"}');
	PERFORM dynamo.put_item('Inner', '{"pk": "kept"}');
	RETURN OLD;
END
$$;
CREATE TRIGGER expire_more BEFORE DELETE ON dynamo_data."Outer"
	FOR EACH ROW EXECUTE FUNCTION pg_temp.expire_more();
SELECT dynamo.expire_items('Outer');
SELECT event_name, keys, by_service FROM dynamo.stream('Outer') WHERE event_name = 'REMOVE';
SELECT event_name, keys, by_service FROM dynamo.stream('Inner') WHERE event_name = 'REMOVE';
SELECT dynamo.drop_table('Outer'), dynamo.drop_table('Inner');

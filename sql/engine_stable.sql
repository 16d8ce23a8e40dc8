-- dynamo.query and its like are STABLE: a read sees what its statement sees, and
-- nothing that other calls in the statement write.  By dynamo.call, which is
-- VOLATILE, each read sees the writes before it (engine_command).
\t on
\a
SELECT dynamo.create_table('EngineStable', 'pk', 'sk');
SELECT dynamo.put_item('EngineStable', '{"pk": "a", "sk": "1"}'), dynamo.put_item('EngineStable', '{"pk": "a", "sk": "2"}');
SELECT dynamo.put_item('EngineStable', '{"pk": "a", "sk": "3"}'), (SELECT count(*) FROM dynamo.query('EngineStable', 'pk = :a', '{":a": "a"}')), n FROM generate_series(1, 1) n;
SELECT count(*) FROM dynamo.query('EngineStable', 'pk = :a', '{":a": "a"}');
SELECT dynamo.drop_table('EngineStable');

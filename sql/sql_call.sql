-- dynamo.call and dynamo.try_call: what a request needs is gone when it is answered.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Call', 'id');

-- not only at the end of the statement that asks
SELECT dynamo.call('GetItem', '{"TableName": "Call", "Key": {"id": {"S": "a"}}}'),
	dynamo.try_call('GetItem', '{"TableName": "Call", "Key": {}}'),
	(SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dynamo request');

-- Clean up
SELECT dynamo.drop_table('Call');

-- dynamo.call and dynamo.try_call: what a request needs is gone when it is answered.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Call', 'id');

-- not only at the end of the statement that asks
SELECT dynamo.call('GetItem', '{"TableName": "Call", "Key": {"id": {"S": "a"}}}'),
	dynamo.try_call('GetItem', '{"TableName": "Call", "Key": {}}'),
	(SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dynamo request');

-- a cancel is no answer, and ends the statement
CREATE FUNCTION sql_call_sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN new; END $$;
CREATE TRIGGER sleep BEFORE INSERT ON dynamo_data."Call" FOR EACH ROW EXECUTE FUNCTION sql_call_sleep();
SET statement_timeout = '1s';
SELECT dynamo.try_call('PutItem', '{"TableName": "Call", "Item": {"id": {"S": "a"}}}');
RESET statement_timeout;

-- Clean up
SELECT dynamo.drop_table('Call');
DROP FUNCTION sql_call_sleep;

-- To who is connected an error says more than AWS's text: the table, the column, a hint
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ErrorHelp', 'id');
SELECT dynamo.create_table('ErrorHelpRange', 'pk', 'sk N');
SELECT dynamo.create_index('ErrorHelpRange', 'ByKind', 'kind', 'n N');
\unset VERBOSITY
CREATE FUNCTION error_help(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE code text; message text; schema text; name text; col text; rule text; detail text; hint text;
BEGIN
	EXECUTE command;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, schema = SCHEMA_NAME, name = TABLE_NAME,
		col = COLUMN_NAME, rule = CONSTRAINT_NAME, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n  ', code || ' ' || message, nullif(concat_ws('.', nullif(schema, ''), nullif(name, ''), nullif(col, '')), ''),
		nullif(detail, ''), nullif(hint, ''));
END
$$;

-- no such table: names are case-sensitive
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.get_item('errorhelp', '{"id": "a"}')$$,
	$$SELECT * FROM dynamo.query('ERRORHELP', 'id = :i', '{":i": "a"}')$$,
	$$SELECT dynamo.put_item('Nowhere', '{"id": "a"}')$$,
	$$SELECT dynamo.relation('errorHelp')$$,
	$$SELECT dynamo.drop_table('errorHelp')$$,
	$$SELECT dynamo.call('DescribeTable', '{"TableName": "errorHelp"}')$$,
	$$SELECT * FROM dynamo.stream('errorHelp', NULL)$$]) AS command;
-- the key
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.get_item('ErrorHelp', '{"Id": "a"}')$$,
	$$SELECT * FROM dynamo.get_item('ErrorHelp', '{"id": "a", "b": 1}')$$,
	$$SELECT dynamo.put_item('ErrorHelp', '{"name": "a"}')$$,
	$$SELECT dynamo.put_item('ErrorHelpRange', '{"pk": "a", "sk": "b"}')$$,
	$$SELECT dynamo.put_item('ErrorHelpRange', '{"pk": "", "sk": 1}')$$,
	$$SELECT dynamo.delete_item('ErrorHelpRange', '{"pk": "a"}')$$,
	$$SELECT * FROM dynamo.query('ErrorHelpRange', 'sk = :s', '{":s": 1}')$$,
	$$SELECT * FROM dynamo.query('ErrorHelpRange', 'pk > :p', '{":p": "a"}')$$,
	$$SELECT * FROM dynamo.query('ErrorHelpRange', 'kind = :k', '{":k": 1}', 'ByKind')$$]) AS command;
-- indexes, operations, reserved words, what exists
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.query('ErrorHelpRange', 'kind = :k', '{":k": "a"}', 'bykind')$$,
	$$SELECT * FROM dynamo.scan('ErrorHelp', index_name => 'ByKind')$$,
	$$SELECT dynamo.drop_index('ErrorHelpRange', 'bykind')$$,
	$$SELECT dynamo.call('getitem', '{}')$$,
	$$SELECT dynamo.call('Frobnicate', '{}')$$,
	$$SELECT * FROM dynamo.scan('ErrorHelp', 'status = :s', '{":s": "a"}')$$,
	$$SELECT dynamo.create_table('ErrorHelp', 'id')$$]) AS command;
-- a failed condition; its detail is still the answer's members
SELECT dynamo.put_item('ErrorHelp', '{"id": "a"}');
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT dynamo.put_item('ErrorHelp', '{"id": "a"}', 'attribute_not_exists(id)')$$,
	$$SELECT dynamo.call('PutItem', '{"TableName": "ErrorHelp", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)",
		"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}')$$]) AS command;
-- what is raised beside the checks of a key is left alone: an error in a trigger
CREATE FUNCTION error_help_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'mine' USING TABLE = 'my table'; END$$;
CREATE TRIGGER t BEFORE UPDATE ON dynamo_data."ErrorHelp" FOR EACH ROW EXECUTE FUNCTION error_help_trigger();
SELECT error_help($$SELECT dynamo.put_item('ErrorHelp', '{"id": "a"}')$$);

-- the body of an error is the service's and no more
SELECT dynamo.try_call('GetItem', '{"TableName": "errorHelp", "Key": {"id": {"S": "a"}}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "ErrorHelp", "Key": {"Id": {"S": "a"}}}');
SELECT dynamo.try_call('getitem', '{}');

-- a role that may not use a table learns neither its key nor its indexes, whatever it asks
CREATE ROLE regress_error_help;
GRANT EXECUTE ON FUNCTION error_help TO regress_error_help;
SET ROLE regress_error_help;
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.get_item('ErrorHelpRange', '{"Id": "a"}')$$,
	$$SELECT * FROM dynamo.query('ErrorHelpRange', 'x = :x', '{":x": 1}')$$,
	$$SELECT * FROM dynamo.scan('ErrorHelpRange', index_name => 'nowhere')$$,
	$$SELECT dynamo.put_item('ErrorHelpRange', '{"Id": "a"}')$$,
	$$SELECT dynamo.update_item('ErrorHelpRange', '{"Id": "a"}', 'REMOVE x')$$,
	$$SELECT dynamo.delete_item('ErrorHelpRange', '{"Id": "a"}')$$,
	$$SELECT dynamo.drop_index('ErrorHelpRange', 'nowhere')$$,
	$$SELECT dynamo.call('DescribeTable', '{"TableName": "ErrorHelpRange"}')$$]) AS command;
-- one that may write, and not read
RESET ROLE;
GRANT INSERT, UPDATE ON dynamo_data."ErrorHelpRange" TO regress_error_help;
SET ROLE regress_error_help;
SELECT error_help(command) FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.get_item('ErrorHelpRange', '{"pk": "a", "sk": 1}')$$,
	$$SELECT dynamo.put_item('ErrorHelpRange', '{"pk": "a"}')$$,
	$$SELECT dynamo.put_item('ErrorHelpRange', '{"pk": "a", "sk": 1}', 'attribute_not_exists(x)')$$]) AS command;
RESET ROLE;
REVOKE ALL ON dynamo_data."ErrorHelpRange" FROM regress_error_help;
REVOKE ALL ON FUNCTION error_help FROM regress_error_help;
DROP ROLE regress_error_help;
\set VERBOSITY terse
SELECT dynamo.drop_table('ErrorHelp'), dynamo.drop_table('ErrorHelpRange');
DROP FUNCTION error_help, error_help_trigger;

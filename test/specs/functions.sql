-- What the specs of races write with: requests for a table Race, and calls of
-- them.  In the schema race, behind public in the search_path, so that a spec
-- may have a function of its own by the same name.
CREATE SCHEMA race;
GRANT USAGE ON SCHEMA race TO PUBLIC;
SET search_path = race, public;

CREATE FUNCTION s(text) RETURNS json LANGUAGE sql AS
	$$SELECT json_build_object('S', $1)$$;
CREATE FUNCTION key(pk text) RETURNS json LANGUAGE sql AS
	$$SELECT json_build_object('TableName', 'Race', 'Key', json_build_object('pk', s(pk)))$$;
CREATE FUNCTION item(pk text, v text) RETURNS json LANGUAGE sql AS
	$$SELECT json_build_object('TableName', 'Race', 'Item', json_build_object('pk', s(pk), 'v', s(v)))$$;
CREATE FUNCTION terms(request json, VARIADIC text[]) RETURNS json LANGUAGE sql AS
	$$SELECT (request::jsonb || jsonb_object($2))::json$$;
CREATE FUNCTION put(pk text, v text) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('PutItem', item(pk, v))$$;
CREATE FUNCTION put_new(pk text, v text) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('PutItem', terms(item(pk, v), 'ConditionExpression', 'attribute_not_exists(pk)'))$$;
CREATE FUNCTION adding(pk text, n int) RETURNS json LANGUAGE sql AS
	$$SELECT (terms(key(pk), 'UpdateExpression', 'ADD n :n')::jsonb
		|| jsonb_build_object('ExpressionAttributeValues', jsonb_build_object(':n', jsonb_build_object('N', n::text))))::json$$;
CREATE FUNCTION add(pk text, n int) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('UpdateItem', adding(pk, n))$$;
CREATE FUNCTION del(pk text) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('DeleteItem', terms(key(pk), 'ReturnValues', 'ALL_OLD'))$$;
CREATE FUNCTION get(pk text) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('GetItem', key(pk))$$;
CREATE FUNCTION act(kind text, request json) RETURNS json LANGUAGE sql AS
	$$SELECT json_build_object(kind, request)$$;
CREATE FUNCTION transact(VARIADIC actions json[]) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('TransactWriteItems', json_build_object('TransactItems', actions))$$;
CREATE FUNCTION puts(v text, VARIADIC pks text[]) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('BatchWriteItem', json_build_object('RequestItems', json_build_object('Race',
		(SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', item(pk, v) -> 'Item'))) FROM unnest($2) pk))))$$;
CREATE FUNCTION dels(VARIADIC pks text[]) RETURNS json LANGUAGE sql AS
	$$SELECT dynamo.call('BatchWriteItem', json_build_object('RequestItems', json_build_object('Race',
		(SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', key(pk) -> 'Key'))) FROM unnest($1) pk))))$$;
CREATE FUNCTION pair(v text, VARIADIC pks text[]) RETURNS json LANGUAGE sql AS
	$$SELECT transact(act('Put', item(pks[1], v)), act('Put', item(pks[2], v)))$$;

-- Statements of PartiQL, all or none of them or each for itself, and what
-- became of them.
CREATE FUNCTION insertion(pk text, n int) RETURNS text LANGUAGE sql AS
	$$SELECT format('INSERT INTO Race VALUE {''pk'': ''%s'', ''n'': %s}', pk, n)$$;
CREATE FUNCTION increment(pk text, n int) RETURNS text LANGUAGE sql AS
	$$SELECT format('UPDATE Race SET n = n + %s WHERE pk = ''%s''', n, pk)$$;
CREATE FUNCTION statements(texts text[]) RETURNS json LANGUAGE sql AS
	$$SELECT json_agg(json_build_object('Statement', t)) FROM unnest(texts) t$$;
CREATE FUNCTION all_or_none(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT json_array_elements(coalesce(answer -> 'CancellationReasons', json_build_array(answer)))
	FROM dynamo.try_call('ExecuteTransaction', json_build_object('TransactStatements', statements(texts))) answer $$;
CREATE FUNCTION each_alone(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT json_array_elements(answer -> 'Responses')
	FROM dynamo.try_call('BatchExecuteStatement', json_build_object('Statements', statements(texts))) answer $$;

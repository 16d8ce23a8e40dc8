-- SELECT from an index, and the order in which a statement is checked.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.call('CreateTable', '{"TableName": "Shop", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
    {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
  "GlobalSecondaryIndexes": [
    {"IndexName": "all", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}},
    {"IndexName": "keys", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}},
    {"IndexName": "multi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
  "LocalSecondaryIndexes": [
    {"IndexName": "local", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
SELECT dynamo.put_item('Shop', i::dynamo.item) IS NULL FROM (VALUES
	('{"pk": "a", "sk": "1", "g": "x", "l": "3", "n": 1}'::jsonb),
	('{"pk": "a", "sk": "2", "g": "x", "l": "2", "n": 2}'),
	('{"pk": "a", "sk": "3", "g": "y", "l": "1", "n": 3}'),
	('{"pk": "b", "sk": "1", "l": "1", "n": 4}')) v(i);
CREATE FUNCTION pg_temp.run(statement text, more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(answer->>'message', answer::jsonb::text)
	FROM dynamo.try_call('ExecuteStatement',
		(jsonb_build_object('Statement', statement) || more)::json) answer
$$;

-- only what the index holds, and what it carries
SELECT pg_temp.run('SELECT n FROM "Shop"."all" WHERE g = ''x''');
SELECT pg_temp.run('SELECT n FROM "Shop"."all" WHERE g IN [''y'', ''x''] AND l > ''1''');
SELECT pg_temp.run('SELECT n FROM "Shop"."all" WHERE g = ''x'' ORDER BY l DESC');
SELECT pg_temp.run('SELECT n FROM "Shop"."all" WHERE n > 1');
SELECT pg_temp.run('SELECT * FROM "Shop"."keys" WHERE g = ''x'' AND l = ''2''');
SELECT pg_temp.run('SELECT pk, l FROM "Shop"."keys"');
SELECT pg_temp.run('SELECT b, n, a FROM "Shop"."keys" WHERE g = ''x''');
SELECT pg_temp.run('SELECT b, n, a FROM "Shop"."keys"');
SELECT pg_temp.run('SELECT n FROM "Shop"."local" WHERE pk = ''a''');
SELECT pg_temp.run('SELECT * FROM "Shop"."local" WHERE pk = ''a'' AND l BETWEEN ''1'' AND ''2''');

-- filters on what it does not carry
SELECT s, pg_temp.run('SELECT * FROM "Shop".' || s) FROM (VALUES
	('"keys" WHERE g = ''x'' AND n = 1'), ('"keys" WHERE g = ''x'' AND n IS MISSING'),
	('"keys" WHERE g IN [''x''] AND NOT begins_with(n, ''a'')'),
	('"keys" WHERE g = ''x'' AND l BETWEEN ''1'' AND ''2'' AND a <> b'),
	('"local" WHERE pk = ''a'' AND n = 1'), ('"keys" WHERE n IS MISSING AND l = ''1'''),
	('"keys" WHERE g = ''x'' AND l = ''3'' AND n IS MISSING OR g = ''y''')) v(s);

-- consistent reads
SELECT pg_temp.run('SELECT n FROM "Shop"."all" WHERE g = ''x''', '{"ConsistentRead": true}');
SELECT pg_temp.run('SELECT n FROM "Shop"."local" WHERE pk = ''b''', '{"ConsistentRead": true}');

-- capacity
SELECT pg_temp.run('SELECT pk FROM "Shop"."all" WHERE g = ''y''', '{"ReturnConsumedCapacity": "INDEXES"}');
SELECT pg_temp.run('SELECT n FROM "Shop"."local" WHERE pk = ''b''', '{"ReturnConsumedCapacity": "INDEXES"}');

-- rows that are walked are fetched, whether the filter keeps them or not
SELECT m, pg_temp.run('SELECT n FROM "Shop"."local" WHERE pk = ''a'' AND sk = ''1''', '{"ReturnConsumedCapacity": "INDEXES"}' || m)::jsonb - 'NextToken' FROM (VALUES
	('{}'::jsonb), ('{"Limit": 2}'), ('{"ConsistentRead": true}')) v(m);

-- the order of checks
SELECT s, pg_temp.run(s, '{"ConsistentRead": true}') FROM (VALUES
	('SELECT COUNT(*) FROM "Shop"."none" WHERE g = 1'), ('SELECT COUNT(*) FROM "Shop"."all"'),
	('SELECT COUNT(*) FROM "Shop"."multi" WHERE g = 1'), ('SELECT * FROM "Shop"."multi" WHERE n < true'),
	('SELECT * FROM "Shop"."Shop"'), ('INSERT INTO "Shop" VALUE {''pk'': ''c'', ''sk'': ''c'', ''g'': ''x'', ''l'': ''0''}'),
	('DELETE FROM "Shop" WHERE pk = ''c'' AND sk = ''c''')) v(s);
SELECT pg_temp.run('SELECT COUNT(*) FROM "Shop"."local" WHERE pk = 1');
SELECT pg_temp.run('SELECT n FROM "Shop"."local" WHERE pk = 1');

-- a token is for one statement with its parameters on one table or index
SELECT dynamo.call('ExecuteStatement', '{"Statement": "SELECT n FROM \"Shop\".\"all\"", "Limit": 1}')->>'NextToken' AS token \gset
SELECT pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken', :'token'));
SELECT pg_temp.run('SELECT n FROM "Shop"."local"', jsonb_build_object('NextToken', :'token'));
SELECT pg_temp.run('SELECT n FROM "Shop"', jsonb_build_object('NextToken', :'token'));
SELECT pg_temp.run('SELECT pk FROM "Shop"."all"', jsonb_build_object('NextToken', :'token'));
SELECT pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken', :'token', 'Parameters', '[{"S": "a"}]'::jsonb));
SELECT t, pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken', t)) FROM (VALUES
	('x'), ('AAAA'), (encode(repeat('x', 40)::bytea, 'base64'))) v(t);
SELECT count(*), min(pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken',
		translate(encode(set_byte(decode(:'token', 'base64'), i, get_byte(decode(:'token', 'base64'), i) # 1), 'base64'), E'\n', ''))))
	FROM generate_series(0, length(decode(:'token', 'base64')) - 1) i
	GROUP BY pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken',
		translate(encode(set_byte(decode(:'token', 'base64'), i, get_byte(decode(:'token', 'base64'), i) # 1), 'base64'), E'\n', ''))) ORDER BY 1;
-- made by hand, it leads nowhere but inside the statement
CREATE FUNCTION pg_temp.forge(token text, payload text) RETURNS text LANGUAGE sql AS $$
	SELECT translate(encode(bound || substr(sha256(bound || payload::bytea), 1, 16) || payload::bytea, 'base64'), E'\n', '')
	FROM substr(decode(token, 'base64'), 1, 16) bound
$$;
SELECT p, pg_temp.run('SELECT n FROM "Shop"."all"', jsonb_build_object('NextToken', pg_temp.forge(:'token', p))) FROM (VALUES
	('0'), ('1'), ('-1'), ('99999999999'), ('0{}'), ('0[]'), ('0{"pk":{"S":"a"}}'), ('x'),
	('0{"pk":{"S":"a"},"sk":{"S":"1"},"g":{"S":"x"},"l":{"S":"3"}}'),
	('0{"pk":{"N":"a"},"sk":{"S":"1"},"g":{"S":"x"},"l":{"S":"3"}}'),
	('0{"pk":"a"}'), ('0{"pk":{"S":1}}'), ('0{"pk":{"M":{"":{"S":"a"}}}}')) v(p);
SELECT dynamo.drop_table('Shop');

-- nor is it for another table of the same name
SELECT dynamo.create_table('Shop', 'pk') IS NOT NULL;
SELECT dynamo.put_item('Shop', i::dynamo.item) IS NULL FROM (VALUES ('{"pk": "a"}'::jsonb), ('{"pk": "b"}')) v(i);
SELECT dynamo.call('ExecuteStatement', '{"Statement": "SELECT n FROM Shop", "Limit": 1}')->>'NextToken' AS token \gset
SELECT pg_temp.run('SELECT n FROM Shop', jsonb_build_object('NextToken', :'token'));
SELECT dynamo.drop_table('Shop');
SELECT dynamo.create_table('Shop', 'pk') IS NOT NULL;
SELECT pg_temp.run('SELECT n FROM Shop', jsonb_build_object('NextToken', :'token'));
SELECT dynamo.drop_table('Shop');

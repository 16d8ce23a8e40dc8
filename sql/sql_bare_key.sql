--
-- get_item and delete_item with bare key values, beside those with a key
--
SELECT dynamo.create_table('BareShop', 'PK', 'SK');
SELECT dynamo.create_table('BareDay', 'station', 'day N', partition_key_type => 'N');
SELECT dynamo.create_table('BareFile', 'hash B');
INSERT INTO dynamo_data."BareShop" (item) VALUES ('{"PK": "CUSTOMER#1", "SK": "PROFILE", "name": "Ann"}'), ('{"PK": "{\"PK\": \"x\"}", "SK": "{}"}'), ('{"PK": "5", "SK": "N"}');
INSERT INTO dynamo_data."BareDay" (item) SELECT jsonb_build_object('station', 1.5, 'day', d) FROM generate_series(1, 3) d;
INSERT INTO dynamo_data."BareFile" (item) VALUES ('{"hash":{"B":"AP8="}}');

-- literals, typed values, parameters with and without a type
SELECT item->>'name' AS name FROM dynamo.get_item('BareShop', 'CUSTOMER#1', 'PROFILE');
SELECT item->>'name' AS name FROM dynamo.get_item('BareShop', 'CUSTOMER#1'::text, 'PROFILE'::varchar);
SELECT item FROM dynamo.get_item('BareDay', 1.5, 2);
SELECT item FROM dynamo.get_item('BareDay', '1.50', '2e0');
SELECT item FROM dynamo.get_item('BareDay', 1.5, 3::bigint);
SELECT item FROM dynamo.get_item('BareFile', '\x00ff'::bytea);
SELECT item FROM dynamo.get_item('BareFile', '\x00ff');
PREPARE bare AS SELECT item->>'name' FROM dynamo.get_item('BareShop', $1, $2);
EXECUTE bare('CUSTOMER#1', 'PROFILE');
EXECUTE bare('{"PK": "CUSTOMER#1", "SK": "PROFILE"}', '#n');
EXECUTE bare('{"PK": "CUSTOMER#1", "SK": "PROFILE"}', NULL);
DEALLOCATE bare;

-- in joins, from a target list, from keys of other rows
SELECT d, item FROM generate_series(1, 4) AS d, dynamo.get_item('BareDay', 1.5, d) AS g(item) ORDER BY d;
SELECT dynamo.get_item('BareDay', 1.5, 1);
SELECT count(*) FROM (VALUES (1), (NULL)) AS v(d), dynamo.get_item('BareDay', 1.5, d);
EXPLAIN (COSTS OFF) SELECT item FROM dynamo.get_item('BareShop', 'CUSTOMER#1', 'PROFILE');

-- what has always worked still does: a key in JSON, with and without a type
SELECT item FROM dynamo.get_item('BareShop', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}', 'SK');
SELECT item FROM dynamo.get_item('BareShop', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}', '#n', '{"#n": "name"}');
SELECT item FROM dynamo.get_item('BareShop', '{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"PROFILE"}}'::dynamo.item, 'SK');
SELECT item FROM dynamo.get_item('BareShop', jsonb_build_object('PK', 'CUSTOMER#1', 'SK', 'PROFILE'));
SELECT item FROM dynamo.get_item('BareShop', key => '{"PK": "CUSTOMER#1", "SK": "PROFILE"}', projection_expression => 'SK');
SELECT count(*) FROM dynamo.get_item('BareShop', NULL);
SELECT count(*) FROM dynamo.get_item('BareShop', NULL, 'SK');
-- text that is cast is a value, whatever it begins with
SELECT item FROM dynamo.get_item('BareShop', '{"PK": "x"}'::text, '{}');
SELECT item FROM dynamo.get_item('BareShop', '{"PK": "x"}', '{}');

-- refused: too few, too many, not of the key's type, no table, no right
SELECT * FROM dynamo.get_item('BareShop', 'CUSTOMER#1');
SELECT * FROM dynamo.get_item('BareFile', 'a', 'b');
SELECT * FROM dynamo.get_item('BareShop', 5, 'N');
SELECT * FROM dynamo.get_item('BareDay', 'many', 1);
SELECT * FROM dynamo.get_item('BareDay', '\x01'::bytea, 1);
SELECT * FROM dynamo.get_item('BareFile', '\x0');
SELECT * FROM dynamo.get_item('BareShop', '', '');
SELECT * FROM dynamo.get_item('BareShop', repeat('x', 2049), 'a');
SELECT * FROM dynamo.get_item('BareNone', 'a');
SELECT * FROM dynamo.get_item(NULL, 'a');
CREATE ROLE bare_nobody;
SET ROLE bare_nobody;
SELECT * FROM dynamo.get_item('BareShop', 'a');
SELECT dynamo.delete_item('BareShop', 'a', 'b');
RESET ROLE;
DROP ROLE bare_nobody;

-- delete_item
SELECT dynamo.delete_item('BareDay', 1.5, 1), dynamo.delete_item('BareDay', '1.5', '2'), dynamo.delete_item('BareFile', '\x00ff');
SELECT (SELECT count(*) FROM dynamo.scan('BareDay')) AS days, (SELECT count(*) FROM dynamo.scan('BareFile')) AS files;
SELECT dynamo.delete_item('BareShop', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}', 'attribute_not_exists(PK)');
SELECT dynamo.delete_item('BareShop', '{"PK": "CUSTOMER#1", "SK": "PROFILE"}', NULL);
SELECT dynamo.delete_item('BareShop', '{"PK": "5", "SK": "N"}', return_values => 'ALL_OLD');
SELECT dynamo.delete_item('BareShop', 'a', NULL);
SELECT dynamo.delete_item('BareShop', '{"PK": "x"}'::text, '{}'), count(*) FROM dynamo.scan('BareShop');
SELECT count(*) FROM dynamo.scan('BareShop');
SELECT dynamo.drop_table(t) FROM unnest('{BareShop,BareDay,BareFile}'::text[]) t;

-- dynamo.key_value by itself: its text is the value, or says which type that has; what comes out goes in
SELECT k, dynamo_internal.key_value_in(textout(k::text)) OPERATOR(dynamo_internal.=) k AS same
FROM unnest(ARRAY['a'::text, ''::text, '5'::text, '{"a": 1}'::text, '{'::text, 5, 1e3, -7::bigint, '\x00ff'::bytea]::dynamo.key_value[]) k;
-- as Citus sends a constant to other nodes
SELECT count(*) FROM unnest(ARRAY[1, 5, 1000]::dynamo.sort_key[]) k WHERE k > '{"":{"N":"5"}}'::dynamo.key_value;
SELECT '{"":{"BOOL":true}}'::dynamo.key_value;
SELECT 1e200::dynamo.key_value;

-- What functions take as an item, a key, values or a request may be text, json or jsonb.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('SqlJson', 'pk');
CREATE VIEW sql_json AS SELECT pk::text, item ->> 'v' AS v FROM dynamo_data."SqlJson" ORDER BY pk::text COLLATE "C";

-- put_item: a literal without a type, text, varchar, json, jsonb, an item; plain and typed
SELECT dynamo.put_item('SqlJson', '{"pk": "literal", "v": 1}');
SELECT dynamo.put_item('SqlJson', '{"pk": {"S": "literal typed"}, "v": {"N": "1"}}');
SELECT dynamo.put_item('SqlJson', '{"pk": "text", "v": 1}'::text);
SELECT dynamo.put_item('SqlJson', '{"pk": {"S": "text typed"}, "v": {"N": "1"}}'::text);
SELECT dynamo.put_item('SqlJson', '{"pk": "varchar", "v": 1}'::varchar);
SELECT dynamo.put_item('SqlJson', '{"pk": "json", "v": 1}'::json);
SELECT dynamo.put_item('SqlJson', '{"pk": {"S": "json typed"}, "v": {"N": "1"}}'::json);
SELECT dynamo.put_item('SqlJson', '{"pk": "jsonb", "v": 1}'::jsonb);
SELECT dynamo.put_item('SqlJson', '{"pk": "item", "v": 1}'::dynamo.item);
SELECT * FROM sql_json;

-- with values of the same type, or of none, or beside an item
SELECT dynamo.put_item('SqlJson', '{"pk": "text", "v": 2}'::text, 'v = :v', '{":v": 1}'::text);
SELECT dynamo.put_item('SqlJson', '{"pk": "varchar", "v": 2}'::varchar, 'v = :v'::varchar, '{":v": 1}'::varchar, return_values => 'ALL_OLD'::varchar);
SELECT dynamo.put_item('SqlJson', '{"pk": "json", "v": 2}'::json, 'v = :v', '{":v": 1}'::json);
SELECT dynamo.put_item('SqlJson', '{"pk": "jsonb", "v": 2}'::jsonb, 'v = :v', '{":v": 1}'::jsonb);
SELECT dynamo.put_item('SqlJson', '{"pk": "literal", "v": 2}', 'v = :v', '{":v": 1}');
SELECT dynamo.put_item('SqlJson', '{"pk": "item", "v": 2}'::dynamo.item, 'v = :v', '{":v": 1}');
SELECT dynamo.put_item('SqlJson', '{"pk": "item", "v": 3}', 'v = :v', '{":v": 2}'::dynamo.item);
SELECT dynamo.put_item('SqlJson', '{"pk": "item", "v": 4}', 'v = :v', jsonb_build_object(':v', 3));
SELECT dynamo.put_item('SqlJson', '{"pk": "item", "v": 5}', 'v = :v', '{":v": 4}'::json);
SELECT dynamo.put_item('SqlJson', '{"pk": "text", "v": 3}'::text, 'v = :v', '{":v": 2}'::json);
SELECT dynamo.put_item(table_name => 'SqlJson', item => '{"pk": "named", "v": 2}', return_values => 'ALL_OLD');
SELECT * FROM sql_json;

-- a parameter without a type, and one of each type
PREPARE untyped AS SELECT dynamo.put_item('SqlJson', $1, 'v = :v', $2, return_values => 'ALL_OLD');
EXECUTE untyped('{"pk": "text", "v": 4}', '{":v": 3}');
PREPARE texts(text, text) AS SELECT dynamo.put_item('SqlJson', $1, 'v = :v', $2, return_values => 'ALL_OLD');
EXECUTE texts('{"pk": "text", "v": 5}', '{":v": 4}');
PREPARE jsons(json, json) AS SELECT dynamo.put_item('SqlJson', $1, 'v = :v', $2, return_values => 'ALL_OLD');
EXECUTE jsons('{"pk": "text", "v": 6}', '{":v": 5}');

-- null is no item, of whatever type
SELECT dynamo.put_item('SqlJson', NULL);
SELECT dynamo.put_item('SqlJson', NULL::text);
SELECT dynamo.put_item('SqlJson', NULL::json);
-- what is no item is refused alike
SELECT dynamo.put_item('SqlJson', '[1]');
SELECT dynamo.put_item('SqlJson', '[1]'::text);
SELECT dynamo.put_item('SqlJson', '[1]'::json);
SELECT dynamo.put_item('SqlJson', ''::text);
-- (19 splits the hint in two)
\set VERBOSITY terse
SELECT dynamo.put_item('SqlJson', 1);
\set VERBOSITY default

-- update_item
SELECT dynamo.update_item('SqlJson', '{"pk": "literal"}', 'SET v = :v', '{":v": 10}');
SELECT dynamo.update_item('SqlJson', '{"pk": "text"}'::text, 'SET v = :v', '{":v": 10}'::text);
SELECT dynamo.update_item('SqlJson', '{"pk": "json"}'::json, 'SET v = :v', '{":v": 10}'::json);
SELECT dynamo.update_item('SqlJson', '{"pk": "jsonb"}'::jsonb, 'SET v = :v', '{":v": 10}'::jsonb);
SELECT dynamo.update_item('SqlJson', '{"pk": "item"}'::dynamo.item, 'SET v = :v', '{":v": 10}'::dynamo.item);
SELECT dynamo.update_item('SqlJson', '{"pk": "varchar"}'::varchar, 'REMOVE v');
SELECT * FROM sql_json;

-- query and scan
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}');
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::text);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::varchar);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": {"S": "text"}}'::json);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::jsonb);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::dynamo.item);
SELECT count(*) FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::json, exclusive_start_key => NULL::json);
SELECT dynamo.query('SqlJson', 'pk = :p');
SELECT count(*) FROM dynamo.scan('SqlJson');
SELECT count(*) FROM dynamo.scan('SqlJson', 'v = :v', '{":v": 10}');
SELECT count(*) FROM dynamo.scan('SqlJson', 'v = :v', '{":v": 10}'::text);
SELECT count(*) FROM dynamo.scan('SqlJson', 'v = :v', '{":v": 10}'::json);
SELECT count(*) FROM dynamo.scan('SqlJson', 'v = :v', '{":v": 10}'::jsonb);
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('SqlJson', 'pk = :p', '{":p": "text"}'::text);
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.scan('SqlJson', 'v = :v', '{":v": 10}'::json);

-- a key of get_item and delete_item as json or jsonb; text is a bare key, as it was
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "text"}'::json);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": {"S": "text"}}'::json);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "text"}'::jsonb);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "text"}');
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "text"}', 'v');
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "text"}', '#v', '{"#v": "v"}');
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', 'text');
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', 'text'::text);
SELECT count(*) FROM dynamo.get_item('SqlJson', '{"pk": "text"}'::text);
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "text"}'::json);
SELECT dynamo.delete_item('SqlJson', '{"pk": "json typed"}'::json);
SELECT dynamo.delete_item('SqlJson', '{"pk": "text typed"}'::jsonb, 'v = :v', '{":v": 1}');
SELECT dynamo.delete_item('SqlJson', '{"pk": "literal typed"}', 'v = :v', '{":v": 1}');
SELECT dynamo.delete_item('SqlJson', 'named'::text);
SELECT * FROM sql_json;

-- call and try_call, transact_write and transact_get
SELECT dynamo.call('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}');
SELECT dynamo.call('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}'::text);
SELECT dynamo.call('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}'::varchar);
SELECT dynamo.call('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}'::json);
SELECT dynamo.call('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}'::jsonb);
SELECT dynamo.call('GetItem', jsonb_build_object('TableName', 'SqlJson'));
SELECT dynamo.call('GetItem', NULL) IS NULL, dynamo.call('GetItem', NULL::jsonb) IS NULL, dynamo.call('GetItem', NULL::text) IS NULL;
SELECT dynamo.try_call('GetItem', '{"TableName": "SqlJson"}') ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": "SqlJson"}'::text) ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": "SqlJson"}'::json) ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": "SqlJson"}'::jsonb) ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": ') ->> '__type';
PREPARE call AS SELECT dynamo.call('GetItem', $1);
EXECUTE call('{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}, "ProjectionExpression": "v"}');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "SqlJson", "Item": {"pk": "t1", "v": 1}}}]');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "SqlJson", "Item": {"pk": "t2", "v": {"N": "2"}}}}]'::jsonb);
SELECT * FROM dynamo.transact_get('[{"Get": {"TableName": "SqlJson", "Key": {"pk": "t2"}}}]'::jsonb);
SELECT * FROM dynamo.transact_get('[{"Get": {"TableName": "SqlJson", "Key": {"pk": "t2"}}}]'::json);
SELECT * FROM dynamo.transact_get(NULL::jsonb);
SELECT action FROM dynamo.explain('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}}'::jsonb);
SELECT action FROM dynamo.explain('GetItem', '{"TableName": "SqlJson", "Key": {"pk": {"S": "item"}}}');
-- text and jsonb, mixed
SELECT dynamo.update_item('SqlJson', '{"pk": "t1"}'::text, 'SET v = :v', '{":v": 5}'::jsonb, return_values => 'ALL_NEW');

-- expression_attribute_names, of whatever type; as the last of several arguments, by name, null
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"}');
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"}'::text);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"}'::varchar);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"}'::json);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"}'::jsonb);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', 'v', NULL::jsonb);
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', 'v', NULL::text);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', '#p = :p', '{":p": "item"}', expression_attribute_names => '{"#p": "pk"}'::varchar);
SELECT item ->> 'v' FROM dynamo.query('SqlJson', '#p = :p', '{":p": "item"}'::json, expression_attribute_names => json_build_object('#p', 'pk'));
SELECT item ->> 'v' FROM dynamo.query('SqlJson', '#p = :p', '{":p": "item"}', expression_attribute_names => jsonb_build_object('#p', 'pk'));
SELECT item ->> 'v' FROM dynamo.scan('SqlJson', '#p = :p', '{":p": "item"}'::text, expression_attribute_names => '{"#p": "pk"}'::text);
SELECT dynamo.put_item('SqlJson', '{"pk": "names", "v": 1}', 'attribute_not_exists(#p)', NULL, '{"#p": "pk"}'::text);
SELECT dynamo.update_item('SqlJson', '{"pk": "names"}', 'SET #v = :v', '{":v": 2}'::varchar, expression_attribute_names => '{"#v": "v"}'::varchar, return_values => 'ALL_NEW');
SELECT dynamo.delete_item('SqlJson', '{"pk": "names"}', '#v = :v', '{":v": 2}'::text, '{"#v": "v"}'::text, 'ALL_OLD');
PREPARE names(jsonb) AS SELECT item ->> 'v' FROM dynamo.query('SqlJson', '#p = :p', '{":p": "item"}', expression_attribute_names => $1);
EXECUTE names('{"#p": "pk"}');
SET plan_cache_mode = force_generic_plan;
EXECUTE names('{"#p": "pk"}');
RESET plan_cache_mode;
PREPARE untyped_names AS SELECT item ->> 'v' FROM dynamo.query('SqlJson', $1, $2, expression_attribute_names => $3);
EXECUTE untyped_names('#p = :p', '{":p": "item"}', '{"#p": "pk"}');
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped_names';
-- a constant of any type is JSON before the first row
EXPLAIN (VERBOSE, COSTS OFF) SELECT dynamo.matches(item, '#v = :v', '{":v": 5}'::jsonb, '{"#v": "v"}'::jsonb) FROM dynamo.query('SqlJson', '#p = :p', '{":p": "item"}', expression_attribute_names => '{"#p": "pk"}'::jsonb);
-- of two with one name the last counts, as in jsonb; other escapes and blanks are JSON's
SELECT item ->> 'v' FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', ' { "#v" : "x", "#\u0076" : "\u0076" } ');
-- what is no object of strings
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '["v"]'::json);
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": {"S": "v"}}'::text);
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "a\u0000b"}'::text);
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"'::text);
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', '{"#v": "v"} {}');
SELECT * FROM dynamo.get_item('SqlJson', '{"pk": "item"}', '#v', ''::varchar);

-- matches, project and apply_update
SELECT dynamo.matches('{"a": 1}', '#a = :a', '{":a": 1}'::text, '{"#a": "a"}'::text), dynamo.matches('{"a": 1}', '#a = :a', '{":a": 1}'::varchar, '{"#a": "a"}'::varchar),
	dynamo.matches('{"a": 1}', '#a = :a', '{":a": {"N": "1"}}'::json, '{"#a": "a"}'::json), dynamo.matches('{"a": 1}', '#a = :a', '{":a": 1}'::jsonb, '{"#a": "a"}'::jsonb),
	dynamo.matches('{"a": 1}', '#a = :a', '{":a": 1}'::dynamo.item, '{"#a": "a"}'), dynamo.matches('{"a": 1}', 'a = :a', '{":a": 1}', NULL::text);
SELECT dynamo.project('{"a": 1, "b": 2}', '#a', '{"#a": "a"}'::text), dynamo.project('{"a": 1, "b": 2}', '#a', '{"#a": "a"}'::json), dynamo.project('{"a": 1, "b": 2}', '#a', '{"#a": "a"}'::jsonb);
SELECT dynamo.apply_update('{"a": 1}', 'SET #a = #a + :n', '{":n": 1}'::text, '{"#a": "a"}'::text), dynamo.apply_update('{"a": 1}', 'SET #a = #a + :n', '{":n": 1}'::json, '{"#a": "a"}'::varchar),
	dynamo.apply_update('{"a": 1}', 'SET #a = #a + :n', '{":n": 1}'::jsonb, '{"#a": "a"}'::jsonb);
SELECT dynamo.matches('{"a": 1}', '#' || a || ' = :a', '{":a": 1}', json_build_object('#' || a, a)) FROM unnest('{a,b}'::text[]) AS a;

-- export_table reads them before it looks for the bucket
\set VERBOSITY terse
SELECT dynamo.export_table('SqlJson', 'no-bucket', filter_expression => '#v = :v', expression_attribute_values => '{":v": 1}'::text, expression_attribute_names => '{"#v": "v"}'::text);
SELECT dynamo.export_table('SqlJson', 'no-bucket', filter_expression => '#v = :v', expression_attribute_values => '{":v": 1}'::json, expression_attribute_names => '{"#v": "v"}'::jsonb);
SELECT dynamo.export_table('SqlJson', 'no-bucket', filter_expression => '#v = :v', expression_attribute_values => '{":v": 1}'::jsonb, expression_attribute_names => '{"#w": "v"}'::varchar);
SELECT dynamo.export_table('SqlJson', 'no-bucket', filter_expression => 'v = :v', expression_attribute_values => '{":v": 1}', expression_attribute_names => '{}, "FilterExpression": "v = :w"'::text);
\set VERBOSITY default

-- filter_criteria of an event source mapping
CREATE FUNCTION sql_json_handle(event jsonb) RETURNS void LANGUAGE sql AS '';
SELECT dynamo.enable_stream('SqlJson') IS NOT NULL;
SELECT dynamo.create_event_source_mapping('SqlJson', 'sql_json_handle', enabled => false, filter_criteria => '{"Filters": [{"Pattern": {"eventName": ["INSERT"]}}]}'::text) AS mapping \gset
SELECT filter_criteria FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{"Filters": [{"Pattern": {"eventName": ["REMOVE"]}}]}'::jsonb);
SELECT filter_criteria FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{}'::json);
SELECT filter_criteria FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.update_event_source_mapping(:mapping, filter_criteria => '{"Filters": '::varchar);
SELECT dynamo.delete_event_source_mapping(:mapping);

-- the document of a policy
CREATE ROLE regress_json;
SELECT dynamo.put_role_policy('regress_json', 'literal', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}');
SELECT dynamo.put_role_policy('regress_json', 'text', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}'::text);
SELECT dynamo.put_role_policy('regress_json', 'varchar', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}'::varchar);
SELECT dynamo.put_role_policy('regress_json', 'json', document => '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}'::json);
SELECT dynamo.put_role_policy('regress_json', 'jsonb', jsonb_build_object('Statement', '{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}'::jsonb));
SELECT dynamo.put_role_policy('regress_json', 'null', NULL::jsonb);
SELECT dynamo.put_role_policy('regress_json', 'none', '{'::text);
SELECT policy_name, document FROM dynamo.role_policies WHERE role = 'regress_json'::regrole ORDER BY 1;
SELECT count(dynamo.delete_role_policy(role::regrole, policy_name)) FROM dynamo.role_policies WHERE role = 'regress_json'::regrole;

-- these types have no operators of items
\set VERBOSITY terse
SELECT '{}'::json = '{}'::json;
SELECT '{"a": 1}'::text -> 'a';
SELECT '{"a": 1}'::json @> '{}';
SELECT '{"a": 1}' || '{"a": 1}'::dynamo.item::text;
\set VERBOSITY default

-- Clean up
DROP VIEW sql_json;
SELECT dynamo.drop_table('SqlJson');
DROP FUNCTION sql_json_handle;
DROP ROLE regress_json;

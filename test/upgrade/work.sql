-- What a primary has to say, and that everything works; nothing of it stays.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT 'stream', event_name, keys, old_image, new_image FROM dynamo.stream('Shop') ORDER BY sequence_number;
BEGIN;
SELECT dynamo.restore_table('Back', backup_arn => format('arn:aws:dynamodb:us-east-1:000000000000:table/%s/backup/%s', table_name, backup_id))
	FROM dynamo.backups;
SELECT 'restored', count(*), md5(string_agg(item::text, ',' ORDER BY pk, sk)) FROM dynamo_data."Back";
SELECT dynamo.put_item('Shop', '{"PK": "tried", "SK": 1, "day": "d1", "time": 1}');
SELECT 'new', dynamo.update_item('Shop', '{"PK": "p1", "SK": 51}', 'SET v = :v', '{":v": 7}', return_values => 'ALL_NEW') ->> 'v';
SELECT 'old', dynamo.delete_item('Shop', '{"PK": "p1", "SK": 1}', return_values => 'ALL_OLD') ->> 'SK';
SELECT 'tried', count(*) FROM dynamo.query('Shop', '#d = :d', '{":d": "d1"}', index_name => 'ByDay',
	expression_attribute_names => '{"#d": "day"}');
SELECT 'export', dynamo.export_table('Shop', 'files', prefix => 'out') IS NOT NULL;
SELECT 'operations', count(*) > 50 FROM dynamo_internal.operations();
SELECT 'record', event_name FROM dynamo.stream('Shop') ORDER BY sequence_number;
SET ROLE tenant;
SELECT 'may', count(*) FROM dynamo.get_item('Shop', 'p2', 2);
SAVEPOINT may_not;
SELECT 'may not', dynamo.put_item('Shop', '{"PK": "x", "SK": 1}');
ROLLBACK;

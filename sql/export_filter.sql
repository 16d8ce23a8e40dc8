-- FilterSpecification of ExportTableToPointInTime, and what dynamo.export_table
-- has for it: what is wrong with one, what is written, and what is counted.
\set VERBOSITY terse
\set bucket regress-filter
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
-- An answer's error, or the members that are about the filter
CREATE FUNCTION export(specification json, request jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer json;
BEGIN
	answer := dynamo.try_call('ExportTableToPointInTime', (rtrim(('{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Orders", "S3Bucket": "regress-filter"}'::jsonb || request)::text, '}')
		|| ', "FilterSpecification": ' || specification || '}')::json);
	RETURN COALESCE(regexp_replace(answer->>'__type', '.*#', '') || ': ' || COALESCE(answer->>'message', answer->>'Message'), answer->'ExportDescription'->>'FilterSpecification');
END $$;

SELECT dynamo.create_table('Orders', 'customer', 'n N') IS NOT NULL AS made;
SELECT dynamo.create_index('Orders', 'by_state', 'state') IS NOT NULL AS made;
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 1, "state": "open", "price": 10, "skus": [{"sku": "a", "count": 2}]}');
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 2, "state": "paid", "price": 20}');
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 3, "state": "open"}');
SELECT dynamo.put_item('Orders', '{"customer": "beta", "n": 1, "state": "open", "price": 10}');
SELECT dynamo.enable_recovery('Orders') IS NOT NULL AS enabled;
UPDATE dynamo.tables SET created_at = created_at - interval '2 days' WHERE table_name = 'Orders';

-- What can be seen without the table: an empty one, types, placeholders
SELECT export('{}');
SELECT export('{"KeyConditionExpression": null}');
SELECT export('{"Limit": 1}');
SELECT export('[]');
SELECT export('{"FilterExpression": 1}');
SELECT export('{"ExpressionAttributeNames": {"#a": "a"}}');
SELECT export('{"ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT export('{"ProjectionExpression": "a", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT export('{"FilterExpression": "a = :a", "ExpressionAttributeValues": {}}');
SELECT export('{"FilterExpression": "a = :a", "ExpressionAttributeValues": {"a": {"S": "a"}}}');
-- Values in the words of Query with a key condition, else of Scan
SELECT export('{"FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": {"N": "x"}}}');
SELECT export('{"KeyConditionExpression": "customer = :a", "ExpressionAttributeValues": {":a": {"N": "x"}}}');
-- Expressions
SELECT export('{"KeyConditionExpression": ""}');
SELECT export('{"FilterExpression": "a ="}');
SELECT export('{"FilterExpression": "a = :a"}');
SELECT export('{"FilterExpression": "state = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT export('{"ProjectionExpression": "a, a"}');
SELECT export('{"FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "b"}}}');
SELECT export('{"KeyConditionExpression": "customer = :a OR customer = :b", "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "b"}}}');
SELECT export('{"KeyConditionExpression": "customer <> :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT export(json_build_object('FilterExpression', repeat('a', 5000) || ' = b'));
SELECT export(json_build_object('FilterExpression', 'attribute_exists(#a)', 'ExpressionAttributeNames', json_build_object('#a', repeat('a', 251))));
-- They come before the table, and after what is wrong with the other members
SELECT export('{}', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere"}');
SELECT export('{}', '{"ExportType": "INCREMENTAL_EXPORT"}');

-- What needs the table
SELECT export('{"FilterExpression": "a = b"}', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere"}');
SELECT export('{"KeyConditionExpression": "n = :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}');
SELECT export('{"KeyConditionExpression": "customer > :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT export('{"KeyConditionExpression": "customer = :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}');
SELECT export('{"KeyConditionExpression": "customer = :a", "ExpressionAttributeValues": {":a": {"S": ""}}}');
SELECT export('{"KeyConditionExpression": "customer = :a AND price = :b", "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"N": "1"}}}');
SELECT export('{"KeyConditionExpression": "customer = :a", "FilterExpression": "n > :b", "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"N": "1"}}}');
SELECT export('{"ProjectionExpression": "customer.a"}');
SELECT export('{"FilterExpression": "attribute_exists(#s.a)", "ExpressionAttributeNames": {"#s": "state"}}');
-- before recovery and its window are looked at
SELECT export('{"KeyConditionExpression": "n = :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}', '{"ExportTime": 99999999999}');

-- It is told as it was sent, but for what is no member of it
SELECT export('{"ProjectionExpression": "#n", "KeyConditionExpression": "customer = :c", "FilterExpression": null, "Limit": 1, "ExpressionAttributeValues": {":c": {"S": "acme"}}, "ExpressionAttributeNames": {"#n": "n"}}');
CALL dynamo.run_jobs();
SELECT dynamo.call('DescribeExport', json_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders/export/' || job))->'ExportDescription'->'FilterSpecification' AS filter
FROM dynamo.jobs WHERE kind = 'EXPORT' AND table_name = 'Orders';
-- and counts for a ClientToken, in whatever order its members come
SELECT export('{"ProjectionExpression": "n", "FilterExpression": "price > n"}', '{"ClientToken": "t"}');
SELECT export('{"FilterExpression": "price > n", "ProjectionExpression": "n"}', '{"ClientToken": "t"}');
SELECT export('{"FilterExpression": "price > n"}', '{"ClientToken": "t"}');
SELECT dynamo.try_call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Orders", "S3Bucket": "regress-filter", "ClientToken": "t"}')->>'message' AS conflict;

-- What is written, and counted: BilledSizeBytes is what was read
CREATE FUNCTION written() RETURNS TABLE (item text) LANGUAGE plpgsql AS $$
DECLARE j record;
BEGIN
	SELECT * FROM dynamo.jobs WHERE kind = 'EXPORT' ORDER BY created_at DESC LIMIT 1 INTO j;
	RETURN QUERY SELECT concat_ws(' ', j.status, j.position->>'Items', j.position->>'Bytes', j.failure_message);
	RETURN QUERY SELECT i.item::text FROM dynamo.bucket_items('regress-filter', 'AWSDynamoDB/' || j.job || '/data/', input_compression => 'GZIP') AS i ORDER BY i.item::text;
END $$;
SELECT sum(dynamo.item_size(item)), sum(dynamo.item_size(item)) FILTER (WHERE item->>'customer' = 'acme') AS acme, sum(dynamo.item_size(item)) FILTER (WHERE item->>'customer' = 'acme' AND (item->>'n')::int < 3) AS two FROM dynamo_data."Orders";
SELECT export('{"KeyConditionExpression": "customer = :c", "ExpressionAttributeValues": {":c": {"S": "acme"}}}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT export('{"KeyConditionExpression": "customer = :c AND n < :n", "ExpressionAttributeValues": {":c": {"S": "acme"}, ":n": {"N": "3"}}}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT export('{"KeyConditionExpression": "customer = :c AND n < :n", "FilterExpression": "price > :t", "ProjectionExpression": "price, skus[0].sku", "ExpressionAttributeValues": {":c": {"S": "acme"}, ":n": {"N": "3"}, ":t": {"N": "5"}}}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT export('{"KeyConditionExpression": "customer = :c", "ExpressionAttributeValues": {":c": {"S": "nobody"}}}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT export('{"FilterExpression": "#s = :s AND n = :n", "ExpressionAttributeNames": {"#s": "state"}, "ExpressionAttributeValues": {":s": {"S": "open"}, ":n": {"N": "1"}}}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();
-- Keys are not added; an item of which nothing is left is written all the same
SELECT export('{"ProjectionExpression": "price"}') LIKE '{%' AS submitted;
CALL dynamo.run_jobs();
SELECT written();

-- As of a time, and what has changed since. The filter sees what an item is
-- now, or was before it was deleted.
SELECT dynamo.mark_recovery() AS before \gset
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 1, "state": "paid", "price": 11}');
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 2, "state": "open", "price": 21}');
SELECT dynamo.delete_item('Orders', '{"customer": "acme", "n": 3}');
SELECT dynamo.put_item('Orders', '{"customer": "beta", "n": 1, "state": "paid", "price": 11}');
SELECT dynamo.put_item('Orders', '{"customer": "beta", "n": 2, "state": "open", "price": 21}');
SELECT dynamo.mark_recovery() AS after \gset
SELECT dynamo.put_item('Orders', '{"customer": "acme", "n": 9, "state": "open"}');
SELECT dynamo.export_table('Orders', 'regress-filter', as_of => :'before', key_condition_expression => 'customer = :c AND n >= :n', filter_expression => '#s = :s', projection_expression => 'n, price',
	expression_attribute_values => '{":c": "acme", ":n": 2, ":s": "open"}', expression_attribute_names => '{"#s": "state"}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT dynamo.export_table('Orders', 'regress-filter', as_of => :'after', key_condition_expression => 'customer = :c', expression_attribute_values => '{":c": "acme"}') IS NOT NULL AS submitted;
-- The time is told before the work is done, too.
SELECT (dynamo.call('DescribeExport', json_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders/export/' || job))->'ExportDescription'->>'ExportTime')::numeric
	= trunc(extract(epoch FROM :'after'::timestamptz), 3) AS told
FROM dynamo.jobs WHERE kind = 'EXPORT' AND status = 'IN_PROGRESS';
CALL dynamo.run_jobs();
SELECT written();
-- The lines of changes, without their times
\set changes 'cat > /dev/null; cd ' :buckets '/regress-filter/changes && zcat AWSDynamoDB/data/*.gz | sed "s/.Metadata.:{[^}]*},//" | LC_ALL=C sort > ../../regress-changes; rm -r AWSDynamoDB'
\set show 'SELECT unnest(string_to_array(rtrim(pg_read_file(:''buckets'' || ''/regress-changes''), E''\\n''), E''\\n'')) AS change;'
SELECT dynamo.export_table('Orders', 'regress-filter', 'changes', from_time => :'before', to_time => :'after', key_condition_expression => 'customer = :c', expression_attribute_values => '{":c": "acme"}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
COPY (SELECT 1) TO PROGRAM :'changes';
:show
SELECT dynamo.export_table('Orders', 'regress-filter', 'changes', from_time => :'before', to_time => :'after', filter_expression => '#s = :s', projection_expression => 'price',
	expression_attribute_values => '{":s": "open"}', expression_attribute_names => '{"#s": "state"}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
COPY (SELECT 1) TO PROGRAM :'changes';
:show
SELECT dynamo.export_table('Orders', 'regress-filter', 'changes', from_time => :'before', to_time => :'after', export_view_type => 'NEW_IMAGE', key_condition_expression => 'customer = :c AND n BETWEEN :a AND :b',
	expression_attribute_values => '{":c": "acme", ":a": 2, ":b": 3}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
COPY (SELECT 1) TO PROGRAM :'changes';
:show

-- SQL, of a table without recovery
SELECT dynamo.create_table('Plain', 'id') IS NOT NULL AS made;
SELECT dynamo.put_item('Plain', '{"id": "a", "v": 1}'), dynamo.put_item('Plain', '{"id": "b", "v": 2}');
SELECT dynamo.export_table('Plain', 'regress-filter', key_condition_expression => 'id = :id', expression_attribute_values => '{":id": "a"}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT dynamo.export_table('Plain', 'regress-filter', filter_expression => 'v > :v', expression_attribute_values => '{":v": 1}') IS NOT NULL AS submitted;
CALL dynamo.run_jobs();
SELECT written();
SELECT dynamo.export_table('Plain', 'regress-filter', filter_expression => '');
SELECT dynamo.export_table('Plain', 'regress-filter', key_condition_expression => 'v = :v', expression_attribute_values => '{":v": 1}');
SELECT dynamo.export_table('Plain', 'regress-filter', expression_attribute_names => '{"#a": 1}');
SELECT export(json_build_object('FilterExpression', 'a = :a', 'ExpressionAttributeValues', json_build_object(':a', json_build_object('S', repeat('a', 2 * 1024 * 1024 + 1)))));
SELECT dynamo.export_table('Plain', 'regress-filter', expression_attribute_names => '{"#a": "a"}');
-- One that does not fit any more when the work begins fails
SELECT dynamo.export_table('Plain', 'regress-filter', key_condition_expression => 'id = :id', expression_attribute_values => '{":id": "a"}') IS NOT NULL AS submitted;
DROP TABLE dynamo_data."Plain";
SELECT dynamo.create_table('Plain', 'other') IS NOT NULL AS made;
CALL dynamo.run_jobs();
SELECT failure_code, failure_message FROM dynamo.jobs WHERE table_name = 'Plain' AND status = 'FAILED';

DROP TABLE dynamo_data."Plain", dynamo_data."Orders";
DROP FUNCTION export, written;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';

-- Paging: every item once, whatever the page, the direction or the ties
\t on
\a
SELECT dynamo.create_table('CallPaging', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.create_index('CallPaging', 'same', 'g', 'h');
-- 30 items under three keys, all with the same index key
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallPaging', 'Item', json_build_object(
    'pk', json_build_object('S', 'p' || n % 3), 'sk', json_build_object('N', n::text),
    'g', '{"S": "G"}'::json, 'h', '{"S": "H"}'::json)))) FROM generate_series(1, 30) n;

-- All pages of a request: how many there were, how many items, how many different ones, in what order.
CREATE FUNCTION pg_temp.pages(operation text, request jsonb, OUT pages int, OUT items int, OUT distinct_items int, OUT hash text)
LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  found jsonb := '[]';
BEGIN
  request := request || '{"TableName": "CallPaging"}';
  pages := 0;
  LOOP
    answer := dynamo.call(operation, request::json);
    pages := pages + 1;
    found := found || (answer -> 'Items');
    EXIT WHEN answer -> 'LastEvaluatedKey' IS NULL OR pages > 100;
    request := request || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
  END LOOP;
  items := jsonb_array_length(found);
  SELECT count(DISTINCT i) INTO distinct_items FROM jsonb_array_elements(found) i;
  hash := md5(found::text);
END $$;
CREATE FUNCTION pg_temp.same_at_any_limit(operation text, request jsonb) RETURNS TABLE (items int, distinct_items int, orders bigint) LANGUAGE sql AS $$
  SELECT p.items, p.distinct_items, count(DISTINCT hash)
    FROM unnest(ARRAY[1, 2, 3, 7, 10, 29, 30, 31, 1000]) l, pg_temp.pages(operation, request || jsonb_build_object('Limit', l)) p
   GROUP BY 1, 2 $$;

SELECT * FROM pg_temp.same_at_any_limit('Scan', '{}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}}}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}}, "ScanIndexForward": false}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :b", "ExpressionAttributeValues": {":p": {"S": "p1"}, ":a": {"N": "4"}, ":b": {"N": "25"}}}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"KeyConditionExpression": "pk = :p AND sk < :b", "ExpressionAttributeValues": {":p": {"S": "p1"}, ":b": {"N": "25"}}, "ScanIndexForward": false}');
-- equal index keys lose nobody at a page's border
SELECT * FROM pg_temp.same_at_any_limit('Scan', '{"IndexName": "same"}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"IndexName": "same", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "G"}}}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"IndexName": "same", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "G"}}, "ScanIndexForward": false}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"IndexName": "same", "KeyConditionExpression": "g = :g AND h = :h", "ExpressionAttributeValues": {":g": {"S": "G"}, ":h": {"S": "H"}}}');
SELECT * FROM pg_temp.same_at_any_limit('Query', '{"IndexName": "same", "KeyConditionExpression": "g = :g AND begins_with(h, :h)", "ExpressionAttributeValues": {":g": {"S": "G"}, ":h": {"S": "H"}}, "ScanIndexForward": false}');
-- backwards is the reverse of forwards, ties included
SELECT jsonb_agg(f.i ORDER BY f.n) = jsonb_agg(b.i ORDER BY b.n DESC)
  FROM jsonb_array_elements(dynamo.call('Query', '{"TableName": "CallPaging", "IndexName": "same", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "G"}}}')::jsonb -> 'Items') WITH ORDINALITY f(i, n)
  JOIN jsonb_array_elements(dynamo.call('Query', '{"TableName": "CallPaging", "IndexName": "same", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "G"}}, "ScanIndexForward": false}')::jsonb -> 'Items') WITH ORDINALITY b(i, n) ON f.n = b.n;

-- segments at Limit 1 are disjoint and together complete
SELECT sum(p.items), sum(p.distinct_items) FROM generate_series(0, 3) s, pg_temp.pages('Scan', jsonb_build_object('Limit', 1, 'Segment', s, 'TotalSegments', 4)) p;
SELECT sum(p.items), sum(p.distinct_items) FROM generate_series(0, 3) s, pg_temp.pages('Scan', jsonb_build_object('IndexName', 'same', 'Limit', 1, 'Segment', s, 'TotalSegments', 4)) p;

-- Limit counts what is read: an empty page goes on; the last page that Limit ends says so, though nothing follows
SELECT p.pages, p.items FROM pg_temp.pages('Query', '{"KeyConditionExpression": "pk = :p", "FilterExpression": "attribute_exists(nope)", "ExpressionAttributeValues": {":p": {"S": "p1"}}, "Limit": 3}') p;
SELECT p.pages, p.items FROM pg_temp.pages('Query', '{"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}}, "Limit": 5}') p;
-- the start key need not exist
SELECT dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p1"}}, "ProjectionExpression": "sk",
  "ExclusiveStartKey": {"pk": {"S": "p1"}, "sk": {"N": "23.5"}}}');
-- a whole key: Limit ends it, and nothing follows
SELECT p.pages, p.items FROM pg_temp.pages('Query', '{"KeyConditionExpression": "pk = :p AND sk = :s", "ExpressionAttributeValues": {":p": {"S": "p1"}, ":s": {"N": "1"}}, "ProjectionExpression": "sk", "Limit": 1}') p;
SELECT dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p AND sk = :s", "ExpressionAttributeValues": {":p": {"S": "p1"}, ":s": {"N": "1"}}, "Select": "COUNT", "Limit": 1}');

-- who writes between pages disturbs nobody else: the item a page ended with goes, its attribute of the index changes, another comes
CREATE FUNCTION pg_temp.disturbed(request jsonb, OUT kept int, OUT once int) LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  found jsonb := '[]';
BEGIN
  FOR n IN 1..40 LOOP
    PERFORM dynamo.put_item('CallPaging', jsonb_build_object('pk', 'd' || n % 5, 'sk', n, 'g', 'D', 'h', 'h' || n % 3, 'kept', n)::dynamo.item);
    PERFORM dynamo.put_item('CallPaging', jsonb_build_object('pk', 'd' || n % 5, 'sk', n + 0.5, 'g', 'D', 'h', 'h' || n % 3)::dynamo.item);
  END LOOP;
  request := request || '{"TableName": "CallPaging", "Limit": 3}';
  LOOP
    answer := dynamo.call(CASE WHEN request ? 'KeyConditionExpression' THEN 'Query' ELSE 'Scan' END, request::json);
    found := found || (answer -> 'Items');
    EXIT WHEN answer -> 'LastEvaluatedKey' IS NULL;
    request := request || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
    PERFORM dynamo.call('DeleteItem', jsonb_build_object('TableName', 'CallPaging', 'Key', (answer -> 'LastEvaluatedKey') - '{g,h}'::text[])::json);
    PERFORM dynamo.call('UpdateItem', jsonb_build_object('TableName', 'CallPaging', 'Key', i - '{g,h,kept}'::text[], 'UpdateExpression', 'SET h = :h', 'ExpressionAttributeValues', '{":h": {"S": "-"}}'::json)::json)
      FROM jsonb_array_elements(answer -> 'Items') i WHERE NOT i ? 'kept';
    PERFORM dynamo.put_item('CallPaging', jsonb_build_object('pk', 'd' || jsonb_array_length(found) % 2, 'sk', jsonb_array_length(found) + 0.25, 'g', 'D', 'h', 'new')::dynamo.item);
  END LOOP;
  SELECT count(*), count(DISTINCT i) INTO kept, once FROM jsonb_array_elements(found) i WHERE i ? 'kept';
  PERFORM dynamo.delete_item('CallPaging', jsonb_build_object('pk', item -> 'pk', 'sk', item -> 'sk')::dynamo.item) FROM dynamo.scan('CallPaging', 'g = :g', '{":g": "D"}');
END $$;
SELECT d.* FROM unnest(ARRAY['{}', '{"IndexName": "same"}', '{"IndexName": "same", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "D"}}, "ScanIndexForward": false}']) r, pg_temp.disturbed(r::jsonb) d;
SELECT sum(d.kept), sum(d.once) FROM generate_series(0, 2) s, pg_temp.disturbed(jsonb_build_object('Segment', s, 'TotalSegments', 3)) d;

-- 1 MB a page: with the item that reaches it
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallPaging', 'Item', json_build_object(
    'pk', json_build_object('S', 'big'), 'sk', json_build_object('N', n::text), 'x', json_build_object('S', repeat('x', 300000)))))) FROM generate_series(1, 5) n;
SELECT answer -> 'Count', answer -> 'ScannedCount', answer -> 'LastEvaluatedKey', answer -> 'ConsumedCapacity' -> 'CapacityUnits'
  FROM dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "ProjectionExpression": "sk", "ReturnConsumedCapacity": "TOTAL"}') answer;
SELECT answer -> 'Count', answer -> 'ScannedCount', answer -> 'LastEvaluatedKey'
  FROM dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "FilterExpression": "attribute_not_exists(x)", "Select": "COUNT"}') answer;
-- ... to the byte: four items that are one less than that, and four that reach it
SELECT count(*) FROM (SELECT dynamo.put_item('CallPaging', jsonb_build_object('pk', 'edge', 'sk', n, 'x', repeat('x', CASE n WHEN 5 THEN 1 ELSE 250000 END))::dynamo.item) FROM generate_series(1, 5) n) put;
SELECT dynamo.put_item('CallPaging', jsonb_build_object('pk', 'edge', 'sk', 4, 'x', repeat('x', 291707))::dynamo.item);
SELECT dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "edge"}}, "Select": "COUNT"}') -> 'Count';
SELECT dynamo.put_item('CallPaging', jsonb_build_object('pk', 'edge', 'sk', 4, 'x', repeat('x', 291708))::dynamo.item);
SELECT dynamo.call('Query', '{"TableName": "CallPaging", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "edge"}}, "Select": "COUNT"}') -> 'Count';
-- the sort key counts once more for every 3 kB of the others: 8 items of 100,000 bytes, not 11
SELECT dynamo.create_table('CallPagingLong', 'pk', 'sk');
SELECT bool_and(dynamo.put_item('CallPagingLong', jsonb_build_object('pk', 'big', 'sk', repeat('k', 1000) || chr(64 + n), 'x', repeat('x', 100000))) IS NULL) FROM generate_series(1, 12) n;
SELECT answer -> 'Count', right(answer -> 'LastEvaluatedKey' -> 'sk' ->> 'S', 1)
  FROM dynamo.call('Query', '{"TableName": "CallPagingLong", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "Select": "COUNT"}') answer;
SELECT dynamo.drop_table('CallPagingLong');
-- by a local index: entries are small, but what is fetched for them counts
SELECT dynamo.call('CreateTable', '{"TableName": "CallPagingLocal", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}, {"AttributeName": "l", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
  "LocalSecondaryIndexes": [{"IndexName": "keys", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') -> 'TableDescription' ->> 'TableName';
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallPagingLocal', 'Item', json_build_object(
    'pk', json_build_object('S', 'big'), 'sk', json_build_object('N', n::text), 'l', json_build_object('N', n::text), 'x', json_build_object('S', repeat('x', 300000)))))) FROM generate_series(1, 5) n;
SELECT s, answer -> 'Count', answer -> 'LastEvaluatedKey' IS NOT NULL
  FROM unnest(ARRAY['ALL_PROJECTED_ATTRIBUTES', 'ALL_ATTRIBUTES']) s,
       dynamo.call('Query', json_build_object('TableName', 'CallPagingLocal', 'IndexName', 'keys', 'Select', s, 'KeyConditionExpression', 'pk = :p', 'ExpressionAttributeValues', '{":p": {"S": "big"}}'::json)) answer;
SELECT dynamo.drop_table('CallPagingLocal');
SELECT dynamo.drop_table('CallPaging');

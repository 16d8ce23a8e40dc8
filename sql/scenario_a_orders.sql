-- The shop by the API's own requests: placing an order, once; which of the
-- actions failed; reading and writing many; orders page by page
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('ScenShop', 'PK', 'SK'), dynamo.create_index('ScenShop', 'GSI1', 'GSI1PK', 'GSI1SK'), dynamo.create_index('ScenShop', 'GSI2', 'GSI2PK', 'GSI2SK', projection => 'KEYS_ONLY');
CREATE FUNCTION pg_temp.place(id text, product text, qty int, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', (replace(replace(replace('{"TransactItems": [
    {"Put": {"TableName": "ScenShop", "Item": {"PK": {"S": "ORDER#<id>"}, "SK": {"S": "META"}, "status": {"S": "NEW"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
    {"Put": {"TableName": "ScenShop", "Item": {"PK": {"S": "ORDER#<id>"}, "SK": {"S": "ITEM#001"}, "product": {"S": "<p>"}, "quantity": {"N": "<q>"}}}},
    {"Update": {"TableName": "ScenShop", "Key": {"PK": {"S": "PRODUCT#<p>"}, "SK": {"S": "DETAILS"}}, "UpdateExpression": "SET inventory = inventory - :qty", "ConditionExpression": "inventory >= :qty",
      "ExpressionAttributeValues": {":qty": {"N": "<q>"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}', '<id>', id), '<p>', product), '<q>', qty::text)::jsonb || more)::json) $$;
CREATE FUNCTION pg_temp.stock(product text) RETURNS text LANGUAGE sql AS $$
  SELECT item ->> 'inventory' FROM dynamo.get_item('ScenShop', jsonb_build_object('PK', 'PRODUCT#' || product, 'SK', 'DETAILS')::dynamo.item) $$;
SELECT dynamo.put_item('ScenShop', '{"PK": "PRODUCT#p-456", "SK": "DETAILS", "price": 39.99, "inventory": 5, "version": 1}');

-- placed; the same request again with its token is done once, and then costs reads
SELECT pg_temp.place('1', 'p-456', 2, '{"ClientRequestToken": "token-1"}'), pg_temp.stock('p-456');
SELECT pg_temp.place('1', 'p-456', 2, '{"ClientRequestToken": "token-1"}'), pg_temp.stock('p-456');
SELECT pg_temp.place('1', 'p-456', 2, '{"ClientRequestToken": "token-1", "ReturnConsumedCapacity": "TOTAL"}'), pg_temp.stock('p-456');
-- another request under that token; no token: done anew, and refused by its own condition
SELECT pg_temp.place('1', 'p-456', 1, '{"ClientRequestToken": "token-1"}'), pg_temp.stock('p-456');
SELECT pg_temp.place('1', 'p-456', 2) ->> 'CancellationReasons', pg_temp.stock('p-456');
-- short of stock: the third failed, and what is there is told; nothing is written
SELECT pg_temp.place('2', 'p-456', 4, '{"ClientRequestToken": "token-2"}');
SELECT count(*), pg_temp.stock('p-456') FROM dynamo.query('ScenShop', 'PK = :o', '{":o": "ORDER#2"}');
-- a failure is not remembered: once there is stock, the token's request goes through
SELECT dynamo.update_item('ScenShop', '{"PK": "PRODUCT#p-456", "SK": "DETAILS"}', 'ADD inventory :n', '{":n": 10}');
SELECT pg_temp.place('2', 'p-456', 4, '{"ClientRequestToken": "token-2"}'), pg_temp.stock('p-456');
-- the first and the third failed; a product that is not there fails its condition
SELECT pg_temp.place('2', 'p-456', 40) ->> 'Message';
SELECT pg_temp.place('3', 'nothing', 1) ->> 'CancellationReasons';
-- the SQL function tells the same, its detail being the reasons
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "ScenShop", "Item": {"PK": "ORDER#1", "SK": "META"}, "ConditionExpression": "attribute_not_exists(PK)"}},
  {"Put": {"TableName": "ScenShop", "Item": {"PK": "ORDER#1", "SK": "ITEM#009"}}}]');
SELECT item ->> 'SK', item ->> 'quantity' FROM dynamo.query('ScenShop', 'PK = :o', '{":o": "ORDER#1"}');

-- optimistic locking: the winner gets the new item, the loser the exception and, asked for, the item
CREATE FUNCTION pg_temp.reprice(price text, old int) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('UpdateItem', format('{"TableName": "ScenShop", "Key": {"PK": {"S": "PRODUCT#p-456"}, "SK": {"S": "DETAILS"}}, "UpdateExpression": "SET price = :p, version = :new", "ConditionExpression": "version = :old",
    "ExpressionAttributeValues": {":p": {"N": "%s"}, ":old": {"N": "%s"}, ":new": {"N": "%s"}}, "ReturnValues": "ALL_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}', price, old, old + 1)::json) $$;
SELECT pg_temp.reprice('34.99', 1);
SELECT pg_temp.reprice('44.99', 1);

-- 25 lines in one request, four times, are 100 products; one more is too many, and nothing is written
CREATE FUNCTION pg_temp.lines(first int, last int) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('BatchWriteItem', json_build_object('RequestItems', json_build_object('ScenShop', json_agg(json_build_object('PutRequest', json_build_object('Item',
    format('{"PK": {"S": "PRODUCT#b-%1$s"}, "SK": {"S": "DETAILS"}, "price": {"N": "%1$s"}, "GSI1PK": {"S": "CATEGORY#books"}, "GSI1SK": {"S": "PRODUCT#b-%2$s"}}', n, lpad(n::text, 3, '0'))::json)))))) FROM generate_series(first, last) n $$;
SELECT pg_temp.lines(s, s + 24) FROM generate_series(1, 100, 25) s;
SELECT substr(pg_temp.lines(101, 126) ->> 'message', 1, 70), (SELECT count(*) FROM dynamo.get_item('ScenShop', '{"PK": "PRODUCT#b-101", "SK": "DETAILS"}'));
-- 100 by their keys, some of them not there; 101 are too many
CREATE FUNCTION pg_temp.get(first int, last int) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('BatchGetItem', json_build_object('RequestItems', json_build_object('ScenShop', json_build_object('ProjectionExpression', 'price', 'Keys', json_agg(format('{"PK": {"S": "PRODUCT#b-%s"}, "SK": {"S": "DETAILS"}}', n)::json))), 'ReturnConsumedCapacity', 'TOTAL')) FROM generate_series(first, last) n $$;
SELECT count(*), sum((i #>> '{price,N}')::int) FROM json_array_elements(pg_temp.get(1, 100) #> '{Responses,ScenShop}') i;
SELECT (a #> '{UnprocessedKeys}')::text, a #>> '{ConsumedCapacity}', json_array_length(a #> '{Responses,ScenShop}') FROM pg_temp.get(11, 110) a;
SELECT right(pg_temp.get(1, 101) ->> 'message', 105);

-- a customer's orders, newest first, page by page as an SDK does: until there is no LastEvaluatedKey
SELECT count(*) FROM (SELECT i::dynamo.item FROM unnest(ARRAY['{"PK": "CUSTOMER#12345", "SK": "PROFILE", "name": "Ann"}', '{"PK": "CUSTOMER#12345", "SK": "SETTINGS"}']) i
UNION ALL SELECT jsonb_build_object('PK', 'CUSTOMER#12345', 'SK', format('ORDER#2024-03-%s#%s', lpad(n::text, 2, '0'), 98700 + n), 'GSI1PK', 'STATUS#SHIPPED', 'GSI1SK', '2024-03-1' || n % 3)::dynamo.item FROM generate_series(1, 10) n) AS load (item), dynamo.put_item('ScenShop', load.item);
CREATE FUNCTION pg_temp.pages(request jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  answer json;
BEGIN
  LOOP
    answer = dynamo.call('Query', request::json);
    RETURN NEXT format('%s of %s: %s', answer ->> 'Count', answer ->> 'ScannedCount', (SELECT string_agg(right(i #>> '{SK,S}', 5), ' ') FROM json_array_elements(answer -> 'Items') i));
    EXIT WHEN answer -> 'LastEvaluatedKey' IS NULL;
    request = request || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
  END LOOP;
END $$;
SELECT pg_temp.pages('{"TableName": "ScenShop", "KeyConditionExpression": "PK = :c AND begins_with(SK, :o)", "ExpressionAttributeValues": {":c": {"S": "CUSTOMER#12345"}, ":o": {"S": "ORDER#"}}, "ScanIndexForward": false, "Limit": 4}');
-- a last page that is full says that there may be more
SELECT pg_temp.pages('{"TableName": "ScenShop", "KeyConditionExpression": "PK = :c AND begins_with(SK, :o)", "ExpressionAttributeValues": {":c": {"S": "CUSTOMER#12345"}, ":o": {"S": "ORDER#"}}, "Limit": 5}');
-- shipped orders by date, several on a day: no one is lost or seen twice at the border, both ways
SELECT count(*), count(DISTINCT sk) FROM (SELECT regexp_split_to_table(split_part(p, ': ', 2), ' ') FROM pg_temp.pages('{"TableName": "ScenShop", "IndexName": "GSI1", "KeyConditionExpression": "GSI1PK = :s AND GSI1SK BETWEEN :a AND :b",
  "ExpressionAttributeValues": {":s": {"S": "STATUS#SHIPPED"}, ":a": {"S": "2024-03-10"}, ":b": {"S": "2024-03-11"}}, "ScanIndexForward": false, "Limit": 2}') p) x (sk) WHERE sk <> '';
-- a filter thins the pages out, it does not make them longer
SELECT pg_temp.pages('{"TableName": "ScenShop", "KeyConditionExpression": "PK = :c", "FilterExpression": "attribute_exists(#n)", "ExpressionAttributeNames": {"#n": "name"}, "ExpressionAttributeValues": {":c": {"S": "CUSTOMER#12345"}}, "Limit": 5}');
-- the same with the SQL function, which has no pages
SELECT string_agg(right(item ->> 'SK', 5), ' ') FROM dynamo.query('ScenShop', 'PK = :c AND begins_with(SK, :o)', '{":c": "CUSTOMER#12345", ":o": "ORDER#"}', scan_index_forward => false);
SELECT dynamo.drop_table('ScenShop');

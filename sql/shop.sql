--
-- A shop, drawn for DynamoDB and living in Postgres.  "make demo" runs this
-- file on a private server; "make test" checks every answer in it.
--
SET DateStyle = ISO;

-- One table holds customers, orders, order lines and products; two indexes
-- serve the other questions.  Attributes need no declaration, only keys do.
SELECT dynamo.create_table('Shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('Shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('Shop', 'GSI2', 'GSI2PK', 'GSI2SK', projection => 'KEYS_ONLY');

--
-- 1. Items: plain JSON or DynamoDB's typed JSON, as you like
--

SELECT dynamo.put_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "PROFILE",
	"name": "Ann", "email": "ann@example.com",
	"GSI1PK": "EMAIL#ann@example.com", "GSI1SK": "CUSTOMER#12345"}');
SELECT dynamo.put_item('Shop', '{"PK": {"S": "PRODUCT#p-456"}, "SK": {"S": "DETAILS"},
	"title": {"S": "Kettle"}, "price": {"N": "39.99"}, "inventory": {"N": "3"}, "version": {"N": "1"},
	"GSI1PK": {"S": "CATEGORY#electronics"}, "GSI1SK": {"S": "PRODUCT#p-456"}}');

-- Profile by key
SELECT item->>'name' AS name, item->>'email' AS email
FROM dynamo.get_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "PROFILE"}');

-- A relation is behind it, so plain SQL writes items as well.
INSERT INTO dynamo_data."Shop" (item)
SELECT jsonb_build_object(
	'PK', 'CUSTOMER#12345', 'SK', format('ORDER#%s#%s', day, id),
	'total', total, 'status', status,
	'GSI1PK', 'STATUS#' || status, 'GSI1SK', format('%s#ORDER#%s', day, id))::dynamo.item
FROM (VALUES ('2024-03-11', 98701, 19.95, 'SHIPPED'),
			 ('2024-03-12', 98722, 240.00, 'SHIPPED'),
			 ('2024-03-15', 98765, 109.97, 'SHIPPED'),
			 ('2024-03-15', 98766, 5.00, 'PENDING'),
			 ('2024-03-18', 98799, 64.50, 'PENDING')) AS o (day, id, total, status);

-- Orders, newest first: the sort key gives the order, LIMIT stops the reading.
SELECT item->>'SK' AS "order", item->>'total' AS total
FROM dynamo.query('Shop', 'PK = :pk AND begins_with(SK, :order)',
	'{":pk": "CUSTOMER#12345", ":order": "ORDER#"}', scan_index_forward => false)
LIMIT 2;

-- Profile and orders in one Query
SELECT item->>'SK' AS "SK"
FROM dynamo.query('Shop', 'PK = :pk', '{":pk": "CUSTOMER#12345"}');

-- Paging: a page ends where the caller stops, the next starts after its last key.
SELECT jsonb_build_object('PK', item->'PK', 'SK', item->'SK') AS last_key
FROM dynamo.query('Shop', 'PK = :pk', '{":pk": "CUSTOMER#12345"}', max_items => 3)
OFFSET 2 \gset
\echo :last_key
SELECT item->>'SK' AS "SK"
FROM dynamo.query('Shop', 'PK = :pk', '{":pk": "CUSTOMER#12345"}',
	max_items => 2, exclusive_start_key => :'last_key');

-- The same page by the API of DynamoDB, word for word
SELECT dynamo.call('Query', '{"TableName": "Shop",
	"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": "CUSTOMER#12345"}},
	"ProjectionExpression": "SK", "Limit": 2,
	"ExclusiveStartKey": {"PK": {"S": "CUSTOMER#12345"}, "SK": {"S": "ORDER#2024-03-12#98722"}}}');

--
-- 2. Three kinds of item share one index
--

-- Shipped orders of some days
SELECT item->>'PK' AS customer, item->>'total' AS total
FROM dynamo.query('Shop', 'GSI1PK = :status AND GSI1SK BETWEEN :from AND :to',
	'{":status": "STATUS#SHIPPED", ":from": "2024-03-12", ":to": "2024-03-16"}', index_name => 'GSI1');

-- Products of a category
SELECT item->>'title' AS title, item->>'price' AS price
FROM dynamo.query('Shop', 'GSI1PK = :c', '{":c": "CATEGORY#electronics"}', index_name => 'GSI1');

-- The customer behind an e-mail address
SELECT item->>'name' AS name
FROM dynamo.query('Shop', 'GSI1PK = :e', '{":e": "EMAIL#ann@example.com"}', index_name => 'GSI1');

--
-- 3. A sparse index: only flagged orders are in it
--

SELECT dynamo.update_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-12#98722"}',
	'SET GSI2PK = :flag, GSI2SK = :since',
	'{":flag": "FLAGGED", ":since": "2024-03-20"}', return_values => 'UPDATED_NEW');
SELECT item::jsonb AS flagged FROM dynamo.scan('Shop', index_name => 'GSI2');
SELECT dynamo.update_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-12#98722"}',
	'REMOVE GSI2PK, GSI2SK');
SELECT count(*) AS flagged FROM dynamo.scan('Shop', index_name => 'GSI2');

--
-- 4. Place an order: all of it or nothing
--

-- Two kettles of three
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Shop",
		"Item": {"PK": "ORDER#98800", "SK": "META", "customer": "CUSTOMER#12345", "total": 79.98},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"Put": {"TableName": "Shop",
		"Item": {"PK": "ORDER#98800", "SK": "ITEM#001", "product": "p-456", "quantity": 2, "price": 39.99}}},
	{"Update": {"TableName": "Shop", "Key": {"PK": "PRODUCT#p-456", "SK": "DETAILS"},
		"UpdateExpression": "SET inventory = inventory - :qty",
		"ConditionExpression": "inventory >= :qty",
		"ExpressionAttributeValues": {":qty": 2}}}]');

-- Two more: one is left.  The reasons stand in the order of the actions.
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Shop",
		"Item": {"PK": "ORDER#98801", "SK": "META", "customer": "CUSTOMER#12345", "total": 79.98},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"Put": {"TableName": "Shop",
		"Item": {"PK": "ORDER#98801", "SK": "ITEM#001", "product": "p-456", "quantity": 2, "price": 39.99}}},
	{"Update": {"TableName": "Shop", "Key": {"PK": "PRODUCT#p-456", "SK": "DETAILS"},
		"UpdateExpression": "SET inventory = inventory - :qty",
		"ConditionExpression": "inventory >= :qty",
		"ExpressionAttributeValues": {":qty": 2}}}]');

-- The first order with all its lines in one Query; of the second, nothing
SELECT item->>'PK' AS "PK", item->>'SK' AS "SK", item->>'quantity' AS quantity
FROM dynamo.query('Shop', 'PK = :o', '{":o": "ORDER#98800"}');
SELECT count(*) FROM dynamo.query('Shop', 'PK = :o', '{":o": "ORDER#98801"}');

-- Order, line and stock of one snapshot
SELECT ordinal, item->>'total' AS total, item->>'inventory' AS inventory
FROM dynamo.transact_get('[
	{"Get": {"TableName": "Shop", "Key": {"PK": "ORDER#98800", "SK": "META"}}},
	{"Get": {"TableName": "Shop", "Key": {"PK": "ORDER#98800", "SK": "ITEM#002"}}},
	{"Get": {"TableName": "Shop", "Key": {"PK": "PRODUCT#p-456", "SK": "DETAILS"}}}]');

--
-- 5. Optimistic locking: two clerks have read version 1
--

SELECT item->>'price' AS price, item->>'version' AS version
FROM dynamo.update_item('Shop', '{"PK": "PRODUCT#p-456", "SK": "DETAILS"}',
	'SET price = :p, version = :new', '{":p": 34.99, ":old": 1, ":new": 2}',
	'version = :old', return_values => 'ALL_NEW') AS item;
SELECT item->>'price' AS price, item->>'version' AS version
FROM dynamo.update_item('Shop', '{"PK": "PRODUCT#p-456", "SK": "DETAILS"}',
	'SET price = :p, version = :new', '{":p": 44.99, ":old": 1, ":new": 2}',
	'version = :old', return_values => 'ALL_NEW') AS item;

-- 100 products, and all of them by their keys
INSERT INTO dynamo_data."Shop" (item)
SELECT jsonb_build_object('PK', 'PRODUCT#b-' || n, 'SK', 'DETAILS', 'price', n, 'inventory', 10,
	'GSI1PK', 'CATEGORY#books', 'GSI1SK', 'PRODUCT#b-' || n)::dynamo.item
FROM generate_series(1, 100) AS n;
SELECT count(*), sum((item->>'price')::numeric)
FROM dynamo.batch_get('Shop', VARIADIC ARRAY(
	SELECT jsonb_build_object('PK', 'PRODUCT#b-' || n, 'SK', 'DETAILS')::dynamo.item
	FROM generate_series(1, 100) AS n));

--
-- 6. The same shop by prefixes: c# customer, p# product, o# order, i# invoice
--

SELECT dynamo.create_table('OnlineShop', 'PK', 'SK');
SELECT dynamo.create_index('OnlineShop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('OnlineShop', 'GSI2', 'GSI2PK', 'GSI2SK');
SELECT count(dynamo.put_item('OnlineShop', i::dynamo.item, return_values => 'ALL_OLD')) AS replaced
FROM (VALUES
	('{"PK": "c#001", "SK": "c#001", "name": "Bob"}'),
	('{"PK": "p#001", "SK": "p#001", "title": "Lamp"}'),
	('{"PK": "p#002", "SK": "p#002", "title": "Desk"}'),
	('{"PK": "o#001", "SK": "o#001", "customer": "c#001", "date": "2025-02-10"}'),
	('{"PK": "o#001", "SK": "p#001", "quantity": 2, "GSI1PK": "p#001", "GSI1SK": "2025-02-10", "GSI2PK": "c#001", "GSI2SK": "p#2025-02-10"}'),
	('{"PK": "o#001", "SK": "p#002", "quantity": 1, "GSI1PK": "p#002", "GSI1SK": "2025-02-10", "GSI2PK": "c#001", "GSI2SK": "p#2025-02-10"}'),
	('{"PK": "o#001", "SK": "i#001", "amount": 320, "GSI1PK": "i#001", "GSI1SK": "i#001", "GSI2PK": "c#001", "GSI2SK": "i#2025-02-11"}'),
	('{"PK": "o#002", "SK": "o#002", "customer": "c#001", "date": "2025-04-02"}'),
	('{"PK": "o#002", "SK": "p#001", "quantity": 5, "GSI1PK": "p#001", "GSI1SK": "2025-04-02", "GSI2PK": "c#001", "GSI2SK": "p#2025-04-02"}'),
	('{"PK": "o#002", "SK": "i#002", "amount": 150, "GSI1PK": "i#002", "GSI1SK": "i#002", "GSI2PK": "c#001", "GSI2SK": "i#2025-04-03"}')) AS t (i);

-- Order o#001: itself, its lines, its invoice
SELECT item->>'SK' AS "SK" FROM dynamo.query('OnlineShop', 'PK = :o', '{":o": "o#001"}');
-- In which orders of a quarter a product was
SELECT item->>'PK' AS "order", item->>'quantity' AS quantity
FROM dynamo.query('OnlineShop', 'GSI1PK = :p AND GSI1SK BETWEEN :a AND :b',
	'{":p": "p#001", ":a": "2025-01-01", ":b": "2025-03-31"}', index_name => 'GSI1');
-- An invoice by its number
SELECT item->>'PK' AS "order", item->>'amount' AS amount
FROM dynamo.query('OnlineShop', 'GSI1PK = :i', '{":i": "i#002"}', index_name => 'GSI1');
-- A customer's invoices of a quarter, and what he bought in it
SELECT item->>'SK' AS invoice, item->>'amount' AS amount
FROM dynamo.query('OnlineShop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b',
	'{":c": "c#001", ":a": "i#2025-01-01", ":b": "i#2025-03-31"}', index_name => 'GSI2');
SELECT item->>'SK' AS product, item->>'quantity' AS quantity
FROM dynamo.query('OnlineShop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b',
	'{":c": "c#001", ":a": "p#2025-01-01", ":b": "p#2025-03-31"}', index_name => 'GSI2');

--
-- 7. Users: sparse indexes, and an e-mail address that only one may have
--

SELECT dynamo.create_table('Users', 'PK', 'SK');
SELECT dynamo.create_index('Users', 'BY_EMAIL', 'email');
SELECT dynamo.create_index('Users', 'ACTIVE_USERS', 'active_since');
INSERT INTO dynamo_data."Users" (item)
SELECT (jsonb_build_object('PK', 'USER#' || n, 'SK', 'PROFILE', 'email', format('user%s@example.com', n))
	|| CASE WHEN n % 10 = 0 THEN jsonb_build_object('active_since', format('%s-06-07T08:09', 1000 + n % 9000))
		ELSE '{}' END)::dynamo.item
FROM generate_series(1, 20000) AS n;

SELECT item->>'PK' AS "user"
FROM dynamo.query('Users', 'email = :e', '{":e": "user4711@example.com"}', index_name => 'BY_EMAIL');
SELECT count(*) AS active FROM dynamo.scan('Users', index_name => 'ACTIVE_USERS');
SELECT pg_relation_size('dynamo_data."Users/ACTIVE_USERS"')
	< 0.2 * pg_relation_size('dynamo_data."Users/BY_EMAIL"') AS "less than a fifth";

-- The guard item EMAIL#... makes the address unique; it has no attribute
-- "email", so it is not in the index.
SELECT ordinal, action FROM dynamo.transact_write('[
	{"Put": {"TableName": "Users", "Item": {"PK": "USER#a1", "SK": "PROFILE", "email": "new@example.com"},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"Put": {"TableName": "Users", "Item": {"PK": "EMAIL#new@example.com", "SK": "GUARD", "user": "USER#a1"},
		"ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT ordinal, action FROM dynamo.transact_write('[
	{"Put": {"TableName": "Users", "Item": {"PK": "USER#b2", "SK": "PROFILE", "email": "new@example.com"},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"Put": {"TableName": "Users", "Item": {"PK": "EMAIL#new@example.com", "SK": "GUARD", "user": "USER#b2"},
		"ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT item->>'PK' AS "user"
FROM dynamo.query('Users', 'email = :e', '{":e": "new@example.com"}', index_name => 'BY_EMAIL');

--
-- 8. What DynamoDB cannot do: the same items in plain SQL
--

-- A view of typed columns
CREATE VIEW shop_orders AS
SELECT item->>'PK' AS customer,
	   split_part(item->>'SK', '#', 3) AS order_id,
	   split_part(item->>'SK', '#', 2)::date AS day,
	   (item->>'total')::numeric AS total,
	   item->>'status' AS status
FROM dynamo_data."Shop"
WHERE item->>'SK' LIKE 'ORDER#%';

-- An ordinary table to join with
CREATE TABLE shop_vat (status text PRIMARY KEY, rate numeric);
INSERT INTO shop_vat VALUES ('SHIPPED', 0.19), ('PENDING', 0);

-- One transaction: a put_item, and a report that sees it
BEGIN;
SELECT dynamo.put_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-18#98800",
	"total": 79.98, "status": "PENDING", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2024-03-18#ORDER#98800"}');
SELECT day, count(*) AS orders, sum(total) AS revenue, round(sum(total * rate), 2) AS vat
FROM shop_orders JOIN shop_vat USING (status)
GROUP BY day ORDER BY day;
SELECT p.item->>'name' AS customer, count(*) AS orders, sum(o.total) AS revenue
FROM shop_orders o
	CROSS JOIN LATERAL dynamo.get_item('Shop',
		jsonb_build_object('PK', o.customer, 'SK', 'PROFILE')::dynamo.item) AS p
GROUP BY p.item->>'name';
ROLLBACK;

-- Rolled back with the rest
SELECT count(*), sum(total) FROM shop_orders WHERE day = '2024-03-18';

--
-- 9. A stream of the changes, for whoever must know of them
--

SELECT dynamo.enable_stream('Shop') IS NOT NULL AS enabled;
SELECT dynamo.update_item('Shop', '{"PK": "CUSTOMER#12345", "SK": "PROFILE"}',
	'SET #n = :n', '{":n": "Ann Example"}',
	expression_attribute_names => '{"#n": "name"}');
SELECT event_name, keys->>'PK' AS customer,
	   old_image->>'name' AS before, new_image->>'name' AS after
FROM dynamo.stream('Shop', after => NULL);

-- Clean up (make demo leaves this to you)
DROP VIEW shop_orders;
DROP TABLE shop_vat;
SELECT dynamo.drop_table('Shop'), dynamo.drop_table('OnlineShop'), dynamo.drop_table('Users');

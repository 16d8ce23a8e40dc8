-- Sales that SQL reports, as scenario J has it: written by put_item and by INSERT in one
-- transaction, with prices from an ordinary table, and read by a view of typed columns.
-- Its index has several sort keys.
SET client_min_messages = warning;
SET ROLE clerk;
SELECT dynamo.call('CreateTable', '{"TableName": "ConsoleSales", "BillingMode": "PAY_PER_REQUEST",
	"KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}, {"AttributeName": "number", "KeyType": "RANGE"}],
	"AttributeDefinitions": [{"AttributeName": "day", "AttributeType": "S"}, {"AttributeName": "number", "AttributeType": "N"},
		{"AttributeName": "customer", "AttributeType": "S"}, {"AttributeName": "kind", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByCustomer", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["price"]},
		"KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "kind", "KeyType": "RANGE"}, {"AttributeName": "day", "KeyType": "RANGE"}]}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}'::json);
CREATE TABLE IF NOT EXISTS console.price (product text PRIMARY KEY, price numeric);
INSERT INTO console.price VALUES ('mug', 7.5), ('pot', 19), ('tea', 4.25) ON CONFLICT DO NOTHING;
BEGIN;
SELECT dynamo.put_item('ConsoleSales', '{"day": {"S": "2026-03-01"}, "number": {"N": "100"}, "customer": {"S": "ann"}, "kind": {"S": "gift"}, "price": {"N": "0"}, "tags": {"SS": ["new", "free"]}, "paid": {"BOOL": true}, "note": {"NULL": true}, "sign": {"B": "AAEC"}}'::json);
INSERT INTO dynamo_data."ConsoleSales" (item)
SELECT jsonb_build_object('day', '2026-03-0' || d, 'number', n, 'customer', (ARRAY['ann', 'bob', 'eve'])[1 + n % 3], 'kind', CASE n % 2 WHEN 0 THEN 'invoice' ELSE 'order' END,
	'price', price, 'lines', jsonb_build_array(jsonb_build_object('product', product, 'quantity', n)))::dynamo.item
FROM generate_series(1, 4) d, generate_series(1, 12) n, console.price WHERE product = (ARRAY['mug', 'pot', 'tea'])[1 + n % 3];
COMMIT;
CREATE OR REPLACE VIEW console.revenue AS
SELECT (item ->> 'day')::date AS day, sum((item ->> 'price')::numeric) AS revenue FROM dynamo_data."ConsoleSales" GROUP BY 1;
RESET ROLE;
ANALYZE dynamo_data."ConsoleSales";

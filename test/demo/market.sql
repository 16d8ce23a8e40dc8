-- A market in one table, for the console of "make demo": customers with addresses,
-- orders and carts, orders with lines, products with reviews. Two indexes serve all
-- other questions, so each means several things. Every value is a fixed function of
-- numbers, but for times that are near now. For a superuser; the role clerk is to own it, and
-- gets what it takes to see all views.
\o /dev/null
SET ROLE clerk;
SELECT dynamo.call('CreateTable', '{"TableName": "Market", "BillingMode": "PAY_PER_REQUEST",
	"KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
	"AttributeDefinitions": [
		{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"},
		{"AttributeName": "GSI1PK", "AttributeType": "S"}, {"AttributeName": "GSI1SK", "AttributeType": "S"},
		{"AttributeName": "GSI2PK", "AttributeType": "S"}, {"AttributeName": "GSI2SK", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [
		{"IndexName": "GSI1", "Projection": {"ProjectionType": "ALL"},
			"KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}, {"AttributeName": "GSI1SK", "KeyType": "RANGE"}]},
		{"IndexName": "GSI2", "Projection": {"ProjectionType": "ALL"},
			"KeySchema": [{"AttributeName": "GSI2PK", "KeyType": "HASH"}, {"AttributeName": "GSI2SK", "KeyType": "RANGE"}]}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
	"Tags": [{"Key": "entity CUSTOMER:@ / PROFILE", "Value": "Customer"},
		{"Key": "entity CUSTOMER:@ / ORDER:@", "Value": "Order"},
		{"Key": "entity CUSTOMER:@ / CART:@", "Value": "Cart"},
		{"Key": "entity CUSTOMER:@ / ADDRESS:@", "Value": "Address"},
		{"Key": "entity PRODUCT:@ / DETAILS", "Value": "Product"},
		{"Key": "entity ORDER:@ / LINE:@", "Value": "Order line"},
		{"Key": "entity PRODUCT:@ / REVIEW:@", "Value": "Review"}]}') IS NOT NULL;
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "Market",
	"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "Market",
	"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"}}') IS NOT NULL;
SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Market",
	"ContributorInsightsAction": "ENABLE"}') IS NOT NULL;

CREATE TEMP TABLE words AS SELECT
	'{Ada,Ben,Carla,Dan,Elif,Farid,Greta,Hugo,Ines,Jonas,Kemal,Lea,Mona,Nils,Olga,Paul,Rosa,Sven,Tara,Uwe}'::text[] AS given,
	'{Albers,Brook,Costa,Dimitri,Engel,Fuchs,Gomez,Haas,Ivanov,Jansen,Keller}'::text[] AS family,
	'{Lisbon,Oslo,Vienna,Ghent,Turin,Cork,Riga}'::text[] AS town,
	'{tea,coffee,kitchen,books,garden}'::text[] AS category,
	'{Sencha,Assam,Rooibos,"Earl Grey",Espresso,Filter,Decaf,Kettle,Teapot,Mug,Scale,Cookbook,Novel,Atlas,Spade,Seeds,Planter}'::text[] AS thing,
	'{"Would buy it again.","Came a day late.","Just what I wanted.","Smaller than it looks.","A present for my mother, who loves it."}'::text[] AS opinion;

INSERT INTO dynamo_data."Market" (item)
SELECT i::dynamo.item FROM words AS w,
	generate_series(1, 60) AS c,
	LATERAL (SELECT format('CUSTOMER#%s', 1000 + c) AS pk,
		w.given[1 + c % 20] AS first, w.family[1 + c % 11] AS last) AS k,
	LATERAL (VALUES
		(jsonb_build_object('PK', pk, 'SK', 'PROFILE', 'name', first || ' ' || last,
			'email', lower(format('%s.%s%s@example.com', first, last, c)), 'points', c * 37 % 500,
			'GSI1PK', 'EMAIL#' || lower(format('%s.%s%s@example.com', first, last, c)), 'GSI1SK', pk)),
		(jsonb_build_object('PK', pk, 'SK', 'ADDRESS#home', 'town', w.town[1 + c % 7], 'street', format('Long Road %s', c))),
		(CASE WHEN c % 4 = 0 THEN jsonb_build_object('PK', pk, 'SK', 'ADDRESS#work', 'town', w.town[1 + c % 5], 'street', format('Dock %s', c)) END),
		(CASE WHEN c % 3 = 0 THEN jsonb_build_object('PK', pk, 'SK', format('CART#p%s', 100 + c % 17), 'quantity', 1 + c % 3,
			'expires', floor(extract(epoch FROM now()))::bigint + 600 * c) END)) AS v (i)
WHERE i IS NOT NULL;

-- Some customers order often, most seldom.
INSERT INTO dynamo_data."Market" (item)
SELECT i::dynamo.item FROM words AS w,
	generate_series(1, 60) AS c,
	generate_series(1, CASE WHEN c % 12 = 1 THEN 24 ELSE 1 + c % 6 END) AS n,
	LATERAL (SELECT 5000 + c * 30 + n AS o,
		to_char(date '2026-01-03' + (c * 7 + n * 9) % 300, 'YYYY-MM-DD') AS day,
		(ARRAY['open', 'packed', 'shipped', 'shipped', 'delivered', 'delivered', 'delivered', 'returned'])[1 + (c + n * 3) % 8] AS status) AS k,
	LATERAL (
		SELECT jsonb_build_object('PK', format('CUSTOMER#%s', 1000 + c), 'SK', format('ORDER#%s#%s', day, o),
			'status', status, 'total', 10 + (c * n * 13) % 190, 'GSI1PK', 'STATUS#' || status, 'GSI1SK', format('%s#%s', day, o),
			'GSI2PK', format('ORDER#%s', o), 'GSI2SK', 'HEAD') AS i
		UNION ALL
		SELECT jsonb_build_object('PK', format('ORDER#%s', o), 'SK', format('LINE#%s', lpad(l::text, 2, '0')),
			'product', w.thing[1 + (c + n + l) % 17], 'quantity', 1 + l % 3, 'price', 4 + (c + n + l) % 17 * 3,
			'GSI1PK', format('PRODUCT#p%s', 100 + (c + n + l) % 17), 'GSI1SK', format('SOLD#%s#%s', day, o),
			'GSI2PK', format('ORDER#%s', o), 'GSI2SK', format('LINE#%s', lpad(l::text, 2, '0')))
		FROM generate_series(1, 1 + (c + n) % 4) AS l) AS v;

INSERT INTO dynamo_data."Market" (item)
SELECT i::dynamo.item FROM words AS w,
	generate_series(0, 16) AS p,
	LATERAL (
		SELECT jsonb_build_object('PK', format('PRODUCT#p%s', 100 + p), 'SK', 'DETAILS', 'title', w.thing[1 + p],
			'price', 4 + p * 3, 'stock', 20 + p * 11 % 30, 'labels', jsonb_build_array('new', w.category[1 + p / 4]),
			'GSI1PK', 'CATEGORY#' || w.category[1 + p / 4], 'GSI1SK', format('PRODUCT#p%s', 100 + p)) AS i
		UNION ALL
		SELECT jsonb_build_object('PK', format('PRODUCT#p%s', 100 + p),
			'SK', format('REVIEW#%s#%s', to_char(date '2026-02-01' + p * 5 + r * 3, 'YYYY-MM-DD'), 1000 + 1 + (p * 7 + r * 11) % 60),
			'stars', 1 + (p + r * 3) % 5, 'text', w.opinion[1 + (p + r) % 5],
			'GSI2PK', format('CUSTOMER#%s', 1000 + 1 + (p * 7 + r * 11) % 60), 'GSI2SK', format('REVIEW#p%s', 100 + p))
		FROM generate_series(1, 2 + p % 7) AS r) AS v;

-- Before what follows, so that an item has a past.
RESET ROLE;
SELECT dynamo.mark_recovery() IS NOT NULL, pg_sleep(0.1);
SET ROLE clerk;

-- A working day: orders move on, a price changes twice, a cart is emptied.
SELECT count(dynamo.update_item('Market', jsonb_build_object('PK', item->>'PK', 'SK', item->>'SK')::dynamo.item,
	'SET #s = :s, GSI1PK = :g', '{":s": "packed", ":g": "STATUS#packed"}', expression_attribute_names => '{"#s": "status"}'))
FROM (SELECT item FROM dynamo.query('Market', 'GSI1PK = :s', '{":s": "STATUS#open"}', index_name => 'GSI1') AS item LIMIT 12) AS o;
SELECT dynamo.update_item('Market', '{"PK": "PRODUCT#p107", "SK": "DETAILS"}', 'SET price = :p', '{":p": 29}');
SELECT dynamo.update_item('Market', '{"PK": "PRODUCT#p107", "SK": "DETAILS"}', 'SET price = :p REMOVE labels', '{":p": 19}');
SELECT dynamo.delete_item('Market', '{"PK": "CUSTOMER#1003", "SK": "CART#p103"}');

-- A function that is called with the changes: how many orders are in which state.
RESET ROLE;
CREATE SCHEMA market AUTHORIZATION clerk;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO clerk;
GRANT pg_monitor TO clerk; -- the console shows what workers do to those
SET ROLE clerk;
CREATE TABLE market.orders_by_state (state text PRIMARY KEY, n bigint NOT NULL);
CREATE FUNCTION market.count_orders(event jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO market.orders_by_state AS o (state, n)
	SELECT state, sum(step)
	FROM jsonb_array_elements(event -> 'Records') AS r,
		LATERAL (VALUES (r #>> '{dynamodb,NewImage,status,S}', 1), (r #>> '{dynamodb,OldImage,status,S}', -1)) AS c (state, step)
	WHERE state IS NOT NULL
	GROUP BY state
	ON CONFLICT (state) DO UPDATE SET n = o.n + excluded.n $$;
SELECT dynamo.create_event_source_mapping('Market', 'market.count_orders', starting_position => 'TRIM_HORIZON') IS NOT NULL;

-- Readers, most of them of a few products.
SELECT count(item)
FROM generate_series(1, 400) AS n, LATERAL dynamo.get_item('Market',
	jsonb_build_object('PK', format('PRODUCT#p%s', 100 + (n * n / 7) % (1 + n % 17)), 'SK', 'DETAILS')::dynamo.item) AS item;
SELECT dynamo.call('CreateBackup', '{"TableName": "Market", "BackupName": "first-day"}') IS NOT NULL;

RESET ROLE;
ANALYZE; -- so that DescribeTable knows how many there are

\o
SELECT count(*) || ' items in the table Market' FROM dynamo_data."Market";

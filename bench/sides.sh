# The two sides that bench/instructions and others compare.  To be sourced.
#
# Ours is a table of create_table with two global indexes.  Plain is the table
# an expert would write for the same items: the item as jsonb, its key in two
# columns, an index on expressions for each global index.  Both hold the same
# items, of about 300 bytes as JSON, loaded in the same order.
#
# Item number i belongs to collection i % (items / 100), so collections of 100
# grow side by side.  A key of GSI1 has 25 items, from all over the table.  Every
# item has keys for both indexes.  bench/statements.pl makes the same items.

# SQL that makes both sides with $1 items, a multiple of 100.
sides_sql() {
	cat <<SQL
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dynamo;
CREATE FUNCTION pk_of(i bigint) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
	SELECT 'USER#' || lpad((i % ($1 / 100))::text, 7, '0')
\$\$;
CREATE FUNCTION sk_of(i bigint) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
	SELECT 'ORDER#' || lpad((i / ($1 / 100))::text, 9, '0')
\$\$;
CREATE FUNCTION item_of(i bigint) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
	SELECT format('{"PK":"%s","SK":"%s","GSI1PK":"DAY#%s","GSI1SK":"TIME#%s","GSI2PK":"MAIL#%s","GSI2SK":"%s",'
		'"status":"PENDING","total":109.97,"visits":1,"version":1,"tags":["new","vip"],'
		'"address":{"city":"Berlin","zip":"10115"},"note":"a word on the order"}',
		pk_of(i), sk_of(i), lpad((i * 1299709 % $1 / 25)::text, 7, '0'), lpad(i::text, 9, '0'),
		lpad(i::text, 9, '0'), substr(md5(i::text), 1, 8))
\$\$;
SELECT dynamo.create_table('Shop', 'PK', 'SK');
SELECT dynamo.create_index('Shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('Shop', 'GSI2', 'GSI2PK', 'GSI2SK');
INSERT INTO dynamo_data."Shop" (item) SELECT item_of(i)::dynamo.item FROM generate_series(0, $1 - 1) i;
CREATE TABLE plain (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL, PRIMARY KEY (pk, sk));
CREATE INDEX plain_gsi1 ON plain ((item ->> 'GSI1PK'), (item ->> 'GSI1SK'));
CREATE INDEX plain_gsi2 ON plain ((item ->> 'GSI2PK'), (item ->> 'GSI2SK'));
INSERT INTO plain SELECT pk_of(i), sk_of(i), item_of(i)::jsonb FROM generate_series(0, $1 - 1) i;
VACUUM (FREEZE, ANALYZE) dynamo_data."Shop";
VACUUM (FREEZE, ANALYZE) plain;
SQL
}

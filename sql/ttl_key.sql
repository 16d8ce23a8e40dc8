-- The TTL attribute may be a key of the table or of an index
\t on
\a
\set VERBOSITY terse
SELECT extract(epoch FROM now())::bigint AS now \gset
CREATE FUNCTION pg_temp.sweep(name text, attribute text) RETURNS TABLE (expired bigint, remaining text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dynamo.enable_ttl(name, attribute);
  expired := dynamo.expire_items(name);
  remaining := string_agg(item ->> 'name', ' ' ORDER BY item ->> 'name') FROM dynamo.scan(name);
  RETURN NEXT;
END $$;

-- the sort key, the partition key
SELECT dynamo.create_table('TtlSort', 'PK', 'at N');
INSERT INTO dynamo_data."TtlSort" (item) SELECT format('{"PK": "p%s", "at": %s, "name": "%s"}', n % 2, :now + n * 1000, n)::dynamo.item FROM generate_series(-2, 2) n WHERE n <> 0;
SELECT * FROM pg_temp.sweep('TtlSort', 'at');
SELECT dynamo.create_table('TtlHash', 'at N');
INSERT INTO dynamo_data."TtlHash" (item) SELECT format('{"at": %s, "name": "%s"}', :now + n * 1000, n)::dynamo.item FROM generate_series(-2, 2) n WHERE n <> 0;
SELECT * FROM pg_temp.sweep('TtlHash', 'at');
-- a key of type S is no number
SELECT dynamo.create_table('TtlText', 'at');
SELECT dynamo.put_item('TtlText', format('{"at": {"S": "%s"}, "name": {"S": "text"}}', :now - 5)::dynamo.item);
SELECT * FROM pg_temp.sweep('TtlText', 'at');

-- a key of a GSI, of an LSI: the item goes from both
SELECT dynamo.call('CreateTable', '{"TableName": "TtlLocal", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
  "LocalSecondaryIndexes": [{"IndexName": "Local", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}],
  "GlobalSecondaryIndexes": [{"IndexName": "Global", "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}') IS NOT NULL;
SELECT dynamo.put_item('TtlLocal', format('{"PK": "p", "SK": "%s", "at": %s, "name": "%1$s"}', n, :now + n * 1000)::dynamo.item) FROM generate_series(-2, 2) n WHERE n <> 0;
SELECT * FROM pg_temp.sweep('TtlLocal', 'at');
SELECT string_agg(item ->> 'SK', ' ') FROM dynamo.query('TtlLocal', 'PK = :p', '{":p": "p"}', index_name => 'Local');
SELECT string_agg(item ->> 'SK', ' ' ORDER BY item ->> 'SK') FROM dynamo.scan('TtlLocal', index_name => 'Global');
-- by its entries alone, too
SET enable_seqscan = off;
SELECT count(*) FROM dynamo_data."TtlLocal" WHERE dynamo_internal.expiry(item, 'at') IS NOT NULL AND dynamo_internal.expiry(item, 'at') < :now;
SELECT count(*) FROM dynamo_data."TtlLocal" WHERE dynamo_internal.expiry(item, 'at') IS NOT NULL AND dynamo_internal.expiry(item, 'at') > :now;
RESET enable_seqscan;

SELECT dynamo.drop_table(name) FROM unnest('{TtlSort,TtlHash,TtlText,TtlLocal}'::text[]) name;

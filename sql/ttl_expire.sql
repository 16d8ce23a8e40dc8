-- Which items expire, and what goes with them
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('TtlExpire', 'PK', 'SK');
SELECT dynamo.create_index('TtlExpire', 'ByOwner', 'owner', 'ttl', sort_key_type => 'N');
SELECT dynamo.enable_ttl('TtlExpire', 'ttl');
SELECT extract(epoch FROM now())::bigint AS now \gset
CREATE FUNCTION pg_temp.put(sk text, ttl text, more text DEFAULT '') RETURNS void LANGUAGE sql AS $$
  SELECT dynamo.put_item('TtlExpire', format('{"PK": {"S": "p"}, "SK": {"S": "%s"}%s %s}', sk, ', "ttl": ' || ttl, more)::dynamo.item) $$;
CREATE FUNCTION pg_temp.n(n numeric) RETURNS text LANGUAGE sql AS $$ SELECT format('{"N": "%s"}', n) $$;
CREATE VIEW pg_temp.left AS SELECT string_agg(item ->> 'SK', ' ' ORDER BY item ->> 'SK') FROM dynamo.scan('TtlExpire');

-- a number in the past; a fraction, an exponent; what is to come stays
SELECT pg_temp.put('past', pg_temp.n(:now - 10)), pg_temp.put('fraction', pg_temp.n(:now - 9.5)), pg_temp.put('exponent', format('{"N": "%sE-3"}', (:now - 8)::bigint * 1000)),
  pg_temp.put('yesterday', pg_temp.n(:now - 86400)), pg_temp.put('to come', pg_temp.n(:now + 3600)), pg_temp.put('millis', pg_temp.n((:now - 10)::bigint * 1000)), pg_temp.put('huge', pg_temp.n(1e125));
-- just within five years, just over, long ago: what is older is no time at all
SELECT pg_temp.put('4.99 years', pg_temp.n(:now - 157700000)), pg_temp.put('5.01 years', pg_temp.n(:now - 158000000)), pg_temp.put('1970', pg_temp.n(0)), pg_temp.put('before', pg_temp.n(-:now));
-- other types, or none
SELECT pg_temp.put('none', NULL);
SELECT dynamo.put_item('TtlExpire', '{"PK": "p", "SK": "absent", "expires": 1}');
INSERT INTO dynamo_data."TtlExpire" (item) SELECT format('{"PK": {"S": "p"}, "SK": {"S": "type %s"}, "ttl": {"%1$s": %s}}', t, v)::dynamo.item
  FROM (VALUES ('S', format('"%s"', :now - 10)), ('NS', format('["%s"]', :now - 10)), ('L', format('[{"N": "%s"}]', :now - 10)), ('NULL', 'true'), ('BOOL', 'true')) x (t, v);
TABLE pg_temp.left;
SELECT dynamo.expire_items('TtlExpire');
TABLE pg_temp.left;
SELECT dynamo.expire_items('TtlExpire');

-- plain SQL's items expire as any; those that expired first go first
INSERT INTO dynamo_data."TtlExpire" (item) SELECT format('{"PK": "q", "SK": "%s", "ttl": %s}', lpad(n::text, 2, '0'), :now - 100 + n)::dynamo.item FROM generate_series(1, 20) n ORDER BY hashint4(n);
SELECT dynamo.expire_items('TtlExpire', 0), dynamo.expire_items('TtlExpire', 5), dynamo.expire_items('TtlExpire', max_items => 1);
SELECT min(item ->> 'SK'), count(*) FROM dynamo.query('TtlExpire', 'PK = :q', '{":q": "q"}');
-- many of one second
INSERT INTO dynamo_data."TtlExpire" (item) SELECT format('{"PK": "same", "SK": "%s", "ttl": %s}', n, :now - 1000)::dynamo.item FROM generate_series(1, 300) n;
SELECT dynamo.expire_items('TtlExpire', 299), dynamo.expire_items('TtlExpire', 2), dynamo.expire_items('TtlExpire'), dynamo.expire_items('TtlExpire');

-- all of the caller's transaction: seen at once, gone with it, and what it wrote itself expires
BEGIN;
SELECT pg_temp.put('own', pg_temp.n(:now - 5)), pg_temp.put('own 2', pg_temp.n(:now - 5));
SELECT dynamo.update_item('TtlExpire', '{"PK": "p", "SK": "own 2"}', 'SET #t = :t', jsonb_build_object(':t', :now + 1000)::dynamo.item, expression_attribute_names => '{"#t": "ttl"}') IS NULL;
SELECT dynamo.expire_items('TtlExpire'), (SELECT count(*) FROM dynamo.get_item('TtlExpire', '{"PK": "p", "SK": "own"}'));
ROLLBACK;
SELECT pg_temp.put('back', pg_temp.n(:now - 5));
BEGIN;
SELECT dynamo.expire_items('TtlExpire');
ROLLBACK;
SELECT count(*) FROM dynamo.get_item('TtlExpire', '{"PK": "p", "SK": "back"}');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dynamo.expire_items('TtlExpire');
COMMIT;

-- expired, but not gone: read, changed, counted as any; changed in time it stays
SELECT pg_temp.put(sk, pg_temp.n(:now - 5), ', "owner": {"S": "o"}') FROM unnest('{a,b,c,d}'::text[]) sk;
SELECT string_agg(item ->> 'SK', ' ') FROM dynamo.query('TtlExpire', '#o = :o', '{":o": "o"}', index_name => 'ByOwner', expression_attribute_names => '{"#o": "owner"}');
SELECT dynamo.update_item('TtlExpire', '{"PK": "p", "SK": "a"}', 'SET #t = #t + :hour', '{":hour": 3600}', expression_attribute_names => '{"#t": "ttl"}', return_values => 'UPDATED_NEW') IS NOT NULL;
SELECT dynamo.update_item('TtlExpire', '{"PK": "p", "SK": "b"}', 'REMOVE #t', expression_attribute_names => '{"#t": "ttl"}');
SELECT dynamo.update_item('TtlExpire', '{"PK": "p", "SK": "c"}', 'SET v = :v', '{":v": 1}');
SELECT dynamo.expire_items('TtlExpire');
TABLE pg_temp.left;
-- gone from the index as well
SELECT string_agg(item ->> 'SK', ' ') FROM dynamo.query('TtlExpire', '#o = :o', '{":o": "o"}', index_name => 'ByOwner', expression_attribute_names => '{"#o": "owner"}');

-- an index on a table that has items already
SELECT dynamo.disable_ttl('TtlExpire');
SELECT dynamo.enable_ttl('TtlExpire', 'expires');
SELECT dynamo.expire_items('TtlExpire');
INSERT INTO dynamo_data."TtlExpire" (item) VALUES (format('{"PK": "p", "SK": "other", "expires": %s}', :now - 5)::dynamo.item);
SELECT dynamo.expire_items('TtlExpire');
DROP VIEW pg_temp.left;
SELECT dynamo.drop_table('TtlExpire');

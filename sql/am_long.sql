-- A page filled by a load has room for the new version of one long item.
\a
\t on
\set VERBOSITY sqlstate
SELECT dynamo.create_table('Long', 'pk', 'sk', sort_key_type => 'N');
INSERT INTO dynamo_data."Long" (item) SELECT jsonb_build_object('pk', 'a', 'sk', i, 'v', (SELECT string_agg(md5(i * j::text::int || ''), '') FROM generate_series(1, 18) j))::dynamo.item FROM generate_series(1, 200) i;
CREATE TEMP TABLE first_of AS SELECT DISTINCT ON (2) sk, (ctid::text::point)[0] AS block FROM dynamo_data."Long" ORDER BY 2, 1;
SELECT count(*) > 10 FROM first_of;
UPDATE dynamo_data."Long" SET item = item::jsonb || '{"w": 1}' WHERE sk IN (SELECT sk FROM first_of);
SELECT count(*) FROM dynamo_data."Long" l JOIN first_of f USING (sk) WHERE (l.ctid::text::point)[0] <> f.block;
SELECT dynamo.drop_table('Long');

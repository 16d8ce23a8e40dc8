-- An index keeps four bytes of a partition key's hash: keys that share them stay apart
\t on
\a
SELECT dynamo.create_table('EngineHash', 'pk', 'sk');
SELECT dynamo.create_index('EngineHash', 'by_mail', 'mail', 'n', sort_key_type => 'N');
SELECT dynamo.create_index('EngineHash', 'by_mail_alone', 'mail');
SELECT dynamo.create_index('EngineHash', 'by_two', ARRAY['mail', 'kind'], ARRAY['n N']);
-- two addresses of one hash
SELECT dynamo_internal.index_partition_hash('{"a": "mail6950@x.y"}', 'a', 'S'::"char") =
  dynamo_internal.index_partition_hash('{"a": "mail22891@x.y"}', 'a', 'S'::"char");
-- it is the beginning of MD5, whatever the length, over one block and several
SELECT count(*), count(*) FILTER (WHERE dynamo_internal.index_partition_hash(jsonb_build_object('a', v)::dynamo.item, 'a', 'S'::"char") =
  ('x' || left(md5('Outliers' || v), 8))::bit(32)::int # (-2147483648)::int) AS as_core
FROM generate_series(1, 300) n, substr(repeat('abcdefghijklm', 30), n, n) v;
-- their sort keys are mixed; among equal ones, table keys that share a tie-breaker
SELECT count(dynamo.put_item('EngineHash', jsonb_build_object('pk', left('abcdefgh', i), 'sk', substr('abcdefgh', i + 1),
    'mail', CASE i % 2 WHEN 0 THEN 'mail6950@x.y' ELSE 'mail22891@x.y' END, 'kind', 'k', 'n', i / 4)::dynamo.item))
FROM generate_series(1, 7) i;
SELECT count(dynamo.put_item('EngineHash', jsonb_build_object('pk', 'z' || i, 'sk', 'y',
    'mail', CASE i % 3 WHEN 0 THEN 'mail6950@x.y' WHEN 1 THEN 'mail22891@x.y' ELSE 'other@x.y' END, 'kind', 'k', 'n', i / 4)::dynamo.item))
FROM generate_series(1, 12) i;

-- a Query returns its own items, in both directions, under conditions, counted after that
SELECT m, (SELECT string_agg((item ->> 'pk') || (item ->> 'n'), ' ') FROM dynamo.query('EngineHash', 'mail = :m', jsonb_build_object(':m', m)::dynamo.item, index_name => 'by_mail')) FROM (VALUES ('mail6950@x.y'), ('mail22891@x.y'), ('other@x.y')) v (m);
SELECT string_agg((item ->> 'pk') || (item ->> 'n'), ' ') FROM dynamo.query('EngineHash', 'mail = :m AND n >= :n', '{":m": "mail6950@x.y", ":n": 1}', index_name => 'by_mail', scan_index_forward => false);
SELECT dynamo.call('Query', '{"TableName": "EngineHash", "IndexName": "by_mail", "KeyConditionExpression": "mail = :m", "ExpressionAttributeValues": {":m": {"S": "mail6950@x.y"}}, "Select": "COUNT", "Limit": 3}');
SELECT count(*) FROM dynamo.query('EngineHash', 'mail = :m AND kind = :k', '{":m": "mail6950@x.y", ":k": "k"}', index_name => 'by_two');

-- all pages of a request, as the order of their items
CREATE FUNCTION paged(page int, index_name text, mail text, backward boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  request jsonb := jsonb_build_object('TableName', 'EngineHash', 'IndexName', index_name, 'Limit', page);
  answer jsonb;
  keys text := '';
BEGIN
  IF mail IS NOT NULL THEN
    request := request || jsonb_build_object('KeyConditionExpression', 'mail = :m', 'ScanIndexForward', NOT backward,
      'ExpressionAttributeValues', jsonb_build_object(':m', jsonb_build_object('S', mail)));
  END IF;
  LOOP
    answer := dynamo.call(CASE WHEN mail IS NULL THEN 'Scan' ELSE 'Query' END, request::json);
    keys := keys || coalesce((SELECT string_agg(' ' || (i #>> '{pk,S}'), '' ORDER BY o) FROM jsonb_array_elements(answer -> 'Items') WITH ORDINALITY e (i, o)), '');
    EXIT WHEN NOT answer ? 'LastEvaluatedKey';
    request := request || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
  END LOOP;
  RETURN keys;
END $$;
SELECT paged(100, 'by_mail', NULL, false) AS mail, paged(100, 'by_mail_alone', NULL, false) AS alone \gset
SELECT :'mail';
SELECT :'alone';
-- pages of every size have that order: of a Scan, where both keys come, and of a Query
CREATE FUNCTION pages() RETURNS TABLE (page int, scan boolean, scan_alone boolean, query boolean, back boolean) LANGUAGE sql AS $$
  SELECT page, paged(page, 'by_mail', NULL, false) = paged(100, 'by_mail', NULL, false),
    paged(page, 'by_mail_alone', NULL, false) = paged(100, 'by_mail_alone', NULL, false),
    paged(page, 'by_mail', 'mail6950@x.y', false) = paged(100, 'by_mail', 'mail6950@x.y', false) AND
    paged(page, 'by_mail_alone', 'mail22891@x.y', false) = paged(100, 'by_mail_alone', 'mail22891@x.y', false),
    paged(page, 'by_mail', 'mail22891@x.y', true) = paged(100, 'by_mail', 'mail22891@x.y', true)
  FROM unnest('{1,2,3,5}'::int[]) page
$$;
SELECT * FROM pages();
-- no segment has one of them twice, or not at all
SELECT count(*), count(DISTINCT item ->> 'pk') FROM generate_series(0, 6) s, dynamo.scan('EngineHash', index_name => 'by_mail', segment => s, total_segments => 7);

-- the same by SQL, where the relation has a trigger
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN new; END$$;
CREATE TRIGGER pass BEFORE UPDATE ON dynamo_data."EngineHash" FOR EACH ROW EXECUTE FUNCTION pass();
SELECT paged(100, 'by_mail', NULL, false) = :'mail', paged(100, 'by_mail_alone', NULL, false) = :'alone';
SELECT * FROM pages();
SELECT count(*) FROM dynamo.query('EngineHash', 'mail = :m', '{":m": "mail6950@x.y"}', index_name => 'by_mail');
SELECT dynamo.drop_table('EngineHash');
DROP FUNCTION paged, pages, pass;

-- Equal index keys lose nobody: a page may end anywhere among them
\t on
\a
SELECT dynamo.create_table('EngineTies', 'pk', 'sk');
SELECT dynamo.create_index('EngineTies', 'gsi', 'g', 'h', sort_key_type => 'N');
-- a, bcdefgh; ab, cdefgh; ...: the service's tie-breaker is the same for all of these
SELECT count(dynamo.put_item('EngineTies', jsonb_build_object('pk', left('abcdefgh', n), 'sk', substr('abcdefgh', n + 1), 'g', 'x', 'h', 1)::dynamo.item))
FROM generate_series(1, 7) n;
-- and these have tie-breakers of their own, some with other sort keys
SELECT count(dynamo.put_item('EngineTies', jsonb_build_object('pk', 'z' || n, 'sk', 'y', 'g', 'x', 'h', n / 4)::dynamo.item))
FROM generate_series(1, 9) n;

-- All items one page after the other, as a checksum of their order
CREATE FUNCTION paged(page int, backward bool, conditions text, low int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  start dynamo.item;
  found dynamo.item;
  keys text := '';
  n int;
BEGIN
  LOOP
    n := 0;
    FOR found IN SELECT item FROM dynamo.query('EngineTies', conditions,
        CASE WHEN low IS NULL THEN '{":g": "x"}' ELSE jsonb_build_object(':g', 'x', ':h', low) END::dynamo.item,
        index_name => 'gsi', scan_index_forward => NOT backward, exclusive_start_key => start) LIMIT page
    LOOP
      n := n + 1;
      keys := keys || ' ' || (found ->> 'pk') || (found ->> 'h');
      start := found;
    END LOOP;
    EXIT WHEN n < page;
  END LOOP;
  RETURN keys;
END $$;
SELECT paged(100, false, 'g = :g', NULL) AS forwards \gset
SELECT :'forwards';
-- the other way round is the same order reversed
SELECT paged(100, true, 'g = :g', NULL) =
  (SELECT string_agg(' ' || k, '' ORDER BY n DESC) FROM unnest(string_to_array(ltrim(:'forwards'), ' ')) WITH ORDINALITY u (k, n));
-- pages of every size give it, too
SELECT page, paged(page, false, 'g = :g', NULL) = :'forwards', paged(page, true, 'g = :g', NULL) = paged(100, true, 'g = :g', NULL)
FROM unnest('{1,2,3,5,16}'::int[]) page;
-- under conditions on the sort key
SELECT page, paged(page, false, 'g = :g AND h = :h', 1) = paged(100, false, 'g = :g AND h = :h', 1),
  paged(page, true, 'g = :g AND h <= :h', 1) = paged(100, true, 'g = :g AND h <= :h', 1)
FROM unnest('{1,2,3}'::int[]) page;
-- a start key need not exist any more
SELECT dynamo.delete_item('EngineTies', '{"pk": "abc", "sk": "defgh"}');
SELECT count(*) FROM dynamo.query('EngineTies', 'g = :g AND h = :h', '{":g": "x", ":h": 1}', index_name => 'gsi',
  exclusive_start_key => '{"pk": "abc", "sk": "defgh", "g": "x", "h": 1}');
SELECT dynamo.put_item('EngineTies', '{"pk": "abc", "sk": "defgh", "g": "x", "h": 1}');

-- the store that goes through SQL has the same order and the same pages
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN new; END$$;
CREATE TRIGGER pass BEFORE UPDATE ON dynamo_data."EngineTies" FOR EACH ROW EXECUTE FUNCTION pass();
SELECT page, paged(page, false, 'g = :g', NULL) = :'forwards', paged(page, true, 'g = :g AND h <= :h', 1) = paged(100, true, 'g = :g AND h <= :h', 1)
FROM unnest('{1,2,100}'::int[]) page;
SELECT dynamo.drop_table('EngineTies');
DROP FUNCTION paged, pass;

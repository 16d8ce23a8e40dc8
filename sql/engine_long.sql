-- Keys and items at their limits, through storage, indexes and paging
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('EngineLong', 'pk', 'sk');
SELECT dynamo.create_index('EngineLong', 'gsi', 'sk', 'pk2');
-- not compressible: hexadecimal digits of hashes
CREATE FUNCTION noise(seed text, n int) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT left(string_agg(md5(seed || i), ''), n) FROM generate_series(0, n / 32) i$$;

-- the longest keys, differing in the last byte only
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', noise('p', 2047) || c, 'sk', noise('s', 1023) || d, 'pk2', noise('x', 1024), 'v', c || d)::dynamo.item)
FROM unnest('{a,b}'::text[]) c, unnest('{1,2,3}'::text[]) d;
SELECT item ->> 'v' FROM dynamo.get_item('EngineLong', jsonb_build_object('pk', noise('p', 2047) || 'a', 'sk', noise('s', 1023) || '2')::dynamo.item);
SELECT string_agg(item ->> 'v', ' ') FROM dynamo.query('EngineLong', 'pk = :p AND sk >= :s',
  jsonb_build_object(':p', noise('p', 2047) || 'b', ':s', noise('s', 1023) || '2')::dynamo.item);
SELECT count(DISTINCT item ->> 'v') FROM dynamo.query('EngineLong', 'sk = :s AND pk2 = :x',
  jsonb_build_object(':s', noise('s', 1023) || '3', ':x', noise('x', 1024))::dynamo.item, index_name => 'gsi');
SELECT dynamo.update_item('EngineLong', jsonb_build_object('pk', noise('p', 2047) || 'a', 'sk', noise('s', 1023) || '2')::dynamo.item,
  'SET v = :v', '{":v": "new"}', return_values => 'UPDATED_NEW');
-- compressible ones
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', repeat('p', 2048), 'sk', repeat('s', 1024) , 'pk2', repeat('x', 1024), 'v', 'flat')::dynamo.item);
SELECT item ->> 'v' FROM dynamo.query('EngineLong', 'sk = :s AND begins_with(pk2, :x)',
  jsonb_build_object(':s', repeat('s', 1024), ':x', repeat('x', 1000))::dynamo.item, index_name => 'gsi');
-- one byte more
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', repeat('p', 2049), 'sk', 's')::dynamo.item);
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', repeat('s', 1025))::dynamo.item);
SELECT * FROM dynamo.get_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', repeat('s', 1025))::dynamo.item);

-- several sort keys of an index have one limit together, or an entry would not fit
SELECT dynamo.create_index('EngineLong', 'several', ARRAY['g1', 'g2'], ARRAY['r1', 'r2'], ARRAY['S', 'S'], ARRAY['S', 'S']);
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', '0', 'g1', noise('1', 2048), 'g2', noise('2', 2048), 'r1', noise('3', 512), 'r2', noise('4', 512))::dynamo.item);
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', '0', 'g1', noise('1', 2048), 'g2', noise('2', 2048), 'r1', noise('3', 512), 'r2', noise('4', 513))::dynamo.item);
SELECT dynamo.update_item('EngineLong', '{"pk": "p", "sk": "0"}', 'SET r1 = :r', jsonb_build_object(':r', noise('5', 513))::dynamo.item);
SELECT item ->> 'sk' FROM dynamo.query('EngineLong', 'g1 = :a AND g2 = :b AND r1 = :c',
  jsonb_build_object(':a', noise('1', 2048), ':b', noise('2', 2048), ':c', noise('3', 512))::dynamo.item, index_name => 'several');

-- the largest item, and what would make it larger
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', '1', 'data', noise('d', 409600 - 10))::dynamo.item);
SELECT dynamo.item_size(item), md5(item ->> 'data') = md5(noise('d', 409600 - 10)) FROM dynamo.get_item('EngineLong', '{"pk": "p", "sk": "1"}');
SELECT dynamo.put_item('EngineLong', jsonb_build_object('pk', 'p', 'sk', '2', 'data', noise('d', 409600 - 9))::dynamo.item);
SELECT dynamo.update_item('EngineLong', '{"pk": "p", "sk": "1"}', 'SET a = :a', '{":a": "b"}');
SELECT dynamo.update_item('EngineLong', '{"pk": "p", "sk": "1"}', 'SET a = :a REMOVE #d', '{":a": "b"}', expression_attribute_names => '{"#d": "data"}', return_values => 'ALL_NEW');
SELECT dynamo.drop_table('EngineLong');
DROP FUNCTION noise;

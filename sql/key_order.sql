--
-- dynamo.partition_key and dynamo.sort_key: hash order, value order, text form
--

-- partition keys come in the order a Scan of the service has
SELECT string_agg(k::text, ' ' ORDER BY k::dynamo.partition_key)
FROM unnest('{0,1,2,3,4,5,6,7,8,9,hello,zapf,aardman,äáöü}'::text[]) k;
SELECT string_agg(n::text, ' ' ORDER BY n::dynamo.partition_key)
FROM unnest('{0,1,2,3,4,5,6,7,8,9,-0.09,999.9,0.012345,-999.9}'::numeric[]) n;

-- the hash is the beginning of an MD5, whatever the length
SELECT bool_and(substr(dynamo_internal.partition_key_send(repeat('k', n)::dynamo.partition_key), 1, 4) = substr(decode(md5('Outliers' || repeat('k', n)), 'hex'), 1, 4)) AS md5
FROM generate_series(1, 200) n;

-- sort keys: numbers by value, strings and binaries by unsigned bytes
SELECT string_agg(n::text, ' ' ORDER BY n::dynamo.sort_key)
FROM unnest('{0,1,10,-1,-1.5,-15,100,99,1e20,1e-20,-1e-20,-1e20,0.5,-0.5,12.5,12.05,-12.5,-12.05}'::numeric[]) n;
SELECT string_agg(k, ' ' ORDER BY k::dynamo.sort_key)
FROM unnest('{a,B,aa,a!,é,z,~,Z,a0}'::text[]) k;
SELECT string_agg(encode(b, 'hex'), ' ' ORDER BY b::dynamo.sort_key)
FROM unnest(ARRAY['\x', '\x00', '\x0000', '\x7f', '\x80', '\xff', '\x01']::bytea[]) b;

-- text form: a string as it is, the rest as typed JSON; what comes out goes in
SELECT k, dynamo_internal.partition_key_in(textout(k::text)) = k AS same FROM unnest(ARRAY[
  'CUSTOMER#1', '{"S":"CUSTOMER#1"}', '', '{"N":"5.0"}', '{"B":"AAE="}', '{"S":"{x"}', '{"S":"a\u0000b"}', ' {x}', '[1]',
  '{"L":[{"S":"a"},{"N":"5"}]}', '{"L":[{"S":"a"},{"S":""},{"S":"bc"}]}']::dynamo.partition_key[]) k;
SELECT k, dynamo_internal.sort_key_in(textout(k::text)) = k AS same FROM unnest(ARRAY[
  'ORDER#1', '{"S":"ORDER#1"}', '{"N":"-5.10"}', '{"B":"AAE="}', '{"S":"{x"}', '{"S":"a\u0000b"}']::dynamo.sort_key[]) k;
-- a cast from text takes the text as it is: pk = some_column means just that
SELECT '{"N":"5"}'::text::dynamo.partition_key, '{"N":"5"}'::text::dynamo.sort_key;

-- one identity: types differ, numbers go by value, no delimiter joins values
SELECT '1'::dynamo.partition_key = 1 AS type, 1.0::dynamo.partition_key = 1::bigint AS number, 'é'::dynamo.partition_key = U&'e\0301' AS bytes,
  '{"L":[{"S":"a"},{"S":"bc"}]}'::dynamo.partition_key = '{"L":[{"S":"ab"},{"S":"c"}]}' AS joined,
  '{"L":[{"S":"1"},{"S":"c"}]}'::dynamo.partition_key = '{"L":[{"N":"1"},{"S":"c"}]}' AS types;

-- what is no key
SELECT '{x'::dynamo.partition_key;
SELECT '{"BOOL":true}'::dynamo.partition_key;
SELECT '{"SS":["a","b"]}'::dynamo.sort_key;
SELECT '{"N":"x"}'::dynamo.sort_key;
SELECT '{"L":[{"S":"a"},{"S":"b"}]}'::dynamo.sort_key;
SELECT '{"L":[{"S":"a"},{"L":[]}]}'::dynamo.partition_key;
SELECT '{"L":[{"S":"a"}]}'::dynamo.partition_key;
SELECT '{"raw":"AAAAAAFB"}'::dynamo.partition_key;	-- hash of another value
SELECT '{"raw":"x"}'::dynamo.sort_key;
SELECT 'NaN'::numeric::dynamo.sort_key;
SELECT 1e126::numeric::dynamo.partition_key;

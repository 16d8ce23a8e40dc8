-- dynamo_internal.expiry(): the seconds that an item's attribute names
\t on
\a
-- spelled in every way; a fraction is cut off downwards, also below zero
SELECT n, dynamo_internal.expiry(json_build_object('ttl', json_build_object('N', n))::text::dynamo.item, 'ttl')
  FROM unnest('{0,1,-1,1710511200,1710511200.0,1710511200.999,1.7105112E9,17105112e2,+17105112005E-1,0001710511200,0.5,-0.5,-1.5,99.99,100,101,1e-130,-1e-130}'::text[]) n;
-- a time in milliseconds is one, far away
SELECT dynamo_internal.expiry('{"ttl": 1710511200000}', 'ttl');
-- what bigint cannot hold is the end of its range, and the border is exact
SELECT n, dynamo_internal.expiry(json_build_object('ttl', json_build_object('N', n))::text::dynamo.item, 'ttl')
  FROM unnest('{9223372036854775806.9,9223372036854775807,9223372036854775807.5,9223372036854775808,9999999999999999999,1e19,12345678901234567890123456789012345678,1e125,
    -9223372036854775807.5,-9223372036854775808,-9223372036854775808.5,-9223372036854775809,-1e19,-9.9999999999999999999999999999999999999e125}'::text[]) n;
-- any whole number comes back as it is
SELECT count(*) FROM generate_series(-50000, 50000, 7) n, LATERAL (SELECT n::bigint * n * n * 9 + n) x (v)
  WHERE dynamo_internal.expiry(jsonb_build_object('ttl', v)::dynamo.item, 'ttl') IS DISTINCT FROM v;
-- and any fraction is what numeric's floor() says
SELECT count(*) FROM generate_series(-5000, 5000) n, LATERAL (SELECT n * 1.7e9 / 4999.3) x (v)
  WHERE dynamo_internal.expiry(jsonb_build_object('ttl', round(v, 5))::dynamo.item, 'ttl') IS DISTINCT FROM floor(round(v, 5));
-- only type N, only at the top
SELECT item, dynamo_internal.expiry(item::dynamo.item, 'ttl') FROM unnest(ARRAY[
  '{"ttl": {"S": "1710511200"}}', '{"ttl": {"B": "AA=="}}', '{"ttl": {"BOOL": true}}', '{"ttl": {"NULL": true}}', '{"ttl": {"NS": ["1710511200"]}}',
  '{"ttl": {"L": [{"N": "1"}]}}', '{"ttl": {"M": {"ttl": {"N": "1"}}}}', '{"Ttl": {"N": "1"}}', '{"m": {"M": {"ttl": {"N": "1"}}}}', '{}']) item;
-- a name is a name: no path, and any length
SELECT dynamo_internal.expiry('{"a": {"M": {"b": {"N": "1"}}}, "a.b": {"N": "2"}, "a[0]": {"N": "3"}}', name) FROM unnest('{a.b,a[0],a,"",b}'::text[]) name;
SELECT dynamo_internal.expiry(NULL, 'ttl'), dynamo_internal.expiry('{"ttl": 1}', NULL);

--
-- Numbers: spelling, range, 38 digits, printing, order
--
CREATE FUNCTION number_io(n text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.to_json(json_build_object('n', json_build_object('N', n))::dynamo.item) #>> '{n,N}';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlerrm;
END $$;

-- spelling is BigDecimal's; printing never has an exponent
SELECT n, number_io(n) FROM unnest(ARRAY['0', '-0', '+0', '000', '0.000', '1', '+1', '-1', '01', '1.', '.5', '-.5', '1.50', '0.050', '100',
  '1.50E2', '1e3', '1E+3', '1000e-3', '-1.5e-3', '123456789.987654321', '99999999999999999999999999999999999999',
  '0.00000000000000000000000000000000000001', '1000000000000000000000000000000000000000000000000']) n;
-- no numbers
SELECT n, number_io(n) FROM unnest(ARRAY['', ' ', ' 1', '1 ', '.', '+', '-', '--1', '1.2.3', '1,5', '0x10', '1_000', 'NaN', 'Infinity', 'e5', '1e', '1e+', '1e1.5', '1e--1',
  '1f', '1e9223372036854775808', '1e-9223372036854775809', 'abc']) n;
-- digits of other scripts, also in an exponent; not those past U+FFFF, signs or separators
\a
SELECT n, number_io(n) FROM unnest(ARRAY['١', '-１２.50', '+०९', '1e١', '٣e-１', '²', '𝟏', '－1', '1٬000', '½', '一', '٩', '٪']) n;
SELECT number_io(repeat('９', 38)) = repeat('9', 38), number_io('٠' || repeat('９', 39)), number_io('１e１２６');
\a
-- the ends of the range, and one step past them
SELECT number_io('1e125') = '1' || repeat('0', 125), number_io('1e-130') = '0.' || repeat('0', 129) || '1',
       number_io('9.9999999999999999999999999999999999999E+125') = repeat('9', 38) || repeat('0', 88),
       number_io('-9.9999999999999999999999999999999999999E+125') = '-' || repeat('9', 38) || repeat('0', 88),
       number_io('-1e-130') = '-0.' || repeat('0', 129) || '1';
SELECT n, number_io(n) FROM unnest(ARRAY['1e126', '-1e126', '10e125', '0.1e126', '1e-131', '-1e-131', '9.9e-131',
  '0e125', '0.0e126', '0e126', '0e-130', '0e-131',
  '1e2147483646', '1e2147483647', '1e2147483648', '1e-2147483648', '1e9223372036854775807', '1e-9223372036854775808', '-0e99999999999']) n;
-- 38 digits; zeros at either end do not count; magnitude is looked at first
SELECT n, number_io(n) FROM unnest(ARRAY['12345678901234567890123456789012345678', '123456789012345678901234567890123456789',
  '1.2345678901234567890123456789012345678', '1.23456789012345678901234567890123456789', '000123456789012345678901234567890123456780000',
  '0.000012345678901234567890123456789012345678', '1234567890123456789012345678901234567890e100']) n;
-- nor do more of them than numeric takes
SELECT number_io(repeat('0', 20000) || '12.5' || repeat('0', 20000));
DROP FUNCTION number_io;

-- every number in range has its own place: sort keys order as numeric does
SELECT count(*), count(DISTINCT k), bool_and(k > before) FROM (
  SELECT k, lag(k) OVER (ORDER BY n) AS before FROM (
    SELECT n, n::dynamo.sort_key AS k FROM (
      SELECT DISTINCT s * m * ('1e' || e)::numeric AS n
      FROM unnest(ARRAY[-1, 1]) s, unnest(ARRAY[0, 1, 1.01, 1.1, 1.11, 1.5, 9, 9.9, 9.99, 9.9999999999999999999999999999999999999, 1.0000000000000000000000000000000000001,
           1.000000000000000000000000000000000001, 1.0000000000000000000000000000000000011]) m,
           unnest(ARRAY[-130, -129, -128, -3, -2, -1, 0, 1, 2, 3, 124, 125]) e) d
    WHERE scale(trim_scale(n)) <= 130) x) y;
-- and come back as they went in
SELECT count(*) FROM generate_series(-2000, 2000) i, unnest(ARRAY[1, 0.01, 1e20, 1e-20]) f
WHERE ((json_build_object('n', i * f)::dynamo.item ->> 'n')::numeric) <> i * f;

-- Sums and differences are exact and as numeric has them, or refused.  b is written both ways around a.
CREATE FUNCTION pg_temp.added(a numeric, sign text, b numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.apply_update(json_build_object('a', a, 'b', b)::dynamo.item, format('SET c = a %s b', sign)) ->> 'c';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE FUNCTION pg_temp.expected(n numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN json_build_object('n', n)::dynamo.item ->> 'n';
EXCEPTION WHEN OTHERS THEN
	RETURN 'Number overflow. Attempting to store a number with magnitude larger than supported range';
END $$;
SELECT count(*) AS sums, count(*) FILTER (WHERE result LIKE 'Number overflow%') AS refused, count(*) FILTER (WHERE result IS DISTINCT FROM expected) AS wrong
FROM (SELECT pg_temp.added(a, sign, b) AS result, pg_temp.expected(CASE sign WHEN '+' THEN a + b ELSE a - b END) AS expected
	FROM (SELECT s * m * ('1e' || e)::numeric AS a FROM unnest(ARRAY[-1, 1]) s,
			unnest(ARRAY[0, 1, 10, 1.1, 9.9, 99, 0.99, 99.99999999999999999999999999999999999, 1.0000000000000000000000000000000000001]) m,
			unnest(ARRAY[-130, -129, -38, -37, -36, -2, -1, 0, 1, 2, 37, 38, 123, 124]) e) x,
		(SELECT s * m * ('1e' || e)::numeric AS b FROM unnest(ARRAY[-1, 1]) s,
			unnest(ARRAY[0, 1, 90.1, 99.99999999999999999999999999999999999, 5.0000000000000000000000000000000000005]) m, unnest(ARRAY[-130, -37, -1, 0, 1, 124]) e) y,
		unnest('{+,-}'::text[]) sign
	WHERE pg_temp.expected(a) NOT LIKE 'Number%' AND pg_temp.expected(b) NOT LIKE 'Number%') s;
\a
SELECT a, sign, b, pg_temp.added(a, sign, b) FROM (VALUES
	(99999999999999999999999999999999999999, '+', 1), (99999999999999999999999999999999999999, '+', 0.1), (-99999999999999999999999999999999999999, '-', 1),
	(1e125, '-', 1), (9e125, '+', 1e125), (9e125, '+', 9e124), (1.1e-130, '-', 1e-130), (1.5e-129, '-', 1e-129), (5, '-', 5.0), (0, '-', 7.50), (-3, '+', 0), (0, '+', 0),
	(100, '-', 0.01), (0.01, '-', 100), (1000000, '-', 1), (99.99, '+', 0.01)) AS v(a, sign, b);
\a

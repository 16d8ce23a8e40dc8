--
-- expressions: limits, each at its edge
--
CREATE FUNCTION pg_temp.try(kind text, expression text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF kind = 'condition' THEN
		PERFORM dynamo.matches('{}', expression);
	ELSIF kind = 'projection' THEN
		PERFORM dynamo.project('{}', expression);
	ELSE
		PERFORM dynamo.apply_update('{"b":1}', expression);
	END IF;
	RETURN 'accepted';
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on

-- 4096 bytes, before anything else is looked at; bytes, not characters
SELECT n, pg_temp.try('condition', 'a = ' || repeat('b', n - 4)), pg_temp.try('projection', repeat('b', n)), pg_temp.try('update', 'SET a = b REMOVE ' || repeat('c', n - 17)) FROM unnest(ARRAY[4096, 4097]) n;
SELECT pg_temp.try('condition', repeat('é', 2049)), pg_temp.try('update', repeat('(', 5000)), pg_temp.try('condition', repeat('(', 10000000));
-- nothing at all
SELECT pg_temp.try('condition', ''), pg_temp.try('projection', ''), pg_temp.try('update', '');
-- 300 operators: comparisons, AND, OR, NOT, BETWEEN, IN, functions, + and -, but not parentheses
SELECT n, pg_temp.try('condition', 'a = b' || repeat(' AND a = b', n)) FROM unnest(ARRAY[149, 150, 250]) n;
SELECT n, pg_temp.try('condition', repeat('NOT ', n) || 'a = b'), pg_temp.try('condition', repeat('NOT ', n) || 'attribute_exists(a)'), pg_temp.try('condition', repeat('NOT ', n) || 'a BETWEEN b AND c'), pg_temp.try('condition', repeat('NOT ', n) || '(a IN (b, c))') FROM unnest(ARRAY[299, 300]) n;
SELECT n, pg_temp.try('condition', repeat('NOT ', n) || 'size(a) = size(b)') FROM unnest(ARRAY[297, 298]) n;
SELECT n, pg_temp.try('update', 'SET ' || string_agg('a' || i || '=b+b', ',')) FROM unnest(ARRAY[300, 301]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
SELECT n, pg_temp.try('update', 'SET a=' || repeat('if_not_exists(a,', n) || 'b' || repeat(')', n)) FROM unnest(ARRAY[230]) n;
-- 100 values in a list
SELECT n, pg_temp.try('condition', 'a IN (' || string_agg('b' || i, ',') || ')') FROM unnest(ARRAY[100, 101]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
-- ... counted after the first operand was looked for among them
SELECT pg_temp.try('condition', 'a IN (' || string_agg('b' || i, ',') || ', a)') FROM generate_series(1, 101) i;
-- 32 elements of a path, positions counted
SELECT n, pg_temp.try('condition', 'a' || repeat('.a', n - 1) || ' = b'), pg_temp.try('condition', 'attribute_exists(a' || repeat('[0]', n - 1) || ')'), pg_temp.try('projection', 'b, a' || repeat('.a', n - 1)), pg_temp.try('update', 'REMOVE a' || repeat('.a', n - 1)), pg_temp.try('update', 'SET c = if_not_exists(a' || repeat('[1]', n - 1) || ', b)') FROM unnest(ARRAY[32, 33]) n;
-- list positions
SELECT n, pg_temp.try('condition', 'attribute_exists(a[' || n || '])'), pg_temp.try('projection', 'a[' || n || ']'), pg_temp.try('update', 'REMOVE b[' || n || ']') FROM unnest(ARRAY['0', '2147483647', '2147483648', '99999999999999', '18446744073709551616']) n;
-- order: parentheses, positions, functions; the number of operators last
SELECT pg_temp.try('condition', 'a[9999999999] = ((f(b)))'), pg_temp.try('condition', 'a[9999999999] = f(b)'), pg_temp.try('condition', repeat('NOT ', 300) || 'a = f(b)'), pg_temp.try('condition', repeat('NOT ', 300) || 'a = :b'), pg_temp.try('condition', repeat('NOT ', 300) || 'a = a');

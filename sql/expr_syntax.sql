--
-- expressions: the grammar, and syntax errors that quote the token and the
-- text from the token before it to the token after
--
CREATE FUNCTION pg_temp.try(condition text, vals dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL, item dynamo.item DEFAULT '{}')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.matches(item, condition, vals, names);
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.try_update(update text, vals dynamo.item DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.apply_update('{"b":1,"c":2,"d":{"c":{"e":3}},"e":4,"l":[]}', update, vals);
	RETURN 'accepted';
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
CREATE FUNCTION pg_temp.try_projection(projection text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.project('{}', projection);
	RETURN 'accepted';
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;

-- known to be no conditions
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['a > 4', 'a in b', 'a in (b,c,)', 'f("x")', 'f(a-b)', 'a..b', 'x[a]', 'b[:a] > a', 'c[4.5]',
  'size(a).b > a', '(size(a)).b > a', 'a > :x.y', 'ü > a', '(a)between(b.(c.d))and(c)']) e;
-- nor these: a bare operand, a condition compared, an operand joined
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['a', '(a)', ':a', 'not a', '(a) and b', '(a = b) = c', 'a = b c', 'a = b and', 'a=b OR OR c=d', '(a = b', 'a = b)', 'f()',
  'a = b.size(c)', 'a between b', 'a in ()', 'a = b + c']) e;
-- no tokens: literals, foreign operators, leading underscore or digit, placeholders without a name or inside brackets
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['a != b', 'a == b', '!!b', 'a = "x"', '$a = b', '_a = b', '1a = b', 'a.# = b', 'a.: = b', '#', 'a[01] = b', 'a[-1] = b',
  'a[#i] = b', 'a = 😀 b', E'a\u00a0= b', 'a = 1.5', 'a; b']) e;
-- at the end the token is <EOF>; blanks count towards the text, an empty text is another error
SELECT replace(e, E'\n', '\n'), replace(pg_temp.try(e), E'\n', '\n') FROM unnest(ARRAY['', ' ', E'\n a ', 'a <> ', 'a = b )  ', '$', E'\n $ a', ' = b']) e;
-- keywords in any case are tokens, wherever they stand
SELECT e, pg_temp.try(e) FROM unnest(ARRAY['a.and = b', 'a = Add', 'set = b', 'Between = b', 'NOT a = b aNd b <> c oR a In (b)']) e;
-- words that begin with a keyword are names
SELECT pg_temp.try('android = order_ and nota = inn', NULL, NULL, '{"android":1,"order_":1,"nota":2,"inn":2}');
-- blanks are space, tab, CR, LF; none is needed around symbols
SELECT pg_temp.try(E'\ta=b\r\nand(b=a)', NULL, NULL, '{"a":1,"b":1}'), pg_temp.try('a=b and a<>c', NULL, NULL, '{"a":1,"b":1}');
-- a placeholder may begin with a digit or "_"
SELECT pg_temp.try('#1 = :_', '{":_":1}', '{"#1":"a"}', '{"a":1}');

-- precedence: comparisons, NOT, AND, OR
SELECT e, pg_temp.try(e, '{":t":true}', NULL, '{"t":true,"f":false}') FROM unnest(ARRAY[
  't = :t OR f = :t AND f = :t', '(t = :t OR f = :t) AND f = :t', 'NOT f = :t AND f = :t', 'NOT (f = :t AND f = :t)', 'NOT NOT t = :t',
  'f = :t AND f = :t OR t = :t', 'NOT f = :t OR f = :t']) e;
SELECT pg_temp.try('a BETWEEN b AND c AND d = e', NULL, NULL, '{"a":2,"b":1,"c":3,"d":4,"e":4}');
-- parentheses around an operand, a call or a condition, but not around a group
SELECT e, pg_temp.try(e, NULL, NULL, '{"a":1,"b":1}') FROM unnest(ARRAY['(a) = (b)', '(a = b)', '(attribute_exists(a))', '((a) = b)', '((a = b) and a = b)', 'a in ((b))',
  '(a)between(b)and(b)', '((a = b))', '((a)) = b', 'a = ((b))', '((attribute_exists(a)))', '((size(a))) = b', '( (a = b) )',
  '((a = b)) a > b']) e;
-- as deep as 4096 bytes can nest, nothing overflows
SELECT pg_temp.try(repeat('(', 2000) || 'a = b' || repeat(')', 2000)), pg_temp.try(repeat('(', 4096)), pg_temp.try(repeat('not ', 1000) || 'a = b'), pg_temp.try('a = ' || repeat('size(', 800) || 'b' || repeat(')', 800));
SELECT pg_temp.try_update('set a = ' || repeat('(', 2000) || 'b' || repeat(')', 2000)), pg_temp.try_update('set a = ' || repeat('if_not_exists(a,', 200) || 'b' || repeat(')', 200)), pg_temp.try_update('set a = ' || repeat('if_not_exists(q,', 200) || 'b' || repeat(')', 200));

-- projections are lists of paths
SELECT e, pg_temp.try_projection(e) FROM unnest(ARRAY['a', 'a.b[0][12].c, d', ':a', 'f(x)', '(a)', '(a,b)', 'a,,b', 'a[b]', 'a-b', 'a,', ',a', 'a b', 'add', '#l[].x', 'a = b']) e;

-- no updates
SELECT e, pg_temp.try_update(e) FROM unnest(ARRAY['whatever', 'INVALID SYNTAX HERE', 'SET _123', 'set a', 'set a b', 'set a = b / c', 'set a = numx * :v', 'set a = b + c + d', 'set (a = b)',
  'set :a = b', 'add a = b', 'add a f(b)', 'add a (:b)', 'ADD numx', 'delete a b', 'remove a b', 'remove :a', 'remove a,', 'set a = (b.c).d + e', 'set f(a) = b', 'SET #l[].x = :v',
  'set a = b set', 'remove a, set b = c', 'set a = b, ', 'set a = list_append(b + c, d)', 'set a = (b + c) + d', 'set a = b = c']) e;
-- accepted: parentheses around a whole value, around its operands; sections in any order and case
SELECT e, pg_temp.try_update(e) FROM unnest(ARRAY['set a = (b + c)', 'set a = ((d.c.e)+(e))', 'set a = (b)', 'sEt a = b - c reMOVE l[1]', 'remove l set a = b', 'set a = ((b))', 'set a = ((b + c))', 'set a = b+(c)']) e;

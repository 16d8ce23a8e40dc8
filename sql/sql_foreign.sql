--
-- A query that has nothing of ours in it means what it means without us: our
-- operators stand in pg_catalog, where each query finds them.
-- All but the last part gives this output without the extension, too.
--
-- 19 splits the hint for an operator that is not there in two.
\set VERBOSITY terse
-- Neither side has a type: jsonb is the one choice, or text.
SELECT '{"a": 1}' ? 'a' AS has, '{"a": 1}' ? 'b' AS has_not;
SELECT 'x' || 'y' AS text, 'b' < 'a' AS text_order, '1.0' = '1' AS text_equal;
SELECT pg_typeof('x' || 'y') AS joined, pg_typeof('{"a": 1}' - 'a'::text) AS less;
SELECT '{"a": 1}' -> 'a';
SELECT '{"a": 1}' ->> 'a';
SELECT '{"a": 1}' #> '{a}';
SELECT '{"a": 1}' #>> '{a}';
SELECT '{"a": 1}' - 'a';
SELECT '{"a": 1}' @> '{}';
SELECT '{"a": 1}' <@ '{}';
SELECT '{"a": {"b": 1}}' #- '{a,b}' AS path, '{"a": 1}' ?& '{a,b}' AS all_of, '{"a": 1}' ?| ARRAY['a'] AS one_of;

-- One side has: text of any kind, arrays, jsonb.
SELECT '{"a": 1}' ? 'a'::text AS text, '{"a": 1}' ? 'a'::varchar AS varchar,
	'{"a": 1}' ? 'a'::char(1) AS char, '{"a": 1}' ? 'a'::name AS name;
SELECT '{"a": 1}' - 'a'::varchar AS varchar, '{"a": 1}' - 'a'::name AS name, '{"a": 1, "b": 2}' - ARRAY['a', 'c'] AS texts;
SELECT '{"a": 1}'::jsonb - 'a' AS less, '{"a": 1}'::jsonb || '{"b": 2}' AS more, '{"a": 1}'::jsonb ? 'a' AS has,
	'{"a": 1}' @> '{"a": 1}'::jsonb AS contains, '{"a": 1}'::jsonb = '{"a": 1.0}' AS equal, '{"a": 1}'::jsonb #>> '{a}' AS path;
SELECT '{"a": 1}'::jsonb || 'x'::text AS text, 'x'::text || '{"a": 1}'::jsonb AS text, '{"a": 1}'::json ->> 'a' AS json;
SELECT ARRAY['a'] || 'b'::text AS element, ARRAY['a'] @> ARRAY['a'] AS contains, 5 || 'x' AS number;
CREATE DOMAIN foreign_jsonb AS jsonb;
CREATE DOMAIN foreign_text AS varchar(10);
SELECT '{"a": 1}'::foreign_jsonb ? 'a' AS has, '{"a": 1}'::foreign_jsonb - 'a'::foreign_text AS less, 'a'::foreign_text = 'a' AS equal;
DROP DOMAIN foreign_jsonb, foreign_text;

-- Comparisons: what has no operator in core gets none by casts to our keys.
SELECT 'a'::text = 1;
SELECT 1 < 'a'::text;
SELECT 'a'::varchar = 1::bigint;
SELECT 'a'::text = 'a'::bytea;
SELECT 1.5 > '\x00'::bytea;
SELECT '{"a": 1}'::jsonb = 'x'::text;
SELECT '{"a": 1}'::json = '{"a": 1}'::json;
SELECT '{"a": 1}'::jsonb || '{"a": 1}'::json;
SELECT 'a'::varchar = 'a' AS varchar, 'b'::varchar > 'a'::text AS texts, 1 = 1.0 AS numbers, '1' = 1 AS number,
	'\x00' = '\x00'::bytea AS bytea, 'a'::name < 'b' AS name, 2::bigint >= '1' AS bigint;
SELECT 'a' IN ('a', 'b') AS texts, 1 IN ('1', '2') AS numbers, 'a'::varchar = ANY ('{a,b}') AS element;
PREPARE foreign_text AS SELECT $1 = $2, $1 || 'x';
EXECUTE foreign_text('a', 'a');
DEALLOCATE foreign_text;

-- Types of a UNION, a CASE and an array.
SELECT pg_typeof(x) FROM (SELECT 'a' AS x UNION ALL SELECT '{}'::jsonb::text) AS u LIMIT 1;
SELECT pg_typeof(COALESCE(NULL, 'a', 'b'::varchar)) AS coalesced, pg_typeof(ARRAY['a', NULL]) AS elements;

-- No cast into or between types of core is ours, and no function in pg_catalog.
SELECT castsource::regtype, casttarget::regtype FROM pg_cast
WHERE oid >= 16384 AND castsource < 16384 AND casttarget < 16384;
SELECT oid::regprocedure FROM pg_proc WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace;

-- Ours: every operator in pg_catalog has an operand that nothing of core
-- becomes by itself.  (jsonb becomes an item: where both sides could be items,
-- core has the operator for jsonb.)
SELECT o.oid::regoperator
FROM pg_operator AS o
WHERE o.oid >= 16384 AND o.oprnamespace = 'pg_catalog'::regnamespace
	AND NOT EXISTS (
		SELECT FROM unnest(ARRAY[o.oprleft, o.oprright]) AS operand
		WHERE operand >= 16384 AND NOT EXISTS (
			SELECT FROM pg_cast WHERE casttarget = operand AND castcontext = 'i' AND castsource < 16384)
		AND NOT EXISTS (SELECT FROM pg_type WHERE oid = operand AND typtype = 'd'))
ORDER BY 1::text COLLATE "C";

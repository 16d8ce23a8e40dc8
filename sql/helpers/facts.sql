\set ECHO none
-- Facts as tables.  A row is a request, in the order in which they are made, and what
-- the service answers to it: "ErrorName: message", or members that the answer has.
-- null is a member that it has not; a list has these elements and no others.
--
--     SELECT :facts FROM (VALUES
--     ('what it is about', 'Operation', '{request}', 'answer'), ...
--     ) AS fact (about, operation, request, answer), :told;
--
-- tells how many facts there are, and what is answered where one is not met.  Requests are
-- made of the members in :base and their own, of which null takes one away.  What differs
-- each time is shown by a word: ID of a job or backup, UUID, TIME, LABEL of a stream,
-- REQUEST.
CREATE FUNCTION pg_temp.told(operation text, base text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN answer ->> '__type' IS NULL THEN shown ELSE
		concat(split_part(answer ->> '__type', '#', 2), ': ', coalesce(shown::json ->> 'message', shown::json ->> 'Message')) END
	FROM dynamo.try_call(operation, jsonb_strip_nulls(base::jsonb || request::jsonb)::json) answer, LATERAL (
		SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(answer::text,
			'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?!Z)', 'LABEL', 'g'),
			'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z', 'TIME', 'g'),
			'\d{14}-[0-9a-f]{8}', 'ID', 'g'),
			'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'UUID', 'g'),
			'Request ID: [0-9A-F]+', 'Request ID: REQUEST', 'g'),
			'\w+, \w+ \d+, \d{4} at \d+:\d\d:\d\d [AP]M', 'TIME', 'g'),
			'(Time":) ?[0-9.]+(?=[,}])', '\1"TIME"', 'g') AS shown) s $$;
CREATE FUNCTION pg_temp.has(answer jsonb, members jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE jsonb_typeof(members)
		WHEN 'null' THEN answer IS NULL
		WHEN 'object' THEN jsonb_typeof(answer) IS NOT DISTINCT FROM 'object' AND
			(SELECT coalesce(bool_and(pg_temp.has(answer -> key, value)), true) FROM jsonb_each(members))
		WHEN 'array' THEN jsonb_typeof(answer) IS NOT DISTINCT FROM 'array' AND jsonb_array_length(answer) = jsonb_array_length(members) AND
			(SELECT coalesce(bool_and(pg_temp.has(answer -> (n::int - 1), value)), true) FROM jsonb_array_elements(members) WITH ORDINALITY e(value, n))
		ELSE answer IS NOT DISTINCT FROM members END;
END $$;
CREATE FUNCTION pg_temp.met(told text, answer text) RETURNS boolean LANGUAGE sql AS $$
	SELECT CASE WHEN told LIKE '{%' AND answer LIKE '{%' THEN pg_temp.has(told::jsonb, answer::jsonb) ELSE told = answer END $$;
\t on
\pset format unaligned
\set base '{}'
\set told 'LATERAL (SELECT pg_temp.told(operation, :\'base\', request)) AS made (told)'
\set facts 'count(*) AS facts, string_agg(concat(about, E\'\\n  \', told), E\'\\n\') FILTER (WHERE pg_temp.met(told, answer) IS NOT TRUE) AS otherwise'

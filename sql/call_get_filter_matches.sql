-- GetFilterMatches, an operation of ours: which records a filter of an event source
-- mapping would let through. The rules are in handler_filter.sql.
\t on
\a
SET client_min_messages = warning;
CREATE FUNCTION matches(criteria text, records text DEFAULT '[{"eventName": "INSERT", "dynamodb": {"NewImage": {"total": {"N": "5"}}}},
	{"eventName": "REMOVE", "dynamodb": {"OldImage": {"total": {"N": "50"}}}}, {}]')
RETURNS text LANGUAGE sql AS $$
	SELECT dynamo.try_call('GetFilterMatches', json_build_object('FilterCriteria', criteria, 'Records', records))::text $$;
SELECT matches('{"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}]}');
SELECT matches('{"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}, {"Pattern": "{\"dynamodb\": {\"OldImage\": {\"total\": {\"N\": [{\"numeric\": [\">\", 10]}]}}}}"}]}');
-- no filter lets all through
SELECT matches('{"Filters": []}');
SELECT matches('{}', '[]');
-- records that are none
SELECT matches('{"Filters": [{"Pattern": "{\"eventName\": [{\"exists\": false}]}"}]}', '[1, null, "x", []]');
-- what is no filter, and what are no records
SELECT matches('{"Filters": [{"Pattern": "{\"eventName\": []}"}]}');
SELECT matches('{"Filters": [{"Pattern": "{\"eventName\": \"INSERT\"}"}]}');
SELECT matches('[]');
SELECT matches('no JSON');
SELECT matches('{}', '{}');
SELECT matches('{}', 'no JSON');
SELECT matches('', '');
SELECT dynamo.try_call('GetFilterMatches', '{}');
SELECT matches(repeat('x', 100000)) ~ 'ValidationException';
SELECT matches('{}', repeat('[', 100000)) ~ 'ValidationException';
-- policies that do not name it do not allow it
CREATE ROLE filter_few;
SELECT dynamo.put_role_policy('filter_few', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}]}');
SET ROLE filter_few;
SELECT matches('{}', '[]');
RESET ROLE;
-- Clean up
SELECT dynamo.delete_role_policy('filter_few', 'few');
DROP FUNCTION matches(text, text);
DROP ROLE filter_few;

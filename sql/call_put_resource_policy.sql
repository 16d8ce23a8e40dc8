-- PutResourcePolicy, and what GetResourcePolicy and DeleteResourcePolicy tell of what was put: as measured on the service in October 2026
\t on
\a
CREATE ROLE regress_policy_user;
SELECT dynamo.create_table('PolicyText', 'pk');
\set arn '\'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyText\''
CREATE FUNCTION pg_temp.answer(operation text, request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(a ->> '__type', '') || regexp_replace(coalesce(' ' || (a ->> 'message'), a::text), '\d{13}', '...', 'g') FROM dynamo.try_call(operation, (jsonb_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyText') || request)::json) a $$;
CREATE FUNCTION pg_temp.put(policy text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT replace(replace(pg_temp.answer('PutResourcePolicy', jsonb_build_object('Policy', replace(policy, 'USER', 'arn:aws:iam::000000000000:user/regress_policy_user')) || more),
		'com.amazon.coral.validate#ValidationException ', ''), 'com.amazonaws.dynamodb.v20120810#', '') $$;
CREATE FUNCTION pg_temp.got() RETURNS text LANGUAGE sql AS $$ SELECT dynamo.call('GetResourcePolicy', json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyText')) ->> 'Policy' $$;
CREATE FUNCTION pg_temp.revision() RETURNS text LANGUAGE sql AS $$ SELECT dynamo.call('GetResourcePolicy', json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyText')) ->> 'RevisionId' $$;

-- the canonical document: no white space, members in order, a list of one is that one, escapes decoded
SELECT put, pg_temp.got() FROM pg_temp.put('{ "Statement": [ { "Resource": [ "*" ], "Action": ["dynamodb:GetItem"], "Principal": {"AWS": ["USER"]},
	"Effect": "\u0041llow", "Condition": {"StringEquals": {"aws:username": ["a b"]}}, "Sid": "One\u002f\u00e9\"" } ], "Id": "x", "Version": "2012-10-17" }') put;
SELECT pg_temp.put('{"Version": "2012-10-17", "Statement": {"NotResource": ["a:*", "arn:b"], "NotAction": ["dynamodb:GetItem", "dynamodb:Query"], "NotPrincipal": {"AWS": ["USER", "USER"]}, "Effect": "deny"}}');
SELECT pg_temp.put('{"Version": "2012-10-17", "Statement": {"Resource": ["arn:a:*", "arn:b"], "NotAction": ["dynamodb:GetItem", "dynamodb:Query"], "NotPrincipal": {"AWS": ["USER", "000000000000"]}, "Effect": "deny"}}');
SELECT pg_temp.got();
-- the account: by its id or its root's ARN, in an Allow, too; only "*" is everybody
SELECT put, pg_temp.got() FROM pg_temp.put('{"Version": "2012-10-17", "Statement": [{"Effect": "allow", "Principal": {"AWS": "000000000000"}, "Action": "dynamodb:GetItem", "Resource": "*"}]}') put;
SELECT pg_temp.put(format('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": %s, "Action": "dynamodb:GetItem", "Resource": "*"}]}', principal))
FROM unnest(ARRAY['{"AWS": "arn:aws:iam::000000000000:root"}', '"*"', '{"AWS": "*"}', '{"AWS": ["USER", "*"]}']) principal;

-- revisions: another text of the same document changes nothing
SELECT pg_temp.revision() AS first \gset
SELECT pg_temp.revision() ~ '^\d{13}$' AS milliseconds;
SELECT pg_temp.put('{"Statement": {"Resource": ["*"], "Principal": {"AWS": ["000000000000"]}, "Effect": "ALLOW", "Action": ["dynamodb:GetItem"]}, "Version": "2012-10-17"}');
SELECT pg_temp.revision() = :'first' AS same;
-- without a Version it is shown with the first there was, and is another one
SELECT put, pg_temp.got() FROM pg_temp.put('{"Statement": [{"Effect": "Allow", "Principal": {"AWS": "USER"}, "Action": "dynamodb:GetItem", "Resource": "*"}]}') put;
SELECT pg_temp.revision() AS bare \gset
SELECT pg_temp.put(pg_temp.got());
SELECT pg_temp.revision() = :'bare' AS same;
-- nor is the same text the same policy where its role has been made anew
DROP ROLE regress_policy_user;
CREATE ROLE regress_policy_user;
SELECT pg_temp.revision() AS anew \gset
SELECT pg_temp.put(pg_temp.got());
SELECT pg_temp.revision() = :'anew' AS same, principals FROM dynamo.resource_policies WHERE table_name = 'PolicyText';
SELECT pg_temp.revision() AS anew \gset
SELECT pg_temp.put(pg_temp.got());
SELECT pg_temp.revision() = :'anew' AS same;

-- revisions that are expected
SELECT pg_temp.put(pg_temp.got(), '{"ExpectedRevisionId": "1"}'), pg_temp.put(pg_temp.got(), '{"ExpectedRevisionId": "NO_POLICY"}');
SELECT pg_temp.answer('DeleteResourcePolicy', '{"ExpectedRevisionId": "1"}'), pg_temp.answer('DeleteResourcePolicy', '{"ExpectedRevisionId": ""}');
SELECT pg_temp.revision() AS last \gset
SELECT dynamo.call('DeleteResourcePolicy', json_build_object('ResourceArn', :arn)) ->> 'RevisionId' = :'last' AS "that of the removed one";
SELECT pg_temp.answer('DeleteResourcePolicy', '{}'), pg_temp.answer('DeleteResourcePolicy', '{"ExpectedRevisionId": "1"}'), pg_temp.answer('GetResourcePolicy', '{}');
SELECT pg_temp.put('{"Statement": [{"Effect": "Allow", "Principal": {"AWS": "USER"}, "Action": "dynamodb:GetItem", "Resource": "*"}]}', '{"ExpectedRevisionId": "1"}');

-- what is no policy, and where; the service counts lines and columns
SELECT document, pg_temp.put(document) FROM unnest(ARRAY['{}', E'{\n}', 'null', '[]', '"x"', '{', '', '{"Statement": []}', '{"Statement": 1}', E'{"Statement": [\n {"Effect": "Deny", "Principal": "000000000000", "Action": "*", "Resource": "*"}]}',
	'{"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}, {"Effect": "Deny", "Principal": "000000000000"}]}',
	'{"Statement": [{"Effect": "Maybe"}]}', '{"Statement": [{"Effect": "Deny", "é": [{"}": "\"]"}, 1 ], "Action": "*"}]}', '{"Statement": [1]}', '{"Version": "2013-10-17", "Statement": []}',
	'{"Statement": {"Principal": "*", "Action": "*", "Resource": "*"}}', '{"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*"}}']) document;
SELECT pg_temp.put(format('{"Statement": {"Effect": "Deny", "Principal": {"AWS": "%s"}, "Action": "*", "Resource": "*"}}', principal))
FROM unnest('{arn:aws:iam::nothing,00000000000,arn:aws:iam::000000000000:thing/x,regress_policy_user}'::text[]) principal;
-- each statement's name once
SELECT pg_temp.put('{"Statement": [{"Sid": "a", "Effect": "Deny", "Principal": {"AWS": "USER"}, "Action": "*", "Resource": "*"}, {"Sid": "a", "Effect": "Deny", "Principal": {"AWS": "USER"}, "Action": "*", "Resource": "*"}]}');
-- 20,480 bytes, white space included; ids of accounts may become longer afterwards
SELECT pg_temp.put(rpad('{"Statement": {"Effect": "Deny", "Principal": {"AWS": "USER"}, "Action": "dynamodb:*", "Resource": "*"}}', 20481));
SELECT pg_temp.put(replace(format('{"Statement": {"Effect": "Deny", "Principal": {"AWS": ["111111111111"%s]}, "Action": "dynamodb:GetItem", "Resource": "*"}}', repeat(',"111111111111"', 1300)), ' ', ''));
SELECT length(pg_temp.got()) > 20480;
SELECT dynamo.try_call('GetItem', '{"TableName": "PolicyText", "Key": {"pk": {"S": "1"}}}');

-- ARNs
SELECT pg_temp.answer('PutResourcePolicy', jsonb_build_object('ResourceArn', arn, 'Policy', '{}')) FROM unnest('{arn:aws:dynamodb:us-east-1:111111111111:table/PolicyText,arn:aws:dynamodb:eu-west-1:000000000000:table/PolicyText,arn:aws:dynamodb:eu-west-1:000000000000:table/PolicyText/stream/2020-01-01T00:00:00.000,x}'::text[]) arn;

-- an Allow for the account gives a role nothing that its own policies do not; a Deny takes it from all
GRANT SELECT ON dynamo_data."PolicyText" TO regress_policy_user;
SELECT dynamo.put_role_policy('regress_policy_user', 'p', '{"Statement": {"Effect": "Allow", "Action": "dynamodb:DescribeTable", "Resource": "*"}}');
SELECT pg_temp.put('{"Statement": [{"Effect": "Allow", "Principal": {"AWS": "000000000000"}, "Action": "dynamodb:GetItem", "Resource": "*"}]}');
CREATE FUNCTION pg_temp.reads() RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(coalesce(a ->> 'Message', a::text), '.* because', 'because') FROM dynamo.try_call('GetItem', '{"TableName": "PolicyText", "Key": {"pk": {"S": "1"}}}') a $$;
SET ROLE regress_policy_user;
SELECT pg_temp.reads();
RESET ROLE;
SELECT dynamo.put_role_policy('regress_policy_user', 'p', '{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}');
SET ROLE regress_policy_user;
SELECT pg_temp.reads();
RESET ROLE;
SELECT pg_temp.put('{"Statement": [{"Effect": "Deny", "Principal": {"AWS": "000000000000"}, "Action": "dynamodb:GetItem", "Resource": "*"}]}');
SET ROLE regress_policy_user;
SELECT pg_temp.reads();
RESET ROLE;
SELECT dynamo.drop_table('PolicyText');
SELECT dynamo.delete_role_policy('regress_policy_user', 'p');
DROP ROLE regress_policy_user;

-- ListTables: what the service answers; its pages are in table_list
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none asked for', 'ListTables', '{"Limit": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''limit'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListTables', '{"Limit": 101}',
	'ValidationException: 1 validation error detected: Value ''101'' at ''limit'' failed to satisfy constraint: Member must have value less than or equal to 100'),
('a start that is no name', 'ListTables', '{"ExclusiveStartTableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''exclusiveStartTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value ''!'' at ''exclusiveStartTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a short one', 'ListTables', '{"ExclusiveStartTableName": "a"}',
	'ValidationException: 1 validation error detected: Value ''a'' at ''exclusiveStartTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('an ARN is none', 'ListTables', '{"ExclusiveStartTableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Value ''arn:aws:dynamodb:us-east-1:000000000000:table/FactTable'' at ''exclusiveStartTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table(name, 'pk') FROM unnest('{FactB,Facta,FactA}'::text[]) name;
SELECT :facts FROM (VALUES
('by bytes, and the start need not be there', 'ListTables', '{"ExclusiveStartTableName": "Fact", "Limit": 3}',
	'{"TableNames": ["FactA", "FactB", "Facta"]}'),
('more are left', 'ListTables', '{"ExclusiveStartTableName": "Fact", "Limit": 2}',
	'{"TableNames": ["FactA", "FactB"], "LastEvaluatedTableName": "FactB"}'),
('behind the last', 'ListTables', '{"ExclusiveStartTableName": "zzzz"}',
	'{"TableNames": [], "LastEvaluatedTableName": null}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table(name) FROM unnest('{FactB,Facta,FactA}'::text[]) name;

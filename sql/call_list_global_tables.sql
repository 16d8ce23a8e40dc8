-- ListGlobalTables: there are no tables in several regions
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none', 'ListGlobalTables', '{}',
	'{"GlobalTables":[]}'),
('a limit', 'ListGlobalTables', '{"Limit": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''limit'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('a start', 'ListGlobalTables', '{"ExclusiveStartGlobalTableName": "!"}',
	'{"GlobalTables":[]}')
) AS fact (about, operation, request, answer), :told;

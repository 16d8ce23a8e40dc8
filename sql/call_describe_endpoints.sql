-- DescribeEndpoints: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('one of the region', 'DescribeEndpoints', '{}',
	'{"Endpoints":[{"Address":"dynamodb.us-east-1.amazonaws.com","CachePeriodInMinutes":1440}]}')
) AS fact (about, operation, request, answer), :told;

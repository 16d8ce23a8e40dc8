-- ListBulkOperations: what is refused; what is listed is in call_start_bulk_put_items
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none asked for', 'ListBulkOperations', '{"MaxResults": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''maxResults'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListBulkOperations', '{"MaxResults": 26}',
	'ValidationException: 1 validation error detected: Value ''26'' at ''maxResults'' failed to satisfy constraint: Member must have value less than or equal to 25'),
('a token of nothing', 'ListBulkOperations', '{"NextToken": "x"}',
	'ValidationException: Invalid Request: Provided nextToken is invalid: x')
) AS fact (about, operation, request, answer), :told;

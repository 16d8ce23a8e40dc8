-- SearchVectors: the request; what is found is in vector_search
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'SearchVectors', '{}',
	'ValidationException: 4 validation errors detected: Value null at ''tableName'' failed to satisfy constraint: Member must not be null; Value null at ''indexName'' failed to satisfy constraint: Member must not be null; Value null at ''searchVector'' failed to satisfy constraint: Member must not be null; Value null at ''topK'' failed to satisfy constraint: Member must not be null'),
('no index', 'SearchVectors', '{"TableName": "FactNone", "SearchVector": [{"N": "1"}], "TopK": 1}',
	'ValidationException: 1 validation error detected: Value null at ''indexName'' failed to satisfy constraint: Member must not be null'),
('a short and wrong name', 'SearchVectors', '{"TableName": "!", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 1}',
	'ValidationException: 1 validation error detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no vector', 'SearchVectors', '{"TableName": "FactNone", "IndexName": "near", "TopK": 1}',
	'ValidationException: 1 validation error detected: Value null at ''searchVector'' failed to satisfy constraint: Member must not be null'),
('nothing asked for', 'SearchVectors', '{"TableName": "FactNone", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''topK'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('no table', 'SearchVectors', '{"TableName": "FactNone", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 1}',
	'ResourceNotFoundException: Requested resource not found'),
('another region''s', 'SearchVectors', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 1}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone''')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('Facts', 'pk');
SELECT :facts FROM (VALUES
('no such index', 'SearchVectors', '{"TableName": "Facts", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 1}',
	'ValidationException: The table does not have the specified index: near')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('Facts');

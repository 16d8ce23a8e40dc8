-- What must be the same before and after, at a standby, too.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT 'tables', table_name, relation, partition_key, sort_key FROM dynamo.tables ORDER BY 2;
SELECT 'index', table_name, index_name, partition_key, sort_key FROM dynamo.indexes ORDER BY 2, 3;
SELECT 'items', table_name, count(*), md5(string_agg(item::text, ',' ORDER BY item::text))
FROM dynamo.tables, dynamo.scan(table_name) AS i WHERE table_name NOT IN ('Imported', 'Half') GROUP BY 2 ORDER BY 2;
SELECT 'query', count(*), sum((item ->> 'SK')::int) FROM dynamo.query('Shop', 'PK = :p', '{":p": "p7"}');
SELECT 'by day', count(*), sum((item ->> 'SK')::int) FROM dynamo.query('Shop', '#d = :d', '{":d": "d1"}', index_name => 'ByDay',
	expression_attribute_names => '{"#d": "day"}');
SELECT 'by two', count(*), sum((item ->> 'SK')::int) FROM dynamo.query('Shop', '#d = :d AND kind = :k AND #t > :t',
	'{":d": "d2", ":k": "k", ":t": 1000}', index_name => 'Many', expression_attribute_names => '{"#t": "time", "#d": "day"}');
SELECT 'described', dynamo.call('DescribeTable', json_build_object('TableName', table_name))::jsonb
	#- '{Table,ItemCount}' #- '{Table,TableSizeBytes}' #- '{Table,TableStatus}'
	#- '{Table,GlobalSecondaryIndexes,0,ItemCount}' #- '{Table,GlobalSecondaryIndexes,0,IndexSizeBytes}'
	#- '{Table,GlobalSecondaryIndexes,1,ItemCount}' #- '{Table,GlobalSecondaryIndexes,1,IndexSizeBytes}'
	#- '{Table,LocalSecondaryIndexes,0,ItemCount}' #- '{Table,LocalSecondaryIndexes,0,IndexSizeBytes}'
FROM dynamo.tables WHERE table_name NOT IN ('Imported', 'Half') ORDER BY table_name;
SELECT 'streams', count(*) FROM dynamo.streams;
SELECT 'mapping', to_jsonb(m) ->> 'table_name', to_jsonb(m) ->> 'enabled' FROM dynamo.event_source_mappings AS m;
SELECT 'handled', id, name FROM public.handled ORDER BY 2, 3;
SELECT 'backup', backup_name, table_name, item_count FROM dynamo.backups ORDER BY 2;
SELECT 'policy', role::regrole, policy_name FROM dynamo.role_policies ORDER BY 2, 3;
SELECT 'policy', dynamo.call('GetResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Past"}')::jsonb -> 'Policy';
SELECT 'scaling', dynamo.call('DescribeTable', '{"TableName": "Local"}')::jsonb #> '{Table,ProvisionedThroughput,ReadCapacityUnits}';
SELECT 'grant', * FROM dynamo.bucket_grants ORDER BY 2, 3;
SELECT 'publication', pubname FROM pg_publication ORDER BY 2;
SELECT 'sound', t.table_name, c.* FROM dynamo.tables AS t, dynamo.check_table(t.table_name) AS c WHERE t.table_name NOT IN ('Imported', 'Half');

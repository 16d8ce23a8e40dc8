-- Relations in one table, as scenario E has them: one to one, many to many with an
-- inverted index, a hierarchy, versions, and tenants of which a role sees its own.
SET client_min_messages = warning;
SET ROLE clerk;
SELECT dynamo.create_table('ConsoleGraph', 'PK', 'SK');
SELECT dynamo.create_index('ConsoleGraph', 'Inverted', 'SK', 'PK');
SELECT dynamo.enable_stream('ConsoleGraph');
SELECT dynamo.put_item('ConsoleGraph', '{"PK": "USER#1", "SK": "METADATA", "name": "Ann"}'),
	dynamo.put_item('ConsoleGraph', '{"PK": "USER#1", "SK": "PREFERENCES", "theme": "dark"}');
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', kind || '#' || n, 'SK', kind || '#' || n, 'name', initcap(kind) || ' ' || n)::dynamo.item)
FROM unnest('{STUDENT,COURSE}'::text[]) kind, generate_series(1, 4) n;
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', 'STUDENT#' || s, 'SK', 'COURSE#' || c, 'grade', 1 + (s + c) % 5)::dynamo.item)
FROM generate_series(1, 4) s, generate_series(1, 4) c WHERE s <> c;
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', 'STORES', 'SK', place)::dynamo.item)
FROM unnest('{US#CA#SanFrancisco#94102,US#CA#SanFrancisco#94103,US#CA#SanJose#95101,US#NY#NewYork#10001}'::text[]) place;
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', 'SALES', 'SK', format('US#%s#2026', state), 'sum', 7)::dynamo.item)
FROM unnest('{AL,AK,AZ,AR,CO,CT,DE,FL,GA,HI,ID,IL,IN,IA}'::text[]) state;
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', 'DOC#' || d, 'SK', format('v%s_body', v), 'text', format('%s as of version %s', d, v))::dynamo.item)
FROM generate_series(1, 2) d, generate_series(0, 3) v;
SELECT dynamo.put_item('ConsoleGraph', jsonb_build_object('PK', format('TENANT#%s#USER#%s', tenant, n), 'SK', 'PROFILE', 'mail', format('%s@%s.example', n, tenant))::dynamo.item)
FROM unnest('{acme,beta,gamma}'::text[]) tenant, generate_series(1, 3) n;
RESET ROLE;
GRANT SELECT ON dynamo_data."ConsoleGraph" TO acme;
ALTER TABLE dynamo_data."ConsoleGraph" ENABLE ROW LEVEL SECURITY;
CREATE POLICY acme ON dynamo_data."ConsoleGraph" TO acme USING (starts_with(item ->> 'PK', 'TENANT#acme#'));
ANALYZE dynamo_data."ConsoleGraph";

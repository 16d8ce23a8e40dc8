-- Settings of the HTTP server: who may set them, and which lists of databases they take
\t on
\a
LOAD 'dynamo';
-- what else than an administrator's settings there is: nothing that says who is served
SELECT name, context FROM pg_settings WHERE name LIKE 'dynamo.%' AND context NOT IN ('internal', 'postmaster', 'sighup') ORDER BY name;
-- where the private key lies is not told to everybody
SET ROLE pg_read_server_files;
SELECT name FROM pg_settings WHERE name LIKE 'dynamo.http\_tls%';
RESET ROLE;
SELECT name FROM pg_settings WHERE name LIKE 'dynamo.http\_tls%' ORDER BY name;
-- databases with their ports: a name may have a colon, of which the last one counts
\set further 'ALTER SYSTEM SET dynamo.http_further_databases = %L'
SELECT format(:'further', list) FROM (VALUES
	(''), ('shop:1'), ('shop:8001, billing:65535'), ('shop:test:8001'), ('"a, b:8001"'),
	(repeat('x', 63) || ':8001'),
	(repeat('a:1,', 63) || 'a:1')
) AS good (list) \gexec
-- what is none is refused, whatever it is that is wrong
\set VERBOSITY terse
SELECT format(:'further', list) FROM (VALUES
	('shop'), ('shop:'), (':8001'), ('shop:0'), ('shop:-1'), ('shop:+1'), ('shop:65536'), ('shop:4294967297'), ('shop:99999999999999999999'),
	('shop:8001x'), ('shop:8001:'), ('shop: 8001'), ('shop:8001,'), ('shop:8001,,billing:8002'), ('"shop:8001'),
	(repeat('x', 64) || ':8001'),
	(repeat('a:1,', 64) || 'a:1')
) AS bad (list) \gexec
\set VERBOSITY default
SELECT format(:'further', 'shop') \gexec
ALTER SYSTEM RESET dynamo.http_further_databases;

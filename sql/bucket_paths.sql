-- What leads out of a bucket, or is no file, is refused; and who may use which.
\set VERBOSITY terse
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/regress-paths/folder $d/regress-other $d/regress-paths/fifo $d/regress-paths/odd $d/regress-paths/up && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';

-- The setting: an absolute path that is not in the data directory
ALTER SYSTEM SET dynamo.bucket_directory = 'buckets';
\set VERBOSITY sqlstate
SELECT current_setting('data_directory') || '/base' AS inside \gset
ALTER SYSTEM SET dynamo.bucket_directory = :'inside';
\set VERBOSITY terse
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
-- nor is the data directory a bucket of the one that it is in
SELECT regexp_replace(current_setting('data_directory'), '/[^/]*$', '') AS above, regexp_replace(current_setting('data_directory'), '.*/', '') AS data \gset
ALTER SYSTEM SET dynamo.bucket_directory = :'above';
SELECT pg_reload_conf();
\c -
\set VERBOSITY sqlstate
SELECT dynamo.bucket_items(:'data', 'PG_VERSION');
\set VERBOSITY terse
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SELECT dynamo.bucket_items('none');
SELECT dynamo.bucket_items('..');
SELECT dynamo.bucket_items('regress-paths/folder');
SELECT dynamo.bucket_items('');

-- A file inside, and one in another bucket that all of this wants to read
\set inside 'cat > ' :buckets '/regress-paths/folder/in.json'
COPY (SELECT '{"Item":{"a":{"S":"inside"}}}') TO PROGRAM :'inside';
\set outside 'cat > ' :buckets '/regress-other/out.json'
COPY (SELECT '{"Item":{"a":{"S":"outside"}}}') TO PROGRAM :'outside';
SELECT key, item->>'a' AS a FROM dynamo.bucket_items('regress-paths', 'folder/');
-- As in S3, a prefix may end anywhere
SELECT key FROM dynamo.bucket_items('regress-paths', 'fold');
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/i');
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/x');
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/in.json/');

-- Names
SELECT dynamo.bucket_items('regress-paths', '../regress-other/out.json');
SELECT dynamo.bucket_items('regress-paths', 'folder/../../regress-other/');
SELECT dynamo.bucket_items('regress-paths', '/etc/passwd');
SELECT dynamo.bucket_items('regress-paths', './folder');
SELECT dynamo.bucket_items('regress-paths', 'folder//in.json');
SELECT dynamo.bucket_items('regress-paths', 'folder//');
SELECT dynamo.bucket_items('regress-paths', '/');
SELECT dynamo.bucket_items('regress-paths', E'folder\n');
SELECT dynamo.bucket_items('regress-paths', E'a\\b');
SELECT dynamo.bucket_items('regress-paths', '.dynamo-x');
SELECT dynamo.bucket_items('regress-paths', repeat('x', 256));
SELECT dynamo.bucket_items('regress-paths', repeat('x/', 513));
SELECT dynamo.bucket_items('regress-paths', E'folder\x7F');
-- ... as long as they may be: these could be there
SELECT count(*) FROM dynamo.bucket_items('regress-paths', repeat('x', 255));
SELECT count(*) FROM dynamo.bucket_items('regress-paths', repeat('x/', 511) || 'xx');
SELECT dynamo.bucket_items('regress-paths', repeat('x/', 512) || 'x');

-- Links: a folder, a file, a folder on the way; one file under two names
\set links 'cat > /dev/null; cd ' :buckets '/regress-paths && ln -s ../regress-other link && ln -s ../../regress-other/out.json folder/link.json && ln -s . up/self && ln ../regress-other/out.json up/hard.json && mkfifo fifo/f && ln -s regress-other ../regress-linked'
COPY (SELECT 1) TO PROGRAM :'links';
\set VERBOSITY default
SELECT dynamo.bucket_items('regress-paths', 'link');
SELECT dynamo.bucket_items('regress-paths', 'link/out.json');
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/l');
SELECT dynamo.bucket_items('regress-paths', 'up/self');
SELECT dynamo.bucket_items('regress-paths', 'up/hard.json');
SELECT dynamo.bucket_items('regress-linked');
-- A FIFO nobody writes to is not waited for
SELECT dynamo.bucket_items('regress-paths', 'fifo/');
\set VERBOSITY terse
-- A file whose name is no key is passed over, and a socket is no internal error
\set odd 'cat > /dev/null; cd ' :buckets '/regress-paths/odd && printf x > "$(printf ''a\\001b'')"'
COPY (SELECT 1) TO PROGRAM :'odd';
SELECT dynamo.bucket_items('regress-paths', 'odd/');
\set odd 'cat > /dev/null; cd ' :buckets '/regress-paths/odd && rm a* && cp ../folder/in.json . && printf x > "$(printf ''c\\134\\351'')"'
COPY (SELECT 1) TO PROGRAM :'odd';
SELECT * FROM dynamo.bucket_items('regress-paths', 'odd/');
\set socket 'cat > /dev/null; perl -MIO::Socket::UNIX -e ''chdir shift; IO::Socket::UNIX->new(Local => "s", Listen => 1) or die'' ' :buckets '/regress-paths/up'
COPY (SELECT 1) TO PROGRAM :'socket';
\set VERBOSITY sqlstate
SELECT dynamo.bucket_items('regress-paths', 'up/s');
-- A key has 1,024 bytes at most
SELECT dynamo.bucket_items('regress-paths', repeat('x/', 511) || 'xx');
SELECT dynamo.bucket_items('regress-paths', repeat('x/', 512) || 'x');
\set VERBOSITY terse

-- What an export leaves beside its data is no data; nor is a file being written
\set export 'cat > /dev/null; cd ' :buckets '/regress-paths && mkdir -p e/data && : > e/_started && for f in manifest-files manifest-summary; do echo x > e/$f.json; echo x > e/$f.checksum; echo x > e/$f.md5; done; cp folder/in.json e/data/1.json; cp folder/in.json e/data/.dynamo-2.json'
COPY (SELECT 1) TO PROGRAM :'export';
SELECT key, item FROM dynamo.bucket_items('regress-paths', 'e/');

-- Who: superusers, members of pg_read_server_files, and who has a grant
CREATE ROLE dynamo_test_reader;
CREATE ROLE dynamo_test_group;
GRANT dynamo_test_group TO dynamo_test_reader;
SET ROLE dynamo_test_reader;
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/in');
-- nor does one learn which buckets there are
SELECT key FROM dynamo.bucket_items('regress-none');
SELECT * FROM dynamo.bucket_grants;
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_reader');
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_reader');
\set VERBOSITY sqlstate
SHOW dynamo.bucket_directory;
\set VERBOSITY terse
RESET ROLE;
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_group', '{write}');
SET ROLE dynamo_test_reader;
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/in');
RESET ROLE;
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_group', '{read}');
SELECT * FROM dynamo.bucket_grants;
SET ROLE dynamo_test_reader;
SELECT key FROM dynamo.bucket_items('regress-paths', 'folder/in');
SELECT key FROM dynamo.bucket_items('regress-other');
RESET ROLE;
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_group', '{read}');
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_group', '{read}');
SELECT * FROM dynamo.bucket_grants;
GRANT pg_read_server_files TO dynamo_test_reader;
SET ROLE dynamo_test_reader;
SELECT key FROM dynamo.bucket_items('regress-other');
RESET ROLE;
-- a grant is for its role and the members of that, and for nobody else
CREATE ROLE dynamo_test_neither;
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_group', '{read}');
SET ROLE dynamo_test_neither;
SELECT dynamo.bucket_items('regress-paths', 'folder/');
RESET ROLE;
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_group', '{read}');
DROP ROLE dynamo_test_neither;
SELECT dynamo.grant_bucket('../etc', 'dynamo_test_reader');
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_reader', '{own}');
SELECT dynamo.grant_bucket('regress-paths', 0);
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_group');
DROP ROLE dynamo_test_reader, dynamo_test_group;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';

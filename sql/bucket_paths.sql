-- What leads out of a bucket, or is no file, is refused; and who may use which.
\set VERBOSITY terse
SELECT current_setting('data_directory') || '.buckets' AS buckets \gset
\set make 'mkdir -p ' :buckets '/regress-paths/folder ' :buckets '/regress-other ' :buckets '/regress-paths/fifo ' :buckets '/regress-paths/odd ' :buckets '/regress-paths/up'
COPY (SELECT 1) TO PROGRAM :'make';
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
SELECT current_setting('data_directory') || '.buckets' AS buckets \gset
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

-- Links: a folder, a file, a folder on the way; one file under two names
\set links 'cd ' :buckets '/regress-paths && ln -s ../regress-other link && ln -s ../../regress-other/out.json folder/link.json && ln -s . up/self && ln ../regress-other/out.json up/hard.json && mkfifo fifo/f && ln -s regress-other ../regress-linked'
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
-- A file whose name is no key
\set odd 'cd ' :buckets '/regress-paths/odd && printf x > "$(printf ''a\\001b'')"'
COPY (SELECT 1) TO PROGRAM :'odd';
SELECT dynamo.bucket_items('regress-paths', 'odd/');

-- What an export leaves beside its data is no data; nor is a file being written
\set export 'cd ' :buckets '/regress-paths && mkdir -p e/data && : > e/_started && for f in manifest-files manifest-summary; do echo x > e/$f.json; echo x > e/$f.checksum; echo x > e/$f.md5; done; cp folder/in.json e/data/1.json; cp folder/in.json e/data/.dynamo-2.json'
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
SELECT dynamo.grant_bucket('../etc', 'dynamo_test_reader');
SELECT dynamo.grant_bucket('regress-paths', 'dynamo_test_reader', '{own}');
SELECT dynamo.grant_bucket('regress-paths', 0);
SELECT dynamo.revoke_bucket('regress-paths', 'dynamo_test_group');
DROP ROLE dynamo_test_reader, dynamo_test_group;
\set remove 'rm -rf ' :buckets '/regress-paths ' :buckets '/regress-other ' :buckets '/regress-linked'
COPY (SELECT 1) TO PROGRAM :'remove';

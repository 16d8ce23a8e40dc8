-- A folder of buckets with one that is called as :bucket says, for as long as the
-- test needs it: :buckets is the folder, which the test removes.
CREATE TEMPORARY TABLE made (buckets text);
\set make 'd=$(mktemp -d) && mkdir -p $d/' :bucket ' && echo $d'
COPY made FROM PROGRAM :'make';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SET client_min_messages = error;

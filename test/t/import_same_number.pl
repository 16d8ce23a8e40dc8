# A session does not go on with the file of a job that had the number before: numbers
# begin anew with the extension.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.job_workers = 0\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', map { "$buckets/read-$_" } 1, 2) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
CREATE TABLE stops (record int);
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF EXISTS (SELECT FROM public.stops WHERE record = ((to_jsonb(new) ->> 'item')::jsonb ->> 'id')::int) THEN
		RAISE 'stopped' USING ERRCODE = 'query_canceled';
	END IF;
	RETURN new;
END $$;
CREATE FUNCTION make(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text := 'Read' || n;
	file text := current_setting('dynamo.bucket_directory') || '/read-' || n || '/a.json';
	o oid := lo_from_bytea(0, convert_to(string_agg(format('{"Item":{"id":{"S":"%s"},"of":{"S":"%s"}}}', i, n), E'\n' ORDER BY i), 'UTF8'))
		FROM generate_series(1, 10002) i;
BEGIN
	PERFORM lo_export(o, file), lo_unlink(o);
	PERFORM dynamo.create_table(name, 'id');
	EXECUTE format('CREATE TRIGGER stop BEFORE INSERT ON dynamo_data.%I FOR EACH ROW EXECUTE FUNCTION public.stop()', name);
END $$;});
my $dir = directory();
open(my $other, '>', "$dir/other.sql") or die;
print $other q{
SET client_min_messages = warning;
DROP EXTENSION dynamo CASCADE;
CREATE EXTENSION dynamo;
SELECT make(2);
UPDATE stops SET record = 10001;
SELECT dynamo.bulk_put_items('Read2', 'read-2') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT 'second', number, status, position ->> 'Taken' FROM dynamo_internal.jobs;
DELETE FROM stops;
};
close $other;
my $first = sql(qq{
SET client_min_messages = warning;
CREATE EXTENSION dynamo;
SELECT make(1);
INSERT INTO stops VALUES (5001);
SELECT dynamo.bulk_put_items('Read1', 'read-1') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT 'first', number, status, position ->> 'Taken' FROM dynamo_internal.jobs;
\\! psql -X -q -A -t -d postgres -f $dir/other.sql
CALL dynamo.run_jobs();
SELECT 'end', number, status FROM dynamo_internal.jobs;
});
like($first =~ s/\s+\z//r, qr/^first 1 R 5000\n.*^second.1.R.10000\n.*^end 1 C\z/ms, 'two jobs of one number') or diag($first);
my $of = sql(q{SELECT string_agg(format('%s: %s', of, n), ', ' ORDER BY of) FROM (SELECT item ->> 'of' AS of, count(*) AS n FROM dynamo.scan('Read2') GROUP BY 1) AS s});
is($of, '2: 10002', 'all items are of the second bucket');
done_testing();

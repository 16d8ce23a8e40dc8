# Who: a role that may connect to some database, and owns nothing.
# Gain: nobody can connect to another one any more.
# How: DROP DATABASE waits for a lock before it asks for rights, and who connects waits
# behind it. So the lock may not be held for as long as a step of a job takes.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;

my $PATIENCE = 120;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files/in") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(qq{COPY (SELECT '{"Item":{"id":{"S":"a"}}}') TO '$buckets/files/in/items.json'});
sql('CREATE DATABASE shop');
sql('CREATE ROLE mallory LOGIN');
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'id');
	CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3600); RETURN NEW; END';
	CREATE TRIGGER wait BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.wait();
	SELECT dynamo.bulk_put_items('Shop', 'files', 'in/')}, 'shop');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event = 'PgSleep'}) eq '1' }, $PATIENCE),
	'a job takes long');
like(run(q{psql -XAqt -U mallory -d postgres -c "SET statement_timeout = '30s'" -c 'DROP DATABASE shop'}),
	qr/must be owner of database shop/, 'she is refused at once');
is(sql(q{SELECT 1}, 'shop'), '1', 'and others connect');
is(sql(q{SET statement_timeout = '60s'; DROP DATABASE shop WITH (FORCE)}), '', 'by force the database goes');
done_testing();

# A table becomes global, and is a table of one region again, while it is written:
# no relation is rewritten, no write fails, and none is lost.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'h', 'r', 'S', 'N'); SELECT dynamo.create_index('Shop', 'by_v', 'v', partition_key_type => 'N');
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('h', 'old', 'r', i, 'v', i % 5)::dynamo.item)) FROM generate_series(1, 3000) AS i;
	CREATE TABLE stop (); CREATE TABLE written (n int);
	CREATE PROCEDURE keep_writing() LANGUAGE plpgsql AS $$
	BEGIN
		FOR n IN 1..1000000 LOOP
			PERFORM dynamo.put_item('Shop', jsonb_build_object('h', 'new', 'r', n, 'v', n % 5)::dynamo.item);
			UPDATE dynamo_data."Shop" SET item = item::jsonb || jsonb_build_object('n', n) WHERE item->>'h' = 'old' AND item->>'r' = (1 + n % 3000)::text;
			INSERT INTO written VALUES (n);
			COMMIT;
			EXIT WHEN to_regclass('public.stop') IS NULL;
			PERFORM pg_sleep(0.005);
		END LOOP;
	END $$}, 'us');
my $files = q{SELECT string_agg(c.relname || '=' || c.relfilenode || '=' || c.oid, ' ' ORDER BY c.oid) FROM pg_class c WHERE c.oid = 'dynamo_data."Shop"'::regclass
	OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'dynamo_data."Shop"'::regclass)};
my $before = sql($files, 'us');
like($before, qr/Shop=\d+/, 'files of a table of one region');

pipe(my $answer, my $child_end) or die;
my $writer = fork() // die;
if (!$writer)
{
	my %environment = environment();
	@ENV{keys %environment} = values %environment;
	open(STDOUT, '>&', $child_end) or die;
	open(STDERR, '>&', $child_end) or die;
	exec 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'us', '-c', 'CALL keep_writing()' or die;
}
close $child_end;

# So many more writes come while it is as it is now.
sub goes_on
{
	my $now = sql('SELECT count(*) FROM written', 'us');
	return await_sql('SELECT count(*) > ' . ($now + 20) . ' FROM written', 't', 'us');
}

is(goes_on(), 't', 'it is written');
is(sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us'), '', 'it becomes global');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', '... with a replica');
is(goes_on(), 't', '... and is written');
is(sql($files, 'us'), $before, '... in the same files');
is(await_sql(q{SELECT count(*) >= 3000 FROM dynamo.scan('Shop')}, 't', 'eu'), 't', '... and its items are there');
is(sql(q{SELECT dynamo_internal.remove_replica('Shop', 'eu')}, 'us'), '', 'it is to be a table of one region again');
is(await_sql(q{SELECT count(*) FROM dynamo.replicas}, '0', 'us'), '0', '... and is');
is(goes_on(), 't', '... and is written');
is(sql($files, 'us'), $before, '... in the same files');

sql('DROP TABLE stop', 'us');
my $said = do { local $/; <$answer> } // '';
waitpid($writer, 0);
is("$? $said", '0 ', 'no write has failed');
is(sql(q{SELECT (SELECT count(*) FROM written WHERE NOT EXISTS (SELECT FROM dynamo.get_item('Shop', 'new', n) AS g WHERE g.item IS NOT NULL)), (SELECT count(*) FROM dynamo.query('Shop', 'h = :h', '{":h": "old"}'))}, 'us'),
	'0 3000', '... and none is lost');

done_testing();

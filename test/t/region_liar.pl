# Who owns one region says again and again that it has more than it was ever sent. The
# other believes that it was restored, but does not work for that without end.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');

sql(q{ALTER EXTENSION dynamo DROP FUNCTION dynamo_internal.replica_received(text, text, text, bigint, text);
	DROP FUNCTION dynamo_internal.replica_received(text, text, text, bigint, text);
	CREATE SEQUENCE asked;
	CREATE FUNCTION dynamo_internal.replica_received(text, text, text, bigint, text) RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''public.asked'') + 9000000000000000000'}, 'eu');
like(await_sql('SELECT failures FROM dynamo_internal.replicas', qr/^([4-9]|\d\d)$/, 'us'), qr/^([4-9]|\d\d)$/, 'it waits longer each time');
is(sql('SELECT status_description FROM dynamo.replicas', 'us'), 'all is exchanged anew', '... and says what it is at');
cmp_ok(sql('SELECT last_value FROM asked', 'eu'), '<', 40, '... without asking all the time');
my @said = run('grep -c "exchanges table" ' . directory() . '/log');
cmp_ok($said[0], '<', 10, '... or filling the log');
is(sql(q{SELECT dynamo.put_item('Shop', '{"id": "a"}')}, 'us'), '', 'writes go on');

# What it says is cut in the middle of a letter, and kept without that.
sql(q{CREATE OR REPLACE FUNCTION dynamo_internal.replica_received(text, text, text, bigint, text) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE '%', repeat(chr(228), 600); END$$}, 'eu');
is(await_sql(q{SELECT length(convert_from(convert_to(status_description, 'UTF8'), 'UTF8')) FROM dynamo.replicas}, '259', 'us'), '259', 'its words are text');

done_testing();

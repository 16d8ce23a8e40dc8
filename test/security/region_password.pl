# A role's own mapping to another region names any role there, and no password. What the
# server itself could give instead, as from its .pgpass, is not the role's: such a
# mapping is not connected by, whatever the other region asks for.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\nlog_connections = on\n");
make_regions('us', 'eu');
sql(q{CREATE ROLE tenant; GRANT USAGE ON SCHEMA dynamo TO tenant; GRANT CREATE, USAGE ON SCHEMA dynamo_data TO tenant;
	GRANT USAGE ON FOREIGN SERVER region_eu TO tenant;
	SET ROLE tenant; SELECT dynamo.create_table('Mine', 'id') IS NOT NULL;
	CREATE USER MAPPING FOR tenant SERVER region_eu OPTIONS (user 'postgres');
	SELECT dynamo.call('UpdateTable', '{"TableName": "Mine", "ReplicaUpdates": [{"Create": {"RegionName": "eu"}}]}') IS NOT NULL}, 'us');

my $why = q{SELECT status_description FROM dynamo.replicas};
like(await_sql($why, qr/password/, 'us'), qr/has no password/, 'no mapping without a password');
sql(q{SET ROLE tenant; ALTER USER MAPPING FOR tenant SERVER region_eu OPTIONS (ADD password '')}, 'us');
sql(q{UPDATE dynamo_internal.replicas SET status_description = NULL}, 'us');
like(await_sql($why, qr/password/, 'us'), qr/has no password/, 'nor with an empty one');
sql(q{SET ROLE tenant; ALTER USER MAPPING FOR tenant SERVER region_eu OPTIONS (SET password 'x')}, 'us');
like(await_sql($why, qr/asked/, 'us'), qr/has asked for no password/, 'one that was not asked for is none');
is(sql(q{SELECT count(*) FROM dynamo.tables}, 'eu'), '0', 'no table was made there');
done_testing();

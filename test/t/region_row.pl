# Who ends a replica meets the background, which notes that it has sent something,
# at the replica's row: one waits for the other, and neither fails.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'h'); SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');

my $session = session(q{BEGIN; SELECT dynamo_internal.remove_replica('Shop', 'eu')}, 'postgres', 'us');
is(await_sql(q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'us' AND state = 'idle in transaction' AND query ~ 'remove_replica'}, '1', 'us'), '1', 'somebody is about to end it');
sql(q{SELECT dynamo.put_item('Shop', '{"h": "a"}')}, 'us');
is(await_sql(q{SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = 'us' AND backend_type ~ 'dynamo' AND wait_event_type = 'Lock'}, 't', 'us'),
	't', 'the background waits for who ends it');
print $session "COMMIT;\n";
is(await_sql(q{SELECT count(*) FROM dynamo.replicas}, '0', 'us'), '0', '... and goes on: the replica is ended');
ok(!log_has(qr/tuple concurrently/), '... without a failure');

done_testing();

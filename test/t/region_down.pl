# A region that cannot be reached is none that has left: also where another region has
# just said that it has the table no longer, by the same process.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu', 'ap');
sql(q{SELECT dynamo.create_table('Shop', 'h'); SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'ap')}, 'us');
is(await_sql(q{SELECT count(*) FROM dynamo.replicas WHERE status = 'ACTIVE'}, '2', 'us'), '2', '... and another one');

# Nobody comes to ap any more.
sql(q{ALTER DATABASE ap ALLOW_CONNECTIONS false; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'ap'});
my $failures = q{SELECT failures FROM dynamo_internal.replicas WHERE region_name = 'ap'};
sql(q{SELECT dynamo.put_item('Shop', '{"h": "a"}')}, 'us');
is(await_sql("SELECT ($failures) > 0", 't', 'us'), 't', 'one cannot be reached');
sql(q{SELECT dynamo.drop_table('Shop')}, 'eu');
is(await_sql(q{SELECT count(*) FROM dynamo.replicas WHERE region_name = 'eu'}, '0', 'us'), '0', '... the other says that it has left');
my $so_far = sql($failures, 'us');
is(await_sql("SELECT coalesce(($failures), -1) <> $so_far", 't', 'us'), 't', 'the first is asked again');
is(sql(q{SELECT count(*) FROM dynamo.replicas WHERE region_name = 'ap'}, 'us'), '1', '... in vain, and has not left');

sql('ALTER DATABASE ap ALLOW_CONNECTIONS true');
is(await_sql(q{SELECT count(*) FROM dynamo.scan('Shop')}, '1', 'ap'), '1', 'it has what was written as soon as it is reached');
done_testing();

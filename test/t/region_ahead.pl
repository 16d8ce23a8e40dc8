# The clock of a region is ahead while its maintenance is done: what is written in it
# afterwards is taken by the others at once. Otherwise they would hold it until that time.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\ndynamo.tombstone_age = 0\n");
my @names = ('us', 'eu');
make_regions(@names);
sql(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', 'a replica in eu');
await_sql('SELECT count(*) FROM dynamo.replicas', '1', 'eu');
my $floors = 'SELECT floor > 0 FROM dynamo_internal.global_tables';
foreach my $clock ('6h', '12h')
{
	ok(wait_for(sub {
		sql("SET dynamo.region_clock_offset = '$clock'; SELECT dynamo_internal.trim_replicas()", 'us');
		return sql($floors, 'us') eq 't';
	}, 120), "maintenance by a clock that is $clock ahead");
	sql(qq{SELECT dynamo.put_item('Shop', '{"id": "$clock"}')}, 'us');
	settle('Shop', @names);
	is(sql(q{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id' DESC) FROM dynamo.scan('Shop')}, 'eu'), $clock eq '6h' ? '6h' : '6h 12h', 'what is written then comes at once');
	$floors = 'SELECT floor > ' . sql('SELECT floor FROM dynamo_internal.global_tables', 'us') . ' FROM dynamo_internal.global_tables';
}
done_testing();

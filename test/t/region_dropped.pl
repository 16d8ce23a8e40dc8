# A table is dropped in one region while others write it: that is no failure, and no
# error is reported. The region has left.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\n");
my @names = ('us', 'eu');
make_regions(@names);
foreach my $n (1 .. 3)
{
	sql("SELECT dynamo.create_table('Shop$n', 'id')", 'us');
	sql("SELECT dynamo_internal.add_replica('Shop$n', 'eu')", 'us');
	is(await_sql("SELECT status FROM dynamo.replicas WHERE table_name = 'Shop$n'", 'ACTIVE', 'us'), 'ACTIVE', "a replica of Shop$n");
	my $written = 0;
	my $drop = session(qq{SELECT pg_sleep(0.3); DROP TABLE dynamo_data."Shop$n"}, 'postgres', 'eu');
	is(wait_for(sub {
		sql(qq{SELECT dynamo.put_item('Shop$n', '{"id": "@{[$written++]}"}')}, 'us');
		return sql("SELECT count(*) FROM dynamo.replicas WHERE table_name = 'Shop$n'", 'us') eq '0';
	}, 180), 1, "eu has left, after $written writes");
	close $drop;
	is(sql("SELECT count(*) FROM dynamo.scan('Shop$n')", 'us'), $written, '... and us goes on');
}
ok(reported(qr/dynamo has no replica of table "Shop3" in region "eu" any more/), 'it is told');
# Under load a batch may have waited for too long for who drops the table.
ok(!log_has(qr/could not replicate to region "\w+": ERROR: +(Requested resource not found|table "\w+" has no replica)|could not forget/), '... and that it is gone is not said to be a failure');
is(sql('SELECT (SELECT count(*) FROM dynamo_internal.replicas), (SELECT count(*) FROM dynamo_internal.replicas_received), (SELECT count(*) FROM dynamo_internal.stable_versions)', $_), '0 0 0', "nothing is left in $_") foreach @names;
done_testing();

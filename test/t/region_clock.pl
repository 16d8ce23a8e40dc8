# The clock is set back by an hour while a region does not answer, and while what has
# failed is to be tried again: a sender waited for that hour, and held a worker.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use Clock;
use Regions;
use Server;

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\nautovacuum = off\n");
});
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');
sql(q{SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');

my $sender = q{FROM pg_stat_activity WHERE application_name = 'dynamo replication' AND datname = 'eu' AND backend_type = 'client backend'};
my $stopped = await_sql("SELECT pid $sender", qr/^\d+$/, 'us');
at_end(sub { kill 'CONT', $stopped; return 1 });	# the server waits for it
kill 'STOP', $stopped;
sql(q{SELECT dynamo.put_item('Shop', '{"id": "a"}')}, 'us');

# A turn that has taken a second waits for it.
is(await_sql(q{SELECT count(*) FROM dynamo.stat_workers WHERE database = 'us' AND service = 'replication' AND state = 'running' AND since < clock_timestamp() - interval '1 second'}, '1', 'us'), '1', 'it is asked');
set_clock(-3600);
like(await_sql(q{SELECT status_description FROM dynamo.replicas}, qr/in time/, 'us'), qr/has not answered in time/, 'a region that does not answer');
kill 'CONT', $stopped;

# Five failures are followed by a pause of 16 seconds.
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'nobody_here')}, 'us');
like(await_sql('SELECT failures FROM dynamo_internal.replicas', qr/^[5-9]$/, 'us'), qr/^[5-9]$/, 'failures');
set_clock(-7200);
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'postgres')}, 'us');
is(await_sql('SELECT status_description IS NULL FROM dynamo.replicas', 't', 'us'), 't', 'it is tried again');

done_testing();

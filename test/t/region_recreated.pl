# dynamo is dropped and created again in a database: its numbers begin anew.  What
# readers of the feed had reached before says nothing of them.  Otherwise readers would
# pass what a transaction has written that has not ended, and it would be sent to nobody.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");

# A table of us that another region has, too.
sub share
{
	my ($region) = @_;
	sql(qq{SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo.put_item('Shop', '{"id": "first"}'); SELECT dynamo_internal.add_replica('Shop', '$region')}, 'us');
	is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', "a replica in $region");
	settle('Shop', 'us', $region);
	return;
}

sub put
{
	my ($id) = @_;
	return qq(SELECT dynamo.put_item('Shop', '{"id": "$id"}'));
}

sub items
{
	return q{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop')};
}

make_regions('us', 'eu');
sql(q{SELECT setval('dynamo_internal.stream_sequence', 100000)}, 'us');
share('eu');
is(await_sql('SELECT min(position) > 100000 FROM dynamo_internal.replicas', 't', 'us'), 't', 'the feed has been read up to a great number');

like(sql(q{DROP EXTENSION dynamo CASCADE; CREATE EXTENSION dynamo; SELECT 'created'}, 'us'), qr/created/, 'dynamo is created again');
make_regions('asia');
my %environment = environment();
foreach my $pair (['us', 'asia'], ['asia', 'us'])
{
	my ($at, $peer) = @$pair;
	sql(qq{CREATE SERVER region_$peer FOREIGN DATA WRAPPER dynamo_region OPTIONS (host '$environment{PGHOST}', port '$environment{PGPORT}', dbname '$peer');
		CREATE USER MAPPING FOR PUBLIC SERVER region_$peer OPTIONS (user 'postgres')}, $at);
}
sql(q{SELECT dynamo.create_region('us'), dynamo.create_region('asia', 'region_asia')}, 'us');
sql(q{SELECT dynamo.create_region('us', 'region_us')}, 'asia');
share('asia');
is(sql('SELECT max(number) < 100000 FROM dynamo_internal.item_versions', 'us'), 't', 'numbers are less than before');

my $writer = session('BEGIN; ' . put('late'), undef, 'us');
wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'us' AND state = 'idle in transaction' AND backend_xid IS NOT NULL}) eq '1' }, 60);
sql(put('early'), 'us');
is(await_turn('us'), '0', 'the feed is read while a transaction writes');
print $writer "COMMIT;\n";
close $writer;
is(await_sql(items(), 'early first late', 'asia'), 'early first late', 'what it has written is sent when it has ended');
done_testing();

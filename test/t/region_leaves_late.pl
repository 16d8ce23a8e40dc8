# What was written before a region leaves is in both, even if it is written again until
# the two have parted: by the same region, or by another one, which has parted already.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\n");
my @names = ('us', 'eu', 'ap');
make_regions(@names);

sub leave
{
	my ($region, $table) = @_;
	sql(qq{SELECT dynamo.call('UpdateTable', '{"TableName": "$table", "DisassociationProtectionEnabled": false}')}, $region);
	return like(sql(qq{SELECT dynamo.call('UpdateTable', '{"TableName": "$table", "ReplicaUpdates": [{"Disassociate": {"RegionName": "$region", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}')}, $region),
		qr/"TableStatus":\s*"UPDATING"/, "$region is to leave $table");
}
sub user
{
	my ($from, $to, $user) = @_;
	sql("ALTER USER MAPPING FOR PUBLIC SERVER region_$to OPTIONS (SET user '$user')", $from);
	return;
}
sub cut
{
	my ($from, $to) = @_;
	user($from, $to, 'nobody_here');
	return like(await_sql("SELECT status_description FROM dynamo.replicas WHERE region_name = '$to'", qr/nobody_here/, $from), qr/nobody_here/, "$from does not reach $to");
}
sub mend
{
	my ($from, $to) = @_;
	user($from, $to, 'postgres');
	return;
}
sub replicas
{
	my ($region, $wanted, $about) = @_;
	return is(await_sql(q{SELECT coalesce(string_agg(region_name, ' ' ORDER BY region_name), 'none') FROM dynamo.replicas WHERE status <> 'DELETING'}, $wanted, $region), $wanted, $about);
}
sub make
{
	my ($table, @peers) = @_;
	sql("SELECT dynamo.create_table('$table', 'id')", 'us');
	foreach my $peer (@peers)
	{
		sql("SELECT dynamo_internal.add_replica('$table', '$peer')", 'us');
		is(await_sql("SELECT status FROM dynamo.replicas WHERE region_name = '$peer'", 'ACTIVE', 'us'), 'ACTIVE', "a replica of $table in $peer");
	}
	await_sql('SELECT count(*) FROM dynamo.replicas', scalar(@peers), $_) foreach 'us', @peers;
	settle($table, 'us', @peers);
	return;
}
my $by = q{SELECT item->>'by' FROM dynamo.get_item('%s', 'm')};

# By another region: m, which ap lacks, is replaced in us by what eu has not sent to
# ap, as it has parted from that.
make('Over', 'eu', 'ap');
cut('us', 'ap');
cut('ap', 'us');
sql(q{SELECT dynamo.put_item('Over', '{"id": "m", "by": "us"}')}, 'us');
is(await_sql(sprintf($by, 'Over'), 'us', 'eu'), 'us', 'eu has what us has written');
leave('ap', 'Over');
replicas('eu', 'us', 'eu does without ap');
replicas('ap', 'us', '... and ap without eu');
sql(q{SELECT dynamo.put_item('Over', '{"id": "m", "by": "eu"}')}, 'eu');
is(await_sql(sprintf($by, 'Over'), 'eu', 'us'), 'eu', 'us has what eu has written over it');
mend('us', 'ap');
is(await_sql(q{SELECT status_description IS NULL AND position >= (SELECT max(number) FROM dynamo_internal.item_versions) FROM dynamo_internal.replicas WHERE region_name = 'ap'}, 't', 'us'),
	't', 'us has sent to ap what it has written');
mend('ap', 'us');
replicas($_, $_ eq 'ap' ? 'none' : $_ eq 'us' ? 'eu' : 'us', "$_ has parted") foreach 'us', 'ap', 'eu';
is(sql(sprintf($by, 'Over'), 'ap'), 'eu', 'ap has what has replaced it');
sql('SELECT dynamo.drop_table(\'Over\')', $_) foreach @names;
replicas($_, 'none', "$_ has none") foreach @names;

# By the same region: who writes meanwhile, and is not done, holds up numbers.
make('Again', 'eu');
cut('eu', 'us');
sql(q{SELECT dynamo.put_item('Again', '{"id": "m", "by": "first"}')}, 'eu');
leave('eu', 'Again');
my $slow = in_transaction(q{SET application_name = slow; BEGIN; SELECT dynamo.put_item('Again', '{"id": "slow"}')}, undef, 'eu');
sql(q{SELECT dynamo.put_item('Again', '{"id": "m", "by": "second"}')}, 'eu');
mend('eu', 'us');
replicas('us', 'none', 'us does without eu');
is(sql(sprintf($by, 'Again'), 'us'), 'second', '... and has what was written before, or what has replaced it');
print $slow "COMMIT;\n";
close $slow;
replicas('eu', 'none', 'eu does without us');
done_testing();

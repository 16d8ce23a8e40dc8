# What is known of deleted items goes when all regions have it, and nothing comes back:
# not by a batch that comes late, not from a region that was away, or put back
# to a time when it had the items, or taken for lost; nor does a write whose
# clock is behind lose to what is forgotten.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\ndynamo.tombstone_age = 0\n");
my @names = ('us', 'eu', 'ap');
make_regions(@names);
sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', 'i' || i)::dynamo.item)) FROM generate_series(1, 20) AS i}, 'us');
foreach my $peer ('eu', 'ap')
{
	sql("SELECT dynamo_internal.add_replica('Shop', '$peer')", 'us');
	is(await_sql("SELECT status FROM dynamo.replicas WHERE region_name = '$peer'", 'ACTIVE', 'us'), 'ACTIVE', "a replica in $peer");
}
await_sql('SELECT count(*) FROM dynamo.replicas', '2', $_) foreach @names;

my $tombstones = 'SELECT count(*) FROM dynamo_internal.item_versions WHERE deleted';
my $items = q{SELECT coalesce(string_agg(item->>'id' || coalesce(item->>'by', ''), ' ' ORDER BY item->>'id'), '') FROM dynamo.scan('Shop') WHERE item->>'id' NOT LIKE 'i%'};
my $old = q{SELECT coalesce(string_agg(item->>'id', ' ' ORDER BY item->>'id'), '') FROM dynamo.scan('Shop') WHERE item->>'id' LIKE 'i%'};

# Maintenance is done often, for all that is left to go. What else the regions
# tell each other takes ten seconds.
sub trim_all
{
	my (@where) = @_;
	return wait_for(sub {
		sql('SELECT dynamo_internal.trim_replicas()', $_) foreach @where;
		return !grep { sql($tombstones, $_) ne '0' } @where;
	}, 180);
}

# Deleted everywhere, by several.
sub letter
{
	my ($from, $id) = @_;
	return sql(qq{SELECT encode(int8send(1) || int8send(v.time) || int4send(v.region_id) || '\\x00'::bytea || int4send(length(b)) || b, 'hex')
		FROM dynamo_internal.item_versions v, dynamo_data."Shop" i, LATERAL dynamo_internal.item_send(i.item) AS s(b) WHERE i.item->>'id' = '$id' AND v.keys->>'id' = '$id'}, $from);
}
sub deliver
{
	my ($letter, $from, $to) = @_;
	return sql(qq{SELECT a.applied, a.discarded FROM dynamo_internal.replicas_received r, dynamo_internal.apply_replica('Shop', '$from', r.incarnation, 0, '\\x01$letter') a WHERE r.region_name = '$from'}, $to);
}
settle('Shop', @names);
my $letter = letter('us', 'i1');
like($letter, qr/^[0-9a-f]{50,}$/, 'a batch that comes late');
sql(q{SELECT count(dynamo.delete_item('Shop', 'i' || i)) FROM generate_series(1, 10) AS i}, 'us');
sql(q{SELECT count(dynamo.delete_item('Shop', 'i' || i)) FROM generate_series(11, 15) AS i}, 'eu');
settle('Shop', @names);
is(sql($tombstones, $_), '15', "tombstones in $_") foreach @names;
ok(trim_all(@names), '... which go');
is(sql($old, $_), 'i16 i17 i18 i19 i20', "$_ has the others") foreach @names;

# A batch comes late: the item is dead, and who has sent it is told so.
is(deliver($letter, 'us', 'eu'), '0 1', 'what comes late is discarded');
is(sql("SELECT count(*) FROM dynamo_internal.item_versions WHERE deleted AND keys->>'id' = 'i1'", 'eu'), '1', '... and answered');
settle('Shop', @names);
is(sql($old, $_), 'i16 i17 i18 i19 i20', "$_ has no more") foreach @names;
ok(trim_all(@names), 'the answer goes');

# A new item of that key has a version that is later than what is forgotten, though the clock is behind.
sql(q{ALTER DATABASE ap SET dynamo.region_clock_offset = '-1h'});
sql(q{SELECT dynamo.put_item('Shop', '{"id": "i1"}')}, 'ap');
settle('Shop', @names);
is(sql($old, $_), 'i1 i16 i17 i18 i19 i20', "$_ has it anew") foreach @names;
is(sql(q{SELECT v.time > s.trimmed FROM dynamo_internal.item_versions v, dynamo_internal.stable_versions s WHERE v.keys->>'id' = 'i1' AND s.region_name = 'ap'}, 'ap'), 't', '... with a later version');
sql(q{ALTER DATABASE ap RESET dynamo.region_clock_offset});

# One is away: what it does not have stays, until it is back.
sub away
{
	my ($user, @from) = @_;
	sql("ALTER USER MAPPING FOR PUBLIC SERVER region_ap OPTIONS (SET user '$user')", $_) foreach @from;
	return;
}
away('nobody_here', 'us', 'eu');
ok(wait_for(sub {
	sql(q{SELECT dynamo.put_item('Shop', '{"id": "probe"}')}, $_) foreach 'us', 'eu';
	return !grep { sql(q{SELECT status_description FROM dynamo.replicas WHERE region_name = 'ap'}, $_) !~ /nobody_here/ } 'us', 'eu';
}, 120), 'ap is not reached');
sql(q{SELECT dynamo.delete_item('Shop', 'i16')}, 'us');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "i17", "by": "ap"}'), dynamo.put_item('Shop', '{"id": "new", "by": "ap"}')}, 'ap');
await_sql($items, 'newap probe', 'us');
my @claims = map { sql("SELECT time FROM dynamo_internal.stable_versions WHERE region_name = '$_'", $_) } 'us', 'eu';
foreach (1 .. 6)
{
	sql('SELECT dynamo_internal.trim_replicas()', $_) foreach @names;
}
is(sql($tombstones, $_), '1', "a tombstone stays in $_") foreach 'us', 'eu';
away('postgres', 'us', 'eu');
settle('Shop', @names);
is(sql($old, $_), 'i1 i17 i18 i19 i20', "deleted in $_") foreach @names;
ok(trim_all(@names), 'it goes when ap is back');

# ap is put back to a time when it had what is deleted and forgotten by now.
sub quiet
{
	my ($name) = @_;
	sql("ALTER DATABASE $name ALLOW_CONNECTIONS false");
	return wait_for(sub {
		sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$name'");
		return sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '$name'") eq '0';
	}, 120);
}
settle('Shop', @names);
ok(quiet('ap'), 'a copy of ap');
is(sql('CREATE DATABASE copy TEMPLATE ap ALLOW_CONNECTIONS false'), '', '... is made');
sql('ALTER DATABASE ap ALLOW_CONNECTIONS true');
sql(q{SELECT dynamo.delete_item('Shop', 'i18')}, 'us');
sql(q{SELECT dynamo.delete_item('Shop', 'i17'), dynamo.delete_item('Shop', 'new')}, 'ap');
settle('Shop', @names);
ok(trim_all(@names), 'what is deleted then goes');
ok(quiet('ap'), 'ap stops');
sql('DROP DATABASE ap');
sql('ALTER DATABASE copy RENAME TO ap');
# Looked at in the moment in which others may come.
is(sql("ALTER DATABASE ap ALLOW_CONNECTIONS true;\n\\connect ap\n$old"), 'i1 i17 i18 i19 i20', 'ap has it again');
is(await_sql($old, 'i1 i19 i20', 'ap'), 'i1 i19 i20', '... until all is exchanged');
is(await_sql($items, 'probe', 'ap'), 'probe', '... what it had written, too');
await_sql('SELECT bool_or(whole) FROM dynamo_internal.replicas', 'f', $_) foreach @names;
settle('Shop', @names);
is(sql($old, $_), 'i1 i19 i20', "nothing comes back in $_") foreach @names;
ok(trim_all(@names), 'they forget the answers');

# ap is lost, with an item that is in us alone: that is none that was deleted.
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER region_eu OPTIONS (SET user 'nobody_here')}, 'ap');
ok(wait_for(sub {
	sql(q{SELECT dynamo.put_item('Shop', '{"id": "probe"}')}, 'ap');
	return sql(q{SELECT status_description FROM dynamo.replicas WHERE region_name = 'eu'}, 'ap') =~ /nobody_here/;
}, 120), 'ap does not reach eu');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "last", "by": "ap"}')}, 'ap');
await_sql($items, 'lastap probe', 'us');
ok(quiet('ap'), 'ap is lost');
is(sql(q{SELECT dynamo.drop_region('ap', lost => true)}, 'eu'), '', '... for eu');
sql('SELECT dynamo_internal.trim_replicas()', 'eu') foreach 1 .. 6;
is(sql(q{SELECT dynamo.drop_region('ap', lost => true)}, 'us'), '', '... for us');
foreach (1 .. 6)
{
	sql('SELECT dynamo_internal.trim_replicas()', $_) foreach 'us', 'eu';
}
is(await_sql($items, 'lastap probe', 'eu'), 'lastap probe', 'what it had sent to us comes to eu');
sql(q{SELECT dynamo.delete_item('Shop', 'i19')}, 'eu');
settle('Shop', 'us', 'eu');
ok(trim_all('us', 'eu'), 'the two forget by themselves');
is(sql($items, $_), 'lastap probe', "nothing is lost in $_") foreach 'us', 'eu';
is(sql($old, $_), 'i1 i20', "nothing comes back in $_") foreach 'us', 'eu';

done_testing();

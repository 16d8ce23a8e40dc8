# Two regions write the same items while they do not reach each other. One of the two
# writes of each is lost, and is in the log of a region, as it was written; what had
# been seen before it was replaced is in none. Then they write the same few items
# as fast as they can: what was lost is noticed, without fail, and nothing else.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
my @names = ('us', 'eu');
my %other = (us => 'eu', eu => 'us');
make_regions(@names);
sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica');
is(sql(q{SELECT dynamo.log_conflicts('Shop', entries => 1000000)}, $_), '', "a log in $_") foreach @names;
sql(q{SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i, 'by', 'first')::dynamo.item)) FROM unnest(array['1', '2', '3', '4', 'seen']) AS i}, 'us');
settle('Shop', @names);
sql(q{SELECT dynamo.put_item('Shop', '{"id": "seen", "by": "eu"}')}, 'eu');
settle('Shop', @names);
is(sql('SELECT count(*) FROM dynamo.conflicts', $_), '0', "what was seen is no conflict in $_") foreach @names;

# What both write while they are apart: us before eu.
foreach my $name (@names)
{
	sql("ALTER USER MAPPING FOR PUBLIC SERVER region_$other{$name} OPTIONS (SET user 'nobody_here')", $name);
	ok(wait_for(sub {
		sql(qq{SELECT dynamo.put_item('Shop', '{"id": "probe $name"}')}, $name);
		return sql(q{SELECT status_description FROM dynamo.replicas}, $name) =~ /nobody_here/;
	}, 120), "$name does not reach the other");
}
sql(q{SELECT dynamo.put_item('Shop', '{"id": "1", "by": "us"}'), dynamo.delete_item('Shop', '2'), dynamo.put_item('Shop', '{"id": "3", "by": "us"}'), dynamo.put_item('Shop', '{"id": "5", "by": "us"}'), dynamo.put_item('Shop', '{"id": "alone", "by": "us"}')}, 'us');
sql(q{SELECT pg_sleep(0.01), dynamo.put_item('Shop', '{"id": "1", "by": "eu"}'), dynamo.put_item('Shop', '{"id": "2", "by": "eu"}'), dynamo.delete_item('Shop', '3'), dynamo.put_item('Shop', '{"id": "4", "by": "eu"}'), dynamo.put_item('Shop', '{"id": "5", "by": "eu"}')}, 'eu');
sql("ALTER USER MAPPING FOR PUBLIC SERVER region_$other{$_} OPTIONS (SET user 'postgres')", $_) foreach @names;
await_sql(q{SELECT status_description IS NULL FROM dynamo.replicas}, 't', $_) foreach @names;
settle('Shop', @names);
my $all = join "\n", map { sql(q{SELECT DISTINCT format('%s: %s by %s lost to %s by %s', keys->>'id', coalesce(lost_item->>'by', 'nothing'), lost_region, coalesce(won_item->>'by', 'nothing'), won_region) FROM dynamo.conflicts}, $_) } @names;
my %seen;
is(join("\n", sort grep { $_ ne '' && !$seen{$_}++ } split /\n/, $all),
	"1: us by us lost to eu by eu\n2: nothing by us lost to eu by eu\n3: us by us lost to nothing by eu\n5: us by us lost to eu by eu", 'what was lost, and to what');

# Each version that anybody has given, and which one he has replaced.
my $act = <<'SQL';
CREATE TABLE history (key text, time int8, region text, replaced int8, replaced_region int);
CREATE PROCEDURE act(until timestamptz, region text) LANGUAGE plpgsql AS $$
DECLARE
	k text; before record;
BEGIN
	WHILE clock_timestamp() < until LOOP
		k := 'race' || (random() * 2)::int;
		PERFORM FROM dynamo_data."Shop" WHERE item->>'id' = k FOR UPDATE;
		SELECT v.time, v.region_id INTO before FROM dynamo_internal.item_versions v WHERE v.keys->>'id' = k;
		PERFORM dynamo.put_item('Shop', jsonb_build_object('id', k, 'by', region, 'n', random())::dynamo.item);
		INSERT INTO history SELECT k, v.time, region, before.time, before.region_id FROM dynamo_internal.item_versions v WHERE v.keys->>'id' = k;
		COMMIT;
		PERFORM pg_sleep(random() * 0.01);
	END LOOP;
END $$
SQL
sql($act, $_) foreach @names;
sql(q{SELECT dynamo.put_item('Shop', jsonb_build_object('id', 'race' || i)::dynamo.item) FROM generate_series(0, 2) AS i}, 'us');
settle('Shop', @names);
my @children;
foreach my $name (@names)
{
	push @children, fork() // die;
	next if $children[-1];
	my %environment = environment();
	@ENV{keys %environment} = values %environment;
	exec 'psql', '-X', '-q', '-d', $name, '-o', '/dev/null', '-c', "CALL act(clock_timestamp() + interval '5 seconds', '$name')" or die;
}
waitpid($_, 0) foreach @children;
settle('Shop', @names);
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'both have the same');

# It is the last one of its item, or somebody saw and replaced it, or it is in a log.
my (%open, %replaced, %logged);
foreach my $name (@names)
{
	$open{$_} = 1 foreach split /\n/, sql(q{SELECT key || ' ' || time || ' ' || region FROM history}, $name);
	$replaced{$_} = 1 foreach split /\n/, sql(q{SELECT key || ' ' || replaced || ' ' || region_name FROM history JOIN dynamo.regions ON region_id = replaced_region}, $name);
	$replaced{$_} = 1 foreach split /\n/, sql(q{SELECT keys->>'id' || ' ' || time || ' ' || region_name FROM dynamo_internal.item_versions JOIN dynamo.regions USING (region_id)}, $name);
	$logged{$_} = 1 foreach split /\n/, sql(q{SELECT keys->>'id' || ' ' || lost_version || ' ' || lost_region FROM dynamo.conflicts WHERE keys->>'id' LIKE 'race%'}, $name);
}
is(join(', ', sort grep { !$replaced{$_} && !$logged{$_} } keys %open), '', 'what was lost is logged');
is(join(', ', sort grep { !$open{$_} } keys %logged), '', '... and was written');
note(sprintf('%d of %d writes', scalar(keys %logged), scalar(keys %open)));
my %winners;
foreach my $name (@names)
{
	$winners{$_} = 1 foreach split /\n/, sql(q{SELECT format('%s %s %s to %s %s', keys->>'id', lost_version, lost_region, won_version, won_region) FROM dynamo.conflicts WHERE keys->>'id' LIKE 'race%'}, $name);
}
my %saw;
foreach my $name (@names)
{
	$saw{$_} = 1 foreach split /\n/, sql(q{SELECT format('%s %s %s to %s %s', key, replaced, region_name, time, region) FROM history JOIN dynamo.regions ON region_id = replaced_region}, $name);
}
is(join(', ', grep { $saw{$_} } sort keys %winners), '', 'nobody had seen what he won over');

done_testing();

# Somebody reads the hot keys of a table, and stands still between finding their
# place and locking it.  Meanwhile the place becomes another table's, whose keys he
# may not see.  With assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;
my $count = q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND};

start_server("shared_preload_libraries = dynamo\ndynamo.stat_max_key_sets = 1\ndynamo.ttl_interval = 0");
sub count_keys
{
	my ($table, $action) = @_;
	return sql(qq{SELECT dynamo.call('UpdateContributorInsights', '{"TableName":"$table","ContributorInsightsAction":"$action"}') ->> 'ContributorInsightsStatus'});
}
sql(q{CREATE EXTENSION dynamo; CREATE ROLE reader LOGIN;
	SELECT dynamo.create_table('Shown', 'id'), dynamo.create_table('Secret', 'id');
	GRANT USAGE ON SCHEMA dynamo_data TO reader; GRANT SELECT ON dynamo_data."Shown" TO reader});
is(count_keys('Shown', 'ENABLE'), 'ENABLING', 'the keys of a table are counted');
sql(q{SELECT * FROM dynamo.get_item('Shown', 'mine')});

my $out = directory() . '/keys';
my $keys = q{SELECT partition_key FROM dynamo.stat_keys('Shown')};
is(sql("SET ROLE reader; $keys"), '{"S":"mine"}', 'its reader sees them');
my $holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql("$count granted") eq '1' }, $PATIENCE) or die 'no lock';
run(qq{psql -XAqt -U reader -c "SET dynamo_test.pause = 'keys'" -c "$keys" -c "SELECT 'read'" >$out 2>&1 &});
ok(wait_for(sub { sql("$count NOT granted") eq '1' }, $PATIENCE), 'he stands still');
count_keys('Shown', 'DISABLE');
count_keys('Secret', 'ENABLE');
sql(q{SELECT * FROM dynamo.get_item('Secret', 'theirs')});
is(sql(q{SELECT partition_key FROM dynamo.stat_keys('Secret')}), '{"S":"theirs"}', 'the place is the other table\'s');
close $holder;
my $read = '';
wait_for(sub { $read = run("cat $out"); $read =~ /read/ }, $PATIENCE);
is($read, 'read', 'he sees none of its keys');
done_testing();

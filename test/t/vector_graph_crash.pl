# A table with five vector indexes and two graphs of pgvector's, written, vacuumed and
# searched by several at once, while a third graph is made. Then the server is killed:
# what was acknowledged is found, exactly and by the graphs that were there; the one that
# was being made is not used before somebody makes it anew.
#
# Skipped where test/pgvector finds none. Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clients;
use Server;

my $top = abs_path(dirname(__FILE__) . '/../..');
chomp(my $lacking = `$top/test/pgvector`);
plan skip_all => $lacking if $?;

my $writers = 2;
start_server("autovacuum = off\nmaintenance_work_mem = 128MB");
my $place = directory();
sub index_of
{
	my ($name, $attribute, $dimensions, $distance, $more) = @_;
	return qq({"IndexName": "$name", "VectorAttribute": {"AttributeName": "$attribute"}, "Dimensions": $dimensions, "DistanceFunction": "$distance",
		"Projection": {"ProjectionType": "KEYS_ONLY"}@{[ $more // '' ]}});
}
my $indexes = join ', ', index_of('Far', 'v', 4, 'EUCLIDEAN'), index_of('Angle', 'v', 4, 'COSINE'), index_of('Product', 'v', 4, 'DOT_PRODUCT'),
  index_of('Flat', 'w', 2, 'EUCLIDEAN', ', "SearchSchema": [{"AttributeName": "part", "SearchSchemaElementType": "HASH"}]'), index_of('Turn', 'w', 2, 'COSINE');
sql(qq{CREATE EXTENSION dynamo; CREATE EXTENSION vector;
	SELECT dynamo.call('CreateTable', '{"TableName": "Doc", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "part", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "VectorIndexes": [$indexes]}');
	SELECT setseed(0.5);
	INSERT INTO dynamo_data."Doc" (item)
		SELECT jsonb_build_object('id', 'd' || i, 'part', 'p' || i % 10, 'v', jsonb_build_array(random() + 0.01, random(), random(), random()),
			'w', jsonb_build_array(random() + 0.01, random()))::dynamo.item FROM generate_series(1, 18000) AS i});
my $graph = q{ON dynamo_data."Doc" USING hnsw ((dynamo.vector_elements(item, 'v', 4)::vector(4)) %s) WITH (m = 8, ef_construction = 24)};
sql('CREATE INDEX far ' . sprintf $graph, 'vector_l2_ops');
sql('CREATE INDEX angle ' . sprintf $graph, 'vector_cosine_ops');

sub told { my @lines = lines($_[0]); return scalar @lines }

# Where the item n of a writer is: among all the others, and no two in one place.
sub place
{
	my ($w, $n, $moved) = @_;
	return '[' . join(', ', map { sprintf '%.5f', $_ - int $_ } $w / 10 + $n * 0.61803, $n * 0.75488, $n * 0.56984, ($moved // 0) / 4 + $n * 0.81917) . ']';
}

# Of each four items that it puts, a writer moves one, and deletes one.
sub writes
{
	my ($w, $n) = @_;
	my $put = sprintf qq{SELECT 'put %d' FROM (SELECT dynamo.put_item('Doc', '{"id": "w%d-%d", "part": "p%d", "v": %s, "w": [%d, 1]}')) AS put;\n},
	  $n, $w, $n, $n % 10, place($w, $n), $n;
	return $put . sprintf qq{SELECT 'moved %d' FROM (SELECT dynamo.update_item('Doc', '{"id": "w%d-%d"}', 'SET v = :v', '{":v": %s}')) AS moved;\n},
	  $n - 1, $w, $n - 1, place($w, $n - 1, 2) if $n % 4 == 2;
	return $put . sprintf qq{SELECT 'gone %d' FROM (SELECT dynamo.delete_item('Doc', 'w%d-%d')) AS gone;\n}, $n - 1, $w, $n - 1 if $n % 4 == 3;
	return $put;
}

my @pids = map { my $w = $_; client("writer$w", sub { return writes($w, $_[0]) }) } 1 .. $writers;
push @pids, client('vacuum', sub { return qq{VACUUM dynamo_data."Doc";\nSELECT 'v';\n} });
push @pids, client('searcher', sub {
	my ($n) = @_;
	return "SET dynamo.vector_search = auto;\n" . join '', map { "SELECT 's' || count(*) FROM dynamo.search_vectors('Doc', '$_', '[0.5, 0.$n, 0.5, 0.5]', 20);\n" } qw(Far Angle Product);
});

# VACUUM waits for a graph that is being made concurrently, so it has its turns before.
ok(wait_for(sub { return told('vacuum') > 1 && told('searcher') > 10 }, 600), 'vacuum and searches have got on beside writers');

# A graph waits, as good as made, for those whose snapshots are older.
my $old = session('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xmin IS NOT NULL}) >= 1 }), 'somebody has an old snapshot');
my $maker = session('CREATE INDEX CONCURRENTLY again ' . sprintf $graph, 'vector_l2_ops');
ok(wait_for(sub { sql(q{SELECT phase FROM pg_stat_progress_create_index}) eq 'waiting for old snapshots' }, 600), 'a graph is being made');
ok(wait_for(sub { return !grep { told($_) < 200 } map { "writer$_" } 1 .. $writers }, 600), 'writers get on');
my $searches = told('searcher');
ok(wait_for(sub { return told('searcher') > $searches + 10 }, 600), '... and searches');
ok(server('crash'), 'the server is killed');
waitpid $_, 0 foreach @pids;
close $_ foreach $old, $maker;
ok(server('restart'), 'and starts again');

foreach my $name ('searcher', 'vacuum', map { "writer$_" } 1 .. $writers)
{
	open my $in, '<', "$place/$name.errors" or die;
	is(join('', grep { /ERROR/ } <$in>), '', "$name was refused nothing");
}
is((grep { $_ ne 's20' } lines('searcher'))[0], undef, 'as many were found as were wanted');

# Where each writer was told that its items are. What it was not told any more may have happened.
my (@there, @gone);
foreach my $w (1 .. $writers)
{
	my @told = lines("writer$w");
	my %told = map { $_ => 1 } @told;
	my ($last) = map { /put (\d+)/ ? $1 : () } reverse @told;
	foreach my $n (grep { $_ > 0 } $last - 60 .. $last - 2)
	{
		if ($told{"gone $n"}) { push @gone, "w$w-$n" }
		else { push @there, [ "w$w-$n", place($w, $n, $told{"moved $n"} ? 2 : 0) ] }
	}
}
cmp_ok(scalar @there, '>', 80, 'there are items that were acknowledged');
sub found
{
	my ($way) = @_;
	my @found = split /\n/, sql("SET dynamo.vector_search = $way;" . join '', map { "SELECT item->>'id' || ' ' || score FROM dynamo.search_vectors('Doc', 'Far', '$_->[1]', 1);" } @there);
	return scalar grep { $found[$_] eq "$there[$_][0] 0" } 0 .. $#there;
}
sub way
{
	my $plan = sql(q{SET dynamo.vector_search = auto; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT * FROM dynamo.search_vectors('Doc', 'Far', '[1, 1, 1, 1]', 10)});
	my ($way) = $plan =~ /Search: (\w+)/ or return $plan;
	return $plan =~ /Graph: (\w+)/ ? "$way $1" : $way;
}
is(found('exact'), scalar @there, 'all of them are found');
is(sql("SELECT count(*) FROM dynamo_data.\"Doc\" WHERE item->>'id' IN ('" . join("', '", @gone) . "')"), 0, '... and what was deleted is not there');
is(way(), 'approximate far', 'the graph that was there is used');
cmp_ok(found('auto'), '>=', 0.9 * @there, '... and leads to what was written');
is(sql(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'dynamo_data.again'::regclass}), 'f', 'the other one has been left as it was');
sql('DROP INDEX dynamo_data.far');
is(way(), 'exact', '... and is not used');
is(sql('REINDEX INDEX CONCURRENTLY dynamo_data.again'), '', '... until it is made anew');
is(way(), 'approximate again', '... and then it is');
cmp_ok(found('auto'), '>=', 0.9 * @there, '... and leads to what was written');
is(sql(q{SELECT * FROM dynamo.check_table('Doc')}), '', 'the table is sound, and its five indexes');
done_testing();

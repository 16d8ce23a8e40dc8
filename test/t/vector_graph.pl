# Searches by an HNSW index of pgvector's: they find what exact ones find, or nearly,
# with the same scores, and what the graph cannot lead to is found nevertheless. An index
# that only looks like one is left alone; and the graph goes with its extension, the table
# and the answers stay.
#
# Skipped where test/pgvector finds none. Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $top = abs_path(dirname(__FILE__) . '/../..');
chomp(my $lacking = `$top/test/pgvector`);
plan skip_all => $lacking if $?;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\ndynamo.ttl_interval = 0");
sql(q{CREATE EXTENSION dynamo; CREATE EXTENSION vector;
	SELECT dynamo.call('CreateTable', '{"TableName": "Doc", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "part", "AttributeType": "S"},
			{"AttributeName": "side", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
		"VectorIndexes": [
			{"IndexName": "Far", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 4, "DistanceFunction": "EUCLIDEAN",
				"Projection": {"ProjectionType": "KEYS_ONLY"}, "SearchSchema": [{"AttributeName": "part", "SearchSchemaElementType": "INLINE_FILTER"},
					{"AttributeName": "side", "SearchSchemaElementType": "INLINE_FILTER"}]},
			{"IndexName": "Angle", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 4, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}},
			{"IndexName": "Small", "VectorAttribute": {"AttributeName": "u"}, "Dimensions": 4, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}},
			{"IndexName": "Product", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 4, "DistanceFunction": "DOT_PRODUCT", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}');
	SELECT setseed(0.5);
	INSERT INTO dynamo_data."Doc" (item)
		SELECT jsonb_build_object('id', 'd' || i, 'part', CASE WHEN i % 100 = 0 THEN 'few' WHEN i % 5 = 1 THEN 'some' ELSE 'most' END,
			'side', CASE WHEN x < 0.4 THEN 'left' ELSE 'right' END,
			'v', jsonb_build_array(x + 0.01, random(), random(), random()),
			CASE WHEN i % 5 = 0 THEN 'u' ELSE 'nothing' END, jsonb_build_array(x, 1, 2, 3))::dynamo.item FROM (SELECT i, random() AS x FROM generate_series(1, 50000) AS i OFFSET 0) AS made});
my $elements = q{dynamo.vector_elements(item, 'v', 4)};

# What a search finds, "id score" each.
sub found
{
	my ($way, $index, $vector, $top, $more) = @_;
	return sql("SET dynamo.vector_search = $way; SELECT item->>'id' || ' ' || score FROM dynamo.search_vectors('Doc', '$index', '$vector', $top" . ($more // '') . ')');
}

# How it does it: exact, or by which graph.
sub plan_of
{
	my ($index, $more, $vector, $settings) = @_;
	return sql(qq{SET dynamo.vector_search = auto; @{[ $settings // '' ]} EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
		SELECT * FROM dynamo.search_vectors('Doc', '$index', '@{[ $vector // '[0.5, 0.5, 0.5, 0.5]' ]}', 10} . ($more // '') . ')');
}

sub way
{
	my $plan = plan_of(@_);
	my ($way) = $plan =~ /Search: (\w+)/ or return $plan;
	my ($graph) = $plan =~ /Graph: (\w+)/;
	return $graph ? "$way $graph" : $way;
}

# Of little quality, but made in no time.
sub make
{
	my ($name, $rest, $more) = @_;
	return sql(qq{CREATE INDEX $name ON dynamo_data."Doc" USING hnsw ($rest) WITH (m = 8, ef_construction = 24)} . ($more // ''));
}

# How many of these vectors' ten nearest are found, of a hundred each.
my @vectors = map { my $n = $_; '[' . join(', ', map { sprintf '%.2f', ($n * $_ % 17) / 17 + 0.01 } 1 .. 4) . ']' } 1 .. 10;

sub recall
{
	my ($index, $more) = @_;
	$more //= '';
	my ($same, $wrong) = (0, 0);
	foreach my $vector (@vectors)
	{
		my %exact = map { split } split /\n/, found('exact', $index, $vector, 100, $more);
		my @nearly = map { [split] } split /\n/, found('auto', $index, $vector, 10, $more);
		my @best = (map { [split] } split /\n/, found('exact', $index, $vector, 10, $more));
		my %best = map { $_->[0] => 1 } @best;
		$same += grep { $best{ $_->[0] } } @nearly;
		$wrong += grep { ($exact{ $_->[0] } // $_->[1]) ne $_->[1] } @nearly;
	}
	return ($same / @vectors / 10, $wrong);
}

# An index that only looks like a graph of Far: of a function of the same name, of
# another attribute, of other dimensions or distances, of a part of the table.
sql(q{CREATE FUNCTION public.vector_elements(item dynamo.item, attribute text, dimensions integer, max_element real) RETURNS real[]
	LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[1, 2, 3, 4]::real[] $$});
my %not = (
	mine => q{(public.vector_elements(item, 'v', 4, 1)::vector(4)) vector_l2_ops},
	other => q{(dynamo.vector_elements(item, 'w', 4)::vector(4)) vector_l2_ops},
	short => q{(dynamo.vector_elements(item, 'v', 3)::vector(3)) vector_l2_ops},
	manhattan => qq{($elements\::vector(4)) vector_l1_ops});
make($_, $not{$_}) foreach sort keys %not;
make('part', qq{($elements\::vector(4)) vector_l2_ops}, q{ WHERE item->>'part' = 'few'});
is(sql(q{SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%'}), 5, 'indexes that are no graphs');
is(way('Far'), 'exact', '... are left alone');
sql("DROP INDEX dynamo_data.$_") foreach 'part', sort keys %not;

# What an index has functions for runs as the table's owner, not as who searches.
sql(q{CREATE FUNCTION public.who() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'it is %', current_user; RETURN true; END $$;
	CREATE ROLE looker; GRANT SELECT ON dynamo_data."Doc" TO looker});
make('lure', qq{($elements\::vector(4)) vector_l2_ops}, ' WHERE public.who()');
unlike(sql(q{SET ROLE looker; SET dynamo.vector_search = auto; SELECT item FROM dynamo.search_vectors('Doc', 'Far', '[0, 0, 0, 0]', 1)}),
	qr/it is looker|ERROR/, 'a function in an index does not run as who searches');
sql(q{DROP INDEX dynamo_data.lure; DROP FUNCTION public.who; DROP OWNED BY looker; DROP ROLE looker});

is(way('Far'), 'exact', 'without a graph a search is exact');
make('far', "($elements\::vector(4)) vector_l2_ops");
make('small', q{(dynamo.vector_elements(item, 'u', 4)::vector(4)) vector_l2_ops});
make('angle', "($elements\::halfvec(4)) halfvec_cosine_ops");
make('product', "($elements\::vector(4)) vector_ip_ops");
is(way('Far'), 'approximate far', 'with one it is approximate');
is(way('Angle'), 'approximate angle', '... also with halves');
is(way('Product'), 'approximate product', '... and of products');
is(way('Far', q{, 'part = :p', '{":p": "most"}'}), 'approximate far', '... with a condition that most meet');
is(way('Far', q{, 'part = :p', '{":p": "some"}'}), 'approximate far', '... or one in five, which is further than hnsw.ef_search looks');
is(way('Far', q{, 'part = :p', '{":p": "few"}'}), 'exact', '... but not with one that few meet');
is(way('Far', '', undef, 'SET hnsw.ef_search = 200;'), 'approximate far', 'a graph may be told to look further');
is(way('Far', '', undef, 'SET hnsw.ef_search = 400;'), 'exact', '... until it would take longer than all vectors');
is(way('Small'), 'exact', 'with few vectors a search is exact');
is(way('Small', '', undef, 'SET hnsw.ef_search = 40;'), 'approximate small', '... unless the graph is told to look less far');
like(plan_of('Far'), qr/Vectors Compared: 11\n/, 'one item more is read than is wanted');
like(plan_of('Angle'), qr/Vectors Compared: 15\n/, '... and some more by halves');
my $left = q{, 'side = :s', '{":s": "left"}'};
is(way('Far', $left, '[0, 0.5, 0.5, 0.5]'), 'approximate far', '... with one that those meet who are near');
is(way('Far', $left, '[3, 0.5, 0.5, 0.5]'), 'exact', '... but not where they are further away than the others');
is(found('auto', 'Far', '[3, 0.5, 0.5, 0.5]', 5, $left), found('exact', 'Far', '[3, 0.5, 0.5, 0.5]', 5, $left), '... and all of them are found');
unlike(sql(q{EXPLAIN (ANALYZE) SELECT * FROM dynamo.search_vectors('Doc', 'Far', '[1, 1, 1, 1]', 10)}), qr/Graph/, '... nor unless a user allows it');

foreach my $index (qw(Far Angle Product))
{
	my ($recall, $wrong) = recall($index);
	cmp_ok($recall, '>=', 0.95, "$index: of the nearest ten, so many are found");
	is($wrong, 0, '... with the scores that they have');
}
foreach my $part (qw(most some))
{
	my ($recall, $wrong) = recall('Far', qq{, 'part = :p', '{":p": "$part"}'});
	cmp_ok($recall, '>=', 0.95, "Far, with a filter that $part meet: so many");
	is($wrong, 0, '... with their scores');
}

# Writes of the own transaction, deletions, and what VACUUM has taken.
my $near = q{SET dynamo.vector_search = auto; SELECT string_agg(item->>'id', ' ') FROM dynamo.search_vectors('Doc', 'Far', '[7, 7, 7, 7]', 1)};
is(sql(qq{BEGIN; SELECT dynamo.put_item('Doc', '{"id": "new", "v": [7, 7, 7, 7]}'); $near; ROLLBACK}) =~ s/^\s+//r, 'new', 'a write of the own transaction is found');
isnt(sql($near), 'new', '... and not when it was rolled back');
sql(q{SELECT dynamo.put_item('Doc', '{"id": "new", "v": [7, 7, 7, 7]}')});
is(sql($near), 'new', 'a write is found');
sql(q{SELECT dynamo.update_item('Doc', '{"id": "new"}', 'SET v = :v', '{":v": [-7, -7, -7, -7]}')});
isnt(sql($near), 'new', '... and not where it was before it moved');
sql(q{SELECT dynamo.update_item('Doc', '{"id": "new"}', 'SET v = :v', '{":v": [7, 7, 7, 7]}'); SELECT dynamo.update_item('Doc', '{"id": "new"}', 'SET w = :v', '{":v": 1}')});
is(sql($near), 'new', '... and when it came back, and another attribute changed');
sql(q{SELECT dynamo.delete_item('Doc', 'new')});
isnt(sql($near), 'new', '... and not when it was deleted');
sql('VACUUM dynamo_data."Doc"');
is(way('Far'), 'approximate far', '... also after VACUUM');

# A graph by cosine has no vectors without a direction, whose score is 1.
sql(q{SELECT dynamo.put_item('Doc', '{"id": "zero", "v": [0, 0, 0, 0]}')});
like(found('auto', 'Angle', '[-1, -1, -1, -1]', 1), qr/^zero 1$/, 'a zero vector is found where others are further');
is(found('auto', 'Angle', '[0, 0, 0, 0]', 5), found('exact', 'Angle', '[0, 0, 0, 0]', 5), '... and what is nearest to one');
sql(q{SELECT dynamo.delete_item('Doc', 'zero')});

# Elements beyond what a graph has room for: no write is refused for its sake.
sql('DROP INDEX dynamo_data.angle');
make('angle', q{(dynamo.vector_elements(item, 'v', 4, 65504)::halfvec(4)) halfvec_cosine_ops});
is(way('Angle'), 'approximate angle', 'a graph of halves with their limit');
sql(q{SELECT dynamo.put_item('Doc', '{"id": "great", "v": [3e38, -3e38, 1e30, 70000]}')});
is(sql(q{SELECT count(*) FROM dynamo.get_item('Doc', 'great')}), 1, 'the greatest numbers are written');
like(found('auto', 'Product', '[3e38, -3e38, 1, 1]', 1), qr/^great /, '... and found');

# Over HTTP the server's setting counts.
sub scans { return sql(q{SELECT coalesce(idx_scan, 0) FROM pg_stat_user_indexes WHERE indexrelname = 'product'}) }
my $scanned = scans();
my $answer = '';
sql('ALTER SYSTEM SET dynamo.vector_search = auto');
sql('SELECT pg_reload_conf()');
ok(wait_for(sub {
	$answer = call('SearchVectors', '{"TableName": "Doc", "IndexName": "Product", "TopK": 1, "SearchVector": [{"N": "3e38"}, {"N": "-3e38"}, {"N": "1"}, {"N": "1"}]}')->{body};
	return scans() > $scanned;
}, 180), 'over HTTP, searches go by a graph if the server allows it');
like($answer, qr/"great"/, '... with the same result');
sql('ALTER SYSTEM RESET dynamo.vector_search');
sql('SELECT pg_reload_conf()');

# Fewer than are wanted in a graph that leads to few: all are compared.
is(sql(q{SET hnsw.iterative_scan = relaxed_order; SET hnsw.max_scan_tuples = 1; SET dynamo.vector_search = auto;
	SELECT count(*) FROM dynamo.search_vectors('Doc', 'Far', '[0, 0, 0, 0]', 100)}), 100, 'so many as are wanted are found');
is(sql(q{SET dynamo.vector_search = auto; SELECT count(*) FROM dynamo.search_vectors('Doc', 'Far', '[0, 0, 0, 0]', 10); SHOW hnsw.ef_search; SHOW hnsw.iterative_scan}),
	"10\n40\noff", "a search leaves the settings as they are");
is(sql(q{SELECT * FROM dynamo.check_table('Doc')}), '', 'the table is sound');

# Who does not see all items has no graph.
sql(q{CREATE ROLE reader; GRANT USAGE ON SCHEMA dynamo_data TO reader; GRANT SELECT ON dynamo_data."Doc" TO reader;
	ALTER TABLE dynamo_data."Doc" ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON dynamo_data."Doc" TO reader USING (item->>'part' = 'few')});
is(sql(q{SET ROLE reader; SET dynamo.vector_search = auto; SELECT count(*) FILTER (WHERE substr(item->>'id', 2)::int % 100 <> 0) FROM dynamo.search_vectors('Doc', 'Far', '[0, 0, 0, 0]', 10)}),
	0, 'row-level security holds');
sql(q{DROP POLICY few ON dynamo_data."Doc"; ALTER TABLE dynamo_data."Doc" DISABLE ROW LEVEL SECURITY});

# The graph goes with its extension.
like(sql('DROP EXTENSION vector'), qr/depend on it/, 'an extension with a graph is not dropped');
my $filenode = q{SELECT pg_relation_filenode('dynamo_data."Doc"')};
my $before = sql($filenode);
sql("ALTER INDEX dynamo_data.$_ DEPENDS ON EXTENSION vector") foreach qw(far angle product small);
sql('DROP EXTENSION vector');
is(sql(q{SELECT count(*) FROM pg_extension WHERE extname = 'vector'}), 0, '... unless the graph depends on it');
is(sql($filenode), $before, '... the table stays as it is');
is(way('Far'), 'exact', '... and is searched');

# The commands of docs/vectors.md, and the widest graph that it names.
open my $page, '<', dirname(__FILE__) . '/../../docs/vectors.md' or die;
my ($tables, $commands) = do { local $/; <$page> } =~ /```sql\n(.*?)```.*?```sql graph\n(.*?)```/s or die;
unlike(sql($tables), qr/ERROR/, 'the table of the document');
is(sql($commands), '', 'the commands of the document');
is(sql(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'dynamo_data.document_graph'::regclass}), 't', '... make a graph');
is(sql('DROP EXTENSION vector'), '', '... that goes with the extension');
sql(q{CREATE EXTENSION vector;
	SELECT dynamo.call('CreateTable', '{"TableName": "Wide", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
		"VectorIndexes": [{"IndexName": "Near", "VectorAttribute": {"AttributeName": "embedding"}, "Dimensions": 3072, "DistanceFunction": "COSINE",
			"Projection": {"ProjectionType": "KEYS_ONLY"}}]}');
	CREATE INDEX wide ON dynamo_data."Wide" USING hnsw ((dynamo.vector_elements(item, 'embedding', 3072, 65504)::halfvec(3072)) halfvec_cosine_ops)});
is(sql(q{SELECT item FROM dynamo.put_item('Wide', jsonb_build_object('id', 'a', 'embedding', array_fill(70000, ARRAY[3072]))::dynamo.item) AS item}), '', 'a vector of 3,072 great elements is written');
is(sql(q{SELECT item->>'id' FROM dynamo_data."Wide" ORDER BY dynamo.vector_elements(item, 'embedding', 3072, 65504)::halfvec(3072) <=> array_fill(1, ARRAY[3072])::halfvec LIMIT 1}), 'a', '... and found by plain SQL');
done_testing();

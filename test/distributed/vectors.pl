# Vector indexes of distributed tables.  A search of any node, by HTTP and SQL, has the
# answer of the same items on one server, also of those that are as near as one
# another, while shards move, are split, gathered and distributed, and definitions
# are sent again.  Most elements are small integers, so many items are as near.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $here = 'SET citus.enable_ddl_propagation = off; SET client_min_messages = error;';
my $there = '"VectorAttribute":{"AttributeName":"v"},"Dimensions":3';
my $tenant = '{"AttributeName":"tenant","SearchSchemaElementType":"HASH"}';
my $year = '{"AttributeName":"year","SearchSchemaElementType":"INLINE_FILTER"}';
my $owner = '{"AttributeName":"id","SearchSchemaElementType":"INLINE_FILTER"}';
my %index = (
	Far => qq({"IndexName":"Far",$there,"DistanceFunction":"EUCLIDEAN","SearchSchema":[$year,$owner],"Projection":{"ProjectionType":"ALL"}}),
	Angle => qq({"IndexName":"Angle",$there,"DistanceFunction":"COSINE","SearchSchema":[$tenant,$year],"Projection":{"ProjectionType":"KEYS_ONLY"}}),
	Product => qq({"IndexName":"Product",$there,"DistanceFunction":"DOT_PRODUCT","Projection":{"ProjectionType":"KEYS_ONLY"}}));
my $attributes = '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"},'
  . '{"AttributeName":"tenant","AttributeType":"S"},{"AttributeName":"year","AttributeType":"N"}]';
my $keys = '"KeySchema":[{"AttributeName":"id","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}]';
sub definition { my ($table) = @_; return qq({"TableName":"$table","BillingMode":"PAY_PER_REQUEST",$attributes,$keys,"VectorIndexes":[$index{Far},$index{Angle},$index{Product}]}) }
my $fill = q{INSERT INTO dynamo_data."%1$s" (item) SELECT i::dynamo.item FROM (SELECT jsonb_build_object('id', 'k' || i %% 40, 'n', i,
	'tenant', 't' || i %% 3, 'year', 2020 + i %% 2, 'v', CASE WHEN i %% 50 = 0 THEN '[0, 0, 0]' WHEN i %% 7 = 0 THEN jsonb_build_array(i, i * i %% 101, 0.5)
	ELSE jsonb_build_array(i %% 3 - 1, i %% 5 - 2, i %% 2) END) AS i FROM generate_series(1, 900) AS i) AS all_items;
	INSERT INTO dynamo_data."%1$s" (item) SELECT jsonb_build_object('id', 'c' || i, 'n', i, 'year', 2020, 'tenant', CASE WHEN i <= 120 THEN 't5357' ELSE 't38395' END,
	'v', CASE WHEN i <= 120 THEN '[1, 1, 1]' ELSE '[3, 1, 0]' END::json)::dynamo.item FROM generate_series(1, 126) AS i};

sub search
{
	my ($table, $index, $vector, $top_k, $condition, %values) = @_;
	my $when = defined $condition ? qq(,"SearchConditionExpression":"$condition") : '';
	$when .= sprintf ',"ExpressionAttributeNames":{"#y":"year"}' if defined $condition && $condition =~ /#y/;
	$when .= ',"ExpressionAttributeValues":{' . join(',', map { qq(":$_":$values{$_}) } sort keys %values) . '}' if %values;
	return sprintf '{"TableName":"%s","IndexName":"%s","TopK":%s,"SearchVector":[%s]%s}', $table, $index, $top_k,
	  join(',', map { qq({"N":"$_"}) } @$vector), $when;
}
my @searches;
foreach my $top_k (1, 7, 100)
{
	push @searches,
	  ["Far, $top_k", 'Far', [0.5, 1, 0], $top_k],
	  ["Far of a year, $top_k", 'Far', [0, 0, 0], $top_k, '#y = :y', y => '{"N":"2021"}'],
	  ["Angle of a tenant, $top_k", 'Angle', [1, 2, 1], $top_k, 'tenant = :t', t => '{"S":"t1"}'],
	  ["Angle of a tenant and a year, $top_k", 'Angle', [0, 0, 0], $top_k, 'tenant = :t AND #y = :y', t => '{"S":"t2"}', y => '{"N":"2020"}'],
	  ["Product, $top_k", 'Product', [0, 1, 1], $top_k],
	  ["Product that is mostly 0, $top_k", 'Product', [0, 0, 1], $top_k],
	  ["Far of a partition, $top_k", 'Far', [1, 1, 1], $top_k, 'id = :i', i => '{"S":"k17"}'],
	  ["Far of a partition and a year, $top_k", 'Far', [1, 1, 1], $top_k, 'id = :i AND #y = :y', i => '{"S":"k8"}', y => '{"N":"2020"}'];
}
push @searches, ['of two values with one hash', 'Angle', [1, 1, 1], 3, 'tenant = :t', t => '{"S":"t38395"}'], ['nothing', 'Angle', [1, 1, 1], 5, 'tenant = :t', t => '{"S":"nobody"}'];

# What one server answers.
sub expected
{
	my ($about, @search) = @{ $_[0] };
	return node(0, sprintf q{SELECT dynamo.call('SearchVectors', $$%s$$)}, search('VectorsPlain', @search));
}

# At all nodes, and in SQL.
sub same
{
	my ($what, @which) = @_;
	@which = @searches unless @which;
	my @wrong;
	foreach my $case (@which)
	{
		my ($about, @search) = @$case;
		my $request = search('Vectors', @search);
		my $expected = expected($case);
		foreach my $node (0 .. 2)
		{
			my $got = repeated($node, 'SearchVectors', $request);
			push @wrong, "node $node, $about: $got, not $expected" if $got ne "200 $expected";
			$got = node($node, sprintf q{SELECT dynamo.call('SearchVectors', $$%s$$)}, $request);
			push @wrong, "node $node, $about by SQL: $got, not $expected" if $got ne $expected;
		}
	}
	is(join("\n", @wrong), '', $what);
	return;
}
my @some = @searches[0, 3, 5, 10, 14, -2];

authenticate('trust');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');
unlike(node(0, "$here SET dynamo.distribute_new_tables = off; SELECT dynamo.call('CreateTable', \$\$${\definition('VectorsPlain')}\$\$);" . sprintf $fill, 'VectorsPlain'),
	qr/ERROR/, 'a table of one node');
like(answer(1, 'CreateTable', definition('Vectors')), qr/^200 /, 'a distributed one, made by a worker');
unlike(node(0, sprintf $fill, 'Vectors'), qr/ERROR/, 'it has the same items');
is(node(0, q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'dynamo_data."Vectors"'::regclass}), 1, 'distributed');
like(expected($searches[0]), qr/"Score":/, 'something is found');
same('all searches');

# A set of rows, with the score.
my $rows = q{SELECT string_agg((item->>'id') || ' ' || (item->>'n') || ' ' || score::text, ', ' ORDER BY score, item->>'id', (item->>'n')::int) FROM dynamo.search_vectors('%s', 'Far', ARRAY[0.5, 1, 0], 20)};
my $expected = node(0, sprintf $rows, 'VectorsPlain');
is(node($_, sprintf $rows, 'Vectors'), $expected, "node $_: as rows") for 0 .. 2;
like(node(1, q{EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM dynamo.search_vectors('Vectors', 'Far', ARRAY[0.5, 1, 0], 3)}),
	qr/Search: exact.*Items Returned: 3/s, 'explained');
is(node(2, q{SET dynamo.vector_search = auto;} . sprintf $rows, 'Vectors'), $expected, 'always exact');

# The shards' indexes are read.
sub scans { my ($node) = @_; return node($node, q{SET citus.override_table_visibility = off; SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_all_indexes WHERE indexrelname LIKE 'Vectors/Product%'}) }
foreach my $node (1, 2)
{
	my $before = scans($node);
	node(0, sprintf q{SELECT dynamo.call('SearchVectors', $$%s$$)}, search('Vectors', 'Product', [3, 1, 2], 4)) for 1 .. 3;
	ok(wait_for(sub { scans($node) > $before }, 60), "node $node: by its index");
}

# A transaction sees what it has written, at any node.
my $own = q{BEGIN; SELECT dynamo.put_item('Vectors', '{"id": "own%s", "n": 1, "v": [7000, 7000, 7000]}') IS NULL FROM generate_series(1, 1);
	SELECT item->>'id' FROM dynamo.search_vectors('Vectors', 'Far', ARRAY[7000, 7000, 7000], 1); ROLLBACK};
like(node($_, sprintf $own, $_), qr/^own$_\b/m, "node $_: its own write") for 0 .. 2;
same('nothing of it is left', @some);

# Definitions are everywhere, with sizes.
foreach my $node (0 .. 2)
{
	like(answer($node, 'DescribeTable', '{"TableName":"Vectors"}'),
		qr/"VectorIndexes":\[\{"IndexName":"Far".*"IndexName":"Angle".*"IndexName":"Product"/, "node $node describes them");
	like(answer($node, 'PutItem', '{"TableName":"Vectors","Item":{"id":{"S":"bad"},"n":{"N":"1"},"v":{"L":[{"N":"1"}]}}}'),
		qr/^400 .*Invalid size for parameter v, Expected: 3, Actual: 1/, "node $node refuses what does not fit");
	like(answer($node, 'SearchVectors', search('Vectors', 'Angle', [1, 1, 1], 1)), qr/^400 .*SearchConditionExpression must be provided/, "node $node checks the condition");
	like(answer($node, 'Query', '{"TableName":"Vectors","IndexName":"Far","KeyConditionExpression":"id = :i","ExpressionAttributeValues":{":i":{"S":"k1"}}}'),
		qr/^400 /, "node $node: no Query of it");
}
node(0, 'VACUUM ANALYZE dynamo_data."Vectors"');
ok(wait_for(sub { answer(1, 'DescribeTable', '{"TableName":"Vectors"}') =~ /"IndexName":"Product".*?"IndexSizeBytes":[1-9]/ }, 60), 'their sizes are summed');

# Writes by all nodes are found by all.
foreach my $node (0 .. 2)
{
	my @item = map { sprintf '{"id":{"S":"w%s"},"n":{"N":"%s"},"v":{"L":[{"N":"%s"},{"N":"%s"},{"N":"-9"}]}}', $node, $_, $_, $node * 50 } 1 .. 3;
	like(answer($node, 'PutItem', qq({"TableName":"Vectors","Item":$_})), qr/^200/, "node $node puts") for @item;
	node(0, qq{SELECT dynamo.call('PutItem', '{"TableName":"VectorsPlain","Item":$_}')}) for @item;
}
foreach my $table (qw(Vectors VectorsPlain))
{
	node(0, qq{SELECT dynamo.update_item('$table', '{"id": "k3", "n": 3}', 'SET v = :v', '{":v": [41, 40, 39]}'), dynamo.delete_item('$table', '{"id": "k4", "n": 4}')});
}
same('what was written', @searches);

# Policies, by the role of the request.
node($_, "$here CREATE ROLE vectors_reader LOGIN") for 0 .. 2;
node(0, 'GRANT USAGE ON SCHEMA dynamo_data TO vectors_reader; GRANT SELECT ON dynamo_data."Vectors" TO vectors_reader');
sub as_reader
{
	my ($node) = @_;
	return node($node, sprintf q{SET ROLE vectors_reader; SELECT coalesce(answer->>'Message', 'found') FROM dynamo.try_call('SearchVectors', $$%s$$) AS answer},
		search('Vectors', 'Product', [1, 1, 1], 2));
}
is(as_reader($_), 'found', "node $_: by GRANT") for 0 .. 2;
unlike(node(0, q{SELECT dynamo.put_role_policy('vectors_reader', 'p', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:SearchVectors",
	"Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/Vectors/index/Far"}}')}), qr/ERROR/, 'a policy of another index');
like(as_reader($_), qr/not authorized to perform: dynamodb:SearchVectors on resource: .*index\/Product/, "node $_: refused") for 0 .. 2;
unlike(node(1, q{SELECT dynamo.put_role_policy('vectors_reader', 'p', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:SearchVectors",
	"Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/Vectors/index/Product"}}')}), qr/ERROR/, 'and of this one');
is(as_reader($_), 'found', "node $_: allowed") for 0 .. 2;
node(0, q{SELECT dynamo.delete_role_policy('vectors_reader', 'p')});
node(0, 'REVOKE SELECT ON dynamo_data."Vectors" FROM vectors_reader');
like(as_reader($_), qr/not authorized/, "node $_: without SELECT") for 0 .. 2;

# Shards move and are split.
my $move = q{SELECT citus_move_shard_placement(shardid, '%s'::int, '%s'::int, '%s') FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
	WHERE logicalrelid = 'dynamo_data."Vectors"'::regclass AND groupid = %s ORDER BY shardid LIMIT 1};
$move = q{SELECT citus_move_shard_placement(shardid, a.nodeid, b.nodeid, '%s') FROM pg_dist_shard JOIN pg_dist_placement p USING (shardid)
	JOIN pg_dist_node a ON a.groupid = p.groupid JOIN pg_dist_node b ON b.groupid = %s WHERE logicalrelid = 'dynamo_data."Vectors"'::regclass AND a.groupid = %s ORDER BY shardid LIMIT 1};
unlike(node(0, sprintf $move, 'block_writes', 2, 1), qr/ERROR/, 'a shard moves');
same('after that', @some);
unlike(node(0, sprintf $move, 'force_logical', 1, 2), qr/ERROR/, 'one moves while it is written');
same('after that, too', @some);
unlike(node(0, q{SELECT citus_split_shard_by_split_points(shardid, ARRAY[((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text],
	(SELECT array_agg(nodeid ORDER BY nodeid) FROM pg_dist_node WHERE groupid > 0), 'block_writes')
	FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Vectors"'::regclass ORDER BY shardminvalue::int LIMIT 1}), qr/ERROR/, 'one is split');
same('after that, as well');

# Metadata is sent again.
unlike(node(0, 'SELECT start_metadata_sync_to_all_nodes()'), qr/ERROR/, 'metadata is sent again');
same('nodes have learned of the indexes', @some);

# An index comes and goes, by any node, beside writes.
sub state_at { return join ' ', answer($_[0], 'DescribeTable', '{"TableName":"Vectors"}') =~ /"IndexName":"Late".*?"IndexStatus":"(\w+)"/ }
my $late = qq({"IndexName":"Late",$there,"DistanceFunction":"EUCLIDEAN","Projection":{"ProjectionType":"KEYS_ONLY"}});
like(repeated(2, 'UpdateTable', qq({"TableName":"Vectors","VectorIndexUpdates":[{"Create":$late}]})), qr/^200 .*"IndexStatus":"CREATING"/, 'one more index');
my $lately = search('Vectors', 'Late', [0.5, 1, 0], 7);
(my $instead = search('VectorsPlain', 'Far', [0.5, 1, 0], 7)) =~ s/}$/,"ProjectionExpression":"id, n"}/;
my $found = node(0, qq{SELECT dynamo.call('SearchVectors', \$\$$instead\$\$)});
is(repeated(1, 'SearchVectors', $lately), "200 $found", 'it is searched at once');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { state_at($node) eq 'ACTIVE' }, 60), "node $node: it is active");
	is(repeated($node, 'SearchVectors', $lately), "200 $found", "node $node: it is searched");
}
like(repeated(1, 'UpdateTable', '{"TableName":"Vectors","VectorIndexUpdates":[{"Delete":{"IndexName":"Late"}}]}'), qr/^200 /, 'it is deleted');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { state_at($node) eq '' }, 60), "node $node: it is gone");
	like(repeated($node, 'SearchVectors', $lately), qr/^400 .*The table does not have the specified index: Late/, "node $node: and not searched");
}

# The SQL objects of 1.0 have no operators for the statement.
like(node(0, "BEGIN; $here ALTER OPERATOR FAMILY dynamo_internal.vector_entry_ops USING dynamo_vector DROP OPERATOR 2 (dynamo_internal.vector_entry, bytea);
	SELECT dynamo.distribute_table('VectorsPlain')"), qr/vector indexes of distributed tables need the SQL objects of this version.*ALTER EXTENSION dynamo UPDATE/s, 'not with the objects of 1.0');

# A node is down: what it has is missing, so nothing is answered but what needs it not.
my ($near) = keys_of(1, 'Vectors');
my $partition = search('Vectors', 'Far', [1, 1, 1], 5, 'id = :i', i => qq({"S":"$near"}));
my $partition_found = repeated(0, 'SearchVectors', $partition);
ok(halt(2), 'a node is killed');
like(answer($_, 'SearchVectors', search('Vectors', 'Product', [1, 0, 1], 3)), qr/^503 /, "node $_: a search needs all") for 0, 1;
foreach my $node (0, 1)
{
	is(repeated($node, 'SearchVectors', $partition), $partition_found, "node $node: of a partition of another node it is answered");
}
like(node(0, sprintf q{SELECT dynamo.call('SearchVectors', $$%s$$)}, search('Vectors', 'Product', [1, 0, 1], 3)), qr/ERROR.*cannot be served|ERROR/, 'not in SQL either');
ok(restart(2), 'it comes back');
wait_for(sub { (at(2, 'ListTables', '{}')->{status} // 0) == 200 }, 60);
same('and searches have all again', @some);

# Gathered, and distributed again.
unlike(node(0, q{SELECT dynamo.undistribute_table('Vectors')}), qr/ERROR/, 'the table is gathered');
is(node(0, sprintf q{SELECT dynamo.call('SearchVectors', $$%s$$)}, search('Vectors', @{$_}[1 .. $#$_])), expected($_), "gathered: $_->[0]") for @some;
is(node(0, q{SELECT count(*) FROM dynamo.check_table('Vectors')}), 0, 'its indexes are sound');
unlike(node(0, q{SELECT dynamo.distribute_table('Vectors', shard_count => 6)}), qr/ERROR/, 'and distributed');
same('as before', @some);

node(0, q{SELECT dynamo.drop_table('Vectors'); SELECT dynamo.drop_table('VectorsPlain')});
is(node($_, q{SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Vectors'}), 0, "node $_: nothing is left") for 0 .. 2;
node(0, "DROP OWNED BY vectors_reader");
node($_, "$here DROP OWNED BY vectors_reader; DROP ROLE vectors_reader") for 0 .. 2;
authenticate('DEFAULT');
done_testing();

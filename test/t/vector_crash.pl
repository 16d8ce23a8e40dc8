# Searches beside writers, and beside somebody who makes and deletes a vector index:
# each finds what it should, or says that there is no such index. Then the server is
# killed: what was acknowledged is found, as near as SQL says, here and on a standby.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clients;
use Server;
use Standby;

my $writers = 2;
my $searchers = 2;
start_server("autovacuum_naptime = 1s\nmax_wal_senders = 4\nwal_consistency_checking = all");
my $place = directory();
sql(q{CREATE EXTENSION dynamo;
	SELECT dynamo.call('CreateTable', '{"TableName": "Crash", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "N"}],
		"KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
		"VectorIndexes": [{"IndexName": "Always", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3, "DistanceFunction": "EUCLIDEAN",
			"Projection": {"ProjectionType": "KEYS_ONLY"}, "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]},
			{"IndexName": "Wide", "VectorAttribute": {"AttributeName": "x"}, "Dimensions": 1100, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}')});
my $create = q({"TableName": "Crash", "VectorIndexUpdates": [{"Create": {"IndexName": "Sometimes", "VectorAttribute": {"AttributeName": "w"},
	"Dimensions": 2, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"}}}]});
my $delete = '{"TableName": "Crash", "VectorIndexUpdates": [{"Delete": {"IndexName": "Sometimes"}}]}';

sub vector { my ($n) = @_; return sprintf '[%d, %d, 0.%d]', $n % 7, $n, $n }

# A search for the item's own vector finds it, at no distance.
my $own = q{SELECT item->>'id' || ' ' || score FROM dynamo.search_vectors('Crash', 'Always', '%s', 1, 'tenant = :t', '{":t": "%s"}');};

my @pids;
foreach my $w (1 .. $writers)
{
	push @pids, client("writer$w", sub {
		my ($n) = @_;
		# Of a size that Sometimes refuses, now and then
		my $wrong = $n % 5 ? '[1, 2]' : '[1]';
		return sprintf(qq{SELECT %d FROM (SELECT dynamo.put_item('Crash', '{"tenant": "w%d", "id": %d, "v": %s}')) AS put;\n}, $n, $w, $n, vector($n))
		  . qq{SELECT 'u' FROM (SELECT dynamo.put_item('Crash', '{"tenant": "x$w", "id": $n, "w": $wrong}')) AS put;\n}
		  # The same few items again and again, so that VACUUM finds entries that are dead
		  . sprintf(qq{SELECT 'w' FROM (SELECT dynamo.put_item('Crash', jsonb_build_object('tenant', 'y$w', 'id', %d, 'x', array_fill($n, ARRAY[1100]))::text::dynamo.item)) AS put;\n}, $n % 40);
	});
}
foreach my $s (1 .. $searchers)
{
	push @pids, client("searcher$s", sub {
		my ($n) = @_;
		return sprintf("$own\n", vector(1), "w$s")
		  . qq{SELECT 's' || count(*) FROM dynamo.search_vectors('Crash', 'Sometimes', '[2, 4]', 3);\n};
	});
}
push @pids, client('changer', sub {
	my ($n) = @_;
	return "SELECT 'c' FROM (SELECT dynamo.call('UpdateTable', '" . ($n % 2 ? $create : $delete) . "')) AS changed;\n";
});

ok(wait_for(sub {
	return !grep { my $name = $_; my @lines = lines($name); @lines < ($name =~ /searcher/ ? 40 : 60) }
	  (map { "writer$_" } 1 .. $writers), (map { "searcher$_" } 1 .. $searchers), 'changer';
}, 600), 'all of them get on');
ok(server('crash'), 'the server is killed');
waitpid $_, 0 foreach @pids;
ok(server('restart'), 'and starts again');

my %told = map { my $w = $_; $w => [ grep { /^\d+$/ } lines("writer$w") ] } 1 .. $writers;
foreach my $s (1 .. $searchers)
{
	my @found = grep { !/^s[0-3]$/ } lines("searcher$s");
	is(join('|', grep { $_ ne '1 0' } @found), '', "searcher $s found what is nearest each time it was there");
}
foreach my $name ((map { "searcher$_" } 1 .. $searchers), 'changer', map { "writer$_" } 1 .. $writers)
{
	my $allowed = $name =~ /searcher/ ? qr/The table does not have the specified index: Sometimes/
	  : $name =~ /writer/ ? qr/Invalid size for parameter w, Expected: 2, Actual: 1/ : qr/(?!)/;
	open my $in, '<', "$place/$name.errors" or die;
	my @errors = grep { /ERROR/ && !/$allowed/ } <$in>;
	is(join('', @errors[0 .. ($#errors > 2 ? 2 : $#errors)]), '', "$name was refused nothing else");
}

# What was acknowledged is there, and nearest to itself; a search finds what SQL finds.
my $brute = q{SELECT string_agg(id || ' ' || d, ',') FROM (SELECT item->>'id' AS id, sqrt((x - 3)^2 + (y - 20)^2 + (z - 0.5)^2) AS d
	FROM dynamo_data."Crash", LATERAL (SELECT (item->'v'->>0)::float4::float8 AS x, (item->'v'->>1)::float4::float8 AS y, (item->'v'->>2)::float4::float8 AS z) AS v
	WHERE item->>'tenant' = 'w%d' AND item->'v' IS NOT NULL ORDER BY d, (item->>'id')::numeric LIMIT 100) AS best};
my $searched = q{SELECT string_agg(item->>'id' || ' ' || score, ',') FROM dynamo.search_vectors('Crash', 'Always', '[3, 20, 0.5]', 100, 'tenant = :t', '{":t": "w%d"}')};
sub same_as_sql
{
	my ($ask, $where) = @_;
	foreach my $w (1 .. $writers)
	{
		my $answer = $ask->(sprintf $searched, $w);
		is($answer, $ask->(sprintf $brute, $w), "$where: the hundred nearest of writer $w");
	}
}
foreach my $w (1 .. $writers)
{
	my @last = @{ $told{$w} } > 50 ? @{ $told{$w} }[-50 .. -1] : @{ $told{$w} };
	is(sql(join "\n", map { sprintf $own, vector($_), "w$w" } @last), join("\n", map { "$_ 0" } @last), "what writer $w was told last is found");
}
same_as_sql(\&sql, 'after the crash');
is(sql(q{SELECT count(*) FROM dynamo.check_table('Crash')}), '0', 'the table is sound');

# A standby answers the same.
start_standby();
sql(q{SELECT dynamo.put_item('Crash', '{"tenant": "w1", "id": 2000000, "v": [3, 20, 0.5]}')});
ok(follows(), 'a standby has all of it');
same_as_sql(\&there, 'on a standby');
like(there(sprintf $searched, 1), qr/^2000000 0,/, 'a new item among them');
done_testing();

# Takes long: beside the extensions that people have in their databases, made
# after dynamo and before it, and dropped before it and after it.  Each does its
# work all the while, on items too; nothing of one changes when others come and
# go; and in the end nothing is left.
#
# Those that the server lacks are skipped; "make beside" installs what Debian
# packages of them.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $root = abs_path(dirname(__FILE__) . '/../../tmp') . '/pg';
my $config = $ENV{PG_CONFIG} || 'pg_config';
chomp(my $share = `$config --sharedir`);
chomp(my $library = `$config --pkglibdir`);

# An index of others on items of dynamo, by which they are found.
sub nearest
{
	my ($index, $distance) = @_;
	return sql(qq{CREATE INDEX near ON dynamo_data."Shop" USING $index; SET enable_seqscan = off;
		SELECT string_agg(id, ' ') FROM (SELECT item->>'id' AS id FROM dynamo_data."Shop"
			WHERE item->>'kind' IS NOT NULL ORDER BY $distance LIMIT 3) AS nearest;
		DROP INDEX dynamo_data.near});
}

# pg_cron before 1.5 knows minutes only.
sub scheduled
{
	my ($command, $done) = @_;
	foreach my $when ('1 seconds', '* * * * *')
	{
		last if sql("SELECT cron.schedule('beside', '$when', \$\$$command\$\$)") =~ /^\d+$/;
	}
	my $is_done = wait_for(sub { sql($done) }, 300);
	sql("SELECT cron.unschedule(jobname) FROM cron.job");
	wait_for(sub { !sql(q{SELECT 1 FROM cron.job_run_details WHERE status IN ('starting', 'running')}) }, 300);
	return $is_done ? 'done' : 'not done';
}

# Each with what it is to do by itself, and together with dynamo, and the
# answers.
my @others = (
	{
		name => 'pg_stat_statements',
		preload => 1,
		itself => [sub { sql(q{SELECT 1 AS asked; SELECT calls > 0 FROM pg_stat_statements WHERE query LIKE '%AS asked'}) }, "1\nt"],
		together => [sub { sql(q{SELECT pg_stat_statements_reset() IS NULL; SELECT item->>'kind' AS kind FROM dynamo.get_item('Shop', '3');
				SELECT calls FROM pg_stat_statements WHERE query LIKE 'SELECT item->>$1 AS kind%'}) }, qr/\nodd\n1$/]
	},
	{
		name => 'auto_explain',
		preload => 1,
		library => 1,
		itself => [sub { sql('SELECT 2 AS explained'); log_has(qr/Query Text: SELECT 2 AS explained/) }, 1],
		together => [sub {
				sql(q{SELECT item FROM dynamo.query('Shop', 'kind = :k', '{":k": "odd"}', 'ByKind') AS explained});
				log_has(qr/Custom Scan \(DynamoQuery\).*?Index: ByKind/s) }, 1]
	},
	{
		name => 'pgaudit',
		preload => 1,
		itself => [sub { sql('SELECT 3 AS audited'); log_has(qr/AUDIT: SESSION,.*SELECT 3 AS audited/) }, 1],
		together => [sub {
				sql(q{SELECT dynamo.update_item('Shop', '{"id": "4"}', 'SET y = :y', '{":y": 4}')});
				log_has(qr/AUDIT: SESSION,.*SELECT dynamo\.update_item/) }, 1]
	},
	{
		name => 'pg_cron',
		preload => 1,
		itself => [sub { scheduled(q{UPDATE plain SET by_cron = true}, 'SELECT by_cron OR NULL FROM plain') }, 'done'],
		together => [sub {
				my $done = scheduled(q{SELECT dynamo.put_item('Shop', '{"id": "cron"}')}, q{SELECT item FROM dynamo.get_item('Shop', 'cron')});
				$done . sql(q{SELECT dynamo.delete_item('Shop', '{"id": "cron"}')}) }, 'done']
	},
	{
		name => 'postgis',
		itself => [sub { sql(q{SELECT ST_AsText(ST_Centroid('POLYGON((0 0, 0 2, 2 2, 2 0, 0 0))'::geometry))}) }, 'POINT(1 1)'],
		together => [sub { my $point = q{ST_MakePoint((item->>'x')::float8, (item->>'y')::float8)};
				nearest("gist ($point)", "$point <-> ST_MakePoint(6.9, 6.8)") }, '7 6 8']
	},
	{
		name => 'vector',
		itself => [sub { sql(q{SELECT '[1,2]'::vector <-> '[1,4]'}) }, '2'],
		together => [sub { my $vector = q{(('[' || (item->>'x') || ',' || (item->>'y') || ']')::vector(2))};
				nearest("hnsw ($vector vector_l2_ops)", "$vector <-> '[6.9,6.8]'") }, '7 6 8']
	},
	{
		name => 'pg_repack',
		itself => [sub { (run('pg_repack -d postgres -t plain'))[1] }, 0],
		together => [sub {
				my @answer = run(q{pg_repack -d postgres -t 'dynamo_data."Shop"'});
				$answer[1] . sql(q{SELECT * FROM dynamo.check_table('Shop')}) }, 0]
	},
);

sub is_there
{
	my ($other) = @_;
	return -e ($other->{library} ? "$root$library/$other->{name}.so" : "$root$share/extension/$other->{name}.control");
}

# All of a database that its dump has, objects of extensions in full, but for
# the numbers that relations, files and transactions have, and how far sequences
# are.
sub dumped
{
	my $dump = run('pg_dump -s --binary-upgrade postgres');
	$dump =~ s/(binary_upgrade_set_next_\w+\(')\d+/$1N/g;
	$dump =~ s/(SET relfrozenxid = ')\d+(', relminmxid = ')\d+/$1N$2N/g;
	$dump =~ s/(^WHERE oid = ')\d+|(pg_catalog\.setval\('[^']+', )\d+/($1 \/\/ $2) . 'N'/gme;
	$dump =~ s/^\\(?:un)?restrict .*$//mg;
	return $dump;
}

sub items
{
	return sql(q{SELECT item FROM dynamo.scan('Shop') ORDER BY item->>'id'});
}

# As "is", without a screenful of what is the same.
sub same
{
	my ($have, $wanted, $what) = @_;
	my @have = split /\n/, $have;
	my @wanted = split /\n/, $wanted;
	my %have = map { $_ => 1 } @have;
	my %wanted = map { $_ => 1 } @wanted;
	ok($have eq $wanted, $what)
	  or diag(join "\n", (map { "+ $_" } grep { !$wanted{$_} } @have), map { "- $_" } grep { !$have{$_} } @wanted);
	return;
}

sub make_dynamo
{
	is(sql(q{CREATE EXTENSION dynamo;
		SELECT dynamo.create_table('Shop', 'id') IS NOT NULL;
		SELECT dynamo.create_index('Shop', 'ByKind', 'kind');
		SELECT dynamo.enable_stream('Shop') IS NOT NULL;
		SELECT count(*) FROM generate_series(1, 20) AS i, dynamo.put_item('Shop', jsonb_build_object(
			'id', i::text, 'x', i, 'y', i, 'kind', CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END)::dynamo.item)}),
		"t\n\nt\n20", 'dynamo is made');
	return;
}

# Requests by HTTP, SQL and plain SQL, after which the items are as before.
sub dynamo_works
{
	my ($when) = @_;
	my $before = items();
	ok(wait_for(sub { (call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"http"},"kind":{"S":"odd"}}}')->{status} // 0) == 200 }, 120),
		"dynamo serves, $when");
	like(call('Query', '{"TableName":"Shop","IndexName":"ByKind","KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{":k":{"S":"odd"}}}')->{body},
		qr/"Count":11,/, 'and finds by an index');
	is(sql(q{SELECT item->>'id' FROM dynamo.query('Shop', 'kind = :k', '{":k": "even"}', 'ByKind') ORDER BY (item->>'x')::int LIMIT 1;
		DELETE FROM dynamo_data."Shop" WHERE item->>'id' = 'http'}), '2', 'and in SQL');
	same(items(), $before, 'and keeps its items');
	return;
}

sub others_work
{
	my ($how, @there) = @_;
	foreach my $other (@there)
	{
		my ($work, $answer) = @{ $other->{$how} };
		my $name = "$other->{name} works" . ($how eq 'together' ? ' with dynamo' : '');
		if (ref $answer) { like($work->(), $answer, $name) } else { is($work->(), $answer, $name) }
	}
	return;
}

# PostGIS does not want to be audited when it is made.
sub make_others
{
	my (@there) = @_;
	foreach my $other (grep { !$_->{library} } @there)
	{
		is(sql("SET pgaudit.log = 'none'; CREATE EXTENSION $other->{name}"), '', "$other->{name} is made");
	}
	return;
}

sub drop_others
{
	my (@there) = @_;
	foreach my $other (grep { !$_->{library} } @there)
	{
		is(sql("DROP EXTENSION $other->{name}"), '', "$other->{name} is dropped");
	}
	return;
}

my @there;
foreach my $other (@others)
{
  SKIP:
	{
		skip "there is no $other->{name}", 1 unless is_there($other);
		pass("there is $other->{name}");
		push @there, $other;
	}
}
my @preloaded = map { $_->{name} } grep { $_->{preload} } @there;
my $dynamo_first = join ', ', 'dynamo', @preloaded;
my $dynamo_last = join ', ', @preloaded, 'dynamo';
start_server("shared_preload_libraries = '$dynamo_first'\nautovacuum = off\n"
	  . "dynamo.http_authentication = trust\ndynamo.http_workers = 1\n"
	  . "cron.use_background_workers = on\ncron.host = ''\npgaudit.log = 'all'\nauto_explain.log_min_duration = 0\n");
sql('CREATE TABLE plain (a int PRIMARY KEY, by_cron bool); INSERT INTO plain VALUES (1)');
my $empty = dumped();

# Dynamo before the others, in the server, too.
make_dynamo();
dynamo_works('alone');
my $dynamo = dumped();
make_others(@there);
others_work('together', @there);
dynamo_works('beside them');
drop_others(reverse @there);
same(dumped(), $dynamo, 'nothing of dynamo has changed');
dynamo_works('when they are gone');
unlike(sql('SET client_min_messages = error; DROP EXTENSION dynamo CASCADE'), qr/ERROR/, 'dynamo is dropped');
same(dumped(), $empty, 'nothing is left of it');

# Dynamo after them.
sql("ALTER SYSTEM SET shared_preload_libraries = $dynamo_last");
server('halt');
server('restart') or BAIL_OUT('the server does not start with dynamo last');
make_others(@there);
others_work('itself', @there);
my $others = dumped();
make_dynamo();
others_work('together', @there);
dynamo_works('beside them');
unlike(sql('SET client_min_messages = error; DROP EXTENSION dynamo CASCADE'), qr/ERROR/, 'dynamo is dropped');
same(dumped(), $others, 'nothing of the others has changed');
others_work('itself', @there);
drop_others(reverse @there);
same(dumped(), $empty, 'nothing is left of them');

done_testing();

# A crash in the middle of concurrent inserts and updates of a table USING
# dynamo: what was acknowledged is there, indexes and table agree, every page
# that recovery made is the page that was (wal_consistency_checking), and
# placement goes on.  Then a standby replays the like and answers the same.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IO::Handle;
use POSIX qw(_exit);
use Test::More;
use lib dirname(__FILE__);
use Server;
use Standby;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $clients = 4;
start_server(join "\n", 'wal_consistency_checking = all',
	'max_wal_size = 64MB', 'max_wal_senders = 4', 'autovacuum_naptime = 1s');
my %env = environment();

# Start writers; each tells in a file which rows were committed.
sub start_writers
{
	my ($round) = @_;
	my @pids;
	foreach my $client (1 .. $clients)
	{
		my $pid = fork() // die;
		if ($pid == 0)
		{
			local %ENV = (%ENV, %env);
			open STDERR, '>', '/dev/null';
			open my $in, '|-', "psql -XAqt > \"$top/tmp/am_crash.$client\""
			  or _exit(1);
			$in->autoflush(1);
			local $SIG{PIPE} = sub { _exit(0) };
			foreach my $n (1 .. 1_000_000)
			{
				my $pk = $n % 20;
				print $in "WITH i AS (INSERT INTO items VALUES ($pk, '$round-$client-$n',"
				  . " jsonb_build_object('c', $client, 'n', $n, 'pad', repeat('x', 100))) RETURNING sk) SELECT sk FROM i;\n";
				print $in "UPDATE items SET item = item || '{\"touched\": true}' WHERE pk = $pk AND sk = '$round-$client-" . ($n - 20) . "';\n"
				  if $n % 3 == 0;
				print $in "DELETE FROM items WHERE pk = $pk AND sk = 'never';\n"
				  if $n % 50 == 0;
			}
			_exit(0);
		}
		push @pids, $pid;
	}
	return @pids;
}

# The rows of a round that the writers have told, lines cut short left out.
sub told
{
	my ($round) = @_;
	my @rows;
	foreach my $client (1 .. $clients)
	{
		open my $f, '<', "$top/tmp/am_crash.$client" or next;
		push @rows, map { /^($round-\d+-\d+)\n\z/ ? $1 : () } <$f>;
	}
	return @rows;
}

sub check_table
{
	my ($what, $where) = @_;
	is( sql(
			q{SELECT string_agg(coalesce(bt_index_check(indexrelid, true)::text, 'null'), ',')
			  FROM pg_index WHERE indrelid = 'items'::regclass}, $where),
		',,', "$what: indexes and table agree");
	is( sql(
			q{SET enable_seqscan = off; SELECT count(*) FROM items WHERE item ->> 'c' >= '0'}, $where),
		sql(q{SELECT count(*) FROM items}, $where),
		"$what: an index finds as many rows as the table has");
	cmp_ok(
		sql(
			q{SELECT max(n) FROM (SELECT count(*)::numeric / count(DISTINCT (ctid::text::point)[0]) * -1 AS n FROM items GROUP BY pk) s}, $where),
		'<', -3, "$what: collections lie together");
}

psql($_) for 'CREATE EXTENSION dynamo', 'CREATE EXTENSION amcheck',
  'CREATE TABLE items (pk int, sk text, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo WITH (fillfactor = 90)',
  q{CREATE INDEX gsi1 ON items ((item ->> 'c')) WHERE item ->> 'c' IS NOT NULL},
  q{CREATE INDEX gsi2 ON items (((item ->> 'n')::int), (item ->> 'c'))};

foreach my $round (1, 2)
{
	my @pids = start_writers($round);
	sleep 3;

	# So many that a collection has more than a page.
	for (1 .. 180)
	{
		last if told($round) > 1000;
		sleep 1;
	}
	server('crash') or BAIL_OUT('could not crash');
	waitpid $_, 0 for @pids;
	server('restart') or BAIL_OUT('no restart');

	my @told = told($round);
	cmp_ok(scalar @told, '>', 100, "round $round: rows were acknowledged");
	my $list = join ',', map { "('$_')" } @told;
	open my $f, '>', "$top/tmp/am_crash.sql" or die;
	print $f "SELECT count(*) FROM (VALUES $list) AS told (sk) WHERE NOT EXISTS (SELECT FROM items i WHERE i.sk = told.sk)";
	close $f;
	{
		local %ENV = (%ENV, %env);
		is(`psql -XAqt -f "$top/tmp/am_crash.sql"`, "0\n", "round $round: all of them are there");
	}
	check_table("round $round");
}

# The standby: a copy of the running server that follows it.
start_standby("listen_addresses=''");
my $there = "'port=" . standby_port() . " dbname=postgres'";
my @pids = start_writers(3);
sleep 2;
kill 'TERM', @pids;
waitpid $_, 0 for @pids;
sleep 1 while psql(q{SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND query ~ 'items' AND pid <> pg_backend_pid()}) ne '0';
psql('VACUUM items');
psql(q{INSERT INTO items SELECT i % 20, 'last-' || i, '{"c": 0, "n": 0}' FROM generate_series(1, 500) i});
follows() or BAIL_OUT('the standby is behind');
is( sql(q{SELECT md5(string_agg(ctid || t::text, ',' ORDER BY ctid)) FROM items t}, $there),
	psql(q{SELECT md5(string_agg(ctid || t::text, ',' ORDER BY ctid)) FROM items t}),
	'the standby has every row in the same place');
check_table('standby', $there);
ok(standby_control('-m', 'fast', 'stop'), 'it stops');

unlink map { "$top/tmp/am_crash.$_" } 1 .. $clients, 'sql';
done_testing();

#!/usr/bin/env perl
# check_table() tells what a broken disk, or a broken program, has done to a
# table: to its pages, items, keys and indexes.  Each case damages a table of
# its own in the files of a stopped server.  In the end bytes are changed at
# random: whatever they are, the check ends with an answer.
use strict;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Server;
use Test::More;

my $random = 7;

# A generator of our own, the same everywhere.
sub chance
{
	my ($n) = @_;
	$random = ($random * 1103515245 + 12345) % 2**31;
	return int($random / 65536) % $n;
}

# A damaged page is read by us, not refused by its checksum, which pages have from
# PostgreSQL 18 on and which would be warned of.
start_server("ignore_checksum_failure = on\nclient_min_messages = error\nautovacuum = off\n");
sql("CREATE EXTENSION dynamo");

# A table of three items in collections of their own, with an index.
sub table
{
	my ($name) = @_;
	psql("SELECT dynamo.create_table('$name', 'pk');
		SELECT dynamo.create_index('$name', 'ByOwner', 'owner');
		SELECT dynamo.put_item('$name', item::dynamo.item) FROM (VALUES
			('{\"pk\": \"customer-1\", \"owner\": \"Ann\", \"colour\": \"red\"}'),
			('{\"pk\": \"customer-2\", \"owner\": \"Ben\", \"colour\": \"blue\"}'),
			('{\"pk\": \"customer-3\", \"colour\": \"green\"}')) AS v (item)");
	return;
}

sub check
{
	my ($name) = @_;
	return sql("SELECT CASE WHEN relation = dynamo.relation('$name') THEN 'table' ELSE 'index' END,
			coalesce(line::text, '-') || ':', problem
		FROM dynamo.check_table('$name') ORDER BY 1 DESC, line, problem");
}

# Change the file of a relation in place.
my (%file, %change);
sub damage
{
	my ($name, $relation, $change) = @_;
	$file{$name} = directory() . '/data/' . sql("SELECT pg_relation_filepath($relation)");
	$change{$name} = $change;
	return;
}

sub patch
{
	my ($name) = @_;
	open my $file, '+<:raw', $file{$name} or die "$file{$name}: $!";
	my $bytes = do { local $/; <$file> };
	my $new = $change{$name}->($bytes);
	seek $file, 0, 0;
	print $file $new;
	truncate $file, length $new;
	close $file or die;
	return;
}

# Where line n of the first page has its tuple.
sub tuple
{
	my ($bytes, $n) = @_;
	return unpack('V', substr($bytes, 24 + 4 * ($n - 1), 4)) & 0x7fff;
}

# With other bits of the tuple's mask.
sub mask
{
	my ($bytes, $n, $clear, $set) = @_;
	my $at = tuple($bytes, $n) + 20;
	substr($bytes, $at, 2) = pack('v', unpack('v', substr($bytes, $at, 2)) & ~$clear | $set);
	return $bytes;
}

# The last place of a text: that in the first row's item, behind the one in its
# key, since tuples fill a page from its end.
sub replace_last
{
	my ($bytes, $from, $to) = @_;
	my $at = rindex $bytes, $from;
	die "no $from" if $at < 0;
	substr($bytes, $at, length $from) = $to;
	return $bytes;
}

my @cases = (
	[ 'LinePointer', 'a line pointer that leads out of the page',
		sub { my ($b) = @_; substr($b, 24, 4) = pack('V', 8184 | 1 << 15 | 200 << 17); $b },
		'table 1: line pointer leads to bytes 8184 to 8384, which hold no tuples' ],
	[ 'Lines', 'more lines than tuples can be on a page',
		sub { my ($b) = @_; substr($b, 12, 2) = pack('v', 24 + 4 * 1900); substr($b, 24, 4 * 1900) = substr($b, 24, 4) x 1900; $b },
		'table -: page has 1900 lines, and room for 291' ],
	[ 'Next', 'a deleted row whose next version is itself',
		sub {
			my ($b) = @_;
			my $at = tuple($b, 1);
			substr($b, $at + 4, 4) = substr($b, $at, 4);
			substr($b, $at + 18, 4) = pack('vv', unpack('v', substr($b, $at + 18, 2)) | 0x4000, 0x0502);
			$b;
		},
		'table 1: tuple was updated on its page, but its next version is (0,1)' ],
	[ 'Columns', 'more columns than the table has',
		sub { my ($b) = @_; substr($b, tuple($b, 1) + 18, 2) = pack('v', 9); $b },
		'table 1: tuple has 9 columns, the table 2' ],
	[ 'Header', 'columns that begin elsewhere',
		sub { my ($b) = @_; substr($b, tuple($b, 2) + 22, 1) = chr 32; $b },
		qr/^table 2: tuple of \d+ bytes has its columns at byte 32 instead of 24$/ ],
	[ 'Transaction', 'a row of a transaction that has not begun',
		sub { my ($b) = @_; substr($b, tuple($b, 3), 4) = pack('V', 1_000_000_000); $b },
		'table 3: xmin is transaction 1000000000, which has not begun' ],
	[ 'Multi', 'a row that a multitransaction has changed which there is not',
		sub { my ($b) = @_; mask($b, 1, 0x1800, 0x1000) },
		'table 1: xmax is multitransaction 0, which is not one of this table\'s' ],
	[ 'Updater', 'a multitransaction of locks alone that has changed a row',
		sub { my ($b) = @_; mask($b, 1, 0x80, 0) },
		'table 1: tuple has no updater' ],
	[ 'Length', 'a column that is longer than its row',
		sub { my ($b) = @_; substr($b, tuple($b, 1) + 24, 1) = chr 0xff; $b },
		'table 1: column 1 ends behind the tuple' ],
	[ 'Stub', 'a row without room for its header',
		sub { my ($b) = @_; substr($b, 24, 4) = pack('V', unpack('V', substr($b, 24, 4)) & 0x1ffff | 16 << 17); $b },
		'table 1: tuple of 16 bytes is too short for its header' ],
	[ 'Beyond', 'a line that leads to one behind the last',
		sub { my ($b) = @_; substr($b, 24, 4) = pack('V', 77 | 2 << 15); $b },
		'table 1: line pointer redirects to line 77 of 3' ],
	[ 'Circle', 'a line that leads to itself',
		sub { my ($b) = @_; substr($b, 24, 4) = pack('V', 1 | 2 << 15); $b },
		'table 1: line pointer redirects to line 1, which has no tuple' ],
	[ 'Past', 'a row of a transaction before the table',
		sub { my ($b) = @_; substr($b, tuple($b, 3), 4) = pack('V', 3); $b },
		qr/^table 3: xmin is transaction 3, before the table's oldest, \d+$/ ],
	[ 'Pointer', 'a column that is elsewhere, but not in the table for that',
		sub { my ($b) = @_; substr($b, tuple($b, 1) + 24, 2) = "\1\5"; $b },
		"table 1: column 1 has a pointer that is none of TOAST's" ],
	[ 'Nothing', 'a column whose length has no room for itself',
		sub { my ($b) = @_; substr($b, tuple($b, 1) + 24, 4) = pack('V', 1 << 2); $b },
		'table 1: column 1 is shorter than its own length' ],
	[ 'Order', 'attributes out of order',
		sub { my ($b) = @_; replace_last($b, 'colour', 'zolour') },
		'table 1: item is not as it would be made' ],
	[ 'Key', 'a key that is not the item\'s',
		sub { my ($b) = @_; replace_last($b, 'customer-2', 'customer-9') },
		'table 2: partition key is not that of the item' ],
	[ 'Entry', 'an index entry of another value',
		sub { my ($b) = @_; replace_last($b, 'Ben', 'Bob') },
		'index 2: entry is not what its row makes' ],
	[ 'Sparse', 'an index entry of an item that has lost the attribute',
		sub { my ($b) = @_; replace_last($b, 'owner', 'ownez') },
		"index 1: entry of a row that does not belong into the index\n"
		  . 'index -: entries lead to 2 rows, but 1 belong into the index' ],
	[ 'Zeros', 'a page that the disk has lost',
		sub { my ($b) = @_; "\0" x length $b },
		join("\n", map { "index $_: entry leads to no row" } 1, 1, 2, 2, 3) ]);

table($_->[0]) foreach @cases;

# Two transactions lock a row at once.
{
	my @lockers;
	foreach my $n (1, 2)
	{
		push @lockers, session(q{BEGIN; SELECT FROM dynamo_data."Updater" WHERE item ->> 'pk' = 'customer-1' FOR KEY SHARE;
			SELECT pg_advisory_lock_shared(1)});
		wait_for(sub { sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") eq $n }, 120) or die;
	}
	close $_ foreach @lockers;
}
is(check($_->[0]), '', "$_->[0]: sound") foreach @cases;

# Indexes that were not told of an item, and one that has lost a page.
table('Untold');
sql("UPDATE pg_index SET indisready = false WHERE indrelid = dynamo.relation('Untold') AND NOT indisprimary");
sql("SELECT dynamo.put_item('Untold', '{\"pk\": \"customer-4\", \"owner\": \"Cid\"}')");
sql("UPDATE pg_index SET indisready = true WHERE indrelid = dynamo.relation('Untold')");
table('Leaf');
table('Toast');
psql("ALTER TABLE dynamo_data.\"Toast\" ALTER item SET STORAGE EXTERNAL;
	SELECT dynamo.put_item('Toast', dynamo.item_set('{\"pk\": \"long\"}', '{text}', to_jsonb(repeat('long ', 2000))))");
table('Short');

# A row with a column of the user's, which has one length.
table('Fixed');
psql('ALTER TABLE dynamo_data."Fixed" ADD COLUMN n bigint DEFAULT 7',
	"SELECT dynamo.put_item('Fixed', '{\"pk\": \"customer-4\"}')");
is(check('Fixed'), '', 'Fixed: sound');
table('Other');
sql("CREATE ROLE other LOGIN; GRANT SELECT ON dynamo_data.\"Other\" TO other");

# Many pages, some of them with collections that were updated and deleted.
psql("SELECT dynamo.create_table('Random', 'pk', 'sk');
	SELECT dynamo.create_index('Random', 'ByOwner', 'owner');
	SELECT count(dynamo.put_item('Random', format('{\"pk\": \"p%s\", \"sk\": \"%s\", \"owner\": \"o%s\", \"text\": \"%s\"}',
		i % 40, i, i % 9, repeat('x', i % 700))::dynamo.item)) FROM generate_series(1, 3000) AS i;
	SELECT count(dynamo.update_item('Random', format('{\"pk\": \"p%s\", \"sk\": \"%s\"}', i % 40, i)::dynamo.item,
		'SET n = :n', '{\":n\": 1}')) FROM generate_series(1, 3000, 7) AS i;
	SELECT count(dynamo.delete_item('Random', format('{\"pk\": \"p%s\", \"sk\": \"%s\"}', i % 40, i)::dynamo.item))
	FROM generate_series(1, 3000, 11) AS i");
is(check('Random'), '', 'Random: sound');
like(sql("SELECT pages > 50, items, collections, fill > 0.3, pages_per_collection >= 1 FROM dynamo.table_placement('Random')"),
	qr/^t 2727 40 t t$/, 'its placement');

# A writer at work is no damage, and is not kept waiting.
{
	my $writer = in_transaction("BEGIN; SELECT dynamo.put_item('Random', '{\"pk\": \"p1\", \"sk\": \"new\", \"owner\": \"o1\"}')");
	is(check('Random'), '', 'beside a writer');
	print $writer "ROLLBACK;\n";
	close $writer;
}

# Neither is a row that was taken back, because somebody else was first to insert
# its key.
table('Race');
{
	my $first = in_transaction("BEGIN; SELECT dynamo.put_item('Race', '{\"pk\": \"customer-4\"}')");
	my $second = session("SELECT dynamo.put_item('Race', '{\"pk\": \"customer-4\", \"owner\": \"Dan\"}')");
	wait_for(sub { sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'") eq '1' });
	is(check('Race'), '', 'a row that was taken back');
	print $first "COMMIT;\n";
	close $first;
	close $second;
}

# An index that was built after the snapshot was taken has the newer version alone.
table('Later');
{
	my $reader = in_transaction("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dynamo.tables");
	psql("SELECT dynamo.update_item('Later', '{\"pk\": \"customer-1\"}', 'SET colour = :c', '{\":c\": \"black\"}')",
		"CREATE INDEX ON dynamo_data.\"Later\" ((item ->> 'colour'))");
	is(sql("SELECT count(*) FROM pg_index WHERE indrelid = dynamo.relation('Later') AND indcheckxmin"), '1',
		'an index that lacks a version');
	print $reader "CREATE TABLE seen AS SELECT * FROM dynamo.check_table('Later'); COMMIT;\n";
	close $reader;
	is(sql("SELECT count(*) FROM seen"), '0', 'beside an older snapshot');
}

# What the owner of a table may ask nobody else may.
like(sql("SET ROLE other; SELECT * FROM dynamo.check_table('Other')"),
	qr/ERROR:  must be owner of table Other/, 'for its owner alone');

# A function in an index of the owner's is not run as the superuser who checks.
psql("GRANT CREATE ON SCHEMA public, dynamo_data TO other",
	"SET ROLE other; SELECT dynamo.create_table('Trap', 'pk');
	SELECT dynamo.put_item('Trap', '{\"pk\": \"x\"}');
	CREATE FUNCTION trap(dynamo.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS \$\$
	BEGIN
		IF current_user = 'postgres' THEN
			RAISE 'trapped';
		END IF;
		RETURN 'x';
	END \$\$;
	CREATE INDEX ON dynamo_data.\"Trap\" (trap(item))");
is(check('Trap'), '', 'functions in indexes run as the owner');
like(sql("SELECT * FROM dynamo.check_table('Nowhere')"),
	qr/Requested resource not found/, 'no such table');

damage($_->[0], "dynamo.relation('$_->[0]')", $_->[2]) foreach @cases;
damage('Leaf', "(SELECT indexrelid FROM pg_index WHERE indrelid = dynamo.relation('Leaf') AND NOT indisprimary)",
	sub { my ($b) = @_; substr($b, 8192, 8192) = "\0" x 8192; $b });
damage('Toast', "(SELECT reltoastrelid FROM pg_class WHERE oid = dynamo.relation('Toast'))",
	sub { my ($b) = @_; "\0" x length $b });
damage('Fixed', "dynamo.relation('Fixed')", sub {
	my ($b) = @_;
	my $at = 24 + 4 * 3;
	substr($b, $at, 4) = pack('V', unpack('V', substr($b, $at, 4)) - (8 << 17));
	$b });
damage('Short', "dynamo.relation('Short')", sub { '' });
damage('Random', "dynamo.relation('Random')", sub {
	my ($b) = @_;
	for (my $page = 0; $page < length $b; $page += 8192)
	{
		next if chance(4) == 0;
		substr($b, $page + 24 + chance(8192 - 24), 1) = chr chance(256) for 1 .. 20;
	}
	$b });
sql("CHECKPOINT");
server('halt');
patch($_) foreach sort keys %change;
server('restart');

foreach my $case (@cases)
{
	my ($name, $what, undef, $problem) = @$case;
	if (ref $problem) { like(check($name), $problem, "$name: $what"); }
	else { is(check($name), $problem, "$name: $what"); }
}
is(check('Untold'), "index 4: row has no entry\nindex -: entries lead to 2 rows, but 3 belong into the index",
	'Untold: a row without its entry');
like(check('Leaf'), qr/^index -: index ".*" contains unexpected zero page at block 1$/, 'Leaf: a page of an index');
like(check('Toast'), qr/^table \d: (?:missing|unexpected) chunk number 0/, 'Toast: a long item that is gone');
is(check('Fixed'), 'table 4: column 3 ends behind the tuple', 'Fixed: a row that was cut off');
like(check('Short'), qr/^index 1: entry leads behind the table's end/m, 'Short: a file that was cut off');
cmp_ok(sql("SELECT count(*) FROM dynamo.check_table('Random')"), '>', 50, 'Random: whatever it was');
is(sql("SELECT 1"), '1', 'and the server is well');

done_testing();

# Where many tables, of several databases, share little memory for statistics:
# each request is counted once and in its database, and what is gone gives its
# room back, but not its counts.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
	  . "dynamo.stat_max_tables = 10\ndynamo.stat_max_key_sets = 1\n");
sql('CREATE EXTENSION dynamo');
sql('CREATE DATABASE other');
sql('CREATE EXTENSION dynamo', 'other');

sub tables { my ($name, $n) = @_; return map { "$name$_" } 1 .. $n }
sub create { my ($database, @tables) = @_; sql("SELECT dynamo.create_table('$_', 'id')", $database) foreach @tables; return }
sub drop { my ($database, @tables) = @_; sql("SELECT dynamo.drop_table('$_')", $database) foreach @tables; return }

# Requests of six kinds for each.
sub use_all
{
	my ($database, @tables) = @_;
	sql(join('', map { qq{SELECT dynamo.put_item('$_', '{"id": "a"}'); SELECT * FROM dynamo.get_item('$_', 'a');
		SELECT dynamo.update_item('$_', '{"id": "a"}', 'REMOVE x'); SELECT dynamo.delete_item('$_', 'a');
		SELECT * FROM dynamo.query('$_', 'id = :i', '{":i": "a"}'); SELECT * FROM dynamo.scan('$_');} } @tables), $database);
	return;
}
my $requests = q{SELECT coalesce(sum(requests), 0) FROM dynamo.stat_operations WHERE operation <> 'CreateTable' AND operation <> 'DeleteTable'};
my $named = q{SELECT count(*) FROM dynamo.stat_tables};

# One request is about seven tables: its units are those of each, and it is one.
my @many = tables('Many', 9);
create('postgres', @many);
sql(q{SELECT dynamo.transact_write('[} . join(',', map { qq({"Put":{"TableName":"$_","Item":{"id":"t"}}}) } @many[0 .. 6]) . q{]')});
is(sql(q{SELECT count(*), sum(requests), min(write_units), max(write_units) FROM dynamo.stat_table_operations WHERE operation = 'TransactWriteItems' AND table_name LIKE 'Many%'}),
	'7 1 2 2', 'a transaction of seven tables is one request, and each has its units');

# One transaction records changes of nine tables.
sql(join(';', map { "SELECT dynamo.enable_stream('$_')" } @many));
sql('BEGIN;' . join('', map { qq{SELECT dynamo.put_item('$_', '{"id": "a"}');} } @many) . 'COMMIT');
is(sql(q{SELECT count(*) FROM dynamo.stat_tables WHERE stream_records = 1}), '9', 'a transaction counts the records of nine tables');
sql('BEGIN;' . join('', map { qq{SELECT dynamo.put_item('$_', '{"id": "b"}');} } @many[0 .. 6]) . 'ROLLBACK');
is(sql(q{SELECT count(*) FROM dynamo.stat_tables WHERE stream_records = 1}), '9', 'one that is rolled back none');

# Another database has its own, and can count where there is no room for tables.
my @more = tables('More', 20);
create('postgres', @more);
use_all('postgres', @more);
is(sql($named), '10', 'there is room for ten tables');
create('other', 'Strange');
my $untracked = sql('SELECT dynamo_internal.stat_untracked()');
use_all('other', 'Strange');
is(sql($requests, 'other'), '6', 'requests of a database are counted without a table');
is(sql('SELECT dynamo_internal.stat_untracked()') - $untracked, 6, '... each once, with what it read and wrote');
is(sql($named, 'other'), '0', '... for which there is no room');
my $all = sql($requests);
sql('SELECT dynamo.stat_reset()', 'other');
is(sql($requests, 'other'), '0', 'one database forgets what it has counted');
is(sql($requests), $all, '... another does not');

# Tables that are dropped leave their counts and make room, as often as they do.
drop('postgres', @many, @more);
is(sql($requests), $all, 'what dropped tables have counted is in the sums');
my $given = sub { return wait_for(sub { use_all('other', 'Strange'); return sql($named, 'other') eq '1' }) };
sql('ALTER SYSTEM SET dynamo.ttl_interval = 1; SELECT pg_reload_conf()');
ok($given->(), 'maintenance gives their room to others');
is(sql($requests), $all, '... and the sums are what they were');
drop('other', 'Strange');

my @nine = tables('Nine', 9);
foreach my $round (1 .. 4)
{
	create('postgres', @nine);
	wait_for(sub { use_all('postgres', @nine); return sql($named) eq '9' });
	my $sum = sql($requests);
	use_all('postgres', @nine);
	is(sql($requests), $sum + 54, "all requests on nine tables are counted, round $round");
	drop('postgres', @nine);
}

# A database that is dropped gives back its tables and its keys.
create('other', @nine, 'Tenth');
sql(q{SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Nine1", "ContributorInsightsAction": "ENABLE"}')}, 'other');
ok(wait_for(sub { use_all('other', @nine, 'Tenth'); return sql($named, 'other') eq '10' }), 'another database has all room');
create('postgres', 'Last');
sql(q{SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Last", "ContributorInsightsAction": "ENABLE"}')});
my $keys = q{SELECT count(*) FROM dynamo.stat_keys('Last')};
use_all('postgres', 'Last');
is(sql($named) . sql($keys), '00', '... and a table here none, nor for its keys');
sql('DROP DATABASE other WITH (FORCE)');
ok(wait_for(sub { use_all('postgres', 'Last'); return sql($named) eq '1' }), 'when that is dropped, it has room');
ok(wait_for(sub { use_all('postgres', 'Last'); return sql($keys) > 0 }), '... and for its keys');

ok(!log_has(qr/could not forget statistics/), '... and nothing went wrong with that');

# So has a table that is dropped.
drop('postgres', 'Last');
create('postgres', 'Final');
sql(q{SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Final", "ContributorInsightsAction": "ENABLE"}')});
ok(wait_for(sub { use_all('postgres', 'Final'); return sql($keys =~ s/Last/Final/r) > 0 }), 'a dropped table gives back its keys');

# And an index.  Its table's keys are counted where it was.
my $final = $keys =~ s/Last/Final/r;
sub count_keys
{
	my ($action, $more) = @_;
	return sql(qq{SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Final", "ContributorInsightsAction": "$action"$more}')});
}
sql(q{SELECT dynamo.create_index('Final', 'ByX', 'x')});
count_keys('DISABLE', '');
count_keys('ENABLE', ', "IndexName": "ByX"');
ok(wait_for(sub { sql(q{SELECT * FROM dynamo.query('Final', 'x = :x', '{":x": "a"}', index_name => 'ByX')}); return sql($final) eq '1' }),
	'an index has the only place for keys');
sql(q{SELECT dynamo.drop_index('Final', 'ByX')});
count_keys('ENABLE', '');
ok(wait_for(sub { use_all('postgres', 'Final'); return sql($final) > 0 }), 'when it is dropped, others have it');

# Indexes come and go, and the next one is counted.
my $y = 0;
sub put_y { $y++; return sql(qq{SELECT dynamo.put_item('Final', '{"id": "y", "y": "$y"}')}) }
foreach (1 .. 26)
{
	sql(q{SELECT dynamo.create_index('Final', 'ByY', 'y')});
	put_y();
	sql(q{SELECT dynamo.drop_index('Final', 'ByY')});
}
sql(q{SELECT dynamo.create_index('Final', 'ByY', 'y')});
ok(wait_for(sub { put_y(); return sql(q{SELECT write_units > 0 FROM dynamo.stat_indexes WHERE table_name = 'Final' AND index_name = 'ByY'}) eq 't' }),
	'the twenty-seventh index of a table is counted');

# A session that knows where a table is counted finds out that this was forgotten.
my $get = q{SELECT item->>'x' FROM dynamo.get_item('Final', 'a')};
is(psql($get, 'SELECT dynamo.stat_reset()', $get, $requests) =~ s/\s//gr, '1', 'counting goes on after a reset, in the same session');
done_testing();

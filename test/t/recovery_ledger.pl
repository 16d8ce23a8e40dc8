# What is known of commits, where no process of ours marks points and only those who
# write do: after a restart with a prepared transaction, when markers are rolled
# back, when recovery has just begun, when one who marks stands still meanwhile, and
# after the clock was set back.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;
my $seconds = 0;

sub later { set_clock($seconds += 10); return }

sub time_of { return sql('SELECT clock_timestamp()') }

sub put { my ($id, $table) = @_; $table //= 'Led'; return sql(qq{SELECT dynamo.put_item('$table', '{"id": "$id"}')}) }

# The items of a table so many seconds after a time; '' where that is not known.
sub past
{
	my ($time, $more, $table) = @_;
	$table //= 'Led';
	my $items = sql(qq{\\set VERBOSITY terse
		SELECT coalesce(string_agg(item->>'id', ' ' ORDER BY item->>'id'), 'none') FROM dynamo.scan('$table', as_of => timestamptz '$time' + interval '$more s')});
	return $items =~ /ERROR:  RestoreDateTime/ ? '' : $items;
}

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 0\nmax_prepared_transactions = 5\nautovacuum = off\n");
});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Led', 'id'), dynamo.enable_recovery('Led')});
put('a');

# Each marker is rolled back, at the moment when somebody commits.
my @time;
foreach my $id (qw(b c d))
{
	later();
	sql('BEGIN; SELECT dynamo.mark_recovery(); ROLLBACK');
	put($id);
	push @time, time_of();
}
is(past($time[0], 5), 'a b', 'a marker that is rolled back does not keep others from marking');
is(past($time[1], 5), 'a b c', '... as often as it is');

# Recovery begins just after somebody has marked a point.
later();
sql('SELECT dynamo.mark_recovery()');
sql(q{SELECT dynamo.create_table('New', 'id'), dynamo.enable_recovery('New')});
my $new = time_of();
put('a', 'New');
later();
put('b', 'New');
is(past($new, 0, 'New'), 'none', 'the first change of a table can be undone');

# One stands still between his snapshot and his mark, while others commit.
later();
my $holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }, $PATIENCE) or die;
my $out = directory() . '/marked';
run(qq{psql -XAqt -c "SET dynamo_test.pause = 'mark'" -c 'SELECT dynamo.mark_recovery()' >$out 2>&1 &});
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) eq '1' }, $PATIENCE) or die;
put('e');
my $other = sql('SELECT dynamo.mark_recovery()');
close $holder;
my $marked;
ok(wait_for(sub { $marked = run("cat $out"); return $marked ne '' }, $PATIENCE), 'who stood still marks, too');
is(sql("SELECT timestamptz '$marked' > '$other'"), 't', '... later');
is(past($marked, 0), 'a b c d e', '... what had been committed by then');

# One stands still between his snapshot and its time.  What is committed meanwhile was
# there at that time, so the snapshot is of no use.
later();
sql(q{BEGIN; SELECT dynamo.put_item('New', '{"id": "c"}'); PREPARE TRANSACTION 'meanwhile'});
$holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }, $PATIENCE) or die;
run(qq{psql -XAqt -c "SET dynamo_test.pause = 'snapshot'" -c 'SELECT dynamo.mark_recovery()' >$out 2>&1 &});
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) eq '1' }, $PATIENCE) or die;
sql(q{COMMIT PREPARED 'meanwhile'});
later();
close $holder;
ok(wait_for(sub { $marked = run("cat $out"); return $marked ne '' }, $PATIENCE), 'who stood still before his time marks, too');
is(past($marked, 0, 'New'), 'a b c', '... what had been committed by his time');

# What is prepared when the server ends.
later();
sql(q{BEGIN; SELECT dynamo.put_item('Led', '{"id": "prepared"}'); PREPARE TRANSACTION 'one'});
server('halt') or die 'it does not end';
with_clock(sub { server('restart') }) or die 'it does not start';
put('f');
my $open = time_of();
later();
sql(q{COMMIT PREPARED 'one'});
later();
put('g');
my $done = time_of();
later();
put('h');
like(past($open, 5), qr/^(a b c d e f)?$/, 'before a prepared transaction commits it is not there, or nobody knows');
is(past($done, 5), 'a b c d e f g prepared', 'later it is');

# It ends, and nobody can tell when or how; but at the second point nothing had been
# written since the first.
later();
sql(q{BEGIN; SELECT dynamo.put_item('Led', '{"id": "second"}'); PREPARE TRANSACTION 'two'});
put('k');
sql('SELECT dynamo.mark_recovery()');
my $quiet = time_of();
later();
sql(q{ROLLBACK PREPARED 'two'});
later();
put('l');
is(past($quiet, 5), 'a b c d e f g h k prepared', 'nothing was written between two points');

# A transaction does not see what others commit, nor their points.  It has the times
# up to now, and when the table has changed those before that.
sql('SELECT dynamo.mark_recovery()');
later();
my $write = q{psql -XAqt -c "SELECT FROM dynamo.put_item('%s', jsonb_build_object('id', 'm')::dynamo.item)"};
my $led = q{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Led', as_of => (SELECT latest FROM dynamo.recovery_window('Led')))};
my @answers = split /\n/, sql(join "\n", 'BEGIN ISOLATION LEVEL REPEATABLE READ;',
	'SELECT clock_timestamp() AS began \gset',
	'\! ' . sprintf($write, 'New'),
	q{SELECT latest >= :'began' FROM dynamo.recovery_window('Led');}, "$led;",
	'SELECT clock_timestamp() AS quiet \gset',
	'\! ' . sprintf($write, 'Led'),
	'SELECT clock_timestamp() AS changed \gset',
	q{SELECT latest >= :'quiet' AND latest < :'changed' FROM dynamo.recovery_window('Led');}, "$led;");
is($answers[0], 't', 'a transaction has the times up to now');
is($answers[2], 't', '... or up to the next change, which it does not see');
is($answers[$_], 'a b c d e f g h k l prepared', '... and what there was then') foreach 1, 3;

# The clock is set back.
$seconds -= 3600;
later();
put('i');
my $back = time_of();
later();
put('j');
later();
is(past($back, 5), 'a b c d e f g h i k l m prepared', 'after the clock was set back what changes is known again');
is(past($back, 15), 'a b c d e f g h i j k l m prepared', '... and the present');
done_testing();

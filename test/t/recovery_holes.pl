# Stop the process that marks points of recovery, or starve it, and commit items:
# a time in between was answered by what had been before all of them, without an
# error, and nothing showed that there was a hole.  Now whoever commits marks a
# point, each time is answered right, and what nobody can know is refused and
# shown.  After the clock was set back, each second began all windows anew, and
# every time was refused until it had caught up.  After a restart without writes
# the first point was marked a minute later.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;

sub time_of { return sql('SELECT clock_timestamp()') }

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Holes', '{"id": "$id"}')}) }

# The items of a time that lies so many seconds from the one given.
sub past
{
	my ($time, $seconds) = @_;
	$seconds //= 0;
	return sql(qq{\\set VERBOSITY terse
		SELECT coalesce(string_agg(item->>'id', ' ' ORDER BY item->>'id'), 'none') FROM dynamo.scan('Holes', as_of => timestamptz '$time' + interval '$seconds s')});
}

# All processes of ours that do something by themselves.
sub signal_workers
{
	my ($signal) = @_;
	my @pids = split /\n/, sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type LIKE 'dynamo%'});
	kill $signal, @pids;
	return scalar @pids;
}

# Stop them where they wait: one that writes the log to disk would keep everybody from that.
sub stop_workers
{
	return wait_for(sub {
		signal_workers('STOP') or return 0;
		return 1 if sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'dynamo%' AND wait_event_type IS DISTINCT FROM 'Extension'}) eq '0';
		signal_workers('CONT');
		return 0;
	}, $PATIENCE);
}

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 3600\n"
	  . "max_prepared_transactions = 5\nautovacuum = off\n");
});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Holes', 'id'), dynamo.enable_recovery('Holes');
	SELECT dynamo.create_table('Quiet', 'id'), dynamo.enable_recovery('Quiet')});
wait_for(sub { sql(q{SELECT latest IS NOT NULL FROM dynamo.recovery_window('Holes')}) eq 't' }, $PATIENCE) or die 'no point is marked';

# Nobody marks points, and each ten seconds an item is committed.
ok(stop_workers(), 'the processes are stopped');
my ($seconds, @time) = (0);
foreach my $id ('a' .. 'e')
{
	set_clock($seconds += 10);
	put($id);
	push @time, time_of();
}
set_clock($seconds += 10);
is(past($time[$_], 5), join(' ', ('a' .. 'e')[0 .. $_]), "five seconds after item $_") foreach 0 .. 4;
is(past($time[$_], -5), join(' ', ('a' .. 'e')[0 .. $_ - 1]), "five seconds before item $_") foreach 1 .. 4;
is(sql('SELECT count(*) FROM dynamo.recovery_holes'), '0', 'there is no hole');
is(sql(qq{SELECT latest > timestamptz '$time[4]' + interval '5 s' FROM dynamo.recovery_window('Holes')}), 't', 'the window ends now');

# Whoever stands still while he commits: the time of his commit is when he goes on.
my $holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }, $PATIENCE) or die;
my $slow = session(q{SET dynamo_test.pause = 'commit'});
print $slow qq{SELECT dynamo.put_item('Holes', '{"id": "slow"}');\n};
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) eq '1' }, $PATIENCE) or die;
my $before = time_of();
set_clock($seconds += 10);
put('f');
my $between = time_of();
set_clock($seconds += 10);
close $holder;
wait_for(sub { sql(q{SELECT count(*) FROM dynamo.get_item('Holes', '{"id": "slow"}') WHERE item IS NOT NULL}) eq '1' }, $PATIENCE) or die;
my $after = time_of();
set_clock($seconds += 10);
put('g');
is(past($before, 5), 'a b c d e', 'who stands still has not committed');
my $within = qr/'[^']+' lies between points that are too far apart; the nearest times that can be restored are '([^']+)' and '([^']+)'/;
like(past($between, 5), $within, 'when another one does, who of them has is not known');
is(past($after, 5), 'a b c d e f slow', 'he has, when he goes on');

# A prepared transaction commits, and nobody notices: what was in between is not
# known, and said so.
set_clock($seconds += 10);
sql(q{BEGIN; SELECT dynamo.put_item('Holes', '{"id": "prepared"}'); PREPARE TRANSACTION 'one'});
my $prepared = time_of();
set_clock($seconds += 10);
sql(q{COMMIT PREPARED 'one'});
set_clock($seconds += 10);
is(sql(qq{SELECT table_name FROM dynamo.recovery_holes WHERE began_at > '$prepared'}), 'Holes', 'a hole that goes on is shown');
put('h');
my $known = time_of();
set_clock($seconds += 10);
is(past($prepared, -5), 'a b c d e f g slow', 'before it was prepared, it had not committed');
my ($first, $last) = past($prepared, 5) =~ $within;
ok($last, 'afterwards nobody knows');
is(past($first), 'a b c d e f g slow', 'the first of the nearest times');
is(past($last), 'a b c d e f g prepared slow', 'and the second');
is(past($known, 5), 'a b c d e f g h prepared slow', 'what comes later is known');
is(sql(qq{SELECT table_name, began_at < timestamptz '$prepared' + interval '3 s', began_at - interval '1 us' = '$first', ended_at = '$last' FROM dynamo.recovery_holes ORDER BY began_at DESC LIMIT 1}),
	'Holes t t t', 'the hole is shown');
is(sql(qq{SELECT count(*) FROM dynamo.scan('Quiet', as_of => timestamptz '$prepared' + interval '5 s')}), '0', 'for a table that was not written to there is none');
is(sql(q{SELECT count(*) FROM dynamo.recovery_holes WHERE table_name = 'Quiet'}), '0', '... shown, either');
like(sql(qq{SELECT dynamo.restore_table('Back', 'Holes', timestamptz '$prepared' + interval '5 s')}), qr/ERROR:  RestoreDateTime $within/, 'no restore');
like(sql(qq{SELECT dynamo.try_call('RestoreTableToPointInTime', json_build_object('SourceTableName', 'Holes', 'TargetTableName', 'Back',
	'RestoreDateTime', floor(extract(epoch FROM timestamptz '$prepared' + interval '5 s'))))}), qr/InvalidRestoreTimeException.*$within/, 'none by the API');

# The processes go on.
signal_workers('CONT');

# The clock is set back: that is said once, and recovery goes on.
set_clock($seconds -= 3600);
put('i');
ok(reported(qr/the clock was set back/), 'the log says that the clock was set back');
ok(wait_for(sub { sql(q{SELECT latest - earliest > interval '2 s' FROM dynamo.recovery_window('Holes')}) eq 't' }, $PATIENCE), 'a new window grows');
is(past(sql(q{SELECT latest FROM dynamo.recovery_window('Holes')})), 'a b c d e f g h i prepared slow', 'and can be read');
put('j');
my $here = time_of();
wait_for(sub { sql(qq{SELECT latest > '$here' FROM dynamo.recovery_window('Holes')}) eq 't' }, $PATIENCE);
is(past($here), 'a b c d e f g h i j prepared slow', 'what was committed meanwhile is there');
my $times = () = do { local $/; open my $log, '<', directory() . '/log' or die; <$log> } =~ /the clock was set back/g;
is($times, 1, 'the log says it once');

# A restart, and nobody writes.
sql('ALTER SYSTEM SET max_prepared_transactions = 0');
server('halt') or die 'it does not end';
with_clock(sub { server('restart') }) or die 'it does not start';
my $restarted = time_of();
is(past($restarted), 'a b c d e f g h i j prepared slow', 'the present can be asked for at once');
like(past($here), qr/^a b c d e f g h i( j)? prepared slow$/, 'and the past');
close $slow;
done_testing();

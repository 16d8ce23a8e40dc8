# The clock is set back by an hour while somebody has the windows of recovery
# locked, and rolls back: they never began anew, and times of the hour that came
# twice were answered by what had been the first time, in silence.
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

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Back', '{"id": "$id"}')}) }

sub past
{
	my ($time) = @_;
	return sql(qq{\\set VERBOSITY terse
		SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Back', as_of => '$time')});
}

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
		  . "max_worker_processes = 0\nmax_prepared_transactions = 2\nautovacuum = off\n");
});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Back', 'id'), dynamo.enable_recovery('Back')});
put('a');
my $first = sql('SELECT dynamo.mark_recovery()');

set_clock(-3600);
my $lock = q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_internal.recovery_windows'::regclass AND mode = 'ShareRowExclusiveLock' AND granted};
my $holder = session('BEGIN; LOCK TABLE dynamo_internal.recovery_windows IN SHARE ROW EXCLUSIVE MODE');
wait_for(sub { sql($lock) eq '1' }, $PATIENCE) or die;
put('b');
like(past($first), qr/must be within/, 'a time of before is not answered');
is(sql(q{SELECT earliest = latest FROM dynamo.recovery_window('Back')}), 't', 'the window shows none');
close $holder;
wait_for(sub { sql($lock) eq '0' }, $PATIENCE) or die;
put('c');
my $time = sql('SELECT dynamo.mark_recovery()');
put('d');
is(past($time), 'a b c', 'when it can, the next writer begins the window anew');
like(past($first), qr/must be within/, 'which does not have the time of before');

# A marker of a subtransaction that is rolled back, alone or with all of its
# transaction, and one of a prepared one.
set_clock(-7200);
sql(q{BEGIN; SAVEPOINT s; SELECT dynamo.mark_recovery(); ROLLBACK});
sql(q{DO $$BEGIN PERFORM dynamo.mark_recovery(); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN END$$});
sql(q{BEGIN; SELECT dynamo.put_item('Back', '{"id": "x"}'); PREPARE TRANSACTION 'x'});
sql(q{ROLLBACK PREPARED 'x'});
put('e');
$time = sql('SELECT dynamo.mark_recovery()');
put('f');
is(past($time), 'a b c d e', 'nor is it lost with a transaction that is not committed');

# After a restart nobody knows of the last marker.  A transaction that was prepared then
# began the windows anew, and kept everybody from it until it was committed.
server('halt') or die;
set_clock(-9000);
with_clock(sub { server('restart') or die });
sql(q{BEGIN; SELECT dynamo.put_item('Back', '{"id": "x"}'); PREPARE TRANSACTION 'y'});
put('e1');
$time = sql('SELECT dynamo.mark_recovery()');
put('e2');
is(past($time), 'a b c d e e1 f', 'a prepared transaction does not begin windows anew');
sql(q{ROLLBACK PREPARED 'y'});
put('f');
is(past($time), 'a b c d e e1 f', 'whatever becomes of it');

# The clock goes on and comes back to a moment just before the last marker of the
# first time.  Markers took times behind that one, seconds in the future, and what
# they see was answered for those times: older than is promised.
set_clock(-7200);
put('f1');
sql('SELECT dynamo.mark_recovery()');
set_clock(-3600);
put('f2');
set_clock(-7206);
put('f3');
is(sql('SELECT dynamo.mark_recovery() <= clock_timestamp()'), 't', 'no marker is in the future, though one of before is');

# A transaction writes, the clock is set back over a period's end, and the
# transaction commits.  What it had replaced lay in a piece of the future, which
# nobody read: its change was answered for times before its commit.
my $period = 2 * 24 * 3600;
my $since_end = sql("SELECT (extract(epoch FROM clock_timestamp() - '2000-01-01 UTC')::bigint % $period)");
set_clock(-7200 + $period - $since_end + 600);
put('g');
sql(q{BEGIN; SELECT dynamo.put_item('Back', '{"id": "h"}'); PREPARE TRANSACTION 'h'});
set_clock(-7200 + $period - $since_end - 3000);
put('i');
$time = sql('SELECT dynamo.mark_recovery()');
sql(q{COMMIT PREPARED 'h'});
is(past($time), 'a b c d e e1 e2 f f1 f2 f3 g i', 'what was written in the piece of another period is undone');
sql('SELECT dynamo.trim_recovery()');
is(past($time), 'a b c d e e1 e2 f f1 f2 f3 g i', 'and is not trimmed, though that piece is next');
done_testing();

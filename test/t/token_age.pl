# ClientRequestTokens live ten minutes, and what is kept of them is bounded by
# that: under load their table grew to 17 MB in 16 minutes, and went on.  An hour
# of the clock passes here, beside a snapshot as old as that; what is past its
# time goes, what is not stays, over a crash and by a clock that is set back.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $TOKENS = 200;

# Without maintenance who stores a token truncates in the second half of a period
# of five minutes.  There the clock stands, and so many minutes later.
# However long the test takes: two minutes of its own would lead into the next period.
my $began = time();
my $start = 300 - $began % 300 + 180;

sub after { my ($minutes) = @_; return set_clock($start + 60 * $minutes - (time() - $began)) }

after(0);
with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"); });

# A table to which a function adds under a token; what it says if not "{}".
sql(q{CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Sums', 'pk');
	CREATE FUNCTION add(token text) RETURNS text LANGUAGE sql AS $$
		SELECT dynamo.try_call('TransactWriteItems', ('{"TransactItems": [{"Update": {"TableName": "Sums", "Key": {"pk": {"S": "a"}},
			"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}], "ClientRequestToken": "' || token || '"}')::json) $$});
sub add { my $said = sql("SELECT add('$_[0]')"); $said eq '{}' or die $said; return sum() }
sub sum { return sql(q{SELECT dynamo.get_item('Sums', 'a')->>'n'}) }
sub kept { return sql(q{SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'dynamo_internal.transact_tokens'::regclass}) }

# Rows of so many minutes ago; are there any?
sub old { return sql("SELECT count(*) FROM dynamo_internal.transact_tokens WHERE created_at < now() - interval '$_[0] minutes'") }

after(0);
is(add('first'), '1', 'a token is new');
is(add('first'), '1', '... and is not done again');
after(9.5);
is(add('first'), '1', 'nor after nine and a half minutes');
after(-20);
is(add('first'), '1', 'nor with the clock set back');
after(10.5);
is(add('first'), '2', 'after ten it is new');
is(add('first'), '2', '... and is not done again');

# An hour of load, with a report that looks at it from beginning to end.
my $report = session('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dynamo_data."Sums"');
my (@sizes, $late);
foreach my $turn (4 .. 12)
{
	after(5 * $turn);
	sql(qq{DO \$\$ BEGIN FOR i IN 1 .. $TOKENS LOOP PERFORM add('turn $turn ' || i); COMMIT; END LOOP; END \$\$});
	$late++ if old(16) != 0;
	push @sizes, kept();
}
ok(!$late, 'what is older than a quarter of an hour goes');
my ($full) = sort { $b <=> $a } @sizes[0 .. 4];
cmp_ok($sizes[-1], '<=', $full, "forty minutes of tokens keep no more than its first part: @sizes");
my $sum = sum();
is(add("turn $_ 7"), $sum, "a token of turn $_ is known") foreach 11, 12;
close $report;

# Over a crash, too; and a piece that has one row that is valid stays.
my $piece = sql(q{SELECT (floor(extract(epoch FROM now() - '2000-01-01 00:00:00+00') / 300)::bigint + 1) % 4});
sql(qq{INSERT INTO dynamo_internal.transact_tokens_$piece SELECT role, 'stray', request, sizes, created_at FROM dynamo_internal.transact_tokens WHERE token = 'turn 12 7';
	INSERT INTO dynamo_internal.transact_tokens_$piece SELECT role, 'old ' || i, request, sizes, created_at - interval '1 day' FROM dynamo_internal.transact_tokens, generate_series(1, 100) i WHERE token = 'turn 12 7'});
server('crash') or die;
with_clock(sub { server('restart') }) or die;
is(add('turn 12 7'), $sum, 'a token is known after a crash');

is(add('next'), ++$sum, 'another comes');
is(add('stray'), $sum, 'a valid token among old ones stays');
is(sql(q{SELECT count(*) FROM dynamo_internal.transact_tokens WHERE token LIKE 'old %'}), '100', '... and they with it');
sql(q{DELETE FROM dynamo_internal.transact_tokens WHERE token = 'stray'});
is(add('next but one'), ++$sum, 'one more comes');
is(sql(q{SELECT count(*) FROM dynamo_internal.transact_tokens WHERE token LIKE 'old %'}), '0', '... and they are gone');

# Somebody keeps the piece locked, as a transaction does that stored a token there
# and stays idle: each request looked through all of it, for nothing.
sql(qq{INSERT INTO dynamo_internal.transact_tokens_$piece SELECT role, 'kept ' || i, request, sizes, created_at - interval '1 day' FROM dynamo_internal.transact_tokens, generate_series(1, 100) i WHERE token = 'next'});
my $idle = session("BEGIN; LOCK dynamo_internal.transact_tokens_$piece IN ROW EXCLUSIVE MODE");
wait_for(sub { sql(qq{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_internal.transact_tokens_$piece'::regclass AND mode = 'RowExclusiveLock' AND granted}) eq '1' }) or die;
sub scans { return sql(qq{SELECT pg_stat_get_numscans('dynamo_internal.transact_tokens_$piece'::regclass)}) }
my $scans = scans();
sql(q{DO $$ BEGIN FOR i IN 1 .. 100 LOOP PERFORM add('busy ' || i); COMMIT; END LOOP; END $$});
is(sum(), $sum += 100, 'a hundred more come');
cmp_ok(scans() - $scans, '<', 50, 'a piece that is locked is not looked through for each of them');
close $idle;

# A statement that goes on for long after it has stored a token: it had truncated
# the next piece, and kept it locked when that was everybody's.
my $long = session(q{SELECT add('long'), pg_advisory_lock(1), pg_sleep(3600)});
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted}) eq '1' }) or die;
is(sql(qq{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_internal.transact_tokens_$piece'::regclass AND mode = 'AccessExclusiveLock'}), '0', 'who goes on for long keeps nobody away');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1});
close $long;
add('last');
is(sql(q{SELECT count(*) FROM dynamo_internal.transact_tokens WHERE token LIKE 'kept %'}), '0', '... and the next one truncates');
done_testing();

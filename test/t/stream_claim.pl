# A reader of a stream never passes a number whose transaction is under way, and
# asks nobody's lock table for that: beside a session with 9,000 locks an empty
# GetRecords took 5 to 20 times as long, and held all partitions of the server's
# lock table.  Claims are in shared memory instead.  They hold for savepoints,
# for more streams in a transaction than it has places for, for transactions
# that are prepared, over a restart, a crash and a promotion, and end with the
# transaction.  Without preload they are locks.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;
use Standby;

my $USER_LOCKS = q{SELECT count(*) FROM pg_locks WHERE locktype = 'userlock'};
my $STREAMS = 40;

start_server("shared_preload_libraries = dynamo\ndynamo.ttl_interval = 0\n"
	  . "max_prepared_transactions = 4\nmax_wal_senders = 4\nautovacuum = off");
die $_ foreach grep { /ERROR/ } sql(q{CREATE EXTENSION dynamo;
	CREATE FUNCTION put(name text, pk text) RETURNS text LANGUAGE sql AS
		$$SELECT dynamo.put_item(name, jsonb_build_object('pk', pk)::dynamo.item); SELECT 'done'$$;
	CREATE TABLE met (name text, at numeric);
	CREATE FUNCTION next(text) RETURNS text LANGUAGE sql AS $$
		WITH records AS MATERIALIZED (
			SELECT * FROM dynamo.stream($1, (SELECT max(at) FROM met WHERE name = $1))),
		moved AS (INSERT INTO met SELECT $1, max(sequence_number) FROM records HAVING count(*) > 0)
		SELECT coalesce(string_agg(keys->>'pk', ' ' ORDER BY sequence_number), 'none') FROM records
	$$;
	DO $$ BEGIN
		FOR i IN 1 .. } . $STREAMS . q{ LOOP
			PERFORM dynamo.create_table('Tab' || i, 'pk'), dynamo.enable_stream('Tab' || i);
		END LOOP;
	END $$});

# What a consumer that goes on from where it stopped is told.
sub met
{
	my ($name) = @_;
	return sql("SELECT next('$name')");
}

sub writer { return in_transaction("BEGIN; $_[0]") }

sub end
{
	my ($session, $how) = @_;
	print $session "$how;\n";
	close $session;
	return;
}

sub put { return "SELECT put('$_[0]', '$_[1]')" }

# -- one transaction --------------------------------------------------------

my $writer = writer('SAVEPOINT s; ' . put('Tab1', 'gone') . '; ROLLBACK TO s; ' . put('Tab1', 'a'));
sql(put('Tab1', 'b'));
sql(put('Tab2', 'c'));
is(sql($USER_LOCKS), '0', 'a claim is no lock');
is(met('Tab1'), 'none', 'a reader does not pass it');
is(met('Tab2'), 'c', 'a reader of another stream does');
is(sql(q{SELECT count(*) FROM dynamo.stat_streams s JOIN pg_stat_activity a ON a.pid = s.holder_pid
	WHERE table_name = 'Tab1' AND state = 'idle in transaction' AND holder_xid IS NOT NULL}), '1', 'the view tells whose it is');
end($writer, 'COMMIT');
ok(wait_for(sub { met('Tab1') eq 'a b' }), 'both are met after the commit');

$writer = writer(put('Tab1', 'd'));
sql(put('Tab1', 'e'));
is(met('Tab1'), 'none', 'a reader does not pass one that will be rolled back');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'});
close $writer;
ok(wait_for(sub { met('Tab1') eq 'e' }), 'a session that is terminated lets go');

# -- more streams than there is room for ------------------------------------

$writer = writer(join '; ', map { put("Tab$_", 'many') } 1 .. $STREAMS);
sql(join '; ', map { put("Tab$_", 'later') } 1 .. $STREAMS);
is(join(' ', map { met("Tab$_") } 1 .. $STREAMS), join(' ', ('none') x $STREAMS), "all $STREAMS streams of a transaction wait for it");
end($writer, 'COMMIT');
ok(wait_for(sub { met('Tab1') eq 'many later' }), 'they go on');
is(join(', ', map { met("Tab$_") } 2 .. $STREAMS), join(', ', ('many later') x ($STREAMS - 1)), '... all of them');

# -- prepared ---------------------------------------------------------------

# Each of these is under way, with its claim, and has a later commit beside it.
sub prepared
{
	my ($name) = @_;
	return is(met($name), 'none', "$_[1]: a reader does not pass a prepared transaction");
}

sql('BEGIN; ' . put('Tab1', 'p1') . q{; PREPARE TRANSACTION 'p1'; } . put('Tab1', 'l1'));
sql('BEGIN; ' . join('; ', map { put("Tab$_", 'p2') } 2 .. $STREAMS) . q{; PREPARE TRANSACTION 'p2'; }
	  . join('; ', map { put("Tab$_", 'l2') } 2 .. $STREAMS));
prepared("Tab$_", 'at once') foreach 1, 2, 31, 32, $STREAMS;
server('halt') && server('restart') or BAIL_OUT('no restart');
prepared("Tab$_", 'after a restart') foreach 1, 2, 31, 32, $STREAMS;
sql(put('Tab1', 'l1'));
server('crash') && server('restart') or BAIL_OUT('no crash, or no restart');
prepared("Tab$_", 'after a crash') foreach 1, 2, $STREAMS;

# The standby knows the prepared ones when it becomes the primary, and that the
# one that the primary commits meanwhile has ended.
start_standby();
like(there(q{SELECT dynamo.stream('Tab1')}), qr/recovery is in progress/, 'a standby cannot be read');
sql(q{COMMIT PREPARED 'p2'});
is(met('Tab2'), 'p2 l2', 'a prepared transaction is committed: its records are met');
is(met("Tab$STREAMS"), 'p2 l2', '... on all its streams');
ok(follows(), 'the standby follows');
standby_control('promote') or BAIL_OUT('no promotion');
is(there(q{SELECT next('Tab1')}), 'none', 'after a promotion: a reader does not pass a prepared transaction');
is(there(q{SELECT next('Tab3')}), 'p2 l2', '... but one that has ended');
there(q{ROLLBACK PREPARED 'p1'});
is(there(q{SELECT next('Tab1')}), 'l1', 'it is rolled back: readers go on');
standby_control('-m', 'fast', 'stop');

# Many come and go, nobody reads: there is always room for the next.
sql(join '', map { 'BEGIN; ' . put('Tab4', "x$_") . "; PREPARE TRANSACTION 'x'; COMMIT PREPARED 'x';\n" } 1 .. 300);
is(sql(q{SELECT count(*) FROM dynamo.scan('Tab4') WHERE item->>'pk' LIKE 'x%'}), '300', '300 transactions are prepared and committed');
is(sql(q{SELECT gid FROM pg_prepared_xacts}), 'p1', '... beside one that stays');
sql(q{COMMIT PREPARED 'p1'});
is(met('Tab1'), 'p1 l1', 'the first one is committed after two restarts');
like(sql(join '', map { 'BEGIN; ' . put('Tab4', "y$_") . "; PREPARE TRANSACTION 'y$_';\n" } 1 .. 5),
	qr/maximum number of prepared transactions reached/, 'there is a limit to them');
sql(join '', map { "ROLLBACK PREPARED 'y$_';\n" } 1 .. 4);

# -- without preload --------------------------------------------------------

sql('BEGIN; ' . put('Tab1', 'q1') . q{; PREPARE TRANSACTION 'q1'; } . put('Tab1', 'l3'));
sql('ALTER SYSTEM RESET shared_preload_libraries');
run(q{sed -i '/^shared_preload_libraries/d' } . directory() . '/data/postgresql.conf');
server('halt') && server('restart') or BAIL_OUT('no restart');
is(sql('SHOW shared_preload_libraries'), '', 'the module is not preloaded');
prepared('Tab1', 'without preload');
$writer = writer(put('Tab2', 'a'));
sql(put('Tab2', 'b'));
is(sql($USER_LOCKS), '2', 'claims are locks');
is(met('Tab2'), 'none', 'a reader does not pass them');
end($writer, 'COMMIT');
ok(wait_for(sub { met('Tab2') eq 'a b' }), 'both are met after the commit');
sql(q{COMMIT PREPARED 'q1'});
is(met('Tab1'), 'q1 l3', 'a prepared transaction is committed: its records are met');
done_testing();

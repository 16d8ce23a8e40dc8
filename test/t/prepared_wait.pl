# Who reads items of several nodes waits until transactions that are half
# committed are whole.  That was a loop around a sleep of a millisecond, which
# nobody could see and no signal interrupts.  Now it is seen as a wait, and ends
# with a cancel and with the transaction.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("max_prepared_transactions = 4");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Half', 'pk');
	CREATE TABLE answers (answer text)});

# As Citus names them
my $half = q{BEGIN; SELECT dynamo.put_item('Half', '{"pk": "a"}'); PREPARE TRANSACTION 'citus_0_1_2_3'};
my $waits = q{INSERT INTO answers SELECT dynamo_internal.await_prepared('dynamo_data."Half"')::text};
my $session = session(q{SET application_name = 'half'});

# It waits until it is seen to, or has given up, which it does after five seconds.
my $seen;
sub begin_wait
{
	$seen = 0;
	print $session "$waits;\n";
	wait_for(sub {
		$seen ||= sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'half' AND wait_event_type = 'Extension'}) eq '1';
		$seen || sql('SELECT answer FROM answers') ne '';
	});
	return;
}

# Where the machine is so slow that it has given up before all is done, it waits again.
sql($half);
my $answer;
foreach my $try (1 .. 20)
{
	begin_wait();
	sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'half' AND state = 'active'});
	wait_for(sub { sql(q{SELECT state FROM pg_stat_activity WHERE application_name = 'half'}) eq 'idle' });
	$answer = sql('SELECT answer FROM answers');
	last if $answer eq '';
	sql('TRUNCATE answers');
}
ok($seen, 'it is seen to wait');
is($answer, '', 'a cancel ends it without an answer');

foreach my $try (1 .. 20)
{
	begin_wait();
	sql(q{COMMIT PREPARED 'citus_0_1_2_3'});
	wait_for(sub { ($answer = sql('SELECT answer FROM answers')) ne '' });
	last if $answer eq 'true';
	sql("TRUNCATE answers; $half");
}
is($answer, 'true', 'the end of the transaction does');
close $session;

# Patience ends.
sql(q{BEGIN; SELECT dynamo.put_item('Half', '{"pk": "b"}'); PREPARE TRANSACTION 'citus_0_1_2_4'});
is(sql(q{SELECT dynamo_internal.await_prepared('dynamo_data."Half"')}), 'f', 'after five seconds it gives up');
sql(q{ROLLBACK PREPARED 'citus_0_1_2_4'});
done_testing();

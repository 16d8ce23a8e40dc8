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
sql(q{BEGIN; SELECT dynamo.put_item('Half', '{"pk": "a"}'); PREPARE TRANSACTION 'citus_0_1_2_3'});
my $waits = q{INSERT INTO answers SELECT dynamo_internal.await_prepared('dynamo_data."Half"')::text};
my $waiting = q{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND query LIKE 'INSERT INTO answers%'};

my $session = session($waits);
ok(wait_for(sub { sql($waiting) eq '1' }, 4), 'it is seen to wait');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO answers%' AND state = 'active' AND pid <> pg_backend_pid()});
ok(wait_for(sub { sql($waiting) eq '0' }, 4), 'a cancel ends it');
is(sql('SELECT count(*) FROM answers'), '0', '... without an answer');

print $session "$waits;\n";
wait_for(sub { sql($waiting) eq '1' }, 4);
sql(q{COMMIT PREPARED 'citus_0_1_2_3'});
ok(wait_for(sub { sql('SELECT answer FROM answers') eq 'true' }), 'the end of the transaction does');
close $session;

# Patience ends.
sql(q{BEGIN; SELECT dynamo.put_item('Half', '{"pk": "b"}'); PREPARE TRANSACTION 'citus_0_1_2_4'});
is(sql(q{SELECT dynamo_internal.await_prepared('dynamo_data."Half"')}), 'f', 'after five seconds it gives up');
sql(q{ROLLBACK PREPARED 'citus_0_1_2_4'});
done_testing();

# A check of a table is cancelled while it reads a page.  That is no problem of the
# page, which would be in the report of a check that goes on.  With assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;
my $waiting = q{SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted};

start_server("shared_preload_libraries = dynamo\ndynamo.ttl_interval = 0");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Checked', 'id'), dynamo.put_item('Checked', '{"id": "a"}')});
is(sql(q{SELECT count(*) FROM dynamo.check_table('Checked')}), '0', 'the table is sound');
my $holder = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }, $PATIENCE) or die 'no lock';
my $out = directory() . '/checked';
run(qq{psql -XAqt -c "SET dynamo_test.pause = 'check'" -c "SELECT * FROM dynamo.check_table('Checked')" -c "SELECT 'end'" >$out 2>&1 &});
ok(wait_for(sub { sql($waiting) =~ /^\d+$/ }, $PATIENCE), 'a check stands still at a page');
sql("SELECT pg_cancel_backend(($waiting))");
my $checked = '';
wait_for(sub { $checked = run("cat $out"); $checked =~ /end/ }, $PATIENCE);
is($checked, "ERROR:  canceling statement due to user request\nend", 'when it is cancelled, it ends');
close $holder;
done_testing();

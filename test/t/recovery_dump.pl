# A dump carries that a table has point-in-time recovery, but not its journal:
# the window begins anew, by maintenance, and not before.  A crash takes nothing
# away, and the next who writes has the process started that takes markers.  A
# table that gets recovery while that process has nothing to mark has a window
# all the same, or else its first change could not be undone.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.put_item('Shop', '{"id": "1", "v": "old"}');
	SELECT dynamo.enable_recovery('Shop', 7);
	CREATE TABLE point AS SELECT dynamo.mark_recovery() AS at;
	SELECT dynamo.put_item('Shop', '{"id": "1", "v": "new"}');
	CREATE DATABASE other;
});
my $past = q{SELECT item->>'v' FROM dynamo.scan('Shop', as_of => (SELECT at FROM point))};
is(sql($past), 'old', 'a table has a past');

is(run('pg_dump postgres | psql -X -q -v ON_ERROR_STOP=1 -d other >/dev/null'), '', 'dumped and restored');
is(sql(q{SELECT * FROM dynamo.recovery_window('Shop')}, 'other'), '7', 'recovery is on, and there is no window yet');
like(sql($past, 'other'), qr/ERROR:  RestoreDateTime/, 'nor a past');
sql('SELECT dynamo.trim_recovery()', 'other');
is(sql(q{SELECT earliest > at FROM dynamo.recovery_window('Shop'), point}, 'other'), 't', 'maintenance begins one anew');
like(sql($past, 'other'), qr/ERROR:  RestoreDateTime/, 'which has nothing of before');
sql(q{
	UPDATE point SET at = dynamo.mark_recovery();
	SELECT dynamo.put_item('Shop', '{"id": "1", "v": "newest"}');
}, 'other');
is(sql($past, 'other'), 'new', 'and all that comes');
is(sql($past), 'old', 'the other database is as it was');

# Restart, and what the process that takes markers does by itself.
ok(server('crash') && server('restart'), 'the server is killed and started again');
is(sql($past), 'old', 'the past is there');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "2"}')});
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo recovery' AND datname = 'postgres'}) eq '1' }),
	'whoever writes starts the process that takes markers');
my $ids = q{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop', as_of => (SELECT %s))};
ok(wait_for(sub { sql(sprintf $ids, q{latest FROM dynamo.recovery_window('Shop')}) eq '1 2' }), 'and it does take them');
sql(q{UPDATE point SET at = clock_timestamp() + interval '1 s'});
ok(wait_for(sub { sql(q{SELECT latest > at FROM dynamo.recovery_window('Shop'), point}) eq 't' }), 'where nothing changes the window goes on');
sql(q{SELECT dynamo.put_item('Shop', '{"id": "3"}')});
is(sql(sprintf $ids, 'at FROM point'), '1 2', 'and so does the past');

# A writer is under way when a marker is taken, and no other transaction has
# ended since it began: that it commits is a change, though it writes no more.
my $writer = in_transaction(q{BEGIN; SELECT dynamo.put_item('Shop', '{"id": "4"}')});
ok($writer, 'somebody writes');
my $now = sql('SELECT clock_timestamp()');
ok(wait_for(sub { sql(qq{SELECT latest > '$now' FROM dynamo.recovery_window('Shop')}) eq 't' }), 'a marker is taken');
print $writer "COMMIT;\n";
ok(wait_for(sub { sql(sprintf $ids, q{latest FROM dynamo.recovery_window('Shop')}) eq '1 2 3 4' }), 'another has what was committed');

# Nothing changes, so nothing is marked.
sql(q{UPDATE point SET at = clock_timestamp()});
ok(wait_for(sub { sql(q{SELECT latest > at FROM dynamo.recovery_window('Shop'), point}) eq 't' }), 'all is marked');
my $markers = join ' + ', map { "(SELECT count(*) FROM dynamo_internal.journal_$_ WHERE recovery = 0)" } 0 .. 19;
my ($count, $since) = ('', 0);
ok(wait_for(sub {
	my $now = sql("SELECT $markers");
	($count, $since) = ($now, time) if $now ne $count;
	return time - $since >= 4;
}, 60), 'there are no more markers than changes');
sql(q{SELECT dynamo.create_table('Late', 'id');
	SELECT dynamo.put_item('Late', '{"id": "1"}');
	SELECT dynamo.enable_recovery('Late');
	UPDATE point SET at = clock_timestamp()});
ok(wait_for(sub { sql(q{SELECT latest > at FROM dynamo.recovery_window('Late'), point}) eq 't' }), 'the window of another table begins before it changes');
sql(q{UPDATE point SET at = latest FROM dynamo.recovery_window('Late')});
sql(q{DELETE FROM dynamo_data."Late"});
is(sql(q{SELECT item->>'id' FROM dynamo.scan('Late', as_of => (SELECT at FROM point))}), '1', 'and its first change can be undone');

# Two tables are restored, and somebody goes on writing to one of them.
sql(q{CREATE DATABASE third});
is(run('pg_dump postgres | psql -X -q -v ON_ERROR_STOP=1 -d third >/dev/null'), '', 'two tables are restored');
my $holder = in_transaction(q{BEGIN; LOCK dynamo_data."Shop" IN ROW EXCLUSIVE MODE}, undef, 'third');
my $begun = q{SELECT earliest IS NOT NULL FROM dynamo.recovery_window('%s')};
sql('ALTER SYSTEM SET dynamo.ttl_interval = 1; SELECT pg_reload_conf()');
ok(wait_for(sub { sql((sprintf $begun, 'Late'), 'third') eq 't' }, 60), 'the recovery of the other one begins');
is(sql((sprintf $begun, 'Shop'), 'third'), 'f', '... and its own does not');
close $holder;
ok(wait_for(sub { sql((sprintf $begun, 'Shop'), 'third') eq 't' }, 60), '... until that has ended');
done_testing();

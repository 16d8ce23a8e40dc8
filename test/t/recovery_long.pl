# A transaction lasts for days.  Points of recovery that were marked meanwhile do not
# have what it has done, however long before it has done it; and when the journal has
# been trimmed so far that this cannot be undone, such times are refused, rather than
# answered with what was committed later.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;

sub past { return sql(qq{\\set VERBOSITY terse
	SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Long', as_of => '$_[0]')}) }

# The time of a point that is marked at this day.
sub mark
{
	my ($day) = @_;
	set_clock($day * 86400);
	return sql('SELECT dynamo.mark_recovery()');
}

set_clock(0);
with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 0\nautovacuum = off\n") });
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('First', 'id'), dynamo.enable_recovery('First', 1);
	SELECT dynamo.create_table('Long', 'id'), dynamo.enable_recovery('Long');
	SELECT dynamo.create_table('Last', 'id'), dynamo.enable_recovery('Last', 1);
	SELECT dynamo.put_item('Long', '{"id": "before"}')});
mark(0.5);
my $long = in_transaction(q{BEGIN; SELECT dynamo.put_item('Long', '{"id": "long"}')});
my %time = map { $_ => mark($_) } 1 .. 6;
set_clock(6.5 * 86400);
print $long "COMMIT;\n";
close $long;
wait_for(sub { sql(q{SELECT count(*) FROM dynamo.scan('Long')}) eq '2' }, $PATIENCE) or die;
$time{7} = mark(7);
is(past($time{$_}), 'before', "day $_, before it commits") foreach 1, 3, 6;
is(past($time{7}), 'before long', 'day 7');

is(sql('SELECT dynamo.trim_recovery()'), '0', 'all is kept as long as one table needs it');
sql(q{SELECT dynamo.enable_recovery('Long', 2)});
$time{7.5} = mark(7.5);
cmp_ok(sql('SELECT dynamo.trim_recovery()'), '>', 0, 'what it has done is not kept any more');
is(sql(qq{SELECT earliest > '$time{6}' FROM dynamo.recovery_window('Long')}), 't', 'the window begins when it had committed');
like(past($time{6}), qr/ERROR:  RestoreDateTime/, 'a day and a half ago cannot be told');
is(past($time{$_}), 'before long', "day $_") foreach 7, 7.5;
like(sql(q{SELECT count(*) FROM dynamo_internal.past(dynamo.relation('Long'), '1:1:', '-infinity')}), qr/ERROR:  the journal of point-in-time recovery has been trimmed beyond/, 'nor does a reader that is late');

# What was written before midnight and committed after it, by the last transaction that
# had begun: it was in the answers about times in between.  It is kept as long as these,
# although its piece of the journal, of two days, has ended.
my $piece = 2 * 86400;
my $now = time - 946684800;             # of PostgreSQL's epoch
my $end = ($piece * int(($now + 10 * 86400) / $piece) - $now) / 86400;
mark($end - 0.2);
my $slow = in_transaction(q{BEGIN; SELECT dynamo.put_item('Long', '{"id": "slow"}')});
my $meanwhile = mark($end + 0.5);
print $slow "COMMIT;\n";
close $slow;
wait_for(sub { sql(q{SELECT count(*) FROM dynamo.scan('Long')}) eq '3' }, $PATIENCE) or die;
mark($end + 0.6);
mark($end + 2.4);
sql('SELECT dynamo.trim_recovery()');
is(past($meanwhile), 'before long', 'what was written in a piece that has ended can be undone');
done_testing();

# The clock runs ahead by weeks, the journal is trimmed, and the clock is set back:
# no time could be asked for, and no window grew, until it had caught up.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $DAY = 86400;

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Ahead', '{"id": "$id"}')}) }

sub mark { return sql('SELECT dynamo.mark_recovery()') }

sub past
{
	my ($time) = @_;
	return sql(qq{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Ahead', as_of => '$time')});
}

set_clock(-28 * $DAY);
with_clock(sub { start_server("dynamo.ttl_interval = 0\nautovacuum = off\n"); });
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Ahead', 'id'), dynamo.enable_recovery('Ahead')});
put('early');
mark();
set_clock(22 * $DAY);
put('later');
mark();
set_clock(60 * $DAY);
put('last');
mark();
is(sql('SELECT dynamo.trim_recovery()'), '1', 'a clock that is ahead trims a piece');

set_clock(10 * $DAY);
put('back');
mark();                                 # which begins a new window
my $time = mark();
put('after');
mark();
is(past($time), 'back early last later', 'a time after the clock was set back');
is(sql(q{SELECT latest > earliest FROM dynamo.recovery_window('Ahead')}), 't', 'a new window grows');

is(sql('SELECT dynamo.trim_recovery()'), '1', 'the clock as it is now trims another one');
is(past($time), 'back early last later', 'which is not needed for that time');
done_testing();

# Who trims chooses a piece by the clock, and then stands still, as the virtual
# machine does, until the piece is the one in use again: it was truncated all the
# same.  A stream lost its records in silence, and times in the window were
# answered wrongly.
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

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Late', '{"id": "$id"}')}) }

sub waiting { return sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) }

# The call begins, and stands still over "later", which puts an item.
sub trim_late
{
	my ($call, $later) = @_;
	my $out = directory() . '/trimmed';
	my $holder = session('SELECT pg_advisory_lock(1)');
	wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }, $PATIENCE) or die;
	run(qq{psql -XAqt -c "SET dynamo_test.pause = 'trim'" -c "SELECT $call" >$out 2>&1 &});
	wait_for(sub { waiting() eq '1' }, $PATIENCE) or die 'it does not stand still';
	$later->();
	close $holder;
	my $trimmed;
	wait_for(sub { $trimmed = run("cat $out"); $trimmed ne '' }, $PATIENCE);
	return $trimmed;
}

set_clock(0);
with_clock(sub { start_server("dynamo.ttl_interval = 0\nautovacuum = off\n"); });
sql(q{CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Late', 'id'), dynamo.enable_stream('Late'), dynamo.enable_recovery('Late')});

put('old');
set_clock(3600 * 28);
is(trim_late('dynamo.trim_streams()', sub { set_clock(3600 * 32); put('new') }), '0', 'a late trimmer leaves the piece in use');
is(sql(q{SELECT new_image->>'id' FROM dynamo.stream('Late') ORDER BY sequence_number DESC LIMIT 1}), 'new', 'the record of the stream is there');

set_clock(3600 * (38 * 24 + 1));
put('first');
my $time = sql('SELECT dynamo.mark_recovery()');
my $call = 'dynamo.trim_recovery()';
is(trim_late($call, sub { set_clock(3600 * (40 * 24 + 1)); put('last') }), '0', 'nor does one of the journal truncate it');
is(sql(qq{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Late', as_of => '$time')}), 'first new old', 'the past is what it was');
sql("SELECT $call");
is(sql(qq{SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id') FROM dynamo.scan('Late', as_of => '$time')}), 'first new old', 'nor when others have gone');
done_testing();

# A transaction writes, the clock is set back by an hour, and then it commits.  The
# time in its entry of the journal is an hour ahead, so nothing seemed to have been
# written before the next marker, and times after the commit were answered without
# it, in silence: 140 of 27,236 times in an hour of random faults.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Past', '{"id": "$id"}')}) }

sub past
{
	my ($time, $seconds) = @_;
	return sql(qq{\\set VERBOSITY terse
		SELECT string_agg(item->>'id', ' ' ORDER BY item->>'id')
		FROM dynamo.scan('Past', as_of => timestamptz '$time' + interval '$seconds s')});
}

# Nobody takes markers but those who write.
set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
		  . "max_worker_processes = 0\nmax_prepared_transactions = 2\nautovacuum = off\n");
});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Past', 'id'), dynamo.enable_recovery('Past')});
put('a');
sql(q{BEGIN; SELECT dynamo.put_item('Past', '{"id": "late"}'); PREPARE TRANSACTION 'late'});

set_clock(-3600);
put('b');
my $marker = sql('SELECT dynamo.mark_recovery()');
sql(q{COMMIT PREPARED 'late'});
set_clock(-3580);
is(sql('SELECT count(*) FROM dynamo.recovery_holes'), '1', 'a hole that goes on is shown');
like(past($marker, 10), qr/lies between points that are too far apart/, '... and refused');
put('c');
is(past($marker, 1), 'a b', 'just after the marker it had not committed, for all that is known');
like(past($marker, 10), qr/lies between points that are too far apart/, 'later, nobody knows');
is(sql(qq{SELECT began_at = timestamptz '$marker' + interval '2 s', ended_at > timestamptz '$marker' + interval '19 s' FROM dynamo.recovery_holes}),
	't t', 'the hole is shown');
my $next = sql('SELECT dynamo.mark_recovery()');
is(past($next, 0), 'a b c late', 'the next marker has it');

# What began after the window is told by its time, as ever.
set_clock(-3500);
sql(q{BEGIN; SELECT dynamo.put_item('Past', '{"id": "later"}'); PREPARE TRANSACTION 'later'; COMMIT PREPARED 'later'});
put('d');
is(past($next, 60), 'a b c late', 'before it was written, it had not committed');
done_testing();

# The clock goes on by an hour, somebody writes, the clock is set back, and he commits.
# No point was marked in that hour, so nobody noticed: what he had written seemed to be
# in the future, and times after his commit were answered by what was before it.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
		  . "max_worker_processes = 0\nmax_prepared_transactions = 2\nautovacuum = off\n");
});
my $put = q{SELECT dynamo.put_item('Back', jsonb_build_object('id', '%s', 'n', %d)::dynamo.item);};
sub put { return sprintf $put, @_ }
my $n = q{SELECT item->>'n' FROM dynamo.get_item('Back', '{"id": "x"}', as_of => };

# A prepared transaction of another table has ended, nobody knows when.
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table(t, 'id'), dynamo.enable_recovery(t) FROM unnest('{Back,Other}'::text[]) AS t;}
	  . put('x', 0) . q{BEGIN; SELECT dynamo.put_item('Other', '{"id": "p"}'); PREPARE TRANSACTION 'p'});
my ($there, $back) = map { clock_command($_) } 3600, 0;
my $time = sql("\\o /dev/null
	SELECT dynamo.mark_recovery();
	BEGIN;
	\\! $there
	" . put('x', 1) . "
	\\! $back
	COMMIT;
	COMMIT PREPARED 'p';
	\\o
	SELECT clock_timestamp() + interval '3 s'");
set_clock(5);
sql(put('y', 0));
my $then = sql("\\set VERBOSITY terse\n$n timestamptz '$time')");
like($then, qr/\A1\z|must be within/, 'a time after his commit is not answered without it');

# From then on all is as before.
my $marked = sql('SELECT dynamo.mark_recovery()');
sql(put('x', 2));
is(sql("$n timestamptz '$marked')"), '1', 'the window has begun anew');
set_clock(10);
sql(put('x', 3));
is(sql("$n timestamptz '$marked')"), '1', 'once');

done_testing();

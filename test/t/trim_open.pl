# A transaction stays open while the journal is trimmed beyond its beginning.  No point
# in time can be read without what was trimmed; still the present was shown as a window,
# and each time in it was refused.
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
my $WINDOW = q{SELECT earliest < latest FROM dynamo.recovery_window('Open')};

sub put { my ($id) = @_; return sql(qq{SELECT dynamo.put_item('Open', '{"id": "$id"}')}) }

set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
		  . "max_worker_processes = 0\nmax_prepared_transactions = 1\nautovacuum = off\n");
});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Open', 'id'), dynamo.enable_recovery('Open')});
put('a');
sql(q{CREATE TABLE other (); BEGIN; INSERT INTO other DEFAULT VALUES; PREPARE TRANSACTION 'open'});
set_clock(10 * $DAY);
put('b');
# What trim_recovery() leaves when it has truncated a piece.
sql(q{INSERT INTO dynamo_internal.recovery_windows SELECT 0, now() - interval '5 days', pg_current_xact_id()});
is(sql($WINDOW), 'f', 'what cannot be read is not shown');

sql(q{COMMIT PREPARED 'open'});
put('c');
my $time = sql('SELECT dynamo.mark_recovery()');
put('d');
is(sql($WINDOW), 't', 'when it has ended, the window grows');
is(sql(qq{SELECT count(*) FROM dynamo.scan('Open', as_of => '$time')}), '3', 'and can be read');

done_testing();

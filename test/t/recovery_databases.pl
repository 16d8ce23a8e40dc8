# Two databases commit at a time, and their OIDs fall on one page of the ledger:
# the point that one marks stood for the other's, and its last commits were those
# of both.  So times of a table were refused for as long as somebody wrote to
# another database.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

sub put { my ($database, $n) = @_; return sql(qq{SELECT dynamo.put_item('Both', '{"id": "x", "n": $n}')}, $database) }

# Only those who write mark points.
set_clock(0);
with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 0\nautovacuum = off\n"); });
my %database = (one => 200_000, other => 200_000 + 127 * 1021);
foreach my $name (sort keys %database)
{
	sql("CREATE DATABASE $name OID $database{$name}");
	sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Both', 'id'), dynamo.enable_recovery('Both')}, $name);
	sql('SELECT dynamo.mark_recovery()', $name);
}
set_clock(10);
put($_, 1) foreach 'one', 'other';
my $time = sql('SELECT clock_timestamp()');
set_clock(20);
put('one', 2);
set_clock(30);
is(sql(qq{SELECT item->>'n' FROM dynamo.scan('Both', as_of => timestamptz '$time' + interval '5 s')}, $_), '1', "$_ is as it was") foreach 'one', 'other';
is(sql('SELECT count(*) FROM dynamo.recovery_holes', $_), '0', "... without a hole") foreach 'one', 'other';
done_testing();

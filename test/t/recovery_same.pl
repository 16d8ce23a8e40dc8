# Two readings of one time in one transaction.  A point that somebody has marked, and
# commits between the two, may be nearer to the time than the one that the first
# reading took.  The second had what the first had not: of what one transaction has
# written, half was read.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

set_clock(0);
with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 0\nmax_prepared_transactions = 2\nautovacuum = off\n") });
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Same', 'id'), dynamo.enable_recovery('Same')});

my $get = q{SELECT count(*) FROM dynamo.get_item('Same', '{"id": "a"}', as_of => :'time');};
my $got = sql(qq{\\set VERBOSITY terse
	\\o /dev/null
	SELECT dynamo.mark_recovery();
	SELECT dynamo.put_item('Same', '{"id": "a"}');
	SELECT clock_timestamp() AS time \\gset
	BEGIN; SELECT dynamo.mark_recovery(); PREPARE TRANSACTION 'point';
	SELECT dynamo.put_item('Same', '{"id": "b"}');
	\\o
	BEGIN; $get
	\\! psql -X -q -d postgres -c "COMMIT PREPARED 'point'"
	$get COMMIT; $get
	BEGIN; $get SELECT dynamo.disable_recovery('Same'); SELECT dynamo.enable_recovery('Same'); $get COMMIT});
my ($first, $again, $next, $last, $anew) = grep { /\S/ } split /\s*\n\s*/, $got;
is("$first $again", '0 0', 'a transaction reads the same point');
is("$next $last", '1 1', 'the next one that which has been seen since');
like($anew, qr/ERROR:  RestoreDateTime/, 'a point is not kept over the end of its window');

# Of two exports, of which one goes on where the other has ended, each change is in
# one. The end of the first is later than the last point.
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/same") or die;
set('dynamo.bucket_directory', $buckets);
is(sql(q{\o /dev/null
	SELECT dynamo.mark_recovery() AS begin \gset
	SELECT dynamo.put_item('Same', '{"id": "first"}');
	SELECT clock_timestamp() AS time \gset
	SELECT dynamo.export_table('Same', 'same', from_time => :'begin', to_time => :'time');
	CALL dynamo.run_jobs();
	SELECT dynamo.put_item('Same', '{"id": "second"}');
	SELECT dynamo.mark_recovery();
	SELECT dynamo.export_table('Same', 'same', from_time => :'time');
	CALL dynamo.run_jobs();
	\o
	SELECT string_agg(j.status, ' '), sum((j.position->>'Items')::int) FROM dynamo.jobs AS j}), 'COMPLETED COMPLETED 2', 'each change is in one of two exports');

# The first time that a request is told of can be asked for: clients cut off fractions.
sql(q{SELECT dynamo.mark_recovery() \g /dev/null
	SELECT pg_sleep(2) \g /dev/null
	SELECT dynamo.mark_recovery()});
my $told = q{(dynamo.call('DescribeContinuousBackups', '{"TableName": "Same"}') #>> '{ContinuousBackupsDescription,PointInTimeRecoveryDescription,EarliestRestorableDateTime}')};
is(sql(qq{SELECT $told ~ '^\\d+\\.000\$', to_timestamp(CAST($told AS float8)) BETWEEN earliest AND latest FROM dynamo.recovery_window('Same')}), 't t', 'the first time is a whole second');

# An export of changes that has no end tells one that clients can go on from, which cut
# off fractions: each change is in one of two.
sub changes_from
{
	my ($from, $table) = @_;
	$table //= 'Same';
	my $arn = sql(qq{SELECT dynamo.call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/$table", "S3Bucket": "same",
		"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {"ExportFromTime": $from}}') #>> '{ExportDescription,ExportArn}'});
	sql('CALL dynamo.run_jobs()');
	my $told = sql(qq{SELECT concat_ws(' ', e #>> '{ExportDescription,ItemCount}', e #>> '{ExportDescription,IncrementalExportSpecification,ExportToTime}')
		FROM dynamo.call('DescribeExport', '{"ExportArn": "$arn"}') AS e});
	return split / /, $told;
}

my $from = sql('SELECT ceil(extract(epoch FROM dynamo.mark_recovery()))::bigint');
set_clock(1000);
sql(q{SELECT dynamo.put_item('Same', '{"id": "third"}')});
set_clock(1002);
sql(q{SELECT dynamo.put_item('Same', '{"id": "fourth"}'); SELECT dynamo.mark_recovery()});
my ($some, $end) = changes_from($from);
like($end, qr/^\d+\.000$/, 'a period that ends now ends at a whole second');
set_clock(2000);
sql(q{SELECT dynamo.put_item('Same', '{"id": "fifth"}')});
set_clock(2002);
sql('SELECT dynamo.mark_recovery()');
my ($others) = changes_from(int $end);
is($some + $others, 3, 'each change is in one of two exports that clients ask for');

# What goes on from an export of all items that was made in the second in which recovery
# began, and the table, is told the second alone.
sql(q{SELECT dynamo.create_table('Begun', 'id'), dynamo.enable_recovery('Begun')});
sql('SELECT dynamo.mark_recovery()');
my ($second, $whole) = split / /, sql(q{SELECT w.second, w.second = extract(epoch FROM w.earliest)
	FROM (SELECT earliest, floor(extract(epoch FROM earliest))::bigint AS second FROM dynamo.recovery_window('Begun')) AS w});
sql(q{SELECT dynamo.put_item('Begun', '{"id": "first"}')});
set_clock(4000);
sql('SELECT dynamo.mark_recovery()');
is($whole, 'f', 'recovery has begun within a second');
is((changes_from($second, 'Begun'))[0], 1, 'changes can be asked for from that second on');

done_testing();

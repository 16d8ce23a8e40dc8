# Who: whoever can kill the server, pull its plug, or fill its disk.
# Owns: the moment.  Wants: half a transaction, an index without its item, a
# stream record without its change, or an acknowledged write that is gone.
#
# One round of each; "make torture" has hundreds.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 2\nfsync = on");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk');
	SELECT dynamo.create_index('Tab', 'ByN', 'n', partition_key_type => 'N');
	SELECT dynamo.enable_stream('Tab')});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

# Pairs of items, each written by one transaction, until the server is killed.
sub pair
{
	my ($n) = @_;
	my $put = join ',', map { qq({"Put":{"TableName":"Tab","Item":{"pk":{"S":"$_$n"},"n":{"N":"$n"}}}}) } qw(a b);
	return call('TransactWriteItems', qq({"TransactItems":[$put]}))->{status} // 0;
}

sub check
{
	my ($name, @acknowledged) = @_;
	my $found = sql(q{SELECT string_agg(item ->> 'pk', ',') FROM dynamo.scan('Tab')});
	my %there = map { $_ => 1 } split /,/, $found;
	is(scalar(grep { !$there{"a$_"} || !$there{"b$_"} } @acknowledged), 0, "$name: what was acknowledged is there");
	is(sql(q{SELECT count(*) FROM (SELECT item ->> 'n' FROM dynamo.scan('Tab') GROUP BY 1 HAVING count(*) <> 2) s}), 0,
		"$name: no transaction in half");
	is(sql(q{SELECT count(*) FROM dynamo.scan('Tab', index_name => 'ByN')}), sql(q{SELECT count(*) FROM dynamo.scan('Tab')}),
		"$name: the index has them all");
	is(sql(q{SELECT count(*) FROM dynamo.stream('Tab')}), sql(q{SELECT count(*) FROM dynamo.scan('Tab')}),
		"$name: a record each");
	return;
}

my @acknowledged = grep { pair($_) == 200 } 1 .. 40;
is(scalar @acknowledged, 40, 'forty transactions');
my $child = fork // die;
if ($child == 0)
{
	pair($_) foreach 1000 .. 1999;
	POSIX::_exit(0);
}
select undef, undef, undef, 0.3;
server('crash');
kill 'KILL', $child;
waitpid $child, 0;
ok(server('restart'), 'the server starts again');
ok(wait_for(sub { sql('SELECT 1') eq '1' }), 'and recovers');
check('killed', @acknowledged);

# A worker is killed: the postmaster restarts all, as for any backend.
ok(wait_for(sub { worker_pids() }, 120), 'workers are back');
my ($worker) = worker_pids();
kill 'KILL', $worker;
ok(wait_for(sub { my ($now) = worker_pids(); $now && $now =~ /^\d+$/ && $now != $worker }, 120), 'a worker that was killed is replaced');
check('worker killed', @acknowledged);

done_testing();

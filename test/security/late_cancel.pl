# Attacker: whoever sends requests that are cut off by their timeout, at any
# moment, the one of their commit included; or who may cancel.
# Wants: that workers end, and with them the connections of all others, or that
# somebody is not told of a commit.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 2\ndynamo.http_authentication = trust\n"
	  . "dynamo.ttl_interval = 1s\nfsync = off");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.enable_ttl('Shop', 'ttl');
});
ok(wait_for(sub { connection() && (my @pids = worker_pids()) == 2 }), 'two workers');
my $workers = join ' ', sort { $a <=> $b } worker_pids();

# Requests that take about as long as they may.  What each was told is kept.
sub load
{
	my ($name, $seconds) = @_;
	my $pid = fork;
	return $pid if $pid;
	my $socket = connection();
	my $end = time() + $seconds;
	open my $told, '>', directory() . "/$name" or _exit(1);
	for (my $i = 0; time() < $end; $i++)
	{
		my $puts = join ',', map { qq({"PutRequest":{"Item":{"id":{"S":"$name.$i.$_"}}}}) } 1 .. 1 + rand 25;
		my $r = call('BatchWriteItem', qq({"RequestItems":{"Shop":[$puts]}}), {}, $socket);
		print $told "$name.$i ", $r->{status} || 'nothing', "\n";
		$socket = connection() unless $r->{status};
	}
	close $told;
	_exit(0);
}
sql(q{ALTER SYSTEM SET dynamo.http_request_timeout = '1ms'; SELECT pg_reload_conf()});
sleep 0.2;
my @names = map { "load$_" } 1 .. 6;
my @load = map { load($_, 3) } @names;
waitpid($_, 0) foreach @load;

my (%told, %number);
foreach my $name (@names)
{
	open my $in, '<', directory() . "/$name" or die;
	while (<$in>)
	{
		my ($id, $status) = split;
		$told{$id} = $status;
		$number{$status}++;
	}
	close $in;
}
diag(join ', ', map { "$_: $number{$_}" } sort keys %number);
ok(!$number{nothing}, 'every request is answered');
my %there = map { $_ => 1 } split /\s+/, sql(q{SELECT DISTINCT item->>'id' FROM dynamo_data."Shop" WHERE item->>'id' LIKE '%.1'}) =~ s/\.1$//mgr;
is(scalar(grep { $told{$_} ne '200' } keys %there), 0, 'who was refused has written nothing');
is(scalar(grep { $told{$_} eq '200' && !$there{$_} } keys %told), 0, 'who was not, has');
is(join(' ', sort { $a <=> $b } worker_pids()), $workers, 'and the workers are the same as before');
# A cancel for who does nothing.
sql(q{ALTER SYSTEM RESET dynamo.http_request_timeout; SELECT pg_reload_conf()});
my $socket = connection();
ok(wait_for(sub { (call('ListTables', '{}', {}, $socket)->{status} || 0) == 200 }), 'a request');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity, generate_series(1, 3)
	WHERE backend_type LIKE 'dynamo%'});
is(call('ListTables', '{}', {}, $socket)->{status}, 200, 'and another, after a cancel between them');
is(join(' ', sort { $a <=> $b } worker_pids()), $workers, 'by the same worker');
done_testing();

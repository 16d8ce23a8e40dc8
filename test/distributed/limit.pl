# What clients at all nodes get together of a table, and of an index, is within
# 20 % of its throughput, though it has 16 shards on two nodes and three nodes
# that are asked.  Nodes give too much until they hear of one another and make up
# for it, so the sum comes near the throughput in time; where each node, or each
# shard, gave all of it the sum would stay several times that.
# Takes long: half a minute at least for each of three.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $units = 20;
my ($least, $most) = (30, 300);    # seconds of a measurement

# What clients of all nodes got, by a pipe: a letter for each request.
sub measure
{
	my ($what, $request) = @_;
	pipe(my $answers, my $told) or die;
	my @clients = map { client($_, $told, $request) } 0 .. 2;
	close $told;
	$answers->blocking(0);

	# Nobody has more than flows in when each client was refused.
	my %seen;
	wait_for(sub { sysread $answers, my $text, 65536; $seen{$_}++ foreach split //, $text // ''; return $seen{0} && $seen{1} && $seen{2} }, 300);
	my ($begin, $given, $wrong, $share) = (time, 0, $seen{x} // 0, 0);
	while (time - $begin < $most)
	{
		sleep 1;
		sysread $answers, my $text, 65536;
		$given += ($text // '') =~ tr/y//;
		$wrong += ($text // '') =~ tr/x//;
		$share = $given / $units / (time - $begin);
		last if time - $begin > $least && abs($share - 1) <= 0.2;
	}
	my $seconds = time - $begin;
	kill 'TERM', @clients;
	waitpid $_, 0 foreach @clients;
	ok($seen{0} && $seen{1} && $seen{2}, "$what: clients at each node are refused");
	is($wrong, 0, "$what: nothing else is answered");
	cmp_ok(abs($share - 1), '<=', 0.2, "$what are within 20 % of the limit");
	diag sprintf '%s: %d in %.0f seconds, %.2f of %d a second', $what, $given, $seconds, $share, $units;
	return;
}

# One that asks a node again and again: y for what it gets, the node's number
# for what is throttled.
sub client
{
	my ($node, $told, $request) = @_;
	my $pid = fork() // die;
	return $pid if $pid;
	$SIG{TERM} = sub { POSIX::_exit(0) };
	use_port((ports())[$node]);
	for (my $n = 0;; $n++)
	{
		my $answer = call($request->($node, $n));
		my $throttled = $answer->{body} =~ /#ProvisionedThroughputExceededException"/;
		syswrite $told, $answer->{status} == 200 ? 'y' : $throttled ? $node : 'x';
		sleep 0.02;
	}
}

sub throughput { return qq("ProvisionedThroughput":{"ReadCapacityUnits":$_[0],"WriteCapacityUnits":$_[0]}) }
sub make
{
	my ($table, $units, $attribute, $index) = @_;
	my $throughput = throughput($units);
	my $request = qq({"TableName":"$table","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)
	  . qq("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}$attribute],$throughput$index});
	like(node(0, "SET citus.shard_count = 16; SELECT dynamo.call('CreateTable', '$request')"), qr/TableName/, "$table is made");
	return;
}
sub put { my ($table, $id) = @_; return ('PutItem', qq({"TableName":"$table","Item":{"id":{"S":"$id"},"v":{"S":"$id"}}})) }

authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, 'ListTables', '{}')->{status} // 0) == 200 }), "node $node: served");
}
make('Limit', $units, '', '');
make('LimitIndex', 10000, ',{"AttributeName":"v","AttributeType":"S"}', ',"GlobalSecondaryIndexes":[{"IndexName":"ByV",'
	  . '"KeySchema":[{"AttributeName":"v","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},' . throughput($units) . '}]');
is(at($_ % 3, put('Limit', "k$_"))->{status}, 200, "item $_") for 1 .. 30;
configure('dynamo.enforce_throughput', 'on');
sub key { my ($n) = @_; return 'k' . ($n % 30 + 1) }
measure('writes', sub { my (undef, $n) = @_; return put('Limit', key($n)) });
measure('reads', sub { my (undef, $n) = @_; my $key = key($n); return ('GetItem', qq({"TableName":"Limit","Key":{"id":{"S":"$key"}},"ConsistentRead":true})) });
measure('writes of an index', sub { my ($node, $n) = @_; return put('LimitIndex', "$node.$n") });
configure('dynamo.enforce_throughput', 'DEFAULT');
node(0, "SELECT dynamo.drop_table('$_')") for qw(Limit LimitIndex);
authenticate('DEFAULT');
done_testing();

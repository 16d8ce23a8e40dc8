# The coordinator's standby takes its place, then a worker's, while clients count.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $here = abs_path(dirname(__FILE__));
my $server = "$here/../server";
my $counts = "$here/../../tmp/failover";
my @server_of = (0, 1, 2);			# of node 0, 1, 2: the number of the server that it is now
authenticate('trust');
node(0, q{SELECT dynamo.create_table('Over', 'id')});

# HTTP at a node, wherever it is.
my %http;
sub port_of { my ($number) = @_; return $http{$number} //= node($number, 'SHOW dynamo.http_port') }
sub request
{
	my ($node, $operation, $json) = @_;
	use_port(port_of($server_of[$node]));
	my $answer = call($operation, $json);
	return ($answer->{status} // 0) . ' ' . ($answer->{body} // '');
}
sub add { my ($node, $key) = @_; return request($node, 'UpdateItem', qq({"TableName":"Over","Key":{"id":{"S":"o$key"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}})) }
sub create { my ($node, $name) = @_; return request($node, 'CreateTable', qq({"TableName":"$name","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]})) }

# A client that counts at these nodes until it is told to end.
sub begin_counting
{
	my (@nodes) = @_;
	my $client = fork() // die;
	return $client if $client;
	my ($done, $lost, $refused, $stop, $end) = (0, 0, 0, 0, time() + 500);
	local $SIG{TERM} = sub { $stop = 1 };
	until ($stop || time() > $end)
	{
		my $status = add($nodes[($done + $lost + $refused) % @nodes], $done % 20);
		if ($status =~ /\A200/) { $done++ }
		elsif ($status =~ /\A(?:503|400)/) { $refused++ }
		else { $lost++ }
	}
	open my $file, '>', $counts or die;
	print $file "$done $lost $refused";
	close $file;
	POSIX::_exit(0);
}
sub end_counting
{
	my ($client) = @_;
	kill 'TERM', $client;
	waitpid($client, 0);
	open my $file, '<', $counts or die;
	my @numbers = split ' ', <$file>;
	close $file;
	unlink $counts;
	return @numbers;
}
sub sum { my ($number) = @_; return node($number, q{SELECT coalesce(sum((item ->> 'n')::int), 0) FROM dynamo_data."Over"}) }

# A synchronous standby of a server, which has everything that clients were told.
sub add_standby
{
	my ($number, $of) = @_;
	chomp(my $port = `'$here/../free-port'`);
	local $ENV{SERVER_CONF} = "dynamo.http_port = $port\nsynchronous_standby_names = ''";
	is(system("'$server' standby citus$number citus$of >/dev/null 2>&1"), 0, "server $of gets a standby");
	node($of, q{ALTER SYSTEM SET synchronous_standby_names = '*'});
	node($of, 'SELECT pg_reload_conf()');
	delete $http{$number};
	return ok(wait_for(sub { node($of, 'SELECT sync_state FROM pg_stat_replication') eq 'sync' }), 'a synchronous one');
}

# The server of a node is gone, and its standby is the node.
sub fail_over
{
	my ($node, $standby, $meanwhile) = @_;
	my $old = $server_of[$node];
	add_standby($standby, $old);
	is(system("'$server' crash citus$old"), 0, "node $node is killed");
	$meanwhile->() if $meanwhile;
	is(node($standby, 'SELECT pg_promote()'), 't', 'its standby is promoted');
	$server_of[$node] = $standby;
	my $port = node($standby, 'SHOW port');
	ok(wait_for(sub { node($server_of[0], qq{SET statement_timeout = '20s'; SELECT citus_update_node(nodeid, nodename, $port, force => true, lock_cooldown => 1000)
		FROM pg_dist_node WHERE groupid = $node}) =~ /\A\d*\z/ && node($server_of[0], "SELECT nodeport FROM pg_dist_node WHERE groupid = $node") eq $port }, 120), 'the cluster is told')
	  or diag node($server_of[0], "SELECT citus_update_node(nodeid, nodename, $port, force => true) FROM pg_dist_node WHERE groupid = $node");
	return;
}

ok(wait_for(sub { add($_, 0) =~ /\A200/ }), "node $_: served") for 0 .. 2;
my $told = sum(0);

foreach my $round (1, 2)
{
	# The coordinator, and back.
	my $client = begin_counting(1, 2);
	fail_over(0, $round == 1 ? 4 : 0, sub {
		like(add($_, 1), qr/\A200/, "node $_ goes on without the coordinator") for 1, 2;
		$told += 2;
		like(create(1, 'While'), qr/\A503 .*ServiceUnavailable/, 'a table is made later');
	});
	ok(wait_for(sub { create(1, "After$round") =~ /\A200/ }, 60), 'a worker has it make a table') or diag create(1, "Again$round");
	ok(wait_for(sub { request($_, 'DescribeTable', qq({"TableName":"After$round"})) =~ /\A200/ }, 60), "which node $_ knows") for 0 .. 2;
	like(request(2, 'PutItem', qq({"TableName":"After$round","Item":{"id":{"S":"x"}}})), qr/\A200/, 'and writes');
	ok(wait_for(sub { node($server_of[0], 'SELECT count(*) FROM dynamo.check_cluster()') eq '0' }, 60), 'nothing is wrong') or diag node($server_of[0], 'SELECT * FROM dynamo.check_cluster()');
	my ($done, $lost, $refused) = end_counting($client);
	diag "$done counted, $lost with no answer, $refused refused";
	cmp_ok($done, '>', 0, 'clients were served');
	$told += $done;
	my $sum = sum($server_of[0]);
	ok($sum >= $told && $sum <= $told + $lost, 'and nothing was lost') or diag "$sum, told $told, and $lost";
	$told = $sum;

	# A worker, and back.
	$client = begin_counting(0, 1);
	fail_over(2, $round == 1 ? 5 : 2);
	ok(wait_for(sub { (grep { add($_ % 2, $_) =~ /\A200/ && ++$told } 0 .. 19) == 20 }, 60), 'all keys are served');
	ok(wait_for(sub { request(2, 'DescribeTable', '{"TableName":"Over"}') =~ /\A200/ }, 60), 'the new one serves');
	($done, $lost, $refused) = end_counting($client);
	diag "$done counted, $lost with no answer, $refused refused";
	$told += $done;
	$sum = sum($server_of[1]);
	ok($sum >= $told && $sum <= $told + $lost, 'nothing was lost') or diag "$sum, told $told, and $lost";
	$told = $sum;
	ok(wait_for(sub { node($server_of[0], 'SELECT count(*) FROM dynamo.check_cluster()') eq '0' }, 60), 'nothing is wrong') or diag node($server_of[0], 'SELECT * FROM dynamo.check_cluster()');
	unlike(logged(), qr/PANIC:|TRAP:|was terminated by signal/, 'the logs are clean') if $round == 1;
}

is(node(0, 'SELECT count(*) FROM pg_prepared_xacts'), 0, 'no transaction is left prepared');
node(0, "SELECT dynamo.drop_table('$_')") for 'Over', 'After1', 'After2';
system("'$server' stop citus$_ >/dev/null 2>&1") for 4, 5;
authenticate('DEFAULT');
done_testing();

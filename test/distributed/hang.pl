# A node that hangs: all its processes are stopped, its sockets still take what
# is sent.  What waits for it must end, and what does not need it must not wait.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

# Milliseconds that a request may take, that it may go on then, and what must
# be over by then, with room for a slow machine.
my ($limit, $grace) = (3000, 1000);
my $patience = 40;
my $top = abs_path(dirname(__FILE__) . '/../..');

sub unavailable { my ($answer) = @_; return ($answer->{status} // 0) =~ /\A50[03]\z/ }
# Of a batch the keys of other nodes may have been read by then.
sub left { my ($answer, $key) = @_; return ($answer->{status} // 0) == 200 && $answer->{body} =~ /"UnprocessedKeys":\{"Hang":\{"Keys":\[\{"id":\{"S":"$key"\}\}\]/ }
sub get { my ($node, $key) = @_; return at($node, 'GetItem', qq({"TableName":"Hang","Key":{"id":{"S":"$key"}}})) }
sub put { my ($node, $key) = @_; return at($node, 'PutItem', qq({"TableName":"Hang","Item":{"id":{"S":"$key"}}})) }

# The postmaster of a node and its children.
sub processes
{
	my ($node) = @_;
	open my $file, '<', "$top/tmp/citus$node/data/postmaster.pid" or die;
	chomp(my $parent = <$file>);
	return ($parent, split ' ', `cat /proc/$parent/task/*/children`);
}

authenticate('trust');
configure('dynamo.http_request_timeout', $limit);
configure('dynamo.grace_period', $grace);
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');
node(0, q{SELECT dynamo.create_table('Hang', 'id')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Hang', '{"id": "h$_"}')} } 1 .. 40);
my @alive = keys_of(1, 'Hang');
my @dead = keys_of(2, 'Hang');
foreach my $key (@dead[0 .. 3])
{
	get($_, $key) for 0, 1;
}

my $from = time();
my @stopped = processes(2);
kill 'STOP', @stopped;

# Clients of the other node's keys, all the time.
my $busy = fork() // die;
if ($busy == 0)
{
	my ($slow, $wrong, $served, $end) = (0, 0, 0, time() + 2 * $patience);
	my $stop = 0;
	local $SIG{TERM} = sub { $stop = 1 };
	until ($stop || time() > $end)
	{
		my $began = time();
		my $answer = get($served % 2, $alive[$served % @alive]);

		# A worker that is held lets the kernel give its new clients to others.
		$answer = get($served % 2, $alive[$served % @alive]) unless defined $answer->{status};
		$wrong++ if ($answer->{status} // 0) != 200;
		$slow = time() - $began if time() - $began > $slow;
		$served++;
		sleep 0.02;
	}
	open my $file, '>', "$top/tmp/hang" or die;
	print $file "$served $wrong $slow";
	close $file;
	POSIX::_exit(0);
}

foreach my $case (['a read', sub { get(1, $dead[0]) }], ['another', sub { get(0, $dead[1]) }], ['a write', sub { put(1, $dead[2]) }],
	['a batch', sub { at(1, 'BatchGetItem', qq({"RequestItems":{"Hang":{"Keys":[{"id":{"S":"$dead[0]"}},{"id":{"S":"$alive[0]"}}]}}})) }],
	['a transaction', sub { at(0, 'TransactWriteItems', qq({"TransactItems":[{"Put":{"TableName":"Hang","Item":{"id":{"S":"$dead[0]"}}}},{"Put":{"TableName":"Hang","Item":{"id":{"S":"$alive[0]"}}}}]})) }],
	['a scan', sub { at(1, 'Scan', '{"TableName":"Hang"}') }])
{
	my ($name, $request) = @$case;
	my $began = time();
	my $answer = $request->();
	my $took = time() - $began;
	ok((unavailable($answer) || $name eq 'a batch' && left($answer, $dead[0])) && $took < $patience, "$name that needs the node ends")
	  or diag explain $answer;
	diag sprintf '%s: %.1f seconds, %s', $name, $took, $answer->{status} // 'no answer';
}
my $began = time();
my $first = get(1, $dead[3]);
is($first->{status}, 503, 'when it is known to hang');
diag sprintf '%.1f seconds', time() - $began;
kill 'TERM', $busy;
waitpid($busy, 0);
open my $file, '<', "$top/tmp/hang" or die;
my ($served, $wrong, $slow) = split ' ', <$file>;
diag "$served served, $wrong not, the slowest took $slow seconds";
ok($served > 0 && $wrong == 0 && $slow < $patience, 'what does not need the node is served');
kill 'CONT', @stopped;
ok(wait_for(sub { (get(1, $dead[0])->{status} // 0) == 200 }), 'it is back');
ok(wait_for(sub { (at(0, 'Scan', '{"TableName":"Hang"}')->{status} // 0) == 200 }), 'also for scans');
like(at(1, 'Scan', '{"TableName":"Hang","Select":"COUNT"}')->{body}, qr/"Count":40/, 'all items are there');

# It is down: nobody waits for it, by whichever door.
ok(halt(2), 'it is down');
my $unavailable = qr/"ServiceUnavailable"|#ServiceUnavailable","message":"The service is temporarily unavailable."/;
foreach my $node (0, 1)
{
	foreach my $case (['GetItem', qq({"TableName":"Hang","Key":{"id":{"S":"$dead[0]"}}})],
		['UpdateItem', qq({"TableName":"Hang","Key":{"id":{"S":"$dead[0]"}}})],
		['Query', qq({"TableName":"Hang","KeyConditionExpression":"id = :a","ExpressionAttributeValues":{":a":{"S":"$dead[0]"}}})],
		['BatchGetItem', qq({"RequestItems":{"Hang":{"Keys":[{"id":{"S":"$dead[0]"}},{"id":{"S":"$alive[0]"}}]}}})],
		['BatchWriteItem', qq({"RequestItems":{"Hang":[{"PutRequest":{"Item":{"id":{"S":"$dead[0]"}}}},{"PutRequest":{"Item":{"id":{"S":"$alive[0]"}}}}]}})],
		['TransactGetItems', qq({"TransactItems":[{"Get":{"TableName":"Hang","Key":{"id":{"S":"$dead[0]"}}}},{"Get":{"TableName":"Hang","Key":{"id":{"S":"$alive[0]"}}}}]})],
		['TransactWriteItems', qq({"TransactItems":[{"Put":{"TableName":"Hang","Item":{"id":{"S":"$dead[0]"}}}},{"Put":{"TableName":"Hang","Item":{"id":{"S":"$alive[0]"}}}}]})],
		['ExecuteStatement', qq({"Statement":"SELECT * FROM \\"Hang\\" WHERE id = '$dead[0]'"})],
		['Scan', '{"TableName":"Hang"}'])
	{
		my ($operation, $json) = @$case;
		my $answer = at($node, $operation, $json);
		like("$answer->{status} $answer->{body}", qr/\A503 .*$unavailable/, "node $node: $operation is not available");
	}
	is(get($node, $_)->{status}, 200, "node $node: $_ is") for $alive[0];
}
like(node(0, qq{SELECT dynamo.try_call('GetItem', '{"TableName":"Hang","Key":{"id":{"S":"$dead[0]"}}}')}), $unavailable, 'nor by SQL');
ok(restart(2), 'it comes back');
ok(wait_for(sub { (get(1, $dead[0])->{status} // 0) == 200 && (at(0, 'Scan', '{"TableName":"Hang"}')->{status} // 0) == 200 }), 'and serves');
node(0, q{SELECT dynamo.drop_table('Hang')});
configure($_, 'DEFAULT') for 'dynamo.http_request_timeout', 'dynamo.grace_period';
authenticate('DEFAULT');
unlink "$top/tmp/hang";
done_testing();

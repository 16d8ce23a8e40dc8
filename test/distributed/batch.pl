# Batches of a distributed table: each node gets its part in one call, and the
# answers make one.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Batch', 'id'); SELECT dynamo.create_index('Batch', 'ByKind', 'kind')});

# The body of an answer, with its status; numbers of nodes ask nodes.
sub ask_node
{
	my ($node, $operation, $request) = @_;
	my $answer = at($node, $operation, encode_json($request));
	my $body = eval { decode_json($answer->{body} // '') } // {};
	return { status => $answer->{status} // 0, %$body };
}
sub puts { my ($n, @keys) = @_; return [map { { PutRequest => { Item => { id => { S => $_ }, n => { N => "$n" }, kind => { S => 'k' } } } } } @keys] }
sub write_all { my ($node, $n, @keys) = @_; return ask_node($node, 'BatchWriteItem', { RequestItems => { Batch => puts($n, @keys) } }) }
sub gets { return { Keys => [map { { id => { S => $_ } } } @_] } }
sub read_all { my ($node, @keys) = @_; return ask_node($node, 'BatchGetItem', { RequestItems => { Batch => gets(@keys) } }) }
sub got { my ($answer) = @_; return join ' ', sort map { "$_->{id}{S}=" . ($_->{n}{N} // '') } @{ $answer->{Responses}{Batch} // [] } }
sub all_are { my ($n, @keys) = @_; return join ' ', sort map { "$_=$n" } @keys }

my @keys = map { "b$_" } 1 .. 25;
ok(wait_for(sub { write_all(1, 0, @keys)->{status} == 200 }), 'node 1: served');
is(node(1, q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'dynamo http'}), 0, 'without a session of its own');
ok(wait_for(sub { write_all($_, 0, @keys)->{status} == 200 }), "node $_: served") for 0, 2;

# Maintenance sends the definition to nodes that lack it, in two phases.
ok(wait_for(sub { node(0, 'SELECT bool_and(told) FROM dynamo.cluster_nodes()') eq 't' }, 60), 'all nodes are told of the table');

# No SQL goes to a node: Citus' statements would name the shards.
configure('log_statement', "'all'");
ok(wait_for(sub { node(2, 'SHOW log_statement') eq 'all' }), 'statements are logged');
my @before = log_ends();
foreach my $node (0 .. 2)
{
	my $answer = write_all($node, $node + 1, @keys);
	is($answer->{status}, 200, "node $node: a batch of all nodes is written");
	is_deeply($answer->{UnprocessedItems}, {}, 'whole');
	foreach my $reader (0 .. 2)
	{
		$answer = read_all($reader, @keys, 'none');
		is(got($answer), all_are($node + 1, @keys), "and read at node $reader");
		is_deeply($answer->{UnprocessedKeys}, {}, 'whole');
	}
}
my $said = logged(@before);
unlike($said, qr/dynamo_data\."?Batch_\d+/, 'by no statement of Citus');
unlike($said, qr/PREPARE TRANSACTION/, 'and no two phases');
configure('log_statement', 'DEFAULT');

# What functions of users ask in the part that the worker executes is of its client.
node(0, q{CREATE FUNCTION public.told() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		RAISE LOG 'told: %', dynamo.call('DescribeEndpoints', '{}')::json #>> '{Endpoints,0,Address}'; RETURN true; END $$;
	ALTER TABLE dynamo_data."Batch" ADD CONSTRAINT told CHECK (public.told())});
@before = log_ends();
is(at(1, 'BatchWriteItem', encode_json({ RequestItems => { Batch => puts(3, @keys) } }), { Host => 'part.example' })->{status}, 200, 'a batch with a constraint');
like(logged(@before), qr/told: part\.example/, 'which is told the host of the client');
node(0, q{ALTER TABLE dynamo_data."Batch" DROP CONSTRAINT told; DROP FUNCTION public.told()});

# One part leaves whole, and deletes go with puts.
my @one = keys_of(1, 'Batch');
my @two = keys_of(2, 'Batch');
ok(@one > 1 && @two > 1, 'both workers have keys');
foreach my $node (0 .. 2)
{
	is(ask_node($node, 'BatchWriteItem', { RequestItems => { Batch => [{ DeleteRequest => { Key => { id => { S => $one[0] } } } }, @{ puts(7, $one[1]) }] } })->{status}, 200, "node $node: one node's batch");
	is(got(read_all($node, @one[0, 1])), "$one[1]=7", 'is done');
	is(ask_node($node, 'BatchWriteItem', { RequestItems => { Batch => [{ DeleteRequest => { Key => { id => { S => $one[1] } } } }, @{ puts(8, $two[1], $one[0]) }] } })->{status}, 200, 'that of two');
	is(got(read_all($node, @one[0, 1], $two[1])), join(' ', sort "$one[0]=8", "$two[1]=8"), 'is done');
}

# What is wrong is wrong as on one server, and nothing is done.
write_all(0, 9, @keys);
is(ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => [@{ puts(1, @keys[0 .. 9]) }, @{ puts(2, $keys[3]) }] } })->{message}, 'Provided list of item keys contains duplicates', 'an item twice');
is(ask_node(0, 'BatchGetItem', { RequestItems => { Batch => { Keys => [{ id => { S => 'b1' } }, { no => { S => 'b1' } }] } } })->{status}, 400, 'a key that is none');
is(ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => [@{ puts(1, @keys[0 .. 9]) }, { PutRequest => { Item => { id => { N => '1' } } } }] } })->{status}, 400, 'an item without the key');
is(got(read_all(0, @keys)), all_are(9, @keys), 'nothing was written');

# Members beside the items.
my $answer = ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => puts(9, @keys) }, ReturnConsumedCapacity => 'INDEXES', ReturnItemCollectionMetrics => 'SIZE' });
is_deeply($answer->{ConsumedCapacity}, [{ TableName => 'Batch', CapacityUnits => 25, Table => { CapacityUnits => 25 } }], 'capacity is a sum')
  or diag explain $answer;
$answer = ask_node(1, 'BatchGetItem', { RequestItems => { Batch => { Keys => [map { { id => { S => $_ } } } @keys], ConsistentRead => JSON::PP::true, ProjectionExpression => '#n', ExpressionAttributeNames => { '#n' => 'n' } } }, ReturnConsumedCapacity => 'TOTAL' });
is_deeply($answer->{ConsumedCapacity}, [{ TableName => 'Batch', CapacityUnits => 25 }], 'and that of reads');
is(join(' ', map { join ',', %$_ } @{ $answer->{Responses}{Batch} }) =~ tr/n//, 25, 'what is asked for of each item');

# Two tables, one of them of this node alone.
node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Alone', 'id')});
node(0, q{SELECT dynamo.create_table('Beside', 'id')});
ok(wait_for(sub { ask_node(2, 'DescribeTable', { TableName => 'Beside' })->{status} == 200 }), 'another table');
foreach my $other ('Alone', 'Beside')
{
	is(ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => puts(10, @keys[0 .. 9]), $other => puts(10, @keys[0 .. 9]) } })->{status}, 200, "with table $other");
	$answer = ask_node(0, 'BatchGetItem', { RequestItems => { map { $_ => { Keys => [map { { id => { S => $_ } } } @keys[0 .. 9]] } } 'Batch', $other } });
	is(scalar @{ $answer->{Responses}{$_} // [] }, 10, "items of $_") for 'Batch', $other;
}

# Long ones: a body of many kB, and an answer.
my $text = 'y' x 9000;
$answer = ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => [map { { PutRequest => { Item => { id => { S => $_ }, n => { N => '11' }, text => { S => $text } } } } } @keys] } });
is($answer->{status}, 200, 'a long batch is written') or diag explain $answer;
foreach my $node (0 .. 2)
{
	$answer = read_all($node, @keys);
	is(got($answer), all_are(11, @keys), "node $node: and read");
	is(scalar(grep { $_->{text}{S} eq $text } @{ $answer->{Responses}{Batch} }), 25, 'byte by byte');
}

# 60 items of 390 kB: an answer has 16 MB over all nodes, and the rest is asked for again.
my @large = map { "large$_" } 1 .. 60;
foreach my $n (0 .. 2)
{
	$answer = ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => [map { { PutRequest => { Item => { id => { S => $_ }, n => { N => '11' }, text => { S => 'z' x 390_000 } } } } } @large[20 * $n .. 20 * $n + 19]] } });
	is($answer->{status}, 200, 'large items are written') or diag explain $answer;
}
foreach my $node (0 .. 2)
{
	my ($left, @read, @sizes) = { Batch => gets(@large) };
	while (%$left && @sizes < 60)
	{
		my $part = at($node, 'BatchGetItem', encode_json({ RequestItems => $left }));
		my $body = decode_json($part->{body});
		push @sizes, length $part->{body};
		push @read, @{ $body->{Responses}{Batch} };
		$left = $body->{UnprocessedKeys};
	}
	cmp_ok(scalar(grep { $_ > 16 * 1024 * 1024 + 100_000 } @sizes), '==', 0, "node $node: no answer is larger") or diag "@sizes";
	is(got({ Responses => { Batch => \@read } }), all_are(11, @large), 'and all are read');
}

# Texts that look like JSON's marks, and names of tables that are ARNs.
my @odd = map { { PutRequest => { Item => { id => { S => $keys[$_] }, n => { N => '12' }, ',"]}' => { S => ('"}],{\\' x $_) . "\x{e9}\n" } } } } } 0 .. 24;
my $arn = ask_node(0, 'DescribeTable', { TableName => 'Batch' })->{Table}{TableArn};
is(ask_node(0, 'BatchWriteItem', { RequestItems => { $arn => \@odd } })->{status}, 200, 'odd texts, by an ARN');
$answer = ask_node(1, 'BatchGetItem', { RequestItems => { $arn => { Keys => [map { { id => { S => $_ } } } @keys] } } });
is_deeply([sort { $a->{id}{S} cmp $b->{id}{S} } @{ $answer->{Responses}{$arn} }], [sort { $a->{id}{S} cmp $b->{id}{S} } map { $_->{PutRequest}{Item} } @odd], 'come back');

# A part that meets a lock is tried again, and only that part, for five seconds.  Where the
# machine is so slow that these are over before the lock is gone, all is done once more.
my $session;
foreach my $how ('short', 'long')
{
	my $ended;
	foreach my $try (1 .. 20)
	{
		write_all(0, 13, @keys);
		$session = session_at(0, qq{BEGIN; UPDATE dynamo_data."Batch" SET item = item WHERE pk = dynamo_internal.partition_key('{"id": "$one[2]"}', 'id', 'S'); SELECT pg_sleep(600);});
		ok(wait_for(sub { node(0, q{SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'}) }), "$how: somebody holds an item");
		my $child = fork() // die;
		if ($child == 0)
		{
			my $done = ask_node(0, 'BatchWriteItem', { RequestItems => { Batch => [map { $_->{PutRequest}{Item}{text}{S} = $how eq 'long' ? $text : ''; $_ } @{ puts(14, $one[2], $two[2]) }] } });
			my @left = map { $_->{PutRequest}{Item}{id}{S} } @{ $done->{UnprocessedItems}{Batch} // [] };
			POSIX::_exit($done->{status} != 200 ? 1 : "@left" eq $one[2] ? 2 : @left ? 1 : 0);
		}
		ok(wait_for(sub { got(read_all(0, $two[2])) eq "$two[2]=14" }), "the other node's item is written");
		is(write_all(2, 15, $two[2])->{status}, 200, 'and by somebody else after that');
		sleep 0.3;
		is(got(read_all(0, $one[2], $two[2])), join(' ', sort "$one[2]=13", "$two[2]=15"), 'the one that is held waits');
		node(0, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'});
		waitpid($child, 0);
		$ended = $? >> 8;
		close $session;
		last if $ended != 2;
	}
	is($ended, 0, 'until it is done');
	is(got(read_all(0, $one[2], $two[2])), join(' ', sort "$one[2]=14", "$two[2]=15"), 'and nothing was done twice');
}

# It is held for too long: the client has what was not done.
$session = session_at(0, qq{BEGIN; UPDATE dynamo_data."Batch" SET item = item WHERE pk = dynamo_internal.partition_key('{"id": "$one[2]"}', 'id', 'S'); SELECT pg_sleep(600);});
ok(wait_for(sub { node(0, q{SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'}) }), 'somebody holds an item');
$answer = write_all(0, 16, $one[2], $two[2]);
is($answer->{status}, 200, 'a batch ends');
is_deeply($answer->{UnprocessedItems}, { Batch => puts(16, $one[2]) }, 'with what was not processed');
is(got(read_all(0, $two[2])), "$two[2]=16", 'and the rest is done');
node(0, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'});
close $session;

# Shards move meanwhile.
my $mover = fork() // die;
if ($mover == 0)
{
	foreach my $round (1 .. 3)
	{
		foreach my $to (2, 1)
		{
			node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
				FROM citus_shards AS s, pg_dist_node AS n WHERE s.table_name = 'dynamo_data."Batch"'::regclass AND n.groupid = $to AND s.nodeport <> n.nodeport});
		}
	}
	POSIX::_exit(0);
}
my ($round, $refused, $wrong) = (100, 0, 0);

# What was refused or not processed is asked for again, as applications do.
sub until_done
{
	my ($node, $operation, $left) = @_;
	my @answers;
	for (my $try = 0; %$left && $try < 100; $try++)
	{
		my $done = ask_node($node, $operation, { RequestItems => $left });
		if ($done->{status} == 200)
		{
			$left = $done->{UnprocessedItems} // $done->{UnprocessedKeys};
			push @answers, $done;
		}
		else { $refused++ }
	}
	return $left, @answers;
}
while (waitpid($mover, POSIX::WNOHANG()) == 0)
{
	$round++;
	my ($unwritten) = until_done($round % 3, 'BatchWriteItem', { Batch => puts($round, @keys) });
	my ($unread, @answers) = until_done(($round + 1) % 3, 'BatchGetItem', { Batch => gets(@keys) });
	my @items = map { @{ $_->{Responses}{Batch} // [] } } @answers;
	$wrong++ if %$unwritten || %$unread || got({ Responses => { Batch => \@items } }) ne all_are($round, @keys);
}
cmp_ok($round, '>', 101, 'batches were written while shards moved');
is($wrong, 0, 'and read as they were written') or diag "$round rounds, $refused refused";

# A node is down.
node(0, q{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes') FROM (
	SELECT * FROM citus_shards WHERE table_name = 'dynamo_data."Batch"'::regclass ORDER BY shardid LIMIT 2) AS s, pg_dist_node AS n WHERE n.groupid = 2 AND s.nodeport <> n.nodeport});
my ($here) = keys_of(1, 'Batch');
my ($there) = map { keys_of(2, $_) } 'Beside', 'Batch';
ok(halt(2), 'a node goes down');
foreach my $try (1, 2)
{
	my $done = write_all(1, 17, @keys);
	ok($done->{status} == 503 || ($done->{status} == 200 && %{ $done->{UnprocessedItems} }), "try $try: its part is not done") or diag explain $done;
	$done = read_all(1, @keys);
	ok($done->{status} == 503 || ($done->{status} == 200 && %{ $done->{UnprocessedKeys} }), 'nor read') or diag explain $done;
	$done = ask_node(1, 'BatchGetItem', { RequestItems => { Batch => gets($here), Beside => gets($there) } });
	ok($done->{status} == 503 || (got($done) ne '' && $done->{UnprocessedKeys}{Beside} && encode_json($done->{Responses}{Beside} // {}) eq '[]'), 'a table of which nothing is read has its list') or diag explain $done;
}
ok(restart(2), 'it is back');
ok(wait_for(sub { my $done = write_all(1, 18, @keys); $done->{status} == 200 && !%{ $done->{UnprocessedItems} } }, 60), 'and batches are done');
is(got(read_all(2, @keys)), all_are(18, @keys), 'whole');

node(0, "SELECT dynamo.drop_table('$_')") for 'Batch', 'Beside', 'Alone';
authenticate('DEFAULT');
done_testing();

# Transactions whose items are on one node are executed there, by its local store.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use POSIX qw(WNOHANG);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Account', 'id'); SELECT dynamo.create_index('Account', 'ByHolder', 'holder')});
my $accounts = 24;

sub ask_node
{
	my ($node, $operation, $request) = @_;
	my $answer = at($node, $operation, encode_json($request));
	my $body = eval { decode_json($answer->{body} // '') } // {};
	return { status => $answer->{status} // 0, %$body };
}
sub put { my ($id, $n) = @_; return { Put => { TableName => 'Account', Item => { id => { S => $id }, n => { N => "$n" }, holder => { S => 'o' } } } } }
sub move { my ($id, $n, $least) = @_; return { Update => { TableName => 'Account', Key => { id => { S => $id } }, UpdateExpression => 'ADD n :n', ConditionExpression => 'n >= :least', ExpressionAttributeValues => { ':n' => { N => "$n" }, ':least' => { N => "$least" } } } } }
sub transact { my ($node, @items) = @_; return ask_node($node, 'TransactWriteItems', { TransactItems => \@items }) }
sub amount { return node($_[0], q{SELECT sum((item ->> 'n')::int) FROM dynamo_data."Account"}) }

ok(wait_for(sub { transact($_, put('a1', 100))->{status} == 200 }), "node $_: served") for 0 .. 2;
is(transact(0, map { put("a$_", 100) } 1 .. $accounts)->{status}, 200, 'accounts on all nodes');
my %of = map { $_ => [keys_of($_, 'Account')] } 1, 2;
ok(@{ $of{$_} } > 3, "node $_ has some") for 1, 2;

configure('log_statement', "'all'");
ok(wait_for(sub { node(2, 'SHOW log_statement') eq 'all' }), 'statements are logged');
my @before = log_ends();
foreach my $node (0 .. 2)
{
	foreach my $owner (1, 2)
	{
		my ($a, $b, $c) = @{ $of{$owner} };
		is(transact($node, move($a, -10, 10), move($b, 10, 0))->{status}, 200, "node $node: a transaction of node $owner");
		my $answer = transact($node, move($a, -1000, 1000), move($b, 1000, 0));
		is($answer->{status}, 400, 'one whose condition fails');
		is_deeply([map { $_->{Code} } @{ $answer->{CancellationReasons} }], ['ConditionalCheckFailed', 'None'], 'is canceled, with reasons');
		is(transact($node, { Delete => { TableName => 'Account', Key => { id => { S => "none$owner" } } } })->{status}, 200, 'a delete of nothing');
		is(transact($node, { ConditionCheck => { TableName => 'Account', Key => { id => { S => $c } }, ConditionExpression => 'attribute_exists(id)' } }, move($a, 10, 0), move($b, -10, 10))->{status}, 200, 'a check');
		$answer = ask_node($node, 'TransactWriteItems', { TransactItems => [move($a, 0, 0), move($b, 0, 0)], ReturnConsumedCapacity => 'TOTAL' });
		is_deeply($answer->{ConsumedCapacity}, [{ TableName => 'Account', CapacityUnits => 4, WriteCapacityUnits => 4 }], 'its capacity') or diag explain $answer;
	}
}
my $said = logged(@before);
unlike($said, qr/dynamo_data\."?Account_\d+/, 'by no statement of Citus');
unlike($said, qr/PREPARE TRANSACTION/, 'and no two phases');
configure('log_statement', 'DEFAULT');
is(amount(1), 100 * $accounts, 'all amounts are there');

# The index has what the items have.
is(node(0, q{SELECT count(*) FROM dynamo.query('Account', 'holder = :o', '{":o": "o"}', index_name => 'ByHolder')}), $accounts, 'and the index');

# Of two nodes, and with a token: once.
is(transact(1, move($of{1}[0], -1, 1), move($of{2}[0], 1, 0))->{status}, 200, 'a transaction of two nodes');
my %again = (TransactItems => [move($of{1}[0], 1, 0), move($of{1}[1], -1, 1)], ClientRequestToken => "token-$$-" . time);
is(ask_node($_, 'TransactWriteItems', \%again)->{status}, 200, "node $_: the same request") for 0 .. 2;
is(amount(2), 100 * $accounts, 'nothing is lost');
is(node(0, qq{SELECT item ->> 'n' FROM dynamo.get_item('Account', '$of{1}[1]')}), 99, 'it was done once');

# Money goes from account to account while shards move: a pair is on one node and
# then on two.
my @clients = map {
	my $node = $_;
	my $client = fork() // die;
	if ($client == 0)
	{
		my ($stop, $end, $done, $wrong) = (0, time() + 300, 0, 0);
		local $SIG{TERM} = sub { $stop = 1 };
		srand $node;
		until ($stop || time() > $end)
		{
			my ($a, $b) = (1 + int rand $accounts, 1 + int rand $accounts);
			next if $a == $b;
			my $status = transact($node, move("a$a", -3, 3), move("a$b", 3, 0))->{status};
			$done++ if $status == 200;
			$wrong++ if $status !~ /\A(?:200|400|503)\z/;
		}
		POSIX::_exit($wrong ? 1 : $done ? 0 : 2);
	}
	$client;
} 0 .. 2;
foreach my $round (1 .. 3)
{
	foreach my $to (2, 1)
	{
		node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
			FROM citus_shards AS s, pg_dist_node AS n WHERE s.table_name = 'dynamo_data."Account"'::regclass AND n.groupid = $to AND s.nodeport <> n.nodeport ORDER BY s.shardid LIMIT 2});
	}
}
kill 'TERM', @clients;
foreach my $client (@clients)
{
	waitpid($client, 0);
	is($? >> 8, 0, 'a client was served');
}
is(amount($_), 100 * $accounts, "node $_: all amounts are there") for 0 .. 2;
is(node(0, q{SELECT count(*) FROM dynamo.query('Account', 'holder = :o', '{":o": "o"}', index_name => 'ByHolder')}), $accounts, 'and the index');
is(node($_, 'SELECT count(*) FROM pg_prepared_xacts'), 0, "node $_: nothing is left prepared") for 0 .. 2;

node(0, q{SELECT dynamo.drop_table('Account')});
authenticate('DEFAULT');
done_testing();

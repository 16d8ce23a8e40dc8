# Transactions and batches over two tables that were made in another order than
# that of their names, by all nodes at once.  OIDs differ from node to node, names
# do not: all take items by the names of their tables and then by their keys, so
# that no two wait for each other.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $rounds = 100;
my $before = () = logged() =~ /deadlock detected/g;
authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, q{ListTables}, q({}))->{status} // 0) == 200 }), "node $node: served");
}
node(0, qq{SELECT dynamo.create_table('$_', 'id')}) for 'OrderB', 'OrderA';
node(0, q{SELECT dynamo.put_item('OrderB', jsonb_build_object('id', 'k' || n)::dynamo.item) FROM generate_series(1, 50) n});
my @keys = map { (keys_of($_, 'OrderB'))[0] } 1, 2;
is(scalar(grep { defined } @keys), 2, 'both workers have keys');

sub item { my ($key, $n) = @_; return qq({"id":{"S":"$key"},"n":{"N":"$n"}}) }

sub transaction
{
	my ($n) = @_;
	my $actions = join ',', map { my $table = $_; map { qq({"Put":{"TableName":"$table","Item":${\item($_, $n)}}}) } @keys } 'OrderB', 'OrderA';
	return ('TransactWriteItems', qq({"TransactItems":[$actions]}));
}

sub batch
{
	my ($n) = @_;
	my $tables = join ',', map { my $table = $_; qq("$table":[) . join(',', map { qq({"PutRequest":{"Item":${\item($_, $n)}}}) } @keys) . ']' } 'OrderB', 'OrderA';
	return ('BatchWriteItem', qq({"RequestItems":{$tables}}));
}

# A node that other tests have killed may still be connected to: the answer is 503
# once then, and SDKs repeat the request.
sub done
{
	my @request = @_;
	my $answer;
	wait_for(sub { (($answer = call(@request))->{status} // 0) != 503 });
	return 1 if ($answer->{status} // 0) == 200;
	print STDERR '# ', $answer->{status} // 'no answer', ' ', $answer->{body} // '', "\n";
	return 0;
}

my @clients;
foreach my $client (0 .. 5)
{
	my $pid = fork() // die;
	if ($pid == 0)
	{
		use_port((ports())[$client % 3]);
		my $refused = grep { !done($client < 3 ? transaction($_) : batch($_)) } 1 .. $rounds;
		POSIX::_exit($refused);
	}
	push @clients, $pid;
}
foreach my $client (0 .. 5)
{
	waitpid($clients[$client], 0);
	is($? >> 8, 0, 'node ' . $client % 3 . ($client < 3 ? ': transactions' : ': batches') . ' are all done');
}
is(scalar(() = logged() =~ /deadlock detected/g), $before, 'without a deadlock');
node(0, q{SELECT dynamo.drop_table('OrderA'), dynamo.drop_table('OrderB')});
authenticate('DEFAULT');

done_testing();

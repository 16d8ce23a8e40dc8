# A distributed table has its throughput once, however many shards and nodes it
# has.  What overdraws it costs hundreds of times what flows in in a second, so
# that it stays empty to the end of the test, however slow that is.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP qw(encode_json);
use Test::More;
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $large = 'x' x 390_000;
my %key;

sub units { return { ReadCapacityUnits => $_[0], WriteCapacityUnits => $_[1] } }
sub put { my ($node, $table, $item) = @_; return at($node, 'PutItem', encode_json({ TableName => $table, Item => $item })) }
sub get { my ($node, $table, $id) = @_; return at($node, 'GetItem', encode_json({ TableName => $table, Key => { id => { S => $id } }, ConsistentRead => JSON::PP::true })) }

sub is_refused
{
	my ($answer) = @_;
	return $answer->{status} == 400 && $answer->{body} =~ /#ProvisionedThroughputExceededException"/;
}

# How many of these items are refused, asked of the node that has them and of the coordinator.
sub refused
{
	my ($ask, $node, $table, @ids) = @_;
	return scalar grep { is_refused($_) } map { my $id = $_; map { $ask->($_, $table, $id) } 0, $node } @ids;
}

# Keys of a node, one for each of its shards.
sub one_a_shard
{
	my ($node, $table) = @_;
	my %found;
	foreach my $n (1 .. 200)
	{
		my ($group, $shard) = shard_of($table, "k$n");
		$found{$shard} //= "k$n" if $group == $node;
		last if keys %found == 2;
	}
	return sort values %found;
}

# Is the node told of what was taken at another?  It is asked more seldom than units flow in.
sub hears
{
	my ($ask, $node, $table, $id) = @_;
	foreach (1 .. 60)
	{
		return 1 if is_refused($ask->($node, $table, $id));
		sleep 2;
	}
	return 0;
}

sub make
{
	my ($table, $throughput, @indexes) = @_;
	my $answer = at(0, 'CreateTable', encode_json({
			TableName => $table,
			AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } 'id', @indexes ],
			KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
			ProvisionedThroughput => $throughput,
			@indexes ? (GlobalSecondaryIndexes => [ map { {
						IndexName => "By$_", KeySchema => [ { AttributeName => $_, KeyType => 'HASH' } ],
						Projection => { ProjectionType => 'ALL' }, ProvisionedThroughput => units(1, 1) } } @indexes ]) : () }));
	is($answer->{status}, 200, "$table is made") or diag $answer->{body};
	$key{$table} = [ undef, map { [ one_a_shard($_, $table) ] } 1, 2 ];
	is(scalar @{ $key{$table}[$_] }, 2, "node $_ has two shards") for 1, 2;
	return;
}

authenticate('trust');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');

# Items are there before anything is limited.
make('Once', units(1, 1));
make('Index', units(10000, 10000), 'v');
my @first = @{ $key{Once}[1] };
my @second = @{ $key{Once}[2] };
is(put(1, 'Once', { id => { S => $first[0] }, text => { S => $large } })->{status}, 200, 'a large item');
is(put(0, 'Once', { id => { S => $_ } })->{status}, 200, 'a small one') for $first[1], @second;
configure('dynamo.enforce_throughput', 'on');

# Writes.
ok(wait_for(sub { is_refused(put(1, 'Once', { id => { S => $first[0] }, text => { S => $large } })) }), 'a large write uses up what the table has');
my $write = sub { my ($node, $table, $id) = @_; return put($node, $table, { id => { S => $id } }) };
is(refused($write, 1, 'Once', @first), 4, 'in all shards of the node');
ok(hears($write, 2, 'Once', $second[0]), 'the other node hears of it');
is(refused($write, 2, 'Once', @second), 4, '... for all its shards');
is(refused($write, 1, 'Once', @first), 4, 'which takes nothing from the debt of the first');
is(get(0, 'Once', $_)->{status}, 200, 'it can be read') for $first[1], $second[1];

# Reads.
ok(wait_for(sub { is_refused(get(2, 'Once', $first[0])) }), 'a large read uses up what may be read');
is(refused(\&get, 1, 'Once', @first), 4, 'in all shards of the node');
ok(hears(\&get, 2, 'Once', $second[0]), 'the other node hears of it');
is(refused(\&get, 2, 'Once', @second), 4, '... for all its shards');
ok(is_refused(at(1, 'Scan', '{"TableName":"Once"}')), 'nor does the node scan it');

# An index has throughput of its own.
@first = @{ $key{Index}[1] };
@second = @{ $key{Index}[2] };
ok(wait_for(sub { is_refused(put(1, 'Index', { id => { S => $first[0] }, v => { S => 'a' }, text => { S => $large . rand() } })) }), 'a large write uses up what the index has');
my $indexed = sub { my ($node, $table, $id) = @_; return put($node, $table, { id => { S => $id }, v => { S => 'v' . rand() } }) };
is(refused($indexed, 1, 'Index', @first), 4, 'in all shards of the node');
ok(hears($indexed, 2, 'Index', $second[0]), 'the other node hears of it');
is(refused($indexed, 2, 'Index', @second), 4, '... for all its shards');
my ($other) = grep { (shard_of('Index', $_))[0] == 2 } map { "other$_" } 1 .. 50;
is(put(2, 'Index', { id => { S => $other } })->{status}, 200, 'what is not in the index is written');

# Another table of that name begins anew.
node(0, "SELECT dynamo.drop_table('Once')");
make('Once', units(1, 1));
is(put(0, 'Once', { id => { S => $key{Once}[1][0] } })->{status}, 200, 'another table of that name has its own');

# The coordinator scales it for all nodes.
my @ends = log_ends();
configure('dynamo.ttl_interval', 1);
unlike(node(0, q{SELECT dynamo.set_auto_scaling('Once', 'WriteCapacityUnits', 5, 9, 50)}), qr/ERROR/, 'a policy of auto scaling');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { node($node, q{SELECT dynamo.call('DescribeTable', '{"TableName":"Once"}') #>> '{Table,ProvisionedThroughput,WriteCapacityUnits}'}) eq '5' }, 60), "node $node: it is scaled");
}
unlike(logged(@ends), qr/its definition is changed on the coordinator/, 'no other node tries to');
configure('dynamo.ttl_interval', 'DEFAULT');

like(node(0, q{SELECT dynamo_internal.exchange_throughput('{1,2}')}), qr/ERROR: .*9 numbers/, 'the function wants all that is told of a bucket');

configure('dynamo.enforce_throughput', 'DEFAULT');
node(0, "SELECT dynamo.drop_table('$_')") for qw(Once Index);
authenticate('DEFAULT');
done_testing();

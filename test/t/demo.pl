# What "make demo" does once it has built: the server, the shop, the market, and the
# words that say how to connect, each of which is tried.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $top = abs_path(dirname(__FILE__) . '/../..');
chdir $top or die;
-e 'tmp/demo' and plan skip_all => 'a demo of this tree runs';
my $ours = 1;
END { system 'test/run demo-stop >/dev/null 2>&1' if $ours }

chomp(my $share = run('"${PG_CONFIG:-pg_config}" --sharedir'));
my $page = -e "$top/tmp/pg$share/dynamo-console/index.html";

my ($said, $status) = run('test/run walk 2>&1');
is($status, 0, 'the demo runs to its end') or diag($said);
my ($port) = $said =~ m{http://localhost:(\d+)};
use_port($port);
like($said, qr/AWS_ACCESS_KEY_ID=dynamo AWS_SECRET_ACCESS_KEY=dynamo /, 'it tells the key for development');

sub ask_market
{
	my ($operation, %request) = @_;
	my $body = encode_json({ TableName => 'Market', %request });
	my $answer = call($operation, $body, signed_head($operation, $body, key => 'dynamo', secret => 'dynamo'));
	return $answer->{status} == 200 ? decode_json($answer->{body}) : $answer->{body};
}

my ($told) = $said =~ /^(\d+) items in the table Market$/m;
is(ask_market('Scan', Select => 'COUNT')->{Count}, $told, 'with which the market is read');
my %kinds;
foreach my $item (@{ ask_market('Scan', ProjectionExpression => 'PK, SK')->{Items} })
{
	$kinds{ join ' ', map { s/#.*//r } $item->{PK}{S}, $item->{SK}{S} }++;
}
is_deeply([ sort keys %kinds ],
	[ 'CUSTOMER ADDRESS', 'CUSTOMER CART', 'CUSTOMER ORDER', 'CUSTOMER PROFILE', 'ORDER LINE', 'PRODUCT DETAILS', 'PRODUCT REVIEW' ],
	'customers, orders, products, carts and reviews are in it');
foreach my $query ([ 'GSI1', 'STATUS#shipped' ], [ 'GSI1', 'CATEGORY#tea' ], [ 'GSI2', 'CUSTOMER#1008' ])
{
	my $n = ask_market('Query', IndexName => $query->[0], KeyConditionExpression => "$query->[0]PK = :v",
		ExpressionAttributeValues => { ':v' => { S => $query->[1] } }, Select => 'COUNT');
	cmp_ok($n->{Count}, '>', 0, "$query->[0] has $query->[1]");
}
my $table = ask_market('DescribeTable')->{Table};
ok($table->{StreamSpecification}{StreamEnabled}, 'it has a stream');
is(ask_market('DescribeTimeToLive')->{TimeToLiveDescription}{TimeToLiveStatus}, 'ENABLED', '... time to live');
is(ask_market('DescribeContinuousBackups')->{ContinuousBackupsDescription}{PointInTimeRecoveryDescription}{PointInTimeRecoveryStatus},
	'ENABLED', '... and recovery');

# The first lines of the README are for this server, too: their table is none of its own.
open my $readme, '<', 'README.md' or die;
my ($named) = join('', <$readme>) =~ /TableName='(\w+)'/;
close $readme;
my $tables = ask_market('ListTables')->{TableNames};
ok(defined $named && !grep({ $_ eq $named } @$tables), "README's first table is still to be made") or diag("@$tables");

# What the views of operations show is there for that key, which is no superuser's.
my $own = 'Dynamo_20261201';
cmp_ok(scalar @{ ask_market("$own.ListWorkers")->{Workers} }, '>', 0, 'workers are shown');
is(join(' ', map { "$_->{Kind} $_->{TableName}" } @{ ask_market("$own.ListJobs")->{Jobs} }), 'BACKUP Market', 'so is a backup');
my ($mapping) = @{ ask_market("$own.ListEventSourceMappings")->{EventSourceMappings} };
is($mapping->{FunctionName}, 'market.count_orders', 'and a function that is called with changes');

# The console: its address is told if its files are there, and it answers.
my $got = ask("GET /console HTTP/1.1\r\nHost: localhost:$port\r\nConnection: close\r\n\r\n");
if ($page)
{
	like($said, qr{^ *http://localhost:$port/console\n *http://localhost:$port/console#/table/Market/map$}m, 'it tells where the console is');
	is($got->{status}, 200, 'and there it is');
}
else
{
	like($said, qr/The console is left out: "make console" builds it/, 'it says that the console is left out');
	is($got->{status}, 404, 'and so it is');
}

is(system('test/run demo-stop >/dev/null'), 0, 'make demo-stop');
ok(!-e 'tmp/demo', 'leaves nothing');

done_testing();

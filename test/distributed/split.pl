# A transaction whose items are on several nodes: each executes its part and prepares
# it by one call, and the commit of the node that was asked decides.  What is left
# prepared by a crash ends as that node has decided.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use POSIX ();
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Calls;
use Cluster;
use HttpClient;

my $server = dirname(__FILE__) . '/../server';
my $json = JSON::PP->new->canonical;
my $run = "$$-" . time;

# Recovery comes when it is asked for.
configure('citus.recover_2pc_interval', -1);
authenticate('trust');
node(0, q{SELECT dynamo.create_table('Split', 'id'); SELECT dynamo.create_index('Split', 'ByHolder', 'holder');
	SELECT count(*) FROM generate_series(1, 40) AS i, dynamo.put_item('Split', jsonb_build_object('id', 'k' || i, 'n', 0, 'holder', 'o'))});
my %of = map { $_ => [keys_of($_, 'Split')] } 1, 2;
ok(@{ $of{$_} } > 3, "node $_ has items") for 1, 2;
my ($a, $b, $c) = @{ $of{1} };
my ($x, $y, $z) = @{ $of{2} };

sub add { my ($id, $least) = @_; return { Update => { TableName => 'Split', Key => { id => { S => $id } }, UpdateExpression => 'ADD n :one', ReturnValuesOnConditionCheckFailure => 'ALL_OLD',
	$least ? (ConditionExpression => "n >= :min") : (), ExpressionAttributeValues => { ':one' => { N => '1' }, $least ? (':min' => { N => "$least" }) : () } } } }
sub request { my ($token, @items) = @_; return $json->encode({ TransactItems => \@items, $token ? (ClientRequestToken => $token) : () }) }
sub transact { my ($node, @items) = @_; return answer($node, 'TransactWriteItems', request(undef, @items)) }
sub n_of { return join ' ', map { node(0, qq{SELECT item ->> 'n' FROM dynamo_data."Split" WHERE item ->> 'id' = '$_'}) } @_ }
sub prepared { return node($_[0], q{SELECT count(*) FROM pg_prepared_xacts}) }

# What waits for a standby is on disk, and not answered.
sub standby { my ($node, $name) = @_; node($node, "ALTER SYSTEM SET synchronous_standby_names = $name"); node($node, 'SELECT pg_reload_conf()'); return wait_for(sub { node($node, 'SHOW synchronous_standby_names') eq ($name eq "''" ? '' : 'nobody') }) }

# Names of transactions that were prepared so: Citus counts its own from one.
sub ours { return node($_[0], q{SELECT count(*) FROM pg_dist_transaction WHERE split_part(gid, '_', 4)::bigint > 1000000000000}) }
sub served { return repeated($_[0], 'GetItem', qq({"TableName":"Split","Key":{"id":{"S":"$a"}}})) =~ /^200/ }
sub crash { my ($node) = @_; return system("'$server' crash citus$node") == 0 }

ok(served($_), "node $_: served") for 0 .. 2;
is(transact($_, add($a), add($x)), '200 {}', "node $_: a transaction of two nodes") for 0 .. 2;

# By one prepare a node, whichever is asked.
configure('log_statement', "'all'");
ok(wait_for(sub { node(2, 'SHOW log_statement') eq 'all' }), 'statements are logged');
my @before = log_ends();
foreach my $node (0 .. 2)
{
	my $was = ours($node);
	is(transact($node, add($a), add($x), add($b), add($y)), '200 {}', "node $node: a transaction of two nodes");
	is(ours($node) - $was, $node == 0 ? 2 : 1, '... by one name for each other node');
}
unlike(logged(@before), qr/dynamo_data\."?Split_\d+/, 'by no statement of Citus');
configure('log_statement', 'DEFAULT');
is(n_of($a, $x, $b, $y), '6 6 3 3', 'all is written, once');
is(node(0, q{SELECT count(*) FROM dynamo.query('Split', 'holder = :o', '{":o": "o"}', index_name => 'ByHolder')}), 40, 'and the index');
is(prepared($_), 0, "node $_: nothing is left prepared") for 0 .. 2;

# What fails is told as on one server: reasons of all items, in their order.
foreach my $node (0 .. 2)
{
	my ($status, $body) = split / /, transact($node, add($a), add($x, 1000), add($b, 1000), add($y)), 2;
	my $answer = decode_json($body);
	is($status, 400, "node $node: conditions fail at both nodes");
	is_deeply([map { $_->{Code} } @{ $answer->{CancellationReasons} }], ['None', 'ConditionalCheckFailed', 'ConditionalCheckFailed', 'None'], '... with all reasons');
	is_deeply([map { $_->{Item}{id}{S} } @{ $answer->{CancellationReasons} }[1, 2]], [$x, $b], '... and items');
	like(transact($node, add($a), add($x, 1000)), qr/^400 .*TransactionCanceledException/, 'one that fails at one node');
	like(answer($node, 'TransactWriteItems', $json->encode({ TransactItems => [add($c), add($z)], ReturnConsumedCapacity => 'TOTAL' })), qr/^200 .*"CapacityUnits":6\b/, 'capacity is told');
}
is(n_of($a, $x, $b, $y, $c, $z), '6 6 3 3 3 3', 'and nothing else was written');
is(prepared($_), 0, "node $_: nothing is left prepared") for 0 .. 2;

# Once for a token, whichever node is asked again.
foreach my $node (0 .. 2)
{
	foreach my $n (1 .. 6)
	{
		my $token = "s$node$n-$run";
		is(answer($_, 'TransactWriteItems', request($token, add($c), add($z))), '200 {}', "token $n of node $node, at node $_") for $node, $node, ($node + 1) % 3, ($node + 2) % 3;
		like(answer(($node + $n) % 3, 'TransactWriteItems', request($token, add($a), add($z))), qr/^400 .*IdempotentParameterMismatchException/, 'another request with it');
	}
}
is(n_of($c, $z), '21 21', 'each is done once');

# What other nodes are called with.
sub serving
{
	my ($node) = @_;
	my $socket = session_of($node);
	next_message($socket);
	foreach my $statement ('SET lock_timeout = 1', 'CALL dynamo_internal.serve_calls()')
	{
		say_to($socket, message('Q', "$statement\0"));
		next_message($socket);
		next_message($socket) if $statement =~ /^SET/;
	}
	return $socket;
}
sub call_by { my ($socket, @call) = @_; say_to($socket, call_of(@call)); return (next_message($socket))[1] }
my $socket = serving(2);
sub name { my ($n) = @_; return "citus_1_1_900000000000000${n}_0" }
my $part = request(undef, add($y));
like(call_by($socket, '#prepare', name(1) . " $part"), qr/^A\{ \d+\}$/, 'a part is prepared');
is(prepared(2), 1, '... and nothing more');
is(n_of($y), '3', '... and not to be seen');
like(call_by($socket, '#prepare', name(2) . " $part"), qr/^E.*55P03/s, 'another does not wait for it');
is(call_by($socket, '#commit', name(1)), 'A', 'it is committed');
like(call_by($socket, '#commit', name(1)), qr/^E.*42704/s, 'once');
is(n_of($y), '4', '... and is to be seen');
like(call_by($socket, '#prepare', name(3) . " $part"), qr/^A/, 'another one is prepared');
is(call_by($socket, '#abort', name(3)), 'A', 'and undone');
like(call_by($socket, '#prepare', name(4) . ' ' . request(undef, add($x), add($a))), qr/^E.*node_owns_the_rows/s, 'nothing is prepared of items elsewhere');
like(call_by($socket, '#prepare', 'nothing'), qr/^E.*08P01/s, 'nor without a request');
like(call_by($socket, '#prepare', name(5) . ' ' . request(undef, add($y, 1000))), qr/^E.*ConditionalCheckFailed/s, 'nor where a condition fails');
is(n_of($y), '4', 'nothing was written');
is(prepared(2), 0, 'nothing is left prepared');

# Another role does not end it.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE split_other LOGIN}) for 0 .. 2;
like(call_by($socket, '#prepare', name(6) . " $part"), qr/^A/, 'a part is prepared');
my %env = `'$server' env citus2` =~ /(\w+)=(\S+)/g;
my $other = begin_session(\%env, 'split_other', node(2, 'SELECT current_database()'));
next_message($other);
say_to($other, message('Q', "CALL dynamo_internal.serve_calls()\0"));
next_message($other);
like(call_by($other, $_, name(6)), qr/^E.*42501/s, "$_ by another role") for '#commit', '#abort';

# It ends as the node that decides says: not at all, and then yes.
is(node(1, 'SELECT recover_prepared_transactions()'), 1, 'recovery finds one that nobody has decided');
is(prepared(2), 0, '... and ends it');
is(n_of($y), '4', '... by undoing it');
like(call_by($socket, '#prepare', name(7) . " $part"), qr/^A/, 'one that was decided');
node(1, qq{INSERT INTO pg_dist_transaction (groupid, gid) VALUES (2, '@{[name(7)]}')});
is(node(1, 'SELECT recover_prepared_transactions()'), 1, 'is found');
is(n_of($y), '5', '... and committed');

# Recovery and these transactions do not meet.
my $session = session_at(1, 'BEGIN; SELECT recover_prepared_transactions();');
ok(wait_for(sub { node(1, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = 0 AND objsubid = 9 AND mode = 'ShareUpdateExclusiveLock' AND granted}) eq '1' }), 'recovery holds its lock');
my $was = ours(1);
is(transact(1, add($a), add($x)), '200 {}', 'meanwhile a transaction');
is(ours(1), $was, '... is executed by Citus');
close $session;
ok(wait_for(sub { node(1, q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 9}) eq '0' }), 'then recovery is over');
is(transact(1, add($a), add($x)), '200 {}', 'the next transaction');
is(ours(1), $was + 1, '... is not');

# Somebody who keeps the decision waiting, as a backup does.
$session = session_at(1, 'BEGIN; LOCK TABLE pg_dist_transaction IN EXCLUSIVE MODE;');
ok(wait_for(sub { node(1, q{SELECT count(*) FROM pg_locks WHERE relation = 'pg_dist_transaction'::regclass AND mode = 'ExclusiveLock' AND granted}) eq '1' }), 'commits of several nodes are held back');
my $client = fork() // die;
if ($client == 0)
{
	POSIX::close(fileno $session);
	my $answer = transact(1, add($a), add($x));
	diag($answer) if $answer ne '200 {}';
	POSIX::_exit($answer eq '200 {}' ? 0 : 1);
}
sleep 1;
is(n_of($a, $x), '8 8', 'a transaction waits');
close $session;
waitpid($client, 0);
is($?, 0, 'then it is done');
is(n_of($a, $x), '9 9', 'once');
is(prepared(2), 0, 'nothing is left prepared');

# A session that has prepared its part ends before the decision: the node is told all
# the same, and who has the answer finds what was written.
$was = n_of($a, $x);
ok(standby(1, "'nobody'"), 'the part of node 1 waits for a standby');
$client = fork() // die;
POSIX::_exit(transact(0, add($a), add($x)) eq '200 {}' ? 0 : 1) if $client == 0;
ok(wait_for(sub { prepared(2) eq '1' }), 'node 2 has prepared its part');
node(2, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%serve_calls%' AND pid <> pg_backend_pid()});
ok(standby(1, "''"), 'node 1 goes on');
waitpid($client, 0);
is($?, 0, 'the transaction is answered');
is(n_of($a, $x), join(' ', map { $_ + 1 } split ' ', $was), '... and all is there');
is(prepared($_), 0, "node $_: nothing is left prepared") for 1, 2;

# A node is killed when the other has prepared its part, and then when it has decided.
my $tokens = 0;
sub token_at
{
	my ($node) = @_;
	my $token;
	do { $token = 'c' . $tokens++ . "-$run" }
	  until node(0, qq{SELECT groupid FROM pg_dist_placement WHERE shardid = get_shard_id_for_distribution_column('dynamo_internal.shared_tokens', '$token')}) eq $node;
	return $token;
}
foreach my $at (2, 1)
{
	my $were = n_of($b, $z);
	ok(standby($at, "'nobody'"), "node $at waits for a standby");
	my @again = ('TransactWriteItems', request(token_at(3 - $at), add($b), add($z)));
	$client = fork() // die;
	POSIX::_exit(answer(1, @again) =~ /^200/ ? 1 : 0) if $client == 0;
	ok(wait_for(sub { prepared(2) eq '1' && ($at == 2 || node(1, q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'}) ne '0') }), 'a transaction is on its way');
	ok(crash(1), 'the node that was asked is killed');
	waitpid($client, 0);
	is($?, 0, '... and does not answer');
	ok(standby(2, "''"), 'no standby is waited for') if $at == 2;
	like(answer(0, @again), qr/^503/, 'nobody else knows whether it was done');
	restart(1);
	node(1, 'ALTER SYSTEM RESET synchronous_standby_names');
	node(1, 'SELECT pg_reload_conf()');
	ok(wait_for(sub { node(1, 'SHOW synchronous_standby_names') eq '' }), 'it is back');
	ok(wait_for(sub { node(1, 'SELECT recover_prepared_transactions()') =~ /\A\d+\z/ && prepared(2) eq '0' }), '... and nothing is left prepared');
	my ($n, $m) = split ' ', $were;
	is(n_of($b, $z), $at == 2 ? $were : ($n + 1) . ' ' . ($m + 1), $at == 2 ? 'all is undone' : 'all is done');
	ok(served($_), "node $_: served") for 0 .. 2;
	is(repeated($_, @again), '200 {}', "node $_: the same request") for 1, 0, 2;
	is(n_of($b, $z), ($n + 1) . ' ' . ($m + 1), '... is done once');
}
node(2, 'ALTER SYSTEM RESET synchronous_standby_names');
node(2, 'SELECT pg_reload_conf()');
ok(wait_for(sub { transact(1, add($b), add($z)) eq '200 {}' }), 'the next transaction is done');

node(0, q{SELECT dynamo.drop_table('Split')});
node($_, q{SET citus.enable_ddl_propagation = off; DROP ROLE split_other}) for 0 .. 2;
authenticate('DEFAULT');
configure('citus.recover_2pc_interval', 'DEFAULT');
done_testing();

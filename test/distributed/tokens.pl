# A transaction with a ClientRequestToken whose items are on one node is executed
# there, by its local store, and once: wherever it is sent again, after shards have
# moved and nodes were killed.  What another node notes of the token first says
# where that is.
# Run by test/distributed/run, with a cluster.  Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use POSIX qw(WNOHANG);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Calls;
use Cluster;
use HttpClient;

my $server = dirname(__FILE__) . '/../server';
my $json = JSON::PP->new->canonical;
my $run = "$$-" . time;
my $mismatch = qr/IdempotentParameterMismatchException/;
my $running = qr/TransactionInProgressException/;
my $tokens = 0;

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Once', 'id'); SELECT count(*) FROM generate_series(1, 40) AS i, dynamo.put_item('Once', jsonb_build_object('id', 'k' || i, 'n', 0, 'm', 0))});
my %of = map { $_ => [keys_of($_, 'Once')] } 1, 2;
ok(@{ $of{$_} } > 3, "node $_ has items") for 1, 2;

sub crash { my ($node) = @_; return system("'$server' crash citus$node") == 0 }

# A token that is new, and one whose row a node has.
sub token { return "t" . $tokens++ . "-$run" }
sub home_of
{
	my ($token) = @_;
	return node(0, qq{SELECT groupid FROM pg_dist_placement
		WHERE shardid = get_shard_id_for_distribution_column('dynamo_internal.shared_tokens', '$token')});
}
sub token_at { my ($node) = @_; my $token = token(); $token = token() until home_of($token) eq $node; return $token }

sub add { my ($id, $attribute, $least) = @_; return { Update => { TableName => 'Once', Key => { id => { S => $id } }, UpdateExpression => 'ADD #a :one', ExpressionAttributeNames => { '#a' => $attribute // 'n' },
	$least ? (ConditionExpression => "$least >= :min") : (), ExpressionAttributeValues => { ':one' => { N => '1' }, $least ? (':min' => { N => '1' }) : () } } } }
sub request { my ($token, @items) = @_; return $json->encode({ TransactItems => \@items, ClientRequestToken => $token }) }
sub transact { my ($node, @request) = @_; return answer($node, 'TransactWriteItems', request(@request)) }
sub by_sql { my ($node, @request) = @_; my $text = request(@request); return node($node, qq{SELECT dynamo.call('TransactWriteItems', \$j\$$text\$j\$)}) }
sub n_of { my ($id, $attribute) = @_; $attribute //= 'n'; return node(0, qq{SELECT item ->> '$attribute' FROM dynamo_data."Once" WHERE item ->> 'id' = '$id'}) }

# Executed at its own node, and once.  Maintenance, which removes tokens of all nodes in two
# phases, waits meanwhile.
configure('dynamo.ttl_interval', 0);
configure('log_statement', "'all'");
ok(wait_for(sub { node(2, 'SHOW log_statement') eq 'all' }), 'statements are logged');
ok(wait_for(sub { answer($_, 'GetItem', '{"TableName":"Once","Key":{"id":{"S":"k1"}}}') =~ /^200/ }), "node $_: served") for 0 .. 2;
my @before = log_ends();
my @done;
foreach my $owner (1, 2)
{
	my ($a, $b) = @{ $of{$owner} };
	foreach my $home (1, 2)
	{
		foreach my $node (0 .. 2)
		{
			my $token = token_at($home);
			my $was = n_of($a);
			is(transact($node, $token, add($a), add($b)), '200 {}', "items of node $owner, the token of node $home: done by node $node");
			is(transact($_, $token, add($a), add($b)), '200 {}', "... the same at node $_") for 0 .. 2;
			is(n_of($a), $was + 1, 'was done once');
			push @done, [$token, $a, $b];
		}
	}
}
my $said = logged(@before);
unlike($said, qr/UPDATE[^\n]*Once_\d+/, 'by no statement of Citus');
unlike($said, qr/PREPARE TRANSACTION/, 'and no two phases');
configure('dynamo.ttl_interval', 'DEFAULT');
configure('log_statement', 'DEFAULT');
is(n_of($_->[1]), 6, 'each six times') for $done[0], $done[-1];
foreach my $done (@done)
{
	my ($token, $a, $b) = @$done;
	my ($other) = grep { $_ ne $a && $_ ne $b } map { $of{$_}[2] } $a eq $of{1}[0] ? 2 : 1;
	my $node = $tokens++ % 3;
	like(transact($node, $token, add($a), add($b, 'm')), $mismatch, "node $node: another request with the token");
	like(transact($node, $token, add($other)), $mismatch, '... of items at another node');
	like(transact($node, $token, add($a), add($other)), $mismatch, '... of two nodes');
}
like(by_sql(1, $done[0][0], add($done[0][2])), qr/same client token/, '... by SQL');
is(by_sql(2, $done[0][0], add($done[0][1]), add($done[0][2])), '{}', 'the same by SQL');
is(n_of($_, 'm'), 0, 'and nothing was done') for $done[0][2], $done[-1][2];
is(n_of($_->[1]), 6, 'nor twice') for $done[0], $done[-1];
my $again = decode_json(at(0, 'TransactWriteItems', $json->encode({ TransactItems => [map { add($_) } @{ $done[0] }[1, 2]], ClientRequestToken => $done[0][0], ReturnConsumedCapacity => 'TOTAL' }))->{body});
is_deeply($again->{ConsumedCapacity}, [{ TableName => 'Once', CapacityUnits => 4, ReadCapacityUnits => 4 }], 'a repeat costs what reading does') or diag explain $again;

# What was not done does not keep its token.
my ($a, $b, $c) = @{ $of{1} };
foreach my $home (1, 2)
{
	my $token = token_at($home);
	like(transact(0, $token, add($a), add($b, 'n', 'nothing')), qr/^400 .*TransactionCanceledException/, "token of node $home: a request whose condition fails");
	like(transact(1, $token, add($a), add($b, 'n', 'nothing')), qr/^400 .*TransactionCanceledException/, '... again');
	is(transact(2, $token, add($a, 'm')), '200 {}', 'another with its token is done');
	like(transact($_, $token, add($a), add($b, 'n', 'nothing')), $mismatch, "node $_: then it is refused") for 0 .. 2;
	is(transact($_, $token, add($a, 'm')), '200 {}', "node $_: and the other repeated") for 0 .. 2;
	is(n_of($a, 'm'), $home, 'it was done once');
}

# By SQL first, and by HTTP.
foreach my $home (1, 2)
{
	my $token = token_at($home);
	is(by_sql(1, $token, add($c)), '{}', 'a request by SQL');
	is(transact($_, $token, add($c)), '200 {}', "node $_: and by HTTP") for 0 .. 2;
	is(n_of($c), $home, 'it was done once');
}

# What the nodes say to one another: notes, and calls that go by them.
sub session_of_calls
{
	my ($node) = @_;
	my $socket = session_of($node);
	next_message($socket);
	say_to($socket, message('Q', "CALL dynamo_internal.serve_calls()\0"));
	next_message($socket);
	return $socket;
}
sub call_by { my ($socket, $name, $content) = @_; say_to($socket, call_of($name, $content)); return (next_message($socket))[1] }
sub call_at { my ($node, @call) = @_; return call_by(session_of_calls($node), @call) }
my $digest = 'ab' x 32;

# One that is noted, and is under way when another one is done.
my $token = token_at(2);
like(my $note = call_at(2, '#token', "1 $digest $token"), qr/^A\d+ \d+ 1 $/, 'a request is noted');
$note =~ s/^A//;
is(call_at(2, '#token', "1 $digest $token"), "A$note", 'it is what was noted when it comes again');
is(call_at(2, '#token', "2 $digest $token"), 'A', 'nothing is noted of it at another node');
is(call_at(2, '#token', '1 ' . 'cd' x 32 . " $token"), 'A', 'nor of another request');
like(call_at(1, '#token', "1 $digest $token"), qr/^E.*node_owns_the_rows/s, 'the token is of one node');
my $was = n_of($a);
is(transact(0, $token, add($a)), '200 {}', 'another request is done');
like(call_at(1, "\@${note}TransactWriteItems", request($token, add($a), add($b))), qr/^E.*node_owns_the_rows/s, 'then the first is not, though it was under way');
is(n_of($a), $was + 1, 'one of them was done');
like(transact(1, $token, add($a), add($b)), $mismatch, 'and is refused when it is sent again');

# One that was done, of which the client has not heard.
$token = token_at(2);
crash(1);
like(transact(0, $token, add($b)), qr/^5/, 'a request for a node that is down');
my ($id, $at) = split ' ', node(0, qq{SELECT ('x' || substr(encode(request, 'hex'), 65, 16))::bit(64)::bigint, (extract(epoch FROM created_at - '2000-01-01 00:00Z'::timestamptz) * 1000000)::bigint
	FROM dynamo_internal.shared_tokens WHERE token = '$token'});
like($id, qr/^\d+$/, 'it was noted');
restart(1);
$was = n_of($b);
is(call_at(1, "\@$id $at 2 TransactWriteItems", request($token, add($b))) =~ /^E.*node_owns_the_rows/s, 1, 'what is noted of another node is not done');
is(call_at(1, "TransactWriteItems", request($token, add($b))) =~ /^E.*node_owns_the_rows/s, 1, 'nor what is not noted');
is(call_at(1, '@' . $id . ' ' . ($at - 360_000_000) . ' 1 TransactWriteItems', request($token, add($b))) =~ /^E.*node_owns_the_rows/s, 1, 'nor what was noted long ago');
is(call_at(1, "\@$id $at 1 TransactWriteItems", request($token, add($b))), 'A{}', 'what is noted is done');
crash(1);
restart(1);
is(repeated($_, 'TransactWriteItems', request($token, add($b))), '200 {}', "node $_: after a crash it is known") for 0 .. 2;
like(repeated($_, 'TransactWriteItems', request($token, add($b, 'm'))), $mismatch, "node $_: another is refused") for 0 .. 2;
is(n_of($b), $was + 1, 'it was done once');

# The node that has noted it crashes: what it has noted is on its disk.
my ($d) = $of{2}[0];
$token = token_at(1);
$was = n_of($d);
is(transact(0, $token, add($d)), '200 {}', 'a request is done');
crash(1);
restart(1);
like(repeated($_, 'TransactWriteItems', request($token, add($d, 'm'))), $mismatch, "node $_: the token's node has crashed, another is refused") for 0 .. 2;
is(repeated($_, 'TransactWriteItems', request($token, add($d))), '200 {}', "node $_: the same is repeated") for 0 .. 2;
is(n_of($d), $was + 1, 'it was done once');

# What is found is on disk before it is answered, also where who has written it is
# not there yet: its answers wait for calls that have begun to arrive.
sub hold_log { return kill 'STOP', node(2, q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'}) }
my ($own, $other, $both) = (token_at(2), token_at(1), token_at(2));
my ($e, $f) = @{ $of{2} }[-2, -1];
my %before = map { $_ => n_of($_) } $e, $f;
my @sessions = map { session_of_calls(2) } 0 .. 2;
like(call_by($_, '#token', "2 $digest " . token_at(2)), qr/^A\d/, 'a session has locked a shard before') for @sessions;
my $now = node(2, q{SELECT (extract(epoch FROM now() - '2000-01-01 00:00Z'::timestamptz) * 1000000)::bigint});
my @noting = ('#token', "1 $digest $own");
my @noted = ("\@77 $now 2 TransactWriteItems", request($other, add($e)));
my @plain = ('TransactWriteItems', request($both, add($f)));
hold_log();
say_to($sessions[0], join('', map { message('d', "$_->[0]\0$_->[1]") } \@noting, \@noted) . 'd');
ok(wait_for(sub { n_of($e) == $before{$e} + 1 }), 'one has done what is noted, and does not answer');
like(call_by($sessions[1], @noting), qr/^A\d/, 'another finds a note');
is(call_by($sessions[1], @noted), 'A{}', '... and what was done');
say_to($sessions[2], message('d', "$plain[0]\0$plain[1]") . 'd');
ok(wait_for(sub { n_of($f) == $before{$f} + 1 }), 'the same where the token is, too');
is(by_sql(0, $both, add($f)), '{}', '... found by Citus');
crash(2);
restart(2);
is(node(0, "SELECT count(*) FROM dynamo_internal.shared_tokens WHERE token = '$own'"), 1, 'the note is there after a crash');
is(n_of($_), $before{$_} + 1, 'and what was done') for $e, $f;

# A note is on disk whatever the setting is: what goes by it may be.
node(2, "ALTER SYSTEM SET synchronous_commit = off");
node(2, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(2, 'SHOW synchronous_commit') eq 'off' }), 'commits do not wait for the disk');
@sessions = (session_of_calls(2));
like(call_by($sessions[0], '#token', "2 $digest " . token_at(2)), qr/^A\d/, 'a session has locked a shard before');
$own = token_at(2);
hold_log();
like(call_by($sessions[0], '#token', "1 $digest $own"), qr/^A\d/, 'a request is noted');
crash(2);
restart(2);
is(node(0, "SELECT count(*) FROM dynamo_internal.shared_tokens WHERE token = '$own'"), 1, 'and is after a crash');
node(2, 'ALTER SYSTEM RESET synchronous_commit');
node(2, 'SELECT pg_reload_conf()');

# The items move, the token moves, and both come back.
# Citus may still be at what the move before has left.
sub move_to
{
	my ($node, $table, $key) = @_;
	my $said;
	wait_for(sub {
		$said = node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
			FROM citus_shards AS s, pg_dist_node AS n WHERE s.shardid = get_shard_id_for_distribution_column('$table', '$key') AND n.groupid = $node AND s.nodeport <> n.nodeport});
		$said !~ /could not be cleaned up/;
	}, 60);
	return $said;
}
foreach my $home (1, 2)
{
	my $token = token_at($home);
	my $under_way = token_at($home);
	my $was = n_of($c);
	is(transact(0, $token, add($c)), '200 {}', "token of node $home: a request is done at node 1");
	like(my $note = call_at($home, '#token', "1 $digest $under_way"), qr/^A\d/, 'another is noted');
	$note =~ s/^A//;
	is(move_to(2, 'dynamo_data."Once"', $c), '', 'its item moves to node 2');
	is(transact($_, $token, add($c)), '200 {}', "node $_: the same is repeated") for 0 .. 2;
	like(transact($_, $token, add($c, 'm')), $mismatch, "node $_: another is refused") for 0 .. 2;
	is(move_to(3 - $home, 'dynamo_internal.shared_tokens', $token), '', 'the token moves');
	is(transact($_, $token, add($c)), '200 {}', "node $_: the same is repeated") for 0 .. 2;
	like(transact($_, $token, add($c, 'm')), $mismatch, "node $_: another is refused") for 0 .. 2;
	is(transact(0, $under_way, add($c)), '200 {}', 'one that was under way is done at the new place');
	is(move_to(1, 'dynamo_data."Once"', $c), '', 'the item moves back');
	like(call_at(1, "\@${note}TransactWriteItems", request($under_way, add($c))), home_of($under_way) eq '1' ? qr/^A\{\}$/ : qr/^E.*node_owns_the_rows/s,
		'and is not done there by who is late, who is told so, or that it is done if the token is there, too');
	is(transact($_, $_ == 1 ? $under_way : $token, add($c)), '200 {}', "node $_: the same is repeated") for 0 .. 2;
	is(move_to($home, 'dynamo_internal.shared_tokens', $token), '', 'the token moves back');
	is(transact($_, $token, add($c)), '200 {}', "node $_: the same is repeated") for 0 .. 2;
	is(n_of($c), $was + 2, 'each was done once');
}

sub age
{
	my ($age) = @_;
	my $then = node(0, "SELECT now() - '$age'::interval");
	return node(0, "UPDATE dynamo_internal.shared_tokens SET created_at = '$then'");
}

# After its time a token is new, and may be used for others.
$token = token_at(2);
$was = n_of($a);
is(transact(1, $token, add($a)), '200 {}', 'a request');
is(age('21 min'), '', '21 min go by');
is(transact(1, $token, add($a)), '200 {}', 'is done again after twenty minutes');
is(age('21 min'), '', '21 min go by');
is(transact(1, $token, add($a), add($b)), '200 {}', 'and so is another');
is(n_of($a), $was + 3, 'each of them');
is(age('3 min'), '', '3 min go by');
is(transact(2, $token, add($a), add($b)), '200 {}', 'after three minutes it is repeated');
is(n_of($a), $was + 3, 'and not done');

# Many at once: one of them is done.
my $rounds = 20;
my @tokens = map { token() } 1 .. $rounds;
my @clients = map {
	my $node = $_ % 3;
	my $client = fork() // die;
	if ($client == 0)
	{
		my $wrong = 0;
		foreach my $token (@tokens)
		{
			my $said = transact($node, $token, add($d), add($of{2}[1]));
			$wrong++ unless $said =~ /^200/ || $said =~ $running || $said =~ /TransactionConflict|ThrottlingException/;
			diag $said unless $said =~ /^200/ || $said =~ $running || $said =~ /TransactionConflict/;
		}
		POSIX::_exit($wrong ? 1 : 0);
	}
	$client;
} 1 .. 6;
$was = n_of($d);
foreach my $client (@clients) { waitpid($client, 0); is($? >> 8, 0, 'a client was served') }
is(transact($_ % 3, $tokens[$_], add($d), add($of{2}[1])), '200 {}', 'a token of all of them') for 0 .. $#tokens;
is(n_of($of{2}[1]) - 6, $rounds, 'each was done once');

# Clients that ask until they are told that it is done, and then once more, while
# shards of items and of tokens move, and nodes are killed.
node(0, q{UPDATE dynamo_data."Once" SET item = item || '{"n": 0}'});
@clients = map {
	my $seed = $_;
	my $client = fork() // die;
	if ($client == 0)
	{
		my ($stop, $end, $done, $wrong, $n) = (0, time() + 300, 0, 0, 0);
		local $SIG{TERM} = sub { $stop = 1 };
		srand $seed;
		until ($stop || time() > $end)
		{
			my $token = "c$seed-" . $n++ . "-$run";
			my @items = map { add($_) } "k$seed", 'k' . ($seed + 3 * (1 + $n % 10));
			my $said = '';
			for (my $try = 0; $try < 2000 && $said !~ /^200/; $try++)
			{
				$said = eval { transact(int rand 3, $token, @items) } // '';
				$wrong++, diag $said if $said =~ $mismatch || $said =~ /^400 .*ValidationException/;
				select undef, undef, undef, 0.02 unless $said =~ /^200/;
			}
			$wrong++, diag "never done: $said" unless $said =~ /^200/;
			$done++ if $said =~ /^200/;
			$said = eval { transact(int rand 3, $token, @items) } // '';
			$wrong++, diag $said if $said =~ $mismatch;
		}
		open my $file, '>', "tmp/tokens.$seed" or POSIX::_exit(2);
		print $file "$done\n";
		close $file;
		POSIX::_exit($wrong ? 1 : $done ? 0 : 3);
	}
	$client;
} 1 .. 3;
foreach my $round (1 .. 2)
{
	foreach my $to (2, 1)
	{
		foreach my $table ('dynamo_data."Once"', 'dynamo_internal.shared_tokens')
		{
			node(0, qq{SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
				FROM citus_shards AS s, pg_dist_node AS n WHERE s.table_name = '$table'::regclass AND n.groupid = $to AND s.nodeport <> n.nodeport ORDER BY s.shardid LIMIT 3});
		}
		crash($to);
		restart($to);
	}
}
select undef, undef, undef, 2;
kill 'TERM', @clients;
foreach my $client (@clients) { waitpid($client, 0); is($? >> 8, 0, 'a client was served') }
foreach my $seed (1 .. 3)
{
	open my $file, '<', "tmp/tokens.$seed" or die;
	chomp(my $done = <$file> // 0);
	cmp_ok($done, '>', 0, "client $seed: $done transactions");
	is(n_of("k$seed"), $done, '... each done once');
	unlink "tmp/tokens.$seed";
}
ok(wait_for(sub { !grep { node($_, 'SELECT count(*) FROM pg_prepared_xacts') } 0 .. 2 }, 120), 'nothing is left prepared');

node(0, q{SELECT dynamo.drop_table('Once')});
authenticate('DEFAULT');
done_testing();

# Requests by HTTP whose rows are on another node: they are executed there, as
# the client's role, with all that holds for it here; one that waits for a lock
# holds up no other; a node that is down takes away its own keys alone.  And what
# is read of several nodes at once.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $before = () = logged() =~ /The conditional request failed/g;
authenticate('trust');
sub get { my ($node, $key) = @_; return at($node, 'GetItem', qq({"TableName":"Forward","Key":{"id":{"S":"$key"}}})) }
sub put { my ($node, $key, $more) = @_; return at($node, 'PutItem', qq({"TableName":"Forward","Item":{"id":{"S":"$key"}}) . ($more // '') . '}') }

sub add
{
	my ($node, $key) = @_;
	return at($node, 'UpdateItem',
		qq({"TableName":"Forward","Key":{"id":{"S":"$key"}},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}));
}

foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (at($node, q{ListTables}, q({}))->{status} // 0) == 200 }), "node $node: served");
}
like(at(0, 'CreateTable', '{"TableName":"Forward","BillingMode":"PAY_PER_REQUEST",'
	  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}')->{body},
	qr/"TableName":"Forward"/, 'a table is made');
is(node(0, q{SELECT count(*) > 1 FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Forward"'::regclass}), 't', 'in several shards');

# A worker has the coordinator do what changes definitions, but not where that
# would wait for this very transaction, or could not be rolled back with it.
my $definition = '"BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]';
my $limit = "SET statement_timeout = '60s'; SET client_min_messages = error;";
like(node(1, qq{$limit SELECT dynamo.try_call('CreateTable', '{"TableName":"Asked",$definition}')}), qr/"TableName":"Asked"/, 'a worker makes a table');
like(node(1, qq{$limit DO 'BEGIN PERFORM dynamo.get_item(''Asked'', ''{"id": "a"}''), dynamo.drop_table(''Asked''); END'}),
	qr/cannot run on a worker in a transaction that has used distributed tables/, 'but drops none that its transaction has locked');
like(node(1, qq{$limit SELECT dynamo.call('UpdateTable', '{"TableName":"Asked","BillingMode":"PAY_PER_REQUEST"}') IS NOT NULL, dynamo.call('UpdateTable', '{"TableName":"Asked","DeletionProtectionEnabled":true}') IS NOT NULL,
		dynamo.call('UpdateTable', '{"TableName":"Asked","DeletionProtectionEnabled":false}') IS NOT NULL}),
	qr/\At t t\z/, 'a change to what there is does not stand in the way of the next one');
node(1, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('AskedMine', 'id')});
like(node(1, qq{$limit SELECT dynamo.drop_table('AskedMine'), dynamo.call('UpdateTable', '{"TableName":"Asked","DeletionProtectionEnabled":true}')}),
	qr/cannot run on a worker in a transaction that has used distributed tables or changed definitions/, 'nor does it wait for a name that its transaction has locked');
is(node(1, q{SELECT dynamo.drop_table('AskedMine')}), '', 'which was undone');
like(node(1, qq{$limit BEGIN; SELECT dynamo.call('DeleteTable', '{"TableName":"Asked"}')}), qr/cannot run inside a transaction block on a worker/, 'nor in a transaction block');
like(node(1, qq{$limit BEGIN; SELECT dynamo.try_call('DeleteTable', '{"TableName":"Asked"}')}), qr/InternalServerError/, 'nor in a subtransaction of one');
like(node(1, qq{$limit SELECT dynamo.try_call('DeleteTable', '{"TableName":"Asked"}')}), qr/"TableStatus":"DELETING"/, 'by itself it is dropped');
is(node($_, q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Asked'}), 0, "node $_: it is gone") for 0 .. 2;

my @keys = ('a' .. 'p');
foreach my $node (0 .. 2)
{
	is(join(' ', map { put($node, "$_$node")->{body} } @keys), join(' ', ('{}') x @keys), "node $node: puts");
}
foreach my $node (0 .. 2)
{
	is(scalar(grep { my $key = $_; grep { get($node, "$key$_")->{body} ne qq({"Item":{"id":{"S":"$key$_"}}}) } 0 .. 2 } @keys),
		0, "node $node: gets what all have put");
	like(put($node, 'a0', ',"ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"')->{body},
		qr/ConditionalCheckFailedException.*"Item":\{"id":\{"S":"a0"\}\}/, "node $node: a condition fails, with the item");
	like(at($node, 'Query', '{"TableName":"Forward","KeyConditionExpression":"id = :a","ExpressionAttributeValues":{":a":{"S":"b1"}}}')->{body},
		qr/"Items":\[\{"id":\{"S":"b1"\}\}\],"Count":1/, "node $node: a query");
}
is(node(0, q{SELECT count(*) FROM dynamo_data."Forward"}), 3 * @keys, 'plain SQL sees them');
is(scalar(() = logged() =~ /The conditional request failed/g), $before, 'an answer is nothing for the log');

# The owner's session is the one of a plain node that executes calls.
my @calls = map { node($_, q{SELECT count(*) FROM pg_stat_activity
	WHERE application_name = 'dynamo http' AND query ~ 'serve_calls'}) } 1, 2;
ok($calls[0] > 0 && $calls[1] > 0, 'both workers have executed for others');

# Of each node, keys of its own.
my @one = keys_of(1, 'Forward');
my @two = keys_of(2, 'Forward');
ok(@one > 2 && @two > 2, 'both workers have keys');

# An attribute is set to 1; the socket that has the answer.
sub begin_update
{
	my ($key, $attribute) = @_;
	my $body = qq({"TableName":"Forward","Key":{"id":{"S":"$key"}},"UpdateExpression":"SET $attribute = :one","ExpressionAttributeValues":{":one":{"N":"1"}}});
	my $socket = connection();
	print $socket "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.UpdateItem\r\nContent-Length: "
	  . length($body) . "\r\n\r\n$body";
	return $socket;
}

# A lock that somebody holds at the owner.
{
	my $session = session_at(2, qq{BEGIN; UPDATE dynamo_data."Forward" SET item = item WHERE item ->> 'id' = '$two[0]';
		SELECT pg_advisory_lock(4711);});
	wait_for(sub { node(2, 'SELECT count(*) FROM pg_locks WHERE objid = 4711 AND granted') eq '1' }) or die;
	use_port((ports())[1]);
	my $socket = begin_update($two[0], 'm');
	is(put(1, $two[1])->{body}, '{}', 'while one waits for a lock at the owner others are served');
	print $session "COMMIT;\n";
	close $session;
	is(receive($socket)->{body}, '{}', 'and it is, when the lock is free');
}

# The owner's session ends when it has been sent a write.  Nobody knows whether it was
# done, so it is not done again.
{
	my %sessions = map { split /\|/ } split /\n/, node(2, q{SELECT pid || '|' || client_port FROM pg_stat_activity
		WHERE application_name = 'dynamo http' AND query ~ 'serve_calls'});
	my $remote = join '|', map { sprintf '%04X', $_ } values %sessions;

	# Something that it has not read.
	my $is_sent = sub {
		open my $sockets, '-|', 'cat /proc/net/tcp /proc/net/tcp6' or die;
		return scalar grep { /:\w{4} \w+:(?:$remote) 01 \w{8}:(?!0{8})/ } <$sockets>;
	};
	kill 'STOP', keys %sessions;
	use_port((ports())[1]);
	my $socket = begin_update($two[2], 'lost');
	ok(wait_for($is_sent), 'a write is sent to a session that stands still');
	kill $_, keys %sessions foreach qw(TERM CONT);
	is(receive($socket)->{status}, 500, 'and ends: the client is told that nobody knows');
	is(node(2, qq{SELECT item ? 'lost' FROM dynamo_data."Forward" WHERE item ->> 'id' = '$two[2]'}), 'f', 'nobody has done it again');
}

# A shard moves while a counter counts.
my $count = 0;
like(add(0, 'counter')->{body}, qr/"N":"1"/, 'a counter');
$count++;
my $pid = fork() // die;
if ($pid == 0)
{
	# Back and forth, with the writes of others going on.
	node(0, q{SELECT citus_move_shard_placement(shardid, nodename, nodeport,
			(SELECT nodename FROM pg_dist_node o WHERE o.groupid = 3 - p.groupid),
			(SELECT nodeport FROM pg_dist_node o WHERE o.groupid = 3 - p.groupid), 'block_writes')
		FROM pg_dist_placement p JOIN pg_dist_node USING (groupid)
		WHERE shardid = get_shard_id_for_distribution_column('dynamo_data."Forward"',
			(SELECT pk FROM dynamo_data."Forward" WHERE item ->> 'id' = 'counter'))}) for 1 .. 3;
	POSIX::_exit(0);
}
until (waitpid($pid, WNOHANG) == $pid)
{
	my $answer = add($count % 3, 'counter');
	$count++ if ($answer->{status} // 0) == 200;
}
is(node(0, q{SELECT item ->> 'n' FROM dynamo_data."Forward" WHERE item ->> 'id' = 'counter'}), $count, 'no count was lost or done twice while its shard moved');

# PartiQL goes by Citus' planner: from reading an item to writing it is one
# transaction there, too.
my @counting;
foreach my $client (1 .. 6)
{
	my $child = fork() // die;
	if ($child == 0)
	{
		use_port((ports())[$client % 3]);
		my $refused = grep { (call('ExecuteStatement', q({"Statement":"UPDATE \"Forward\" SET n = n + 1 WHERE id = 'counter'"}))->{status} // 0) != 200 } 1 .. 40;
		POSIX::_exit($refused);
	}
	push @counting, $child;
}
foreach my $child (@counting)
{
	waitpid($child, 0);
	$count += 40 - ($? >> 8);
}
is(node(0, q{SELECT item ->> 'n' FROM dynamo_data."Forward" WHERE item ->> 'id' = 'counter'}), $count, 'no count by PartiQL was lost');

# A transaction of several nodes that is half committed: its half here is not
# shown.  When it is committed there, too, all of it is.
my ($first, $second) = map { (grep { !/counter/ } keys_of($_, 'Forward'))[0] } 1, 2;
my $both = qq{SELECT string_agg(coalesce(item ->> 'half', '-'), ' ') FROM dynamo.transact_get('[
	{"Get": {"TableName": "Forward", "Key": {"id": "$first"}}}, {"Get": {"TableName": "Forward", "Key": {"id": "$second"}}}]')};
my ($third) = grep { !/counter/ && $_ ne $first } keys_of(1, 'Forward');
put(0, $_) for $first, $second;
is(node(0, $both), '- -', 'two items, as of one moment');
my (undef, $shard) = shard_of('Forward', $second);
node(2, qq{BEGIN; UPDATE $shard SET item = dynamo.item_set(item, '{half}', '1') WHERE pk = '$second'; PREPARE TRANSACTION 'citus_half'});
is(at(1, 'UpdateItem', qq({"TableName":"Forward","Key":{"id":{"S":"$first"}},"UpdateExpression":"SET half = :n","ExpressionAttributeValues":{":n":{"N":"1"}}}))->{status},
	200, 'one half is committed');
like(node(0, $both), qr/could not read items of several nodes as of one moment/, 'it is not shown without the other');
is(node(2, $both =~ s/"$second"/"$third"/r), '1 -', 'items of another node do not wait for it');
my $here = join ',', map { qq({"Get":{"TableName":"Forward","Key":{"id":{"S":"$_"}}}}) } (grep { !/counter/ && $_ ne $second } keys_of(2, 'Forward'))[0, 1];
like(at($_, 'TransactGetItems', qq({"TransactItems":[$here]}))->{body}, qr/^\{"Responses":\[\{"Item":.*\},\{"Item":.*\}\]\}$/,
	"node $_: items of one node are read under one snapshot there, and wait for nothing") for 1, 2;
node(2, q{COMMIT PREPARED 'citus_half'});
is(node(0, $both), '1 1', 'but with it');

# Somebody who may not write the table can leave a transaction of that name, too.
node(2, q{SET citus.enable_ddl_propagation = off; CREATE ROLE forward_mallory LOGIN});
is(node(2, q{SET SESSION AUTHORIZATION forward_mallory; BEGIN; SELECT pg_current_xact_id() IS NOT NULL; PREPARE TRANSACTION 'citus_mallory'}), 't', 'a stranger prepares a transaction');
is(node(0, $both), '1 1', 'and keeps no reader waiting');
node(2, q{ROLLBACK PREPARED 'citus_mallory'});
node(2, q{SET citus.enable_ddl_propagation = off; DROP ROLE forward_mallory});

# Who may tell nodes of his tables may not tell them of others'.
my $rows = node(1, q{SELECT t FROM dynamo.tables t WHERE table_name = 'Forward'});
node(1, q{SET citus.enable_ddl_propagation = off; CREATE ROLE forward_mallory;
	GRANT USAGE ON SCHEMA dynamo_internal TO forward_mallory;
	GRANT EXECUTE ON FUNCTION dynamo_internal.take_definition(integer, text, text, text, text, text) TO forward_mallory});
foreach my $take ("'Forward', NULL, NULL", "'Forward', \$\$$rows\$\$, NULL", "'Other', \$\$$rows\$\$, NULL")
{
	like(node(1, "SET ROLE forward_mallory; SELECT dynamo_internal.take_definition(0, $take, NULL, NULL)"),
		qr/must be owner of table Forward|no distributed relation for table "Other"/, 'a definition of somebody else is not taken');
}
like(node(1, qq{SELECT dynamo_internal.take_definition(0, 'Forward', \$\$$rows\$\$, NULL, NULL, '{"places": [], "policies": "{}", "recovery": 150000000}')}),
	qr/ERROR:  the period of point-in-time recovery is 1 to 35 days, not 150000000/, 'nor days of recovery for which no journal could be kept');
is(node(1, q{SELECT t FROM dynamo.tables t WHERE table_name = 'Forward'}), $rows, 'and is as it was');
node(1, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY forward_mallory; DROP ROLE forward_mallory});

# A node is down.
my ($alive) = grep { !/counter/ } keys_of(1, 'Forward');
my ($dead) = grep { !/counter/ } keys_of(2, 'Forward');
halt(2) or die;
my $answer = get(1, $dead);
is("$answer->{status} $answer->{body}",
	'503 {"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"The service is temporarily unavailable."}',
	'keys of a node that is down are not available');
is(put(1, $dead)->{status}, 503, 'nor to be written');
is(get($_, $alive)->{status}, 200, "node $_: others are") for 0, 1;
my $began = time();
get(1, $dead) for 1 .. 20;
cmp_ok(time() - $began, '<', 60, 'and the answer comes soon');
restart(2) or die;
ok(wait_for(sub { (get(1, $dead)->{status} // 0) == 200 }), 'they are back with it');
ok(wait_for(sub { (put(0, $dead)->{status} // 0) == 200 }), 'by each node');
node(0, q{SELECT dynamo.drop_table('Forward')});

authenticate('DEFAULT');

done_testing();

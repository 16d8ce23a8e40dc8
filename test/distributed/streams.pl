# Streams of distributed tables: each change leaves one record, whatever the
# door; every node gives all of them; shards follow one another as Citus' shards
# move and are split, and a reader who goes from parents to children sees the
# changes of each item once and in order.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient qw(wait_for);

# The answer of a node to a request by HTTP: its status and body.
sub ask_http
{
	my ($node, $operation, $json) = @_;
	my $service = $operation =~ /^(?:DescribeStream|GetShardIterator|GetRecords)\z/ ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810';
	my $response = at($node, $operation, $json, { 'X-Amz-Target' => "$service.$operation" });
	return ($response->{status} // 0, $response->{body});
}

# As SDKs ask: a worker may still have a connection to a node that was started again.
sub ask_again
{
	my @answer;
	foreach my $attempt (1 .. 8)
	{
		@answer = ask_http(@_);
		last if $answer[0] != 503;
	}
	return @answer;
}

# The same by SQL.
sub ask_sql
{
	my ($node, $operation, $json) = @_;
	my $body = node($node, "SELECT dynamo.try_call('$operation', \$json\$$json\$json\$)");
	return ($body =~ /"__type"|ERROR/ ? 400 : 200, $body);
}

# What must succeed.
sub ask_node
{
	my ($door, $node, $operation, $json) = @_;
	my ($status, $body) = $door->($node, $operation, $json);
	die "$operation at $node: $status $body" if $status != 200;
	return decode_json($body);
}

sub arn { return ask_node(\&ask_http, $_[0], 'DescribeTable', '{"TableName":"Flow"}')->{Table}{LatestStreamArn} }

# The shards of the stream.
sub shards
{
	my ($door, $node, $arn) = @_;
	return @{ ask_node($door, $node, 'DescribeStream', qq({"StreamArn":"$arn"}))->{StreamDescription}{Shards} };
}

# All records of a shard, in order, and whether it ends with them.
sub records
{
	my ($door, $node, $arn, $shard) = @_;
	my $iterator = ask_node($door, $node, 'GetShardIterator',
		qq({"StreamArn":"$arn","ShardId":"$shard","ShardIteratorType":"TRIM_HORIZON"}))->{ShardIterator};
	my @all;
	foreach my $turn (1 .. 5)
	{
		my $page = ask_node($door, $node, 'GetRecords', qq({"ShardIterator":"$iterator"}));
		push @all, @{ $page->{Records} };
		$iterator = $page->{NextShardIterator};
		return ([@all], 1) unless defined $iterator;
		return ([@all], 0) if $turn > 1 && !@{ $page->{Records} };
	}
	die 'more pages than records';
}

# All records, parents before children: text of each, and all of them.
sub follow
{
	my ($door, $node, $arn) = @_;
	my @shards = shards($door, $node, $arn);
	my (%seen, @all);
	while (my @ready = grep { !$seen{ $_->{ShardId} } && (!$_->{ParentShardId} || $seen{ $_->{ParentShardId} }) } @shards)
	{
		foreach my $shard (@ready)
		{
			my ($records, $ended) = records($door, $node, $arn, $shard->{ShardId});
			die "$shard->{ShardId} has not ended" if exists $shard->{SequenceNumberRange}{EndingSequenceNumber} && !$ended;
			die "$shard->{ShardId} has ended" if !exists $shard->{SequenceNumberRange}{EndingSequenceNumber} && $ended;
			$seen{ $shard->{ShardId} } = 1;
			push @all, @$records;
		}
	}
	die 'a parent is missing' if keys %seen != @shards;
	return @all;
}

sub value { my ($image) = @_; return $image ? $image->{v}{N} // '' : '-' }

# The changes of an item: "-1 12 2-" is from nothing to 1 to 2 to nothing.
sub changes
{
	my ($door, $node, $arn, $id) = @_;
	return join ' ', map { value($_->{dynamodb}{OldImage}) . '>' . value($_->{dynamodb}{NewImage}) }
	  grep { $_->{dynamodb}{Keys}{id}{S} eq $id } follow($door, $node, $arn);
}

sub item { my ($id, $v) = @_; return ('PutItem', qq({"TableName":"Flow","Item":{"id":{"S":"$id"},"v":{"N":"$v"}}})) }
sub put { my ($node, @item) = @_; return ask_http($node, item(@item)) }
sub put_again { my ($node, @item) = @_; return ask_again($node, item(@item)) }

# The group and the name of the shard of an item.
sub place_of
{
	my ($id) = @_;
	return split / /, node(0, qq{SELECT s, groupid, shard_name('dynamo_data."Flow"', s)
		FROM get_shard_id_for_distribution_column('dynamo_data."Flow"', '$id') s JOIN pg_dist_placement ON shardid = s});
}

sub move
{
	my ($id, $how) = @_;
	my ($shard, $from) = place_of($id);
	my $to = 3 - $from;
	return node(0, qq{SELECT citus_move_shard_placement($shard, a.nodename, a.nodeport, b.nodename, b.nodeport, '$how')
		FROM pg_dist_node a, pg_dist_node b WHERE a.groupid = $from AND b.groupid = $to});
}

authenticate('trust');
foreach my $node (0 .. 2)
{
	ok(wait_for(sub { (ask_http($node, q{ListTables}, q({})))[0] == 200 }), "node $node: served");
}
node(0, q{SET dynamo.distribute_new_tables = on; SELECT dynamo.create_table('Flow', 'id')});
my ($status, $body) = ask_http(1, 'UpdateTable', '{"TableName":"Flow","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}');
is($status, 200, 'a worker enables a stream');
my $arn = arn(0);
is(arn($_), $arn, "node $_ knows it") for 1, 2;
is(scalar shards(\&ask_http, 0, $arn), 4, 'it has a shard for each of the table');
is_deeply([ shards($_->[0], $_->[1], $arn) ], [ shards(\&ask_http, 0, $arn) ], 'the same everywhere')
  for [ \&ask_http, 1 ], [ \&ask_http, 2 ], [ \&ask_sql, 0 ], [ \&ask_sql, 1 ], [ \&ask_sql, 2 ];

# Every door.
put($_ % 3, "http$_", $_) for 0 .. 5;
put(($_ + 1) % 3, "http$_", $_ + 10) for 0 .. 5;
ask_http($_ % 3, 'DeleteItem', qq({"TableName":"Flow","Key":{"id":{"S":"http$_"}}})) for 0 .. 5;
node($_, qq{SELECT dynamo.put_item('Flow', '{"id": "sql$_", "v": 1}'); SELECT dynamo.put_item('Flow', '{"id": "sql$_", "v": 2}');
	UPDATE dynamo_data."Flow" SET item = dynamo.item_set(item, '{v}', '3') WHERE pk = 'sql$_';
	UPDATE dynamo_data."Flow" SET item = item WHERE pk = 'sql$_';
	DELETE FROM dynamo_data."Flow" WHERE pk = 'sql$_'}) for 0 .. 2;
node(1, qq{COPY dynamo_data."Flow" (pk, item) FROM stdin;\ncopy1\t{"id": "copy1", "v": 1}\ncopy2\t{"id": "copy2", "v": 2}\n\\.\n});
ask_http(2, 'ExecuteStatement', q({"Statement":"INSERT INTO \"Flow\" VALUE {'id': 'partiql', 'v': 1}"}));
ask_http(0, 'BatchWriteItem', '{"RequestItems":{"Flow":[{"PutRequest":{"Item":{"id":{"S":"batch1"},"v":{"N":"1"}}}},{"PutRequest":{"Item":{"id":{"S":"batch2"},"v":{"N":"2"}}}}]}}');
foreach my $door (\&ask_http, \&ask_sql)
{
	is(changes($door, $_, $arn, "http$_"), join(' ', "->$_", "$_>" . ($_ + 10), $_ + 10 . '>-') =~ s/^->/->/r, "http$_, by node $_") for 0 .. 2;
	is(changes($door, 2 - $_, $arn, "sql$_"), '->1 1>2 2>3 3>-', "sql$_") for 0 .. 2;
}
is(changes(\&ask_http, 0, $arn, "copy$_"), "->$_", "copy$_") for 1, 2;
is(changes(\&ask_http, 0, $arn, 'partiql'), '->1', 'PartiQL');
is(changes(\&ask_http, 1, $arn, "batch$_"), "->$_", "batch$_") for 1, 2;

# Transactions.  A check that an item is missing leaves nothing.
is((ask_http(1, 'TransactWriteItems', '{"TransactItems":[' . join(',',
	(map { qq({"Put":{"TableName":"Flow","Item":{"id":{"S":"both$_"},"v":{"N":"$_"}}}}) } 1 .. 4),
	map { qq({"ConditionCheck":{"TableName":"Flow","Key":{"id":{"S":"missing$_"}},"ConditionExpression":"attribute_not_exists(id)"}}) } 1 .. 4) . ']}'))[0],
	200, 'a transaction of several nodes');
is(changes(\&ask_http, 2, $arn, "both$_"), "->$_", "both$_") for 1 .. 4;
is(changes(\&ask_http, 2, $arn, "missing$_"), '', "missing$_") for 1 .. 4;
node(0, q{BEGIN; SELECT dynamo.put_item('Flow', '{"id": "back", "v": 1}'); ROLLBACK;
	BEGIN; SELECT dynamo.put_item('Flow', '{"id": "save", "v": 1}'); SAVEPOINT s;
	SELECT dynamo.put_item('Flow', '{"id": "save", "v": 2}'); SELECT dynamo.delete_item('Flow', '{"id": "save"}'); ROLLBACK TO s;
	SELECT dynamo.put_item('Flow', '{"id": "save", "v": 3}'); COMMIT});
is(changes(\&ask_http, 0, $arn, 'back'), '', 'what is rolled back leaves nothing');
is(changes(\&ask_http, 0, $arn, 'save'), '->1 1>3', 'nor what a savepoint takes back');

# What one transaction inserts and deletes leaves nothing, however many there
# were in between.
my (undef, $short_group, $short_shard) = place_of('short');
my ($other, $last) = grep { (place_of($_))[2] eq $short_shard } map { "other$_" } 1 .. 50;
my $insert = qq{INSERT INTO $short_shard (pk, item) VALUES};
my $others = join ' ', ("$insert ('$other', '{\"id\": \"$other\", \"v\": 1}'); DELETE FROM $short_shard WHERE pk = '$other';") x 127;
is(node($short_group, qq{BEGIN; $insert ('short', '{"id": "short", "v": 1}'); $others
	$insert ('$last', '{"id": "$last", "v": 1}'); DELETE FROM $short_shard WHERE pk = 'short'; COMMIT}), '', 'many short lives');
is(changes(\&ask_http, 0, $arn, $_), '', "$_ leaves nothing") for 'short', $other;
is(changes(\&ask_http, 0, $arn, $last), '->1', 'what stays does');

# A transaction that is prepared holds back what comes behind it on its node.
put(0, 'held', 1);
my (undef, $group, $relation) = place_of('held');
node($group, qq{BEGIN; UPDATE $relation SET item = dynamo.item_set(item, '{v}', '2') WHERE pk = 'held'; PREPARE TRANSACTION 'held'});
is(changes(\&ask_http, 0, $arn, 'held'), '->1', 'a change that is prepared is not shown');
node($group, q{COMMIT PREPARED 'held'});
is(changes(\&ask_http, 0, $arn, 'held'), '->1 1>2', 'when it is committed it is');

# Shards move, both ways, and are split.
my $moving = 'moving';
my @expected = ('->0');
put(0, $moving, 0);
my $n = 0;
my $before = follow(\&ask_http, 0, $arn);
foreach my $how ('block_writes', 'force_logical', 'block_writes', 'force_logical')
{
	is(move($moving, $how), '', "a move by $how");
	is(scalar follow(\&ask_http, 1, $arn), $before + $n, 'leaves no record');
	put($n % 3, $moving, $n + 1);
	push @expected, $n . '>' . ($n + 1);
	$n++;
	is(changes(\&ask_http, $n % 3, $arn, $moving), "@expected", 'and the next change comes behind the others');
}
foreach my $how ('block_writes', 'force_logical')
{
	my ($shard) = place_of($moving);
	my $records = follow(\&ask_http, 0, $arn);
	is(node(0, qq{SELECT citus_split_shard_by_split_points($shard, ARRAY[((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text],
		ARRAY(SELECT nodeid FROM pg_dist_node WHERE groupid IN (1, 2) ORDER BY nodeid), '$how') FROM pg_dist_shard WHERE shardid = $shard}),
		'', "a split by $how");
	is(scalar follow(\&ask_http, 1, $arn), $records, 'leaves no record');
	put($n % 3, $moving, $n + 1);
	push @expected, $n . '>' . ($n + 1);
	$n++;
	is(changes(\&ask_sql, $n % 3, $arn, $moving), "@expected", 'and the next change comes behind the others');
}
my %by_id = map { ($_->{ShardId} => $_) } shards(\&ask_http, 0, $arn);
my ($parent) = grep { defined } map { $_->{ParentShardId} } values %by_id;
like((ask_http(2, 'DescribeStream', qq({"StreamArn":"$arn","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":"$parent"}})))[1],
	qr/"ParentShardId":"$parent"/, 'children can be asked for');
is(scalar @{ ask_node(\&ask_http, 1, 'DescribeStream', qq({"StreamArn":"$arn","Limit":2}))->{StreamDescription}{Shards} }, 2, 'and a page of shards');

# Positions.
my ($open) = grep { !$_->{SequenceNumberRange}{EndingSequenceNumber} } values %by_id;
like((ask_http(0, 'GetShardIterator', qq({"StreamArn":"$arn","ShardId":"shardId-00000000000000099999-0000000$_","ShardIteratorType":"LATEST"})))[1],
	qr/ResourceNotFoundException.*Shard does not exist/, "no such shard at node $_") for 0 .. 2;
like((ask_sql(1, 'GetShardIterator', qq({"StreamArn":"$arn","ShardId":"$open->{ShardId}x","ShardIteratorType":"LATEST"})))[1],
	qr/ResourceNotFoundException.*Shard does not exist/, 'what is no shard');
my @all = follow(\&ask_http, 0, $arn);
my %number = map { ($_->{dynamodb}{SequenceNumber} => 1, $_->{eventID} => 1) } @all;
is(scalar keys %number, 2 * @all, 'numbers and events are unique');
foreach my $type ('AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER')
{
	my $start = $open->{SequenceNumberRange}{StartingSequenceNumber};
	my $iterator = ask_node(\&ask_http, 0, 'GetShardIterator',
		qq({"StreamArn":"$arn","ShardId":"$open->{ShardId}","ShardIteratorType":"$type","SequenceNumber":"$start"}))->{ShardIterator};
	is_deeply(ask_node(\&ask_http, 0, 'GetRecords', qq({"ShardIterator":"$iterator"}))->{Records},
		(records(\&ask_http, 0, $arn, $open->{ShardId}))[0], "$type: a shard from its beginning");
}

# Time to live.
node(0, q{SELECT dynamo.enable_ttl('Flow', 'expiry')});
node(0, q{SELECT dynamo.put_item('Flow', ('{"id": "expired' || i || '", "v": 1, "expiry": ' || extract(epoch FROM now())::bigint - 100 || '}')::dynamo.item) FROM generate_series(1, 4) i});
node(0, q{SELECT dynamo.expire_items('Flow')});
my @service = grep { $_->{dynamodb}{Keys}{id}{S} =~ /^expired/ && $_->{eventName} eq 'REMOVE' } follow(\&ask_http, 1, $arn);
is(join(' ', map { $_->{userIdentity}{principalId} // $_->{userIdentity}{PrincipalId} // '-' } @service), join(' ', ('dynamodb.amazonaws.com') x 4),
	'the service deletes expired items');

# An item that has not expired, and an expired one that is not there: who calls
# what the service calls is not the service.
node(0, q{SELECT dynamo.put_item('Flow', '{"id": "fresh", "v": 1}')});
node(0, q{DELETE FROM dynamo_data."Flow" WHERE pk = 'fresh' AND dynamo_internal.expires(tableoid, '{"id": "other", "expiry": 1}')});
my @forged = grep { $_->{dynamodb}{Keys}{id}{S} eq 'fresh' && $_->{eventName} eq 'REMOVE' } follow(\&ask_http, 1, $arn);
is(join(' ', map { $_->{userIdentity} ? 'service' : 'user' } @forged), 'user', 'a deletion is not made to look like the service\'s');

# Roles.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE flow_mallory}) for 0 .. 2;
like(node($_, qq{SET ROLE flow_mallory; SELECT dynamo.try_call('DescribeStream', '{"StreamArn":"$arn"}')}),
	qr/AccessDeniedException/, 'a stream of somebody else is not shown') for 0, 1;
like(node(0, qq{SET ROLE flow_mallory; SELECT dynamo_internal.open_stream_shard('Flow', split_part('$arn', '/', 4), shardid) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."Flow"'::regclass}),
	qr/permission denied/, 'nor are its shards opened');
node($_, q{SET citus.enable_ddl_propagation = off; DROP ROLE flow_mallory}) for 0 .. 2;

# What is refused.
like(node(0, q{SELECT dynamo.undistribute_table('Flow')}), qr/cannot be gathered/, 'a table with a stream is not gathered');
like(node(0, q{SELECT * FROM dynamo.stream('Flow')}), qr/has no single order/, 'its stream has no single order');
like(node(0, q{SELECT dynamo.create_event_source_mapping('Flow', 'pg_catalog.now')}), qr/cannot have an event source mapping/, 'nor has it mappings');

# A node is down: its shards are known, the others are read.
ok(halt(2), 'a node goes down');
my @shards = shards(\&ask_http, 1, $arn);
is(scalar @shards, scalar(values %by_id), 'shards of a node that is down are listed');
foreach my $shard (grep { !$_->{SequenceNumberRange}{EndingSequenceNumber} } @shards)
{
	my $down = $shard->{ShardId} =~ /2\z/;
	foreach my $door (\&ask_http, \&ask_sql)
	{
		($status, $body) = $door->(1, 'GetShardIterator', qq({"StreamArn":"$arn","ShardId":"$shard->{ShardId}","ShardIteratorType":"LATEST"}));
		like($body, $down ? qr/The service is temporarily unavailable/ : qr/ShardIterator/, $down ? 'it is not available' : 'it is read');
	}
}
ok(restart(2), 'and comes back');
ok(wait_for(sub { (put(2, 'again', 1))[0] == 200 && (put(0, 'again', 2))[0] == 200 }), 'the node is back');
ok(wait_for(sub { changes(\&ask_again, 0, $arn, $moving) eq "@expected" }), 'and all records are');

# TRUNCATE removes every item.
my $items = node(0, 'SELECT count(*) FROM dynamo_data."Flow"');
my $removed = grep { $_->{eventName} eq 'REMOVE' } follow(\&ask_again, 0, $arn);
is(node(0, 'TRUNCATE dynamo_data."Flow"'), '', 'TRUNCATE');
is((grep { $_->{eventName} eq 'REMOVE' } follow(\&ask_again, 0, $arn)) - $removed, $items, 'removes every item');

# So does one that empties the file in place, which another has made in the same transaction.
is(node(0, q{BEGIN; TRUNCATE dynamo_data."Flow"; INSERT INTO dynamo_data."Flow" (item) VALUES ('{"id": "between", "v": 1}'); TRUNCATE dynamo_data."Flow"; COMMIT}), '', 'TRUNCATE twice');
is(changes(\&ask_again, 0, $arn, 'between'), '', 'an item that never was there for others has no record');

# A closed shard is listed for 36 hours after the next has opened.
my ($closed, $next) = split / /, node(0, q{SELECT r.place, min(o.place) FROM dynamo_internal.stream_shards r
	JOIN dynamo_internal.stream_shards o ON o.stream = r.stream AND o.place > r.place AND o.low <= r.high AND r.low <= o.high
	WHERE r.place NOT IN (SELECT placementid FROM pg_dist_placement) GROUP BY r.place ORDER BY 1 LIMIT 1});
foreach my $hours (35, 37)
{
	node(0, "UPDATE dynamo_internal.stream_shards SET opened_at = now() - interval '$hours hours' WHERE place IN ($closed, $next)");
	node(0, 'SELECT dynamo.trim_streams()');
	is(node(0, "SELECT string_agg(DISTINCT place::text, ' ') FROM dynamo_internal.stream_shards WHERE place IN ($closed, $next)"),
		$hours < 36 ? "$closed $next" : $next, "a shard that was followed $hours hours ago " . ($hours < 36 ? 'stays' : 'goes'));
}

# The end.
my $count = follow(\&ask_again, 0, $arn);
is((ask_again(2, 'UpdateTable', '{"TableName":"Flow","StreamSpecification":{"StreamEnabled":false}}'))[0], 200, 'a worker disables the stream');
put_again(1, 'late', 1);
is(scalar(follow(\&ask_again, $_, $arn)), $count, "node $_: all shards have ended, and records stay") for 0 .. 2;
($status, $body) = ask_again(0, 'UpdateTable', '{"TableName":"Flow","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}');
is($status, 200, 'and the coordinator enables one') or diag($body);
put_again(1, 'late', 2);
my ($record) = follow(\&ask_again, 2, arn(1));
is(join(' ', sort keys %{ $record->{dynamodb} }), 'ApproximateCreationDateTime Keys SequenceNumber SizeBytes StreamViewType', 'the next stream has keys only');
node(0, q{SELECT dynamo.drop_table('Flow')});
is(scalar(follow(\&ask_again, $_, $arn)), $count, "node $_: and when the table is dropped") for 0 .. 2;

authenticate('DEFAULT');

done_testing();

# dynamo.enforce_throughput: requests beyond the throughput of a table, an index
# or a partition key are throttled, as on AWS.
#
# What overdraws a bucket here costs hundreds of times what flows into it in a
# second, so that it stays empty to the end of the test, however slow that is.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\ndynamo.ttl_interval = 0\n");
sql('CREATE EXTENSION dynamo');
wait_for(sub { connection() }) or die 'nothing is served';

my $large = 'x' x 300_000;
my $arn = 'arn:aws:dynamodb:us-east-1:000000000000:table';

# The answer, or the error's body, of a request by dynamo.call.
sub ask_sql
{
	my ($operation, $request) = @_;
	my $text = sql("SELECT dynamo.try_call('$operation', \$json\$" . encode_json($request) . '$json$)');
	return eval { decode_json($text) } // { message => $text };
}

sub create
{
	my ($name, %more) = @_;
	my $made = ask_sql('CreateTable', {
			TableName            => $name,
			AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(pk sk) ],
			KeySchema            => [
				{ AttributeName => 'pk', KeyType => 'HASH' },
				{ AttributeName => 'sk', KeyType => 'RANGE' } ],
			%more });
	BAIL_OUT($made->{message}) unless $made->{TableDescription};
	return;
}

sub units { return { ReadCapacityUnits => $_[0], WriteCapacityUnits => $_[1] } }
sub key { return { pk => { S => $_[0] }, sk => { S => $_[1] // '1' } } }
sub item { my ($pk, $text, %more) = @_; return { %{ key($pk) }, text => { S => $text }, %more } }
sub put { my ($table, $item) = @_; return ask_sql('PutItem', { TableName => $table, Item => $item }) }
sub get { my ($table, @key) = @_; return ask_sql('GetItem', { TableName => $table, Key => key(@key) }) }
sub text_of { return decode_json(shift->{body}) }

# Of the error: its type, its message, and why and whose.
sub is_throttled
{
	my ($answer, $type, $message, $reason, $resource, $what) = @_;
	my $reasons = $answer->{ThrottlingReasons} // $answer->{throttlingReasons};
	like($answer->{__type} // $answer->{message}, qr/#\Q$type\E$/, "$what: the exception");
	is($answer->{message}, $message, "$what: its text");
	is_deeply($reasons, [ { reason => $reason, resource => $resource } ], "$what: why");
	return;
}

my $of_table = 'The level of configured provisioned throughput for the table was exceeded. '
  . 'Consider increasing your provisioning level with the UpdateTable API.';
my $of_index_written = 'The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. '
  . 'Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API';
my $provisioned = 'ProvisionedThroughputExceededException';

# Off, as by default: nothing is limited.
create('Small', ProvisionedThroughput => units(1, 1));
is_deeply(put('Small', item('a', $large)), {}, 'off: a large write');
is_deeply(put('Small', item('a', $large)), {}, 'off: and another');

sql(q{ALTER SYSTEM SET dynamo.enforce_throughput = on});
sql(q{SELECT pg_reload_conf()});
wait_for(sub { sql('SHOW dynamo.enforce_throughput') eq 'on' });

# Provisioned throughput.  The request that overdraws goes through.
is_deeply(put('Small', item('a', $large)), {}, 'on: a large write');
is_throttled(put('Small', item('b', 'x')), $provisioned, $of_table,
	'TableWriteProvisionedThroughputExceeded', "$arn/Small", 'a write after it');
is_deeply(get('Small', 'b'), {}, '... has written nothing; reads have their own');
ok(get('Small', 'a')->{Item}, 'a large read');
wait_for(sub { !get('Small', 'a')->{Item} });
is_throttled(get('Small', 'b'), $provisioned, $of_table,
	'TableReadProvisionedThroughputExceeded', "$arn/Small", 'a read after it');
is_throttled(ask_sql('Query', {
			TableName => 'Small', KeyConditionExpression => 'pk = :p',
			ExpressionAttributeValues => { ':p' => { S => 'b' } } }),
	$provisioned, $of_table, 'TableReadProvisionedThroughputExceeded', "$arn/Small", 'a Query');
is_throttled(ask_sql('ExecuteStatement', { Statement => q{SELECT * FROM "Small"} }),
	$provisioned, $of_table, 'TableReadProvisionedThroughputExceeded', "$arn/Small", 'PartiQL');
create('Stated', ProvisionedThroughput => units(1, 1));
is_deeply(ask_sql('ExecuteStatement', { Statement => q(INSERT INTO "Stated" VALUE {'pk': 'a', 'sk': '1', 'text': ?}), Parameters => [ { S => $large } ] }),
	{ Items => [] }, 'PartiQL: a large write');
is_throttled(put('Stated', item('b', 'x')), $provisioned, $of_table,
	'TableWriteProvisionedThroughputExceeded', "$arn/Stated", 'a write after it');
like(ask_sql('UpdateItem', { TableName => 'Small', Key => key('b'), ConditionExpression => 'attribute_exists(pk)' })->{__type},
	qr/#$provisioned$/, 'a condition that fails costs, too');
is(sql(q{SELECT item->>'pk' FROM dynamo.get_item('Small', 'a', '1')}), 'a', 'the SQL functions are not limited');
create('Caller', ProvisionedThroughput => units(40_000, 40_000));
sql(q{
	CREATE FUNCTION public.reads_small() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM * FROM dynamo.get_item('Small', 'a', '1'); RETURN new; END $$;
	CREATE TRIGGER reads BEFORE INSERT ON dynamo_data."Caller" FOR EACH ROW EXECUTE FUNCTION public.reads_small();
});
is(put('Caller', item('a', 'x'))->{message}, $of_table, '... but inside a request that is');
is(sql(q{SELECT dynamo.put_item('Caller', '{"pk": "a", "sk": "1"}') IS NULL}), 't', '... and not inside one of theirs');
is(text_of(call('GetItem', encode_json({ TableName => 'Small', Key => key('b') })))->{message}, $of_table, 'HTTP is');

# The limit is what the settings say now.
ask_sql('UpdateTable', { TableName => 'Small', ProvisionedThroughput => units(1, 40_000) });
wait_for(sub { !put('Small', item('b', 'x'))->{__type} });
is_deeply(put('Small', item('b', 'x')), {}, 'a raised limit');

# So it is for a session that knows the old one.
create('Raised', ProvisionedThroughput => units(1, 1));
my $put = q{SELECT coalesce(dynamo.try_call('PutItem', '} . encode_json({ TableName => 'Raised', Item => item('a', $large) }) . q{') ->> 'message', 'put')};
is(sql("$put; $put; " . q{DO $$ BEGIN PERFORM dynamo.call('UpdateTable', '} . encode_json({ TableName => 'Raised', ProvisionedThroughput => units(1, 40_000) })
		  . q{'), pg_sleep(0.1); END $$; } . $put), "put\n$of_table\nput", 'in one session');

# Batches: what there is no room for is left to the client.
create('Batch', ProvisionedThroughput => units(1, 1));
my $batch = ask_sql('BatchWriteItem', {
		RequestItems => { Batch => [ map { { PutRequest => { Item => item($_, $large) } } } qw(a b c) ] } });
is(scalar @{ $batch->{UnprocessedItems}{Batch} }, 2, 'BatchWriteItem: one of three is done');
ok($batch->{UnprocessedItems}{Batch}[0]{PutRequest}{Item}{text}, '... the others come back as sent');
is_throttled(ask_sql('BatchWriteItem', {
			RequestItems => { Batch => [ { DeleteRequest => { Key => key('a') } } ] } }),
	$provisioned, $of_table, 'TableWriteProvisionedThroughputExceeded', "$arn/Batch", 'none can be done');
is(sql(q{SELECT count(*) FROM dynamo.scan('Batch')}), 1, '... and none was');
my $there = sql(q{SELECT item->>'pk' FROM dynamo.scan('Batch')});
my $got = ask_sql('BatchGetItem', {
		RequestItems => { Batch => { ConsistentRead => JSON::PP::true, Keys => [ key($there), key('y'), key('z') ] } } });
is(scalar @{ $got->{Responses}{Batch} }, 1, 'BatchGetItem: one item');
is_deeply($got->{UnprocessedKeys}{Batch}, { ConsistentRead => JSON::PP::true, Keys => [ key('y'), key('z') ] },
	'... and the other keys');
like(ask_sql('BatchGetItem', { RequestItems => { Batch => { Keys => [ key('y') ] } } })->{__type},
	qr/#$provisioned$/, 'none can be read');

# Transactions are cancelled; PartiQL's batch tells by statement.
my $cancelled = ask_sql('TransactWriteItems', {
		TransactItems => [ { Put => { TableName => 'Small', Item => item('t', 'x') } },
			{ Put => { TableName => 'Batch', Item => item('t', 'x') } } ] });
is_deeply([ map { $_->{Code} } @{ $cancelled->{CancellationReasons} } ],
	[ 'None', 'ProvisionedThroughputExceeded' ], 'TransactWriteItems');
is(get('Small', 't')->{Item}, undef, '... has written nothing');
$cancelled = ask_sql('TransactGetItems', { TransactItems => [ { Get => { TableName => 'Batch', Key => key('y') } } ] });
is_deeply([ map { $_->{Code} } @{ $cancelled->{CancellationReasons} } ],
	['ProvisionedThroughputExceeded'], 'TransactGetItems');
is(ask_sql('BatchExecuteStatement', {
			Statements => [ { Statement => q{SELECT * FROM "Batch" WHERE pk = 'y' AND sk = '1'} } ] })
	  ->{Responses}[0]{Error}{Code}, 'ProvisionedThroughputExceeded', 'BatchExecuteStatement');

# The item that has no room in an answer of 16 MB is left to the client, and not
# charged.  A bucket that was idle has 4,200 units, 40 items of 100 units fit, and
# another one would overdraw what is left when two more were read.
my $huge = 'x' x 409_300;
create('Answer', ProvisionedThroughput => units(14, 40_000));
is(sql(q{UPDATE dynamo.tables SET created_at = created_at - interval '1 hour' WHERE table_name = 'Answer' RETURNING 'aged'}), 'aged', 'an idle table');
put('Answer', item("huge $_", $huge)) foreach 1 .. 41;
put('Answer', item('small', 'x'));
my $full = ask_sql('BatchGetItem', {
		RequestItems => { Answer => { ConsistentRead => JSON::PP::true, Keys => [ map { key("huge $_") } 1 .. 41 ] } } });
is(scalar @{ $full->{Responses}{Answer} }, 40, 'BatchGetItem: 40 items make 16 MB');
is(scalar @{ $full->{UnprocessedKeys}{Answer}{Keys} }, 1, '... and one is left');
ok(get('Answer', "huge 1")->{Item}, "... three large reads more") foreach 1 .. 3;
ok(get('Answer', 'small')->{Item}, '... and it was not charged');

# A write needs room in each index that it touches, and in no other.
create('Indexed',
	ProvisionedThroughput  => units(1000, 1000),
	AttributeDefinitions   => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(g pk sk) ],
	GlobalSecondaryIndexes => [ {
			IndexName             => 'ByG',
			KeySchema             => [ { AttributeName => 'g', KeyType => 'HASH' } ],
			Projection            => { ProjectionType => 'ALL' },
			ProvisionedThroughput => units(1, 1) } ]);
is_deeply(put('Indexed', item('a', $large, g => { S => '1' })), {}, 'an item of an index');
is_throttled(put('Indexed', item('b', 'x', g => { S => '1' })), $provisioned, $of_index_written,
	'IndexWriteProvisionedThroughputExceeded', "$arn/Indexed/index/ByG", 'another one');
is_deeply(put('Indexed', item('b', 'x')), {}, 'an item that the index does not carry');
my %by_index = (TableName => 'Indexed', IndexName => 'ByG', KeyConditionExpression => 'g = :g',
	ExpressionAttributeValues => { ':g' => { S => '1' } });
is(ask_sql('Query', \%by_index)->{Count}, 1, 'a large Query of the index');
is_throttled(ask_sql('Query', \%by_index), $provisioned,
	'The level of configured provisioned throughput for the index was exceeded',
	'IndexReadProvisionedThroughputExceeded', "$arn/Indexed/index/ByG", 'another one');

# On demand: a maximum, and what a partition gives.
create('Most', BillingMode => 'PAY_PER_REQUEST', OnDemandThroughput => { MaxWriteRequestUnits => 1 });
is_deeply(put('Most', item('a', $large)), {}, 'on demand: a large write');
is_throttled(put('Most', item('b', 'x')), 'ThrottlingException',
	'Throughput exceeds the maximum OnDemandThroughput configured on table or index',
	'TableWriteMaxOnDemandThroughputExceeded', "$arn/Most", 'beyond the maximum');
create('Hot', BillingMode => 'PAY_PER_REQUEST');
my $hot = ask_sql('TransactWriteItems', {
		TransactItems => [ map { { Put => { TableName => 'Hot', Item => { %{ item('hot', $large) }, sk => { S => "$_" } } } } } 1 .. 13 ] });
is_deeply($hot, {}, 'a partition key: a transaction of 7,800 units');
like(put('Hot', item('hot', 'x'))->{message}, qr/check if you have a hot key/, 'the next write to the key');
is_throttled(put('Hot', item('hot', 'x')), 'ThrottlingException',
	'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
	'TableWriteKeyRangeThroughputExceeded', "$arn/Hot", 'and one more');
is_deeply(put('Hot', item('other', 'x')), {}, 'another key');
create('Wide', ProvisionedThroughput => units(40_000, 40_000));
$hot = ask_sql('TransactWriteItems', {
		TransactItems => [ map { { Put => { TableName => 'Wide', Item => { %{ item('hot', $large) }, sk => { S => "$_" } } } } } 1 .. 13 ] });
is_deeply($hot, {}, 'a partition key of a table with much throughput: a transaction of 7,800 units');
is(put('Wide', item('hot', 'x'))->{ThrottlingReasons}[0]{reason}, 'TableWriteKeyRangeThroughputExceeded', '... the next write to it');

# There are fewer buckets than keys.  The fullest gives way, or else an empty one
# would be full again when enough other keys have been asked for.
sql(q{DO $$ BEGIN FOR i IN 1 .. 50000 LOOP
	PERFORM dynamo.try_call('GetItem', format('{"TableName": "Hot", "Key": {"pk": {"S": "%s"}, "sk": {"S": "1"}}}', i)::json);
END LOOP; END $$});
like(put('Most', item('b', 'x'))->{message}, qr/maximum OnDemandThroughput/, 'an empty bucket stays empty');

# Off again.
sql(q{ALTER SYSTEM RESET dynamo.enforce_throughput});
sql(q{SELECT pg_reload_conf()});
wait_for(sub { sql('SHOW dynamo.enforce_throughput') eq 'off' });
is_deeply(put('Batch', item('b', 'x')), {}, 'off again');
done_testing();

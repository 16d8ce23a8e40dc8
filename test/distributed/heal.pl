# Citus makes the relations of distributed tables anew on nodes that are told
# their metadata again.  Nobody is answered that a table is not there, the nodes
# learn what they need by themselves, and streams lose nothing.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Cluster;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $keys = 60;

# Maintenance of the coordinator, which tells nodes what they lack.
sub maintain { my ($interval) = @_; return node(0, "ALTER SYSTEM SET dynamo.ttl_interval = $interval") . node(0, 'SELECT pg_reload_conf()') }

sub get { my ($node, $key) = @_; return at($node, 'GetItem', qq({"TableName":"Heal","Key":{"id":{"S":"$key"}}})) }
sub put { my ($node, $key, $v) = @_; return at($node, 'PutItem', qq({"TableName":"Heal","Item":{"id":{"S":"$key"},"v":{"N":"$v"}}})) }

# What nobody should be told.
my %wrong;

# How often each status was given to requests for all keys at a node.
sub statuses
{
	my ($node, $ask) = @_;
	my %seen;
	foreach my $key (1 .. $keys)
	{
		my $answer = $ask->($node, "k$key");
		my $status = $answer->{status} // 0;
		$wrong{"node $node: $status $answer->{body}"}++ if $status !~ /\A(?:200|500|503)\z/;
		$seen{$status}++;
	}
	return join ' ', map { "$_:$seen{$_}" } sort keys %seen;
}

sub stream_call
{
	my ($operation, $json) = @_;
	my $answer = at(0, $operation, $json, { 'X-Amz-Target' => "DynamoDBStreams_20120810.$operation" });
	die "$operation: $answer->{body}" if ($answer->{status} // 0) != 200;
	return decode_json($answer->{body});
}

# The keys in all records of the stream whose item has that number.
sub recorded
{
	my ($v) = @_;
	my $arn = decode_json(at(0, 'DescribeTable', '{"TableName":"Heal"}')->{body})->{Table}{LatestStreamArn};
	my @found;
	foreach my $shard (@{ stream_call('DescribeStream', qq({"StreamArn":"$arn"}))->{StreamDescription}{Shards} })
	{
		my $iterator = stream_call('GetShardIterator', qq({"StreamArn":"$arn","ShardId":"$shard->{ShardId}","ShardIteratorType":"TRIM_HORIZON"}))->{ShardIterator};
		for (my $empty = 0; defined $iterator && $empty < 2;)
		{
			my $page = stream_call('GetRecords', qq({"ShardIterator":"$iterator"}));
			$empty = @{ $page->{Records} } ? 0 : $empty + 1;
			push @found, grep { ($_->{dynamodb}{NewImage}{v}{N} // '') eq $v } @{ $page->{Records} };
			$iterator = $page->{NextShardIterator};
		}
	}
	return scalar @found;
}

# What makes the relations anew.
my $port = node(1, 'SHOW port');
my @ways = (
	[ 'start_metadata_sync_to_all_nodes' => 'SELECT start_metadata_sync_to_all_nodes()' ],
	[ 'start_metadata_sync_to_node' => "SELECT start_metadata_sync_to_node('localhost', $port)" ],
	[ 'citus_activate_node' => "SELECT citus_activate_node('localhost', $port)" ],
	[ 'nontransactional' => q{SET citus.metadata_sync_mode = nontransactional; SELECT start_metadata_sync_to_all_nodes()} ]);

authenticate('trust');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');
node(0, q{SELECT dynamo.create_table('Heal', 'id'); SELECT dynamo.create_index('Heal', 'ByV', 'v', partition_key_type => 'N'); SELECT dynamo.enable_stream('Heal')});
is(statuses($_, sub { put(@_, 1) }), "200:$keys", "node $_: items are put") for 1;
ok(wait_for(sub { node(0, 'SELECT bool_and(told) FROM dynamo_internal.known_nodes') eq 't' }), 'all nodes are known');

# Told by nobody, a node says that it will be able to serve.
maintain('0');
my $relation = node(1, q{SELECT 'dynamo_data."Heal"'::regclass::oid});
unlike(node(0, $ways[0][1]), qr/ERROR/, 'the nodes are told their metadata');
isnt(node(1, q{SELECT 'dynamo_data."Heal"'::regclass::oid}), $relation, 'and have other relations');
is(statuses($_, \&get), "503:$keys", "node $_: no item can be read yet") for 1, 2;
is(statuses($_, sub { put(@_, 2) }), "503:$keys", "node $_: nor written") for 1, 2;
my ($told, $end) = ({}, time() + 5);
while (time() < $end) { $told->{$_}++ foreach split ' ', statuses(1, \&get) =~ s/:\d+//gr }
is(join(' ', keys %$told), 503, 'as often as it is asked, while what the coordinator said grows old') or diag explain \%wrong;
like(at(0, 'GetItem', '{"TableName":"Heal","Key":{"id":{"S":"k1"}}}')->{body}, qr/"__type":"[^"]*#ServiceUnavailable"/, 'the coordinator passes that on');
is(at(1, 'DescribeTable', '{"TableName":"Heal"}')->{status}, 503, 'the table is not described');
is(at(1, 'ListTables', '{}')->{status}, 503, 'nor are tables listed');
like(node(1, q{SELECT dynamo.get_item('Heal', 'k1')}), qr/ERROR: .*temporarily unavailable/, 'nor read by SQL');
like(node(0, q{INSERT INTO dynamo_data."Heal" (item) VALUES ('{"id": "plain"}')}), qr/ERROR: .*has no definition of table/, 'plain SQL writes nothing, or else it would leave no record');
is(at($_, 'GetItem', '{"TableName":"Missing","Key":{"id":{"S":"k1"}}}')->{status}, 400, "node $_: there is no other table") for 0 .. 2;

# The definition comes after a request has looked for it, and before it asks whether any is to come.
my $late = session_at(1, q{CREATE TABLE public.late (said text); SET application_name = 'late'; SELECT count(*) FROM public.late;});
ok(wait_for(sub { node(1, q{SELECT state FROM pg_stat_activity WHERE application_name = 'late'}) eq 'idle' }), 'a session is there');
my $definer = session_at(1, q{SET application_name = 'definer'; BEGIN; LOCK TABLE pg_dist_partition IN ACCESS EXCLUSIVE MODE;});
ok(wait_for(sub { node(1, q{SELECT state FROM pg_stat_activity WHERE application_name = 'definer'}) eq 'idle in transaction' }), 'another keeps it from looking');
print $late q{DO $$ BEGIN PERFORM dynamo.get_item('Heal', 'k1'); EXCEPTION WHEN OTHERS THEN INSERT INTO public.late VALUES (sqlerrm); END $$;}, "\n";
ok(wait_for(sub { node(1, q{SELECT wait_event_type FROM pg_stat_activity WHERE application_name = 'late'}) eq 'Lock' }), 'so it waits');
print $definer q{UPDATE dynamo.tables SET relation = 'dynamo_data."Heal"'::regclass WHERE table_name = 'Heal'; COMMIT;}, "\n";
close $definer;
close $late;
like(node(1, 'SELECT said FROM public.late'), qr/temporarily unavailable/, 'a definition that has just come is not missing');
node(1, 'DROP TABLE public.late');

# Metadata in several transactions, between two of them: the relations are gone, and there are no others yet.
my $holder = session_at(1, q{SET application_name = 'holder'; BEGIN; LOCK TABLE pg_dist_colocation IN SHARE MODE;});
ok(wait_for(sub { node(1, q{SELECT state FROM pg_stat_activity WHERE application_name = 'holder'}) eq 'idle in transaction' }), 'a session makes the next metadata wait');
my $sync = session_at(0, "$ways[3][1];");
ok(wait_for(sub { node(1, q{SELECT to_regclass('dynamo_data."Heal"') IS NULL AND EXISTS (SELECT FROM pg_locks WHERE relation = 'pg_dist_colocation'::regclass AND NOT granted)}) eq 't' }), 'it is being sent');
is(statuses(1, \&get), "503:$keys", 'no item can be read while there is no relation');
is(at(1, 'ListTables', '{}')->{status}, 503, 'nor are tables listed');
is(at(1, 'GetItem', '{"TableName":"Missing","Key":{"id":{"S":"k1"}}}')->{status}, 400, 'there is no other table');
print $holder "COMMIT;\n";
close $holder;
close $sync;

# A client that asks for it again and again does not make the coordinator work each time.
node(0, q{ALTER SYSTEM SET log_statement = 'all'});
node(0, 'SELECT pg_reload_conf()');
ok(wait_for(sub { node(0, 'SHOW log_statement') eq 'all' }), 'the coordinator logs what it is asked');
my @before = log_ends();
my $seconds = node(1, q{DO $$ BEGIN FOR i IN 1 .. 20 LOOP BEGIN PERFORM dynamo.get_item('Nowhere', 'k1'); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP;
	PERFORM set_config('my.seconds', ceil(extract(epoch FROM clock_timestamp() - now()))::text, false); END $$;
	SHOW my.seconds});
my $asked = () = logged(@before) =~ /ARRAY\['Nowhere'\]/g;
ok($asked >= 1 && $asked <= 1 + $seconds, 'it is asked once a second') or diag "$asked times in $seconds s";

# Nor does one that asks for other names each time.  A name that no table can have is asked for by nobody.
my $many = node(1, q{CREATE TEMP TABLE told (state text, again text);
	DO $$ DECLARE a text; b text; BEGIN
		FOR i IN 1 .. 60 LOOP
			BEGIN PERFORM dynamo.get_item('Nowhere' || i, 'k1'); EXCEPTION WHEN OTHERS THEN a := sqlerrm; END;
			CONTINUE WHEN a ~ 'unavailable';
			BEGIN PERFORM dynamo.get_item('Nowhere' || i, 'k1'); EXCEPTION WHEN OTHERS THEN b := sqlerrm; END;
			INSERT INTO told VALUES (a, b);
		END LOOP;
		PERFORM set_config('my.seconds', ceil(extract(epoch FROM clock_timestamp() - now()))::text, false);
	END $$;
	SELECT count(*), count(*) FILTER (WHERE again !~* 'not found'), current_setting('my.seconds') FROM told});
(my ($found, $forgotten), $seconds) = split ' ', $many;
$asked = () = logged(@before) =~ /ARRAY\['Nowhere\d+'\]/g;
ok($found >= 1 && $found <= $asked, 'what was not asked for is not known') or diag "$many, $asked";
is($forgotten, 0, 'and what was is remembered');
cmp_ok($asked, '<=', 10 * (1 + $seconds), 'ten names are asked for in a second') or diag $many;
like(node(1, qq{SELECT dynamo.get_item('$_', 'k1')}), qr/ERROR:(?!.*unavailable)/, 'no table can have that name') for 'Nowhere' x 1000, 'Nowhere at all', 'no';
unlike(logged(), qr/ARRAY\['(?:NowhereNowhere|Nowhere at all|no')/, 'so nobody is asked');
node(0, 'ALTER SYSTEM RESET log_statement');
node(0, 'SELECT pg_reload_conf()');

is(at(1, 'CreateTable', '{"TableName":"Heal","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}')->{status}, 503, 'nor is another made');

# Maintenance tells them, and each kind of call is healed with the default settings.
maintain('DEFAULT');
ok(wait_for(sub { statuses(1, \&get) eq "200:$keys" }, 20), 'within seconds all is served again')
  or diag node(0, 'SELECT * FROM dynamo_internal.known_nodes');
my $v = 10;
foreach my $way (@ways)
{
	my ($name, $call) = @$way;
	unlike(node(0, $call), qr/ERROR/, "$name: called");
	my %seen;
	ok(wait_for(sub {
		my $all = join ' ', map { statuses($_, \&get) } 0 .. 2;
		$seen{$1}++ while $all =~ /(\d+):/g;
		return $all eq join ' ', ("200:$keys") x 3;
	}, 30), "$name: healed") or diag node(0, 'SELECT * FROM dynamo_internal.known_nodes');
	is(join(' ', grep { !/\A(?:200|500|503)\z/ } keys %seen), '', "$name: nobody was told anything wrong") or diag explain \%wrong;
	$v++;
	is(statuses($v % 3, sub { put(@_, $v) }), "200:$keys", "$name: $keys writes are acknowledged");
	is(recorded($v), $keys, "$name: each has a record");
	is(decode_json(at(2, 'Query', qq({"TableName":"Heal","IndexName":"ByV","KeyConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"N":"$v"}}}))->{body})->{Count}, $keys, "$name: the index has them");
}
is(node(1, q{SELECT count(*) FROM dynamo.streams WHERE relation IS DISTINCT FROM 'dynamo_data."Heal"'::regclass AND table_name = 'Heal' AND disabled_at IS NULL}), 0, 'streams are of the relation that is there');

# A stream whose relation is gone is not passed over.
node(1, q{UPDATE dynamo.streams SET relation = 1 WHERE table_name = 'Heal'});
my ($mine) = keys_of(1, 'Heal');
is(put(1, $mine, 99)->{status}, 503, 'a write that would leave no record is refused');
node(0, q{SELECT dynamo.distribute_table('Heal')});
is(put(1, $mine, 100)->{status}, 200, 'until the node has been told');
is(recorded(100), 1, 'and leaves one then');

# A table that is dropped meanwhile.
maintain('0');
node(0, $ways[0][1]);
unlike(node(0, 'DROP TABLE dynamo_data."Heal"'), qr/ERROR/, 'dropped while nodes do not know it');
node(0, q{SELECT dynamo.create_table('Heal', 'id'); SELECT dynamo.enable_stream('Heal')});
is(statuses(2, sub { put(@_, 7) }), "200:$keys", 'another of that name is written');
is(recorded(7), $keys, 'with records');
is(node($_, q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'Heal' AND end_number IS NULL}), 1, "node $_: it has one stream") for 0 .. 2;
maintain('DEFAULT');
ok(wait_for(sub { node(0, 'SELECT bool_and(told) FROM dynamo_internal.known_nodes') eq 't' }), 'all nodes are known');

# What the coordinator does is asked for again when it is back.
my $arn = decode_json(at(1, 'DescribeTable', '{"TableName":"Heal"}')->{body})->{Table}{TableArn};
my %changes = (
	CreateTable => '{"TableName":"HealToo","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}',
	UpdateTable => '{"TableName":"Heal","DeletionProtectionEnabled":true}',
	UpdateTimeToLive => '{"TableName":"Heal","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}}',
	TagResource => qq({"ResourceArn":"$arn","Tags":[{"Key":"a","Value":"b"}]}),
	UntagResource => qq({"ResourceArn":"$arn","TagKeys":["a"]}),
	PutResourcePolicy => qq({"ResourceArn":"$arn","Policy":"{\\"Version\\":\\"2012-10-17\\",\\"Statement\\":[{\\"Effect\\":\\"Deny\\",\\"Principal\\":\\"*\\",\\"Action\\":\\"dynamodb:GetItem\\",\\"Resource\\":\\"*\\"}]}"}),
	UpdateContributorInsights => '{"TableName":"Heal","ContributorInsightsAction":"ENABLE"}',
	UpdateContinuousBackups => '{"TableName":"Heal","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}',
	DeleteTable => '{"TableName":"Heal"}');
ok(halt(0), 'the coordinator is down');
foreach my $operation (sort keys %changes)
{
	my $answer = at(1, $operation, $changes{$operation});
	like($answer->{status} . $answer->{body}, qr/\A503.*#ServiceUnavailable"/, "$operation: that is said");
}
ok(restart(0), 'it is back');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'and serves');
is(at(1, $_, $changes{$_})->{status}, 200, $_) for qw(CreateTable TagResource UntagResource PutResourcePolicy UpdateContributorInsights DeleteTable);
node(0, q{SELECT dynamo.drop_table('HealToo')});
authenticate('DEFAULT');
done_testing();

# The most accessed and the most throttled keys, where somebody has asked for
# them to be counted.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.stat_max_key_sets = 2\ndynamo.ttl_interval = 0");
my $app = tenant('app');
sql(q{SET ROLE app; SELECT dynamo.create_table('Shop', 'pk', 'sk', 'S', 'N');
	SELECT dynamo.create_index('Shop', 'ByN', 'n', partition_key_type => 'N');
	SELECT dynamo.create_table('Other', 'id')});
sub insights
{
	my ($table, $action, $more) = @_;
	is(call_as($app, 'UpdateContributorInsights', qq({"TableName":"$table","ContributorInsightsAction":"$action"$more}))->{status},
		200, "$table: $action$more");
}
sub top
{
	my ($table, $where) = @_;
	return sql(qq{SELECT partition_key, sort_key, requests, error FROM dynamo.stat_keys('$table') WHERE $where ORDER BY requests DESC, partition_key, sort_key LIMIT 3});
}

# Off by default.
sql(q{SELECT dynamo.put_item('Shop', '{"pk": "a", "sk": 1, "n": 5}')});
is(top('Shop', 'true'), '', 'nothing is counted by default');

# By every door, single items and ranges.
insights('Shop', 'ENABLE', '');
insights('Shop', 'ENABLE', ',"IndexName":"ByN"');
sql(q{SELECT dynamo.put_item('Shop', '{"pk": "a", "sk": 1, "n": 5}');
	SELECT * FROM dynamo.get_item('Shop', 'a', 1);
	SELECT * FROM dynamo.get_item('Shop', 'b', 2);
	SELECT * FROM dynamo.query('Shop', 'pk = :p', '{":p": "a"}');
	SELECT * FROM dynamo.query('Shop', 'n = :n', '{":n": 5}', index_name => 'ByN');
	SELECT dynamo.transact_get('[{"Get":{"TableName":"Shop","Key":{"pk":"a","sk":1}}}]')});
call_as($app, 'GetItem', '{"TableName":"Shop","Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}');
call_as($app, 'BatchGetItem', '{"RequestItems":{"Shop":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"7"}}]}}}');
is(top('Shop', q{index_name IS NULL AND event = 'accessed' AND sort_key IS NULL}),
	"{\"S\":\"a\"}  6 0\n{\"S\":\"b\"}  1 0", 'partition keys');
is(top('Shop', q{index_name IS NULL AND event = 'accessed' AND sort_key IS NOT NULL}),
	"{\"S\":\"a\"} {\"N\":\"1\"} 4 0\n{\"S\":\"a\"} {\"N\":\"7\"} 1 0\n{\"S\":\"b\"} {\"N\":\"2\"} 1 0", 'whole keys');
is(top('Shop', q{index_name = 'ByN'}), '{"N":"5"}  1 0', 'keys of an index');

# A hot key stands out among many that are not, and is not underestimated.
sql(q{SELECT count(*) FROM (SELECT dynamo.get_item('Shop', ('cold' || i)::dynamo.key_value, 1), dynamo.get_item('Shop', 'hot', 1) FROM generate_series(1, 400) AS i) AS x});
like(top('Shop', q{event = 'accessed' AND sort_key IS NULL}), qr/^\{"S":"hot"\}  (4\d\d) (\d+)\n/, 'the hottest comes first');
is(sql(q{SELECT requests - error <= 400 AND requests >= 400 FROM dynamo.stat_keys('Shop') WHERE partition_key = '{"S":"hot"}' AND sort_key IS NULL}), 't', 'within its error');
cmp_ok(sql(q{SELECT count(*) FROM dynamo.stat_keys('Shop') WHERE index_name IS NULL AND sort_key IS NULL}), '<=', 25, 'and few are shown');
is(sql(q{SELECT count(*) FROM dynamo.stat_keys('Shop') WHERE partition_key ~ 'cold' AND sort_key IS NULL AND requests - error > 1}), '0',
	'a key that was asked for once is not told to be hotter');

# Long keys are cut, and still apart.
sql(q{SELECT * FROM dynamo.get_item('Shop', (repeat('ä', 100) || i)::dynamo.key_value, 1) FROM generate_series(1, 2) i});
sql(q{SELECT dynamo.get_item('Shop', (repeat('ä', 100))::dynamo.key_value, 1) FROM generate_series(1, 500)});
like(top('Shop', q{sort_key IS NULL}), qr/^\{"S":"(?:\xc3\xa4){20,}\.\.\."\}/, 'a long key is cut at a character');

# Throttled keys.
sql(q{ALTER SYSTEM SET dynamo.enforce_throughput = on; SELECT pg_reload_conf();
	SELECT dynamo.call('UpdateTable', '{"TableName":"Shop","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},"GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"ByN","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}}]}')});
my $throttled = 0;
foreach (1 .. 2000)
{
	my $r = call_as($app, 'GetItem', '{"TableName":"Shop","ConsistentRead":true,"Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}');
	$throttled++ if $r->{body} =~ /ProvisionedThroughputExceeded/;
	last if $throttled == 3;
}
is($throttled, 3, 'three reads are throttled');
is(top('Shop', q{event = 'throttled' AND sort_key IS NOT NULL}), '{"S":"a"} {"N":"1"} 3 0', 'and their key is known');
is(sql(q{SELECT throttles FROM dynamo.stat_tables WHERE table_name = 'Shop'}), '3', 'as the statistics have them');
sql(q{ALTER SYSTEM SET dynamo.enforce_throughput = off; SELECT pg_reload_conf()});

# The operation tells what the function does: both events, partition keys and whole
# keys, and of an index its own.
sub by_operation
{
	my ($index, $where) = @_;
	return sql(qq{SELECT count(*), count(DISTINCT k -> 'Event'), jsonb_agg(k ORDER BY k::text) =
			(SELECT jsonb_agg(jsonb_strip_nulls(s) ORDER BY jsonb_strip_nulls(s)::text) FROM dynamo.stat_keys('Shop') t,
				jsonb_build_object('Event', event, 'PartitionKey', partition_key::jsonb, 'SortKey', sort_key::jsonb,
					'Requests', requests, 'Error', error) s WHERE $where)
		FROM jsonb_array_elements(dynamo.call('DescribeHotKeys', '{"TableName":"Shop"$index}')::jsonb -> 'Keys') k});
}
like(by_operation('', 'index_name IS NULL'), qr/^\d\d+ 2 t$/, 'DescribeHotKeys tells the keys of a table');
is(by_operation(',"IndexName":"ByN"', q{index_name = 'ByN'}), '1 1 t', 'and of an index');

# There are two places, and both are taken; one is given back.
insights('Other', 'ENABLE', '');
sql(q{SELECT * FROM dynamo.get_item('Other', 'a')});
is(top('Other', 'true'), '', 'no room for a third');
insights('Shop', 'DISABLE', ',"IndexName":"ByN"');
sql(q{SELECT * FROM dynamo.get_item('Other', 'a')});
is(top('Other', 'true'), '{"S":"a"}  1 0', 'until one goes');

# Only throttles.
insights('Other', 'DISABLE', '');
insights('Other', 'ENABLE', ',"ContributorInsightsMode":"THROTTLED_KEYS"');
sql(q{SELECT * FROM dynamo.get_item('Other', 'a')});
is(top('Other', 'true'), '', 'accesses are not counted in this mode');

# Off again: what was counted is forgotten.
insights('Shop', 'DISABLE', '');
is(top('Shop', 'true'), '', 'nothing is left');
done_testing();

# Auto scaling: maintenance changes the throughput of tables and indexes as it is
# consumed.  Short periods stand for minutes.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.ttl_interval = 1\n"
	  . "dynamo.enforce_throughput = on\ndynamo.auto_scaling_period = 200ms\nlog_min_messages = log\n");
sql(q{CREATE EXTENSION dynamo; CREATE ROLE owner; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO owner});
sql(q{SET ROLE owner; SELECT dynamo.call('CreateTable', '{"TableName": "Shop",
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
	"GlobalSecondaryIndexes": [{"IndexName": "ByG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
		"Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}]}')});

sub described { return decode_json(sql(q{SELECT dynamo.call('DescribeTable', '{"TableName": "Shop"}')}))->{Table} }
sub writes { return described()->{ProvisionedThroughput}{WriteCapacityUnits} }
sub index_writes { return described()->{GlobalSecondaryIndexes}[0]{ProvisionedThroughput}{WriteCapacityUnits} }

# A policy is for the table's owner, and makes sense.
sub policy { return sql("SET ROLE owner; SELECT dynamo.set_auto_scaling('Shop', $_[0])") }
like(sql(q{CREATE ROLE other; SET ROLE other; SELECT dynamo.set_auto_scaling('Shop', 'WriteCapacityUnits', 1, 9)}),
	qr/not authorized|must be owner/, 'not for others');
like(policy(q{'WriteCapacity', 1, 9}), qr/dimension must be/, 'a dimension that there is not');
like(policy(q{'WriteCapacityUnits', 0, 9}), qr/min_capacity must be at least 1/, 'bounds');
like(policy(q{'WriteCapacityUnits', 9, 8}), qr/min_capacity must be at least 1/, 'bounds the other way round');
like(policy(q{'WriteCapacityUnits', 1, 9, 95}), qr/must be between 20 and 90/, 'a target too high');
like(policy(q{'WriteCapacityUnits', 1, 9, 'NaN'}), qr/must be between 20 and 90/, 'a target that is no number');
like(policy(q{'WriteCapacityUnits', 1, 9, 70, 'ByH'}), qr/Index ByH for table Shop/, 'an index that there is not');
like(policy(q{NULL, 1, 9}), qr/dimension must not be null/, 'nothing');
is(writes(), 5, '... and nothing has changed');

# Below the minimum is not within the bounds: at once.
policy(q{'WriteCapacityUnits', 10, 1000, 50, disable_scale_in => true});
ok(wait_for(sub { writes() == 10 }), 'the table has its least');
is(described()->{ProvisionedThroughput}{ReadCapacityUnits}, 5, '... of writes; no policy is about reads');
ok(!exists described()->{AutoScaling}, 'DescribeTable does not tell');
policy(q{'WriteCapacityUnits', 5, 40, 50, 'ByG'});

# A load that is always throttled consumes all there is: both grow.
my $load = session(q{DO $$ BEGIN FOR i IN 1 .. 1000000 LOOP
	PERFORM dynamo.try_call('PutItem', format('{"TableName": "Shop", "Item": {"pk": {"S": "%s"}, "g": {"S": "%s"}}}', i % 50, i)::json);
	COMMIT; END LOOP; END $$});
ok(wait_for(sub { writes() >= 20 }), 'the table grows');
ok(wait_for(sub { index_writes() >= 10 }), 'the index grows');
ok(wait_for(sub { index_writes() == 40 }), '... as far as it may');
ok(reported(qr/dynamo scaled table Shop to 5 read units and \d+ write units/), 'the log says so');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'});
close $load;

# Fifteen periods later.
ok(wait_for(sub { index_writes() == 5 }), 'the index shrinks to its least');
cmp_ok(writes(), '>=', 20, 'the table does not, as its policy says');

# Gone.
is(sql(q{SET ROLE owner; SELECT dynamo.drop_auto_scaling('Shop', 'WriteCapacityUnits', 'ByG')}), 't', 'a policy is dropped');
is(sql(q{SET ROLE owner; SELECT dynamo.drop_auto_scaling('Shop', 'WriteCapacityUnits', 'ByG')}), 'f', '... once');
is(sql(q{SET ROLE owner; SELECT dynamo.drop_auto_scaling('Shop', 'WriteCapacityUnits')}), 't', 'the other one');
is(sql(q{SELECT settings::text LIKE '%AutoScaling%' FROM dynamo.tables}), 'f', 'nothing is left');
done_testing();

# Beside other extensions: what a process has little of is left to them, and
# their planners are given what core's planner is given.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

# The others: crowd.c.
my $config = $ENV{PG_CONFIG} || 'pg_config';
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $source = dirname(__FILE__) . '/crowd.c';
system(qq{cc \$($config --cppflags) -I\$($config --includedir-server) -fPIC -shared -o $dir/crowd.so $source}) == 0
  or BAIL_OUT('could not build crowd.c');
chmod 0755, "$dir/crowd.so";

start_server("shared_preload_libraries = '$dir/crowd.so, dynamo'\n"
	  . "dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql('CREATE EXTENSION dynamo');
is(sql('SHOW crowd.started'), 'on', 'another extension has its shared memory');

# A worker needs every cache of ours, and core's own.
sub served
{
	return join ' ', map { $_->{status} // 'none' }
	  call('CreateTable', '{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST",'
		  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],'
		  . '"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}'),
	  call('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"a"}}}'),
	  call('UpdateItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}},"UpdateExpression":"SET n = :n",'
		  . '"ExpressionAttributeValues":{":n":{"N":"1"}}}'),
	  call('GetItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}}}');
}
ok(wait_for(sub { (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');
my ($worker) = worker_pids();
is(served(), '200 200 200 200', 'requests that use every cache');
is((worker_pids())[0], $worker, 'and the worker lives');

# So does a session, which has caches of its own.
is(sql(q{SELECT dynamo.get_item('Shop', '{"id": "a"}')}), '{"id":{"S":"a"},"n":{"N":"1"}}', 'a session');

# Plans without parameters: a scan of all that goes by the planner.
sql(q{CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION nothing()});
is(sql(q{SELECT * FROM dynamo.scan('Shop')}), '{"id":{"S":"a"},"n":{"N":"1"}}', 'a scan of everything');
is(sql(q{SELECT * FROM dynamo.query('Shop', 'id = :i', '{":i": "a"}')}), '{"id":{"S":"a"},"n":{"N":"1"}}', 'and of something');

# Their hooks are called before ours, and auto_explain sees our plans, whether
# it measures or not, also at the end of a cursor of another role.
like(sql(q{LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
	SELECT * FROM dynamo.query('Shop', 'id = :i', '{":i": "a"}') AS explained}),
	qr/"a"/, 'a query for auto_explain');
ok(log_has(qr/crowd has seen the paths of function explained: 1/), 'the others are asked');
ok(log_has(qr/Custom Scan \(DynamoQuery\).*?Table: Shop.*?Key Condition: id = :i/s), 'the plan is logged');
like(sql(q{LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
	CREATE ROLE stranger; BEGIN;
	DECLARE c CURSOR FOR SELECT * FROM dynamo.scan('Shop');
	FETCH 1 FROM c; SET ROLE stranger; CLOSE c; COMMIT}), qr/^\{"id":\{"S":"a"\},"n":\{"N":"1"\}\}$/, 'a cursor of another role');
ok(log_has(qr/Custom Scan \(DynamoScan\).*?Index: Shop:pkey.*?Items Read: 1.*?Items Returned: 1/s), 'is logged, too');

done_testing();

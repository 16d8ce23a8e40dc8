# Beside Citus: HTTP and SQL are served, scans get past its planner, and a
# relation that it has distributed is refused instead of being read as if the
# rows were in it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $config = $ENV{PG_CONFIG} || 'pg_config';
my $top = dirname(__FILE__) . '/../..';
chomp(my $share = `$config --sharedir`);
plan skip_all => 'Citus is not installed' unless -e "$top/tmp/pg$share/extension/citus.control";

start_server("shared_preload_libraries = 'citus, dynamo'\nmax_prepared_transactions = 50\n"
	  . "listen_addresses = 'localhost'\nlog_min_messages = fatal\n"
	  . "dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION citus;
	CREATE EXTENSION dynamo;
	SELECT citus_set_coordinator_host('localhost', current_setting('port')::int);
	SELECT citus_set_node_property('localhost', current_setting('port')::int, 'shouldhaveshards', true);
	ALTER SYSTEM SET citus.shard_count = 2;
	SELECT pg_reload_conf()});

sub make { sql(qq{SELECT dynamo.create_table('$_[0]', 'id'); SELECT dynamo.put_item('$_[0]', '{"id": "a"}')}) }
sub get_by_http { call('GetItem', qq({"TableName":"$_[0]","Key":{"id":{"S":"a"}}}))->{body} }
sub get_by_sql { sql(qq{SELECT dynamo.get_item('$_[0]', '{"id": "a"}')}) }

# Tables that Citus leaves alone.
make('Plain');
ok(wait_for(sub { get_by_http('Plain') eq '{"Item":{"id":{"S":"a"}}}' }), 'served by HTTP');
is(get_by_sql('Plain'), '{"id":{"S":"a"}}', 'and by SQL');
sql(q{CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON dynamo_data."Plain" FOR EACH ROW EXECUTE FUNCTION nothing()});
is(sql(q{SELECT * FROM dynamo.scan('Plain')}), '{"id":{"S":"a"}}', 'a scan without parameters goes by the planner');

# Each way of distributing one.  A worker and a session have its definition.
my %ways = (
	Copied => q{SELECT create_reference_table('dynamo_data."Copied"')},
	Sharded => q{ALTER TABLE dynamo_data."Sharded" ALTER pk DROP EXPRESSION;
		SELECT create_distributed_table('dynamo_data."Sharded"', 'pk')});
for my $name (sort keys %ways)
{
	make($name);
	is(get_by_http($name), '{"Item":{"id":{"S":"a"}}}', "$name: at first");
	sql($ways{$name});
	is(sql(qq{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'dynamo_data."$name"'::regclass}),
		1, "$name: distributed");
	like(get_by_http($name), qr/ValidationException.*Table $name is distributed by Citus, which is not supported/,
		"$name: refused by HTTP");
	like(get_by_sql($name), qr/ERROR:  Table $name is distributed by Citus/, "$name: and by SQL");
	like(sql(qq{SELECT dynamo.put_item('$name', '{"id": "b"}')}), qr/ERROR:  Table $name is distributed/,
		"$name: nothing is written to the shell");
	is(sql(qq{SELECT item->>'id' FROM dynamo_data."$name"}), 'a', "$name: plain SQL finds the row");
	sql(qq{DROP TABLE dynamo_data."$name"});
	like(get_by_http($name), qr/ResourceNotFoundException/, "$name: dropped by plain SQL");
}

done_testing();

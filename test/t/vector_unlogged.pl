# An unlogged table's vector index is empty after a crash, as the table is, and of use.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;
use Standby;

start_server("max_wal_senders = 2\nwal_level = replica");
sql(q{CREATE EXTENSION dynamo;
	SELECT dynamo.call('CreateTable', '{"TableName": "Gone", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "VectorIndexes": [{"IndexName": "Near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
		"DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"}}]}')});
is(sql(q{ALTER TABLE dynamo_data."Gone" SET UNLOGGED}), '', 'a table is unlogged');
my $put = q{SELECT FROM dynamo.put_item('Gone', '{"id": "a", "v": [1, 2]}')};
my $search = q{SELECT count(item) FROM dynamo.search_vectors('Gone', 'Near', '[1, 2]', 5)};
sql($put);
is(sql($search), 1, 'an item is found');
server('crash') && server('restart') or BAIL_OUT('no crash, or no restart');
is(sql($search), 0, 'after a crash there is none');
is(sql("$put; $search"), 1, 'and the next is found');

# A standby that is promoted has what the log says of it.
start_standby();
sql(q{ALTER TABLE dynamo_data."Gone" SET LOGGED; ALTER TABLE dynamo_data."Gone" SET UNLOGGED});
ok(follows(), 'it has all');
like(there('SELECT pg_promote()'), qr/t/, 'is promoted');
is(there($search), '0', 'there is none');
is(there("$put; $search"), '1', 'and the next is found');
done_testing();

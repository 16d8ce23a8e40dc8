# A server that does not preload dynamo, told to enforce throughput: there are no
# buckets, and nothing is limited.  A process that looked for one would end by
# signal 11, and take all sessions along.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server('dynamo.enforce_throughput = on');
sql(q{CREATE EXTENSION dynamo});
sql(q{SELECT dynamo.call('CreateTable', '{"TableName": "Plain", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}')});
is(sql(q{LOAD 'dynamo'; SHOW dynamo.enforce_throughput}), 'on', 'it is to be enforced');
my $put = q{SELECT dynamo.try_call('PutItem', json_build_object('TableName', 'Plain', 'Item',
	json_build_object('id', json_build_object('S', 'a'), 't', json_build_object('S', repeat('x', 300000)))))};
is(sql("$put; $put"), "{}\n{}", 'writes beyond the throughput');
is(sql(q{SELECT dynamo.call('GetItem', '{"TableName": "Plain", "Key": {"id": {"S": "a"}}}') -> 'Item' -> 'id'}), '{"S":"a"}', 'a read');
done_testing();

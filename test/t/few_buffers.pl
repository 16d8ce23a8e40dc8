# A server with 64 buffers, and items that fill a page each: what was read from a
# page is good after the page has left its buffer.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_buffers = 512kB\nautovacuum = off");
psql('CREATE EXTENSION dynamo', q{DO $$ BEGIN PERFORM dynamo.create_table('Shop', 'pk'); END $$},
	'ALTER TABLE dynamo_data."Shop" ALTER item SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160)',
	q{DO $$ BEGIN PERFORM dynamo.put_item('Shop', jsonb_build_object('pk', n::text, 'n', n, 'body', repeat(chr(65 + n % 26), 7000))::dynamo.item)
		FROM generate_series(1, 100) n; END $$});
is(psql(q{SELECT pg_relation_size('dynamo_data."Shop"') > 90 * current_setting('block_size')::int}), 't', 'the items need more pages than there are buffers');

my $right = q{count(*) FILTER (WHERE item #>> '{pk,S}' = item #>> '{n,N}' AND item #>> '{body,S}' = repeat(chr(65 + (item #>> '{n,N}')::int % 26), 7000))};
is(psql(qq{SELECT $right FROM dynamo.call('TransactGetItems', json_build_object('TransactItems',
		(SELECT json_agg(json_build_object('Get', json_build_object('TableName', 'Shop', 'Key', json_build_object('pk', json_build_object('S', n::text))))) FROM generate_series(1, 100) n))) answer,
		LATERAL (SELECT r -> 'Item' AS item FROM json_array_elements(answer -> 'Responses') r) i}), '100', 'a transaction reads 100 items');
is(psql(q{SELECT count(*) FROM dynamo.call('TransactWriteItems', json_build_object('TransactItems',
		(SELECT json_agg(json_build_object('Update', json_build_object('TableName', 'Shop', 'Key', json_build_object('pk', json_build_object('S', n::text)),
			'UpdateExpression', 'SET n = n + :n', 'ExpressionAttributeValues', '{":n":{"N":"0"}}'::json))) FROM generate_series(1, 100) n)))},
	qq{SELECT $right FROM (SELECT dynamo.to_json(item) AS item FROM dynamo.scan('Shop')) i}), "1\n100", '... and writes them');
# What a request that is refused tells of each item is kept until all have been read.
is(psql(qq{SELECT $right FROM dynamo.try_call('TransactWriteItems', json_build_object('TransactItems',
		(SELECT json_agg(json_build_object('ConditionCheck', json_build_object('TableName', 'Shop', 'Key', json_build_object('pk', json_build_object('S', n::text)),
			'ConditionExpression', 'attribute_not_exists(pk)', 'ReturnValuesOnConditionCheckFailure', 'ALL_OLD'))) FROM generate_series(1, 100) n))) answer,
		LATERAL (SELECT r -> 'Item' AS item FROM json_array_elements(answer::json -> 'CancellationReasons') r) i}), '100', '... and tells all of them');
done_testing();

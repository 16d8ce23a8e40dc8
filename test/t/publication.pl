# The recipes of docs/cdc.md for a second PostgreSQL server, on this one.
#
# Another database of the same server stands for the second one.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server();
my $modern = sql('SHOW server_version_num') >= 180000;
my $source = 'source';
sql("CREATE DATABASE $source");

# What a subscriber of its own, in database $target with table Shop $columns, has
# after all has been changed in the source.
sub follow
{
	my ($target, $options, $identity, $columns, $setup) = @_;

	sql('DROP EXTENSION IF EXISTS dynamo CASCADE; CREATE EXTENSION dynamo', $source);
	sql(q{SELECT dynamo.create_table('Shop', 'PK', 'SK N')}, $source);
	sql(qq{SELECT dynamo.put_item('Shop', '{"PK": "before", "SK": 1}')}, $source);
	sql("CREATE PUBLICATION shop FOR TABLE dynamo_data.\"Shop\" $options", $source);
	sql("ALTER TABLE dynamo_data.\"Shop\" REPLICA IDENTITY $identity", $source);
	sql(q{SELECT pg_create_logical_replication_slot('shop', 'pgoutput')}, $source);

	sql("CREATE DATABASE $target");
	sql('CREATE EXTENSION dynamo', $target);
	sql("CREATE TABLE dynamo_data.\"Shop\" ($columns); $setup", $target);
	my %at = environment();
	sql("CREATE SUBSCRIPTION shop CONNECTION 'host=$at{PGHOST} port=$at{PGPORT} user=postgres dbname=$source' "
		  . 'PUBLICATION shop WITH (create_slot = false, slot_name = shop)', $target);

	sql(<<'SQL', $source);
SELECT dynamo.put_item('Shop', '{"PK": "p", "SK": 1, "v": 1}');
SELECT dynamo.put_item('Shop', '{"PK": "p", "SK": 1, "v": 2}');
SELECT dynamo.put_item('Shop', '{"PK": "p", "SK": 2}');
SELECT dynamo.delete_item('Shop', '{"PK": "before", "SK": 1}');
SELECT dynamo.delete_item('Shop', '{"PK": "p", "SK": 2}');
SELECT dynamo.put_item('Shop', jsonb_build_object('PK', 'large', 'SK', 1, 'v',
	(SELECT string_agg(md5(i::text), '') FROM generate_series(1, 2000) i)));
SELECT dynamo.update_item('Shop', '{"PK": "large", "SK": 1}', 'SET n = :n', '{":n": 7}');
SELECT dynamo.put_item('Shop', '{"PK": "last", "SK": 1}');
SQL
	wait_for(sub { sql(q{SELECT count(*) FROM dynamo_data."Shop" WHERE item ->> 'PK' = 'last'}, $target) eq '1' });
	my $rows = sql(q{SELECT string_agg((item ->> 'PK') || ':' || coalesce(item ->> 'n', item ->> 'v', ''), ' ' ORDER BY item ->> 'PK', item ->> 'SK')
		FROM dynamo_data."Shop"}, $target);
	# 19 tells those of tables from those of sequences.
	my $failures = sql(q{SELECT sum(value::bigint) FROM pg_stat_subscription_stats AS s, jsonb_each_text(to_jsonb(s))
		WHERE key LIKE '%error_count'}, $target);
	sql('ALTER SUBSCRIPTION shop DISABLE', $target);
	sql('DROP SUBSCRIPTION shop; DROP EXTENSION dynamo CASCADE', $target);
	sql('DROP PUBLICATION IF EXISTS shop', $source);
	return "$rows, $failures errors";
}

is(follow('by_row', '', 'FULL', 'item dynamo.item NOT NULL',
		'ALTER TABLE dynamo_data."Shop" REPLICA IDENTITY FULL'),
	'large:7 last: p:2, 0 errors', 'the items alone, found by all of the row');

SKIP: {
	skip 'generated columns are published from PostgreSQL 18 on', 3 unless $modern;
	is(follow('by_key', 'WITH (publish_generated_columns = stored)', 'DEFAULT',
			'pk dynamo.partition_key, sk dynamo.sort_key, item dynamo.item NOT NULL, PRIMARY KEY (pk, sk)', ''),
		'large:7 last: p:2, 0 errors', 'keys and items, found by the key');

	# Plain SQL needs the keys to be published.
	sql('DROP EXTENSION dynamo CASCADE; CREATE EXTENSION dynamo', $source);
	sql(q{SELECT dynamo.create_table('Shop', 'PK', 'SK N')}, $source);
	sql(q{SELECT dynamo.put_item('Shop', '{"PK": "p", "SK": 1}')}, $source);
	sql('CREATE PUBLICATION shop FOR TABLE dynamo_data."Shop"', $source);
	like(sql('DELETE FROM dynamo_data."Shop"', $source),
		qr/Replica identity must not contain unpublished generated columns/,
		'plain SQL is refused where keys are not published');
	sql('ALTER PUBLICATION shop SET (publish_generated_columns = stored)', $source);
	is(sql('WITH gone AS (DELETE FROM dynamo_data."Shop" RETURNING 1) SELECT count(*) FROM gone', $source), '1',
		'and works where they are');
}

done_testing();

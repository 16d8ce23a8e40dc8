# What pg_dump and pg_restore carry: items, definitions, constraints, indexes.
#
# A table means the same after a restore as before: by its definition, which
# travels as rows of the extension's tables, and by its relation, which
# travels as any table does.  The rows name the relation, so that order
# matters: pg_restore loads them when the relation is there, and before its
# indexes are.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $dir = tempdir(CLEANUP => 1);

sub in_database
{
	my ($database, $sql) = @_;
	return sql($sql, $database);
}

start_server();
in_database('postgres', 'CREATE DATABASE source');
in_database('source', <<'SQL');
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('Shop', 'PK', 'SK N');
SELECT dynamo.create_index('Shop', 'ByDay', 'day', 'time N');
SELECT dynamo.create_index('Shop', 'multi', ARRAY['day', 'kind'], ARRAY['time N'],
	projection => 'INCLUDE', non_key_attributes => ARRAY['note']);
SELECT dynamo.enable_ttl('Shop', 'it''s over');
SELECT dynamo.create_table(repeat('long', 60), 'id B');
SELECT dynamo.enable_ttl(repeat('long', 60), 'ttl');
SELECT dynamo.create_index(repeat('long', 60), repeat('index', 40), 'a');
SELECT dynamo.create_table('Renamed', 'id');
ALTER TABLE dynamo_data."Renamed" RENAME TO other;
SELECT dynamo.call('CreateTable', '{"TableName": "Vectors", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "tenant", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"VectorIndexes": [{"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
		"DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"},
		"SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]}]}');
SELECT dynamo.call('CreateTable', '{"TableName": "Local",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"},
		{"AttributeName": "b", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "byC", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"Tags": [{"Key": "k", "Value": "v"}]}');
INSERT INTO dynamo_data."Shop" (item)
SELECT jsonb_build_object('PK', 'p' || i % 10, 'SK', i, 'day', 'd' || i % 3,
	'time', i, 'kind', 'k', 'note', repeat('x', i))
FROM generate_series(1, 1000) i;
SELECT dynamo.enable_stream('Shop');
SELECT dynamo.put_item('Shop', '{"PK": "stream", "SK": 1, "v": 1}');
UPDATE dynamo_data."Shop" SET item = item::jsonb || '{"v": 2}' WHERE pk = 'stream';
SELECT dynamo.delete_item('Shop', '{"PK": "stream", "SK": 1}');
CREATE ROLE exporter;
SELECT dynamo.grant_bucket('exports', 'exporter', '{write}');
CREATE ROLE leaver;
SELECT dynamo.grant_bucket('exports', 'leaver');
DROP ROLE leaver;
SELECT dynamo.create_table('Gone', 'id');
SELECT dynamo.enable_stream('Gone', 'KEYS_ONLY');
SELECT dynamo.put_item('Gone', '{"id": "1"}');
SELECT dynamo.drop_table('Gone');
CREATE TABLE public.handled (id text, n int);
CREATE FUNCTION public.handle(event jsonb) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.handled SELECT r #>> '{dynamodb,Keys,PK,S}', 1 FROM jsonb_array_elements(event -> 'Records') r$$;
SELECT dynamo.create_event_source_mapping('Shop', 'public.handle', enabled => false, on_failure => NULL,
	starting_position => 'TRIM_HORIZON');
SELECT dynamo.run_event_source_mapping(1);
SELECT dynamo.put_item('Shop', '{"PK": "to handle", "SK": 1}');
SELECT dynamo.update_event_source_mapping(1, enabled => true);
SELECT dynamo.create_backup('Shop', 'dumped');
SQL

# All that the API tells of a database's tables, ids and times included.
my $descriptions = <<'SQL';
SELECT dynamo.call('DescribeTable', json_build_object('TableName', table_name))::jsonb
	#- '{Table,ItemCount}' #- '{Table,TableSizeBytes}'
	#- '{Table,GlobalSecondaryIndexes,0,ItemCount}' #- '{Table,GlobalSecondaryIndexes,0,IndexSizeBytes}'
	#- '{Table,GlobalSecondaryIndexes,1,ItemCount}' #- '{Table,GlobalSecondaryIndexes,1,IndexSizeBytes}'
FROM dynamo.tables ORDER BY table_name;
SELECT table_name, dynamo.call('DescribeTimeToLive', json_build_object('TableName', table_name))
FROM dynamo.tables ORDER BY table_name;
SQL
my $items = q{SELECT count(*), md5(string_agg(item::text, ',' ORDER BY pk, sk)) FROM dynamo_data."Shop"};
my $indexes = q{SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
	WHERE c.relnamespace = 'dynamo_data'::regnamespace AND indisvalid ORDER BY c.relname};
my $comments = q{SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c
	WHERE c.relnamespace = 'dynamo_data'::regnamespace AND c.relkind = 'r' ORDER BY 1};
my $records = q{SELECT * FROM dynamo.stream('Shop')};
my $backups = q{SELECT backup_id, backup_name, backup_type, table_name, table_id, relation, created_at, item_count, definition::text FROM dynamo.backups};
my $backed_up = q{SELECT dynamo.restore_table('Back', backup_arn => 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id) FROM dynamo.backups;
	SELECT count(*), md5(string_agg(item::text, ',' ORDER BY pk, sk)) FROM dynamo_data."Back"; SELECT dynamo.drop_table('Back')};
my $streams = q{SELECT * FROM dynamo.streams ORDER BY 1};
my $expected = in_database('source', $descriptions);
like($expected, qr/"TableName": "Shop"/, 'the source answers');
like($expected, qr/"IndexName": "near"/, 'and has vectors');
like(in_database('source', $comments), qr/^Local DynamoDB table; key a \(S\), b \(S\); byC: a \(S\), c \(S\)$/m, 'comments tell keys and indexes');
like($expected, qr/Shop .*"ENABLED","AttributeName":"it's over"/, 'time to live, too');

# One relation alone: the dump has no definition, and attach_table finds it.
in_database('postgres', 'CREATE DATABASE alone');
in_database('alone', 'CREATE EXTENSION dynamo');
run(q{pg_dump -t 'dynamo_data."Shop"' source | psql -X -q -v ON_ERROR_STOP=1 -d alone});
like(in_database('alone', q{SELECT dynamo.get_item('Shop', 'p1', 1)}), qr/Requested resource not found/, 'alone: dynamo does not know it');
is(in_database('alone', q{SELECT dynamo.attach_table('dynamo_data."Shop"')}), 'Shop', 'alone: attached');
is(in_database('alone', $items), in_database('source', $items), 'alone: items');
my $query = q{SELECT count(*) FROM dynamo.query('Shop', 'day = :d', '{":d": "d1"}', index_name => 'ByDay')};
is(in_database('alone', $query), in_database('source', $query), 'alone: an index');
is(in_database('alone', q{SELECT index_name, partition_key, sort_key, sort_key_type FROM dynamo.indexes ORDER BY 1}),
	in_database('source', q{SELECT index_name, partition_key, sort_key, sort_key_type FROM dynamo.indexes WHERE table_name = 'Shop' ORDER BY 1}), 'alone: definitions of indexes');
is(in_database('alone', q{SELECT dynamo.enable_stream('Shop') <> ''; SELECT dynamo.put_item('Shop', '{"PK": "new", "SK": 1}');
	SELECT event_name FROM dynamo.stream('Shop')}), "t\n\nINSERT", 'alone: a stream');

# Each way of dumping, and how to read it back.
my ($out, $status);
my %ways = (
	plain => ["pg_dump -f $dir/plain source", "psql -X -q -v ON_ERROR_STOP=1 -d DATABASE -f $dir/plain"],
	custom => ["pg_dump -Fc -f $dir/custom source", "pg_restore -e -d DATABASE $dir/custom"],
	parallel => ["pg_dump -Fd -j 2 -f $dir/parallel source", "pg_restore -e -j 2 -d DATABASE $dir/parallel"],
	inserts => ["pg_dump --inserts -f $dir/inserts source", "psql -X -q -v ON_ERROR_STOP=1 -d DATABASE -f $dir/inserts"],
);
for my $way (sort keys %ways)
{
	my ($dump, $restore) = @{ $ways{$way} };
	my $database = "restored_$way";

	in_database('postgres', "CREATE DATABASE $database");
	($out, $status) = run($dump);
	is("$status$out", '0', "$way: pg_dump");
	$restore =~ s/DATABASE/$database/;
	($out, $status) = run("$restore >/dev/null");
	is("$status$out", '0', "$way: restore");

	is(in_database($database, $descriptions), $expected, "$way: definitions");
	is(in_database($database, $items), in_database('source', $items), "$way: items");
	is(in_database($database, $indexes), in_database('source', $indexes), "$way: indexes");
	is(in_database($database, $comments), in_database('source', $comments), "$way: comments");
	is(in_database($database, $streams), in_database('source', $streams), "$way: streams");
	is(in_database($database, $records), in_database('source', $records), "$way: stream records");
	is(in_database($database, $backups), in_database('source', $backups), "$way: backups");
	is(in_database($database, $backed_up), in_database('source', $backed_up), "$way: a backup restored");
	is(in_database($database, 'SELECT * FROM dynamo.bucket_grants'), 'exports exporter f t', "$way: grants of buckets, to roles that there are");
	is(in_database($database, q{SELECT enabled FROM dynamo.event_source_mappings;
		SELECT dynamo.run_event_source_mapping(1); SELECT id, count(*) FROM public.handled GROUP BY 1 ORDER BY 1}),
		"f\n1\nstream 3\nto handle 1", "$way: an event source mapping waits where it was, and handles nothing twice");
}

# Over a database that has the extension already.
($out, $status) = run("pg_dump --clean --if-exists -f $dir/clean source");
is("$status$out", '0', 'clean: pg_dump');
($out, $status) = run("psql -X -q -v ON_ERROR_STOP=1 -d restored_plain -f $dir/clean >/dev/null");
# The triggers go before their table, and a superuser is warned of that.
is($out =~ s/^psql:\S+ WARNING:  trigger "!dynamo_stream\w*" of relation "Shop" does not record all changes any more\n?//mgr, '', 'clean: restore says nothing else');
is($status, 0, 'clean: restore');
is(in_database('restored_plain', $descriptions), $expected, 'clean: definitions');

# What was restored is alive: keys are unique, definitions can change, names
# lead to the relation they led to.
my $database = 'restored_custom';
like(in_database($database, q{INSERT INTO dynamo_data."Shop" (item) VALUES ('{"PK": "p1", "SK": 1}')}),
	qr/duplicate key value violates unique constraint "Shop:pkey"/, 'primary key');
is(in_database($database, q{SELECT dynamo.relation('Renamed')}), 'dynamo_data.other', 'renamed relation');
is(in_database($database, q{SELECT dynamo.create_index('Shop', 'new', 'kind');
	SELECT index_name FROM dynamo.indexes WHERE table_name = 'Shop' ORDER BY ordinal}),
	"\nByDay\nmulti\nnew", 'an index more');
is(in_database($database, q{INSERT INTO dynamo_data."Shop" (item) VALUES ('{"PK": "later", "SK": 1}');
	SELECT dynamo.delete_item('Shop', '{"PK": "later", "SK": 1}');
	SELECT event_name, sequence_number > lag(sequence_number) OVER () FROM dynamo.stream('Shop')}),
	"\nINSERT \nMODIFY t\nREMOVE t\nINSERT t\nINSERT t\nREMOVE t", 'the stream goes on');
is(in_database($database, q{INSERT INTO dynamo_data."Shop" (item)
	SELECT jsonb_build_object('PK', 'old', 'SK', n, 'it''s over', floor(extract(epoch FROM now())) - n * 1000)
	FROM generate_series(-1, 1) n WHERE n <> 0;
	SELECT dynamo.expire_items('Shop');
	SELECT count(*) FROM dynamo.query('Shop', 'PK = :o', '{":o": "old"}')}),
	"1\n1", 'items expire');
is(in_database($database, q{DROP TABLE dynamo_data."Shop";
	SELECT count(*) FROM dynamo.tables WHERE table_name = 'Shop';
	SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Shop'}),
	"0\n0", 'dropped by plain SQL');

# A definition does not cling to the database it came from.
is(in_database('source', $descriptions), $expected, 'the source is as it was');

# What pg_upgrade does: schema alone, the extension's members one by one.
($out, $status) = run("pg_dump --binary-upgrade --schema-only -f $dir/upgrade source");
is("$status$out", '0', 'binary upgrade: pg_dump');
my $oid = in_database('source', q{SELECT 'dynamo_data."Shop"'::regclass::oid});
open(my $upgrade, '<', "$dir/upgrade") or die;
my $text = do { local $/; <$upgrade> };
like($text, qr/binary_upgrade_set_next_heap_pg_class_oid\('$oid'/,
	'binary upgrade: relations keep the OIDs that definitions name');

done_testing();

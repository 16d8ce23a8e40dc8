# Who: a role to whom a superuser has given one of the extension's tables, or a
# superuser with a tool that alters what it finds.
# Owns: that table.  Wants: the server dead, or definitions and records of his
# making.
#
# These tables are read and written without the executor, by the places of
# their columns.  So a table that is not as it was made, or not in the hands it
# was made in, is an error, and no more.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_port = 0');
is(sql(q{CREATE EXTENSION dynamo; CREATE ROLE mallory LOGIN;
	SET client_min_messages = warning;
	SELECT dynamo.create_table('Shop', 'pk'); SELECT dynamo.create_index('Shop', 'ByG', 'g');
	SELECT dynamo.enable_stream('Shop') IS NOT NULL;
	SELECT dynamo.put_item('Shop', '{"pk": "a", "g": "b"}')}) =~ s/\s+/ /gr, 'dynamo_data."Shop" t', 'a table with all there is') or BAIL_OUT('no table');
my $start = sql('SELECT pg_postmaster_start_time()');
my $piece = sql(q{SELECT tableoid::regclass FROM (SELECT tableoid FROM dynamo_internal.stream_records_0}
	. join('', map { " UNION ALL SELECT tableoid FROM dynamo_internal.stream_records_$_" } 1 .. 7) . ') r');

my $token = 0;
my %use = (
	read   => sub { q{SELECT dynamo.scan('Shop', index_name => 'ByG')} },
	create => sub { q{SELECT dynamo.create_table('More', 'pk')} },
	write  => sub { q{SELECT dynamo.put_item('Shop', json_build_object('pk', clock_timestamp())::text::dynamo.item)} },
	stream => sub { q{SELECT dynamo.stream('Shop')} },
	token  => sub { $token++; qq{SELECT dynamo.call('TransactWriteItems', '{"ClientRequestToken": "$token",
		"TransactItems": [{"Put": {"TableName": "Shop", "Item": {"pk": {"S": "$token"}}}}]}')} });

# What is altered, how to undo it, what then is an error, and what it says.
my $not_ours = 'is not as extension "dynamo" has made it';
my $lost = 'belongs to role "mallory", who does not own extension "dynamo"';
my @cases = (
	['tables', 'ALTER created_at TYPE text', 'ALTER created_at TYPE timestamptz USING created_at::timestamptz', [qw(read create)], $not_ours],
	['tables', 'ALTER settings DROP NOT NULL', 'ALTER settings SET NOT NULL', [qw(read create)], $not_ours],
	['tables', 'SET ACCESS METHOD dynamo', 'SET ACCESS METHOD heap', [qw(read create)], $not_ours],
	['tables', 'OWNER TO mallory', 'OWNER TO postgres', [qw(read create)], $lost],
	['indexes', 'ALTER ordinal TYPE bigint', 'ALTER ordinal TYPE integer', ['read'], $not_ours],
	['indexes', 'ALTER partition_key TYPE varchar[]', 'ALTER partition_key TYPE text[]', ['read'], $not_ours],
	['indexes', 'OWNER TO mallory', 'OWNER TO postgres', ['read'], $lost],
	['streams', 'ALTER sort_key TYPE varchar', 'ALTER sort_key TYPE text', [qw(read write stream)], $not_ours],
	['streams', 'ALTER shards TYPE bigint', 'ALTER shards TYPE integer', [qw(read write stream)], $not_ours],
	['streams', 'OWNER TO mallory', 'OWNER TO postgres', [qw(read write stream)], $lost],
	['transact_tokens', 'ALTER sizes TYPE integer[]', 'ALTER sizes TYPE bigint[]', ['token'], $not_ours],
	['transact_tokens', 'ALTER request TYPE integer USING 1', q{ALTER request TYPE bytea USING ''}, ['token'], $not_ours],
	['transact_tokens_0', 'OWNER TO mallory', 'OWNER TO postgres', ['token'], $lost],
	['RECORDS', 'ALTER number TYPE integer', 'ALTER number TYPE bigint', [qw(write stream)], $not_ours],
	['RECORDS', 'ALTER keys TYPE integer USING 1', 'ALTER keys TYPE dynamo.item USING NULL', [qw(write stream)], $not_ours],
	['RECORDS', 'OWNER TO mallory', 'OWNER TO postgres', [qw(write stream)], $lost]);

# A session that has used the table before, and one that has not.
foreach my $case (@cases)
{
	my ($table, $alter, $undo, $uses, $error) = @$case;
	my $schema = $table =~ /^transact_tokens/ ? 'dynamo_internal' : 'dynamo';
	my $relation = $table eq 'RECORDS' ? $piece : "$schema.$table";
	my $asked = join ";\n", map { $use{$_}->() } @$uses;
	my $out = sql("SET client_min_messages = warning; $asked; SELECT 'altered'; ALTER TABLE $relation $alter; $asked;");
	$out =~ s/.*^altered$//ms;
	is(() = $out =~ /^psql:\S+ ERROR:  [^\n]*\Q$error\E/mg, scalar @$uses, "$table, $alter: " . join ', ', @$uses) or diag($out);
	$out = sql("SET client_min_messages = warning; $asked");
	is(() = $out =~ /^psql:\S+ ERROR:  [^\n]*\Q$error\E/mg, scalar @$uses, '... in a new session') or diag($out);
	is(sql("SET client_min_messages = warning; ALTER TABLE $relation $undo; DROP TABLE IF EXISTS dynamo_data.\"More\""), '', '... undone');
}
unlike(sql(join ';', map { $use{$_}->() } sort keys %use), qr/ERROR/, 'all is well again');
sql('DROP TABLE dynamo_data."More"');

# Indexes that only the executor can keep.
foreach my $index ('(lower(table_name))', q{(table_name) WHERE settings IS NOT NULL})
{
	is(sql("CREATE INDEX extra ON dynamo.tables $index"), '', "an index $index");
	like(sql($use{create}->()), qr/ERROR:  table "dynamo.tables" is not as extension "dynamo" has made it
DETAIL:  Index "extra" should be on columns/, 'is an error');
	sql('DROP INDEX dynamo.extra');
}

# Indexes are known by their columns.  One that has the name of another is not
# read by, and one with another name is.
is(sql(q{SET client_min_messages = warning; ALTER INDEX dynamo.tables_pkey RENAME TO another;
	CREATE INDEX tables_pkey ON dynamo.tables (partition_key);
	SELECT dynamo.get_item('Shop', '{"pk": "a"}'); SELECT dynamo.call('ListTables', '{}')}),
	qq({"g":{"S":"b"},"pk":{"S":"a"}}\n{"TableNames":["Shop"]}), 'names of indexes mean nothing');
is(sql(q{DROP INDEX dynamo.tables_pkey; ALTER TABLE dynamo.tables DROP CONSTRAINT another;
	CREATE INDEX tables_pkey ON dynamo.tables (table_name COLLATE "POSIX");
	CREATE INDEX backwards ON dynamo.tables (table_name DESC);
	SELECT dynamo.get_item('Shop', '{"pk": "a"}')}), '{"g":{"S":"b"},"pk":{"S":"a"}}', 'without any, the whole table is read');
like(sql(q{SELECT dynamo.call('ListTables', '{}')}), qr/ERROR:  table "tables" has lost an index that it needs/, 'or an error, for who needs the order');
is(sql('DROP INDEX dynamo.tables_pkey, dynamo.backwards; ALTER TABLE dynamo.tables ADD CONSTRAINT tables_pkey PRIMARY KEY (table_name)'), '', 'made again');

# The sequence, and the function of the triggers.
sql('ALTER SEQUENCE dynamo_internal.stream_sequence OWNER TO mallory');
like(sql($use{write}->()), qr/ERROR:  relation "dynamo_internal.stream_sequence" $lost/, 'a sequence of another owner');
sql('ALTER SEQUENCE dynamo_internal.stream_sequence OWNER TO postgres');
sql('ALTER EXTENSION dynamo DROP SEQUENCE dynamo_internal.stream_sequence');
like(sql($use{write}->()), qr/ERROR:  extension "dynamo" has lost "dynamo_internal.stream_sequence"/, 'or that is no member');
sql('ALTER EXTENSION dynamo ADD SEQUENCE dynamo_internal.stream_sequence');
unlike(sql($use{write}->()), qr/ERROR/, 'given back');

# A function that its owner, or whoever he is a tool of, has written anew.
my $expiry = 'FUNCTION dynamo_internal.expiry(item dynamo.item, attribute text) RETURNS bigint IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE';
like(sql(qq{SELECT dynamo.create_table('Known', 'pk'); SELECT dynamo.enable_ttl('Known', 't');
	CREATE OR REPLACE $expiry LANGUAGE sql RETURN 1; SELECT dynamo.enable_ttl('Shop', 't')}),
	qr/\Adynamo_data."Known"\n\n.*ERROR:  extension "dynamo" has lost "dynamo_internal.expiry"/s, 'a function in another language');
is(sql(qq{CREATE OR REPLACE $expiry LANGUAGE c AS '\$libdir/dynamo', 'dynamo_expiry'; SELECT dynamo.enable_ttl('Shop', 't')}), '', 'as it was');

# A schema that has another name is none of ours, whatever the session has found there before.
like(sql($use{read}->() . ';' . q{ALTER SCHEMA dynamo RENAME TO elsewhere; SELECT elsewhere.scan('Shop')}),
	qr/ERROR:  Requested resource not found/, 'another name of the schema');
is(sql(q{SET search_path = elsewhere; SELECT scan('Shop'); ALTER SCHEMA elsewhere RENAME TO dynamo; SELECT count(*) > 0 FROM dynamo.scan('Shop')}) =~ s/.*\n//sr, 't', '... and its own again');

# A column more cannot be undone: a dropped one still counts.
foreach my $alter ('ADD more integer', 'DROP more')
{
	like(sql("ALTER TABLE dynamo.tables $alter;\n" . $use{create}->()),
		qr/ERROR:  table "dynamo.tables" is not as extension "dynamo" has made it\nDETAIL:  It has had \d+ columns, and should have \d+/, $alter);
}

is(sql('SELECT pg_postmaster_start_time()'), $start, 'the server has lived through it all');

done_testing();

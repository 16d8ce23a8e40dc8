# Who: the owner of a table, who may create others beside it.
# Owns: the table's relation.  Wants: the process that builds indexes, a
# superuser's, to work on another relation than the one it was asked to.
#
# A build is a statement, and names its relation.  The name is put into it
# before the relation is locked, and may be another one's by then.
use strict;
use warnings;
use File::Basename qw(dirname);
use IPC::Open2 qw(open2);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_role = owner\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo; CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA dynamo_data TO owner;
	SET ROLE owner; SELECT dynamo.create_table('Shop', 'pk'); SELECT dynamo.put_item('Shop', '{"pk": "a", "g": "b"}')});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

# His session keeps the build from the lock, until it has swapped the names.
my ($pid, $out, $in);
{
	local %ENV = (%ENV, environment());
	$pid = open2($out, $in, qw(psql -XqAt -U owner));
}
print $in qq{BEGIN; LOCK TABLE dynamo_data."Shop" IN SHARE UPDATE EXCLUSIVE MODE; SELECT 'locked';\n};
$in->flush;
is(<$out>, "locked\n", 'he has the relation locked');
is(call('UpdateTable', '{"TableName":"Shop","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"S"}],'
	. '"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"ByG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],'
	. '"Projection":{"ProjectionType":"ALL"}}}]}')->{status}, 200, 'an index is to be built');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
	WHERE application_name = 'dynamo index build' AND NOT granted}) eq '1' }), 'the build waits for him');
print $in qq{ALTER TABLE dynamo_data."Shop" RENAME TO moved;
	CREATE TABLE dynamo_data."Shop" (pk text, item dynamo.item); COMMIT; SELECT 'swapped';\n};
$in->flush;
is(<$out>, "swapped\n", 'he swaps the names');
close $in;
waitpid $pid, 0;

ok(wait_for(sub { sql(q{SELECT building IS NULL FROM dynamo.tables}) eq 't' }), 'the build ends');
is(sql(q{SELECT indrelid::regclass FROM pg_index WHERE indexrelid = 'dynamo_data."Shop/ByG"'::regclass}), 'dynamo_data.moved', 'where it was to');
is(sql(q{SELECT count(*) FROM pg_index WHERE indrelid = 'dynamo_data."Shop"'::regclass}), '0', 'the other relation has no index');
is(sql(q{SELECT dynamo.query('Shop', 'g = :g', '{":g": "b"}', index_name => 'ByG')}), '{"g":{"S":"b"},"pk":{"S":"a"}}', 'it is read');

done_testing();

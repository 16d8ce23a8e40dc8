# Indexes added by HTTP are built by a background worker, while the table is
# read and written.
#
# How far a build has come is decided by transactions that it has to wait for,
# never by a clock.  With assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Handle;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $PATIENCE = 120;
start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\n"
	  . "dynamo.ttl_interval = 0\nrestart_after_crash = on\ndynamo_test.pause = 'put off'\n");
sql('CREATE EXTENSION dynamo');
wait_for(sub { connection() }) or die 'HTTP is not served';

sub release
{
	my ($session) = @_;
	print $session "COMMIT;\n";
	return close $session;
}

my $builder = q{SELECT pid FROM pg_stat_activity WHERE application_name = 'dynamo index build' AND state = 'active'};

# The worker's pid, once it waits for a transaction of somebody else's.
sub builder_waits
{
	my $pid = '';
	wait_for(sub { ($pid = sql("$builder AND wait_event = 'virtualxid'")) =~ /^\d+$/ }, $PATIENCE)
	  or die 'the worker does not wait';
	return $pid;
}

sub builder_leaves { return wait_for(sub { sql($builder) eq '' }, $PATIENCE) }

# "status body" of an operation on a table.
sub answer
{
	my ($operation, $body) = @_;
	my $r = call($operation, $body);
	return ($r->{status} // '') . " $r->{body}";
}

sub update
{
	my ($table, $action) = @_;
	return answer('UpdateTable', qq({"TableName":"$table","AttributeDefinitions":[)
		  . qq({"AttributeName":"by","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],)
		  . qq("GlobalSecondaryIndexUpdates":[$action]}));
}

sub create
{
	my ($table, $index, $attribute) = @_;
	return update($table, qq({"Create":{"IndexName":"$index","KeySchema":[{"AttributeName":"$attribute","KeyType":"HASH"}],)
		  . '"Projection":{"ProjectionType":"ALL"}}}');
}

sub drop_index { return update($_[0], qq({"Delete":{"IndexName":"$_[1]"}})) }

# States of the table and of its indexes, as DescribeTable tells them.
sub states
{
	my ($table) = @_;
	return join ' ', grep { defined } answer('DescribeTable', qq({"TableName":"$table"})) =~
	  /"TableStatus":"(\w+)"|"IndexName":"(\w+)"|"IndexStatus":"(\w+)"|"Backfilling":(\w+)/g;
}

sub becomes
{
	my ($table, $expected, $what) = @_;
	wait_for(sub { states($table) eq $expected }, $PATIENCE);
	return is(states($table), $expected, $what);
}

# Nothing is left of a build, and the index has the items of the table that
# have its key, each once.
sub is_whole
{
	my ($table, $index, $attribute, $type, $what) = @_;
	is( sql(qq{
			SELECT (SELECT string_agg(item::text, ' ' ORDER BY item->>'id') FROM dynamo.scan('$table', index_name => '$index'))
				IS NOT DISTINCT FROM
				(SELECT string_agg(item::text, ' ' ORDER BY item->>'id') FROM dynamo.scan('$table')
				WHERE dynamo.to_json(item) #>> '{$attribute,$type}' IS NOT NULL),
				building IS NULL, (SELECT count(*) FROM pg_index WHERE indrelid = relation AND NOT indisprimary)
					= (SELECT count(*) FROM dynamo.indexes i WHERE i.table_name = t.table_name) + (ttl_attribute IS NOT NULL)::int
					AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND NOT indisvalid)
			FROM dynamo.tables t WHERE table_name = '$table'}),
		't t t', "$what: it has what it should, and nothing is left of the build");
	return;
}

sub make_table
{
	my ($table) = @_;
	sql(qq{
		SELECT dynamo.create_table('$table', 'id');
		INSERT INTO dynamo_data."$table" (item)
		SELECT jsonb_build_object('id', 'old' || i, 'by', 'b' || i % 7, 'n', i)::dynamo.item
		FROM generate_series(1, 2000) i;
		INSERT INTO dynamo_data."$table" (item) VALUES ('{"id": "without"}'), ('{"id": "wrong", "by": 1, "n": "x"}')});
	return;
}

#
# A build that has to wait; the table is in use meanwhile.
#
make_table('Shop');
my $session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Shop', '{"id": "held", "by": "b1"}')});
like(create('Shop', 'ByBy', 'by'),
	qr/^200 .*"TableStatus":"UPDATING".*"IndexStatus":"CREATING","Backfilling":false/, 'the answer comes at once');
builder_waits();
is(states('Shop'), 'ACTIVE ByBy CREATING true', 'the index is being built');

my $put = sub { answer('PutItem', qq({"TableName":"Shop","Item":{"id":{"S":"$_[0]"},"by":$_[1]}})) };
is($put->('new1', '{"S":"b1"}'), '200 {}', 'meanwhile items are written,');
like($put->('new2', '{"N":"1"}'), qr/^400 .*Type mismatch for Index Key by Expected: S Actual: N IndexName: ByBy/,
	'if the index could have them,');
is( answer('UpdateItem', '{"TableName":"Shop","Key":{"id":{"S":"old1"}},"UpdateExpression":"SET #b = :b",'
		  . '"ExpressionAttributeNames":{"#b":"by"},"ExpressionAttributeValues":{":b":{"S":"b9"}}}'),
	'200 {}', 'moved,');
is( answer('UpdateItem', '{"TableName":"Shop","Key":{"id":{"S":"old2"}},"UpdateExpression":"REMOVE #b",'
		  . '"ExpressionAttributeNames":{"#b":"by"}}'),
	'200 {}', 'taken from the index,');
is(answer('DeleteItem', '{"TableName":"Shop","Key":{"id":{"S":"old3"}}}'), '200 {}', 'and deleted;');
is(sql(q{INSERT INTO dynamo_data."Shop" (item) VALUES ('{"id": "sql", "by": "b1"}')}), '', 'SQL writes, too');
is( answer('Query', '{"TableName":"Shop","IndexName":"ByBy","KeyConditionExpression":"#b = :b",'
		  . '"ExpressionAttributeNames":{"#b":"by"},"ExpressionAttributeValues":{":b":{"S":"b1"}}}'),
	'400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Cannot read from backfilling global secondary index: ByBy"}',
	'the index is not read');

my $one = qr/^400 .*#LimitExceededException","message":"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"/;
like(create('Shop', 'ByN', 'n'), $one, 'no other index is created at the time');
like(create('Shop', 'ByBy', 'by'), qr/^400 .*"Attempting to create an index which already exists"/, 'nor this one again');
like(sql(q{SELECT dynamo.create_index('Shop', 'ByN', 'n N')}), qr/Only 1 online index/, 'not by SQL either');
is( answer('DeleteTable', '{"TableName":"Shop"}'),
	'400 {"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted."}',
	'the table cannot be deleted');
like( answer('UpdateTable', '{"TableName":"Shop","DeletionProtectionEnabled":true}'),
	qr/^200 .*"DeletionProtectionEnabled":true/, 'but otherwise changed');
like( answer('UpdateTimeToLive', '{"TableName":"Shop","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}'),
	qr/^200/, 'its items may expire from now on');
like(answer('DescribeTimeToLive', '{"TableName":"Shop"}'), qr/"TimeToLiveStatus":"ENABLED"/, 'they say');
is(states('Shop'), 'ACTIVE ByBy CREATING true', 'all that while the index is not there');
is(run('psql -X -q -c "CREATE DATABASE copy" && pg_dump postgres | psql -X -q -v ON_ERROR_STOP=1 copy >/dev/null'), '',
	'the database can be dumped');
release($session);
becomes('Shop', 'ACTIVE ByBy ACTIVE', 'the last who was waited for is done, and so is the index');
ok(builder_leaves(), 'its process leaves');
is_whole('Shop', 'ByBy', 'by', 'S', 'written to all the time');
is(sql(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'dynamo_data."Shop:ttl"'::regclass}), 't',
	'the index of expiring items is there, too');
is(sql(q{CREATE EXTENSION amcheck; SELECT bt_index_check('dynamo_data."Shop/ByBy"', true)}), '', 'every row has its entry');

#
# An index that is not wanted any more.
#
make_table('Undone');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Undone', '{"id": "held", "by": "b1", "n": 5}')});
create('Undone', 'Gone', 'by');
builder_waits();
is(sql(q{BEGIN; SELECT dynamo.drop_index('Undone', 'Gone'); ROLLBACK}), '', 'dropped and not dropped,');
is(states('Undone'), 'ACTIVE Gone CREATING true', 'it is still to come');
like(drop_index('Undone', 'Gone'), qr/^200 .*"TableStatus":"UPDATING".*"IndexStatus":"DELETING"/, 'deleted,');
is(states('Undone'), 'ACTIVE', 'it is gone at once');
ok(wait_for(sub { sql('SELECT count(*) FROM pg_stat_progress_create_index') eq '0' }, $PATIENCE),
	'nobody builds it any more, whoever is still waited for');
like(create('Undone', 'Gone', 'n'), qr/^200/, 'another one takes its name');
release($session);
becomes('Undone', 'ACTIVE Gone ACTIVE', 'and becomes active');
ok(builder_leaves(), 'the process leaves');
is_whole('Undone', 'Gone', 'n', 'N', 'of the name of one that was not finished');
like(answer('DescribeTable', '{"TableName":"Undone"}'), qr/"IndexName":"Gone","KeySchema":\[\{"AttributeName":"n"/,
	'it is the other one');

#
# An index that is deleted while it is built, and wanted again as it was.
#
foreach my $times (2, 7)
{
	my $table = "Wanted$times";
	make_table($table);
	$session = in_transaction(qq{BEGIN; SELECT dynamo.put_item('$table', '{"id": "held", "by": "b1"}')});
	foreach my $time (1 .. $times)
	{
		drop_index($table, 'ByBy') if $time > 1;
		like(create($table, 'ByBy', 'by'), qr/^200/, "wanted for the $time. time");
		builder_waits();
	}
	release($session);
	becomes($table, 'ACTIVE ByBy ACTIVE', 'at last it is built');
	ok(builder_leaves(), 'the process leaves');
	is_whole($table, 'ByBy', 'by', 'S', 'wanted again');
}

#
# A definition that plain SQL edits, and nobody cancels what is built for it.
#
make_table('Edited');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Edited', '{"id": "held", "by": "b1", "n": 5}')});
create('Edited', 'Gone', 'by');
builder_waits();
sql(q{UPDATE dynamo.indexes SET partition_key = '{n}', partition_key_type = '{N}' WHERE table_name = 'Edited'});
release($session);
becomes('Edited', 'ACTIVE Gone ACTIVE', 'what was built is not taken for what is wanted now');
ok(builder_leaves(), 'the process leaves');
is_whole('Edited', 'Gone', 'n', 'N', 'of another key');

#
# An index in use that is deleted.
#
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Undone', '{"id": "held too", "by": "b1", "n": 6}')});
like(drop_index('Undone', 'Gone'), qr/^200 .*"IndexStatus":"DELETING"/, 'an index is deleted, whoever writes to it');
is(states('Undone'), 'ACTIVE', 'it is gone at once');
ok(wait_for(sub { sql("$builder AND wait_event_type = 'Lock'") =~ /^\d+$/ }, $PATIENCE), 'what it was made of is not yet');
is(answer('PutItem', '{"TableName":"Undone","Item":{"id":{"S":"new"},"by":{"S":"b1"},"n":{"S":"no number"}}}'), '200 {}',
	'nobody waits for that');
like(create('Undone', 'Gone', 'by'), qr/^200/, 'and its name is free');
release($session);
becomes('Undone', 'ACTIVE Gone ACTIVE', 'for another one');
ok(builder_leaves(), 'the process leaves');
is_whole('Undone', 'Gone', 'by', 'S', 'after one that was deleted');

#
# Builds do not take all of the server's processes.
#
my @many = map { "Many$_" } 1 .. 4;
make_table($_) foreach @many;
$session = in_transaction('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
my $builders = q{SELECT count(*), count(*) FILTER (WHERE wait_event = 'virtualxid') FROM pg_stat_activity WHERE application_name = 'dynamo index build' AND state = 'active'};
foreach my $n (1, 2)
{
	create("Many$n", 'ByBy', 'by');
	ok(wait_for(sub { sql($builders) eq "$n $n" }, $PATIENCE), "a transaction keeps $n of them waiting");
}

# Others come for these, and leave, or they would wait, too.
create("Many$_", 'ByBy', 'by') foreach 3, 4;
ok(!wait_for(sub { sql($builders) !~ / 2$/ }, 5), 'no other waits');
release($session);
becomes($_, 'ACTIVE ByBy ACTIVE', 'who leaves work to them has it done') foreach @many;
ok(builder_leaves(), 'both leave');

#
# Throughput and stream stay as they are during a build.
#
my $units = '"ProvisionedThroughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":1}';
answer('CreateTable', sprintf('{"TableName":"Paid","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],'
		  . "\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}],$units}", 1));
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Paid', '{"id": "held", "by": "b1"}')});
update('Paid', sprintf('{"Create":{"IndexName":"ByBy","KeySchema":[{"AttributeName":"by","KeyType":"HASH"}],'
		  . "\"Projection\":{\"ProjectionType\":\"ALL\"},$units}}", 1));
is( answer('UpdateTable', sprintf("{\"TableName\":\"Paid\",$units}", 2)),
	'400 {"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"Attempt to change a resource which is still in use: '
	  . q(Can't change table IOPS when an index is being created. Table: Paid Indexes: [ByBy]"}),
	'throughput is not changed during a build');
is( answer('UpdateTable', '{"TableName":"Paid","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}'),
	'400 {"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"Attempt to change a resource which is still in use: '
	  . q(Can't change stream status when an index is being created. Table: Paid Indexes: [ByBy]"}),
	'nor is the stream');
release($session);
becomes('Paid', 'ACTIVE ByBy ACTIVE', 'which ends');
like(answer('UpdateTable', sprintf("{\"TableName\":\"Paid\",$units}", 2)), qr/^200/, 'then it is');

#
# A table that is dropped by SQL.  What is waited for has not touched it.
#
make_table('Dropped');
$session = in_transaction('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
create('Dropped', 'ByBy', 'by');
builder_waits();
my $dropper = session(q{DROP TABLE dynamo_data."Dropped"});
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'}) eq '1' }, $PATIENCE)
  or die 'nobody waits';
release($session);
ok(wait_for(sub { sql(q{SELECT to_regclass('dynamo_data."Dropped"') IS NULL}) eq 't' }, $PATIENCE), 'a table can be dropped');
close $dropper;
ok(builder_leaves(), 'the process leaves');
is(sql(q{SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Dropped'}), '0', 'no definition stays');

#
# A table gets another name, and another gets its, while what is to be run for
# it has been put together but not begun.
#
make_table('Moved');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Moved', '{"id": "held", "by": "b1"}')});
create('Moved', 'ByBy', 'by');
answer('UpdateTimeToLive', '{"TableName":"Moved","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}');
builder_waits();
my $waits = q{SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND relation = '%s'::regclass AND mode = '%s' AND %s granted};
sub comes
{
	my ($relation, $mode, $not) = @_;
	wait_for(sub { sql(sprintf $waits, $relation, $mode, $not // '') eq '1' }, $PATIENCE) or die "no $mode on $relation";
	return;
}
my $keeper = session('BEGIN; LOCK TABLE dynamo.tables IN SHARE MODE');
comes('dynamo.tables', 'ShareLock');
release($session);
comes('dynamo.tables', 'RowExclusiveLock', 'NOT');
my $oid = sql(q{SELECT 'dynamo_data."Moved"'::regclass::oid});
my $mover = session(q{BEGIN; ALTER TABLE dynamo_data."Moved" RENAME TO moved; CREATE TABLE dynamo_data."Moved" (item dynamo.item)});
comes($oid, 'AccessExclusiveLock', 'NOT');
release($keeper);
comes($oid, 'ShareUpdateExclusiveLock', 'NOT');
release($mover);
ok(wait_for(sub { sql(q{SELECT building IS NULL FROM dynamo.tables WHERE table_name = 'Moved'}) eq 't' }, $PATIENCE)
	  && builder_leaves(), 'both indexes are built');
is(sql(q{SELECT count(*) FROM pg_index WHERE indrelid = 'dynamo_data."Moved"'::regclass}), '0', 'none on the table that has got the name');
is(sql(q{SELECT indrelid::regclass FROM pg_index WHERE indexrelid = 'dynamo_data."Moved:ttl"'::regclass}), 'dynamo_data.moved',
	'but on the one that had it');
sql('DROP TABLE dynamo_data."Moved", dynamo_data.moved');

#
# Who may.
#
sql(q{
	CREATE ROLE ann; CREATE ROLE bob;
	GRANT USAGE ON SCHEMA dynamo_data TO ann, bob;
	GRANT ALL ON dynamo_data."Undone" TO ann;
	ALTER TABLE dynamo_data."Undone" OWNER TO bob});
foreach my $role ([ 'ann', 'who does not own the table' ], [ 'bob', 'who may not create anything in its schema' ])
{
	set('dynamo.http_role', $role->[0]);
	like(create('Undone', 'ByBy', 'by'), qr/^400 .*#AccessDeniedException/, "$role->[1] is refused");
}
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE building IS NOT NULL}), '0', 'at once');
sql('GRANT CREATE ON SCHEMA dynamo_data TO bob');
like(create('Undone', 'ByBy', 'by'), qr/^200/, 'who owns it and may is not');
becomes('Undone', 'ACTIVE Gone ACTIVE ByBy ACTIVE', 'and gets his index');
is(sql(q{SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'Undone/ByBy'}), 'bob', 'which is his');
ok(builder_leaves(), 'the process leaves');

# Nor where an index would lie, which is what his sessions say.
sub restart_http
{
	my ($pid) = worker_pids();
	sql("SELECT pg_terminate_backend($pid)");
	wait_for(sub { (worker_pids())[0] // $pid ne $pid && connection() }, $PATIENCE) or die 'HTTP is not served';
	return;
}
sql($_)
  foreach q(SET allow_in_place_tablespaces = on; CREATE TABLESPACE apart LOCATION ''),
  'ALTER DATABASE postgres SET default_tablespace = apart';

# It may have been set since his session began, and is then what the builder's says.
my $of_builders = q{FROM pg_stat_activity WHERE application_name = 'dynamo index build'};
sql("SELECT pg_terminate_backend(pid) $of_builders");
wait_for(sub { sql("SELECT count(*) $of_builders") eq '0' }, $PATIENCE) or die 'an old process stays';
like(create('Undone', 'Apart', 'n'), qr/^200/, 'set after the session of who asks began');
becomes('Undone', 'ACTIVE Gone ACTIVE ByBy ACTIVE Apart ACTIVE', 'the tablespace keeps no index from being built');
is(sql(q{SELECT reltablespace FROM pg_class WHERE relname = 'Undone/Apart'}), '0', 'and none lies there whose owner may not');
ok(builder_leaves(), 'the process leaves');
restart_http();
like(create('Undone', 'ByN', 'n'), qr/^400 .*#AccessDeniedException/, 'who may not use the tablespace is refused');
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE building IS NOT NULL}), '0', 'at once, too');
sql('ALTER DATABASE postgres RESET default_tablespace');
restart_http();
set('dynamo.http_role', '');

#
# Somebody takes an index's name before the worker does.  It is not built to
# find that in the end.
#
sub add_before_builder
{
	my ($table) = @_;
	make_table($table);
	$session = in_transaction(qq{BEGIN; LOCK TABLE dynamo_data."$table" IN SHARE UPDATE EXCLUSIVE MODE});
	like(create($table, 'ByBy', 'by'), qr/^200/, "$table: an index is added");
	comes(qq(dynamo_data."$table"), 'ShareUpdateExclusiveLock', 'NOT');
	return;
}
add_before_builder('Taken');
sql(q{CREATE VIEW dynamo_data."Taken/ByBy" AS SELECT 1});
release($session);
ok(reported(qr/WARNING: .*dynamo could not build an index of table "Taken": relation "Taken\/ByBy" already exists/), 'a name is taken');
ok(builder_leaves(), 'the process leaves');
sql(q{
	CREATE FUNCTION public.note() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'built in vain'; END $$;
	CREATE EVENT TRIGGER note ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION public.note()});
answer('UpdateTimeToLive', '{"TableName":"Paid","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}');
ok(reported(qr/relation "Taken\/ByBy" already exists/) && builder_leaves(), 'another process comes');
is(run('grep -c "built in vain" ' . directory() . '/log'), '1', 'and builds nothing but what else there is to build');
my $expire = sub { answer('UpdateTimeToLive', qq({"TableName":"$_[0]","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}})) };
$expire->('Taken');
ok(reported(qr/relation "Taken\/ByBy" already exists/) && builder_leaves(), 'once more');
$expire->('Many1');
ok(wait_for(sub { sql(q{SELECT building, to_regclass('dynamo_data."Taken:ttl"') IS NOT NULL FROM dynamo.tables WHERE table_name = 'Taken'})
	eq '{Taken/ByBy} t' }, $PATIENCE), 'the other index of its table is built nevertheless');
ok(builder_leaves(), 'the process leaves');
sql('DROP EVENT TRIGGER note; DROP VIEW dynamo_data."Taken/ByBy"');

#
# An index of another table gets the name of one that is to be built.
#
add_before_builder('Elsewhere');
sql(q{CREATE TABLE dynamo_data.other (a int); CREATE INDEX "Elsewhere/ByBy" ON dynamo_data.other (a)});
release($session);
ok(reported(qr/WARNING: .*dynamo could not build an index of table "Elsewhere": relation "Elsewhere\/ByBy" already exists/),
	'it is in the way');
ok(builder_leaves(), 'the process leaves');
like(drop_index('Elsewhere', 'ByBy'), qr/^200/, 'the index that was to be built is deleted');
ok(wait_for(sub { sql(q{SELECT building IS NULL FROM dynamo.tables WHERE table_name = 'Elsewhere'}) eq 't' }, $PATIENCE)
	  && builder_leaves(), 'another process sees to that');
is(sql(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'dynamo_data."Elsewhere/ByBy"'::regclass}), 't', 'and has left the other alone');

#
# A build that fails.
#
make_table('Failing');
sql(q{
	CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS
	$$ BEGIN RAISE EXCEPTION 'no index today'; END $$;
	CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION public.refuse()});
create('Failing', 'ByBy', 'by');
ok(reported(qr/WARNING: .*dynamo could not build an index of table "Failing": no index today/), 'a failure is reported');
ok(builder_leaves(), 'the process leaves');
is(sql(q{SELECT building, to_regclass('dynamo_data."Failing/ByBy"') IS NULL FROM dynamo.tables WHERE table_name = 'Failing'}),
	'{Failing/ByBy} t', 'and takes what it made along');
is(states('Failing'), 'ACTIVE ByBy CREATING true', 'the index is still to come');
sql('DROP EVENT TRIGGER refuse');
set('dynamo.ttl_interval', '1s');
becomes('Failing', 'ACTIVE ByBy ACTIVE', 'the next round of the maintenance builds it');
is_whole('Failing', 'ByBy', 'by', 'S', 'at the second try');
is(wait_for(sub { sql(q{SELECT building IS NULL FROM dynamo.tables WHERE table_name = 'Shop'}, 'copy') eq 't' }, $PATIENCE), 1,
	'and those of the copy');
is(sql(q{SELECT count(*) FROM dynamo.query('Shop', '#b = :b', '{":b": "b1"}', expression_attribute_names => '{"#b": "by"}', index_name => 'ByBy')}, 'copy'),
	sql(q{SELECT count(*) FROM dynamo.scan('Shop') WHERE item->>'by' = 'b1'}, 'copy'), 'with the items it had at the time');
set('dynamo.ttl_interval', '0');

#
# A name is taken, and before the build is put off its index has been made otherwise.
#
my $advisory = q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND};
my $pause = session('SELECT pg_advisory_lock(1)');
wait_for(sub { sql("$advisory granted") eq '1' }, $PATIENCE) or die 'no lock';
add_before_builder('Otherwise');
sql(q{CREATE VIEW dynamo_data."Otherwise/ByBy" AS SELECT 1});
release($session);
ok(wait_for(sub { sql("$advisory NOT granted") eq '1' }, $PATIENCE), 'a build has failed, and stands still');
sql(q{DROP VIEW dynamo_data."Otherwise/ByBy"; SELECT dynamo.drop_index('Otherwise', 'ByBy'); SELECT dynamo.create_index('Otherwise', 'ByBy', 'by S')});
is(sql(q{SELECT building IS NULL FROM dynamo.tables WHERE table_name = 'Otherwise'}), 't', 'its index is made meanwhile');
close $pause;
ok(builder_leaves() && !log_has(qr/terminated by signal/), 'and nothing is left to be put off');
is_whole('Otherwise', 'ByBy', 'by', 'S', 'what was made');

#
# A build and somebody who wants its lock wait for one another.
#
set('deadlock_timeout', '2s');
my $dead;
my $victim = 0;
foreach my $try (1 .. 10)
{
	# Who finds out first gives up.  We take longer, but may come late.
	$dead = "Dead$try";
	make_table($dead);
	$session = in_transaction(qq{SET deadlock_timeout = '5s'; BEGIN; SELECT dynamo.put_item('$dead', '{"id": "held", "by": "b1"}')});
	create($dead, 'ByBy', 'by');
	builder_waits();
	print $session "LOCK TABLE dynamo_data.\"$dead\" IN SHARE UPDATE EXCLUSIVE MODE; COMMIT;\n";
	close $session;
	$victim = log_has(qr/dynamo could not build an index of table "$dead": deadlock detected/);
	last if $victim;
}
ok($victim, 'a build is the victim of a deadlock');
becomes($dead, 'ACTIVE ByBy ACTIVE', 'it is tried again at once');
is_whole($dead, 'ByBy', 'by', 'S', 'after the deadlock');
set('deadlock_timeout', '1s');

#
# A crash in the midst of it.
#
make_table('Crash');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Crash', '{"id": "held", "by": "b1"}')});
create('Crash', 'ByBy', 'by');
is(kill(9, builder_waits()), 1, 'the process is killed');
ok(reported(qr/all server processes terminated; reinitializing/), 'the server starts over');
close $session;
wait_for(sub { connection() }, $PATIENCE) or die 'HTTP is not served';
is(states('Crash'), 'ACTIVE ByBy CREATING true', 'the index is still to come');
is($put->('after', '{"S":"b1"}'), '200 {}', 'and items are written');
is(sql(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'dynamo_data."Crash/ByBy"'::regclass}), 'f', 'half a btree is left');
set('dynamo.ttl_interval', '1s');
becomes('Crash', 'ACTIVE ByBy ACTIVE', 'the next round builds it');
is_whole('Crash', 'ByBy', 'by', 'S', 'after the crash');

# The index is deleted before the next round.
set('dynamo.ttl_interval', '0');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Crash', '{"id": "held", "n": 1}')});
create('Crash', 'ByN', 'n');
builder_waits();
server('crash');
close $session;

# And there is one process for the maintenance and the builds: one of these is
# our launcher's, one serves HTTP, and one is core's.
sub set_offline
{
	open my $conf, '>>', directory() . '/data/postgresql.auto.conf' or die;
	print $conf map { "$_\n" } @_;
	return close $conf;
}
set_offline('max_worker_processes = 4');
server('restart') or die;
wait_for(sub { connection() }, $PATIENCE) or die 'HTTP is not served';
is(states('Crash'), 'ACTIVE ByBy ACTIVE ByN CREATING true', 'another crash');
sql(q{SELECT dynamo.drop_index('Crash', 'ByN'); SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "Crash",
	"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}}')});
is(states('Crash'), 'ACTIVE ByBy ACTIVE', 'the index is deleted instead');
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { sql(q{SELECT to_regclass('dynamo_data."Crash/ByN"') IS NULL}) eq 't' }, $PATIENCE), 'what is left of it goes');
is_whole('Crash', 'ByBy', 'by', 'S', 'the other');
like(create('Crash', 'ByN', 'n'), qr/^200/, 'one is added');
becomes('Crash', 'ACTIVE ByBy ACTIVE ByN ACTIVE', 'and built where no process is left but the one of the round');
is_whole('Crash', 'ByN', 'n', 'N', 'with few processes');

# A transaction that stays open keeps a build waiting, be it in the process of
# the round or in its own.  The rounds go on: items of another database expire
# in this round, and in the next.
sub rounds_go_on
{
	my ($what) = @_;
	foreach (1 .. 2)
	{
		sql(q{SELECT dynamo.put_item('Session', jsonb_build_object('id', 'a',
			'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item)}, 'copy');
		ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.scan('Session')}, 'copy') eq '0' }, $PATIENCE),
			"the round visits another database while $what, time $_");
	}
	return;
}
sql(q{SELECT dynamo.create_table('Session', 'id'); SELECT dynamo.enable_ttl('Session', 'ttl')}, 'copy');
set('dynamo.ttl_interval', '0');
make_table('Open');
$session = in_transaction(q{BEGIN; SELECT dynamo.put_item('Open', '{"id": "held", "by": "b1"}')});
like(create('Open', 'ByBy', 'by'), qr/^200/, 'an index is added, and cannot be built');
my $waiting = builder_waits();
set('dynamo.maintenance_timeout', '300ms');
set('dynamo.grace_period', '1s');
set('dynamo.ttl_interval', '1s');
rounds_go_on('its process waits');
isnt(sql($builder), $waiting, 'it has made room');
ok(wait_for(sub { sql(q{SELECT query FROM pg_stat_activity WHERE application_name = 'dynamo index build' AND wait_event = 'virtualxid'}) ne '' }, $PATIENCE),
	'the process of the round waits, too');
rounds_go_on('that is so');
is(states('Open'), 'ACTIVE ByBy CREATING true', 'the index is still to come');
release($session);
becomes('Open', 'ACTIVE ByBy ACTIVE', 'and comes when it can');
is_whole('Open', 'ByBy', 'by', 'S', 'after a transaction that stayed open');

done_testing();

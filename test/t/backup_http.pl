# Backups and restores by HTTP: a background worker makes them.  What is shown
# meanwhile, and what is refused; where they are after a crash; that no
# transaction is in half; system backups that go.
#
# How far a job has come is decided by a lock that it has to wait for.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Handle;
use IO::Select;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $PATIENCE = 120;
start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 2\n"
	  . "dynamo.ttl_interval = 1\nrestart_after_crash = on\n");
sql('CREATE EXTENSION dynamo');
wait_for(sub { connection() }) or die 'HTTP is not served';

# The body of an answer, without the exception's namespace, ids and times.
sub answer
{
	my ($operation, $body) = @_;
	local $_ = call($operation, $body)->{body};
	s/"__type":"[\w.]+#/"__type":"/;
	s/backup\/[0-9]{14}-[0-9a-f]{8}/backup\/ID/g;
	return $_;
}

sub member
{
	my ($member, $operation, $body) = @_;
	my $text = call($operation, $body)->{body};
	return $text =~ /"$member":"([^"]*)"/ ? $1 : $text;
}

# A session that holds a lock, until release().
sub hold { return in_transaction("BEGIN; LOCK TABLE $_[0]") }

sub release
{
	my ($session) = @_;
	print $session "COMMIT;\n";
	return close $session;
}

# The process that works on a job, and waits: a visit of maintenance may have
# the last one there is, and works on jobs itself then.
sub job_waits
{
	my $pid = '';
	wait_for(sub {
		$pid = sql(q{SELECT pid FROM pg_stat_activity WHERE application_name = 'dynamo job' AND wait_event_type = 'Lock'});
		return $pid =~ /^\d+$/;
	}, $PATIENCE) or return 0;
	return $pid;
}

sub backup_is
{
	my ($arn, $status) = @_;
	return wait_for(sub { member('BackupStatus', 'DescribeBackup', qq({"BackupArn":"$arn"})) eq $status }, $PATIENCE);
}

sub table_is
{
	my ($table, $status) = @_;
	return wait_for(sub { member('TableStatus', 'DescribeTable', qq({"TableName":"$table"})) eq $status }, $PATIENCE);
}

sql(q{SELECT dynamo.create_table('Shop', 'pk', 'sk N'); SELECT dynamo.create_index('Shop', 'ByG', 'g');
	INSERT INTO dynamo_data."Shop" (item) SELECT jsonb_build_object('pk', 'p' || i % 7, 'sk', i, 'g', 'g' || i % 3) FROM generate_series(1, 500) i});

# While a backup is being made.
my $holder = hold('dynamo.backups IN SHARE MODE');
my $arn = member('BackupArn', 'CreateBackup', '{"TableName":"Shop","BackupName":"one"}');
like($arn, qr/^arn:.*:table\/Shop\/backup\/\d{14}-[0-9a-f]{8}$/, 'the answer comes at once');
ok(job_waits(), 'a worker is at it');
is(member('BackupStatus', 'DescribeBackup', qq({"BackupArn":"$arn"})), 'CREATING', 'DescribeBackup: it is being made');
is(member('BackupStatus', 'ListBackups', '{"TableName":"Shop"}'), 'CREATING', 'ListBackups, too');
is(answer('DeleteBackup', qq({"BackupArn":"$arn"})),
	'{"__type":"BackupInUseException","message":"Backup is being created: arn:aws:dynamodb:us-east-1:000000000000:table/Shop/backup/ID"}', 'it cannot be deleted yet');
like(answer('RestoreTableFromBackup', qq({"TargetTableName":"Early","BackupArn":"$arn"})), qr/BackupInUseException/, 'nor restored');
is(answer('DeleteTable', '{"TableName":"Shop"}'),
	'{"__type":"ResourceInUseException","message":"Attempt to change a resource which is still in use: Table is being backed up: Shop"}', 'nor its table deleted');
is(sql('SELECT count(*) FROM dynamo.backups'), '0', 'there is no half of it');

release($holder);
ok(backup_is($arn, 'AVAILABLE'), 'it is made');
is(sql('SELECT item_count FROM dynamo.backups'), '500', 'with all items');
is(member('BackupStatus', 'ListBackups', '{}'), 'AVAILABLE', 'ListBackups shows it once');

# Nobody is promised a backup of a table that is being deleted.
sql(q{SELECT dynamo.create_table('Doomed', 'id')});
my $deleter = in_transaction(q{BEGIN; SELECT dynamo.call('DeleteTable', '{"TableName": "Doomed"}')});
my $asked = connection();
print {$asked} HttpClient::request('CreateBackup', '{"TableName":"Doomed","BackupName":"late"}');
$asked->flush;
ok(!IO::Select->new($asked)->can_read(0.5), 'a backup waits for who deletes the table');
release($deleter);
like(receive($asked)->{body}, qr/TableNotFoundException/, 'and there is none');

# While a table is being restored.
$holder = hold('dynamo.tables IN SHARE MODE');
like(answer('RestoreTableFromBackup', qq({"TargetTableName":"Restored","BackupArn":"$arn"})),
	qr/"TableStatus":"CREATING".*"IndexStatus":"CREATING".*"RestoreInProgress":true/, 'a restore begins');
ok(job_waits(), 'a worker is at it');
like(answer('DescribeTable', '{"TableName":"Restored"}'),
	qr/"TableStatus":"CREATING".*"RestoreSummary":\{"SourceBackupArn":"[^"]*backup\/ID","SourceTableArn":"[^"]*table\/Shop","RestoreDateTime":[0-9.]+,"RestoreInProgress":true\}/, 'DescribeTable');
my $id = member('TableId', 'DescribeTable', '{"TableName":"Restored"}');
is(answer('ListTables', $_->[0]), $_->[1], "ListTables $_->[0]") foreach (
	['{}', '{"TableNames":["Restored","Shop"]}'],
	['{"Limit":1}', '{"TableNames":["Restored"],"LastEvaluatedTableName":"Restored"}'],
	['{"ExclusiveStartTableName":"Restored"}', '{"TableNames":["Shop"]}']);
is(answer('RestoreTableFromBackup', qq({"TargetTableName":"Restored","BackupArn":"$arn"})),
	'{"__type":"BackupInUseException","message":"Backup is being used to restore another table: arn:aws:dynamodb:us-east-1:000000000000:table/Shop/backup/ID"}', 'the backup is in use');
is(answer('DeleteBackup', qq({"BackupArn":"$arn"})),
	'{"__type":"BackupInUseException","message":"Backup is being used to restore table: arn:aws:dynamodb:us-east-1:000000000000:table/Shop/backup/ID"}', 'and cannot be deleted');
is(answer('CreateTable', '{"TableName":"Restored","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}'),
	'{"__type":"ResourceInUseException","message":"Attempt to change a resource which is still in use: Table is being used: Restored"}', 'the name is taken');
is(answer($_, '{"TableName":"Restored"}'),
	'{"__type":"ResourceInUseException","message":"Attempt to change a resource which is still in use: Table is being created: Restored"}', $_) foreach 'DeleteTable';
like(answer('GetItem', '{"TableName":"Restored","Key":{"pk":{"S":"p1"},"sk":{"N":"1"}}}'), qr/ResourceNotFoundException/, 'there is no item yet');
release($holder);
ok(table_is('Restored', 'ACTIVE'), 'it is restored');
is(member('TableId', 'DescribeTable', '{"TableName":"Restored"}'), $id, 'its TableId is the one that was told');
unlike(answer('DescribeTable', '{"TableName":"Restored"}'), qr/RestoreSummary/, 'the summary is gone');
is(sql(q{SELECT count(*) FROM dynamo_data."Shop" a JOIN dynamo_data."Restored" b USING (pk, sk) WHERE a.item::text = b.item::text}), '500', 'item for item');
is(sql(q{SELECT count(*) FROM dynamo.query('Restored', 'g = :g', '{":g": "g1"}', index_name => 'ByG')}), '167', 'by its index');

# A worker, or all of the server, is killed in the middle: maintenance goes on
# with the job.  By default no process is left for it; with more, one is.
sub resumes
{
	my ($table, $how, $kill) = @_;
	$holder = hold('dynamo.tables IN SHARE MODE');
	like(answer('RestoreTableFromBackup', qq({"TargetTableName":"$table","BackupArn":"$arn"})), qr/CREATING/, "a restore, before $how");
	my $pid = job_waits();
	ok($pid, 'a worker is at it');
	$kill->($pid);
	ok(table_is($table, 'ACTIVE'), 'it is done after all');
	is(sql(qq{SELECT count(*) FROM dynamo_data."$table"}), '500', 'with all items');
	return;
}

sub terminate
{
	my ($pid) = @_;
	sql("SELECT pg_terminate_backend($pid)");
	ok(wait_for(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0' }, $PATIENCE), 'the worker is gone');
	release($holder);
	return;
}

sub kill_server
{
	server('crash');
	close $holder;
	server('restart');
	return wait_for(sub { connection() }) || die 'HTTP is not served';
}

foreach my $processes (8, 16)
{
	sql("ALTER SYSTEM SET max_worker_processes = $processes");
	server('crash');
	server('restart');
	wait_for(sub { connection() }) or die 'HTTP is not served';
	is(sql('SHOW max_worker_processes'), $processes, "with $processes processes");
	resumes("Terminated$processes", 'its worker is terminated', \&terminate);
	resumes("Killed$processes", 'the server is killed', \&kill_server);
}

# Two tables of one name: the second request is told.
my $second = sql(q{SELECT dynamo.create_backup('Shop', 'two')});
$holder = hold('dynamo.tables IN SHARE MODE');
like(answer('RestoreTableFromBackup', qq({"TargetTableName":"Twice","BackupArn":"$arn"})), qr/CREATING/, 'a third');
is(answer('RestoreTableFromBackup', qq({"TargetTableName":"Twice","BackupArn":"$second"})),
	'{"__type":"TableInUseException","message":"Table: Twice is already being restored from backup: arn:aws:dynamodb:us-east-1:000000000000:table/Shop/backup/ID"}', 'the target is being restored');
release($holder);
ok(table_is('Twice', 'ACTIVE'), 'it is restored');

# One that fails says so: its backup has each item twice.
my $doubled = sql(q{SELECT relation FROM dynamo.backups WHERE backup_name = 'two'});
sql("INSERT INTO $doubled SELECT item FROM $doubled");
like(answer('RestoreTableFromBackup', qq({"TargetTableName":"Failed","BackupArn":"$second"})), qr/CREATING/, 'a restore that fails');
ok(wait_for(sub { answer('DescribeTable', '{"TableName":"Failed"}') !~ /CREATING/ }, $PATIENCE), 'ends');
is(answer('DescribeTable', '{"TableName":"Failed"}'),
	'{"__type":"ResourceNotFoundException","message":"Requested resource not found: Table: Failed not found. Its restore has failed: duplicate key value violates unique constraint \"Failed:pkey\""}', 'and DescribeTable says why');

# Beside writers with transactions over two items, of which both or none has
# changed in each of the backups.
sql(q{SELECT dynamo.create_table('Pairs', 'id'); SELECT dynamo.put_item('Pairs', '{"id": "a", "n": 0}'); SELECT dynamo.put_item('Pairs', '{"id": "b", "n": 0}')});
my @writers = map { session(q{DO $$ BEGIN
	WHILE NOT EXISTS (SELECT FROM dynamo.get_item('Pairs', 'end') AS item WHERE item IS NOT NULL) LOOP
		PERFORM dynamo.update_item('Pairs', '{"id": "a"}', 'SET n = n + :one', '{":one": 1}');
		PERFORM dynamo.update_item('Pairs', '{"id": "b"}', 'SET n = n + :one', '{":one": 1}');
		COMMIT;
	END LOOP; END $$}) } 1 .. 3;
ok(wait_for(sub { sql(q{SELECT (dynamo.get_item('Pairs', 'a')->>'n')::int > 10}) eq 't' }, $PATIENCE), 'writers are at it');
my $halves = '';
foreach my $n (1 .. 20)
{
	sql(qq{SELECT dynamo.create_backup('Pairs', 'pair$n')});
	my $relation = sql(qq{SELECT relation FROM dynamo.backups WHERE backup_name = 'pair$n'});
	$halves .= sql(qq{SELECT count(DISTINCT item->>'n') FROM $relation});
}
is($halves, '1' x 20, 'no transaction is in half');
sql(q{SELECT dynamo.put_item('Pairs', '{"id": "end"}')});
close $_ foreach @writers;

# The present is that of the request, however late the work begins.
sql(q{SELECT dynamo.create_table('Now', 'id'), dynamo.enable_recovery('Now'); SELECT dynamo.put_item('Now', '{"id": "before"}')});
$holder = hold('dynamo.tables IN SHARE MODE');
like(answer('RestoreTableToPointInTime', '{"SourceTableName":"Now","TargetTableName":"Then","UseLatestRestorableTime":true}'),
	qr/"TableStatus":"CREATING"/, 'a restore of the present');
ok(job_waits(), 'a worker is at it');
sql(q{SELECT dynamo.put_item('Now', '{"id": "after"}')});
release($holder);
ok(table_is('Then', 'ACTIVE'), 'it is restored');
is(sql(q{SELECT string_agg(item->>'id', ' ') FROM dynamo.scan('Then')}), 'before', 'as it was when that was asked for');

# What DeleteTable has left goes when its time is over, and nothing else does.
sql(q{SELECT dynamo.create_table('Kept', 'id'); SELECT dynamo.create_table('Gone', 'id');
	SELECT dynamo.call('UpdateContinuousBackups', json_build_object('TableName', name, 'PointInTimeRecoverySpecification', '{"PointInTimeRecoveryEnabled": true}'::json)) FROM unnest('{Kept,Gone}'::text[]) name});
answer('DeleteTable', qq({"TableName":"$_"})) foreach qw(Kept Gone);
is(sql(q{SELECT count(*) FROM dynamo.backups WHERE backup_type = 'SYSTEM'}), '2', 'DeleteTable leaves backups');
my $system = q{SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM dynamo.backups WHERE backup_type = 'SYSTEM'};
sql(q{UPDATE dynamo.backups SET expires_at = now() WHERE table_name = 'Gone'});
ok(wait_for(sub { sql($system) eq 'Kept' }, $PATIENCE), 'maintenance drops the one that has expired');
is(sql(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'dynamo_backup'::regnamespace AND relkind = 'r'}) - sql('SELECT count(*) FROM dynamo.backups'), 0, 'with its relation');

# Nor does one that is still to be restored, itself or a past that it belongs to.
set('dynamo.job_workers', 0);
sql(q{SELECT dynamo.create_table(name, 'id'), dynamo.enable_recovery(name) FROM unnest('{Past,Other}'::text[]) name});
sql(q{SELECT dynamo.put_item('Past', '{"id": "1"}')});
answer('DeleteTable', qq({"TableName":"$_"})) foreach qw(Past Other);
my $kept = sql(q{SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/Kept/backup/' || backup_id FROM dynamo.backups WHERE table_name = 'Kept'});
like(answer('RestoreTableFromBackup', qq({"TargetTableName":"Kept","BackupArn":"$kept"})), qr/CREATING/, 'a backup is to be restored');
like(answer('RestoreTableToPointInTime', '{"SourceTableName":"Past","TargetTableName":"Past","UseLatestRestorableTime":true}'), qr/CREATING/, 'and a past');
sql(q{UPDATE dynamo.backups SET expires_at = now() WHERE backup_type = 'SYSTEM'});
ok(wait_for(sub { sql($system) eq 'Kept Past' }, $PATIENCE), 'the other one goes');
set('dynamo.job_workers', 2);
ok(table_is($_, 'ACTIVE'), "$_ is restored") foreach qw(Kept Past);
is(sql(q{SELECT count(*) FROM dynamo.scan('Past')}), '1', 'with its item');
ok(wait_for(sub { sql($system) eq '' }, $PATIENCE), 'and the backups go');

# Nobody is promised a restore of what is being dropped.
sql(q{SELECT dynamo.create_table('Dropped', 'id'), dynamo.enable_recovery('Dropped')});
answer('DeleteTable', '{"TableName":"Dropped"}');
my $dropped = sql(q{SELECT relation FROM dynamo.backups WHERE table_name = 'Dropped'});
my $dropper = in_transaction("BEGIN; DROP TABLE $dropped");
$asked = connection();
print {$asked} HttpClient::request('RestoreTableToPointInTime', '{"SourceTableName":"Dropped","TargetTableName":"Again","UseLatestRestorableTime":true}');
$asked->flush;
ok(!IO::Select->new($asked)->can_read(0.5), 'a restore waits for who drops what it reads');
release($dropper);
like(receive($asked)->{body}, qr/TableNotFoundException/, 'and there is none');

# What a table had at the time of an export stays as it was when that was asked for: there
# is a marker then, if the last one is older, and not only one that comes later.
sql(q{SELECT dynamo.create_table('Told', 'id'), dynamo.enable_recovery('Told')});
my $markers = join ' UNION ALL ', map { "SELECT at FROM dynamo_internal.journal_$_ WHERE recovery = 0" } 0 .. 19;
my $marked = '';
foreach my $try (1 .. 3)
{
	my $time = sql(qq{SELECT dynamo.put_item('Told', '{"id": "$try"}') \\g /dev/null
		SELECT extract(epoch FROM clock_timestamp())});
	answer('ExportTableToPointInTime', qq({"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Told","S3Bucket":"exports","ExportTime":$time}));
	$marked .= sql(qq{SELECT count(*) FROM ($markers) AS m, (SELECT max(created_at) AS asked FROM dynamo.jobs WHERE kind = 'EXPORT') AS j
		WHERE extract(epoch FROM m.at) > $time AND m.at <= j.asked});
	last if $marked =~ /[1-9]$/;
}
like($marked, qr/[1-9]$/, 'what an export has of a time is settled when it is asked for');

done_testing();

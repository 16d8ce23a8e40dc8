# A restore that any node is asked for makes a distributed table, of a backup that
# any node has.  All nodes tell that it is being made, and what has failed.  So do
# they of imports.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $items = 60;
my $folder = tempdir(CLEANUP => 1);
my $all = q{SELECT md5(string_agg(item::text, ',' ORDER BY pk)) FROM dynamo_data."%s"};

# A request to a node: status and members.
sub ask_node
{
	my ($node, $operation, $request) = @_;
	my $answer = at($node, $operation, encode_json($request));
	my $body = eval { decode_json($answer->{body} // '') } // {};
	return { status => $answer->{status} // 0, text => $answer->{body} // '', %$body };
}
sub backup_status { my ($node, $arn) = @_; return ask_node($node, 'DescribeBackup', { BackupArn => $arn })->{BackupDescription}{BackupDetails}{BackupStatus} // '' }
sub restore { my ($node, $table, $arn) = @_; return ask_node($node, 'RestoreTableFromBackup', { TargetTableName => $table, BackupArn => $arn }) }

# What all nodes say of a table, if they say the same.
sub described
{
	my ($table) = @_;
	my %said;
	foreach my $node (0 .. 2)
	{
		my $answer = ask_node($node, 'DescribeTable', { TableName => $table });
		my $status = $answer->{Table}{TableStatus} // $answer->{message} // $answer->{text};
		$said{$status}++;
	}
	return join ' / ', sort keys %said;
}

# Jobs of the coordinator wait until they are done by hand, or do not.
sub hold_jobs
{
	my ($number) = @_;
	node(0, "ALTER SYSTEM SET dynamo.job_workers = $number");
	node(0, 'SELECT pg_reload_conf()');
	ok(wait_for(sub { node(0, 'SHOW dynamo.job_workers') eq $number }), $number ? 'jobs go on' : 'jobs wait');
	return;
}

sub write_file
{
	my ($name, @lines) = @_;
	mkdir "$folder/files/$name" or die;
	open my $file, '>', "$folder/files/$name/items.json" or die;
	print $file map { "$_\n" } @lines;
	close $file or die;
	chmod 0777, "$folder/files/$name" or die;
	chmod 0666, "$folder/files/$name/items.json" or die;
	return;
}
sub import_at
{
	my ($node, $table, $prefix) = @_;
	return ask_node($node, 'ImportTable', { S3BucketSource => { S3Bucket => 'files', S3KeyPrefix => "$prefix/" }, InputFormat => 'DYNAMODB_JSON',
		TableCreationParameters => { TableName => $table, BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ], KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ] } })->{ImportTableDescription}{ImportArn};
}

# What all nodes say of an import.
sub import_status
{
	my ($arn) = @_;
	my %said = map { (ask_node($_, 'DescribeImport', { ImportArn => $arn })->{ImportTableDescription}{ImportStatus} // 'nothing') => 1 } 0 .. 2;
	return join ' / ', sort keys %said;
}

# The table has all items at all nodes, by its key, its index and in SQL.
sub is_whole
{
	my ($table, $what) = @_;
	foreach my $node (0 .. 2)
	{
		is(ask_node($node, 'Scan', { TableName => $table, Select => 'COUNT' })->{Count}, $items, "$what: all items, node $node");
		is(ask_node($node, 'Query', { TableName => $table, IndexName => 'by_g', Select => 'COUNT', KeyConditionExpression => 'g = :g', ExpressionAttributeValues => { ':g' => { S => 'g1' } } })->{Count}, $items / 2, "$what: by the index, node $node");
	}
	is(node(0, qq{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'dynamo_data."$table"'::regclass}), 4, "$what: it is distributed");
	is(node(0, sprintf $all, $table), node(0, sprintf $all, 'Source'), "$what: item for item");
	node(0, qq{SELECT dynamo.drop_table('$table')});
	return;
}

authenticate('trust');
configure('dynamo.distribute_new_tables', 'auto');
ok(wait_for(sub { node($_, 'SHOW dynamo.distribute_new_tables') eq 'auto' }), "node $_: the default") for 0 .. 2;
is(ask_node(1, 'CreateTable', { TableName => 'Source', BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' }, { AttributeName => 'g', AttributeType => 'S' } ],
	KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
	GlobalSecondaryIndexes => [ { IndexName => 'by_g', KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ], Projection => { ProjectionType => 'ALL' } } ] })->{status}, 200, 'a table');
node(0, qq{INSERT INTO dynamo_data."Source" (item) SELECT format('{"id": "%s", "g": "g%s", "n": %s}', i, i % 2, i)::dynamo.item FROM generate_series(1, $items) i});

# A backup of each node, known at all of them.
my @arns;
foreach my $node (0 .. 2)
{
	$arns[$node] = ask_node($node, 'CreateBackup', { TableName => 'Source', BackupName => "of$node" })->{BackupDetails}{BackupArn};
	ok(wait_for(sub { backup_status($node, $arns[$node]) eq 'AVAILABLE' }), "a backup of node $node");
	is(backup_status($_, $arns[$node]), 'AVAILABLE', "is known at node $_") for 0 .. 2;
}

# Any node is asked, any has the backup.
foreach my $node (0 .. 2)
{
	foreach my $has (0 .. 2)
	{
		my $answer = restore($node, "To$node$has", $arns[$has]);
		is($answer->{TableDescription}{TableStatus}, 'CREATING', "asked at node $node, of a backup of node $has: $answer->{text}");
		ok(wait_for(sub { described("To$node$has") eq 'ACTIVE' }), 'it is made at all nodes');
		is_whole("To$node$has", 'by HTTP');
	}
	is(node($node, qq{SELECT dynamo.call('RestoreTableFromBackup', '{"TargetTableName":"Called","BackupArn":"$arns[1]"}') #>> '{TableDescription,RestoreSummary,SourceTableArn}'}),
		'arn:aws:dynamodb:us-east-1:000000000000:table/Source', "by dynamo.call at node $node");
	is_whole('Called', 'by dynamo.call');
	is(node($node, qq{SELECT dynamo.restore_table('Made', backup_arn => '$arns[2]')}), 'dynamo_data."Made"', "by restore_table at node $node");
	is_whole('Made', 'by restore_table');
}
like(node(1, qq{BEGIN; SELECT dynamo.restore_table('Made', backup_arn => '$arns[1]'); COMMIT}), qr/cannot run inside a transaction block on a worker/, 'not in a transaction of a worker');

# While it is being made, all nodes say so, and nobody may have its name or its backup.
hold_jobs(0);
is(restore(2, 'Slow', $arns[1])->{status}, 200, 'a restore that waits');
is(described('Slow'), 'CREATING', 'all nodes tell of it');
foreach my $node (0 .. 2)
{
	like(ask_node($node, 'DescribeTable', { TableName => 'Slow' })->{text}, qr/"RestoreSummary":\{"SourceBackupArn":"\Q$arns[1]\E"/, "node $node: of what it is made");
	like(ask_node($node, 'DeleteTable', { TableName => 'Slow' })->{text}, qr/ResourceInUseException.*Table is being created: Slow/, "node $node: it cannot be dropped");
	like(restore($node, 'Slow', $arns[2])->{text}, qr/TableInUseException/, "node $node: nor made twice");
	like(restore($node, 'Slower', $arns[1])->{text}, qr/BackupInUseException/, "node $node: its backup cannot be used twice");
	like(ask_node($node, 'DeleteBackup', { BackupArn => $arns[1] })->{text}, qr/BackupInUseException/, "node $node: nor deleted");
}
my $jobs = session_at(0, 'CALL dynamo.run_jobs();');
my %seen;
ok(wait_for(sub { $seen{ described('Slow') } = 1; $seen{ACTIVE} }), 'then it is made');
close $jobs;
is(join(', ', grep { !/\A(?:ACTIVE|CREATING|ACTIVE \/ CREATING)\z/ } sort keys %seen), '', 'and was there all the while');
is_whole('Slow', 'later');

# What fails says so.
is(restore(2, 'Failing', $arns[1])->{status}, 200, 'a restore that will fail');
my $relation = node(1, q{SELECT relation FROM dynamo.backups WHERE backup_name = 'of1'});
node(1, "DROP TABLE $relation");
node(0, 'CALL dynamo.run_jobs()');
is(described('Failing'), 'Requested resource not found: Table: Failing not found. Its restore has failed: Backup not found: ' . ($arns[1] =~ s{.*/}{}r), 'all nodes tell why');
is(node(0, q{SELECT status, failure_code FROM dynamo.jobs WHERE table_name = 'Failing'}), 'FAILED BackupNotFound', 'so do the jobs of the node that did it');
is(restore(2, 'Failing', $arns[2])->{status}, 200, 'its name is free');
node(0, 'CALL dynamo.run_jobs()');
is(described('Failing'), 'ACTIVE', 'for another');
is_whole('Failing', 'another');
is(described('Failing'), 'Requested resource not found: Table: Failing not found', 'what was deleted is not said to have failed');

# An import that any node is asked for is the coordinator's, which reads its bucket.
mkdir "$folder/files" or die;
write_file('good', map { qq({"Item":{"id":{"S":"$_"}}}) } 1 .. 3);
write_file('bad', '{"Item":');
chmod 0777, $folder, "$folder/files" or die;
configure('dynamo.bucket_directory', "'$folder'");
ok(wait_for(sub { node($_, 'SHOW dynamo.bucket_directory') eq $folder }), "node $_ has buckets") for 0 .. 2;
foreach my $node (0 .. 2)
{
	my $import = import_at($node, "Import$node", 'good');
	is(described("Import$node"), 'CREATING', "an import is asked for at node $node: all nodes tell of it");
	like(ask_node($_, 'PutItem', { TableName => "Import$node", Item => { id => { S => 'x' } } })->{text}, qr/ResourceNotFoundException/, "node $_: nobody writes yet") for 0 .. 2;
	is(import_status($import), 'IN_PROGRESS', 'and of the import');
	node(0, 'CALL dynamo.run_jobs()');
	is(described("Import$node"), 'ACTIVE', 'it is filled');
	is(import_status($import), 'COMPLETED', 'and all nodes say so');
	is(ask_node($_, 'Scan', { TableName => "Import$node", Select => 'COUNT' })->{Count}, 3, "node $_: all items") for 0 .. 2;
	is(ask_node($node, 'PutItem', { TableName => "Import$node", Item => { id => { S => 'x' } } })->{status}, 200, 'others may write');
	node(0, qq{SELECT dynamo.drop_table('Import$node')});
}
my $bad = import_at(1, 'Bad', 'bad');
node(0, 'CALL dynamo.run_jobs()');
is(import_status($bad), 'FAILED', 'of an import of nonsense all nodes tell that it has failed');
hold_jobs(2);
like(ask_node($_, 'DescribeImport', { ImportArn => $bad =~ s/.$/0/r =~ s/..$/zz/r })->{text}, qr/ImportNotFoundException/, "node $_: another is not found") for 0 .. 2;
node(0, q{SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name = 'Bad'});
configure('dynamo.bucket_directory', 'DEFAULT');

# Which backups there are.
like(restore($_, 'None', $arns[1])->{text}, qr/BackupNotFoundException/, "node $_: a backup that is gone") for 0 .. 2;
like(ask_node($_, 'DescribeBackup', { BackupArn => $arns[1] })->{text}, qr/BackupNotFoundException/, "node $_: is not described") for 0 .. 2;
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE restore_clerk LOGIN; GRANT USAGE ON SCHEMA dynamo_data TO restore_clerk}) for 0 .. 2;
my $describe = qq{SET ROLE restore_clerk; SELECT dynamo.try_call('DescribeBackup', '{"BackupArn":"$arns[2]"}')};
like(node($_, $describe), qr/BackupNotFoundException|AccessDeniedException/, "node $_: a role is not told of what it may not use") for 0 .. 2;
node(2, qq{SELECT format('GRANT SELECT ON %s TO restore_clerk', relation) FROM dynamo.backups WHERE backup_name = 'of2' \\gexec});
like(node($_, $describe), qr/"BackupStatus":"AVAILABLE"/, "node $_: but of what it may") for 0 .. 2;
like(node($_, qq{SET ROLE restore_clerk; SELECT dynamo.try_call('RestoreTableFromBackup', '{"TargetTableName":"Clerks","BackupArn":"$arns[2]"}')}), qr/AccessDeniedException/, "node $_: who may not make tables restores none") for 0 .. 2;
halt(2) or die;
like(ask_node($_, 'DescribeBackup', { BackupArn => $arns[2] })->{text}, qr/ServiceUnavailable/, "node $_: where the node is down that has it, it is not said to be gone") for 0, 1;
is(backup_status(1, $arns[0]), 'AVAILABLE', 'those of others are there');
restart(2) or die;
ok(wait_for(sub { backup_status($_, $arns[2]) eq 'AVAILABLE' }, 60), "node $_: it is back") for 0 .. 2;
node(2, qq{SELECT format('REVOKE SELECT ON %s FROM restore_clerk', relation) FROM dynamo.backups WHERE backup_name = 'of2' \\gexec});
like(node(1, qq{BEGIN; SELECT dynamo.delete_backup('$arns[2]'); COMMIT}), qr/DeleteBackup of what another node has cannot run inside a transaction block/, 'a backup of another node is not deleted in a transaction');
is(ask_node(1, 'DeleteBackup', { BackupArn => $arns[2] })->{BackupDescription}{BackupDetails}{BackupStatus}, 'DELETED', 'but by a request');
is(node(2, 'SELECT count(*) FROM dynamo.backups'), 0, 'it is gone');
is(ask_node(2, 'DeleteBackup', { BackupArn => $arns[0] })->{status}, 200, 'that of the coordinator, too');
node($_, q{SET citus.enable_ddl_propagation = off; DROP OWNED BY restore_clerk; DROP ROLE restore_clerk}) for 0 .. 2;

# A table of one node, of a backup and of its past.
node($_, qq{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Mine$_', 'id'); SELECT dynamo.put_item('Mine$_', '{"id": "a"}'); SELECT dynamo.enable_recovery('Mine$_')}) for 0, 1;
my $mine = node(1, q{SELECT dynamo.create_backup('Mine1', 'mine')});
is(restore(2, 'Ours', $mine)->{status}, 200, 'a backup of a table of one node');
ok(wait_for(sub { described('Ours') eq 'ACTIVE' }), 'is restored');
is(node(2, q{SELECT count(*) FROM dynamo_data."Ours"}), 1, 'for all');
node(0, q{SELECT dynamo.drop_table('Ours')});
like(node(1, qq{SET dynamo.distribute_new_tables = off; SELECT dynamo.restore_table('Ours', backup_arn => '$mine')}), qr/Ours/, 'or for the node alone, where that is asked for');
is(node(1, q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'dynamo_data."Ours"'::regclass}), 0, 'it is not distributed');
node(1, qq{SELECT dynamo.drop_table('Ours'); SELECT dynamo.delete_backup('$mine')});
is(ask_node(2, 'RestoreTableToPointInTime', { TargetTableName => 'Past', SourceTableName => 'Mine0', UseLatestRestorableTime => JSON::PP::true })->{status}, 200, "the past of a table of the coordinator's, asked for elsewhere");
ok(wait_for(sub { described('Past') eq 'ACTIVE' }), 'is restored');
is(node(1, q{SELECT count(*) FROM dynamo_data."Past"}), 1, 'for all');
like(ask_node(1, 'RestoreTableToPointInTime', { TargetTableName => 'PastToo', SourceTableName => 'Mine1', UseLatestRestorableTime => JSON::PP::true })->{text}, qr/ValidationException.*Mine1 is on this node alone/, 'that of a worker is not');
like(ask_node($_, 'RestoreTableToPointInTime', { TargetTableName => 'PastToo', SourceTableName => 'Missing', UseLatestRestorableTime => JSON::PP::true })->{text}, qr/TableNotFoundException/, "node $_: nor that of none") for 0 .. 2;
like(ask_node($_, 'RestoreTableToPointInTime', { TargetTableName => 'PastToo', SourceTableName => 'Source', UseLatestRestorableTime => JSON::PP::true })->{text}, qr/PointInTimeRecoveryUnavailableException/, "node $_: nor of a distributed one") for 0 .. 2;
node(0, qq{SELECT dynamo.drop_table('Past')});
node($_, qq{SELECT dynamo.disable_recovery('Mine$_'); SELECT dynamo.drop_table('Mine$_')}) for 0, 1;
node(0, qq{SELECT dynamo.drop_table('Source')});
configure('dynamo.distribute_new_tables', 'DEFAULT');
node(0, 'ALTER SYSTEM RESET dynamo.job_workers');
node(0, 'SELECT pg_reload_conf()');
authenticate('DEFAULT');
done_testing();

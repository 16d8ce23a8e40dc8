# Lists of backups, exports, imports and bulk operations: each node keeps what it
# does itself, and all nodes list the same, page by page.
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

my $folder = tempdir(CLEANUP => 1);
my $table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Listed';

# What an operation lists with, and where its answer tells what.
my %list = (
	ListBackups => { limit => 'Limit', start => 'ExclusiveStartBackupArn', next => 'LastEvaluatedBackupArn', member => 'BackupSummaries', arn => 'BackupArn' },
	ListExports => { limit => 'MaxResults', start => 'NextToken', next => 'NextToken', member => 'ExportSummaries', arn => 'ExportArn' },
	ListImports => { limit => 'PageSize', start => 'NextToken', next => 'NextToken', member => 'ImportSummaryList', arn => 'ImportArn' },
	ListBulkOperations => { limit => 'MaxResults', start => 'NextToken', next => 'NextToken', member => 'BulkOperationsSummaryList', arn => 'BulkOperationArn' });

# A request to a node.
sub ask_node
{
	my ($node, $operation, $request) = @_;
	my $answer = at($node, $operation, encode_json($request));
	my $body = eval { decode_json($answer->{body} // '') } // {};
	return { status => $answer->{status} // 0, text => $answer->{body} // '', %$body };
}

# ARNs that a node lists, and how many pages they come in.
sub listed
{
	my ($node, $operation, $limit, %filter) = @_;
	my $how = $list{$operation};
	my ($pages, $start, @arns) = (0);
	do
	{
		my $answer = ask_node($node, $operation, { %filter, $limit ? ($how->{limit} => $limit) : (), $start ? ($how->{start} => $start) : () });
		push @arns, $answer->{status} == 200 ? map { $_->{ $how->{arn} } } @{ $answer->{ $how->{member} } } : $answer->{text};
		$start = $answer->{ $how->{next} };
	} while (++$pages < 10 && defined $start);
	return ($pages, @arns);
}

sub is_ended
{
	my ($node, $operation, $member, $arn) = @_;
	return ok(defined $arn && wait_for(sub { ask_node($node, "Describe$operation", { "${operation}Arn" => $arn })->{text} =~ /"$member":"(?:COMPLETED|AVAILABLE)"/ }), "$operation at node $node has ended");
}

sub new_folder { my ($name) = @_; mkdir("$folder/$name") && chmod(0777, "$folder/$name") or die; return }
sub new_file
{
	my ($name, $lines) = @_;
	open my $file, '>', "$folder/$name" or die;
	print $file $lines;
	close $file or die;
	chmod 0666, "$folder/$name" or die;
	return;
}

authenticate('trust');
chmod 0777, $folder or die;
new_folder('files');
configure('dynamo.bucket_directory', "'$folder'");
ok(wait_for(sub { node($_, 'SHOW dynamo.bucket_directory') eq $folder }), "node $_ has buckets") for 0 .. 2;
node(0, q{SELECT dynamo.create_table('Listed', 'id'); SELECT dynamo.put_item('Listed', '{"id": "a"}')});

# Each node does each of them; ids are in the order of time.
my %made;
foreach my $round (0, 1)
{
	foreach my $node (1, 2, 0)
	{
		my $n = $round * 3 + $node;
		push @{ $made{ListBackups} }, ask_node($node, 'CreateBackup', { TableName => 'Listed', BackupName => "of$n" })->{BackupDetails}{BackupArn};
		is_ended($node, 'Backup', 'BackupStatus', $made{ListBackups}[-1]);
		unshift @{ $made{ListExports} }, node($node, q{SELECT dynamo.export_table('Listed', 'files')});
		is_ended($node, 'Export', 'ExportStatus', $made{ListExports}[0]);
		new_folder("files/in$n");
		new_file("files/in$n/items.json", qq({"Item":{"id":{"S":"a"}}}\n));
		unshift @{ $made{ListImports} }, ask_node($node, 'ImportTable', { S3BucketSource => { S3Bucket => 'files', S3KeyPrefix => "in$n/" }, InputFormat => 'DYNAMODB_JSON',
			TableCreationParameters => { TableName => "Imported$n", BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ], KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ] } })->{ImportTableDescription}{ImportArn};
		is_ended($node, 'Import', 'ImportStatus', $made{ListImports}[0]);
		new_folder("files/bulk$n");
		new_file("files/bulk$n/items.json", qq({"Item":{"id":{"S":"a"}}}\n));
		unshift @{ $made{ListBulkOperations} }, ask_node($node, 'StartBulkPutItems', { TableName => 'Listed', ClientToken => "bulk$n",
			InputS3Configuration => { S3Bucket => 'files', S3KeyPrefix => "bulk$n/", InputFormat => 'DYNAMODB_JSON' }, OutputS3Configuration => { S3Bucket => 'files', S3KeyPrefix => "out$n/", OutputType => ['ERROR'] } })->{BulkOperationDescription}{BulkOperationArn};
		is_ended($node, 'BulkOperation', 'BulkOperationStatus', $made{ListBulkOperations}[0]);
	}
}

foreach my $operation (sort keys %list)
{
	foreach my $node (0 .. 2)
	{
		is_deeply([ listed($node, $operation) ], [ 1, @{ $made{$operation} } ], "node $node: $operation lists what all nodes have");
		is_deeply([ listed($node, $operation, 4) ], [ 2, @{ $made{$operation} } ], '... in pages');
		is_deeply([ listed($node, $operation, 2) ], [ 3, @{ $made{$operation} } ], '... as many as it takes');
	}
}
is_deeply([ listed($_, 'ListExports', 2, TableArn => $table) ], [ 3, @{ $made{ListExports} } ], "node $_: of a table") for 0 .. 2;
is_deeply([ listed($_, 'ListBackups', 0, TableName => 'Other') ], [ 1 ], "node $_: of another there are none") for 0 .. 2;
like(ask_node($_, 'ListExports', { NextToken => '01700000000000-00000000' })->{text}, qr/nextToken is invalid/, "node $_: no node has what a page should begin after") for 0 .. 2;
is(node(1, q{SELECT count(*) FROM dynamo.backups}), 2, 'dynamo.backups has those of the node');

# A role is told what it may know of at each node.
node($_, q{SET citus.enable_ddl_propagation = off; CREATE ROLE list_clerk LOGIN}) for 0 .. 2;
node(2, q{SELECT format('GRANT SELECT ON %s TO list_clerk', relation) FROM dynamo.backups WHERE backup_name = 'of2' \gexec});
foreach my $node (0 .. 2)
{
	is(node($node, q{SET ROLE list_clerk; SELECT s ->> 'BackupName' FROM jsonb_array_elements(dynamo.call('ListBackups', '{}')::jsonb -> 'BackupSummaries') AS s}), 'of2', "node $node: a role is told of the backup that it may read");
	is(node($node, q{SET ROLE list_clerk; SELECT dynamo.call('ListExports', '{}')}), '{"ExportSummaries":[]}', '... and of nobody else\'s exports');
}

# Other nodes are asked by processes that nobody waits for: a session at a node has the
# number of the process that asks in its name.
configure('log_line_prefix', "'%a '");
configure('log_statement', "'all'");
ok(wait_for(sub { node(2, 'SHOW log_statement') eq 'all' }), 'statements are logged, with who asks');
my @before = log_ends();
is(ask_node(0, $_, {})->{status}, 200, "node 0: $_") foreach sort keys %list;
is(ask_node(0, 'DescribeExport', { ExportArn => $made{ListExports}[1] })->{status}, 200, 'and of an export of another node');
my %askers = map { $_ => 1 } logged(@before) =~ /gpid=1?0*(\d+) LOG: .*(?:answer_node\(|dynamo\.jobs)/g;
cmp_ok(scalar keys %askers, '>', 0, 'the others are asked');
is(node(0, 'SELECT DISTINCT backend_type FROM pg_stat_activity WHERE pid IN (' . join(',', keys %askers) . ')'), 'dynamo http long worker', '... by long workers');
configure($_, 'DEFAULT') foreach 'log_statement', 'log_line_prefix';

# What is locked at one is not known, and nobody waits for that for long.
my $lock = session_at(2, 'BEGIN; LOCK TABLE dynamo_internal.jobs; SELECT pg_sleep(600);');
ok(wait_for(sub { node(2, q{SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'}) }), 'somebody locks what a node lists');
foreach my $operation (sort keys %list)
{
	like(ask_node(0, $operation, {})->{text}, qr/ServiceUnavailable/, "$operation does not wait");
}
node(2, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600);'});
close $lock;
ok(wait_for(sub { @{ [ listed(0, 'ListBackups') ] } == 7 }), 'and lists it again');

# Where a node is down nobody knows what it has.
halt(2) or die;
foreach my $operation (sort keys %list)
{
	like(ask_node($_, $operation, {})->{text}, qr/ServiceUnavailable/, "node $_: $operation needs all nodes") for 0, 1;
}
ok(restart(2), 'it comes back');
ok(wait_for(sub { @{ [ listed(0, 'ListBackups') ] } == 7 }), 'and is asked again');

node(0, q{SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name = 'Listed' OR table_name LIKE 'Imported%'});
is(ask_node(0, 'DeleteBackup', { BackupArn => $_ })->{status}, 200, 'a backup of any node is deleted at one') foreach @{ $made{ListBackups} };
is_deeply([ listed($_, 'ListBackups') ], [ 1 ], "node $_ lists none") for 0 .. 2;
node($_, q{SET citus.enable_ddl_propagation = off; DROP ROLE list_clerk}) for 0 .. 2;
configure('dynamo.bucket_directory', 'DEFAULT');
authenticate('DEFAULT');
done_testing();

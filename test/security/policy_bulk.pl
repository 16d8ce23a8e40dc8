# Attacker: a tenant whom a policy holds to his partition keys, for all actions,
# in a table that he shares with others.
# Wants: to overwrite items of others, or to read them, by operations that have
# no key in their request: bulk puts and what they report, exports, restores,
# backups, the stream, the end of the table.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/App';
my $json = JSON::PP->new->canonical;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files/in") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE tenants;
	CREATE ROLE acme LOGIN IN ROLE tenants;
	CREATE ROLE operator LOGIN;
	GRANT CREATE ON SCHEMA dynamo_data TO tenants, operator;
	SELECT dynamo.grant_bucket('files', 'tenants');
	SELECT dynamo.grant_bucket('files', 'operator');
	SELECT dynamo.create_table('App', 'pk');
	SELECT dynamo.enable_stream('App', 'NEW_AND_OLD_IMAGES');
	SELECT dynamo.enable_recovery('App');
	SELECT dynamo.put_item('App', '{"pk": "ACME#1", "v": "old"}');
	SELECT dynamo.put_item('App', '{"pk": "BETA#1", "v": "secret"}');
	SELECT dynamo.put_item('App', '{"pk": "BETA#2", "v": "secret"}');
	ALTER TABLE dynamo_data."App" OWNER TO tenants;
	GRANT ALL ON dynamo_data."App" TO operator;
});
my %key = map { $_ => new_key($_) } qw(acme operator);
wait_for(sub { connection() }) or die 'nothing is served';

sub hold_to_keys
{
	my ($condition, $more) = @_;
	my $document = $json->encode({ Version => '2012-10-17', Statement => [
				{ Effect => 'Allow', Action => 'dynamodb:*', Resource => '*', Condition => $condition }, @{ $more || [] } ] });
	is(sql("SELECT dynamo.put_role_policy('tenants', 'own', '$document')"), '', 'a policy of all tenants');
	return;
}

sub ask_as
{
	my ($who, $operation, $request) = @_;
	my $answer = call_as($key{$who}, $operation, $json->encode($request));
	return ($answer->{status}, decode_json($answer->{body}));
}

# Put the records of a file by a bulk operation; its status, counts, and reports.
sub bulk
{
	my ($who, @records) = @_;
	my $file = directory() . '/records';
	open(my $out, '>', $file) or die "$file: $!";
	print $out map { "$_\n" } @records;
	close $out;
	chmod 0644, $file;
	as_server_user('cp', $file, "$buckets/files/in/records.json") or die;
	as_server_user('rm', '-rf', "$buckets/files/AWSDynamoDB") or die;
	my ($status, $started) = ask_as($who, 'StartBulkPutItems', {
			TableName => 'App', InputS3Configuration => { S3Bucket => 'files', S3KeyPrefix => 'in/', InputFormat => 'DYNAMODB_JSON' },
			OutputS3Configuration => { S3Bucket => 'files', OutputType => [ 'ERROR', 'CONDITION_CHECK_FAILURE' ] } });
	return $started->{Message} // $started->{message} if $status != 200;
	my $arn = $started->{BulkOperationDescription}{BulkOperationArn};
	my $ended;
	wait_for(sub {
		$ended = decode_json(sql(qq{SELECT dynamo.try_call('DescribeBulkOperation', '{"BulkOperationArn": "$arn"}')}));
		($ended->{BulkOperationDescription}{BulkOperationStatus} // 'IN_PROGRESS') ne 'IN_PROGRESS' }) or die 'it does not end';
	my $description = $ended->{BulkOperationDescription};
	my ($kinds, $reports) = (join(' ', split /\n/, run("cd $buckets/files && find . -name '*.json' | grep AWSDynamoDB | sed 's,.*/\\([a-z-]*\\)/[0-9]*.json,\\1,' | sort")),
		run("cd $buckets/files && find . -name '*.json' | grep AWSDynamoDB | sort | xargs -r cat"));
	return ("$description->{BulkOperationStatus} failed $description->{FailedItemCount}", $kinds, $reports);
}

my $own = '{"Item":{"pk":{"S":"ACME#1"},"v":{"S":"new"}}}';
my $others = '{"Item":{"pk":{"S":"BETA#1"},"v":{"S":"forged"}}}';
my $spying = '{"Item":{"pk":{"S":"BETA#2"},"v":{"S":"forged"}},"ConditionExpression":"attribute_not_exists(pk)"}';
my %keys = ('dynamodb:LeadingKeys' => ['ACME#*']);
my $denied = qr/AccessDeniedException.*not authorized to perform: dynamodb:StartBulkPutItems on resource: $ARN because no identity-based policy allows/;

sub items
{
	return join ' ', split /\n/, sql(q{SELECT format('%s=%s', item ->> 'pk', item ->> 'v') FROM dynamo.scan('App') ORDER BY item ->> 'pk'});
}

# Each record is checked by its key, whichever operator the condition has.
foreach my $operator ('ForAllValues:StringLike', 'StringLike', 'ForAnyValue:StringLike', 'StringLikeIfExists')
{
	hold_to_keys({ $operator => \%keys });
	sql(q{SELECT dynamo.put_item('App', '{"pk": "ACME#1", "v": "old"}')});
	my ($outcome, $kinds, $reports) = bulk('acme', $own, $others, $spying);
	is($outcome, 'COMPLETED_WITH_ERRORS failed 2', "$operator: records with keys of others have failed");
	is($kinds, 'error', "$operator: and have no other report") or diag($reports);
	like($reports, $denied, "$operator: which says why");
	unlike($reports, qr/secret|ExistingItem/, "$operator: and nothing of what there is");
	is(items(), 'ACME#1=new BETA#1=secret BETA#2=secret', "$operator: others' items are as they were");
}

# A Deny counts, too, and so does what is known of the client when he asks.
hold_to_keys({ IpAddress => { 'aws:SourceIp' => '127.0.0.0/8' }, Bool => { 'aws:SecureTransport' => 'false' } }, [
		{ Effect => 'Deny', Action => 'dynamodb:StartBulkPutItems', Resource => '*',
			Condition => { 'ForAnyValue:StringNotLike' => \%keys } } ]);
my ($outcome, undef, $reports) = bulk('acme', $own, $others);
is($outcome, 'COMPLETED_WITH_ERRORS failed 1', 'a Deny of keys, from an address that is allowed');
like($reports, qr/with an explicit deny in an identity-based policy.*BETA#1/, 'names the record');
is(items(), 'ACME#1=new BETA#1=secret BETA#2=secret', 'others\' items are as they were');
hold_to_keys({ IpAddress => { 'aws:SourceIp' => '10.0.0.0/8' } });
like(bulk('acme', $own), qr/not authorized/, 'from another address nothing begins');

# Attributes: of the item, and of its condition; what is shown of the item there is.
hold_to_keys({ 'ForAllValues:StringEquals' => { 'dynamodb:Attributes' => [ 'pk', 'v' ] }, 'StringEqualsIfExists' => { 'dynamodb:ReturnValues' => 'NONE' } });
($outcome, undef, $reports) = bulk('acme', $own,
	'{"Item":{"pk":{"S":"ACME#1"},"w":{"S":"x"}}}',
	'{"Item":{"pk":{"S":"ACME#1"}},"ConditionExpression":"attribute_exists(w)"}',
	'{"Item":{"pk":{"S":"BETA#2"}},"ConditionExpression":"attribute_not_exists(pk)"}');
is($outcome, 'COMPLETED_WITH_ERRORS failed 3', 'attributes that are not allowed');
unlike($reports, qr/secret|ExistingItem/, 'and items that are not to be shown');

# The table's policy counts as the role's, for those that it names.
sql("SELECT dynamo.delete_role_policy('tenants', 'own')");
my $document = $json->encode({ Version => '2012-10-17', Statement => [ { Effect => 'Deny', Action => 'dynamodb:*', Resource => '*',
				Principal => { AWS => 'arn:aws:iam::000000000000:role/tenants' }, Condition => { 'ForAnyValue:StringNotLike' => \%keys } } ] });
like(sql("SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', '$ARN', 'Policy', \$p\$$document\$p\$))"), qr/RevisionId/, 'a policy of the table');
($outcome, undef, $reports) = bulk('acme', $own, $others);
is($outcome, 'COMPLETED_WITH_ERRORS failed 1', 'a Deny of the table');
like($reports, qr/with an explicit deny in a resource-based policy/, 'which the report names');
is((bulk('operator', $others))[0], 'COMPLETED failed 0', 'a role without a policy puts everything');
sql(q{SELECT dynamo.put_item('App', '{"pk": "BETA#1", "v": "secret"}')});

# What needs the whole table is refused, by the policy of either.
my $backup = sql("SELECT dynamo.create_backup('App', 'whole')");
my ($status, $answer);
my $stream = (ask_as('acme', 'DescribeTable', { TableName => 'App' }))[1]{Table}{LatestStreamArn};
my $iterator = sql("SELECT min(dynamo.call('GetShardIterator', json_build_object('StreamArn', '$stream', 'ShardIteratorType', 'TRIM_HORIZON',
	'ShardId', s ->> 'ShardId')) ->> 'ShardIterator') FROM json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn', '$stream')) #> '{StreamDescription,Shards}') s");
my %whole = (
	CreateBackup => { TableName => 'App', BackupName => 'mine' },
	DeleteBackup => { BackupArn => $backup },
	DeleteTable => { TableName => 'App' },
	PutResourcePolicy => { ResourceArn => $ARN, Policy => $document },
	DeleteResourcePolicy => { ResourceArn => $ARN },
	ExportTableToPointInTime => { TableArn => $ARN, S3Bucket => 'files' },
	RestoreTableFromBackup => { BackupArn => $backup, TargetTableName => 'Copy' },
	RestoreTableToPointInTime => { SourceTableArn => $ARN, TargetTableName => 'Copy', UseLatestRestorableTime => JSON::PP::true },
	Scan => { TableName => 'App' },
	ExecuteStatement => { Statement => 'SELECT * FROM "App"' },
	UpdateTimeToLive => { TableName => 'App', TimeToLiveSpecification => { AttributeName => 'v', Enabled => JSON::PP::true } },
	'DynamoDBStreams_20120810.GetRecords' => { ShardIterator => $iterator });
foreach my $policy (qw(table role))
{
	foreach my $operation (sort keys %whole)
	{
		($status, $answer) = ask_as('acme', $operation, $whole{$operation});
		next if $policy eq 'table' && $operation =~ /GetRecords/;    # a stream has a policy of its own
		like($answer->{Message}, qr/is not authorized to perform: .* (?:with an explicit deny|because no)/, "$operation is refused by a policy of the $policy");
	}
	hold_to_keys({ 'ForAllValues:StringLike' => \%keys });
}
is(items(), 'ACME#1=new BETA#1=secret BETA#2=secret', 'everything is as it was');
done_testing();

# Valid requests of each operation, and what they are about, for tests that go over
# all operations.
package Requests;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use JSON::PP;
use lib dirname(__FILE__);
use Server qw(wait_for);

our @EXPORT = qw($VAULT $POLICY $KEY %TABLE make_vault names_of requests service_of filled place);

our $VAULT = 'arn:aws:dynamodb:us-east-1:000000000000:table/Vault';

our $POLICY = qq({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:user/alice"},"Action":"dynamodb:GetItem","Resource":"$VAULT"}]});
our $KEY = { id => { S => 'crown' } };

# A table but for its name; files to be read.
our %TABLE = (
	AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(id g) ],
	KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
	BillingMode => 'PAY_PER_REQUEST',
	GlobalSecondaryIndexes => [ {
			IndexName => 'ByG', KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ],
			Projection => { ProjectionType => 'ALL' } } ],
	VectorIndexes => [ {
			IndexName => 'Near', VectorAttribute => { AttributeName => 'v' }, Dimensions => 1,
			DistanceFunction => 'EUCLIDEAN', Projection => { ProjectionType => 'ALL' } } ]);
my %INPUT = (S3Bucket => 'files', S3KeyPrefix => 'none/', InputFormat => 'DYNAMODB_JSON');

# Make the table "Vault", with an index, a stream, a past, a backup, an export, an
# import and a bulk operation.  The first argument asks for an operation, and gives
# what was answered; there is a bucket "files" to write to, with a file to read.
# Returns what these are called.
sub make_vault
{
	my ($must) = @_;
	my %has;
	$has{import} = $must->('ImportTable', {
			S3BucketSource => { S3Bucket => 'files', S3KeyPrefix => 'none/' }, InputFormat => 'DYNAMODB_JSON',
			TableCreationParameters => { %TABLE, TableName => 'Vault' } })->{ImportTableDescription}{ImportArn};
	becomes($must, 'DescribeImport', { ImportArn => $has{import} }, qw(ImportTableDescription ImportStatus COMPLETED));
	$must->('UpdateTable', { TableName => 'Vault', StreamSpecification => { StreamEnabled => JSON::PP::true, StreamViewType => 'NEW_IMAGE' } });
	$must->('UpdateContinuousBackups', { TableName => 'Vault', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
	$must->('PutItem', { TableName => 'Vault', Item => { %$KEY, g => { S => 'x' }, secret => { S => 'jewels' } } });
	$has{backup} = $must->('CreateBackup', { TableName => 'Vault', BackupName => 'kept' })->{BackupDetails}{BackupArn};
	becomes($must, 'DescribeBackup', { BackupArn => $has{backup} }, qw(BackupDescription BackupDetails BackupStatus AVAILABLE));
	$has{export} = $must->('ExportTableToPointInTime', { TableArn => $VAULT, S3Bucket => 'files' })->{ExportDescription}{ExportArn};
	becomes($must, 'DescribeExport', { ExportArn => $has{export} }, qw(ExportDescription ExportStatus COMPLETED));
	$has{bulk} = $must->('StartBulkPutItems', {
			TableName => 'Vault', InputS3Configuration => \%INPUT,
			OutputS3Configuration => { S3Bucket => 'files', OutputType => ['ERROR'] } })->{BulkOperationDescription}{BulkOperationArn};
	$has{stream} = $must->('DescribeTable', { TableName => 'Vault' })->{Table}{LatestStreamArn};
	wait_for(sub {
			foreach (@{ $must->('DescribeStream', { StreamArn => $has{stream} })->{StreamDescription}{Shards} })
			{
				$has{shard} = $_->{ShardId};
				$has{iterator} = $must->('GetShardIterator',
					{ StreamArn => $has{stream}, ShardId => $has{shard}, ShardIteratorType => 'TRIM_HORIZON' })->{ShardIterator};
				return 1 if @{ $must->('GetRecords', { ShardIterator => $has{iterator} })->{Records} };
			}
			return 0;
		}, 60) or die 'no records';
	return %has;
}

# An operation's answer has this value at last, below these members.
sub becomes
{
	my ($must, $operation, $request, @path) = @_;
	my $value = pop @path;
	my $answer;
	wait_for(sub {
			$answer = my $part = $must->($operation, $request);
			$part = $part->{$_} foreach @path;
			return $part eq $value;
		}, 60) or die "$operation: " . JSON::PP->new->encode($answer);
	return;
}

# What may stand in a member that names something: the names of what there is, in
# the spellings that mean it.
sub names_of
{
	my (%has) = @_;
	return (
		(map { $_ => [ 'Vault', $VAULT ] } qw(TableName RequestItems{} TargetTableName SourceTableName)),
		GlobalTableName => ['Vault'],
		(map { $_ => [ $VAULT, 'Vault' ] } qw(TableArn SourceTableArn)),
		ResourceArn => [ $VAULT, $has{stream}, 'Vault' ],
		(map { $_ => [ $has{stream} ] } qw(StreamArn ExclusiveStartStreamArn)),
		(map { $_ => [ $has{backup} ] } qw(BackupArn ExclusiveStartBackupArn)),
		ExportArn => [ $has{export} ],
		ImportArn => [ $has{import} ],
		BulkOperationArn => [ $has{bulk} ],
		ShardIterator => [ $has{iterator} ],
		IndexName => ['ByG'],
		Request => [ map { qq({"TableName":"$_"}) } 'Vault', $VAULT ]);
}

# What the target of an operation begins with, as its row in the table of operations
# says, which is read while the folder is the one that we were started in; "" for most.
my %services = do {
	my $table = do { local (@ARGV, $/) = dirname(__FILE__) . '/../../src/operation/operation_table.c'; <> };
	my %prefix = $table =~ /^#define (\w+)\s+"(\w+\.)"$/gm;
	my @rows = $table =~ /^\t\{"(\w+)", (\w+)[,}]/gm;
	map { $rows[ 2 * $_ ] => $prefix{ $rows[ 2 * $_ + 1 ] } } 0 .. $#rows / 2;
};

sub service_of
{
	my ($operation) = @_;
	my $service = $services{$operation} // die "$operation is not in the table of operations";
	return $service =~ /^DynamoDB_/ ? '' : $service;
}

# Requests by operation: "?" is a place for a name, of the table "Vault", of its
# index "ByG" or of what belongs to it; one that names nothing has none.
sub requests
{
	my (%has) = @_;
	my %put = (PutRequest => { Item => $KEY });
	my %write = (Key => $KEY, TableName => '?');
	my $set = { UpdateExpression => 'SET v = :v', ExpressionAttributeValues => { ':v' => { S => 'v' } } };
	return (
		BatchExecuteStatement => [ { Statements => [ { Statement => '?' } ] } ],
		BatchGetItem => [ { RequestItems => { '?' => { Keys => [$KEY] } } } ],
		BatchWriteItem => [ { RequestItems => { '?' => [ \%put ] } } ],
		CancelBulkOperation => [ { BulkOperationArn => '?' } ],
		CreateBackup => [ { TableName => '?', BackupName => 'another' } ],
		CreateGlobalTable => [ { GlobalTableName => '?', ReplicationGroup => [] } ],
		CreateTable => [ { %TABLE, TableName => '?' } ],
		DeleteBackup => [ { BackupArn => '?' } ],
		DeleteItem => [ \%write ],
		DeleteResourcePolicy => [ { ResourceArn => '?' } ],
		DeleteTable => [ { TableName => '?' } ],
		DescribeBackup => [ { BackupArn => '?' } ],
		DescribeBulkOperation => [ { BulkOperationArn => '?' } ],
		DescribeContinuousBackups => [ { TableName => '?' } ],
		DescribeContributorInsights => [ { TableName => '?' }, { TableName => 'Vault', IndexName => '?' } ],
		DescribeEndpoints => [ {} ],
		DescribeExport => [ { ExportArn => '?' } ],
		DescribeGlobalTable => [ { GlobalTableName => '?' } ],
		DescribeGlobalTableSettings => [ { GlobalTableName => '?' } ],
		DescribeHotKeys => [ { TableName => '?' }, { TableName => 'Vault', IndexName => '?' } ],
		DescribeImport => [ { ImportArn => '?' } ],
		DescribeKinesisStreamingDestination => [ { TableName => '?' } ],
		DescribeLimits => [ {} ],
		DescribePlan => [ { Operation => 'Scan', Request => '?' } ],
		DescribeStatistics => [ { TableName => '?' } ],
		DescribeStream => [ { StreamArn => '?' } ],
		DescribeTable => [ { TableName => '?' } ],
		DescribeTableReplicaAutoScaling => [ { TableName => '?' } ],
		DescribeTimeToLive => [ { TableName => '?' } ],
		DisableKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40 } ],
		EnableKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40 } ],
		ExecuteStatement => [ { Statement => '?' } ],
		ExecuteTransaction => [ { TransactStatements => [ { Statement => '?' } ] } ],
		ExportTableToPointInTime => [ { TableArn => '?', S3Bucket => 'files' } ],
		GetFilterMatches => [ { FilterCriteria => '{}', Records => '[]' } ],
		GetItem => [ \%write ],
		GetItemAsOf => [ { %write, AsOf => 1 } ],
		GetRecords => [ { ShardIterator => '?' } ],
		GetResourcePolicy => [ { ResourceArn => '?' } ],
		GetShardIterator => [ { StreamArn => '?', ShardId => $has{shard}, ShardIteratorType => 'TRIM_HORIZON' } ],
		ImportTable => [ { S3BucketSource => { S3Bucket => 'files' }, InputFormat => 'DYNAMODB_JSON', TableCreationParameters => { %TABLE, TableName => '?' } } ],
		ListBackups => [ { TableName => '?' }, { ExclusiveStartBackupArn => '?' } ],
		ListBulkOperations => [ {} ],
		ListContributorInsights => [ { TableName => '?' } ],
		ListEventSourceMappings => [ {} ],
		ListExports => [ { TableArn => '?' } ],
		ListGlobalTables => [ {} ],
		ListImports => [ { TableArn => '?' } ],
		ListJobs => [ {} ],
		ListStreams => [ { TableName => '?' }, { ExclusiveStartStreamArn => '?' } ],
		ListTables => [ {} ],
		ListTagsOfResource => [ { ResourceArn => '?' } ],
		ListWorkers => [ {} ],
		PutItem => [ { TableName => '?', Item => $KEY } ],
		PutResourcePolicy => [ { ResourceArn => '?', Policy => $POLICY } ],
		Query => [
			{ TableName => '?', KeyConditionExpression => 'id = :v', ExpressionAttributeValues => { ':v' => { S => 'crown' } } },
			{ TableName => '?', IndexName => 'ByG', KeyConditionExpression => 'g = :v', ExpressionAttributeValues => { ':v' => { S => 'x' } } } ],
		RestoreTableFromBackup => [ { TargetTableName => 'New', BackupArn => '?' }, { TargetTableName => '?', BackupArn => $has{backup} } ],
		RestoreTableToPointInTime => [
			map { { TargetTableName => 'New', UseLatestRestorableTime => JSON::PP::true, %$_ } }
			  { SourceTableName => '?' }, { SourceTableArn => '?' },
			{ SourceTableName => 'Mine', TargetTableName => '?' }, { SourceTableName => 'Mine', SourceTableArn => '?' } ],
		SearchVectors => [ { TableName => '?', IndexName => 'Near', SearchVector => [ { N => '1' } ], TopK => 1 } ],
		Scan => [ { TableName => '?' }, { TableName => '?', IndexName => 'ByG' } ],
		StartBulkPutItems => [ { TableName => '?', InputS3Configuration => \%INPUT, OutputS3Configuration => { S3Bucket => 'files', OutputType => ['ERROR'] } } ],
		TagResource => [ { ResourceArn => '?', Tags => [ { Key => 'k', Value => 'v' } ] } ],
		TransactGetItems => [ { TransactItems => [ { Get => \%write } ] } ],
		TransactWriteItems => [
			{ TransactItems => [ { Put => { TableName => '?', Item => $KEY } } ] },
			{ TransactItems => [ { Delete => \%write } ] },
			{ TransactItems => [ { Update => { %write, %$set } } ] },
			{ TransactItems => [ { ConditionCheck => { %write, ConditionExpression => 'attribute_exists(id)' } } ] } ],
		UntagResource => [ { ResourceArn => '?', TagKeys => ['k'] } ],
		UpdateContinuousBackups => [ { TableName => '?', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::false } } ],
		UpdateContributorInsights => [ map { { ContributorInsightsAction => 'ENABLE', %$_ } } { TableName => '?' }, { TableName => 'Vault', IndexName => '?' } ],
		UpdateEventSourceMapping => [ { Mapping => 2147483647 } ],
		UpdateGlobalTable => [ { GlobalTableName => '?', ReplicaUpdates => [] } ],
		UpdateGlobalTableSettings => [ { GlobalTableName => '?' } ],
		UpdateItem => [ { %write, %$set } ],
		UpdateKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40,
			UpdateKinesisStreamingConfiguration => { ApproximateCreationDateTimePrecision => 'MICROSECOND' } } ],
		UpdateTable => [ { TableName => '?', DeletionProtectionEnabled => JSON::PP::false } ],
		UpdateTableReplicaAutoScaling => [ { TableName => '?' } ],
		UpdateTimeToLive => [ { TableName => '?', TimeToLiveSpecification => { AttributeName => 't', Enabled => JSON::PP::true } } ]);
}

# A request with a name in its place.
sub filled
{
	my ($part, $name) = @_;
	return [ map { filled($_, $name) } @$part ] if ref $part eq 'ARRAY';
	return { map { ($_ eq '?' ? $name : $_) => filled($part->{$_}, $name) } keys %$part } if ref $part eq 'HASH';
	return defined $part && !ref $part && $part eq '?' ? $name : $part;
}

# The last member on the path to the place of a name; "": there is none.
sub place
{
	my ($part, $path) = @_;
	if (ref $part eq 'HASH')
	{
		return "$path\{}" if exists $part->{'?'};
		foreach my $member (keys %$part)
		{
			my $found = place($part->{$member}, $member);
			return $found if $found ne '';
		}
	}
	elsif (ref $part eq 'ARRAY')
	{
		my ($found) = grep { $_ ne '' } map { place($_, $path) } @$part;
		return $found // '';
	}
	return defined $part && !ref $part && $part eq '?' ? $path : '';
}

1;

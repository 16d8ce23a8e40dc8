# Attacker: a tenant whom policies forbid a table, though privileges let him do
# everything with it: he owns it.
# Wants: to reach it all the same, by a name that the policy does not see.
#
# Each operation, by each member of its request that names something, in each
# spelling of the name, by HTTP and by dynamo.call.  Operations and members come
# from the table of commands: a new one without a request here fails the test.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use List::Util qw(any uniq);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/Vault';
my $KEY = { id => { S => 'crown' } };
my $json = JSON::PP->new->canonical;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s");
my $buckets = directory() . '/buckets';
as_server_user('sh', '-c', qq(mkdir -p $buckets/files/none && echo '{"Item":{"id":{"S":"old"}}}' >$buckets/files/none/a.json)) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory;
	SELECT dynamo.grant_bucket('files', 'mallory');
});
my $mallory = new_key('mallory');
wait_for(sub { connection() }) or die 'nothing is served';
my $socket = connection();

# The answer of an operation to mallory, by HTTP: status and body.
sub ask_http
{
	my ($operation, $body) = @_;
	my $service = $operation =~ /^(?:DescribeStream|GetRecords|GetShardIterator|ListStreams)$/ ? 'DynamoDBStreams_20120810.' : '';
	my $answer = call_as($mallory, "$service$operation", $body, $socket);
	$socket = connection() if ($answer->{head}{connection} // 'close') eq 'close' || !defined $answer->{status};
	return $answer;
}

sub must
{
	my ($operation, $request) = @_;
	my $answer = ask_http($operation, $json->encode($request));
	($answer->{status} // 0) == 200 or die "$operation: $answer->{body}";
	return decode_json($answer->{body});
}

# What there is to be had: a table with an index, a stream, a past, a backup, an
# export, an import, a bulk operation; and a table of the tenant's own.
my %table = (
	AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(id g) ],
	KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
	BillingMode => 'PAY_PER_REQUEST',
	GlobalSecondaryIndexes => [ {
			IndexName => 'ByG', KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ],
			Projection => { ProjectionType => 'ALL' } } ]);
my %input = (S3Bucket => 'files', S3KeyPrefix => 'none/', InputFormat => 'DYNAMODB_JSON');
my $import = must('ImportTable', {
		S3BucketSource => { S3Bucket => 'files', S3KeyPrefix => 'none/' }, InputFormat => 'DYNAMODB_JSON',
		TableCreationParameters => { %table, TableName => 'Vault' } })->{ImportTableDescription}{ImportArn};
wait_for(sub { must('DescribeImport', { ImportArn => $import })->{ImportTableDescription}{ImportStatus} eq 'COMPLETED' }, 30)
  or die ask_http('DescribeImport', $json->encode({ ImportArn => $import }))->{body};
must('CreateTable', { %table, TableName => 'Mine' });
must('UpdateTable', { TableName => 'Vault', StreamSpecification => { StreamEnabled => JSON::PP::true, StreamViewType => 'NEW_IMAGE' } });
must('UpdateContinuousBackups', { TableName => 'Vault', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
must('PutItem', { TableName => 'Vault', Item => { %$KEY, g => { S => 'x' }, secret => { S => 'jewels' } } });
must('PutItem', { TableName => 'Mine', Item => $KEY });
my $backup = must('CreateBackup', { TableName => 'Vault', BackupName => 'kept' })->{BackupDetails}{BackupArn};
wait_for(sub { must('DescribeBackup', { BackupArn => $backup })->{BackupDescription}{BackupDetails}{BackupStatus} eq 'AVAILABLE' }, 30) or die 'no backup';
my $export = must('ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files' })->{ExportDescription}{ExportArn};
wait_for(sub { must('DescribeExport', { ExportArn => $export })->{ExportDescription}{ExportStatus} eq 'COMPLETED' }, 30) or die 'no export';
my $bulk = must('StartBulkPutItems', {
		TableName => 'Vault', InputS3Configuration => \%input,
		OutputS3Configuration => { S3Bucket => 'files', OutputType => ['ERROR'] } })->{BulkOperationDescription}{BulkOperationArn};
my $stream = must('DescribeTable', { TableName => 'Vault' })->{Table}{LatestStreamArn};
my ($shard, $iterator);
ok(wait_for(sub {
	foreach (@{ must('DescribeStream', { StreamArn => $stream })->{StreamDescription}{Shards} })
	{
		$shard = $_->{ShardId};
		$iterator = must('GetShardIterator', { StreamArn => $stream, ShardId => $shard, ShardIteratorType => 'TRIM_HORIZON' })->{ShardIterator};
		return 1 if @{ must('GetRecords', { ShardIterator => $iterator })->{Records} };
	}
	return 0;
}, 30), 'without a policy he has the stream');

# A valid request of each operation, but for what names something: "?" is a place
# for a name.  One that names nothing has none.
my %put = (PutRequest => { Item => $KEY });
my %write = (Key => $KEY, TableName => '?');
my $set = { UpdateExpression => 'SET v = :v', ExpressionAttributeValues => { ':v' => { S => 'v' } } };
my %request = (
	BatchExecuteStatement => [ { Statements => [ { Statement => '?' } ] } ],
	BatchGetItem => [ { RequestItems => { '?' => { Keys => [$KEY] } } } ],
	BatchWriteItem => [ { RequestItems => { '?' => [ \%put ] } } ],
	CancelBulkOperation => [ { BulkOperationArn => '?' } ],
	CreateBackup => [ { TableName => '?', BackupName => 'another' } ],
	CreateGlobalTable => [ { GlobalTableName => '?', ReplicationGroup => [] } ],
	CreateTable => [ { %table, TableName => '?' } ],
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
	DescribeImport => [ { ImportArn => '?' } ],
	DescribeKinesisStreamingDestination => [ { TableName => '?' } ],
	DescribeLimits => [ {} ],
	DescribeStream => [ { StreamArn => '?' } ],
	DescribeTable => [ { TableName => '?' } ],
	DescribeTableReplicaAutoScaling => [ { TableName => '?' } ],
	DescribeTimeToLive => [ { TableName => '?' } ],
	DisableKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40 } ],
	EnableKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40 } ],
	ExecuteStatement => [ { Statement => '?' } ],
	ExecuteTransaction => [ { TransactStatements => [ { Statement => '?' } ] } ],
	ExportTableToPointInTime => [ { TableArn => '?', S3Bucket => 'files' } ],
	GetItem => [ \%write ],
	GetRecords => [ { ShardIterator => '?' } ],
	GetResourcePolicy => [ { ResourceArn => '?' } ],
	GetShardIterator => [ { StreamArn => '?', ShardId => $shard, ShardIteratorType => 'TRIM_HORIZON' } ],
	ImportTable => [ { S3BucketSource => { S3Bucket => 'files' }, InputFormat => 'DYNAMODB_JSON', TableCreationParameters => { %table, TableName => '?' } } ],
	ListBackups => [ { TableName => '?' }, { ExclusiveStartBackupArn => '?' } ],
	ListBulkOperations => [ {} ],
	ListContributorInsights => [ { TableName => '?' } ],
	ListExports => [ { TableArn => '?' } ],
	ListGlobalTables => [ {} ],
	ListImports => [ { TableArn => '?' } ],
	ListStreams => [ { TableName => '?' }, { ExclusiveStartStreamArn => '?' } ],
	ListTables => [ {} ],
	ListTagsOfResource => [ { ResourceArn => '?' } ],
	PutItem => [ { TableName => '?', Item => $KEY } ],
	PutResourcePolicy => [ { ResourceArn => '?', Policy => '{"Version":"2012-10-17","Statement":[]}' } ],
	Query => [
		{ TableName => '?', KeyConditionExpression => 'id = :v', ExpressionAttributeValues => { ':v' => { S => 'crown' } } },
		{ TableName => '?', IndexName => 'ByG', KeyConditionExpression => 'g = :v', ExpressionAttributeValues => { ':v' => { S => 'x' } } } ],
	RestoreTableFromBackup => [ { TargetTableName => 'New', BackupArn => '?' }, { TargetTableName => '?', BackupArn => $backup } ],
	RestoreTableToPointInTime => [
		map { { TargetTableName => 'New', UseLatestRestorableTime => JSON::PP::true, %$_ } }
		  { SourceTableName => '?' }, { SourceTableArn => '?' },
		{ SourceTableName => 'Mine', TargetTableName => '?' }, { SourceTableName => 'Mine', SourceTableArn => '?' } ],
	Scan => [ { TableName => '?' }, { TableName => '?', IndexName => 'ByG' } ],
	StartBulkPutItems => [ { TableName => '?', InputS3Configuration => \%input, OutputS3Configuration => { S3Bucket => 'files', OutputType => ['ERROR'] } } ],
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
	UpdateGlobalTable => [ { GlobalTableName => '?', ReplicaUpdates => [] } ],
	UpdateGlobalTableSettings => [ { GlobalTableName => '?' } ],
	UpdateItem => [ { %write, %$set } ],
	UpdateKinesisStreamingDestination => [ { TableName => '?', StreamArn => 'x' x 40,
		UpdateKinesisStreamingConfiguration => { ApproximateCreationDateTimePrecision => 'MICROSECOND' } } ],
	UpdateTable => [ { TableName => '?', DeletionProtectionEnabled => JSON::PP::false } ],
	UpdateTableReplicaAutoScaling => [ { TableName => '?' } ],
	UpdateTimeToLive => [ { TableName => '?', TimeToLiveSpecification => { AttributeName => 't', Enabled => JSON::PP::true } } ]);

# What may stand in a member: the names of what there is, in spellings that mean
# it, and what is no name of it, or not here.
my @statements = (
	q{SELECT * FROM "Vault" WHERE id = 'crown'}, q{select*from"Vault"where "id"in['crown']}, q{SELECT * FROM Vault},
	q{SELECT g FROM "Vault"."ByG" WHERE g = 'x'}, q{UPDATE "Vault" SET v = 1 WHERE id = 'crown'},
	q{DELETE FROM "Vault" WHERE id = 'crown'}, q{INSERT INTO "Vault" VALUE {'id': 'crown'}},
	q{EXISTS(SELECT * FROM "Vault" WHERE id = 'crown' AND g = 'x')});
my %named = (
	TableName => [ 'Vault', $ARN ],
	'RequestItems{}' => [ 'Vault', $ARN ],
	TargetTableName => [ 'Vault', $ARN ],
	SourceTableName => [ 'Vault', $ARN ],
	GlobalTableName => ['Vault'],
	TableArn => [ $ARN, 'Vault' ],
	SourceTableArn => [ $ARN, 'Vault' ],
	ResourceArn => [ $ARN, $stream, 'Vault' ],
	StreamArn => [$stream],
	ExclusiveStartStreamArn => [$stream],
	BackupArn => [$backup],
	ExclusiveStartBackupArn => [$backup],
	ExportArn => [$export],
	ImportArn => [$import],
	BulkOperationArn => [$bulk],
	ShardIterator => [$iterator],
	IndexName => ['ByG'],
	Statement => \@statements);

# Other spellings of a name: cases, region, account, partition, what is before
# and behind it, another table in place of this one.
sub twisted
{
	my ($name) = @_;
	my @twists = (sub { uc }, sub { lc }, sub { "$_/" }, sub { " $_" }, sub { "$_ " },
		sub { s/us-east-1/eu-west-1/r }, sub { s/us-east-1/US-EAST-1/r }, sub { s/us-east-1//r },
		sub { s/0{12}/111111111111/r }, sub { s/0{12}//r }, sub { s/:aws:/:aws-cn:/r }, sub { s/:aws:/:AWS:/r },
		sub { s/^arn:/ARN:/r }, sub { s/:dynamodb:/:DynamoDB:/r }, sub { s/table/Table/r }, sub { s{Vault/}{Mine/}r },
		sub { s{table/}{table//}r }, sub { s{Vault}{%56ault}r }, sub { s{Vault}{./Vault}r }, sub { "$_:x" }, sub { "$_\0" }, sub { s/Vault/Va\0ult/r }, sub { s{Vault}{Vault/index/ByG}r },
		sub { s{/(stream|backup|export|import|bulk-operation)/.*}{}r });
	return grep { $_ ne $name } uniq(map { my $twist = $_; local $_ = $name; $twist->() } @twists);
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

# The table of commands: what is to be tried.
my $commands = decode_json(sql('SELECT json_agg(o) FROM dynamo_internal.operations() o WHERE available'));
my @tries;
foreach my $command (@$commands)
{
	my ($operation, $names) = @$command{qw(operation names)};
	my $requests = $request{$operation};
	if (!ok($requests, "$operation is known here"))
	{
		next;
	}
	my %tried = map { $_ => 1 } map { place($_, '') } @$requests;
	foreach my $last (uniq(map { /([^.]+)$/ } @$names))
	{
		ok($tried{$last} || $last eq 'IndexName' && $command->{checked} ne 'names', "$operation is tried by its $last");
		ok($named{$last}, "$last has names");
	}
	foreach my $request (@$requests)
	{
		my $place = place($request, '');
		my @names = $place eq '' ? ('') : @{ $named{$place} };
		foreach my $name (@names)
		{
			my $text = $json->encode(filled($request, $name));
			push @tries, { operation => $operation, checked => $command->{checked}, name => $name, text => $text,
				own => 1, place => $place };
			push @tries, map { { operation => $operation, checked => $command->{checked}, name => $_,
					text => $json->encode(filled($request, $_)), place => $place } } twisted($name)
			  if $place ne '' && $place ne 'Statement';
			# the same text in another notation; a member twice, the second counts
			push @tries, { %{ $tries[-1] }, own => 1, text => $text =~ s/"Vault"/"\\u0056ault"/r } if $name eq 'Vault';
			push @tries, { operation => $operation, checked => $command->{checked}, name => $name, place => $place, own => 1,
				text => $text =~ s/^\{/{"$place":"Mine",/r } if $name eq 'Vault' && exists $request->{$place};
		}
	}
}
cmp_ok(scalar @tries, '>', 1000, 'there is much to try');

# What may have changed by what was tried.
sub state
{
	my $state = sql(q{SELECT table_name, settings FROM dynamo.tables WHERE table_name IN ('Vault', 'Mine', 'New') ORDER BY 1;
		SELECT item FROM dynamo_data."Vault"; SELECT backup_id FROM dynamo.backups WHERE table_name = 'Vault';
		SELECT kind, count(*) FROM dynamo.jobs WHERE table_name = 'Vault' GROUP BY 1 ORDER BY 1;
		SELECT table_name, stream_label, revision_id FROM dynamo.resource_policies ORDER BY 1, 2});
	$state =~ /ERROR/ and die $state;
	return $state;
}

# Try everything by both doors.  What names the vault is denied; what does not is
# refused, or says nothing of it.  "all": whatever it names is denied.
sub sweep
{
	my ($what, $all) = @_;
	my $before = state();
	my (%answers, %wrong);
	my $n = 0;
	my $is_out = sub { !$all && ($_[0]{checked} eq 'all' || $_[0]{place} eq '') };
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$answers{"$try"}{http} = ask_http($try->{operation}, $try->{text})->{body};
	}
	my $script = "SET ROLE mallory;\n";
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$script .= "SELECT dynamo.try_call('$try->{operation}', \$call\$$try->{text}\$call\$);\n";
	}
	my @lines = split /\n/, sql($script);
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$answers{"$try"}{call} = shift @lines;
		foreach my $door (qw(http call))
		{
			my $answer = $answers{"$try"}{$door} // '';
			my $denied = $answer =~ /AccessDenied.*with an explicit deny in (?:an identity|a resource)-based policy"/;
			my $refused = $answer =~ /"__type"|"Error"/;
			$n++;
			# a name that its member does not take is wrong by itself
			my $shape = $answer =~ /ValidationE|SerializationException/;
			next if $denied;
			next if !$try->{own} && ($refused || (!$all && $answer !~ /Vault|jewels/));
			next if $shape && (!$try->{own} || $try->{name} =~ /^arn:/ && $try->{place} =~ /^(?:TargetTableName|SourceTableName|TableName)$/
				|| $try->{name} eq 'Vault' && $try->{place} =~ /Arn$/ || $try->{place} eq 'Statement');
			$wrong{"$try->{operation} $try->{text} by $door: $answer"} = 1;
		}
	}
	is(join("\n", sort keys %wrong), '', "$what: $n requests, none gets through");
	is(scalar @lines, 0, 'each has one answer');
	is(state(), $before, 'and nothing has changed');
	return;
}

sub document
{
	my ($resources, %more) = @_;
	return $json->encode({ Version => '2012-10-17', Statement => [
				{ Effect => 'Allow', Action => '*', Resource => '*', ($more{Principal} ? (Principal => $more{Principal}) : ()) },
				{ Effect => 'Deny', Action => 'dynamodb:*', Resource => $resources, %more } ] });
}

is(sql("SELECT dynamo.put_role_policy('mallory', 'p', '" . document([ $ARN, "$ARN/*" ]) . "')"), '', 'a policy of the role');
sweep('a Deny of the role on the table');
is(sql("SELECT dynamo.put_role_policy('mallory', 'p', '" . document('*') . "')"), '', 'a policy on everything');
sweep('a Deny of the role on everything', 1);
sql("SELECT dynamo.delete_role_policy('mallory', 'p')");
foreach my $resource ($ARN, $stream)
{
	my $document = document('*', Principal => { AWS => 'arn:aws:iam::000000000000:user/mallory' });
	like(sql("SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', '$resource', 'Policy', \$p\$$document\$p\$))"),
		qr/RevisionId/, 'a policy of the table or stream');
}
sweep('a Deny of the table and its stream');
done_testing();

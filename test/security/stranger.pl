# Who: a role with an access key and a session, without any privilege on a table
# of somebody else's.
# Owns: nothing.  Wants: to know what the table is like: its key, its indexes,
# tags, time to live, streams and shards.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_role = stranger\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo;
	CREATE ROLE stranger LOGIN;
	CREATE ROLE secretary;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO secretary;
	SET ROLE secretary;
	SELECT dynamo.create_table('Secret', 'hidden_key', 'hidden_sort');
	SELECT dynamo.create_index('Secret', 'HiddenIndex', 'hidden_index');
	SELECT dynamo.enable_ttl('Secret', 'hidden_ttl');
	SELECT dynamo.enable_stream('Secret');
	SELECT dynamo.call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Secret", "Tags": [{"Key": "hidden_tag", "Value": "x"}]}')});
my $label = sql(q{SELECT label FROM dynamo.streams});
my $shard = sql(qq{SELECT dynamo.call('DescribeStream', json_build_object('StreamArn',
	'arn:aws:dynamodb:us-east-1:000000000000:table/Secret/stream/$label')) #>> '{StreamDescription,Shards,0,ShardId}'});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

my $arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Secret';
my $stream = "$arn/stream/$label";
my $table = '"TableName":"Secret"';
my $key = '"Key":{"wrong":{"S":"a"}}';
my @denied = (
	[DescribeTable => "{$table}"],
	[DescribeTable => qq({"TableName":"$arn"})],
	[DescribeTimeToLive => "{$table}"],
	[DescribeContinuousBackups => "{$table}"],
	[DescribeContributorInsights => qq({$table,"IndexName":"HiddenIndex"})],
	[DescribeContributorInsights => qq({$table,"IndexName":"NoIndex"})],
	[DescribeKinesisStreamingDestination => "{$table}"],
	[ListTagsOfResource => qq({"ResourceArn":"$arn"})],
	[ListTagsOfResource => qq({"ResourceArn":"$stream"})],
	[TagResource => qq({"ResourceArn":"$arn","Tags":[{"Key":"a","Value":"b"}]})],
	[UntagResource => qq({"ResourceArn":"$arn","TagKeys":["hidden_tag"]})],
	[GetResourcePolicy => qq({"ResourceArn":"$arn"})],
	[GetResourcePolicy => qq({"ResourceArn":"$stream"})],
	[UpdateContinuousBackups => qq({$table,"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}})],
	[CreateBackup => qq({$table,"BackupName":"copy"})],
	[UpdateContributorInsights => qq({$table,"ContributorInsightsAction":"ENABLE"})],
	[PutResourcePolicy => qq({"ResourceArn":"$arn","Policy":"{}"})],
	[DeleteResourcePolicy => qq({"ResourceArn":"$arn"})],
	[ExecuteStatement => q({"Statement":"SELECT * FROM \\"Secret\\""})],
	[ExecuteStatement => q({"Statement":"DELETE FROM \\"Secret\\" WHERE wrong='a'"})],
	[RestoreTableToPointInTime => '{"SourceTableName":"Secret","TargetTableName":"Copy","UseLatestRestorableTime":true}'],
	[ExportTableToPointInTime => qq({"TableArn":"$arn","S3Bucket":"bucket"})],
	[UpdateTable => qq({$table,"DeletionProtectionEnabled":true})],
	[UpdateTable => qq({$table,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})],
	[UpdateTimeToLive => qq({$table,"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"other"}})],
	[DeleteTable => "{$table}"],
	[GetItem => "{$table,$key}"],
	[PutItem => qq({$table,"Item":{"wrong":{"S":"a"}}})],
	[DeleteItem => "{$table,$key}"],
	[UpdateItem => "{$table,$key}"],
	[Query => qq({$table,"KeyConditionExpression":"wrong = :v","ExpressionAttributeValues":{":v":{"S":"a"}}})],
	[Query => qq({$table,"IndexName":"NoIndex","KeyConditionExpression":"wrong = :v","ExpressionAttributeValues":{":v":{"S":"a"}}})],
	[Scan => qq({$table,"IndexName":"HiddenIndex"})],
	[BatchGetItem => qq({"RequestItems":{"Secret":{"Keys":[{"wrong":{"S":"a"}}]}}})],
	[BatchWriteItem => qq({"RequestItems":{"Secret":[{"DeleteRequest":{$key}}]}})],
	[TransactGetItems => qq({"TransactItems":[{"Get":{$table,$key}}]})],
	[TransactWriteItems => qq({"TransactItems":[{"Delete":{$table,$key}}]})]);
my @streams = (
	[DescribeStream => qq({"StreamArn":"$stream"})],
	[DescribeStream => qq({"StreamArn":"$arn/stream/2020-01-01T00:00:00.000"})],
	[GetShardIterator => qq({"StreamArn":"$stream","ShardId":"$shard","ShardIteratorType":"LATEST"})],
	[GetShardIterator => qq({"StreamArn":"$stream","ShardId":"shardId-00000000000000000000-00000000","ShardIteratorType":"LATEST"})]);

sub ask_for
{
	my ($operation, $body) = @_;
	my %head = $operation =~ /Stream$|Shard/ ? ('X-Amz-Target' => "DynamoDBStreams_20120810.$operation") : ();
	return call($operation, $body, \%head)->{body};
}
foreach my $case (@denied, @streams)
{
	my ($operation, $body) = @$case;
	my $answer = ask_for($operation, $body);
	like($answer, qr/AccessDeniedException.* is not authorized to perform: dynamodb:\w+ on resource: \S/,
		"$operation is denied");
	unlike($answer, qr/hidden/i, "... and tells nothing");
}

# Lists: that there is a table is told, as by \d; its streams are not.
is(ask_for('ListTables', '{}'), '{"TableNames":["Secret"]}', 'ListTables');
my %list = ('X-Amz-Target' => 'DynamoDBStreams_20120810.ListStreams');
is(call('ListStreams', '{}', \%list)->{body}, '{"Streams":[]}', 'ListStreams');
is(call('ListStreams', "{$table}", \%list)->{body}, '{"Streams":[]}', 'ListStreams of the table');

# SQL: the definition tables show what the API shows.
sub as { sql("SET ROLE $_[0]; $_[1]") }
my $rows = q{SELECT (SELECT count(*) FROM dynamo.tables), (SELECT count(*) FROM dynamo.indexes), (SELECT count(*) FROM dynamo.streams)};
is(as('stranger', $rows), '0 0 0', 'definitions, for a stranger');
is(as('secretary', $rows), '1 1 1', 'for the owner');
like(as('stranger', q{SELECT * FROM dynamo.stream('Secret')}), qr/not authorized to perform: dynamodb:GetRecords/, 'stream()');
like(as('stranger', q{SELECT dynamo.expire_items('Secret')}), qr/not authorized to perform: dynamodb:DeleteItem/, 'expire_items()');
like(as('stranger', q{SELECT dynamo.disable_ttl('Secret')}), qr/not authorized to perform: dynamodb:UpdateTimeToLive/, 'disable_ttl()');
like(as('stranger', q{SELECT dynamo.create_index('Secret', 'HiddenIndex', 'a')}), qr/must be owner of table Secret/, 'create_index()');

# Any privilege is enough to be told, also one on a column, or to own it.
my $describe = q{SELECT dynamo.call('DescribeTable', '{"TableName": "Secret"}') #>> '{Table,KeySchema,0,AttributeName}'};
sub with
{
	return sql(qq{GRANT $_[0] ON dynamo_data."Secret" TO stranger; SET ROLE stranger; $_[1];
		RESET ROLE; REVOKE $_[0] ON dynamo_data."Secret" FROM stranger});
}
is(with($_, "$describe; $rows"), "hidden_key\n1 1 1", "told with $_, by the tables, too")
  foreach 'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'SELECT (pk)', 'UPDATE (item)';
unlike(with($_, $describe), qr/hidden_key/, "not with $_") foreach 'REFERENCES', 'TRIGGER', 'TRUNCATE';
sql(q{REVOKE ALL ON dynamo_data."Secret" FROM secretary});
is(as('secretary', $describe), 'hidden_key', 'the owner without privileges is told');

# A stream that outlives its table is told to who owned that.
sql(q{DROP TABLE dynamo_data."Secret"});
like(ask_for(@{ $streams[0] }), qr/AccessDeniedException/, 'the stream of a dropped table: denied');
is(as('stranger', 'SELECT count(*) FROM dynamo.streams'), '0', '... by the tables, too');
is(as('secretary', 'SELECT count(*) FROM dynamo.streams'), '1', 'told to its owner');
is(call('ListStreams', '{}', \%list)->{body}, '{"Streams":[]}', 'and not listed for others');

done_testing();

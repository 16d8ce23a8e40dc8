# docs/moving-from-aws.md, step by step: from a server that stands for AWS to
# another one, with its script and its queries, while a writer goes on; and the
# way back.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use AtEnd;
use HttpClient;

my $PATIENCE = 120;
my $top = abs_path(dirname(__FILE__) . '/../..');
my $other = "moving$$";

# One that has boto3: that of test/clients, where it has run before.
my $python = $ENV{BOTO_PYTHON} // 'python3';

plan skip_all => 'boto3 is not installed' if system("$python -c 'import boto3' 2>/dev/null") != 0;

# "There", and "here": the second server.
my $conf = "dynamo.http_authentication = 'trust'\nmax_worker_processes = 24\ndynamo.ttl_interval = 1s\n";
start_server($conf);
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/exports", "$buckets/to-aws") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
my $there_port = port();
chomp(my $here_port = `$top/test/free-port`);
at_end(sub { system("$top/test/server", 'stop', $other) == 0 });
{
	local $ENV{SERVER_CONF} = "shared_preload_libraries = dynamo\ndynamo.http_port = $here_port\n"
	  . "dynamo.http_listen_addresses = '127.0.0.1'\ndynamo.bucket_directory = '$buckets'\n$conf";
	system("$top/test/server", 'start', $other) == 0 or die 'could not start a second server';
}

sub here
{
	my ($sql) = @_;
	open(my $psql, '-|', "$top/test/server", 'psql', $other, '-X', '-q', '-A', '-t', '-F', ' ', '-c', $sql) or die;
	my $out = do { local $/; <$psql> } // '';
	close $psql;
	$out =~ s/\s+\z//;
	return $out;
}

# The answer's member, on one side or the other.
sub api
{
	my ($side, $operation, $request, $path) = @_;
	return $side->("SELECT dynamo.call('$operation', '$request') #>> '{$path}'");
}

sub there { return sql($_[0]) }

# Export a table on one side; the folder of its files.
sub exported
{
	my ($side, $call) = @_;
	my $arn = $side->($call);
	my ($id) = $arn =~ m{/export/(.*)} or die $arn;
	wait_for(sub { api($side, 'DescribeExport', qq({"ExportArn": "$arn"}), 'ExportDescription,ExportStatus') ne 'IN_PROGRESS' }, $PATIENCE);
	is(api($side, 'DescribeExport', qq({"ExportArn": "$arn"}), 'ExportDescription,ExportStatus'), 'COMPLETED', 'exported');
	return "AWSDynamoDB/$id/";
}

my $export_there = q{SELECT dynamo.call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Shop", "S3Bucket": "exports"}') #>> '{ExportDescription,ExportArn}'};

sub import_request
{
	my ($bucket, $folder) = @_;
	return qq({"S3BucketSource": {"S3Bucket": "$bucket", "S3KeyPrefix": "$folder"}, "InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP",
		"TableCreationParameters": {"TableName": "Shop", "BillingMode": "PAY_PER_REQUEST",
			"AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "N"}],
			"KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]}});
}

sub imported
{
	my ($side, $bucket, $folder, $what) = @_;
	my $arn = api($side, 'ImportTable', import_request($bucket, $folder), 'ImportTableDescription,ImportArn');
	wait_for(sub { api($side, 'DescribeImport', qq({"ImportArn": "$arn"}), 'ImportTableDescription,ImportStatus') ne 'IN_PROGRESS' }, $PATIENCE);
	is(api($side, 'DescribeImport', qq({"ImportArn": "$arn"}), 'ImportTableDescription,ImportStatus'), 'COMPLETED', $what);
	return;
}

# -- Before ------------------------------------------------------------------

sql(q{CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Shop', 'PK', 'SK N');
	INSERT INTO dynamo_data."Shop" (item)
	SELECT jsonb_build_object('PK', 'p' || i % 50, 'SK', i, 'v', 0, 'text', repeat('x', 100)) FROM generate_series(1, 3000) i;
	SELECT dynamo.call('UpdateTable', '{"TableName": "Shop", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}');
	SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "Shop", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}')});
here('CREATE EXTENSION dynamo');

# A writer that goes on: new items, changed ones, some removed.
my $writer = session(q{DO $$ DECLARE i int := 0; BEGIN LOOP
	i := i + 1;
	PERFORM dynamo.update_item('Shop', format('{"PK": "p%s", "SK": %s}', k % 50, k)::dynamo.item, 'SET v = v + :one', '{":one": 1}')
	FROM (SELECT 1 + i * 7 % 3000 AS k) AS t;
	PERFORM dynamo.put_item('Shop', format('{"PK": "new", "SK": %s, "v": 1}', i)::dynamo.item);
	IF i % 3 = 0 THEN
		PERFORM dynamo.delete_item('Shop', format('{"PK": "new", "SK": %s}', i - 1)::dynamo.item);
	END IF;
	COMMIT;
	PERFORM pg_sleep(0.005);
END LOOP; END $$});

# -- Export, import, catch up ------------------------------------------------

my $folder = exported(\&there, $export_there);
is(here(qq{SELECT count(problem) FROM dynamo.bucket_items('exports', '$folder', input_compression => 'GZIP')}), '0', 'looked at');
# the folder with the manifests: they are no data
imported(\&here, 'exports', $folder, 'imported');
cmp_ok(here('SELECT count(*) FROM dynamo_data."Shop"'), '>=', 3000, 'items are here');

my $dir = tempdir(CLEANUP => 1);
open(my $doc, '<', "$top/docs/moving-from-aws.md") or die;
my ($script) = do { local $/; <$doc> } =~ /```python moving\n(.*?)```/s or die;
$script =~ s/http:\/\/localhost:8000/http:\/\/127.0.0.1:$here_port/ or die;
$script =~ s/boto3\.client\("(dynamodb|dynamodbstreams)"\)/boto3.client("$1", endpoint_url="http:\/\/127.0.0.1:$there_port")/g == 2 or die;
open(my $file, '>', "$dir/follow.py") or die;
print $file $script;
close $file;
my $environment = 'AWS_ACCESS_KEY_ID=AKIAX AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1';
my $follower = open(my $follow, '-|', "$environment $python $dir/follow.py Shop 4 2>&1") or die;
sleep 2;

# -- Compare, switch -----------------------------------------------------------

sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO%' AND pid <> pg_backend_pid()");
close $writer;
my $said = do { local $/; <$follow> } // '';
ok(close($follow), 'the script ended well') or diag($said);
my $second = exported(\&there, $export_there);
sub different
{
	my ($side, $bucket, $prefix) = @_;
	return $side->(qq{WITH there AS (SELECT item FROM dynamo.bucket_items('$bucket', '$prefix', input_compression => 'GZIP'))
		SELECT count(*) FROM ((SELECT 'there' AS only, item FROM there EXCEPT ALL SELECT 'there', item FROM dynamo_data."Shop")
		UNION ALL (SELECT 'here', item FROM dynamo_data."Shop" EXCEPT ALL SELECT 'here', item FROM there)) AS t});
}
isnt(different(\&here, 'exports', $folder), '0', 'the first export is not the last word');
is(different(\&here, 'exports', $second), '0', 'both sides have the same items');
cmp_ok(here(q{SELECT count(*) FROM dynamo_data."Shop" WHERE pk = 'new'}), '>', 0, 'among them new ones');

# -- The way back ----------------------------------------------------------------

here(q{SELECT dynamo.put_item('Shop', '{"PK": "here", "SK": 1}')});
$folder = exported(\&here, q{SELECT dynamo.export_table('Shop', 'to-aws')});
sql(q{SELECT dynamo.drop_table('Shop')});
imported(\&there, 'to-aws', $folder . 'data/', 'imported there');
is(different(\&there, 'to-aws', $folder), '0', 'the same items there');

done_testing();

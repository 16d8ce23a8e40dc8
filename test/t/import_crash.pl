# Files are imported by a background process while all processes of the server
# are killed, again and again, and the import is cancelled or its process ended.
# In the end every item is there once, and the counts are those of the files.
#
# There are 3 rounds, or DYNAMO_IMPORT_ROUNDS.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Pause;
use Server;

my $rounds = $ENV{DYNAMO_IMPORT_ROUNDS} || 3;
my $PATIENCE = 180;
my $FILES = 3;
my $LINES = 40_000;
local $SIG{PIPE} = 'IGNORE';

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nfsync = on\ndynamo.ttl_interval = 1s\ndynamo_test.pause = job\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/reports", map { "$buckets/source/$_" } qw(all wrong cut bulk)) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql('CREATE EXTENSION dynamo');

# A file of items from one number to another; the others are wrong.
sub put_file
{
	my ($key, $from, $to, @wrong) = @_;
	my $out = sql(qq{COPY (SELECT CASE WHEN i = ANY ('{@{[join ',', @wrong]}}'::int[]) THEN format('{"Item":{"id":{"N":"%s"}}}', i)
			ELSE format('{"Item":{"id":{"S":"%s"},"n":{"N":"%s"},"text":{"S":"%s"}}}', i, i, repeat('x', 60)) END
		FROM generate_series($from, $to) i) TO '$buckets/source/$key'});
	die $out if $out ne '';
	return;
}

# Start an import; its ARN.
sub import_table
{
	my ($table, $prefix, $more) = @_;
	$more //= '';
	return sql(qq{SELECT dynamo.call('ImportTable', '{"S3BucketSource": {"S3Bucket": "source", "S3KeyPrefix": "$prefix"},
		"InputFormat": "DYNAMODB_JSON", $more "TableCreationParameters": {"TableName": "$table", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}')
		#>> '{ImportTableDescription,ImportArn}'});
}

sub describe
{
	my ($arn, $member) = @_;
	return sql(qq{SELECT dynamo.call('DescribeImport', '{"ImportArn": "$arn"}') #>> '{ImportTableDescription,$member}'});
}

sub has_ended
{
	my ($arn) = @_;
	return wait_for(sub { describe($arn, 'ImportStatus') !~ /^(IN_PROGRESS|CANCELLING)$/ }, $PATIENCE);
}

put_file("all/$_.json", ($_ - 1) * $LINES + 1, $_ * $LINES) foreach 1 .. $FILES;
put_file("all/9.json", 1, 1000);    # again

my $total = $FILES * $LINES;
hold_jobs();
my $arn = import_table('Crashed', 'all/');
like($arn, qr{:table/Crashed/import/\d{14}-[0-9a-f]{8}$}, 'an import');
foreach my $round (1 .. $rounds)
{
	ok(stands_still($PATIENCE), "the server is killed in the middle, time $round");
	server('crash') or die 'the server was not killed';
	server('restart') or die 'the server did not start again';
	stands_still($PATIENCE) or die 'the import does not go on';
	take_a_step();
}
let_jobs_go();
has_ended($arn);
is(describe($arn, 'ImportStatus'), 'COMPLETED', 'it completes');
is(describe($arn, 'ProcessedItemCount'), $total + 1000, 'each record was counted once');
is(describe($arn, 'ImportedItemCount'), $total + 1000, 'as imported');
is(describe($arn, 'ErrorCount'), 0, 'without errors');
is(describe($arn, 'ProcessedSizeBytes'), run("cat $buckets/source/all/* | wc -c"), 'all bytes were read');
is(sql(q{SELECT count(*), count(DISTINCT item->>'id'), sum((item->>'n')::bigint) FROM dynamo_data."Crashed"}),
	join(' ', $total, $total, $total * ($total + 1) / 2), 'the items are those of the files');

# The process is ended, and another goes on.
hold_jobs();
$arn = import_table('Ended', 'all/');
stands_still($PATIENCE) or die 'the import does not stand still';
my $ended = sql('SELECT pid FROM dynamo.stat_progress_job WHERE pg_terminate_backend(pid)');
ok(wait_for(sub { sql('SELECT pid FROM dynamo.stat_progress_job') =~ /^(?!$ended$)\d+$/ }, $PATIENCE), 'a process is ended, another one has come');
let_jobs_go();
has_ended($arn);
is(join(' ', map { describe($arn, $_) } qw(ImportStatus ProcessedItemCount)), 'COMPLETED ' . ($total + 1000),
	'an import whose process was ended goes on');

# What is done so far is shown, to members of the role.
sql('CREATE ROLE stranger LOGIN');
hold_jobs();
$arn = import_table('Shown', 'all/');
my @shown;
ok(wait_for(sub {
		@shown = split / /, sql(q{SELECT kind, status, table_name, bytes_processed, bytes_total, items_processed
			FROM dynamo.stat_progress_job WHERE table_name = 'Shown' AND items_processed > 0});
		return @shown == 6;
	}, $PATIENCE), 'progress is shown');
is("@shown[0 .. 2]", 'IMPORT IN_PROGRESS Shown', '... of the job');
cmp_ok($shown[3], '<=', $shown[4], '... in bytes of all bytes');
is(sql(q{SET ROLE stranger; SELECT count(*) FROM dynamo.jobs}), '0', '... not to strangers');

# Cancelling takes the table away.
like(sql(qq{SET ROLE stranger; SELECT dynamo.cancel_job('$arn')}), qr/job ".*" does not exist/, 'a stranger cannot cancel it');
is(sql(qq{SELECT dynamo.cancel_job('$arn')}), 't', 'its owner can');
has_ended($arn);
is(describe($arn, 'ImportStatus'), 'CANCELLED', 'it is cancelled');
let_jobs_go();
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Shown'}), '0', 'and its table is gone');
is(sql(qq{SELECT dynamo.cancel_job('$arn')}), 'f', 'it cannot be cancelled again');

# Lines that are wrong
put_file('wrong/1.json', 1, 20_000, 7, 12_345, 20_000);
$arn = import_table('Wrong', 'wrong/');
has_ended($arn);
is(join(' ', map { describe($arn, $_) } qw(ImportStatus FailureCode ProcessedItemCount ImportedItemCount ErrorCount)),
	'FAILED ItemValidationError 20000 19997 3', 'an import with wrong items fails, with the right counts');
is(sql(q{SELECT count(*) FROM dynamo_data."Wrong"}), '19997', 'the others are there');
is(sql(q{SELECT dynamo.call('DescribeTable', '{"TableName": "Wrong"}') #>> '{Table,TableStatus}'}), 'ACTIVE', '... in an active table');

# A file that was cut short
put_file('cut/1.json', 1, 30_000);
as_server_user('sh', '-c', "gzip $buckets/source/cut/1.json; truncate -s -100 $buckets/source/cut/1.json.gz") or die;
$arn = import_table('Cut', 'cut/', '"InputCompressionType": "GZIP",');
has_ended($arn);
is(join(' ', map { describe($arn, $_) } qw(ImportStatus FailureCode)), 'FAILED S3InvalidObject', 'a file cut short is a failure');
like(describe($arn, 'FailureMessage'), qr/1\.json\.gz/, '... that names the file');
is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Cut'}), '0', 'half a table is not left');

# A bulk operation is killed, too; what it cannot put is reported once.
sql(q{SELECT dynamo.create_table('Bulk', 'id')});
put_file('bulk/1.json', 1, 60_000, 3, 30_000, 59_999);
hold_jobs();
$arn = sql(q{SELECT dynamo.call('StartBulkPutItems', '{"TableName": "Bulk", "InputS3Configuration":
	{"S3Bucket": "source", "S3KeyPrefix": "bulk/", "InputFormat": "DYNAMODB_JSON"},
	"OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR"]}}') #>> '{BulkOperationDescription,BulkOperationArn}'});
sub bulk
{
	my ($member) = @_;
	return sql(qq{SELECT dynamo.call('DescribeBulkOperation', '{"BulkOperationArn": "$arn"}') #>> '{BulkOperationDescription,$member}'});
}
ok(stands_still($PATIENCE), 'a bulk operation is in the middle');
server('crash') or die 'the server was not killed';
server('restart') or die 'the server did not start again';
let_jobs_go();
wait_for(sub { bulk('BulkOperationStatus') ne 'IN_PROGRESS' }, $PATIENCE);
is(join(' ', map { bulk($_) } qw(BulkOperationStatus ProcessedItemCount FailedItemCount)), 'COMPLETED_WITH_ERRORS 60000 3',
	'a bulk operation goes on after a crash');
is(sql(q{SELECT count(*) FROM dynamo_data."Bulk"}), '59997', 'its items are there');
is(join(' ', sort split /\s+/, run("cat $buckets/reports/AWSDynamoDB/*/error/*.json | grep -o 'LineNumber\":[0-9]*' | cut -d: -f2")),
	'3 30000 59999', 'each wrong line is reported once');

# A role with the right to a bucket, and none
sql(q{CREATE ROLE importer LOGIN; GRANT CREATE ON SCHEMA dynamo_data TO importer});
my $denied = sub {
	my $made = run(q{psql -XAqt -U importer -d postgres -c "SELECT dynamo.call('ImportTable', '{\"S3BucketSource\": {\"S3Bucket\": \"source\", \"S3KeyPrefix\": \"wrong/\"}, \"InputFormat\": \"DYNAMODB_JSON\", \"TableCreationParameters\": {\"TableName\": \"Role\", \"BillingMode\": \"PAY_PER_REQUEST\", \"AttributeDefinitions\": [{\"AttributeName\": \"id\", \"AttributeType\": \"S\"}], \"KeySchema\": [{\"AttributeName\": \"id\", \"KeyType\": \"HASH\"}]}}') #>> '{ImportTableDescription,ImportArn}'"});
	has_ended($made);
	return $made;
};
$arn = $denied->();
is(join(' ', map { describe($arn, $_) } qw(ImportStatus FailureCode)), 'FAILED S3AccessDenied', 'the job has the rights of its role');
sql(q{SELECT dynamo.grant_bucket('source', 'importer', '{read}')});
$arn = $denied->();
is(describe($arn, 'ImportedItemCount'), 19997, '... with a grant, those of the grant');
is(sql(q{SELECT relowner::regrole FROM pg_class WHERE relname = 'Role'}), 'importer', 'the table is its own');

done_testing();

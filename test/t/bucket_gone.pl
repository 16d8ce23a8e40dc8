# Jobs whose bucket is taken away while they work: its folder vanishes, or can no
# longer be read, or has no room.  Each ends, and soon, with a text that says why,
# and leaves nothing that could be taken for its result; where the bucket is back
# in time it goes on.  Each stands still behind its first step, or its first file,
# so that the rest is always done without the bucket.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use Pause;
use Server;

my $PATIENCE = 120;
my $ITEMS = 30_000;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.export_file_size = 64kB\ndynamo_test.pause = job\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', $buckets) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(qq{CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Large', 'id'), dynamo.enable_recovery('Large'), dynamo.create_table('Bulk', 'id');
	INSERT INTO dynamo_data."Large" (item)
	SELECT jsonb_build_object('id', i::text, 'text', md5(i::text) || md5(random()::text)) FROM generate_series(1, $ITEMS) i});

# What is done to a bucket, and undone; what a job says of it.
my %harm = (
	vanishes => { do => sub { "rm -rf '$_[0]'" }, undo => sub { "mkdir -p '$_[0]'" } },
	'cannot be read' => { do => sub { "chmod 000 '$_[0]'" }, undo => sub { "chmod 700 '$_[0]'" } });

sub shell
{
	my ($command) = @_;
	as_server_user('sh', '-c', $command) or die $command;
	return;
}

# An empty bucket; one with three files, one line in each thousand wrong.
sub make_bucket
{
	my ($name) = @_;
	shell("mkdir -p '$buckets/$name' && chmod u+rwx '$buckets/$name' && rm -rf '$buckets/$name' && mkdir '$buckets/$name'");
	return;
}
sub make_source
{
	make_bucket('source');
	sql(qq{COPY (SELECT CASE WHEN i % 1000 = 0 THEN format('{"Item":{"id":{"N":"%s"}}}', i)
			ELSE format('{"Item":{"id":{"S":"$_-%s"},"n":{"N":"%s"}}}', i, i) END
		FROM generate_series(1, $ITEMS) i) TO '$buckets/source/$_.json'}) foreach 1 .. 3;
	return;
}

# Jobs of each kind, and the bucket that is harmed.
my $API = 'arn:aws:dynamodb:us-east-1:000000000000:table';
my %jobs = (
	'an export' => { bucket => 'target', start => sub { sql(q{SELECT dynamo.export_table('Large', 'target')}) } },
	'an import' => { bucket => 'source', start => sub { sql(q{SELECT dynamo.import_table('Imported', 'source', 'id')}) } },
	'a bulk operation' => { bucket => 'source', start => \&bulk },
	'a report' => { bucket => 'target', start => \&bulk });
sub bulk
{
	return sql(q{SELECT dynamo.call('StartBulkPutItems', '{"TableName": "Bulk", "InputS3Configuration": {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"},
		"OutputS3Configuration": {"S3Bucket": "target", "OutputType": ["ERROR"]}}') #>> '{BulkOperationDescription,BulkOperationArn}'});
}

sub field
{
	my ($job, $field) = @_;
	return sql(qq{SELECT $field FROM dynamo.jobs WHERE job = '$job'});
}

# Of a bulk operation: records processed, and those of them that failed.
sub counts
{
	my ($job) = @_;
	return split / /, sql(qq{SELECT d #>> '{BulkOperationDescription,ProcessedItemCount}', d #>> '{BulkOperationDescription,FailedItemCount}'
		FROM dynamo.call('DescribeBulkOperation', '{"BulkOperationArn": "$API/Bulk/bulk-operation/$job"}') d});
}

# Lines of its reports.
sub lines_reported
{
	my ($job) = @_;
	return run("cat '$buckets/target/AWSDynamoDB/$job'/error/*.json | sort -u | wc -l");
}

# Start a job, and have it stand still behind its first step.
sub start_amid
{
	my ($start) = @_;
	make_bucket('target');
	make_source();
	sql('TRUNCATE dynamo_data."Bulk"');
	hold_jobs();
	my ($job) = $start->() =~ /([0-9]{14}-[0-9a-f]{8})$/ or die 'no job';
	stands_still($PATIENCE) or die 'the job does not stand still';
	return $job;
}

# What a job says in the end: an error that it tries again may have come before.
my $GONE = qr/^FAILED S3NoSuchBucket bucket "\w+" does not exist$/;
my $REFUSED = qr/^FAILED (?:S3AccessDenied could not \w+ file "[^"]+" of bucket "\w+": Permission denied|S3NoSuchBucket bucket "\w+" does not exist)$/;

foreach my $what (sort keys %jobs)
{
	foreach my $how (sort keys %harm)
	{
		my $job = start_amid($jobs{$what}{start});
		my $folder = "$buckets/$jobs{$what}{bucket}";
		shell($harm{$how}{do}->($folder));
		let_jobs_go();
		ok(wait_for(sub { field($job, 'status') ne 'IN_PROGRESS' }, $PATIENCE), "$what whose bucket $how: it ends");
		my $said = field($job, 'status, failure_code, failure_message');
		like($said, $how eq 'vanishes' ? $GONE : $REFUSED, '... and says why');
		unlike($said, qr/manifest/, '... not what could not be cleaned up') if $what eq 'an export';
		shell($harm{$how}{undo}->($folder));
		is(run("find '$buckets/target' -name 'manifest*'"), '', '... without a manifest') if $what eq 'an export';
		is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Imported'}), '0', '... without a table') if $what eq 'an import';
		next unless $jobs{$what}{start} == \&bulk;
		my ($processed, $failed) = counts($job);
		is(sql(q{SELECT count(*) FROM dynamo_data."Bulk"}), $processed - $failed, '... with the items that it counts');
		is(lines_reported($job), $failed, '... and with their reports') unless $what eq 'a report' && $how eq 'vanishes';
	}
}

# A file is gone, the one at hand or one that was to come, or the one at hand has
# become another that is longer, and another process goes on, which has not opened it.
my @changes = (
	[ 'file 1 is gone', "rm '$buckets/source/1.json'", 'S3NoSuchKey' ],
	[ 'file 3 is gone', "rm '$buckets/source/3.json'", 'S3NoSuchKey' ],
	[ 'file 1 is another', "cat '$buckets/source/2.json' '$buckets/source/1.json' >'$buckets/longer' && mv '$buckets/longer' '$buckets/source/1.json'", 'S3InvalidObject' ]);
foreach my $change (@changes)
{
	my ($how, $command, $code) = @$change;
	foreach my $what ('an import', 'a bulk operation')
	{
		my $job = start_amid($jobs{$what}{start});
		my $ended = sql('SELECT pid FROM dynamo.stat_progress_job WHERE pg_terminate_backend(pid)');
		wait_for(sub { sql('SELECT pid FROM dynamo.stat_progress_job') =~ /^(?!$ended$)\d+$/ }, $PATIENCE) or die 'no other process';
		shell($command);
		let_jobs_go();
		ok(wait_for(sub { field($job, 'status') ne 'IN_PROGRESS' }, $PATIENCE), "$what whose $how: it ends");
		is(field($job, 'status, failure_code'), "FAILED $code", '... and does not pass for complete');
		is(sql(q{SELECT count(*) FROM dynamo.tables WHERE table_name = 'Imported'}), '0', '... without a table') if $what eq 'an import';
	}
}

# No room for a report: the step is tried again, for some seconds, and nothing of
# it stays.  With room it is done.
SKIP:
{
	make_bucket('target');
	skip 'only root can mount a small disk', 7
	  unless $> == 0 && system("mount -t tmpfs -o size=4k,mode=777 reports-test '$buckets/target' 2>/dev/null") == 0;
	at_end(sub { system("umount '$buckets/target'") == 0 });
	make_source();
	sql('TRUNCATE dynamo_data."Bulk"');
	shell("head -c 4096 /dev/zero >'$buckets/target/filler'");
	my $full = qr/S3InternalError could not \w+ file .* of bucket "target": No space left on device$/;
	my ($job) = bulk() =~ /([0-9]{14}-[0-9a-f]{8})$/ or die 'no job';
	ok(wait_for(sub { field($job, 'status') ne 'IN_PROGRESS' }, $PATIENCE), 'no room for a report: the job ends');
	like(field($job, 'status, failure_code, failure_message'), qr/^FAILED $full/, '... and says why');
	is(sql(q{SELECT count(*) FROM dynamo_data."Bulk"}), '0', '... without an item of the step');

	($job) = bulk() =~ /([0-9]{14}-[0-9a-f]{8})$/ or die 'no job';
	ok(wait_for(sub { field($job, 'failure_code, failure_message') =~ $full }, $PATIENCE), 'while it tries, it says why');
	system("mount -o remount,size=4m '$buckets/target'") == 0 or die 'no remount';
	ok(wait_for(sub { field($job, 'status') ne 'IN_PROGRESS' }, $PATIENCE), 'with room again: it ends');
	is(field($job, "status, coalesce(failure_code, '')"), 'COMPLETED_WITH_ERRORS', '... with what it could not put');
	is(lines_reported($job), 3 * $ITEMS / 1000, '... each reported once');
}

unlike(run('cat ' . directory() . '/log'), qr/ERROR:  XX|TRAP:|was terminated by signal/, 'no error is internal, nothing crashed');

done_testing();

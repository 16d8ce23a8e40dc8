# Exports by a background process: in several files, of one moment while others
# write, while the server is killed, cancelled, on a disk that is full; what has
# changed between two times. What was exported is imported elsewhere, item for
# item.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use MIME::Base64 qw(encode_base64);
use Test::More;
use lib dirname(__FILE__);
use Pause;
use Server;

my $PATIENCE = 120;
my $ITEMS = 30_000;
local $SIG{PIPE} = 'IGNORE';

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nfsync = on\ndynamo.ttl_interval = 1s\ndynamo.export_file_size = 64kB\ndynamo_test.pause = job\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/exports", "$buckets/full") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(qq{CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Large', 'id');
	SELECT dynamo.enable_recovery('Large');
	INSERT INTO dynamo_data."Large" (item)
	SELECT jsonb_build_object('id', i::text, 'balance', 100, 'text', md5(i::text) || md5(random()::text)) FROM generate_series(1, $ITEMS) i});

# Start an export by the API; its ARN.
sub export
{
	my ($table, $bucket, $more) = @_;
	return sql(qq{SELECT dynamo.call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/$table",
		"S3Bucket": "$bucket" @{[$more // '']}}') #>> '{ExportDescription,ExportArn}'});
}

sub describe
{
	my ($arn, $member) = @_;
	return sql(qq{SELECT dynamo.call('DescribeExport', '{"ExportArn": "$arn"}') #>> '{ExportDescription,$member}'});
}

sub has_ended
{
	my ($arn) = @_;
	return wait_for(sub { describe($arn, 'ExportStatus') ne 'IN_PROGRESS' }, $PATIENCE);
}

# The files of an export, and of all others of its bucket.
sub files
{
	my ($arn, $bucket) = @_;
	my ($id) = $arn =~ m{/export/(.*)};
	return split /\n/, run(qq{cd '$buckets/@{[$bucket // 'exports']}' && find . -path '*$id*' -type f | sort});
}

# A file's checksum as manifests have it, by md5sum.
sub md5
{
	my ($file) = @_;
	my ($hex) = run("md5sum '$file'") =~ /^([0-9a-f]{32})/ or die;
	return encode_base64(pack('H*', $hex), '');
}

# Do the checksums hold, and are there no other files?
sub is_whole
{
	my ($arn, $items, $what) = @_;
	my ($id) = $arn =~ m{/export/(.*)};
	my $folder = "$buckets/exports/AWSDynamoDB/$id";
	my @lines = split /\n/, run("cat $folder/manifest-files.json");
	my $sum = 0;
	my @bad;

	foreach my $line (@lines)
	{
		my ($count, $md5, $key) = $line =~ /"itemCount":(\d+),"md5Checksum":"([^"]+)".*"dataFileS3Key":"([^"]+)"/ or die $line;
		$sum += $count;
		push @bad, $key if $md5 ne md5("$buckets/exports/$key");
		push @bad, "$key: lines" if $count != run("zcat '$buckets/exports/$key' | wc -l");
	}
	foreach my $manifest ('manifest-files', 'manifest-summary')
	{
		push @bad, $manifest if run("cat $folder/$manifest.checksum") ne md5("$folder/$manifest.json");
	}
	is(join(', ', @bad), '', "$what: checksums by md5sum");
	is($sum, $items, "$what: items by the manifest");
	is(scalar(files($arn)), @lines + 5, "$what: no other file");
	return scalar @lines;
}

my $same = q{SELECT count(*) FROM (
	(SELECT item FROM dynamo_data."%s" EXCEPT ALL SELECT item FROM %s) UNION ALL
	(SELECT item FROM %s EXCEPT ALL SELECT item FROM dynamo_data."%s")) AS t};

# -- Several files, and elsewhere the same items ----------------------------

foreach my $format ('DYNAMODB_JSON', 'ION')
{
	my $arn = export('Large', 'exports', qq{, "ExportFormat": "$format"});
	ok(has_ended($arn), "$format: ended");
	is(describe($arn, 'ExportStatus') . ' ' . describe($arn, 'ItemCount'), "COMPLETED $ITEMS", "$format: complete");
	cmp_ok(is_whole($arn, $ITEMS, $format), '>', 5, "$format: several files");

	my ($id) = $arn =~ m{/export/(.*)};
	my $read = "dynamo.bucket_items('exports', 'AWSDynamoDB/$id/', '$format', 'GZIP')";
	is(sql(sprintf($same, 'Large', $read, $read, 'Large')), '0', "$format: the same items in the files");
	my $import = sql(qq{SELECT dynamo.call('ImportTable', '{"S3BucketSource": {"S3Bucket": "exports", "S3KeyPrefix": "AWSDynamoDB/$id/data/"},
		"InputFormat": "$format", "InputCompressionType": "GZIP", "TableCreationParameters": {"TableName": "From$format", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}')
		#>> '{ImportTableDescription,ImportArn}'});
	wait_for(sub { sql(qq{SELECT dynamo.call('DescribeImport', '{"ImportArn": "$import"}') #>> '{ImportTableDescription,ImportStatus}'}) ne 'IN_PROGRESS' }, $PATIENCE);
	is(sql(qq{SELECT dynamo.call('DescribeImport', '{"ImportArn": "$import"}') #>> '{ImportTableDescription,ImportStatus}'}), 'COMPLETED', "$format: imported");
	is(sql(sprintf($same, 'Large', qq{dynamo_data."From$format"}, qq{dynamo_data."From$format"}, 'Large')), '0', "$format: the same items in the new table");
}

# -- One moment, with whole transactions, while others write ----------------

my @writers = map { session(qq{DO \$\$ BEGIN LOOP
	UPDATE dynamo_data."Large" SET item['balance'] = to_jsonb((item->>'balance')::int - 1) WHERE pk = '$_'::dynamo.partition_key;
	UPDATE dynamo_data."Large" SET item['balance'] = to_jsonb((item->>'balance')::int + 1) WHERE pk = ('@{[$ITEMS - $_]}')::dynamo.partition_key;
	COMMIT;
END LOOP; END \$\$}) } 1 .. 2;
my $arn = export('Large', 'exports');
ok(has_ended($arn), 'under load: ended');
my ($id) = $arn =~ m{/export/(.*)};
is(sql(qq{SELECT count(*), sum((item->>'balance')::int) FROM dynamo.bucket_items('exports', 'AWSDynamoDB/$id/data/', input_compression => 'GZIP')}),
	$ITEMS . ' ' . 100 * $ITEMS, 'under load: no transaction in half');
sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO%' AND pid <> pg_backend_pid()");
close $_ foreach @writers;

# -- Killed in the middle: it begins anew -----------------------------------

hold_jobs();
$arn = export('Large', 'exports');
foreach my $round (1 .. 2)
{
	ok(stands_still($PATIENCE), "killed in the middle, time $round");
	server('crash') or die 'the server was not killed';
	server('restart') or die 'the server did not start again';
}
let_jobs_go();
ok(has_ended($arn), 'killed: ended');
is(describe($arn, 'ExportStatus'), 'COMPLETED', 'killed: complete');
is_whole($arn, $ITEMS, 'killed');

# -- Cancelled, or without room: no file stays ------------------------------

hold_jobs();
$arn = export('Large', 'exports');
ok(stands_still($PATIENCE), 'cancelled in the middle');
like(sql(q{SELECT kind, bytes_processed > 0, bytes_total, items_processed BETWEEN 1 AND 29999, items_excluded FROM dynamo.stat_progress_job}),
	qr/^EXPORT t 0 t 0$/, '... whose progress is of no known whole, and leaves out nothing');
sql(qq{SELECT dynamo.cancel_job('$arn')});
ok(has_ended($arn), 'cancelled: ended');
is(describe($arn, 'ExportStatus') . ' ' . describe($arn, 'FailureCode'), 'FAILED Cancelled', 'cancelled');
is(join(' ', files($arn)), '', 'cancelled: no file');
let_jobs_go();
SKIP:
{
	skip 'only root can mount a small disk', 3
	  unless $> == 0 && system("mount -t tmpfs -o size=400k,mode=777 export-test '$buckets/full' 2>/dev/null") == 0;
	$arn = export('Large', 'full');
	ok(has_ended($arn), 'no room: ended');
	like(describe($arn, 'FailureCode') . ' ' . describe($arn, 'FailureMessage'), qr/^S3InternalError could not write file .* of bucket "full": No space left on device$/, 'no room: failed');
	is(run("find '$buckets/full' -mindepth 1"), '', 'no room: no file');
	system("umount '$buckets/full'");
}

# -- What has changed between two times -------------------------------------

sql(q{SELECT dynamo.create_table('Changing', 'id', 'n N');
	SELECT dynamo.enable_recovery('Changing');
	SELECT dynamo.put_item('Changing', format('{"id": "%s", "n": 1, "v": "old"}', k)::dynamo.item) FROM unnest('{stays,changes,goes,same}'::text[]) k});
my $from = sql('SELECT dynamo.mark_recovery()');
sql(q{SELECT dynamo.put_item('Changing', '{"id": "changes", "n": 1, "v": "between"}');
	SELECT dynamo.put_item('Changing', '{"id": "changes", "n": 1, "v": "new"}');
	SELECT dynamo.delete_item('Changing', '{"id": "goes", "n": 1}');
	SELECT dynamo.put_item('Changing', '{"id": "comes", "n": 1, "v": "new"}');
	SELECT dynamo.put_item('Changing', '{"id": "same", "n": 1, "v": "between"}');
	SELECT dynamo.put_item('Changing', '{"id": "same", "n": 1, "v": "old"}');
	SELECT dynamo.put_item('Changing', '{"id": "in and out", "n": 1}');
	SELECT dynamo.delete_item('Changing', '{"id": "in and out", "n": 1}')});
my $to = sql('SELECT dynamo.mark_recovery()');
sql(q{SELECT dynamo.put_item('Changing', '{"id": "later", "n": 1}')});
my %lines;
foreach my $view ('NEW_AND_OLD_IMAGES', 'NEW_IMAGE')
{
	$arn = sql(qq{SELECT dynamo.export_table('Changing', 'exports', 'changes', from_time => '$from', to_time => '$to', export_view_type => '$view')});
	ok(has_ended($arn), "$view: ended");
	($id) = $arn =~ m{/export/(.*)};
	my $key = run(qq{sed 's/.*"dataFileS3Key":"//; s/".*//' $buckets/exports/changes/AWSDynamoDB/$id/manifest-files.json});
	like($key, qr{^changes/AWSDynamoDB/data/[a-z2-7]{26}\.json\.gz$}, "$view: all changes share a folder");
	like(run("cat $buckets/exports/changes/AWSDynamoDB/$id/manifest-summary.json"),
		qr/^\{"version":"2023-08-01",.*"exportFromTime":"[^"]+Z","exportToTime":"[^"]+Z",.*"itemCount":3,"outputFormat":"DYNAMODB_JSON","outputView":"$view","exportType":"INCREMENTAL_EXPORT"\}$/, "$view: summary");
	my $text = run("zcat $buckets/exports/$key | sort -t: -k4");
	ok($text !~ /"WriteTimestampMicros":"(?!\d{16}")/, "$view: times");
	$text =~ s/"Metadata":\{"WriteTimestampMicros":"\d+"\},//g;
	$lines{$view} = join "\n", sort split /\n/, $text;
}
is($lines{NEW_AND_OLD_IMAGES}, join("\n",
	'{"Keys":{"id":{"S":"changes"},"n":{"N":"1"}},"NewImage":{"id":{"S":"changes"},"n":{"N":"1"},"v":{"S":"new"}},"OldImage":{"id":{"S":"changes"},"n":{"N":"1"},"v":{"S":"old"}}}',
	'{"Keys":{"id":{"S":"comes"},"n":{"N":"1"}},"NewImage":{"id":{"S":"comes"},"n":{"N":"1"},"v":{"S":"new"}}}',
	'{"Keys":{"id":{"S":"goes"},"n":{"N":"1"}},"OldImage":{"id":{"S":"goes"},"n":{"N":"1"},"v":{"S":"old"}}}'), 'changes with old images');
is($lines{NEW_IMAGE}, join("\n",
	'{"Keys":{"id":{"S":"changes"},"n":{"N":"1"}},"NewImage":{"id":{"S":"changes"},"n":{"N":"1"},"v":{"S":"new"}}}',
	'{"Keys":{"id":{"S":"comes"},"n":{"N":"1"}},"NewImage":{"id":{"S":"comes"},"n":{"N":"1"},"v":{"S":"new"}}}',
	'{"Keys":{"id":{"S":"goes"},"n":{"N":"1"}}}'), 'changes without');

# Until now: as far as the window reaches, which is behind the present, and the
# next one goes on there.
sql('SELECT dynamo.mark_recovery()');
$arn = sql(qq{SELECT dynamo.export_table('Changing', 'exports', 'until', from_time => '$to')});
ok(has_ended($arn), 'until now: ended');
is(describe($arn, 'ExportStatus') . ' ' . describe($arn, 'ItemCount'), 'COMPLETED 1', 'until now: what came later');
($id) = $arn =~ m{/export/(.*)};
is(sql(qq{SELECT to_timestamp((j.position->>'Time')::bigint / 1e6 + extract(epoch FROM timestamptz '2000-01-01 00:00:00Z')) <= j.created_at FROM dynamo.jobs j WHERE job = '$id'}), 't', 'until now: it ends with the window');

# A full export as of the time between, once more
$arn = sql(qq{SELECT dynamo.export_table('Changing', 'exports', 'past', as_of => '$from')});
ok(has_ended($arn), 'the past: ended');
is(sql(q{SELECT string_agg(item->>'id' || ' ' || (item->>'v'), ', ' ORDER BY item->>'id') FROM dynamo.bucket_items('exports', 'past/', input_compression => 'GZIP')}),
	'changes old, goes old, same old, stays old', 'the past');

done_testing();

# Buckets at an S3-compatible store: items go there and come back, whatever the
# store and the network do on the way.  The store checks signatures.
#
# Takes long: waits for timeouts.
use strict;
use warnings;
use Digest::MD5 qw(md5 md5_hex md5_base64);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use Server;
use Store;

want_store();
my $port = start_store('main');
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 1\ndynamo.bucket_timeout = 3s\n"
	  . "dynamo.bucket_endpoints = 'http://127.0.0.1:$port'\n");
my $PATIENCE = 120;
sql(q{CREATE EXTENSION dynamo; CREATE ROLE alice LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO alice});
store('PUT', "bucket/$_") foreach qw(items exports);
is(create_bucket($_), '', "bucket $_") foreach qw(items exports);
sql("SELECT dynamo.grant_bucket(b, 'alice') FROM unnest('{items,exports,none}'::text[]) b");

# Of a job.
sub status
{
	my ($arn) = @_;
	my ($job) = $arn =~ /([0-9]{14}-[0-9a-f]{8})$/ or die $arn;
	return sql(qq{SELECT status || coalesce(' ' || failure_code, '') FROM dynamo.jobs WHERE job = '$job'});
}

sub ended
{
	my ($arn) = @_;
	wait_for(sub { status($arn) !~ /^(?:SUBMITTED|IN_PROGRESS|CANCELLING)/ }, $PATIENCE);
	return status($arn);
}

my $items = join '', map { qq({"Item":{"id":{"S":"$_"}}}\n) } 1 .. 5;
sub count_items
{
	my ($prefix, $more) = @_;
	return sql("SELECT count(item) FROM dynamo.bucket_items('items', '$prefix'@{[$more // '']})");
}

# Keys of all kinds are signed as the store signs them.
store('PUT', 'object/items/keys/a%20b%2B%C3%A9%27%281%29%2A%21~%26%3D%25%3F%23.json', $items);
is(sql(q{SELECT DISTINCT key FROM dynamo.bucket_items('items', 'keys/a b+')}), q{keys/a b+é'(1)*!~&=%?#.json}, 'a key with all characters');
# What consoles make of a folder is passed over in silence, other odd names with a warning.
store('PUT', 'object/items/keys/folder/', '');
store('PUT', 'object/items/keys/a//b.json', $items);
like(count_items('keys/'), qr{WARNING:  file "keys/a//b.json" of bucket "items" is passed over: its name is no key\nDETAIL:  A part between slashes is empty.\n5\z}, 'names that are no keys');

# A listing has pages.
store('PUT', "object/items/many/$_.json", $items) foreach 1 .. 7;
store_log();
fault(match => 'list-type', do => 'pages', keys => 3, times => 100);
is(sql(q{SELECT count(DISTINCT key), min(key), max(key), count(item) FROM dynamo.bucket_items('items', 'many/')}), '7 many/1.json many/7.json 35', 'all pages');
is(scalar(grep { /list-type=2/ } store_log()), 3, 'and no more');

# Busy, or broken: tried again.
store('PUT', 'object/items/in/a.json', $items);
foreach my $status (500, 502, 503, 504)
{
	fault(match => 'GET /items/in', do => 'status', status => $status, times => 2);
	is(count_items('in/'), 5, "after $status");
}
fault(match => 'list-type', do => 'close');
is(count_items('in/'), 5, 'after a connection that broke');
fault(match => 'list-type', do => 'cut', bytes => 200);
is(count_items('in/'), 5, 'after a listing that was cut off');
store_log();
fault(match => 'GET /items/in', do => 'status', status => 503, times => 100);
like(count_items('in/'), qr/ERROR:  store of bucket "items" has refused a request about file "in\/a.json"\nDETAIL:  It has answered with status 503\./, 'a store that stays busy');
is(scalar(grep { m{GET /items/in/} } store_log()), 5, 'was asked five times');
# Codes are told on, but nothing else that it says, be it no store.
fault(match => 'GET /items/in', do => 'status', status => 400, body => '<Error><Code>Bad&lt;Thing</Code><Message>inside</Message></Error>');
unlike(count_items('in/'), qr/Thing|inside/, 'what is no code');
fault(match => 'list-type', do => 'status', status => 200, body => '<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult>&a;</ListBucketResult>');
like(count_items('in/'), qr/does not tell what files it has/, 'a document with entities');
fault(match => 'list-type', do => 'status', status => 200, body => '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>', times => 100);
like(count_items('in/'), qr/does not tell what files it has/, 'pages without end');
fault();

# Cut in the middle, be it compressed: the rest of the same version is asked for.
my $large = join '', map { sprintf qq({"Item":{"id":{"S":"%06d"},"v":{"S":"%s"}}}\n), $_, md5_hex($_) } 1 .. 60000;
my $scratch = tempdir(CLEANUP => 1);
sub compressed
{
	my ($how, $text) = @_;
	open my $file, '>', "$scratch/plain" or die;
	print $file $text;
	close $file;
	return scalar `$how <$scratch/plain`;
}
my %compressed = (NONE => $large, GZIP => compressed('gzip -1', $large), ZSTD => compressed('zstd -1', $large));
foreach my $how (sort keys %compressed)
{
	store('PUT', "object/items/large/$how", $compressed{$how});
	store_log();
	fault(match => "GET /items/large/$how", do => 'cut', bytes => 1_000_000);
	is(sql("SELECT count(item), count(DISTINCT item->>'id') FROM dynamo.bucket_items('items', 'large/$how', input_compression => '$how')"), '60000 60000', "$how, cut off");
	is(scalar(grep { /GET \/items\/large/ } store_log()), 2, 'asked for twice');
}
fault(match => 'GET /items/large/NONE', do => 'cut', bytes => 1_000_000);
store('POST', 'fault', '{"match": "GET /items/large/NONE", "do": "again"}');
is(count_items('large/NONE'), 60000, 'a store that knows no ranges');
# Another version in its place is no rest of the first.
{
	fault(match => 'GET /items/large/NONE', do => 'cut', bytes => 1_000_000);
	store('POST', 'fault', '{"match": "GET /items/large/NONE", "do": "status", "status": 412}');
	my $changed = qr/ERROR:  file "large\/NONE" of bucket "items" has changed while it was read/;
	like(count_items('large/NONE'), $changed, 'a file that changes');
	fault(match => 'GET /items/large/NONE', do => 'cut', bytes => 1_000_000);
	store('POST', 'fault', encode_json({ match => 'GET /items/large/NONE', do => 'status', status => 200, body => $large =~ tr/0-8/1-9/r, headers => { ETag => '"other"' } }));
	like(count_items('large/NONE'), $changed, '... at a store that does not heed which version is asked for');
	fault();
}

# Nothing waits for ever.
fault(match => 'list-type', do => 'hang', times => 100);
like(sql("SET statement_timeout = '1s'; SELECT dynamo.bucket_items('items', 'in/')"), qr/canceling statement due to statement timeout/, 'a statement timeout');
like(count_items('in/'), qr/could not reach the store of bucket "items": Timeout was reached/, 'a store that hangs');
fault(match => 'GET /items/in', do => 'drip', times => 100);
like(count_items('in/'), qr/could not reach the store of bucket "items"/, 'a store that sends a byte a second');
fault();
is(count_items('in/'), 5, 'and is asked again');

# From here on who hangs does so until something is done to who waits for him.
set('dynamo.bucket_timeout', '10min');
fault(match => 'list-type', do => 'hang', times => 100);
my $session = session("SET application_name = 'waits'; SELECT dynamo.bucket_items('items', 'in/')");
ok(wait_for(sub { sql(q{SELECT wait_event_type FROM pg_stat_activity WHERE application_name = 'waits'}) eq 'Extension' }), 'a session that waits for the store');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'waits'});
ok(wait_for(sub { sql(q{SELECT state FROM pg_stat_activity WHERE application_name = 'waits'}) eq 'idle' }), 'is cancelled');
close $session;
fault();

# Exports: small files at once, large ones in parts.
sql(q{SELECT dynamo.create_table('Shop', 'id'); GRANT SELECT, INSERT, UPDATE ON dynamo_data."Shop" TO alice;
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i::text, 'v', (SELECT string_agg(encode(sha256((i * 100 + j)::text::bytea), 'hex'), '') FROM generate_series(1, 8) j))::text::dynamo.item)) FROM generate_series(1, 40000) i});
my $export = sub { return sql("SET SESSION AUTHORIZATION alice; SELECT dynamo.export_table('@{[$_[1] // 'Shop']}', '$_[0]')") };
sub files
{
	my ($arn) = @_;
	my ($job) = $arn =~ /([0-9]{14}-[0-9a-f]{8})$/;
	return grep { /\Q$job\E/ } split /\n/, store('GET', 'keys/exports');
}
# What the manifests say of a file is what the store has.
sub check_export
{
	my ($arn, $items, $parts) = @_;
	my ($list) = grep { /manifest-files\.json$/ } files($arn);
	my ($n, @wrong) = (0);
	foreach (split /\n/, store('GET', "object/exports/$list"))
	{
		my $file = decode_json($_);
		my $data = store('GET', "object/exports/$file->{dataFileS3Key}");
		$n += $file->{itemCount};
		push @wrong, 'MD5' if $file->{md5Checksum} ne md5_base64($data) . '==';
		my @parts = unpack '(a' . 8 * 1024 ** 2 . ')*', $data;
		push @wrong, "ETag of @{[scalar @parts]} parts" if $file->{etag} ne (@parts > 1 ? md5_hex(join '', map { md5($_) } @parts) . '-' . @parts : md5_hex($data)) || @parts != $parts;
	}
	is("$n @wrong", "$items ", 'its manifest');
	return;
}
my $arn = $export->('exports');
is(ended($arn), 'COMPLETED', 'an export');
check_export($arn, 40000, 2);
is(sql(qq{SELECT count(item), count(DISTINCT item->>'id') FROM dynamo.bucket_items('exports', '@{[map { m{(.*/data/)} } (files($arn))[0] ? grep { m{/data/} } files($arn) : ()]}', input_compression => 'GZIP')}), '40000 40000', 'can be read');
is(store('GET', 'uploads/exports'), '', 'no upload is left');
sql(q{SELECT dynamo.create_table('Little', 'id'); SELECT dynamo.put_item('Little', '{"id": "1"}'); GRANT SELECT ON dynamo_data."Little" TO alice});
$arn = $export->('exports', 'Little');
is(ended($arn), 'COMPLETED', 'a small one');
check_export($arn, 1, 1);

# Parts are sent again; an answer that is lost is no failure.
foreach my $do (qw(close after), 'status')
{
	fault(match => 'PUT .*partNumber=2', do => $do, status => 503, times => 2);
	is(ended($export->('exports')), 'COMPLETED', "a part that met: $do");
}
fault(match => 'POST .*uploadId=', do => 'after');
$arn = $export->('exports');
is(ended($arn), 'COMPLETED', 'completed, but nobody said so');
check_export($arn, 40000, 2);
fault(match => 'POST .*uploadId=', do => 'status', status => 200, body => '<Error><Code>InternalError</Code></Error>');
is(ended($export->('exports')), 'COMPLETED', '200, and an error in it: the job is tried again');
fault();
is(store('GET', 'uploads/exports'), '', 'no upload is left');

# What fails for good leaves no upload and no file.
fault(match => 'PUT .*partNumber=2', do => 'status', status => 400, body => '<Error><Code>EntityTooSmall</Code></Error>', times => 100);
$arn = $export->('exports');
is(ended($arn), 'FAILED S3InternalError', 'a part that is refused');
fault();
is(store('GET', 'uploads/exports') . join(' ', files($arn)), '', 'leaves nothing');

# A cancel.
fault(match => 'PUT .*partNumber=2', do => 'hang', times => 100);
$arn = $export->('exports');
ok(wait_for(sub { store('GET', 'uploads/exports') ne '' }), 'an upload');
sql(qq{SELECT dynamo.cancel_job('@{[$arn =~ /([0-9]{14}-[0-9a-f]{8})$/]}')});
is(ended($arn), 'CANCELLED', 'is cancelled');
is(store('GET', 'uploads/exports') . join(' ', files($arn)), '', 'and leaves nothing');

# A part whose answer comes after all, while its upload is being aborted.  Once its
# head was written to where nobody waited for it any more.
fault(match => 'PUT .*partNumber=1', do => 'hold', until => 'DELETE .*uploadId');
store('POST', 'fault', '{"match": "DELETE .*uploadId", "do": "late"}');
store_log();
$arn = $export->('exports');
ok(wait_for(sub { grep { /PUT .*partNumber=1/ } store_log() }), 'a part');
sql(qq{SELECT dynamo.cancel_job('@{[$arn =~ /([0-9]{14}-[0-9a-f]{8})$/]}')});
is(ended($arn), 'CANCELLED', 'is cancelled');
is(scalar(grep { $_ eq 'LEFT' } store_log()), 1, 'and nobody waits for its answer');
is(store('GET', 'uploads/exports') . join(' ', files($arn)), '', 'nothing is left');

sub up_again { return reported(qr/all server processes terminated; reinitializing/) && wait_for(sub { sql('SELECT 1') eq '1' }, $PATIENCE) }

# The process is killed: the next turn removes what it has left.
fault(match => 'PUT .*partNumber=2', do => 'hang');
$arn = $export->('exports');
ok(wait_for(sub { store('GET', 'uploads/exports') ne '' }), 'an upload');
my $pid = sql(q{SELECT pid FROM dynamo.jobs WHERE pid IS NOT NULL});
kill 'KILL', $pid or die "$pid";
ok(up_again(), 'the server is up again');
fault();
is(ended($arn), 'COMPLETED', 'an export whose process was killed');
check_export($arn, 40000, 2);
is(store('GET', 'uploads/exports'), '', 'no upload is left');

# Imports, with a crash in the middle.
fault(match => 'GET /items/large/GZIP', do => 'cut', bytes => 1_200_000);
store('POST', 'fault', '{"match": "GET /items/large/GZIP", "do": "hang"}');
$arn = sql("SET SESSION AUTHORIZATION alice; SELECT dynamo.import_table('Copy', 'items', 'id', prefix => 'large/GZIP', input_compression => 'GZIP')");
ok(wait_for(sub { sql(q{SELECT count(*) > 0 FROM dynamo_data."Copy"}) eq 't' }), 'an import');
$pid = sql(q{SELECT pid FROM dynamo.jobs WHERE pid IS NOT NULL});
kill 'KILL', $pid or die "$pid";
ok(up_again(), 'the server is up again');
fault();
is(ended($arn), 'COMPLETED', 'goes on');
is(sql(q{SELECT count(*) FROM dynamo_data."Copy"}), '60000', 'all items, once');

# Bulk operations and their reports
store('PUT', 'object/items/bulk/a.json', qq({"Item":{"id":{"S":"x"}}}\n{"Item":{"no":{"S":"key"}}}\n));
$arn = sql("SET SESSION AUTHORIZATION alice; SELECT dynamo.bulk_put_items('Shop', 'items', 'bulk/', report_bucket => 'exports', report_prefix => 'reports')");
is(ended($arn), 'COMPLETED_WITH_ERRORS', 'a bulk operation');
my ($report) = grep { m{^reports/.*/error/} } split /\n/, store('GET', 'keys/exports');
like(store('GET', "object/exports/$report"), qr/"LineNumber":2/, 'its report');

# FailureCodes
is(create_bucket('none'), '', 'a bucket that the store does not have');
is(ended($export->('none')), 'FAILED S3NoSuchBucket', 'export to no bucket');
is(ended(sql("SELECT dynamo.import_table('None', 'none', 'id')")), 'FAILED S3NoSuchBucket', 'import from it');
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER none OPTIONS (SET secret_access_key 'wrong')});
is(ended($export->('none')), 'FAILED S3AccessDenied', 'a wrong secret');
sql(q{DROP USER MAPPING FOR PUBLIC SERVER none});
like($export->('none'), qr/ERROR:  bucket "none" has no credentials for role "alice"/, 'no credentials');
fault(match => 'GET /items/in', do => 'status', status => 404, body => '<Error><Code>NoSuchKey</Code></Error>');
is(ended(sql("SELECT dynamo.import_table('Gone', 'items', 'id', prefix => 'in/')")), 'FAILED S3NoSuchKey', 'a key that is gone');
fault(match => 'POST .*uploads=', do => 'status', status => 307, headers => { Location => 'http://127.0.0.1:1/' }, times => 100);
is(ended($export->('exports')), 'FAILED S3InternalError', 'a redirect');
fault();

# The bucket's name in the host's: all requests of an export and of reading it
set('dynamo.bucket_endpoints', "http://127.0.0.1:$port, http://localhost:$port");
is(create_bucket('before', endpoint => "http://localhost:$port", path_style => 'false', store_bucket => "'exports'"), '', 'a bucket before the host');
sql("SELECT dynamo.grant_bucket('before', 'alice')");
store_log();
$arn = $export->('before');
is(ended($arn), 'COMPLETED', 'an export to it');
is(join(' ', grep { !/^[A-Z]+ exports:\/(?!exports)/ } store_log()), '', 'asks for nothing in the path');
check_export($arn, 40001, 2);
is(sql(qq{SELECT count(item) FROM dynamo.bucket_items('before', '@{[grep { m{/data/} } files($arn)]}', input_compression => 'GZIP')}), '40001', 'can be read');
like(create_bucket('dotted', endpoint => "http://localhost:$port", path_style => 'false', store_bucket => "'a.b'"), qr/^\z/, 'a name of two labels');
like(sql("SELECT dynamo.bucket_items('dotted')"), qr/ERROR:  bucket "dotted" cannot be part of a host's name/, 'stands before no host');

# Credentials for a while have a token, which is signed with the rest.
my $temporary = do { local $ENV{STORE_TOKEN} = store_key() . '/+=='; start_store('temporary') };
set('dynamo.bucket_endpoints', "http://127.0.0.1:$port, http://127.0.0.1:$temporary");
store('PUT', 'bucket/temporary', '', 'temporary');
create_bucket('temporary', endpoint => "http://127.0.0.1:$temporary");
sql("SELECT dynamo.grant_bucket('temporary', 'alice')");
like(sql("SELECT dynamo.bucket_items('temporary')"), qr/has answered with status 403, InvalidToken/, 'without its token');
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER temporary OPTIONS (ADD session_token 'expired')});
is(ended($export->('temporary')), 'FAILED S3AccessDenied', 'with an old one');
sql("ALTER USER MAPPING FOR PUBLIC SERVER temporary OPTIONS (SET session_token '@{[store_key()]}/+==')");
is(ended($export->('temporary')), 'COMPLETED', 'an export with it, in parts');
unlike(sql("ALTER USER MAPPING FOR PUBLIC SERVER temporary OPTIONS (SET session_token 'AnotherToken'); SELECT dynamo.bucket_items('temporary')"), qr/AnotherToken/, 'which no error shows');

# Forgotten, with its grants
like(sql("SELECT dynamo.drop_bucket('none'); SELECT count(*) FROM dynamo.bucket_grants WHERE bucket = 'none'"), qr/^0\z/m, 'dropped');
like(sql("SELECT dynamo.bucket_items('none')"), qr/ERROR:  bucket "none" does not exist/, 'is no bucket');

# TLS
my ($certificate, $certificate_key, $authority) = certificates();
my $tls = start_store('tls', $certificate, $certificate_key);
set('dynamo.bucket_endpoints', "http://127.0.0.1:$port, https://127.0.0.1:$tls, https://localhost:$tls");
foreach my $host ('127.0.0.1', 'localhost')
{
	is(create_bucket("tls-$host", endpoint => "https://$host:$tls", ca_file => "'$authority'", store_bucket => "'items'"), '', "by TLS to $host");
	like(sql("SELECT dynamo.bucket_items('tls-$host')"), qr/ERROR:  store of bucket "tls-$host" has refused a request\nDETAIL:  It has answered with status 404, NoSuchBucket\./, 'an answer of the store');
}
is(create_bucket('untrusted', endpoint => "https://127.0.0.1:$tls"), '', 'without its authority');
like(sql("SELECT dynamo.bucket_items('untrusted')"), qr/ERROR:  could not reach the store of bucket "untrusted": SSL peer certificate/, 'is not trusted');

done_testing();

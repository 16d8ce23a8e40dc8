# Buckets at a second store, s3proxy: another author's signatures, listings, uploads
# in parts and errors, by HTTP and TLS, with the bucket in the path and in the host,
# and over a wire that is cut in the middle of what is sent and of what comes.
# "make stores" runs it: Maven fetches 43 MB, and needs a JDK.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Compare qw(compare);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use IPC::Open2;
use Test::More;
use lib dirname(__FILE__) . '/..';
use AtEnd;
use Server;
use Store;

my $here = dirname(abs_path(__FILE__));
my $top = abs_path("$here/../../..");
my $home = "$top/tmp/store/s3proxy";
plan skip_all => 'no JDK or no Maven' if system('command -v java mvn >/dev/null') != 0;
if (!-e "$home/pom.xml" || compare("$home/pom.xml", "$here/pom.xml") != 0)
{
	my $said = `rm -rf '$home' && mkdir -p '$home' && timeout 300 mvn -B -q -f '$here/pom.xml' dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory='$home/lib' 2>&1`;
	plan skip_all => "Maven could not fetch s3proxy: $said" if $? != 0;
	copy("$here/pom.xml", "$home/pom.xml");
}

my $dir = tempdir(CLEANUP => 1);
my ($http, $tls, $wire) = map { `'$top/test/free-port'` + 0 } 1 .. 3;
my ($certificate, $key, $authority) = certificates();
my $password = store_key();
system("openssl pkcs12 -export -in '$certificate' -inkey '$key' -out '$dir/keys' -passout 'pass:$password'") == 0 or die;
sub text
{
	my ($name, $text) = @_;
	open my $out, '>', "$dir/$name" or die;
	print $out $text;
	close $out;
	return "$dir/$name";
}
mkdir "$dir/$_" or die foreach qw(data data/items data/exports);
text('logback.xml', '<configuration/>');
text('properties', <<"END");
s3proxy.authorization=aws-v4
s3proxy.identity=@{[store_key()]}
s3proxy.credential=@{[store_secret()]}
s3proxy.endpoint=http://127.0.0.1:$http
s3proxy.secure-endpoint=https://127.0.0.1:$tls
s3proxy.keystore-path=$dir/keys
s3proxy.keystore-password=$password
s3proxy.virtual-host=localhost
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir=$dir/data
jclouds.identity=x
jclouds.credential=x
END

# Begin a program that ends with us; it says when it is ready, or does not.
sub program
{
	my ($ready, @command) = @_;
	my $pid = open2(my $out, my $in, @command);
	at_end(sub { kill 'KILL', $pid; return 1 });
	return ($out, $in) if !$ready;
	(<$out> // '') =~ /ready/ or die "@command did not start";
	return ($out, $in);
}
program(0, 'java', '-Xmx256m', '-XX:TieredStopAtLevel=1', "-Dlogback.configurationFile=$dir/logback.xml", '-cp', "$home/lib/*", 'org.gaul.s3proxy.Main', '--properties', "$dir/properties");
ok(wait_for(sub { IO::Socket::INET->new("127.0.0.1:$tls") && IO::Socket::INET->new("127.0.0.1:$http") }, 120), 'a store') or BAIL_OUT('no store');
my ($said, $cut) = program(1, 'python3', "$here/cut.py", $wire, $tls);
sub cut_at { print $cut "@_\n"; $cut->flush; return <$said> }
sub was_cut { return (<$said> // '') eq "cut\n" }

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 1\ndynamo.bucket_timeout = 5s\n"
	  . "dynamo.bucket_endpoints = 'http://localhost:$http, https://localhost:$tls, https://localhost:$wire'\n");
my $PATIENCE = 120;
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id');
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i::text, 'v', (SELECT string_agg(encode(sha256((i * 100 + j)::text::bytea), 'hex'), '') FROM generate_series(1, 8) j))::text::dynamo.item)) FROM generate_series(1, 40000) i});
my $ca = "'$authority'";
my %bucket = (
	'plain' => { endpoint => "http://localhost:$http", store_bucket => "'exports'" },
	'plain-host' => { endpoint => "http://localhost:$http", store_bucket => "'exports'", path_style => 'false' },
	'tls' => { endpoint => "https://localhost:$tls", store_bucket => "'exports'", ca_file => $ca },
	'wire' => { endpoint => "https://localhost:$wire", store_bucket => "'exports'", ca_file => $ca });
is(create_bucket($_, %{ $bucket{$_} }), '', "bucket $_") foreach sort keys %bucket;

sub job { return $_[0] =~ /([0-9]{14}-[0-9a-f]{8})$/ ? $1 : die $_[0] }
sub ended
{
	my ($arn) = @_;
	my $status = sub { return sql("SELECT status || coalesce(' ' || failure_code, '') FROM dynamo.jobs WHERE job = '@{[job($arn)]}'") };
	wait_for(sub { $status->() !~ /^(?:SUBMITTED|IN_PROGRESS|CANCELLING)/ }, $PATIENCE);
	return $status->();
}
sub data { return "AWSDynamoDB/@{[job($_[0])]}/data/" }
sub count_items { my ($bucket, $arn) = @_; return sql("SELECT count(item), count(DISTINCT item->'id') FROM dynamo.bucket_items('$bucket', '@{[data($arn)]}', input_compression => 'GZIP')") }

my %arn;
foreach my $bucket (sort keys %bucket)
{
	$arn{$bucket} = sql("SELECT dynamo.export_table('Shop', '$bucket')");
	is(ended($arn{$bucket}), 'COMPLETED', "an export to $bucket");
	is(count_items($bucket, $arn{$bucket}), '40000 40000', '... is read');
}
is(count_items('plain', $arn{'plain-host'}), '40000 40000', 'the same bucket, in the path and in the host');

# Cut while a part is sent: it is sent again; while a file is read: the rest is asked for.
cut_at('up', 4_000_000);
my $arn = sql("SELECT dynamo.export_table('Shop', 'wire')");
is(ended($arn), 'COMPLETED', 'an export whose wire was cut');
ok(was_cut(), '... in the middle');
is(count_items('tls', $arn), '40000 40000', '... is whole');
cut_at('down', 2_000_000);
is(count_items('wire', $arn), '40000 40000', 'a file is read whose wire was cut');
ok(was_cut(), '... in the middle');
cut_at('down', 3_000_000);
my $import = sql("SELECT dynamo.import_table('Copy', 'wire', 'id', prefix => '@{[data($arn)]}', input_compression => 'GZIP')");
is(ended($import), 'COMPLETED', 'an import whose wire was cut');
ok(was_cut(), '... in the middle');
is(sql(q{SELECT count(*) FROM dynamo_data."Copy" c JOIN dynamo_data."Shop" s USING (pk) WHERE c.item = s.item}), '40000', '... has the same items');

# What fails is told by AWS's codes, and leaves no file.
create_bucket('none', endpoint => "https://localhost:$tls", ca_file => $ca);
is(ended(sql("SELECT dynamo.export_table('Shop', 'none')")), 'FAILED S3NoSuchBucket', 'no such bucket');
sql(q{ALTER USER MAPPING FOR PUBLIC SERVER tls OPTIONS (SET secret_access_key 'wrong')});
$arn = sql("SELECT dynamo.export_table('Shop', 'tls')");
is(ended($arn), 'FAILED S3AccessDenied', 'a wrong secret');
is(join(' ', grep { -s } glob "$dir/data/exports/@{[data($arn)]}*"), '', 'leaves nothing');

done_testing();

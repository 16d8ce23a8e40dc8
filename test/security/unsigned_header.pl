# Requests that are signed in part.
#
# Attacker: somebody between a client and the server, or who finds a signed
# request in a log.  He has no key.  He wants to make another request of it:
# the body may fit many operations, and a header of AWS's own can be added.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use File::Basename qw(dirname);
use POSIX qw(strftime);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id')});
my %ok;
@ok{qw(key secret)} = split ' ', sql("SELECT * FROM dynamo.create_access_key('postgres')");
ok(wait_for(sub { connection() }), 'the port is served');

my $usual = 'content-type;host;x-amz-date;x-amz-target';
my $table = '{"TableName":"Tab"}';

# The answer to what is signed for DescribeTable, with headers put in its place.
sub answer
{
	my ($head, %o) = @_;
	my $r = call('DescribeTable', $table, { %{ signed_head('DescribeTable', $table, %ok, %o) }, %$head });
	return $r->{status} == 200 ? 'served' : $r->{body};
}

sub wants
{
	my ($name) = @_;
	return qr/#InvalidSignatureException","message":"'$name' must be a 'SignedHeader' in the AWS Authorization\."/;
}

# What was there when it was signed.
is(answer({}), 'served', 'signed as by the SDKs');
like(answer({ 'X-Amz-Target' => 'DynamoDB_20120810.DeleteTable' }, signed => 'host;x-amz-date'),
	wants('X-Amz-Target'), 'the operation must be signed');
like(answer({}, signed => 'host;x-amz-target'), wants('X-Amz-Date'), 'and the date');
like(answer({}, signed => 'x-amz-date;x-amz-target'), wants('Host'), 'and the host, of which the service speaks first');
like(answer({}, signed => 'hos;host2;x-amz-date;x-amz-target'), wants('Host'), 'no part of its name');
like(answer({}, signed => ''), wants('Host'), 'who signs nothing');
is(sql("SELECT count(*) FROM pg_tables WHERE tablename = 'Tab'"), '1', 'the table is still there');

# What was added later.
foreach my $name ('X-Amz-Security-Token', 'x-amz-content-sha256', 'X-AMZ-Anything', 'X-Amz-')
{
	like(answer({ $name => 'UNSIGNED-PAYLOAD' }), wants($name), "$name cannot be added");
}
like(answer({ 'X-Amz-User-Agent' => 'a' }, signed => "$usual;x-amz-user-agen"), wants('X-Amz-User-Agent'),
	'a name that is almost the same is another');
is(answer({}, more => { 'X-Amz-User-Agent' => 'a', 'X-Amz-Api-Version' => 'b' }), 'served', 'they are taken when signed');

# What need not be signed: proxies add it, and some SDKs leave it out.
is(answer({ 'X-Amzn-Trace-Id' => 'a', 'X-Forwarded-For' => 'b', 'User-Agent' => 'c', 'X-Am' => 'd' }), 'served', 'headers of others');
is(answer({}, signed => 'host;x-amz-date;x-amz-target'), 'served', 'the content type');

# The form in a URL, which is passed on and kept more than any other.
sub url
{
	my ($operation, $signed) = @_;
	my $stamp = strftime('%Y%m%dT%H%M%SZ', gmtime);
	my $day = substr $stamp, 0, 8;
	my $scope = "$day/us-east-1/dynamodb/aws4_request";
	my %value = (host => '127.0.0.1:' . port(), 'x-amz-target' => 'DynamoDB_20120810.DescribeTable');
	my %query = (
		'X-Amz-Algorithm'     => 'AWS4-HMAC-SHA256',
		'X-Amz-Credential'    => "$ok{key}/$scope",
		'X-Amz-Date'          => $stamp,
		'X-Amz-SignedHeaders' => $signed);
	my $line = join '&', map { my $v = $query{$_}; $v =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ge; "$_=$v" } sort keys %query;
	my $canonical = join "\n", 'POST', '/', $line, (map { "$_:$value{$_}" } split /;/, $signed), '', $signed, sha256_hex($table);
	my $signing = "AWS4$ok{secret}";
	$signing = hmac_sha256($_, $signing) foreach split '/', $scope;
	my $signature = hmac_sha256_hex("AWS4-HMAC-SHA256\n$stamp\n$scope\n" . sha256_hex($canonical), $signing);
	my $r = ask("POST /?$line&X-Amz-Signature=$signature HTTP/1.1\r\nHost: $value{host}\r\nContent-Type: $JSON\r\n"
		  . "X-Amz-Target: DynamoDB_20120810.$operation\r\nContent-Length: " . length($table) . "\r\n\r\n$table");
	return $r->{status} == 200 ? 'served' : $r->{body};
}
is(url('DescribeTable', 'host;x-amz-target'), 'served', 'a URL for one operation');
like(url('DeleteTable', 'host'), wants('X-Amz-Target'), 'is not made for all of them');
like(url('DeleteTable', 'host;x-amz-target'), qr/does not match/, 'nor for another');
is(sql("SELECT count(*) FROM pg_tables WHERE tablename = 'Tab'"), '1', 'the table is still there');

# More than is looked at.  Behind so many headers, one more would go unseen.
my %many = map { sprintf('Z%03d', $_) => 'x' } 1 .. 128;
like(answer(\%many), qr/does not match/, 'too many headers');
delete @many{ map { sprintf 'Z%03d', $_ } 1 .. 10 };
is(answer(\%many), 'served', 'many headers');
like(answer({}, signed => "$usual;host"), qr/does not match/, 'a header signed twice');
like(answer({}, signed => join(';', $usual, map { "a$_" } 1 .. 128)), qr/does not match/, 'too many signed headers');

done_testing();

# GetCallerIdentity of AWS' security token service, by the Query protocol.
#
# A client asks our endpoint who it is, as SDKs, Terraform and people do before
# they begin.  The signature is for another service than DynamoDB's, and good
# for that alone; refusals have that service's codes, in XML.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use File::Basename qw(dirname);
use POSIX qw(strftime);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.account_id = '123456789012'\ndynamo.region = 'eu-west-1'");
my $key = tenant('"a&b <c>"');
my $asked = 'Action=GetCallerIdentity&Version=2011-06-15';
my $form = 'application/x-www-form-urlencoded; charset=utf-8';

# Sign and send a form.  Options: service, secret, key, by (GET: in the query
# string), head.
sub identity
{
	my ($body, %o) = (@_ % 2 ? @_ : ($asked, @_));
	my $stamp = strftime('%Y%m%dT%H%M%SZ', gmtime($o{time} || time()));
	my $day = substr($stamp, 0, 8);
	my $service = $o{service} || 'sts';
	my $scope = "$day/us-east-1/$service/aws4_request";
	my $host = '127.0.0.1:' . port();
	my $secret = 'AWS4' . ($o{secret} || $key->{secret});
	my $credential = ($o{key} || $key->{key}) . "/$scope";
	$secret = hmac_sha256($_, $secret) foreach $day, 'us-east-1', $service, 'aws4_request';
	my $sign = sub {
		hmac_sha256_hex("AWS4-HMAC-SHA256\n$stamp\n$scope\n" . sha256_hex(join("\n", @_)), $secret);
	};
	if (($o{by} || '') eq 'GET')
	{
		(my $encoded = $credential) =~ s{/}{%2F}g;
		my $query = join '&', sort split(/&/, $body), 'X-Amz-Algorithm=AWS4-HMAC-SHA256', "X-Amz-Credential=$encoded",
		  "X-Amz-Date=$stamp", 'X-Amz-Expires=60', 'X-Amz-SignedHeaders=host';
		my $signature = $sign->('GET', '/', $query, "host:$host", '', 'host', sha256_hex(''));
		return ask("GET /?$query&X-Amz-Signature=$signature HTTP/1.1\r\nHost: $host\r\n\r\n");
	}
	my $signature = $sign->('POST', '/', '', "content-type:$form", "host:$host", "x-amz-date:$stamp", '',
		'content-type;host;x-amz-date', sha256_hex($body));
	return posted($body, "X-Amz-Date: $stamp\r\nAuthorization: AWS4-HMAC-SHA256 Credential=$credential, "
		  . "SignedHeaders=content-type;host;x-amz-date, Signature=$signature\r\n" . ($o{head} || ''));
}

sub posted
{
	my ($body, $head) = @_;
	return ask('POST / HTTP/1.1' . "\r\nHost: 127.0.0.1:" . port() . "\r\nContent-Type: $form\r\n" . ($head || '')
		  . 'Content-Length: ' . length($body) . "\r\n\r\n$body");
}

sub refused
{
	my ($r, $status, $code, $text, $name) = @_;
	is($r->{status}, $status, "$name: status");
	is($r->{head}{'content-type'}, 'text/xml', "$name: XML");
	like($r->{body}, qr{^<ErrorResponse xmlns="https://sts\.amazonaws\.com/doc/2011-06-15/">.*<Type>Sender</Type>\s*<Code>$code</Code>\s*<Message>$text.*</ErrorResponse>\n\z}s,
		"$name: $code");
	return;
}

# Who is it?
my $oid = sql(q{SELECT oid FROM pg_roles WHERE rolname = 'a&b <c>'});
my $r = identity();
is($r->{status}, 200, 'who am I?');
is($r->{head}{'content-type'}, 'text/xml', 'in XML');
like($r->{body}, qr{<RequestId>$r->{head}{'x-amzn-requestid'}</RequestId>}, 'with the id of the request');
$r->{body} =~ s/<RequestId>\w+/<RequestId>ID/;
$r->{body} =~ s/>\s+</></g;
is($r->{body}, '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>'
	  . "<Arn>arn:aws:iam::123456789012:user/a&amp;b &lt;c&gt;</Arn><UserId>$oid</UserId><Account>123456789012</Account>"
	  . "</GetCallerIdentityResult><ResponseMetadata><RequestId>ID</RequestId></ResponseMetadata></GetCallerIdentityResponse>\n",
	'as AWS has it');
is(identity(by => 'GET')->{status}, 200, 'by a GET that was signed beforehand');
is(identity(head => "X-Amz-Security-Token: token\r\n")->{status}, 403, 'a session token has to be signed here, too');

# Who does not get to know, by the service's codes.
refused(posted($asked), 403, 'MissingAuthenticationToken', 'Request is missing Authentication Token', 'no signature');
refused(posted($asked, "Authorization: AWS4-HMAC-SHA256 Credential=a\r\n"), 400, 'IncompleteSignature', 'Authorization header requires',
	'half a signature');
refused(identity(key => 'AKIAUNKNOWN'), 403, 'InvalidClientTokenId', 'The security token included in the request is invalid\.', 'an unknown key');
refused(identity(secret => 'wrong'), 403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match', 'another secret');
refused(identity(time => time() - 3600), 403, 'SignatureDoesNotMatch', 'Signature expired: ', 'an old request');
refused(identity(service => 'dynamodb'), 403, 'SignatureDoesNotMatch', "Credential should be scoped to correct service: 'sts'\\.",
	'signed for another service');
refused(identity("$asked&a=b", secret => 'wrong', by => 'GET'), 403, 'SignatureDoesNotMatch', 'The request signature', 'a GET by another secret');
like(call('ListTables', '{}', signed_head('ListTables', '{}', %$key, service => 'sts'))->{body},
	qr/Credential should be scoped to correct service: 'dynamodb'/, 'and one for this service is no good for the other');
refused(identity('Action=AssumeRole&Version=2011-06-15'), 400, 'InvalidAction', 'Could not find operation AssumeRole for version 2011-06-15',
	'another action');
refused(identity('Action=GetCallerIdentity&Version=2012-01-01'), 400, 'InvalidAction', 'Could not find operation GetCallerIdentity for version 2012-01-01',
	'another version');
refused(identity('Action=GetCallerIdentity'), 400, 'InvalidAction', 'Could not find operation GetCallerIdentity for version NO_VERSION_SPECIFIED', 'no version');
refused(identity('Version=2011-06-15'), 400, 'MissingAction', 'The request must contain the parameter Action\.', 'no action');
refused(posted(''), 400, 'MissingAction', 'The request', 'nothing at all');
refused(posted('Action=%3Cb%3E' . 'x' x 1000), 400, 'InvalidAction', 'Could not find operation &lt;b&gt;x{125} for version', 'what is echoed is short and no markup');
refused(posted("Action=%FF%00\xFE&&=&Version"), 400, 'InvalidAction', "Could not find operation \xC3\xBF for version", 'and is UTF-8');
sql(q{REVOKE CONNECT ON DATABASE postgres FROM PUBLIC});
refused(identity(), 403, 'AccessDenied', 'permission denied for database', 'a role that may not connect');
sql(q{GRANT CONNECT ON DATABASE postgres TO PUBLIC});
is(identity()->{status}, 200, 'and may again');

# What is neither stays what it was.
is(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")->{body}, 'healthy: x ', 'GET / says that all is well');
is(ask("GET /?a=b HTTP/1.1\r\nHost: x\r\n\r\n")->{body}, 'healthy: x ', 'whatever else is in it');
is(posted($asked, "X-Amz-Target: DynamoDB_20120810.ListTables\r\n")->{status}, 404, 'a form is no call of an operation');
is(ask("POST /sts HTTP/1.1\r\nHost: x\r\nContent-Type: $form\r\nContent-Length: 0\r\n\r\n")->{status}, 404, 'nor is another path');
is(call_as($key, 'ListTables', '{}')->{status}, 200, 'and DynamoDB is served as before');

done_testing();

# HTTP requests as bytes, signed for now: a signature is good for fifteen
# minutes.  To be required, by bench/http and bench/requests.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use POSIX qw(strftime);

my ($scope, $stamp, $id, $key);

# The access key that signs what follows.
sub sign_by
{
	my $secret;
	($id, $secret) = @_;
	$stamp = strftime('%Y%m%dT%H%M%SZ', gmtime);
	$scope = substr($stamp, 0, 8) . '/us-east-1/dynamodb/aws4_request';
	$key = "AWS4$secret";
	$key = hmac_sha256($_, $key) foreach split '/', $scope;
}

sub request
{
	my ($operation, $body) = @_;
	my %head = (
		'content-type' => 'application/x-amz-json-1.0',
		'host'         => 'dynamo.bench',
		'x-amz-date'   => $stamp,
		'x-amz-target' => "DynamoDB_20120810.$operation");
	my $names = 'content-type;host;x-amz-date;x-amz-target';
	my $lines = join '', map { "$_:$head{$_}\n" } split /;/, $names;
	my $canonical = "POST\n/\n\n$lines\n$names\n" . sha256_hex($body);
	my $signature = hmac_sha256_hex("AWS4-HMAC-SHA256\n$stamp\n$scope\n" . sha256_hex($canonical), $key);
	$lines =~ s/\n/\r\n/g;
	return "POST / HTTP/1.1\r\n${lines}Authorization: AWS4-HMAC-SHA256 Credential=$id/$scope, "
	  . "SignedHeaders=$names, Signature=$signature\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}

# Of the table Bench, whose item number n is this one.

sub key { return qq("PK":{"S":"CUSTOMER#$_[0]"},"SK":{"S":"PROFILE"}) }

sub create_table
{
	return request('CreateTable', '{"TableName":"Bench","BillingMode":"PAY_PER_REQUEST",'
		. '"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],'
		. '"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}');
}

sub get_item { return request('GetItem', '{"TableName":"Bench","Key":{' . key($_[0]) . '}}') }

sub put_item
{
	return request('PutItem', '{"TableName":"Bench","Item":{' . key($_[0])
		. ',"name":{"S":"Ann Example"},"email":{"S":"ann' . $_[0] . '@example.com"},"visits":{"N":"' . $_[0] . '"},'
		. '"tags":{"SS":["new","vip"]},"address":{"M":{"city":{"S":"Berlin"},"zip":{"S":"10115"}}}}}');
}

1;

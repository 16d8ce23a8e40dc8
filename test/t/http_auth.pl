# Who is asking: signatures, access keys, and the privileges of their roles.
#
# Each way to be refused has the service's exception and text, and they are
# looked for in the service's order; what is signed right runs as the role of
# its key and may do what that role may do, no more.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use File::Basename qw(dirname);
use POSIX qw(strftime);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.http_region = 'us-east-1'");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE clerk LOGIN;
	CREATE ROLE reader LOGIN;
	CREATE ROLE nobody_logs_in NOLOGIN;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO clerk;
});

# Keys.
my ($key, $secret) = split ' ', sql("SELECT * FROM dynamo.create_access_key('clerk')");
like($key, qr/^AKIA[A-Z2-7]{16}$/, 'a key looks as keys do');
like($secret, qr{^[A-Za-z0-9+/]{40}$}, 'and so does its secret');
like(sql("SELECT * FROM dynamo.create_access_key('nobody_logs_in')"),
	qr/role "nobody_logs_in" is not permitted to log in/, 'no key for who may not log in');
like(sql('SET ROLE clerk; SELECT * FROM dynamo.access_keys'),
	qr/permission denied for table access_keys/, 'secrets are not shown around');
like(sql("SET ROLE clerk; SELECT * FROM dynamo.create_access_key('clerk')"),
	qr/permission denied for function create_access_key/, 'nor keys handed out');
like( sql("GRANT EXECUTE ON FUNCTION dynamo.create_access_key TO clerk;"
		  . "SET ROLE clerk; SELECT * FROM dynamo.create_access_key('postgres')"),
	qr/permission denied to manage access keys of role "postgres"/,
	'a role that may make keys makes none for others');

my %ok = (key => $key, secret => $secret);
my $body = '{}';

sub signed
{
	my ($operation, $body, %o) = @_;
	return call($operation, $body, { %{ signed_head($operation, $body, %ok, %o) }, %{ $o{head} || {} } });
}

sub refused
{
	my ($r, $exception, $text, $name) = @_;
	is($r->{status}, 400, "$name: refused");
	like($r->{body}, qr/"__type":"com\.amazon\.coral\.service#$exception"/, "$name: $exception");
	like($r->{body}, $text, "$name: text");
	return;
}

ok(wait_for(sub { connection() }), 'the port is served');

# What is accepted.
is(signed('ListTables', $body)->{body}, '{"TableNames":[]}', 'a good signature');
is(signed('ListTables', $body, more => { 'X-Amz-Note' => 'a b c' }, head => { 'X-Amz-Note' => "  a  b\t c " })->{status}, 200,
	'a signed header with more blanks than are signed');
is(signed('ListTables', $body, more => { 'X-Amz-Note' => 'a b c' }, head => { 'X-Amz-Note' => 'a bc' })->{status}, 400, 'and with fewer');
is(signed('ListTables', $body, payload => 'UNSIGNED-PAYLOAD')->{status}, 200, 'the body not signed');
is(signed('ListTables', $body, payload => sha256_hex($body))->{status}, 200, 'the body signed in a header');
is(signed('ListTables', $body, time => time() - 240)->{status}, 200, 'a clock that is late');
is(signed('ListTables', $body, time => time() + 240)->{status}, 200, 'a clock that is early');

# Refused, in the service's order.
refused(call('ListTables', $body), 'MissingAuthenticationTokenException',
	qr/"Request is missing Authentication Token"/, 'no signature');
refused(call('ListTables', $body, { Authorization => 'Basic abc' }), 'MissingAuthenticationTokenException',
	qr/missing Authentication Token/, 'another scheme');
refused(call('ListTables', $body, { Authorization => 'AWS4-HMAC-SHA256 ' }), 'IncompleteSignatureException',
	qr/"Authorization header requires 'Credential' parameter\. Authorization header requires 'Signature' parameter\. Authorization header requires 'SignedHeaders' parameter\. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header\. Authorization=AWS4-HMAC-SHA256/,
	'an empty header');
refused(call('ListTables', $body, { 'X-Amz-Date' => "\xFF\xFE", Authorization => 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=a, Signature=b' }),
	'IncompleteSignatureException', qr/Got '\xC3\xBF\xC3\xBE'\./, 'what is no UTF-8 is echoed as such');
refused(call('ListTables', $body, { 'X-Amz-Date' => '20130609T095204Z', Authorization => 'AWS4-HMAC-SHA256 Credential, SignedHeaders=a, Signature=b' }),
	'IncompleteSignatureException',
	qr/"'Credential' not a valid key=value pair \(missing equal-sign\) in Authorization header: 'AWS4-HMAC-SHA256 Credential, SignedHeaders=a, Signature=b'\."/,
	'a part without a value');
refused(signed('ListTables', $body, head => { 'X-Amz-Date' => 'yesterday' }), 'IncompleteSignatureException',
	qr/Date must be in ISO-8601 'basic format'\. Got 'yesterday'\. See/, 'no date');
refused(signed('ListTables', $body, time => time() - 360), 'InvalidSignatureException',
	qr/Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 5 min\.\)/, 'a replayed request');
refused(signed('ListTables', $body, time => time() + 360), 'InvalidSignatureException',
	qr/Signature not yet current: /, 'a request from the future');
refused(signed('ListTables', $body, signed => 'content-type;x-amz-date'), 'InvalidSignatureException',
	qr/'Host' must be a 'SignedHeader' in the AWS Authorization\./, 'host not signed');
my $head = signed_head('ListTables', $body, %ok);
(my $other = $head->{Authorization}) =~ s/SHA256/SHA512/;
refused(call('ListTables', $body, { %$head, Authorization => $other }), 'IncompleteSignatureException',
	qr/Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512'/, 'another algorithm');
($other = $head->{Authorization}) =~ s{/aws4_request}{};
refused(call('ListTables', $body, { %$head, Authorization => $other }), 'IncompleteSignatureException',
	qr/Credential must have exactly 5 slash-delimited elements/, 'a short credential');
refused(signed('ListTables', $body, region => 'nowhere', service => 's3', day => '20130609'), 'InvalidSignatureException',
	qr/"Credential should be scoped to a valid region, not 'nowhere'\. Credential should be scoped to correct service: 'dynamodb'\. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20130609' != '\d{8}', from '\d{8}T\d{6}Z'\."/,
	'another scope');
refused(signed('ListTables', $body, key => 'AKIAUNKNOWN'), 'UnrecognizedClientException',
	qr/"The security token included in the request is invalid\."/, 'an unknown key');
is(signed('ListTables', $body, more => { 'X-Amz-Security-Token' => 'token' })->{status}, 200,
	'a session token, which tools send by habit, changes nothing');
refused(signed('ListTables', $body, head => { 'X-Amz-Security-Token' => 'token' }), 'InvalidSignatureException',
	qr/'x-amz-security-token' must be a 'SignedHeader'/i, 'but has to be signed like all of its kind');
refused(signed('ListTables', $body, key => 'AKIAUNKNOWN', more => { 'X-Amz-Security-Token' => 'token' }),
	'UnrecognizedClientException', qr/security token/, 'and makes no unknown key known');
refused(signed('ListTables', $body, secret => 'wrong'), 'InvalidSignatureException',
	qr/"The request signature we calculated does not match/, 'another secret');
foreach my $place (0, 31, 63)
{
	($other = $head->{Authorization}) =~ s{(Signature=\w{$place})(\w)}{$1 . ($2 eq '0' ? '1' : '0')}e;
	refused(call('ListTables', $body, { %$head, Authorization => $other }), 'InvalidSignatureException',
		qr/does not match/, "digit $place of the signature changed");
}
refused(signed('ListTables', $body, sign => '{"Limit":1}'), 'InvalidSignatureException',
	qr/does not match/, 'another body');
refused(signed('ListTables', '{"Limit":1}', payload => sha256_hex($body)), 'InvalidSignatureException',
	qr/does not match/, 'another body than the header says');
refused(signed('ListTables', $body, head => { 'X-Amz-Target' => 'DynamoDB_20120810.DescribeLimits' }),
	'InvalidSignatureException', qr/does not match/, 'another operation than signed')
  if signed('DescribeLimits', '{}')->{status} == 200;

# The envelope comes first, the types of members after.
like(call('ListTables', '{"')->{body}, qr/SerializationException/, 'JSON before the signature');
like(call('NoSuch', $body)->{body}, qr/UnknownOperationException/, 'the operation before the signature');
like(call('ListTables', '{"Limit":"x"}')->{body}, qr/MissingAuthentication/, 'the signature before types');

# The form with the signature in the query string.
sub query_form
{
	my (%change) = @_;
	my $stamp = strftime('%Y%m%dT%H%M%SZ', gmtime(time() - (delete $change{age} || 0)));
	my $unsigned = delete $change{unsigned} || '';
	my $day = substr($stamp, 0, 8);
	my $scope = "$day/us-east-1/dynamodb/aws4_request";
	my $host = '127.0.0.1:' . port();
	my %query = (
		'X-Amz-Algorithm'     => 'AWS4-HMAC-SHA256',
		'X-Amz-Credential'    => "$key/$scope",
		'X-Amz-Date'          => $stamp,
		'X-Amz-SignedHeaders' => 'host;x-amz-target',
		%change);
	my $encode = sub { my $v = shift; $v =~ s/([^A-Za-z0-9\-_.~])/sprintf '%%%02X', ord $1/ge; $v };
	my $line = join '&', map { $_ . '=' . $encode->($query{$_}) } sort keys %query;
	my $signing = "AWS4$secret";
	$signing = hmac_sha256($_, $signing) foreach $day, 'us-east-1', 'dynamodb', 'aws4_request';
	my $canonical = "POST\n/\n$line\nhost:$host\nx-amz-target:DynamoDB_20120810.ListTables\n\n"
	  . "host;x-amz-target\n" . sha256_hex('{}');
	my $signature = hmac_sha256_hex("AWS4-HMAC-SHA256\n$stamp\n$scope\n" . sha256_hex($canonical), $signing);
	return ask("POST /?$line&X-Amz-Signature=$signature$unsigned HTTP/1.1\r\nHost: $host\r\nContent-Type: $JSON\r\n"
		  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}");
}
is(query_form()->{status}, 200, 'signed in the query string');
is(query_form('Note' => 'a b')->{status}, 200, 'with a parameter that is signed');
is(query_form('X-Amz-Security-Token' => 'token')->{status}, 200, 'and with a session token');
refused(query_form(unsigned => '&Note=a'), 'InvalidSignatureException', qr/does not match/, 'and one that is not');
is(query_form(age => 3600, 'X-Amz-Expires' => 7200)->{status}, 200, 'good for two hours');
refused(query_form(age => 8 * 86400, 'X-Amz-Expires' => 30 * 86400), 'InvalidSignatureException',
	qr/Signature expired: .* - 10080 min\.\)/, 'a week is the longest');
refused(query_form('X-Amz-Date' => ''), 'IncompleteSignatureException',
	qr/"AWS query-string parameters must include 'X-Amz-Date'\. Re-examine the query-string parameters\."/, 'a part missing');
refused(ask("POST /?X-Amz-Algorithm=x HTTP/1.1\r\nHost: x\r\nAuthorization: AWS4-x\r\n"
	  . "Content-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}"),
	'InvalidSignatureException', qr/"Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header\."/,
	'both forms');

# Privileges are those of the role.
my $create = '{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],'
  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}';
my $put = '{"TableName":"Shop","Item":{"id":{"S":"a"}}}';
my $get = '{"TableName":"Shop","Key":{"id":{"S":"a"}}}';
is(signed('CreateTable', $create)->{status}, 200, 'a table is created');
is(sql(q{SELECT tableowner FROM pg_tables WHERE tablename = 'Shop'}), 'clerk', 'by the role of the key');
is(signed('PutItem', $put)->{body}, '{}', 'which may write it');
my %clerk = %ok;
@ok{qw(key secret)} = split ' ', sql("SELECT * FROM dynamo.create_access_key('reader')");
refused(signed('GetItem', $get), 'AccessDeniedException', qr/"Message":"/, 'another role');
sql('GRANT USAGE ON SCHEMA dynamo_data TO reader; GRANT SELECT ON dynamo_data."Shop" TO reader');
is(signed('GetItem', $get)->{body}, '{"Item":{"id":{"S":"a"}}}', 'reads once it may');
refused(signed('PutItem', $put), 'AccessDeniedException', qr/"Message":"/, 'and only that');
refused(signed('DeleteItem', $get), 'AccessDeniedException', qr/"Message":"/, 'not delete');
sql('REVOKE SELECT ON dynamo_data."Shop" FROM reader');
refused(signed('GetItem', $get), 'AccessDeniedException', qr/"Message":"/, 'until it may no more');

# What a role may not do to tables, and who refuses what, is told in the
# service's words.
sub denied
{
	my ($role, $action, $table) = @_;
	return qr{"Message":"User: arn:aws:iam::000000000000:user/$role is not authorized to perform: dynamodb:$action on resource: arn:aws:dynamodb:us-east-1:000000000000:table/$table"};
}
refused(signed('CreateTable', $create =~ s/Shop/Other/r), 'AccessDeniedException', denied(qw(reader CreateTable Other)),
	'who may not create tables');
refused(signed('DeleteTable', '{"TableName":"Shop"}'), 'AccessDeniedException', denied(qw(reader DeleteTable Shop)),
	'who does not own a table');
refused(signed('TagResource', '{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Shop","Tags":[{"Key":"a","Value":"b"}]}'),
	'AccessDeniedException', denied(qw(reader TagResource Shop)), 'nor may tag it');
%ok = %clerk;
sql(q{
	CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
	$$ BEGIN RAISE insufficient_privilege USING MESSAGE = 'closed today'; END $$;
	CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON dynamo_data."Shop"
	FOR EACH ROW EXECUTE FUNCTION public.refuse();
});
refused(signed('PutItem', $put), 'AccessDeniedException', denied(qw(clerk PutItem Shop)), 'a trigger that refuses');
sql(q{
	DROP TRIGGER refuse ON dynamo_data."Shop";
	CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON dynamo_data."Shop"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.refuse();
});
refused(signed('PutItem', $put), 'AccessDeniedException', denied(qw(clerk PutItem Shop)), 'a trigger that refuses in the end');
sql('DROP TRIGGER refuse ON dynamo_data."Shop"');

# What runs as the role cannot become another.
sql(q{
	CREATE FUNCTION public.climb() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN SET ROLE postgres; RETURN new; END $$;
	CREATE TRIGGER climb BEFORE INSERT OR UPDATE ON dynamo_data."Shop"
	FOR EACH ROW EXECUTE FUNCTION public.climb();
});
%ok = %clerk;
isnt(signed('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"b"}}}')->{status}, 200, 'a trigger cannot change the role');
sql('DROP TRIGGER climb ON dynamo_data."Shop"');
is(signed('PutItem', $put)->{status}, 200, 'a trigger that failed leaves no trace');

# What one role's functions leave in the session is gone when another's run.
my %reader;
@reader{qw(key secret)} = split ' ', sql("SELECT * FROM dynamo.create_access_key('reader')");
sql(q{
	CREATE FUNCTION public.leave() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config('search_path', 'evil', false);
		CREATE TEMP TABLE IF NOT EXISTS prices AS SELECT 0 AS price;
		GRANT SELECT ON prices TO PUBLIC;
		RETURN new;
	END $$;
	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		new.item := (new.item::jsonb || jsonb_build_object('path', current_setting('search_path'),
			'prices', to_regclass('pg_temp.prices')))::dynamo.item;
		RETURN new;
	END $$;
	SELECT dynamo.create_table('Other', 'id');
	GRANT SELECT, INSERT, UPDATE ON dynamo_data."Other" TO reader;
	CREATE TRIGGER leave BEFORE INSERT OR UPDATE ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.leave();
	CREATE TRIGGER look BEFORE INSERT OR UPDATE ON dynamo_data."Other" FOR EACH ROW EXECUTE FUNCTION public.look();
});
is(signed('PutItem', $put)->{status}, 200, 'a trigger leaves a search_path and a temporary table');
is(signed('PutItem', '{"TableName":"Other","Item":{"id":{"S":"a"}}}', %reader)->{status}, 200, 'another role writes');
is(sql(q{SELECT item->>'path', item->>'prices' IS NULL FROM dynamo_data."Other"}),
	'"$user", public t', 'and finds neither');
sql(q{DROP TRIGGER leave ON dynamo_data."Shop"; SELECT dynamo.drop_table('Other')});

# Row-level security.
sql(q{
	ALTER TABLE dynamo_data."Shop" ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON dynamo_data."Shop" TO reader USING (item->>'id' LIKE 'r%');
	GRANT SELECT, INSERT, UPDATE ON dynamo_data."Shop" TO reader;
});
signed('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"r1"}}}');
my ($rkey, $rsecret) = @reader{qw(key secret)};
is(signed('Scan', '{"TableName":"Shop"}', key => $rkey, secret => $rsecret)->{body},
	'{"Items":[{"id":{"S":"r1"}}],"Count":1,"ScannedCount":1}', 'a policy holds');

# Keys and roles that go.
sql('ALTER ROLE clerk NOLOGIN');
refused(signed('ListTables', $body), 'UnrecognizedClientException', qr/security token/, 'a role that may not log in');
sql('ALTER ROLE clerk LOGIN');
is(signed('ListTables', $body)->{status}, 200, 'and may again');
sql("SELECT dynamo.drop_access_key('$key')");
refused(signed('ListTables', $body), 'UnrecognizedClientException', qr/security token/, 'a dropped key');
like(sql("SELECT dynamo.drop_access_key('$key')"), qr/access key "$key" does not exist/, 'which is gone');
@ok{qw(key secret)} = ($rkey, $rsecret);
is(signed('ListTables', $body)->{status}, 200, 'the other key');
sql("DELETE FROM dynamo.access_keys WHERE access_key_id = '$rkey'");
refused(signed('ListTables', $body), 'UnrecognizedClientException', qr/security token/, 'deleted by plain SQL');
@ok{qw(key secret)} = split ' ', sql("SELECT * FROM dynamo.create_access_key('reader')");
is(signed('ListTables', $body)->{status}, 200, 'a role with a key');
sql('DROP OWNED BY reader; DROP ROLE reader');
refused(signed('ListTables', $body), 'UnrecognizedClientException', qr/security token/, 'that is dropped');

done_testing();

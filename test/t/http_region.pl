# The region that a client is configured for, and what the log says of it.
#
# A newcomer's SDK has some region in its environment: any is served, unless
# the administrator names one.  ARNs have the region of the server all the same.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.http_database = 'later'\ndynamo.region = 'eu-west-2'");

sub logged
{
	my ($text, $name) = @_;
	ok(wait_for(sub { log_has(qr/\Q$text\E/) }), $name);
	return;
}

# What is missing is said once, in the order in which it is waited for.
logged('dynamo waits for database "later" to be created', 'the log says which database is waited for');
sql('CREATE DATABASE later');
logged('dynamo waits for its extension to be created in database "later"', 'and that it lacks the extension');
logged('dynamo serves database "later" by HTTP on 127.0.0.1, port ' . port(), 'and what is served where');
logged('The region is eu-west-2; requests may be signed for any region.', 'and for which regions');
ok(wait_for(sub { connection() }), 'the port is served');
like(call('ListTables', '{}')->{body}, qr/ServiceUnavailable/, 'without the extension requests may be tried again');
sql('CREATE EXTENSION dynamo; CREATE ROLE clerk LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO clerk', 'later');
my ($key, $secret) = split ' ', sql(q{SELECT * FROM dynamo.create_access_key('clerk')}, 'later');
my %key = (key => $key, secret => $secret);

sub asked
{
	my ($operation, $body, $region) = @_;
	return call($operation, $body, signed_head($operation, $body, %key, region => $region))->{body};
}

# Any region, and the server's own in what it answers.
like(asked('CreateTable', '{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}', 'ap-south-1'),
	qr/"TableArn":"arn:aws:dynamodb:eu-west-2:000000000000:table\/Shop"/, "an ARN has the server's region");
foreach my $region ('us-east-1', 'eu-west-2', 'local', 'US_1', 'x' x 63)
{
	is(asked('ListTables', '{}', $region), '{"TableNames":["Shop"]}', "signed for $region");
}
foreach my $region ('x' x 64, 'a.b', 'a*', "eu'west", "\xFF")
{
	like(asked('ListTables', '{}', $region), qr/InvalidSignatureException","message":"Credential should be scoped to a valid region, not/,
		"'$region' is no region");
}
(my $other = signed_head('ListTables', '{}', %key, region => 'us-east-1')->{Authorization}) =~ s/us-east-1/us-east-2/;
like(call('ListTables', '{}', { %{ signed_head('ListTables', '{}', %key, region => 'us-east-1') }, Authorization => $other })->{body},
	qr/The request signature we calculated does not match/, 'a signature is good for the region it was made for');

# One region, by a reload.
set('dynamo.http_region', 'eu-west-2');
ok(wait_for(sub { asked('ListTables', '{}', 'us-east-1') =~
	/Credential should be scoped to a valid region, not 'us-east-1'/ }), 'the administrator can name one');
is(asked('ListTables', '{}', 'eu-west-2'), '{"TableNames":["Shop"]}', 'which is accepted');

# Under trust nothing of the signature is looked at.
set('dynamo.http_authentication', 'trust');
ok(wait_for(sub { asked('ListTables', '{}', 'us-east-1') eq '{"TableNames":["Shop"]}' }), 'any region under trust');
is(asked('ListTables', '{}', ''), '{"TableNames":["Shop"]}', 'or none');
logged('The region is eu-west-2; signatures are not checked.', 'and the log says so');

done_testing();

# Policies over HTTP: the cases of sql/policy_cases.sql, which dynamo.call
# passes; and what only HTTP has: addresses, TLS, the header that confirms, and
# workers that remember policies.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use IO::Socket::SSL;
use JSON::PP qw(decode_json encode_json);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server('dynamo.http_workers = 2');
sql('CREATE EXTENSION dynamo');

# The cases, with all that they need.
open(my $in, '<', dirname(__FILE__) . '/../../sql/policy_cases.sql') or die;
my $shared = do { local $/; <$in> };
close $in;
$shared =~ s/^-- end of what HTTP shares\n.*//ms or die;
unlike(sql($shared), qr/ERROR/, 'cases');
my $cases = decode_json(sql(q{
	SELECT json_agg(json_build_object('n', n, 'statements', statements, 'operation', operation, 'expected', expected,
		'request', policy_request(operation, request)) ORDER BY n) FROM policy_case}));
cmp_ok(scalar @$cases, '>=', 100, 'there are many');

my $key = new_key('regress_policy');
wait_for(sub { connection() }) or die 'HTTP is not served';

sub put_policy
{
	my ($statements) = @_;
	return sql(qq{SELECT dynamo.put_role_policy('regress_policy', 'case', policy_document(\$\$$statements\$\$))});
}

sub outcome
{
	my ($answer) = @_;
	return sql("SELECT policy_outcome(\$answer\$$answer->{body}\$answer\$)");
}

foreach my $case (@$cases)
{
	sql(qq{SELECT dynamo.put_role_policy('regress_policy', 'case', policy_document(\$\$$case->{statements}\$\$)),
		dynamo.put_item('PolicyT', '{"pk": "t1", "sk": "b"}'), dynamo.put_item('PolicyT', '{"pk": "t2", "sk": "a"}'),
		dynamo.put_item('PolicyT', '{"pk": "t1", "sk": "a"}')});
	is(outcome(call_as($key, $case->{operation}, $case->{request})), $case->{expected},
		"$case->{n}: $case->{operation} under $case->{statements}");
}

# What a refusal looks like.
my $get = '{"TableName":"PolicyT","Key":{"pk":{"S":"t1"},"sk":{"S":"a"}}}';
put_policy('Deny * on *');
my $refused = call_as($key, 'GetItem', $get);
is($refused->{status}, 400, 'a refusal: status');
is( $refused->{body},
	'{"__type":"com.amazon.coral.service#AccessDeniedException",'
	  . '"Message":"User: arn:aws:iam::000000000000:user/regress_policy is not authorized to perform: '
	  . 'dynamodb:GetItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT '
	  . 'with an explicit deny in an identity-based policy"}',
	'a refusal: body');

# The client's address is that of the connection.
put_policy('Allow * on * if {"IpAddress":{"aws:SourceIp":["10.0.0.0/8","127.0.0.0/8"]}}');
is(outcome(call_as($key, 'GetItem', $get)), 'yes', 'its address is let in');
put_policy('Allow * on * if {"NotIpAddress":{"aws:SourceIp":"127.0.0.1"}}');
is(outcome(call_as($key, 'GetItem', $get)), 'no', 'its address is kept out');
put_policy('Allow * on * if {"IpAddress":{"aws:SourceIp":"127.0.0.0/30"}}');
is(outcome(call_as($key, 'GetItem', $get)), 'yes', 'a network of any length has it');
put_policy('Allow * on * if {"IpAddress":{"aws:SourceIp":["127.0.0.4/30","127.0.0.128/25","7f00::/8"]}}');
is(outcome(call_as($key, 'GetItem', $get)), 'no', 'others do not, nor one of IPv6 that begins with the same bits');

# All workers forget what they know, of policies and of memberships.

sub outcomes
{
	my %seen;
	$seen{ outcome(call_as($key, 'GetItem', $get, connection())) }++ foreach 1 .. 8;
	return join ' ', sort keys %seen;
}
put_policy('Allow * on *');
is(outcomes(), 'yes', 'a policy that allows');
sql(q{DELETE FROM dynamo.role_policies});
is(outcomes(), 'yes', 'none');
sql(q{CREATE ROLE regress_others; SELECT dynamo.put_role_policy('regress_others', 'p', policy_document('Deny * on *'))});
is(outcomes(), 'yes', 'that of another');
sql(q{GRANT regress_others TO regress_policy});
is(outcomes(), 'deny', 'that of a group');
sql(q{DROP ROLE regress_others});
is(outcomes(), 'yes', 'the group is gone');
sql(q{ALTER ROLE regress_policy RENAME TO regress_renamed;
	SELECT dynamo.put_role_policy('regress_renamed', 'p', policy_document('Allow * on * if {"StringEquals":{"aws:username":"regress_policy"}}'))});
is(outcomes(), 'no', 'the name is the one it has now');
sql(q{ALTER ROLE regress_renamed RENAME TO regress_policy});
is(outcomes(), 'yes', 'and now that');
sql(q{DELETE FROM dynamo.role_policies; ALTER TABLE dynamo_data."PolicyT" OWNER TO regress_policy});

# A policy that shuts its author out, with the header and without.
my $policy = encode_json({ Statement => { Effect => 'Deny', Principal => '*', Action => 'dynamodb:*', Resource => '*' } });
my $put = encode_json({ ResourceArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT', Policy => $policy });
like(call_as($key, 'PutResourcePolicy', $put)->{body}, qr/ConfirmRemoveSelfResourceAccess/, 'not by mistake');
my $head = signed_head('PutResourcePolicy', $put, %$key, more => { 'X-Amz-Confirm-Remove-Self-Resource-Access' => 'true' });
like(call('PutResourcePolicy', $put, $head)->{body}, qr/^\{"RevisionId":"\d{13}"\}$/, 'but if it is confirmed');
like(call_as($key, 'GetItem', $get)->{body}, qr/with an explicit deny in a resource-based policy/, 'it counts at once');
sql(q{SELECT dynamo.call('DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT"}')});
is(outcome(call_as($key, 'GetItem', $get)), 'yes', 'a superuser helps');

# Policies are in a dump, with names of roles.
sql(q{SELECT dynamo.put_role_policy('regress_policy', 'p', policy_document('Deny dynamodb:GetItem on *'));
	SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT',
		'Policy', '{"Statement": {"Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::000000000000:user/regress_policy"}, "Action": "dynamodb:Scan", "Resource": "*"}}'))});
unlike(run('createdb restored && pg_dump -Fc postgres | pg_restore -d restored --no-comments 2>&1'), qr/polic/, 'dumped and restored');
foreach ([ 'GetItem', $get, 'an identity' ], [ 'Scan', '{"TableName":"PolicyT"}', 'a resource' ])
{
	my ($operation, $request, $kind) = @$_;
	like(sql("SET ROLE regress_policy; SELECT dynamo.call('$operation', '$request')", 'restored'),
		qr/with an explicit deny in $kind-based policy/, "restored: $kind");
}

# A principal that is gone is nobody.  Otherwise a dump would have its number, which is
# another role where it is restored.
sql(q{CREATE ROLE regress_gone;
	SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT',
		'Policy', '{"Statement": {"Effect": "Deny", "Principal": {"AWS": ["arn:aws:iam::000000000000:user/regress_gone", "arn:aws:iam::000000000000:user/regress_policy"]}, "Action": "dynamodb:Scan", "Resource": "*"}}'));
	DROP ROLE regress_gone});
like(sql('SELECT principals FROM dynamo.resource_policies'), qr/^\{(\d+|-),regress_policy\}$/, 'a principal is dropped');
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { sql('SELECT principals FROM dynamo.resource_policies') eq '{-,regress_policy}' }), 'maintenance makes it nobody');
like(sql(q{SET ROLE regress_policy; SELECT dynamo.call('Scan', '{"TableName":"PolicyT"}')}), qr/with an explicit deny in a resource-based policy/, 'and the other is who it was');
sql(q{DELETE FROM dynamo.resource_policies});

# Only with TLS.
my $made = tempdir(CLEANUP => 1);
`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout $made/tls.key -out $made/tls.crt -subj /CN=x 2>&1`;
my $data = directory() . '/data';
foreach my $file ('tls.crt', 'tls.key')
{
	copy("$made/$file", "$data/$file") or die;
	chmod 0600, "$data/$file";
	chown((stat $data)[ 4, 5 ], "$data/$file");
}
put_policy('Allow * on *; Deny * on * if {"Bool":{"aws:SecureTransport":"false"}}');
sql(q{DELETE FROM dynamo.role_policies WHERE policy_name = 'p'});
is(outcome(call_as($key, 'GetItem', $get)), 'deny', 'not without TLS');
sql(q{ALTER SYSTEM SET dynamo.http_tls_cert_file = 'tls.crt'});
sql(q{ALTER SYSTEM SET dynamo.http_tls_key_file = 'tls.key'});
server('halt');
server('restart');
wait_for(sub { tls_connection() }) or die 'HTTPS is not served';
is(outcome(call_as($key, 'GetItem', $get, scalar tls_connection())), 'yes', 'with TLS');

done_testing();

# Attacker: a role with an access key that is not, or no more, allowed to
# connect to the database.
# Wants: to be served over HTTP all the same.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE clerks;
	CREATE ROLE clerk LOGIN IN ROLE clerks;
	GRANT USAGE ON SCHEMA dynamo_data TO clerk;
	SELECT dynamo.create_table('Shop', 'id');
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Shop" TO clerk;
});
my $clerk = new_key('clerk');
my $owner = new_key('postgres');
wait_for(sub { connection() }) or die 'nothing is served';

sub served
{
	my ($name) = @_;
	my $r = call_as($clerk, 'Scan', '{"TableName":"Shop"}');
	is($r->{status}, 200, "$name: served") or diag($r->{body});
	return;
}

sub refused
{
	my ($name, $text) = @_;
	my $r = call_as($clerk, 'Scan', '{"TableName":"Shop"}');
	is($r->{status}, 400, "$name: refused");
	like($r->{body}, $text, "$name: in the service's words");
	is(call_as($owner, 'Scan', '{"TableName":"Shop"}')->{status}, 200, "$name: a superuser is served");
	return;
}
my $denied = qr{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"User: arn:aws:iam::000000000000:user/clerk is not authorized to perform: dynamodb:Scan on resource: \*"};
my $unknown = qr{"__type":"com.amazon.coral.service#UnrecognizedClientException"};

served('by default');
sql('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
refused('REVOKE CONNECT', $denied);
sql('GRANT CONNECT ON DATABASE postgres TO clerks');
served('CONNECT of a role it belongs to');
sql('ALTER DATABASE postgres CONNECTION LIMIT 0');
refused('a database with CONNECTION LIMIT 0', $denied);
sql('ALTER DATABASE postgres CONNECTION LIMIT 1');
served('a database with CONNECTION LIMIT 1');
sql('ALTER ROLE clerk CONNECTION LIMIT 0');
refused('CONNECTION LIMIT 0', $unknown);
sql('ALTER ROLE clerk CONNECTION LIMIT 1');
served('CONNECTION LIMIT 1');
sql(q{ALTER ROLE clerk VALID UNTIL '2001-01-01'});
refused('VALID UNTIL a day that is over', $unknown);
sql(q{ALTER ROLE clerk VALID UNTIL 'infinity'});
served('VALID UNTIL infinity');
sql('ALTER ROLE clerk NOLOGIN');
refused('NOLOGIN', $unknown);
sql(q{ALTER ROLE clerk LOGIN; ALTER SYSTEM SET dynamo.http_authentication = trust;
	ALTER SYSTEM SET dynamo.http_role = clerk; SELECT pg_reload_conf()});
# The workers are started anew, so that a call may find none for a moment.
my $r;
wait_for(sub { $r = call('Scan', '{"TableName":"Shop"}'); ($r->{status} || 0) == 200 });
is($r->{status}, 200, 'without signatures: served');
sql('REVOKE CONNECT ON DATABASE postgres FROM clerks');
wait_for(sub { $r = call('Scan', '{"TableName":"Shop"}'); $r->{status} });
like($r->{body}, $denied, 'without signatures: refused');
done_testing();

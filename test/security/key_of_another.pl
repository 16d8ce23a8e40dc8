# Attacker: a role that may make and drop access keys.
# Wants: a key for another role, or to drop another's.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE team LOGIN;
	CREATE ROLE mallory LOGIN IN ROLE team;
	CREATE ROLE victim LOGIN;
	GRANT USAGE ON SCHEMA dynamo TO mallory;
	GRANT EXECUTE ON FUNCTION dynamo.create_access_key, dynamo.drop_access_key TO mallory;
});
my %key = map { $_ => new_key($_) } qw(team mallory victim postgres);
wait_for(sub { connection() }) or die 'nothing is served';

foreach my $whose (qw(victim postgres))
{
	like(sql("SET ROLE mallory; SELECT * FROM dynamo.create_access_key('$whose')"),
		qr/permission denied to manage access keys of role "$whose"/, "no key for $whose");
	like(sql("SET ROLE mallory; SELECT dynamo.drop_access_key('$key{$whose}{key}')"),
		qr/permission denied to manage access keys of role "$whose"/, "no end for the key of $whose");
	is(call_as($key{$whose}, 'ListTables', '{}')->{status}, 200, 'which is still good');
}
foreach my $whose (qw(mallory team))
{
	is(sql("SET ROLE mallory; SELECT dynamo.drop_access_key('$key{$whose}{key}')"), '', "a key of $whose may be dropped");
	is(call_as($key{$whose}, 'ListTables', '{}')->{status}, 400, 'and is good no more');
}

# A membership may give the privileges of a role that he cannot become.
SKIP:
{
	skip 'before PostgreSQL 16 who has the privileges can become the role', 3 if sql('SHOW server_version_num') < 160000;
	sql('CREATE ROLE lender SUPERUSER LOGIN; GRANT lender TO mallory WITH INHERIT TRUE, SET FALSE');
	my $lent = q{SET ROLE mallory; SELECT count(*) FROM dynamo.create_access_key('lender', id => 'LENT')};
	like(sql('SET SESSION AUTHORIZATION mallory; SET ROLE lender'), qr/permission denied to set role "lender"/, 'a role that he cannot become');
	like(sql($lent), qr/permission denied to manage access keys of role "lender"/, 'has no key of his');
	sql('GRANT lender TO mallory WITH SET TRUE');
	is(sql($lent), '1', 'until he can');
}
done_testing();

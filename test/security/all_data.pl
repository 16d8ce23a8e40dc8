# Attacker: a role that may read and write the rows of each table, by
# pg_read_all_data and pg_write_all_data.
# Wants: the secret of somebody's access key, a key for a superuser, a job or a
# function that runs as one, a bucket, to be rid of the policy that narrows her.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
my $victim = tenant('victim');
my $mallory = tenant('mallory');
sql(q{
	GRANT pg_read_all_data, pg_write_all_data TO mallory;
	SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.put_role_policy('mallory', 'Narrow',
		'{"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*"}]}');
});

sub as_mallory { return sql('SET ROLE mallory; ' . shift) }

is(as_mallory('SELECT count(*) FROM dynamo_data."Shop"'), '0', 'she may read what is a table');

# Keys.
is(as_mallory('SELECT count(*) FROM dynamo.access_keys'), '0', 'but no secrets');
is(as_mallory("UPDATE dynamo.access_keys SET role = 'postgres'; DELETE FROM dynamo.access_keys"), '', 'nor write over keys');
is(sql('SELECT string_agg(role::text, \' \' ORDER BY role::text) FROM dynamo.access_keys'), 'mallory victim', 'which stay as they are');
is(call_as($victim, 'ListTables', '{}')->{status}, 200, 'and good');
my %forged = (key => 'AKIAFORGED', secret => 'x' x 40);
like(as_mallory("INSERT INTO dynamo.access_keys VALUES ('$forged{key}', '$forged{secret}', 'postgres', now())"),
	qr/new row violates row-level security policy for table "access_keys"/, 'she makes none');
is(call_as(\%forged, 'ListTables', '{}')->{status}, 400, 'not one');
is(sql("SET ROLE victim; SELECT count(*) FROM dynamo.stat_access_keys"), '1', 'who has keys sees them as before');

# What the server does as somebody.
my %inserts = (
	jobs => q{dynamo_internal.jobs (number, id, kind, status, table_name, owner, owner_oid, request, created_at, attempts)
		VALUES (1, 'forged', 'I', 'P', 'Shop', 'postgres', 10, '{}', now(), 0)},
	event_sources => q{dynamo_internal.event_sources VALUES (1, 'dynamo_data."Shop"', 1, 'postgres', 10, 'public', 'f', true, now(), '{}')},
	bucket_grants => q{dynamo.bucket_grants VALUES ('files', 'mallory', true, true)},
	role_policies => q{dynamo.role_policies VALUES ('victim', 'Forged', '{}')},
	resource_policies => q{dynamo.resource_policies VALUES ('Shop', '', '', '', '{}', '{}')});
foreach my $table (sort keys %inserts)
{
	like(as_mallory("INSERT INTO $inserts{$table}"), qr/new row violates row-level security policy for table "$table"/, "no row of $table");
}

# Her policy.
is(as_mallory("DELETE FROM dynamo.role_policies; UPDATE dynamo.role_policies SET document = '{}'; SELECT policy_name FROM dynamo.role_policies"),
	'Narrow', 'her policy is there to be read');
is(call_as($mallory, 'ListTables', '{}')->{status}, 400, 'and narrows her');

done_testing();

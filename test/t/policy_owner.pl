# Whoever owns the database is a member of pg_database_owner, and has its policies.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server('dynamo.http_workers = 1');
my $bob = tenant('bob');
sub policy { my ($role, $effect) = @_; return sql(qq{SELECT dynamo.put_role_policy('$role', 'all', '{"Version":"2012-10-17","Statement":[{"Effect":"$effect","Action":"*","Resource":"*"}]}')}) }
sub status { return call_as($bob, 'ListTables', '{}')->{status} }
policy('bob', 'Allow');
policy('pg_database_owner', 'Deny');
is(status(), 200, 'who is not the owner may ask');
sql('ALTER DATABASE postgres OWNER TO bob');
is(status(), 400, 'the owner may not');
sql('ALTER DATABASE postgres OWNER TO CURRENT_USER');
is(status(), 200, 'nor is the last one kept from it');
done_testing();

# Who: the owner of the database that is served over HTTP, not a superuser.
# Owns: the database; later the table of keys itself, which a superuser gave
# him.  Wants: a key for a superuser, or the server dead.
#
# The table of keys is read without the executor, by a process that is a
# superuser's.  What only has its name, or another form, or another owner, is
# not to be read.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_database = 'shop'\ndynamo.http_workers = 1");
sql('CREATE ROLE mallory LOGIN; CREATE ROLE boss SUPERUSER LOGIN; CREATE DATABASE shop OWNER mallory');
ok(wait_for(sub { connection() }), 'the port is served');
my ($worker) = worker_pids();

sub admin { return sql(shift, 'shop') }
sub mallory { return sql("\\c - mallory\n" . shift, 'shop') }

my $secret = 'x' x 40;
sub status
{
	my ($key, $secret) = @_;
	return call('ListTables', '{}', signed_head('ListTables', '{}', key => $key, secret => $secret))->{status} // 'none';
}

# Before there is an extension: a table of the name, of the right columns and
# of wrong ones.
mallory(q{CREATE SCHEMA dynamo; CREATE TABLE dynamo.access_keys
	(access_key_id text COLLATE "C" PRIMARY KEY, secret_access_key text, role regrole, created_at timestamptz)});
mallory("INSERT INTO dynamo.access_keys VALUES ('AKIAFORGED', '$secret', 'postgres', now())");
is(status('AKIAFORGED', $secret), 503, 'his table is none');
mallory('ALTER TABLE dynamo.access_keys ALTER secret_access_key TYPE bigint USING 1');
is(status('AKIAFORGED', $secret), 503, 'with a number for a secret, too');
mallory('ALTER TABLE dynamo.access_keys DROP role, DROP created_at');
is(status('AKIAFORGED', $secret), 503, 'and with too few columns');
like(admin('CREATE EXTENSION dynamo'), qr/schema "dynamo" already exists/, 'his schema is not taken over');
mallory('SET client_min_messages = warning; DROP SCHEMA dynamo CASCADE');
is(admin('SET ROLE boss; CREATE EXTENSION dynamo'), '', 'without it, the extension is installed');

# A key that is one, as a measure.
my ($id, $own) = split ' ', admin(q{SELECT * FROM dynamo.create_access_key('mallory')});
ok(wait_for(sub { status($id, $own) eq '200' }), 'a key for himself');

# A superuser moves the schema; he makes another.
admin('ALTER SCHEMA dynamo RENAME TO moved');
mallory('CREATE SCHEMA dynamo; CREATE TABLE dynamo.access_keys (LIKE moved.access_keys)');
mallory("INSERT INTO dynamo.access_keys VALUES ('AKIAFORGED', '$secret', 'postgres', now())");
is(status('AKIAFORGED', $secret), 503, 'nor is one beside a schema that was renamed');
is(status($id, $own), 503, 'nobody is served meanwhile');
admin('DROP SCHEMA dynamo CASCADE; ALTER SCHEMA moved RENAME TO dynamo');
is(status($id, $own), 200, 'renamed back');

# A superuser takes the table from the extension, and he puts his in its place.
admin(q{ALTER EXTENSION dynamo DROP TABLE dynamo.access_keys; ALTER TABLE dynamo.access_keys RENAME TO old;
	GRANT CREATE ON SCHEMA dynamo TO mallory});
mallory(q{CREATE TABLE dynamo.access_keys (access_key_id text COLLATE "C" PRIMARY KEY, secret_access_key text NOT NULL,
	role regrole NOT NULL, created_at timestamptz NOT NULL)});
mallory("INSERT INTO dynamo.access_keys VALUES ('AKIAFORGED', '$secret', 'postgres', now())");
is(status('AKIAFORGED', $secret), 503, 'nor is one in the right schema that is no member');
admin(q{DROP TABLE dynamo.access_keys; ALTER TABLE dynamo.old RENAME TO access_keys;
	ALTER EXTENSION dynamo ADD TABLE dynamo.access_keys; REVOKE CREATE ON SCHEMA dynamo FROM mallory});
is(status($id, $own), 200, 'given back');

# A superuser gives him the table.
admin('ALTER TABLE dynamo.access_keys OWNER TO mallory');
mallory("INSERT INTO dynamo.access_keys VALUES ('AKIAFORGED', '$secret', 'postgres', now())");
isnt(status('AKIAFORGED', $secret), 200, 'keys of another owner are no keys');
isnt(status($id, $own), 200, 'not one');
ok(reported('relation "dynamo.access_keys" belongs to role "mallory", who does not own extension "dynamo"'), 'the log says so');
like(admin(q{SELECT * FROM dynamo.create_access_key('boss')}),
	qr/ERROR:  relation "dynamo.access_keys" belongs to role "mallory"/, 'nor is one added to them');
admin(q{ALTER TABLE dynamo.access_keys OWNER TO postgres});
is(status($id, $own), 200, 'those of another superuser are');
is(status('AKIAFORGED', $secret), 200, 'whoever put them there');
admin(q{DELETE FROM dynamo.access_keys WHERE access_key_id = 'AKIAFORGED'});

# The owner of table and extension is no superuser any more.
admin(q{ALTER TABLE dynamo.access_keys OWNER TO boss; ALTER ROLE boss NOSUPERUSER});
sql(qq{\\c - boss\nINSERT INTO dynamo.access_keys VALUES ('AKIABOSS', '$secret', 'boss', now()), ('AKIAMORE', '$secret', 'postgres', now())}, 'shop');
is(status('AKIABOSS', $secret), 200, 'he has keys for himself');
isnt(status('AKIAMORE', $secret), 200, 'and for nobody that he cannot become');
admin(q{DELETE FROM dynamo.access_keys WHERE role <> 'mallory'::regrole; ALTER ROLE boss SUPERUSER});
is(status($id, $own), 200, 'as before');

# A superuser alters it.  An error each time, in HTTP and in SQL.
my @altered = (
	['ALTER created_at DROP NOT NULL', 'ALTER created_at SET NOT NULL', 'Column 4 should be of type timestamp with time zone and NOT NULL'],
	['ALTER secret_access_key TYPE bigint USING length(secret_access_key)', "ALTER secret_access_key TYPE text USING '$own'", 'Column 2 should be of type text and NOT NULL'],
	['ALTER secret_access_key DROP NOT NULL', 'ALTER secret_access_key SET NOT NULL', 'Column 2 should be of type text and NOT NULL'],
	['ADD more text', undef, 'It has had 7 columns, and should have 6'],
	['DROP more', undef, 'It has had 7 columns, and should have 6']);
foreach my $case (@altered)
{
	my ($alter, $undo, $detail) = @$case;
	is(admin("ALTER TABLE dynamo.access_keys $alter"), '', $alter);
	is(status($id, $own), 500, 'is an error to a request');
	like(admin(q{SELECT * FROM dynamo.create_access_key('mallory')}), qr/ERROR:  .*DETAIL:  $detail/s, 'and to who makes a key');
	admin("ALTER TABLE dynamo.access_keys $undo") if $undo;
	is(status($id, $own), 200, 'undone, all is well') if $undo;
}
is((worker_pids())[0], $worker, 'the worker has lived through it all');
admin('ALTER TABLE dynamo.access_keys OWNER TO mallory');
sql("SELECT pg_terminate_backend($worker)");
ok(wait_for(sub { status($id, $own) eq '500' && (worker_pids())[0] != $worker }), 'and one that begins with a table of another owner lives, too');

done_testing();

# The attacker owns a database.  In one session he reads a catalog and leaves
# the transaction open; in another he rewrites that catalog, which has to wait,
# and whoever connects to the database waits behind it.  So does the one worker
# that goes over all databases.  He wants nothing to expire any more, anywhere.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Handle;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\ndynamo.maintenance_timeout = 1s\ndynamo.grace_period = 500ms\n");

# Does an item expire that is put now?
sub expires
{
	my ($database) = @_;
	sql(q{SELECT dynamo.put_item('Shop', jsonb_build_object('id', 'a',
		'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item)}, $database);
	return wait_for(sub { sql(q{SELECT count(*) FROM dynamo.scan('Shop')}, $database) eq '0' });
}

sql('CREATE ROLE mallory LOGIN');
sql('CREATE DATABASE two OWNER mallory');
foreach my $database ('postgres', 'two')
{
	sql(q{
		CREATE EXTENSION dynamo;
		SELECT dynamo.create_table('Shop', 'id');
		SELECT dynamo.enable_ttl('Shop', 'ttl')}, $database);
	ok(expires($database), "items of $database expire");
}

my $reader = in_transaction('BEGIN; SELECT count(*) FROM pg_class', qw(mallory two));
ok($reader, 'mallory reads a catalog of his database');
my $writer = session('VACUUM FULL pg_class', qw(mallory two));
ok( wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted}) eq '1' }),
	'and waits to rewrite it');

# New processes read a file instead of the catalog, but only until somebody
# rewrites another that is in it.
my $oid = sql(q{SELECT oid FROM pg_database WHERE datname = 'two'});
is(unlink(directory() . "/data/base/$oid/pg_internal.init"), 1, 'nobody can do without it');

# A process that is there already can.
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'two' AND backend_type = 'dynamo background'});

ok(expires('postgres'), "another database is visited, time $_") foreach 1 .. 3;
ok(reported(qr/WARNING:  57014: dynamo could not visit database "two": it could not be connected to in time/), 'and the log says which is not');

close $reader;
close $writer;
ok(expires('two'), 'when it can be connected to, the database is visited, too');

done_testing();

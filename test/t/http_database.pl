# The database that is served can be dropped, renamed and copied, and a role
# dropped, while clients are served; and what a request does is shown.
#
# DROP DATABASE and the like wait five seconds for others to leave.  They ask
# autovacuum's workers to; ours have to notice by themselves.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 2\ndynamo.http_database = 'shop'\ndynamo.ttl_interval = 1");
sql('CREATE ROLE clerk LOGIN');

sub make_shop
{
	sql('CREATE DATABASE shop');
	sql('CREATE EXTENSION dynamo; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO clerk', 'shop');
	ok(wait_for(sub { worker_pids() == 2 && connection() }), 'a database of that name is served');
	return { key => (split ' ', sql(q{SELECT * FROM dynamo.create_access_key('clerk')}, 'shop'))[0],
		secret => (split ' ', sql(q{SELECT secret_access_key FROM dynamo.access_keys}, 'shop'))[0] };
}

my %key = %{ make_shop() };

sub asked
{
	my ($operation, $body) = @_;
	return call($operation, $body, signed_head($operation, $body, %key))->{body};
}

like(asked('CreateTable', '{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}'),
	qr/"TableName":"Shop"/, 'there is a table');
my $put = '{"TableName":"Shop","Item":{"pk":{"S":"a"}}}';
is(asked('PutItem', $put), '{}', 'and an item');

# A request shows what it does, on which table, for whom and for which client.
sql(q{
	CREATE TABLE shown (state text, query text, client_addr inet);
	CREATE FUNCTION show_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN
		INSERT INTO shown SELECT state, query, client_addr FROM pg_stat_activity WHERE pid = pg_backend_pid();
		RETURN new; END$$;
	CREATE TRIGGER show BEFORE UPDATE ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION show_activity()}, 'shop');
is(asked('PutItem', $put), '{}', 'a write that looks at itself');
is(sql('SELECT state, query, client_addr FROM shown', 'shop'), 'active PutItem Shop as clerk 127.0.0.1',
	'is shown with its operation, table, role and client');
sql('DROP TRIGGER show ON dynamo_data."Shop"', 'shop');
asked('ListTables', '{}');
is(sql(q{SELECT DISTINCT state FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'}), 'idle',
	'and no worker after it');

# Who is asked for, and where from, is for that role to see: not the address of a
# stranger, of whom nobody knows which role it is.
my $stranger = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => port(), LocalAddr => '127.0.0.2', Proto => 'tcp', Timeout => 5)
  or die "no connection: $!";
like(call('ListTables', '{}', signed_head('ListTables', '{}', %key, secret => 'wrong'), $stranger)->{body}, qr/InvalidSignatureException/, 'a stranger is refused');
is(sql(q{SELECT count(*) FROM pg_stat_activity WHERE client_addr = '127.0.0.2'}), '0', 'and not shown under the role that was served before');

# One that gives up says who was in its way.
my $holder = session(q{BEGIN; UPDATE dynamo_data."Shop" SET item = item; SELECT pg_advisory_lock(7)}, 'postgres', 'shop');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }), 'a session holds the item');
my $pid = sql(q{SELECT pid FROM pg_locks WHERE locktype = 'advisory'});
my $answer;
ok(wait_for(sub {
	$answer = asked('PutItem', $put);
	log_has(qr/still waiting for ShareLock on transaction \d+ after.*?Process holding the lock: $pid\..*?STATEMENT:  PutItem Shop as clerk/s);
}, 60), 'a request that gives up has the log say who was in its way');
like($answer, qr/TransactionConflictException/, 'it is answered as a conflict');
is(sql('SHOW log_lock_waits'), 'off', 'for this request only');
close $holder;
is(asked('PutItem', $put), '{}', 'then it is written');

# Copied, renamed, dropped.
is(sql('CREATE DATABASE copy TEMPLATE shop'), '', 'the database is copied');
ok(wait_for(sub { worker_pids() == 2 && connection() }), 'and served again');
is(asked('PutItem', $put), '{}', 'as before');
is(sql('ALTER DATABASE shop RENAME TO former'), '', 'it is renamed');
ok(wait_for(sub { log_has(qr/dynamo waits for database "shop" to be created/) }), 'the log says that it is missed');
is(sql('ALTER DATABASE former RENAME TO shop'), '', 'and back');
ok(wait_for(sub { worker_pids() == 2 && connection() }), 'and served again');
is(asked('PutItem', $put), '{}', 'as before');
is(sql('DROP DATABASE shop'), '', 'it is dropped');
ok(log_has(qr/dynamo leaves database "shop", which is being dropped, renamed or copied/), 'the log says that workers left');
%key = %{ make_shop() };
is(asked('ListTables', '{}'), '{"TableNames":[]}', 'and it is another one');

# A role that is dropped: its keys do not work, and are gone soon, also for a
# role that gets the same OID.
my $oid = sql(q{SELECT 'clerk'::regrole::oid});
sql('REVOKE ALL ON SCHEMA dynamo_data FROM clerk', 'shop');
sql('REVOKE ALL ON SCHEMA dynamo_data FROM clerk', 'copy');
sql('DROP OWNED BY clerk', 'copy');
is(sql('DROP ROLE clerk'), '', 'the role is dropped');
like(asked('ListTables', '{}'), qr/UnrecognizedClientException/, 'its key does not work');
ok(wait_for(sub { sql('SELECT count(*) FROM dynamo.access_keys', 'shop') eq '0' }), 'and is dropped by maintenance');
ok(wait_for(sub { sql('SELECT count(*) FROM dynamo.access_keys', 'copy') eq '0' }), 'in all databases');
is(sql("CREATE ROLE heir LOGIN; SET allow_system_table_mods = on; UPDATE pg_authid SET oid = $oid WHERE rolname = 'heir'"), '',
	'another role gets its OID');
like(asked('ListTables', '{}'), qr/UnrecognizedClientException/, 'but not its key');

done_testing();

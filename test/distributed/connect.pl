# Connecting to another node raises an error instead of failing.  That kept the
# descriptor that was set aside for the connection.  There are few of those, so
# after some errors no request reached any other node until the server was started
# anew; and clients got no answer at all.  What raises here is the question how
# Citus has roles authenticated; each role has a connection of its own.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $ROLES = 30;		# more than descriptors that may be set aside, 18
my $RAISED = qr/column a\.authinfo does not exist/;

# What can be restarted only: few files, and one process that answers.
sub limit
{
	my ($files, $workers) = @_;
	node(1, "ALTER SYSTEM SET max_files_per_process = $files");
	node(1, "ALTER SYSTEM SET dynamo.http_workers = $workers");
	halt(1) && restart(1) or BAIL_OUT('no restart');
	return;
}

limit(64, 1);
node(0, q{SELECT dynamo.create_table('Connect', 'id')});
node(0, qq{SELECT dynamo.put_item('Connect', jsonb_build_object('id', i::text)::dynamo.item) FROM generate_series(1, 20) i});
my ($key) = keys_of(2, 'Connect');
my @roles = keyed_roles('connect', $ROLES, 'SELECT', 'Connect');
is(scalar @roles, $ROLES, 'roles, each with a key');

# A node's answer to the item that is elsewhere.
sub get
{
	my ($node, $who) = @_;
	use_port((ports())[$node]);
	return call_as($who, 'GetItem', qq({"TableName":"Connect","Key":{"id":{"S":"$key"}}}))->{status} // 0;
}
ok(wait_for(sub { get(2, $roles[0]) == 200 }), 'the owner answers');
ok(wait_for(sub { get(1, $roles[0]) == 200 }), 'another node asks it');

node(1, q{SET allow_system_table_mods = on; ALTER TABLE pg_catalog.pg_dist_authinfo RENAME COLUMN authinfo TO hidden});
my $before = () = logged() =~ /$RAISED/g;
my @statuses = map { get(1, $_) } @roles[1 .. $ROLES - 1];
is(scalar(grep { $_ == 503 } @statuses), $ROLES - 1, 'while connecting raises, the node is down for who has no connection');
is(scalar(() = logged() =~ /$RAISED/g) - $before, $ROLES - 1, '... which the log has');
is(get(1, $roles[0]), 200, 'who has one is served');
node(1, q{SET allow_system_table_mods = on; ALTER TABLE pg_catalog.pg_dist_authinfo RENAME COLUMN hidden TO authinfo});
ok(wait_for(sub { get(1, $roles[-1]) == 200 }), 'when it does no more, others get a connection');

node(0, q{SELECT dynamo.drop_access_key(access_key_id) FROM dynamo.access_keys WHERE role LIKE 'connect\_%'; SELECT dynamo.drop_table('Connect')});
node($_, q{SET citus.enable_ddl_propagation = off;
	SELECT format('DROP OWNED BY %I', rolname), format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname LIKE 'connect\_%' \gexec}) for 0 .. 2;
limit('DEFAULT', 'DEFAULT');
done_testing();

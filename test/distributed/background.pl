# Background work on tables that are on several nodes: each piece of it is one
# transaction at all of them, as a request is.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

# Maintenance runs each second while "work" does.
sub maintained
{
	my ($work) = @_;
	node(0, 'ALTER SYSTEM SET dynamo.ttl_interval = 1');
	node(0, 'SELECT pg_reload_conf()');
	$work->();
	node(0, 'ALTER SYSTEM RESET dynamo.ttl_interval');
	node(0, 'SELECT pg_reload_conf()');
	return;
}

# Have the item expire in so many seconds.
sub expires_in
{
	my ($seconds) = @_;
	return qq{SELECT dynamo.update_item('Renewed', '{"id": "a"}', 'SET expires = :e',
		format('{":e": %s}', extract(epoch FROM now())::bigint + $seconds)::dynamo.item);};
}

# How many sessions of a node wait like that.
sub waiting
{
	my ($node, $where) = @_;
	return node($node, "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND $where");
}

# An item that has expired is renewed between the moment in which maintenance
# looks at it, and the one in which it is deleted.  The first has locked it, so
# the renewal comes after the deletion, and makes the item again.
node(0, q{SELECT dynamo.create_table('Renewed', 'id S');
	SELECT dynamo.enable_ttl('Renewed', 'expires')});
my ($at, $shard) = shard_of('Renewed', 'a');
node($at, qq{SET citus.enable_ddl_propagation = off;
	CREATE FUNCTION public.hold_delete() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(4712); RETURN NULL; END';
	CREATE TRIGGER hold BEFORE DELETE ON $shard FOR EACH STATEMENT EXECUTE FUNCTION public.hold_delete()});
my $hold = session_at($at, 'SELECT pg_advisory_lock(4712);');
ok(wait_for(sub { node($at, 'SELECT count(*) FROM pg_locks WHERE objid = 4712 AND granted') eq '1' }), 'deletions are held');
my $renewed;
maintained(
	sub {
		node(0, expires_in(-60));
		ok(wait_for(sub { waiting($at, q{wait_event = 'advisory' AND query LIKE 'DELETE%'}) > 0 }), 'maintenance deletes what has expired');
		$renewed = session_at(0, expires_in(3600));
		ok(wait_for(sub { waiting($at, q{wait_event = 'transactionid' OR wait_event = 'tuple'}) > 0 }), 'who renews an item that is being deleted waits');
		close $hold;
		close $renewed;
	});
is(node(0, q{SELECT dynamo.get_item('Renewed', '{"id": "a"}') IS NOT NULL}), 't', 'and the item is there');
node(0, q{SELECT dynamo.drop_table('Renewed')});
node($at, 'SET citus.enable_ddl_propagation = off; DROP FUNCTION public.hold_delete()');

# However many own tables whose items expire, few sessions of theirs stay at other nodes.
my @owners = map { "kept_$_" } 1 .. 6;
node($_, 'SET citus.enable_ddl_propagation = off;' . join '', map { "CREATE ROLE $_ LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO $_;
	GRANT EXECUTE ON FUNCTION dynamo_internal.take_definition TO $_;" } @owners) for 0 .. 2;
node(0, join '', map { "GRANT SELECT, UPDATE ON dynamo_internal.nodes TO $_;" } @owners);
unlike(node(0, qq{SET ROLE $_; SELECT dynamo.create_table('Of$_', 'id'); SELECT dynamo.enable_ttl('Of$_', 'expires');
	SELECT dynamo.put_item('Of$_', format('{"id": "a", "expires": %s}', extract(epoch FROM now())::bigint - 60)::dynamo.item)}), qr/ERROR/, "$_ has a table") for @owners;
my $left = join ' + ', map { qq{(SELECT count(*) FROM dynamo_data."Of$_")} } @owners;
maintained(
	sub {
		ok(wait_for(sub { node(0, "SELECT $left") eq '0' }, 60), 'items of all of them expire');
		ok(wait_for(sub { node($_, q{SELECT count(*) FROM pg_stat_activity WHERE usename LIKE 'kept\_%'}) <= 3 }, 10), "node $_: their sessions are gone") for 1, 2;
	});
node(0, join '', map { "SELECT dynamo.drop_table('Of$_');" } @owners);
node($_, 'SET citus.enable_ddl_propagation = off;' . join '', map { "DROP OWNED BY $_ CASCADE; DROP ROLE $_;" } @owners) for 0 .. 2;

done_testing();

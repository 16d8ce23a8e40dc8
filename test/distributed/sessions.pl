# Many roles ask all nodes, and a session between nodes is one role's.  Each worker
# keeps a few of them for each node, so that a server with PostgreSQL's default of
# max_connections has room for others: roles take turns, and all are answered.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my ($ROLES, $CLIENTS, $ROUNDS) = (60, 12, 3);

# Settings that take a restart of all nodes.
sub set_all
{
	my (%settings) = @_;
	foreach my $node (0 .. 2)
	{
		node($node, "ALTER SYSTEM SET $_ = $settings{$_}") foreach keys %settings;
		halt($node) && restart($node) or BAIL_OUT('no restart');
	}
	return;
}
my $sessions = q{SELECT count(*) FROM pg_stat_activity WHERE usename LIKE 'sessions\_%' AND backend_type = 'client backend'};
sub of { my ($role) = @_; return "$sessions AND usename = '$role'" }

node(0, q{SELECT dynamo.create_table('Sessions', 'id')});
node(0, q{SELECT dynamo.put_item('Sessions', jsonb_build_object('id', i::text)::dynamo.item) FROM generate_series(1, 30) i});
my @keys = map { (keys_of($_, 'Sessions'))[0] } 1, 2;
my @roles = keyed_roles('sessions', $ROLES, 'SELECT, INSERT, UPDATE', 'Sessions');
is(scalar @roles, $ROLES, 'roles, each with a key');
set_all('max_connections' => 100, 'max_prepared_transactions' => 100, 'dynamo.http_workers' => 4);

sub get
{
	my ($node, $who, $key) = @_;
	use_port((ports())[$node]);
	return call_as($who, 'GetItem', qq({"TableName":"Sessions","Key":{"id":{"S":"$key"}},"ConsistentRead":true}))->{status} // 0;
}

# By Citus, at all nodes.
sub scan
{
	my ($node, $who) = @_;
	use_port((ports())[$node]);
	return call_as($who, 'Scan', '{"TableName":"Sessions","Select":"COUNT"}')->{status} // 0;
}
sub served { my ($node) = @_; return wait_for(sub { get($node, $roles[0], $keys[0]) == 200 && get($node, $roles[0], $keys[1]) == 200 }) }
ok(served($_), "node $_: served") for 0 .. 2;

my @ends = log_ends();

# Clients, each of some of the roles, that ask every node for keys of both workers.
pipe(my $answers, my $told) or die;
my @clients;
foreach my $client (0 .. $CLIENTS - 1)
{
	my $pid = fork() // die;
	push @clients, $pid;
	next if $pid;
	foreach my $round (1 .. $ROUNDS)
	{
		foreach my $who (grep { $_ % $CLIENTS == $client } 0 .. $ROLES - 1)
		{
			syswrite $told, join('', map { sprintf "%03d\n", $_ } map { my $node = $_; (map { get($node, $roles[$who], $_) } @keys), scan($node, $roles[$who]) } 0 .. 2);
		}
	}
	POSIX::_exit(0);
}
close $told;

# Somebody else logs in at all nodes meanwhile, again and again.
my (%statuses, $refused, $logins, @most);
my $text = '';
$answers->blocking(0);
while (1)
{
	my $n = sysread $answers, $text, 65536, length $text;
	last if defined $n && $n == 0;
	foreach my $node (0 .. 2)
	{
		my $count = node($node, $sessions);
		$logins++;
		$refused .= "$count\n" unless $count =~ /^\d+$/;
	}
	sleep 0.05;
}
waitpid $_, 0 foreach @clients;
$statuses{$_}++ foreach split /\n/, $text;
is_deeply(\%statuses, { 200 => $ROLES * $ROUNDS * 9 }, 'all requests of all roles are answered') or diag explain \%statuses;
is($refused, undef, "others could log in at all nodes, $logins times");
is(scalar(() = logged(@ends) =~ /FATAL: .*(?:too many clients|remaining connection slots)/g), 0, 'nobody was refused');
my $bound = 2 * 4 * (3 + 3 + 1);
ok(wait_for(sub { $most[$_] = node($_, $sessions); return $most[$_] <= $bound }),
	"node $_: of two nodes' four workers each keeps three sessions of its own, and four by Citus") or diag $most[$_] for 0 .. 2;
diag "sessions: @most";

# One process and one session: roles that ask all the time take turns.
node(1, 'ALTER SYSTEM SET dynamo.http_sessions_per_node = 1');
node(1, 'ALTER SYSTEM SET dynamo.http_workers = 1');
halt(1) && restart(1) or BAIL_OUT('no restart');
ok(served(1), 'node 1 has one process with one session for each node');
pipe($answers, $told) or die;
@clients = ();
foreach my $client (0 .. 3)
{
	my $pid = fork() // die;
	push @clients, $pid;
	next if $pid;
	syswrite $told, sprintf("%d %03d\n", $client % 2, get(1, $roles[$client % 2], $keys[1])) for 1 .. 100;
	POSIX::_exit(0);
}
close $told;
$answers->blocking(1);
my %got;
while (my $line = <$answers>)
{
	chomp $line;
	$got{$line}++;
}
waitpid $_, 0 foreach @clients;
is_deeply(\%got, { '0 200' => 200, '1 200' => 200 }, 'each is answered') or diag explain \%got;

# A role that finds no slot there: what is idle is given back, and it waits.
node(1, 'ALTER SYSTEM RESET dynamo.http_sessions_per_node');
node(1, 'SELECT pg_reload_conf()');
node($_, 'ALTER SYSTEM SET dynamo.http_workers = 1') for 0, 2;
halt($_) && restart($_) or BAIL_OUT('no restart') foreach 0, 2;
ok(wait_for(sub { get(1, $roles[10], $keys[1]) == 200 }), 'a role has a session at the other node');
is(node(2, of('sessions_11')), 1, 'which is idle');
node(2, 'SET citus.enable_ddl_propagation = off; ALTER ROLE sessions_12 CONNECTION LIMIT 0');
is(get(1, $roles[11], $keys[1]), 503, 'another finds no slot, and is told so in the end');
is(node(2, of('sessions_11')), 0, 'meanwhile the idle session was given back');
node(2, 'SET citus.enable_ddl_propagation = off; ALTER ROLE sessions_12 CONNECTION LIMIT -1');
is(get(1, $roles[11], $keys[1]), 200, 'it is answered as soon as there is a slot');
is(get(1, $roles[10], $keys[1]), 200, 'and so is the first');

# Citus knows the sessions that it keeps by names: a role that has got one is not
# executed as the role that had it before.
is(scan(1, $roles[20]), 200, 'a role asks by Citus');
node($_, 'SET citus.enable_ddl_propagation = off; ALTER ROLE sessions_21 RENAME TO sessions_gone;
	CREATE ROLE sessions_21 LOGIN; GRANT USAGE ON SCHEMA dynamo_data TO sessions_21') for 0 .. 2;
node(0, 'REVOKE ALL ON dynamo_data."Sessions" FROM sessions_gone; GRANT SELECT ON dynamo_data."Sessions" TO sessions_21');
my ($id, $secret) = split ' ', node(0, q{SELECT k.* FROM dynamo.create_access_key('sessions_21'::regrole) k});
is(scan(1, { key => $id, secret => $secret }), 200, 'another has its name, and its own rights');

set_all('max_connections' => 'DEFAULT', 'max_prepared_transactions' => 'DEFAULT', 'dynamo.http_workers' => 'DEFAULT');
ok(wait_for(sub { node(0, q{SELECT success FROM run_command_on_workers('SELECT 1')}) eq "t\nt" }), 'all are back');
node(0, q{SELECT dynamo.drop_access_key(access_key_id) FROM dynamo.access_keys WHERE role LIKE 'sessions\_%'; SELECT dynamo.drop_table('Sessions')});
node($_, q{SET citus.enable_ddl_propagation = off;
	SELECT format('DROP OWNED BY %I', rolname), format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname LIKE 'sessions\_%' \gexec}) for 0 .. 2;
done_testing();

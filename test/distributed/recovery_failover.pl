# Moments outlive failovers.  While money goes from node to node, a worker is lost, and
# then the coordinator, and each is followed by a standby that has not got the last
# seconds.  Whatever time the table is restored to, it is refused, or the table has what
# was there at a moment of all nodes.
#
# A failover to such a standby tears transactions by itself: what the others have
# committed stays, and the part of the node that is lost is gone, or its decision.  So
# afterwards there is another sum than before.  A table that is restored to a moment before
# must have the sum of before, and one of a moment after it the sum that is there in the
# end, when nobody writes: nothing in between, and no other.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use Time::HiRes qw(time sleep);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster qw(:DEFAULT decoded);
use HttpClient;
use Money qw(counted_move begin_clients end_clients client_faults put_action);

my $here = abs_path(dirname(__FILE__));
my $server = "$here/../server";
my $folder = tempdir(CLEANUP => 1);
my $accounts = 40;
my $seconds = $ENV{SECONDS_OF_MONEY} // 5;

# SQL and HTTP at a node, whichever server it is now.  Clients are told by a file.
my @server_of = (0, 1, 2);
my @ports = ports();
sub at_node { my ($node, $sql) = @_; return node($server_of[$node], $sql) }
sub note_port
{
	my ($node) = @_;
	open my $file, '>', "$folder/new" or die;
	print $file $ports[$node];
	close $file or die;
	rename "$folder/new", "$folder/port$node" or die;
	return;
}
sub port_of { my ($node) = @_; open my $file, '<', "$folder/port$node" or die; return scalar <$file> }
sub ask_node
{
	my ($node, $operation, $request) = @_;
	use_port(port_of($node));
	return decoded(call($operation, encode_json($request)));
}
sub transact { my ($node, @items) = @_; return ask_node($node, 'TransactWriteItems', { TransactItems => \@items }) }

# The last time that a table can be restored to, as a node says.
sub latest { my ($node) = @_; return ask_node($node, 'DescribeContinuousBackups', { TableName => 'Bank' })->{ContinuousBackupsDescription}{PointInTimeRecoveryDescription}{LatestRestorableDateTime} // 0 }
sub mark { my $said = at_node(0, q{SELECT extract(epoch FROM dynamo.mark_recovery())}); $said =~ /\A[\d.]+\z/ or diag $said; return $said }
sub marks { my ($time) = @_; my $end = time + $time; my @marks; while (time < $end) { push @marks, mark(); sleep 0.5 } return @marks }
sub restore_to { my ($node, $target, $time) = @_; return at_node($node, qq{SELECT dynamo.restore_table('$target', 'Bank', to_timestamp($time))}) }
sub drop { my ($table) = @_; return at_node(0, qq{SELECT dynamo.drop_table('$table')}) }
sub items { my ($table) = @_; return map { split ' ' } split /\n/, at_node(0, qq{SELECT item ->> 'id', item ->> 'n' FROM dynamo_data."$table"}) }
sub sum { my %item = @_; my $sum = 0; $sum += $item{"a$_"} // 0 for 1 .. $accounts; return $sum }

# The times of the moments that are of use to the table.
sub moments { return split /\n/, at_node(0, q{SELECT extract(epoch FROM taken_at) FROM dynamo_internal.cluster_moments WHERE NOT (SELECT recovery_id FROM dynamo_internal.recovery) = ANY (lacking) ORDER BY taken_at}) }

# Clients have other names in each round, and do not hurry while servers are gone.
sub begin_round
{
	my ($round, $of) = @_;
	my $move = counted_move($folder, "$round.", \&transact);
	return begin_clients($of, sub {
		my $status = $move->(@_);
		sleep 0.05 if $status != 200;
		return $status;
	});
}

# What is wrong with a table that was restored to a time.  @lost: when servers were lost, and the sum up to then.  The clients of a round have lost nothing up to the end of that server.
my @lost;
my $sum = 100 * $accounts;
sub faults
{
	my ($table, $time) = @_;
	my @before = grep { $_ <= $time + 0.0005 } moments();
	my %item = items($table);
	my ($round) = grep { $before[-1] < $lost[$_][0] } 0 .. $#lost;
	my $expected = defined $round ? $lost[$round][1] : $sum;
	my @faults = sum(%item) == $expected ? () : sum(%item) . " in place of $expected";
	foreach my $name (defined $round ? map { "$round.$_" } 0 .. 2 : ())
	{
		my ($wrong) = client_faults($folder, $name, \%item, $before[-2] // 0, $before[-1]);
		push @faults, @$wrong;
	}
	return join '; ', @faults;
}

# Restore to a time: "right", "refused", or what is wrong.
my $restores = 0;
sub restored
{
	my ($time) = @_;
	my $table = 'To' . ++$restores;
	my $said = restore_to($restores % 3, $table, $time);
	return 'refused' if $said =~ /RestoreDateTime '.*' (?:must be within EarliestRestorableDateTime|lies between points that are too far apart)/;
	return $said if $said ne qq{dynamo_data."$table"};
	my $faults = faults($table, $time);
	drop($table);
	return $faults || 'right';
}

# The same by HTTP: what is accepted is made.
sub restored_by_request
{
	my ($node, %time) = @_;
	my $table = 'To' . ++$restores;
	my $answer = ask_node($node, 'RestoreTableToPointInTime', { SourceTableName => 'Bank', TargetTableName => $table, %time });
	return 'refused' if $answer->{status} == 400 && $answer->{text} =~ /InvalidRestoreTimeException/;
	return $answer->{text} if $answer->{status} != 200;
	my $state;
	wait_for(sub { $state = ask_node($node, 'DescribeTable', { TableName => $table }); ($state->{Table}{TableStatus} // '') eq 'ACTIVE' || $state->{status} == 400 }) or return 'not made';
	return $state->{text} if $state->{status} != 200;
	my $faults = faults($table, $answer->{TableDescription}{RestoreSummary}{RestoreDateTime});
	drop($table);
	return $faults || 'right';
}

# A standby that no answer waits for.
sub add_standby
{
	my ($number, $of) = @_;
	chomp(my $port = `'$here/../free-port'`);
	local $ENV{SERVER_CONF} = "dynamo.http_port = $port";
	is(system("'$server' standby citus$number citus$of >/dev/null 2>&1"), 0, "server $of gets a standby");
	return $port;
}

# It has all up to now, and gets nothing more.
sub cut_off
{
	my ($number, $of) = @_;
	my $end = node($of, 'SELECT pg_current_wal_flush_lsn()');
	ok(wait_for(sub { node($number, "SELECT pg_last_wal_receive_lsn() >= '$end'") eq 't' }), 'the standby has what there is');
	node($number, q{ALTER SYSTEM SET primary_conninfo = ''});
	node($number, 'SELECT pg_reload_conf()');
	ok(wait_for(sub { node($of, 'SELECT count(*) FROM pg_stat_replication') eq 0 && node($number, 'SELECT count(*) FROM pg_stat_wal_receiver') eq 0 }), 'and gets nothing more');
	return;
}
sub promote
{
	my ($node, $standby, $port) = @_;
	is(node($standby, 'SELECT pg_promote()'), 't', 'its standby is promoted');
	$server_of[$node] = $standby;
	$ports[$node] = $port;
	note_port($node);
	my $there = node($standby, 'SHOW port');
	ok(wait_for(sub { at_node(0, qq{SET statement_timeout = '20s'; SELECT citus_update_node(nodeid, nodename, $there, force => true, lock_cooldown => 1000)
		FROM pg_dist_node WHERE groupid = $node}) =~ /\A\d*\z/ && at_node(0, "SELECT nodeport FROM pg_dist_node WHERE groupid = $node") eq $there }, 120), 'the cluster is told');
	return;
}

# Nothing is half committed any more.
sub settled
{
	return wait_for(sub { at_node($_, 'SELECT recover_prepared_transactions()') for 0 .. 2; !grep { at_node($_, 'SELECT count(*) FROM pg_prepared_xacts') ne '0' } 0 .. 2 }, 60);
}

authenticate('trust');
note_port($_) for 0 .. 2;
at_node(0, q{SELECT dynamo.create_table('Bank', 'id')});
ok(wait_for(sub { transact($_, put_action('a1', 100))->{status} == 200 }), "node $_: served") for 0 .. 2;
is(transact(0, map { put_action("a$_", 100) } 1 .. $accounts)->{status}, 200, 'accounts on all nodes');
my %of = map { $_ => [ keys_of($_, 'Bank') ] } 1, 2;
at_node(0, q{SELECT dynamo.enable_recovery('Bank')});
ok(wait_for(sub { latest(1) }), 'there is a moment');

# Server 5 follows the worker, and server 4 the coordinator; then those that were lost
# are standbys, and follow these.
my @known;
foreach my $over ([ 2, 5 ], [ 0, 4 ], [ 2, 2 ], [ 0, 0 ])
{
	my ($node, $standby) = @$over;
	my $old = $server_of[$node];
	my $name = $node ? 'a worker' : 'the coordinator';
	my $port = add_standby($standby, $old);
	my @clients = begin_round(scalar(@lost), \%of);
	my @has = marks($seconds);
	cut_off($standby, $old);
	my @lacks = marks($seconds);

	# Nobody takes another one yet, if the coordinator stays.
	my $held = session_at($server_of[0], q{BEGIN; LOCK TABLE dynamo_internal.cluster_moments IN SHARE ROW EXCLUSIVE MODE;});
	ok(wait_for(sub { at_node(0, q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_internal.cluster_moments'::regclass AND mode = 'ShareRowExclusiveLock' AND granted}) eq '1' }), 'moments wait');
	push @lost, [ time, $sum ];
	is(system("'$server' crash citus$old"), 0, "$name is lost");
	promote($node, $standby, $port);
	my $promoted = time;
	like(restore_to(0, 'Never', $lacks[-1]), qr/does not know that moment/, 'a moment that it has lost is refused') if $node;
	local $SIG{PIPE} = 'IGNORE';
	print $held "ROLLBACK;\n";
	close $held;
	ok(wait_for(sub { transact($_, put_action("served$_", 1))->{status} == 200 }), "node $_ is served") for 0 .. 2;
	ok(wait_for(sub { latest(1) > $promoted }), 'there are new moments');
	my $first = latest(1);
	my @new = marks($seconds / 2);
	end_clients(@clients);
	ok(settled(), 'nothing is half committed');
	ok(wait_for(sub { my $end = mark(); latest(1) >= $end }), 'and that is a moment');
	push @new, latest(1);
	my $before = $sum;
	$sum = sum(items('Bank'));
	diag "$name: $before, and then $sum";

	is(restored($_), 'right', sprintf 'a moment %.1f seconds before the loss, which the standby had', $lost[-1][0] - $_) for @has;
	my %said = map { $_ => restored($_) } @lacks, map { $lacks[-1] + ($first - $lacks[-1]) * $_ / 5 } 1 .. 4;
	is(join(' ', map { $said{$_} } grep { $said{$_} !~ /\A(?:right|refused)\z/ } sort keys %said), '', 'times that it had not are refused, or right');
	is($said{$_}, 'right', sprintf 'one of them, %.1f seconds after what it had', $_ - $has[-1]) for grep { $_ < $has[-1] + 20 } @lacks;
	is(restored($_), 'right', 'a moment after the loss') for @new;
	is(restored_by_request($_, UseLatestRestorableTime => JSON::PP::true), 'right', "node $_: the latest") for @lost % 3;
	my $lacking = $lacks[ @lost % @lacks ];
	is(restored_by_request($_, RestoreDateTime => $lacking + 0), $said{$lacking}, "node $_: a time that it had not, by HTTP") for @lost % 3;
	is(restored($_), 'right', 'a moment before others were lost') for @known;
	push @known, $has[-1], $new[-1];
}

is(at_node(0, q{SELECT count(*) FROM dynamo.check_cluster()}), 0, 'nothing is wrong');
drop('Bank');
system("'$server' stop citus$_ >/dev/null 2>&1") for 4, 5;
authenticate('DEFAULT');
done_testing();

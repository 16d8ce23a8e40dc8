# A backup of a distributed table is of one moment: money that goes from node to
# node meanwhile is in it once.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use POSIX ();
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster qw(:DEFAULT ask_node);
use HttpClient;
use Money;

my $accounts = 40;
my $total = 100 * $accounts;
my $backups = $ENV{BACKUPS} // 12;

# What the items of a backup amount to, at the node that has made it; which it is, and how many items are said to be in it.
sub amount
{
	my ($node, $name) = @_;
	my ($relation, $items) = split ' ', node($node, qq{SELECT relation, item_count FROM dynamo.backups WHERE backup_name = '$name'});
	return defined $items ? node($node, qq{SELECT sum((item ->> 'n')::int), count(*), $items FROM $relation}) : 'no backup';
}

authenticate('trust');
node(0, q{SELECT dynamo.create_table('Bank', 'id')});
ok(wait_for(sub { transact($_, put_action('a1', 100))->{status} == 200 }), "node $_: served") for 0 .. 2;
is(transact(0, map { put_action("a$_", 100) } 1 .. $accounts)->{status}, 200, 'accounts on all nodes');
my %of = map { $_ => [ keys_of($_, 'Bank') ] } 1, 2;
ok(@{ $of{$_} } > 3, "node $_ has some") for 1, 2;

my @clients = begin_clients(\%of, \&move_money);

my $wrong = 0;
foreach my $n (1 .. $backups)
{
	my $node = $n % 3;
	my $name = "moment$$-$n";
	if ($n % 2)
	{
		my $said = node($node, qq{SELECT dynamo.create_backup('Bank', '$name')});
		unlike($said, qr/ERROR/, "$name is made by SQL at node $node");
	}
	else
	{
		is(ask_node($node, 'CreateBackup', { TableName => 'Bank', BackupName => $name })->{status}, 200, "$name is asked for at node $node");
		ok(wait_for(sub { node($node, qq{SELECT count(*) FROM dynamo.backups WHERE backup_name = '$name'}) eq 1 }), 'and made');
	}
	my $amount = amount($node, $name);
	$wrong++ if $amount ne "$total $accounts $accounts";
	diag "$name: $amount" if $amount ne "$total $accounts $accounts";
}
is($wrong, 0, "of $backups backups all have what was there");

# The same of exports, to folders that each node's server may write to.
my $folder = tempdir(CLEANUP => 1);
chmod 0777, $folder or die;
mkdir("$folder/bank") && chmod(0777, "$folder/bank") or die;
configure('dynamo.bucket_directory', "'$folder'");
ok(wait_for(sub { node($_, 'SHOW dynamo.bucket_directory') eq $folder }), "node $_ has buckets") for 0 .. 2;
$wrong = 0;
foreach my $n (1 .. $backups)
{
	my $node = $n % 3;
	my $arn = node($node, q{SELECT dynamo.export_table('Bank', 'bank')});
	my ($id) = $arn =~ m{/export/(.*)} or BAIL_OUT($arn);
	my $status = sub { node($node, qq{SELECT dynamo.call('DescribeExport', '{"ExportArn": "$arn"}') #>> '{ExportDescription,ExportStatus}'}) };
	ok(wait_for(sub { $status->() ne 'IN_PROGRESS' }), "export $n ends at node $node");
	my $amount = $status->() eq 'COMPLETED' ? node($node, qq{SET client_min_messages = error; SET citus.enable_ddl_propagation = off;
		CREATE TEMP TABLE lines (l text);
		COPY lines FROM PROGRAM 'gzip -dc $folder/bank/AWSDynamoDB/$id/data/*.gz' (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02');
		SELECT sum((l::json #>> '{Item,n,N}')::int), count(*) FROM lines}) : $status->();
	$wrong++ if $amount ne "$total $accounts";
	diag "export $n: $amount" if $amount ne "$total $accounts";
}
is($wrong, 0, "of $backups exports all have what was there");
configure('dynamo.bucket_directory', 'DEFAULT');

end_clients(@clients);
is(node(1, q{SELECT sum((item ->> 'n')::int) FROM dynamo_data."Bank"}), $total, 'nothing is lost');
is(node($_, q{SELECT count(*) FROM pg_locks WHERE relation = 'pg_dist_transaction'::regclass AND mode = 'ExclusiveLock'}), 0, "node $_: nothing is held") for 0 .. 2;

# It takes as long as it takes, whatever is set for sessions at the nodes.
node(2, q{SET citus.enable_ddl_propagation = off; ALTER DATABASE postgres SET statement_timeout = '1s'});
my $held = session_at(2, sprintf 'SET statement_timeout = 0; SET citus.enable_manual_changes_to_shards = on; BEGIN; LOCK %s; SELECT pg_advisory_lock(4715);',
	(shard_of('Bank', $of{2}[0]))[1]);
ok(wait_for(sub { node(2, 'SELECT count(*) FROM pg_locks WHERE objid = 4715 AND granted') eq '1' }), 'a shard is locked');
my $child = fork() // die;
if ($child == 0)
{
	my $said = node(1, q{SELECT dynamo.create_backup('Bank', 'slow')});
	diag $said if $said =~ /ERROR/;
	POSIX::_exit($said =~ /ERROR/ ? 1 : 0);
}
ok(wait_for(sub { node(2, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '1.2 s'}) eq 't' }), 'a node is read for longer than its statement_timeout');
print $held "COMMIT;\n";
close $held;
waitpid $child, 0;
is($? >> 8, 0, '... and the backup is made');
node(2, q{SET citus.enable_ddl_propagation = off; ALTER DATABASE postgres RESET statement_timeout});

# A transaction that has written the table sees what it has written.
is(node(1, q{BEGIN; SELECT dynamo.put_item('Bank', '{"id": "more", "n": 1}'); SELECT dynamo.create_backup('Bank', 'own'); COMMIT}) =~ /ERROR/ ? 1 : 0, 0, 'a backup in a transaction that has written');
is(amount(1, 'own'), join(' ', $total + 1, $accounts + 1, $accounts + 1), '... has that, too');

foreach my $node (0 .. 2)
{
	node($node, q{SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Bank/backup/' || backup_id)) FROM dynamo.backups WHERE table_name = 'Bank'});
}
node(0, q{SELECT dynamo.drop_table('Bank')});
authenticate('DEFAULT');
done_testing();

# Nobody is told of a write that waits for a standby, or of what goes by it, before the
# standby has it: not when the wait is cut short, since its process is told to end, is
# cancelled, or the server is killed.  A standby that is promoted then may lack it.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use POSIX ();
use Test::More;
use lib dirname(__FILE__);
use Calls;
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 3\ndynamo.ttl_interval = 0");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id'), dynamo.enable_stream('Shop'); CREATE TABLE public.probe ()});
wait_for(sub { connection() }) or die 'nothing is served';
my %env = environment();

sub put { my ($key) = @_; return call('PutItem', qq({"TableName":"Shop","Item":{"id":{"S":"$key"}}})) }
sub delete_item { my ($key) = @_; return call('DeleteItem', qq({"TableName":"Shop","Key":{"id":{"S":"$key"}}})) }
sub get { my ($key) = @_; return call('GetItem', qq({"TableName":"Shop","Key":{"id":{"S":"$key"}}}))->{body} // '' }
sub create { my ($name) = @_; return call('CreateTable', qq({"TableName":"$name","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]})) }

# Commits wait for a standby that never comes; or for none.
sub await_standby
{
	my ($name) = @_;
	sql("ALTER SYSTEM SET synchronous_standby_names = '$name'");
	sql('SELECT pg_reload_conf()');
	return ok(wait_for(sub { waiting_count() eq '0' && sql('SHOW synchronous_standby_names') eq $name && (!$name || commits_wait()) }), $name ? 'a standby is to have all' : 'no standby is waited for');
}

# Does a commit wait for it?  It does when the checkpointer has read the setting, and not
# when sessions have.
sub commits_wait
{
	my $session = session(q{SET application_name = 'probe'; INSERT INTO public.probe DEFAULT VALUES; SET application_name = 'probed'});
	my $seen;
	wait_for(sub { ($seen = sql(q{SELECT application_name FROM pg_stat_activity WHERE application_name = 'probed' OR application_name = 'probe' AND wait_event = 'SyncRep'})) ne '' });
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ('probe', 'probed')});
	close $session;
	wait_for(sub { waiting_count() eq '0' });
	return $seen eq 'probe';
}

sub await_none
{
	sql("ALTER SYSTEM SET synchronous_standby_names = ''");
	sql('SELECT pg_reload_conf()');
	return;
}

# Who waits for it.
sub waiting
{
	my $pid;
	wait_for(sub { ($pid = sql(q{SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1})) =~ /\A\d+\z/ }) or die 'nobody waits';
	return $pid;
}

# How many wait for it.
sub waiting_count { return sql(q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'}) }

# A client that asks this.  Its exit status is its answer's: 2 for 200, 0 for none.
sub client
{
	my ($ask) = @_;
	my $client = fork() // die;
	POSIX::_exit(($ask->()->{status} // 0) / 100) if $client == 0;
	return $client;
}

# What a client was told.
sub told { my ($client) = @_; waitpid $client, 0; return $? >> 8 }

# A client asks, and then this is done to who is to answer it.
sub status_after
{
	my ($ask, $do) = @_;
	my $client = client($ask);
	$do->(waiting());
	return told($client);
}

await_standby('nobody');
isnt(status_after(sub { put('a') }, sub { sql("SELECT pg_terminate_backend($_[0])") }), 2, 'a worker that is ended does not say that a write is done');
await_standby('');
ok(wait_for(sub { get('a') =~ /"a"/ }), '... which is here, served by the next worker');

await_standby('nobody');
isnt(status_after(sub { create('Later') }, sub { sql("SELECT pg_terminate_backend($_[0])") }), 2, 'nor does a long worker');
await_standby('');

# Who finds that nothing is left to do, or a record, while that waits.
put('b');
my $arn = sql(q{SELECT dynamo.call('DescribeTable', '{"TableName": "Shop"}') #>> '{Table,LatestStreamArn}'});
my ($shard) = call('DynamoDBStreams_20120810.DescribeStream', qq({"StreamArn":"$arn"}))->{body} =~ /"ShardId":"([^"]+)"/;
my ($iterator) = call('DynamoDBStreams_20120810.GetShardIterator', qq({"StreamArn":"$arn","ShardId":"$shard","ShardIteratorType":"LATEST"}))->{body} =~ /"ShardIterator":"([^"]+)"/;
foreach my $door (
	[ 'the same again' => sub { delete_item('b') } ],
	[ 'its record' => sub { call('DynamoDBStreams_20120810.GetRecords', qq({"ShardIterator":"$iterator"})) } ])
{
	my ($what, $ask) = @$door;
	put('b');
	await_standby('nobody');
	my @clients = client(sub { delete_item('b') });
	waiting();

	# The kernel gives connections to workers.  What the one that waits is given is served
	# after that: others ask, until another worker has been given one.
	foreach (1 .. 20)
	{
		push @clients, client($ask);
		last if wait_for(sub { waiting_count() > 1 }, 2);
	}
	my @cancelled = split ' ', sql(q{SELECT CASE WHEN pg_cancel_backend(pid) THEN pid END FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
	cmp_ok(scalar @cancelled, '>', 1, "$what waits, too");
	sleep 1;

	# Another client may have come by now.
	my %still = map { $_ => 1 } split ' ', sql(q{SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
	is_deeply([ grep { !$still{$_} } @cancelled ], [], 'a cancel ends no wait');
	await_none();
	is_deeply([ map { told($_) } @clients ], [ map { 2 } @clients ], 'all are answered then');
}

# A part of a transaction of several nodes, whose time is over while it is being prepared.
my $part = begin_session(\%env, 'postgres', 'postgres', '-c statement_timeout=500');
is((next_message($part))[0], 'Z', 'a session of a node');
say_to($part, message('Q', "CALL dynamo_internal.serve_calls()\0"));
is((next_message($part))[0], 'W', 'serves its parts');
await_standby('nobody');
say_to($part, call_of('#prepare', 'citus_0_1_1_0 {"TransactItems":[{"Put":{"TableName":"Shop","Item":{"id":{"S":"p"}}}}]}'));
waiting();
sleep 1;
is(waiting_count(), '1', 'a part is not said to be prepared');
await_none();
is((next_message($part))[0], 'd', '... before it is');
sql(q{ROLLBACK PREPARED 'citus_0_1_1_0'});

# Calls of other nodes.
my $socket = begin_session(\%env, 'postgres', 'postgres');
is((next_message($socket))[0], 'Z', 'a session of a node');
say_to($socket, message('Q', "CALL dynamo_internal.serve_calls()\0"));
is((next_message($socket))[0], 'W', 'serves its calls');
await_standby('nobody');
say_to($socket, call_of('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"b"}}}'));
sql('SELECT pg_terminate_backend(' . waiting() . ')');
isnt((next_message($socket))[0], 'd', 'it is ended, and does not answer');

# What is said to a worker meanwhile is heard after that: by a long worker, and by who drops
# a database.  That there is no standby to wait for is told to the checkpointer alone, since
# the worker would look when it is told.
sub processes { my ($type) = @_; return split ' ', sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http $type' AND wait_event_type = 'Extension'") }
my %before = map { $_ => 1 } processes('long worker');
sql("SET synchronous_commit = local;\nCREATE DATABASE other;\nALTER SYSTEM SET dynamo.http_workers = 1");
set('dynamo.http_long_workers', 1);
my $long;
wait_for(sub { ($long) = processes('long worker'); return $long && !$before{$long} && connection() });
kill 'STOP', $long or die;
my ($batch, $write) = map { connection() } 1 .. 2;
print $batch HttpClient::request('BatchGetItem', '{"RequestItems":{"Shop":{"Keys":[{"id":{"S":"a"}}]}}}' . ' ' x 8000);
sleep 2;    # so that the worker has no counters left that it would wake for
print $write HttpClient::request('PutItem', '{"TableName":"Shop","Item":{"id":{"S":"d"}}}');
waiting();
ok(!IO::Select->new($batch)->can_read(0), 'a long worker is at a request');
my $drop = session("SET synchronous_commit = local;\nDROP DATABASE other");
wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'ProcSignalBarrier'}) eq '1' });
kill 'CONT', $long;
wait_for(sub { sql("SELECT state FROM pg_stat_activity WHERE pid = $long AND query LIKE 'BatchGetItem%'") eq 'idle' });
sleep 1;
sql(q{ALTER SYSTEM SET synchronous_standby_names = ''});
kill 'HUP', sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
is(receive($write)->{status}, 200, 'a worker has waited');
is(receive($batch, 15)->{status}, 200, '... and answers at once what the long worker was at');
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_database WHERE datname = 'other'}) eq '0' }, 15), '... and keeps nobody from dropping a database');
await_standby('nobody');

# The postmaster goes first, as when all are killed one after the other.
isnt(status_after(sub { put('c') }, sub {
	open my $file, '<', directory() . '/data/postmaster.pid' or die;
	my ($postmaster) = <$file> =~ /(\d+)/;
	kill 'KILL', $postmaster or die;
}), 2, 'nor is a write answered when the server is killed');
done_testing();

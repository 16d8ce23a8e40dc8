# UpdateTable by HTTP beside writers that hold the table for 0.4 s each, so that
# somebody always has it: a request that tries for a millisecond now and then
# never got its lock, and was answered ResourceInUseException for 100 s.  It has
# to queue.  Beside a transaction that does not end it gives up, and requests
# that came behind it are answered meanwhile.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\nmax_worker_processes = 16\n");
ok(wait_for(sub { connection() }), 'the port is served');
sql('CREATE EXTENSION dynamo');
sql(q{SELECT dynamo.create_table('Busy', 'id')});
wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) > 0 });

sub update
{
	my ($enabled) = @_;
	my $view = $enabled ? ', "StreamViewType": "KEYS_ONLY"' : '';
	my $is = $enabled ? 'true' : 'false';
	return call('UpdateTable', qq({"TableName": "Busy", "StreamSpecification": {"StreamEnabled": $is$view}}));
}

# Transactions hold the table, one after the other.  Each writer begins in the middle of the other's transaction.
my $dir = directory();
my $script = "$dir/writer.sql";
open my $out, '>', $script or die;
print $out join '', map { qq{BEGIN; INSERT INTO dynamo_data."Busy" (item) VALUES (jsonb_build_object('id', gen_random_uuid())::dynamo.item); SELECT pg_sleep(0.4); COMMIT;\n} } 1 .. 200;
close $out;
chmod 0644, $script;
my %environment = environment();
my @writers = map {
	my $delay = $_;
	my $pid = fork() // die;
	if (!$pid)
	{
		%ENV = (%ENV, %environment);
		select undef, undef, undef, $delay;
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', '/dev/null';
		exec 'psql', '-XAqt', '-f', $script;
	}
	$pid;
} (0, 0.13, 0.27);
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_data."Busy"'::regclass AND mode = 'RowExclusiveLock' AND granted}) >= 2 }), 'writers hold the table');
my $answer = update(1);
is($answer->{status}, 200, 'UpdateTable beside them: done') or diag $answer->{body};
like($answer->{body}, qr/"LatestStreamArn"/, '... the table has a stream');
kill 'TERM', @writers;
waitpid $_, 0 foreach @writers;
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_data."Busy"'::regclass}) eq '0' });

# A transaction that does not end.
my $holder = session(q{BEGIN; INSERT INTO dynamo_data."Busy" (item) VALUES ('{"id": "held"}')});
wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_data."Busy"'::regclass}) > 0 });
my $pid = fork() // die;
if (!$pid)
{
	my $refused = update(0);
	open my $told, '>', "$dir/refused" or die;
	print $told "$refused->{status} $refused->{body}";
	close $told;
	exec 'true';
}
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_data."Busy"'::regclass AND NOT granted}) > 0 }), 'UpdateTable queues');
my @statuses = map { call('PutItem', qq({"TableName": "Busy", "Item": {"id": {"S": "$_"}}}))->{status} } 1 .. 3;
is("@statuses", '200 200 200', 'requests that come behind it are answered');
waitpid $pid, 0;
open my $told, '<', "$dir/refused" or die;
like(do { local $/; <$told> }, qr/^400 .*ResourceInUseException/, 'it gives up');
print $holder "COMMIT;\n";
close $holder;
is(update(0)->{status}, 200, 'the transaction ends: it is done');
done_testing();

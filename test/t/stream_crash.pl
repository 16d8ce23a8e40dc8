# Six clients write over HTTP and two by plain SQL, each holding its row for a
# while after the change; two consumers read the stream meanwhile.  Halfway all
# processes of the server are killed.  Each consumer meets each committed
# change once, and those of an item in the order in which they were made: the
# old image of a record is the new image of the one before, the last is what
# the table holds, and both consumers have met the same.
#
# The run takes 6 seconds, or DYNAMO_STREAM_SECONDS.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Handle;
use JSON::PP;
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use HttpClient;

my $seconds = $ENV{DYNAMO_STREAM_SECONDS} || 6;
my $items = 50;
my $json = JSON::PP->new->canonical;
my $dir = tempdir(CLEANUP => 1);
local $SIG{PIPE} = 'IGNORE';

start_server("dynamo.http_authentication = trust\nfsync = on\ndynamo.stream_shards = 4");
ok(wait_for(sub { connection() }), 'the port is served');
sql('CREATE EXTENSION dynamo');
my $table = $json->decode(call('CreateTable', $json->encode({
	TableName            => 'Changes',
	AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ],
	KeySchema            => [ { AttributeName => 'id', KeyType => 'HASH' } ],
	BillingMode          => 'PAY_PER_REQUEST',
	StreamSpecification  => { StreamEnabled => JSON::PP::true, StreamViewType => 'NEW_AND_OLD_IMAGES' }
}))->{body});
my $arn = $table->{TableDescription}{LatestStreamArn};
ok($arn, 'a table has a stream');

# -- clients ----------------------------------------------------------------

my $socket;

# An operation's answer, or undef when there was none: the server is away.
sub request
{
	my ($operation, $body, $service) = @_;
	$socket ||= connection();
	if (!$socket)
	{
		sleep 0.05;
		return;
	}
	my $response = call($operation, $json->encode($body),
		{ 'X-Amz-Target' => ($service || 'DynamoDB_20120810') . ".$operation" }, $socket);
	return $response if defined $response->{status} && $response->{status} < 500;
	undef $socket;
	return;
}

# Run a piece of the test in a process of its own.
sub start
{
	my ($work, @arguments) = @_;
	my $pid = fork() // die;
	return $pid if $pid;
	srand $$;
	undef $socket;
	eval { $work->(@arguments); 1 } or print STDERR "# $@";
	_exit(0);
}

# One of the ways to change an item; what it writes is marked "op".
sub change
{
	my ($op) = @_;
	my ($id, $other) = map { { S => "item-" . int rand $items } } 1 .. 2;
	my $update = sub {
		return (TableName => 'Changes', Key => { id => $_[0] },
			UpdateExpression => 'ADD n :one SET op = :op',
			ExpressionAttributeValues => { ':one' => { N => '1' }, ':op' => { S => $op } });
	};
	my $way = rand;
	return DeleteItem => { TableName => 'Changes', Key => { id => $id } } if $way < 0.05;
	return PutItem => { TableName => 'Changes', Item => { id => $id, n => { N => '0' }, op => { S => $op } } }
	  if $way < 0.2;
	return TransactWriteItems => { TransactItems => [ map { { Update => { $update->($_) } } } $id, $other ] }
	  if $way < 0.3 && $id->{S} ne $other->{S};
	return UpdateItem => { $update->($id) };
}

# Change items until the time is over; tell of each change that was confirmed.
sub write_by_http
{
	my ($writer, $end) = @_;
	open my $confirmed, '>', "$dir/writer.$writer" or die;
	for (my $n = 0; time() < $end; $n++)
	{
		my ($operation, $body) = change("$writer-$n");
		my $response = request($operation, $body) or next;
		print $confirmed "$writer-$n\n"
		  if $response->{status} == 200 && $operation ne 'DeleteItem';
	}
	close $confirmed;
	return;
}

# The same by plain SQL, in transactions that end some time after the change.
sub write_by_sql
{
	my ($writer, $end) = @_;
	open STDERR, '>', '/dev/null' or die;	# no server, for a while
	for (my $n = 0; time() < $end; $n++)
	{
		my $script = join '', map {
			my $op = "$writer-$n-$_";
			my $id = 'item-' . int rand $items;
			sprintf qq{BEGIN;
				UPDATE dynamo_data."Changes" SET item = (item::jsonb || '{"op": "%s"}')::dynamo.item
				WHERE pk = '%s' RETURNING '%s' AS op \\gset
				SELECT pg_sleep(%.3f) \\g /dev/null
				COMMIT;
				\\echo :op\n}, $op, $id, $op, rand 0.03;
		} 1 .. 50;
		open my $file, '>', "$dir/$writer.sql" or die;
		print $file "\\set op -\n$script";
		close $file;
		my $out = run("timeout 20 psql -XAqt -v ON_ERROR_STOP=1 -f $dir/$writer.sql 2>/dev/null");
		open my $confirmed, '>>', "$dir/writer.$writer" or die;
		print $confirmed map { "$_\n" } grep { /^$writer-$n-\d+$/ } split /\n/, $out;
		close $confirmed;
		sleep 0.05;
	}
	return;
}

# Where a consumer begins to read a shard, or goes on after a record.
sub iterator
{
	my ($shard, $after) = @_;
	while (1)
	{
		my $response = request('GetShardIterator', {
			StreamArn => $arn, ShardId => $shard,
			$after
			? (ShardIteratorType => 'AFTER_SEQUENCE_NUMBER', SequenceNumber => $after)
			: (ShardIteratorType => 'TRIM_HORIZON') }, 'DynamoDBStreams_20120810') or next;
		die $response->{body} if $response->{status} != 200;
		return $json->decode($response->{body})->{ShardIterator};
	}
}

# Read all shards until nothing comes any more after file "done" was made.  The
# one who goes by sequence numbers makes a new iterator each time.
sub consume
{
	my ($reader, $by_number) = @_;
	my $description;
	until ($description)
	{
		my $response = request('DescribeStream', { StreamArn => $arn }, 'DynamoDBStreams_20120810') or next;
		$description = $json->decode($response->{body})->{StreamDescription};
	}
	open my $out, '>', "$dir/reader.$reader" or die;
	my @shards = map { { id => $_->{ShardId}, iterator => iterator($_->{ShardId}) } } @{ $description->{Shards} };
	my $quiet = 0;
	while ($quiet < 2)
	{
		my $done = -e "$dir/done";
		my $met = 0;
		foreach my $shard (@shards)
		{
			my $response = request('GetRecords', { ShardIterator => $shard->{iterator} }, 'DynamoDBStreams_20120810');
			if (!$response)
			{
				$met++;
				next;
			}
			die $response->{body} if $response->{status} != 200;
			my $answer = $json->decode($response->{body});
			foreach my $record (@{ $answer->{Records} })
			{
				print $out $json->encode([ $shard->{id}, $record ]), "\n";
				$shard->{last} = $record->{dynamodb}{SequenceNumber};
				$met++;
			}
			$shard->{iterator} = $by_number && $shard->{last}
			  ? iterator($shard->{id}, $shard->{last}) : $answer->{NextShardIterator};
		}
		$quiet = $done && !$met ? $quiet + 1 : 0;
		sleep 0.01;
	}
	close $out;
	return;
}

# -- the run ----------------------------------------------------------------

my $end = time() + $seconds;
my @readers = (start(\&consume, 1, 0), start(\&consume, 2, 1));
my @writers = (
	(map { start(\&write_by_http, $_, $end) } 1 .. 6),
	(map { start(\&write_by_sql, $_, $end) } 7 .. 8));
sleep $seconds / 2;
ok(server('crash'), 'the server is killed');
ok(server('restart'), 'and started again');
waitpid $_, 0 foreach @writers;
open(my $done, '>', "$dir/done") or die;
close $done;
waitpid $_, 0 foreach @readers;

# -- what came of it --------------------------------------------------------

sub lines
{
	my ($file) = @_;
	open my $in, '<', "$dir/$file" or return ();
	chomp(my @lines = <$in>);
	return @lines;
}

my %kept = map {
	my $item = $json->decode($_);
	($item->{id}{S} => $json->encode($item))
} split /\n/, sql('SELECT dynamo.to_json(item) FROM dynamo_data."Changes"');
my @confirmed = map { lines("writer.$_") } 1 .. 8;
cmp_ok(scalar @confirmed, '>', 100, 'many changes were confirmed');
diag scalar(@confirmed) . ' changes confirmed';

my @met;
foreach my $reader (1 .. 2)
{
	my (%last, %number, %seen, %shards);
	my ($chained, $ascending, $named) = (1, 1, 1);
	foreach my $line (lines("reader.$reader"))
	{
		my ($shard, $record) = @{ $json->decode($line) };
		my $change = $record->{dynamodb};
		my $id = $change->{Keys}{id}{S};
		my ($old, $new) = map { $_ ? $json->encode($_) : '' } @{$change}{qw(OldImage NewImage)};
		$chained &&= $old eq ($last{$id} // '');
		$ascending &&= ($number{$shard} // '') lt $change->{SequenceNumber};
		$named &&= $record->{eventName} eq ($old eq '' ? 'INSERT' : $new eq '' ? 'REMOVE' : 'MODIFY');
		$last{$id} = $new;
		$number{$shard} = $change->{SequenceNumber};
		$seen{"$change->{NewImage}{op}{S} $id"}++ if $new ne '';
		push @{ $shards{$shard} }, $line;
	}
	delete @last{ grep { $last{$_} eq '' } keys %last };
	ok($chained, "consumer $reader: each change begins where the one before ended");
	ok($ascending, "consumer $reader: sequence numbers ascend");
	ok($named, "consumer $reader: INSERT, MODIFY and REMOVE are right");
	is_deeply(\%last, \%kept, "consumer $reader: the last images are what the table holds");
	is(scalar(grep { $_ > 1 } values %seen), 0, "consumer $reader: no change twice");
	my %ops = map { (split / /)[0] => 1 } keys %seen;
	is(scalar(grep { !$ops{$_} } @confirmed), 0, "consumer $reader: every confirmed change");
	cmp_ok(scalar(keys %shards), '>', 1, "consumer $reader: several shards");
	push @met, \%shards;
}
is_deeply($met[0], $met[1], 'both consumers have met the same');

done_testing();

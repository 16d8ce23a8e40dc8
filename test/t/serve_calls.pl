# dynamo_internal.serve_calls(), which the nodes of a cluster call of one another:
# a session that executes requests, each a transaction, as messages of COPY.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Calls;
use Server;

# Nothing but a flush before the answer brings a commit to disk in time.
start_server("log_error_verbosity = verbose\nwal_writer_delay = 10s");
my %env = environment();

# A session as a role, which has answered with ReadyForQuery.
sub connected
{
	my ($role, $options) = @_;
	my $socket = connected_quietly($role, $options);
	ok($socket, "$role: connected");
	return $socket;
}

sub connected_quietly
{
	my ($role, $options) = @_;
	my $socket = begin_session(\%env, $role, 'postgres', $options);
	return (next_message($socket))[0] eq 'Z' ? $socket : undef;
}

sub serving
{
	my $socket = connected(@_);
	say_to($socket, message('Q', "CALL dynamo_internal.serve_calls()\0"));
	is((next_message($socket))[0], 'W', 'calls are served');
	return $socket;
}

# What calls are answered with, as text: an error's fields have lines.
sub answers
{
	my ($socket, @calls) = @_;
	say_to($socket, join '', @calls);
	return map { answer($socket) } @calls;
}

sub answer
{
	my ($socket) = @_;
	my ($type, $content) = next_message($socket);
	return $type unless $type eq 'd';
	return $content =~ s/^A//r if $content =~ /^A/;
	return $content =~ s/^E//r =~ s/\0/\n/gr;
}

sub put { my ($key, $more) = @_; return call_of('PutItem', qq({"TableName":"Served","Item":{"id":{"S":"$key"}}) . ($more // '') . '}') }
sub get { my ($key) = @_; return call_of('GetItem', qq({"TableName":"Served","Key":{"id":{"S":"$key"}}})) }

is(sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Served', 'id');
	CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE ON dynamo_data."Served" TO clerk;
	CREATE ROLE stranger LOGIN}), 'dynamo_data."Served"', 'a table');

my $socket = serving('clerk');
is_deeply([answers($socket, put('a'), get('a'), get('b'))], ['{}', '{"Item":{"id":{"S":"a"}}}', '{}'], 'calls are answered in their order');
is(sql(q{SELECT count(*) FROM dynamo_data."Served"}), 1, 'and what they write is there');
my @many = answers($socket, map { (put("m$_"), get("m$_")) } 1 .. 500);
is(scalar(grep { $many[2 * $_] eq '{}' && $many[2 * $_ + 1] =~ /"m${\($_ + 1)}"/ } 0 .. 499), 500, 'a thousand at once');
my $large = 'x' x 300_000;
is_deeply([answers($socket, put('large', qq(,"ConditionExpression":"attribute_not_exists(id)")), get('large'))], ['{}', '{"Item":{"id":{"S":"large"}}}'], 'a condition that holds');
is((answers($socket, call_of('PutItem', qq({"TableName":"Served","Item":{"id":{"S":"large"},"a":{"S":"$large"}}})), get('a')))[1],
	'{"Item":{"id":{"S":"a"}}}', 'a large call is followed by a small one');
like((answers($socket, get('large')))[0], qr/(?:x{3000}){100}/, 'a large answer');
like((answers($socket, call_of('#token', '0 ' . 'ab' x 32 . ' t')))[0], qr/unexpected request of a node/, 'no token is noted where there is no cluster');

# Errors are answers, and undo what their call has done alone.
my @failed = answers($socket, put('c'), put('a', ',"ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"'), put('d'));
is("$failed[0] $failed[2]", '{} {}', 'calls around one that fails');
like($failed[1], qr/^CND008\nMThe conditional request failed\nD.*"Item".*\n/, 'its SQLSTATE, text and detail');
like((answers($socket, call_of('GetItem', '{"TableName":"Absent","Key":{"id":{"S":"a"}}}')))[0], qr/^CND004\nMRequested resource not found\n/, 'no such table');
like((answers($socket, call_of('Nothing', '{}')))[0], qr/^CND003\n/, 'no such operation');
like((answers($socket, message('d', 'GetItem')))[0], qr/^C08P01\n/, 'a call without a request');
like((answers($socket, call_of('PutItem', qq({"TableName":"Served","Item":{"id":{"S":"\xff"}}}))))[0], qr/^C22021\n/, 'bytes that are no text');
like((answers($socket, call_of('DeleteItem', '{"TableName":"Served","Key":{"id":{"S":"a"}}}')))[0], qr/^CND015\n/, 'a privilege that the role has not');
ok(!log_has(qr/The conditional request failed|Requested resource not found/), 'answers of the service are nothing for the log');
ok(reported(qr/LOG:  22021: invalid byte sequence/), 'other errors are');
is((answers($socket, get('a')))[0], '{"Item":{"id":{"S":"a"}}}', 'and the session goes on');

# Between calls there is no transaction, and nothing to cancel.
my $idle = q{SELECT string_agg(state || ' ' || (backend_xid IS NULL AND backend_xmin IS NULL AND xact_start IS NULL), ',')
	FROM pg_stat_activity WHERE query ~ '^CALL dynamo_internal.serve_calls'};
ok(wait_for(sub { sql($idle) eq 'idle true' }), 'idle, in no transaction');
is(sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^CALL dynamo_internal'}), 't', 'cancelled');
is((answers($socket, get('a')))[0], '{"Item":{"id":{"S":"a"}}}', 'which means no later call');
is(sql(q{SET statement_timeout = '60s'; CREATE DATABASE gone; DROP DATABASE gone}), '', 'it holds up no work that all sessions take part in');
is(sql(q{ALTER TABLE dynamo_data."Served" SET (fillfactor = 90)}), '', 'nor a change of the table');
like((answers($socket, get('c')))[0], qr/"c"/, 'which the session gets to know');

# The session's timeouts are those of each call.
{
	my $slow = serving('clerk', '-c statement_timeout=2000 -c lock_timeout=100');
	sleep 2.5;
	is((answers($slow, get('a')))[0], '{"Item":{"id":{"S":"a"}}}', 'the statement itself takes as long as it likes');
	my $holder = session(q{BEGIN; UPDATE dynamo_data."Served" SET item = item WHERE item ->> 'id' = 'a'});
	ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE 'UPDATE%'}) eq '1' }), 'somebody holds a row');
	my @waits = answers($slow, put('a'), put('c'));
	like($waits[0], qr/^C55P03\n/, 'a call waits no longer than lock_timeout');
	is($waits[1], '{}', 'and the next is executed');
	close $holder;
}

# The client ends it, and the session is as any.
say_to($socket, message('c', ''));
is((next_message($socket))[0], 'c', 'the end of calls');
is_deeply([next_message($socket)], ['C', "CALL\0"], 'and of the statement');
is((next_message($socket))[0], 'Z', 'ready for others');
say_to($socket, message('Q', "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation = 'dynamo_data.\"Served\"'::regclass\0"));
is((next_message($socket))[0], 'T', 'another statement');
like((next_message($socket))[1], qr/0\z/, 'no lock is left');
next_message($socket) for 1 .. 2;

# Where it would be in the way of something around it.
foreach my $where ('BEGIN; CALL dynamo_internal.serve_calls()',
	q{DO 'BEGIN CALL dynamo_internal.serve_calls(); END'})
{
	like(sql($where), qr/ERROR:  calls are served by a session's own statement, outside of transaction blocks/, "refused: $where");
}
sql(q{CREATE PROCEDURE public.around() LANGUAGE plpgsql AS 'BEGIN COMMIT; CALL dynamo_internal.serve_calls(); END'});
like(sql('CALL public.around()'), qr/ERROR:  calls are served by a session's own statement/, 'refused in a procedure');

# What is no call.
my $strange = serving('clerk');
say_to($strange, message('Q', "SELECT 1\0"));
like((next_message($strange))[1], qr/C08P01/, 'a message of another kind ends it');
is((next_message($strange))[0], 'Z', 'but not the session');
$strange = serving('clerk');
say_to($strange, get('a') . message('f', "no\0"));
like(join('', map { $_ // '' } next_message($strange), next_message($strange)), qr/"a".*C08P01/s, 'so does CopyFail, after the answers');
$strange = serving('clerk');
say_to($strange, message('H', '') . get('a') . message('S', ''));
is(answer($strange), '{"Item":{"id":{"S":"a"}}}', 'what libraries send out of habit does not');

# Every message of the protocol, in every state, whole, cut short and longer than
# it can be.  The end of calls right behind the beginning deleted the memory that
# the session stood in.  Whatever comes, the session ends, or gets the next
# statement done; nobody waits, and the server goes on.
my $call = message('Q', "CALL dynamo_internal.serve_calls()\0");
my $extended = message('P', "\0CALL dynamo_internal.serve_calls()\0" . pack('n', 0)) . message('B', "\0\0" . pack('nnn', 0, 0, 0)) . message('E', "\0" . pack('N', 0));
my %states = (
	'with the statement' => $call,
	'with the statement, extended' => $extended . message('S', ''),
	'behind a call' => $call . get('a'),
	'behind the end' => $call . message('c', ''),
	'behind an error' => $call . message('f', "no\0") . get('a'));
my @types = (qw(Q P B E D C F p c d f H S), '"', 'z', "\0", "\xff");

# Does the session end, or do another statement?
sub goes_on
{
	my ($bytes) = @_;
	my $client = connected_quietly('stranger');
	local $SIG{PIPE} = 'IGNORE';
	say_to($client, $bytes . message('c', '') . message('S', '') . message('Q', "SELECT 'alive'\0"));
	for (;;)
	{
		my ($type, $content) = next_message($client);
		return 'ended' if $type eq '';
		return 'alive' if $type eq 'D' && $content =~ /alive/;
	}
}

foreach my $state (sort keys %states)
{
	my @ended;
	foreach my $type (@types)
	{
		push @ended, grep { goes_on($states{$state} . message($type, $_)) eq 'ended' } '', "\0", "x\0y\0" . pack('n', 0), 'x' x 100_000;
	}

	# What is no longer among calls is the server's own matter.
	ok(@ended == 0 || $state =~ /behind the end|behind an error/, "no message ends a session $state");
	goes_on($states{$state} . $_ . pack('N', 0xffffffff)), goes_on($states{$state} . $_ . pack('N', 0)), goes_on($states{$state} . $_ . pack('N', 3)) for @types;
	foreach my $part (map { my $type = $_; map { $type . $_ } '', "\0\0", pack('N', 9), pack('N', 9) . 'abc', pack('N', 0x3ffffffd) } @types)
	{
		my $client = connected_quietly('stranger');
		say_to($client, $states{$state} . $part);
		close $client;
	}
	ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'stranger'}) eq '0' }), "clients that go away $state leave nothing");
}
is(goes_on($call . message('X', '')), 'ended', 'a client takes its leave');
ok(!log_has(qr/terminated by signal|TRAP/), 'no process died of any of it');

# A client goes away: so does the session.
$strange = serving('stranger');
like((answers($strange, get('a')))[0], qr/^CND015\n/, 'GRANT counts');
say_to($strange, substr(get('a'), 0, 20));
close $strange;
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'stranger'}) eq '0' }), 'in the middle of a call');
$strange = serving('stranger');
is(sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'stranger'}), 't', 'an administrator ends it');
like((next_message($strange))[1], qr/C57P01/, 'and the client is told');

# What was answered is on disk.
$strange = serving('clerk');
is((answers($strange, put('last')))[0], '{}', 'a write is answered');
ok(server('crash') && server('restart'), 'the server crashes');
is(sql(q{SELECT count(*) FROM dynamo_data."Served" WHERE item ->> 'id' = 'last'}), 1, 'and has it');

done_testing();

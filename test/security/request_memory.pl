# Small requests that take much memory.
#
# Attacker: a role with a key and a table.  He wants the memory of the machine:
# by requests of many small values, which take many times their text, and by
# such requests packed, of which a few kilobytes hold 16 MB.
use strict;
use warnings;
use Compress::Zlib qw(memGzip);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $mega = 1024 * 1024;
my $multiple = 80;    # of its text is what a request may take,
my $most = 700;       # and so many megabytes are what any may take

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id');});
my $worker = 0;

# By how many megabytes a request has made a new worker grow at its peak, and
# what it was told.
sub peak
{
	open(my $status, '<', "/proc/$worker/status") or die;
	my ($kb) = join('', <$status>) =~ /^VmHWM:\s+(\d+)/m;
	return $kb / 1024;
}
sub growth
{
	my ($operation, $body, $head) = @_;
	kill 'TERM', $worker if $worker;
	my $old = $worker;
	wait_for(sub { ($worker) = worker_pids(); $worker && $worker != $old && connection() }) or die;
	call('ListTables', '{}');
	my $before = peak();
	my $answer = call($operation, $body, $head);
	return (peak() - $before, $answer);
}

# As many values as fit in an item, and a value of an expression.
my $item = sub { my $list = join ',', ($_[0]) x $_[1]; qq({"TableName":"Tab","Item":{"id":{"S":"a"},"a":{"L":[$list]}}}) };
my $value = sub {
	my $list = join ',', ($_[0]) x $_[1];
	qq({"TableName":"Tab","Key":{"id":{"S":"a"}},"UpdateExpression":"SET a = :a","ExpressionAttributeValues":{":a":{"L":[$list]}}});
};
foreach ([ 'PutItem', $item->('{"SS":[""]}', 80_000) ], [ 'PutItem', $item->('{"L":[{"NULL":true}]}', 50_000) ],
	[ 'UpdateItem', $value->('{"M":{}}', 90_000) ])
{
	my ($operation, $body) = @$_;
	my ($grown, $answer) = growth($operation, $body);
	is($answer->{status}, 200, "$operation of the smallest values");
	cmp_ok($grown * $mega / length $body, '<', $multiple, "takes less than $multiple times its text");
}

# A large set that many sets would get: none of them fits, and none is made, by the worker
# itself where no other process executes what is long.
{
	sql('ALTER SYSTEM SET dynamo.http_long_workers = 0; SELECT pg_reload_conf()');
	wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'dynamo http long%'}) eq '0' }) or die;
	my $sets = join ',', map { qq("s$_":{"NS":["0"]}) } 1 .. 200;
	call('PutItem', qq({"TableName":"Tab","Item":{"id":{"S":"sets"},$sets}}));
	my $added = join ', ', map { "s$_ :n" } 1 .. 200;
	my $numbers = join ',', map { qq("$_") } 1 .. 100_000;
	my ($grown, $answer) = growth('UpdateItem',
		qq({"TableName":"Tab","Key":{"id":{"S":"sets"}},"UpdateExpression":"ADD $added","ExpressionAttributeValues":{":n":{"NS":[$numbers]}}}));
	is($answer->{status}, 400, 'a set that many sets would get is refused');
	cmp_ok($grown, '<', $most, "and takes less than $most MB");
}

# What no operation takes is parsed before that is known.
foreach my $dense ('{},', '[],')
{
	my $packed = memGzip('{"a":[' . $dense x (5 * $mega) . $dense =~ s/,//r . ']}');
	cmp_ok(length $packed, '<', 20_000, 'a small body');
	my ($grown, $answer) = growth('ListTables', $packed, { 'Content-Encoding' => 'gzip' });
	is($answer->{status}, 400, 'of too many values is refused');
	cmp_ok($grown, '<', $most, "and takes less than $most MB");
}

done_testing();

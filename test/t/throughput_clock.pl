# A bucket of throughput fills as time goes by, up to its depth.  A clock that is
# set back takes nothing out of it, and it fills on from there.  A table that nobody
# has used since it was made has the credit of an idle one, not of one second.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.enforce_throughput = on\n") });
sql('CREATE EXTENSION dynamo');

sub create
{
	my ($name, $units, $throughput) = @_;
	$throughput //= qq("ProvisionedThroughput": {"ReadCapacityUnits": $units, "WriteCapacityUnits": $units});
	sql(qq{SELECT dynamo.call('CreateTable', '{"TableName": "$name", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], $throughput}')});
	return;
}

# Put an item of so many units, 300; '' where there is room for it.
sub put
{
	my ($name, $id, $units) = @_;
	$units //= 300;
	my $answer = sql(qq{SELECT dynamo.try_call('PutItem', json_build_object('TableName', '$name', 'Item',
		json_build_object('id', json_build_object('S', '$id'), 't', json_build_object('S', repeat('x', $units * 1024 - 1000)))))});
	return decode_json($answer)->{__type} // '';
}
my $throttled = qr/#ProvisionedThroughputExceededException$/;

# 10 units a second; a bucket holds those of 300.
create('Idle', 10);
create('Back', 10);
is(put('Back', 1), '', 'a table just made: one write overdraws');
like(put('Back', 1), $throttled, '... and the next is refused');
set_clock(100);
is(put('Idle', 1), '', 'an idle table has credit for the time before its first use: a write');
is(put('Idle', 2), '', '... another');
is(put('Idle', 3), '', '... a third');
set_clock(86400);
is(join(' ', map { put('Back', $_) } 1 .. 9), ' ' x 8, 'a day later nine writes');
is(put('Idle', 1), '', 'the other one is full, too');

# 2,700 units are left there.  A day back.
set_clock(0);
is(put('Idle', $_), '', "the clock was set back: write $_") foreach 1 .. 3;
set_clock(86400);
is(put('Idle', $_), '', "and forward again: write $_") foreach 1 .. 9;

# What was not used does not add up without end: a table has that of 300 seconds, a
# maximum of a table on demand, and a partition key, that of one.
create('Brim', 1);
create('Most', 1, '"BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxWriteRequestUnits": 1}');
set_clock(2 * 86400);
is(put('Brim', 1, 200), '', 'a day has 300 units of one a second: 200 units');
is(put('Brim', 1), '', '... 300 more, which overdraws');
like(put('Brim', 1, 1), $throttled, '... and no more');
is(put('Most', 1, 2), '', 'a maximum of one unit a second: a write that overdraws');
set_clock(2 * 86400 + 3600);
is(put('Most', 1, 300), '', 'an hour later another');
like(put('Most', 1, 1), qr/#ThrottlingException$/, '... which had one second only');
done_testing();

# A bucket of throughput fills as time goes by.  A clock that is set back takes
# nothing out of it, and it fills on from there.  A table that nobody has used
# since it was made has the credit of an idle one, not of one second.
#
# Needs libfaketime (apt-get install libfaketime).
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use Server;

my ($library) = grep { -e } glob '/usr/lib/*/faketime/libfaketime.so.1 /usr/lib*/faketime/libfaketime.so.1';
plan skip_all => 'libfaketime is not installed (apt-get install libfaketime)' unless $library;

my $clock = '/tmp/dynamo_clock.' . $$;

# So many seconds from now, for every process that asks from now on.
sub set_clock
{
	my ($seconds) = @_;
	open my $out, '>', "$clock.new" or die;
	printf $out "%+d\n", $seconds;
	close $out;
	chmod 0644, "$clock.new";
	rename "$clock.new", $clock or die;
	return;
}

set_clock(0);
{
	# The clock of timeouts goes on as it is.
	local @ENV{qw(LD_PRELOAD FAKETIME_TIMESTAMP_FILE FAKETIME_NO_CACHE FAKETIME_DONT_FAKE_MONOTONIC)} = ($library, $clock, 1, 1);
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.enforce_throughput = on\n");
}
sql('CREATE EXTENSION dynamo');

sub create
{
	my ($name, $units) = @_;
	sql(qq{SELECT dynamo.call('CreateTable', '{"TableName": "$name", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": $units, "WriteCapacityUnits": $units}}')});
	return;
}

# Put an item of 300 units; '' where there is room for it.
sub put
{
	my ($name, $id) = @_;
	my $answer = sql(qq{SELECT dynamo.try_call('PutItem', json_build_object('TableName', '$name', 'Item',
		json_build_object('id', json_build_object('S', '$id'), 't', json_build_object('S', repeat('x', 300000)))))});
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
unlink $clock;
done_testing();

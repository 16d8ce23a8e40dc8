# Auto scaling looks at what was used in the last periods, each by itself: one that
# was busy keeps a table from being scaled in for fifteen, two make it grow.  Of a
# table that nobody has used nothing is known, and a clock that was set back does
# not stop the periods.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $now = 0;
my $began = time;
with_clock(sub { start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1\ndynamo.enforce_throughput = on\n") });
sql('CREATE EXTENSION dynamo');

sub create
{
	my ($name, $units, $least) = @_;
	sql(qq{SELECT dynamo.call('CreateTable', '{"TableName": "$name", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": $units}}');
		SELECT dynamo.set_auto_scaling('$name', 'WriteCapacityUnits', $least, 1000, 50)});
	return;
}

sub writes { return sql(qq{SELECT settings::jsonb #>> '{ProvisionedThroughput,WriteCapacityUnits}' FROM dynamo.tables WHERE table_name = '$_[0]'}) }

# So many seconds pass, however long the test takes.
sub go_on
{
	my ($seconds) = @_;
	$now += $seconds;
	return set_clock($now - (time - $began));
}

# Another period has begun, in which so many large items are written, and something
# small at least.
sub period
{
	my ($items) = @_;
	go_on(60);
	sql(qq{SELECT dynamo.call('PutItem', '{"TableName": "Used", "Item": {"id": {"S": "small"}}}');
		SELECT dynamo.call('PutItem', json_build_object('TableName', 'Used', 'Item',
		json_build_object('id', json_build_object('S', i::text), 't', json_build_object('S', repeat('x', 300000))))) FROM generate_series(1, $items) i});
	return;
}

# All tables have been looked at since the call: one below its least, made later,
# and after it another one, was given that.
my $rounds = 0;
sub looked_at
{
	foreach (1, 2)
	{
		my $name = 'Zero' . ++$rounds;
		create($name, 1, 2);
		wait_for(sub { writes($name) eq '2' }) or return 0;
	}
	return 1;
}

create('New', 100, 10);
ok(looked_at(), 'a table nobody has used is looked at');
is(writes('New'), '100', '... and left as it is');

# Periods begin with the first use; from then on we are in their middle.
create('Used', 100, 10);
go_on(3600);
period(0);
go_on(25);
period(0) foreach 2 .. 16;
ok(wait_for(sub { writes('Used') eq '10' }), 'a table that was idle for fifteen periods has its least');

# 4,100 units are more than half of 100 a second.
sql(q{SELECT dynamo.set_auto_scaling('Used', 'WriteCapacityUnits', 100, 1000, 50)});
ok(wait_for(sub { writes('Used') eq '100' }), 'it has another');
go_on(3600);
period($_) foreach 0, 14, 0;
sql(q{SELECT dynamo.set_auto_scaling('Used', 'WriteCapacityUnits', 10, 1000, 50)});
period(0) foreach 1 .. 10;
ok(looked_at(), 'one period of the last fifteen was busy');
is(writes('Used'), '100', '... that keeps it from being scaled in');
period(0) foreach 1 .. 6;
ok(wait_for(sub { writes('Used') eq '10' }), 'later it is');

sql(q{SELECT dynamo.set_auto_scaling('Used', 'WriteCapacityUnits', 100, 1000, 50)});
ok(wait_for(sub { writes('Used') eq '100' }), 'it is used again');
period(0);
go_on(-7200);
period(0);
go_on(25);
period($_) foreach 14, 14, 0;
ok(wait_for(sub { writes('Used') > 100 }), 'it grows by the periods of a clock that was set back');
done_testing();

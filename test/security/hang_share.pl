# The attacker is a tenant: mallory has a key, may make tables, and owns one
# whose trigger takes for ever and catches every cancel.  She wants all
# workers.
#
# With dynamo.http_workers_per_role she gets her share and no more, from the first
# moment on: it is counted when a request begins, not when it turns out to be
# long.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use lib dirname(__FILE__);
use Trap;

start_server("dynamo.http_workers = 4\ndynamo.http_workers_per_role = 2\ndynamo.http_request_timeout = 10min\n");
my $mallory = tenant('mallory');
my $alice = tenant('alice');

sub put { return qq({"TableName":"$_[0]","Item":{"id":{"S":"a"}}}) }

sql(q{
	GRANT CREATE ON SCHEMA public TO mallory;
	SET ROLE alice;
	SELECT dynamo.create_table('Shop', 'id');
	SET ROLE mallory;
	SELECT dynamo.create_table('Trap', 'id'), dynamo.create_table('Fine', 'id');
} . $CLINGS . q{
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap"
	FOR EACH ROW EXECUTE FUNCTION public.clings()});

sub held
{
	return sql(q{SELECT count(*) FROM pg_stat_activity
		WHERE backend_type = 'dynamo http worker' AND wait_event = 'PgSleep'});
}

# Sockets that listen at our port: 0A is the state.
sub listening
{
	my $hex = sprintf '%04X', port();
	open(my $tcp, '<', '/proc/net/tcp') or die;
	return scalar grep { /^\s*\d+: \w+:$hex \w+:0000 0A / } <$tcp>;
}

# All at once, and more for as long as there is one that could take them.
my @hers = map { send_as($mallory, 'PutItem', put('Trap')) } 1 .. 24;
ok(wait_for(sub { held() == 2 }), 'she gets two workers');

# Alice connects anew each time.  The kernel may give her to a worker that is
# held, until that has been so for more than a second; then she is reset.
my @lost;
foreach my $n (1 .. 60)
{
	my $tries = 1;
	$tries++ while (call_as($alice, 'PutItem', put('Shop'))->{status} // '') ne '200' && $tries < 4;
	push @lost, $n if $tries == 4;
}
is("@lost", '', 'alice is served all along');
is(held(), 2, 'mallory has no more than two');
ok(wait_for(sub { listening() == 2 }), 'those that she holds take no new clients');
my @failed = grep { (call_as($alice, 'PutItem', put('Shop'))->{status} // '') ne '200' } 1 .. 60;
is("@failed", '', 'then each connection of alice is served');

# What is more than her share waits as for a lock, then her SDK is told to try
# again later.
my $hers = IO::Select->new(@hers);
my @got;
wait_for(
	sub {
		my @ready = $hers->can_read(0);
		$hers->remove(@ready);
		push @got, grep { defined $_->{status} } map { receive($_) } @ready;
		return scalar @got;
	});
cmp_ok(scalar(@got), '>', 0, 'her other requests are answered');
is( join(' ', grep { !/^400 .*#ThrottlingException"/ } map { "$_->{status} $_->{body}" } @got),
	'', 'with ThrottlingException');
is($got[0]{body},
	'{"__type":"com.amazon.coral.availability#ThrottlingException","message":"The request was denied due to request throttling."}',
	'in the words of the service');

# What she holds ends; then she has her share again.
sql(q{
	CREATE OR REPLACE FUNCTION public.clings() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN RETURN new; END';
	SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
ok(wait_for(sub { (call_as($mallory, 'PutItem', put('Fine'))->{status} // '') eq '200' }), 'when they end, she is served');
ok(wait_for(sub { listening() == 4 }), 'and four workers take clients');

# Without a limit she may have all; then one goes on to take clients, who wait.
sql(q{ALTER SYSTEM SET dynamo.http_workers_per_role = 0; SELECT pg_reload_conf()});
sql(q{CREATE OR REPLACE FUNCTION public.clings() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN PERFORM pg_sleep(100); RETURN new; END'});
# Such work is refused for as long as what was ended has cost.
ok(wait_for(sub { push @hers, send_as($mallory, 'PutItem', put('Trap')); sleep 1; return held() == 4; }, 600), 'without a limit she gets all');
ok(wait_for(sub { listening() == 1 }), 'one of them');
sleep 1;
is(listening(), 1, 'goes on to take clients');

done_testing();

# The attacker is a tenant: mallory has a key, may make tables, and owns one
# whose trigger catches every cancel and goes on.  She wants all workers, so
# that nobody else is served.
#
# Without a limit she gets them, for as long as a request may take and some
# grace; then they are ended, others come, and she is refused.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 4\n"
	  . "dynamo.grace_period = 1s\n");
my $mallory = tenant('mallory');
my $alice = tenant('alice');
my $started = sql('SELECT pg_postmaster_start_time()');

sub put { return qq({"TableName":"$_[0]","Item":{"id":{"S":"a"}}}) }
sub get { return qq({"TableName":"$_[0]","Key":{"id":{"S":"a"}}}) }
sub status { return call_as(@_)->{status} // 'closed' }

sub create_table
{
	my ($who, $table) = @_;
	return call_as($who, 'CreateTable', qq({"TableName":"$table","BillingMode":"PAY_PER_REQUEST",)
		  . '"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],'
		  . '"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}')->{status};
}

is(create_table($mallory, $_), 200, "mallory makes $_") foreach qw(Trap Trap2 Trap3 Trap4 Fine);
is(create_table($alice, 'Shop'), 200, 'alice makes Shop');
sql(q{
	GRANT CREATE ON SCHEMA public TO mallory;
	SET ROLE mallory;
	GRANT SELECT ON dynamo_data."Trap" TO alice;
	CREATE FUNCTION public.clings() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		-- This table is not to blame.
		PERFORM dynamo.get_item('Fine', '{"id": "a"}');
		LOOP
			BEGIN
				PERFORM pg_sleep(100);
			EXCEPTION WHEN query_canceled THEN
				NULL;
			END;
		END LOOP;
	END $$;
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap"
	FOR EACH ROW EXECUTE FUNCTION public.clings();
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap2"
	FOR EACH ROW EXECUTE FUNCTION public.clings();
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap3"
	FOR EACH ROW EXECUTE FUNCTION public.clings();
	CREATE TRIGGER clings BEFORE INSERT ON dynamo_data."Trap4"
	FOR EACH ROW EXECUTE FUNCTION public.clings()});

# Long enough for requests that do nothing wrong, and to have all workers at a time.
set('dynamo.http_request_timeout', '2s');

# She sends until all are hers.  The kernel gives connections to workers, and she has
# three seconds, as the first that is held is ended then: so many leave none of the
# four out, be they sent once or ten times.
my @before = worker_pids();
my @hers;
my $held = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http worker' AND wait_event = 'PgSleep'};
ok( wait_for(
		sub {
			push @hers, send_as($mallory, 'PutItem', put('Trap')) foreach 1 .. 30;
			return sql($held) eq '4';
		}),
	'all workers are at her requests');

ok(wait_for(sub { status($alice, 'PutItem', put('Shop')) eq '200' }), 'alice is served again');
ok(reported(qr/WARNING:  57014: dynamo had to end a worker that could not be cancelled: PutItem of table "Trap"/),
	'the log names operation and table');
ok(reported(qr/DETAIL:  Process \d+ in database "postgres", for role "mallory"/), 'and the role');
ok(log_has(qr/PL\/pgSQL function clings\(\) line 7/), 'and the function');
my @got = grep { ($_->{status} // '') eq '200' } map { receive($_) } @hers;
is(scalar(@got), 0, 'her own requests came to nothing');
my %before = map { $_ => 1 } @before;
ok(wait_for(sub { my @now = worker_pids(); @now == 4 && !grep { $before{$_} } @now }), 'four other workers are there');

# The connections that she has left may be read still, and be refused.
is(status($mallory, 'PutItem', put('Fine')), 200, 'her other tables are served');
is(status($alice, 'GetItem', get('Trap')), 200, 'and others at that table');

# She tries again.  When it is tried for her, it costs her twice the time.
my $r;
ok(wait_for(sub { $r = call_as($mallory, 'PutItem', put('Trap')); !defined $r->{status} }), 'in time she may try again');
ok(reported(qr/HINT:  Such work is refused for (?:[5-9]|\d\d+) s\./), 'which takes her longer out');
$r = call_as($mallory, 'GetItem', get('Trap'));
is($r->{status}, 503, 'what she asks of that table is refused meanwhile');
is($r->{body}, '{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"The service is temporarily unavailable."}',
	'in a way that clients try again later');
sql('DROP TRIGGER clings ON dynamo_data."Trap"');
ok(wait_for(sub { status($mallory, 'PutItem', put('Trap')) eq '200' }), 'and served later, when it is mended');

# With three tables of this kind she is refused at all.  It takes some tries
# until three are refused at the same time: of requests that come to the same
# worker the second is not executed when it ends.
ok( wait_for(
		sub {
			receive($_) foreach map { send_as($mallory, 'PutItem', put("Trap$_")) } 2 .. 4;
			return status($mallory, 'GetItem', get('Fine')) eq '503';
		}, 300),
	'who goes on like this at other tables is refused at all');
is(status($alice, 'PutItem', put('Shop')), '200', 'and nobody else is');
is(sql('SELECT pg_postmaster_start_time()'), $started, 'the server has never stopped');

done_testing();

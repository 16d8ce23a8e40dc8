# Somebody sets the clock while requests are served. Set on, each request whose body was
# under way was closed, since its time seemed to be over. Set back, one that waited for
# its turn waited for as long as that, and was not even told that it was in vain.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Clock;
use HttpClient;

my $PATIENCE = 120;
local $SIG{PIPE} = 'IGNORE';

with_clock(sub {
	start_server("dynamo.http_workers = 2\ndynamo.http_workers_per_role = 1\ndynamo.http_long_workers = 0\ndynamo.http_request_timeout = 0\n"
		  . "dynamo.ttl_interval = 0\nautovacuum = off\nauthentication_timeout = 100s\n");
});
my $mallory = tenant('mallory');
sql(q{SET ROLE mallory; SELECT dynamo.create_table('Shop', 'id')});

sub put { my ($id, $table) = @_; $table //= 'Shop'; return qq({"TableName":"$table","Item":{"id":{"S":"$id"}}}) }

# Set on: the server has the head, as it says, and waits for the body.  (A signature is
# good for five minutes.)
my $body = put('slow');
my $slow = connection();
my %head = %{ signed_head('PutItem', $body, %$mallory) };
print $slow "POST / HTTP/1.1\r\n", map({ "$_: $head{$_}\r\n" } grep { !/^(?:content-length|host|content-type|x-amz-target)$/i } keys %head),
  'Host: 127.0.0.1:' . port() . "\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
  . 'Content-Length: ' . length($body) . "\r\nExpect: 100-continue\r\n\r\n";
$slow->flush;
like(scalar <$slow>, qr/^HTTP\/1\.1 100 /, 'a request is under way');
<$slow>;
set_clock(200);
is(call_as($mallory, 'PutItem', put($_))->{status}, 200, 'another is answered, the clock was set on') foreach 1 .. 8;
print $slow $body;
$slow->flush;
is(receive($slow, $PATIENCE)->{status}, 200, 'and so is the one that takes longer');
set_clock(0);

# Set back: who has as many workers as a role may have waits, and is told after a while
# that it was in vain.  (Where a request waits for a lock, the server's own clock counts.)
sql(q{GRANT CREATE ON SCHEMA public TO mallory;
	SET ROLE mallory;
	SELECT dynamo.create_table('Slow', 'id');
	CREATE FUNCTION public.sleeps() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN new; END';
	CREATE TRIGGER sleeps BEFORE INSERT ON dynamo_data."Slow" FOR EACH ROW EXECUTE FUNCTION public.sleeps()});
my @hers = map { send_as($mallory, 'PutItem', put($_, 'Slow')) } 1 .. 24;
ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.stat_activity WHERE parked_requests > 0}) ne '0' }, $PATIENCE), 'requests wait');
foreach my $seconds (120, 240)
{
	set_clock(-$seconds);
	sleep 0.3;
}
my $select = IO::Select->new(@hers);
my @got;
wait_for(sub {
	my @ready = $select->can_read(0);
	$select->remove(@ready);
	push @got, grep { defined $_->{status} } map { receive($_) } @ready;
	return scalar @got;
}, $PATIENCE);
like($got[0]{body}, qr/#ThrottlingException"/, 'and are answered, the clock was set back');
done_testing();

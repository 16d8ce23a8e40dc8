# An error of another node is raised here as it was there: with its SQLSTATE,
# detail, hint and what it names, for who asks by SQL, and as the same answer for
# who asks by HTTP.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient qw(wait_for);

my $definition = '"BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]';
my $request = qq({"TableName":"Refused",$definition});

# All that psql knows of an error, but where in the source it was raised, and
# the way from there.
sub by_sql
{
	my ($node) = @_;
	my $text = node($node, "SET statement_timeout = '60s';\n\\set VERBOSITY verbose\nSELECT dynamo.call('CreateTable', '$request');");
	$text =~ s/^psql:\S+ //;
	return $text =~ s/\n(?:LOCATION|CONTEXT):.*//sr;
}

sub by_http
{
	my ($node) = @_;
	my $answer = at($node, 'CreateTable', $request);
	return "$answer->{status} $answer->{body}";
}

authenticate('trust');
foreach my $node (0, 1)
{
	ok(wait_for(sub { (at($node, q{ListTables}, q({}))->{status} // 0) == 200 }), "node $node: served");
}

# Only the coordinator refuses.
my %refusals = (
	'what a user has made' => [ q{ERRCODE = 'UX001', DETAIL = 'Every detail.', HINT = 'Ask somebody else.'}, qr/^400 .*ValidationException/ ],
	'a constraint' => [ q{ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'rules', CONSTRAINT = 'be_short'}, qr/^400 .*Constraint be_short is violated/ ],
	'a missing privilege' => [ q{ERRCODE = 'insufficient_privilege'}, qr/^400 .*AccessDeniedException.*table\/Refused/ ],
	'a lost race' => [ q{ERRCODE = 'lock_not_available'}, qr/^400 .*ResourceInUseException/ ],
	'a fault' => [ q{ERRCODE = 'disk_full'}, qr/^500 .*InternalServerError/ ],
	'an exception' => [ q{ERRCODE = 'ND004'}, qr/^400 .*Every word/ ],
	'an exception with members' =>
	  [ q{ERRCODE = 'ND009', DETAIL = '{"CancellationReasons":[{"Code":"None"}]}'}, qr/^400 .*"CancellationReasons":\[\{"Code":"None"\}\]/ ]);
foreach my $name (sort keys %refusals)
{
	my ($using, $answer) = @{ $refusals{$name} };
	my $made = node(0, qq{SET citus.enable_ddl_propagation = off;
		CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS \$\$
		BEGIN RAISE EXCEPTION 'Every word' USING $using; END \$\$;
		CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.refuse()});
	is($made, '', "$name: an event trigger");
	my ($sql, $http) = (by_sql(0), by_http(0));
	like($sql, qr/Every word/, 'the coordinator refuses');
	like($http, $answer, 'and answers');
	is(by_sql(1), $sql, 'a worker raises the same');
	is(by_http(1), $http, 'and answers the same');
	node(0, q{SET citus.enable_ddl_propagation = off; DROP EVENT TRIGGER refuse; DROP FUNCTION public.refuse()});
}

# A worker has connections to a node that was started again.  Citus notices that when
# it commits, and raises an internal error: the answer was 500.
sub enable
{
	my ($on) = @_;
	my $stream = $on ? '{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}' : '{"StreamEnabled":false}';
	return at(0, 'UpdateTable', qq({"TableName":"Started","StreamSpecification":$stream}));
}
is(at(0, 'CreateTable', qq({"TableName":"Started",$definition}))->{status}, 200, 'a table');
is(enable($_)->{status}, 200, 'every worker has been at all nodes') for 1, 0, 1, 0;

# While the node is gone, who asks for what it has is to try again, and the log says
# which table that was and why.
node(0, q{SELECT FROM generate_series(1, 20) AS i, dynamo.put_item('Started', jsonb_build_object('id', 'k' || i)::dynamo.item)});
my ($far) = keys_of(2, 'Started');
ok(defined $far, 'node 2 has items') or $far = 'none';
ok(halt(2), 'it is gone');
my @ends = log_ends();
like(answer(1, 'GetItem', qq({"TableName":"Started","Key":{"id":{"S":"$far"}}})), qr/^503 .*ServiceUnavailable/, 'who asks node 1 by HTTP is to try again');
like(logged(@ends), qr/LOG: .*dynamo cannot reach node \S+:\d+ as role "/, '... and the log says which node');
my %statements = (
	'reads an item' => qq{SELECT * FROM dynamo.get_item('Started', '$far')},
	'writes one' => qq{SELECT * FROM dynamo.put_item('Started', '{"id": "$far", "n": 1}')},
	'queries' => qq{SELECT * FROM dynamo.query('Started', 'id = :k', '{":k": "$far"}')},
	'scans' => q{SELECT * FROM dynamo.scan('Started')});
foreach my $what (sort keys %statements)
{
	@ends = log_ends();
	my $said = node(1, "SET statement_timeout = '60s';\n$statements{$what};");
	like($said, qr/ERROR:  The service is temporarily unavailable\./, "who $what at node 1 is to try again");
	like(logged(@ends), qr/LOG: .*dynamo cannot reach all nodes of table "Started"\n(?:.*\n)?.*DETAIL: .*connection/, '... and the log says why');
}
ok(restart(2), 'it comes back');
my @answers = map { enable(1) } 1 .. 6;
is((grep { $_->{status} == 500 } @answers), 0, 'no answer is an internal error');
is((grep { $_->{status} == 503 && $_->{body} =~ /ServiceUnavailable/ } @answers) > 0, 1, 'but what an SDK repeats');
is($answers[-1]{body} =~ /already has an enabled stream/ || $answers[-1]{status} == 200, 1, 'and then succeeds') or diag($answers[-1]{body});
node(0, q{SELECT dynamo.drop_table('Started')});

authenticate('DEFAULT');

done_testing();

# Operations of ours for those who watch, by HTTP: what is counted of requests, hot keys,
# workers, and a plan for which the policies of the client's own address count.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_workers = 2\ndynamo.ttl_interval = 0\n");
sql('CREATE EXTENSION dynamo');
my $owner = tenant('owner');
my $writer = tenant('writer');
my $watcher = tenant('watcher');
sql('GRANT pg_monitor TO watcher');

# The answer as JSON; of an error the last word of its type.
sub ask_ours
{
	my ($key, $operation, %request) = @_;
	my $ours = $operation =~ /^(?:Describe(?:HotKeys|Plan|Statistics)|ListWorkers|ListJobs)$/ ? 'Dynamo_20261201.' : '';
	my $answer = call_as($key, "$ours$operation", encode_json(\%request));
	my $json = decode_json($answer->{body});
	return $answer->{status} == 200 ? $json : $json->{__type} =~ s/.*#//r;
}
my %id = map { $_ => { id => { S => $_ } } } qw(hot cold);
ok(ref ask_ours($owner, 'CreateTable', TableName => 'Watched', BillingMode => 'PAY_PER_REQUEST',
	KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ],
	AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(id g) ],
	GlobalSecondaryIndexes => [ { IndexName => 'ByG', Projection => { ProjectionType => 'ALL' },
		KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ] } ]), 'a table');
ask_ours($owner, 'UpdateContributorInsights', TableName => 'Watched', ContributorInsightsAction => 'ENABLE');
sql('GRANT INSERT, UPDATE ON dynamo_data."Watched" TO writer');

# Requests of which all is known.
ask_ours($owner, 'PutItem', TableName => 'Watched', Item => { %{ $id{$_} }, g => { S => 'all' } }) foreach qw(hot cold);
ask_ours($owner, 'GetItem', TableName => 'Watched', Key => $id{hot}) foreach 1 .. 10;
is(ask_ours($owner, 'PutItem', TableName => 'Watched', Item => $id{hot}, ConditionExpression => 'attribute_not_exists(id)'),
	'ConditionalCheckFailedException', 'a condition fails');
ask_ours($owner, 'Query', TableName => 'Watched', IndexName => 'ByG', KeyConditionExpression => 'g = :g', ExpressionAttributeValues => { ':g' => { S => 'all' } });

my $told = ask_ours($owner, 'DescribeStatistics', TableName => 'Watched');
my %of = map { $_->{Operation} => $_ } @{ $told->{Operations} };
is_deeply([ map { $of{GetItem}{$_} } qw(Requests Successes UserErrors ItemsReturned ReadUnits WriteUnits) ], [ 10, 10, 0, 10, 5, 0 ], 'ten reads are counted');
is_deeply([ map { $of{PutItem}{$_} } qw(Requests Successes ConditionFailures WriteUnits) ], [ 3, 2, 1, 5 ], 'writes, and the one that failed, with units of the index');
my ($count, $last, $rising) = (0, 0, 1);
foreach my $bucket (@{ $of{GetItem}{Latencies} })
{
	$rising &&= ($bucket->{Milliseconds} // 1e9) > $last;
	$last = $bucket->{Milliseconds} // 1e9;
	$count += $bucket->{Requests};
}
is("$count $rising", '10 1', 'each is in a bucket of latencies, in order');
is_deeply([ map { "$_->{IndexName} $_->{Reads} $_->{ItemsReturned}" } @{ $told->{Indexes} } ], ['ByG 1 2'], 'the index by itself');
like($told->{Since}, qr/^\d+/, 'since when');

# What is done without a request.
ask_ours($owner, 'UpdateTimeToLive', TableName => 'Watched', TimeToLiveSpecification => { Enabled => JSON::PP::true, AttributeName => 'ttl' });
ask_ours($owner, 'PutItem', TableName => 'Watched', Item => { id => { S => 'gone' }, ttl => { N => '' . (time() - 9) } });
# Its index is built after the answer that enables it.
ok(wait_for(sub { sql(q{SELECT dynamo.expire_items('Watched')}) eq '1' }), 'it is deleted');
$told = ask_ours($owner, 'DescribeStatistics', TableName => 'Watched');
is_deeply([ @$told{qw(TimeToLiveDeletions StreamRecords)} ], [ 1, 0 ], 'an item that has expired');

# One that may write, and not read, learns nothing that depends on items.
$told = ask_ours($writer, 'DescribeStatistics', TableName => 'Watched');
is(scalar(grep { exists $_->{WriteUnits} } @{ $told->{Operations} }, @{ $told->{Indexes} }), 0, 'no units of writes for a role without SELECT');
ok(!exists $told->{StreamRecords} && !exists $told->{TimeToLiveDeletions}, '... and no records');

# Hot keys
my ($hottest) = grep { $_->{Event} eq 'accessed' } @{ ask_ours($owner, 'DescribeHotKeys', TableName => 'Watched')->{Keys} };
is_deeply($hottest, { Event => 'accessed', PartitionKey => { S => 'hot' }, Requests => 12, Error => 0 }, 'the key that is asked for most comes first');
is(ask_ours($writer, 'DescribeHotKeys', TableName => 'Watched'), 'AccessDeniedException', 'keys are for those who may read the table');
is(ask_ours($watcher, 'DescribeHotKeys', TableName => 'Watched'), 'AccessDeniedException', '... not for those who see all statistics');

# Workers are for those who see all statistics.
my $workers = ask_ours($watcher, 'ListWorkers')->{Workers};
cmp_ok(scalar(grep { $_->{Kind} eq 'http' && $_->{Database} eq 'postgres' } @$workers), '>=', 2, 'those that serve HTTP');
is(ask_ours($owner, 'ListWorkers'), 'AccessDeniedException', '... and for nobody else');
is(run('psql -X -At -U watcher -c "SELECT count(*) >= 2 FROM dynamo.stat_workers WHERE kind = \'http\'"'), 't', 'by SQL, too');

# Policies of the plan see the client as the request itself would.
my @plan = (DescribePlan => Operation => 'Query', Request => encode_json({ TableName => 'Watched', IndexName => 'ByG',
	KeyConditionExpression => 'g = :g', ExpressionAttributeValues => { ':g' => { S => 'all' } } }));
my $step = ask_ours($owner, @plan)->{Steps}[0];
is("$step->{Action} $step->{IndexName} $step->{Access}", 'Query ByG range', 'a plan');
my %request = %{ decode_json($plan[4]) };
foreach my $try (
	[ IpAddress => { 'aws:SourceIp' => '127.0.0.1/32' }, 'HASH' ], [ IpAddress => { 'aws:SourceIp' => '192.0.2.0/24' }, '' ],
	[ Bool => { 'aws:SecureTransport' => 'false' }, 'HASH' ], [ Bool => { 'aws:SecureTransport' => 'true' }, '' ])
{
	my ($kind, $what, $answer) = @$try;
	my $policy = encode_json({ Version => '2012-10-17', Statement => [ { Effect => 'Allow', Action => 'dynamodb:Query', Resource => '*',
		Condition => { $kind => $what } } ] });
	sql("SELECT dynamo.put_role_policy('owner', 'place', \$\$$policy\$\$)");
	is(ref ask_ours($owner, Query => %request), $answer, "the request itself, if " . encode_json($what));
	is(ref ask_ours($owner, @plan), $answer, '... and its plan');
}

# By HTTPS the plan is asked for by HTTPS, too.
my $data = directory() . '/data';
as_server_user('sh', '-c', "cd $data && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout tls.key -out tls.crt -subj /CN=one >/dev/null 2>&1 && chmod 600 tls.key") or die;
sql("ALTER SYSTEM SET dynamo.http_tls_cert_file = 'tls.crt'; ALTER SYSTEM SET dynamo.http_tls_key_file = 'tls.key'");
server('halt'); server('restart');
my $tls;
wait_for(sub { $tls = tls_connection() }) or die 'no HTTPS';
my ($operation, @rest) = @plan;
my $body = encode_json({@rest});
is(call_as($owner, 'Dynamo_20261201.DescribePlan', $body, $tls)->{status}, 200, 'a policy that wants HTTPS lets the plan of a request by HTTPS');
is(sql("SET ROLE owner; SELECT dynamo.try_call('DescribePlan', \$\$$body\$\$) ->> '__type' IS NULL"), 'f', '... and refuses it to a session without');

# Another target's name for it is none of the service.
my $answer = call_as($watcher, 'ListWorkers', '{}', tls_connection());
is($answer->{status}, 400, 'DynamoDB has no such operation');

done_testing();

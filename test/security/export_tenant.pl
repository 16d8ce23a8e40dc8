# Attacker: a tenant whom a policy, or grants of leading keys, hold to his
# partition keys in a table that he shares with others. He may export.
# Wants: items, attributes or changes of others in the files of an export.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/App';
my $json = JSON::PP->new->canonical;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 0");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/files") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE tenants;
	CREATE ROLE acme LOGIN IN ROLE tenants;
	CREATE ROLE operator LOGIN;
	CREATE ROLE granted LOGIN;
	SELECT dynamo.grant_bucket('files', 'tenants');
	SELECT dynamo.grant_bucket('files', 'operator');
	SELECT dynamo.grant_bucket('files', 'granted');
	SELECT dynamo.create_table('App', 'pk', 'sk');
	SELECT dynamo.create_index('App', 'by_v', 'v');
	SELECT dynamo.enable_recovery('App');
	GRANT SELECT ON dynamo_data."App" TO tenants, operator, granted;
	UPDATE dynamo.tables SET created_at = created_at - interval '1 day' WHERE table_name = 'App';
	SELECT dynamo.put_item('App', '{"pk": "ACME", "sk": "1", "v": "own 1", "w": "own hidden"}');
	SELECT dynamo.put_item('App', '{"pk": "ACME", "sk": "2", "v": "own 2"}');
	SELECT dynamo.put_item('App', '{"pk": "ACMEX", "sk": "1", "v": "secret", "owner": "ACME"}');
	SELECT dynamo.put_item('App', '{"pk": "BETA", "sk": "ACME", "v": "secret", "owner": "ACME"}');
	SELECT dynamo.put_item('App', '{"pk": "acme", "sk": "1", "v": "secret"}');
	SELECT dynamo.put_item('App', '{"pk": "*", "sk": "1", "v": "secret"}')});
my $before = sql('SELECT dynamo.mark_recovery()');
sql(q{
	SELECT dynamo.put_item('App', '{"pk": "ACME", "sk": "3", "v": "own 3"}');
	SELECT dynamo.put_item('App', '{"pk": "BETA", "sk": "3", "v": "secret"}');
	SELECT dynamo.delete_item('App', '{"pk": "BETA", "sk": "ACME"}')});
my $after = sql('SELECT dynamo.mark_recovery()');
my %key = map { $_ => new_key($_) } qw(acme operator granted);
wait_for(sub { connection() }) or die 'nothing is served';

sub policy
{
	my (@statements) = @_;
	my $document = $json->encode({ Version => '2012-10-17', Statement => \@statements });
	sql("SELECT dynamo.put_role_policy('tenants', 'own', \$p\$$document\$p\$)");
	return;
}

sub hold_to_keys
{
	my ($operator, @more) = @_;
	policy({ Effect => 'Allow', Action => 'dynamodb:*', Resource => '*', Condition => { $operator => { 'dynamodb:LeadingKeys' => ['ACME'] } } }, @more);
	return;
}

# The answer to an operation, and its status.
sub ask_as
{
	my ($who, $operation, $request) = @_;
	my $answer = call_as($key{$who}, $operation, ref $request ? $json->encode($request) : $request);
	return ($answer->{status}, decode_json($answer->{body}));
}

# The sort of refusal, or what the files of the export have.
sub export_as
{
	my ($who, $filter, $more) = @_;
	my $request = ref $filter eq 'SCALAR' ? $$filter :
	  { TableArn => $ARN, S3Bucket => 'files', %{ $more || {} }, $filter ? (FilterSpecification => $filter) : () };
	my ($status, $answer) = ask_as($who, 'ExportTableToPointInTime', $request);
	return (split /#/, $answer->{__type})[1] if $status != 200;
	return exported($answer->{ExportDescription}{ExportArn});
}

sub exported
{
	my ($arn) = @_;
	sql('CALL dynamo.run_jobs()');
	my ($id) = $arn =~ m{/export/(.*)};
	my $status = sql("SELECT concat_ws(' ', status, failure_code) FROM dynamo.jobs WHERE job = '$id'");
	return $status if $status ne 'COMPLETED';
	my $files = run("cd $buckets/files && sed 's/.*dataFileS3Key.:.//; s/\".*//' AWSDynamoDB/$id/manifest-files.json | xargs zcat");
	return join ', ', sort $files =~ /"v":\{"S":"([^"]*)"/g;
}

# A filter by a key condition, with values of strings.
sub keyed
{
	my ($condition, %values) = @_;
	my %filter = (KeyConditionExpression => $condition,
		ExpressionAttributeValues => { map { (":$_" => { S => $values{$_} }) } grep { $_ ne 'more' } keys %values });
	return { %filter, %{ $values{more} || {} } };
}

my $DENIED = 'AccessDeniedException';
my $INVALID = 'ValidationException';
my %own = (k => 'ACME');
my $own = keyed('pk = :k', %own);
my $ways = 0;

sub refused
{
	my ($got, $expected, $name) = @_;
	$ways++;
	is($got, $expected, "refused: $name");
	return;
}

# -- What he may do ----------------------------------------------------------

hold_to_keys('ForAllValues:StringEquals');
is(export_as('acme', $own), 'own 1, own 2, own 3', 'he exports his own partition');
is(export_as('acme', keyed('pk = :k AND sk > :s', %own, s => '1')), 'own 2, own 3', 'and a part of it');
is(export_as('operator', undef), 'own 1, own 2, own 3, secret, secret, secret, secret', 'another may export everything');

# -- Other keys, or none -----------------------------------------------------

foreach my $operator ('ForAllValues:StringEquals', 'StringEquals', 'ForAnyValue:StringEquals', 'ForAllValues:StringLike', 'StringEqualsIfExists')
{
	hold_to_keys($operator);
	refused(export_as('acme', undef), $DENIED, "no filter ($operator)");
	refused(export_as('acme', keyed('pk = :k', k => 'BETA')), $DENIED, "another's key ($operator)");
}
refused(export_as('acme', { FilterExpression => 'pk = :k', ExpressionAttributeValues => { ':k' => { S => 'ACME' } } }), $DENIED, 'his key in the filter, where it confines nothing');
refused(export_as('acme', { ProjectionExpression => 'v' }), $DENIED, 'a projection alone');
refused(export_as('acme', { ProjectionExpression => 'v', FilterExpression => 'v <> :v', ExpressionAttributeValues => { ':v' => { S => '' } } }), $DENIED, 'a filter and a projection');
refused(export_as('acme', {}), $INVALID, 'an empty filter');
refused(export_as('acme', { KeyConditionExpression => undef, ProjectionExpression => 'v' }), $DENIED, 'a key condition that is null');
refused(export_as('acme', keyed('pk = :k OR pk = :b', %own, b => 'BETA')), $INVALID, 'his key or another');
refused(export_as('acme', keyed('pk = :k AND pk = :b', %own, b => 'BETA')), $INVALID, 'two keys');
refused(export_as('acme', keyed('pk = :b AND sk = :k', %own, b => 'BETA')), $DENIED, 'his name as the sort key of another');
refused(export_as('acme', keyed('#o = :k', %own, more => { ExpressionAttributeNames => { '#o' => 'owner' } })), $INVALID, 'his name in an attribute that is no key');
refused(export_as('acme', keyed('begins_with(pk, :k)', %own)), $INVALID, 'keys that begin with his');
refused(export_as('acme', keyed('pk >= :k', %own)), $INVALID, 'keys from his on');
refused(export_as('acme', keyed('pk BETWEEN :k AND :b', %own, b => 'Z')), $INVALID, 'a range of keys');
refused(export_as('acme', keyed('NOT pk = :k', %own)), $INVALID, 'all but his');
refused(export_as('acme', keyed('pk = :k', k => 'acme')), $DENIED, 'his key in small letters');
refused(export_as('acme', keyed('pk = :k', k => '*')), $DENIED, 'a key that looks like a pattern');
refused(export_as('acme', { KeyConditionExpression => 'pk = :k', ExpressionAttributeValues => { ':k' => { B => 'QUNNRQ==' } } }), $INVALID, 'his key as bytes');
refused(export_as('acme', keyed('pk = :k', k => "ACME\0")), $DENIED, 'his key and a NUL');

# Members that come twice: what is checked is what is done.
my $b = '"KeyConditionExpression":"pk = :k","ExpressionAttributeValues":{":k":{"S":"BETA"}}';
(my $a = $b) =~ s/BETA/ACME/;
my $head = qq({"TableArn":"$ARN","S3Bucket":"files",);
foreach my $twice (qq("FilterSpecification":{$a},"FilterSpecification":{$b}), qq("FilterSpecification":{$a,$b}),
	qq("FilterSpecification":{"KeyConditionExpression":"pk = :k","ExpressionAttributeValues":{":k":{"S":"ACME"},":k":{"S":"BETA"}}}))
{
	refused(export_as('acme', \"$head$twice}"), $DENIED, 'a member twice, his own first');
	(my $reversed = $twice) =~ s/ACME/swap/g;
	$reversed =~ s/BETA/ACME/g;
	$reversed =~ s/swap/BETA/g;
	$ways++;
	is(export_as('acme', \"$head$reversed}"), 'own 1, own 2, own 3', 'a member twice, his own last, gives his own');
}

# -- Other times, and changes ------------------------------------------------

my ($from, $to) = map { sql("SELECT extract(epoch FROM timestamptz '$_')") } $before, $after;
refused(export_as('acme', keyed('pk = :k', k => 'BETA'), { ExportTime => 0 + $from }), $DENIED, 'another\'s key, as of a time');
refused(export_as('acme', undef, { ExportTime => 0 + $from }), $DENIED, 'everything as of a time');
is(export_as('acme', $own, { ExportTime => 0 + $from }), 'own 1, own 2', 'his own as of a time');
my %changes = (ExportType => 'INCREMENTAL_EXPORT', IncrementalExportSpecification => { ExportFromTime => $from - 1000, ExportToTime => 0 + $to });
refused(export_as('acme', undef, \%changes), $DENIED, 'all changes');
refused(export_as('acme', keyed('pk = :k', k => 'BETA'), \%changes), $DENIED, 'changes of another');

# -- Other names of the table, and exports of others --------------------------

foreach my $arn ("$ARN/index/by_v", "$ARN/stream/2026-01-01T00:00:00.000", 'arn:aws:dynamodb:us-east-1:000000000001:table/App', 'arn:aws:dynamodb:us-east-1:000000000000:table/app', 'App')
{
	my ($status, $answer) = ask_as('acme', 'ExportTableToPointInTime', { TableArn => $arn, S3Bucket => 'files' });
	refused($status, 400, "the table as $arn");
}
my ($status, $answer) = ask_as('operator', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files', ClientToken => 'theirs' });
my $theirs = $answer->{ExportDescription}{ExportArn};
refused((ask_as('acme', 'DescribeExport', { ExportArn => $theirs }))[0], 400, 'the description of another\'s export');
refused(export_as('acme', undef, { ClientToken => 'theirs' }), $DENIED, 'another\'s token');
(undef, $answer) = ask_as('acme', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files', ClientToken => 'theirs', FilterSpecification => $own });
my $mine = $answer->{ExportDescription}{ExportArn};
$ways++;
isnt($mine, $theirs, 'another\'s token, for his own, is another export');
refused(export_as('acme', keyed('pk = :k', k => 'BETA'), { ClientToken => 'theirs' }), $DENIED, 'another key by the token of his own');
refused(export_as('acme', keyed('pk = :k AND sk > :k', %own), { ClientToken => 'theirs' }), 'ExportConflictException', 'another part by the token of his own');
(undef, $answer) = ask_as('acme', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files', ClientToken => 'theirs', FilterSpecification => $own });
is($answer->{ExportDescription}{ExportArn}, $mine, 'his own token, for the same, is the same export');
is(exported($mine), 'own 1, own 2, own 3', 'which is of his own');

# -- Between request and work --------------------------------------------------

(undef, $answer) = ask_as('acme', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files', FilterSpecification => $own });
hold_to_keys('ForAllValues:StringEquals', { Effect => 'Deny', Action => 'dynamodb:ExportTableToPointInTime', Resource => '*' });
refused(exported($answer->{ExportDescription}{ExportArn}), 'FAILED AccessDeniedException', 'the policy has changed since');
hold_to_keys('ForAllValues:StringEquals', { Effect => 'Allow', Action => 'dynamodb:ExportTableToPointInTime', Resource => '*', Condition => { IpAddress => { 'aws:SourceIp' => '10.0.0.0/8' } } });
refused(export_as('acme', undef), $DENIED, 'everything, from an address that it is not allowed from');

# -- A policy that denies ------------------------------------------------------

policy({ Effect => 'Allow', Action => 'dynamodb:*', Resource => '*' },
	{ Effect => 'Deny', Action => 'dynamodb:*', Resource => '*', Condition => { 'ForAnyValue:StringNotEquals' => { 'dynamodb:LeadingKeys' => ['ACME'] } } });
refused(export_as('acme', undef), $DENIED, 'everything, where a Deny names keys');
refused(export_as('acme', { FilterExpression => 'pk = :k', ExpressionAttributeValues => { ':k' => { S => 'ACME' } } }), $DENIED, 'a filter, where a Deny names keys');
is(export_as('acme', $own), 'own 1, own 2, own 3', 'his own, where a Deny names keys');

# -- Attributes ----------------------------------------------------------------

policy({ Effect => 'Allow', Action => 'dynamodb:*', Resource => '*', Condition => { 'ForAllValues:StringEquals' => { 'dynamodb:LeadingKeys' => ['ACME'], 'dynamodb:Attributes' => [ 'pk', 'v' ] } } });
refused(export_as('acme', $own), $DENIED, 'all attributes of his own');
refused(export_as('acme', { %$own, ProjectionExpression => 'v, w' }), $DENIED, 'an attribute that he may not see');
refused(export_as('acme', { %$own, ProjectionExpression => 'v', FilterExpression => 'attribute_exists(w)' }), $DENIED, 'a filter on one');
refused(export_as('acme', { ProjectionExpression => 'v' }), $DENIED, 'what he may see of all items');
refused(export_as('acme', { %$own, ProjectionExpression => 'v' }, \%changes), $DENIED, 'changes, which show the sort key');
is(export_as('acme', { %$own, ProjectionExpression => 'v' }), 'own 1, own 2, own 3', 'what he may see of his own');

# -- A policy that is made after he has asked, and before the work begins --------

sql(q{DELETE FROM dynamo.role_policies});
(undef, $answer) = ask_as('acme', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files' });
hold_to_keys('ForAllValues:StringEquals');
refused(exported($answer->{ExportDescription}{ExportArn}), 'FAILED AccessDeniedException', 'a policy was added since');
sql('DELETE FROM dynamo.role_policies');
my $by_sql = sql("SET SESSION AUTHORIZATION acme; SELECT dynamo.export_table('App', 'files')");
hold_to_keys('ForAllValues:StringEquals');
like(exported($by_sql), qr/secret/, 'which does not apply to SQL functions');

# -- The same by SQL, to a role that was granted leading keys -------------------

sql(q{SELECT dynamo.grant_leading_keys('granted', 'App', 'ACME')});
is(export_as('granted', $own), 'own 1, own 2, own 3', 'with grants of keys he exports his own partition');
refused(export_as('granted', undef), $DENIED, 'with grants of keys, everything');
refused(export_as('granted', { FilterExpression => 'pk = :k', ExpressionAttributeValues => { ':k' => { S => 'ACME' } } }), $DENIED, 'with grants of keys, a filter');
refused(export_as('granted', keyed('pk = :k', k => 'BETA')), $DENIED, 'with grants of keys, another\'s');
refused(export_as('granted', $own, { ExportTime => 0 + $from }), $DENIED, 'with grants of keys, the past, which policies say nothing of');
sql(q{CREATE FUNCTION outcome(arguments text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN EXECUTE format('SELECT dynamo.export_table(%s)', arguments); RETURN 'submitted'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$});
foreach my $arguments ('', q{, key_condition_expression => 'pk = :k', expression_attribute_values => '{":k": "BETA"}'}, q{, filter_expression => 'pk = :k', expression_attribute_values => '{":k": "ACME"}'},
	qq{, from_time => '$before', to_time => '$after', key_condition_expression => 'pk = :k', expression_attribute_values => '{":k": "ACME"}'})
{
	refused(sql("SET SESSION AUTHORIZATION granted; SELECT outcome(\$a\$'App', 'files'$arguments\$a\$)") =~ s/.*not authorized to perform: dynamodb:ExportTableToPointInTime.*/denied/sr,
		'denied', "by SQL: $arguments");
}
(undef, $answer) = ask_as('granted', 'ExportTableToPointInTime', { TableArn => $ARN, S3Bucket => 'files', FilterSpecification => $own });
sql(q{SELECT dynamo.revoke_leading_keys('granted', 'App')});
refused(exported($answer->{ExportDescription}{ExportArn}), 'FAILED AccessDeniedException', 'the grant was taken away since');

cmp_ok($ways, '>=', 20, "$ways ways to get more");
is(sql(q{SELECT count(*) FILTER (WHERE status = 'COMPLETED') FROM dynamo.jobs WHERE owner <> 'operator' AND kind = 'EXPORT'}),
	sql(q{SELECT count(*) FROM dynamo.jobs WHERE owner <> 'operator' AND kind = 'EXPORT'}) - 3, 'no other export was begun');
done_testing();

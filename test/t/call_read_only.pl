# Each operation where nothing can be written: on a hot standby, by dynamo.call,
# and on a server whose transactions are read-only, by HTTP.  What reads answers;
# what would write is refused in words of the service that a client tries again
# for, and nothing changes.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;
use Requests;
use Standby;

my $PATIENCE = 120;
start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\nmax_wal_senders = 4\nmax_worker_processes = 16\n");
my $buckets = directory() . '/buckets';
as_server_user('sh', '-c', qq(mkdir -p $buckets/files/none && echo '{"Item":{"id":{"S":"old"}}}' >$buckets/files/none/a.json)) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql('CREATE EXTENSION dynamo; CREATE ROLE alice LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO alice;' . q{SELECT dynamo.grant_bucket('files', 'alice')});
my $alice = new_key('alice');
sql('GRANT pg_read_all_stats TO alice'); # ListWorkers is for those

my $json = JSON::PP->new->canonical;

sub must
{
	my ($operation, $request) = @_;
	my $answer = sql("SET ROLE alice; SELECT dynamo.call('$operation', \$call\$" . $json->encode($request) . '$call$)');
	return eval { decode_json($answer) } || die "$operation: $answer";
}

my %has = make_vault(\&must);
must('PutResourcePolicy', { ResourceArn => $VAULT, Policy => $POLICY });
must('CreateTable', { %TABLE, TableName => 'Mine' });
wait_for(sub { sql(q{SELECT count(*) FROM dynamo.jobs WHERE status = 'IN_PROGRESS'}) eq '0' }, $PATIENCE) or die 'jobs go on';

my %request = requests(%has);
my %named = (
	names_of(%has),
	Statement => [ q{SELECT * FROM "Vault" WHERE id = 'crown'}, q{UPDATE "Vault" SET v = 1 WHERE id = 'crown'},
		q{DELETE FROM "Vault" WHERE id = 'crown'}, q{INSERT INTO "Vault" VALUE {'id': 'new'}} ]);
my @operations = @{ decode_json(sql('SELECT json_agg(o ORDER BY operation) FROM dynamo_internal.operations() o WHERE available')) };
my @tries;
foreach my $operation (@operations)
{
	my $requests = $request{ $operation->{operation} };
	ok($requests, "$operation->{operation} is known here");
	foreach my $request (@{ $requests // [] })
	{
		my $place = place($request, '');
		my @names = $place eq '' ? ('') : @{ $named{$place} };
		push @tries, map { { operation => $operation, text => $json->encode(filled($request, $_)) } } @names;
	}
}

my ($transact) = grep { $_->{operation} eq 'TransactWriteItems' } @operations;
push @tries, { operation => $transact, text => $json->encode({
			ClientRequestToken => 'once', TransactItems => [ { Put => { TableName => 'Vault', Item => $KEY } } ] }) };
cmp_ok(scalar @tries, '>', 100, 'there is much to try');

# An answer, or the SQLSTATE in its place.
sql(q{CREATE FUNCTION public.attempt(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN RETURN dynamo.call(operation, request); EXCEPTION WHEN others THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$});

# What nobody may have changed.
my $state = q{SELECT table_name, settings FROM dynamo.tables ORDER BY 1; SELECT item FROM dynamo_data."Vault";
	SELECT count(*) FROM dynamo.backups; SELECT kind, status, count(*) FROM dynamo.jobs GROUP BY 1, 2 ORDER BY 1, 2;
	SELECT table_name, stream_label, revision_id FROM dynamo.resource_policies ORDER BY 1, 2};

my $UNAVAILABLE = '{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"The service is temporarily unavailable."}';

my $STANDBY = '{"__type":"com.amazon.coral.validate#ValidationException",'
  . '"message":"This server is a standby, which serves eventually consistent reads. Send writes and consistent reads to the primary server."}';

# Is this an answer that a request may get?  "refusal" is that to one that writes;
# "beyond": operations that cannot be served here, though they write nothing.
sub suits
{
	my ($operation, $answer, $refusal, @beyond) = @_;
	return $operation->{writes} || grep { $_ eq $operation->{operation} } @beyond if $answer eq $refusal;
	return $answer =~ /"__type":"\S+#(?:Validation|UnknownOperation|ResourceNotFound|PolicyNotFound|GlobalTableNotFound|TableAlreadyExists|PointInTimeRecoveryUnavailable|InvalidRestoreTime)Exception"/
	  || $answer =~ /^\{/ && $answer !~ /"__type"/;
}

start_standby();
wait_for(sub { there($state) eq sql($state) }, $PATIENCE) or die 'the standby is behind';
foreach my $role (qw(alice postgres))
{
	my $script = join "\n", map { "SELECT dynamo.try_call('$_->{operation}{operation}', \$call\$$_->{text}\$call\$);" } @tries;
	my @answers = split /\n/, there("SET ROLE $role;\n$script");
	my @errors = split /\n/, there("SET ROLE $role;\n" . $script =~ s/dynamo\.try_call/public.attempt/gr);
	is(scalar @answers, scalar @tries, "$role: each has an answer");
	my @wrong;
	foreach my $try (@tries)
	{
		my ($answer, $error) = (shift @answers, shift @errors);
		push @wrong, "$try->{operation}{operation} $try->{text}: $answer, $error"
		  unless suits($try->{operation}, $answer, $STANDBY, 'GetRecords', 'TransactGetItems')
		  && ($answer eq $STANDBY ? $error =~ /^25006 / : $answer =~ /"__type"/ ? $error =~ /^ND/ : $error =~ /^\{/);
	}
	is(join("\n", @wrong), '', "$role: what reads is answered, what writes is refused, and SQL says why");
}

# SQL functions, too: keys of roles were an internal error there.
my @functions = (q{create_access_key('alice')}, qq{update_access_key('$alice->{key}', comment => 'x')}, qq{drop_access_key('$alice->{key}')},
	q{create_table('Other', 'id')}, q{drop_table('Vault')}, q{put_item('Vault', '{"id": "a"}')}, q{create_backup('Vault', 'another')},
	q{enable_ttl('Vault', 't')}, q{enable_recovery('Mine')}, q{mark_recovery()}, q{grant_bucket('files', 'postgres')}, q{put_role_policy('alice', 'p', '{"Statement": []}')},
	q{export_table('Vault', 'files')}, q{import_table('Other', 'files', 'id')});
is(there(join "\n", '\set VERBOSITY sqlstate', map { "SELECT dynamo.$_;" } @functions),
	join("\n", ('ERROR:  25006') x @functions), 'functions are refused as other writes are');
unlike(standby_log(), qr/ERROR:  XX|TRAP:|was terminated by signal/, 'and no error is internal');
sql(q{SELECT dynamo.put_item('Vault', '{"id": "later"}')});
ok(wait_for(sub { there(q{SELECT count(*) FROM dynamo.get_item('Vault', '{"id": "later"}')}) eq '1' }, $PATIENCE), 'the standby goes on');

# A server whose transactions are read-only.
sql('ALTER SYSTEM SET default_transaction_read_only = on; SELECT pg_reload_conf()');
ok( wait_for(sub {
			my $answer = call_as($alice, 'DeleteItem', '{"TableName":"Vault","Key":{"id":{"S":"no"}}}');
			($answer->{status} // 0) == 503 && $answer->{body} eq $UNAVAILABLE;
		}, $PATIENCE), 'HTTP refuses to write');
my $before = sql($state);
my @wrong;
foreach my $try (@tries)
{
	my $service = service_of($try->{operation}{operation});
	my $answer = call_as($alice, "$service$try->{operation}{operation}", $try->{text});
	push @wrong, "$try->{operation}{operation} $try->{text}: " . ($answer->{status} // '') . ' ' . ($answer->{body} // '')
	  unless suits($try->{operation}, $answer->{body} // '', $UNAVAILABLE);
}
is(join("\n", @wrong), '', 'by HTTP, too, each has an answer of the service');
is(sql($state), $before, 'and nothing has changed');

done_testing();

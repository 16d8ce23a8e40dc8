# Attacker: a tenant whom policies forbid a table, though privileges let him do
# everything with it: he owns it.
# Wants: to reach it all the same, by a name that the policy does not see.
#
# Each operation, by each member of its request that names something, in each
# spelling of the name, by HTTP and by dynamo.call.  Operations and members come
# from the table of commands: a new one without a request here fails the test.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use List::Util qw(any uniq);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use Requests;

my $json = JSON::PP->new->canonical;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s");
my $buckets = directory() . '/buckets';
as_server_user('sh', '-c', qq(mkdir -p $buckets/files/none && echo '{"Item":{"id":{"S":"old"}}}' >$buckets/files/none/a.json)) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory;
	SELECT dynamo.grant_bucket('files', 'mallory');
});
my $mallory = new_key('mallory');
wait_for(sub { connection() }) or die 'nothing is served';
my $socket = connection();

# The answer of an operation to mallory, by HTTP: status and body.
sub ask_http
{
	my ($operation, $body) = @_;
	my $service = service_of($operation);
	my $answer = call_as($mallory, "$service$operation", $body, $socket);
	$socket = connection() if ($answer->{head}{connection} // 'close') eq 'close' || !defined $answer->{status};
	return $answer;
}

sub must
{
	my ($operation, $request) = @_;
	my $answer = ask_http($operation, $json->encode($request));
	($answer->{status} // 0) == 200 or die "$operation: $answer->{body}";
	return decode_json($answer->{body});
}

# What there is to be had, and a table of the tenant's own.
my %has = make_vault(\&must);
must('CreateTable', { %TABLE, TableName => 'Mine' });
must('PutItem', { TableName => 'Mine', Item => $KEY });

my %request = requests(%has);

# Statements name tables in their own way.
my @statements = (
	q{SELECT * FROM "Vault" WHERE id = 'crown'}, q{select*from"Vault"where "id"in['crown']}, q{SELECT * FROM Vault},
	q{SELECT g FROM "Vault"."ByG" WHERE g = 'x'}, q{UPDATE "Vault" SET v = 1 WHERE id = 'crown'},
	q{DELETE FROM "Vault" WHERE id = 'crown'}, q{INSERT INTO "Vault" VALUE {'id': 'crown'}},
	q{EXISTS(SELECT * FROM "Vault" WHERE id = 'crown' AND g = 'x')});
my %named = (names_of(%has), Statement => \@statements);

# Names of every kind, for members that want another one.
my @kinds = uniq("$VAULT/index/ByG", map { @$_ } @named{grep { !/^(?:Statement|Request)$/ } keys %named});

# Other spellings of a name: cases, region, account, partition, what is before
# and behind it, another table in place of this one.
sub twisted
{
	my ($name) = @_;
	my @twists = (sub { uc }, sub { lc }, sub { "$_/" }, sub { " $_" }, sub { "$_ " },
		sub { s/us-east-1/eu-west-1/r }, sub { s/us-east-1/US-EAST-1/r }, sub { s/us-east-1//r },
		sub { s/0{12}/111111111111/r }, sub { s/0{12}//r }, sub { s/:aws:/:aws-cn:/r }, sub { s/:aws:/:AWS:/r },
		sub { s/^arn:/ARN:/r }, sub { s/:dynamodb:/:DynamoDB:/r }, sub { s/table/Table/r }, sub { s{Vault/}{Mine/}r },
		sub { s{table/}{table//}r }, sub { s{Vault}{%56ault}r }, sub { s{Vault}{./Vault}r }, sub { "$_:x" }, sub { "$_\0" }, sub { s/Vault/Va\0ult/r }, sub { s{Vault}{Vault/index/ByG}r },
		sub { s{/(stream|backup|export|import|bulk-operation)/.*}{}r });
	return grep { $_ ne $name } uniq(map { my $twist = $_; local $_ = $name; $twist->() } @twists);
}

# The table of commands: what is to be tried.
my $commands = decode_json(sql('SELECT json_agg(o) FROM dynamo_internal.operations() o WHERE available'));
my @tries;
foreach my $command (@$commands)
{
	my ($operation, $names) = @$command{qw(operation names)};
	my $requests = $request{$operation};
	if (!ok($requests, "$operation is known here"))
	{
		next;
	}
	my %tried = map { $_ => 1 } map { place($_, '') } @$requests;
	foreach my $last (uniq(map { /([^.]+)$/ } @$names))
	{
		ok($tried{$last} || $last eq 'IndexName' && $command->{checked} ne 'names', "$operation is tried by its $last");
		ok($named{$last}, "$last has names");
	}
	foreach my $request (@$requests)
	{
		my $place = place($request, '');
		my @names = $place eq '' ? ('') : @{ $named{$place} };
		foreach my $name ($place eq '' || $place eq 'Statement' ? () : @kinds)
		{
			push @tries, { operation => $operation, checked => $command->{checked}, name => $name,
				text => $json->encode(filled($request, $name)), place => $place }
			  unless any { $_ eq $name } @names;
		}
		foreach my $name (@names)
		{
			my $text = $json->encode(filled($request, $name));
			push @tries, { operation => $operation, checked => $command->{checked}, name => $name, text => $text,
				own => 1, place => $place };
			push @tries, map { { operation => $operation, checked => $command->{checked}, name => $_,
					text => $json->encode(filled($request, $_)), place => $place } } twisted($name)
			  if $place ne '' && $place ne 'Statement';
			# the same text in another notation; a member twice, the second counts
			push @tries, { %{ $tries[-1] }, own => 1, text => $text =~ s/"Vault"/"\\u0056ault"/r } if $name eq 'Vault';
			push @tries, { operation => $operation, checked => $command->{checked}, name => $name, place => $place, own => 1,
				text => $text =~ s/^\{/{"$place":"Mine",/r } if $name eq 'Vault' && exists $request->{$place};
		}
	}
}
cmp_ok(scalar @tries, '>', 1000, 'there is much to try');

# What may have changed by what was tried.
sub state
{
	my $state = sql(q{SELECT table_name, settings FROM dynamo.tables WHERE table_name IN ('Vault', 'Mine', 'New') ORDER BY 1;
		SELECT item FROM dynamo_data."Vault"; SELECT backup_id FROM dynamo.backups WHERE table_name = 'Vault';
		SELECT kind, count(*) FROM dynamo.jobs WHERE table_name = 'Vault' GROUP BY 1 ORDER BY 1;
		SELECT table_name, stream_label, revision_id FROM dynamo.resource_policies ORDER BY 1, 2});
	$state =~ /ERROR/ and die $state;
	return $state;
}

# Try everything by both doors.  What names the vault is denied; what does not is
# refused, or says nothing of it.  "all": whatever it names is denied.
sub sweep
{
	my ($what, $all) = @_;
	my $before = state();
	my (%answers, %wrong);
	my $n = 0;
	my $is_out = sub { !$all && ($_[0]{checked} eq 'all' || $_[0]{place} eq '') };
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$answers{"$try"}{http} = ask_http($try->{operation}, $try->{text})->{body};
	}
	my $script = "SET ROLE mallory;\n";
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$script .= "SELECT dynamo.try_call('$try->{operation}', \$call\$$try->{text}\$call\$);\n";
	}
	my @lines = split /\n/, sql($script);
	foreach my $try (@tries)
	{
		next if $is_out->($try);
		$answers{"$try"}{call} = shift @lines;
		foreach my $door (qw(http call))
		{
			my $answer = $answers{"$try"}{$door} // '';
			my $denied = $answer =~ /AccessDenied.*with an explicit deny in (?:an identity|a resource)-based policy"/;
			my $refused = $answer =~ /"__type"|"Error"/;
			$n++;
			# a name that its member does not take is wrong by itself
			my $shape = $answer =~ /ValidationE|SerializationException/;
			next if $denied;
			next if !$try->{own} && ($refused || (!$all && $answer !~ /Vault|jewels/));
			next if $shape && (!$try->{own} || $try->{name} =~ /^arn:/ && $try->{place} =~ /^(?:TargetTableName|SourceTableName|TableName)$/
				|| $try->{name} eq 'Vault' && $try->{place} =~ /Arn$/ || $try->{place} eq 'Statement');
			$wrong{"$try->{operation} $try->{text} by $door: $answer"} = 1;
		}
	}
	is(join("\n", sort keys %wrong), '', "$what: $n requests, none gets through");
	is(scalar @lines, 0, 'each has one answer');
	is(state(), $before, 'and nothing has changed');
	return;
}

sub document
{
	my ($resources, %more) = @_;
	return $json->encode({ Version => '2012-10-17', Statement => [
				{ Effect => 'Allow', Action => '*', Resource => '*', ($more{Principal} ? (Principal => $more{Principal}) : ()) },
				{ Effect => 'Deny', Action => 'dynamodb:*', Resource => $resources, %more } ] });
}

is(sql("SELECT dynamo.put_role_policy('mallory', 'p', '" . document([ $VAULT, "$VAULT/*" ]) . "')"), '', 'a policy of the role');
sweep('a Deny of the role on the table');
is(sql("SELECT dynamo.put_role_policy('mallory', 'p', '" . document('*') . "')"), '', 'a policy on everything');
sweep('a Deny of the role on everything', 1);
sql("SELECT dynamo.delete_role_policy('mallory', 'p')");
foreach my $resource ($VAULT, $has{stream})
{
	my $document = document('*', Principal => { AWS => 'arn:aws:iam::000000000000:user/mallory' });
	like(sql("SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', '$resource', 'Policy', \$p\$$document\$p\$))"),
		qr/RevisionId/, 'a policy of the table or stream');
}
sweep('a Deny of the table and its stream');
done_testing();

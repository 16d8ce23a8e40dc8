# With PostgreSQL's default of eight background processes everything of ours
# works at once: time to live, marks, a backup by HTTP, an import, a handler, an
# index build; in one database and in three, over restarts, and while four
# clients send long requests.  It was once enough to enable recovery on a table
# beside HTTP for the process that marks to keep the last slot: nothing expired,
# and a backup stayed CREATING for ever.
#
# How long each takes is told; what decides is only whether it comes at all.  With
# DYNAMO_SLOTS_STRICT=1, for a quiet machine, each has ten seconds, and marks are
# two seconds late at most.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use HttpClient;

my $strict = $ENV{DYNAMO_SLOTS_STRICT};
my $PATIENCE = $strict ? 10 : 120;
my $LATE = $strict ? 2 : 30;
local $SIG{PIPE} = 'IGNORE';

start_server("dynamo.http_authentication = trust\ndynamo.ttl_interval = 1s\ndynamo.http_metrics = loopback\n"
	  . "restart_after_crash = on\nmax_worker_processes = 8\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/source") or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql(qq{COPY (SELECT format('{"Item":{"id":{"S":"%s"}}}', i) FROM generate_series(1, 1000) i) TO '$buckets/source/all.json'});
is(sql('SHOW max_worker_processes'), 8, 'eight processes');

sub number { return $_[0] =~ /^(\d+)$/ ? $1 : -1 }

sub set_up
{
	my ($database) = @_;
	sql("CREATE DATABASE $database") if $database ne 'postgres';
	my $errors = sql(q{
		CREATE EXTENSION dynamo;
		SELECT FROM dynamo.create_table('Session', 'id'), dynamo.enable_ttl('Session', 'ttl');
		SELECT FROM dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop', 7), dynamo.enable_stream('Shop');
		CREATE TABLE public.seen (id text);
		CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS
		$$INSERT INTO public.seen SELECT r #>> '{dynamodb,Keys,id,S}' FROM jsonb_array_elements(event -> 'Records') r$$;
		SELECT FROM dynamo.create_event_source_mapping('Shop', 'public.see');
		SELECT FROM dynamo.create_table('Large', 'id');
		INSERT INTO dynamo_data."Large" (item) SELECT jsonb_build_object('id', i::text, 'text', repeat('x', 400)) FROM generate_series(1, 10000) i},
		$database);
	$errors =~ s/^NOTICE.*//mg;
	is($errors =~ s/\s+//gr, '', "database $database");
	return;
}

# Begin everything in a database.  Returns what is waited for, by name.
my $n = 0;

sub begin_all
{
	my ($database) = @_;
	my $id = 'n' . ++$n;
	my $sql = sub { my ($query) = @_; return sub { sql($query, $database) eq 't' } };
	my %what;
	sql(qq{SELECT dynamo.put_item('Session', jsonb_build_object('id', 'old', 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item)}, $database);
	$what{'time to live'} = $sql->(q{SELECT count(*) = 0 FROM dynamo.scan('Session')});
	sql(qq{SELECT dynamo.put_item('Shop', '{"id": "$id"}')}, $database);
	$what{'a handler'} = $sql->("SELECT count(*) = 1 FROM public.seen WHERE id = '$id'");
	my $import = sql(qq{SELECT dynamo.call('ImportTable', '{"S3BucketSource": {"S3Bucket": "source"},
		"InputFormat": "DYNAMODB_JSON", "TableCreationParameters": {"TableName": "Import$id", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}')
		#>> '{ImportTableDescription,ImportArn}'}, $database);
	$what{'an import'} = $sql->(qq{SELECT dynamo.call('DescribeImport', '{"ImportArn": "$import"}') #>> '{ImportTableDescription,ImportStatus}' = 'COMPLETED'});
	if ($database eq 'postgres')
	{
		my ($arn) = call('CreateBackup', qq({"TableName":"Shop","BackupName":"backup$id"}))->{body} =~ /"BackupArn":"([^"]*)"/;
		$arn //= '';
		$what{'a backup by HTTP'} = sub { call('DescribeBackup', qq({"BackupArn":"$arn"}))->{body} =~ /"AVAILABLE"/ };
		my $update = call('UpdateTable', qq({"TableName":"Large","AttributeDefinitions":[{"AttributeName":"$id","AttributeType":"S"}],)
			  . qq("GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"By$id","KeySchema":[{"AttributeName":"$id","KeyType":"HASH"}],)
			  . '"Projection":{"ProjectionType":"ALL"}}}]}');
		is($update->{status}, 200, 'an index is asked for') or diag($update->{body});
		$what{'an index build by HTTP'} = sub { call('DescribeTable', '{"TableName":"Large"}')->{body} =~ /"IndexName":"By$id"[^{}]*(?:\{[^{}]*\}[^{}]*|\[[^\]]*\][^{}]*)*"IndexStatus":"ACTIVE"/ };
	}
	my $now = sql('SELECT clock_timestamp()');
	$what{'a mark'} = $sql->("SELECT latest > '$now' FROM dynamo.recovery_window('Shop')");
	return map { ("$_ in $database" => $what{$_}) } keys %what;
}

# All that works in the background comes, in all of these databases.
sub all_comes
{
	my ($when, @databases) = @_;
	my $began = time();
	my %what = map { begin_all($_) } @databases;
	my %took;
	while (%what && time() - $began < $PATIENCE)
	{
		foreach my $one (keys %what)
		{
			next unless $what{$one}->();
			$took{$one} = time() - $began;
			delete $what{$one};
		}
		sleep 0.1;
	}
	ok(exists $took{$_}, sprintf("%s: %s", $when, $_)) foreach sort keys %took, keys %what;
	my ($slowest) = sort { $took{$b} <=> $took{$a} } keys %took;
	note(sprintf('%s: the slowest is %s, %.1f s', $when, $slowest, $took{$slowest})) if $slowest;

	# How late marks are, seen for some seconds.
	foreach my $database (@databases)
	{
		my $late = 0;
		foreach (1 .. 5)
		{
			my $lag = sql(q{SELECT extract(epoch FROM clock_timestamp() - latest) FROM dynamo.recovery_window('Shop')}, $database);
			$late = $lag if $lag =~ /^[\d.]+$/ && $lag > $late;
			$late = 9999 if $lag !~ /^-?[\d.]+$/;
			sleep 0.5;
		}
		cmp_ok($late, '<=', $LATE, sprintf('%s: marks in %s are not late (%.1f s)', $when, $database, $late));
	}
	return;
}

sub restart
{
	server('crash') && server('restart') or die;
	wait_for(sub { connection() }, $PATIENCE) or die 'HTTP is not served';
	return;
}

# Four clients, each of which sends one long request after the other.
sub long_requests
{
	my $dir = tempdir(CLEANUP => 1);
	my @pids;
	foreach my $i (1 .. 4)
	{
		my $pid = fork() // die;
		if ($pid == 0)
		{
			my $n = 0;
			until (-e "$dir/end")
			{
				my $answer = call('Scan', '{"TableName":"Large","FilterExpression":"nothing = :n","ExpressionAttributeValues":{":n":{"N":"1"}}}');
				$n++ if ($answer->{status} // 0) == 200;
				mkdir "$dir/$i" if $n > 0;
			}
			_exit(0);
		}
		push @pids, $pid;
	}
	return sub {
		ok(wait_for(sub { 4 == grep { -d "$dir/$_" } 1 .. 4 }, $PATIENCE), 'and all four clients are served');
		open my $end, '>', "$dir/end" or die;
		close $end;
		waitpid $_, 0 foreach @pids;
		return;
	};
}

sub everything
{
	my @databases = @_;
	my $where = @databases == 1 ? 'one database' : scalar(@databases) . ' databases';
	all_comes($where, @databases);
	foreach my $time (1 .. 2)
	{
		restart();
		all_comes("$where, restart $time", @databases);
	}
	my $end = long_requests();
	all_comes("$where, beside long requests", @databases);
	$end->();
	return;
}

wait_for(sub { connection() }, $PATIENCE) or die 'HTTP is not served';
set_up('postgres');
everything('postgres');
set_up($_) foreach qw(two three);
everything('postgres', 'two', 'three');
done_testing();

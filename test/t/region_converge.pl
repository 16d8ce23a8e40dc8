# Three regions, whose clocks differ, write the same few items by several doors,
# while the process that sends is killed and the server is, and batches come late, once
# more and in another order. When all is quiet,
# items and versions are equal everywhere, and each key has the greatest version
# that anybody has given it, with what was written then.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Regions;
use Server;

my $seconds = $ENV{REGION_SECONDS} || 15;
my @names = ('us', 'eu', 'ap');
my %offset = (us => 0, eu => -200, ap => 300);
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 20\nmax_connections = 60\n");
make_regions(@names);
sql("ALTER DATABASE $_ SET dynamo.region_clock_offset = '$offset{$_}ms'") foreach @names;
is(sql(q{SELECT dynamo.create_table('Race', 'h', 'r', 'S', 'N'); SELECT count(dynamo.put_item('Race', jsonb_build_object('h', 'old', 'r', i)::dynamo.item)) FROM generate_series(1, 50) AS i;
	SELECT dynamo_internal.add_replica('Race', 'eu')}, 'us'), "dynamo_data.\"Race\"\n0", 'a table');
is(await_sql(q{SELECT status FROM dynamo.replicas}, 'ACTIVE', 'us'), 'ACTIVE', '... with a replica');

# One random write, and a note of the version that it has given.
my $act = <<'SQL';
CREATE TABLE history (keys jsonb, time int8, region int, deleted boolean, value int8);
CREATE SEQUENCE values_written;
CREATE PROCEDURE act(until timestamptz, region int) LANGUAGE plpgsql AS $$
DECLARE
	k jsonb; v int8; i dynamo.item; door int;
BEGIN
	WHILE clock_timestamp() < until LOOP
		k := jsonb_build_object('h', 'k' || (random() * 4)::int, 'r', (random() * 3)::int);
		v := nextval('values_written') * 10 + region;
		i := (k || jsonb_build_object('v', v))::dynamo.item;
		door := (random() * 9)::int;
		IF door < 3 THEN
			PERFORM dynamo.put_item('Race', i);
		ELSIF door < 5 THEN
			PERFORM dynamo.delete_item('Race', k::dynamo.item);
		ELSIF door = 5 THEN
			PERFORM dynamo.update_item('Race', k::dynamo.item, 'SET v = :v', jsonb_build_object(':v', v)::dynamo.item);
		ELSIF door = 6 THEN
			DELETE FROM dynamo_data."Race" WHERE item->>'h' = k->>'h' AND item->>'r' = k->>'r';
		ELSIF door = 7 THEN
			UPDATE dynamo_data."Race" SET item = i WHERE item->>'h' = k->>'h' AND item->>'r' = k->>'r';
		ELSIF door = 8 THEN
			INSERT INTO dynamo_data."Race" (item) VALUES (i) ON CONFLICT DO NOTHING;
		ELSE
			PERFORM dynamo.call('TransactWriteItems', jsonb_build_object('TransactItems', jsonb_build_array(
				jsonb_build_object('Put', jsonb_build_object('TableName', 'Race', 'Item', i::text::jsonb)))));
		END IF;
		INSERT INTO history SELECT k, n.time, n.region_id, n.deleted, (SELECT (item->>'v')::int8 FROM dynamo_data."Race" WHERE item->>'h' = k->>'h' AND item->>'r' = k->>'r')
		FROM dynamo_internal.item_versions n JOIN dynamo_internal.global_tables g USING (global_id)
		WHERE n.keys::jsonb = k AND n.region_id = g.region_id AND n.xmin = pg_current_xact_id()::xid;
		COMMIT;
		PERFORM pg_sleep(random() * 0.02);
	END LOOP;
END $$
SQL
sql($act, $_) foreach @names;

# What a region has written, as it would send it now, is kept; what was kept, new and
# old, comes to another region in any order, twice.
my %letters = map { $_ => [] } @names;
my $delivered = 0;
sub deliver_again
{
	my ($from, $to) = @_;
	push @{ $letters{$from} }, grep { /^[0-9a-f]+$/ } split /\n/, sql(q{SELECT encode(int8send(1) || int8send(v.time) || int4send(v.region_id) || CASE WHEN v.deleted THEN '\x01' ELSE '\x00' END::bytea || int4send(length(b)) || b, 'hex')
		FROM dynamo_internal.item_versions v JOIN dynamo_internal.global_tables g USING (global_id, region_id)
			LEFT JOIN dynamo_data."Race" i ON i.item->>'h' = v.keys->>'h' AND i.item->>'r' = v.keys->>'r' AND NOT v.deleted,
			LATERAL dynamo_internal.item_send(coalesce(i.item, v.keys)) AS s(b)
		WHERE v.time > 0}, $from);
	my @batch = map { $letters{$from}[rand @{ $letters{$from} }] } 1 .. 20;
	my $sql = "SELECT 'done', a.applied + a.discarded + a.held FROM dynamo_internal.replicas_received r, dynamo_internal.apply_replica('Race', '$from', r.incarnation, 0, '\\x01" . join('', @batch) . "') a WHERE r.region_name = '$from';\n";
	my $answer = @{ $letters{$from} } ? sql($sql x 2, $to) : '';
	$delivered += 40 if $answer eq "done 20\ndone 20";
	like($answer, qr/^(|done 20\ndone 20)$/, "batches of $from at $to") if $answer !~ /^(|done 20\ndone 20)$/;
	return;
}

my $end = time() + $seconds;
my %number = (us => 1, eu => 2, ap => 3);
my $joined = 0;
my $written = 0;
while (time() < $end || ($written < 200 && time() < $end + 150))
{
	my $until = time() + 2;
	my @children;
	foreach my $name ($joined ? @names : ('us', 'eu'))
	{
		push @children, fork() // die;
		next if $children[-1];
		my %environment = environment();
		@ENV{keys %environment} = values %environment;
		open(STDERR, '>', '/dev/null') or die;	# what the faults say
		exec 'psql', '-X', '-q', '-d', $name, '-o', '/dev/null', '-c', "CALL act(to_timestamp($until), $number{$name})" or die;
	}
	if (!$joined)
	{
		# The third one comes while two are written.
		sql(q{SELECT dynamo_internal.add_replica('Race', 'ap')}, 'us');
		await_sql(q{SELECT count(*) FROM dynamo.tables}, '1', 'ap');
		$joined = 1;
	}
	sleep(0.5 + rand);
	my $fault = int(rand(4));
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dynamo replication'}) if $fault == 0;
	if ($fault == 1)
	{
		my ($pid) = split /\n/, sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type LIKE 'dynamo background%' LIMIT 1});
		if (($pid // '') =~ /^\d+$/)
		{
			run("kill -9 $pid");
			# It is no more when the server has begun anew.
			wait_for(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0' }, 120);
		}
	}
	if ($fault == 2)
	{
		server('crash');
		server('restart') or BAIL_OUT('no restart');
	}
	waitpid($_, 0) foreach @children;
	wait_for(sub { sql('SELECT 1') eq '1' }, 120);
	foreach my $from ('us', 'eu')
	{
		deliver_again($from, $_) foreach grep { $_ ne $from } @names;
	}
	$written = 0;
	$written += sql('SELECT count(*) FROM history', $_) foreach @names;
}

# Quiet.
is(await_sql(q{SELECT string_agg(status, ' ') FROM dynamo.replicas}, 'ACTIVE ACTIVE', 'us'), 'ACTIVE ACTIVE', 'all are there');

# Others are told of who is there after that.
my $others = q{SELECT string_agg(region_name, ' ' ORDER BY region_name) FROM dynamo.replicas};
is(await_sql($others, 'ap us', 'eu'), 'ap us', 'each knows all others');
is(await_sql($others, 'eu us', 'ap'), 'eu us', '... the new one, too');
settle('Race', @names);
my @digests = map { digest('Race', $_) } @names;
is($digests[1], $digests[0], 'items and versions of two are equal');
is($digests[2], $digests[0], '... and of the third');
my $history = join "\n", map { sql(q{COPY history TO stdout}, $_) } @names;
{
	my %environment = environment();
	local @ENV{keys %environment} = values %environment;
	open(my $pipe, '|-', 'psql', '-X', '-q', '-d', 'us', '-c', 'CREATE TABLE everything (LIKE history)', '-c', 'COPY everything FROM stdin') or die;
	print $pipe "$history\n";
	close $pipe;
}
cmp_ok(sql('SELECT count(*) FROM everything', 'us'), '>=', 200, 'much was written');
cmp_ok($delivered, '>=', 80, '... and came late and more than once');
note("$written writes, $seconds s, $delivered changes once more");
is(sql(q{WITH greatest AS (SELECT DISTINCT ON (keys) * FROM everything ORDER BY keys, time DESC, region DESC)
	SELECT g.keys, g.time, v.time AS has, g.deleted, v.deleted, g.value, i.item FROM greatest g
		LEFT JOIN dynamo_internal.item_versions v ON v.keys::jsonb = g.keys
		LEFT JOIN dynamo_data."Race" i ON i.item->>'h' = g.keys->>'h' AND i.item->>'r' = g.keys->>'r'
	WHERE (g.time, g.region, g.deleted, g.value) IS DISTINCT FROM (v.time, v.region_id, v.deleted, (i.item->>'v')::int8)}, 'us'), '', 'each key has the greatest version');

done_testing();

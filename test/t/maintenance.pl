# The maintenance worker: it goes over all databases and expires what there is
# to expire, as the owner of each table, and is in nobody's way.
#
# Whether it has passed is told by sentinels, expired items of a table of their
# own, never by a clock.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Handle;
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use HttpClient;
use Standby;

my $PATIENCE = 120;

# Two of the three slots are taken: by our launcher, and core's for
# subscriptions.
start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\n"
	  . "dynamo.ttl_interval = 0\nmax_worker_processes = 3\n"
	  . "restart_after_crash = on\nmax_wal_senders = 4\n");
my $data = sql('SHOW data_directory');

# Whoever starts the server learns that there is not enough room for us.
ok(log_has(qr/dynamo needs 3 background workers, but "max_worker_processes" is 3/),
	'the log says that processes are too few');

# A table whose items expire.
sub make_table
{
	my ($table, $database) = @_;
	sql(qq{
		SELECT dynamo.create_table('$table', 'id');
		SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "$table",
			"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}}')},
		$database);
	return;
}

# An item; its time is over unless said otherwise.
sub put
{
	my ($table, $id, $database, $seconds) = @_;
	$seconds //= -10;
	sql(qq{SELECT dynamo.put_item('$table', jsonb_build_object('id', '$id',
		'ttl', extract(epoch FROM now())::bigint + $seconds)::dynamo.item)}, $database);
	return;
}

sub ids
{
	my ($table, $database) = @_;
	return sql(qq{SELECT coalesce(string_agg(item->>'id', ' ' ORDER BY item->>'id'), '')
		FROM dynamo.scan('$table')}, $database);
}

sub becomes
{
	my ($table, $expected, $what, $database) = @_;
	wait_for(sub { ids($table, $database) eq $expected }, $PATIENCE);
	is(ids($table, $database), $expected, $what);
	return;
}

# Wait until the worker has been through all tables.  The first sentinel may
# have been taken by a visit that was under way, the second by one that has
# other tables before it still; when the third is taken, that is over.
sub visit
{
	my ($database) = @_;
	foreach (1 .. 3)
	{
		put('zzz', 'sentinel', $database);
		wait_for(sub { ids('zzz', $database) eq '' }, $PATIENCE)
		  or die 'the worker does not come';
	}
	return;
}

sub logged
{
	my ($pattern) = @_;
	open my $in, '<', "$data/../log" or die;
	my $n = grep { /$pattern/ } <$in>;
	close $in;
	return $n;
}

# From now on a deletion from the table takes that long.
sub slow_down
{
	my ($table, $seconds, $database) = @_;
	sql(qq{
		CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
		\$\$ BEGIN PERFORM pg_sleep($seconds); RETURN old; END \$\$;
		CREATE TRIGGER slow BEFORE DELETE ON dynamo_data."$table"
		FOR EACH ROW EXECUTE FUNCTION public.slow()}, $database);
	return;
}

# The worker's pid, once it is caught in such a deletion.
sub caught
{
	my $pid = '';
	wait_for(
		sub {
			$pid = sql(q{SELECT pid FROM pg_stat_activity
				WHERE application_name = 'dynamo maintenance' AND wait_event = 'PgSleep'});
			return $pid =~ /^\d+$/;
		}, $PATIENCE) or die 'the worker does not come';
	return $pid;
}

# A transaction that stays open until the handle is closed.
sub hold { return in_transaction("BEGIN; $_[0]") }

sql('CREATE EXTENSION dynamo; CREATE DATABASE two');
sql('CREATE EXTENSION dynamo', 'two');
sql('CREATE DATABASE closed ALLOW_CONNECTIONS false');
foreach my $database ('postgres', 'two')
{
	make_table($_, $database) foreach qw(shop zzz);
	put('shop', 'old', $database);
	put('shop', 'new', $database, 100_000);
}

# The last slot serves HTTP.
my $complaint = 'could not start background worker "dynamo background of';
ok(wait_for(sub { connection() }), 'HTTP is served');
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { logged($complaint) }, $PATIENCE), 'without a slot the log says so');
sleep 3;
is(logged($complaint), 1, 'once');
is(ids('shop'), 'new old', 'and nothing expires');
set('dynamo.http_port', 0);
becomes('shop', 'new', 'when a slot is free, what has expired goes');
becomes('shop', 'new', 'in the other database, too', 'two');
is( sql(q{SELECT application_name, datname IS NULL FROM pg_stat_activity
		WHERE backend_type = 'dynamo launcher'}),
	'dynamo launcher t',
	'the launcher shows itself, and is in no database');

# A database, and an extension in it, that come later.
sql('CREATE DATABASE later');
visit();
sql('CREATE EXTENSION dynamo', 'later');
make_table('shop', 'later');
put('shop', 'old', 'later');
becomes('shop', '', 'so it goes where the extension comes later', 'later');
sql('DROP EXTENSION dynamo CASCADE', 'later');
visit();
sql('CREATE EXTENSION dynamo', 'later');
make_table('shop', 'later');
put('shop', 'old', 'later');
becomes('shop', '', 'and where it was replaced', 'later');

# Switched off in the midst of a visit, which ends the batch it has begun.
make_table("stop$_") foreach 1 .. 3;
sql(q{
	CREATE TABLE public.closed ();
	INSERT INTO public.closed DEFAULT VALUES;
	CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM public.closed) LOOP PERFORM pg_sleep(0.1); END LOOP;
		RETURN old;
	END $$;
} . join '', map { qq{CREATE TRIGGER stop BEFORE DELETE ON dynamo_data.stop$_ FOR EACH ROW EXECUTE FUNCTION public.stop();} } 1 .. 3);
put("stop$_", 'old') foreach 1 .. 3;
caught();
set('dynamo.ttl_interval', '0');
sql('DELETE FROM public.closed');
ok( wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo maintenance'}) eq '0' }, $PATIENCE),
	'a worker leaves when maintenance is switched off');
is(join(' ', sort map { ids("stop$_") } 1 .. 3), ' old old', 'the other tables do not have their turn');
sql(qq{SELECT dynamo.drop_table('stop$_')}) foreach 1 .. 3;

# Off and on again.
set('dynamo.ttl_interval', '0');
wait_for(
	sub {
		sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo maintenance'}) eq '0';
	}, $PATIENCE);
sleep 2;
put('shop', 'extended');
put('shop', 'old');
sleep 2;
is(ids('shop'), 'extended new old', 'nothing expires while it is off');

# Somebody gives an item more time, and is not done yet.
my $session = hold(q{SELECT dynamo.update_item('shop', '{"id": "extended"}', 'ADD #t :more',
	'{":more": 100000}', expression_attribute_names => '{"#t": "ttl"}')});
set('dynamo.ttl_interval', '1s');
visit();
is(ids('shop'), 'extended new', 'an item in use is left alone, and keeps nobody');
print $session "COMMIT;\n";
close $session;
visit();
is(ids('shop'), 'extended new', 'and stays if it got more time');

# A table that somebody has locked is left alone, too.
put('shop', 'old');
set('dynamo.maintenance_timeout', '10min');
$session = hold('LOCK TABLE dynamo_data.shop');
visit();
print $session "COMMIT;\n";
close $session;
set('dynamo.maintenance_timeout', '1min');
becomes('shop', 'extended new', 'a locked table keeps nobody');

# A visit that was not long enough is followed by another, at once.
make_table('long');
slow_down('long', 0.3);
sql(q{SELECT dynamo.put_item('long', jsonb_build_object('id', i::text,
	'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item) FROM generate_series(1, 30) i});
caught();
set('dynamo.ttl_interval', '1h');
becomes('long', '', 'a table with much to do is done before the next interval');
set('dynamo.ttl_interval', '1s');

# An index that has another name for a while is none.
sql('ALTER INDEX dynamo_data."shop:ttl" RENAME TO aside');
put('shop', 'old');
visit();
is(ids('shop'), 'extended new old', 'without its index a table is left alone');
is(logged(qr/WARNING.*"shop"/), 0, 'which is no failure');
sql('ALTER INDEX dynamo_data.aside RENAME TO "shop:ttl"');
becomes('shop', 'extended new', 'until it has it again');

# A table that fails, and one whose owner would like to be somebody else.
sql(q{
	CREATE ROLE ann;
	GRANT USAGE ON SCHEMA dynamo TO ann;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO ann});
make_table($_) foreach qw(bad good picky);
sql(q{
	CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN RAISE EXCEPTION 'no item leaves' USING DETAIL = 'Not one.'; END $$;
	CREATE TRIGGER refuse BEFORE DELETE ON dynamo_data.bad
	FOR EACH ROW EXECUTE FUNCTION public.refuse();
	CREATE TRIGGER refuse BEFORE DELETE ON dynamo_data.picky FOR EACH ROW
	WHEN (old.pk IN ('item1', 'item9', 'item40')) EXECUTE FUNCTION public.refuse();
	CREATE TABLE public.seen (what text);
	GRANT INSERT ON public.seen TO ann;
	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.seen VALUES (current_user),
			(current_setting('search_path')), (current_setting('application_name')),
			(current_setting('transaction_isolation'));
		BEGIN
			SET SESSION AUTHORIZATION postgres;
			INSERT INTO public.seen VALUES ('somebody else');
		EXCEPTION WHEN OTHERS THEN INSERT INTO public.seen VALUES (sqlstate); END;
		BEGIN
			RESET ROLE;
			INSERT INTO public.seen VALUES ('somebody else');
		EXCEPTION WHEN OTHERS THEN INSERT INTO public.seen VALUES (sqlstate); END;
		BEGIN
			CREATE TEMPORARY TABLE left_behind ();
			INSERT INTO public.seen VALUES ('something left behind');
		EXCEPTION WHEN OTHERS THEN INSERT INTO public.seen VALUES (sqlstate); END;
		SET search_path = public;
		RETURN old;
	END $$;
	CREATE TRIGGER look BEFORE DELETE ON dynamo_data.good
	FOR EACH ROW EXECUTE FUNCTION public.look();
	ALTER TABLE dynamo_data.good OWNER TO ann});
sql(q{ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'});
visit();
put('bad', 'old');

# Two in one transaction go in one batch; the second sees what the first sets.
sql(q{SELECT dynamo.put_item('good', jsonb_build_object('id', id,
	'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item) FROM unnest('{old,old2}'::text[]) id});
put('picky', "item$_", undef, $_ - 50) foreach 1 .. 40;
becomes('good', '', 'a table that fails does not keep others from their turn');
is(ids('bad'), 'old', 'it keeps its items');
becomes('picky', 'item1 item40 item9', 'nor does an item that fails keep others of its table');
ok(wait_for(sub { logged(qr/WARNING: .*dynamo could not expire items of table "bad": no item leaves/) }),
	'and the log has its error');
ok(logged(qr/DETAIL:  Not one\./) && logged(qr/CONTEXT:  PL.pgSQL function public\.refuse\(\)/), 'in full');
is( sql('SELECT DISTINCT what COLLATE "C" FROM public.seen ORDER BY 1'),
	"42501\nann\ndynamo maintenance\npg_catalog, pg_temp\npublic\nread committed",
	'functions run as the owner and cannot leave his role');
sql('ALTER DATABASE postgres RESET default_transaction_isolation');
sql(q{
	DROP TRIGGER refuse ON dynamo_data.bad;
	CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON dynamo_data.bad
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.refuse()});
ok( wait_for(
		sub {
			logged(qr/WARNING: .*"bad": cannot fire deferred trigger within security-restricted operation/);
		}, $PATIENCE),
	'a trigger cannot wait until it is somebody else who runs it');
sql('DROP TRIGGER refuse ON dynamo_data.bad');
becomes('bad', '', 'what was kept goes when nothing fails any more');

# Stream records in the piece that is free now.  (Every four hours another is.)
my $trimmed = wait_for(
	sub {
		my $piece = sql(q{SELECT 'dynamo_internal.stream_records_' || (floor(extract(epoch FROM now() - '2000-01-01 00:00+00') / 14400)::bigint + 1) % 8});
		sql(qq{INSERT INTO $piece (stream, shard, number, created_at, event, service)
			VALUES (1, 0, 1, now() - interval '29 hours', 'R', false)});
		visit();
		return sql("SELECT count(*) FROM $piece") eq '0';
	}, $PATIENCE);
ok($trimmed, 'streams are trimmed');

# The extension goes while the worker deletes.
put('shop', 'old', 'later');
slow_down('shop', 2, 'later');
put('shop', $_, 'later') foreach 1 .. 5;
caught();
is(sql('DROP EXTENSION dynamo CASCADE', 'later') =~ /ERROR/, '', 'DROP EXTENSION waits for its batch');
visit();

# So does who wants the database.
is(sql('CREATE DATABASE gone TEMPLATE two'), '', 'a database can be copied while the worker visits it');
make_table('busy', 'gone');
slow_down('busy', 1, 'gone');
sql(q{SELECT dynamo.put_item('busy', jsonb_build_object('id', i::text,
	'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item) FROM generate_series(1, 8) i}, 'gone');
caught();
is(sql('DROP DATABASE gone'), '', 'a database can be dropped while the worker is in it');

# Nobody waits for one that stays locked.
$session = hold('ALTER DATABASE two RENAME TO three');
visit() foreach 1 .. 2;
ok(!logged(qr/could not visit database|terminating background worker/), 'a locked database does not keep the others from their visit');
print $session "ROLLBACK;\n";
close $session;

# An extension of a later version may have other tables than this library knows.
sql(q{BEGIN;
	SELECT dynamo.put_item('shop', jsonb_build_object('id', 'old', 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item);
	UPDATE pg_extension SET extversion = '99.9' WHERE extname = 'dynamo';
	COMMIT}, 'two');
visit();
is(sql(q{SELECT string_agg(item ->> 'id', ' ' ORDER BY item ->> 'id') FROM dynamo_data.shop}, 'two'), 'new old',
	'an extension of a later version is left alone');
sql(q{UPDATE pg_extension SET extversion = (SELECT default_version FROM pg_available_extensions WHERE name = 'dynamo')
	WHERE extname = 'dynamo'}, 'two');
becomes('shop', 'new', 'until it is that of the library', 'two');

# The worker is killed, and the server starts over.
slow_down('shop', 600, 'two');
put('shop', 'old', 'two');
my $pid = caught();
is(kill(9, $pid), 1, 'the worker is killed');
wait_for(sub { logged(qr/all server processes terminated; reinitializing/) }, $PATIENCE);
wait_for(sub { sql('SELECT 1') eq '1' }, $PATIENCE);
sql('DROP TRIGGER slow ON dynamo_data.shop', 'two');
becomes('shop', 'new', 'after the crash what has expired goes', 'two');

# It can be cancelled and terminated.  It tries again at once, so that an end is
# told by another start.
sql('CREATE TRIGGER slow BEFORE DELETE ON dynamo_data.shop FOR EACH ROW EXECUTE FUNCTION public.slow()', 'two');
put('shop', 'old', 'two');
foreach my $how (qw(pg_cancel_backend pg_terminate_backend))
{
	$pid = caught();
	my $start = sql("SELECT xact_start FROM pg_stat_activity WHERE pid = $pid");
	sql("SELECT $how($pid)");
	ok( wait_for(
			sub { sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND xact_start = '$start'") eq '0' },
			$PATIENCE),
		"$how ends a deletion");
	is(ids('shop', 'two'), 'new old', 'and the item stays');
}

# What it leaves undone is done by the next one: no other visit is due for an hour.
# Nothing else ends it, either.
set('dynamo.maintenance_timeout', '10min');
set('dynamo.ttl_interval', '0');
set('dynamo.ttl_interval', '1h');
foreach my $time (1 .. 2)
{
	$pid = caught();
	sql("SELECT pg_terminate_backend($pid)");
	wait_for(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0' }, $PATIENCE);
	isnt(caught(), $pid, 'another process visits when one has been terminated');
}
set('dynamo.ttl_interval', '1s');
$pid = caught();
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo launcher'});
ok(wait_for(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0' }, 120), 'it ends with its launcher');
set('dynamo.maintenance_timeout', '1min');
$pid = caught();
sql("SELECT pg_cancel_backend($pid); DROP TRIGGER slow ON dynamo_data.shop", 'two');
becomes('shop', 'new', 'which goes on when it can', 'two');

# A standby keeps still until it is promoted.
copy_server();
set('dynamo.ttl_interval', '0');
run_standby('dynamo.ttl_interval=1s');
put('shop', 'old');
wait_for(sub { there(q{SELECT count(*) FROM dynamo.scan('shop')}) eq '3' }, $PATIENCE);
sleep 2;
is(there(q{SELECT count(*) FROM dynamo.scan('shop')}), '3', 'a standby has its items');
is(there(q{SELECT backend_type FROM pg_stat_activity WHERE backend_type LIKE 'dynamo%'}), 'dynamo launcher',
	'and does nothing');
standby_control('promote');
ok(wait_for(sub { there(q{SELECT count(*) FROM dynamo.scan('shop')}) eq '2' }, $PATIENCE),
	'until it is promoted');
ok(standby_control('-m', 'fast', 'stop'), 'it stops');

# The one process left is the visit's: it works on jobs that have none.
set('dynamo.ttl_interval', '0');
set('dynamo.job_workers', 0);
sql(q{SELECT dynamo.call('ImportTable', '{"InputFormat": "DYNAMODB_JSON",
	"S3BucketSource": {"S3Bucket": "nowhere"}, "TableCreationParameters": {
	"TableName": "Imported", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}')});
set('dynamo.job_workers', 1);
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { sql('SELECT status FROM dynamo.jobs') eq 'FAILED' }, $PATIENCE),
	'a visit works on jobs when no other process is to be had');

# Leaving is quick.
visit();
is(logged(qr/PANIC:|TRAP:/), 0, 'nothing bad in the log');
done_testing();

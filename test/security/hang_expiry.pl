# The attacker is a tenant: mallory owns tables with time to live whose triggers
# do not end when they are cancelled.  The one worker that goes over all
# databases calls them.  She wants nothing to expire any more, anywhere.  While
# one process waits for her, others are sent: she wants these, too.
#
# Whether the worker has been somewhere is told by items that expire.  Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;
use lib dirname(__FILE__);
use Trap;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\n"
	  . "dynamo.maintenance_timeout = 4s\ndynamo.grace_period = 500ms\n");
make_pipe();

sub make_table
{
	my ($table, $role, $database) = @_;
	sql(qq{
		SET ROLE $role;
		SELECT dynamo.create_table('$table', 'id');
		SELECT dynamo.enable_ttl('$table', 'ttl')}, $database);
	return;
}

# An item whose time is over.
sub put
{
	my ($table, $database, $id) = @_;
	$id //= 'a';
	sql(qq{SELECT dynamo.put_item('$table', jsonb_build_object('id', '$id',
		'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item)}, $database);
	return;
}

# Does an item expire that is put now?
sub expires
{
	my ($table, $database) = @_;
	put($table, $database);
	return wait_for(sub { sql("SELECT count(*) FROM dynamo.scan('$table')", $database) eq '0' }, 120);
}

sub logged
{
	my ($pattern) = @_;
	return wait_for(sub { log_has($pattern) }, 120);
}

sql('CREATE ROLE mallory; CREATE ROLE alice; CREATE DATABASE two');
foreach my $database ('postgres', 'two')
{
	sql('CREATE EXTENSION dynamo;
		GRANT USAGE ON SCHEMA dynamo TO mallory, alice;
		GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory, alice;
		GRANT CREATE ON SCHEMA public TO mallory', $database);
	make_table('Shop', 'alice', $database);
	make_table('Trap', 'mallory', $database);
}
make_table($_, 'mallory') foreach qw(Fine Slow);

# A trigger that catches cancels; one that merely takes long; and one that does
# not look for interrupts: it reads from a pipe that nobody writes to.
sql($CLINGS . q{
	CREATE FUNCTION public.sleeps() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN PERFORM pg_sleep(100); RETURN old; END';
	CREATE TRIGGER clings BEFORE DELETE ON dynamo_data."Trap"
	FOR EACH ROW EXECUTE FUNCTION public.clings();
	CREATE TRIGGER sleeps BEFORE DELETE ON dynamo_data."Slow"
	FOR EACH ROW EXECUTE FUNCTION public.sleeps()});
sql(q{
	CREATE TABLE public.nothing (nothing text);
	CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		EXECUTE format('COPY public.nothing FROM %L', current_setting('data_directory') || '/pipe');
		RETURN old;
	END $$;
	CREATE TRIGGER waits BEFORE DELETE ON dynamo_data."Trap"
	FOR EACH ROW EXECUTE FUNCTION public.waits()}, 'two');
put('Trap');
put('Slow');

# A process locks the row that it deletes, so let there be one for each.
put('Trap', 'two', $_) foreach qw(a b c);
my $held = q{SELECT string_agg(state, ' ') FROM dynamo.stat_workers
	WHERE database = 'two' AND state <> 'idle' AND activity ~ 'Trap'};
ok(wait_for(sub { sql($held) ne '' }, 120), 'a worker is held');
ok(expires('Shop', 'two'), 'another comes');

ok(logged(qr/WARNING:  57014: dynamo had to end a worker that could not be cancelled: expire items of table "Trap"\n.*Process \d+ in database "postgres", for role "mallory"/),
	'a worker is ended, and the log names table, database and role');
ok(log_has(qr/PL\/pgSQL function public\.clings\(\) line 5/), 'and the function');
ok(logged(qr/WARNING:  57014: dynamo could not expire items of table "Slow": canceling statement due to statement timeout/),
	'what can be cancelled is');
ok(logged(qr/WARNING:  57014: dynamo has lost a worker that could not be ended: expire items of table "Trap"\n.*Process \d+ in database "two", for role "mallory"/),
	'a worker is lost');
ok(expires('Shop'), 'items of somebody else expire');
ok(expires('Shop', 'two'), 'in the other database, too');
ok(expires('Fine'), 'and of another table of the same owner');
ok(wait_for(sub { sql($held) eq 'lost' }, 120), 'no second worker is lost, nor held');
is(sql(q{SELECT count(*) FROM dynamo.scan('Trap') t, dynamo.scan('Slow') s}), '1', 'what cannot expire stays');

# When they can, they do.
let_go();
sql('DROP TRIGGER waits ON dynamo_data."Trap"', 'two');
sql(q{
	CREATE OR REPLACE FUNCTION public.clings() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END';
	CREATE OR REPLACE FUNCTION public.sleeps() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END'});
foreach (['Trap', 'postgres'], ['Trap', 'two'])
{
	my ($table, $database) = @$_;
	ok(wait_for(sub { sql(qq{SELECT count(*) FROM dynamo.scan('$table')}, $database) eq '0' }, 120),
		"$table of $database expires when it can");
}

done_testing();

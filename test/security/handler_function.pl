# Attacker: mallory, who may have functions of hers handle the changes to a
# table, or has somebody else's mapping call one.
# Wants: to be taken for a superuser by what runs in the background, to become
# one, or to become the role whose mapping it is; to leave something in the
# session for the next role; to read a stream that she may not read; to have a
# mapping that outlives her rights.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;

my $PATIENCE = 120;
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\n"
	  . "dynamo.handler_workers = 1\ndynamo.handler_interval = 50ms\n");

sub as
{
	my ($role, $sql) = @_;
	return sql("SET ROLE $role; $sql");
}

sub put
{
	my ($table, $id) = @_;
	return sql("SELECT dynamo.put_item('$table', jsonb_build_object('id', '$id', 'v', random())::dynamo.item)");
}

sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN;
	GRANT USAGE ON SCHEMA dynamo TO mallory, victim;
	GRANT CREATE ON SCHEMA public TO mallory, victim;
	SELECT dynamo.create_table(t, 'id'), dynamo.enable_stream(t) FROM unnest('{Open,Closed}'::text[]) t;
	GRANT SELECT ON dynamo_data."Open" TO mallory, victim;
	CREATE TABLE public.seen (who text, what text);
	GRANT INSERT ON public.seen TO PUBLIC;
});

# -- Who may make one -------------------------------------------------------

like(as('mallory', q{SELECT dynamo.create_event_source_mapping('Open', 'public.any')}), qr/does not exist|permission denied/,
	'without being granted it, nobody makes a mapping');
sql('GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO mallory, victim');

# -- What the function finds ------------------------------------------------

my $looks = q{
	CREATE FUNCTION public.try(statement text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE statement;
		INSERT INTO public.seen VALUES ('done', statement);
	EXCEPTION WHEN OTHERS THEN NULL; END $$;
	CREATE FUNCTION public.looks(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM public.try(statement) FROM unnest('{SET ROLE postgres,RESET ROLE,
			SET SESSION AUTHORIZATION postgres,RESET SESSION AUTHORIZATION,CREATE ROLE another SUPERUSER,
			ALTER ROLE mallory SUPERUSER,UPDATE dynamo_internal.event_sources SET owner = ''postgres''}'::text[]) statement;
		INSERT INTO public.seen VALUES (current_user, concat_ws(' ', session_user, current_setting('is_superuser'),
			(SELECT usename FROM pg_stat_activity WHERE pid = pg_backend_pid()), current_setting('search_path'),
			nullif(current_setting('work.secret', true), ''), to_regclass('pg_temp.left_behind'),
			(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())));
		PERFORM pg_advisory_lock(7), set_config('work.secret', 'x', false),
			set_config('search_path', 'evil', false);
		CREATE TEMP TABLE left_behind ();
	END $$;
};
as('mallory', $looks . q{SELECT dynamo.create_event_source_mapping('Open', 'public.looks')});
put('Open', 'a');
ok(wait_for(sub { sql('SELECT count(*) FROM public.seen') eq '1' }, $PATIENCE), 'her function is called');
put('Open', 'b');
ok(wait_for(sub { sql('SELECT count(*) FROM public.seen') eq '2' }, $PATIENCE), 'and again');
is(sql('SELECT DISTINCT who, what FROM public.seen'),
	'mallory mallory off mallory pg_catalog, pg_temp 0', 'as her, in a session of hers that nothing was left in');
is(sql(q{SELECT count(*) FROM pg_roles WHERE rolsuper AND rolname <> 'postgres'}), '0', 'nobody has become a superuser');

# By hand, in a superuser's session: what is deferred would run as the superuser.
as('mallory', q{
	CREATE TABLE public.trap (id int);
	CREATE FUNCTION public.springs() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN INSERT INTO public.seen VALUES (current_user, ''deferred''); RETURN NULL; END';
	CREATE CONSTRAINT TRIGGER springs AFTER INSERT ON public.trap DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.springs();
	CREATE FUNCTION public.defers(event jsonb) RETURNS void LANGUAGE sql AS 'INSERT INTO public.trap VALUES (1)';
	CREATE FUNCTION public.poses(event jsonb) RETURNS void LANGUAGE sql AS
	'INSERT INTO public.seen VALUES (current_user, current_setting(''search_path''))'});
sql('TRUNCATE public.seen');
my $defers = as('mallory', q{SELECT dynamo.create_event_source_mapping('Open', 'public.defers', enabled => false)});
put('Open', 'c');
like(sql("SELECT dynamo.run_event_source_mapping($defers)"), qr/cannot fire deferred trigger within security-restricted operation/,
	'a superuser who runs it is not left with her deferred trigger');
as('mallory', "SELECT dynamo.update_event_source_mapping($defers, 'public.poses')");
sql("SET search_path = evil; SELECT dynamo.run_event_source_mapping($defers)");
is(sql(q{SELECT count(*) FROM public.seen WHERE who <> 'mallory'}), '0', 'nothing of hers runs as another role');
is(sql(q{SELECT DISTINCT what FROM public.seen WHERE who = 'mallory' AND what ~ '^pg_catalog'}), 'pg_catalog, pg_temp', 'with a search_path of ours');

# -- Somebody else's mapping ------------------------------------------------

like(as('victim', q{SELECT dynamo.create_event_source_mapping('Open', 'public.poses')}),
	qr/function "poses" belongs to role "mallory", who could have it do anything as role "victim"/,
	'nobody has her function called as himself');
as('victim', q{CREATE FUNCTION public.own(event jsonb) RETURNS void LANGUAGE sql AS 'INSERT INTO public.seen VALUES (current_user, ''own'')'});
my $own = as('victim', q{SELECT dynamo.create_event_source_mapping('Open', 'public.own', enabled => false)});
as('victim', 'DROP FUNCTION public.own');
as('mallory', q{CREATE FUNCTION public.own(event jsonb) RETURNS void LANGUAGE sql AS 'INSERT INTO public.seen VALUES (current_user, ''stolen'')'});
put('Open', 'd');
like(sql("SELECT dynamo.run_event_source_mapping($own)"), qr/belongs to role "mallory"/, 'a function that she put in its place is not called');
is(sql(q{SELECT count(*) FROM public.seen WHERE what = 'stolen'}), '0', '... as nobody');
like(as('mallory', "SELECT dynamo.update_event_source_mapping($own, 'public.poses')"), qr/must be owner/, 'she does not change it');
like(as('mallory', "SELECT dynamo.delete_event_source_mapping($own)"), qr/must be owner/, 'nor delete it');
like(as('mallory', "SELECT dynamo.run_event_source_mapping($own)"), qr/must be owner/, 'nor run it');
is(as('mallory', "SELECT count(*) FROM dynamo.event_source_mappings WHERE mapping = $own"), '0', 'nor see it');

# With his privileges alone she is not him.
SKIP:
{
	skip 'before PostgreSQL 16 who has the privileges can become the role', 2 if sql('SHOW server_version_num') < 160000;
	sql('GRANT victim TO mallory WITH INHERIT TRUE, SET FALSE');
	like(as('mallory', "SELECT dynamo.update_event_source_mapping($own, 'public.poses')"), qr/must be owner/, 'nor with privileges of his');
	like(as('victim', q{SELECT dynamo.create_event_source_mapping('Open', 'public.poses')}),
		qr/function "poses" belongs to role "mallory"/, 'and her function is not called as him');
	sql('REVOKE victim FROM mallory');
}

# A function of his in another schema is not found by its name alone.
as('mallory', q{CREATE FUNCTION public."left"(event jsonb) RETURNS void LANGUAGE sql AS ''});
is(as('mallory', q{SELECT dynamo.create_event_source_mapping('Open', 'public.left', enabled => false) IS NOT NULL}), 't', 'hers may have any name');

# -- Streams that she may not read ------------------------------------------

like(as('mallory', q{SELECT dynamo.create_event_source_mapping('Closed', 'public.poses')}), qr/not authorized to perform: dynamodb:GetRecords/,
	'no mapping of a table that she may not read');
sql('TRUNCATE public.seen');
my $poses = as('mallory', q{SELECT dynamo.create_event_source_mapping('Open', 'public.poses')});
put('Open', 'e');
ok(wait_for(sub { sql(q{SELECT count(*) > 0 FROM public.seen WHERE what ~ '^pg_catalog'}) eq 't' }, $PATIENCE), 'she has one');
sql('REVOKE SELECT ON dynamo_data."Open" FROM mallory; TRUNCATE public.seen');
put('Open', 'f');
ok(wait_for(sub { sql("SELECT last_processing_result FROM dynamo.event_source_mappings WHERE mapping = $poses") =~ /not authorized/ }, $PATIENCE),
	'which stops when she loses the right');
is(sql(q{SELECT count(*) FROM public.seen WHERE what ~ '^pg_catalog'}), '0', '... and has told her nothing');

# The failures table is written to as her.
sql('GRANT SELECT ON dynamo_data."Open" TO mallory; CREATE TABLE public.his (message jsonb)');
like(as('mallory', "SELECT dynamo.update_event_source_mapping($poses, on_failure => 'public.his')"), qr/permission denied/, 'no failures go to a table that is not hers');

# -- A role that is gone ----------------------------------------------------

sql(q{
	DROP FUNCTION public.own;
	CREATE FUNCTION public.own(event jsonb) RETURNS void LANGUAGE sql AS 'INSERT INTO public.seen VALUES (current_user, ''own'')';
	DROP OWNED BY victim; DROP ROLE victim; CREATE ROLE victim LOGIN; GRANT SELECT ON dynamo_data."Open" TO victim});
ok(wait_for(sub { sql("SELECT count(*) FROM dynamo_internal.event_sources WHERE mapping = $own") eq '0' }, $PATIENCE),
	'its mapping is deleted, also if there is another of that name');

done_testing();

# Attacker: a role with an access key and a table of its own.
# Wants: to be taken for a superuser by what asks for the session's user
# (session_user, is_superuser, pg_stat_activity), or to become one by SET ROLE
# and its like, in triggers, deferred ones, functions of others, parallel
# workers, after errors.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE boss;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN IN ROLE boss;
	GRANT USAGE ON SCHEMA dynamo_data TO mallory, victim;
	SELECT dynamo.create_table(name, 'id')
	FROM unnest('{Payroll,Now,Later,Definer,Caught,Climb,Parallel}'::text[]) name;
	GRANT INSERT, UPDATE, SELECT ON ALL TABLES IN SCHEMA dynamo_data TO mallory, victim;

	-- Who may see the payroll is asked in all ways there are.
	ALTER TABLE dynamo_data."Payroll" ENABLE ROW LEVEL SECURITY;
	CREATE POLICY a ON dynamo_data."Payroll" USING (session_user = 'postgres');
	CREATE POLICY b ON dynamo_data."Payroll" USING (current_setting('is_superuser') = 'on');
	CREATE POLICY c ON dynamo_data."Payroll" USING (pg_has_role(session_user, 'boss', 'MEMBER'));
	CREATE POLICY d ON dynamo_data."Payroll" USING ((SELECT rolsuper FROM pg_roles WHERE rolname = session_user));
	SELECT dynamo.put_item('Payroll', '{"id": "a"}');

	CREATE FUNCTION public.who(wanted int DEFAULT NULL) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		RETURN concat_ws(' ', current_user, session_user, current_setting('is_superuser'),
			current_setting('session_authorization'), current_setting('role'),
			(SELECT usename FROM pg_stat_activity WHERE pid = pg_backend_pid()),
			CASE WHEN wanted = pg_backend_pid() THEN 'not parallel' END);
	END $$;
	CREATE TABLE public.seen (who text);
	GRANT INSERT, SELECT ON public.seen TO PUBLIC;

	CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN INSERT INTO public.seen VALUES (public.who()); RETURN new; END $$;
	CREATE FUNCTION public.see_as_definer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
	$$ BEGIN INSERT INTO public.seen VALUES (public.who()); RETURN new; END $$;
	CREATE FUNCTION public.see_after_error() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		BEGIN
			PERFORM 1 / 0;
		EXCEPTION WHEN division_by_zero THEN NULL; END;
		INSERT INTO public.seen VALUES (public.who());
		RETURN new;
	END $$;
	CREATE FUNCTION public.see_in_parallel() RETURNS trigger LANGUAGE plpgsql AS $$
	DECLARE
		who text;
	BEGIN
		PERFORM set_config(name, 'on', true) FROM pg_settings
		WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
		EXECUTE format('SELECT public.who(%s)', pg_backend_pid()) INTO who;
		INSERT INTO public.seen VALUES (who);
		RETURN new;
	END $$;

	-- Tries each statement, also as a superuser's function.
	CREATE FUNCTION public.try() RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		statement text;
	BEGIN
		FOREACH statement IN ARRAY ARRAY['SET ROLE postgres', 'SET ROLE boss', 'RESET ROLE', 'SET ROLE NONE',
			'SET SESSION AUTHORIZATION postgres', 'SET SESSION AUTHORIZATION DEFAULT',
			'RESET SESSION AUTHORIZATION', 'SET LOCAL ROLE postgres', 'RESET ALL',
			'SELECT set_config(''role'', ''postgres'', false)',
			'SELECT set_config(''is_superuser'', ''on'', false)',
			'SELECT set_config(''session_authorization'', ''postgres'', false)']
		LOOP
			BEGIN
				EXECUTE statement;
				INSERT INTO public.seen VALUES (public.who());
			EXCEPTION WHEN insufficient_privilege OR cant_change_runtime_param THEN NULL; END;
		END LOOP;
	END $$;
	CREATE FUNCTION public.try_as_definer() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'SELECT public.try()';
	CREATE FUNCTION public.climb() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM public.try();
		PERFORM public.try_as_definer();
		INSERT INTO public.seen VALUES (public.who());
		IF new.item->>'id' = 'fail' THEN
			RAISE EXCEPTION 'and fail';
		END IF;
		RETURN new;
	END $$;

	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON dynamo_data."Now" FOR EACH ROW EXECUTE FUNCTION public.see();
	CREATE CONSTRAINT TRIGGER t AFTER INSERT OR UPDATE ON dynamo_data."Later"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.see();
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON dynamo_data."Definer" FOR EACH ROW EXECUTE FUNCTION public.see_as_definer();
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON dynamo_data."Caught" FOR EACH ROW EXECUTE FUNCTION public.see_after_error();
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON dynamo_data."Climb" FOR EACH ROW EXECUTE FUNCTION public.climb();
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON dynamo_data."Parallel" FOR EACH ROW EXECUTE FUNCTION public.see_in_parallel();
});
my %key = map { $_ => new_key($_) } qw(mallory victim);
wait_for(sub { connection() }) or die 'nothing is served';

sub put
{
	my ($who, $table, $id) = @_;
	$id ||= 'a';
	return call_as($key{$who}, 'PutItem', qq({"TableName":"$table","Item":{"id":{"S":"$id"}}}))->{status};
}

# What functions have seen since they were asked the last time.
sub seen
{
	return sql('SELECT DISTINCT who COLLATE "C" FROM public.seen ORDER BY 1; TRUNCATE public.seen');
}

my $get = '{"TableName":"Payroll","Key":{"id":{"S":"a"}}}';
is(call_as($key{mallory}, 'GetItem', $get)->{body}, '{}', 'no policy takes a role for a superuser');
isnt(call_as($key{victim}, 'GetItem', $get)->{body}, '{}', 'nor for less than it is');
is(call_as($key{mallory}, 'GetItem', $get)->{body}, '{}', 'whoever was served before');

foreach my $who (qw(mallory victim))
{
	my $self = "$who $who off $who none $who";
	foreach my $table (qw(Now Later Caught Parallel))
	{
		is(put($who, $table), 200, "$table: $who is served");
		is(seen(), $self, 'as himself');
	}
	is(put($who, 'Definer'), 200, "a function of a superuser is called by $who");
	is(seen(), "postgres $who off $who none $who", 'and knows that');
}

foreach my $case (['a', 200, 'a request'], ['fail', 400, 'a request that fails'])
{
	my ($id, $status, $what) = @$case;
	is(put('mallory', 'Climb', $id), $status, "$what tries to become somebody else");
	unlike(seen(), qr/^(?!(?:mallory|postgres) mallory off mallory none mallory$)./m, 'in vain');
	is(put('victim', 'Now'), 200, 'others are served');
	is(seen(), 'victim victim off victim none victim', 'as themselves');
}

# A superuser is one, as long as he is.
sql('ALTER ROLE victim SUPERUSER');
put('victim', 'Now');
is(seen(), 'victim victim on victim none victim', 'a role that is made a superuser');
sql('ALTER ROLE victim NOSUPERUSER');
put('victim', 'Now');
is(seen(), 'victim victim off victim none victim', 'and is none any more');
sql('ALTER ROLE victim RENAME TO other');
put('victim', 'Now');
is(seen(), 'other other off other none other', 'a role that is renamed');

# The session's last user is dropped.
put('mallory', 'Now');
seen();
sql('DROP OWNED BY mallory; DROP ROLE mallory');
is(call('PutItem', '{}')->{status}, 400, 'without a signature, after a role is dropped');
is(put('mallory', 'Now'), 400, 'the role that is dropped is not served');
is(put('victim', 'Now'), 200, 'others are');
is(seen(), 'other other off other none other', 'as themselves');
done_testing();

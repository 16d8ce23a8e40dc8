# Attacker: the owner of a table whose items expire, or which is given an index
# in the background.
# Wants: to be taken for a superuser by what runs then, to become one, and to
# leave locks or numbers of sequences to the owners that come after him.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 0");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN;
	GRANT USAGE ON SCHEMA dynamo TO mallory, victim;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory, victim;
	CREATE SEQUENCE public.numbers;
	GRANT ALL ON SEQUENCE public.numbers TO PUBLIC;
	CREATE TABLE public.seen (who text, number bigint, locks bigint);
	GRANT INSERT ON public.seen TO PUBLIC;

	CREATE FUNCTION public.last_number() RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		RETURN lastval();
	EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN NULL;
	END $$;
	CREATE FUNCTION public.try(statement text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE statement;
		INSERT INTO public.seen VALUES (statement);
	EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
	CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM public.try(statement) FROM unnest('{SET ROLE postgres,RESET ROLE,
			SET SESSION AUTHORIZATION postgres,RESET SESSION AUTHORIZATION}'::text[]) statement;
		INSERT INTO public.seen VALUES (concat_ws(' ', current_user, session_user,
			current_setting('is_superuser'), current_setting('session_authorization'),
			(SELECT usename FROM pg_stat_activity WHERE pid = pg_backend_pid())),
			public.last_number(), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'));
		PERFORM nextval('public.numbers'), pg_advisory_lock(7);
		RETURN old;
	END $$;
});
foreach my $who (qw(mallory victim))
{
	sql(qq{
		SET ROLE $who;
		SELECT dynamo.create_table('$who', 'id'), dynamo.enable_ttl('$who', 'ttl'),
			dynamo.put_item('$who', '{"id": "a", "ttl": 1}'::jsonb || jsonb_build_object('ttl', extract(epoch FROM now())::bigint - 10));
		RESET ROLE;
		CREATE TRIGGER see BEFORE DELETE ON dynamo_data."$who" FOR EACH ROW EXECUTE FUNCTION public.see()});
}
sql(q{ALTER SYSTEM SET dynamo.ttl_interval = '1s'; SELECT pg_reload_conf()});
foreach my $who (qw(mallory victim))
{
	ok(wait_for(sub { sql("SELECT count(*) FROM dynamo.scan('$who')") eq '0' }), "the item of $who expires");
}
is( sql('SELECT * FROM public.seen ORDER BY who COLLATE "C"'),
	"mallory mallory off mallory mallory  0\nvictim victim off victim victim  0",
	'each owner is the session\'s user, and finds a clean session');
ok(!log_has(qr/could not expire/), 'of one process, which goes from one to the other');

# Building an index runs event triggers, within what core restricts.
sql(q{
	TRUNCATE public.seen;
	CREATE FUNCTION public.see_build() RETURNS event_trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF current_setting('application_name') = 'dynamo index build' THEN
			INSERT INTO public.seen VALUES (concat_ws(' ', session_user, current_setting('is_superuser')));
		END IF;
	END $$;
	CREATE EVENT TRIGGER see_build ON ddl_command_end EXECUTE FUNCTION public.see_build()});
my %keys = map { $_ => new_key($_) } qw(mallory victim);
wait_for(sub { connection() }) or die 'nothing is served';
foreach my $who (sort keys %keys)
{
	is( call_as($keys{$who}, 'UpdateTable', qq({"TableName":"$who","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"S"}],)
			. '"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"ByG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],'
			. '"Projection":{"ProjectionType":"ALL"}}}]}')->{status},
		200, "an index is asked for by $who");
	ok( wait_for(sub { call_as($keys{$who}, 'DescribeTable', qq({"TableName":"$who"}))->{body} =~ /"IndexStatus":"ACTIVE"/ }),
		'and built in the background');
}
is(sql('SELECT who FROM public.seen GROUP BY who ORDER BY who COLLATE "C"'), "mallory off\nvictim off",
	'each owner is the session\'s user, whoever was before');
done_testing();

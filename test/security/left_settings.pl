# Attacker: a role with a table of its own, whose triggers change settings.
# Wants: that requests of others, which the same process serves, run with
# settings of his choice: a search_path that finds his functions, a tenant that
# is not theirs, commits that are not durable.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN;
	GRANT USAGE ON SCHEMA dynamo_data TO mallory, victim;
	GRANT SET ON PARAMETER session_replication_role TO mallory;
	SELECT dynamo.create_table(name, 'id') FROM unnest('{Bait,Late,Held,Till}'::text[]) name;
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Bait", dynamo_data."Late", dynamo_data."Held" TO mallory;
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Till" TO victim, mallory;

	CREATE FUNCTION public.bend() RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config(name, value, false) FROM (VALUES
			('search_path', 'evil'), ('session_replication_role', 'replica'),
			('synchronous_commit', 'off'), ('default_transaction_read_only', 'on'),
			('client_min_messages', 'error'), ('work_mem', '64kB'),
			('timezone', 'Asia/Kathmandu'), ('lock_timeout', '1h'),
			('shop.tenant', 'mallory')) settings(name, value);
		SET SESSION statement_timeout = '1ms';
		SET LOCAL row_security = off;
		RETURN 1;
	END $$;
	CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM public.bend(); RETURN new; END $$;
	CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON dynamo_data."Bait"
	FOR EACH ROW EXECUTE FUNCTION public.trap();
	CREATE CONSTRAINT TRIGGER trap AFTER INSERT OR UPDATE ON dynamo_data."Late"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.trap();

	-- The query of a cursor WITH HOLD is run to its end when the transaction commits.
	CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE 'DECLARE later CURSOR WITH HOLD FOR SELECT public.bend()';
		RETURN new;
	END $$;
	CREATE TRIGGER hold BEFORE INSERT OR UPDATE ON dynamo_data."Held"
	FOR EACH ROW EXECUTE FUNCTION public.hold();

	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		new.item := (new.item::jsonb || jsonb_build_object('found',
			(SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), 'nothing')
			FROM pg_catalog.pg_settings WHERE source = 'session' AND name <> 'shop.tenant'),
			'tenant', coalesce(current_setting('shop.tenant', true), '')))::dynamo.item;
		RETURN new;
	END $$;
	CREATE TRIGGER look BEFORE INSERT OR UPDATE ON dynamo_data."Till"
	FOR EACH ROW EXECUTE FUNCTION public.look();
});
my $mallory = new_key('mallory');
my $victim = new_key('victim');
my %wrong = (%$victim, secret => 'guessed');
wait_for(sub { connection() }) or die 'nothing is served';

sub put
{
	my ($who, $table) = @_;
	return call_as($who, 'PutItem', qq({"TableName":"$table","Item":{"id":{"S":"a"}}}))->{status};
}

foreach my $how (['Bait', 'a trigger'], ['Late', 'a deferred trigger'], ['Held', 'a held cursor'])
{
	my ($table, $what) = @$how;
	foreach my $next (['another role', $victim], ['the same role', $mallory],
		['another role, after one that was refused', $victim, \%wrong])
	{
		my ($whose, $who, $between) = @$next;
		is(put($mallory, $table), 200, "settings of $what");
		is(put($between, 'Till'), 400, 'a wrong signature') if $between;
		is(put($who, 'Till'), 200, "then $whose writes");
		is(sql(q{SELECT item->>'found', item->>'tenant' FROM dynamo_data."Till"}), 'nothing',
			"and finds none of $what");
	}
}
done_testing();

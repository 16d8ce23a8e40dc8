# Attacker: a role with a table of its own, whose triggers leave things in the
# session: temporary tables, prepared statements, cursors, advisory locks, a
# sequence's value, the seed of random().
# Wants: that requests of others find his things, get his numbers, or wait for
# his locks.
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
	SELECT dynamo.create_table(name, 'id') FROM unnest('{Bait,Late,Till}'::text[]) name;
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Bait", dynamo_data."Late" TO mallory;
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Till" TO victim, mallory;
	CREATE SEQUENCE public.numbers;
	GRANT ALL ON SEQUENCE public.numbers TO PUBLIC;

	CREATE FUNCTION public.leave() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		CREATE TEMP TABLE prices AS SELECT 0 AS price;
		GRANT SELECT ON prices TO PUBLIC;
		CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1';
		EXECUTE 'PREPARE pay AS SELECT 0';
		EXECUTE 'DECLARE held CURSOR WITH HOLD FOR SELECT 1';
		PERFORM pg_advisory_lock(7), pg_advisory_lock_shared(8);
		PERFORM nextval('public.numbers'), setseed(0.5);
		IF new.item->>'id' = 'fail' THEN
			RAISE EXCEPTION 'and fail';
		END IF;
		RETURN new;
	END $$;
	CREATE TRIGGER leave BEFORE INSERT OR UPDATE ON dynamo_data."Bait"
	FOR EACH ROW EXECUTE FUNCTION public.leave();
	CREATE CONSTRAINT TRIGGER leave AFTER INSERT OR UPDATE ON dynamo_data."Late"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.leave();

	CREATE FUNCTION public.last_number() RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		RETURN lastval();
	EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN NULL;
	END $$;
	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		new.item := (new.item::jsonb || jsonb_build_object('found', concat_ws(' ',
			to_regclass('pg_temp.prices'), to_regproc('pg_temp.f'),
			(SELECT string_agg(name, ' ') FROM pg_prepared_statements),
			(SELECT string_agg(name, ' ') FROM pg_cursors WHERE is_holdable)),
			'number', public.last_number(), 'random', random()))::dynamo.item;
		RETURN new;
	END $$;
	CREATE TRIGGER look BEFORE INSERT OR UPDATE ON dynamo_data."Till"
	FOR EACH ROW EXECUTE FUNCTION public.look();
});
my $mallory = new_key('mallory');
my $victim = new_key('victim');
wait_for(sub { connection() }) or die 'nothing is served';
my ($foreseen) = split ' ', sql('DO $$BEGIN PERFORM setseed(0.5); END$$; SELECT random()');

sub put
{
	my ($who, $table, $id) = @_;
	return call_as($who, 'PutItem', qq({"TableName":"$table","Item":{"id":{"S":"$id"}}}))->{status};
}

sub found
{
	my ($what) = @_;
	return sql(qq{SELECT item->>'$what' FROM dynamo_data."Till"});
}

foreach my $case (['Bait', 'a', 200, 'a trigger'], ['Late', 'a', 200, 'a deferred trigger'],
	['Bait', 'fail', 400, 'a request that fails'])
{
	my ($table, $id, $status, $what) = @$case;

	is(put($mallory, $table, $id), $status, "things left by $what");
	is( sql(q{SELECT count(*) FILTER (WHERE locktype = 'advisory'),
			(SELECT count(*) FROM pg_class WHERE relpersistence = 't') FROM pg_locks}),
		'0 0', 'are gone before anybody asks for something');
	is(put($mallory, 'Till', 'a'), 200, 'the same role');
	is(found('found'), '', 'finds none of them');
	put($mallory, $table, $id);
	is(put($victim, 'Till', 'a'), 200, 'another role');
	is(found('found'), '', 'finds none of them');
	is(found('number'), '', 'nor the last number of a sequence');
	isnt(found('random'), $foreseen, 'and random() cannot be foreseen');
}
done_testing();

# Attacker: a role with a table of its own, whose trigger listens to a channel.
# Wants: that the process goes on listening for others, whose notifications then
# wait in the queue for a process that never reads them.
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
	SELECT dynamo.create_table('Bait', 'id'), dynamo.create_table('Till', 'id');
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Bait" TO mallory;
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Till" TO victim;
	CREATE FUNCTION public.hear() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		BEGIN
			EXECUTE 'LISTEN bell';
		EXCEPTION WHEN feature_not_supported THEN NULL; END;
		NOTIFY bell;
		RETURN new;
	END $$;
	CREATE TRIGGER hear BEFORE INSERT OR UPDATE ON dynamo_data."Bait" FOR EACH ROW EXECUTE FUNCTION public.hear();
	CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		new.item := (new.item::jsonb || jsonb_build_object('heard',
			(SELECT count(*) FROM pg_listening_channels())))::dynamo.item;
		RETURN new;
	END $$;
	CREATE TRIGGER look BEFORE INSERT OR UPDATE ON dynamo_data."Till" FOR EACH ROW EXECUTE FUNCTION public.look();
});
my ($mallory, $victim) = map { new_key($_) } qw(mallory victim);
wait_for(sub { connection() }) or die 'nothing is served';
foreach my $case (['Bait', $mallory], ['Till', $victim])
{
	my ($table, $who) = @$case;
	is(call_as($who, 'PutItem', qq({"TableName":"$table","Item":{"id":{"S":"a"}}}))->{status}, 200, "an item for $table");
}
is(sql(q{SELECT item->>'heard' FROM dynamo_data."Till"}), '0', 'nobody listens');
done_testing();

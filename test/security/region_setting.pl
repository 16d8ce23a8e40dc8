# Attacker: a role with a table of its own, whose trigger changes the region
# and the account of the service.
# Wants: that the signatures of all others are for another region, and fail.
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
	SELECT dynamo.create_table('Bait', 'id');
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Bait" TO mallory, victim;
	CREATE FUNCTION public.move() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config(new.item->>'id', 'mars', new.item->>'local' = 'true');
		RETURN new;
	END $$;
	CREATE TRIGGER move BEFORE INSERT OR UPDATE ON dynamo_data."Bait"
	FOR EACH ROW EXECUTE FUNCTION public.move();
});
my $mallory = new_key('mallory');
my $victim = new_key('victim');
wait_for(sub { connection() }) or die 'nothing is served';

foreach my $setting (qw(dynamo.region dynamo.account_id))
{
	foreach my $local (qw(false true))
	{
		is( call_as($mallory, 'PutItem',
				qq({"TableName":"Bait","Item":{"id":{"S":"$setting"},"local":{"BOOL":$local}}}))->{status},
			500, "$setting cannot be changed, local: $local");
		like( call_as($victim, 'DescribeTable', '{"TableName":"Bait"}')->{body},
			qr{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Bait"},
			'and others are served as before');
	}
}
done_testing();

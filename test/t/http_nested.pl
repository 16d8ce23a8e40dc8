# A request that a function of a user makes while another one is executed.
#
# It is of the same client: it is told the same host.  It is one of its own all
# the same.  Where it fails and the function catches that, and where it is made
# as the transaction commits, nothing is left of it for those that follow.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
ok(wait_for(sub { connection() }), 'the server serves');
sql('CREATE EXTENSION dynamo');
sql(q{
	CREATE TABLE public.told (n serial, host text);
	CREATE FUNCTION public.host() RETURNS text LANGUAGE sql AS $$
		SELECT dynamo.call('DescribeEndpoints', '{}')::json #>> '{Endpoints,0,Address}'
	$$;
	CREATE FUNCTION public.asks() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.told (host) SELECT public.host();
		BEGIN
			PERFORM dynamo.call('GetItem', '{"TableName":"Missing","Key":{"id":{"S":"a"}}}');
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
		INSERT INTO public.told (host) SELECT public.host();
		RETURN new;
	END $$;
	SELECT dynamo.create_table('Now', 'id'), dynamo.create_table('Then', 'id');
	CREATE TRIGGER asks BEFORE INSERT ON dynamo_data."Now" FOR EACH ROW EXECUTE FUNCTION public.asks();
	CREATE CONSTRAINT TRIGGER asks AFTER INSERT ON dynamo_data."Then" DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION public.asks();
});
my $session = sql('SELECT public.host()');

sub hosts
{
	return sql(q{SELECT string_agg(coalesce(host, 'none'), ' ' ORDER BY n) FROM public.told; DELETE FROM public.told});
}

foreach my $table ('Now', 'Then')
{
	my $put = sub { call('PutItem', qq({"TableName":"$table","Item":{"id":{"S":"$_[0]"}}}), { Host => $_[1] })->{status} };

	is($put->('a', 'a.example:8000'), 200, "$table: an item is put");
	is(hosts(), 'a.example:8000 a.example:8000', "$table: requests inside it are told its host");
	is($put->('b', 'b.example:8000'), 200, "$table: another");
	is(hosts(), 'b.example:8000 b.example:8000', "$table: and those inside that one, its");
	is($put->('', 'c.example:8000'), 400, "$table: one is refused");
	is($put->('c', 'd.example:8000'), 200, "$table: another is not");
	is(hosts(), 'd.example:8000 d.example:8000', "$table: nothing is left of the one refused");
}
is(call('DescribeEndpoints', '{}', { Host => 'e.example' })->{body},
	'{"Endpoints":[{"Address":"e.example","CachePeriodInMinutes":1440}]}', 'a request by itself');
is(sql('SELECT public.host()'), $session, 'a session has no such host');
done_testing();

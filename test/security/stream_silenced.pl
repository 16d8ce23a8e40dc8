# Who: a role with the privilege TRIGGER on a table with a stream.
# Owns: nothing.  Wants: changes that leave no record.
#
# CREATE OR REPLACE TRIGGER asks for that privilege alone.  The triggers of a
# stream are known by their names and stay as they were made (sql/stream_guard.sql).
# A superuser may replace them; past others nothing is written by the API.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\ndynamo.ttl_interval = 1s");
sql(q{CREATE EXTENSION dynamo; CREATE ROLE mallory LOGIN;
	SELECT dynamo.create_table('Shop', 'pk'); SELECT dynamo.enable_stream('Shop'); SELECT dynamo.enable_ttl('Shop', 't');
	GRANT TRIGGER ON dynamo_data."Shop" TO mallory;
	CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

sub put { return call('PutItem', qq({"TableName":"Shop","Item":{"pk":{"S":"$_[0]"}}}))->{status} }
sub records { return sql(q{SELECT count(*) FROM dynamo.stream('Shop')}) }
is(put('before'), 200, 'written');
is(records(), 1, 'and recorded');

my $row = 'AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Shop" FOR EACH ROW';
my $truncate = 'BEFORE TRUNCATE ON dynamo_data."Shop" FOR EACH STATEMENT';
my %ours = (
	'!dynamo_stream' => "$row EXECUTE FUNCTION dynamo_internal.stream_capture()",
	'!dynamo_stream_truncate' => "$truncate EXECUTE FUNCTION dynamo_internal.stream_capture()");
foreach my $case (
	['!dynamo_stream', "$row WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture()", 'a condition'],
	['!dynamo_stream', $row =~ s/OR DELETE //r . ' EXECUTE FUNCTION dynamo_internal.stream_capture()', 'fewer events'],
	['!dynamo_stream', $row =~ s/UPDATE/UPDATE OF item/r . ' EXECUTE FUNCTION dynamo_internal.stream_capture()', 'a column'],
	['!dynamo_stream', $row =~ s/AFTER/BEFORE/r . ' EXECUTE FUNCTION dynamo_internal.stream_capture()', 'another time'],
	['!dynamo_stream', $row =~ s/ROW/STATEMENT/r . ' EXECUTE FUNCTION dynamo_internal.stream_capture()', 'statements'],
	['!dynamo_stream', "$row EXECUTE FUNCTION public.nothing()", 'another function'],
	['!dynamo_stream_truncate', "$truncate WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture()", 'a condition on TRUNCATE'],
	['!dynamo_stream_truncate', "$truncate EXECUTE FUNCTION public.nothing()", 'another function for TRUNCATE'])
{
	my ($name, $definition, $what) = @$case;
	like(sql(qq{SET ROLE mallory; CREATE OR REPLACE TRIGGER "$name" $definition}),
		qr/ERROR:  trigger "\Q$name\E" of relation "Shop" (?:records its changes, and stays as it is|is an? .* trigger)/, "$what: refused");
	like(sql(qq{CREATE OR REPLACE TRIGGER "$name" $definition}), qr/\A\S+ WARNING:  trigger "\Q$name\E" .* does not record all changes any more/,
		"$what: a superuser is warned");
	is(put($what), 500, "$what: not written past it");
	like(sql(qq{SELECT dynamo.transact_write('[{"Delete": {"TableName": "Shop", "Key": {"pk": "before"}}}]')}),
		qr/ERROR:  trigger "\Q$name\E" of relation "Shop" is not the one that records its changes/, "$what: who asks is told");
	is(sql(qq{SET ROLE mallory; CREATE OR REPLACE TRIGGER "$name" $ours{$name}}), '', "$what: as it was");
}
is(put('after'), 200, 'written again');
is(records(), 2, 'and recorded');

# Expired items do not go unrecorded either.
sql(qq{BEGIN;
	SELECT dynamo.put_item('Shop', jsonb_build_object('pk', 'expired', 't', floor(extract(epoch FROM now())) - 60)::dynamo.item);
	CREATE OR REPLACE TRIGGER "!dynamo_stream" $row WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture();
	COMMIT});
ok(reported('could not expire items of table "Shop": trigger "!dynamo_stream"'), 'the log tells why they stay');
sql(qq{CREATE OR REPLACE TRIGGER "!dynamo_stream" $ours{'!dynamo_stream'}});
ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.stream('Shop') WHERE event_name = 'REMOVE' AND by_service}) eq '1' }), 'then they go, with a record');

done_testing();

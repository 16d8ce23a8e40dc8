# What a distributed table cannot have is refused where it is switched on, and a
# table that has it is not distributed.  Each refusal says what it is about, and
# requests are served as before.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

my $here = 'SET citus.enable_ddl_propagation = off; SET client_min_messages = error;';
my %switch = (
	'row-level security' => q{ALTER TABLE dynamo_data."%s" ENABLE ROW LEVEL SECURITY},
	'... forced' => q{ALTER TABLE dynamo_data."%s" FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY},
	'leading keys' => q{SELECT dynamo.grant_leading_keys('refused_reader', '%s', 'a*')},
	'a trigger' => q{CREATE TRIGGER look BEFORE INSERT ON dynamo_data."%s" FOR EACH ROW EXECUTE FUNCTION refused_look()},
	'an event source mapping' => q{SELECT dynamo.create_event_source_mapping('%s', 'refused_change', enabled => false)},
	'point-in-time recovery' => q{SELECT dynamo.enable_recovery('%s')});
my $distributed = 'table "Refused" is distributed and cannot';
my %refusal = (
	'row-level security' => qr/$distributed have row-level security\nHINT:  Use dynamo.undistribute_table\(\) first/,
	'... forced' => qr/$distributed have row-level security/,
	'leading keys' => qr/$distributed have row-level security/,
	'a trigger' => qr/triggers are not supported on distributed tables/,
	'an event source mapping' => qr/$distributed have an event source mapping/);
my %obstacle = (
	'row-level security' => qr/Row-level security is enabled/,
	'leading keys' => qr/Row-level security is enabled/,
	'a trigger' => qr/because it has triggers/,
	'an event source mapping' => qr/It has a stream/,
	'point-in-time recovery' => qr/It has point-in-time recovery/);

sub served
{
	my ($what) = @_;
	foreach my $node (0 .. 2)
	{
		my $answer = at($node, 'PutItem', '{"TableName":"Refused","Item":{"id":{"S":"a"}}}');
		is("$answer->{status} $answer->{body}", '200 {}', "$what: node $node serves it");
	}
	return;
}

authenticate('trust');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');
node($_, "$here CREATE ROLE refused_reader") for 0 .. 2;
node(0, "$here CREATE FUNCTION refused_look() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
	CREATE FUNCTION refused_change(records jsonb) RETURNS void LANGUAGE sql AS ''");
node(0, q{SELECT dynamo.create_table('Refused', 'id')});
foreach my $what (sort keys %refusal)
{
	like(node(0, sprintf $switch{$what}, 'Refused'), $refusal{$what}, "$what is refused");
	served($what);
}
like(node(1, $here . sprintf $switch{'row-level security'}, 'Refused'), $refusal{'row-level security'}, 'row-level security is refused on a worker');
served('there');

# Other changes of such a relation are as before.
unlike(node(0, q{ALTER TABLE dynamo_data."Refused" SET (fillfactor = 90); ALTER TABLE dynamo_data."Refused" DISABLE ROW LEVEL SECURITY}), qr/ERROR/, 'what is no obstacle is not refused');

# Nor does a change leave no record, where it is to leave one.
my $alter = q{ALTER TABLE dynamo_data."Refused"};
my %unrecorded = (
	'SET UNLOGGED' => qr/WARNING:  relation "Refused" is unlogged/,
	'SET ACCESS METHOD heap' => qr/WARNING:  relation "Refused" is rewritten without a record/,
	q{ALTER item TYPE dynamo.item USING coalesce(item, '{"id": "a"}'::dynamo.item)} => qr/WARNING:  relation "Refused" is rewritten without a record/);
my %back = ('SET UNLOGGED' => 'SET LOGGED', 'SET ACCESS METHOD heap' => 'SET ACCESS METHOD dynamo');
foreach my $what ('stream', 'recovery')
{
	unlike(node(0, qq{SELECT dynamo.enable_$what('Refused')}), qr/ERROR/, "$what");
	like(node(0, "BEGIN; $alter $_; ROLLBACK"), $unrecorded{$_}, "... and a warning: $_") for sort keys %unrecorded;
	unlike(node(0, qq{SELECT dynamo.disable_$what('Refused')}), qr/ERROR/, "no $what");
	foreach my $how (sort keys %back)
	{
		unlike(node(0, "$alter $how"), qr/ERROR|WARNING/, "... and no warning: $how");
		like(node(0, qq{SELECT dynamo.enable_$what('Refused')}), qr/relation "Refused" cannot have a stream, or point-in-time recovery/, "... no $what then");
		unlike(node(0, "$alter $back{$how}"), qr/ERROR/, $back{$how});
	}
}
served('at last');

# The other way round.
foreach my $what (sort keys %obstacle)
{
	my $stream = $what =~ /mapping/ ? q{SELECT dynamo.enable_stream('Own');} : '';
	unlike(node(0, qq{$here SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Own', 'id'); $stream} . sprintf $switch{$what}, 'Own'),
		qr/ERROR/, "a table of one node with $what");
	like(node(0, q{SELECT dynamo.distribute_table('Own')}), $obstacle{$what}, '... is not distributed');
	unlike(node(0, q{SELECT dynamo.drop_table('Own')}), qr/ERROR/, '... and stays as it was');
}

# A relation need not have the table's name.
my $relation = q{SELECT relation FROM dynamo.tables WHERE table_name = 'Refused'};
unlike(node(0, q{ALTER TABLE dynamo_data."Refused" RENAME TO refused_relation}), qr/ERROR/, 'its relation gets another name');
served('by that name');
unlike(node(0, q{SELECT dynamo.undistribute_table('Refused')}), qr/ERROR/, 'it is gathered');
is(node(0, $relation), 'dynamo_data.refused_relation', '... in a relation of that name');
is(node(0, q{SELECT item->>'id' FROM dynamo.scan('Refused')}), 'a', '... with its items');
unlike(node(0, q{SELECT dynamo.distribute_table('Refused')}), qr/ERROR/, '... and distributed');
served('again');

node(0, q{SELECT dynamo.drop_table('Refused')});
node(0, "$here DROP FUNCTION refused_look(); DROP FUNCTION refused_change(jsonb)");
node($_, "$here DROP ROLE refused_reader") for 0 .. 2;
authenticate('DEFAULT');
done_testing();

# The relation of a table may be in schema public, which Citus leaves out of the names
# of shards.  Each node knows its shards all the same: it serves requests for them, and
# what is written there is recorded.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use List::Util qw(sum);
use Test::More;
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster;
use HttpClient;

# How many records all nodes have of the table's stream, or entries of its journal.
sub recorded
{
	my ($pieces, $where) = @_;
	my $count = join ' + ', map { "(SELECT count(*) FROM dynamo_internal.$_ AS r WHERE $where)" } @$pieces;
	return sum map { node($_, "SELECT $count") } 0 .. 2;
}

authenticate('trust');
ok(wait_for(sub { (at(0, 'ListTables', '{}')->{status} // 0) == 200 }), 'served');
node(0, q{SET dynamo.distribute_new_tables = off; SELECT dynamo.create_table('Public', 'id')});
unlike(node(0, q{ALTER TABLE dynamo_data."Public" SET SCHEMA public; SELECT dynamo.distribute_table('Public')}),
	qr/ERROR/, 'a table whose relation is in schema public is distributed');
unlike(node(0, q{SELECT dynamo.enable_stream('Public'); SELECT dynamo.enable_recovery('Public')}), qr/ERROR/, 'it has a stream and recovery');

my @answers = map { answer($_ % 3, 'PutItem', qq({"TableName":"Public","Item":{"id":{"S":"k$_"}}})) } 1 .. 30;
is(scalar(grep { $_ eq '200 {}' } @answers), 30, 'all nodes serve it') or diag "@answers";
is(recorded([ map { "stream_records_$_" } 0 .. 7 ], q{r.stream = (SELECT t.stream_id FROM dynamo.streams AS t WHERE t.table_name = 'Public')}),
	30, 'each change has a record');
is(recorded([ map { "journal_$_" } 0 .. 19 ], q{r.recovery = (SELECT p.recovery_id FROM dynamo_internal.recovery AS p WHERE p.relation = 'public."Public"'::regclass)}),
	30, 'and an entry of the journal');

node(0, q{SELECT dynamo.disable_stream('Public'); SELECT dynamo.disable_recovery('Public'); SELECT dynamo.drop_table('Public')});
authenticate('DEFAULT');
done_testing();

# Citus sends constants to other nodes as text.  Those that a sort key is compared
# with are numbers there, too, and no strings.  And it finds the shard of a
# partition key that is a parameter, whatever its type is.
# Run by test/distributed/run, with a cluster.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Cluster;

node(0, q{SELECT dynamo.create_table('Constants', 'id', 'at N')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Constants', '{"id": "k$_", "at": $_}')} } 1 .. 9);

# How many items of all shards meet the condition.
sub found { return node(0, qq{SELECT count(*) FROM dynamo_data."Constants" WHERE $_[0]}) }

is(found('sk > 5'), 4, 'numbers that are greater than one');
is(found('sk = 5'), 1, 'equal');
is(found('sk IN (1, 2.0)'), 2, 'equal to one of several');
is(found('sk BETWEEN 3 AND 4::bigint'), 2, 'between two');
is(found(q{sk < '5'::text}), 0, 'and a string is before all numbers');
node(0, q{PREPARE mark (text) AS UPDATE dynamo_data."Constants" SET item = dynamo.item_set(item, '{v}', '1') WHERE pk = $1; EXECUTE mark('k1')});
is(found(q{item ->> 'v' = '1'}), 1, 'an item is changed whose key is a parameter of type text');
node(0, q{DELETE FROM dynamo_data."Constants" WHERE sk > extract(epoch FROM now())::bigint});
is(found('true'), 9, 'nothing is deleted that is not greater than what a function gives');
node(0, q{DELETE FROM dynamo_data."Constants" WHERE sk < extract(epoch FROM now())::bigint});
is(found('true'), 0, 'and what is less is');

# Parameters that are numbers, and variables of PL/pgSQL, which are parameters.
node(0, q{SELECT dynamo.create_table('Params', 'n N')});
node(0, join ';', map { qq{SELECT dynamo.put_item('Params', '{"n": $_}')} } 1 .. 9);
node(0, q{PREPARE gone (int) AS DELETE FROM dynamo_data."Params" WHERE pk = $1; EXECUTE gone(5)});
node(0, q{DO $$ DECLARE k numeric := 6; BEGIN DELETE FROM dynamo_data."Params" WHERE k = pk; END $$});
is(node(0, q{SELECT string_agg(item ->> 'n', ' ' ORDER BY item ->> 'n') FROM dynamo_data."Params"}), '1 2 3 4 7 8 9', 'items are deleted whose keys are numbers');

node(0, q{SELECT dynamo.drop_table('Constants'); SELECT dynamo.drop_table('Params')});
done_testing();

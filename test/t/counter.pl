# Many clients add to one item at once: no increment is lost, and nobody is
# told of a conflict that was none of his doing.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp;
use Test::More;
use lib dirname(__FILE__);
use Server;

# An ADD of 1 to the attribute "n" of the item (pk, sk), as a pgbench script.
# sk may contain :shard.
sub add_script
{
	my ($pk, $sk) = @_;
	return qq{SELECT dynamo.update_item('Counter', jsonb_build_object('pk', '$pk', 'sk', $sk)::dynamo.item, 'ADD n :one', '{":one": 1}');\n};
}

# Run the script in so many clients, each so many times, in at most 600 seconds.
# More options of pgbench may follow.  Returns true if every one succeeded.
sub clients_succeed
{
	my ($clients, $times, $script, @options) = @_;
	my $file = File::Temp->new(SUFFIX => '.sql');
	print $file $script;
	close $file;
	my ($out, $status) = run("timeout 600 pgbench -n -M simple @options -c $clients -j 2 -t $times -f $file");
	my $done = $status == 0
	  && $out =~ m{actually processed: (\d+)/}
	  && $1 == $clients * $times;
	diag $out unless $done;
	return $done;
}

sub count_of
{
	my ($pk) = @_;
	return psql(qq{SELECT sum((item->>'n')::numeric) FROM dynamo.query('Counter', 'pk = :p', '{":p": "$pk"}')});
}

start_server();
psql('CREATE EXTENSION dynamo');

# What a crash would leave is not asked here, and waiting for disks takes time.
psql('ALTER DATABASE postgres SET synchronous_commit = off');
psql(q{SELECT dynamo.create_table('Counter', 'pk', 'sk'), dynamo.create_index('Counter', 'ByN', 'kind', 'n', sort_key_type => 'N')});

ok(clients_succeed(2, 10_000, add_script('two', "'all'")),
	'two clients add 10,000 times each');
is(count_of('two'), 20_000, 'two clients: every ADD counts');

# In REPEATABLE READ the later of two is told so, and tries again: as often as it
# takes, for it may lose a thousand times to one that is quicker.
ok( clients_succeed(
		2, 10_000,
		"BEGIN ISOLATION LEVEL REPEATABLE READ;\n" . add_script('repeatable', "'all'") . "COMMIT;\n",
		'--max-tries=1000000'),
	'two clients in REPEATABLE READ add 10,000 times each');
is(count_of('repeatable'), 20_000, 'REPEATABLE READ: every ADD counts, and none twice');

# An item in an index by what is counted: each ADD moves it there.
psql(q{SELECT dynamo.put_item('Counter', '{"pk": "hot", "sk": "all", "kind": "hot", "n": 0}')});
ok(clients_succeed(16, 500, add_script('hot', "'all'")),
	'sixteen clients add 500 times each to one item');
is(count_of('hot'), 8_000, 'sixteen clients: every ADD counts');
is( psql(q{SELECT string_agg(item->>'n', ' ') FROM dynamo.query('Counter', 'kind = :k', '{":k": "hot"}', index_name => 'ByN')}),
	'8000',
	'sixteen clients: the index has the item once, as it is');

# Nobody made the shards: who comes first creates, who comes second adds.
ok( clients_succeed(
		16, 200,
		"\\set shard random(0, 9)\n" . add_script('sharded', "'SHARD#' || :shard::int")),
	'sixteen clients add 200 times each to ten shards');
is(count_of('sharded'), 3_200, 'shards: one Query sums up every ADD');
is(psql(q{SELECT count(*) FROM dynamo.query('Counter', 'pk = :p', '{":p": "sharded"}')}),
	10, 'shards: each is there once');

# The same through the door of the API.
ok( clients_succeed(
		8, 200,
		qq{SELECT dynamo.call('UpdateItem', '{"TableName": "Counter", "Key": {"pk": {"S": "api"}, "sk": {"S": "all"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}');\n}),
	'eight clients send UpdateItem 200 times each');
is(count_of('api'), 1_600, 'UpdateItem: every ADD counts');

# A unit of stock is sold once: clients that find none left are told so.
psql(q{SELECT dynamo.put_item('Counter', '{"pk": "stock", "sk": "all", "n": 500}')});
ok( clients_succeed(
		8, 100,
		qq{SELECT dynamo.try_call('UpdateItem', '{"TableName": "Counter", "Key": {"pk": {"S": "stock"}, "sk": {"S": "all"}}, "UpdateExpression": "SET n = n - :one ADD sold :one", "ConditionExpression": "n >= :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}');\n}),
	'eight clients want 800 units of 500');
is( psql(q{SELECT concat(item->>'n', ' left, ', item->>'sold', ' sold') FROM dynamo.get_item('Counter', '{"pk": "stock", "sk": "all"}')}),
	'0 left, 500 sold',
	'stock: never below zero, and every unit is sold');

# Under a trigger, who finds the key taken and then gone has not added yet: what
# is added is taken away, or still there.
psql(q{
	CREATE TABLE taken (n int);
	CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(new, old); END';
	CREATE TRIGGER pass BEFORE INSERT OR UPDATE OR DELETE ON dynamo_data."Counter" FOR EACH ROW EXECUTE FUNCTION pass();
});
ok( clients_succeed(
		16, 500,
		"\\set take random(0, 1)\n\\if :take\n"
		  . qq{INSERT INTO taken SELECT (dynamo.delete_item('Counter', '{"pk": "trigger", "sk": "all"}', return_values => 'ALL_OLD') ->> 'n')::int;\n}
		  . "\\else\n" . add_script('trigger', "'all'") . "\\endif\n"),
	'sixteen clients add to an item under a trigger, or take it away, 500 times each');
is( psql('SELECT count(*) + sum(n) FROM taken') + (count_of('trigger') || 0),
	8_000,
	'trigger: what was added was taken away, or is there');
done_testing();

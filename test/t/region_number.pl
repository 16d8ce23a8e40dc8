# An item that is written again before anybody has read it keeps its place in the feed.
# Nobody reads past that place until the transaction has ended: otherwise what it writes
# would be sent to nobody.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
my @names = ('us', 'eu');
make_regions(@names);
sql(q{SELECT dynamo.create_table('Shop', 'id'); SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i, 'v', 'first')::dynamo.item)) FROM unnest('{a,b,c,d}'::text[]) AS i;
	SELECT dynamo_internal.add_replica('Shop', 'eu')}, 'us');
is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', 'a replica in eu');
await_sql('SELECT count(*) FROM dynamo.replicas', '1', 'eu');
settle('Shop', @names);

sub put
{
	my ($id, $v) = @_;
	return qq(SELECT dynamo.put_item('Shop', '{"id": "$id", "v": "$v"}'));
}

sub number
{
	my ($id) = @_;
	return qq(SELECT number FROM dynamo_internal.item_versions WHERE keys->>'id' = '$id');
}

# What has been read goes to the end.
my $read = sql(number('a'), 'us');
sql(put('a', 'again'), 'us');
cmp_ok(sql(number('a'), 'us'), '>', $read, 'another place for an item that was read');

# What this transaction has written nobody has read.
sql(put('a', 'x'), 'us');
my @numbers = grep { /\d/ } split /\s+/, sql(join('; ', 'BEGIN', put('b', 'one'), number('b'), put('b', 'two'), number('b'),
	q{SELECT dynamo.delete_item('Shop', 'b')}, number('b'), put('b', 'three'), number('b'), 'COMMIT'), 'us');
is(scalar @numbers, 4, 'an item is written four times');
is("@numbers", join(' ', ($numbers[0]) x 4), '... in one place');
sql(join('; ', 'BEGIN', put('d', 'one'), 'SAVEPOINT s', put('d', 'two'), 'ROLLBACK TO s', 'COMMIT'), 'us');
settle('Shop', @names);
is(await_sql(q{SELECT string_agg(item->>'v', ' ' ORDER BY item->>'id') FROM dynamo.scan('Shop') WHERE item->>'id' IN ('b', 'd')}, 'three one', 'eu'), 'three one', '... and sent as it is then');

# Nor what another has written while nobody reads: no background can be in us.
my $eu = q{SELECT item->>'v' FROM dynamo.get_item('Shop', 'c')};
my $file = directory() . '/number';

sub answer
{
	my ($session, $sql) = @_;
	unlink $file;
	print $session "\\o | cat >$file.new && mv $file.new $file\n$sql;\n\\o\n";
	wait_for(sub { -e $file }, 60);
	open my $in, '<', $file or die;
	my $answer = join '', <$in>;
	return $answer =~ /(\d+)\s*\n\(1 row/ ? $1 : $answer;
}
my ($one, $two) = map { session("SET application_name = $_", undef, 'us') } 'one', 'two';
answer($_, 'SELECT 1') foreach $one, $two;
sql('ALTER DATABASE us ALLOW_CONNECTIONS false');
wait_for(sub {
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'us' AND application_name NOT IN ('one', 'two')});
	return sql(q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'us'}) eq '2';
}, 120);
answer($one, put('c', 'one'));
my $place = answer($one, number('c'));
answer($two, 'BEGIN');
answer($two, put('c', 'two'));
is(answer($two, number('c')), $place, 'a transaction writes what another has written, in its place');
is(sql($eu, 'eu'), 'first', '... which nobody has read');
my $now = sql('SELECT clock_timestamp()');
sql('ALTER DATABASE us ALLOW_CONNECTIONS true');
is(await_turn('us'), '0', 'nor is it read now');
is(sql($eu, 'eu'), 'first', '... while the transaction goes on');
is(sql("SELECT sent_until < '$now' FROM dynamo.replicas", 'us'), 't', '... and it is not said that all is sent');
answer($two, 'COMMIT');
is(await_sql($eu, 'two', 'eu'), 'two', 'but once it has ended');
is(await_sql("SELECT sent_until > '$now' FROM dynamo.replicas", 't', 'us'), 't', '... and that is said');
close $_ foreach $one, $two;
settle('Shop', @names);
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'both have the same');
done_testing();

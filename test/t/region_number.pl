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

# Nor what another has written while nobody reads; a turn that has begun may yet.
my $eu = q{SELECT item->>'v' FROM dynamo.get_item('Shop', 'c')};
my $file = directory() . '/number';
my ($writer, $committed, $before);
ok(wait_for(sub {
	close $writer if $writer;
	sql(q{UPDATE dynamo_internal.replicas SET retry_at = NULL}, 'us');
	settle('Shop', @names);
	$before = sql($eu, 'eu');
	sql(q{UPDATE dynamo_internal.replicas SET retry_at = now() + interval '1 hour'}, 'us');
	sql(put('c', 'one'), 'us');
	$committed = sql(number('c'), 'us');
	unlink $file;
	$writer = session('BEGIN; ' . put('c', 'two'), undef, 'us');
	print $writer "\\o | cat >$file.new && mv $file.new $file\n", number('c'), ";\n\\o\n";
	wait_for(sub { -e $file }, 60);
	open my $in, '<', $file or die;
	my $kept = join '', <$in>;
	return $kept =~ /\b$committed\b/;
}, 120), 'a transaction writes what another has written, in its place');
is(sql($eu, 'eu'), $before, '... which nobody has read');
my $now = sql('SELECT clock_timestamp()', 'us');
sql(q{UPDATE dynamo_internal.replicas SET retry_at = NULL}, 'us');
is(await_sql("SELECT sent_until > '$now' FROM dynamo.replicas", 't', 'us'), 't', 'nor is it read now');
is(sql($eu, 'eu'), $before, '... while the transaction goes on');
print $writer "COMMIT;\n";
is(await_sql($eu, 'two', 'eu'), 'two', 'but once it has ended');
close $writer;
settle('Shop', @names);
is(digest('Shop', 'us'), digest('Shop', 'eu'), 'both have the same');
done_testing();

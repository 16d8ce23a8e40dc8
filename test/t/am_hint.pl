# An update of an item that failed on its way to the table says nothing of the next one,
# which may change index keys.
use strict;
use warnings;
use File::Basename qw(dirname);
use IPC::Open2 qw(open2);
use Test::More;
use lib dirname(__FILE__);
use Server;

plan skip_all => 'no prlimit' if system('command -v prlimit >/dev/null') != 0;
start_server('autovacuum = off');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id', 'at'); SELECT dynamo.create_index('Shop', 'ByCity', 'city');
	SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', (i / 100)::text, 'at', i::text, 'city', 'Rome', 'v', repeat('x', 1500))::text::dynamo.item)) FROM generate_series(1, 14000) i});
# Nobody removes an old version.
sql(q{BEGIN; CREATE TABLE public.old (); PREPARE TRANSACTION 'old'});
my $path = directory() . '/data/' . sql(q{SELECT pg_relation_filepath('dynamo_data."Shop"')});

# A session, whose statements end with a line that tells so.
my %env = environment();
my ($out, $in);
my $pid = do { local %ENV = (%ENV, %env); open2($out, $in, 'psql -X -q -A -t 2>&1') };
sub say_in
{
	my ($sql) = @_;
	print $in "$sql;\n\\echo done\n";
	my $text = '';
	while (defined(my $line = readline $out))
	{
		last if $line eq "done\n";
		$text .= $line;
	}
	return $text;
}
my $backend = say_in('SELECT pg_backend_pid()') =~ s/\n//r;
is(say_in(q{SELECT dynamo.update_item('Shop', '{"id": "0", "at": "1"}', 'SET n = :n', '{":n": 1}')}), "\n", 'an update of no key');

# No page has room for the next version, and no file can be longer, the log's 16 MB excepted.
my $size = -s $path;
ok(as_server_user("prlimit", "--pid", $backend, "--fsize=$size:"), 'the table cannot grow');
my $failed;
for my $i (1 .. 100) { last if ($failed = say_in(q{SELECT dynamo.update_item('Shop', '{"id": "0", "at": "1"}', 'SET n = :n', '{":n": 2}')})) =~ /ERROR/ }
like($failed, qr/ERROR: +could not extend file/, 'an update fails');
ok(as_server_user("prlimit", "--pid", $backend, "--fsize=unlimited:"), 'it can again');
is(say_in(q{UPDATE dynamo_data."Shop" SET item = item || '{"city": "Oslo"}' WHERE item ->> 'at' = '1'}), '', 'an update of a key by SQL');
is(say_in(q{SELECT item ->> 'at' FROM dynamo.query('Shop', 'city = :c', '{":c": "Oslo"}', index_name => 'ByCity')}), "1\n", 'is in the index');
print $in "\\q\n";
waitpid $pid, 0;
done_testing();

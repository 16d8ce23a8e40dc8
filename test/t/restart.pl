# After a crash every acknowledged write is there, and no half of a transaction.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use lib dirname(__FILE__);
use Server;

# Write until the connection dies: a log item, and a counter that counts log
# items.  Returns the number of the last transaction that psql saw committed.
sub write_until_crash
{
	my ($round) = @_;
	pipe my $acknowledged, my $out or die;
	my $pid = fork // die;
	if ($pid == 0)
	{
		open STDOUT, '>&', $out;
		open STDERR, '>', '/dev/null';
		%ENV = (%ENV, environment());
		open my $psql, '|-', qw(psql -XAtq -v ON_ERROR_STOP=1) or die;
		$psql->autoflush(1);
		local $SIG{PIPE} = 'IGNORE';
		foreach my $n (1 .. 100_000)
		{
			print $psql qq{SELECT max(ordinal) * 0 + $n FROM dynamo.transact_write('[
				{"Put": {"TableName": "Log", "Item": {"pk": "$round", "sk": $n, "kind": "entry"}}},
				{"Update": {"TableName": "Log", "Key": {"pk": "counter", "sk": 0},
					"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": 1}}}]');\n}
			  or last;
		}
		close $psql;
		POSIX::_exit(0);    # and not through END
	}
	close $out;
	my $last = 0;
	while (my $line = <$acknowledged>)
	{
		$last = $1 if $line =~ /^(\d+)$/;
		server('crash') if $last == 300;
	}
	waitpid $pid, 0;
	return $last;
}

start_server();
psql('CREATE EXTENSION dynamo');
psql(q{SELECT dynamo.create_table('Log', 'pk', 'sk', sort_key_type => 'N'),
	dynamo.create_index('Log', 'ByKind', 'kind', 'sk', sort_key_type => 'N')});
psql(q{INSERT INTO dynamo_data."Log" (item)
	SELECT jsonb_build_object('pk', 'loaded', 'sk', n, 'text', repeat('x', 200))::dynamo.item
	FROM generate_series(1, 2000) n});

my $total = 0;
foreach my $round (1 .. 3)
{
	my $last = write_until_crash("round$round");
	ok($last >= 300, "round $round: transactions were acknowledged");
	server('restart');

	my $written =
	  psql(qq{SELECT count(*) FROM dynamo.query('Log', 'pk = :p', '{":p": "round$round"}')});
	ok($written == $last || $written == $last + 1,
		"round $round: acknowledged $last, found $written");
	$total += $written;
	is( psql(q{SELECT item->>'n' FROM dynamo.get_item('Log', '{"pk": "counter", "sk": 0}')}),
		$total,
		"round $round: no transaction is there by half");
	is( psql(q{SELECT count(*) FROM dynamo.query('Log', 'kind = :k', '{":k": "entry"}', index_name => 'ByKind')}),
		$total,
		"round $round: the index has every entry");
	is(psql('SELECT count(*) FROM dynamo.scan(\'Log\')'),
		$total + 2001, "round $round: a scan sees every item");
}

is( psql(q{SELECT count(*) FROM dynamo.query('Log', 'pk = :p', '{":p": "loaded"}')}),
	2000, 'items loaded before are there');
is( psql(q{SELECT count(*) FROM (SELECT dynamo.to_json(item)::text FROM dynamo_data."Log"
		EXCEPT ALL SELECT dynamo.to_json(item)::text FROM dynamo.scan('Log')) d}),
	0, 'a plain table scan and a Scan agree');
done_testing();

# A Query whose items are on disk asks for the pages that come next before it needs
# them, as many at a time as effective_io_concurrency says: without that, each was
# waited for on its own.  A Query in memory asks for none, and one that ends early
# for few.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
system('cc', '-shared', '-fPIC', '-o', "$dir/look_ahead.so", dirname(__FILE__) . '/look_ahead.c', '-ldl') == 0
  or BAIL_OUT('could not build look_ahead.c');
open my $file, '>', "$dir/asked" or die;
close $file;
chmod 0666, "$dir/asked";
{
	local @ENV{qw(LD_PRELOAD ASKED)} = ("$dir/look_ahead.so", "$dir/asked");
	start_server("shared_buffers = 16MB\nautovacuum = off");
}

# 40 collections that grow side by side, of 20 items, two to a page; and an index
# whose 20 entries of a key are of 20 collections.
psql('CREATE EXTENSION dynamo',
	q{DO $$ BEGIN
		PERFORM dynamo.create_table('Shop', 'pk', 'sk');
		PERFORM dynamo.create_index('Shop', 'by_visit', 'visit');
	END $$},
	'ALTER TABLE dynamo_data."Shop" ALTER item SET STORAGE PLAIN',
	q{INSERT INTO dynamo_data."Shop" (item)
		SELECT jsonb_build_object('pk', 'p' || i % 40, 'sk', to_char(i / 40, 'FM00'),
			'visit', 'd' || (i % 40 + i / 40) % 40, 'body', repeat('x', 3500))::dynamo.item
		FROM generate_series(0, 799) i},
	'CHECKPOINT');

# How many pages a statement asks for ahead; in a server that has just started,
# unless it is "warm".
sub asked
{
	my ($concurrency, $sql, $warm) = @_;
	if (!$warm)
	{
		local @ENV{qw(LD_PRELOAD ASKED)} = ("$dir/look_ahead.so", "$dir/asked");
		server('halt');
		server('restart');
	}
	my $before = -s "$dir/asked";
	psql("SET effective_io_concurrency = $concurrency", $sql);
	return (-s "$dir/asked") - $before;
}

my $index = q{SELECT count(*) FROM dynamo.query('Shop', 'visit = :d', '{":d": "d7"}', index_name => 'by_visit')};
my $collection = q{SELECT count(*) FROM dynamo.query('Shop', 'pk = :p', '{":p": "p7"}')};

# The first page is needed at once, so 19 are left.
is(psql($index), '20', 'the index has 20 entries of the key');
is(asked(16, $index), 19, 'each further page of a Query on an index is asked for');
is(asked(16, $index, 'warm'), 0, 'none when they are in memory');
is(asked(1, $index), 19, 'each with a concurrency of 1, too, one by one');
is(asked(0, $index), 0, 'none if the setting says so');
is(asked(16, $index =~ s/index_name/scan_index_forward => false, index_name/r), 19, 'backward, too');
cmp_ok(asked(16, q{SELECT item FROM dynamo.query('Shop', 'visit = :d', '{":d": "d7"}', index_name => 'by_visit') LIMIT 1}),
	'<=', 3, 'few by one that ends early');
my $pages = psql(q{SELECT count(DISTINCT (ctid::text::point)[0]) FROM dynamo_data."Shop" WHERE item->>'pk' = 'p7'});
is(asked(16, $collection), $pages - 1, 'the pages of a collection');
done_testing();

# Backups and the journal of point-in-time recovery are ordinary tables: a
# standby has them.  The primary is lost, with one transaction open that is in
# the journal; after the promotion tables are restored from the backup and to
# times before, and the journal goes on.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;
use Standby;

my $PATIENCE = 120;
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_wal_senders = 4\nautovacuum = off\n");

# What a table has: so many items of each n.
sub counts
{
	my ($arguments) = @_;
	return there(qq{SELECT string_agg(n || ': ' || count, ', ' ORDER BY n) FROM
		(SELECT item->>'n', count(*) FROM dynamo.scan($arguments) GROUP BY 1) g (n, count)});
}

sub marked
{
	my ($changes) = @_;
	sql($changes);
	return sql('SELECT dynamo.mark_recovery()');
}

# A transaction that has made this change, and stays.
sub open_transaction
{
	my ($change) = @_;
	return in_transaction("BEGIN; SELECT $change");
}

sql(q{CREATE EXTENSION dynamo;
	CREATE FUNCTION fill(n int) RETURNS bigint LANGUAGE sql AS
		$$SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', i::text, 'n', n, 'filler', repeat('x', 3000))::dynamo.item)) FROM generate_series(1, 40) i$$;
	SELECT dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop')});
my @time = (marked('SELECT fill(0)'));
my $arn = sql(q{SELECT dynamo.create_backup('Shop', 'one')});
start_standby();

# One that is open to the end, and one that commits after a time was marked.
my $lost = open_transaction(q{dynamo.put_item('Shop', '{"id": "lost", "n": 8}')});
my $late = open_transaction(q{dynamo.put_item('Shop', '{"id": "late", "n": 9}')});
push @time, marked('SELECT fill(1)');
print $late "COMMIT;\n";
close $late;
push @time, marked(q{SELECT fill(2); SELECT dynamo.delete_item('Shop', '{"id": "7"}')});

follows() or die 'the standby is behind';
is(counts("'Shop', as_of => '$time[1]'"), '1: 40', 'a standby shows the past');
is(there('SELECT backup_name, item_count FROM dynamo.backups'), 'one 40', 'and backups');
like(there(qq{SELECT dynamo.restore_table('Back', backup_arn => '$arn')}), qr/^ERROR: .*(?:read-only transaction|during recovery)/, 'it restores nothing');

server('crash');
close $lost;
standby_control('promote') or die 'no promotion';
is(counts(q{'Shop'}), '2: 39, 9: 1', 'after its promotion the table has what was committed');
is(counts(q{'Shop', as_of => clock_timestamp()}), '2: 39, 9: 1', 'and the present can be asked for at once');
there(qq{SELECT dynamo.restore_table('Back', backup_arn => '$arn')});
is(counts(q{'Back'}), '0: 40', 'a restore from the backup');

# What each time had; the journal goes on after the promotion.
my @expected = ('0: 40', '1: 40', '2: 39, 9: 1', '3: 40, 9: 1');
sub check_times
{
	my ($when) = @_;
	foreach my $i (0 .. $#time)
	{
		there("SELECT dynamo.restore_table('$when$i', 'Shop', '$time[$i]')");
		is(counts("'$when$i'"), $expected[$i], "a restore to time $i, $when new changes");
	}
	return;
}
check_times('before');
there('SELECT fill(3)');
push @time, there('SELECT dynamo.mark_recovery()');
check_times('after');
done_testing();

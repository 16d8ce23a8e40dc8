# Attacker: nobody.  The owner of a database has it read only for a while, by
# default_transaction_read_only, for a backup or since it is a copy.
# Wants: that no background process writes to it, or fills the log with that it
# cannot.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s");
sql('CREATE DATABASE frozen');
foreach my $database (qw(frozen postgres))
{
	sql(q{
		CREATE EXTENSION dynamo;
		SELECT dynamo.create_table('Shop', 'id');
	}, $database);
}
sql('ALTER DATABASE frozen SET default_transaction_read_only = on');

# As for any session, it holds for those that begin later.
sql(q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'frozen' AND backend_type = 'dynamo background'});

# An item that has expired.
sub put
{
	my ($database) = @_;
	sql(q{
		SET default_transaction_read_only = off;
		SELECT dynamo.enable_ttl('Shop', 'ttl');
		SELECT dynamo.put_item('Shop', jsonb_build_object('id', 'a', 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item);
	}, $database);
	return;
}
sub items { return sql(q{SELECT count(*) FROM dynamo.scan('Shop')}, $_[0]) }

# A round goes through all databases: after two more, it has been in each.
put('frozen');
foreach my $round (1 .. 3)
{
	put('postgres');
	ok(wait_for(sub { items('postgres') eq '0' }), "round $round");
}
is(items('frozen'), '1', 'nothing expires in a database that is read only');
open my $log, '<', directory() . '/log' or die;
is(scalar(grep { /could not expire|read-only/ } <$log>), 0, 'and nobody tries');
close $log;
sql('ALTER DATABASE frozen SET default_transaction_read_only = off');
ok(wait_for(sub { items('frozen') eq '0' }), 'when it is writable, they expire');
done_testing();

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

# The log has each process that is started.
start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 1s\nlog_min_messages = debug1");
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

# What has been logged.
sub lines
{
	my ($pattern) = @_;
	open my $log, '<', directory() . '/log' or die;
	my @found = grep { /$pattern/ } <$log>;
	close $log;
	return scalar @found;
}
my $visit = qr/starting background worker process "dynamo background of frozen"/;

# When a process has come for the second time, the first one has left.
put('frozen');
put('postgres');
my $before = lines($visit);
ok(wait_for(sub { lines($visit) >= $before + 2 }, 120), 'processes come, and leave');
ok(wait_for(sub { items('postgres') eq '0' }), 'items expire elsewhere');
is(items('frozen'), '1', 'nothing expires in a database that is read only');
is(lines(qr/could not expire|read-only/), 0, 'and nobody tries');
sql('ALTER DATABASE frozen SET default_transaction_read_only = off');
ok(wait_for(sub { items('frozen') eq '0' }), 'when it is writable, they expire');
done_testing();

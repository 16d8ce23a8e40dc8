# HTTP that is switched on while databases that need a process each have all slots gets
# one of these, and the databases take turns at the rest. It had waited for ever.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;

# One slot is core's, one the launcher's, two are left.
start_server("shared_preload_libraries = dynamo\nmax_worker_processes = 4\nautovacuum = off\n"
	  . "dynamo.http_port = 0\ndynamo.http_listen_addresses = '127.0.0.1'\ndynamo.http_workers = 1\ndynamo.ttl_interval = 0\n");

sub processes
{
	my ($type, $database) = @_;
	return sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = '$type' AND datname = '$database'");
}

sql('CREATE DATABASE two');
sql(q{CREATE EXTENSION dynamo; SELECT FROM dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop')}, $_) foreach qw(postgres two);
foreach my $database (qw(postgres two))
{
	ok(wait_for(sub { processes('dynamo background', $database) eq '1' }, $PATIENCE), "database $database has a process");
}
chomp(my $port = qx{'@{[dirname(__FILE__)]}/../free-port'});
set('dynamo.http_port', $port);
ok(wait_for(sub { processes('dynamo http worker', 'postgres') eq '1' }, $PATIENCE), 'HTTP has one, too');
foreach my $round (1 .. 2)
{
	foreach my $database (qw(two postgres))
	{
		ok(wait_for(sub { processes('dynamo background', $database) eq '1' }, $PATIENCE), "database $database has its turn");
	}
}
is(processes('dynamo http worker', 'postgres'), '1', 'and HTTP stays');
done_testing();

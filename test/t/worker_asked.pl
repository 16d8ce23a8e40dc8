# What a background process was asked for when it is told to end is done by the next.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 3600s\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/src") or die;
sql(qq{ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()});
sql(qq{COPY (SELECT '{"Item":{"id":{"S":"1"}}}') TO '$buckets/src/one.json'});
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id'), dynamo.enable_recovery('Tab')});

# A table with recovery keeps a process.  It is told to end when it has not yet looked at
# what it is asked for.
sub pid { return sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo background'}) }
my $pid = '';
ok(wait_for(sub { my $before = $pid; sleep 2; ($pid = pid()) =~ /\A\d+\z/ && $pid eq $before }), 'a process stays');

# Where it waits: one that writes the log to disk would keep everybody from that.
wait_for(sub {
	kill 'STOP', $pid or die;
	return 1 if sql("SELECT wait_event_type FROM pg_stat_activity WHERE pid = $pid") eq 'Extension';
	kill 'CONT', $pid;
	return 0;
});
like(sql(q{SELECT dynamo.import_table('Imported', 'src', 'id')}), qr/import/, 'it is asked for an import');
kill 'TERM', $pid;
kill 'CONT', $pid;
ok(wait_for(sub { my $now = pid(); $now ne $pid && $now ne '' }), 'another one comes');
ok(wait_for(sub { sql(q{SELECT status FROM dynamo.jobs}) eq 'COMPLETED' }), 'and does it');
done_testing();

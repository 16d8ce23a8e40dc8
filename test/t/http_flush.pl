# An answer waits for the disk if its request has committed something, and only
# then: a read may write, too, when it prunes a page.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

# Nobody but who commits flushes the log, and the background writer logs nothing for
# standbys, as it does every 15 seconds.
start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\n"
	  . "dynamo.ttl_interval = 0\nautovacuum = off\nwal_writer_delay = 10s\n"
	  . "bgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1h\n"
	  . "wal_level = minimal\nmax_wal_senders = 0\n");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id')});
wait_for(sub { connection() }) or die 'nothing is served';

# How much of the log is not on disk?
sub unflushed { return sql('SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn()') }
sub put { return call('PutItem', qq({"TableName":"Shop","Item":{"id":{"S":"a"},"n":{"S":"$_[0]"}}})) }
sub get { return call('GetItem', '{"TableName":"Shop","Key":{"id":{"S":"a"}}}') }

is(put('x' x 700)->{status}, 200, 'a write');
is(unflushed(), 0, '... is on disk when it is answered');

# Old versions fill the page, and the reader that finds it full prunes it.
my $unflushed = 0;
for my $n (1 .. 30)
{
	sql("SELECT dynamo.update_item('Shop', '{\"id\": \"a\"}', 'SET i = :i', '{\":i\": $n}')");
	get();
	$unflushed = unflushed();
	last if $unflushed > 0;
}
cmp_ok($unflushed, '>', 0, 'a read has written, and did not wait for the disk');
is(put('y')->{status}, 200, 'a write after it');
is(unflushed(), 0, '... is on disk, and all before it');
done_testing();

# A change that was committed asynchronously is in the log, but not on disk yet.
# Once a consumer was told of it, no crash takes it back.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

# The log is written to disk by whoever wants it there, or else seldom.
start_server("fsync = on\nsynchronous_commit = off\nwal_writer_delay = 10s\nwal_writer_flush_after = 1GB\nautovacuum = off");
psql('CREATE EXTENSION dynamo', q{DO $$ BEGIN PERFORM dynamo.create_table('Shop', 'pk'), dynamo.enable_stream('Shop'); END $$},
	'CHECKPOINT');

# The first number that is drawn takes others along, and the log is flushed for
# them when it is read.  So what matters is the second change.
psql(q{DO $$ BEGIN PERFORM dynamo.put_item('Shop', '{"pk": "before"}'); END $$});
psql(q{SELECT count(*) FROM dynamo.stream('Shop')});

psql(q{DO $$ BEGIN PERFORM dynamo.put_item('Shop', '{"pk": "told"}'); END $$});
my $told = psql(q{SELECT keys FROM dynamo.stream('Shop')});
like($told, qr/"told"/, 'a consumer is told of a change');
server('crash') && server('restart') or BAIL_OUT('no crash, or no restart');
is(psql(q{SELECT keys FROM dynamo.stream('Shop')}), $told, 'it is told the same after a crash');
is(psql(q{SELECT count(*) FROM dynamo.get_item('Shop', '{"pk": "told"}')}), '1', 'and the item is there');
done_testing();

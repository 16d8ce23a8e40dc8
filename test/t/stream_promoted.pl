# A standby that was behind is promoted: a consumer that is ahead of it misses none of the
# records that come then.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;
use Standby;

start_server("max_wal_senders = 2\nwal_level = replica");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id'), dynamo.enable_stream('Shop'); SELECT dynamo.put_item('Shop', '{"id": "first"}')});
sub numbers { my ($key) = @_; return split ' ', sql(qq{SELECT sequence_number FROM dynamo.stream('Shop') WHERE keys ->> 'id' ~ '^$key' ORDER BY 1}) }

copy_server();
sql(q{SELECT count(dynamo.put_item('Shop', format('{"id": "lost%s"}', i)::dynamo.item)) FROM generate_series(1, 100) i});
my @lost = numbers('lost');
is(scalar(@lost), 100, 'a consumer has read what it lacks');
server('crash') or die;

run_standby();
like(there('SELECT pg_promote()'), qr/t/, 'and promoted');
there(q{SELECT count(dynamo.put_item('Shop', format('{"id": "new%s"}', i)::dynamo.item)) FROM generate_series(1, 10) i});
is(there(qq{SELECT count(*), count(*) FILTER (WHERE sequence_number > '$lost[-1]') FROM dynamo.stream('Shop') WHERE keys ->> 'id' ~ '^new'}), '10 10', 'new records come after all that were lost');

# As after pg_upgrade: timeline 2 finds numbers of timeline 8, and takes its own next range.
there(q{SELECT setval('dynamo_internal.stream_sequence', 7 * (1::bigint << 36) + 5); SELECT dynamo.put_item('Shop', '{"id": "upgraded"}')});
is(there('SELECT last_value >> 36 FROM dynamo_internal.stream_sequence'), '17', 'a server with numbers of a higher timeline takes others than the next timeline will');
there(q{SELECT dynamo.put_item('Shop', '{"id": "again"}')});
is(there('SELECT last_value >> 36 FROM dynamo_internal.stream_sequence'), '17', 'once');
done_testing();

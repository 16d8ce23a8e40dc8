# A position in a stream outlives a crash: it may come from a number that was
# drawn in vain by a transaction rolled back, of which the log knew nothing on
# disk.  Whatever gets that number after the crash must not lie before it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

# The log is written by who must, not from time to time.
start_server("wal_writer_delay = 10s\n");
psql('CREATE EXTENSION dynamo', q{SELECT dynamo.create_table('Changes', 'pk')},
	'SET dynamo.stream_shards = 1', q{SELECT dynamo.enable_stream('Changes')});
my $stream = psql(q{SELECT jsonb_build_object('StreamArn', d #>> '{StreamDescription,StreamArn}',
	'ShardId', d #>> '{StreamDescription,Shards,0,ShardId}', 'ShardIteratorType', 'LATEST')
	FROM (SELECT dynamo.call('ListStreams', '{}')::jsonb #>> '{Streams,0,StreamArn}') l (arn),
	LATERAL (SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', arn)::text::json)::jsonb) s (d)});

# Numbers are logged by the dozen, and little else is: the log's writer, who
# writes whole pages at once, has none to write.
my $iterator = psql('SELECT FROM pg_switch_wal()', 'BEGIN',
	q{SELECT FROM generate_series(1, 200) n, LATERAL (SELECT nextval('dynamo_internal.stream_sequence') + 0 * n) drawn},
	'ROLLBACK',
	qq{SELECT dynamo.call('GetShardIterator', '$stream')::json ->> 'ShardIterator'});
$iterator =~ s{\A\s+}{};
like($iterator, qr{\|}, 'an iterator at the end');
server('crash');
server('restart');
psql(q{SELECT dynamo.put_item('Changes', '{"pk": "after"}')});
is( psql(qq{SELECT jsonb_path_query_array(dynamo.call('GetRecords',
		json_build_object('ShardIterator', '$iterator')::text::json)::jsonb, '\$.Records[*].dynamodb.Keys.pk.S')}),
	'["after"]', 'meets what is written after the crash');
done_testing();

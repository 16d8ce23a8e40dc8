# A collection whose pages are full moves on without reading them all: VACUUM has entered
# in the free space map where there is room.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server('autovacuum = off');
psql($_) for 'CREATE EXTENSION dynamo',
  'CREATE TABLE full_pages (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo',
  q{INSERT INTO full_pages SELECT 1, i * 4567 % 10000 * 2, repeat('x', 60) FROM generate_series(0, 9999) i},
  'VACUUM full_pages';
ok(psql(q{SELECT pg_relation_size('full_pages') / 8192}) > 100, 'there are many pages');

# Nothing is in memory, and the session remembers no page.
server('halt') or BAIL_OUT('the server did not end');
server('restart') or BAIL_OUT('the server did not come back');
my $read = psql(q{BEGIN; INSERT INTO full_pages VALUES (1, 5001, repeat('x', 60)); SELECT pg_stat_get_xact_blocks_fetched('full_pages'::regclass) - pg_stat_get_xact_blocks_hit('full_pages'::regclass); COMMIT});
cmp_ok($read, '<', 12, 'some of them are read');
done_testing();

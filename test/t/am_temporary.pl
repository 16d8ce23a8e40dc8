# The number of a temporary table's file can be that of another table's, once
# the counter of OIDs has gone round; only their names differ.  Nothing that is
# remembered of the one may lead a row of the other astray.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server();

# A table whose file does not bear its OID: then a table can have that OID.
psql($_) for 'CREATE EXTENSION dynamo', 'CREATE EXTENSION amcheck',
  'CREATE TABLE items (pk int, sk int, PRIMARY KEY (pk, sk)) USING dynamo',
  'TRUNCATE items';
my $file = psql(q{SELECT pg_relation_filenode('items')});
my $data = psql('SHOW data_directory');

# The counter has gone round and comes near.
as_server_user('pg_ctl', '-D', $data, '-m', 'fast', '-w', '-s', 'stop')
  && as_server_user('sh', '-c', 'exec pg_resetwal -o "$0" "$1" >/dev/null', $file - 200, $data)
  && server('restart')
  or BAIL_OUT('the counter could not be set');

my $result = psql(<<"SQL");
CREATE TEMP TABLE first (pk int);
INSERT INTO items SELECT 1, i FROM generate_series(1, 20) i;
DO 'BEGIN WHILE lo_creat(-1) < $file - 1 LOOP END LOOP; END';
CREATE TEMP TABLE astray (pk int, sk int) USING dynamo;
ALTER TABLE astray ADD PRIMARY KEY (pk, sk);
INSERT INTO astray VALUES (2, 1);
INSERT INTO astray SELECT 1, i FROM generate_series(21, 40) i;
SELECT pg_relation_filenode('astray'), (SELECT count(*) FROM astray), (SELECT count(*) FROM items);
SQL
is($result, "$file|21|20", 'every row is in its own table');
is( psql(q{SELECT bt_index_check('items_pkey', true); SELECT count(*) FROM items}),
	"\n20", 'index and table agree');
done_testing();

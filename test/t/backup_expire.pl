# Maintenance drops the backups that DeleteTable has left when their time is over.
# One that somebody restores waits, one that somebody has made a view of stays: both
# keep no other.  What users have made stays.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n");
sql('CREATE EXTENSION dynamo');
foreach my $name (qw(Made Viewed Restored Expired Young))
{
	sql(qq{SELECT dynamo.create_table('$name', 'id'), dynamo.enable_recovery('$name')});
	sql($name eq 'Made' ? q{SELECT dynamo.create_backup('Made', 'made')} : qq{SELECT dynamo.drop_table('$name')});
}
my $left = q{SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM dynamo.backups};
is(sql($left), 'Expired Made Restored Viewed Young', 'there are five backups');
my %relation = map { $_ => sql("SELECT relation FROM dynamo.backups WHERE table_name = '$_'") } qw(Viewed Restored);
sql(qq{CREATE VIEW view AS SELECT * FROM $relation{Viewed};
	UPDATE dynamo.backups SET expires_at = now() WHERE table_name IN ('Viewed', 'Restored', 'Expired')});
my $reader = in_transaction("BEGIN; SELECT count(*) FROM $relation{Restored}");
ok($reader, 'somebody reads one');

sql('ALTER SYSTEM SET dynamo.ttl_interval = 1; SELECT pg_reload_conf()');
ok(wait_for(sub { sql($left) eq 'Made Restored Viewed Young' }), 'the one that can be dropped goes');
ok(reported(qr/WARNING:  could not drop expired backup "[^"]+" of table "Viewed": cannot drop table/), 'the log tells of the one that cannot');
close $reader;
ok(wait_for(sub { sql($left) eq 'Made Viewed Young' }), 'the one that was read goes later');
sql('DROP VIEW view');
ok(wait_for(sub { sql($left) eq 'Made Young' }), 'the one with a view without it');

# Those of a transaction are few; so many take several.
sql(q{DO $$
	BEGIN
		FOR i IN 1 .. 45 LOOP
			PERFORM dynamo.create_table('Many' || i, 'id'), dynamo.enable_recovery('Many' || i);
			PERFORM dynamo.drop_table('Many' || i);
			COMMIT;
		END LOOP;
	END $$});
is(sql(q{SELECT count(*) FROM dynamo.backups WHERE table_name LIKE 'Many%'}), '45', 'many tables are dropped at a time');
sql(q{UPDATE dynamo.backups SET expires_at = now() WHERE table_name LIKE 'Many%'});
ok(wait_for(sub { sql($left) eq 'Made Young' }), 'all their backups go');
done_testing();

#!/usr/bin/env perl
# The library and what a database has of it differ: by the version of the SQL
# objects, and by the format of the tables.  An older version is served, and the
# one who can help is told what to run; maintenance goes on.  A newer version,
# and another format, are refused by name: the library of one day once answered
# a cluster of the day before with empty lists.
use strict;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Server;
use Test::More;

start_server("shared_preload_libraries = 'dynamo'\ndynamo.ttl_interval = 1\nautovacuum = off\n");
psql("CREATE EXTENSION dynamo", "SELECT dynamo.create_table('Kept', 'pk')",
	"SELECT dynamo.enable_ttl('Kept', 'ttl')",
	"SELECT dynamo.put_item('Kept', '{\"pk\": \"a\"}')");

sub version
{
	my ($version) = @_;
	psql("UPDATE pg_extension SET extversion = '$version' WHERE extname = 'dynamo'");
	return;
}

my $get = "SELECT item->>'pk' FROM dynamo.get_item('Kept', '{\"pk\": \"a\"}')";
my $list = "SELECT dynamo.call('ListTables', '{}')";

# Older SQL objects: served, with a word about it, once.
version('1.0');
is(sql("$get; $get") =~ s/psql:\S+: //r, <<'END' =~ s/\n\z//r, 'an older version is served, and told of once');
WARNING:  extension "dynamo" is version 1.0, and its library version 1.1
HINT:  Run "ALTER EXTENSION dynamo UPDATE" in database "postgres".
a
a
END
psql("SET client_min_messages = error",
	"SELECT dynamo.put_item('Kept', format('{\"pk\": \"old\", \"ttl\": %s}', extract(epoch FROM now())::bigint - 9)::dynamo.item)");
ok(wait_for(sub { sql("SET client_min_messages = error; SELECT count(*) FROM dynamo.scan('Kept')") eq '1' }),
	'maintenance goes on');
ok(log_has(qr/WARNING:  .*extension "dynamo" is version 1\.0/), 'and the log says what to run');

# Newer ones: what they expect is not known here.
foreach my $newer ('1.2', '1.10', '2.0', '1.1.1', 'mine')
{
	version($newer);
	like(sql($list), qr/ERROR:  library of extension "dynamo" is version 1\.1, older than its SQL objects, version \Q$newer\E\nHINT:  Install/,
		"version $newer is refused");
}
is(sql('CREATE TABLE other (pk text); INSERT INTO other VALUES (1); SELECT * FROM other'), '1',
	'what has nothing to do with it goes on');
like(sql('DROP TABLE other'), qr/ERROR:  library of extension/, 'but DROP, which might have to take a definition along');
ok(reported(qr/WARNING:  .*older than its SQL objects/), 'the log says why there is no maintenance');
version('1.1');
is(sql($get), 'a', 'its own version');

# Another superuser than the one who made the extension updates it, and what is new is
# not his.
psql('CREATE DATABASE owned', 'CREATE ROLE maker SUPERUSER');
unlike(sql("SET ROLE maker; CREATE EXTENSION dynamo VERSION '1.0'; RESET ROLE; ALTER ROLE maker NOSUPERUSER; ALTER EXTENSION dynamo UPDATE", 'owned'),
	qr/ERROR/, 'another superuser updates the extension');
is(sql(q{SELECT DISTINCT coalesce(c.relowner, p.proowner, o.oprowner)::regrole FROM pg_depend AS d
	LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
	LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
	LEFT JOIN pg_operator AS o ON d.classid = 'pg_operator'::regclass AND o.oid = d.objid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')
		AND coalesce(c.relowner, p.proowner, o.oprowner) IS NOT NULL}, 'owned'), 'maker', 'all is of whom it was');

# Another format: as the handler of a database says that was made before formats
# had numbers.
psql("CREATE OR REPLACE FUNCTION dynamo_internal.tableam_handler(internal) RETURNS table_am_handler
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS '\$libdir/dynamo', 'dynamo_tableam_handler'");
foreach my $query ($get, $list, "SELECT * FROM dynamo_data.\"Kept\"")
{
	like(sql($query), qr/ERROR:  tables of extension "dynamo" in this database are of a format before 1\n(?s:.*)DETAIL:  This library reads format 1 alone\.\nHINT:  Dump/,
		"another format: $query");
}
ok(reported(qr/WARNING:  .*tables of extension "dynamo" in this database are of a format before 1/),
	'and the log says it');

done_testing();

# Who: the owner of a database, not a superuser.
# Owns: the database, and what he has made in it before a superuser installs
# the extension, and after.  Wants: to have code of his run by a superuser.
#
# He makes the extension's schemas himself, or puts functions and operators
# where the script or a function might find them instead of core's or ours.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_port = 0');
sql('CREATE ROLE mallory LOGIN; CREATE DATABASE shop OWNER mallory');

sub admin { return sql(shift, 'shop') }
sub mallory { return sql("\\c - mallory\n" . join(";\n", @_), 'shop') }
sub is_super { return sql(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}) }

# What he wants to be run, under any name: whoever calls it makes him one.
sub trap
{
	my ($name, $arguments, $returns, $value) = @_;
	return "CREATE OR REPLACE FUNCTION $name($arguments) RETURNS $returns LANGUAGE plpgsql AS "
	  . "\$\$ BEGIN ALTER ROLE mallory SUPERUSER; RETURN $value; "
	  . "EXCEPTION WHEN insufficient_privilege THEN RETURN $value; END \$\$;";
}

# A schema that is there is not taken over.  In his there is a better match than
# core's for what a CHECK of ours calls, whenever somebody restores a dump.
is(mallory('CREATE SCHEMA dynamo', trap('dynamo.cardinality', 'text[]', 'integer', '1'),
	trap('dynamo.cardinality', '"char"[]', 'integer', '1')), '', 'he makes schema dynamo');
like(admin('CREATE EXTENSION dynamo'), qr/ERROR:  schema "dynamo" already exists/, 'it is refused');
admin(q{INSERT INTO dynamo.indexes VALUES ('a', 'b', 1, false, '{a}', '{S}', '{}', '{}', 'ALL', NULL, '{}')});
is(is_super(), 'f', 'his function was not called');
is(mallory('SET client_min_messages = warning', 'DROP SCHEMA dynamo CASCADE', 'CREATE SCHEMA dynamo_data'), '', 'he makes dynamo_data');
like(admin('CREATE EXTENSION dynamo'), qr/ERROR:  schema "dynamo_data" already exists/, 'it is refused, be it empty');
is(mallory('DROP SCHEMA dynamo_data', 'CREATE SCHEMA dynamo_internal'), '', 'he drops it, and makes dynamo_internal');
like(admin('CREATE EXTENSION dynamo'), qr/ERROR:  schema "dynamo_internal" already exists/, 'refused, too');
is(mallory('DROP SCHEMA dynamo_internal'), '', 'and he drops it');
is(admin(q{SELECT count(*) FROM pg_extension WHERE extname = 'dynamo'}), '0', 'nothing was installed');

# Better matches than core's for each name in the script, on all paths.
mallory(
	trap('public.cardinality', 'text[]', 'integer', '1'),
	trap('public.format', 'text, text', 'text', '$1'),
	trap('public.char_in', '"char", text', 'boolean', 'true'),
	trap('public.text_in', 'text[], text[]', 'boolean', 'true'),
	'CREATE OPERATOR public.= (LEFTARG = "char", RIGHTARG = text, FUNCTION = public.char_in)',
	'CREATE OPERATOR public.<@ (LEFTARG = text[], RIGHTARG = text[], FUNCTION = public.text_in)',
	'CREATE DOMAIN public.regclass AS text',
	'CREATE DOMAIN public.text AS integer',
	'ALTER DATABASE shop SET search_path = public, pg_catalog');
is(admin('CREATE EXTENSION dynamo'), '', 'installed under a path of his');
is(admin(<<'SQL'), '', 'nothing of the extension rests on anything but core and itself');
WITH member AS (SELECT classid, objid FROM pg_catalog.pg_depend
	WHERE refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'dynamo')),
part AS (SELECT classid, objid FROM member
	UNION SELECT d.classid, d.objid FROM pg_catalog.pg_depend d JOIN member m
		ON d.refclassid = m.classid AND d.refobjid = m.objid)
SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid),
	pg_catalog.pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_catalog.pg_depend d JOIN part p USING (classid, objid)
WHERE d.refobjid >= 16384 AND d.deptype <> 'e'
	AND (d.refclassid, d.refobjid) NOT IN (SELECT classid, objid FROM part)
SQL
is(admin(q{SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc
	WHERE pronamespace IN ('dynamo'::pg_catalog.regnamespace, 'dynamo_internal'::pg_catalog.regnamespace) AND prosqlbody IS NULL
		AND prolang NOT IN (SELECT oid FROM pg_catalog.pg_language WHERE lanname IN ('c', 'internal'))}),
	'0', 'no function looks for names when it is called');
is(admin(q{ALTER DATABASE shop RESET search_path; DROP DOMAIN public.regclass, public.text}), '', 'his path is gone');

# All schemas are the extension's, and not his.
for my $schema ('dynamo', 'dynamo_internal', 'dynamo_data')
{
	like(mallory("ALTER SCHEMA $schema RENAME TO old"), qr/must be owner of schema/, "he does not rename $schema");
	like(mallory("ALTER SCHEMA $schema OWNER TO mallory"), qr/must be owner of schema/, 'nor take it');
	like(mallory("CREATE TABLE $schema.t ()"), qr/permission denied for schema/, 'nor put anything there');
	like(mallory("DROP SCHEMA $schema CASCADE"), qr/must be owner of|cannot drop/, 'nor drop it');
}
like(mallory('DROP EXTENSION dynamo CASCADE'), qr/must be owner of extension/, 'nor the extension');
like(mallory('ALTER EXTENSION dynamo ADD FUNCTION public.cardinality(text[])'),
	qr/must be owner of extension/, 'nor add to it');

# The superuser renames them.  He makes others of the names, and waits.
admin(q{SELECT dynamo.create_table('Shop', 'pk', 'sk'); SELECT dynamo.put_item('Shop', '{"pk": "a", "sk": "b"}')});
admin('ALTER SCHEMA dynamo RENAME TO moved; ALTER SCHEMA dynamo_internal RENAME TO moved_internal');
mallory(
	'CREATE SCHEMA dynamo; CREATE SCHEMA dynamo_internal',
	trap('dynamo.query', 'text, text, moved.item, text, text, text, jsonb, boolean, bigint, moved.item', 'SETOF moved.item', 'NEXT NULL'),
	trap('dynamo.scan', 'text, text, moved.item, text, text, jsonb, bigint, moved.item, integer, integer', 'SETOF moved.item', 'NEXT NULL'),
	trap('dynamo_internal.sort_key', 'text', 'moved.sort_key', 'NULL'),
	trap('dynamo_internal.index_partition_hash', 'moved.item, text, "char"', 'integer', 'NULL'),
	trap('dynamo_internal.key_hash', 'moved.item, text, text', 'integer', '1'),
	trap('dynamo_internal.key_hash', 'moved.item, VARIADIC text[]', 'integer', '1'),
	trap('dynamo_internal.expiry', 'moved.item, text', 'bigint', '1'),
	trap('dynamo_internal.stream_capture', '', 'trigger', 'NULL'),
	'CREATE TABLE dynamo.tables (LIKE moved.tables)',
	'CREATE TABLE dynamo_internal.stream_records_0 (LIKE moved_internal.stream_records_0)',
	'GRANT ALL ON SCHEMA dynamo, dynamo_internal TO PUBLIC');
admin(q{SELECT * FROM moved.query('Shop', 'pk = :p', '{":p": "a"}');
	SELECT * FROM moved.scan('Shop');
	SELECT moved.begins_with('a'::moved.sort_key, 'a');
	SELECT moved.create_index('Shop', 'ByG', 'g', 'h');
	SELECT moved.enable_ttl('Shop', 't');
	SELECT moved.enable_stream('Shop')});
is(is_super(), 'f', 'nothing of his was run by a superuser');
like(admin(q{SELECT moved.create_index('Shop', 'ByG', 'g', 'h')}),
	qr/extension "dynamo" has lost "tables"|not found/, 'who asks is told what is missing');
admin('DROP SCHEMA dynamo CASCADE; ALTER SCHEMA moved RENAME TO dynamo');
like(admin(q{SELECT dynamo.enable_stream('Shop')}),
	qr/ERROR:  extension "dynamo" has lost "dynamo_internal\./, 'nor is his dynamo_internal used while ours is renamed');
is(is_super(), 'f', 'nothing in it was run');
admin('DROP SCHEMA dynamo_internal CASCADE; ALTER SCHEMA moved_internal RENAME TO dynamo_internal');
is(admin(q{SELECT * FROM dynamo.scan('Shop')}), '{"pk":{"S":"a"},"sk":{"S":"b"}}', 'renamed back, all is there');

# The same for the schema of the tables.
admin('ALTER SCHEMA dynamo_data RENAME TO moved');
mallory('CREATE SCHEMA dynamo_data');
like(admin(q{SELECT dynamo.create_table('More', 'pk')}),
	qr/ERROR:  extension "dynamo" has lost "dynamo_data"/, 'no table is made in a schema of his');
is(admin(q{SELECT count(*) FROM dynamo.scan('Shop')}), '1', 'those that are there follow');
like(admin(q{ALTER SCHEMA dynamo_data RENAME TO his; ALTER SCHEMA moved RENAME TO dynamo_data;
	SELECT dynamo.create_table('Known', 'pk');
	ALTER SCHEMA dynamo_data RENAME TO moved; ALTER SCHEMA his RENAME TO dynamo_data;
	SELECT dynamo.create_table('More', 'pk')}),
	qr/\Adynamo_data."Known"\n.*ERROR:  extension "dynamo" has lost "dynamo_data"/s, 'nor in a session that has made one before');
admin('DROP SCHEMA dynamo_data; ALTER SCHEMA moved RENAME TO dynamo_data');

# Dropped, it leaves nothing; it can be installed again.
like(admin('DROP EXTENSION dynamo'), qr/cannot drop extension dynamo because other objects depend on it/, 'tables hold it');
is(admin('SET client_min_messages = warning; DROP EXTENSION dynamo CASCADE; CREATE EXTENSION dynamo'), '', 'dropped with its tables, and installed again');
is(admin('DROP EXTENSION dynamo; CREATE EXTENSION dynamo'), '', 'and without any');
is(is_super(), 'f', 'he still is no superuser');

done_testing();

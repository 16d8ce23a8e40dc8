-- Attack: a role that may write to a table goes on to write to what DeleteTable
-- leaves of it, and the restore returns what it wrote.  A backup is as it was:
-- nobody has a right to write it, whatever rights the table had and whatever the
-- owner gives by default.
\a
\t on
\set VERBOSITY terse
CREATE ROLE backup_team;
CREATE ROLE backup_maker IN ROLE backup_team;
CREATE ROLE backup_writer;
CREATE ROLE backup_friend;
GRANT CREATE ON SCHEMA dynamo_data TO backup_team;
CREATE FUNCTION pg_temp.rights(relation regclass) RETURNS TABLE (who text, has text) LANGUAGE sql AS $$
	SELECT grantee, string_agg(DISTINCT right_, ' ' ORDER BY right_)
	FROM (SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, privilege_type || CASE WHEN is_grantable THEN '*' ELSE '' END
		FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner))) WHERE oid = relation
		UNION ALL SELECT grantee::regrole::text, privilege_type || '(' || attname || ')' || CASE WHEN is_grantable THEN '*' ELSE '' END
		FROM pg_attribute, aclexplode(attacl) WHERE attrelid = relation) a (grantee, right_)
	GROUP BY grantee ORDER BY grantee COLLATE "C" $$;

-- The table is a group's.  Rights on it, on columns, and with grant option, all stay but to read.
SET ROLE backup_team;
SELECT dynamo.create_table('BackupKept', 'id');
SELECT dynamo.put_item('BackupKept', '{"id": "a", "by": "owner"}');
SELECT dynamo.enable_recovery('BackupKept');
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON dynamo_data."BackupKept" TO backup_writer WITH GRANT OPTION;
GRANT INSERT (item), UPDATE (item) ON dynamo_data."BackupKept" TO backup_friend;
GRANT DELETE ON dynamo_data."BackupKept" TO PUBLIC;
SET ROLE backup_writer;
GRANT SELECT, INSERT, DELETE ON dynamo_data."BackupKept" TO backup_friend;
GRANT UPDATE (item) ON dynamo_data."BackupKept" TO backup_friend;
SET ROLE backup_maker;
SELECT dynamo.drop_table('BackupKept');
RESET ROLE;
SELECT relation FROM dynamo.backups WHERE table_name = 'BackupKept' \gset
SELECT * FROM pg_temp.rights(:'relation');
SET ROLE backup_writer;
\set VERBOSITY sqlstate
UPDATE :relation SET item = '{"id": "a", "by": "writer"}';
INSERT INTO :relation (item) VALUES ('{"id": "b", "by": "writer"}');
DELETE FROM :relation;
TRUNCATE :relation;
CREATE TRIGGER t BEFORE INSERT ON :relation FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
\set VERBOSITY terse
-- Nor does one give it to others; rights to read go on to be given.
SET client_min_messages = error;
GRANT INSERT ON :relation TO backup_friend;
RESET client_min_messages;
GRANT SELECT ON :relation TO backup_friend;
SET ROLE backup_friend;
\set VERBOSITY sqlstate
UPDATE :relation SET item = '{"id": "a", "by": "friend"}';
\set VERBOSITY terse
-- Not even its owner, or one of the group that owns it, writes it by mistake.
SET ROLE backup_maker;
\set VERBOSITY sqlstate
UPDATE :relation SET item = '{"id": "a", "by": "maker"}';
\set VERBOSITY terse
SELECT dynamo.restore_table('BackupBack', 'BackupKept');
SELECT item->>'by' FROM dynamo.scan('BackupBack') item;
RESET ROLE;
SELECT dynamo.drop_table('BackupBack');

-- Nor through a relation that it inherited from, or was a partition of.  What it
-- referred to can go.
CREATE SCHEMA backup_ties;
GRANT ALL ON SCHEMA backup_ties TO backup_team;
GRANT USAGE ON SCHEMA backup_ties TO backup_writer;
CREATE TABLE backup_ties.whole (pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'id', 'S')) STORED NOT NULL, item dynamo.item NOT NULL) PARTITION BY LIST ((item->>'id'));
SET ROLE backup_team;
SELECT dynamo.create_table('BackupTied', 'id');
SELECT dynamo.put_item('BackupTied', '{"id": "a", "by": "owner"}');
CREATE TABLE backup_ties.parent (LIKE dynamo_data."BackupTied" INCLUDING GENERATED);
GRANT ALL ON backup_ties.parent TO backup_writer;
CREATE TABLE backup_ties.key AS SELECT pk FROM dynamo_data."BackupTied";
ALTER TABLE backup_ties.key ADD PRIMARY KEY (pk);
ALTER TABLE dynamo_data."BackupTied" INHERIT backup_ties.parent,
	ADD CONSTRAINT "refers to" FOREIGN KEY (pk) REFERENCES backup_ties.key ON DELETE CASCADE;
SELECT dynamo.create_table('BackupPart', 'id');
SELECT dynamo.put_item('BackupPart', '{"id": "a", "by": "owner"}');
RESET ROLE;
ALTER TABLE backup_ties.whole ATTACH PARTITION dynamo_data."BackupPart" DEFAULT;
GRANT ALL ON backup_ties.whole TO backup_writer;
SET ROLE backup_team;
SELECT dynamo.enable_recovery('BackupTied'), dynamo.enable_recovery('BackupPart');
SELECT dynamo.drop_table('BackupTied'), dynamo.drop_table('BackupPart');
SET ROLE backup_writer;
UPDATE backup_ties.parent SET item = '{"id": "a", "by": "writer"}';
UPDATE backup_ties.whole SET item = '{"id": "a", "by": "writer"}';
SET ROLE backup_team;
DELETE FROM backup_ties.key;
SELECT dynamo.restore_table('BackupTied', 'BackupTied'), dynamo.restore_table('BackupPart', 'BackupPart');
SELECT item->>'by' FROM dynamo.scan('BackupTied') item UNION ALL SELECT item->>'by' FROM dynamo.scan('BackupPart') item;
SELECT dynamo.drop_table('BackupTied'), dynamo.drop_table('BackupPart');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA backup_ties CASCADE;
RESET client_min_messages;

-- One that was asked for has no more of the owner's default privileges.
ALTER DEFAULT PRIVILEGES FOR ROLE backup_team GRANT SELECT, INSERT, UPDATE ON TABLES TO backup_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE backup_team GRANT ALL ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE backup_team REVOKE SELECT ON TABLES FROM PUBLIC;
SET ROLE backup_team;
SELECT dynamo.create_table('BackupKept', 'id');
SELECT dynamo.put_item('BackupKept', '{"id": "a", "by": "owner"}');
SELECT dynamo.create_backup('BackupKept', 'asked') IS NOT NULL;
RESET ROLE;
SELECT relation FROM dynamo.backups WHERE backup_name = 'asked' \gset
SELECT * FROM pg_temp.rights(:'relation');
SET ROLE backup_writer;
\set VERBOSITY sqlstate
INSERT INTO :relation (item) VALUES ('{"id": "b", "by": "writer"}');
\set VERBOSITY terse
-- A superuser's is the owner's, and as much protected.
RESET ROLE;
SELECT dynamo.create_backup('BackupKept', 'again') IS NOT NULL;
SELECT DISTINCT r.* FROM dynamo.backups, pg_temp.rights(relation) r WHERE backup_name = 'again' ORDER BY 1;
-- The owner may grant it, as may nobody else: then it is no longer as it was.
SET ROLE backup_team;
GRANT INSERT ON :relation TO backup_writer;
SET ROLE backup_writer;
INSERT INTO :relation (item) VALUES ('{"id": "b", "by": "writer"}');
RESET ROLE;
DROP OWNED BY backup_team, backup_maker, backup_writer, backup_friend;
DROP ROLE backup_team, backup_maker, backup_writer, backup_friend;

-- Who makes the keys of a role, and whose functions it has called: those who can
-- become the role.  From 16 on a member may have the role's privileges alone.
\a
\t on
\set VERBOSITY terse
CREATE ROLE regress_chief LOGIN;
CREATE ROLE regress_heir IN ROLE regress_chief;
GRANT EXECUTE ON FUNCTION dynamo.create_access_key, dynamo.drop_access_key TO regress_heir;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO regress_chief;
SELECT dynamo.create_table('Become', 'pk');
SELECT dynamo.enable_stream('Become') IS NOT NULL;
GRANT SELECT ON dynamo_data."Become" TO regress_chief;
CREATE FUNCTION heirs(event jsonb) RETURNS void LANGUAGE sql AS '';
ALTER FUNCTION heirs OWNER TO regress_heir;
SET ROLE regress_heir;
SELECT access_key_id FROM dynamo.create_access_key('regress_chief', id => 'CHIEFSKEY');
SET ROLE regress_chief;
SELECT dynamo.create_event_source_mapping('Become', 'heirs', enabled => false) IS NOT NULL;
RESET ROLE;
SELECT current_setting('server_version_num')::int >= 160000 AS tells_set \gset
\if :tells_set
REVOKE SET OPTION FOR regress_chief FROM regress_heir;
\else
REVOKE regress_chief FROM regress_heir;
\endif
SET ROLE regress_heir;
SELECT access_key_id FROM dynamo.create_access_key('regress_chief');
SELECT dynamo.drop_access_key('CHIEFSKEY');
SET ROLE regress_chief;
SELECT dynamo.create_event_source_mapping('Become', 'heirs', enabled => false) IS NOT NULL;
RESET ROLE;
SELECT dynamo.drop_access_key('CHIEFSKEY');
SELECT dynamo.drop_table('Become');
DROP OWNED BY regress_heir, regress_chief;
DROP ROLE regress_heir, regress_chief;

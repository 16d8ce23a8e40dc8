-- Regions, and what a table notes of its replicas in them.
SET client_min_messages = warning;
CREATE ROLE region_owner;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO region_owner;
CREATE SERVER region_ireland FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'ireland.example', dbname 'shop');
CREATE SERVER region_ohio FOREIGN DATA WRAPPER dynamo_region;

-- The own one has no server, and there is one; a name is a region's.
SELECT dynamo.create_region('us-east-1');
SELECT dynamo.create_region('us-east-2');
SELECT dynamo.create_region('us-east-1', 'region_ohio');
SELECT dynamo.create_region('eu-west-1', 'region_ireland');
SELECT dynamo.create_region('us-east-2', 'region_ohio');
SELECT dynamo.create_region('eu-west-1', 'region_ireland');
SELECT dynamo.create_region('');
SELECT dynamo.create_region('A', 'region_ohio');
SELECT dynamo.create_region('-a', 'region_ohio');
SELECT dynamo.create_region('a-', 'region_ohio');
SELECT dynamo.create_region(repeat('a', 64), 'region_ohio');
BEGIN;
SELECT dynamo.drop_region('us-east-2'), dynamo.create_region(repeat('a', 63), 'region_ohio');
ROLLBACK;
SELECT dynamo.create_region(NULL);
SELECT dynamo.create_region('sa-east-1', 'region_nowhere');
SELECT region_name, region_id, (SELECT srvname FROM pg_foreign_server WHERE oid = server) AS server
FROM dynamo.regions ORDER BY 1;

-- One whose server is gone, or has another OID since pg_upgrade, gets another.
BEGIN;
DROP SERVER region_ohio;
CREATE SERVER region_ohio FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('us-east-2', 'region_ohio');
SELECT region_name, (SELECT srvname FROM pg_foreign_server WHERE oid = server) AS server
FROM dynamo.regions ORDER BY 1;
ROLLBACK;

-- A server is a superuser's, of our wrapper: passwords go where it says.
CREATE SERVER region_mine FOREIGN DATA WRAPPER dynamo_region;
GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_region TO region_owner;
ALTER SERVER region_mine OWNER TO region_owner;
SELECT dynamo.create_region('sa-east-1', 'region_mine');
BEGIN;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dynamo TO region_owner;
SET SESSION AUTHORIZATION region_owner;
SAVEPOINT granted;
SELECT dynamo.create_region('sa-east-1', 'region_mine');
ROLLBACK TO granted;
SELECT dynamo.drop_region('eu-west-1');
ROLLBACK;
SET SESSION AUTHORIZATION region_owner;
SELECT dynamo.create_region('sa-east-1', 'region_mine');
ALTER SERVER region_mine OPTIONS (host 'elsewhere.example');
CREATE SERVER region_other FOREIGN DATA WRAPPER dynamo_region OPTIONS (hostaddr '127.0.0.1');
CREATE USER MAPPING FOR region_owner SERVER region_mine OPTIONS (user 'postgres', password_required 'false');
CREATE USER MAPPING FOR region_owner SERVER region_mine OPTIONS (user 'shop', passfile '/etc/passwd');
CREATE USER MAPPING FOR region_owner SERVER region_mine OPTIONS (user 'shop', password 'x');
RESET SESSION AUTHORIZATION;
ALTER SERVER region_ohio OPTIONS (password 'x');
CREATE USER MAPPING FOR PUBLIC SERVER region_ohio OPTIONS (password_required 'perhaps');

-- A table becomes global with its first replica: its changes are noticed.
SET SESSION AUTHORIZATION region_owner;
SELECT dynamo.create_table('RegionShop', 'id');
RESET SESSION AUTHORIZATION;
SELECT dynamo_internal.add_replica('RegionShop', 'eu-west-1');
SELECT dynamo_internal.add_replica('RegionShop', 'eu-west-1');
SELECT dynamo_internal.add_replica('RegionShop', 'us-east-1');
SELECT dynamo_internal.add_replica('RegionShop', 'eu-north-1');
SELECT dynamo_internal.add_replica('RegionNone', 'eu-west-1');
SELECT dynamo_internal.add_replica('RegionShop', NULL);
SELECT tgname FROM pg_trigger WHERE tgrelid = 'dynamo_data."RegionShop"'::regclass AND NOT tgisinternal ORDER BY 1;
SELECT table_name, region_name, status FROM dynamo.replicas;

-- ... and go on being so without a stream; it is not detached.
SELECT dynamo.enable_stream('RegionShop') IS NOT NULL AS stream;
SELECT dynamo.disable_stream('RegionShop');
SELECT dynamo.enable_recovery('RegionShop');
SELECT dynamo.disable_recovery('RegionShop');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."RegionShop"'::regclass AND NOT tgisinternal;
SELECT dynamo.detach_table('RegionShop');

-- Those who may use the table see its replicas.
SET SESSION AUTHORIZATION region_owner;
SELECT table_name, region_name, status FROM dynamo.replicas;
SELECT dynamo_internal.add_replica('RegionShop', 'us-east-2');
SELECT dynamo.drop_region('eu-west-1');
SELECT relation FROM dynamo_internal.replicas;
RESET SESSION AUTHORIZATION;
CREATE ROLE region_stranger;
SET SESSION AUTHORIZATION region_stranger;
SELECT table_name FROM dynamo.replicas;
CREATE FUNCTION pg_temp.tell(region text) RETURNS boolean LANGUAGE plpgsql COST 0.000001 AS
'BEGIN RAISE WARNING ''there is a replica in %'', region; RETURN true; END';
SELECT table_name FROM dynamo.replicas WHERE pg_temp.tell(region_name);
DROP FUNCTION pg_temp.tell;
RESET SESSION AUTHORIZATION;

-- A region that is used stays, the own one, too.
SELECT dynamo.drop_region('eu-west-1');
SELECT dynamo.drop_region('us-east-1');
SELECT dynamo.drop_region('us-east-2');
SELECT dynamo.drop_region('us-east-2');
SELECT dynamo_internal.remove_replica('RegionShop', 'us-east-2');
SELECT dynamo_internal.remove_replica('RegionShop', 'eu-west-1');
SELECT table_name, region_name, status FROM dynamo.replicas;

-- With the table all of it goes: in SQL it may, though DeleteTable refuses.
SELECT dynamo.drop_table('RegionShop');
DROP TABLE dynamo_data."RegionShop";
SELECT count(*) FROM dynamo.replicas;
SELECT count(*) FROM dynamo_internal.global_tables;
SELECT dynamo.drop_region('eu-west-1');
SELECT dynamo.drop_region('us-east-1');
DROP SERVER region_ireland, region_ohio, region_mine CASCADE;
DROP OWNED BY region_owner;
DROP ROLE region_owner, region_stranger;

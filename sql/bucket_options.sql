-- Options of buckets at stores: what is taken, by create_bucket, CREATE and ALTER SERVER
\set VERBOSITY terse
\t on
\pset format unaligned
-- the bucket's name becomes part of the host's only before a name, be it short or with a dot at its end
CREATE FUNCTION pg_temp.made(endpoint text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_bucket('options', endpoint, path_style => false);
	RETURN (SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'options');
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT endpoint, pg_temp.made(endpoint) FROM unnest('{http://127.0.0.1:9000,https://10.0.0.5,https://10.0.0.5.,http://[::1]:9000,http://[fe80::1],http://127.1,http://2130706433,http://0x7f000001,http://a.0x7f,http://0x.0X,http://1.2.3.4.5:80,http://store.9}'::text[]) endpoint;
BEGIN;
SELECT endpoint, pg_temp.made(endpoint), dynamo.drop_bucket('options') FROM unnest('{https://store.example,http://store:9000,https://store.example.,https://9.store,http://0xstore,http://a.0xg,http://127.0.0.1.example,http://localhost:1}'::text[]) endpoint;
ROLLBACK;
-- nor afterwards
SELECT dynamo.create_bucket('options', 'http://127.0.0.1:9000');
ALTER SERVER options OPTIONS (ADD path_style 'off');
ALTER SERVER options OPTIONS (ADD path_style 'on');
ALTER SERVER options OPTIONS (SET path_style 'false');
ALTER SERVER options OPTIONS (SET path_style 'false', SET endpoint 'https://store.example');
ALTER SERVER options OPTIONS (SET endpoint 'https://10.0.0.5');
SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'options';
SELECT dynamo.drop_bucket('options');
CREATE SERVER options FOREIGN DATA WRAPPER dynamo_bucket OPTIONS (path_style 'false', endpoint 'http://10.0.0.5');
-- a session token is one of the credentials, and shown to nobody in errors
SELECT dynamo.create_bucket('options', 'https://store.example');
CREATE USER MAPPING FOR PUBLIC SERVER options OPTIONS (session_token 'token');
CREATE USER MAPPING FOR PUBLIC SERVER options OPTIONS (access_key_id 'key', secret_access_key 'secret', session_token 'to ken');
CREATE USER MAPPING FOR PUBLIC SERVER options OPTIONS (access_key_id 'key', secret_access_key 'secret', session_token '');
CREATE USER MAPPING FOR PUBLIC SERVER options OPTIONS (access_key_id 'key', secret_access_key 'secret', session_token 'token');
ALTER USER MAPPING FOR PUBLIC SERVER options OPTIONS (DROP session_token);
SELECT dynamo.drop_bucket('options');
SELECT dynamo.drop_bucket('options');
-- a region stands in signatures: letters, digits and hyphens, at most 64 of them
CREATE FUNCTION pg_temp.in_region(region text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_bucket('options', 'https://store.example', region => region);
	PERFORM dynamo.drop_bucket('options');
	RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT length(region), left(region, 12), pg_temp.in_region(region) FROM unnest(ARRAY['', 'eu-west-3', repeat('r', 64), repeat('r', 65), 'eu/west', 'eu_west']) region;

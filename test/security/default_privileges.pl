# Who: a role to which default privileges give something on all that whoever
# installs the extension creates: on new tables, sequences, functions, schemas.
# Owns: nothing.  Wants: access keys, other people's records, definitions.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_port = 0');
is(sql(q{CREATE ROLE reader LOGIN; CREATE ROLE clerk LOGIN;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO reader WITH GRANT OPTION;
	ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT ON TABLES TO PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO reader, PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO reader;
	ALTER DEFAULT PRIVILEGES GRANT CREATE ON SCHEMAS TO reader;
	CREATE EXTENSION dynamo}), '', 'installed');

foreach my $role ('reader', 'clerk')
{
	is(sql(qq{SELECT string_agg(c.oid::regclass::text || ' ' || p, ', ') FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p
		WHERE relnamespace IN ('dynamo'::regnamespace, 'dynamo_internal'::regnamespace) AND relkind = 'r' AND has_table_privilege('$role', c.oid, p)
			AND NOT (p = 'SELECT' AND relname IN ('tables', 'indexes', 'streams', 'event_source_mappings', 'backups', 'regions'))}), '', "$role: tables");
	is(sql(qq{SELECT string_agg(c.oid::regclass::text || ' ' || p, ', ') FROM pg_class c, unnest('{USAGE,SELECT,UPDATE}'::text[]) p
		WHERE relnamespace IN ('dynamo'::regnamespace, 'dynamo_internal'::regnamespace) AND relkind = 'S' AND has_sequence_privilege('$role', c.oid, p)}), '', "$role: sequences");
	is(sql(qq{SELECT string_agg(nspname || ' ' || p, ', ' ORDER BY nspname) FROM pg_namespace n, unnest('{USAGE,CREATE}'::text[]) p
		WHERE nspname LIKE 'dynamo%' AND has_schema_privilege('$role', n.oid, p)}), 'dynamo USAGE, dynamo_backup USAGE, dynamo_data USAGE, dynamo_internal USAGE', "$role: schemas");
	is(sql(qq{SELECT string_agg(proname, ', ' ORDER BY proname) FROM pg_proc p
		WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_internal'::regnamespace) AND NOT has_function_privilege('$role', p.oid, 'EXECUTE')}),
		'access_keys_edited, add_node, add_replica, capture_touched, check_cluster, claim_token, cluster_nodes, create_access_key, create_event_source_mapping, create_region, definition_edited, drop_access_key, drop_region, event_source_restored, exchange_throughput, hold_commits, mark_recovery, moment_lasts, policies_edited, rebalance, relation_dropped, remove_node, remove_replica, settle_token, shard_cost, shard_sizes, stat_reset, stat_shards, take_definition, take_moment, take_row, trim_recovery, trim_recovery, trim_replicas, trim_streams, trim_streams, update_access_key', "$role: functions");
}
is(sql(q{SELECT count(*) FROM pg_proc WHERE proname = 'run'}), '0', 'what has taken them back is gone');
is(sql(q{SELECT dynamo.create_table('Shop', 'pk'); SELECT has_table_privilege('reader', 'dynamo_data."Shop"', 'DELETE')}),
	qq(dynamo_data."Shop"\nt), 'they hold for tables made later');

done_testing();

-- The contract of the public functions: arguments, result, volatility,
-- strictness, parallel safety; and a comment on every object.
BEGIN;
SET LOCAL search_path = tap, pg_catalog;
SELECT no_plan();

CREATE TEMP TABLE contract (signature text, result text, volatility "char", strict boolean, parallel "char");
INSERT INTO contract VALUES
	('create_table(table_name text, partition_key text, sort_key text DEFAULT NULL::text, partition_key_type text DEFAULT ''S''::text, sort_key_type text DEFAULT ''S''::text)',
		'regclass', 'v', false, 'u'),
	('drop_table(table_name text)', 'void', 'v', true, 'u'),
	('attach_table(relation regclass, table_name text DEFAULT NULL::text)', 'text', 'v', false, 'u'),
	('detach_table(table_name text)', 'regclass', 'v', true, 'u'),
	('distribute_table(table_name text, shard_count integer DEFAULT NULL::integer)', 'void', 'v', false, 'u'),
	('undistribute_table(table_name text)', 'void', 'v', true, 'u'),
	('remove_node(host text, port integer, shard_transfer_mode text DEFAULT ''auto''::text, lose_records boolean DEFAULT false)', 'void', 'v', true, 'u'),
	('cluster_nodes()', 'TABLE(node text, told boolean, failure text, shards bigint, arriving bigint, leaving bigint)', 'v', true, 'u'),
	('stat_shards(measure_seconds integer DEFAULT 10)', 'TABLE(table_name text, shard bigint, node text, bytes bigint, accesses bigint, share double precision)', 'v', true, 'u'),
	('rebalance(dry_run boolean DEFAULT true, access_weight double precision DEFAULT 0.5, measure_seconds integer DEFAULT 10, shard_transfer_mode text DEFAULT ''auto''::text)',
		'TABLE(table_name text, shard bigint, bytes bigint, accesses bigint, source text, target text)', 'v', true, 'u'),
	('check_cluster()', 'TABLE(node text, finding text, advice text)', 'v', true, 'u'),
	('create_index(table_name text, index_name text, partition_key text, sort_key text DEFAULT NULL::text, partition_key_type text DEFAULT ''S''::text, sort_key_type text DEFAULT ''S''::text, projection text DEFAULT ''ALL''::text, non_key_attributes text[] DEFAULT NULL::text[])',
		'void', 'v', false, 'u'),
	('drop_index(table_name text, index_name text)', 'void', 'v', true, 'u'),
	('relation(table_name text)', 'regclass', 's', true, 's'),
	('get_item(table_name text, key dynamo.item, projection_expression text DEFAULT NULL::text, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone)',
		'TABLE(item dynamo.item)', 's', false, 'r'),
	('get_item(table_name text, partition_key dynamo.key_value)', 'TABLE(item dynamo.item)', 's', false, 'r'),
	('get_item(table_name text, partition_key dynamo.key_value, sort_key dynamo.key_value)', 'TABLE(item dynamo.item)', 's', false, 'r'),
	('get_item(table_name text, key json)', 'TABLE(item dynamo.item)', 's', false, 'r'),
	('delete_item(table_name text, key json)', 'dynamo.item', 'v', false, 'u'),
	('delete_item(table_name text, partition_key dynamo.key_value)', 'dynamo.item', 'v', false, 'u'),
	('delete_item(table_name text, partition_key dynamo.key_value, sort_key dynamo.key_value)', 'dynamo.item', 'v', false, 'u'),
	('item_set(item dynamo.item, path text[], value jsonb, create_if_missing boolean DEFAULT true)', 'dynamo.item', 'i', true, 's'),
	('put_item(table_name text, item dynamo.item_input, condition_expression text DEFAULT NULL::text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, return_values text DEFAULT ''NONE''::text)',
		'dynamo.item', 'v', false, 'u'),
	('update_item(table_name text, key dynamo.item_input, update_expression text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, condition_expression text DEFAULT NULL::text, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, return_values text DEFAULT ''NONE''::text)',
		'dynamo.item', 'v', false, 'u'),
	('delete_item(table_name text, key dynamo.item, condition_expression text DEFAULT NULL::text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, return_values text DEFAULT ''NONE''::text)',
		'dynamo.item', 'v', false, 'u'),
	('query(table_name text, key_condition_expression text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, index_name text DEFAULT NULL::text, filter_expression text DEFAULT NULL::text, projection_expression text DEFAULT NULL::text, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, scan_index_forward boolean DEFAULT true, max_items bigint DEFAULT NULL::bigint, exclusive_start_key dynamo.item_input DEFAULT NULL::dynamo.item_input, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone)',
		'TABLE(item dynamo.item)', 's', false, 'r'),
	('scan(table_name text, filter_expression text DEFAULT NULL::text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, index_name text DEFAULT NULL::text, projection_expression text DEFAULT NULL::text, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, max_items bigint DEFAULT NULL::bigint, exclusive_start_key dynamo.item_input DEFAULT NULL::dynamo.item_input, segment integer DEFAULT NULL::integer, total_segments integer DEFAULT NULL::integer, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone)',
		'TABLE(item dynamo.item)', 's', false, 'r'),
	('search_vectors(table_name text, index_name text, search_vector "any", top_k integer, search_condition_expression text DEFAULT NULL::text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, projection_expression text DEFAULT NULL::text, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone)',
		'TABLE(item dynamo.item, score double precision)', 's', false, 'r'),
	('batch_get(table_name text, VARIADIC keys dynamo.item[])', 'TABLE(item dynamo.item)', 's', false, 'r'),
	('transact_write(actions dynamo.json_input)', 'TABLE(ordinal integer, table_name text, action text)', 'v', false, 'u'),
	('transact_get(gets dynamo.json_input)', 'TABLE(ordinal integer, table_name text, item dynamo.item)', 's', false, 'r'),
	('set_auto_scaling(table_name text, dimension text, min_capacity bigint, max_capacity bigint, target_utilization double precision DEFAULT 70, index_name text DEFAULT NULL::text, disable_scale_in boolean DEFAULT false)',
		'void', 'v', false, 'u'),
	('drop_auto_scaling(table_name text, dimension text, index_name text DEFAULT NULL::text)', 'boolean', 'v', false, 'u'),
	('enable_stream(table_name text, view_type text DEFAULT ''NEW_AND_OLD_IMAGES''::text)', 'text', 'v', true, 'u'),
	('disable_stream(table_name text)', 'void', 'v', true, 'u'),
	('stream(table_name text, after numeric DEFAULT NULL::numeric)',
		'TABLE(sequence_number numeric, event_name text, created_at timestamp with time zone, keys dynamo.item, old_image dynamo.item, new_image dynamo.item, by_service boolean)',
		's', false, 'u'),
	('stream_arn(table_name text, label text)', 'text', 's', true, 's'),
	('trim_streams()', 'integer', 'v', true, 'u'),
	('log_conflicts(table_name text, days integer DEFAULT 7, entries integer DEFAULT 10000)', 'void', 'v', true, 'u'),
	('enable_recovery(table_name text, days integer DEFAULT 35)', 'void', 'v', true, 'u'),
	('disable_recovery(table_name text)', 'void', 'v', true, 'u'),
	('recovery_window(table_name text, OUT days integer, OUT earliest timestamp with time zone, OUT latest timestamp with time zone)', 'record', 's', true, 'r'),
	('mark_recovery()', 'timestamp with time zone', 'v', true, 'u'),
	('trim_recovery()', 'integer', 'v', true, 'u'),
	('create_event_source_mapping(table_name text, function regproc, batch_size integer DEFAULT 100, batching_window_seconds integer DEFAULT 0, filter_criteria dynamo.json_input DEFAULT NULL::dynamo.json_input, maximum_retry_attempts integer DEFAULT ''-1''::integer, bisect_on_error boolean DEFAULT false, on_failure regclass DEFAULT NULL::regclass, starting_position text DEFAULT ''LATEST''::text, starting_timestamp timestamp with time zone DEFAULT NULL::timestamp with time zone, maximum_record_age_seconds integer DEFAULT ''-1''::integer, parallelization_factor integer DEFAULT 1, enabled boolean DEFAULT true)',
		'integer', 'v', false, 'u'),
	('update_event_source_mapping(mapping integer, function regproc DEFAULT NULL::regproc, batch_size integer DEFAULT NULL::integer, batching_window_seconds integer DEFAULT NULL::integer, filter_criteria dynamo.json_input DEFAULT NULL::dynamo.json_input, maximum_retry_attempts integer DEFAULT NULL::integer, bisect_on_error boolean DEFAULT NULL::boolean, on_failure regclass DEFAULT NULL::regclass, maximum_record_age_seconds integer DEFAULT NULL::integer, enabled boolean DEFAULT NULL::boolean)',
		'void', 'v', false, 'u'),
	('delete_event_source_mapping(mapping integer)', 'void', 'v', true, 'u'),
	('run_event_source_mapping(mapping integer)', 'bigint', 'v', true, 'u'),
	('call(operation text, request dynamo.json_input)', 'json', 'v', true, 'u'),
	('grant_leading_keys(role_name regrole, table_name text, VARIADIC leading_keys text[])', 'void', 'v', true, 'u'),
	('revoke_leading_keys(role_name regrole, table_name text)', 'void', 'v', true, 'u'),
	('put_role_policy(role_name regrole, policy_name text, document dynamo.json_input)', 'void', 'v', true, 'u'),
	('delete_role_policy(role_name regrole, policy_name text)', 'void', 'v', true, 'u'),
	('try_call(operation text, request dynamo.json_input)', 'json', 'v', true, 'u'),
	('to_json(item dynamo.item)', 'json', 'i', true, 's'),
	('explain(operation text, request dynamo.json_input)',
		'TABLE(step integer, action text, table_name text, index_name text, access text, relation regclass, condition text, backward boolean, items_read double precision, items_returned double precision, read_units double precision, write_units double precision, store text, store_reason text)',
		'v', true, 'u'),
	('stat_keys(table_name text, all_nodes boolean DEFAULT false)',
		'TABLE(index_name text, event text, partition_key text, sort_key text, requests bigint, error bigint)',
		'v', false, 'u'),
	('stat_reset()', 'void', 'v', true, 'r'),
	('create_bucket(bucket text, endpoint text, region text DEFAULT ''us-east-1''::text, store_bucket text DEFAULT NULL::text, path_style boolean DEFAULT true, ca_file text DEFAULT NULL::text)', 'void', 'v', false, 'u'),
	('drop_bucket(bucket text)', 'void', 'v', true, 'u'),
	('grant_bucket(bucket text, role regrole, privileges text[] DEFAULT ''{read,write}''::text[])', 'void', 'v', true, 'u'),
	('revoke_bucket(bucket text, role regrole, privileges text[] DEFAULT ''{read,write}''::text[])', 'void', 'v', true, 'u'),
	('export_table(table_name text, bucket text, prefix text DEFAULT NULL::text, export_format text DEFAULT ''DYNAMODB_JSON''::text, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, export_view_type text DEFAULT ''NEW_AND_OLD_IMAGES''::text, key_condition_expression text DEFAULT NULL::text, filter_expression text DEFAULT NULL::text, projection_expression text DEFAULT NULL::text, expression_attribute_values dynamo.item_input DEFAULT NULL::dynamo.item_input, expression_attribute_names dynamo.json_input DEFAULT NULL::dynamo.json_input)',
		'text', 'v', false, 'u'),
	('bucket_items(bucket text, prefix text DEFAULT ''''::text, input_format text DEFAULT ''DYNAMODB_JSON''::text, input_compression text DEFAULT ''NONE''::text, delimiter text DEFAULT '',''::text, header text[] DEFAULT NULL::text[], columns text[] DEFAULT NULL::text[])',
		'TABLE(key text, number bigint, line bigint, item dynamo.item, problem text)', 'v', false, 'u'),
	('create_backup(table_name text, backup_name text)', 'text', 'v', false, 'u'),
	('delete_backup(backup_arn text)', 'void', 'v', false, 'u'),
	('restore_table(target_table_name text, source_table_name text DEFAULT NULL::text, as_of timestamp with time zone DEFAULT NULL::timestamp with time zone, backup_arn text DEFAULT NULL::text)', 'regclass', 'v', false, 'u'),
	('create_access_key(role_name regrole, id text DEFAULT NULL::text, secret text DEFAULT NULL::text, comment text DEFAULT NULL::text, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)',
		'TABLE(access_key_id text, secret_access_key text)', 'v', false, 'u'),
	('update_access_key(access_key_id text, comment text DEFAULT NULL::text, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)', 'void', 'v', false, 'u'),
	('cancel_job(job text)', 'boolean', 'v', false, 'u'),
	('import_table(table_name text, bucket text, partition_key text, sort_key text DEFAULT NULL::text, partition_key_type text DEFAULT ''S''::text, sort_key_type text DEFAULT ''S''::text, prefix text DEFAULT ''''::text, input_format text DEFAULT ''DYNAMODB_JSON''::text, input_compression text DEFAULT ''NONE''::text, delimiter text DEFAULT '',''::text, header text[] DEFAULT NULL::text[])',
		'text', 'v', false, 'u'),
	('bulk_put_items(table_name text, bucket text, prefix text DEFAULT ''''::text, input_format text DEFAULT ''DYNAMODB_JSON''::text, input_compression text DEFAULT ''NONE''::text, report_bucket text DEFAULT NULL::text, report_prefix text DEFAULT ''''::text, max_write_request_units bigint DEFAULT NULL::bigint)',
		'text', 'v', false, 'u'),
	('item_size(item dynamo.item)', 'integer', 'i', true, 's'),
	('vector_elements(item dynamo.item, attribute text, dimensions integer, max_element real DEFAULT ''1e+17''::real)', 'real[]', 'i', true, 's');

CREATE TEMP VIEW found AS
SELECT proname || '(' || pg_get_function_arguments(oid) || ')' AS signature,
	   oid, proname, pg_get_function_result(oid) AS result, provolatile, proisstrict, proparallel
FROM pg_proc WHERE pronamespace = 'dynamo'::regnamespace;

-- What people call fits a screen; so do the tables that they read.
SELECT cmp_ok(count(*), '<=', 91::bigint, 'functions in schema dynamo') FROM found;
SELECT is(array(SELECT relname::text FROM pg_class WHERE relnamespace = 'dynamo'::regnamespace AND relkind <> 'i' ORDER BY relname),
	'{access_keys,backups,bucket_grants,conflicts,event_source_mappings,indexes,jobs,recovery_holes,regions,replicas,resource_policies,role_policies,stat_access_keys,stat_activity,stat_cluster_tables,stat_indexes,stat_operations,stat_progress_job,stat_streams,stat_table_operations,stat_tables,stat_workers,streams,tables}', 'relations in schema dynamo');

SELECT has_function('dynamo', split_part(signature, '(', 1), split_part(signature, '(', 1) || ' exists')
FROM contract;
SELECT ok(EXISTS (SELECT FROM found f WHERE f.signature = c.signature), 'arguments of ' || split_part(signature, '(', 1))
FROM contract c;
SELECT is(f.result, c.result, 'result of ' || proname) FROM contract c JOIN found f USING (signature);
SELECT is(provolatile, volatility, 'volatility of ' || proname) FROM contract JOIN found USING (signature);
SELECT is(proisstrict, strict, 'strictness of ' || proname) FROM contract JOIN found USING (signature);
SELECT is(proparallel, parallel, 'parallel safety of ' || proname) FROM contract JOIN found USING (signature);

-- Every member of the extension has a comment, generated ones aside.
SELECT is(
	array(SELECT pg_describe_object(classid, objid, 0)
		  FROM pg_depend
		  WHERE refclassid = 'pg_extension'::regclass
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')
			AND deptype = 'e'
			AND classid NOT IN ('pg_cast'::regclass, 'pg_amop'::regclass, 'pg_amproc'::regclass, 'pg_opfamily'::regclass)
			AND obj_description(objid, classid::regclass::name) IS NULL
			AND NOT (classid = 'pg_type'::regclass AND objid IN (SELECT oid FROM pg_type WHERE typcategory = 'A' OR typrelid <> 0))
		  ORDER BY 1),
	'{}', 'every object has a comment');

-- So has every column that users can read: those of the tables and views.
SELECT is(
	array(SELECT attrelid::regclass || '.' || attname
		  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		  WHERE relnamespace = 'dynamo'::regnamespace AND relkind IN ('r', 'v')
			AND attnum > 0 AND NOT attisdropped
			AND col_description(attrelid, attnum) IS NULL
		  ORDER BY 1),
	'{}', 'every column has a comment');

-- No function can be bent by a search_path: none runs as its owner, and the
-- SQL bodies name their schemas.
SELECT is(array(SELECT proname FROM pg_proc WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_internal'::regnamespace) AND prosecdef),
	'{}', 'no function is SECURITY DEFINER');
SELECT is(
	array(SELECT proname FROM pg_proc p JOIN pg_language l ON l.oid = prolang
		  WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_internal'::regnamespace) AND lanname = 'sql' AND prosqlbody IS NULL
			AND prosrc !~ 'dynamo\.'),
	'{}', 'SQL bodies are qualified');

SELECT * FROM finish();
ROLLBACK;

-- All that belongs to the extension, each in full.
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;
WITH members AS (
	SELECT classid, objid FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo'))
SELECT pg_describe_object(classid, objid, 0) AS member,
	CASE classid
		WHEN 'pg_proc'::regclass THEN pg_get_functiondef(objid)
		WHEN 'pg_class'::regclass THEN (
			SELECT concat_ws(E'\n', relkind, relacl::text, reloptions::text,
				CASE relkind WHEN 'v' THEN pg_get_viewdef(objid) END,
				(SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attacl::text,
					pg_get_expr(adbin, adrelid), col_description(objid, attnum)), E'\n' ORDER BY attname)
				FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
				WHERE attrelid = objid AND attnum > 0 AND NOT attisdropped),
				(SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text)
				FROM pg_index WHERE indrelid = objid),
				(SELECT string_agg(conname || pg_get_constraintdef(oid), E'\n' ORDER BY conname)
				FROM pg_constraint WHERE conrelid = objid),
				(SELECT string_agg(pg_get_triggerdef(oid), E'\n' ORDER BY tgname)
				FROM pg_trigger WHERE tgrelid = objid))
			FROM pg_class WHERE oid = objid)
		WHEN 'pg_operator'::regclass THEN (
			SELECT concat_ws(' ', oprcode, oprrest, oprjoin, oprcanhash, oprcanmerge, oprcom::regoperator, oprnegate::regoperator) FROM pg_operator WHERE oid = objid)
		WHEN 'pg_opfamily'::regclass THEN (
			SELECT string_agg(pg_describe_object(c, o, 0), E'\n' ORDER BY 1)
			FROM (SELECT 'pg_amop'::regclass, oid FROM pg_amop WHERE amopfamily = objid
				UNION ALL SELECT 'pg_amproc'::regclass, oid FROM pg_amproc WHERE amprocfamily = objid) AS m(c, o))
		WHEN 'pg_cast'::regclass THEN (
			SELECT concat_ws(' ', castfunc::regprocedure, castcontext, castmethod) FROM pg_cast WHERE oid = objid)
		WHEN 'pg_type'::regclass THEN (
			SELECT concat_ws(' ', typinput, typoutput, typreceive, typsend, typstorage, typalign, typsubscript)
			FROM pg_type WHERE oid = objid)
		WHEN 'pg_namespace'::regclass THEN (SELECT nspacl::text FROM pg_namespace WHERE oid = objid)
	END AS definition,
	CASE classid WHEN 'pg_proc'::regclass THEN (SELECT proacl::text FROM pg_proc WHERE oid = objid) END AS privileges,
	obj_description(objid, classid::regclass::text) AS comment
FROM members
ORDER BY 1;
SELECT array_agg(c::regclass::text ORDER BY c::regclass::text) FROM pg_extension, unnest(extconfig) AS c WHERE extname = 'dynamo';

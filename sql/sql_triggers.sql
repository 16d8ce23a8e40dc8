-- Functions of triggers, called by hand with nothing of what a trigger has: each says
-- so, and none looks for it.
\pset format unaligned
\t on
CREATE FUNCTION pg_temp.called(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'is called';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT p.oid::regprocedure, pg_temp.called(p.oid::regprocedure::text)
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dynamo' AND p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype)
ORDER BY p.proname;

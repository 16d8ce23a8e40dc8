\set ECHO none
-- pg_temp.removable() waits until nobody sees any more what was deleted before, so that
-- VACUUM removes it: a snapshot of another session, or of a process in the background,
-- keeps it.
CREATE FUNCTION pg_temp.removable() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	mine xid := pg_current_xact_id()::xid;
	until timestamptz := clock_timestamp() + interval '2 minutes';
BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_activity
				  WHERE pid <> pg_backend_pid() AND (age(backend_xmin) > age(mine) OR age(backend_xid) > age(mine)))
	LOOP
		IF clock_timestamp() > until THEN
			RAISE 'a transaction has been open for two minutes';
		END IF;
		PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
	END LOOP;
END $$;
\set ECHO all

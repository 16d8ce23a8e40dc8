-- A collection that outgrows its page goes on to one where all are expected to
-- hold about as many rows more as they have: 1, 2, 3, 6, 12, ...

-- On a page that is full, as many collections as can hold that many rows; then
-- one row more of each: how many go to the same page?
CREATE FUNCTION pg_temp.share(held int, OUT rows bigint, OUT residents bigint) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE am_share (pk int, sk int, body text DEFAULT repeat('x', 87), PRIMARY KEY (pk, sk)) USING dynamo;
	SET LOCAL dynamo.placement = off;
	INSERT INTO am_share SELECT i / held, i FROM generate_series(1, 65) i;
	SET LOCAL dynamo.placement = on;
	INSERT INTO am_share SELECT i, 0 FROM generate_series(1, 65 / held - 1) i;
	SELECT count(*) FILTER (WHERE ctid < '(1,0)'), count(*) FILTER (WHERE ctid > '(1,0)' AND ctid < '(2,0)')
		INTO rows, residents FROM am_share;
	DROP TABLE am_share;
END $$;
SELECT held, share.* FROM generate_series(1, 13) held, pg_temp.share(held);

-- A cursor over query or scan outlives the savepoints it is read in, over either item store
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('SqlCursor', 'pk', 'sk N');
INSERT INTO dynamo_data."SqlCursor" (item) SELECT jsonb_build_object('pk', 'p', 'sk', n)::dynamo.item FROM generate_series(1, 100) n;
CREATE FUNCTION sql_cursor() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END';

-- what a commit or rollback does to it is what it does to any cursor; a
-- trigger makes the engine read by SQL
CREATE PROCEDURE all_cursors() LANGUAGE plpgsql AS $$
DECLARE
  n int := 0;
  r record;
BEGIN
  FOR r IN SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}') LOOP
    n := n + 1;
    BEGIN
      PERFORM dynamo.put_item('SqlCursor', '{"pk": "new", "sk": 1}');
      PERFORM 1 / (n % 3);
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
    IF n % 40 = 0 THEN
      COMMIT;
    END IF;
  END LOOP;
  RAISE NOTICE '% items', n;
END $$;

CALL all_cursors();
-- first read in a savepoint that is rolled back
BEGIN;
DECLARE c CURSOR FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
MOVE 70 FROM c;
FETCH 1 FROM c;
-- what it reads is not taken away from under it
DROP TABLE dynamo_data."SqlCursor";
ROLLBACK TO s;
SELECT dynamo.put_item('SqlCursor', '{"pk": "p", "sk": 73.5}');
FETCH 2 FROM c;
COMMIT;
-- in one that is released, and left open at the end
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
FETCH 1 FROM c;
RELEASE s;
MOVE 40 FROM c;
FETCH 1 FROM c;
COMMIT;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
FETCH 1 FROM c;
COMMIT;
FETCH 1 FROM c;
CLOSE c;

CREATE TRIGGER sql_cursor BEFORE DELETE ON dynamo_data."SqlCursor" FOR EACH ROW EXECUTE FUNCTION sql_cursor();
CALL all_cursors();
-- first read in a savepoint that is rolled back
BEGIN;
DECLARE c CURSOR FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
MOVE 70 FROM c;
FETCH 1 FROM c;
-- what it reads is not taken away from under it
DROP TABLE dynamo_data."SqlCursor";
ROLLBACK TO s;
SELECT dynamo.put_item('SqlCursor', '{"pk": "p", "sk": 74.5}');
FETCH 2 FROM c;
COMMIT;
-- in one that is released, and left open at the end
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
FETCH 1 FROM c;
RELEASE s;
MOVE 40 FROM c;
FETCH 1 FROM c;
COMMIT;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT item ->> 'sk' FROM dynamo.query('SqlCursor', 'pk = :p', '{":p": "p"}');
FETCH 1 FROM c;
COMMIT;
FETCH 1 FROM c;
CLOSE c;

DROP PROCEDURE all_cursors;
SELECT dynamo.drop_table('SqlCursor');
DROP FUNCTION sql_cursor;

--
-- ExpressionAttributeNames and ExpressionAttributeValues; reserved words
--
CREATE FUNCTION pg_temp.try(condition text, vals dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.matches('{}', condition, vals, names);
EXCEPTION WHEN SQLSTATE 'ND001' THEN
	RETURN sqlerrm;
END $$;
\pset format unaligned
\pset tuples_only on

-- undefined
SELECT pg_temp.try('#a = b'), pg_temp.try('a.#b[0].#c = b', NULL, '{"#b":"b"}'), pg_temp.try('a = :a'), pg_temp.try('a = :a', '{":A":1}'), pg_temp.try('#a = b', NULL, '{"#A":"a"}');
-- unused, names before values, all of them; judged on the text, not on evaluation
SELECT pg_temp.try('a = b', NULL, '{"#a":"a"}'), pg_temp.try('a = b', '{":a":1}'), pg_temp.try('a = :v', '{":a":1,":v":1,":b":2}', '{"#b":"a","#a":"a"}');
SELECT pg_temp.try('attribute_exists(a) AND #a = :a', '{":a":1}', '{"#a":"a"}'), pg_temp.try('a = b OR #a IN (:a, :b, #b)', '{":a":1,":b":2}', '{"#a":"a","#b":"c"}');
-- they come as Java iterates over a HashMap: by bucket, of which there are more in a larger one
SELECT pg_temp.try('a = b', NULL, '{"#a":"a","#b":"a","#c":"a","#name":"a","#v2":"a"}'), pg_temp.try('a = b', '{":z":1,":b":1,":val1":1,":val10":1,":lo":1,":hi":1}');
SELECT n, pg_temp.try('a = b', jsonb_object_agg(':' || chr(96 + i), 0)) FROM unnest(ARRAY[12, 13]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
-- an error of the expression comes before
SELECT pg_temp.try('a = a', '{":a":1}');
-- empty maps, keys of another form, too long ones, empty names
SELECT pg_temp.try('a = b', '{}'), pg_temp.try('a = b', NULL, '{}');
SELECT k, pg_temp.try('a = b', NULL, jsonb_build_object(k, 'a')) FROM unnest(ARRAY['a', '#', '', ':a', '#a b', '#a.b', '#ü', '##', '#a']) k;
SELECT k, pg_temp.try('a = b', jsonb_build_object(k, 'a')) FROM unnest(ARRAY['a', ':', '#a', ':a b', ':ü', '::', ':a']) k;
SELECT pg_temp.try('#' || k || ' = :' || k, jsonb_build_object(':' || k, 'a'), jsonb_build_object('#' || k, 'a')), pg_temp.try('#' || k || 'a = b', NULL, jsonb_build_object('#' || k || 'a', 'a')), pg_temp.try('a = :' || k || 'a', jsonb_build_object(':' || k || 'a', 'a')) FROM repeat('k', 254) k;
SELECT pg_temp.try('#a = b', NULL, '{"#a":""}');
-- ... and names that no attribute can have
SELECT n, pg_temp.try('#a = b', NULL, jsonb_build_object('#a', repeat('n', n))) FROM unnest(ARRAY[65535, 65536]) n;
-- names of another shape are no DynamoDB matter
SELECT dynamo.matches('{}', 'a = b', NULL, '[]');
SELECT dynamo.matches('{}', '#a = b', NULL, '{"#a":1}');
-- names in whatever JSON: blanks and escapes, one name twice, many, and what is almost JSON
SELECT names, dynamo.project('{"a": 1, "b": 2, "c\"": 3}', '#a, #b', names) FROM unnest(ARRAY[
	'{"#a":"a","#b":"b"}', E' {\t"#a" :\n"a" , "#b" : "b" } ', '{"#a":"a","\u0023b":"\u0062"}', '{"#a":"a","#b":"c\""}',
	'{"#a":"b","#b":"b","#a":"a"}', '{"#a":"a","#b":"","#b":"b"}']) AS names;
SELECT dynamo.project('{"a1": 1, "a8": 8}', string_agg('#' || n, ', '), json_object_agg('#' || n, 'a' || n)) FROM generate_series(1, 8) n;
SELECT dynamo.project('{"a1": 1, "a9": 9}', string_agg('#' || n, ', '), json_object_agg('#' || n, 'a' || n)) FROM generate_series(1, 9) n;
\set VERBOSITY terse
CREATE FUNCTION named(names text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN dynamo.project('{"a": 1}', '#a', names);
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SELECT names, named(names) FROM unnest(ARRAY['{"#a":"a"}', '', ' ', '{', '{}', '{"#a"}', '{"#a":}', '{"#a":"a"', '{"#a":"a",', '{"#a":"a",}', '{"#a":"a"}}', '{"#a":"a"} x',
	'{"#a" "a"}', '{"#a":"a" "#b":"b"}', '{"#a', '{"#a":"', '{#a:"a"}', '{"#a":a}', '["#a":"a"]', '"#a"', 'null', '{"#a":null}', '{"#a":"a","#b":{}}']) AS names;
DROP FUNCTION named;
\set VERBOSITY default
-- an attribute may be called like a placeholder: it is not looked up again
SELECT dynamo.apply_update('{}', 'SET #a = :v, #b = :v', '{":v":1}', '{"#a":"#b","#b":"c"}');
-- two names for one attribute are one attribute
SELECT pg_temp.try('#a = #b', NULL, '{"#a":"x","#b":"x"}');
-- a large map costs no square of its size
SELECT length(pg_temp.try('a = :v1', (SELECT jsonb_object_agg(':v' || n, 0) FROM generate_series(1, 50000) n), (SELECT jsonb_object_agg('#n' || n, 'a') FROM generate_series(1, 50000) n)));

-- reserved words, in any case, echoed as written, in any part of a path
SELECT pg_temp.try('a = comMent'), pg_temp.try('a.b.Status = b'), pg_temp.try('name = b'), pg_temp.try('a = b.size'), pg_temp.try('a = #n', NULL, '{"#n":"name"}'), pg_temp.try('attribute_exists(a[1].zone)');
SELECT dynamo.project('{}', 'a, b.data');
SELECT dynamo.apply_update('{}', 'REMOVE year');
SELECT dynamo.apply_update('{}', 'SET a = if_not_exists(b, ttl)');
-- not every English word
SELECT pg_temp.try('id = title AND price = quantity');
-- all 573: the words of the grammar are syntax errors, the others reserved
SELECT count(*), split_part(pg_temp.try(lower(w) || ' = b'), ';', 1) AS error, CASE WHEN count(*) < 20 THEN string_agg(w, ' ' ORDER BY w) END
  FROM regexp_split_to_table('ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC ASCII ASENSITIVE ASSERTION ASYMMETRIC AT
ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK BACKUP BASE BATCH BEFORE BEGIN BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH
BREADTH BUCKET BULK BY BYTE CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLASS CLOB CLOSE CLUSTER CLUSTERED
CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION COLUMN COLUMNS COMBINE COMMENT COMMIT COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT
CONNECTION CONSISTENCY CONSISTENT CONSTRAINT CONSTRAINTS CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER CREATE CROSS CUBE
CURRENT CURSOR CYCLE DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED DEFINITION DELETE
DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH DETERMINISTIC DIAGNOSTICS DIRECTORIES DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN DOUBLE
DROP DUMP DURATION DYNAMIC EACH ELEMENT ELSE ELSEIF EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION
EXCEPTIONS EXCLUSIVE EXEC EXECUTE EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH FIELDS FILE FILTER
FILTERING FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT FORWARD FOUND FREE FROM FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB
GLOBAL GO GOTO GRANT GREATER GROUP GROUPING HANDLER HASH HAVE HAVING HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN
INCLUDING INCLUSIVE INCREMENT INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT INSENSITIVE INSERT
INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS ITERATE JOIN KEY KEYS LAG LANGUAGE LARGE LAST LATERAL LEAD LEADING
LEAVE LEFT LENGTH LESS LEVEL LIKE LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION LOCATOR LOCK LOCKS LOG LOGED LONG LOOP LOWER
MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE MISSING MOD MODE MODIFIES MODIFY MODULE MONTH MULTI MULTISET NAME
NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT NULL NULLIF NUMBER NUMERIC OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR
OPTION OR ORDER ORDINALITY OTHER OTHERS OUT OUTER OUTPUT OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION PARTITIONED
PARTITIONS PATH PERCENT PERCENTILE PERMISSION PERMISSIONS PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVATE
PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY PROVISIONING PUBLIC PUT QUERY QUIT QUORUM RAISE RANDOM RANGE RANK RAW READ READS REAL
REBUILD RECORD RECURSIVE REDUCE REF REFERENCE REFERENCES REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT REPLACE REQUEST
RESET RESIGNAL RESOURCE RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE REVOKE RIGHT ROLE ROLES ROLLBACK ROLLUP ROUTINE ROW ROWS
RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE
SEQUENCE SERIALIZABLE SESSION SET SETS SHARD SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME SOURCE SPACE SPACES SPARSE
SPECIFIC SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING START STATE STATIC STATUS STORAGE STORE STORED STREAM STRING STRUCT
STYLE SUB SUBMULTISET SUBPARTITION SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED TEXT THAN THEN
THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM TRANSLATE TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE
TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED UNNEST UNPROCESSED UNSIGNED UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID
VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT VARYING VIEW VIEWS VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT
WORK WRAPPED WRITE YEAR ZONE', '\s') w GROUP BY 2 ORDER BY 1;

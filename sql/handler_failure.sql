-- A function that fails: attempts, bisecting, partial batch responses, and
-- what is given up.
\set VERBOSITY terse
SELECT setval('dynamo_internal.event_source_ids', 1000, false);
SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('Failing', 'id');
SELECT dynamo.enable_stream('Failing') IS NOT NULL AS enabled;
CREATE TABLE calls (ordinal serial, ids text);
CREATE TABLE done (id text);
CREATE TABLE failures (at timestamptz DEFAULT now(), message jsonb);
CREATE SEQUENCE attempts;

-- Fails on items that are "bad", and leaves no trace then
CREATE FUNCTION ids(event jsonb) RETURNS SETOF text LANGUAGE sql AS
$$SELECT r #>> '{dynamodb,Keys,id,S}' FROM jsonb_array_elements($1 -> 'Records') r$$;
CREATE FUNCTION fails(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM nextval('public.attempts');
	INSERT INTO public.calls (ids) SELECT string_agg(i, ' ') FROM public.ids(event) i;
	INSERT INTO public.done SELECT public.ids(event);
	IF EXISTS (SELECT FROM public.ids(event) i WHERE i ~ 'bad') THEN
		RAISE EXCEPTION 'bad item' USING ERRCODE = 'P0042';
	END IF;
END $$;
CREATE FUNCTION put(VARIADIC ids text[]) RETURNS void LANGUAGE sql AS
$$SELECT dynamo.put_item('Failing', jsonb_build_object('id', i, 'v', random())::dynamo.item) FROM unnest($1) i$$;

-- Without a limit the batch is tried again and again, as it was
SELECT dynamo.create_event_source_mapping('Failing', 'fails', 10, enabled => false) AS mapping \gset
SELECT put('a', 'bad', 'c');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT put('later');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM done;
SELECT handled, discarded, last_processing_result, retry_at > now() AS waits FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT failures, batch_end IS NOT NULL AS again FROM dynamo_internal.event_source_positions WHERE mapping = :mapping;
-- The function is repaired
CREATE FUNCTION works(event jsonb) RETURNS jsonb LANGUAGE sql AS
$$INSERT INTO public.calls (ids) SELECT string_agg(i, ' ') FROM public.ids($1) i;
INSERT INTO public.done SELECT public.ids($1); SELECT 'null'::jsonb$$;
SELECT dynamo.update_event_source_mapping(:mapping, 'works');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT ids FROM calls ORDER BY ordinal;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- With a limit it is given up after that many attempts more
TRUNCATE calls, done;
SELECT dynamo.create_event_source_mapping('Failing', 'fails', 2, maximum_retry_attempts => 1,
	on_failure => 'failures', enabled => false) AS mapping \gset
SELECT setval('attempts', 1, false);
SELECT put('a', 'bad', 'c', 'd');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM failures;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT nextval('attempts') - 1 AS calls;
SELECT id FROM done;
SELECT handled, discarded, last_processing_result FROM dynamo.event_source_mappings WHERE mapping = :mapping;
-- Lambda's message, and the records
SELECT jsonb_object_keys(message) AS member FROM failures ORDER BY 1;
SELECT message #>> '{requestContext,condition}' AS condition, message #>> '{requestContext,functionArn}' AS function,
	message #> '{requestContext,approximateInvokeCount}' AS calls, message #> '{DDBStreamBatchInfo,batchSize}' AS size,
	message #>> '{DDBStreamBatchInfo,startSequenceNumber}' = message #>> '{payload,Records,0,dynamodb,SequenceNumber}' AS first,
	message #>> '{DDBStreamBatchInfo,endSequenceNumber}' = message #>> '{payload,Records,1,dynamodb,SequenceNumber}' AS last,
	message #>> '{DDBStreamBatchInfo,streamArn}' = message #>> '{payload,Records,0,eventSourceARN}' AS stream,
	message #>> '{DDBStreamBatchInfo,approximateArrivalOfFirstRecord}' ~ '^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$' AS arrival
FROM failures;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- Bisecting finds the one that fails; halves cost no attempt
TRUNCATE calls, done, failures;
SELECT dynamo.create_event_source_mapping('Failing', 'fails', 8, maximum_retry_attempts => 0, bisect_on_error => true,
	on_failure => 'failures', enabled => false) AS mapping \gset
SELECT put('1', '2', '3', '4', '5', 'bad', '7', '8');
DO $$
BEGIN
	FOR i IN 1 .. 20 LOOP
		PERFORM dynamo.run_event_source_mapping(mapping) FROM dynamo.event_source_mappings WHERE table_name = 'Failing';
	END LOOP;
END $$;
SELECT string_agg(id, ' ' ORDER BY id) AS done FROM done;
SELECT string_agg(ids, ', ' ORDER BY ordinal) AS calls FROM calls;
SELECT ids(message -> 'payload') AS failed FROM failures;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- A partial batch response: what comes before is handled, by another call; the
-- record itself is tried again alone, and what follows it waits
TRUNCATE calls, done, failures;
CREATE FUNCTION partly(event jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	PERFORM nextval('public.attempts');
	INSERT INTO public.done SELECT public.ids(event);
	INSERT INTO public.calls (ids) SELECT string_agg(i, ' ') FROM public.ids(event) i;
	RETURN jsonb_build_object('batchItemFailures', (
		SELECT coalesce(jsonb_agg(jsonb_build_object('itemIdentifier', r #> '{dynamodb,SequenceNumber}')), '[]')
		FROM jsonb_array_elements(event -> 'Records') r WHERE r #>> '{dynamodb,Keys,id,S}' ~ 'bad'));
END $$;
SELECT dynamo.create_event_source_mapping('Failing', 'partly', 8, maximum_retry_attempts => 1,
	on_failure => 'failures', enabled => false) AS mapping \gset
SELECT setval('attempts', 1, false);
SELECT put('1', '2', 'bad', '4', 'bad too', '6');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT string_agg(ids, ', ' ORDER BY ordinal) AS calls FROM calls;
SELECT last_processing_result ~ '^PROBLEM: the function could not handle record 1\d{20}$' AS said FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT string_agg(ids, ', ' ORDER BY ordinal) AS calls, nextval('attempts') - 1 AS attempts FROM calls;
SELECT string_agg(id, ' ' ORDER BY id) AS done FROM done;
SELECT ids(message -> 'payload') AS failed FROM failures;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- Responses that are none fail the batch; those that say nothing do not
CREATE TABLE response (response jsonb);
INSERT INTO response VALUES (NULL);
CREATE FUNCTION answers(event jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT response FROM public.response';
SELECT dynamo.create_event_source_mapping('Failing', 'answers', enabled => false) AS mapping \gset
CREATE FUNCTION answer_with(answer jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	UPDATE public.response SET response = answer;
	PERFORM public.put('x');
	RETURN 0;
END $$;
SELECT answer_with('{"batchItemFailures": 1}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": [{"itemIdentifier": "100000000000000000000"}]}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": [{"itemIdentifier": ""}]}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": [{}]}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": [{"itemIdentifier": "1"}], "n": 1e400}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": []}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{"batchItemFailures": null}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('{}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with('[7]');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT answer_with(NULL);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.delete_event_source_mapping(:mapping);

-- jsonb has no NUL: such a record cannot be handled, and is kept without itself
TRUNCATE failures;
SELECT dynamo.create_event_source_mapping('Failing', 'works', maximum_retry_attempts => 0, on_failure => 'failures', enabled => false) AS mapping \gset
SELECT dynamo.put_item('Failing', '{"id": {"S": "nul"}, "v": {"S": "a\u0000b"}}');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT message #>> '{requestContext,condition}' AS condition, message -> 'payload' IS NULL AS without FROM failures;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- Nothing is given up that could not be kept
CREATE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'full'; END $$;
CREATE TRIGGER refuses BEFORE INSERT ON failures FOR EACH ROW EXECUTE FUNCTION refuses();
TRUNCATE failures;
SELECT dynamo.create_event_source_mapping('Failing', 'fails', maximum_retry_attempts => 0, on_failure => 'failures', enabled => false) AS mapping \gset
SELECT put('bad');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT discarded, last_processing_result FROM dynamo.event_source_mappings WHERE mapping = :mapping;
DROP TRIGGER refuses ON failures;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT discarded, (SELECT count(*) FROM failures) AS kept FROM dynamo.event_source_mappings WHERE mapping = :mapping;
SELECT dynamo.delete_event_source_mapping(:mapping);

-- The function may not commit, nor run mappings
CREATE FUNCTION runs(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT dynamo.run_event_source_mapping(mapping) FROM dynamo.event_source_mappings';
SELECT dynamo.create_event_source_mapping('Failing', 'runs', enabled => false) AS mapping \gset
SELECT put('x');
SELECT dynamo.run_event_source_mapping(:mapping);
CREATE FUNCTION commits(event jsonb) RETURNS void LANGUAGE plpgsql AS 'BEGIN COMMIT; END';
SELECT dynamo.update_event_source_mapping(:mapping, 'commits');
SELECT dynamo.run_event_source_mapping(:mapping);
-- It may delete its own mapping
CREATE FUNCTION deletes(event jsonb) RETURNS void LANGUAGE sql AS
$$SELECT dynamo.delete_event_source_mapping(mapping) FROM dynamo.event_source_mappings$$;
SELECT dynamo.update_event_source_mapping(:mapping, 'deletes');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM dynamo.event_source_mappings;

-- A function that is gone cannot even be called: that is no attempt, and is looked at
-- again after a while
CREATE FUNCTION goes(event jsonb) RETURNS void LANGUAGE sql AS '';
SELECT dynamo.create_event_source_mapping('Failing', 'goes', maximum_retry_attempts => 0, enabled => false) AS mapping \gset
DROP FUNCTION goes;
SELECT put('x');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT failures, result, retry_at > last_at AS waits, batch_end FROM dynamo_internal.event_source_positions WHERE mapping = :mapping;
SELECT dynamo.delete_event_source_mapping(:mapping);

SELECT dynamo.drop_table('Failing');
DROP TABLE calls, done, failures, response;
DROP SEQUENCE attempts;
DROP FUNCTION fails, works, partly, answers, answer_with, put, ids, refuses, runs, commits, deletes;

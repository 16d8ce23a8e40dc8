--
-- A cancel ends what is being done with a large item
--
-- Each query has a cancel pending when it comes to the function in question.
-- If that looks for interrupts, nextval() is not reached.
--
CREATE SEQUENCE reached;
CREATE TABLE items (item dynamo.item, other dynamo.item);
INSERT INTO items VALUES
  ('{"l":{"L":[{"NS":["1","2"]},{"BS":["AA==","/w=="]}]},"m":{"M":{"x":{"N":"1"}}}}',
   '{"l":{"L":[{"NS":["2","1"]},{"BS":["/w==","AA=="]}]},"m":{"M":{"x":{"N":"1"}}}}');

-- Text in
SELECT pg_cancel_backend(pg_backend_pid()), t::dynamo.item, nextval('reached')
FROM (SELECT '{"a":{"S":"x"}}' AS t OFFSET 0) s;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo_internal.item(j), nextval('reached')
FROM (SELECT '{"a":{"SS":["x","y"]}}'::json AS j OFFSET 0) s;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo_internal.item(j), nextval('reached')
FROM (SELECT '{"a":["x","y"]}'::jsonb AS j OFFSET 0) s;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo.call('ListTables', j), nextval('reached')
FROM (SELECT '{}'::json AS j OFFSET 0) s;

-- The parser, before it sees that this is no JSON
SELECT pg_cancel_backend(pg_backend_pid()), t::dynamo.item
FROM (SELECT '{"a":{"S"' AS t OFFSET 0) s;

-- Text out
SELECT pg_cancel_backend(pg_backend_pid()), dynamo.to_json(item), nextval('reached') FROM items;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo_internal.to_jsonb(item), nextval('reached') FROM items;

-- Comparing and measuring
SELECT pg_cancel_backend(pg_backend_pid()), item = other, nextval('reached') FROM items;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo.item_size(item), nextval('reached') FROM items;
SELECT pg_cancel_backend(pg_backend_pid()), dynamo_internal.item_hash(item), nextval('reached') FROM items;

SELECT is_called AS reached FROM reached;
DROP TABLE items;
DROP SEQUENCE reached;

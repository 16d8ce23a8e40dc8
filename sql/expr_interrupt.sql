--
-- A cancel ends the evaluation of an expression
--
-- The first row has the expression parsed; the second has a cancel pending when
-- it comes to the evaluation.  If that looks for interrupts, nextval() is not
-- reached.
--
CREATE SEQUENCE reached;
CREATE TABLE items (n int, item dynamo.item);
INSERT INTO items SELECT n,
	'{"a": {"S": "x"}, "b": {"S": "y"}, "l": {"L": [{"N": "1"}, {"N": "2"}]}, "s": {"SS": ["a", "b"]}, "m": {"M": {"a": {"N": "1"}}}}'
	FROM generate_series(1, 2) n;
CREATE FUNCTION cancel(n int) RETURNS bool LANGUAGE sql AS
	'SELECT CASE WHEN n = 2 THEN pg_cancel_backend(pg_backend_pid()) END';

-- Conditions
SELECT cancel(n), dynamo.matches(item, 'a = b'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.matches(item, 'contains(l, :v)', '{":v": 9}'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.matches(item, 'a IN (b, :v)', '{":v": "z"}'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.matches(item, 'size(a) > :v', '{":v": 9}'), nextval('reached') FROM items;

-- Projections
SELECT cancel(n), dynamo.project(item, 'a, m.a'), nextval('reached') FROM items;

-- Updates
SELECT cancel(n), dynamo.apply_update(item, 'SET a = b'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.apply_update(item, 'SET l = list_append(l, l)'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.apply_update(item, 'REMOVE l[0], m.a'), nextval('reached') FROM items;
SELECT cancel(n), dynamo.apply_update(item, 'DELETE s :v', '{":v": {"SS": ["a"]}}'), nextval('reached') FROM items;

-- Binding what a request brings along
SELECT pg_cancel_backend(pg_backend_pid()), dynamo.matches(item, '#a = #b', NULL, names), nextval('reached')
	FROM (SELECT item, '{"#a": "a", "#b": "b"}'::jsonb AS names FROM items OFFSET 0) i;

-- The first rows were reached, of all but the last query, and no other
SELECT last_value FROM reached;
DROP FUNCTION cancel;
DROP TABLE items;
DROP SEQUENCE reached;

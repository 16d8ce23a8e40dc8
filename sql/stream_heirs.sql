-- Relations that inherit from a table's: their rows are reached through it,
-- but it is its own rows whose changes are recorded.  So there is a stream or
-- there are heirs, in whatever order they come.

SELECT dynamo.create_table('Testator', 'pk');
CREATE TABLE stream_heir () INHERITS (dynamo_data."Testator");
INSERT INTO stream_heir (item) VALUES ('{"pk": "heir"}');
SELECT dynamo.enable_stream('Testator');
DROP TABLE stream_heir;
SELECT dynamo.enable_stream('Testator') IS NOT NULL AS enabled;

SELECT dynamo.put_item('Testator', '{"pk": "own"}');
CREATE TABLE stream_heir () INHERITS (dynamo_data."Testator");
INSERT INTO stream_heir (item) VALUES ('{"pk": "heir"}');
SELECT dynamo.put_item('Testator', '{"pk": "heir", "n": 1}');
SELECT dynamo.delete_item('Testator', '{"pk": "own"}');
SELECT item FROM dynamo.scan('Testator') ORDER BY item->>'pk';

-- Without the one or the other all is well.
SELECT dynamo.disable_stream('Testator');
SELECT dynamo.put_item('Testator', '{"pk": "heir", "n": 1}');
DROP TABLE stream_heir;
SELECT dynamo.enable_stream('Testator') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Testator', '{"pk": "own", "n": 2}');
SELECT event_name, keys FROM dynamo.stream('Testator');
SELECT dynamo.drop_table('Testator');

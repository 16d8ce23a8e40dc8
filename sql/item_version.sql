--
-- dynamo.item: two versions of its form in one table; an unknown one is refused
--
-- What is behind the length word is not looked at on the way in.
CREATE CAST (bytea AS dynamo.item) WITHOUT FUNCTION;
CREATE CAST (dynamo.item AS bytea) WITHOUT FUNCTION;
CREATE FUNCTION form_of(item dynamo.item) RETURNS int LANGUAGE sql AS $$SELECT get_byte(item::bytea, 0)$$;
SELECT dynamo.create_table('ItemVersion', 'id'), dynamo.create_index('ItemVersion', 'by_g', 'g', 'h');
-- as version 1 was written: strings, and all types
INSERT INTO dynamo_data."ItemVersion" (item) VALUES
  ('\x010c04080f0167017801680131026964016f6c64'::bytea::dynamo.item),
  (('\x0129090010001400180022004300480053005c008e01016109080203040105026273080401000167017801680133026964016f6c64657374016d0a08171b1461206e616d65206f66203230206c6574746572730300016c0900016e02c102026e7307080204c103c102027373060801026162047769646501' || repeat('y', 300)::bytea)::dynamo.item);
SELECT count(dynamo.put_item('ItemVersion', jsonb_build_object('id', id, 'g', 'x', 'h', h)::dynamo.item)) FROM (VALUES ('new', '2'), ('newest', '4')) v (id, h);

-- read alike, by all doors
SELECT form_of(item), pk, left(item::text, 200) AS item FROM dynamo_data."ItemVersion" ORDER BY item ->> 'h';
SELECT item ->> 'id' AS id FROM dynamo.query('ItemVersion', 'g = :g', '{":g": "x"}', index_name => 'by_g');
SELECT length(item ->> 'wide'), item #> '{m,a name of 20 letters}' AS nested FROM dynamo.get_item('ItemVersion', '{"id": "oldest"}');
SELECT count(*) FROM dynamo.scan('ItemVersion', 'contains(ss, :a) OR id = :new', '{":a": "b", ":new": "new"}');
-- one value: equal, of one hash and one size, shorter today
SELECT o.item = n.item AS equal, dynamo_internal.item_hash(o.item) = dynamo_internal.item_hash(n.item) AS hash, dynamo.item_size(o.item) = dynamo.item_size(n.item) AS size,
  form_of(n.item), length(o.item::bytea) AS before, length(n.item::bytea) AS after
FROM dynamo_data."ItemVersion" o, LATERAL (SELECT dynamo.to_json(o.item)::text::dynamo.item AS item) n WHERE form_of(o.item) = 1 ORDER BY o.pk;
-- binary output is of this version, and so is an item that is written
SELECT bool_and(get_byte(dynamo_internal.item_send(item), 0) = 2) FROM dynamo_data."ItemVersion";
SELECT dynamo.update_item('ItemVersion', '{"id": "oldest"}', 'SET h = :h ADD ss :s REMOVE wide', '{":h": {"S": "0"}, ":s": {"SS": ["c"]}}', return_values => 'ALL_NEW');
SELECT item ->> 'id' AS id, form_of(item) FROM dynamo.query('ItemVersion', 'g = :g', '{":g": "x"}', index_name => 'by_g');
SELECT dynamo.delete_item('ItemVersion', '{"id": "old"}', 'h = :h', '{":h": "1"}', return_values => 'ALL_OLD');

-- an unknown version is an error, and nothing else
CREATE FUNCTION refused(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE sql;
	RETURN 'not at all';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN sqlstate || ' ' || sqlerrm || ' (' || detail || ')';
END $$;
SELECT refused($$SELECT '\x0300'::bytea::dynamo.item::text$$);
SELECT refused($$INSERT INTO dynamo_data."ItemVersion" (item) VALUES ('\x0f00'::bytea::dynamo.item)$$);
SELECT count(*) FROM dynamo.scan('ItemVersion');
SELECT dynamo.drop_table('ItemVersion');
DROP FUNCTION form_of, refused;
DROP CAST (bytea AS dynamo.item);
DROP CAST (dynamo.item AS bytea);

--
-- dynamo.item: values that are refused, with the texts of the service
--
CREATE FUNCTION item_error(document text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN document::dynamo.item;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- ValidationException: ND001
SELECT v AS value, item_error('{"a":' || v || ',"z":{"S":""}}')
FROM unnest(ARRAY[
  '{}', '{"X":"y"}', 'null', '{"S":null}', '{"S":"x","N":"1"}', '{"S":"x","N":"y"}',
  '{"NULL":false}', '{"NULL":"no"}',
  '{"SS":[]}', '{"NS":[]}', '{"BS":[]}',
  '{"SS":["b","a","b"]}', '{"NS":["1","2","1.0"]}', '{"BS":["AA==","/w==","AA=="]}',
  '{"N":""}', '{"N":"abc"}', '{"NS":["1","x"]}', '{"L":[{"N":"x"},{}]}', '{"M":{"x":{"N":"--1"}}}',
  '{"L":[null]}', '{"M":{"":{"S":"x"}}}', '{"SS":[null]}'
]) v;

-- SerializationException: ND002
SELECT v AS value, item_error('{"a":' || v || ',"z":{"S":""}}')
FROM unnest(ARRAY[
  '{"S":1}', '{"S":1.5}', '{"S":true}', '{"S":false}', '{"S":[]}', '{"S":{}}',
  '{"N":3}', '{"N":3.5}', '{"L":[{"N":3}]}', '{"NS":[3]}',
  '{"B":1}', '{"B":true}', '{"B":[]}', '{"B":{}}', '{"M":[]}', '{"L":{}}', '{"B":"AAA"}', '{"B":"A*=="}', '{"B":"AB=="}', '{"B":"===="}', '{"B":"=+/="}', '{"B":"A==="}',
  '{"BS":["AAA"]}',
  '{"BOOL":1}', '{"BOOL":"x"}', '{"BOOL":[]}', '{"BOOL":{}}', '{"NULL":0.5}',
  '{"L":"x"}', '{"L":{}}', '{"L":["x"]}', '{"L":[[]]}',
  '{"M":"x"}', '{"M":[]}', '{"M":{"x":1}}', '{"M":{"x":[]}}',
  '{"SS":"x"}', '{"SS":{}}', '{"SS":[1]}'
]) v;

-- shape is looked at before any value, values in the order of the document
SELECT item_error('{"a":{"N":"x"},"b":{"N":3}}');
SELECT item_error('{"a":{"SS":[]},"b":{"N":"x"}}');

-- names: 1 to 65535 bytes
SELECT item_error('{"":{"S":"x"}}'), item_error('{"":"x"}');
SELECT item_error(format('{%s:{"S":"x"}}', to_json(repeat('n', 65536))));
SELECT length(item_error(format('{%s:{"S":"x"}}', to_json(repeat('n', 65535)))));

-- nesting: 31 lists or maps, an empty one counted, around a leaf
SELECT left(item_error('{"a":' || repeat('{"L":[', n) || '{"S":"x"}' || repeat(']}', n) || '}'), 60),
       left(item_error('{"a":' || repeat('{"M":{"x":', n) || '{"S":"x"}' || repeat('}}', n) || '}'), 60),
       left(item_error('{"a":' || repeat('[', n) || '1' || repeat(']', n) || '}'), 60),
       left(item_error('{"a":{"z":' || repeat('{"x":', n - 1) || '1' || repeat('}', n - 1) || '}}'), 60),
       left(item_error('{"a":' || repeat('{"L":[', n) || '{"SS":["x"]}' || repeat(']}', n) || '}'), 60)
FROM unnest(ARRAY[31, 32]) n;
SELECT left(item_error('{"a":' || repeat('{"L":[', n) || '{"M":{}}' || repeat(']}', n) || '}'), 60),
       left(item_error('{"a":' || repeat('{"M":{"x":', n) || '{"L":[]}' || repeat('}}', n) || '}'), 60),
       left(item_error('{"a":' || repeat('[', n) || '{}' || repeat(']', n) || '}'), 60)
FROM unnest(ARRAY[30, 31]) n;
-- deeper than any parser goes
SELECT left(item_error('{"a":' || repeat('{"L":[', 100000)), 60),
       left(item_error('{"a":{"L":' || repeat('[', 100000)), 60);
DROP FUNCTION item_error;

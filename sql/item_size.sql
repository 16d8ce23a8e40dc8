--
-- dynamo.item: DynamoDB's size, the limit of 409600 bytes, and our own bytes
--

-- the value's size is the item's less one byte of name
SELECT v, dynamo.item_size(('{"a":' || v || '}')::dynamo.item) - 1 AS size FROM unnest(ARRAY[
  '{"S":""}', '{"S":"é"}', '{"B":"AAEC"}', '{"BOOL":true}', '{"NULL":true}',
  '{"N":"0"}', '{"N":"1"}', '{"N":"-1"}', '{"N":"12"}', '{"N":"123456"}', '{"N":"3.14159"}',
  '{"N":"1E125"}', '{"N":"1E-130"}', '{"N":"0.00123"}', '{"N":"120"}', '{"N":"-12.345"}',
  '{"SS":["a","bc"]}', '{"NS":["1","-1"]}', '{"BS":["AA=="]}',
  '{"L":[]}', '{"M":{}}', '{"L":[{"S":"abc"}]}', '{"M":{"xy":{"S":"abc"}}}',
  '{"L":[{"L":[]},{"M":{"k":{"BOOL":true}}}]}']) v;
SELECT dynamo.item_size('{}'), dynamo.item_size('{"ab":"cd","e":"f"}');

-- an item of 409600 bytes can be stored, one of 409601 cannot, however it comes
CREATE TABLE item_limit (
  pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'k', 'S')) STORED PRIMARY KEY,
  item dynamo.item NOT NULL);
INSERT INTO item_limit (item) SELECT jsonb_build_object('k', 'a', 's', repeat('x', 409597)) RETURNING dynamo.item_size(item);
INSERT INTO item_limit (item) SELECT jsonb_build_object('k', 'b', 's', repeat('x', 409598));
UPDATE item_limit SET item = jsonb_build_object('k', 'a', 's', repeat('x', 409598));
-- containers cost more in DynamoDB than here: a list of 102400 empty lists
INSERT INTO item_limit (item) SELECT jsonb_build_object('k', 'l', 's', jsonb_agg('[]'::jsonb)) FROM generate_series(1, 102398) RETURNING dynamo.item_size(item);
INSERT INTO item_limit (item) SELECT jsonb_build_object('k', 'l2', 's', jsonb_agg('[]'::jsonb)) FROM generate_series(1, 102400);
-- ... most of all those within others
SELECT n, dynamo.item_size(i), length(dynamo_internal.item_send(i)) < 320000 AS small FROM unnest(ARRAY[3413, 3414]) n,
  CAST(format('{"k": "n", "s": [%s]}', rtrim(repeat(repeat('[', 30) || repeat(']', 30) || ',', n), ',')) AS dynamo.item) i;
INSERT INTO item_limit (item) SELECT format('{"k": "n", "s": [%s]}', rtrim(repeat(repeat('[', 30) || repeat(']', 30) || ',', 3413), ','))::dynamo.item;
INSERT INTO item_limit (item) SELECT format('{"k": "n2", "s": [%s]}', rtrim(repeat(repeat('[', 30) || repeat(']', 30) || ',', 3414), ','))::dynamo.item;
-- an update makes an item of 409600 bytes, too, and no larger one, be it put together of lists
SELECT dynamo.item_size(dynamo.apply_update('{"k": "a"}', 'SET s = :v', jsonb_build_object(':v', repeat('x', 409597))));
SELECT dynamo.apply_update('{"k": "a"}', 'SET s = :v', jsonb_build_object(':v', repeat('x', 409598)));
SELECT dynamo.item_size(dynamo.apply_update('{"k": "a", "l": []}', 'SET l = list_append(l, :v)', jsonb_build_object(':v', jsonb_build_array(repeat('x', 409593)))));
SELECT dynamo.apply_update('{"k": "a", "l": []}', 'SET l = list_append(l, :v)', jsonb_build_object(':v', jsonb_build_array(repeat('x', 409594))));
SELECT dynamo.apply_update('{"k": "a", "l": []}', 'SET l = list_append(l, :v)', jsonb_build_object(':v', jsonb_build_array(repeat('x', 500000))));
SELECT dynamo.item_size(dynamo.apply_update('{"k": "a", "l": [], "m": []}', 'SET l = list_append(l, :v), m = list_append(:w, m)', jsonb_build_object(':v', jsonb_build_array(repeat('x', 409587)), ':w', jsonb_build_array('x'))));
-- values of an expression may be larger
SELECT dynamo.item_size(jsonb_build_object(':v', repeat('x', 500000)));
DROP TABLE item_limit;

-- ten attributes take at most 0.65 of the same typed JSON as jsonb
SELECT pg_column_size(j::dynamo.item) <= 0.65 * pg_column_size(j::jsonb) AS compact,
       pg_column_size(j::dynamo.item) AS item, pg_column_size(j::jsonb) AS jsonb
FROM (VALUES
 ('{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#2024-01-01#17"},"name":{"S":"Ann Example"},"city":{"S":"Berlin"},"total":{"N":"129.95"},
   "paid":{"BOOL":true},"tags":{"SS":["new","gift"]},"lines":{"N":"3"},"note":{"NULL":true},"mail":{"S":"ann@example.com"}}'),
 ('{"a":{"N":"1"},"b":{"N":"2"},"c":{"N":"3"},"d":{"N":"4"},"e":{"N":"5"},"f":{"N":"6"},"g":{"N":"7"},"h":{"N":"8"},"i":{"N":"9"},"j":{"N":"10"}}'),
 ('{"PK":{"S":"a"},"SK":{"S":"b"},"GSI1PK":{"S":"c"},"GSI1SK":{"S":"d"},"l":{"L":[{"S":"x"},{"N":"1"}]},"m":{"M":{"k":{"S":"v"},"n":{"N":"1"}}},
   "n1":{"N":"1234567.89"},"n2":{"N":"-5"},"b":{"B":"AAECAwQFBgc="},"s":{"S":"some words"}}')) v(j);

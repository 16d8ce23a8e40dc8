-- The table of commands: what a row says fits together.
\t on
\a
SELECT count(*), count(*) FILTER (WHERE available), count(DISTINCT service) FROM dynamo_internal.operations();
-- sorted by name, since it is searched by halves
SELECT operation FROM (SELECT operation, lag(operation) OVER () AS previous FROM dynamo_internal.operations()) o
WHERE previous COLLATE "C" >= operation COLLATE "C";
-- What writes is not tried again when a node of a cluster was lost: a name tells
-- which operations do not.  TransactGetItems can lose a race, and writes nothing.
SELECT operation, writes FROM dynamo_internal.operations()
WHERE available AND writes = (operation ~ '^(Describe|List|Get|BatchGet|TransactGet|Query$|Scan$|SearchVectors$)');
SELECT operation, parts FROM dynamo_internal.operations() WHERE parts <> 'one';
-- EXPLAIN knows the operations on items, which are those that policies check when
-- items are known, but for one about a stream, two of ours, and one that reads a whole index
SELECT operation, checked, explained FROM dynamo_internal.operations()
WHERE explained <> (checked IN ('later', 'parts'));
-- what is about no item by itself, and names something, is checked by that; what it
-- names does not stand in a list or a map, where policies would not look
SELECT operation, names FROM dynamo_internal.operations()
WHERE available AND checked = 'names' AND (names = '{}' OR array_to_string(names, ' ') ~ '[]}]');
SELECT operation, names FROM dynamo_internal.operations() WHERE checked = 'all';
-- operations about all items, which a role that is held to keys must not do
SELECT operation, reach FROM dynamo_internal.operations() WHERE reach <> 'given';
-- what the coordinator of a cluster does changes something, and may find a table in use, or tells what it keeps
SELECT operation FROM dynamo_internal.operations() WHERE place = 'coordinator' AND NOT writes;
SELECT place, count(*) FROM dynamo_internal.operations() WHERE available GROUP BY 1 ORDER BY 1;

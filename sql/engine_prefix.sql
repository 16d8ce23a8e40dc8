-- begins_with on keys: the range ends before the next prefix, and a last byte of
-- ff carries over to the byte before it
\t on
\a
SELECT dynamo.create_table('EnginePrefix', 'pk', 'sk', sort_key_type => 'B');
CREATE FUNCTION pg_temp.typed(template text, hex text) RETURNS dynamo.item LANGUAGE sql AS $$
  SELECT format(template, encode(decode(hex, 'hex'), 'base64'))::dynamo.item $$;
INSERT INTO dynamo_data."EnginePrefix" (item)
SELECT pg_temp.typed('{"pk": {"S": "p"}, "sk": {"B": "%s"}}', k)
FROM unnest('{00,61,61fe,61fe00,61ff,61ff00,61ffff,61ffff01,62,6200,fe,feff,ff,ff00,ffff,ffff00,ffffff}'::text[]) k;
CREATE FUNCTION pg_temp.found(prefix text, forward boolean) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(encode(decode(item ->> 'sk', 'base64'), 'hex'), ' ')
  FROM dynamo.query('EnginePrefix', 'pk = :p AND begins_with(sk, :b)', pg_temp.typed('{":p": {"S": "p"}, ":b": {"B": "%s"}}', prefix), scan_index_forward => forward) $$;
CREATE TEMP VIEW prefixes AS SELECT unnest('{00,61,61fe,61ff,61ffff,61ffffff,fe,feff,ff,ffff,ffffff}'::text[]) AS prefix;
SELECT prefix, pg_temp.found(prefix, true) FROM prefixes;
SELECT prefix, pg_temp.found(prefix, false) FROM prefixes WHERE prefix ~ 'ff';
-- ... and by SQL
ALTER TABLE dynamo_data."EnginePrefix" ADD CHECK (true);
SELECT prefix, pg_temp.found(prefix, true) FROM prefixes WHERE prefix ~ 'ff';
SELECT dynamo.drop_table('EnginePrefix');

-- the end of a range of strings need not be a string
SELECT dynamo.create_table('EnginePrefix', 'pk', 'sk');
INSERT INTO dynamo_data."EnginePrefix" (item)
SELECT jsonb_build_object('pk', 'p', 'sk', k)::dynamo.item FROM unnest(ARRAY['a', 'a¿', 'a¿x', 'aÀ', U&'a\+10FFFF', U&'a\+10FFFFx', 'b']) k;
SELECT n, string_agg(ascii(right(item ->> 'sk', -1)) || ':' || length(item ->> 'sk'), ' ')
FROM unnest(ARRAY['a', 'a¿', U&'a\+10FFFF']) WITH ORDINALITY prefix (b, n),
  dynamo.query('EnginePrefix', 'pk = :p AND begins_with(sk, :b)', jsonb_build_object(':p', 'p', ':b', b)::dynamo.item) GROUP BY n ORDER BY n;
SELECT dynamo.drop_table('EnginePrefix');

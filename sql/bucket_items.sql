-- What stands in the files of a bucket: lines of JSON, Ion and CSV, and what is
-- said of lines that are none.
\set VERBOSITY terse
\pset null '~'
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/regress-items && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
-- A new session has the new setting.
\c -
CREATE FUNCTION put_bytes(key text, content bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	o oid := lo_from_bytea(0, content);
BEGIN
	PERFORM lo_export(o, current_setting('dynamo.bucket_directory') || '/regress-items/' || key);
	PERFORM lo_unlink(o);
END $$;
CREATE FUNCTION put_file(key text, content text) RETURNS void LANGUAGE sql AS
$$SELECT put_bytes($1, convert_to($2, 'UTF8'))$$;

-- Every type, in the two forms of an export
SELECT put_file('types.json', $$
{"Item":{"s":{"S":"text \u20ac \ud83d\ude00"},"empty":{"S":""},"n":{"N":"-1.50"},"big":{"N":"600"},"b":{"B":"AAEC"},"t":{"BOOL":true},"f":{"BOOL":false},"z":{"NULL":true},"ss":{"SS":["b","a"]},"ns":{"NS":["1","2.5"]},"bs":{"BS":["AA=="]},"l":{"L":[{"S":"x"},{"L":[]}]},"m":{"M":{"odd name":{"N":"0.05"},"$x":{"M":{}}}}}}
$$);
SELECT * FROM dynamo.bucket_items('regress-items', 'types.json');
SELECT put_file('types.ion', $$$ion_1_0 {Item:{s:"text \u20ac \ud83d\ude00",empty:"",n:-1.5,big:6d2,b:{{AAEC}},t:true,f:false,z:null,ss:$dynamodb_SS::["b","a"],ns:$dynamodb_NS::[1.,2.5],bs:$dynamodb_BS::[{{AA==}}],l:["x",[]],m:{'odd name':5d-2,$x:{}}}}
$$);
SELECT problem, item = (SELECT item FROM dynamo.bucket_items('regress-items', 'types.json')) AS same
FROM dynamo.bucket_items('regress-items', 'types.ion', 'ION');

-- What else Ion may be written like
SELECT put_file('ways.ion', $$
   $ion_1_0   { 'Item' : { "a" : 1 , b : -0. , c : 1_000 , d : 1e3 , e : 12.50D-1 , } , }
{Item:{a:'''long ''' '''text''',b:'''it's "quoted"''',c:"\x41\0\t\"\\\U0001F600"}} // comment
{Item:{a:[1,2,],b:{{ AA /w }},c:{{AA/w}},/* comment */d:'$dynamodb_SS'::['''x''']}}
{Item:{a:null,'null':null,'true':true,'a\'b':"'",nulls:"null"}}
{Item:{}}
$$);
SELECT line, item, problem FROM dynamo.bucket_items('regress-items', 'ways.ion', 'ION');

-- What Ion has and items do not, and what is no Ion: each line for itself
SELECT put_file('wrong.ion', $$2020-01-01T
{Item:{a:2020-01-01T}}
{Item:{a:symbol}}
{Item:{a:'symbol'}}
{Item:{a:(1 2)}}
{Item:{a:{{"clob"}}}}
{Item:{a:nan}}
{Item:{a:+inf}}
{Item:{a:0x10}}
{Item:{a:null.string}}
{Item:{a:note::1}}
{Item:{a:$dynamodb_XS::["a"]}}
{Item:{a:$dynamodb_SS::["a","a"]}}
{Item:{a:$dynamodb_SS::[]}}
{Item:{a:$dynamodb_SS::["a",1]}}
{Item:{a:$dynamodb_NS::[null]}}
{Item:{a:$dynamodb_BS::[true]}}
{Item:{a:$dynamodb_SS::"a"}}
{Item:{a:"\ud800"}}
{Item:{a:"\ud800\u0041"}}
{Item:{a:"\q"}}
{Item:{a:"\x4"}}
{Item:{a:"open}}
{Item:{a:'''open}}
{Item:{a:1_}}
{Item:{a:1__0}}
{Item:{a:._1}}
{Item:{a:1.2.3}}
{Item:{a:1e}}
{Item:{a:-}}
{Item:{a:1d126}}
{Item:{a:1.123456789012345678901234567890123456789}}
{Item:{a:{{A}}}}
{Item:{a:{{}}}
{Item:{a:[1}}
{Item:{a:1 b:2}}
{Item:{a:x::1}}
{Item:{'':1}}
{Item:{1:1}}
{Item:{a::1}}
{Item:{a:1}} {Item:{a:2}}
{Item:{a:1},b:2}
{Keys:{a:1}}
{Item:1}
{Item
/* open
$ion_1_1 {Item:{}}
$ion_1_0
{Item:{a:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}
{Item:{a:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}
$$ || '{Item:{a:' || repeat('[', 100000) || E'}}\n');
SELECT line, problem FROM dynamo.bucket_items('regress-items', 'wrong.ion', 'ION');

-- The same of JSON
SELECT put_file('wrong.json', $$[]
null
"Item"
{}
{"Item":1}
{"Item":[]}
{"Item":null}
{"item":{}}
{"Item":{},"Keys":{}}
{"Item":{"a":1}}
{"Item":{"a":{"X":1}}}
{"Item":{"a":{"N":"one"}}}
{"Item":{"a":{"S":"x","N":"1"}}}
{"Item":{"":{"S":"x"}}}
{"Item":{"a":{"SS":[]}}}
{"Item":{"a":{"B":"x"}}}
{"Item":{"a":{"S":"x"}}
{"Item":{"a":{"S":"x"}}}}
{"Item":{"a":{"S":"\u0000"}}}
   
{"Metadata":{"WriteTimestampMicros":"1"},"Keys":{"a":{"S":"x"}}}
{"Item":{"last":{"S":"line has no end"}}}$$);
SELECT line, number, item, problem FROM dynamo.bucket_items('regress-items', 'wrong.json');

-- Line ends, and the mark that some programs begin with
SELECT put_file('ends.json', E'\uFEFF{"Item":{"a":{"N":"1"}}}\r\n\r\n{"Item":{"a":{"N":"2"}}}\n\n{"Item":{"a":{"N":"3"}}}\r');
SELECT number, line, item, problem FROM dynamo.bucket_items('regress-items', 'ends.json');
SELECT put_bytes('bytes.json', '{"Item":{"a":{"S":"'::bytea || '\xff'::bytea || E'"}}}\n{"Item":{"a":{"S":"'::bytea || '\x00'::bytea || '"}}}'::bytea);
SELECT line, item, problem FROM dynamo.bucket_items('regress-items', 'bytes.json');
-- However deep sets stand in sets, that is wrong at the first
SELECT put_file('deep.ion', '{Item:{a:' || repeat('$dynamodb_SS::[', 300000) || E'}}\n{Item:{a:1}}');
SELECT line, item, problem FROM dynamo.bucket_items('regress-items', 'deep.ion', 'ION');
-- A header is text, or else names would not be
SELECT put_bytes('nul.csv', 'a,b'::bytea || '\x00'::bytea || E'\nx,y\n'::bytea);
SELECT * FROM dynamo.bucket_items('regress-items', 'nul.csv', 'CSV');

-- A line beyond the limit is said to be, and the next one is read
SELECT put_file('long.json', '{"Item":{"a":{"S":"' || repeat('x', 17000000) || E'"}}}\n{"Item":{"a":{"S":"next"}}}');
SELECT line, left(item::text, 50), problem FROM dynamo.bucket_items('regress-items', 'long.json');
SELECT put_file('long.csv', E'a,b\n1,"' || repeat(E'x\n', 9000000) || E'"\n2,next');
SELECT number, line, item, problem FROM dynamo.bucket_items('regress-items', 'long.csv', 'CSV') LIMIT 2;
SELECT put_file('cells.csv', E'a,b\n"\n' || repeat(repeat('","', 1000000) || E'\n', 8) || '"');
SELECT number, line, problem FROM dynamo.bucket_items('regress-items', 'cells.csv', 'CSV') LIMIT 1;

-- CSV: quotes, types, cells that are not there
SELECT put_file('plain.csv', $$id,n,b,note
a,1,AAE=,plain
b,-2.50,,"quoted, with ""quotes"", and
an end"
"c",3,,
d

e,,,   spaces stay 
$$);
SELECT number, line, item, problem FROM dynamo.bucket_items('regress-items', 'plain.csv', 'CSV', columns => '{n N,b B}');
SELECT put_file('semi.csv', E'a;1;x,y\r\nb;2;"x\r\ny"\r\n');
SELECT number, line, item, problem FROM dynamo.bucket_items('regress-items', 'semi.csv', 'CSV', delimiter => ';',
	header => '{id,n,note}', columns => '{n N}');
SELECT put_file('wrong.csv', $$id,n,b
a,one,
a,1,A
a,1,AA==,more
a,1,x"y
a,1,"x"y
a,1
"open
$$);
SELECT line, item, problem FROM dynamo.bucket_items('regress-items', 'wrong.csv', 'CSV', columns => '{n N,b B}');
SELECT put_file('twice.csv', E'id,n,id\n1,2,3\n');
SELECT * FROM dynamo.bucket_items('regress-items', 'twice.csv', 'CSV');
SELECT put_file('nameless.csv', E'id,,n\n1,2,3\n');
SELECT * FROM dynamo.bucket_items('regress-items', 'nameless.csv', 'CSV');
SELECT put_bytes('odd.csv', 'id,n'::bytea || '\xff'::bytea || E',x\n1,2,3'::bytea);
SELECT * FROM dynamo.bucket_items('regress-items', 'odd.csv', 'CSV');
SELECT put_file('nothing.csv', '');
SELECT * FROM dynamo.bucket_items('regress-items', 'nothing.csv', 'CSV');

-- Compressed: one file, several in one, cut short, changed, none
\set gzip 'gzip -n > ' :buckets '/regress-items/one.json.gz'
COPY (SELECT '{"Item":{"a":{"N":"' || i || '"}}}' FROM generate_series(1, 10000) i) TO PROGRAM :'gzip';
SELECT count(*), sum((item->>'a')::int), count(problem) FROM dynamo.bucket_items('regress-items', 'one.json.gz', input_compression => 'GZIP');
\set twice 'cat > /dev/null; cd ' :buckets '/regress-items && cat one.json.gz one.json.gz > two.json.gz && head -c 1000 one.json.gz > short.json.gz && (head -c 1000 one.json.gz; printf XX; tail -c +1003 one.json.gz) > changed.json.gz && (head -c -8 one.json.gz; printf XXXXXXXX) > checksum.json.gz && gzip -dc one.json.gz | zstd -q > one.json.zst && head -c 1000 one.json.zst > short.json.zst && cat one.json.zst one.json.zst > two.json.zst && : > empty.json.gz'
COPY (SELECT 1) TO PROGRAM :'twice';
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'two.json.gz', input_compression => 'GZIP');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'short.json.gz', input_compression => 'GZIP');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'changed.json.gz', input_compression => 'GZIP');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'checksum.json.gz', input_compression => 'GZIP');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'empty.json.gz', input_compression => 'GZIP');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'types.json', input_compression => 'GZIP');
SELECT count(*), sum((item->>'a')::int) FROM dynamo.bucket_items('regress-items', 'one.json.zst', input_compression => 'ZSTD');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'two.json.zst', input_compression => 'ZSTD');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'short.json.zst', input_compression => 'ZSTD');
SELECT count(*) FROM dynamo.bucket_items('regress-items', 'types.json', input_compression => 'ZSTD');

-- Arguments
SELECT * FROM dynamo.bucket_items('regress-items', input_format => 'XML');
SELECT * FROM dynamo.bucket_items('regress-items', input_compression => 'LZ4');
SELECT * FROM dynamo.bucket_items('regress-items', input_format => 'CSV', delimiter => '--');
SELECT * FROM dynamo.bucket_items('regress-items', input_format => 'CSV', columns => '{n}');
SELECT * FROM dynamo.bucket_items('regress-items', input_format => 'CSV', header => '{a,NULL}');
SELECT * FROM dynamo.bucket_items(NULL);

DROP FUNCTION put_file, put_bytes;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';

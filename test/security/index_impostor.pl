# Who: the owner of a table, and somebody with no right to it.
# Owns: the table's relation; the other, a schema.  Wants: an index of his own
# in the place of one of ours, so that others are answered wrongly or the btree
# gets entries it cannot hold; the other, the definition of an index gone.
#
# An index is known by its name, and used if it is what we would make for it:
# the same columns to the last constant, the same rows, the same order.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_port = 0\ndynamo.ttl_interval = 0");
is(sql(q{CREATE EXTENSION dynamo; CREATE EXTENSION amcheck;
	CREATE ROLE owner LOGIN; CREATE ROLE stranger LOGIN;
	GRANT CREATE ON SCHEMA dynamo_data TO owner;
	CREATE SCHEMA strange AUTHORIZATION stranger;
	SET ROLE owner;
	SELECT dynamo.create_table('Shop', 'pk', 'sk');
	SELECT dynamo.create_index('Shop', 'ByG', 'g', 'h');
	SELECT dynamo.create_index('Shop', 'multi', ARRAY['g', 'x'], ARRAY['h', 'n N']);
	SELECT dynamo.enable_ttl('Shop', 't')}) =~ s/\s//gr, 'dynamo_data."Shop"', 'a table');

my $item = q{'{"pk": "%s", "sk": "1", "g": "a", "h": "b", "x": "c", "y": "d", "n": 1, "t": 1700000000, "u": 1700000000}'};
my $n = 0;

# Put an index of this definition in the place of one, write, ask, and take it
# back.  "read" says how the index is read, which finds one item.
sub impostor
{
	my ($name, $index, $columns, $read) = @_;
	my $put = sprintf $item, 'p' . ++$n;
	is(sql(qq{SET ROLE owner; ALTER INDEX dynamo_data."Shop$index" RENAME TO ours;
		CREATE $columns->[0] INDEX "Shop$index" ON dynamo_data."Shop" $columns->[1]}), '', "$name: made");
	like(sql(qq{SELECT dynamo.put_item('Shop', $put); $read}),
		qr/\A\s*psql:\S+ ERROR:  [^\n]*another index has (?:its|the) name.*DETAIL:  The one on relation "Shop" is not what the definition asks for/s,
		"$name: writes go on, it is not read, and who asks is told");
	is(sql(qq{SET search_path = dynamo_data, public; SELECT bt_index_check(indexrelid, true) FROM pg_index
		WHERE indrelid = 'dynamo_data."Shop"'::regclass; SET ROLE owner;
		DROP INDEX "Shop$index"; ALTER INDEX ours RENAME TO "Shop$index";
		SELECT dynamo.delete_item('Shop', '{"pk": "p$n", "sk": "1"}'); $read}) =~ s/\s//gr, '1', "$name: every row has its entries, ours is used again");
	return;
}

# Its first column is the partition key of attribute g; what may differ.
sub columns
{
	my (%o) = @_;
	my ($attribute, $type, $tie) = ($o{attribute} || 'g', $o{type} || 'S', $o{tie} || "'pk', 'sk'");
	my $hash = "dynamo_internal.index_partition_hash(item, '$attribute'::text, '$type'::\"char\")";
	my $range = "dynamo_internal.index_sort_key(item, 'h'::text, 'S'::\"char\")";
	my $where = exists $o{where} ? $o{where} : "WHERE $hash IS NOT NULL AND $range IS NOT NULL";
	return [$o{unique} || '', "($hash @{[$o{order} || '']}, $range @{[$o{order2} || '']}, dynamo_internal.key_hash(item, $tie)) @{[$o{include} || '']} $where"];
}

my $by_g = q{SELECT count(*) FROM dynamo.query('Shop', 'g = :g', '{":g": "a"}', index_name => 'ByG')};
sql(sprintf "SELECT dynamo.put_item('Shop', $item)", 'there');
is(sql($by_g), '1', 'the index as it is made');

impostor('another attribute', '/ByG', columns(attribute => 'x'), $by_g);
impostor('another type', '/ByG', columns(type => 'N'), $by_g);
impostor('another tie-breaker', '/ByG', columns(tie => "'sk', 'pk'"), $by_g);
impostor('all rows', '/ByG', columns(where => ''), $by_g);
impostor('other rows', '/ByG', columns(where => q{WHERE item ? 'g'}), $by_g);
impostor('unique', '/ByG', columns(unique => 'UNIQUE'), $by_g);
impostor('descending', '/ByG', columns(order => 'DESC'), $by_g);
impostor('nulls first', '/ByG', columns(order2 => 'NULLS FIRST'), $by_g);
impostor('further columns', '/ByG', columns(include => 'INCLUDE (pk)'), $by_g);
sql(q{CREATE OPERATOR CLASS public.backwards FOR TYPE bytea USING btree AS
	OPERATOR 1 pg_catalog.>, OPERATOR 2 pg_catalog.>=, OPERATOR 3 pg_catalog.=, OPERATOR 4 pg_catalog.<=, OPERATOR 5 pg_catalog.<,
	FUNCTION 1 public.backwards(bytea, bytea);}) if sql(q{CREATE FUNCTION public.backwards(bytea, bytea)
	RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS 'SELECT -pg_catalog.byteacmp($1, $2)'}) eq '';
impostor('another operator class', '/ByG', columns(order2 => 'public.backwards'), $by_g);

my $multi = q{SELECT count(*) FROM dynamo.query('Shop', 'g = :g AND #x = :x', '{":g": "a", ":x": "c"}', index_name => 'multi',
	expression_attribute_names => '{"#x": "x"}')};
is(sql($multi), '1', 'an index on several attributes as it is made');
impostor('several attributes in another order', '/multi', ['', q{
	(dynamo_internal.index_partition_hash(item, '{x,g}'::text[], '{S,S}'::"char"[]), dynamo_internal.index_sort_key(item, 'h', 'S'), dynamo_internal.index_sort_key(item, 'n', 'N'), dynamo_internal.key_hash(item, 'pk', 'sk'))
	WHERE dynamo_internal.index_partition_hash(item, '{x,g}'::text[], '{S,S}'::"char"[]) IS NOT NULL AND dynamo_internal.index_sort_key(item, 'h', 'S') IS NOT NULL AND dynamo_internal.index_sort_key(item, 'n', 'N') IS NOT NULL}], $multi);

my $ttl = q{BEGIN; SELECT dynamo.expire_items('Shop'); ROLLBACK};
sql(qq{SELECT dynamo.update_item('Shop', '{"pk": "there", "sk": "1"}', 'SET t = :now', json_build_object(':now', floor(extract(epoch FROM now())) - 10)::text::dynamo.item)});
is(sql($ttl), '1', 'the index of expiring items as it is made');
impostor('expiry by another attribute', ':ttl', ['', q{
	(dynamo_internal.expiry(item, 'u'), dynamo_internal.key_hash(item, 'pk', 'sk')) WHERE dynamo_internal.expiry(item, 'u') IS NOT NULL}], $ttl);

# One made by hand that is what we would make is as good as ours.
is(sql(q{SET ROLE owner; DROP INDEX dynamo_data."Shop/ByG"; SELECT dynamo.create_index('Shop', 'ByG', 'g', 'h');
	ALTER INDEX dynamo_data."Shop/ByG" RENAME TO ours;
	CREATE INDEX "Shop/ByG" ON dynamo_data."Shop" } . columns()->[1]), '', 'the same made by hand');
is(sql($by_g), '1', 'is used');

# What the API deletes is the definition, and an index only if it is ours.
is(sql(qq{SET ROLE owner; DROP INDEX dynamo_data.ours; ALTER INDEX dynamo_data."Shop/ByG" RENAME TO ours;
	CREATE INDEX "Shop/ByG" ON dynamo_data."Shop" @{[columns(attribute => 'x')->[1]]};
	SELECT dynamo.drop_index('Shop', 'ByG')}), '', 'dropped by the API');
is(sql(q{SELECT count(*) FROM dynamo.indexes WHERE index_name = 'ByG'}), '0', 'the definition is gone');
is(sql(q{SELECT to_regclass('dynamo_data."Shop/ByG"') IS NOT NULL}), 't', 'an index that was not ours is not');
sql(q{DROP INDEX dynamo_data."Shop/ByG"; DROP INDEX dynamo_data.ours; SET ROLE owner; SELECT dynamo.create_index('Shop', 'ByG', 'g', 'h')});

# Somebody else drops an index of the name, while ours has another one.
sql(q{SET ROLE owner; ALTER INDEX dynamo_data."Shop/ByG" RENAME TO ours; ALTER INDEX dynamo_data."Shop:ttl" RENAME TO ours_too});
is(sql(qq{SET ROLE stranger; CREATE TABLE strange.t (a int, item dynamo.item);
	CREATE INDEX "Shop/ByG" ON strange.t (a); CREATE INDEX "Shop:ttl" ON strange.t (a);
	DROP INDEX strange."Shop/ByG"; DROP INDEX strange."Shop:ttl"}), '', 'a stranger drops indexes of these names');
is(sql(q{SELECT count(*) FROM dynamo.indexes WHERE index_name = 'ByG'}), '1', 'the definition stays');
is(sql(q{SELECT ttl_attribute FROM dynamo.tables WHERE table_name = 'Shop'}), 't', 'and so does time to live');
sql(q{SET ROLE owner; ALTER INDEX dynamo_data.ours RENAME TO "Shop/ByG"; ALTER INDEX dynamo_data.ours_too RENAME TO "Shop:ttl"});
is(sql($by_g), '1', 'renamed back, it is used');

done_testing();

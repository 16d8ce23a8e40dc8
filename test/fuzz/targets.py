"""What is fuzzed: for each target the fields of its inputs, how inputs are
made from nothing, the statement that takes them, and what must hold of an
input that was accepted.

The statement may fail with an SQLSTATE of ALLOWED or of the target's own
list; the checks, which run only for accepted inputs, may not fail at all and
must not answer false.
"""

import gzip
import json
import random

import corpus
import definitions
import generate
import statements
from expressions import Builder
from server import Binary
from tables import ATTRIBUTES, NAMES, TABLES
from values import BAD_NUMBERS, NUMBERS, STRINGS, b64, bad_value, \
    chance, key_value, misformed_value, nest, value

# Classes and states that a broken input may be refused with: DynamoDB's own
# exceptions; invalid data, such as text that is no JSON for a parameter of
# type json; limits of the server.
ALLOWED = ("ND", "22", "54")
ITEM = "dynamo.item"
OPERATIONS = tuple(generate.MAKERS) + ("DescribeEndpoints", "Nonsense")


class Target:
    name = None
    kinds = ()              # of the fields
    types = ()              # of the parameters
    statement = None
    checks = ()
    allowed = ()            # SQLSTATEs besides ALLOWED
    remake = 3000           # inputs after which setup is called again

    def available(self, connection):
        """Can this server be asked?"""
        return True

    def setup(self, connection):
        """Make what the statements need."""

    def send(self, connection, statement, parameters, types):
        return connection.run(statement, parameters, types)

    def inspect(self, connection):
        """What the inputs since setup have damaged, or None."""

    def generate(self, rng):
        raise NotImplementedError

    def statements(self, fields):
        """(types, statement, its checks) for this input."""
        return self.types, self.statement, self.checks

    def parameters(self, fields):
        return fields

    def judge(self, answer):
        """What is wrong with the answer to an accepted input, or None."""


def typed_item(rng):
    item = rng.choice(list(TABLES.values())).item(rng)
    if chance(rng, 0.1):
        item["x"] = bad_value(rng)
    if chance(rng, 0.05):
        item["y"] = misformed_value(rng)
    if chance(rng, 0.02):
        item["x"] = nest(rng.choice([29, 30, 31, 32, 33, 100]))
    return item


def plain(tree):
    """Typed JSON as plain JSON."""
    (type_, content), = tree.items()
    if type_ == "M":
        return {name: plain(child) for name, child in content.items()}
    if type_ == "L":
        return [plain(child) for child in content]
    if type_ == "N":
        return float(content)
    return None if type_ == "NULL" else content


def item_text(rng):
    item = typed_item(rng)
    if chance(rng, 0.3):
        try:
            item = {name: plain(child) for name, child in item.items()}
        except (ValueError, AttributeError, TypeError):
            pass
    return json.dumps(item, ensure_ascii=chance(rng, 0.5))


def odd_string(rng):
    """With and without what JSON must escape, at any place in a word."""
    pool = rng.choice(("ab", "ab\t", "a\"\\/\b\f\n\r\t\x01\x1f\x7f ",
                       "a\u00e9\u4e2d\U0001f600\n"))
    return "".join(rng.choices(pool, k=rng.randint(0, 40)))


class ItemText(Target):
    name, kinds, types = "item_text", ("json",), (ITEM,)
    statement = "SELECT $1::text"
    checks = (
        "SELECT t::dynamo.item = $1 AND t::dynamo.item::text = t"
        " AND dynamo_internal.item_send(t::dynamo.item) = dynamo_internal.item_send($1)"
        " AND dynamo_internal.item_hash(t::dynamo.item) = dynamo_internal.item_hash($1)"
        " AND dynamo.item_size(t::dynamo.item) = dynamo.item_size($1)"
        " AND dynamo.to_json($1)::dynamo.item = $1"
        " FROM (SELECT $1::text AS t OFFSET 0) s",)

    def generate(self, rng):
        return [item_text(rng)]


class PlainText(Target):
    """Plain JSON: the reader of text against the one by way of jsonb.

    What stands in a list behind a first member that is no object is never
    typed JSON, whatever it looks like.
    """

    name, kinds, types = "plain_text", ("json",), ("text",)
    statement = ("SELECT fuzz_plain('{\"x\":0,\"y\":[' || $1 || ']}', false)"
                 " = fuzz_plain('{\"x\":0,\"y\":[' || $1 || ']}', true)")
    checks = (statement,)

    def setup(self, connection):
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_plain(t text, by_jsonb boolean)
            RETURNS text LANGUAGE plpgsql AS $$
            BEGIN
                IF by_jsonb THEN
                    RETURN dynamo_internal.item_send(t::jsonb::dynamo.item);
                END IF;
                RETURN dynamo_internal.item_send(t::dynamo.item);
            EXCEPTION WHEN OTHERS THEN
                RETURN SQLSTATE || SQLERRM;
            END $$""")

    def generate(self, rng):
        text = item_text(rng)
        if chance(rng, 0.3):
            text = rng.choice((str(rng.uniform(-1e3, 1e3)), "-0", "1E+2",
                               "0.10e-3", "123456789" * rng.randint(1, 6),
                               r'"\u0041\n\\\"\/"', "true", "null",
                               '{"a":1,"a":2}', "[[],{}]",
                               json.dumps(odd_string(rng))))
        return [text]


class Written(Target):
    """An item as JSON, typed and plain, byte for byte against what core makes
    of the same values.

    For typed JSON these come from the text, which item_text holds against the
    item; for plain JSON from the item by way of jsonb.  Core has the digits of
    \\u001F in lower case, and no NUL in a jsonb.
    """

    name, kinds, types = "json_written", ("json",), (ITEM,)
    statement = "SELECT $1::text, $1::json"
    checks = ("SELECT fuzz_written($1::text, $1, false)",
              "SELECT fuzz_written($1::json::text, $1, true)")

    def setup(self, connection):
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_compact(j jsonb) RETURNS text
            LANGUAGE sql AS $$
            SELECT CASE jsonb_typeof(j)
            WHEN 'object' THEN (
                SELECT '{' || coalesce(string_agg(to_json(k)::text || ':'
                    || fuzz_compact(v), ',' ORDER BY k COLLATE "C"), '') || '}'
                FROM jsonb_each(j) e(k, v))
            WHEN 'array' THEN (
                SELECT '[' || coalesce(string_agg(fuzz_compact(v), ','
                    ORDER BY n), '') || ']'
                FROM jsonb_array_elements(j) WITH ORDINALITY e(v, n))
            ELSE j::text END $$""")
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_written(written text,
                i dynamo.item, plain boolean)
            RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                RETURN lower(written) = lower(fuzz_compact(
                    CASE WHEN plain THEN i::jsonb ELSE written::jsonb END));
            EXCEPTION WHEN untranslatable_character THEN
                RETURN true;
            END $$""")

    def generate(self, rng):
        if chance(rng, 0.5):
            return [item_text(rng)]
        return [json.dumps({"x": odd_string(rng), "m": {
            "a" + odd_string(rng): [odd_string(rng), odd_string(rng)]}},
            ensure_ascii=chance(rng, 0.5))]


# Packed items, to start from: of the current version, and of the first.
PACKED = [bytes.fromhex(one) for one in (
    "0200", "0204116178", "020c030514610115621363 01ff",
    "0208031161781262c102", "02041261c102", "02041561", "0204146101",
    "0204166108016162", "020417610802c102c103", "0204186108016162",
    "02041961 0405", "02041a6104 1561", "02041961 0409 0405",
    "02040110616161616161616161616161616161617a",
    "0100", "01040401610178", "010c03070d016105016203610401016301ff",
    "0108040901610178016202c102", "010405016102c102",
    "010403016105", "01040401610401", "0104080161060801026162",
    "01040a016107080204c102c103", "0104080161080801026162",
    "01040601610904020401", "01040701610a0403016105",
    "0104080161090403090402 0401")]


class ItemBinary(Target):
    name, kinds, types = "item_binary", ("bytes",), (ITEM, "bytea")
    statement = "SELECT $1::text, length($2)"
    checks = (
        "SELECT dynamo_internal.item_send($1) = $2 AND $1::text::dynamo.item = $1"
        " AND dynamo_internal.item_send($1::text::dynamo.item) = $2", )

    def generate(self, rng):
        return [rng.choice(PACKED)]

    def parameters(self, fields):
        return [None if fields[0] is None else Binary(fields[0])] * 2


READERS = {
    "text": "i::text", "json": "dynamo.to_json(i)", "jsonb": "i::jsonb",
    "size": "dynamo.item_size(i)", "hash": "dynamo_internal.item_hash_extended(i, 5)",
    "field": "(i -> $2)", "field_text": "(i ->> $2)", "exists": "(i ? $2)",
    "path": "(i #> $3::text[])", "path_text": "(i #>> $3::text[])",
    "equal": "(i = $4)", "contains": "(i @> $4)", "joined": "(i || $4)",
    "without": "(i - $2)", "fewer": "(i - $3::text[])", "plain": "i::json",
    "subscript": "i[$2]['a'][0]",
    "set": "dynamo.item_set(i, $3::text[], $4::jsonb)",
    "key_s": "dynamo_internal.index_partition_hash(i, $2, 'S')",
    "key_n": "dynamo_internal.index_sort_key(i, $2, 'N')",
    "key_b": "dynamo_internal.index_sort_key(i, $2, 'B')",
    "table_key": "dynamo_internal.partition_key(i, $2, 'S')",
    "table_sort": "dynamo_internal.sort_key(i, $2, 'N')",
    "keys": "dynamo_internal.index_partition_hash(i, $3::text[],"
            " (ARRAY['S','N','B','S','S']::\"char\"[])"
            "[1:cardinality($3::text[])])",
    "key_hash": "dynamo_internal.key_hash(i, VARIADIC $3::text[])",
    "expiry": "dynamo_internal.expiry(i, $2)",
    "matches": "dynamo.matches(i, 'a = b AND contains(l, a) OR size(ss) > b')",
    "project": "dynamo.project(i, 'a, m.a, l[1], data.name.#b',"
               " '{\"#b\": \"b\"}')",
    "update": "dynamo.apply_update(i, 'SET l[0] = a, m.a = l REMOVE data.a,"
              " ss')",
    "add": "dynamo.apply_update(i, 'ADD b :n, ss :s DELETE bs :b',"
           " '{\":n\":{\"N\":\"1\"},\":s\":{\"SS\":[\"x\"]},"
           "\":b\":{\"BS\":[\"YQ==\"]}}')",
}


class Readers(Target):
    """The operators and functions of items."""

    name = "item_functions"
    kinds = (tuple(READERS), "json", "text", "array", "json")
    types = (ITEM, "text", "text", ITEM)

    def statements(self, fields):
        return self.types, f"SELECT ({READERS[fields[0]]})::text," \
            " $2, $3, $4 FROM (SELECT $1 AS i OFFSET 0) s", ()

    def parameters(self, fields):
        return fields[1:]

    def generate(self, rng):
        names = [rng.choice(ATTRIBUTES + ["0", "-1", "1", "pk"])
                 for _ in range(rng.randint(1, 4))]
        return [rng.choice(tuple(READERS)), item_text(rng), names[0],
                "{" + ",".join(json.dumps(name) for name in names) + "}",
                item_text(rng)]


class Damaged(Readers):
    """The same on bytes nobody has checked, as a broken disk gives them."""

    name = "item_damaged"
    kinds = (tuple(READERS), "bytes", "text", "array", "json")
    types = ("bytea", "text", "text", ITEM)
    allowed = ("XX001",)

    def setup(self, connection):
        connection.run("CREATE CAST (bytea AS dynamo.item) WITHOUT FUNCTION")

    def statements(self, fields):
        types, statement, checks = super().statements(fields)
        return types, statement.replace("$1 AS i", "$1::dynamo.item AS i"), \
            checks

    def parameters(self, fields):
        return [None if fields[1] is None else Binary(fields[1])] + fields[2:]

    def generate(self, rng):
        fields = super().generate(rng)
        fields[1] = rng.choice(PACKED)
        return fields


class KeyText(Target):
    """Text as a key; in and out as partition and as sort key."""

    name, kinds, types = "key_text", ("json",), ("text",)
    statement = "SELECT dynamo_internal.partition_key_in(textout($1))"
    # not by a cast, which takes any text for a string
    checks = (
        "SELECT l = k AND dynamo_internal.partition_key_send(l)"
        " = dynamo_internal.partition_key_send(k) AND l::text = k::text"
        " AND dynamo_internal.partition_key_cmp(k, l) = 0"
        " FROM (SELECT k, dynamo_internal.partition_key_in(textout(k::text)) AS l"
        " FROM (SELECT dynamo_internal.partition_key_in(textout($1)) AS k OFFSET 0) s"
        " OFFSET 0) t",)

    def generate(self, rng):
        return [self.key(rng)]

    def key(self, rng):
        kind = rng.randrange(5)
        if kind == 0:
            return rng.choice(STRINGS).replace("\0", "")
        if kind == 1:
            return json.dumps(value(rng, rng.choice("SNB")))
        if kind == 2:
            return json.dumps({"L": [key_value(rng, rng.choice("SNB"))
                                     for _ in range(rng.randint(1, 5))]})
        if kind == 3:
            return json.dumps({"raw": b64(bytes(rng.choices(
                range(256), k=rng.randint(7, 30))))})
        return "x" * rng.choice([1023, 1024, 1025, 1500, 2047, 2048, 2049])


class SortKeyText(KeyText):
    name = "sort_key_text"
    statement = KeyText.statement.replace("partition_key", "sort_key")
    checks = tuple(check.replace("partition_key", "sort_key")
                   for check in KeyText.checks)


class KeyBinary(Target):
    name, kinds = "key_binary", ("bytes",)
    types = ("dynamo.partition_key", "bytea")
    statement = "SELECT $1::text, length($2)"
    checks = ("SELECT dynamo_internal.partition_key_send($1) = $2"
              " AND dynamo_internal.partition_key_in(textout($1::text)) = $1",)
    parameters = ItemBinary.parameters

    def generate(self, rng):
        return [bytes(rng.choices(range(256), k=8)) + rng.choice(
            [b"\x01a", b"\x02\xc1\x02", b"\x03\xff", b"\x01"])]


class SortKeyBinary(KeyBinary):
    name = "sort_key_binary"
    types = ("dynamo.sort_key", "bytea")
    checks = tuple(check.replace("partition_key", "sort_key")
                   for check in KeyBinary.checks)

    def generate(self, rng):
        return [rng.choice([b"\x01a", b"\x02\xc1\x02", b"\x03\xff", b"\x01"])]


class Number(Target):
    """Two numbers: canonical form, order, sum and difference."""

    name, kinds, types = "number", ("text", "text"), ("text", "text")
    made = ("(SELECT json_build_object('a', json_build_object('N', $1),"
            " 'b', json_build_object('N', $2))::dynamo.item AS i OFFSET 0) s")
    statement = f"SELECT i FROM {made}"
    checks = (
        "SELECT a = json_build_object('a', json_build_object('N', a))"
        "::dynamo.item ->> 'a'"
        # numeric itself takes 16,383 digits after the point
        " AND CASE WHEN length($1) < 16383"
        " THEN a::numeric = $1::numeric ELSE true END"
        " AND trim_scale(a::numeric)::text = a"
        " AND dynamo.matches(i, 'a < b') = (a::numeric < b::numeric)"
        " AND dynamo.matches(i, 'a = b') = (a::numeric = b::numeric)"
        " AND (dynamo_internal.sort_key(i, 'a', 'N') < dynamo_internal.sort_key(i, 'b', 'N'))"
        " = (a::numeric < b::numeric)"
        " AND dynamo_internal.sort_key(a::numeric) = dynamo_internal.sort_key(i, 'a', 'N')"
        f" FROM (SELECT i, i ->> 'a' AS a, i ->> 'b' AS b FROM {made}) t",)
    sums = (f"SELECT dynamo.apply_update(i, 'SET c = a + b, d = a - b')"
            f" FROM {made}")
    sum_checks = (
        "SELECT (u ->> 'c')::numeric = (u ->> 'a')::numeric"
        " + (u ->> 'b')::numeric AND (u ->> 'd')::numeric ="
        " (u ->> 'a')::numeric - (u ->> 'b')::numeric AND u::text::dynamo.item"
        " = u FROM (" + sums.replace(" FROM", " AS u FROM", 1)
        + " OFFSET 0) t",)

    def statements(self, fields):
        if len(fields[0] or "") % 2:
            return self.types, self.sums, self.sum_checks
        return self.types, self.statement, self.checks

    def generate(self, rng):
        return [self.number(rng), self.number(rng)]

    def number(self, rng):
        if chance(rng, 0.3):
            return rng.choice(NUMBERS + BAD_NUMBERS)
        digits = "".join(rng.choices("0123456789",
                                     k=rng.choice([1, 2, 5, 19, 37, 38, 39])))
        if chance(rng, 0.3):
            digits = rng.choice(["9", "0", "10", "99"]) * rng.randint(1, 19)
        if chance(rng, 0.5):
            place = rng.randint(0, len(digits))
            digits = digits[:place] + "." + digits[place:]
        if chance(rng, 0.5):
            digits += rng.choice("eE") + rng.choice(["", "+", "-"]) + str(
                rng.choice([0, 1, 2, 10, 87, 88, 92, 93, 124, 125, 126, 130,
                            131, rng.randint(0, 170)]))
        return rng.choice(["", "", "-", "+"]) + digits


def spoil(rng, builder):
    """How faulty the expressions of this builder are."""
    builder.faults = rng.choice([0.0, 0.0, 0.05, 0.15])


class Expression(Target):
    """An expression with an item, values and names."""

    kinds = ("expr", "json", "json", "json")
    types = ("text", ITEM, ITEM, "jsonb")
    pool = ()

    def generate(self, rng):
        table = rng.choice(list(TABLES.values()))
        builder = Builder(rng, table)
        spoil(rng, builder)
        if chance(rng, 0.1):
            text = rng.choice(self.pool)
            builder.placeholder(value(rng, None, 1))
            builder.names["#n0"] = rng.choice(ATTRIBUTES)
        else:
            text = self.text(rng, builder)
        if builder.faults and chance(rng, 0.3):
            text = builder.damage(text)
        item = table.item(rng)
        for name in rng.sample(ATTRIBUTES, 3):
            item[name] = value(rng, builder.types.get(name))
        return [text, json.dumps(item),
                json.dumps(builder.values) if builder.values else None,
                json.dumps(builder.names) if builder.names else None]


class Condition(Expression):
    name, pool = "condition", corpus.CONDITIONS
    statement = "SELECT dynamo.matches($2, $1, $3, $4)"

    def text(self, rng, builder):
        return builder.condition(rng.choice([0, 1, 2, 4]))


class Projection(Expression):
    name, pool = "projection", corpus.PROJECTIONS
    types = ("text", ITEM, ITEM, "jsonb")
    made = "(SELECT dynamo.project($2, $1, $4) AS p, $3 OFFSET 0) s"
    statement = f"SELECT p FROM {made}"
    # list positions close up, so a path with one leads elsewhere then
    checks = (
        "SELECT p::text::dynamo.item = p AND (strpos($1, '[') > 0"
        f" OR dynamo.project(p, $1, $4) = p) FROM {made}",)

    def text(self, rng, builder):
        return builder.projection()


class Update(Expression):
    name, pool = "update", corpus.UPDATES
    made = "(SELECT dynamo.apply_update($2, $1, $3, $4) AS u OFFSET 0) s"
    statement = f"SELECT u FROM {made}"
    checks = (
        "SELECT u::text::dynamo.item = u AND"
        f" u::text::dynamo.item::text = u::text FROM {made}",)

    def text(self, rng, builder):
        return builder.update()


class Operations(Target):
    """Requests as JSON, of every operation, on tables with some items."""

    name, kinds, types = "operations", (OPERATIONS, "json"), ("text", "json")
    statement = "SELECT dynamo.try_call($1, $2)"
    recent = {}

    def setup(self, connection):
        make_tables(connection, Operations.recent)

    def inspect(self, connection):
        return damaged_index(connection)

    def generate(self, rng):
        operation, request = generate.make(rng, self.recent)
        if operation == "TransactWriteItems" and chance(rng, 0.3):
            request["ClientRequestToken"] = rng.choice("abc")
        return [operation, json.dumps(request,
                                      ensure_ascii=chance(rng, 0.5))]

    def judge(self, answer):
        response = answer.rows[0][0] if answer.rows else None
        if response and "InternalServerError" in response[:100]:
            return "InternalServerError"
        return None


class Definitions(Operations):
    """The operations on tables and streams, which take longer.

    One table has a stream whose names are the same in each run.
    """

    name = "definitions"
    kinds = (tuple(definitions.MAKERS), "json")
    remake = 400

    def setup(self, connection):
        super().setup(connection)
        connection.must("DELETE FROM dynamo.streams")
        connection.must("SELECT dynamo.enable_stream('HashS')")
        connection.must("UPDATE dynamo.streams SET label = $1, created_at ="
                        " ($1 || 'Z')::timestamptz", [definitions.LABEL])
        connection.must("SELECT dynamo.put_item('HashS', $1)",
                        ['{"pk": "streamed"}'])

    def generate(self, rng):
        operation, request = definitions.make(rng)
        return [operation, json.dumps(request)]


class Statements(Operations):
    """PartiQL: alone, in batches and in transactions."""

    name = "statements"
    kinds = (statements.OPERATIONS, "json")

    def generate(self, rng):
        return list(statements.make(rng))


class Query(Operations):
    """A Query by a key condition; or by one and a filter."""

    name = "query"
    kinds = (("RangeS", "RangeN", "RangeB", "Multi", "HashS"),
             (None, "lsiAll", "lsiKeys", "gsiAll", "gsiKeys", "gsiSome",
              "lsiSome", "flip", "two"), "expr", "expr", "json", "json",
             ("true", "false"), ("1", "2", "5", "1000"))

    def parameters(self, fields):
        table, index, keys, filters, values, names, forward, limit = fields
        members = [("TableName", json.dumps(table)), ("ScanIndexForward",
                                                      forward),
                   ("Limit", limit)]
        for name, text in (("IndexName", index),
                           ("KeyConditionExpression", keys),
                           ("FilterExpression", filters)):
            if text is not None:
                members.append((name, json.dumps(text)))
        for name, text in (("ExpressionAttributeValues", values),
                           ("ExpressionAttributeNames", names)):
            if text is not None:
                members.append((name, text))
        return ["Query", "{" + ",".join(
            f'"{name}":{text}' for name, text in members) + "}"]

    def generate(self, rng):
        table = TABLES[rng.choice(self.kinds[0])]
        index = rng.choice(list(table.indexes.values())) \
            if table.indexes and chance(rng, 0.6) else None
        builder = Builder(rng, table)
        spoil(rng, builder)
        keys = builder.key_condition(index.keys if index else table.keys)
        filters = builder.condition(1) if chance(rng, 0.2) else None
        if builder.faults and chance(rng, 0.2):
            keys = builder.damage(keys)
        return [table.name, index and index.name, keys, filters,
                json.dumps(builder.values) if builder.values else None,
                json.dumps(builder.names) if builder.names else None,
                rng.choice(self.kinds[6]), rng.choice(self.kinds[7])]


DOORS = {
    "get": "SELECT item FROM dynamo.get_item($1, $2, $4, $6)",
    "put": "SELECT dynamo.put_item($1, $2, $3, $5, $6, 'ALL_OLD')",
    "update": "SELECT dynamo.update_item($1, $2, $3, $5, $4, $6, 'ALL_NEW')",
    "update_part": "SELECT dynamo.update_item($1, $2, $3, $5, NULL, $6,"
                   " 'UPDATED_NEW')",
    "delete": "SELECT dynamo.delete_item($1, $2, $3, $5, $6, 'ALL_OLD')",
    "query": "SELECT item FROM dynamo.query($1, $3, $5, NULL, $4, NULL, $6)",
    "query_index": "SELECT item FROM dynamo.query($1, $3, $5, 'gsiAll', $4,"
                   " NULL, $6, false, 3)",
    "query_start": "SELECT item FROM dynamo.query($1, $3, $5, NULL, NULL,"
                   " NULL, $6, true, NULL, $2)",
    "scan": "SELECT item FROM dynamo.scan($1, $3, $5, NULL, $4, $6)",
    "scan_start": "SELECT item FROM dynamo.scan($1, $3, $5, NULL, NULL, $6, 5,"
                  " $2, 0, 3)",
    "batch_get": "SELECT item FROM dynamo.batch_get($1, $2, $5, $2)",
    "transact_write": "SELECT * FROM dynamo.transact_write($7::json)",
    "transact_write_text": "SELECT * FROM dynamo.transact_write($7)",
    "transact_get": "SELECT * FROM dynamo.transact_get($7::json)",
    "transact_get_text": "SELECT * FROM dynamo.transact_get($7)",
    "insert": None,
}


class Doors(Target):
    """The SQL functions on items of tables, and plain INSERT."""

    name = "functions"
    kinds = (tuple(DOORS), tuple(NAMES) + ("Missing",), "json", "expr",
             "expr", "json", "json", "json")
    types = ("text", ITEM, "text", "text", ITEM, "jsonb", "text")
    allowed = ("23502", "23505")

    def setup(self, connection):
        make_tables(connection, Operations.recent)

    def inspect(self, connection):
        return damaged_index(connection)

    def statements(self, fields):
        door, table = fields[:2]
        statement = DOORS[door]
        if door == "insert":
            name = table if table in NAMES else "HashS"
            statement = f'INSERT INTO dynamo_data."{name}"(item)' \
                " SELECT $2 RETURNING item"
        return self.types, statement, ()

    def parameters(self, fields):
        return fields[1:]

    def generate(self, rng):
        door = rng.choice(tuple(DOORS))
        table = TABLES[rng.choice(NAMES)]
        builder = Builder(rng, table)
        spoil(rng, builder)
        other = None
        if door.startswith("query"):
            text = builder.key_condition(
                [("g", "S", "HASH")] if door == "query_index" else table.keys)
        elif door.startswith("update"):
            text = builder.update()
        else:
            text = builder.condition(1) if chance(rng, 0.6) else None
        if door == "get" or door.startswith("scan") and chance(rng, 0.3):
            other = builder.projection()
            text = None
        elif chance(rng, 0.2):
            other = builder.condition(0)
        whole = door in ("put", "insert")
        item = table.item(rng) if whole else table.key(rng)
        kept = self.known(rng, table) if not whole else None
        actions = None
        if door.startswith("transact"):
            make = generate.transact_get if "get" in door \
                else generate.transact_write
            actions = json.dumps(make(generate.Draw(
                rng, Operations.recent, builder.faults))["TransactItems"])
        return [door, table.name, json.dumps(kept or item), text, other,
                json.dumps(builder.values) if builder.values else None,
                json.dumps(builder.names) if builder.names else None,
                actions]

    def known(self, rng, table):
        items = Operations.recent.get(table.name)
        return table.key_of(rng.choice(items)) if items and chance(rng, 0.7) \
            else None


class Search(Target):
    """A search of vector indexes, beside the same in SQL.

    An item comes to the table by INSERT, so that nobody has checked its
    vector, and is gone after the search.
    """

    name = "search"
    kinds = (("COSINE", "DOT_PRODUCT", "EUCLIDEAN", "tenants", "Missing"),
             "text", "json", ("1", "2", "5", "100", "0", "101"), "expr",
             "json", "json", "expr")
    types = ("text", "text", ITEM, "int4", "text", ITEM, "jsonb", "text")
    statement = ("SELECT count(*) FROM fuzz_search($1, $2, $3, $4, $5, $6, $7,"
                 " $8)")
    checks = (
        # Best first, no more than asked for, and what SQL finds.  It looks at
        # jsonb, which holds no NUL.
        "SELECT $5 IS NOT NULL OR strpos($3::text, '\\u0000') > 0 OR fuzz_same($1,"
        " (SELECT array_agg(score) FROM fuzz_search($1, $2, $3, $4)),"
        " fuzz_expected($1, $2, $3, $4))",)
    allowed = ("23505",)
    dimensions = 3

    def setup(self, connection):
        make_tables(connection, Operations.recent)
        indexes = [{"IndexName": name, "Dimensions": self.dimensions,
                    "VectorAttribute": {"AttributeName": "v"},
                    "DistanceFunction": name if name.isupper() else "COSINE",
                    "Projection": {"ProjectionType": "ALL"}}
                   for name in self.kinds[0] if name != "Missing"]
        indexes[-1]["SearchSchema"] = [
            {"AttributeName": "pk", "SearchSchemaElementType": "HASH"},
            {"AttributeName": "n", "SearchSchemaElementType": "INLINE_FILTER"}]
        connection.must("SELECT dynamo.call('CreateTable', $1)", [json.dumps({
            "TableName": "Vectors", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "n", "AttributeType": "N"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "VectorIndexes": indexes})])
        rng = random.Random("vectors")
        for i in range(30):
            connection.must("SELECT dynamo.put_item('Vectors', $1)", [
                json.dumps({"pk": {"S": f"k{i}"}, "n": {"N": str(i % 3)},
                            "v": {"L": [{"N": str(rng.uniform(-1, 1))}
                                        for _ in range(self.dimensions)]}})])
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_search(index text, vector text,
                stored dynamo.item, top_k int, condition text DEFAULT NULL,
                vals dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL,
                projection text DEFAULT NULL)
            RETURNS TABLE (item dynamo.item, score float8)
            LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO dynamo_data."Vectors" (item) SELECT stored
                    WHERE stored IS NOT NULL;
                RETURN QUERY SELECT * FROM dynamo.search_vectors('Vectors',
                    index, vector, top_k, condition, vals, projection, names);
                DELETE FROM dynamo_data."Vectors" AS v
                    WHERE v.item->>'pk' = stored->>'pk';
            END $$""")
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_element(n numeric) RETURNS float8
            LANGUAGE plpgsql IMMUTABLE AS $$
            BEGIN
                IF abs(n) > 3.4028235e38 THEN
                    RETURN NULL;
                END IF;
                RETURN CASE WHEN abs(n) < 1e-37 THEN n::float8
                    ELSE n::text::float4 END;
            END $$""")
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_expected(index text, vector text,
                stored dynamo.item, top_k int)
            RETURNS float8[] LANGUAGE sql AS $$
            WITH sought AS (
                SELECT array_agg(fuzz_element(e::numeric)) AS v
                FROM unnest(string_to_array(
                    translate(vector, E'[] \\t\\n\\r', ''), ',')) AS e),
            vectors AS (
                SELECT number, array_agg(fuzz_element((e->>'N')::numeric)) AS v
                FROM (SELECT item, row_number() OVER () AS number FROM (
                        SELECT item FROM dynamo_data."Vectors"
                        UNION ALL SELECT stored WHERE stored IS NOT NULL) a) i,
                    json_array_elements(dynamo.to_json(item)->'v'->'L') AS e
                WHERE json_typeof(dynamo.to_json(item)->'v'->'L') = 'array'
                GROUP BY number
                HAVING count(*) = 3 AND count(*) = count(
                    fuzz_element((e->>'N')::numeric))),
            sums AS (
                SELECT sum(a * b) AS product, sum(a * a) AS a2,
                    sum(b * b) AS b2, sqrt(sum((a - b) ^ 2)) AS distance
                FROM sought, vectors, unnest(sought.v, vectors.v) AS e (a, b)
                GROUP BY number),
            scores AS (
                SELECT CASE index
                    WHEN 'DOT_PRODUCT' THEN product
                    WHEN 'EUCLIDEAN' THEN distance
                    ELSE CASE WHEN a2 * b2 = 0 THEN 1
                        ELSE 1 - product / sqrt(a2) / sqrt(b2) END END AS s
                FROM sums)
            SELECT array_agg(s) FROM (SELECT s FROM scores ORDER BY
                CASE WHEN index = 'DOT_PRODUCT' THEN -s ELSE s END
                LIMIT top_k) AS best $$""")
        connection.must("""
            CREATE OR REPLACE FUNCTION fuzz_same(index text, a float8[],
                b float8[])
            RETURNS boolean LANGUAGE sql AS $$
            SELECT cardinality(a) = cardinality(b) AND coalesce(bool_and(
                abs(x - y) <= 1e-6 * greatest(1, abs(y))
                OR abs(y) > 3.4e38 AND abs(x) > 3.4e38), true)
            FROM unnest(a, b) AS e (x, y) $$""")

    def inspect(self, connection):
        return damaged_index(connection)

    def number(self, rng):
        if chance(rng, 0.15):
            return rng.choice(NUMBERS + BAD_NUMBERS)
        if chance(rng, 0.2):
            return f"{rng.uniform(-10, 10):e}".split("e")[0] \
                + f"e{rng.randint(-50, 45)}"
        return str(rng.uniform(-1, 1))[:rng.randint(3, 20)]

    def generate(self, rng):
        index = rng.choice(self.kinds[0])
        size = self.dimensions if chance(rng, 0.9) else rng.choice(
            [0, 1, 2, 4, 4096, 4097])
        vector = "[" + rng.choice([",", ", "]).join(
            self.number(rng) for _ in range(size)) + "]"
        item = None
        if chance(rng, 0.6):
            item = {"pk": {"S": "new"}, "n": {"N": "1"}, "v": {
                "L": [{"N": self.number(rng)} for _ in range(
                    self.dimensions if chance(rng, 0.9) else 2)]}}
            if chance(rng, 0.2):
                item["v"]["L"][0] = value(rng)
        condition = values = names = projection = None
        if index == "tenants" or chance(rng, 0.1):
            condition = "pk = :p" + rng.choice(["", " AND n = :n"])
            values = {":p": {"S": f"k{rng.randrange(31)}"}}
            if ":n" in condition:
                values[":n"] = {"N": str(rng.randrange(3))}
            if chance(rng, 0.3):
                condition = condition.replace("pk", "#p")
                names = {"#p": "pk"}
        if chance(rng, 0.3):
            projection = rng.choice(["pk", "v", "v[1], n", "x, v", "n"])
        return [index, vector, item and json.dumps(item),
                rng.choice(self.kinds[3]), condition,
                values and json.dumps(values), names and json.dumps(names),
                projection]


class Files(Target):
    """A file of items as an import reads it: JSON, Ion, CSV, compressed."""

    name = "files"
    kinds = (("DYNAMODB_JSON", "ION", "CSV"), ("NONE", "GZIP", "ZSTD"),
             tuple(",;:|\t "), "bytes")
    types = ("text", "text", "text", "bytea")
    statement = "SELECT * FROM fuzz_items($1, $2, $3, $4)"
    # What is an item is one by its text, too; what is none has a reason.
    checks = ("SELECT coalesce(bool_and((item IS NULL) = (problem IS NOT NULL)"
              " AND (item IS NULL OR item::text::dynamo.item = item)), true)"
              " FROM fuzz_items($1, $2, $3, $4)",)

    def setup(self, connection):
        place, = connection.must("SELECT current_setting('data_directory')"
                                 " || '.buckets'")[0]
        connection.must(f"COPY (SELECT 1) TO PROGRAM"
                        f" 'cat > /dev/null; mkdir -p {place}/fuzz'")
        connection.must("LOAD 'dynamo'")
        connection.must(f"ALTER SYSTEM SET dynamo.bucket_directory = '{place}'")
        connection.must("SELECT pg_reload_conf()")
        for _ in range(30000):
            if connection.must("SHOW dynamo.bucket_directory")[0][0] == place:
                break
            connection.must("SELECT pg_sleep(0.01)")
        else:
            raise SystemExit("dynamo.bucket_directory is not set")
        connection.must(f"""
            CREATE OR REPLACE FUNCTION fuzz_items(format text, compression text,
                delimiter text, content bytea)
            RETURNS TABLE (item dynamo.item, problem text)
            LANGUAGE plpgsql AS $$
            DECLARE
                key text := 'file-' || pg_backend_pid();
                file oid := lo_from_bytea(0, content);
            BEGIN
                PERFORM lo_export(file, '{place}/fuzz/' || key);
                PERFORM lo_unlink(file);
                RETURN QUERY SELECT i.item, i.problem
                    FROM dynamo.bucket_items('fuzz', key, format, compression,
                        delimiter, columns => '{{n N,b B}}') AS i;
            END $$""")

    def generate(self, rng):
        format_ = rng.choice(self.kinds[0])
        compression = rng.choice(self.kinds[1])
        delimiter = rng.choice(self.kinds[2])
        lines = [self.line(rng, format_, delimiter)
                 for _ in range(rng.randint(0, 4))]
        if format_ == "CSV":
            lines.insert(0, delimiter.join(["id", "n", "b", "note"]))
        text = rng.choice(["\n", "\r\n"]).join(lines).encode()
        return [format_, compression, delimiter, self.packed(text, compression)]

    def line(self, rng, format_, delimiter):
        if format_ == "CSV":
            return delimiter.join(
                rng.choice(['a', '1', 'AA==', '', '"x ""y"""', '"a\nb"', 'x"y'])
                for _ in range(rng.randint(1, 5)))
        item = typed_item(rng)
        if format_ == "ION":
            return "$ion_1_0 {Item:" + self.ion({"M": item}) + "}"
        return json.dumps({"Item": item}, ensure_ascii=chance(rng, 0.5))

    def ion(self, tree):
        """A typed value as Ion; one that is misformed in some way."""
        if not isinstance(tree, dict) or len(tree) != 1:
            return "null"
        (type_, content), = tree.items()
        if type_ in ("SS", "NS", "BS") and isinstance(content, list):
            return f"$dynamodb_{type_}::[" + ",".join(
                self.ion({type_[0]: one}) for one in content) + "]"
        if type_ == "L" and isinstance(content, list):
            return "[" + ",".join(map(self.ion, content)) + "]"
        if type_ == "M" and isinstance(content, dict):
            return "{" + ",".join(json.dumps(name) + ":" + self.ion(one)
                                  for name, one in content.items()) + "}"
        if type_ == "B":
            return "{{" + str(content) + "}}"
        if type_ == "N":
            return str(content).replace("e", "d").replace("E", "d")
        return json.dumps(content)

    def packed(self, text, compression):
        if compression == "GZIP":
            return gzip.compress(text)
        if compression == "NONE":
            return text
        # Frames of one block that is not compressed
        return b"".join(
            b"\x28\xb5\x2f\xfd\x20" + bytes([len(part)])
            + (len(part) << 3 | 1).to_bytes(3, "little") + part
            for part in (text[i:i + 255]
                         for i in range(0, max(len(text), 1), 255)))

    def parameters(self, fields):
        return fields[:3] + [None if fields[3] is None else Binary(fields[3])]


def make_tables(connection, recent):
    """The tables of the differential test with some items, and no others.

    Two have a constraint, so that they are served by SQL.
    """
    rng = random.Random("items")
    recent.clear()
    for relation, in connection.must("SELECT relation FROM dynamo.tables"):
        connection.must(f"DROP TABLE {relation}")
    for name, table in TABLES.items():
        connection.must("SELECT dynamo.call('CreateTable', $1)",
                        [json.dumps(table.definition())])
        if name in ("RangeN", "Multi"):
            connection.must(f'ALTER TABLE dynamo_data."{name}"'
                            " ADD CHECK (item IS NOT NULL)")
        recent[name] = [table.item(rng) for _ in range(12)]
        for item in recent[name]:
            connection.must("SELECT dynamo.put_item($1, $2)",
                            [name, json.dumps(item)])


def damaged_index(connection):
    """An index that lacks an item or is out of order, by amcheck."""
    if connection.run("CREATE EXTENSION IF NOT EXISTS amcheck").state:
        return None         # not installed
    for name, in connection.must(
            "SELECT c.oid::pg_catalog.regclass FROM pg_catalog.pg_class c"
            " JOIN pg_catalog.pg_am a ON a.oid = relam WHERE amname = 'btree'"
            " AND relnamespace = 'dynamo_data'::pg_catalog.regnamespace"):
        answer = connection.run("SELECT bt_index_check($1::regclass, true)",
                                [name])
        if answer.state:
            return f"{name}: {answer.message}"
    return None


ALL = [target() for target in (
    ItemText, PlainText, Written, ItemBinary, Readers, Damaged, KeyText,
    SortKeyText, KeyBinary, SortKeyBinary, Number, Condition, Projection,
    Update, Query, Search, Statements, Operations, Doors, Definitions, Files)]

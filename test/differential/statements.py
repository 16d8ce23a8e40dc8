"""One random request of a PartiQL operation.

make() draws the operation and writes its statements.  As in generate.py most
are meant to be valid, some have faults within, some are damaged as texts
afterwards.
"""

import re

from tables import ATTRIBUTE_TYPES, NAMES, TABLES
from values import KEYS, MEMBERS, bad_value, chance, key_value, value

COMPARATORS = ["=", "<>", "<", "<=", ">", ">="]
BARE = re.compile("[A-Za-z][A-Za-z0-9_]*")
# Words to be quoted: PartiQL's own, and those that Local alone reserves.
QUOTED = {"order", "null", "any", "data", "name", "two", "bool"}
TOKENS = ["(", ")", ",", ".", "[", "]", "=", "<>", "+", "-", "*", "AND", "OR",
          "NOT", "BETWEEN", "IN", "IS", "SET", "REMOVE", "WHERE", "FROM", "?",
          "SELECT", "ORDER BY", "RETURNING", "VALUE", "INTO", "foo", "pk",
          "1", "'a'", "{", "}", "<<", ">>", ";", "#", "LIKE", "MISSING"]


def make(rng, recent):
    """(operation, request).  recent: {table: [items written before]}."""
    weights = [weight for weight, _, _ in MAKERS]
    _, operation, maker = rng.choices(MAKERS, weights)[0]
    faults = rng.choices([0.0, 0.04, 0.12], [65, 25, 10])[0]
    return operation, maker(rng, recent, faults)


class Writer:
    """Writes one statement, with its parameters."""

    def __init__(self, rng, recent, faults, table=None):
        self.rng = rng
        self.recent = recent
        self.faults = faults
        self.parameters = []
        self.table = table or TABLES[rng.choices(NAMES, [2, 2, 4, 3, 1, 1])[0]]
        self.types = dict(ATTRIBUTE_TYPES)
        for index in self.table.indexes.values():
            self.types.update({name: type_ for name, type_, _ in index.keys})
        key_types = {name: type_ for name, type_, _ in self.table.keys}
        self.others = [name for name in self.types if name not in key_types]
        self.types.update(key_types)

    def flip(self, probability):
        return chance(self.rng, probability)

    def fault(self):
        return chance(self.rng, self.faults)

    def request(self, text):
        """The statement and its parameters as members of a request."""
        if self.fault():
            text = self.damage(text)
        request = {"Statement": text}
        if self.fault():
            self.rng.choice([
                lambda: self.parameters.append({"S": "extra"}),
                lambda: self.parameters and self.parameters.pop(),
                lambda: self.parameters.append(bad_value(self.rng))])()
        if self.parameters:
            request["Parameters"] = self.parameters
        return request

    def damage(self, text):
        words = re.findall(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|.", text,
                           re.S)
        at = self.rng.randrange(len(words))
        self.rng.choice([
            lambda: words.pop(at), lambda: words.insert(at, words[at]),
            lambda: words.insert(at, f" {self.rng.choice(TOKENS)} "),
            lambda: words.append(f" {self.rng.choice(TOKENS)}"),
            lambda: words.__setitem__(at, self.rng.choice(TOKENS))])()
        return "".join(words)

    # Names

    def source(self, index=None):
        name = self.table.name
        if self.fault():
            name = self.rng.choice(["Missing", "", "Missing.Two"])
        if self.fault():
            return f'"{name}"."{self.rng.choice(["none", ""])}"'
        if index:
            return f'"{name}"."{index.name}"'
        bare = name in TABLES and self.flip(0.5)
        return name if bare else f'"{name}"'

    def name(self, attribute):
        if BARE.fullmatch(attribute) and attribute not in QUOTED \
                and self.flip(0.7):
            return attribute
        return f'"{attribute}"'

    def path(self, attribute=None):
        """A path to an attribute or into one; (text, type or None)."""
        attribute = attribute or self.rng.choice(self.others)
        type_ = self.types.get(attribute)
        text = self.name(attribute)
        if type_ == "M" and self.flip(0.5):
            return f"{text}.{self.name(self.rng.choice(MEMBERS))}", None
        if type_ == "L" and self.flip(0.5):
            return f"{text}[{self.rng.choice([0, 1, 2, 7])}]", None
        return text, type_

    # Values

    def value(self, content):
        """An attribute value as a literal or as a parameter."""
        if self.fault():
            content = value(self.rng) if self.flip(0.5) \
                else bad_value(self.rng)
        literal = self.literal(content) if self.flip(0.6) else None
        if literal is None:
            self.parameters.append(content)
            return "?"
        return literal

    def literal(self, content):
        """None if there is no literal for it."""
        if len(content) != 1:
            return None
        (type_, data), = content.items()
        if type_ == "S":
            return "'" + data.replace("'", "''") + "'" \
                if "\0" not in data else None
        if type_ == "N":
            return data if re.fullmatch(
                r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", data) else None
        if type_ == "BOOL":
            return str(data).lower()
        if type_ == "NULL":
            return "null"
        if type_ in ("SS", "NS"):
            items = [self.literal({type_[0]: one}) for one in data]
            return self.joined("<<%s>>", items)
        if type_ == "L":
            return self.joined("[%s]", [self.literal(one) for one in data])
        if type_ == "M":
            members = [self.literal(one) for one in data.values()]
            if None in members:
                return None
            return self.joined("{%s}", [
                self.literal({"S": name}) + ": " + text
                for name, text in zip(data, members)])
        return None

    def joined(self, form, texts):
        return None if None in texts else form % ", ".join(texts)

    def typed(self, type_):
        if type_ in KEYS and self.flip(0.8):
            return self.value(key_value(self.rng, type_))
        return self.value(value(self.rng, type_))

    def known_key(self):
        known = self.recent.get(self.table.name)
        if known and self.flip(0.7):
            return self.table.key_of(self.rng.choice(known))
        return self.table.key(self.rng)

    # Conditions

    def key_equality(self):
        """All of the table's key, in any order."""
        key = self.known_key()
        terms = [f"{self.name(name)} = {self.value(content)}"
                 for name, content in key.items()]
        if self.fault():
            terms.pop()
        if self.flip(0.2):
            terms.reverse()
        return " AND ".join(terms)

    def filter(self, depth=1):
        rng = self.rng
        if depth and self.flip(0.35):
            left, right = self.filter(depth - 1), self.filter(depth - 1)
            return rng.choice([f"({left} AND {right})",
                               f"({left} OR {right})", f"NOT ({left})"])
        path, type_ = self.path()
        scalar = type_ if type_ in KEYS else rng.choice("SN")
        kind = rng.randrange(11)
        if kind < 4:
            comparator = rng.choice(COMPARATORS)
            ordering = comparator in ("<", "<=", ">", ">=")
            return f"{path} {comparator} " \
                f"{self.typed(scalar if ordering else type_)}"
        if kind == 4:
            low, high = sorted((key_value(rng, scalar) for _ in "12"),
                               key=order_of)
            return f"{path} BETWEEN {self.value(low)} AND {self.value(high)}"
        if kind == 5:
            values = [self.typed(type_) for _ in range(rng.randint(1, 3))]
            return f"{path} IN [{', '.join(values)}]"
        if kind == 6:
            return f"{path} IS {rng.choice(['', 'NOT '])}" + rng.choice(
                ["MISSING", "NULL", "MISSING"])
        if kind == 7:
            function = rng.choice(["attribute_exists", "ATTRIBUTE_EXISTS",
                                   "attribute_not_exists"])
            return f"{function}({path})"
        if kind == 8:
            return f"begins_with({path}, {self.typed('S')})"
        if kind == 9:
            return f"contains({path}, {self.typed(rng.choice('SN'))})"
        if self.flip(0.5):
            type_ = rng.choice(["S", "N", "B", "SS", "L", "M", "BOOL"])
            return f"attribute_type({path}, '{type_}')"
        return f"size({path}) {rng.choice(COMPARATORS)} {rng.randint(0, 3)}"

    def range(self, name, type_):
        """A condition on a sort key."""
        text = self.name(name)
        kind = self.rng.randrange(4)
        if kind == 0 and type_ != "N":
            prefix = key_value(self.rng, type_)
            return f"begins_with({text}, {self.value(prefix)})"
        if kind == 1:
            low, high = sorted((key_value(self.rng, type_) for _ in "12"),
                               key=order_of)
            return f"{text} BETWEEN {self.value(low)} AND {self.value(high)}"
        return f"{text} {self.rng.choice(['=', '<', '<=', '>', '>='])} " \
            + self.value(key_value(self.rng, type_))

    def several(self, name, type_, most=3):
        """name IN several different values."""
        values = []
        for _ in range(self.rng.randint(1, most)):
            one = key_value(self.rng, type_)
            if all(order_of(one) != order_of(other) for other in values):
                values.append(one)
        form = self.rng.choice(["[%s]", "(%s)", "[%s]"])
        return f"{self.name(name)} IN " \
            + form % ", ".join(self.value(one) for one in values)

    def where(self, keys):
        """The condition of a SELECT; (text or None, one partition)."""
        hash_name, hash_type, _ = keys[0]
        sort = [key for key in keys[1:] if key[2] == "RANGE"][:1]
        one = f"{self.name(hash_name)} = " \
            + self.value(key_value(self.rng, hash_type))
        kind = self.rng.randrange(9)
        if kind == 0:
            return None, False
        if kind == 1:
            return self.filter(), False
        if kind == 2:
            return self.several(hash_name, hash_type), False
        if kind == 3 and sort:
            return f"{one} AND {self.several(*sort[0][:2])}", False
        if kind == 4:
            branches = [self.key_equality() for _ in range(2)]
            return " OR ".join(branches), False
        if kind in (5, 6) and sort:
            one += f" AND {self.range(*sort[0][:2])}"
        if self.flip(0.3):
            one += f" AND {self.filter()}"
        return one, True

    # Statements

    def select(self):
        rng = self.rng
        index = None
        if self.table.indexes and self.flip(0.4):
            index = rng.choice(list(self.table.indexes.values()))
        keys = index.keys if index else self.table.keys
        columns = "*"
        if self.flip(0.4):
            columns = ", ".join(self.path(rng.choice(list(self.types)))[0]
                                for _ in range(rng.randint(1, 3)))
        text = f"SELECT {columns} FROM {self.source(index)}"
        where, partition = self.where(keys)
        if where:
            text += f" WHERE {where}"
        if partition and self.flip(0.3) or self.fault():
            text += f" ORDER BY {self.name(keys[-1][0])}" \
                + rng.choice(["", " ASC", " DESC"])
        return text

    def select_key(self):
        columns = "*" if self.flip(0.6) else self.path()[0]
        text = f"SELECT {columns} FROM {self.source()}" \
            f" WHERE {self.key_equality()}"
        return f"{text} AND {self.filter()}" if self.fault() else text

    def insert(self):
        item = self.table.item(self.rng)
        if self.flip(0.3):
            item.update(self.known_key())
        if self.fault():
            item.pop(self.rng.choice(list(item)))
        members = [f"'{name}': {self.value(content)}"
                   for name, content in item.items()]
        return f"INSERT INTO {self.source()} VALUE {{{', '.join(members)}}}"

    def update(self):
        paths = self.rng.sample(self.others, self.rng.randint(1, 3))
        clauses, setting = [], False
        for name in paths:
            clause = self.clause(name)
            if setting and clause.startswith("SET ") and self.flip(0.5):
                clauses[-1] += "," + clause[3:]
            else:
                clauses.append(clause)
            setting = clause.startswith("SET ")
        where = f"WHERE {self.key_equality()}"
        if self.flip(0.3):
            where += f" AND {self.filter()}"
        clauses = " ".join(clauses)
        if self.flip(0.15) and "?" not in clauses + where:
            return f"FROM {self.source()} {where} {clauses}"
        # Parameters are numbered as they stand, and SET was written first.
        return f"UPDATE {self.source()} {clauses} {where}"

    def clause(self, name):
        path, type_ = self.path(name)
        if self.flip(0.25):
            return f"REMOVE {path}"
        if type_ in ("SS", "NS", "BS") and self.flip(0.7):
            function = self.rng.choice(["set_add", "set_delete", "SET_ADD"])
            return f"SET {path} = {function}({path}, {self.typed(type_)})"
        if type_ == "N" and self.flip(0.6):
            sign = self.rng.choice("+-")
            return f"SET {path} = {path} {sign} {self.typed('N')}"
        if type_ == "L" and self.flip(0.6):
            operands = [path, self.typed("L")]
            if self.flip(0.3):
                operands.reverse()
            return f"SET {path} = list_append({', '.join(operands)})"
        if self.flip(0.1):
            return f"SET {path} = {self.path()[0]}"
        return f"SET {path} = {self.typed(type_)}"

    def delete(self):
        text = f"DELETE FROM {self.source()} WHERE {self.key_equality()}"
        return f"{text} AND {self.filter()}" if self.flip(0.3) else text

    def returning(self, text):
        if text.startswith("DELETE") and not self.fault():
            return text + " RETURNING ALL OLD *"
        return f"{text} RETURNING {self.rng.choice(['ALL', 'MODIFIED'])}" \
            f" {self.rng.choice(['OLD', 'NEW'])} *"

    def write(self):
        return self.rng.choices([self.insert, self.update, self.delete],
                                [3, 5, 2])[0]()

    def exists(self):
        return f"EXISTS(SELECT * FROM {self.source()}" \
            f" WHERE {self.key_equality()} AND {self.filter()})"


def order_of(content):
    """What key values of one type are sorted by."""
    (type_, data), = content.items()
    return float(data) if type_ == "N" else data


def options(writer, request):
    if writer.flip(0.3):
        request["ReturnConsumedCapacity"] = writer.rng.choice(
            ["TOTAL", "INDEXES", "NONE"])
    return request


def select(rng, recent, faults):
    writer = Writer(rng, recent, faults)
    request = writer.request(writer.select())
    if writer.flip(0.3):
        request["Limit"] = rng.choice([1, 1, 2, 3, 100])
    if writer.flip(0.2):
        request["ConsistentRead"] = writer.flip(0.7)
    return options(writer, request)


def write(rng, recent, faults):
    writer = Writer(rng, recent, faults)
    text = writer.write()
    if not text.startswith("INSERT") and writer.flip(0.5):
        text = writer.returning(text)
    request = writer.request(text)
    if writer.flip(0.2):
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return options(writer, request)


def members(rng, recent, faults, text_of, most):
    """Statements about different items, but for a fault."""
    result = []
    for _ in range(rng.randint(1, most)):
        writer = Writer(rng, recent, faults)
        result.append(writer.request(text_of(writer)))
    return result


def batch(rng, recent, faults):
    reads = chance(rng, 0.4)

    def text_of(writer):
        if reads != writer.fault():
            return writer.select_key()
        text = writer.write()
        return writer.returning(text) if writer.flip(0.3) and \
            not text.startswith("INSERT") else text
    request = {"Statements": members(rng, recent, faults, text_of, 4)}
    return options(Writer(rng, recent, faults), request)


def transaction(rng, recent, faults):
    reads = chance(rng, 0.3)

    def text_of(writer):
        if reads != writer.fault():
            return writer.select_key()
        if writer.flip(0.2):
            return writer.exists()
        text = writer.write()
        return writer.returning(text) if writer.fault() else text
    request = {"TransactStatements": members(rng, recent, faults, text_of, 3)}
    return options(Writer(rng, recent, faults), request)


MAKERS = [
    (36, "ExecuteStatement", select),
    (44, "ExecuteStatement", write),
    (10, "BatchExecuteStatement", batch),
    (10, "ExecuteTransaction", transaction),
]

"""PartiQL statements: some that fit the tables, some that are damaged."""

import json

from tables import ATTRIBUTES, TABLES
from values import chance, key_value, value

OPERATIONS = ("ExecuteStatement", "BatchExecuteStatement",
              "ExecuteTransaction")
FUNCTIONS = ("attribute_exists", "attribute_not_exists", "attribute_type",
             "begins_with", "contains", "size", "set_add", "set_delete",
             "list_append", "EXISTS", "COUNT", "nothing")
WORDS = ("SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "BETWEEN", "IS",
         "MISSING", "NULL", "LIKE", "ORDER", "BY", "DESC", "INSERT", "INTO",
         "VALUE", "UPDATE", "SET", "REMOVE", "DELETE", "RETURNING", "ALL",
         "MODIFIED", "OLD", "NEW", "TRUE", "EXISTS", "AS", "inner", "date",
         "(", ")", "[", "]", "{", "}", "<<", ">>", ",", ".", ":", ";", "?",
         "*", "+", "-", "/", "=", "<>", "<=", "'", '"', "--", "/*", "*/", "#",
         "1e5", "1e2147483648", ".5", "'a'", '"b"', "\u00e9", "\x01")
NUMBERS = ("0", "1", "-1", "2.50", "1e3", ".5", "1e126", "1e-131", "- - 1",
           "1e2147483647", "123456789012345678901234567890123456789")


class Builder:
    """One statement and its parameters."""

    def __init__(self, rng, table):
        self.rng = rng
        self.table = table
        self.parameters = []

    def one(self, *choices):
        return self.rng.choice(choices)

    def literal(self, depth=2):
        kind = self.rng.randrange(10)
        if kind < 2:
            self.parameters.append(value(self.rng, None, 1))
            return "?"
        if kind < 5:
            return self.string()
        if kind < 7 or depth == 0:
            return self.rng.choice(NUMBERS)
        inside = [self.literal(depth - 1)
                  for _ in range(self.rng.randrange(4))]
        if kind == 7:
            return "[" + ", ".join(inside) + "]"
        if kind == 8:
            return "<<" + ", ".join(inside) + ">>"
        return "{" + ", ".join(
            f"{self.string()}: {x}" for x in inside) + "}"

    def string(self):
        text = self.one("a", "b", "", "it's", "x" * 20, "\u00e9\U0001f600",
                        *ATTRIBUTES[:3])
        return "'" + text.replace("'", "''") + "'"

    def name(self):
        name = self.one(*ATTRIBUTES, *(key[0] for key in self.table.keys))
        return '"' + name.replace('"', '""') + '"'

    def path(self):
        path = self.name()
        while chance(self.rng, 0.25):
            path += self.one("." + self.name(), f"[{self.rng.randrange(4)}]")
        return path

    def key(self, key):
        """A value that the key may have."""
        self.parameters.append(key_value(self.rng, key[1]))
        return "?"

    def term(self, depth):
        rng = self.rng
        path, kind = self.path(), rng.randrange(9)
        if kind == 0 and depth:
            return "(" + self.condition(depth - 1) + ")"
        if kind == 1 and depth:
            return "NOT " + self.term(depth - 1)
        if kind == 2:
            return f"{path} BETWEEN {self.literal()} AND {self.literal()}"
        if kind == 3:
            return f"{path} IN [" + ", ".join(
                self.literal() for _ in range(1 + rng.randrange(3))) + "]"
        if kind == 4:
            return f"{path} IS " + self.one("", "NOT ") + self.one(
                "MISSING", "NULL", "STRING", "BOOL", "INT4", "FOO")
        if kind < 7:
            call = rng.choice(FUNCTIONS) + "(" + ", ".join(
                self.one(self.path, self.literal)()
                for _ in range(rng.randrange(1, 3))) + ")"
            return call + self.one("", "", " = true", " <> false", " = 1")
        operator = self.one("=", "<>", "<", "<=", ">", ">=")
        return f"{path} {operator} {self.literal()}"

    def keys(self):
        """A condition on the table's key, whole or not."""
        hash_key, *rest = self.table.keys
        text = f'"{hash_key[0]}" ' + self.one(
            "= " + self.key(hash_key), "= " + self.key(hash_key),
            f"IN [{self.key(hash_key)}, {self.key(hash_key)}]")
        self.parameters = self.parameters[-text.count("?"):]
        for key in rest:
            if chance(self.rng, 0.8):
                operator = self.one("=", "=", "=", "<", ">=", "<>")
                text += f' AND "{key[0]}" {operator} {self.key(key)}'
        return text

    def condition(self, depth=2):
        return self.one(" AND ", " OR ").join(
            self.term(depth) for _ in range(1 + self.rng.randrange(3)))

    def where(self, needed=False):
        rng = self.rng
        if not needed and chance(rng, 0.1):
            return ""
        text = self.keys() if chance(rng, 0.8) else self.condition()
        if chance(rng, 0.4):
            text += self.one(" AND ", " AND ", " OR ") + self.condition(1)
        return " WHERE " + text

    def select(self):
        columns = "*" if chance(self.rng, 0.6) else ", ".join(
            self.path() for _ in range(1 + self.rng.randrange(3)))
        source = self.one(self.table.name, f'"{self.table.name}"')
        if self.table.indexes and chance(self.rng, 0.3):
            source = f'"{self.table.name}"."' + self.one(
                *self.table.indexes) + '"'
        order = "" if chance(self.rng, 0.8) else " ORDER BY " + ", ".join(
            k[0] + self.one("", " DESC") for k in self.table.keys)
        return f"SELECT {columns} FROM {source}" + self.where() + order

    def insert(self):
        members = [f"'{k[0]}': {self.key(k)}" for k in self.table.keys]
        members += [f"{self.string()}: {self.literal()}"
                    for _ in range(self.rng.randrange(4))]
        return (f'INSERT INTO "{self.table.name}" VALUE {{'
                + ", ".join(members) + "}")

    def clauses(self):
        text = ""
        for _ in range(1 + self.rng.randrange(3)):
            path = self.path()
            text += self.one(
                f" SET {path} = {self.literal()}",
                f" SET {path} = {self.path()} + {self.literal()}",
                f" SET {path} = list_append({path}, {self.literal()})",
                f" SET {path} = set_add({path}, {self.literal()})",
                f" SET {path} = set_delete({path}, <<'a', 'b'>>)",
                f" REMOVE {path}")
        return text

    def returning(self):
        return "" if chance(self.rng, 0.6) else " RETURNING " + self.one(
            "ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW") + " *"

    def update(self):
        where = self.where(True)
        clauses = self.clauses()
        return self.one(
            f'UPDATE "{self.table.name}"{clauses}{where}',
            f'FROM "{self.table.name}"{where}{clauses}') + self.returning()

    def delete(self):
        return (f'DELETE FROM "{self.table.name}"' + self.where(True)
                + self.returning())

    def exists(self):
        return f"EXISTS({self.select()})"

    def statement(self):
        text = self.one(self.select, self.select, self.insert, self.update,
                        self.update, self.delete, self.exists)()
        missing = text.count("?") - len(self.parameters)
        self.parameters += [value(self.rng, None, 1)
                            for _ in range(missing)]
        if chance(self.rng, 0.2):
            text = self.damage(text)
        return text

    def damage(self, text):
        words = text.split(" ")
        for _ in range(1 + self.rng.randrange(3)):
            at = self.rng.randrange(len(words) + 1)
            if chance(self.rng, 0.5):
                words[at:at + 1] = []
            else:
                words.insert(at, self.rng.choice(WORDS))
        return " ".join(words)


def make(rng):
    """An operation and a request with statements."""
    def one():
        builder = Builder(rng, rng.choice(list(TABLES.values())))
        request = {"Statement": builder.statement() or " "}
        if builder.parameters:
            request["Parameters"] = builder.parameters
        if chance(rng, 0.1):
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return request

    kind = rng.randrange(10)
    if kind == 0:
        request = {"Statements": [one() for _ in range(rng.randrange(1, 6))]}
        operation = "BatchExecuteStatement"
    elif kind == 1:
        request = {"TransactStatements":
                   [one() for _ in range(rng.randrange(1, 6))]}
        operation = "ExecuteTransaction"
    else:
        request, operation = one(), "ExecuteStatement"
        if chance(rng, 0.2):
            request["Limit"] = rng.randrange(4)
        if chance(rng, 0.1):
            request["ConsistentRead"] = True
        if chance(rng, 0.05):
            request["NextToken"] = rng.choice(["", "AAAA", "x" * 100])
    if chance(rng, 0.3):
        request["ReturnConsumedCapacity"] = rng.choice(["TOTAL", "INDEXES"])
    return operation, json.dumps(request)

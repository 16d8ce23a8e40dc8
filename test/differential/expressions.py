"""Texts in the five expression languages, with their placeholders.

One Builder serves one request: its expressions share the maps of names and
values.  "faults" is the probability of doing something wrong at each place
where something can go wrong; 0 gives requests that are valid by themselves.
"""

import re

from tables import ATTRIBUTE_TYPES, ATTRIBUTES
from values import (KEYS, MEMBERS, TYPES, bad_value, chance, key_value, value)

RESERVED = {"name", "data", "order", "null", "any"}
COMPARATORS = ["=", "<>", "<", "<=", ">", ">="]
TOKENS = ["(", ")", ",", ".", "[", "]", "[0]", "=", "<>", "<", ">=", "+", "-",
          "*", "AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD",
          "DELETE", "a", "pk", "name", "#n0", ":v0", "#", ":", "1", "'a'",
          "\"a\"", "size", "size(a)", "attribute_exists(a)", "f(a)", "_a",
          "\u00e9", "!", "{", "TRUE", "a.b", "l[1]", "#n0.b", "[:v0]"]


class Builder:
    def __init__(self, rng, table, faults=0.0):
        self.rng = rng
        self.table = table
        self.faults = faults
        self.names = {}
        self.values = {}
        self.types = dict(ATTRIBUTE_TYPES)
        for index in table.indexes.values():
            self.types.update({name: type_ for name, type_, _ in index.keys})
        self.types.update({name: type_ for name, type_, _ in table.keys})

    def fault(self):
        return chance(self.rng, self.faults)

    # Placeholders

    def name(self, attribute):
        """The attribute's name as written in an expression."""
        plain = re.fullmatch("[A-Za-z][A-Za-z0-9_]*", attribute) \
            and attribute not in RESERVED
        if self.fault():
            return self.rng.choice(["#undefined", attribute, "comMent", "_x",
                                    "#", "ADD", "size", "1a"])
        if plain and chance(self.rng, 0.6):
            return attribute
        for alias, target in self.names.items():
            if target == attribute:
                return alias
        alias = f"#n{len(self.names)}"
        self.names[alias] = attribute
        return alias

    def value(self, type_=None):
        """A placeholder for a value, mostly of the given type."""
        if self.fault():
            return self.rng.choice([":undefined", ":", "1", "'a'", "a"])
        if self.values and chance(self.rng, 0.1):
            return self.rng.choice(list(self.values))
        if self.fault():
            type_ = None
        content = bad_value(self.rng) if chance(self.rng, self.faults / 4) \
            else value(self.rng, type_, 1)
        return self.placeholder(content)

    def placeholder(self, content):
        name = f":v{len(self.values)}"
        self.values[name] = content
        return name

    def add_to(self, request, values=True):
        """Put the maps into the request, sometimes with faults."""
        rng = self.rng
        names, contents = dict(self.names), dict(self.values)
        if self.fault():
            names[rng.choice(["#unused", "#u2", "#x", "nohash", "#a b", "#",
                              ""])] = rng.choice(["a", "b", "", "pk"])
        if self.fault():
            contents[rng.choice([":unused", ":u2", "nocolon", ":a-b", ":",
                                 ""])] = rng.choice([{"S": "a"}, {"N": "1"},
                                                     {"N": "x"}, {}])
        if names or self.fault():
            request["ExpressionAttributeNames"] = names
        if values and (contents or self.fault()):
            request["ExpressionAttributeValues"] = contents

    # Paths

    def attribute(self):
        rng = self.rng
        keys = [name for name in self.types if name not in ATTRIBUTE_TYPES]
        return rng.choice(keys if keys and chance(rng, 0.2) else ATTRIBUTES)

    def path(self, root=None, deep=0.4):
        """(text, expected type): an attribute, perhaps a place within."""
        rng = self.rng
        root = root or self.attribute()
        type_ = self.types.get(root)
        text = self.name(root)
        while chance(rng, deep) and (type_ in ("L", "M") or self.fault()):
            if type_ == "L" or self.fault():
                text += f"[{rng.choice([0, 0, 0, 1, 1, 2, 3, 9])}]"
            else:
                text += "." + self.name(rng.choice(MEMBERS))
            type_ = rng.choice(["L", "M", None])
        if self.fault():
            text += rng.choice(["[01]", "[-1]", "[99999999999]", ".", "[]",
                                "[a]", ".1", "..a", "[#n0]", "[0].a[1].b"])
        return text, type_

    # Conditions

    def operand(self, type_=None):
        """(text, type) of a path, a value or a call."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.55:
            return self.path()
        if kind < 0.90:
            type_ = type_ or rng.choice(TYPES)
            return self.value(type_), type_
        if kind < 0.97:
            return f"size({self.path()[0]})", "N"
        text, type_ = self.operand(type_)
        return f"({text})", type_

    def condition(self, depth=2):
        rng = self.rng
        if depth > 0 and chance(rng, 0.4):
            return self._compound(depth)
        return rng.choice([self._comparison, self._comparison,
                           self._comparison, self._between, self._in,
                           self._existence, self._existence, self._type,
                           self._begins, self._contains, self._size,
                           self._odd_call])()

    def _compound(self, depth):
        rng = self.rng
        left = self.condition(depth - 1)
        kind = rng.random()
        if kind < 0.2:
            return rng.choice(["NOT ", "not "]) + self._group(left)
        if kind < 0.35:
            return self._group(left, always=True)
        word = rng.choice(["AND", "OR", "and", "Or"])
        return f"{left} {word} {self.condition(depth - 1)}"

    def _group(self, text, always=False):
        if text.startswith("(") and not self.fault():
            return text
        if always or chance(self.rng, 0.7):
            return f"({text})"
        return text

    def _comparison(self):
        left, type_ = self.operand()
        comparator = self.rng.choice(COMPARATORS)
        if comparator not in ("=", "<>") and type_ not in ("S", "N", "B"):
            type_ = self.rng.choice("SNB") if not self.fault() else None
        return f"{left} {comparator} {self._other(left, type_)}"

    def _other(self, left, type_):
        """An operand to compare with, mostly another than the first."""
        if chance(self.rng, 0.7):
            return self.value(type_)
        for _ in range(5):
            text = self.operand(type_)[0]
            if text != left:
                return text
        return self.value(type_)

    def _between(self):
        rng = self.rng
        left, type_ = self.path()
        if type_ not in KEYS or self.fault():
            type_ = rng.choice("SNB")
        low, high = sorted([key_value(rng, type_)[type_] for _ in "12"],
                           key=float if type_ == "N" else None)
        if self.fault():
            low, high = high, low
        low, high = {type_: low}, {type_: high}
        if self.fault():
            high = value(rng, None, 1)
        return f"{left} BETWEEN {self.placeholder(low)}" \
               f" AND {self.placeholder(high)}"

    def _in(self):
        left, type_ = self.operand()
        count = self.rng.randint(1, 4)
        if chance(self.rng, self.faults / 4):
            count = self.rng.choice([0, 100, 101])
        others = [self.value(type_) for _ in range(count)]
        return f"{left} {self.rng.choice(['IN', 'in'])} ({', '.join(others)})"

    def _existence(self):
        word = self.rng.choice(["attribute_exists", "attribute_not_exists"])
        what = self.path()[0] if not self.fault() else self.operand()[0]
        return f"{word}({what})"

    def _type(self):
        word = self.rng.choice(TYPES)
        if self.fault():
            word = self.rng.choice(["STRING", "s", "", "X", "HD"])
        what = self.path()[0] if not self.fault() else self.operand()[0]
        type_ = self.placeholder({"S": word}) if not self.fault() \
            else self.operand()[0]
        return f"attribute_type({what}, {type_})"

    def _begins(self):
        what, type_ = self.path()
        if type_ not in ("S", "B") and not self.fault():
            type_ = self.rng.choice("SB")
        return f"begins_with({what}, {self.value(type_)})"

    def _contains(self):
        what, type_ = self.path()
        element = {"SS": "S", "NS": "N", "BS": "B"}.get(type_, type_)
        if type_ in ("L", "M") or self.fault():
            element = None
        other = self.value(element) if chance(self.rng, 0.85) \
            else self._other(what, element)
        return f"contains({what}, {other})"

    def _size(self):
        argument = self.path()[0] if chance(self.rng, 0.9) \
            else self.value(self.rng.choice(["S", "B", "L", "M", "SS"]))
        comparator = self.rng.choice(COMPARATORS)
        return f"size({argument}) {comparator} {self.value('N')}"

    def _odd_call(self):
        """Calls that are wrong in number, place or name of function."""
        if not self.faults or chance(self.rng, 0.5):
            return self._comparison()
        rng = self.rng
        a, b = self.operand()[0], self.operand()[0]
        return rng.choice([
            f"size({a})", f"foo({a})", f"contains({a})", f"size({a}, {b})",
            f"begins_with({a}, {b}, {a})", f"attribute_exists({a}, {b})",
            f"attribute_type({a})", f"size(size({a})) = {b}",
            f"attribute_exists({a}) = {b}", f"if_not_exists({a}, {b}) = {b}",
            f"list_append({a}, {b}) = {b}", f"Size({a}) > {b}",
            f"contains({a}, size({b}))", f"size({a}) BETWEEN {a} AND {b}",
            f"{a} = {a}", f"{a} IN ({a}, {b})", f"contains({a}, {a})",
            f"NOT {a}", f"({a})", f"(({a} = {b}))", f"(({a})) = {b}",
            f"{a} + {b} = {b}", f"begins_with({a}, begins_with({a}, {b}))",
            f"({a}) = ({b})", f"{a} = ({b} AND {a})", f"size() > {b}"])

    # Key conditions

    def key_condition(self, keys):
        """A key condition for these keys; (text, values of the hash keys)."""
        rng = self.rng
        clauses = []
        for name, type_, kind in keys:
            if kind == "HASH":
                clauses.append(self._hash_clause(name, type_))
            elif chance(rng, 0.5):
                clauses.append(self._range_clause(name, type_))
                if len(keys) < 3:
                    break
            elif not self.fault():
                break           # a left prefix of the range keys
        if self.fault():
            clauses.append(self.condition(0))
        if self.fault():
            clauses.pop(rng.randrange(len(clauses)))
        if chance(rng, 0.2):
            rng.shuffle(clauses)
        if chance(rng, 0.1):
            clauses = [f"({clause})" for clause in clauses]
        word = " AND " if not self.fault() else " OR "
        text = word.join(clauses)
        return f"({text})" if chance(rng, 0.05) else text

    def _key_operand(self, type_):
        if self.fault():
            return self.value()
        return self.placeholder(key_value(self.rng, type_))

    def _hash_clause(self, name, type_):
        comparator = "=" if not self.fault() else \
            self.rng.choice(COMPARATORS)
        left, right = self.name(name), self._key_operand(type_)
        if self.fault():
            left = self.path(name)[0]
        if chance(self.rng, 0.05):
            left, right = right, left
        return f"{left} {comparator} {right}"

    def _range_clause(self, name, type_):
        rng = self.rng
        left = self.name(name)
        kind = rng.random()
        if kind < 0.25:
            low, high = sorted(
                [key_value(rng, type_)[type_] for _ in "12"],
                key=float if type_ == "N" else None)
            return f"{left} BETWEEN {self.placeholder({type_: low})}" \
                   f" AND {self.placeholder({type_: high})}"
        if kind < 0.45 and (type_ != "N" or self.fault()):
            return f"begins_with({left}, {self._key_operand(type_)})"
        comparators = COMPARATORS if self.fault() else \
            ["=", "<", "<=", ">", ">="]
        right = self._key_operand(type_)
        if chance(rng, 0.1):
            left, right = right, left
        return f"{left} {rng.choice(comparators)} {right}"

    # Projections

    def projection(self):
        """Distinct attributes, so that paths seldom overlap."""
        rng = self.rng
        pool = ATTRIBUTES + [name for name in self.types
                             if name not in ATTRIBUTE_TYPES]
        roots = rng.sample(pool, rng.randint(1, 4))
        paths = [self.path(root, 0.6)[0] for root in roots]
        if chance(rng, 0.2):
            root = rng.choice(["l", "m", "data", "l2"])
            paths += [self.path(root, 0.9)[0] for _ in "12"]
        if self.fault():
            paths.append(rng.choice(["", "size(a)", ":v0", "(a)", "a b"]))
        return rng.choice([", ", ","]).join(paths)

    # Updates

    def update(self):
        rng = self.rng
        words = rng.sample(["SET", "SET", "REMOVE", "ADD", "DELETE"],
                           rng.choice([1, 1, 1, 2, 2, 3]))
        if not self.fault():
            words = list(dict.fromkeys(words))
        roots = [name for name in self.types
                 if self.fault() or name not in
                 {key for key, _, _ in self.table.keys}]
        rng.shuffle(roots)
        sections = []
        for word in words:
            make = {"SET": self._set, "REMOVE": self._remove,
                    "ADD": self._add, "DELETE": self._delete}[word]
            actions = [make(roots) for _ in range(rng.choice([1, 1, 2, 3]))]
            sections.append(f"{self._case(word)} {', '.join(actions)}")
        return " ".join(sections)

    def _case(self, word):
        return word if chance(self.rng, 0.9) else word.lower()

    def _root(self, roots, types=None):
        """A root of one of the types not used yet in this update."""
        for position, root in enumerate(roots):
            if not types or self.types.get(root) in types:
                if not self.fault():
                    roots.pop(position)
                return root
        return self.rng.choice(list(self.types))

    def _set(self, roots):
        path, type_ = self.path(self._root(roots))
        return f"{path} = {self._set_value(path, type_)}"

    def _set_value(self, path, type_):
        rng = self.rng
        kind = rng.random()
        if type_ == "N" and kind < 0.4:
            left = self._number(path)
            text = f"{left} {rng.choice('+-')} {self._number(path)}"
            return f"({text})" if chance(rng, 0.1) else text
        if type_ == "L" and kind < 0.5:
            return self._list_append(path)
        if kind < 0.6:
            return self.value(type_)
        if kind < 0.75:
            return self._if_not_exists(path, type_)
        if kind < 0.9:
            return self.path()[0]
        if self.fault():
            a, b = self.operand()[0], self.operand()[0]
            return rng.choice([
                f"size({a})", f"foo({a})", f"{a} + {b} + {a}", f"{a} * {b}",
                f"list_append({a})", f"if_not_exists({b})", f"{a} - {b}",
                f"list_append({a}, list_append({a}, {b}))",
                f"if_not_exists(:v0, {b})", f"({a} + {b})", f"(({a}))",
                f"({a}) + ({b})", f"if_not_exists({a}, {a} + {b})",
                f"list_append({a}, {b}, {b})", f"contains({a}, {b})"])
        return self.value(type_)

    def _number(self, path):
        kind = self.rng.random()
        if kind < 0.3:
            return path
        if kind < 0.5:
            return self._if_not_exists(path, "N")
        return self.value("N")

    def _list_append(self, path):
        one = path if chance(self.rng, 0.7) else self._if_not_exists(path, "L")
        two = self.value("L")
        if chance(self.rng, 0.3):
            one, two = two, one
        return f"list_append({one}, {two})"

    def _if_not_exists(self, path, type_):
        what = path if chance(self.rng, 0.6) else self.path()[0]
        other = self.value(type_) if chance(self.rng, 0.85) \
            else self.path()[0]
        return f"if_not_exists({what}, {other})"

    def _remove(self, roots):
        return self.path(self._root(roots), 0.6)[0]

    def _add(self, roots):
        path, type_ = self.path(self._root(roots, ("N", "SS", "NS", "BS")))
        if type_ not in ("N", "SS", "NS", "BS") and not self.fault():
            type_ = self.rng.choice(["N", "SS", "NS", "BS"])
        return f"{path} {self.value(type_)}"

    def _delete(self, roots):
        path, type_ = self.path(self._root(roots, ("SS", "NS", "BS")))
        if type_ not in ("SS", "NS", "BS") and not self.fault():
            type_ = self.rng.choice(["SS", "NS", "BS"])
        return f"{path} {self.value(type_)}"

    def damage(self, text):
        """Break the text at one token."""
        rng = self.rng
        tokens = re.findall(r"[#:]?\w+|<>|<=|>=|\S|\s+", text)
        if not tokens:
            return text
        place = rng.randrange(len(tokens))
        kind = rng.random()
        if kind < 0.3:
            tokens[place] = ""
        elif kind < 0.5:
            tokens[place] += " " + tokens[place]
        elif kind < 0.75:
            tokens[place] = rng.choice(TOKENS)
        elif kind < 0.9:
            tokens.insert(place, " " + rng.choice(TOKENS) + " ")
        else:
            tokens[place] = rng.choice(["", " ", "(" + "".join(
                tokens[place:]) + ")"])
            del tokens[place + 1:]
        return "".join(tokens)

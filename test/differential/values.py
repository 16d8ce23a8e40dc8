"""Attribute values worth trying, valid and broken.

Pools are small on purpose: requests of one episode must meet each other's
items, and comparisons must often be true.
"""

import base64


def b64(data):
    return base64.b64encode(data).decode()


STRINGS = ["", "a", "b", "ab", "abc", "A", "1", "10", "9", "a b", "\u00e9",
           "e\u0301", "\u65e5\u672c", "\U0001f600", "\uffff", "a\u0000b",
           "\"", "\\", "'", "z" * 40, "S", "SS", "-", "\n", " "]
NUMBERS = ["0", "1", "-1", "2", "10", "1.0", "3.14", "-0.5", "1e3", "100",
           "1E-130", "-1E-130", "1e125", "0.1", "00012.500", "1.50E2", "-0",
           "+7", ".5", "5.", "-12345.678", "0.00001", "256", "65536",
           "9.9999999999999999999999999999999999999E+125",
           "-9.9999999999999999999999999999999999999E+125",
           "12345678901234567890123456789012345678",
           "1234567890123456789.0123456789012345678"]
BAD_NUMBERS = ["", "abc", "1e126", "-1e126", "1e-131",
               "123456789012345678901234567890123456789",
               "1.23456789012345678901234567890123456789", "NaN", "Infinity",
               "1_000", "0x10", " 1", "1 ", "1e", "e1", ".", "+", "--1",
               "1.2.3", "0e126", "0e125", "0e-131", "1e99999", "1,5",
               "1e2147483647", "1e-2147483647", "1e99999999999999999999"]
BINARIES = [b64(b) for b in (b"", b"\0", b"\xff", b"a", b"ab", b"abc",
                             bytes(range(40)), b"\x7f", b"\x80", b"b")]

TYPES = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]
SCALARS = {"S": STRINGS, "N": NUMBERS, "B": BINARIES}

# Values of keys: non-empty, few, some of them equal as numbers.
KEYS = {"S": ["a", "b", "c", "ab", "A", "\u00e9", "\U0001f600", "10", "9"],
        "N": ["0", "1", "-1", "1.0", "2", "1e1", "10", "-2.5", "0.5", "100"],
        "B": [b64(b) for b in (b"a", b"b", b"ab", b"\0", b"\xff", b"\x80")]}

# Member names of maps; "name" and "data" are reserved words.
MEMBERS = ["a", "b", "c", "l", "m", "name", "data", "a.b", "\u00e9"]


def chance(rng, probability):
    return rng.random() < probability


def key_value(rng, type_):
    """Mostly one of the first three, so that collections have many items."""
    pool = KEYS[type_]
    return {type_: rng.choice(pool[:3] if chance(rng, 0.7) else pool)}


def value(rng, type_=None, depth=2):
    """A valid value, of the given type or of any."""
    type_ = type_ or rng.choice(TYPES)
    if type_ in SCALARS:
        if chance(rng, 0.6):
            return {type_: rng.choice(KEYS[type_])}
        return {type_: rng.choice(SCALARS[type_])}
    if type_ == "BOOL":
        return {"BOOL": chance(rng, 0.5)}
    if type_ == "NULL":
        return {"NULL": True}
    if type_ in ("SS", "NS", "BS"):
        return {type_: _set(rng, type_[0])}
    if type_ == "L":
        return {"L": [_nested(rng, depth) for _ in range(rng.randint(0, 3))]}
    return {"M": {name: _nested(rng, depth)
                  for name in rng.sample(MEMBERS, rng.randint(0, 3))}}


def _nested(rng, depth):
    if depth == 0:
        return value(rng, rng.choice("SNB"))
    return value(rng, rng.choice(TYPES + ["L", "M", "S", "N"]), depth - 1)


def _set(rng, element):
    pool = SCALARS[element] if chance(rng, 0.2) else KEYS[element]
    if element == "N":      # equal numbers may not meet in a set
        pool = ["0", "1", "-1", "2", "10", "-2.5", "0.5", "100"]
    return rng.sample(pool, rng.randint(1, 4))


def nest(levels):
    """A value of so many containers around a leaf."""
    result = {"S": "x"}
    for level in range(levels):
        result = {"L": [result]} if level % 2 else {"M": {"a": result}}
    return result


def bad_value(rng):
    """A value DynamoDB refuses, or one near the border."""
    bad = rng.choice([
        lambda: {},
        lambda: {"S": "a", "N": "1"},
        lambda: {"X": "a"},
        lambda: {"N": rng.choice(BAD_NUMBERS)},
        lambda: {"N": rng.choice(BAD_NUMBERS)},
        lambda: {"N": rng.choice(BAD_NUMBERS)},
        lambda: {"NS": ["1", rng.choice(BAD_NUMBERS)]},
        lambda: {"S": "a", "N": "abc"},
        lambda: {"NULL": False},
        lambda: {"SS": []}, lambda: {"NS": []}, lambda: {"BS": []},
        lambda: {"SS": ["b", "a", "b"]},
        lambda: {"NS": ["1", "2", "1.0"]},
        lambda: {"BS": ["YQ==", "YQ=="]},
        lambda: {"SS": [""]}, lambda: {"BS": ["", "YQ=="]},
        lambda: {"L": [{"S": "a"}, bad_value(rng)]},
        lambda: {"M": {"a": bad_value(rng), "b": {"S": "x"}}},
        lambda: {"M": {"": {"S": "a"}}},
        lambda: nest(31), lambda: nest(32), lambda: nest(40)])
    return bad()


def misformed_value(rng):
    """A value that is no AttributeValue in JSON at all."""
    return rng.choice([
        {"S": 1}, {"S": True}, {"S": ["a"]}, {"S": {"a": 1}}, {"S": None},
        {"N": 1}, {"N": 1.5}, {"N": False}, {"B": 1}, {"B": "a"},
        {"B": "?"}, {"B": "YQ="}, {"BOOL": "true"}, {"BOOL": 1},
        {"BOOL": "x"}, {"NULL": "yes"}, {"SS": "a"}, {"SS": [1]},
        {"NS": [1]}, {"NS": {}}, {"L": "a"}, {"L": {}}, {"L": ["a"]},
        {"L": [{"N": 1}]}, {"M": []}, {"M": "a"}, {"M": {"a": "b"}},
        {"M": {"a": {"N": 3}}}, "a", 1, True, None, [], [{"S": "a"}]])

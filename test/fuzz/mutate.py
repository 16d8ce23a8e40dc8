"""Small changes to inputs.

An input is a list of fields, each of a kind: "json", "expr" (text in an
expression language), "text", "bytes", "array" (an SQL array's text), or a
tuple of words to choose from.  A field may be None.
"""

import base64
import copy
import json
import re

from breakage import JUNK, places
from expressions import TOKENS
from values import BAD_NUMBERS, MEMBERS, NUMBERS, STRINGS, TYPES, bad_value, \
    misformed_value, value

LIMIT = 20000           # characters; few inputs may grow beyond
HUGE = 600000
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|\s+|.', re.S)
_TEXT_TOKEN = re.compile(r"[#:]?\w+|<>|<=|>=|\S|\s+", re.S)
_JSON_TOKENS = [
    "{", "}", "[", "]", ",", ":", '""', '"', "\\", '"\\u0000"', '"\\ud800"',
    '"\\ud83d\\ude00"', '"\\x"', "null", "true", "false", "0", "-0", "1e400",
    "-1", "1E-400", "1" * 40, "9223372036854775808", "nan", "01", "1.", "{}",
    "[]", "\t", "\u00e9", "\x01", "/*", '{"S":"x"}', '{"N":"1"}',
    '{"B":"AA=="}', '{"L":[]}', '{"M":{}}', '{"NULL":true}', '{"SS":["a"]}']
_EXPR_TOKENS = TOKENS + [
    "BETWEEN a AND b", "IN (a, b)", "begins_with(a, :v0)", "contains(l, :v0)",
    "attribute_type(a, :v0)", "attribute_not_exists(a)", "REMOVE a", "SET",
    "ADD", "DELETE", "if_not_exists(a, :v0)", "list_append(l, :v0)",
    "[999999999]", "[99999999999]", "[0][0]", "\u3000", "\x0b", "-", "+ b",
    "\U0001f600", "a.b.c.d", ",", "AND NOT", "#n1", ":v1", ":v2", "x" * 256]
_ODD = ["\x01", "\u00a0", "\ufeff", "\u0130", "\uffff", "\U0010ffff",
        "\udcff", "\udc80", "'", '"', "\\", "%s", "%n", "\n", "\r", " "]
_BYTES = [0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0x81, 0xc0, 0xc1, 0xfc, 0xfe, 0xff]


class Mutator:
    def __init__(self, rng):
        self.rng = rng

    def mutate(self, kinds, fields, other):
        """A changed copy; "other" is an input to take parts from."""
        rng = self.rng
        fields = list(fields)
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
            place = rng.randrange(len(kinds))
            fields[place] = self._field(kinds[place], fields[place],
                                        other[place])
        return fields

    def _field(self, kind, old, other):
        rng = self.rng
        if isinstance(kind, tuple):
            return rng.choice(kind)
        if rng.random() < 0.03:
            return None if rng.random() < 0.3 else other
        if old is None:
            return other
        if kind == "bytes":
            new = self._bytes(old, other or b"")
        elif kind == "json":
            new = self._json(old, other or "{}")
        else:
            new = self._text(old, other or "", _TEXT_TOKEN,
                             _EXPR_TOKENS if kind == "expr" else
                             NUMBERS + BAD_NUMBERS + STRINGS)
        limit = HUGE if rng.random() < 0.002 else LIMIT
        return new[:limit] if kind == "bytes" else \
            new[:limit].replace("\0", "\\u0000")

    # Text

    def _text(self, old, other, pattern, tokens):
        rng = self.rng
        if rng.random() < 0.15:
            return self._characters(old)
        parts = pattern.findall(old) or [""]
        place = rng.randrange(len(parts))
        kind = rng.randrange(9)
        if kind == 0:
            del parts[place:place + rng.choice([1, 1, 2, 5])]
        elif kind == 1:
            parts[place] = rng.choice(tokens)
        elif kind == 2:
            parts.insert(place, rng.choice(tokens))
        elif kind == 3:
            parts.insert(place, f" {rng.choice(tokens)} ")
        elif kind == 4:
            count = rng.choice([1, 2, 3, 10, 100, 400])
            parts[place:place + 1] = [parts[place]] * (count + 1)
        elif kind == 5:
            end = place + rng.randint(1, 8)
            parts[place:end] = parts[place:end] * rng.choice([2, 3, 40])
        elif kind == 6:
            swap = rng.randrange(len(parts))
            parts[place], parts[swap] = parts[swap], parts[place]
        elif kind == 7:
            theirs = pattern.findall(other) or [""]
            start = rng.randrange(len(theirs))
            parts[place:place + rng.choice([0, 1, 3])] = \
                theirs[start:start + rng.choice([1, 3, 8, 30])]
        else:
            parts = self._wrap(parts, place)
        return "".join(parts)

    def _wrap(self, parts, place):
        """Nest a part, sometimes deep."""
        rng = self.rng
        left, right = rng.choice([
            ("(", ")"), ("NOT ", ""), ("size(", ")"), ("[", "]"), ("", "[0]"),
            ("", ".a"), ("if_not_exists(a, ", ")"), ('{"L":[', "]}"),
            ('{"M":{"a":', "}}"), ("[", "]"), ('{"a":', "}"), ("", ", a"),
            ("", " AND a = b"), ("a = b OR ", "")])
        depth = rng.choice([1, 1, 1, 2, 3, 31, 32, 33, 300, 2000])
        end = min(len(parts), place + rng.choice([1, 1, 2, 5, 9]))
        return parts[:place] + [left * depth] + parts[place:end] + \
            [right * depth] + parts[end:]

    def _characters(self, old):
        rng = self.rng
        place = rng.randint(0, len(old))
        kind = rng.randrange(4)
        if kind == 0:
            return old[:place] + old[place + 1:]
        if kind == 1:
            return old[:place] + rng.choice(_ODD) + old[place:]
        if kind == 2:
            return old[:place] + chr(rng.randrange(1, 128)) + old[place + 1:]
        return old[:place]

    # JSON

    def _json(self, old, other):
        rng = self.rng
        if rng.random() < 0.45 and len(old) < LIMIT:
            try:
                return self._tree(json.loads(old), other)
            except (ValueError, RecursionError):
                pass
        return self._text(old, other, _JSON_TOKEN, _JSON_TOKENS)

    def _tree(self, tree, other):
        rng = self.rng
        document = [tree]
        node, key = rng.choice(places(document))
        kind = rng.randrange(10)
        if kind == 0:
            del node[key]
        elif kind == 1:
            node[key] = rng.choice(JUNK)
        elif kind == 2:
            node[key] = value(rng, None, rng.choice([0, 1, 2, 4]))
        elif kind == 3:
            node[key] = bad_value(rng)
        elif kind == 4:
            node[key] = misformed_value(rng)
        elif kind == 5:
            node[key] = self._scalar(node[key])
        elif kind == 6:
            theirs = [json.loads(other)]
            there, where = rng.choice(places(theirs))
            node[key] = there[where]
        elif kind == 7 and isinstance(node, dict):
            node[rng.choice(MEMBERS + TYPES + ["", "x" * 300])] = \
                copy.deepcopy(node[key])
        elif kind == 8 and isinstance(node, list) and node is not document:
            node.extend([node[key]] * rng.choice([1, 2, 30, 120]))
        else:
            node[key] = {rng.choice(TYPES + ["a"]): node[key]}
        return json.dumps(document[0] if document else None,
                          ensure_ascii=rng.random() < 0.5)

    def _scalar(self, old):
        rng = self.rng
        if isinstance(old, str):
            if rng.random() < 0.3:
                return base64.b64encode(
                    bytes(rng.choices(_BYTES, k=rng.randint(0, 9)))).decode()
            if rng.random() < 0.3:
                return (old or "x") * rng.choice([2, 30, 260, 1100, 2100])
            return rng.choice([rng.choice(NUMBERS + BAD_NUMBERS),
                               rng.choice(STRINGS), self._characters(old)])
        if isinstance(old, (int, float)):
            return rng.choice([0, -1, 1, 2 ** 31, 2 ** 63, -2 ** 63 - 1, 1e308,
                               0.5, 100, 101, 1000000, 4096])
        return rng.choice(JUNK)

    # Bytes

    def _bytes(self, old, other):
        rng = self.rng
        new = bytearray(old)
        place = rng.randint(0, max(0, len(new) - 1))
        kind = rng.randrange(9)
        if kind == 0 and new:
            new[place] ^= 1 << rng.randrange(8)
        elif kind == 1 and new:
            new[place] = rng.choice(_BYTES)
        elif kind == 2 and new:
            new[place] = (new[place] + rng.choice([-4, -1, 1, 4])) & 255
        elif kind == 3:
            del new[place:place + rng.choice([1, 1, 2, 4, 8])]
        elif kind == 4:
            new[place:place] = bytes(rng.choices(_BYTES,
                                                 k=rng.randint(1, 4)))
        elif kind == 5:
            new[place:place] = new[place:place + rng.choice([1, 2, 4, 9])]
        elif kind == 6:
            start = rng.randint(0, len(other))
            new[place:place + rng.choice([0, 4])] = \
                other[start:start + rng.choice([2, 8, 30])]
        elif kind == 7:
            new[place:place] = bytes([rng.randrange(256)]) * rng.choice(
                [1, 3, 100, 300, 2100])
        else:
            return self._deeper(old)
        return bytes(new)

    def _deeper(self, old):
        """The packed value as only member of lists in lists."""
        payload = old[1:]
        for _ in range(self.rng.choice([1, 2, 30, 31, 40])):
            width = max(1, (len(payload).bit_length() + 10) // 8)
            payload = bytes([4 + width - 1]) + (len(payload) + 1).to_bytes(
                width, "little") + b"\x09" + payload
        return old[:1] + payload

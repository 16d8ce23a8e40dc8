"""The tables of every episode and what their items look like."""

from values import chance, key_value, value


class Index:
    def __init__(self, name, kind, keys, projection, non_key=()):
        self.name = name
        self.kind = kind                # "L" local, "G" global
        self.keys = keys                # [(attribute, type, HASH or RANGE)]
        self.projection = projection
        self.non_key = list(non_key)

    def definition(self):
        projection = {"ProjectionType": self.projection}
        if self.non_key:
            projection["NonKeyAttributes"] = self.non_key
        return {"IndexName": self.name, "KeySchema": schema(self.keys),
                "Projection": projection}


class Table:
    def __init__(self, name, keys, indexes=()):
        self.name = name
        self.keys = keys
        self.indexes = {index.name: index for index in indexes}

    def definition(self):
        """The CreateTable request."""
        types = {name: type_ for name, type_, _ in self.keys}
        for index in self.indexes.values():
            types.update({name: type_ for name, type_, _ in index.keys})
        request = {
            "TableName": self.name, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": schema(self.keys),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": type_}
                for name, type_ in types.items()]}
        for kind, member in (("L", "LocalSecondaryIndexes"),
                             ("G", "GlobalSecondaryIndexes")):
            indexes = [index.definition() for index in self.indexes.values()
                       if index.kind == kind]
            if indexes:
                request[member] = indexes
        return request

    def key(self, rng):
        return {name: key_value(rng, type_) for name, type_, _ in self.keys}

    def key_of(self, item):
        return {name: item[name] for name, _, _ in self.keys}

    def item(self, rng):
        """A valid item: keys, index keys mostly, some attributes."""
        item = self.key(rng)
        for index in self.indexes.values():
            for name, type_, _ in index.keys:
                if name not in item and chance(rng, 0.7):
                    item[name] = key_value(rng, type_)
        for name in rng.sample(ATTRIBUTES, rng.randint(0, 6)):
            if name not in item:
                item[name] = attribute(rng, name)
        if chance(rng, 0.1):
            # More than one unit of capacity.  Sizes keep off whole kilobytes:
            # Local counts some bytes more for the entries of local indexes.
            item["b"] = {"S": "x" * rng.choice([1250, 2300, 4350, 9500])}
        return item


def schema(keys):
    return [{"AttributeName": name, "KeyType": kind} for name, _, kind in keys]


# Attributes outside the keys with the type each mostly has.  Short names are
# often repeated inside maps.
ATTRIBUTE_TYPES = {
    "a": "S", "b": "N", "c": "B", "l": "L", "m": "M", "ss": "SS", "ns": "NS",
    "bs": "BS", "bool": "BOOL", "null": "NULL", "name": "S", "data": "M",
    "a.b": "S", "\u00e9": "N", "n2": "N", "l2": "L", "any": None}
ATTRIBUTES = list(ATTRIBUTE_TYPES)


def attribute(rng, name):
    """A value for the attribute, mostly of its usual type."""
    type_ = ATTRIBUTE_TYPES.get(name)
    return value(rng, None if chance(rng, 0.1) else type_)


HASH, RANGE = "HASH", "RANGE"
TABLES = {table.name: table for table in (
    Table("HashS", [("pk", "S", HASH)]),
    Table("HashN", [("pk", "N", HASH)],
          [Index("byS", "G", [("g", "S", HASH)], "ALL")]),
    Table("RangeS", [("pk", "S", HASH), ("sk", "S", RANGE)],
          [Index("lsiAll", "L", [("pk", "S", HASH), ("i", "N", RANGE)], "ALL"),
           Index("lsiKeys", "L", [("pk", "S", HASH), ("j", "S", RANGE)],
                 "KEYS_ONLY"),
           Index("gsiAll", "G", [("g", "S", HASH)], "ALL"),
           Index("gsiKeys", "G", [("g", "S", HASH), ("i", "N", RANGE)],
                 "KEYS_ONLY"),
           Index("gsiSome", "G", [("h", "N", HASH), ("sk", "S", RANGE)],
                 "INCLUDE", ["a", "m", "name"])]),
    Table("RangeN", [("pk", "S", HASH), ("sk", "N", RANGE)],
          [Index("lsiSome", "L", [("pk", "S", HASH), ("j", "B", RANGE)],
                 "INCLUDE", ["b", "l"])]),
    Table("RangeB", [("id", "B", HASH), ("order", "B", RANGE)],
          [Index("flip", "G", [("order", "B", HASH), ("id", "B", RANGE)],
                 "ALL")]),
    Table("Multi", [("pk", "S", HASH), ("sk", "N", RANGE)],
          [Index("two", "G", [("g", "S", HASH), ("h", "N", HASH),
                              ("i", "N", RANGE), ("j", "S", RANGE)], "ALL")]),
)}
NAMES = list(TABLES)

"""One random request of any operation.

make() draws the operation, then how faulty the request shall be: most are
meant to be valid, some have faults within their parts, some are broken as
JSON documents afterwards (breakage.py).
"""

import control
import corpus
import legacy
from breakage import break_request
from expressions import Builder
from tables import ATTRIBUTES, NAMES, TABLES
from values import bad_value, chance, key_value, misformed_value, value


def make(rng, recent):
    """(operation, request).  recent: {table: [items written before]}."""
    operation = rng.choices(list(MAKERS), [w for w, _ in MAKERS.values()])[0]
    faults = rng.choices([0.0, 0.03, 0.12], [60, 25, 15])[0]
    request = MAKERS[operation][1](Draw(rng, recent, faults))
    if chance(rng, 0.1):
        break_request(rng, request)
    return operation, request


class Draw:
    """What the makers share: the generator, the faults, common members."""

    def __init__(self, rng, recent, faults):
        self.rng = rng
        self.recent = recent
        self.faults = faults
        self.old = chance(rng, 0.2)     # use the parameters of old

    def fault(self):
        return chance(self.rng, self.faults)

    def flip(self, probability):
        return chance(self.rng, probability)

    def table(self):
        return TABLES[self.rng.choices(NAMES, [2, 2, 4, 2, 1, 2])[0]]

    def table_name(self, table):
        if self.fault():
            return self.rng.choice(["Missing", "", "x", "ab", "a b", "T" * 256,
                                    "T" * 255, None, "Missing.Too-1_"])
        return table.name

    def item(self, table):
        """An item to write."""
        item = table.item(self.rng)
        if self.fault():
            item[self.rng.choice(ATTRIBUTES)] = bad_value(self.rng)
        if chance(self.rng, self.faults / 4):
            item[self.rng.choice(ATTRIBUTES)] = misformed_value(self.rng)
        if self.fault():
            self.spoil_index_keys(table, item)
        if chance(self.rng, self.faults / 4):
            item["a"] = {"S": "x" * self.rng.choice([409000, 409700])}
        return self.spoil_key(table, item)

    def spoil_index_keys(self, table, item):
        for index in table.indexes.values():
            for name, _, _ in index.keys:
                if self.flip(0.5):
                    item[name] = self.rng.choice(
                        [{"S": ""}, {"B": ""}, {"S": "s"}, {"N": "1"},
                         {"NULL": True}, {"L": []}])

    def key(self, table):
        """A key, mostly of an item known to exist."""
        known = self.recent.get(table.name)
        if known and chance(self.rng, 0.6):
            key = table.key_of(self.rng.choice(known))
        else:
            key = table.key(self.rng)
        return self.spoil_key(table, key)

    def spoil_key(self, table, key):
        if not self.fault():
            return key
        rng = self.rng
        key = dict(key)
        name, type_, kind = rng.choice(table.keys)
        rng.choice([
            lambda: key.pop(name), lambda: key.update({"extra": {"S": "a"}}),
            lambda: key.update({name: value(rng)}),
            lambda: key.update({name: {"S": ""}}),
            lambda: key.update({name: {"B": ""}}),
            lambda: key.update({name: bad_value(rng)}),
            lambda: key.update({name: misformed_value(rng)}),
            lambda: key.update({name: {"S": "k" * rng.choice(
                [1024, 1025, 2048, 2049])}}),
            key.clear])()
        return key

    def enum(self, request, member, values, probability=0.4):
        if self.fault():
            request[member] = self.rng.choice(["", "FOO", values[0].lower()])
        elif chance(self.rng, probability):
            request[member] = self.rng.choice(values)

    def capacity(self, request):
        self.enum(request, "ReturnConsumedCapacity",
                  ["TOTAL", "INDEXES", "NONE"])

    def expression(self, builder, request, member, make_text):
        """Add one expression, damaged or empty for faults."""
        text = make_text()
        if self.faults and chance(self.rng, 0.25):
            return self.from_corpus(builder, request, member)
        if self.fault():
            text = builder.damage(text)
        if chance(self.rng, self.faults / 4):
            text = self.rng.choice(["", " ", text + " " * 4096])
        request[member] = text

    def from_corpus(self, builder, request, member):
        """An expression of the corpus, its placeholders mostly defined."""
        pool = {"UpdateExpression": corpus.UPDATES,
                "ProjectionExpression": corpus.PROJECTIONS,
                "KeyConditionExpression": corpus.KEY_CONDITIONS}
        text = self.rng.choice(pool.get(member, corpus.CONDITIONS))
        builder.names.clear()
        builder.values.clear()
        if ":v0" in text:
            builder.placeholder(value(self.rng, self.rng.choice(
                ["S", "S", "N", "N", "B", "SS", "L", None]), 1))
        if "#n0" in text:
            builder.names["#n0"] = self.rng.choice(ATTRIBUTES)
        request[member] = text


def get_item(draw):
    table = draw.table()
    builder = Builder(draw.rng, table, draw.faults)
    request = {"TableName": draw.table_name(table), "Key": draw.key(table)}
    if draw.flip(0.3):
        request["ConsistentRead"] = draw.flip(0.7)
    add_projection(draw, builder, request, table)
    builder.add_to(request, values=False)
    draw.capacity(request)
    return request


def add_projection(draw, builder, request, table):
    if draw.flip(0.4) and not draw.old:
        draw.expression(builder, request, "ProjectionExpression",
                        builder.projection)
    if draw.flip(0.4) and draw.old or draw.fault():
        names = draw.rng.sample(list(builder.types), draw.rng.randint(1, 3))
        if draw.fault():
            names = draw.rng.choice([[], names + names, [""], ["a.b[0]"]])
        request["AttributesToGet"] = names


def write_options(draw, request, values=("NONE", "ALL_OLD")):
    draw.enum(request, "ReturnValues", list(values), 0.6)
    draw.enum(request, "ReturnItemCollectionMetrics", ["SIZE", "NONE"], 0.1)
    draw.enum(request, "ReturnValuesOnConditionCheckFailure",
              ["ALL_OLD", "NONE"], 0.3)
    draw.capacity(request)


def add_condition(draw, builder, request, table, probability=0.35):
    """ConditionExpression, or Expected of old, or for a fault both."""
    if draw.flip(probability) and not draw.old:
        draw.expression(builder, request, "ConditionExpression",
                        builder.condition)
    if draw.flip(probability) and draw.old or draw.fault():
        known = draw.recent.get(table.name)
        request["Expected"] = legacy.expected(
            draw.rng, draw.rng.choice(known) if known else None, draw.faults)
        if len(request["Expected"]) > 1 and draw.flip(0.6) or draw.fault():
            draw.enum(request, "ConditionalOperator", ["AND", "OR"], 1)


def put_item(draw):
    table = draw.table()
    builder = Builder(draw.rng, table, draw.faults)
    request = {"TableName": draw.table_name(table), "Item": draw.item(table)}
    add_condition(draw, builder, request, table)
    builder.add_to(request)
    write_options(draw, request)
    return request


def delete_item(draw):
    table = draw.table()
    builder = Builder(draw.rng, table, draw.faults)
    request = {"TableName": draw.table_name(table), "Key": draw.key(table)}
    add_condition(draw, builder, request, table)
    builder.add_to(request)
    write_options(draw, request)
    return request


def update_item(draw):
    table = draw.table()
    builder = Builder(draw.rng, table, draw.faults)
    request = {"TableName": draw.table_name(table), "Key": draw.key(table)}
    if draw.flip(0.95) and not draw.old:
        draw.expression(builder, request, "UpdateExpression", builder.update)
    if draw.flip(0.95) and draw.old or draw.fault():
        request["AttributeUpdates"] = legacy.attribute_updates(
            draw.rng, builder.types, [name for name, _, _ in table.keys],
            draw.faults)
    add_condition(draw, builder, request, table, 0.25)
    builder.add_to(request)
    write_options(draw, request, ["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW",
                                  "UPDATED_NEW"])
    return request


def read_options(draw, builder, request, table, index):
    """What Query and Scan have in common, filters aside."""
    rng = draw.rng
    add_projection(draw, builder, request, table)
    if draw.flip(0.3):
        request["Limit"] = rng.choice([1, 1, 2, 3, 5, 100])
    if draw.fault():
        request["Limit"] = rng.choice([0, -1, 1.5, "1", 2147483648])
    if draw.flip(0.2) and (index is None or index.kind == "L") \
            or draw.fault():
        request["ConsistentRead"] = draw.flip(0.8)
    projecting = "ProjectionExpression" in request \
        or "AttributesToGet" in request
    selects = ["SPECIFIC_ATTRIBUTES"] if projecting else \
        ["COUNT", "ALL_ATTRIBUTES"] + ["ALL_PROJECTED_ATTRIBUTES"] * (
            index is not None)
    if draw.fault():
        selects = ["COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES",
                   "SPECIFIC_ATTRIBUTES"]
    draw.enum(request, "Select", selects, 0.25)
    draw.capacity(request)


def start_key(draw, table, index, hash_values=None):
    """An ExclusiveStartKey, right or wrong."""
    rng = draw.rng
    keys = list(table.keys) + [key for key in (index.keys if index else ())
                               if key[0] not in [k[0] for k in table.keys]]
    result = {name: key_value(rng, type_) for name, type_, _ in keys}
    result.update(hash_values or {})
    if draw.fault():
        rng.choice([
            lambda: result.pop(rng.choice(list(result))),
            lambda: result.update({"extra": {"S": "a"}}),
            lambda: result.update({keys[-1][0]: value(rng)}),
            lambda: result.update({keys[0][0]: bad_value(rng)}),
            lambda: result.update({keys[-1][0]: {"S": ""}}),
            result.clear])()
    return result


def choose_index(draw, request, table, probability):
    if draw.fault():
        request["IndexName"] = draw.rng.choice(["missing", "", "ab", "a b",
                                                "gsiAll"])
        return None
    if table.indexes and draw.flip(probability):
        index = draw.rng.choice(list(table.indexes.values()))
        request["IndexName"] = index.name
        return index
    return None


def query(draw):
    table = draw.table()
    rng = draw.rng
    builder = Builder(rng, table, draw.faults)
    request = {"TableName": draw.table_name(table)}
    index = choose_index(draw, request, table, 0.5)
    keys = index.keys if index else table.keys
    hash_values = {}
    if not draw.old and not draw.fault():
        draw.expression(builder, request, "KeyConditionExpression",
                        lambda: builder.key_condition(keys))
        used = {name: content for content in builder.values.values()
                for name, type_, kind in keys
                if kind == "HASH" and type_ in content}
        hash_values = used if draw.flip(0.9) else {}
    elif not draw.fault():
        request["KeyConditions"] = legacy.key_conditions(rng, keys,
                                                         draw.faults)
    hide_keys(draw, builder, keys)
    if draw.flip(0.35) and not draw.old or draw.fault():
        draw.expression(builder, request, "FilterExpression",
                        builder.condition)
    if draw.flip(0.4) and draw.old or draw.fault():
        request["QueryFilter"] = legacy.conditions(
            rng, list(builder.types), draw.faults)
        if len(request["QueryFilter"]) > 1 and draw.flip(0.5):
            request["ConditionalOperator"] = rng.choice(["AND", "OR"])
    read_options(draw, builder, request, table, index)
    if draw.flip(0.3):
        request["ScanIndexForward"] = draw.flip(0.3)
    if draw.flip(0.1):
        request["ExclusiveStartKey"] = start_key(draw, table, index,
                                                 hash_values)
    builder.add_to(request)
    return request


def hide_keys(draw, builder, keys):
    """Let a filter of a Query name no key attribute, but for a fault."""
    if not draw.fault():
        for name, _, _ in keys:
            builder.types.pop(name, None)


def scan(draw):
    table = draw.table()
    rng = draw.rng
    builder = Builder(rng, table, draw.faults)
    request = {"TableName": draw.table_name(table)}
    index = choose_index(draw, request, table, 0.35)
    if draw.flip(0.4) and not draw.old or draw.fault():
        draw.expression(builder, request, "FilterExpression",
                        builder.condition)
    if draw.flip(0.6) and draw.old or draw.fault():
        request["ScanFilter"] = legacy.conditions(rng, list(builder.types),
                                                  draw.faults)
        if len(request["ScanFilter"]) > 1 and draw.flip(0.5) or draw.fault():
            request["ConditionalOperator"] = rng.choice(["AND", "OR"])
    read_options(draw, builder, request, table, index)
    if draw.flip(0.15):
        total = rng.choice([1, 2, 3, 4])
        request.update(TotalSegments=total, Segment=rng.randrange(total))
        if draw.fault():
            request[rng.choice(["TotalSegments", "Segment"])] = rng.choice(
                [0, -1, 4, 1000000, 1000001, None])
    if draw.flip(0.05):
        request["ExclusiveStartKey"] = start_key(draw, table, index)
    builder.add_to(request)
    return request


def batch_get(draw):
    rng = draw.rng
    request = {"RequestItems": {}}
    for _ in range(rng.choice([1, 1, 2, 3])):
        table = draw.table()
        builder = Builder(rng, table, draw.faults)
        keys = []
        for _ in range(rng.choice([1, 2, 3, 5])):
            key = draw.key(table)
            if key not in keys or draw.fault():
                keys.append(key)
        if chance(rng, draw.faults / 2):
            keys = rng.choice([[], [{"pk": {"S": str(i)}}
                                    for i in range(rng.choice([100, 101]))]])
        entry = {"Keys": keys}
        if draw.flip(0.3):
            entry["ConsistentRead"] = draw.flip(0.7)
        add_projection(draw, builder, entry, table)
        builder.add_to(entry, values=False)
        request["RequestItems"][draw.table_name(table) or "T"] = entry
    if draw.fault():
        request["RequestItems"] = {}
    draw.capacity(request)
    return request


def batch_write(draw):
    rng = draw.rng
    request = {"RequestItems": {}}
    for _ in range(rng.choice([1, 1, 2, 3])):
        table = draw.table()
        writes, seen = [], []
        for _ in range(rng.choice([1, 2, 3, 5])):
            item = draw.item(table) if draw.flip(0.6) else draw.key(table)
            identity = [item.get(name) for name, _, _ in table.keys]
            if identity in seen and not draw.fault():
                continue
            seen.append(identity)
            if len(item) > len(table.keys) or draw.flip(0.5):
                writes.append({"PutRequest": {"Item": item}})
            else:
                writes.append({"DeleteRequest": {"Key": item}})
        if draw.fault():
            writes.append(rng.choice([{}, {"PutRequest": {}}, {
                "PutRequest": {"Item": draw.item(table)},
                "DeleteRequest": {"Key": draw.key(table)}}]))
        if chance(rng, draw.faults / 2):
            writes = rng.choice([[], [
                {"PutRequest": {"Item": {"pk": {"S": str(i)}}}}
                for i in range(rng.choice([25, 26]))]])
        request["RequestItems"][draw.table_name(table) or "T"] = writes
    if draw.fault():
        request["RequestItems"] = {}
    draw.enum(request, "ReturnItemCollectionMetrics", ["SIZE", "NONE"], 0.1)
    draw.capacity(request)
    return request


def transact_get(draw):
    rng = draw.rng
    items, seen = [], []
    for _ in range(rng.choice([1, 2, 3])):
        table = draw.table()
        builder = Builder(rng, table, draw.faults)
        key = draw.key(table)
        if (table.name, key) in seen and not draw.fault():
            continue
        seen.append((table.name, key))
        get = {"TableName": draw.table_name(table), "Key": key}
        if draw.flip(0.4):
            draw.expression(builder, get, "ProjectionExpression",
                            builder.projection)
        builder.add_to(get, values=False)
        items.append({"Get": get})
    if draw.fault():
        items = rng.choice([[], items + [{}], items * 2, items * 101])
    request = {"TransactItems": items}
    draw.capacity(request)
    return request


def transact_write(draw):
    rng = draw.rng
    items, seen = [], []
    for _ in range(rng.choice([1, 2, 3, 4])):
        table = draw.table()
        kind = rng.choice(["Put", "Update", "Delete", "ConditionCheck"])
        builder = Builder(rng, table, draw.faults)
        action = {"TableName": draw.table_name(table)}
        subject = draw.item(table) if kind == "Put" else draw.key(table)
        action["Item" if kind == "Put" else "Key"] = subject
        identity = [table.name] + [subject.get(n) for n, _, _ in table.keys]
        if identity in seen and not draw.fault():
            continue
        seen.append(identity)
        if kind == "Update" and not draw.fault():
            draw.expression(builder, action, "UpdateExpression",
                            builder.update)
        if kind == "ConditionCheck" and not draw.fault() or draw.flip(0.3):
            text = builder.condition if draw.flip(0.3) else \
                lambda: f"attribute_not_exists({builder.name('zz')})"
            draw.expression(builder, action, "ConditionExpression", text)
        builder.add_to(action)
        draw.enum(action, "ReturnValuesOnConditionCheckFailure",
                  ["ALL_OLD", "NONE"], 0.4)
        items.append({kind: action})
    if draw.fault():
        items = rng.choice([[], items + [{}], items * 2, items * 101, [
            {**items[0], "Delete": {"TableName": "HashS",
                                    "Key": {"pk": {"S": "a"}}}}]])
    request = {"TransactItems": items}
    if draw.fault():
        request["ClientRequestToken"] = rng.choice(["", "t" * 36, "t" * 37])
    draw.enum(request, "ReturnItemCollectionMetrics", ["SIZE", "NONE"], 0.1)
    draw.capacity(request)
    return request


MAKERS = {
    "PutItem": (16, put_item),
    "UpdateItem": (24, update_item),
    "DeleteItem": (7, delete_item),
    "GetItem": (10, get_item),
    "Query": (18, query),
    "Scan": (10, scan),
    "BatchGetItem": (5, batch_get),
    "BatchWriteItem": (5, batch_write),
    "TransactGetItems": (4, transact_get),
    "TransactWriteItems": (8, transact_write),
    "CreateTable": (1, control.create_table),
    "DescribeTable": (0.5, control.describe_table),
    "DeleteTable": (0.5, control.delete_table),
    "ListTables": (0.5, control.list_tables),
}

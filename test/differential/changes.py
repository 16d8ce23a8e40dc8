"""Requests that make, change and describe tables: one of a random sequence.

What is known of a table is its description, as DynamoDB Local gives it after
the last request.  Most changes fit it; the others are refused for one reason
or another.
"""

import copy

import control
from breakage import break_request
from generate import Draw
from values import chance

SPARE = control.SPARE
ATTRIBUTES = {"a": "S", "b": "N", "c": "B"}     # of keys of indexes
NAMES = ["one", "two", "three"]                 # of indexes
TTL = ["ttl", "expires"]
TAGS = ["env", "Owner", "a:b", "cost center", "é"]
BAD_TAGS = ["", "aws:x", "AWS:y", "k" * 129, "a!", "\U0001f600", None]
BAD_VALUES = ["v" * 257, "a#", None]


def make(rng, known):
    """(operation, request).  known: {table: its description}."""
    operation = rng.choices(list(MAKERS), [w for w, _ in MAKERS.values()])[0]
    draw = Draw(rng, known, rng.choices([0.0, 0.05, 0.15], [60, 25, 15])[0])
    request = MAKERS[operation][1](draw)
    if chance(rng, 0.04):
        break_request(rng, request)
    return operation, request


def some_table(draw):
    """The name of a table that there is, mostly."""
    if draw.recent and not draw.fault():
        return draw.rng.choice(sorted(draw.recent))
    return draw.rng.choice(SPARE + ["Missing"])


def units(rng):
    return {"ReadCapacityUnits": rng.randint(1, 8),
            "WriteCapacityUnits": rng.randint(1, 8)}


def bad_units(rng):
    return rng.choice([{"ReadCapacityUnits": 0, "WriteCapacityUnits": 1},
                       {"ReadCapacityUnits": 1}, {},
                       {"ReadCapacityUnits": 10 ** 12 + 1,
                        "WriteCapacityUnits": 1}])


def some_units(draw):
    return bad_units(draw.rng) if draw.fault() else units(draw.rng)


def is_on_demand(table):
    return table.get("BillingModeSummary", {}).get("BillingMode") \
        == "PAY_PER_REQUEST"


def global_indexes(table):
    return [index["IndexName"]
            for index in table.get("GlobalSecondaryIndexes", ())]


def create_table(draw):
    """Mostly small ones that can be made."""
    rng = draw.rng
    if draw.flip(0.3):
        request = control.create_table(draw)
        if request.get("TableName") not in SPARE:
            request["TableName"] = "Missing" \
                if isinstance(request.get("TableName"), str) \
                and len(request["TableName"]) > 2 else \
                request.get("TableName")
        return request
    missing = [name for name in SPARE if name not in draw.recent]
    keys = [("pk", "HASH")] + ([("sk", "RANGE")] if draw.flip(0.5) else [])
    request = {
        "TableName": rng.choice(missing or SPARE),
        "KeySchema": [{"AttributeName": name, "KeyType": kind}
                      for name, kind in keys],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"}
                                 for name, _ in keys]}
    on_demand = draw.flip(0.5)
    if on_demand:
        request["BillingMode"] = "PAY_PER_REQUEST"
    if on_demand == draw.fault():
        request["ProvisionedThroughput"] = some_units(draw)
    if draw.flip(0.4):
        index, definitions = new_index(draw, on_demand)
        request["GlobalSecondaryIndexes"] = [index]
        request["AttributeDefinitions"] += definitions
    if draw.flip(0.2):
        request["StreamSpecification"] = stream(draw, draw.flip(0.8))
    if draw.flip(0.1):
        request["DeletionProtectionEnabled"] = draw.flip(0.3)
    return request


def new_index(draw, on_demand):
    """(index, definitions of its key's attributes)."""
    rng = draw.rng
    names = rng.sample(sorted(ATTRIBUTES), rng.randint(1, 2))
    index = {
        "IndexName": rng.choice(NAMES),
        "KeySchema": [{"AttributeName": name, "KeyType": kind}
                      for name, kind in zip(names, ("HASH", "RANGE"))],
        "Projection": rng.choice([
            {"ProjectionType": "ALL"}, {"ProjectionType": "KEYS_ONLY"},
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]}])}
    if on_demand == draw.fault():
        index["ProvisionedThroughput"] = some_units(draw)
    if draw.fault():
        index["Projection"] = rng.choice([
            {}, {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]},
            {"ProjectionType": "INCLUDE"}])
    return index, [{"AttributeName": name, "AttributeType": ATTRIBUTES[name]
                    if not draw.fault() else rng.choice("SNB")}
                   for name in names]


def stream(draw, on):
    specification = {"StreamEnabled": on}
    if on != draw.fault():
        specification["StreamViewType"] = draw.rng.choice(
            ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"])
    return specification


def update_table(draw):
    """One kind of change, sometimes two, seldom none."""
    name = some_table(draw)
    table = draw.recent.get(name, {})
    request = {"TableName": name}
    for _ in range(draw.rng.choices([0, 1, 2], [3, 80, 17])[0]):
        request.update(draw.rng.choice(CHANGES)(draw, table))
    if draw.fault():
        request["GlobalSecondaryIndexUpdates"] = draw.rng.choice(
            [[], [{}], [{"Delete": {"IndexName": "none"}}],
             [{"Update": {"IndexName": "one"}}]])
    return request


def change_units(draw, table):
    now = table.get("ProvisionedThroughput", {})
    if draw.fault() and now.get("ReadCapacityUnits"):
        return {"ProvisionedThroughput": {
            member: now[member]
            for member in ("ReadCapacityUnits", "WriteCapacityUnits")}}
    return {"ProvisionedThroughput": some_units(draw)}


def change_billing(draw, table):
    """To the other mode, with what that needs."""
    if is_on_demand(table) == draw.fault():
        request = {"BillingMode": "PAY_PER_REQUEST"}
        if draw.fault():
            request["ProvisionedThroughput"] = units(draw.rng)
        return request
    request = {"BillingMode": "PROVISIONED"}
    if not draw.fault():
        request["ProvisionedThroughput"] = some_units(draw)
    updates = [{"Update": {"IndexName": name,
                           "ProvisionedThroughput": units(draw.rng)}}
               for name in global_indexes(table) if not draw.fault()]
    if updates:
        request["GlobalSecondaryIndexUpdates"] = updates
    return request


def change_stream(draw, table):
    on = table.get("StreamSpecification", {}).get("StreamEnabled", False)
    return {"StreamSpecification": stream(draw, on == draw.fault())}


def change_protection(draw, table):
    return {"DeletionProtectionEnabled":
            not table.get("DeletionProtectionEnabled") or draw.fault()}


def add_index(draw, table):
    index, definitions = new_index(draw, is_on_demand(table))
    free = [name for name in NAMES if name not in global_indexes(table)]
    if free and not draw.fault():
        index["IndexName"] = draw.rng.choice(free)
    request = {"GlobalSecondaryIndexUpdates": [{"Create": index}]}
    if not draw.fault():
        request["AttributeDefinitions"] = definitions
    return request


def drop_index(draw, table):
    names = global_indexes(table) or NAMES
    name = draw.rng.choice(names if not draw.fault() else NAMES)
    updates = [{"Delete": {"IndexName": name}}]
    if draw.fault():
        updates.append({"Delete": {"IndexName": draw.rng.choice(names)}})
    return {"GlobalSecondaryIndexUpdates": updates}


def change_index(draw, table):
    names = global_indexes(table) or NAMES
    return {"GlobalSecondaryIndexUpdates": [
        {"Update": {"IndexName": name,
                    "ProvisionedThroughput": some_units(draw)}}
        for name in draw.rng.sample(names, draw.rng.randint(1, len(names)))]}


CHANGES = [change_units, change_units, change_billing, change_billing,
           change_stream, change_protection, add_index, add_index, drop_index,
           change_index]


def delete_table(draw):
    return {"TableName": some_table(draw)}


def describe_table(draw):
    return {"TableName": some_table(draw)}


def update_ttl(draw):
    return {"TableName": some_table(draw), "TimeToLiveSpecification": {
        "Enabled": draw.flip(0.6),
        "AttributeName": draw.rng.choice(TTL) if not draw.fault()
        else draw.rng.choice(["", "t" * 256, None])}}


def resource(draw):
    """A table's ARN, or what is none."""
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/"
    if draw.fault():
        return draw.rng.choice(
            ["", "x", "arn:aws:s3:::x", arn + "Missing",
             arn + "Spare1/index/one", arn + "Spare1/backup/x",
             arn.replace("us-east-1", "eu-west-1") + "Spare1",
             arn.replace("000000000000", "111111111111") + "Spare1"])
    return arn + some_table(draw)


def tag(draw):
    rng = draw.rng
    key = rng.choice(BAD_TAGS) if draw.fault() else rng.choice(TAGS)
    value = rng.choice(BAD_VALUES) if draw.fault() \
        else rng.choice(["", "1", "two words", "Ж/+-=._:@", "v" * 256])
    return {name: text for name, text in (("Key", key), ("Value", value))
            if text is not None}


def tag_resource(draw):
    rng = draw.rng
    count = rng.randint(1, 3)
    if draw.fault():
        count = rng.choice([0, 1])
    tags = [tag(draw) for _ in range(count)]
    if draw.flip(0.15):         # towards 50 tags, and beyond
        first = rng.randint(0, 40)
        tags = [{"Key": f"k{n}", "Value": rng.choice(["", "v" * 200])}
                for n in range(first, first + rng.randint(1, 40))]
    return {"ResourceArn": resource(draw), "Tags": tags}


def untag_resource(draw):
    rng = draw.rng
    keys = [rng.choice(TAGS) for _ in range(rng.randint(1, 3))]
    if draw.fault():
        keys = rng.choice([[], ["aws:x"], ["Aws:x", "env"],
                           [f"k{n}" for n in range(51)]])
    elif draw.flip(0.15):
        keys = [f"k{n}" for n in range(rng.randint(0, 40), 45)]
    return {"ResourceArn": resource(draw), "TagKeys": keys}


def list_tags(draw):
    return {"ResourceArn": resource(draw)}


MAKERS = {
    "CreateTable": (12, create_table),
    "UpdateTable": (40, update_table),
    "DescribeTable": (4, describe_table),
    "DeleteTable": (4, delete_table),
    "ListTables": (2, lambda draw: copy.deepcopy(control.list_tables(draw))),
    "UpdateTimeToLive": (12, update_ttl),
    "DescribeTimeToLive": (3, describe_table),
    "TagResource": (12, tag_resource),
    "UntagResource": (6, untag_resource),
    "ListTagsOfResource": (5, list_tags),
}

"""Requests of the control plane: tables made, described, listed, dropped."""

import copy

from tables import TABLES

SPARE = ["Spare1", "Spare2"]        # tables that come and go


def create_table(draw):
    rng = draw.rng
    request = copy.deepcopy(rng.choice(list(TABLES.values())).definition())
    if not draw.fault():
        request["TableName"] = rng.choice(SPARE)
    if draw.flip(0.2):
        request["BillingMode"] = "PROVISIONED"
        request["ProvisionedThroughput"] = {"ReadCapacityUnits": 5,
                                            "WriteCapacityUnits": 5}
        for index in request.get("GlobalSecondaryIndexes", ()):
            index["ProvisionedThroughput"] = {"ReadCapacityUnits": 1,
                                              "WriteCapacityUnits": 1}
    if draw.fault() or draw.flip(0.3):
        _spoil(rng, request)
    return request


def _spoil(rng, request):
    """One of the mistakes CreateTable finds."""
    schema = request["KeySchema"]
    definitions = request["AttributeDefinitions"]
    indexes = request.get("GlobalSecondaryIndexes") \
        or request.get("LocalSecondaryIndexes")
    choices = [
        schema.clear, definitions.clear, lambda: schema.append(schema[0]),
        lambda: definitions.append({"AttributeName": "extra",
                                    "AttributeType": "S"}),
        lambda: definitions.append(definitions[0]),
        lambda: definitions[0].update(AttributeType="X"),
        lambda: definitions[0].update(AttributeName="other"),
        lambda: schema[0].update(KeyType="RANGE"),
        lambda: schema[-1].update(KeyType="X"),
        lambda: request.update(BillingMode="FREE"),
        lambda: request.update(BillingMode="PROVISIONED"),
        lambda: request.update(TableName=rng.choice(
            ["", "ab", "a b", "x" * 256, None])),
        lambda: request.pop("KeySchema"),
        lambda: request.update(GlobalSecondaryIndexes=[]),
        lambda: request.update(LocalSecondaryIndexes=[]),
        lambda: request.update(ProvisionedThroughput={
            "ReadCapacityUnits": 0, "WriteCapacityUnits": 1})]
    if indexes:
        choices += [
            lambda: indexes.append(indexes[0]),
            lambda: indexes[0].update(IndexName=rng.choice(["", "a b", "x"])),
            lambda: indexes[0].pop("Projection"),
            lambda: indexes[0].update(Projection={}),
            lambda: indexes[0].update(Projection={"ProjectionType": "SOME"}),
            lambda: indexes[0].update(Projection={
                "ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}),
            lambda: indexes[0].update(Projection={
                "ProjectionType": "INCLUDE"}),
            lambda: indexes[0]["KeySchema"].clear(),
            lambda: indexes[0]["KeySchema"][0].update(AttributeName="nope")]
    rng.choice(choices)()


def _any_name(draw):
    if draw.fault():
        return draw.rng.choice(["", "ab", "a b", None, "Missing"])
    return draw.rng.choice(SPARE + list(TABLES))


def describe_table(draw):
    return {"TableName": _any_name(draw)}


def delete_table(draw):
    return {"TableName": draw.rng.choice(SPARE + ["Missing"])
            if not draw.fault() else draw.rng.choice(["", "a b", None])}


def list_tables(draw):
    rng = draw.rng
    request = {}
    if draw.flip(0.5):
        request["Limit"] = rng.choice([1, 2, 3, 100]) if not draw.fault() \
            else rng.choice([0, 101, -1])
    if draw.flip(0.3):
        request["ExclusiveStartTableName"] = rng.choice(
            ["HashS", "M", "A", "Zzz"]) if not draw.fault() else "a b"
    return request

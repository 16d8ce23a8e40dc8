"""What the scenarios share: the clients, tables, and TAP."""
import time

import boto3
import botocore.exceptions

client = boto3.client("dynamodb")
resource = boto3.resource("dynamodb")
tables = []


def checker(scenario):
    """A function that compares what a scenario got with what it should have got."""
    def check(name, got, expected):
        good = got == expected
        print(f"{'ok' if good else 'not ok'} - boto3 {scenario}: {name}", flush=True)
        if not good:
            print(f"# got      {got!r}\n# expected {expected!r}", flush=True)
    return check


def refusal(call, **arguments):
    """The error of a call that must fail: code, text, and the whole body."""
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"], error.response
    return None, None, {}


def keys(answer, name="SK"):
    """One attribute of each item of an answer."""
    return [item[name] for item in answer["Items"]]


def schema(*names):
    """A key: its partition attributes, one or a tuple of them, then those it sorts by."""
    first = names[0] if isinstance(names[0], tuple) else names[:1]
    return [{"AttributeName": n, "KeyType": "HASH"} for n in first] + [
        {"AttributeName": n, "KeyType": "RANGE"} for n in names[1:]]


def index(name, key, projection="ALL", include=None):
    """An index's definition, by its key's attributes."""
    projection = {"ProjectionType": projection}
    if include:
        projection["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": schema(*key), "Projection": projection}


def attributes(schemas, types):
    """The definitions of all attributes in some key schemas: strings, if not said otherwise."""
    names = sorted({key["AttributeName"] for one in schemas for key in one})
    return [{"AttributeName": n, "AttributeType": types.get(n, "S")} for n in names]


def create(name, key=("PK", "SK"), indexes=(), local=(), types={}, **more):
    """A table on demand, active."""
    name += "Boto"
    if indexes:
        more["GlobalSecondaryIndexes"] = list(indexes)
    if local:
        more["LocalSecondaryIndexes"] = list(local)
    schemas = [schema(*key)] + [i["KeySchema"] for i in (*indexes, *local)]
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=schemas[0],
                        AttributeDefinitions=attributes(schemas, types), **more)
    tables.append(name)
    client.get_waiter("table_exists").wait(TableName=name)
    return resource.Table(name)


def until(done, seconds=300):
    """Ask again and again, for that long; returns whether it came true."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def expire(table):
    """Let a table's items expire by their ttl; returns what the service says then."""
    request = {"Enabled": True, "AttributeName": "ttl"}
    answer = client.update_time_to_live(TableName=table.name, TimeToLiveSpecification=request)
    assert answer["TimeToLiveSpecification"] == request, answer
    return client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]


def drop_tables():
    """Drop what was created, and wait until it is gone."""
    while tables:
        name = tables.pop()
        client.delete_table(TableName=name)
        client.get_waiter("table_not_exists").wait(TableName=name)

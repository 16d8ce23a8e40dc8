"""Readings of devices: a partition is an hour of one, a day is 24 queries."""
import datetime
import heapq
import time
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Key

from harness import checker, client, create, expire, keys, until

check = checker("D")
start = datetime.datetime(2024, 3, 15, 0, 0, 0, 125000)


def reading(device, n):
    """The reading number n: one every 29 minutes and a quarter of a second."""
    time = start + n * datetime.timedelta(minutes=29, milliseconds=250)
    return {"PK": f"DEVICE#{device}#{time:%Y-%m-%d-%H}", "SK": time.isoformat(timespec="milliseconds") + "Z", "n": n}


def records(arn):
    """All records of a stream."""
    streams = boto3.client("dynamodbstreams")
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        yield from streams.get_records(ShardIterator=iterator)["Records"]


def expiry(table):
    """Readings expire: gone without being read back, and the stream says who did it."""
    now = int(time.time())
    hour = "DEVICE#123#now"
    arn = client.update_table(TableName=table.name, StreamSpecification={
        "StreamEnabled": True, "StreamViewType": "OLD_IMAGE"})["TableDescription"]["LatestStreamArn"]
    for name, ttl in {"over": now - 60, "half a second": now - Decimal("59.5"), "long over": now - 86400,
                      "to come": now + 86400, "text": str(now - 60), "milliseconds": (now - 60) * 1000, "1970": 60}.items():
        table.put_item(Item={"PK": hour, "SK": name, "ttl": ttl})
    table.put_item(Item={"PK": hour, "SK": "none"})
    table.delete_item(Key={"PK": hour, "SK": "none"})
    check("readings expire", expire(table), {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"})
    left = lambda: keys(table.query(KeyConditionExpression=Key("PK").eq(hour)))
    check("they are gone when their time is over", (until(lambda: len(left()) <= 4), left()),
          (True, ["1970", "milliseconds", "text", "to come"]))
    check("the stream has said so, of each", sorted(
        (r["dynamodb"]["OldImage"]["SK"]["S"], r.get("userIdentity", {}).get("PrincipalId"), r.get("userIdentity", {}).get("Type"))
        for r in records(arn) if r["eventName"] == "REMOVE"),
        sorted([(name, "dynamodb.amazonaws.com", "Service") for name in ("over", "half a second", "long over")] + [("none", None, None)]))
    client.update_time_to_live(TableName=table.name, TimeToLiveSpecification={"Enabled": False, "AttributeName": "ttl"})
    check("they do no more", client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"], {"TimeToLiveStatus": "DISABLED"})


def run():
    table = create("Iot")
    with table.batch_writer() as batch:
        for device in "123", "12":
            for n in range(60):
                batch.put_item(Item=reading(device, n))
    hour = Key("PK").eq("DEVICE#123#2024-03-15-14")
    check("an hour, in order of time", keys(table.query(KeyConditionExpression=hour)),
          ["2024-03-15T14:01:07.375Z", "2024-03-15T14:30:07.625Z", "2024-03-15T14:59:07.875Z"])
    check("milliseconds count, both bounds belong to it", keys(table.query(
        KeyConditionExpression=hour & Key("SK").between("2024-03-15T14:01:07.376Z", "2024-03-15T14:30:07.625Z"))),
        ["2024-03-15T14:30:07.625Z"])
    check("the latest reading", keys(table.query(KeyConditionExpression=hour, ScanIndexForward=False, Limit=1)),
          ["2024-03-15T14:59:07.875Z"])

    day = [table.query(KeyConditionExpression=Key("PK").eq(f"DEVICE#123#2024-03-15-{h:02}"))["Items"] for h in range(24)]
    merged = list(heapq.merge(*day, key=lambda item: item["SK"]))
    check("a day is 24 queries merged", [item["n"] for item in merged], list(range(50)))
    check("every hour has some", all(day), True)
    check("a reading that comes twice is stored once", (
        table.put_item(Item=reading("123", 7), ReturnValues="ALL_OLD")["Attributes"], table.scan(Select="COUNT")["Count"]),
        (reading("123", 7), 120))
    expiry(table)

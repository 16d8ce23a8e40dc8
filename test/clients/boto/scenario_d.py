"""Readings of devices: a partition is an hour of one, a day is 24 queries."""
import datetime
import heapq

from boto3.dynamodb.conditions import Key

from harness import checker, create, keys

check = checker("D")
start = datetime.datetime(2024, 3, 15, 0, 0, 0, 125000)


def reading(device, n):
    """The reading number n: one every 29 minutes and a quarter of a second."""
    time = start + n * datetime.timedelta(minutes=29, milliseconds=250)
    return {"PK": f"DEVICE#{device}#{time:%Y-%m-%d-%H}", "SK": time.isoformat(timespec="milliseconds") + "Z", "n": n}


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

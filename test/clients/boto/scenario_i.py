"""Change capture: consumers read a stream while writers write; each change once, per item in order."""
import datetime
import random
import threading
import time
import uuid

import boto3
from boto3.dynamodb.types import TypeDeserializer

from harness import checker, client, create, refusal

check = checker("I")
streams = boto3.client("dynamodbstreams")
plain = TypeDeserializer().deserialize
ITEMS, WRITERS, CHANGES = 12, 6, 60


def shards(arn, page=100):
    """All shards of a stream, by pages."""
    found, more = [], {}
    while True:
        answer = streams.describe_stream(StreamArn=arn, Limit=page, **more)["StreamDescription"]
        found += answer["Shards"]
        if "LastEvaluatedShardId" not in answer:
            return found
        more = {"ExclusiveStartShardId": answer["LastEvaluatedShardId"]}


def records(arn, shard, page, **start):
    """The records of a shard, until it ends."""
    start = start or {"ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **start)["ShardIterator"]
    while iterator:
        answer = streams.get_records(ShardIterator=iterator, Limit=page)
        yield from answer["Records"]
        iterator = answer.get("NextShardIterator")
        if not answer["Records"]:
            time.sleep(0.01)


class Consumer(threading.Thread):
    """Reads one shard to its end, as a worker of the KCL does."""

    def __init__(self, arn, shard, page):
        super().__init__()
        self.arn, self.shard, self.page, self.seen, self.ended = arn, shard, page, [], False
        self.start()

    def run(self):
        for record in records(self.arn, self.shard, self.page):
            self.seen.append(record)
        self.ended = True


class Writer(threading.Thread):
    """Makes changes, to items that others change too, and counts them."""

    def __init__(self, table, number):
        super().__init__()
        self.table, self.random, self.made = table, random.Random(number), 0
        self.client = boto3.session.Session().client("dynamodb")
        self.start()

    def run(self):
        for _ in range(CHANGES):
            key = {"PK": {"S": f"I#{self.random.randrange(ITEMS)}"}}
            self.made += getattr(self, self.random.choice(["put", "update", "delete", "nothing", "transact", "batch"]))(key)

    def mark(self):
        return {"S": str(uuid.uuid4())}

    def put(self, key):
        self.client.put_item(TableName=self.table, Item={**key, "mark": self.mark()})
        return 1

    def update(self, key):
        self.client.update_item(TableName=self.table, Key=key, UpdateExpression="SET mark = :m ADD changes :one",
                                ExpressionAttributeValues={":m": self.mark(), ":one": {"N": "1"}})
        return 1

    def delete(self, key):
        return int("Attributes" in self.client.delete_item(TableName=self.table, Key=key, ReturnValues="ALL_OLD"))

    def nothing(self, key):
        self.client.update_item(TableName=self.table, Key={"PK": {"S": "missing"}}, UpdateExpression="REMOVE mark")
        self.client.put_item(TableName=self.table, Item={"PK": {"S": "still"}, "map": {"M": {"b": {"N": "2.0"}, "a": {"SS": ["y", "x"]}}}})
        return 0

    def transact(self, key):
        other = {"PK": {"S": key["PK"]["S"] + "#other"}}
        change = lambda key: {"Update": {
            "TableName": self.table, "Key": key, "UpdateExpression": "SET mark = :m", "ExpressionAttributeValues": {":m": self.mark()}}}
        try:
            self.client.transact_write_items(TransactItems=[change(key), change(other)])
        except self.client.exceptions.TransactionCanceledException:
            return 0
        return 2

    def batch(self, key):
        unique = {"PK": {"S": f"I#{uuid.uuid4()}"}}
        rest = self.client.batch_write_item(RequestItems={self.table: [{"PutRequest": {"Item": unique}}]})["UnprocessedItems"]
        return int(not rest)


def follow(seen):
    """Replay records: what is wrong with them, and the items that they leave."""
    items, wrong = {}, []
    for record in seen:
        change = record["dynamodb"]
        key = change["Keys"]["PK"]["S"]
        event = ("INSERT" if "OldImage" not in change else "MODIFY" if "NewImage" in change else "REMOVE")
        if record["eventName"] != event or change.get("OldImage") != items.get(key):
            wrong.append(record)
        if "NewImage" in change:
            items[key] = change["NewImage"]
        else:
            items.pop(key, None)
    return items, wrong


def listed(**table):
    """All streams, or those of a table and of others that had its name before."""
    return {stream["StreamArn"] for stream in streams.list_streams(**table)["Streams"]}


def run():
    before = listed()
    table = create("Changes", key=("PK",), StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    name, arn = table.name, table.latest_stream_arn
    check("a stream is listed", listed(TableName=name) - before, {arn})
    check("enabled", streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"], "ENABLED")
    table.put_item(Item={"PK": "still", "map": {"a": {"x", "y"}, "b": 2}})
    table.put_item(Item={"PK": "binary", "b": b"\x00\xff"})

    ids = [shard["ShardId"] for shard in shards(arn)]
    consumers = [[Consumer(arn, shard, page) for shard in ids] for page in (1000, 3)]
    writers = [Writer(name, n) for n in range(WRITERS)]
    for writer in writers:
        writer.join()
    client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
    for consumer in sum(consumers, []):
        consumer.join(60)
    check("every shard came to an end", [c.ended for c in sum(consumers, [])], [True] * 2 * len(ids))

    fast, slow = ([c.seen for c in group] for group in consumers)
    check("two readers see the same", fast == slow, True)
    numbers = [[int(r["dynamodb"]["SequenceNumber"]) for r in seen] for seen in fast]
    check("numbers increase in a shard", [n == sorted(set(n)) for n in numbers], [True] * len(ids))
    all_of_them = sum(fast, [])
    check("each change once", len(all_of_them), 2 + sum(w.made for w in writers))
    check("each record has an ID of its own", len({r["eventID"] for r in all_of_them}), len(all_of_them))
    items, wrong = {}, []
    for seen in fast:
        left, bad = follow(seen)
        wrong += bad
        check("an item is in one shard", [k for k in left if k in items], [])
        items |= left
    check("old images are the new ones before", wrong[:1], [])
    stored = {i["PK"]["S"]: i for page in client.get_paginator("scan").paginate(TableName=name) for i in page["Items"]}
    check("the last images are the items", {k: v for k, v in items.items() if stored.pop(k, None) != v} | stored, {})
    binary = [r["dynamodb"] for r in all_of_them if r["dynamodb"]["Keys"]["PK"]["S"] == "binary"]
    check("binary comes back", [plain(r["NewImage"]["b"]).value for r in binary], [b"\x00\xff"])
    check("nobody but users has deleted", [r for r in all_of_them if "userIdentity" in r][:1], [])

    closed = shards(arn, page=1)
    check("shards by pages, all closed", [s["ShardId"] for s in closed if "EndingSequenceNumber" in s["SequenceNumberRange"]], ids)
    busy = max(range(len(ids)), key=lambda n: len(fast[n]))
    middle = fast[busy][len(fast[busy]) // 2]["dynamodb"]["SequenceNumber"]
    again = list(records(arn, ids[busy], 1000, ShardIteratorType="AFTER_SEQUENCE_NUMBER", SequenceNumber=middle))
    check("from a checkpoint on", again == fast[busy][len(fast[busy]) // 2 + 1:], True)
    of_time = fast[busy][0]["dynamodb"]["ApproximateCreationDateTime"]
    again = list(records(arn, ids[busy], 1000, ShardIteratorType="AT_TIMESTAMP", Timestamp=of_time))
    check("from a time on", again == fast[busy], True)
    refused = refusal(streams.get_shard_iterator, StreamArn=arn, ShardId=ids[0], ShardIteratorType="AT_TIMESTAMP",
                      Timestamp=of_time + datetime.timedelta(days=1))
    check("a time to come", refused[0], "ValidationException")

    client.update_table(TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    table.reload()
    latest = table.latest_stream_arn
    check("enabled again, another stream", listed(TableName=name) - before, {arn, latest})
    table.put_item(Item={"PK": "keys only", "more": 1})
    seen = [r["dynamodb"] for s in shards(latest) for r in streams.get_records(ShardIterator=streams.get_shard_iterator(
        StreamArn=latest, ShardId=s["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"])["Records"]]
    check("without images", [sorted(r) for r in seen], [["ApproximateCreationDateTime", "Keys", "SequenceNumber", "SizeBytes", "StreamViewType"]])
    check("no such stream", refusal(streams.describe_stream, StreamArn=arn.replace("Changes", "Nothing"))[0], "ResourceNotFoundException")
    check("no iterator", refusal(streams.get_records, ShardIterator="x")[:2], ("ValidationException", "Invalid ShardIterator"))
    refused = refusal(streams.get_shard_iterator, StreamArn=arn, ShardId=ids[0], ShardIteratorType="AT_SEQUENCE_NUMBER",
                      SequenceNumber="0" * 21)
    check("trimmed", refused[0], "TrimmedDataAccessException")

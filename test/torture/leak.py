#!/usr/bin/env python3
"""Send the HTTP workers requests of every operation, right and wrong, by the
million, and see that their memory stays what it is.

    test/torture/leak.py [--requests N] [--seed S] [--built]

Requests are prepared in packs, shuffled and sent without waiting for each
answer, on connections that are kept or broken off: operations that succeed,
wrong signatures, requests that do not parse or validate, failed conditions,
conflicts with a session that holds a lock, timeouts of a millisecond, bodies
compressed and not.  Twenty times the workers tell the size of their memory
contexts, and what is theirs of the process is read.  After a warm-up of a
quarter neither may grow.  Tables are made and dropped a few hundred times
only: each leaves a kilobyte in the caches of PostgreSQL, whoever makes it.
Exit status: 0 if memory stays.
"""

import argparse
import collections
import gzip
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from client import HOST, Http, Sql, Trouble, typed, typed_item  # noqa: E402
from cluster import TOP, Cluster                        # noqa: E402
from run import FLAGS                                   # noqa: E402

CLIENTS = 3
PACK = 16               # requests sent in one piece
POOL = 3000             # requests prepared at a time
SAMPLES = 20
KILOBYTE = 1024
CONTEXT_GROWTH = 512 * KILOBYTE     # of the contexts, used
PROCESS_GROWTH = 4096 * KILOBYTE    # of the process

COMMANDS = os.path.join(TOP, "src", "api", "operation_table.c")
ALL = re.findall(r'^\t\{"(\w+)", (?:DYNAMODB|STREAMS)',
                 open(COMMANDS).read(), re.M)
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab"
NOT_FOR_ALL = ("CreateTable", "DeleteTable", "UpdateTable",
               "UpdateTimeToLive")      # in turn, by one client


def key(rng):
    return {"pk": f"k{rng.randrange(50)}", "sk": rng.randrange(20)}


def item(rng):
    more = {"g1": f"g{rng.randrange(9)}", "n": rng.randrange(99),
            "text": "x" * rng.choice((10, 10, 10, 300, 5000))}
    return typed_item(dict(key(rng), **more))


def update(rng):
    return {"TableName": "Tab", "Key": typed_item(key(rng)),
            "UpdateExpression": "SET #t = :t, l = list_append("
            "if_not_exists(e, :l), :l) ADD n :one REMOVE zz",
            "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {
                ":t": typed("t"), ":l": {"L": [typed(1), typed("a")]},
                ":one": typed(1)},
            "ReturnValues": rng.choice(("NONE", "ALL_NEW", "UPDATED_OLD")),
            "ReturnConsumedCapacity": "INDEXES"}


def transaction(rng):
    keys = {(k["pk"], k["sk"]): k for k in (key(rng) for _ in range(5))}
    actions = []
    for one in keys.values():
        kind = rng.randrange(4)
        place = {"TableName": "Tab", "Key": typed_item(one)}
        if kind == 0:
            actions.append({"Put": {"TableName": "Tab", "Item":
                                    typed_item(dict(one, g1="t"))}})
        elif kind == 1:
            actions.append({"Delete": place})
        elif kind == 2:
            actions.append({"Update": dict(
                place, UpdateExpression="SET a = :a",
                ExpressionAttributeValues={":a": typed(1)})})
        else:
            actions.append({"ConditionCheck": dict(
                place, ConditionExpression="attribute_not_exists(never)")})
    request = {"TransactItems": actions}
    if rng.random() < 0.3:
        request["ClientRequestToken"] = f"t{rng.randrange(1 << 30)}"
    return request


# operation -> its request; those of ALL that are not here get one that does
# not suit them
RIGHT = {
    "PutItem": lambda r: {"TableName": "Tab", "Item": item(r)},
    "GetItem": lambda r: {"TableName": "Tab", "Key": typed_item(key(r)),
                          "ProjectionExpression": "pk, n, l[0]"},
    "UpdateItem": update,
    "DeleteItem": lambda r: {"TableName": "Tab", "Key": typed_item(key(r)),
                             "ReturnValues": "ALL_OLD"},
    "Query": lambda r: {
        "TableName": "Tab", "KeyConditionExpression": "pk = :p AND sk > :s",
        "FilterExpression": "contains(#t, :x) OR n < :s",
        "ExpressionAttributeNames": {"#t": "text"}, "Limit": 5,
        "ExpressionAttributeValues": {":p": typed("k1"), ":s": typed(3),
                                      ":x": typed("x")}},
    "Scan": lambda r: {"TableName": "Tab", "Limit": 20, "IndexName": "ByG"},
    "BatchGetItem": lambda r: {"RequestItems": {"Tab": {"Keys": [
        typed_item({"pk": f"k{n}", "sk": n}) for n in range(10)]}}},
    "BatchWriteItem": lambda r: {"RequestItems": {"Tab": [
        {"PutRequest": {"Item": typed_item({"pk": f"k{n}", "sk": 1})}}
        for n in range(10)]}},
    "TransactWriteItems": transaction,
    "TransactGetItems": lambda r: {"TransactItems": [
        {"Get": {"TableName": "Tab", "Key": typed_item(
            {"pk": f"k{n}", "sk": 1})}} for n in range(5)]},
    "DescribeTable": lambda r: {"TableName": "Tab"},
    "DescribeTimeToLive": lambda r: {"TableName": "Tab"},
    "DescribeContinuousBackups": lambda r: {"TableName": "Tab"},
    "ListTables": lambda r: {"Limit": 3},
    "ListTagsOfResource": lambda r: {"ResourceArn": ARN},
    "TagResource": lambda r: {"ResourceArn": ARN, "Tags": [
        {"Key": f"k{r.randrange(5)}", "Value": "v"}]},
    "UntagResource": lambda r: {"ResourceArn": ARN,
                                "TagKeys": [f"k{r.randrange(5)}"]},
    "ListStreams": lambda r: {"TableName": "Tab"},
}
WEIGHTS = {"PutItem": 12, "GetItem": 20, "UpdateItem": 12, "DeleteItem": 6,
           "Query": 8, "Scan": 3, "BatchGetItem": 3, "BatchWriteItem": 3,
           "TransactWriteItems": 6, "TransactGetItems": 4,
           "TagResource": 0.2, "UntagResource": 0.2}

# requests that fail, each in its way
WRONG = [
    ("PutItem", lambda r: {"TableName": "Tab", "Item": {"pk": typed("a")}}),
    ("PutItem", lambda r: {"TableName": "None", "Item": item(r)}),
    ("PutItem", lambda r: {
        "TableName": "Tab", "Item": item(r),
        "ConditionExpression": "attribute_exists(never)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}),
    ("PutItem", lambda r: {"TableName": "Tab", "Item": typed_item(dict(
        key(r), text="x" * 420000))}),
    ("UpdateItem", lambda r: {
        "TableName": "Tab", "Key": typed_item(key(r)),
        "UpdateExpression": "SET a = b + :c, SET d[",
        "ExpressionAttributeValues": {":c": typed(1)}}),
    ("UpdateItem", lambda r: {
        "TableName": "Tab", "Key": typed_item(key(r)),
        "UpdateExpression": "ADD g1 :c",
        "ExpressionAttributeValues": {":c": typed(1)}}),
    ("Query", lambda r: {"TableName": "Tab",
                         "KeyConditionExpression": "zz = :p",
                         "ExpressionAttributeValues": {":p": typed("a")}}),
    ("TransactWriteItems", lambda r: {"TransactItems": [
        {"Put": {"TableName": "Tab", "Item": item(r),
                 "ConditionExpression": "attribute_exists(never)"}}] + [
        {"Delete": {"TableName": "Tab",
                    "Key": typed_item({"pk": "z", "sk": n})}}
        for n in range(3)]}),
    ("GetItem", lambda r: [1, {"a": None}]),
    ("NoSuchOperation", lambda r: {}),
    ("CreateTable", lambda r: {"TableName": "Tab"}),
    ("GetRecords", lambda r: {"ShardIterator": "x" * 50}),
]


def sizes(cluster, session, workers):
    """{pid: (bytes its contexts use, bytes the process has)}"""
    found = {}
    for pid in workers:
        cluster.news()
        session.must(f"SELECT pg_log_backend_memory_contexts({pid})")
        end = time.monotonic() + 60
        text = ""
        while "Grand total" not in text:
            text += cluster.news()
            time.sleep(0.05)
            if time.monotonic() > end:
                raise Trouble(f"worker {pid} does not tell its contexts")
        used = re.search(r"Grand total: .* (\d+) used", text).group(1)
        with open(f"/proc/{pid}/status") as file:
            own = re.search(r"RssAnon:\s+(\d+)", file.read()).group(1)
        found[pid] = (int(used), int(own) * KILOBYTE, contexts(text))
    return found


def contexts(text):
    """{name: bytes used}, for whoever looks for a leak."""
    used = collections.Counter()
    for name, size in re.findall(
            r"level: \d+; (.*?): \d+ total .* (\d+) used", text):
        used[name] += int(size)
    return used


class Sender:
    """One client: makes requests, sends them, reads answers."""

    def __init__(self, number, access, seed):
        self.rng = random.Random(f"{seed}/{number}")
        self.http = Http(access[0], *access[1])
        self.liar = Http(access[0], access[1][0], "not the secret")
        self.stranger = Http(access[0], "AKIANOBODY", "x")
        names = [name for name in ALL if name not in NOT_FOR_ALL]
        self.names = names
        self.weights = [WEIGHTS.get(name, 0.5) for name in names]
        self.last = None                # an iterator of the stream

    def one(self):
        rng = self.rng
        fate = rng.random()
        if fate < 0.12:
            name, make = rng.choice(WRONG)
            return self.http.request(name, make(rng))
        name = rng.choices(self.names, self.weights)[0]
        make = RIGHT.get(name, lambda r: {"TableName": "Tab"})
        if fate < 0.15:
            return self.liar.request(name, make(rng))
        if fate < 0.17:
            return self.stranger.request(name, make(rng))
        if fate < 0.18:
            return self.http.request(name, make(rng)).replace(
                b"authorization: AWS4", b"authorization: AWS5")
        if fate < 0.20:
            return self.damaged(self.http.request(name, make(rng)))
        if fate < 0.25:
            return self.compressed(name, make(rng))
        return self.http.request(name, make(rng))

    @staticmethod
    def damaged(request):
        """Of the same length, and not what was signed, nor JSON."""
        head, _, body = request.partition(b"\r\n\r\n")
        return head + b"\r\n\r\n" + b"{" + b"[" * (len(body) - 1)

    def compressed(self, name, request):
        plain = self.http.request(name, request)
        head, _, body = plain.partition(b"\r\n\r\n")
        packed = gzip.compress(json.dumps(request).encode(), 1)
        head = re.sub(rb"content-length: \d+", b"content-length: %d"
                      % len(packed), head)
        return (head + b"\r\ncontent-encoding: gzip\r\n"
                b"accept-encoding: gzip\r\n\r\n" + packed)

    def send(self, count):
        """That many; returns {status: answers}."""
        told = {}
        pool = [self.one() for _ in range(POOL)]
        made = time.monotonic()
        while count > 0:
            if time.monotonic() - made > 120:       # signatures age
                pool = [self.one() for _ in range(POOL)]
                made = time.monotonic()
            pack = self.rng.choices(pool, k=PACK)
            count -= PACK
            try:
                self.exchange(pack, told)
            except (OSError, EOFError):
                self.http.close()
                told["closed"] = told.get("closed", 0) + 1
            if self.rng.random() < 0.001:
                self.http.close()
        return told

    def exchange(self, pack, told):
        http = self.http
        if http.wire is None:
            http.connect()
        http.wire.sendall(b"".join(pack))
        for _ in pack:
            status, _ = http.receive()
            told[status] = told.get(status, 0) + 1
            if http.wire is None:
                return


def changes(http, count):
    """The operations that change tables, in turn."""
    schema = {"AttributeDefinitions": [
                  {"AttributeName": "pk", "AttributeType": "S"}],
              "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
    for _ in range(count):
        name = {"TableName": "Other"}
        http.call("CreateTable", dict(
            name, **schema, BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True,
                                 "StreamViewType": "NEW_IMAGE"}))
        http.call("PutItem", dict(name, Item=typed_item({"pk": "a"})))
        streams = http.call("ListStreams", name).body["Streams"]
        arn = {"StreamArn": streams[-1]["StreamArn"]}
        shards = http.call("DescribeStream", arn).body["StreamDescription"]
        iterator = http.call("GetShardIterator", dict(
            arn, ShardId=shards["Shards"][0]["ShardId"],
            ShardIteratorType="TRIM_HORIZON")).body
        http.call("GetRecords", iterator)
        http.call("UpdateTable", dict(name, StreamSpecification={
            "StreamEnabled": False}))
        for on in (True, False):
            http.call("UpdateTimeToLive", dict(
                name, TimeToLiveSpecification={"AttributeName": "e",
                                               "Enabled": on}))
        http.call("DeleteTable", name)


class Leak:
    def __init__(self, options):
        self.options = options
        self.cluster = Cluster("leak", False)
        self.status = {}
        self.samples = []

    def prepare(self):
        key_ = self.cluster.create()
        self.access = (self.cluster.port, key_)
        self.session = Sql(self.cluster.settings)
        self.session.must("""
            SELECT dynamo.create_table('Tab', 'pk', 'sk',
                                       sort_key_type => 'N'),
                   dynamo.create_index('Tab', 'ByG', 'g1', 'n',
                                       sort_key_type => 'N')""")
        while len(self.cluster.http_workers()) < 3:
            time.sleep(0.1)
        time.sleep(1)
        self.workers = self.cluster.http_workers()

    def portion(self, number, count):
        """A twentieth of all, one in five of them under hard terms."""
        hard = number % 5 == 4
        if hard:
            self.cluster.set(dynamo__http_request_timeout=1)
            self.session.must("BEGIN")
            self.session.must("""SELECT FROM dynamo_data."Tab"
                                 WHERE pk = 'k7' FOR UPDATE""")
            count //= 10
        processes = []
        pool = multiprocessing.get_context("fork")
        answers = pool.Queue()
        for client in range(CLIENTS):
            process = pool.Process(target=self.work, args=(
                answers, client, number, count // CLIENTS))
            process.start()
            processes.append(process)
        if not hard:
            changes(Http(*[self.access[0], *self.access[1]]), 20)
        for _ in processes:
            for status, times in answers.get().items():
                self.status[status] = self.status.get(status, 0) + times
        for process in processes:
            process.join()
        if hard:
            self.session.must("COMMIT")
            self.cluster.set()
        return count

    def work(self, answers, client, number, count):
        sender = Sender(client, self.access, f"{self.options.seed}/{number}")
        answers.put(sender.send(count))
        answers.close()
        answers.join_thread()
        os._exit(0)

    def run(self):
        self.prepare()
        sent = number = 0
        each = self.options.requests // SAMPLES
        while sent < self.options.requests:
            sent += self.portion(number, each)
            number += 1
            found = sizes(self.cluster, self.session, self.workers)
            self.samples.append(found)
            print(f"{sent:9} requests:" + "".join(
                f"  {used // KILOBYTE} kB used, {own // KILOBYTE} kB"
                for used, own, _ in found.values()), flush=True)
        return self.judge()

    def judge(self):
        """Each worker's greatest in the last quarter against the greatest
        after the warm-up, before it."""
        bad = 0
        quarter = max(1, len(self.samples) // 4)
        early = self.samples[quarter:-quarter] or self.samples[:1]
        late = self.samples[-quarter:]
        for pid in self.workers:
            for place, limit, what in ((0, CONTEXT_GROWTH, "contexts"),
                                       (1, PROCESS_GROWTH, "process")):
                before = max(sample[pid][place] for sample in early)
                after = max(sample[pid][place] for sample in late)
                if after - before > limit:
                    bad += 1
                    print(f"worker {pid}: its {what} grew from {before} to"
                          f" {after}")
            grown = late[-1][pid][2] - early[0][pid][2]
            print(f"worker {pid}: grown most since the warm-up:",
                  grown.most_common(4))
        if self.cluster.http_workers() != self.workers:
            bad += 1
            print("a worker ended")
        for status, times in sorted(self.status.items(), key=str):
            print(f"{times:9} answers {status}")
        print("memory is flat" if not bad else "memory grows")
        return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=1000000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--built", action="store_true",
                        help="take the build that is installed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not options.built:
        subprocess.run([os.path.join(TOP, "test", "server"), "install",
                        FLAGS], check=True)
    leak = Leak(options)
    try:
        return leak.run()
    finally:
        leak.cluster.remove()


if __name__ == "__main__":
    sys.exit(main())

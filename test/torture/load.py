"""What clients do while the server suffers, and what they remember of it.

Each client has keys of its own and writes them in versions, so it knows for
each what may be there in the end: the last version acknowledged, or one whose
fate it could not learn.  Counters and accounts are everybody's; of these the
sums are known.  A version is never used twice.
"""

import collections
import random
import time

from client import Hangs, Http, Sql, typed, typed_item
from faults import CHECKPOINT, SHORT

COUNTERS = 6
ACCOUNTS = 8
OWN = 40                # keys of a client in a table
BASE = "as before"      # what was there when the round began
INDEXES = {"ByGroup": ("g1", None), "ByNumber": ("n2", None),
           "ByBoth": ("g1", "n2")}

# Errors that any client may meet when others are at work, or the server is
# going down or short of something.
COMMON = {"57014", "55P03", "40P01", "40001", "57P01", "57P02", "57P03",
          "lost", "TransactionConflictException",
          "ServiceUnavailable", "ServiceUnavailableException",
          "TransactionInProgressException", "RequestTimeout",
          "RequestTimeoutException"}


class Ledger:
    """What one client knows; goes to the checks when it has finished."""

    def __init__(self):
        self.tracks = {}        # what -> set of what may be there
        self.acknowledged = 0
        self.sent = collections.Counter()       # counter -> additions sent
        self.added = collections.Counter()      # ... and acknowledged
        self.returned = []      # (counter, value) that additions returned
        self.seen = {}          # (table, key) -> versions acknowledged
        self.tally = collections.Counter()      # (operation, code) -> times
        self.problems = []

    def settle(self, reply, writes):
        """The fate of some writes, {what: value}, of one request."""
        for what, value in writes.items():
            track = self.tracks.setdefault(what, {BASE})
            if reply.fate == "done":
                track.clear()
            if reply.fate != "refused":
                track.add(value)
        if reply.fate == "done":
            self.acknowledged += 1

    def known(self, what):
        """The value that must be there now; BASE when that is not known."""
        track = self.tracks.get(what, {BASE})
        return next(iter(track)) if len(track) == 1 else BASE


def contents(version, length=8):
    """The attributes of an item besides its key, all told by its version."""
    item = {"v": version, "filling": f"{version}." * length}
    if version % 5:
        item["g1"] = f"group-{version % 7}"
    if version % 3:
        item["n2"] = version % 11
    return item


class Client:
    """The common part of those who write."""

    def __init__(self, number, plan, stop, access):
        self.number = number
        self.plan = plan
        self.stop = stop
        self.rng = random.Random(f"{plan.seed}/{plan.number}/{number}")
        self.ledger = Ledger()
        self.http = Http(access.port, *access.key)
        self.sql = Sql(access.settings)
        self.by_http = number % 2 == 0
        self.last = (plan.number * 100 + number) * 100000

    def version(self):
        self.last += 1
        return self.last

    def run(self):
        end = time.monotonic() + self.plan.seconds + 60
        try:
            while not self.stop.is_set() and time.monotonic() < end:
                self.step()
        except Hangs as hang:
            self.ledger.problems.append(str(hang))
        self.http.close()
        self.sql.close()
        return self.ledger

    def call(self, operation, request, allowed=()):
        """By this client's door; what must not happen is noted."""
        door = self.http if self.by_http else self.sql
        if not self.by_http and self.plan.hasty and self.rng.random() < 0.3:
            door.ask(f"SET statement_timeout = {self.rng.choice([0, 1, 2])}")
        reply = door.call(operation, request)
        return self.judge(operation, reply, allowed)

    def judge(self, operation, reply, allowed=()):
        self.ledger.tally[operation, reply.code] += 1
        if reply.fate != "done" and reply.code not in COMMON and \
                reply.code not in allowed and \
                not self.plan.excuses(reply.code):
            self.ledger.problems.append(
                f"{operation}: {reply.code} {reply.body}"[:300])
        return reply


class Writer(Client):
    """Writes items, counters and accounts, singly and in transactions."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ways = [(way, weight) for way, weight in (
            (self.put, 14), (self.update, 10), (self.remove, 4),
            (self.put_if, 8), (self.batch, 3), (self.append, 6),
            (self.count, 12), (self.transfer, 12), (self.pair, 8),
            (self.session, 8), (self.read, 6), (self.query, 3),
            (self.large, 1), (self.scan, 1))]
        if self.plan.kind == "memory":
            self.ways += [(self.large, 12), (self.scan, 6), (self.anew, 6)]
        if not self.by_http:
            self.ways += [(self.plain, 8), (self.several, 8)]
        self.sessions = 0

    def step(self):
        ways, weights = zip(*self.ways)
        self.rng.choices(ways, weights)[0]()

    # -- items of its own --------------------------------------------------

    def key(self):
        number = self.rng.randrange(OWN)
        return {"pk": f"c{self.number}-{number % 8}", "sk": number}

    @staticmethod
    def what(table, key):
        return (table, key["pk"], key.get("sk"))

    def write(self, operation, request, table, key, value, **more):
        reply = self.call(operation, dict(request, TableName=table), **more)
        what = self.what(table, key)
        self.ledger.settle(reply, {what: value})
        if reply.fate == "done" and value is not None:
            self.ledger.seen.setdefault(what, []).append(value)
        return reply

    def put(self):
        key, version = self.key(), self.version()
        length = 400 if self.rng.random() < 0.03 else 8
        item = dict(key, **contents(version, length))
        self.write("PutItem", {"Item": typed_item(item)}, "Items", key,
                   version)

    def large(self):
        """What takes memory, and TOAST tables."""
        key, version = self.key(), self.version()
        item = dict(key, **contents(version, self.rng.randint(2000, 20000)))
        self.write("PutItem", {"Item": typed_item(item)}, "Items", key,
                   version)

    def update(self):
        key, version = self.key(), self.version()
        item = contents(version)
        values = {":" + name: typed(value) for name, value in item.items()}
        sets = ", ".join(f"{name} = :{name}" for name in item)
        gone = [name for name in ("g1", "n2") if name not in item]
        remove = " REMOVE " + ", ".join(gone) if gone else ""
        self.write("UpdateItem", {
            "Key": typed_item(key), "UpdateExpression": "SET " + sets + remove,
            "ExpressionAttributeValues": values}, "Items", key, version)

    def remove(self):
        key = self.key()
        self.write("DeleteItem", {"Key": typed_item(key)}, "Items", key, None)

    def put_if(self):
        """With a condition whose truth is known, as far as it is."""
        key, version = self.key(), self.version()
        known = self.ledger.known(self.what("Items", key))
        request = {"Item": typed_item(dict(key, **contents(version)))}
        if known is None:
            request["ConditionExpression"] = "attribute_not_exists(pk)"
            true = True
        elif known != BASE:
            true = self.rng.random() < 0.7
            request["ConditionExpression"] = "v = :v"
            request["ExpressionAttributeValues"] = {
                ":v": typed(known if true else known + 1)}
        else:
            return
        refusals = ("ConditionalCheckFailedException",)
        reply = self.write("PutItem", request, "Items", key, version,
                           allowed=() if true else refusals)
        if not true and reply.fate == "done":
            self.ledger.problems.append(f"a false condition held: {key}")

    def batch(self):
        writes = {}
        requests = []
        for _ in range(self.rng.randint(2, 12)):
            key, version = self.key(), self.version()
            if self.what("Items", key) in writes:
                continue
            writes[self.what("Items", key)] = version
            requests.append({"PutRequest": {"Item": typed_item(
                dict(key, **contents(version)))}})
        reply = self.call("BatchWriteItem",
                          {"RequestItems": {"Items": requests}})
        if reply.fate == "done":
            for left in reply.body["UnprocessedItems"].get("Items", []):
                item = left["PutRequest"]["Item"]
                del writes["Items", item["pk"]["S"], int(item["sk"]["N"])]
            for what, version in writes.items():
                self.ledger.seen.setdefault(what, []).append(version)
        self.ledger.settle(reply, writes)

    def append(self):
        version = self.version()
        key = {"pk": f"log-{self.number}", "sk": version}
        self.write("PutItem", {"Item": typed_item(dict(
            key, **contents(version)))}, "Items", key, version)

    def plain(self):
        """The relation behind the table, by an UPDATE of plain SQL."""
        key, version = self.key(), self.version()
        what = self.what("Items", key)
        known = self.ledger.known(what)
        if known in (BASE, None):
            return
        item = " || ".join(f"jsonb_build_object('{name}', {value!r})"
                           for name, value in contents(version).items())
        reply = self.judge("UPDATE", self.sql.ask(
            f"""UPDATE dynamo_data."Items"
                SET item = (item::jsonb - 'g1' - 'n2' || {item})::dynamo.item
                WHERE pk = '{key["pk"]}' AND sk = {key["sk"]}
                RETURNING true"""))
        if reply.fate == "done" and len(reply.body) != 1:
            self.ledger.problems.append(f"an item is gone: {key}")
        self.ledger.settle(reply, {what: version})
        if reply.fate == "done":
            self.ledger.seen.setdefault(what, []).append(version)

    def several(self):
        """Some functions in one transaction of SQL, rolled back at times."""
        writes = {}
        reply = self.sql.ask("BEGIN")
        for _ in range(self.rng.randint(2, 6)):
            if reply.fate != "done":
                break
            key, version = self.key(), self.version()
            item = dict(key, **contents(version))
            reply = self.judge("put_item", self.sql.ask(
                "SELECT dynamo.put_item('Items', $1::dynamo.item)",
                [str(item).replace("'", '"')]))
            writes[self.what("Items", key)] = version
        if reply.fate != "done" or self.rng.random() < 0.25:
            self.roll_back()
            return
        reply = self.judge("COMMIT", self.sql.ask("COMMIT"))
        self.ledger.settle(reply, writes)
        if reply.fate == "done":
            for what, version in writes.items():
                self.ledger.seen.setdefault(what, []).append(version)
        else:
            # Cancelled before it began, it leaves the transaction open.
            self.roll_back()

    def roll_back(self):
        """ROLLBACK can be cancelled before it begins, too."""
        for _ in range(100):
            if self.sql.ask("ROLLBACK").fate != "refused":
                return
        self.ledger.problems.append("ROLLBACK was refused 100 times")

    # -- items that expire -------------------------------------------------

    def session(self):
        """Some have expired when they are written, others live for long."""
        version = self.version()
        self.sessions += 1
        key = {"pk": f"s{self.number}-{self.rng.randrange(OWN)}"}
        expired = self.rng.random() < 0.4
        expires = int(time.time()) + (-60 if expired else 86400)
        item = dict(key, v=version, expires=expires)
        what = self.what("Sessions", key)
        reply = self.call("PutItem", {"TableName": "Sessions",
                                      "Item": typed_item(item)})
        self.ledger.settle(reply, {what: version})
        if expired and reply.fate != "refused":
            self.ledger.tracks[what].add(None)

    # -- what is everybody's -----------------------------------------------

    def count(self):
        name = f"counter-{self.rng.randrange(COUNTERS)}"
        self.ledger.sent[name] += 1
        reply = self.call("UpdateItem", {
            "TableName": "Accounts", "Key": typed_item({"pk": name}),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": typed(1)},
            "ReturnValues": "UPDATED_NEW"})
        if reply.fate == "refused":
            self.ledger.sent[name] -= 1
        elif reply.fate == "done":
            self.ledger.added[name] += 1
            value = int(reply.body["Attributes"]["n"]["N"])
            self.ledger.returned.append((name, value))

    def transfer(self):
        """From one account to another, and a line in the book; sometimes
        with a token, and again with it until its fate is known."""
        one, other = self.rng.sample(range(ACCOUNTS), 2)
        amount, version = self.rng.randint(1, 100), self.version()
        entry = {"pk": f"book-{self.number}", "sk": version, "from": one,
                 "to": other, "amount": amount}
        actions = [
            {"Put": {"TableName": "Book", "Item": typed_item(entry),
                     "ConditionExpression": "attribute_not_exists(pk)"}}]
        for account, sign in ((one, -1), (other, 1)):
            actions.append({"Update": {
                "TableName": "Accounts",
                "Key": typed_item({"pk": f"account-{account}"}),
                "UpdateExpression": "ADD balance :x",
                "ExpressionAttributeValues": {":x": typed(sign * amount)}}})
        if self.rng.random() < 0.3:
            actions.append({"ConditionCheck": {
                "TableName": "Accounts",
                "Key": typed_item({"pk": "account-none"}),
                "ConditionExpression": "attribute_not_exists(pk)"}})
        self.rng.shuffle(actions)
        request = {"TransactItems": actions}
        token = self.by_http and self.rng.random() < 0.5
        if token:
            request["ClientRequestToken"] = f"{self.plan.seed}-{version}"
        what = ("Book", entry["pk"], version)
        value = (one, other, amount)
        reply = self.transact(request)
        self.ledger.settle(reply, {what: value})
        while token and reply.fate == "unknown" and not self.stop.is_set():
            reply = self.transact(request)
            if reply.fate == "done":
                self.ledger.settle(reply, {what: value})
            time.sleep(0.02)

    def transact(self, request):
        reply = self.call("TransactWriteItems", request,
                          ("TransactionCanceledException",))
        if "ConditionalCheckFailed" in str(reply.body):
            self.ledger.problems.append(f"a true condition failed: {request}")
        return reply

    def pair(self):
        """Two items in two tables, always of one version, or both gone."""
        version = self.version()
        key = {"pk": f"pair{self.number}-{self.rng.randrange(10)}"}
        keys = {"Items": dict(key, sk=0), "Accounts": key}
        gone = self.rng.random() < 0.2
        actions = []
        for table, its_key in keys.items():
            if gone:
                actions.append({"Delete": {"TableName": table,
                                           "Key": typed_item(its_key)}})
            elif self.rng.random() < 0.5:
                actions.append({"Put": {"TableName": table, "Item":
                                typed_item(dict(its_key, v=version))}})
            else:
                actions.append({"Update": {
                    "TableName": table, "Key": typed_item(its_key),
                    "UpdateExpression": "SET v = :v",
                    "ExpressionAttributeValues": {":v": typed(version)}}})
        reply = self.transact({"TransactItems": actions})
        self.ledger.settle(reply, {("Pair", key["pk"], None):
                                   None if gone else version})

    # -- reading -----------------------------------------------------------

    def read(self):
        """An item of its own is one of those that may be there."""
        key = self.key()
        track = self.ledger.tracks.get(self.what("Items", key), {BASE})
        reply = self.call("GetItem", {
            "TableName": "Items", "Key": typed_item(key),
            "ConsistentRead": True})
        if reply.fate != "done" or BASE in track:
            return
        item = reply.body.get("Item")
        version = int(item["v"]["N"]) if item else None
        if version not in track:
            self.ledger.problems.append(
                f"read {version} at {key}, of {sorted(map(str, track))}")

    def query(self):
        key = self.key()
        reply = self.call("Query", {
            "TableName": "Items", "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": typed(key["pk"])}})
        if reply.fate == "done":
            numbers = [int(item["sk"]["N"]) for item in reply.body["Items"]]
            if numbers != sorted(set(numbers)):
                self.ledger.problems.append(f"out of order: {numbers}")


    def anew(self):
        """A new process, or at least another worker."""
        self.sql.connect()
        self.http.close()

    def scan(self):
        self.call("Scan", {"TableName": "Items"})


class Builder(Client):
    """Adds and drops indexes, tables, streams; vacuums and checkpoints."""

    BUSY = ("ResourceInUseException", "LimitExceededException",
            "ResourceNotFoundException", "ValidationException")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tables = []
        self.attempts = 0

    def step(self):
        self.by_http = self.rng.random() < 0.6
        ways = ((self.add_index, 5), (self.drop_index, 4),
                (self.new_table, 4), (self.drop_table, 3),
                (self.change_table, 3), (self.vacuum, 2),
                (self.checkpoint, 2))
        self.rng.choices([way for way, _ in ways],
                         [weight for _, weight in ways])[0]()
        time.sleep(self.rng.random() * 0.15)

    def add_index(self):
        name = self.rng.choice(list(INDEXES))
        partition, sort = INDEXES[name]
        types = {"g1": "S", "n2": "N"}
        keys = [{"AttributeName": partition, "KeyType": "HASH"}]
        if sort:
            keys.append({"AttributeName": sort, "KeyType": "RANGE"})
        reply = self.call("UpdateTable", {
            "TableName": "Items",
            "AttributeDefinitions": [
                {"AttributeName": key["AttributeName"],
                 "AttributeType": types[key["AttributeName"]]}
                for key in keys],
            "GlobalSecondaryIndexUpdates": [{"Create": {
                "IndexName": name, "KeySchema": keys,
                "Projection": {"ProjectionType": "ALL"}}}]}, self.BUSY)
        self.ledger.settle(reply, {("index", "Items", name): True})

    def drop_index(self):
        name = self.rng.choice(list(INDEXES))
        reply = self.call("UpdateTable", {
            "TableName": "Items", "GlobalSecondaryIndexUpdates": [
                {"Delete": {"IndexName": name}}]}, self.BUSY)
        self.ledger.settle(reply, {("index", "Items", name): False})

    def new_table(self):
        self.attempts += 1
        name = f"Tmp-{self.plan.number}-{self.attempts}"
        attributes = [{"AttributeName": "pk", "AttributeType": "S"}]
        request = {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": attributes,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
        if self.rng.random() < 0.5:
            request["StreamSpecification"] = {
                "StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        if self.rng.random() < 0.5:
            attributes.append({"AttributeName": "g1", "AttributeType": "S"})
            request["GlobalSecondaryIndexes"] = [{
                "IndexName": "ByGroup",
                "KeySchema": [{"AttributeName": "g1", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"}}]
        reply = self.call("CreateTable", request)
        self.ledger.settle(reply, {("table", name, None): True})
        self.tables.append(name)
        for number in range(self.rng.randrange(4)):
            self.call("PutItem", {"TableName": name, "Item": typed_item(
                {"pk": f"x{number}", "g1": "g", "expires": 1})}, self.BUSY)

    def drop_table(self):
        if not self.tables:
            return
        name = self.rng.choice(self.tables)
        reply = self.call("DeleteTable", {"TableName": name}, self.BUSY)
        self.ledger.settle(reply, {("table", name, None): False})
        if reply.fate == "done":
            self.tables.remove(name)

    def change_table(self):
        if not self.tables:
            return
        name = self.rng.choice(self.tables)
        on = self.rng.random() < 0.6
        if self.rng.random() < 0.5:
            self.call("UpdateTimeToLive", {
                "TableName": name, "TimeToLiveSpecification": {
                    "Enabled": on, "AttributeName": "expires"}}, self.BUSY)
            return
        specification = {"StreamEnabled": on}
        if on:
            specification["StreamViewType"] = "KEYS_ONLY"
        self.call("UpdateTable", {"TableName": name, "StreamSpecification":
                                  specification}, self.BUSY)

    def vacuum(self):
        table = self.rng.choice(("Items", "Accounts", "Sessions", "Book"))
        full = self.rng.random() < 0.1
        self.judge("VACUUM", self.sql.ask(
            f'VACUUM {"FULL" if full else ""} dynamo_data."{table}"'),
            self.BUSY)

    def checkpoint(self):
        reply = self.sql.ask("CHECKPOINT")
        if self.plan.kind not in SHORT or reply.body != CHECKPOINT:
            self.judge("CHECKPOINT", reply)


class Consumer(Client):
    """Reads the stream of Items from where it was at the round's start, and
    after the load until nothing is left; keeps what it has met."""

    def __init__(self, number, plan, stop, access, drain, positions):
        super().__init__(number, plan, stop, access)
        self.drain = drain
        self.positions = dict(positions)        # shard -> last number
        self.met = []                           # (shard, number)

    def run(self):
        quiet = 0
        end = time.monotonic() + self.plan.seconds + 120
        try:
            shards = None
            while quiet < 2 and time.monotonic() < end:
                over = self.drain.is_set()
                shards = shards or self.shards()
                met = [self.read(shard) for shard in shards or [None]]
                quiet = quiet + 1 if over and not any(met) else 0
                time.sleep(0.02)
        except Hangs as hang:
            self.ledger.problems.append(str(hang))
        if quiet < 2:
            self.ledger.problems.append("the stream could not be read")
        self.ledger.met = self.met
        self.ledger.positions = self.positions
        return self.ledger

    def ask(self, operation, request):
        reply = self.judge(operation, self.http.call(operation, request))
        return reply.body if reply.fate == "done" else None

    def shards(self):
        streams = self.ask("ListStreams", {"TableName": "Items"})
        if not streams:
            return None
        self.arn = streams["Streams"][0]["StreamArn"]
        answer = self.ask("DescribeStream", {"StreamArn": self.arn})
        return answer and [shard["ShardId"] for shard in
                           answer["StreamDescription"]["Shards"]]

    def read(self, shard):
        """Was there anything, or may there be?"""
        if shard is None:
            return True
        request = {"StreamArn": self.arn, "ShardId": shard,
                   "ShardIteratorType": "TRIM_HORIZON"}
        if shard in self.positions:
            request.update(ShardIteratorType="AFTER_SEQUENCE_NUMBER",
                           SequenceNumber=self.positions[shard])
        answer = self.ask("GetShardIterator", request)
        answer = answer and self.ask("GetRecords", {
            "ShardIterator": answer["ShardIterator"]})
        if answer is None:
            return True
        for record in answer["Records"]:
            number = record["dynamodb"]["SequenceNumber"]
            self.positions[shard] = number
            self.met.append((shard, number))
        return bool(answer["Records"])

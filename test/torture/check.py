"""What must be true of the server after a round, whatever was done to it."""

import collections
import os
import re
import time

from client import Trouble
from cluster import WORKERS
from faults import CHECKPOINT, SHORT
from load import ACCOUNTS, BASE, COUNTERS

SETTLE = 150            # seconds until workers serve and indexes are built
TABLES = ("Items", "Accounts", "Sessions", "Book")

BAD = re.compile(r"PANIC: |TRAP: |terminated by signal|\bXX\d{3}: "
                 r"|exited with exit code [2-9]|WARNING: .*leak"
                 r"|ERROR: .*42P01|resource was not closed")


class State:
    """What was found by the last check; the next round begins there."""

    def __init__(self):
        self.items = {}         # (table, pk, sk) -> version
        self.images = {}        # (pk, sk) of Items -> digest of the item
        self.counters = {}
        self.objects = {}       # (kind, table, index) -> True
        self.last_number = None
        self.positions = {}     # shard -> last number a consumer has met
        self.orphans = set()    # files without a relation


class Check:
    """The checks after one round; each adds to problems what it finds."""

    def __init__(self, cluster, session, plan, state, ledgers, consumer):
        self.cluster = cluster
        self.session = session
        self.plan = plan
        self.state = state
        self.ledgers = ledgers
        self.consumer = consumer
        self.problems = []
        self.new = State()

    def run(self):
        self.read()
        self.definitions()
        self.indexes()
        self.versions()
        self.pairs()
        self.counters()
        self.accounts()
        self.stream()
        self.expiry()
        self.files()
        self.read_log()
        return self.new

    def problem(self, text):
        self.problems.append(text)

    def rows(self, statement):
        answer = self.session.run(statement)
        if answer.lost or answer.state:
            self.problem(f"{answer.state} {answer.message}: {statement}")
            return []
        return answer.rows

    # -- the items ---------------------------------------------------------

    def read(self):
        """All tables, and the stream of Items, as of one moment."""
        for _ in range(50):
            before = self.records()
            self.read_tables()
            self.changes = self.records()
            if len(before) == len(self.changes):
                return
        self.problem("the stream of Items does not come to rest")

    def records(self):
        after = self.state.last_number or "NULL"
        return self.rows(f"""
            SELECT sequence_number, event_name,
                   coalesce(new_image, old_image) ->> 'pk',
                   coalesce(new_image, old_image) ->> 'sk',
                   md5(old_image::text), md5(new_image::text),
                   new_image ->> 'v'
            FROM dynamo.stream('Items', {after})""")

    def read_tables(self):
        new = self.new
        new.items.clear()
        for table in TABLES:
            for pk, sk, version, digest, filling in self.rows(f"""
                    SELECT item ->> 'pk', item ->> 'sk', item ->> 'v',
                           md5(item::text), left(item ->> 'filling', 20)
                    FROM dynamo_data."{table}" """):
                sk = int(sk) if sk is not None else None
                version = int(version) if version is not None else None
                new.items[table, pk, sk] = version
                if table == "Items":
                    new.images[pk, str(sk)] = digest
                    if filling and not filling.startswith(f"{version}."[:20]):
                        self.problem(f"{pk} {sk}: {version} has {filling}")

    def tracks(self, kind):
        """What of that kind was written, with what may be there."""
        for ledger in self.ledgers:
            for what, track in ledger.tracks.items():
                if kind == what[0]:
                    yield what, track

    def versions(self):
        """Each key has a version that it may have; others are as before."""
        for table in ("Items", "Sessions"):
            touched = set()
            for what, track in self.tracks(table):
                touched.add(what)
                there = self.new.items.get(what)
                allowed = {self.state.items.get(what)
                           if value == BASE else value for value in track}
                if there not in allowed:
                    self.problem(f"{what} is {there}, not one of {allowed}")
            keys = {what for what in (self.new.items.keys()
                                      | self.state.items.keys())
                    if what[0] == table} - touched
            for what in keys:
                before = self.state.items.get(what)
                there = self.new.items.get(what)
                if before != there and not what[1].startswith("pair"):
                    self.problem(f"{what} was {before}, is {there}")

    def pairs(self):
        for (_, pk, _), track in self.tracks("Pair"):
            one = self.new.items.get(("Items", pk, 0))
            other = self.new.items.get(("Accounts", pk, None))
            allowed = {self.state.items.get(("Items", pk, 0))
                       if value == BASE else value for value in track}
            if one != other:
                self.problem(f"half a transaction: {pk} is {one}, {other}")
            elif one not in allowed:
                self.problem(f"{pk} is {one}, not one of {allowed}")

    # -- sums --------------------------------------------------------------

    def counters(self):
        sent, added = collections.Counter(), collections.Counter()
        returned = collections.Counter()
        for ledger in self.ledgers:
            sent.update(ledger.sent)
            added.update(ledger.added)
            returned.update(ledger.returned)
        for (name, value), times in returned.items():
            if times > 1:
                self.problem(f"{name} was {value} for {times} clients")
        for number in range(COUNTERS):
            name = f"counter-{number}"
            value = int(self.one(f"""
                SELECT coalesce(max((item ->> 'n')::bigint), 0)
                FROM dynamo_data."Accounts" WHERE pk = '{name}'"""))
            base = self.state.counters.get(name, 0)
            if not base + added[name] <= value <= base + sent[name]:
                self.problem(f"{name} is {value}: {base} and {added[name]}"
                             f" to {sent[name]} more")
            self.new.counters[name] = value

    def one(self, statement):
        rows = self.rows(statement)
        return rows[0][0] if rows else 0

    def accounts(self):
        """The book explains every balance, and has what was acknowledged."""
        entries = {(pk, int(sk)): (int(one), int(other), int(amount))
                   for pk, sk, one, other, amount in self.rows("""
                       SELECT item ->> 'pk', item ->> 'sk', item ->> 'from',
                              item ->> 'to', item ->> 'amount'
                       FROM dynamo_data."Book" """)}
        sums = collections.Counter()
        for one, other, amount in entries.values():
            sums[one] -= amount
            sums[other] += amount
        for number in range(ACCOUNTS):
            balance = int(self.one(f"""
                SELECT coalesce(max((item ->> 'balance')::bigint), 0)
                FROM dynamo_data."Accounts"
                WHERE pk = 'account-{number}'"""))
            if balance != sums[number]:
                self.problem(f"half a transaction: account {number} has"
                             f" {balance}, the book {sums[number]}")
        for (_, pk, sk), track in self.tracks("Book"):
            there = entries.get((pk, sk), BASE)
            if there not in track:
                self.problem(f"{pk} {sk} is {there}, not one of {track}")
        known = {(what[1], what[2]) for what, _ in self.tracks("Book")} | \
            {what[1:] for what in self.state.items if what[0] == "Book"}
        for entry in entries.keys() - known:
            self.problem(f"{entry} was never sent")

    # -- the stream --------------------------------------------------------

    def stream(self):
        """The changes lead from what was there to what is."""
        images = dict(self.state.images)
        versions = collections.defaultdict(list)
        last = int(self.state.last_number or 0)
        for number, event, pk, sk, old, new, version in self.changes:
            if int(number) <= last:
                self.problem(f"record {number} comes after {last}")
            last = int(number)
            if images.get((pk, sk)) != old:
                self.problem(f"record {number} of {pk} {sk} does not begin"
                             " where the one before ended")
            name = "INSERT" if old is None else \
                "REMOVE" if new is None else "MODIFY"
            if event != name:
                self.problem(f"record {number} is {event}, not {name}")
            images[pk, sk] = new
            if version is not None:
                versions["Items", pk, int(sk)].append(int(version))
        images = {key: image for key, image in images.items() if image}
        if images != self.new.images:
            wrong = set(images.items()) ^ set(self.new.images.items())
            self.problem(f"the stream does not lead to the table:"
                         f" {sorted(key for key, _ in wrong)[:5]}")
        for ledger in self.ledgers:
            for what, acknowledged in ledger.seen.items():
                met = versions[what]
                kept = [one for one in met if one in set(acknowledged)]
                if kept != acknowledged:
                    self.problem(f"{what}: {acknowledged} acknowledged,"
                                 f" the stream has {met}")
        self.consumed()
        self.new.last_number = self.changes[-1][0] if self.changes else \
            self.state.last_number

    def consumed(self):
        """Who read the stream meanwhile has met every change once."""
        met = [int(number) for _, number in self.consumer.met]
        numbers = [int(change[0]) for change in self.changes]
        if sorted(met) != numbers:
            self.problem(
                f"a consumer has met {len(met)} of {len(numbers)} records;"
                f" missing {sorted(set(numbers) - set(met))[:5]}, too many"
                f" {sorted(set(met) - set(numbers))[:5]}")
        self.new.positions = self.consumer.positions

    def expiry(self):
        """Nothing has expired before its time, and what has can go."""
        early = self.one("""
            SELECT count(*) FROM dynamo.stream('Sessions')
            WHERE by_service
              AND (old_image ->> 'expires')::bigint
                  > extract(epoch FROM created_at)""")
        if early != "0":
            self.problem(f"{early} items expired too early")
        for _ in range(50):             # what a worker holds is passed over
            self.rows("SELECT dynamo.expire_items('Sessions')")
            left = self.one("""
                SELECT count(*) FROM dynamo_data."Sessions"
                WHERE (item ->> 'expires')::bigint
                      < extract(epoch FROM now()) - 1""")
            if left == "0":
                break
            time.sleep(0.1)
        else:
            self.problem(f"{left} items do not expire")
        for what in [what for what in self.new.items
                     if what[0] == "Sessions"]:
            del self.new.items[what]
        for pk, version in self.rows("""
                SELECT item ->> 'pk', item ->> 'v'
                FROM dynamo_data."Sessions" """):
            self.new.items["Sessions", pk, None] = int(version)

    # -- what the catalogs say ---------------------------------------------

    def definitions(self):
        """Definitions and relations agree, and with what was asked for."""
        for name, in self.rows("""
                SELECT table_name FROM dynamo.tables t
                WHERE NOT EXISTS (SELECT FROM pg_class
                                  WHERE oid = t.relation)"""):
            self.problem(f"definition {name} has no relation")
        for name, in self.rows("""
                SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'dynamo_data'::regnamespace
                  AND c.relkind = 'r'
                  AND NOT EXISTS (SELECT FROM dynamo.tables
                                  WHERE relation = c.oid)"""):
            self.problem(f"relation {name} has no definition")
        for name, in self.rows("""
                SELECT c.relname FROM pg_index i
                JOIN pg_class c ON c.oid = i.indexrelid
                JOIN dynamo.tables t ON t.relation = i.indrelid
                WHERE NOT (i.indisvalid AND i.indisready AND i.indislive)
                   OR c.relname NOT IN (
                      SELECT t.table_name || ':pkey'
                      UNION ALL SELECT t.table_name || ':ttl'
                      WHERE t.ttl_attribute IS NOT NULL
                      UNION ALL SELECT t.table_name || '/' || d.index_name
                      FROM dynamo.indexes d
                      WHERE d.table_name = t.table_name)"""):
            self.problem(f"index {name} is not valid, or nobody's")
        for name, in self.rows("""
                SELECT d.table_name || '/' || d.index_name
                FROM dynamo.indexes d WHERE NOT EXISTS (
                    SELECT FROM pg_class WHERE relname =
                        d.table_name || '/' || d.index_name)
                UNION ALL
                SELECT t.table_name || ':ttl' FROM dynamo.tables t
                WHERE t.ttl_attribute IS NOT NULL AND NOT EXISTS (
                    SELECT FROM pg_class WHERE relname =
                        t.table_name || ':ttl')"""):
            self.problem(f"index {name} is defined and not there")
        for relation, triggers, streams in self.rows("""
                SELECT t.table_name,
                       (SELECT count(*) FROM pg_trigger
                        WHERE tgrelid = t.relation AND tgname ~ '^!'),
                       (SELECT count(*) FROM dynamo.streams s
                        WHERE s.relation = t.relation
                          AND s.disabled_at IS NULL)
                FROM dynamo.tables t"""):
            if (triggers != "0") != (streams != "0") or int(streams) > 1:
                self.problem(f"{relation} has {triggers} triggers and"
                             f" {streams} streams")
        for gid, in self.rows("SELECT gid FROM pg_prepared_xacts"):
            self.problem(f"prepared: {gid}")
        self.objects()

    def objects(self):
        """Tables and indexes that were made are there."""
        new = self.new.objects
        for table, in self.rows("SELECT table_name FROM dynamo.tables"):
            new["table", table, None] = True
        for table, index in self.rows(
                "SELECT table_name, index_name FROM dynamo.indexes"):
            new["index", table, index] = True
        for kind in ("table", "index"):
            for what, track in self.tracks(kind):
                there = new.get(what, False)
                allowed = {self.state.objects.get(what, False)
                           if value == BASE else value for value in track}
                if there not in allowed:
                    self.problem(f"{what} is {there}, not one of {allowed}")

    def indexes(self):
        """amcheck finds no fault, and each index finds what a scan finds."""
        self.rows("""
            SELECT bt_index_check(i.indexrelid, true) FROM pg_index i
            JOIN pg_class c ON c.oid = i.indexrelid
            JOIN pg_am a ON a.oid = c.relam
            WHERE a.amname = 'btree' AND i.indisvalid AND c.relnamespace IN (
                'dynamo_data'::regnamespace, 'dynamo'::regnamespace,
                 'dynamo_internal'::regnamespace)""")
        self.rows("SET enable_indexscan = off")
        self.rows("SET enable_bitmapscan = off")
        digest = "ROW(count(*)," \
            " sum(hashtextextended(item::text, 0)::numeric))"
        for table, index, keys in self.rows("""
                SELECT table_name, index_name, partition_key || sort_key
                FROM dynamo.indexes WHERE projection = 'ALL'
                UNION ALL SELECT table_name, NULL, '{pk}'
                FROM dynamo.tables"""):
            name = "NULL" if index is None else f"'{index}'"
            has = " AND ".join(f"item ? '{key}'"
                               for key in keys.strip("{}").split(","))
            # in one statement: items may expire meanwhile
            for scanned, found in self.rows(f"""
                    SELECT (SELECT {digest} FROM dynamo_data."{table}"
                            WHERE {has}),
                           (SELECT {digest} FROM dynamo.scan(
                                '{table}', index_name => {name}))"""):
                if scanned != found:
                    self.problem(f"index {index} of {table} finds {found},"
                                 f" a scan {scanned}")
        self.rows("RESET enable_indexscan")
        self.rows("RESET enable_bitmapscan")

    def files(self):
        """No file is left that no relation has.  PostgreSQL itself leaves
        those of a transaction that a crash has ended."""
        orphans = self.orphans()
        if not self.plan.crashes() and orphans - self.state.orphans:
            time.sleep(0.5)             # a file of this very moment?
            orphans &= self.orphans()
            if orphans - self.state.orphans:
                self.problem("files of no relation:"
                             f" {sorted(orphans - self.state.orphans)[:5]}")
        self.new.orphans = orphans

    def orphans(self):
        self.rows("CHECKPOINT")         # what was dropped goes now
        known = {name for name, in self.rows("""
            SELECT pg_relation_filenode(oid) FROM pg_class
            WHERE pg_relation_filenode(oid) IS NOT NULL""")}
        known |= {name for name, in self.rows("""
            SELECT pg_relation_filenode(oid) FROM pg_class
            WHERE pg_relation_filenode(oid) IS NOT NULL""")}
        database = self.one("SELECT oid FROM pg_database"
                            " WHERE datname = current_database()")
        orphans = set()
        for top in (self.cluster.data + "/base", self.cluster.tables):
            for path, _, names in os.walk(top):
                if os.path.basename(path) == database:
                    orphans |= {name for name in names if name[0].isdigit()
                                and re.split("[_.]", name)[0] not in known}
        return orphans

    def read_log(self):
        for line in self.cluster.news().split("\n"):
            if not BAD.search(line):
                continue
            if "signal 9" in line and self.plan.kills():
                continue
            if self.plan.kind == "wal" and re.search(
                    "No space left|signal 6|could not write init file", line):
                continue
            if self.plan.kind in SHORT and CHECKPOINT in line:
                continue
            self.problem(f"in the log: {line[:300]}")


def settle(cluster, session):
    """Wait until HTTP is served and no index is to be built."""
    end = time.monotonic() + SETTLE
    while time.monotonic() < end:
        rows = session.run("""
            SELECT (SELECT count(*) FROM dynamo.tables
                    WHERE building IS NOT NULL
                      AND cardinality(building) > 0),
                   (SELECT count(*) FROM pg_index
                    JOIN pg_class ON pg_class.oid = indexrelid
                    WHERE relnamespace = 'dynamo_data'::regnamespace
                      AND NOT indisvalid)""").rows
        if rows and rows[0] == ["0", "0"] and \
                len(cluster.http_workers()) == WORKERS and \
                any("dynamo launcher" in title
                    for title in cluster.children().values()):
            return
        time.sleep(0.1)
    raise Trouble(f"does not settle: {rows} of indexes being built,"
                  f" {sorted(cluster.children().values())}")

#!/usr/bin/env python3
"""A fault drill for global tables: three regions, and one truth in the end.

Each region is a server of its own, with a clock of its own.  What they send each
other goes through this program, which holds it up, cuts it off, and loses answers,
so that batches are sent twice.  In each round all of them write the same few items,
by every door; meanwhile clocks are moved, processes and servers are killed, old
changes arrive once more and in another order, and a region is cut off for an hour
of its clock.  Then it becomes quiet, and

* items and versions are equal in all regions, but that a region may have forgotten
  what was deleted: that is done without waiting for a day, in each round,
* each key has the greatest version that anybody ever stamped, and what was written
  with it.  What was stamped is read from the servers' logs, by logical decoding:
  so it is what was committed, whatever a client was told;
* no version was given to two different values.

After some rounds a region leaves (Disassociate), while all of them write and
something fails.  It then has all that was written before it was asked, and so
have the others, which are equal; what it writes meanwhile they have or not.  Its
table is dropped, and it gets a replica again.

    test/torture/regions.py --rounds 200 --seed 1 [--seconds 3600] [--partings 0.15] [--built]

A round with its seed begins with the same faults and requests.  If anything is found,
the run ends, and the servers' logs are kept as tmp/regions-SEED-REGION.log.
"""

import argparse
import collections
import json
import os
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from client import Sql, plain, typed_item
from cluster import signal_all

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SERVER = os.path.join(TOP, "test", "server")
FLAGS = "-O0 -g -DUSE_ASSERT_CHECKING"
REGIONS = ("us", "eu", "ap")
PATIENCE = 240          # seconds until all is equal; a loaded machine is slow
ACTIONS = 10            # of each writer in a round
HOUR = 3600
CRASH = re.compile(r"TRAP:|PANIC|terminated by signal (?!9:)")
PARTING_FAULTS = ("none", "cut one", "cut all", "slow", "lose answers",
                  "clocks a little", "kill sender", "kill background", "crash")
FAULTS = ("none", "cut one", "cut all", "slow", "lose answers", "redeliver",
          "clocks a little", "clocks", "an hour away", "kill sender",
          "kill background", "kill session", "crash", "restart")

# 200 MB of shared memory would be too much for three small servers.
CONF = """shared_preload_libraries = dynamo
shared_buffers = 32MB
wal_level = logical
max_prepared_transactions = 8
max_worker_processes = 12
restart_after_crash = on
lock_timeout = 20s
autovacuum_naptime = 5s
dynamo.http_port = 0
dynamo.ttl_interval = 1
dynamo.tombstone_age = 0
"""

VERSIONS = """SELECT coalesce(v.keys::text, i.item->>'h' || ' without a version'),
    v.time, v.region_id, v.deleted, i.item->>'v'
FROM (SELECT v.* FROM dynamo_internal.item_versions v JOIN
        dynamo_internal.global_tables g USING (global_id)
      WHERE g.relation = 'dynamo_data."Race"'::regclass) AS v
FULL JOIN dynamo_data."Race" AS i
    ON i.item->>'h' = v.keys->>'h' AND i.item->>'r' = v.keys->>'r'"""

UNSETTLED = """SELECT count(*) FROM dynamo_internal.replicas
WHERE whole OR incarnation IS NULL OR status <> 'ACTIVE'"""

# Of each other region: what of here it does not have yet.
UNSENT = """SELECT count(*) FROM dynamo_internal.item_versions v
JOIN dynamo_internal.global_tables g USING (global_id, region_id)
JOIN dynamo_internal.replicas r USING (relation)
WHERE g.relation = 'dynamo_data."Race"'::regclass AND v.number > r.position"""

# What a region has written, as it would send it now.
LETTERS = r"""SELECT encode(int8send(1) || int8send(v.time) || int4send(v.region_id)
    || CASE WHEN v.deleted THEN '\x01' ELSE '\x00' END::bytea
    || int4send(length(b)) || b, 'hex')
FROM dynamo_internal.item_versions v
JOIN dynamo_internal.global_tables g USING (global_id, region_id)
LEFT JOIN dynamo_data."Race" i ON i.item->>'h' = v.keys->>'h'
    AND i.item->>'r' = v.keys->>'r' AND NOT v.deleted,
LATERAL dynamo_internal.item_send(coalesce(i.item, v.keys)) AS s(b)
WHERE v.time > 0 AND (v.deleted OR i.item IS NOT NULL)"""
DELIVER = r"""SELECT count(*) FROM dynamo_internal.replicas_received r,
    dynamo_internal.apply_replica('Race', r.region_name, r.incarnation, 0,
        decode('01' || $2, 'hex')) a WHERE r.region_name = $1"""

CHANGE = re.compile(r'table (dynamo_data\."Race"|dynamo_internal\.item_versions): '
                    r'(INSERT|UPDATE|DELETE): (.*)', re.S)
COLUMN = re.compile(r"\"?(\w+)\"?\[[^]]*\]:(?:'((?:[^']|'')*)'|(\S+))")
EXPIRED = "-x"          # ends what is put to expire
UNKNOWN = object()      # what an item had before its table was global


def read_item(text):
    return {name: plain(value) for name, value in json.loads(text).items()}


class Link:
    """The way from a region to another: connections that are forwarded."""

    def __init__(self, place, random_):
        self.place, self.random = place, random_
        self.mode = "open"
        self.target = None              # the socket of the server there
        self.pairs = []
        os.mkdir(place)
        os.chmod(place, 0o755)
        path = os.path.join(place, ".s.PGSQL.5432")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen(16)
        threading.Thread(target=self.listen, daemon=True).start()

    def set(self, mode):
        self.mode = mode
        if mode == "cut":
            for pair in list(self.pairs):
                shut(pair)

    def listen(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.socket(socket.AF_UNIX)
            try:
                if self.mode == "cut":
                    raise OSError
                far.connect(self.target)
            except OSError:
                near.close()
                far.close()
                continue
            self.pairs.append((near, far))
            threading.Thread(target=self.forward, args=(near, far),
                             daemon=True).start()

    def forward(self, near, far):
        try:
            while True:
                for end in select.select((near, far), (), ())[0]:
                    data = end.recv(1 << 16)
                    if not data:
                        return
                    mode = self.mode
                    if mode == "slow":
                        time.sleep(self.random.random() * 0.3)
                    if mode == "lose" and end is far and \
                            self.random.random() < 0.1:
                        return
                    (far if end is near else near).sendall(data)
        except OSError:
            pass
        finally:
            self.pairs.remove((near, far))
            shut((near, far))
            near.close()
            far.close()


def shut(pair):
    for end in pair:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Region:
    def __init__(self, drill, name):
        self.drill, self.name = drill, name
        self.cluster = f"regions{os.getpid()}{name}"
        self.clock = os.path.join(drill.place, f"{name}.clock")
        self.offset = None
        self.set_clock(0)
        self.environment = dict(os.environ, SERVER_CONF=CONF,
                                LD_PRELOAD=drill.library,
                                DYNAMO_TEST_CLOCK=self.clock)
        self.letters = []
        self.session = None

    def server(self, command):
        done = subprocess.run([SERVER, command, self.cluster],
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(f"test/server {command}: {done.stderr}")
        return done.stdout

    def start(self):
        self.server("start")
        pairs = dict(word.split("=", 1) for word in
                     shlex.split(self.server("env")) if "=" in word)
        self.settings = {"host": pairs["PGHOST"], "port": pairs["PGPORT"],
                         "user": "postgres", "dbname": "postgres"}
        self.socket = os.path.join(pairs["PGHOST"],
                                   f".s.PGSQL.{pairs['PGPORT']}")
        self.session = self.connect()

    def connect(self):
        return Sql(dict(self.settings))

    def set_clock(self, seconds):
        if seconds == self.offset:
            return
        self.offset = seconds
        new = not os.path.exists(self.clock)
        with open(self.clock, "w+b" if new else "r+b") as file:
            file.write(int(seconds * 1_000_000).to_bytes(8, "little",
                                                         signed=True))
        os.chmod(self.clock, 0o644)

    def ask(self, statement, parameters=()):
        """Rows, as soon as the server answers."""
        end = time.monotonic() + PATIENCE
        while True:
            reply = self.session.ask(statement, list(parameters))
            if reply.fate == "done":
                return reply.body
            if time.monotonic() > end or (reply.code or "")[:2] in ("42", "22"):
                raise SystemExit(f"{self.name}: {statement}: {reply}")
            time.sleep(0.2)

    def pids(self, condition):
        reply = self.session.ask(
            f"SELECT pid FROM pg_stat_activity WHERE {condition}")
        return [int(row[0]) for row in reply.body] if reply.fate == "done" else []


class Drill:
    def __init__(self, arguments):
        self.seed = arguments.seed
        self.random = random.Random(self.seed)
        self.rounds = arguments.rounds
        self.partings = arguments.partings
        self.end = time.monotonic() + arguments.seconds
        self.place = tempfile.mkdtemp(prefix="dynamo_regions.")
        os.chmod(self.place, 0o755)
        self.library = os.path.join(self.place, "clock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library,
                        os.path.join(TOP, "test", "t", "clock.c")], check=True)
        self.regions = {name: Region(self, name) for name in REGIONS}
        self.links = {(a, b): Link(os.path.join(self.place, f"{a}-{b}"),
                                   random.Random(f"{self.seed} {a} {b}"))
                      for a in REGIONS for b in REGIONS if a != b}
        self.latest = 0.0               # of all clocks
        self.forgotten = {}
        self.stamped = collections.defaultdict(dict)    # key -> version -> value
        self.wrong = []
        self.count = collections.Counter()

    # -- to begin with -----------------------------------------------------

    def begin(self):
        for region in self.regions.values():
            region.start()
            region.ask("CREATE EXTENSION dynamo")
            region.ask("SELECT dynamo.create_region($1)", [region.name])
            region.ask("SELECT pg_create_logical_replication_slot('stamped', "
                       "'test_decoding')")
        for (name, peer), link in self.links.items():
            link.target = self.regions[peer].socket
            region = self.regions[name]
            region.ask(f"CREATE SERVER to_{peer} FOREIGN DATA WRAPPER "
                       f"dynamo_region OPTIONS (host '{link.place}', "
                       "port '5432', dbname 'postgres')")
            region.ask(f"CREATE USER MAPPING FOR PUBLIC SERVER to_{peer} "
                       "OPTIONS (user 'postgres')")
            region.ask("SELECT dynamo.create_region($1, $2)",
                       [peer, f"to_{peer}"])
        us = self.regions["us"]
        us.ask("SELECT dynamo.create_table('Race', 'h', 'r', 'S', 'N')")
        us.ask("SELECT dynamo.enable_ttl('Race', 't')")
        us.ask("SELECT count(dynamo.put_item('Race', jsonb_build_object('h', "
               "'old', 'r', i, 'v', 'old' || i)::dynamo.item)) "
               "FROM generate_series(1, 20) AS i")
        for peer in ("eu", "ap"):
            self.create_replica(us, peer)
        self.await_members()

    def create_replica(self, region, peer):
        self.change_table(region, ReplicaUpdates=[
            {"Create": {"RegionName": peer}}])
        self.await_rows(region, "SELECT count(*) FROM dynamo.replicas WHERE "
                        f"region_name = '{peer}' AND status = 'ACTIVE'", 1)

    def change_table(self, region, **changes):
        region.ask("SELECT dynamo.call('UpdateTable', $1::json)",
                   [json.dumps(dict(TableName="Race", **changes))])

    def await_members(self):
        for region in self.regions.values():
            self.await_rows(region, "SELECT count(*) FROM dynamo.replicas "
                            "WHERE status = 'ACTIVE'", 2)
            self.await_rows(region, "SELECT count(*) FROM dynamo.tables "
                            "WHERE ttl_attribute = 't'", 1)

    def await_rows(self, region, query, count):
        end = time.monotonic() + PATIENCE
        while int(region.ask(query)[0][0]) != count:
            if time.monotonic() > end:
                raise SystemExit(f"{region.name}: {query}: not {count}; "
                                 f"{region.ask('SELECT * FROM dynamo.replicas')}")
            time.sleep(0.2)

    # -- those who write ---------------------------------------------------

    def write(self, region, source, prefix):
        session = region.connect()
        for n in range(ACTIONS):
            door = source.choice(DOORS)
            key = {"h": f"k{source.randrange(4)}", "r": source.randrange(4)}
            value = f"{prefix}-{n}"
            self.count["writes"] += 1
            statements = door(self, region, source, key, value)
            for statement, *parameters in statements:
                reply = session.ask(statement, parameters)
                if reply.fate != "done":
                    self.count["refused"] += 1
                    if statements[0] == ("BEGIN",):
                        session.ask("ROLLBACK")
                    break
            time.sleep(source.random() * 0.05)
        session.close()

    # -- faults ------------------------------------------------------------

    def fault(self, kind, source):
        region = self.regions[source.choice(REGIONS)]
        others = [link for pair, link in self.links.items()
                  if region.name in pair]
        if kind == "cut one":
            source.choice(others).set("cut")
        elif kind == "cut all":
            for link in self.links.values():
                link.set("cut")
        elif kind in ("slow", "lose answers"):
            for link in self.links.values():
                link.set(kind.split()[0])
        elif kind == "redeliver":
            for _ in range(3):
                self.redeliver(*source.sample(list(self.regions.values()), 2),
                               source)
        elif kind.startswith("clocks"):
            span = 0.4 if kind == "clocks a little" else 20
            for each in self.regions.values():
                self.set_clock(each, source.uniform(-span, span))
        elif kind == "an hour away":
            for link in others:
                link.set("cut")
            time.sleep(0.3)
            for each in self.regions.values():
                self.set_clock(each, each.offset + HOUR)
        elif kind == "kill sender":
            signal_all(region.pids("application_name = 'dynamo replication'"),
                       signal.SIGKILL)
        elif kind == "kill background":
            signal_all(region.pids("backend_type LIKE 'dynamo%'")[:1],
                       signal.SIGKILL)
        elif kind == "kill session":
            signal_all(region.pids("backend_type = 'client backend' AND "
                                   "pid <> pg_backend_pid()")[:1],
                       signal.SIGKILL)
        elif kind in ("crash", "restart"):
            # A shutdown during recovery from a crash may never end (core's).
            if kind == "restart":
                region.ask("SELECT 1")
            region.server("crash" if kind == "crash" else "halt")
            time.sleep(source.random() * 0.5)
            region.server("restart")

    def forget(self, source):
        """Tombstones, as far as that may be."""
        for region in source.sample(list(self.regions.values()), 3):
            reply = region.session.ask("SELECT dynamo_internal.trim_replicas()")
            if reply.fate == "done":
                self.count["trimmed"] += 1

    def set_clock(self, region, offset):
        region.set_clock(offset)
        self.latest = max(self.latest, offset)

    def redeliver(self, sender, receiver, source):
        """What was sent once, and never, comes again in any order."""
        reply = sender.session.ask(LETTERS)
        if reply.fate == "done":
            sender.letters = (sender.letters + [row[0] for row in reply.body]
                              )[-300:]
        if not sender.letters:
            return
        batch = "".join(source.choice(sender.letters) for _ in range(20))
        for _ in range(2):
            if receiver.session.ask(DELIVER, [sender.name, batch]).fate == "done":
                self.count["delivered again"] += 20

    # -- rounds ------------------------------------------------------------

    def run(self):
        self.begin()
        number = 0
        while number < self.rounds and time.monotonic() < self.end and \
                not self.wrong:
            number += 1
            self.round(number, random.Random(self.random.random()))
            self.count["rounds"] = number

    def round(self, number, source):
        kinds = [source.choice(FAULTS) for _ in range(source.randint(1, 2))]
        writers = self.start_writers(self.regions, source, number)
        for kind in kinds:
            time.sleep(source.random() * 0.5)
            self.count[f"fault: {kind}"] += 1
            self.fault(kind, source)
        self.forget(source)
        for writer in writers:
            writer.join()
        self.forget(source)
        if source.random() < 0.3:
            self.redeliver(*source.sample(list(self.regions.values()), 2),
                           source)
        self.calm(source)
        self.await_right(self.compare, f"round {number}, {kinds}")
        if not self.wrong and source.random() < self.partings:
            self.part(number, source)
        self.read_logs()
        if number % 10 == 0:
            print(f"round {number}: {self.count['writes']} writes, "
                  f"{sum(map(len, self.stamped.values()))} versions",
                  flush=True)

    def start_writers(self, names, source, prefix):
        writers = [threading.Thread(target=self.write, args=(
            self.regions[name], random.Random(source.random()),
            f"{prefix}{name}{i}")) for name in names for i in range(2)]
        for writer in writers:
            writer.start()
        return writers

    def calm(self, source):
        """All reach each other, and nothing is left undecided."""
        for link in self.links.values():
            link.set("open")
        self.latest += 1
        for region in self.regions.values():
            region.set_clock(self.latest)
        for region in self.regions.values():
            for (name,) in region.ask("SELECT gid FROM pg_prepared_xacts"):
                word = source.choice(("COMMIT", "ROLLBACK"))
                region.ask(f"{word} PREPARED '{name}'")

    def await_right(self, look, when):
        problem = look()
        end = time.monotonic() + PATIENCE
        while problem is not None and time.monotonic() < end:
            time.sleep(0.2)
            problem = look()
        if problem is not None:
            self.wrong.append(f"{when}: {problem}")

    # -- a region that leaves ----------------------------------------------

    def part(self, number, source):
        """It leaves, and comes again; all is equal before that."""
        gone = self.regions[source.choice(REGIONS)]
        rest = [region for region in self.regions.values()
                if region is not gone]
        kind = source.choice(PARTING_FAULTS)
        when = f"round {number}, {gone.name} leaves, {kind}"
        self.count["partings"] += 1
        self.count[f"fault: {kind}"] += 1
        before = {key: max(versions)
                  for key, versions in self.stamped.items()}
        self.change_table(gone, DisassociationProtectionEnabled=False)
        quiet = source.random() < 0.5       # the one that leaves
        writers = self.start_writers(
            [region.name for region in rest if quiet] or REGIONS, source,
            f"{number}part")
        time.sleep(source.random() * 0.5)
        early = source.random() < 0.5
        if early:
            self.fault(kind, source)
        self.change_table(gone, ReplicaUpdates=[{"Disassociate": {
            "RegionName": gone.name,
            "DisassociationMode": "WAIT_FOR_REPLICATION"}}])
        if not early:
            time.sleep(source.random() * 0.5)
            self.fault(kind, source)
        for writer in writers:
            writer.join()
        self.calm(source)
        self.await_rows(gone, "SELECT count(*) FROM dynamo.replicas", 0)
        for region in rest:
            self.await_rows(region, "SELECT count(*) FROM dynamo.replicas", 1)
        self.await_right(lambda: self.compare_rest(gone, rest, before), when)
        if not self.wrong and quiet:
            problem = self.compare_gone(gone, before)
            if problem is not None:
                self.wrong.append(f"{when}: {problem}")
        if self.wrong:
            return

        # A batch of before, to a table that is another by now, is none of it.
        for region in self.regions.values():
            region.letters = []
        gone.ask("SELECT dynamo.drop_table('Race')")
        self.create_replica(source.choice(rest), gone.name)
        self.await_members()
        self.await_right(self.compare, f"{when} and is there again")

    def compare_rest(self, gone, rest, before):
        """Of those that stay; what only the other had is no version any more."""
        number = int(gone.ask("SELECT region_id FROM dynamo.regions "
                              "WHERE region_name = $1", [gone.name])[0][0])
        for region in rest:
            if int(region.ask(UNSENT)[0][0]) + \
                    int(region.ask(UNSETTLED)[0][0]) > 0:
                return f"{region.name} has not sent all: " + \
                    str(region.ask("SELECT * FROM dynamo.replicas"))
        states = [self.state(region) for region in rest]
        for region in self.regions.values():
            self.read_stamped(region)
        newest = {}
        for key in set().union(self.stamped, *states):
            versions = self.stamped.get(key) or {}
            least = max([version for version in versions
                         if version[1] != number or
                         version <= before.get(key, (-1, 0))], default=None)
            found = [state.get(key) for state in states]
            there = [state for state in found if state is not None]
            if None in found and all(value is None for _, value in there) and \
                    (least is None or versions[least] is None):
                newest[key] = max([version for version, _ in there],
                                  default=least)
                continue
            if found[0] is None or found[0] != found[1] or \
                    found[0][0] not in versions or \
                    least is not None and found[0][0] < least or \
                    versions[found[0][0]] not in (UNKNOWN, found[0][1]):
                last = sorted(versions.items(), key=lambda v: v[0])[-6:]
                return f"{key}: {found}, not {least}; stamped last: {last}"
            newest[key] = found[0][0]
        for key, version in newest.items():
            for late in [late for late in self.stamped[key]
                         if version is None or late > version]:
                del self.stamped[key][late]
                self.count["versions lost by leaving"] += 1
        return None

    def compare_gone(self, gone, before):
        """Of one that wrote nothing itself: it has what there was, or later."""
        here = {(h, int(r)): value for h, r, value in gone.ask(
            "SELECT item->>'h', item->>'r', coalesce(item->>'v', '') "
            "FROM dynamo_data.\"Race\"")}
        for text, least in before.items():
            key = read_item(text)
            value = here.get((key["h"], key["r"]))
            may = [known for version, known in self.stamped[text].items()
                   if version >= least]
            if value is None and any(str(known).endswith(EXPIRED)
                                     for known in may):
                continue        # it has expired since
            if value not in may and UNKNOWN not in may:
                return f"{text}: {value!r} in {gone.name}, not of {may}"
        return None

    def state(self, region):
        return {row[0]: (None if row[1] is None else
                         (int(row[1]), int(row[2])),
                         None if row[3] == "t" else row[4] or "")
                for row in region.ask(VERSIONS)}

    def compare(self):
        """What is not as it ought to be; None: nothing."""
        for name, region in self.regions.items():
            if int(region.ask(UNSENT)[0][0]) > 0:
                return f"{name} has not sent all: " + \
                    str(region.ask("SELECT * FROM dynamo.replicas"))
        states = {name: self.state(region)
                  for name, region in self.regions.items()}
        for region in self.regions.values():
            self.read_stamped(region)
        for key in set().union(self.stamped, *states.values()):
            found = {name: state.get(key) for name, state in states.items()}
            versions = self.stamped.get(key) or {}
            newest = max(versions, default=None)
            if newest is not None and versions[newest] is None:
                # Deleted: forgotten, or answered by a region that has.
                wrong = [state for state in found.values() if state is not None
                         and (state[1] is not None or state[0] is None or
                              state[0] > newest)]
                self.forgotten[key] = None in found.values()
                if not wrong:
                    continue
            if len(set(found.values())) != 1 or newest is None or \
                    found["us"] is None or found["us"][0] != newest or \
                    versions[newest] not in (UNKNOWN, found["us"][1]):
                last = sorted(versions.items(), key=lambda v: v[0])[-6:]
                return f"{key}: {found}; stamped last: {last}"
        return None

    def read_stamped(self, region):
        written = {}
        for (line,) in region.ask(
                "SELECT data FROM pg_logical_slot_get_changes('stamped', NULL, "
                "NULL, 'include-xids', '0')"):
            if line.startswith("BEGIN"):
                written = {}
            change = CHANGE.match(line)
            if change is None or change[2] == "DELETE":
                continue
            row = {column[1]: column[3] if column[3] is not None
                   else column[2].replace("''", "'")
                   for column in COLUMN.finditer(change[3])}
            if change[1].startswith("dynamo_data"):
                item = read_item(row["item"])
                written[item["h"], item["r"]] = item.get("v", "")
                continue
            keys = read_item(row["keys"])
            version = int(row["time"]), int(row["region_id"])
            value = None if row["deleted"] == "true" else \
                written.get((keys["h"], keys["r"]), UNKNOWN)
            known = self.stamped[row["keys"]].setdefault(version, value)
            if known is UNKNOWN:
                self.stamped[row["keys"]][version] = value
            elif known != value and value is not UNKNOWN:
                self.wrong.append(f"{row['keys']}: version {version} is of "
                                  f"{known!r} and, in {region.name}, {value!r}")

    def read_logs(self):
        for region in self.regions.values():
            path = os.path.join(TOP, "tmp", region.cluster, "log")
            if not os.path.exists(path):
                continue
            with open(path, errors="replace") as file:
                lines = file.readlines()
            self.wrong += [line.strip() for line in lines
                           if CRASH.search(line)]

    def report(self):
        for region in self.regions.values():
            path = os.path.join(TOP, "tmp", region.cluster, "log")
            if self.wrong and os.path.exists(path):
                shutil.copy(path, os.path.join(
                    TOP, "tmp", f"regions-{self.seed}-{region.name}.log"))
        for line in self.wrong:
            print(f"wrong: {line}")
        for name, value in sorted(self.count.items()):
            if name.startswith("fault: "):
                print(f"  {value:5d} {name}")
        print(f"{self.count['rounds']} rounds, {self.count['writes']} writes, "
              f"{self.count['refused']} refused or lost, "
              f"{sum(map(len, self.stamped.values()))} versions of "
              f"{len(self.stamped)} keys, {self.count['delivered again']} "
              f"changes delivered again, {sum(self.forgotten.values())} keys "
              f"forgotten, {self.count['partings']} partings, "
              f"{self.count['versions lost by leaving']} versions lost by "
              f"leaving, {len(self.wrong)} wrong")
        return 1 if self.wrong or not self.count["rounds"] else 0


# -- doors: statements of one write, with their parameters -------------------

PUT = "SELECT dynamo.put_item('Race', $1::dynamo.item)"
REMOVE = "SELECT dynamo.delete_item('Race', $1::dynamo.item)"
CALL = "SELECT dynamo.call($1, $2::json)"
WHERE = "WHERE item->>'h' = $1 AND item->>'r' = $2"
PAD = "x" * 50000


def with_value(key, value):
    return json.dumps(dict(key, v=value))


def put(drill, region, source, key, value):
    return [(PUT, with_value(key, value))]


def remove(drill, region, source, key, value):
    return [(REMOVE, json.dumps(key))]


def update(drill, region, source, key, value):
    return [("SELECT dynamo.update_item('Race', $1::dynamo.item, 'SET v = :v', "
             "$2::dynamo.item)", json.dumps(key), json.dumps({":v": value}))]


def expire(drill, region, source, key, value):
    item = dict(key, v=value + EXPIRED, t=int(time.time()) - 60)
    return [(PUT, json.dumps(item))]


def sql_insert(drill, region, source, key, value):
    return [('INSERT INTO dynamo_data."Race" (item) VALUES ($1::dynamo.item) '
             "ON CONFLICT DO NOTHING", with_value(key, value))]


def sql_update(drill, region, source, key, value):
    return [(f'UPDATE dynamo_data."Race" SET item = $3::dynamo.item {WHERE}',
             key["h"], str(key["r"]), with_value(key, value))]


def sql_delete(drill, region, source, key, value):
    return [(f'DELETE FROM dynamo_data."Race" {WHERE}', key["h"],
             str(key["r"]))]


def sql_move(drill, region, source, key, value):
    """Another key: an item goes, and another comes."""
    other = dict(key, r=(key["r"] + 1) % 4, v=value)
    return [(f'UPDATE dynamo_data."Race" SET item = $3::dynamo.item {WHERE}',
             key["h"], str(key["r"]), json.dumps(other))]


def truncate(drill, region, source, key, value):
    if source.random() < 0.7:
        return []
    return [('TRUNCATE dynamo_data."Race"',)]


def copy(drill, region, source, key, value):
    """More than one batch (LEAST_BATCH in src/replica/replica_send.c)."""
    path = os.path.join(drill.place, f"copy-{value}")
    first = source.randrange(100)
    with open(path, "w") as file:
        for i in range(first, first + 5):
            file.write(with_value({"h": "copied", "r": i, "pad": PAD},
                                  value) + "\n")
    return [(f"""COPY dynamo_data."Race" (item) FROM '{path}'""",)]


def partiql(drill, region, source, key, value):
    where = f"WHERE h = '{key['h']}' AND r = {key['r']}"
    statement = source.choice((
        f"INSERT INTO \"Race\" VALUE {{'h': '{key['h']}', 'r': {key['r']}, "
        f"'v': '{value}'}}",
        f"UPDATE \"Race\" SET v = '{value}' {where}",
        f'DELETE FROM "Race" {where}'))
    return [(CALL, "ExecuteStatement", json.dumps({"Statement": statement}))]


def transact(drill, region, source, key, value):
    actions = []
    for r in sorted(source.sample(range(4), 3)):
        item = typed_item({"h": key["h"], "r": r})
        if source.random() < 0.3:
            actions.append({"Delete": {"TableName": "Race", "Key": item}})
        else:
            actions.append({"Put": {"TableName": "Race", "Item": dict(
                item, v={"S": value})}})
    return [(CALL, "TransactWriteItems",
             json.dumps({"TransactItems": actions}))]


def batch(drill, region, source, key, value):
    return [(CALL, "BatchWriteItem", json.dumps({"RequestItems": {"Race": [
        {"PutRequest": {"Item": dict(typed_item({"h": key["h"], "r": r}),
                                     v={"S": value})}}
        for r in source.sample(range(4), 2)]}}))]


def transaction(drill, region, source, key, value):
    name = f"{region.name}-{value}"
    end = source.choice((
        ["COMMIT"], ["COMMIT"], ["ROLLBACK"],
        [f"PREPARE TRANSACTION '{name}'", f"COMMIT PREPARED '{name}'"],
        [f"PREPARE TRANSACTION '{name}'", f"ROLLBACK PREPARED '{name}'"]))
    return [("BEGIN",), (PUT, with_value(key, value)), ("SAVEPOINT s",),
            (REMOVE, json.dumps(key)),
            (source.choice(("ROLLBACK TO s", "RELEASE s")),),
            (PUT, with_value(dict(key, r=3), value)),
            *((word,) for word in end)]


def restore(drill, region, source, key, value):
    """What there was in a backup is written over what there is."""
    if source.random() < 0.7:
        return []
    name = "Back" + value.replace("-", "_")
    return [(f"DO $$ BEGIN PERFORM dynamo.restore_table('{name}', backup_arn "
             f"=> dynamo.create_backup('Race', '{name}')); END $$",),
            (f"SELECT count(dynamo.put_item('Race', item)) FROM "
             f"dynamo.scan('{name}')",),
            (f"SELECT dynamo.drop_table('{name}')",)]


DOORS = (put, put, put, remove, remove, update, expire, sql_insert, sql_update,
         sql_delete, sql_move, truncate, copy, partiql, partiql, transact, batch,
         transaction, restore)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--partings", type=float, default=0.15,
                        help="the part of the rounds after which a region leaves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--built", action="store_true",
                        help="use the build in tmp")
    arguments = parser.parse_args()
    if not arguments.built:
        subprocess.run([SERVER, "install", FLAGS], check=True)
    drill = Drill(arguments)
    try:
        drill.run()
    finally:
        try:
            status = drill.report()
        finally:
            for region in drill.regions.values():
                subprocess.run([SERVER, "stop", region.cluster],
                               env=region.environment,
                               stderr=subprocess.DEVNULL)
            shutil.rmtree(drill.place, ignore_errors=True)
    sys.exit(status)


if __name__ == "__main__":
    main()

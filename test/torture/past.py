#!/usr/bin/env python3
"""A fault drill for points in time: no moment wrong, none refused in silence.

Writers put items, each its next number, and keep a log of what they have
committed: the time before and after each commit, by the server's clock.
Meanwhile processes are stopped, killed and starved, the clock is moved, the
table is truncated, transactions are prepared, the server is killed and started
again; in the end there is a standby, and it is promoted.  All the while random
times are asked for, by as_of, by restores and by exports, and what comes back
is compared with the log:

* whatever was committed two seconds before the time is there (see
  docs/backups.md), and nothing that began to commit after it;
* transactions are there as a whole;
* a time within recovery_window() is refused only if recovery_holes shows it, or
  for a moment, while somebody who has stood still is about to commit.

    test/torture/past.py --seconds 600 --seed 1 [--built] [--faults KIND...]

With --faults these alone happen.  If anything is found, the server's log is kept as
tmp/past-SEED.log.
"""

import argparse
import collections
import glob
import gzip
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from client import Sql
from cluster import signal_all

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SERVER = os.path.join(TOP, "test", "server")
FLAGS = "-O0 -g -DUSE_ASSERT_CHECKING"
PROMISE = 2.05          # seconds, and what two clock readings cost
PATIENCE = 120          # seconds without a window
ATTEMPTS = 3            # while somebody commits, a time may be refused once
WRITERS = 3
PERIOD = 2 * 86400    # seconds, of a piece of the journal, from this day on
EPOCH = 946684800     # 2000-01-01
NOW = "SELECT extract(epoch FROM clock_timestamp())"
FAULTS = ("stop ours",) * 4 + (
    "stop somebody", "kill one", "starve", "forward", "back", "far forward",
    "far back", "over an end", "a little", "crash", "restart")
PASSING = ("57014", "57P01", "57P02", "57P03", "55P03", "40001", "40P01")
CRASH = re.compile(r"TRAP:|PANIC|terminated by signal (?!9:)")

# What there is to see when no time can be asked for.
STATE = (
    "SELECT * FROM dynamo_internal.recovery_windows",
    "SELECT * FROM dynamo.recovery_window('Past')",
    "SELECT transaction, gid, prepared FROM pg_prepared_xacts",
    "SELECT pid, backend_type, state, wait_event_type, wait_event, xact_start, "
    "backend_xid, query FROM pg_stat_activity WHERE backend_type = "
    "'client backend' OR backend_type LIKE 'dynamo%'",
    "SELECT pid, virtualtransaction, relation::regclass, mode, granted FROM "
    "pg_locks WHERE relation IN (SELECT oid FROM pg_class WHERE relnamespace = "
    "'dynamo_internal'::regnamespace) OR NOT granted",
    "SELECT clock_timestamp(), pg_current_snapshot()")
BEFORE_ALL, NEVER = float("-inf"), float("inf")

SETUP = """
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('Past', 'id'), dynamo.create_table('Plain', 'id');
SELECT dynamo.enable_recovery('Past');
SELECT dynamo.grant_bucket('past', 'postgres')
"""

# A commit: whose, which, after which truncation, and between which times.
Commit = collections.namedtuple("Commit", "writer n cut before after era")


class Drill:
    def __init__(self, arguments):
        self.random = random.Random(arguments.seed)
        self.kinds = arguments.faults or FAULTS
        self.kept_log = os.path.join(TOP, "tmp", f"past-{arguments.seed}.log")
        self.end = time.monotonic() + arguments.seconds
        self.name = f"past{os.getpid()}"
        self.place = tempfile.mkdtemp(prefix="dynamo_past.")
        os.chmod(self.place, 0o755)
        self.environment = dict(os.environ)
        self.log = []
        self.lock = threading.Lock()
        self.quiet = threading.RLock()      # held while the clock is set back
        self.over = False
        self.faults = []            # what was done, and when
        self.era = 0
        self.count = collections.Counter()
        self.wrong = []
        self.offset = 0
        self.writable = True            # it is not a standby
        self.asked = threading.local()  # the last refusal of a thread

    # -- the server and its clock ------------------------------------------

    def begin(self):
        library = os.path.join(self.place, "clock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library,
                        os.path.join(TOP, "test", "t", "clock.c")],
                       check=True)
        self.clock = os.path.join(self.place, "offset")
        self.set_clock(0)
        self.buckets = os.path.join(self.place, "buckets")
        os.makedirs(os.path.join(self.buckets, "past"))
        for path in (self.buckets, os.path.join(self.buckets, "past")):
            os.chmod(path, 0o777)
        self.environment.update(
            LD_PRELOAD=library, DYNAMO_TEST_CLOCK=self.clock, SERVER_CONF=(
                "shared_preload_libraries = dynamo\ndynamo.http_port = 0\n"
                "dynamo.ttl_interval = 1\nmax_wal_senders = 4\n"
                "lock_timeout = 20s\nrestart_after_crash = on\n"
                f"dynamo.bucket_directory = '{self.buckets}'\n"))
        self.server("start")
        self.find(self.name)
        session = self.session()
        for statement in SETUP.strip().split(";\n"):
            session.must(statement)
        session.close()

    def server(self, command, name=None, *more):
        done = subprocess.run([SERVER, command, name or self.name, *more],
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(f"test/server {command}: {done.stderr}")
        return done.stdout

    def find(self, name):
        pairs = dict(word.split("=", 1) for word in
                     shlex.split(self.server("env", name)) if "=" in word)
        self.settings = {"host": pairs["PGHOST"], "port": pairs["PGPORT"],
                         "user": "postgres", "dbname": "postgres"}

    def session(self):
        return Sql(dict(self.settings))

    def set_clock(self, seconds):
        self.offset = seconds
        with open(self.clock, "r+b" if os.path.exists(self.clock)
                  else "w+b") as file:
            file.write(int(seconds * 1_000_000).to_bytes(8, "little",
                                                         signed=True))
        os.chmod(self.clock, 0o644)

    # -- those who write ---------------------------------------------------

    def note(self, writer, n, cut, before, after, era):
        with self.lock:
            self.log.append(Commit(writer, n, cut, before, after, era))

    def write(self, writer):
        """Transactions of one writer; whose commit is lost is noted, too."""
        source = random.Random(self.random.random())
        session = self.session()
        n = 0
        while not self.over:
            n += 1
            with self.quiet:
                pass
            try:
                self.transaction(session, source, writer, n)
            except Lost:
                time.sleep(0.1)
            time.sleep(source.choice((0, 0.01, 0.3, 2)) * source.random())
        session.close()

    def transaction(self, session, source, writer, n):
        def ask(statement, *parameters):
            reply = session.ask(statement, list(parameters))
            if reply.fate != "done":
                session.ask("ROLLBACK")
                raise Lost
            return reply.body

        ask("BEGIN")
        if writer == "cutter":
            ask('TRUNCATE dynamo_data."Past"')
        for half in "ab":
            ask("SELECT dynamo.put_item('Past', json_build_object('id', "
                "$1::text, 'n', $2::int)::text::dynamo.item)",
                f"{writer}-{half}", str(n))
        cut = n if writer == "cutter" else int(ask(
            "SELECT coalesce((SELECT item->>'n' FROM dynamo.get_item('Past', "
            "'{\"id\": \"cutter-a\"}')), '0')")[0][0])
        if source.random() < 0.1:
            time.sleep(source.random() * 6)
        name, end = f"{writer}-{n}", "COMMIT"
        if writer != "cutter" and source.random() < 0.1:
            ask(f"PREPARE TRANSACTION '{name}'")
            time.sleep(source.random() * 4)
            end = (f"COMMIT PREPARED '{name}'" if source.random() < 0.7
                   else f"ROLLBACK PREPARED '{name}'")
        era, before = self.era, NEVER
        reply = session.ask(NOW)
        if reply.fate == "done":
            before = float(reply.body[0][0])
        elif end == "COMMIT":
            raise Lost
        else:                           # it is still there, prepared
            before = BEFORE_ALL
        reply = session.ask(end)
        while end != "COMMIT" and reply.fate != "done" and not self.over:
            time.sleep(0.2)
            reply = session.ask(end)
            if reply.code == "42704":   # it had been done
                reply = reply._replace(fate="done")
        if end.startswith("ROLLBACK"):
            return
        if reply.fate == "refused":
            raise Lost
        after, reply = NEVER if reply.fate != "done" else None, \
            session.ask(NOW)
        if after is None and reply.fate == "done":
            after = float(reply.body[0][0])
        self.note(writer, n, cut, before if era == self.era else BEFORE_ALL,
                  NEVER if after is None else after, self.era)

    # -- those who ask -----------------------------------------------------

    def inquire(self, number):
        source = random.Random(self.random.random())
        session = self.session()
        while not self.over:
            with self.quiet:
                try:
                    self.inquiry(session, source, number)
                except Lost:
                    time.sleep(0.1)
            time.sleep(source.random() * 0.2)
        session.close()

    def window(self, session):
        reply = session.ask(
            "SELECT extract(epoch FROM earliest), extract(epoch FROM latest), "
            "(SELECT json_agg(json_build_array(extract(epoch FROM began_at), "
            "extract(epoch FROM ended_at))) FROM dynamo.recovery_holes) "
            "FROM dynamo.recovery_window('Past')")
        if reply.fate == "refused" and reply.code not in PASSING:
            self.error(reply)
        if reply.fate != "done" or reply.body[0][0] is None:
            raise Lost
        first, last, holes = reply.body[0]
        if first == last:                   # it has not begun
            raise Lost
        return float(first), float(last), json.loads(holes or "[]")

    def inquiry(self, session, source, number, when=None):
        era = self.era
        first, last, holes = self.window(session)
        self.count["holes"] = max(self.count["holes"], len(holes))
        if when is None:
            begin = first if source.random() < 0.2 else max(first, last - 30)
            when = round(begin + source.random() * (last - begin), 6)
        kind = source.choice(["scan"] * 7 + ["get"] + (
            ["restore", "export"] if self.writable else []))
        for _ in range(ATTEMPTS):
            answer = self.ask_past(session, kind, when, number)
            if answer is not None:
                break
            self.count["refused in holes"] += 1
            first, last, holes = self.window(session)
            if era != self.era or not first <= when <= last or \
                    any(began <= when < ended for began, ended in holes):
                return
        else:
            self.count["refused that the window shows"] += 1
            self.wrong.append(f"refused ({kind}): {self.asked.refusal}; "
                              f"{when} in {first} to {last}, holes {holes}; "
                              f"{self.faults[-6:]}")
            return
        self.count["asked"] += 1
        with self.lock:
            log = [c for c in self.log]
        problem = check(answer, when, log, self.era)
        # what is committed now may not be in the log yet
        for _ in range(50):
            if problem is None or not problem.startswith("unknown"):
                break
            time.sleep(0.2)
            with self.lock:
                log = [c for c in self.log]
            problem = check(answer, when, log, self.era)
        if problem is not None and not problem.startswith("unknown"):
            self.count["wrong"] += 1
            self.wrong.append(f"{problem} ({kind}) as of {when}; "
                              f"{sorted(answer.items())}; "
                              f"{self.faults[-6:]}, {self.now()}")

    def ask_past(self, session, kind, when, number):
        """{id: n} as of then; None: refused."""
        time_ = f"to_timestamp('{when:.6f}')"
        scan = "SELECT item->>'id', item->>'n' FROM dynamo.scan('{}'{})"
        if kind == "scan":
            return self.answer(session.ask(scan.format(
                "Past", f", as_of => {time_}")))
        if kind == "get":
            ids = [f"{w}-{h}" for w in [*range(WRITERS), "cutter"]
                   for h in "ab"]
            return self.answer(session.ask(
                "SELECT item->>'id', item->>'n' FROM unnest($1::text[]) AS i, "
                "dynamo.get_item('Past', json_build_object('id', i)"
                f"::text::dynamo.item, as_of => {time_}) WHERE item IS NOT "
                "NULL", ["{" + ",".join(ids) + "}"]))
        self.count[kind + "s"] += 1
        if kind == "restore":
            name = f"Back{number}"
            session.ask("SELECT dynamo.drop_table(table_name) FROM "
                        "dynamo.tables WHERE table_name = $1", [name])
            reply = session.ask(
                f"SELECT dynamo.restore_table('{name}', 'Past', {time_})")
            if reply.fate != "done":
                return self.answer(reply)
            answer = self.answer(session.ask(scan.format(name, "")))
            session.ask(f"SELECT dynamo.drop_table('{name}')")
            return answer
        # One that was given up may yet be written: each has a place of its own.
        self.count["exports begun"] += 1
        prefix = f"e{number}-{self.count['exports begun']}"
        reply = session.ask(f"SELECT dynamo.export_table('Past', 'past', "
                            f"'{prefix}', as_of => {time_})")
        if reply.fate != "done":
            return self.answer(reply)
        return self.exported(session, prefix)

    def exported(self, session, prefix):
        for _ in range(100):
            done = glob.glob(f"{self.buckets}/past/{prefix}/**/"
                             "manifest-summary.json", recursive=True)
            if done:
                break
            if session.ask("CALL dynamo.run_jobs()").fate == "unknown":
                raise Lost
            time.sleep(0.1)
        else:
            raise Lost
        answer = {}
        for path in glob.glob(f"{self.buckets}/past/{prefix}/**/data/*.gz",
                              recursive=True):
            with gzip.open(path, "rt") as file:
                for line in file:
                    item = json.loads(line)["Item"]
                    if "n" in item:
                        answer[item["id"]["S"]] = int(item["n"]["N"])
        shutil.rmtree(f"{self.buckets}/past/{prefix}", ignore_errors=True)
        return answer

    def answer(self, reply):
        if reply.fate == "done":
            return {id_: int(n) for id_, n in reply.body if n}
        if reply.fate == "refused" and re.search(
                "RestoreDateTime|not available for specified export time|"
                "journal of point-in-time recovery has been trimmed",
                reply.body or ""):
            self.asked.refusal = reply.body
            return None
        if reply.fate == "refused" and reply.code not in PASSING:
            self.error(reply)
        raise Lost

    def error(self, reply):
        self.count["other errors"] += 1
        self.wrong.append(f"{reply.code}: {reply.body}")

    # -- faults ------------------------------------------------------------

    def now(self):
        return f"{time.time() + self.offset:.1f}"

    def fault(self, source, session):
        kind = source.choice(self.kinds)
        self.count["fault: " + kind] += 1
        self.faults.append(f"{kind} at {self.now()}")
        if kind in ("stop ours", "stop somebody"):
            reply = session.ask(
                "SELECT pid FROM pg_stat_activity WHERE pid <> "
                "pg_backend_pid() AND " +
                ("backend_type LIKE 'dynamo%'" if kind == "stop ours" else
                 "backend_type = 'client backend' ORDER BY random() LIMIT 1"))
            pids = [int(row[0]) for row in reply.body] \
                if reply.fate == "done" else []
            signal_all(pids, signal.SIGSTOP)
            time.sleep(source.random() * 8)
            signal_all(pids, signal.SIGCONT)
        elif kind == "starve":
            session.ask("SELECT pg_terminate_backend(pid) FROM "
                        "pg_stat_activity WHERE backend_type LIKE 'dynamo%'")
        elif kind == "kill one":
            reply = session.ask("SELECT pid FROM pg_stat_activity WHERE "
                                "backend_type LIKE 'dynamo%' "
                                "ORDER BY random() LIMIT 1")
            if reply.fate == "done" and reply.body:
                signal_all([int(reply.body[0][0])], signal.SIGKILL)
        elif kind == "forward":
            self.set_clock(self.offset + 3600)
        elif kind == "far forward":
            self.set_clock(self.offset + 40 * 86400)
        elif kind == "over an end":
            # Where the journal goes on to its next piece; set back by an hour,
            # the clock is before that again.
            rest = PERIOD - (time.time() + self.offset - EPOCH) % PERIOD
            self.set_clock(self.offset + rest + source.random() * 1800)
        elif kind == "a little":
            self.set_clock(self.offset + source.random() * 5)
        elif kind == "back":
            self.set_back(3600)
        elif kind == "far back":
            self.set_back(40 * 86400)
        else:
            # PostgreSQL 15 waits for its checkpointer for ever when it is told
            # to shut down while it recovers from a crash.
            with self.quiet if kind == "restart" else threading.Lock():
                if kind == "restart":
                    self.recovered()
                self.server("crash" if kind == "crash" else "halt")
                time.sleep(source.random() * 5)
                self.server("restart")

    def set_back(self, seconds):
        """Times of before are not asked for any more: they come twice."""
        with self.quiet:
            # If nothing is written while it is ahead, no time comes twice, and the
            # windows stay as they are.
            self.recovered()
            session = self.session()
            session.ask("SELECT dynamo.put_item('Past', json_build_object('id', 'clock', "
                        "'ahead', $1::float8)::text::dynamo.item)", [str(self.offset)])
            self.era += 1
            self.set_clock(self.offset - seconds)
            self.recovered()
            self.asked.refusals = collections.Counter()
            for turn in range(300):
                # Another item each time: nobody else writes now, and what changes
                # nothing has nobody look at the clock.  The launcher does, if it is
                # there; one that had just ended is started when the clock has caught up.
                reply = session.ask(
                    "SELECT dynamo.put_item('Past', json_build_object('id', 'clock', "
                    "'turn', $1::int)::text::dynamo.item)", [str(turn)])
                if reply.fate != "done":
                    self.asked.refusals[reply.code, reply.body] += 1
                try:
                    now = float(session.ask(NOW).body[0][0])
                    if self.window(session)[0] <= now:
                        break
                except (Lost, TypeError, IndexError):
                    pass
                time.sleep(0.1)
            else:
                self.wrong.append(
                    "no window after the clock was set back; "
                    f"{self.faults[-6:]}; refused: {self.asked.refusals}; "
                    + "; ".join(str(session.ask(question).body)
                                for question in STATE))
            session.close()

    def recovered(self):
        """Wait until the server answers: the last fault may have been a crash."""
        session = self.session()
        end = time.monotonic() + PATIENCE
        while session.ask(NOW).fate != "done":
            if time.monotonic() > end:
                raise RuntimeError("the server does not come back")
            time.sleep(0.1)
        session.close()

    def promote(self):
        """A standby answers as the primary does, and so when it is one."""
        standby = self.name + "s"
        self.recovered()
        self.server("standby", standby, self.name)
        time.sleep(8)
        session = self.session()
        source = random.Random(self.random.random())
        times = []
        while len(times) < 20 and (window := self.some_window(session)):
            first, last, _ = window
            times.append(max(first, last - 20 * source.random()))
        session.close()
        primary, self.settings = self.settings, None
        self.find(standby)
        there = self.session()
        self.writable = False
        self.ask_these(there, source, times)
        self.settings = primary
        self.over = True
        self.join()
        self.server("crash")
        self.find(standby)
        subprocess.run([SERVER, "psql", standby, "-qAtc",
                        "SELECT pg_promote()"], env=self.environment,
                       stdout=subprocess.DEVNULL, check=True)
        self.over, self.writable = False, True
        there.close()
        there = self.session()
        self.ask_these(there, source, times)
        if window := self.some_window(there):
            self.ask_these(there, source, [window[1] - source.random() * 5
                                           for _ in range(20)])
        there.close()
        self.over = True

    def some_window(self, session):
        """The window, once there is one; none in time is a finding."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                return self.window(session)
            except Lost:
                time.sleep(0.1)
        self.wrong.append("no window in the end")
        return None

    def ask_these(self, session, source, times):
        for when in times:
            try:
                self.inquiry(session, source, 9, round(when, 6))
            except Lost:
                self.count["not asked"] += 1

    # -- all of it ---------------------------------------------------------

    def start(self):
        self.threads = [
            threading.Thread(target=self.work, args=(function, argument),
                             daemon=True)
            for function, argument in
            [(self.write, str(w)) for w in range(WRITERS)]
            + [(self.inquire, i) for i in range(2)]]
        for thread in self.threads:
            thread.start()

    def work(self, function, argument):
        try:
            function(argument)
        except Exception:               # a drill with fewer of us proves less
            self.wrong.append(traceback.format_exc())

    def join(self):
        for thread in self.threads:
            thread.join(120)
            if thread.is_alive():
                self.wrong.append("somebody waits for ever")

    def run(self):
        self.begin()
        self.start()
        session, cutter, n = self.session(), self.session(), 0
        while time.monotonic() < self.end:
            time.sleep(0.5 + self.random.random() * 3)
            self.fault(self.random, session)
            if self.random.random() < 0.15:
                n += 1
                try:
                    self.transaction(cutter, self.random, "cutter", n)
                except Lost:
                    pass
        session.close()
        cutter.close()
        self.promote()

    def read_log(self):
        """Servers that crash by themselves are findings, too."""
        lines = []
        for name in (self.name, self.name + "s"):
            path = os.path.join(TOP, "tmp", name, "log")
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    lines += file.readlines()
        self.wrong += [line.strip() for line in lines if CRASH.search(line)]
        if self.wrong:
            with open(self.kept_log, "w") as file:
                file.writelines(lines)

    def report(self):
        self.read_log()
        shapes = collections.defaultdict(list)
        for line in self.wrong:
            shapes[re.sub(r"[0-9.]+", "0", line)[:60]].append(line)
        for lines in shapes.values():
            print(f"{len(lines)} times: {lines[0]}")
        for name, value in sorted(self.count.items()):
            if name.startswith("fault: "):
                print(f"  {value:5d} {name}")
        print(f"{len(self.log)} commits, {self.count['asked']} moments asked, "
              f"{self.count['wrong']} wrong, "
              f"{self.count['refused in holes']} refused, of these "
              f"{self.count['refused that the window shows']} that the window "
              f"shows, {self.count['holes']} holes shown, "
              f"{self.count['restores']} restores, "
              f"{self.count['exports']} exports, "
              f"{self.count['other errors']} other errors")
        return 1 if self.wrong or self.count["asked"] == 0 else 0


class Lost(Exception):
    """The connection went, or the statement was refused."""


def check(answer, when, log, era):
    """What is wrong with {id: n} as of then; None: nothing.  "unknown": it has
    what is not in the log, or not yet."""
    seen = {}
    for id_, n in answer.items():
        writer, _, half = id_.rpartition("-")
        if writer:
            seen.setdefault(writer, {})[half] = n
    for writer, halves in seen.items():
        if len(halves) != 2 or len(set(halves.values())) != 1:
            return f"half a transaction of {writer}"
    cut = seen.get("cutter", {}).get("a", 0)
    lower, upper = collections.Counter(), {}
    for commit in log:
        before = commit.before if commit.era == era else BEFORE_ALL
        after = commit.after if commit.era == era or commit.after == NEVER \
            else BEFORE_ALL
        if commit.writer == "cutter" or commit.cut == cut:
            if after <= when - PROMISE:
                lower[commit.writer] = max(lower[commit.writer], commit.n)
            upper[commit.writer, commit.n] = before
    for writer in set(lower) | set(seen):
        n = seen.get(writer, {}).get("a", 0)
        if n < lower[writer]:
            return f"too old: {writer} has {n}, had {lower[writer]}"
        if n and (writer, n) not in upper:
            return f"unknown: {writer} has {n}"
        if n and upper[writer, n] > when:
            return f"too new: {writer} has {n}, from {upper[writer, n]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", nargs="+", choices=sorted(set(FAULTS)))
    parser.add_argument("--built", action="store_true",
                        help="use the build in tmp")
    arguments = parser.parse_args()
    if not arguments.built:
        subprocess.run([SERVER, "install", FLAGS], check=True)
    drill = Drill(arguments)
    try:
        drill.work(lambda _: drill.run(), None)
        status = drill.report()
    finally:
        drill.over = True
        for name in (drill.name, drill.name + "s"):
            subprocess.run([SERVER, "stop", name], env=drill.environment,
                           stderr=subprocess.DEVNULL)
        shutil.rmtree(drill.place, ignore_errors=True)
    sys.exit(status)


if __name__ == "__main__":
    main()

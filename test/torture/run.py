#!/usr/bin/env python3
"""Torture a private server and check, round for round, that it has kept all.

    test/torture/run.py [--rounds N] [--seconds N] [--seed S] [--kind KIND]
                        [--only N] [--built] [--keep]

In a round clients write, read, build indexes and follow a stream, by SQL and
by HTTP, while something is done to the server: processes are killed, cancelled
or short of time, memory or disk (faults.py).  Then it recovers, and everything
is checked (check.py): what was acknowledged is there, no transaction is there
by half, indexes agree with tables, the stream with the changes, definitions
with relations, and the log tells of nothing bad.

What a round does follows from the seed and its number; how processes come in
each other's way does not.  --only repeats one round on a fresh server, --kind
has all rounds do the same thing.  Every few rounds a fresh server is made.
The extension is built with assertions first; --built takes what test/server
has installed.  A finding is printed as it comes; the server's log, and what
processes have left of themselves (core), is kept in tmp/torture.out.  Exit
status: 0 if there was none, 1 if there was one.
"""

import argparse
import collections
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from check import Check, State, settle                  # noqa: E402
from client import PATIENCE, Sql, Trouble                      # noqa: E402
from cluster import TOP, Cluster, enter_namespace   # noqa: E402
from faults import KINDS, Plan, Torment                 # noqa: E402
from load import Builder, Consumer, Writer              # noqa: E402

FLAGS = "-O2 -g -DUSE_ASSERT_CHECKING"
WRITERS = 4
FRESH = 20              # rounds that one cluster lasts
OUT = os.path.join(TOP, "tmp", "torture.out")
TABLES = """
    SELECT dynamo.create_table('Items', 'pk', 'sk', sort_key_type => 'N'),
           dynamo.create_table('Accounts', 'pk'),
           dynamo.create_table('Sessions', 'pk'),
           dynamo.create_table('Book', 'pk', 'sk', sort_key_type => 'N'),
           dynamo.enable_stream('Items'), dynamo.enable_stream('Sessions'),
           dynamo.enable_ttl('Sessions', 'expires'),
           dynamo.create_index('Items', 'ByGroup', 'g1')"""

Access = collections.namedtuple("Access", "port key settings")


class Process:
    """A client in a process of its own, and the way its ledger comes."""

    def __init__(self, client, *arguments):
        self.end, far = multiprocessing.Pipe(False)
        self.process = multiprocessing.Process(
            target=self.work, args=(far, client, arguments), daemon=True)
        self.process.start()
        far.close()

    @staticmethod
    def work(far, client, arguments):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            ledger = client(*arguments).run()
        except Exception:
            ledger = traceback.format_exc()
        far.send(ledger)
        os._exit(0)

    def ledger(self):
        if not self.end.poll(2 * PATIENCE + 60):
            self.process.kill()
            raise Trouble("a client does not end")
        ledger = self.end.recv()
        self.process.join()
        if isinstance(ledger, str):
            raise Trouble(ledger)
        return ledger


class Torture:
    def __init__(self, options, mounted):
        self.options = options
        self.mounted = mounted
        self.cluster = None
        self.rounds = collections.Counter()     # kind -> rounds
        self.acknowledged = 0
        self.records = 0
        self.tally = collections.Counter()
        self.found = 0

    def renew(self):
        """A fresh cluster."""
        self.close()
        self.cluster = Cluster("torture", self.mounted)
        key = self.cluster.create()
        self.access = Access(self.cluster.port, key, self.cluster.settings)
        session = Sql(self.cluster.settings)
        session.must(TABLES)
        settle(self.cluster, session)
        session.close()
        self.state = State()
        self.state.objects["index", "Items", "ByGroup"] = True
        self.age = 0

    def close(self):
        if self.cluster:
            self.cluster.remove()

    def round(self, number):
        if self.cluster is None or self.age == FRESH:
            self.renew()
        self.age += 1
        plan = Plan(self.options.seed, number, self.mounted,
                    self.options.kind)
        self.rounds[plan.kind] += 1
        stop, drain = multiprocessing.Event(), multiprocessing.Event()
        processes = [Process(Writer, one, plan, stop, self.access)
                     for one in range(WRITERS)]
        processes.append(Process(Builder, WRITERS, plan, stop, self.access))
        consumer = Process(Consumer, WRITERS + 1, plan, stop, self.access,
                           drain, self.state.positions)
        torment = Torment(self.cluster, plan)
        try:
            torment.run()
        finally:
            stop.set()
            torment.lift()
        ledgers = [process.ledger() for process in processes]
        self.cluster.ensure_up()
        session = Sql(self.cluster.settings)
        settle(self.cluster, session)
        drain.set()
        met = consumer.ledger()
        check = Check(self.cluster, session, plan, self.state, ledgers, met)
        self.state = check.run()
        self.tidy(session)
        session.close()
        self.count(check, [*ledgers, met])
        return plan, check.problems + [
            problem for ledger in [*ledgers, met]
            for problem in ledger.problems]

    def tidy(self, session):
        """Tables of the round go."""
        for kind, table, _ in list(self.state.objects):
            if kind == "table" and table.startswith("Tmp-"):
                session.must(f"SELECT dynamo.drop_table('{table}')")
        self.state.objects = {
            what: True for what in self.state.objects
            if not what[1].startswith("Tmp-")}

    def count(self, check, ledgers):
        self.records += len(check.changes)
        for ledger in ledgers:
            self.acknowledged += ledger.acknowledged
            self.tally.update(ledger.tally)

    def run(self):
        options = self.options
        start = time.monotonic()
        numbers = [options.only] if options.only else \
            range(1, options.rounds + 1)
        for number in numbers:
            if time.monotonic() - start > options.seconds:
                break
            began = time.monotonic()
            try:
                plan, problems = self.round(number)
            except Exception as trouble:
                plan = Plan(options.seed, number, self.mounted, options.kind)
                problems = [f"{type(trouble).__name__}: {trouble}"]
                if not isinstance(trouble, Trouble):
                    traceback.print_exc()
                self.report(plan, problems)
                self.close()
                self.cluster = None
                continue
            print(f"round {number}: {plan.kind},"
                  f" {time.monotonic() - began:.1f} s", flush=True)
            if problems:
                self.report(plan, problems)
                self.close()
                self.cluster = None
        if self.cluster and not options.keep:
            self.close()
        self.summary(time.monotonic() - start)
        return 1 if self.found else 0

    def report(self, plan, problems):
        self.found += 1
        os.makedirs(OUT, exist_ok=True)
        path = os.path.join(OUT, f"round-{plan.number}.log")
        self.cluster.keep_log(path)
        self.cluster.keep_cores(OUT)
        print(f"FINDING in round {plan.number} ({plan.kind}), log in"
              f" {os.path.relpath(path)}:", flush=True)
        different = list(dict.fromkeys(problems))
        for problem in different[:10]:
            print("   ", problem, flush=True)
        if len(problems) > 10:
            print(f"    and {len(problems) - 10} more", flush=True)

    def summary(self, seconds):
        for (operation, code), times in sorted(self.tally.items()):
            if code:
                print(f"{times:9} {operation} {code}")
        print(f"{sum(self.rounds.values())} rounds in {seconds:.0f} s ("
              + ", ".join(f"{times} {kind}" for kind, times in
                          sorted(self.rounds.items())) + ")")
        if not self.mounted:
            print("skipped: full disks, which take root to mount some")
        print(f"{self.acknowledged} writes acknowledged,"
              f" {self.records} stream records, {self.found} rounds with"
              " findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--only", type=int)
    parser.add_argument("--built", action="store_true",
                        help="take the build that is installed")
    parser.add_argument("--keep", action="store_true",
                        help="leave the server running")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    mounted = enter_namespace()
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    if not options.built:
        subprocess.run([os.path.join(TOP, "test", "server"), "install",
                        FLAGS], check=True)
    torture = Torture(options, mounted)
    try:
        return torture.run()
    finally:
        if not options.keep:
            torture.close()


if __name__ == "__main__":
    sys.exit(main())

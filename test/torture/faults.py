"""What is done to the server amid the load, and what it may excuse."""

import random
import signal
import time

from client import Sql
from cluster import signal_all

LENGTHS = (1.5, 3.0)    # seconds of load in a round

# how often, and what of it clients and log may tell; "kill" is what the log
# must not tell otherwise
KINDS = {
    "calm": 2,
    "postmaster": 10,   # kill -9; its children have to notice
    "everything": 10,   # kill -9 of all at once
    "backend": 12,      # kill -9 of a session
    "worker": 14,       # kill -9 of a worker: HTTP, maintenance, builds
    "twice": 6,         # a second crash during, or soon after, recovery
    "immediate": 3,     # shutdowns
    "fast": 3,
    "terminate": 8,     # SIGTERM to sessions and workers
    "cancel": 8,        # SIGINT to sessions and workers
    "timeout": 8,       # timeouts of a millisecond
    "memory": 7,        # no more memory for some processes, or all
    "disk": 6,          # no more room for tables
    "wal": 3,           # no more room for the log: it panics
}
SHORT = ("memory", "disk", "wal")
# what the server says to CHECKPOINT then, as XX000
CHECKPOINT = "checkpoint request failed"
TROUBLED = {"InternalServerError", "500", "503"}
EXCUSES = {
    "terminate": TROUBLED, "cancel": TROUBLED, "timeout": TROUBLED,
    "immediate": TROUBLED, "fast": TROUBLED,
    "memory": TROUBLED | {"53200", "58030", "57P05", "53000"},
    "disk": TROUBLED | {"53100"},
    "wal": TROUBLED | {"53100", "58030"},
}


class Plan:
    """One round: what it does follows from seed and number alone."""

    def __init__(self, seed, number, mounted, kind=None):
        self.seed = seed
        self.number = number
        self.rng = random.Random(f"{seed}/{number}")
        kinds = [name for name in KINDS
                 if mounted or name not in ("disk", "wal")]
        self.kind = kind or self.rng.choices(
            kinds, [KINDS[name] for name in kinds])[0]
        self.seconds = self.rng.uniform(*LENGTHS)
        self.hasty = self.kind == "timeout" or self.rng.random() < 0.1

    def excuses(self, code):
        return code in EXCUSES.get(self.kind, ()) or \
            self.hasty and code in TROUBLED

    def kills(self):
        """May the log tell of a process killed by signal 9?"""
        return self.kind in ("backend", "worker", "twice")

    def crashes(self):
        return self.kills() or self.kind in (
            "postmaster", "everything", "immediate", "wal")


class Torment:
    """Carries out a plan while clients are at work."""

    def __init__(self, cluster, plan):
        self.cluster = cluster
        self.plan = plan
        self.rng = plan.rng
        self.end = time.monotonic() + plan.seconds

    def run(self):
        getattr(self, self.plan.kind)()
        self.rest()

    def rest(self):
        time.sleep(max(0, self.end - time.monotonic()))

    def wait(self, least=0.2, most=0.9):
        """Until somewhere in the load."""
        time.sleep(self.plan.seconds * self.rng.uniform(least, most))

    def signal_some(self, pids, number, most=1):
        pids = sorted(pids)
        signal_all(self.rng.sample(pids, min(most, len(pids))), number)

    def moments(self, pause):
        """Again and again until the load ends."""
        while time.monotonic() < self.end:
            time.sleep(self.rng.uniform(0, 2 * pause))
            yield

    def calm(self):
        pass

    def postmaster(self):
        self.wait()
        self.cluster.kill_postmaster()
        self.cluster.start()

    def everything(self):
        self.wait()
        self.cluster.kill_all()
        self.cluster.start()

    def backend(self):
        self.wait()
        self.signal_some(self.cluster.clients(), signal.SIGKILL)

    def worker(self):
        self.wait()
        workers = self.cluster.children()
        kind = self.rng.choice(("http worker", "launcher", "background",
                                "background", "dynamo", "dynamo"))
        chosen = [pid for pid, title in workers.items() if "dynamo" in title
                  and kind in title] or self.cluster.workers()
        self.signal_some(chosen, signal.SIGKILL)

    def twice(self):
        self.wait(0.2, 0.6)
        self.signal_some(self.cluster.clients() or self.cluster.workers(),
                         signal.SIGKILL)
        time.sleep(self.rng.uniform(0, 0.4))
        self.cluster.kill_all()
        self.cluster.start()

    def immediate(self):
        self.shut_down(signal.SIGQUIT)

    def fast(self):
        self.shut_down(signal.SIGINT)

    def shut_down(self, how):
        self.wait()
        children = self.cluster.children()
        self.cluster.process.send_signal(how)
        self.cluster.process.wait(60)
        self.cluster.wait_for_end(children)
        self.cluster.start()

    def terminate(self):
        for _ in self.moments(0.15):
            pids = self.rng.choice((self.cluster.clients,
                                    self.cluster.workers))()
            self.signal_some(pids, signal.SIGTERM)

    def cancel(self):
        for _ in self.moments(0.01):
            pids = self.rng.choice((self.cluster.clients,
                                    self.cluster.workers))()
            self.signal_some(pids, signal.SIGINT, 2)

    def timeout(self):
        self.cluster.set(dynamo__http_request_timeout=1, lock_timeout=1)
        self.rest()

    def memory(self):
        self.wait(0.1, 0.5)
        all_ = self.rng.random() < 0.5
        for _ in self.moments(0.1):
            children = list(self.cluster.children())
            if all_:
                children.append(self.cluster.process.pid)
            for pid in children if all_ else self.rng.sample(
                    children, min(3, len(children))):
                self.cluster.limit_memory(pid, self.rng.choice(
                    (0, 0, 1 << 16, 1 << 20)))

    def disk(self):
        self.wait(0.0, 0.4)
        self.cluster.fill(self.cluster.tables, self.rng.choice(
            (0, 1 << 16, 1 << 20)))
        self.rest()

    def wal(self):
        self.wait(0.0, 0.2)
        self.cluster.fill(self.cluster.data + "/..", self.rng.choice(
            (0, 1 << 20)))
        session = Sql(self.cluster.settings)
        for _ in self.moments(0.02):    # segments made before are in the way
            session.ask("SELECT pg_logical_emit_message(false, '', ''),"
                        " pg_switch_wal()")
        session.close()

    def lift(self):
        """All that would keep the server from recovering."""
        cluster = self.cluster
        cluster.free(cluster.tables)
        cluster.free(cluster.data + "/..")
        cluster.set()
        if self.plan.kind == "memory":
            for pid in [*cluster.children(), cluster.process.pid]:
                cluster.limit_memory(pid, None)

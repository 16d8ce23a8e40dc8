"""The private server that is tortured: its processes, disks and log.

Started by root it lies on two small file systems in memory, one for the data
directory and one, a tablespace, for the tables, so that either can be filled;
they belong to a mount namespace of our own and go when we do.  Otherwise it
lies in tmp, and no disk is filled.
"""

import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import time

from client import Sql, Trouble

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TMP = os.path.realpath(os.path.join(TOP, "tmp"))
DATA_SIZE, TABLES_SIZE = "400m", "1200m"
DATABASE = "torture"
WORKERS = 3             # of HTTP
ENDING = 15             # seconds a process may live on without postmaster

CONF = """
unix_socket_directories = '{place}'
listen_addresses = ''
port = {port}
shared_preload_libraries = 'dynamo'
dynamo.http_port = {port}
dynamo.http_listen_addresses = '127.0.0.1'
dynamo.http_workers = {workers}
dynamo.http_database = '{database}'
dynamo.ttl_interval = 1
dynamo.stream_shards = 4
dynamo.http_request_timeout = 20s
max_worker_processes = 12
max_connections = 40
autovacuum_naptime = 1s
# what is answered before it is flushed shall be lost
wal_writer_delay = 10s
wal_writer_flush_after = 0
fsync = off
min_wal_size = 32MB
max_wal_size = 64MB
wal_keep_size = 0
shared_buffers = 32MB
log_error_verbosity = verbose
log_min_messages = warning
log_line_prefix = '%m [%p] %b '
default_tablespace = '{tablespace}'
restart_after_crash = on
remove_temp_files_after_crash = on
"""


def enter_namespace():
    """Run again where mounts are our own, if we may; True if they are."""
    if os.environ.get("TORTURE_NAMESPACE"):
        return True
    probe = ["unshare", "--mount", "true"]
    if os.getuid() != 0 or shutil.which("unshare") is None or \
            subprocess.run(probe, stderr=subprocess.DEVNULL).returncode:
        return False
    os.environ["TORTURE_NAMESPACE"] = "1"
    import sys
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private",
                          sys.executable, *sys.argv])


def stat_of(pid):
    """(state, parent) of a process; None when there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[1])
    except (OSError, IndexError):
        return None


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] not in "ZX"


def title_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def signal_all(pids, number):
    """Send a signal to those that are still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Cluster:
    def __init__(self, name, mounted):
        self.place = place = TMP + "/" + name
        self.mounted = mounted
        self.user = None
        if os.getuid() == 0:
            try:
                self.user = pwd.getpwnam("postgres")
            except KeyError:
                self.user = pwd.getpwnam("nobody")
        config = os.environ.get("PG_CONFIG", "pg_config")
        bindir = subprocess.run([config, "--bindir"], check=True, text=True,
                                capture_output=True).stdout.strip()
        self.bin = TMP + "/pg" + bindir
        self.data = place + "/data/cluster"
        self.tables = place + "/tables"
        self.log = place + "/log"
        self.port = int(subprocess.run([TOP + "/test/free-port"], check=True,
                                       capture_output=True).stdout)
        self.settings = {"host": place, "port": str(self.port),
                         "user": "postgres", "dbname": DATABASE}
        self.process = None
        self.read = 0                   # how far the log is known

    def as_user(self):
        if self.user is None:
            return {"cwd": "/"}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid,
                "extra_groups": [], "cwd": "/"}

    # -- its life ----------------------------------------------------------

    def create(self):
        """A cluster with the extension, and an access key of a superuser."""
        self.remove()
        for path, size in ((self.place, None),
                           (self.place + "/data", DATA_SIZE),
                           (self.tables, TABLES_SIZE)):
            os.makedirs(path)
            if self.mounted and size:
                subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + size,
                                "torture", path], check=True)
            if self.user:
                os.chown(path, self.user.pw_uid, self.user.pw_gid)
            os.chmod(path, 0o700)
        subprocess.run([self.bin + "/initdb", "-D", self.data, "-U",
                        "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                        "-N", "--wal-segsize=4"], check=True,
                       stdout=subprocess.DEVNULL, **self.as_user())
        self.configure(tablespace="")
        self.start("postgres")
        first = Sql(dict(self.settings, dbname="postgres"))
        first.must(f"CREATE TABLESPACE tables LOCATION '{self.tables}'")
        first.must(f"CREATE DATABASE {DATABASE}")
        first.close()
        self.configure(tablespace="tables")
        self.reload()
        session = Sql(self.settings)
        session.must("CREATE EXTENSION dynamo")
        session.must("CREATE EXTENSION amcheck")
        key = session.must("SELECT * FROM dynamo.create_access_key("
                           "current_role::regrole)")[0]
        session.close()
        return key

    def configure(self, **values):
        with open(self.data + "/postgresql.conf", "a") as file:
            file.write(CONF.format(place=self.place, port=self.port,
                                   database=DATABASE, workers=WORKERS,
                                   **values))

    def set(self, **settings):
        """These settings for now, and no others."""
        with open(self.data + "/postgresql.auto.conf", "w") as file:
            for name, value in settings.items():
                file.write(f"{name.replace('__', '.')} = {value}\n")
        if self.process.poll() is None:
            self.reload()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def start(self, database=DATABASE):
        """Start it, on whatever a crash has left, and wait for it."""
        end = time.monotonic() + 180
        while time.monotonic() < end:
            with open(self.log, "a") as log:
                self.process = subprocess.Popen(
                    [self.bin + "/postgres", "-D", self.data], stdin=
                    subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True, **self.as_user())
            if self.wait_until_up(database, end):
                return
            self.process.wait()
            time.sleep(0.1)
        raise Trouble("the server does not start")

    def wait_until_up(self, database=DATABASE, end=None):
        end = end or time.monotonic() + 180
        settings = dict(self.settings, dbname=database)
        while time.monotonic() < end and self.process.poll() is None:
            session = Sql(settings)
            good = session.alive() and not session.run("SELECT").lost
            session.close()
            if good:
                return True
            time.sleep(0.03)
        return False

    def ensure_up(self):
        if self.process.poll() is not None or not self.wait_until_up():
            if self.process.poll() is None:
                raise Trouble("the server takes no connections")
            self.start()

    def stop(self):
        """By its pid, whatever state it is in."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill_all()

    def remove(self):
        self.stop()
        if self.mounted:
            for path in (self.place + "/data", self.tables):
                subprocess.run(["umount", path], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.place, ignore_errors=True)

    # -- its processes -----------------------------------------------------

    def children(self):
        """{pid: title} of all but the postmaster."""
        parent = self.process.pid
        found = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                stat = stat_of(name)
                if stat and stat[1] == parent and stat[0] not in "ZX":
                    found[int(name)] = title_of(name)
        return found

    def clients(self):
        return [pid for pid, title in self.children().items()
                if f"postgres {DATABASE} " in title]

    def workers(self):
        return [pid for pid, title in self.children().items()
                if "dynamo" in title]

    def http_workers(self):
        return [pid for pid, title in self.children().items()
                if "dynamo http worker" in title]

    def kill_postmaster(self):
        """It alone; the others have to notice."""
        children = self.children()
        self.process.kill()
        self.process.wait()
        self.wait_for_end(children)

    def kill_all(self):
        """At once: the postmaster is stopped first, so that it starts no
        more."""
        self.process.send_signal(signal.SIGSTOP)
        while stat_of(self.process.pid)[0] != "T":
            time.sleep(0.001)
        children = self.children()
        for pid in [self.process.pid, *children]:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.wait_for_end(children)

    def wait_for_end(self, children):
        end = time.monotonic() + ENDING
        for pid, title in children.items():
            while is_alive(pid):
                if time.monotonic() > end:
                    os.kill(pid, signal.SIGKILL)
                    raise Trouble(f"outlives its postmaster: {title}")
                time.sleep(0.005)

    # -- its surroundings --------------------------------------------------

    def fill(self, path, left):
        """Leave about so many bytes free, while others write."""
        with open(path + "/filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
            except OSError:
                file.truncate(max(0, file.tell() - left))

    def free(self, path):
        if os.path.exists(path + "/filler"):
            os.unlink(path + "/filler")

    def limit_memory(self, pid, more):
        """Let a process have so many bytes beyond what it has; None: any
        number.  Its own user may do that, root need not."""
        try:
            with open(f"/proc/{pid}/statm") as file:
                size = int(file.read().split()[0]) * resource.getpagesize()
        except (OSError, IndexError):
            return                      # it has just ended
        limit = "unlimited" if more is None else size + more
        subprocess.run(["prlimit", "--pid", str(pid), f"--as={limit}:"],
                       stderr=subprocess.DEVNULL, **self.as_user())

    def news(self):
        """What has come to the log since the last call."""
        with open(self.log, errors="replace") as log:
            log.seek(self.read)
            text = log.read()
            self.read = log.tell()
        return text

    def keep_log(self, path):
        if os.path.exists(self.log):
            shutil.copy(self.log, path)

    def keep_cores(self, path):
        for name in os.listdir(self.data):
            if name.startswith("core"):
                shutil.copy(os.path.join(self.data, name), path)

"""The server that is fuzzed: a connection by libpq, and what it costs.

Either the server that PGHOST and PGPORT name, or a private one of this
working tree, built with assertions and with coverage (cover.c).
"""

import collections
import ctypes
import ctypes.util
import mmap
import os
import re
import socket
import struct
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TMP = os.path.join(TOP, "tmp")
SCRIPT = os.path.join(TOP, "test", "server")
CLUSTER = "fuzz"
FLAGS = "-DUSE_ASSERT_CHECKING -O1 -g -fsanitize-coverage=trace-pc " + \
    os.environ.get("FUZZ_FLAGS", "")
DATABASE = "dynamo_fuzz"
SLOWER = int(os.environ.get("FUZZ_SLOWER", 1))  # than usual, and larger
TIMEOUT = 5 * SLOWER    # seconds a statement may take
PAIRS = 65536           # cover.c

# lost: the connection; state: SQLSTATE or "" for success
Answer = collections.namedtuple("Answer", "state message rows lost")
Binary = collections.namedtuple("Binary", "data")

_POINTERS = ctypes.POINTER(ctypes.c_char_p)
_INTS = ctypes.POINTER(ctypes.c_int)
_UINTS = ctypes.POINTER(ctypes.c_uint)
_NOTICE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


def _libpq():
    lib = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
    p, s, i = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("PQconnectdb", p, [s]), ("PQfinish", None, [p]),
            ("PQstatus", i, [p]), ("PQerrorMessage", s, [p]),
            ("PQbackendPID", i, [p]), ("PQclear", None, [p]),
            ("PQprepare", p, [p, s, s, i, _UINTS]),
            ("PQexecParams", p, [p, s, i, _UINTS, _POINTERS, _INTS, _INTS, i]),
            ("PQexecPrepared", p, [p, s, i, _POINTERS, _INTS, _INTS, i]),
            ("PQresultStatus", i, [p]), ("PQresultErrorField", s, [p, i]),
            ("PQntuples", i, [p]), ("PQnfields", i, [p]),
            ("PQgetvalue", s, [p, i, i]), ("PQgetisnull", i, [p, i, i]),
            ("PQsetNoticeProcessor", p, [p, _NOTICE, p])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Connection:
    """One backend, made anew whenever it is lost."""

    def __init__(self, settings):
        self.lib = _libpq()
        self.settings = settings        # PGHOST and the like
        self.handle = None
        self.warnings = []
        self._notice = _NOTICE(self._warn)
        self.generation = 0
        self.connect()

    def _warn(self, _, message):
        self.warnings.append(message.decode("utf-8", "replace").strip())

    def connect(self):
        """Wait until the server has recovered, if need be."""
        for patience in range(120):
            if self.handle:
                self.lib.PQfinish(self.handle)
            self.handle = self.lib.PQconnectdb(" ".join(
                f"{name}='{value}'" for name, value in
                self.settings.items()).encode())
            if self.lib.PQstatus(self.handle) == 0:
                break
            time.sleep(0.5)
        else:
            raise SystemExit(self._message())
        self.lib.PQsetNoticeProcessor(self.handle, self._notice, None)
        self.generation += 1
        self.prepared = {}
        self.pid = self.lib.PQbackendPID(self.handle)
        for setting in (f"statement_timeout = '{TIMEOUT}s'",
                        "client_min_messages = warning",
                        "log_min_messages = log"):
            self.run(f"SET {setting}")

    def _message(self):
        return self.lib.PQerrorMessage(self.handle).decode(
            "utf-8", "replace").strip()

    def run(self, statement, parameters=(), types=None):
        """Run a statement: parameters are None, str, or Binary."""
        count = len(parameters)
        values = (ctypes.c_char_p * max(1, count))()
        lengths = (ctypes.c_int * max(1, count))()
        formats = (ctypes.c_int * max(1, count))()
        for place, value in enumerate(parameters):
            if isinstance(value, Binary):
                values[place] = value.data
                lengths[place], formats[place] = len(value.data), 1
            elif value is not None:
                values[place] = value.encode("utf-8", "surrogatepass")
        if types is None:
            result = self.lib.PQexecParams(self.handle, statement.encode(),
                                           count, None, values, lengths,
                                           formats, 0)
        else:
            name = self._prepare(statement, types)
            result = self.lib.PQexecPrepared(self.handle, name, count, values,
                                             lengths, formats, 0)
        return self._answer(result)

    def _prepare(self, statement, types):
        if (statement, types) not in self.prepared:
            name = f"s{len(self.prepared)}".encode()
            oids = (ctypes.c_uint * len(types))(
                *[int(self.run("SELECT $1::text::regtype::oid",
                               [type_]).rows[0][0]) for type_ in types])
            answer = self._answer(self.lib.PQprepare(
                self.handle, name, statement.encode(), len(types), oids))
            if answer.state:
                raise SystemExit(f"{statement}\n{answer.message}")
            self.prepared[statement, types] = name
        return self.prepared[statement, types]

    def _answer(self, result):
        lib = self.lib
        try:
            if lib.PQstatus(self.handle) != 0 or not result:
                return Answer("", self._message(), [], True)
            if lib.PQresultStatus(result) not in (1, 2):
                state = lib.PQresultErrorField(result, ord("C")) or b"?"
                text = lib.PQresultErrorField(result, ord("M")) or b""
                if lib.PQresultErrorField(result, ord("S")) in (b"FATAL",
                                                                b"PANIC"):
                    return Answer("", text.decode("utf-8", "replace"), [],
                                  True)
                return Answer(state.decode(), text.decode("utf-8", "replace"),
                              [], False)
            rows = [[None if lib.PQgetisnull(result, row, column) else
                     lib.PQgetvalue(result, row, column).decode(
                         "utf-8", "replace")
                     for column in range(lib.PQnfields(result))]
                    for row in range(lib.PQntuples(result))]
            return Answer("", "", rows, False)
        finally:
            lib.PQclear(result)

    def must(self, statement, parameters=()):
        answer = self.run(statement, parameters)
        if answer.state or answer.lost:
            raise SystemExit(f"{statement}\n{answer.state} {answer.message}")
        return answer.rows

    def cpu(self):
        """Seconds of processor time the backend has used."""
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """(bytes of its own the backend has, the most it ever had)."""
        sizes = {}
        with open(f"/proc/{self.pid}/status") as status:
            for line in status:
                name, _, value = line.partition(":")
                sizes[name] = value.split()
        own = int(sizes["RssAnon"][0])
        shared = int(sizes["RssFile"][0]) + int(sizes["RssShmem"][0])
        return own * 1024, max(own, int(sizes["VmHWM"][0]) - shared) * 1024


class Coverage:
    """The file that cover.c and we share; all answers are None without it."""

    def __init__(self, path=None):
        self.map = None
        if path:
            with open(path, "r+b") as file:
                self.map = mmap.mmap(file.fileno(), 0)

    def start(self, target, epoch):
        if self.map:
            struct.pack_into("=II", self.map, 0, target, epoch & 0xffffffff)

    def stop(self):
        if self.map:
            struct.pack_into("=I", self.map, 0, 0)

    def fresh(self):
        return struct.unpack_from("=I", self.map, 8)[0] if self.map else 0

    def reached(self, target):
        """How many pairs of blocks inputs of the target have reached."""
        if not self.map:
            return None
        notes = self.map[target * PAIRS:(target + 1) * PAIRS]
        return PAIRS - notes.count(0)


def private_server():
    """Build and start a server of our own; (settings, Coverage, log)."""
    library = os.path.join(TMP, "cover", "cover.so")
    subprocess.run([SCRIPT, "install", FLAGS], check=True)
    os.makedirs(os.path.dirname(library), exist_ok=True)
    headers = subprocess.run(
        [os.environ.get("PG_CONFIG", "pg_config"), "--includedir-server"],
        check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["cc", "-O2", "-Wall", "-D_GNU_SOURCE", "-fPIC", "-shared",
                    "-I", headers, os.path.join(HERE, "cover.c"),
                    "-o", library], check=True)
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    conf = (f"shared_preload_libraries = '{library}, dynamo'\n"
            f"dynamo.http_port = {port}\ndynamo.http_workers = 1\n"
            f"dynamo.http_database = '{DATABASE}'\n"
            "fsync = off\nautovacuum = off\nlog_min_messages = log")
    subprocess.run([SCRIPT, "stop", CLUSTER], check=True)
    subprocess.run([SCRIPT, "start", CLUSTER], check=True,
                   env=dict(os.environ, SERVER_CONF=conf))
    text = subprocess.run([SCRIPT, "env", CLUSTER], check=True,
                          capture_output=True, text=True).stdout
    found = dict(re.findall(r"(PG\w+)='?([^'\s]*)'?", text))
    place = os.path.join(TMP, CLUSTER)
    return (found, Coverage(os.path.join(place, "data", "cover.map")),
            os.path.join(place, "log"))


def open_server(running):
    """(Connection to a fresh database, Coverage, path of the log or None)."""
    found, coverage, log = (os.environ, Coverage(), None) if running \
        else private_server()
    settings = {"client_encoding": "UTF8",
                "dbname": found.get("PGDATABASE", "postgres")}
    for name, variable in (("host", "PGHOST"), ("port", "PGPORT"),
                           ("user", "PGUSER")):
        if variable in found:
            settings[name] = found[variable]
    first = Connection(settings)
    first.must(f"DROP DATABASE IF EXISTS {DATABASE}")
    first.must(f"CREATE DATABASE {DATABASE}")
    first.lib.PQfinish(first.handle)
    connection = Connection(dict(settings, dbname=DATABASE))
    connection.must("CREATE EXTENSION dynamo")
    return connection, coverage, log


def stop_server():
    subprocess.run([SCRIPT, "stop", CLUSTER], check=True)

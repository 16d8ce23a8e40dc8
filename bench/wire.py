#!/usr/bin/env python3
"""Send the statements of a file to a server as a client does that prepares
them: PREPARE and EXECUTE, as bench/cases.pl writes them, by messages of the
extended protocol, with parameters and results in text.

    bench/wire.py < STATEMENTS

PGHOST and the like say where.  Prints the process ID of the backend.
"""

import ctypes
import ctypes.util
import re
import sys

OK, DONE, TUPLES = 0, 1, 2      # CONNECTION_OK, PGRES_...


def libpq():
    lib = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
    p, s, i = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("PQconnectdb", p, [s]), ("PQstatus", i, [p]),
            ("PQerrorMessage", s, [p]), ("PQbackendPID", i, [p]),
            ("PQfinish", None, [p]), ("PQexec", p, [p, s]),
            ("PQprepare", p, [p, s, s, i, p]),
            ("PQexecPrepared", p,
             [p, s, i, ctypes.POINTER(s), p, p, i]),
            ("PQresultStatus", i, [p]), ("PQclear", None, [p])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Connection:
    def __init__(self):
        self.lib = libpq()
        self.handle = self.lib.PQconnectdb(b"")
        if self.lib.PQstatus(self.handle) != OK:
            self.fail()
        self.prepared = set()

    def fail(self):
        raise SystemExit(self.lib.PQerrorMessage(self.handle).decode())

    def check(self, result):
        if self.lib.PQresultStatus(result) not in (DONE, TUPLES):
            self.fail()
        self.lib.PQclear(result)

    def prepare(self, name, text):
        self.prepared.add(name)
        self.check(self.lib.PQprepare(self.handle, name.encode(),
                                      text.encode(), 0, None))

    def execute(self, name, values):
        array = (ctypes.c_char_p * max(1, len(values)))(
            *[value.encode() for value in values])
        self.check(self.lib.PQexecPrepared(self.handle, name.encode(),
                                           len(values), array, None, None, 0))

    def run(self, line):
        prepare = re.match(r"PREPARE (\w+)\((.*?)\) AS (.*)", line)
        execute = re.match(r"EXECUTE (\w+)\((.*)\)$", line)
        if prepare:
            types = prepare[2].split(", ")
            self.prepare(prepare[1], re.sub(
                r"\$(\d+)", lambda n: f"{n[0]}::{types[int(n[1]) - 1]}",
                prepare[3]))
        elif execute:
            self.execute(execute[1], re.findall(r"'([^']*)'", execute[2]))
        elif line in ("BEGIN", "COMMIT"):
            if line not in self.prepared:
                self.prepare(line, line)
            self.execute(line, [])
        else:
            self.check(self.lib.PQexec(self.handle, line.encode()))


def main():
    connection = Connection()
    print(connection.lib.PQbackendPID(connection.handle), flush=True)
    for line in sys.stdin.read().splitlines():
        connection.run(line)
    connection.lib.PQfinish(connection.handle)


if __name__ == "__main__":
    main()

"""The extension under test, reached through libpq.

A private server of this working tree is built, installed and started by
test/server; requests go to dynamo.try_call() as parameters, so any text
arrives exactly as written.
"""

import ctypes
import ctypes.util
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(os.path.dirname(HERE), "server")
CLUSTER = "differential"

CONNECTION_OK = 0
TUPLES_OK = 2


class PostgresError(Exception):
    """An error that try_call did not turn into an answer."""


def _libpq():
    lib = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
    for name, result in (
            ("PQconnectdb", ctypes.c_void_p), ("PQstatus", ctypes.c_int),
            ("PQerrorMessage", ctypes.c_char_p),
            ("PQexecParams", ctypes.c_void_p),
            ("PQresultStatus", ctypes.c_int),
            ("PQresultErrorField", ctypes.c_char_p),
            ("PQgetvalue", ctypes.c_char_p), ("PQntuples", ctypes.c_int),
            ("PQclear", None), ("PQfinish", None)):
        getattr(lib, name).restype = result
    return lib


class Postgres:
    """One connection to the extension on a private server."""

    name = "extension"

    def __init__(self, start=True):
        if start:
            subprocess.run([SERVER, "install"], check=True)
            subprocess.run([SERVER, "start", CLUSTER], check=True)
        self.started = start
        text = subprocess.run([SERVER, "env", CLUSTER], check=True,
                              capture_output=True, text=True).stdout
        self.env = dict(re.findall(r"(PG\w+)='?([^'\s]*)'?", text))
        self.lib = _libpq()
        self.handle = None
        self.connect()
        self.sql("DROP EXTENSION IF EXISTS dynamo CASCADE")
        self.sql("CREATE EXTENSION dynamo")

    def connect(self):
        if self.handle:
            self.lib.PQfinish(ctypes.c_void_p(self.handle))
        info = "host='{PGHOST}' port='{PGPORT}' user='{PGUSER}'" \
               " dbname='{PGDATABASE}'".format(**self.env)
        self.handle = self.lib.PQconnectdb(
            (info + " client_encoding=UTF8").encode())
        if self.lib.PQstatus(ctypes.c_void_p(self.handle)) != CONNECTION_OK:
            raise PostgresError(self._message())

    def _message(self):
        text = self.lib.PQerrorMessage(ctypes.c_void_p(self.handle))
        return text.decode("utf-8", "replace").strip()

    def sql(self, statement, *parameters):
        """Run one statement; the first column of its first row, or None."""
        values = (ctypes.c_char_p * max(1, len(parameters)))(
            *[p.encode("utf-8", "surrogatepass") for p in parameters])
        result = ctypes.c_void_p(self.lib.PQexecParams(
            ctypes.c_void_p(self.handle), statement.encode(),
            len(parameters), None, values, None, None, 0))
        try:
            status = self.lib.PQresultStatus(result)
            if status > TUPLES_OK:
                state = self.lib.PQresultErrorField(result, ord("C"))
                raise PostgresError(
                    f"{(state or b'').decode()} {self._message()}")
            if status == TUPLES_OK and self.lib.PQntuples(result):
                return self.lib.PQgetvalue(result, 0, 0).decode()
            return None
        finally:
            self.lib.PQclear(result)

    def call(self, operation, request):
        """Send one request; a dict, with "__type" in it for an error.

        What escapes try_call, or ends the connection, comes back as a
        "__type" of its own that DynamoDB Local never answers.
        """
        try:
            return json.loads(self.sql("SELECT dynamo.try_call($1, $2)",
                                       operation, json.dumps(request)))
        except PostgresError as error:
            lost = self.lib.PQstatus(ctypes.c_void_p(self.handle)) \
                != CONNECTION_OK
            if lost:
                self.reconnect()
            kind = "ConnectionLost" if lost else "PostgresError"
            return {"__type": kind, "message": str(error)}

    def reconnect(self):
        """Wait until the server has recovered from a crash."""
        for attempt in range(60):
            try:
                self.connect()
                return
            except PostgresError:
                subprocess.run(["sleep", "1"], check=True)
        self.connect()

    def stop(self):
        self.lib.PQfinish(ctypes.c_void_p(self.handle))
        if self.started:
            subprocess.run([SERVER, "stop", CLUSTER], check=True)

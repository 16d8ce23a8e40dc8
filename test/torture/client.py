"""The two doors by which a client of the torture comes in: SQL and HTTP.

Both answer with a Reply: "done", "refused" (nothing was written) or "unknown"
(the connection was lost, or the server had trouble of its own: it may have
been written or not).
"""

import collections
import hashlib
import hmac
import json
import os
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), "fuzz")]

from server import Connection                           # noqa: E402

PATIENCE = 90           # seconds without an answer: the server hangs
HOST = "127.0.0.1"

# fate as above; code: what refused it, or the trouble; body: the answer
Reply = collections.namedtuple("Reply", "fate code body")
LOST = Reply("unknown", "lost", None)

# names of SQLSTATEs, as HTTP has them (base_error.c)
EXCEPTIONS = {
    "ND001": "ValidationException", "ND004": "ResourceNotFoundException",
    "ND005": "ResourceInUseException", "ND007": "LimitExceededException",
    "ND008": "ConditionalCheckFailedException",
    "ND009": "TransactionCanceledException",
    "ND010": "TransactionConflictException",
    "ND011": "TransactionInProgressException"}


class Hangs(Exception):
    """No answer came."""


class Trouble(Exception):
    """The server does not do what a server must."""


def typed(value):
    """A value as the API writes it."""
    if isinstance(value, str):
        return {"S": value}
    return {"N": str(value)}


def typed_item(item):
    return {name: typed(value) for name, value in item.items()}


def plain(value):
    kind, content = next(iter(value.items()))
    return int(content) if kind == "N" else content


class Sql(Connection):
    """A session; connect() makes one attempt and lets run() fail."""

    def connect(self):
        if self.handle:
            self.lib.PQfinish(self.handle)
        self.handle = self.lib.PQconnectdb(" ".join(
            f"{name}='{value}'" for name, value in
            self.settings.items()).encode())
        self.lib.PQsetNoticeProcessor(self.handle, self._notice, None)
        self.prepared = {}
        self.generation += 1
        return self.alive()

    def alive(self):
        return self.lib.PQstatus(self.handle) == 0

    def close(self):
        self.lib.PQfinish(self.handle)
        self.handle = None

    def must(self, statement, parameters=()):
        answer = self.run(statement, parameters)
        if answer.lost or answer.state:
            raise Trouble(f"{statement}: {answer.state} {answer.message}")
        return answer.rows

    def ask(self, statement, parameters=()):
        """A statement that is a transaction of its own."""
        if not self.alive() and not self.connect():
            time.sleep(0.03)
            return LOST
        self.warnings.clear()
        answer = self.run(statement, parameters)
        if answer.lost or answer.state == "?":  # libpq's own error
            self.connect()
            return LOST._replace(body=answer.message)
        if answer.state:
            return Reply("refused", EXCEPTIONS.get(answer.state,
                                                   answer.state),
                         answer.message)
        return Reply("done", "", answer.rows)

    def call(self, operation, request):
        reply = self.ask("SELECT dynamo.call($1, $2::json)",
                         [operation, json.dumps(request)])
        if reply.fate == "done":
            return reply._replace(body=json.loads(reply.body[0][0]))
        return reply


class Http:
    """A connection that is kept as long as the server keeps it."""

    def __init__(self, port, key, secret):
        self.port, self.key, self.secret = port, key, secret
        self.wire = None
        self.data = b""                 # read and not yet used
        self.signing = (None, None)     # day and service, their key

    def connect(self):
        self.data = b""
        self.wire = socket.create_connection((HOST, self.port), 5)
        self.wire.settimeout(PATIENCE)
        self.wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        if self.wire:
            self.wire.close()
            self.wire = None

    def call(self, operation, request):
        try:
            if self.wire is None:
                self.connect()
            self.wire.sendall(self.request(operation, request))
            status, body = self.receive()
        except socket.timeout:
            if self.wire is None:
                return LOST
            self.close()
            raise Hangs(f"{operation}: no answer for {PATIENCE} s")
        except (OSError, EOFError):
            self.close()
            time.sleep(0.03)
            return LOST
        return self.reply(status, body)

    @staticmethod
    def reply(status, body):
        answer = json.loads(body) if body[:1] == b"{" else {}
        if status == 200:
            return Reply("done", "", answer)
        code = answer.get("__type", str(status)).rpartition("#")[2]
        message = answer.get("message") or answer.get("Message") or ""
        return Reply("refused" if status < 500 else "unknown", code, message)

    def request(self, operation, request):
        service = "DynamoDBStreams_20120810" if operation in (
            "GetRecords", "GetShardIterator", "DescribeStream",
            "ListStreams") else "DynamoDB_20120810"
        body = json.dumps(request).encode()
        head = {"content-type": "application/x-amz-json-1.0",
                "host": f"{HOST}:{self.port}",
                "x-amz-date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
                "x-amz-target": f"{service}.{operation}"}
        head["authorization"] = self.sign(head, body)
        lines = "".join(f"{name}: {value}\r\n" for name, value in
                        head.items())
        return (f"POST / HTTP/1.1\r\n{lines}"
                f"content-length: {len(body)}\r\n\r\n").encode() + body

    def sign(self, head, body):
        """AWS's Signature Version 4."""
        day = head["x-amz-date"][:8]
        scope = f"{day}/us-east-1/dynamodb/aws4_request"
        if self.signing[0] != day:
            key = b"AWS4" + self.secret.encode()
            for part in scope.split("/"):
                key = hmac.digest(key, part.encode(), "sha256")
            self.signing = (day, key)
        names = ";".join(sorted(head))
        canonical = "\n".join(
            ["POST", "/", ""]
            + [f"{name}:{head[name]}" for name in sorted(head)]
            + ["", names, hashlib.sha256(body).hexdigest()])
        to_sign = "\n".join(["AWS4-HMAC-SHA256", head["x-amz-date"], scope,
                             hashlib.sha256(canonical.encode()).hexdigest()])
        signature = hmac.digest(self.signing[1], to_sign.encode(),
                                "sha256").hex()
        return (f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, "
                f"SignedHeaders={names}, Signature={signature}")

    def receive(self):
        """(status, body) of the next response."""
        while b"\r\n\r\n" not in self.data:
            self.more()
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(fields.get("content-length", 0))
        while len(self.data) < length:
            self.more()
        body, self.data = self.data[:length], self.data[length:]
        if fields.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), body

    def more(self):
        data = self.wire.recv(65536)
        if not data:
            raise EOFError
        self.data += data

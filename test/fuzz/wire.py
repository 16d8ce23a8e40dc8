"""The target of raw bytes to the HTTP port, Signature Version 4 included.

A request is a head (request line and headers, where {date}, {day} and
{signature} stand for what is right at the moment), and a body.  Most of what
is changed is then signed anew, or nothing would come past the signature.
"""

import hashlib
import hmac
import json
import re
import socket
import time

import generate
from server import Answer
from targets import Operations

HEAD = ("POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Date: {date}\r\n"
        "X-Amz-Target: DynamoDB_20120810.%s\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n%s"
        "Authorization: AWS4-HMAC-SHA256 Credential={key}/{day}/us-east-1/"
        "dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target,"
        " Signature={signature}\r\n")
QUERY = ("POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
         "{key}%2F{day}%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date="
         "{date}&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature="
         "{signature} HTTP/1.1\r\nHost: localhost\r\n"
         "X-Amz-Target: DynamoDB_20120810.%s\r\n%s")
EXTRA = ["", "", "", "Connection: close\r\n", "Accept-Encoding: gzip\r\n",
         "X-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\n", "Expect: 100-continue"
         "\r\n", "Transfer-Encoding: chunked\r\n",
         "Content-Encoding: gzip\r\n",
         "Accept-Encoding: gzip;q=0, *;q=0.5\r\n",
         "Content-Length: 5\r\n", "Content-Length: 99999999999\r\n",
         "Origin: http://x\r\n", "X-Amz-Security-Token: x\r\n",
         "Host: other\r\n", "X-Long: " + "x" * 9000 + "\r\n"]
PATIENCE = 0.5          # seconds
PROBE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Http(Operations):
    name = "http"
    kinds = ("expr", "json", ("length", "none", "chunked", "short"))
    types = ()
    port = None

    def available(self, connection):
        rows = connection.run("SELECT current_setting('dynamo.http_port')"
                              "::int").rows
        self.port = int(rows[0][0]) if rows else 0
        return self.port > 0

    def setup(self, connection):
        super().setup(connection)
        connection.must("DELETE FROM dynamo.access_keys")
        self.key, self.secret = connection.must(
            "SELECT * FROM dynamo.create_access_key(current_role::regrole)")[0]
        for _ in range(3000):   # the worker waits for its database
            try:
                socket.create_connection(("localhost", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise SystemExit("HTTP is not served")

    def statements(self, fields):
        return (), None, ()

    def parameters(self, fields):
        return fields

    def generate(self, rng):
        operation, request = generate.make(rng, self.recent)
        head = HEAD if rng.random() < 0.75 else QUERY
        if rng.random() < 0.1:
            head = head.replace("POST", rng.choice(["GET", "OPTIONS", "PUT",
                                                    "HEAD", "post", "X"]))
        return [head.replace("%s", operation, 1).replace(
            "%s", rng.choice(EXTRA)), json.dumps(request),
            rng.choice(self.kinds[2])]

    def request(self, fields):
        """The bytes to send."""
        head, body, framing = (fields[0] or "", fields[1] or "", fields[2])
        body = body.encode("utf-8", "surrogatepass")
        now = time.gmtime()
        date = time.strftime("%Y%m%dT%H%M%SZ", now)
        head = head.replace("{date}", date).replace("{day}", date[:8])
        head = head.replace("{key}", self.key)
        if "{signature}" in head:
            head = head.replace("{signature}", sign(head, body, self.secret))
        if framing == "chunked":
            head += "Transfer-Encoding: chunked\r\n"
            body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        elif framing != "none":
            less = 3 if framing == "short" else 0
            head += f"Content-Length: {max(0, len(body) - less)}\r\n"
        return head.encode("utf-8", "surrogatepass") + b"\r\n" + body

    def send(self, connection, statement, fields, types):
        answer = self._exchange(self.request(fields), PATIENCE)
        if not answer:
            # The rest of a request may be waited for long; others go on.
            if connection.run("SELECT").lost or \
                    not self._exchange(PROBE, 20 * PATIENCE):
                return Answer("", "no answer to the next request", [], True)
        status = re.match(rb"HTTP/1\.[01] (\d+)", answer)
        if status and status.group(1) == b"500" and \
                "content-encoding" not in (fields[0] or "").lower():
            # a body that is not compressed as it says is a 500 at AWS, too
            return Answer("58000", answer.decode("utf-8", "replace"), [],
                          False)
        refused = "22000" if not status or status.group(1) != b"200" else ""
        return Answer(refused, "", [], False)

    def _exchange(self, data, patience):
        """The answer; b"" when there is none in time."""
        try:
            with socket.create_connection(("localhost", self.port),
                                          patience) as wire:
                try:
                    wire.sendall(data)
                    wire.shutdown(socket.SHUT_WR)
                except OSError:
                    pass            # refused before it was sent
                got = b""
                while not complete(got):
                    part = wire.recv(65536)
                    if not part:
                        break
                    got += part
                return got
        except OSError:
            return b""


def complete(answer):
    """Is this a whole answer?  What follows it is not waited for."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if head.startswith(b"HTTP/1.1 100"):
        return complete(body)
    length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
    return bool(end and length) and (len(body) >= int(length.group(1)))


def sign(head, body, secret):
    """The signature the request should have, as far as it can be told."""
    credential = re.search(r"(\d{8})/([^/]*)/([^/]*)/aws4_request",
                           head.replace("%2F", "/"))
    line, _, rest = head.partition("\r\n")
    path = (line.split(" ") + ["", ""])[1]
    path, _, query = path.partition("?")
    names = re.search(r"SignedHeaders=([^,& ]*)", head)
    if not credential or not names:
        return "0" * 64
    headers = {}
    for one in rest.split("\r\n"):
        name, colon, value = one.partition(":")
        if colon:
            headers.setdefault(name.lower(), []).append(
                " ".join(value.split()))
    wanted = [name for name in names.group(1).split(";") if name in headers]
    pairs = sorted(pair for pair in query.split("&")
                   if pair and not pair.startswith("X-Amz-Signature="))
    unsigned = "UNSIGNED-PAYLOAD" in head
    canonical = "\n".join(
        [line.split(" ")[0], path or "/", "&".join(pairs)] +
        [f"{name}:{','.join(headers[name])}" for name in wanted] +
        ["", names.group(1), "UNSIGNED-PAYLOAD" if unsigned else
         hashlib.sha256(body).hexdigest()])
    day, region, service = credential.groups()
    date = re.search(r"\d{8}T\d{6}Z", head)
    text = "\n".join(["AWS4-HMAC-SHA256", date.group() if date else "",
                      f"{day}/{region}/{service}/aws4_request",
                      hashlib.sha256(canonical.encode(
                          "utf-8", "surrogatepass")).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode("utf-8", "surrogatepass"),
                       "sha256").digest()
    return hmac.new(key, text.encode("utf-8", "surrogatepass"),
                    "sha256").hexdigest()

#!/usr/bin/env python3
"""A store for tests: moto's server, behind a proxy that misbehaves when told to.

    server.py PORT [CERTIFICATE KEY]        listens on 127.0.0.1 and ::1

The proxy checks each request's signature by itself (moto does not), against the
credentials in STORE_KEY and STORE_SECRET, and STORE_TOKEN if that is set, and
notes what it was asked.  A bucket may stand in the path or before ".localhost".

    POST /-/fault   {"match": REGEX, "do": WHAT, "times": N, ...}: the next N
                    requests whose "METHOD path?query" match are dealt with so
                        status    answer with "status" and "body", in which {n}
                                  is another number each time
                        heads     answer that it goes on, without end
                        trailers  end a document, but not what follows it
                        cut       send "bytes" of the answer's body, and close
                        close     read half of the request, and close
                        after     do what is asked, and close without an answer
                        hang      do not answer, until the proxy ends
                        hold      answer 200 when a request came that matches
                                  "until", and note "LEFT" if nobody waits by then
                        late      answer a second later
                        drip      answer with a byte a second
                        again     answer a request for a range by the whole
                        pages     list no more than "keys" keys at a time
    DELETE /-/fault no more of them
    GET /-/log      the requests since the last time, a line each, with the bucket
                    and a colon before the path if it stood in the host; and how
                    many bytes without end were taken, as "SENT 123456"
    PUT /-/bucket/NAME, /-/object/BUCKET/KEY, GET /-/object/..., /-/keys/BUCKET,
    /-/uploads/BUCKET                           as moto's clients would
"""

import hashlib
import hmac
import http.client
import itertools
import json
import logging
import os
import re
import socket
import socketserver
import ssl
import sys
import threading
import time
import traceback
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
from moto.server import ThreadedMotoServer

KEY, SECRET = os.environ["STORE_KEY"], os.environ["STORE_SECRET"]
TOKEN = os.environ.get("STORE_TOKEN")
faults, log, numbers = [], [], itertools.count(1)
lock = threading.Lock()


def sign(request, body):
    """What is wrong with a request's signature; None: nothing."""
    given = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, ?"
        r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})",
        request.headers.get("Authorization", ""))
    if not given:
        return "InvalidRequest"
    key, day, region, names, signature = given.groups()
    if key != KEY:
        return "InvalidAccessKeyId"
    if TOKEN and request.headers.get("x-amz-security-token") != TOKEN:
        return "InvalidToken"
    names = names.split(";")
    for name in request.headers:
        if name.lower().startswith("x-amz-") and name.lower() not in names:
            return "AccessDenied"
    if "host" not in names:
        return "AccessDenied"
    path, _, query = request.path.partition("?")
    encoded = lambda text: urllib.parse.quote(text, safe="-._~")
    path = "/".join(encoded(urllib.parse.unquote(p)) for p in path.split("/"))
    pairs = sorted((encoded(k), encoded(v)) for k, v in
                   urllib.parse.parse_qsl(query, keep_blank_values=True))
    digest = request.headers.get("x-amz-content-sha256", "")
    if digest != hashlib.sha256(body).hexdigest():
        return "XAmzContentSHA256Mismatch"
    canonical = "\n".join(
        [request.command, path, "&".join(f"{k}={v}" for k, v in pairs)] +
        [f"{n}:{' '.join(request.headers[n].split())}" for n in names] +
        ["", ";".join(names), digest])
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("AWS4" + SECRET).encode()
    for part in (day, region, "s3", "aws4_request"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    expected = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return None if hmac.compare_digest(expected, signature) else "SignatureDoesNotMatch"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def error(self, status, code):
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())

    def close(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def fault(self, line):
        with lock:
            for one in faults:
                if one["times"] > 0 and re.search(one["match"], line):
                    one["times"] -= 1
                    return one
        return {"do": None}

    def forward(self, body, drop=()):
        to = http.client.HTTPConnection("127.0.0.1", moto_port)
        headers = {n: v for n, v in self.headers.items()
                   if n.lower() not in drop + ("connection", "host")}
        path = f"/{self.bucket()}{self.path}" if self.bucket() else self.path
        to.request(self.command, path, body, headers)
        answer = to.getresponse()
        kept = [(n, v) for n, v in answer.getheaders()
                if n.lower() not in ("content-length", "connection", "transfer-encoding")]
        if self.command == "HEAD":
            length = answer.getheader("Content-Length")
            answer.read()
            return answer.status, length, kept
        return answer.status, answer.read(), kept

    def bucket(self):
        """That stands in the host; "": none."""
        host = self.headers.get("Host", "").partition(":")[0]
        return host[:-len(".localhost")] if host.endswith(".localhost") else ""

    def hold(self, until):
        while True:
            with lock:
                if any(re.search(until, line) for line in log):
                    break
            time.sleep(0.01)
        self.connection.setblocking(False)
        try:
            left = self.connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            left = False
        except OSError:
            left = True
        self.connection.setblocking(True)
        if not left:
            return self.answer(200)
        with lock:
            log.append("LEFT")
        return self.close()

    def serve(self):
        if self.path.startswith("/-/"):
            return self.control()
        line = f"{self.command} {self.bucket()}{':' if self.bucket() else ''}{self.path}"
        with lock:
            log.append(line)
        fault = self.fault(line)
        length = int(self.headers.get("Content-Length") or 0)
        if fault["do"] == "close":
            self.rfile.read(length // 2)
            return self.close()
        body = self.rfile.read(length)
        if fault["do"] == "hang":
            time.sleep(3600)
        if fault["do"] == "hold":
            return self.hold(fault["until"])
        if fault["do"] == "late":
            time.sleep(1)
        if fault["do"] == "status":
            return self.answer(fault["status"], fault.get("body", "").replace("{n}", str(next(numbers))).encode(),
                               fault.get("headers", {}).items())
        if fault["do"] in ("heads", "trailers"):
            begin, more = {
                "heads": (b"", b"HTTP/1.1 100 Continue\r\nX-More: yes\r\n\r\n"),
                "trailers": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                             b"13\r\n<ListBucketResult/>\r\n0\r\n", b"X-More: yes\r\n")}[fault["do"]]
            sent = 0
            try:
                self.wfile.write(begin)
                while True:
                    sent += self.wfile.write(100 * more)
            except OSError:
                with lock:
                    log.append(f"SENT {sent}")
                return self.close()
        wrong = sign(self, body)
        if wrong:
            return self.error(403, wrong)
        if fault["do"] == "pages":
            self.path = re.sub("max-keys=[0-9]+", f"max-keys={fault['keys']}", self.path)
        status, content, headers = self.forward(
            body, ("range",) if fault["do"] == "again" else ())
        if fault["do"] == "after":
            return self.close()
        if self.command == "HEAD":
            self.send_response(status)
            for name, value in headers + [("Content-Length", content or "0")]:
                self.send_header(name, value)
            return self.end_headers()
        if fault["do"] in ("cut", "drip"):
            self.send_response(status)
            for name, value in headers + [("Content-Length", str(len(content)))]:
                self.send_header(name, value)
            self.end_headers()
            if fault["do"] == "cut":
                self.wfile.write(content[:fault["bytes"]])
                self.wfile.flush()
                return self.close()
            try:
                for i in range(len(content)):
                    self.wfile.write(content[i:i + 1])
                    self.wfile.flush()
                    time.sleep(1)
            except OSError:
                pass
            return self.close()
        return self.answer(status, content, headers)

    def control(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what, _, rest = urllib.parse.unquote(self.path[3:]).partition("/")
        bucket, _, key = rest.partition("/")
        if what == "fault":
            with lock:
                if self.command == "POST":
                    faults.append({"times": 1, **json.loads(body)})
                else:
                    faults.clear()
            return self.answer(200)
        if what == "log":
            with lock:
                text = "\n".join(log)
                log.clear()
            return self.answer(200, text.encode())
        if what == "bucket":
            s3.create_bucket(Bucket=bucket)
            return self.answer(200)
        if what == "object" and self.command == "PUT":
            s3.put_object(Bucket=bucket, Key=key, Body=body)
            return self.answer(200)
        if what == "object":
            found = s3.get_object(Bucket=bucket, Key=key)
            return self.answer(200, found["Body"].read(), [("ETag", found["ETag"])])
        if what == "keys":
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
            keys = [o["Key"] for page in pages for o in page.get("Contents", [])]
            return self.answer(200, "\n".join(keys).encode())
        if what == "uploads":
            found = s3.list_multipart_uploads(Bucket=bucket).get("Uploads", [])
            return self.answer(200, "\n".join(u["Key"] for u in found).encode())
        return self.answer(404)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()


class Server6(Server):
    address_family = socket.AF_INET6


port = int(sys.argv[1])
logging.getLogger("werkzeug").setLevel(logging.ERROR)
moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
while moto._server is None:
    time.sleep(0.05)
moto_port = moto._server.server_port
s3 = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{moto_port}", region_name="us-east-1",
                  aws_access_key_id="test", aws_secret_access_key="test",
                  config=boto3.session.Config(s3={"addressing_style": "path"}))
servers = [Server(("127.0.0.1", port), Handler)]
try:
    servers.append(Server6(("::1", port), Handler))
except OSError:
    pass
for server in servers:
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()

"""Amazon's DynamoDB Local: fetched by Maven, started on a free loopback port.

The jars go to tmp/dynamodb-local and are never committed.  The server keeps
everything in memory and is stopped by its pid.
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import time
from decimal import Decimal, InvalidOperation

MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"
HERE = os.path.dirname(os.path.abspath(__file__))


def install(tmp):
    """Copy DynamoDB Local and all it needs to tmp/dynamodb-local/lib."""
    home = os.path.join(tmp, "dynamodb-local")
    lib = os.path.join(home, "lib")
    pom = os.path.join(home, "pom.xml")
    wanted = os.path.join(HERE, "pom.xml")
    if os.path.isdir(lib) and os.path.exists(pom) \
            and open(pom).read() == open(wanted).read():
        return lib
    for tool in ("mvn", "java"):
        if not shutil.which(tool):
            raise SystemExit(f"differential: {tool} is not installed"
                             " (apt-get install maven default-jre-headless)")
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    # Even with nothing to say it writes escape sequences.
    maven = subprocess.run(["mvn", "-B", "-q", "-f", wanted,
                            "dependency:copy-dependencies",
                            "-DincludeScope=runtime",
                            f"-DoutputDirectory={lib}"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if maven.returncode != 0:
        raise SystemExit(maven.stdout.decode(errors="replace"))
    shutil.copy(wanted, pom)
    return lib


def with_actions(request):
    """AttributeUpdates with their default, which Local does not know."""
    updates = request.get("AttributeUpdates")
    if not isinstance(updates, dict):
        return request
    return {**request, "AttributeUpdates": {
        name: {**update, "Action": "PUT"}
        if isinstance(update, dict) and update.get("Action") is None
        else update for name, update in updates.items()}}


def plain_numbers(node):
    """Numbers as the service writes them; inside documents Local does not."""
    if isinstance(node, dict):
        return {name: plain_number(child)
                if name == "N" and isinstance(child, str)
                else [plain_number(text) for text in child]
                if name == "NS" and isinstance(child, list)
                else plain_numbers(child) for name, child in node.items()}
    if isinstance(node, list):
        return [plain_numbers(child) for child in node]
    return node


def plain_number(text):
    """Decimal digits without exponent or superfluous zeros."""
    try:
        text = format(Decimal(text), "f")
    except (InvalidOperation, TypeError):
        return text
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Local:
    """One running DynamoDB Local."""

    name = "local"

    def __init__(self, lib, log):
        self.port = free_port()
        self.connection = None
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
             f"-Djava.library.path={lib}", "-cp", os.path.join(lib, "*"), MAIN,
             "-inMemory", "-disableTelemetry", "-port", str(self.port)],
            cwd=os.path.dirname(lib), stdin=subprocess.DEVNULL,
            stdout=open(log, "w"), stderr=subprocess.STDOUT)
        self._await(log)

    def _await(self, log):
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                self.call("ListTables", {})
                return
            except OSError:
                self.connection = None
                time.sleep(0.1)
        self.stop()
        raise SystemExit("differential: DynamoDB Local did not start,"
                         f" see {log}")

    def call(self, operation, request):
        """Send one request; a dict, with "__type" in it for an error."""
        body = json.dumps(with_actions(request)).encode()
        headers = {
            "X-Amz-Target": "DynamoDB_20120810." + operation,
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": "AWS4-HMAC-SHA256 Credential=differential/"
                             "20260101/us-east-1/dynamodb/aws4_request, "
                             "SignedHeaders=host, Signature=0"}
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=60)
            try:
                self.connection.request("POST", "/", body, headers)
                answer = self.connection.getresponse().read()
                return plain_numbers(json.loads(answer))
            except (http.client.HTTPException, ConnectionError):
                self.connection = None      # was idle, or the request too big
                if attempt == 2 and self.process.poll() is None \
                        and len(body) > 2 ** 24:
                    return {"__type": "RequestTooLarge"}
                if attempt == 2:
                    raise

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

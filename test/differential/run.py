#!/usr/bin/env python3
"""Send the same random requests to the extension and to DynamoDB Local.

    test/differential/run.py [--count N] [--seed S] [--first I] [--no-shrink]
                             [--only requests|statements|control]
    test/differential/run.py --self     two Locals: must agree, then a planted
                                        difference must be found

First come requests about items and tables, then as many of PartiQL's
operations, then as many that make and change tables, their time to live and
their tags (sequences.py).  The former come in episodes of 50 that start with empty tables; request I of
seed S is the same in every run, and --first I --count 50 (I a multiple of 50)
repeats one episode.  Differences are gathered by class and the first of each
class is made smaller; reviewed ones are listed in explained.py.  The whole
report goes to tmp/differential/report.txt.  Exit status: 0 if every
difference in result, exception type or state is explained, 1 if not.
"""

import argparse
import copy
import os
import random
import sys

import generate
import sequences
import statements
from compare import is_error
from explained import explain
from local import Local, install
from postgres import Postgres
from report import Report
from shrink import Shrinker
from tables import TABLES
from world import World, tables_of

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TMP = os.path.join(TOP, "tmp")
EPISODE = 50


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=["requests", "statements", "control"])
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--no-texts", action="store_true")
    parser.add_argument("--self", action="store_true", dest="self_test")
    parser.add_argument("--running", action="store_true",
                        help="use the private server that is running")
    return parser.parse_args()


def episodes(world, report, options):
    """Send all requests, then all statements, then all sequences."""
    if options.only in (None, "requests"):
        run_episodes(world, report, options, generate.make, options.seed)
    if options.only in (None, "statements"):
        run_episodes(world, report, options, statements.make,
                     f"{options.seed}/statements")
    if options.only in (None, "control"):
        sequences.run(world, report, options, COUNTS)


def run_episodes(world, report, options, make, seed):
    """Send all of one kind; an index that differs is a difference too."""
    last = options.first + options.count
    tokens = Tokens()
    for number in range(options.first, last):
        if number % EPISODE == 0 or number == options.first:
            tokens.sent.clear()
            start_items(world, random.Random(f"{seed}/{number}/items"))
        rng = random.Random(f"{seed}/{number}")
        operation, request = make(rng, world.items)
        operation, request = tokens.apply(rng, operation, request)
        one_request(world, report, options, number, operation, request)
        if number % EPISODE == EPISODE - 1 or number == last - 1:
            for request, difference in world.compare_indexes():
                report.add(difference, {
                    "number": number, "operation": "Scan", "request": request,
                    "ours": {}, "theirs": {}})
        if number % 1000 == 999:
            print(f"{number + 1} requests,"
                  f" {report.unexplained()} unexplained differences",
                  file=sys.stderr)


class Tokens:
    """Transactions with a token, some of them sent a second time."""

    def __init__(self):
        self.count = 0
        self.sent = []

    def apply(self, rng, operation, request):
        """Give the request a token, or put an earlier one in its place."""
        if operation != "TransactWriteItems" or rng.random() > 0.3 \
                or not isinstance(request.get("TransactItems"), list):
            return operation, request
        if self.sent and rng.random() < 0.5:
            request = copy.deepcopy(rng.choice(self.sent))
            if rng.random() < 0.3:
                request["TransactItems"] = request["TransactItems"][1:]
            if rng.random() < 0.3:
                request["ReturnConsumedCapacity"] = "TOTAL"
            return operation, request
        self.count += 1
        request["ClientRequestToken"] = f"token-{self.count}"
        self.sent = self.sent[-3:] + [copy.deepcopy(request)]
        return operation, request


def start_items(world, rng):
    """Something to read before the first write."""
    items = {}
    for name, table in TABLES.items():
        chosen = {repr(table.key_of(item)): item for item in
                  (table.item(rng) for _ in range(15))}
        items[name] = list(chosen.values())
    world.reset()
    for name, wanted in items.items():
        for item in wanted:
            request = {"TableName": name, "Item": item}
            world.ours.call("PutItem", request)
            world.theirs.call("PutItem", request)
        world.items[name] = world.scan(world.theirs, name)


def one_request(world, report, options, number, operation, request):
    before = {name: list(world.items[name]) for name in tables_of(request)}
    ours, theirs, found = world.send(operation, request)
    if not found:
        COUNTS[is_error(theirs)] += 1
    for difference in found:
        example = {"number": number, "operation": operation,
                   "request": request, "items": before, "ours": ours,
                   "theirs": theirs}
        if report.add(difference, example) and not options.no_shrink:
            shrink(world, operation, example, difference.line())


COUNTS = {False: 0, True: 0}


def shrink(world, operation, example, line):
    """Replace the example by a smaller one; the world is as before after."""
    items = {name: list(kept) for name, kept in world.items.items()}
    request, fewer = Shrinker(world).shrink(
        operation, example["request"], example["items"], line)
    world.restore(fewer)
    ours, theirs, _ = world.send(operation, request)
    example.update(request=request, ours=ours, theirs=theirs,
                   items={name: kept for name, kept in fewer.items() if kept})
    world.restore(items)


class Planted:
    """A Local that forgets ScannedCount now and then, for the self test."""

    name = "planted"

    def __init__(self, side):
        self.side = side

    def call(self, operation, request):
        answer = self.side.call(operation, request)
        if operation == "Query" and answer.get("ScannedCount", 0) > 1:
            answer["ScannedCount"] -= 1
        return answer


def self_test(options, theirs, other):
    """True if equals agree and a planted difference is reported."""
    report = Report(lambda line, request: None)
    episodes(World(other, theirs), report, options)
    report.write(sys.stdout)
    agree = not report.classes
    report = Report(lambda line, request: None)
    episodes(World(Planted(other), theirs), report, options)
    report.write(sys.stdout)
    found = [line for line in report.classes if "ScannedCount" in line]
    print("self test:", "passed" if agree and found else "failed")
    return agree and bool(found)


def main():
    options = arguments()
    logs = os.path.join(TMP, "differential.out")
    os.makedirs(logs, exist_ok=True)
    lib = install(TMP)
    sides = [Local(lib, os.path.join(logs, "local.log"))]
    try:
        if options.self_test:
            sides.append(Local(lib, os.path.join(logs, "second.log")))
            return 0 if self_test(options, *sides) else 1
        sides.append(Postgres(start=not options.running))
        report = Report(explain)
        try:
            episodes(World(sides[1], sides[0]), report, options)
        finally:
            with open(os.path.join(logs, "report.txt"), "w") as out:
                report.write(out)
            report.write(sys.stdout, texts=not options.no_texts)
            print(f"{COUNTS[False]} results and {COUNTS[True]} errors agree;"
                  f" {report.unexplained()} unexplained differences;"
                  f" report in {logs}/report.txt")
        return 1 if report.unexplained() else 0
    finally:
        for side in reversed(sides):
            side.stop()


if __name__ == "__main__":
    sys.exit(main())

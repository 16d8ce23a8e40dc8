#!/usr/bin/env python3
"""Fuzz what reads input from outside: items, keys, numbers, expressions,
requests, in text and in binary.

    test/fuzz/run.py [--seconds N | --inputs N] [--seed S] [--targets A,B]
                     [--running]
    test/fuzz/run.py --replay FILE [--running]
    test/fuzz/run.py --distill

Inputs are made from the grammars of the differential test or by changing
inputs of the corpus (test/fuzz/corpus, one JSON array of fields a line).  On
the private server, which is built for it, an input that reaches something new
joins the corpus of this run; --running takes the server of PGHOST and PGPORT
as it is and keeps to the corpus there is, so that input I of a target is the
same whenever the seed is.  --seconds is for all targets, which take turns;
--inputs for each.

A finding is: a lost connection, a failed assertion, an SQLSTATE that broken
input does not explain (targets.py), InternalServerError, a warning, a
statement of more than 5 seconds of processor time, memory that grows, a
property that does not hold.  The first input of each kind is made smaller,
printed and kept in tmp/fuzz.out.  Exit status: 0 if there was none, 1 if
there was one.

FUZZ_FLAGS are further flags for the private server's build, FUZZ_SLOWER says
how many times slower and larger it may be with them.
"""

import argparse
import json
import os
import random
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), "differential")]

from mutate import Mutator                              # noqa: E402
from server import (SLOWER, TIMEOUT, TMP, open_server,  # noqa: E402
                    stop_server)
from targets import ALLOWED                             # noqa: E402
import targets                                          # noqa: E402
import wire                                             # noqa: E402

ALL = targets.ALL + [wire.Http()]

OUT = os.path.join(TMP, "fuzz.out")
CORPUS = os.path.join(HERE, "corpus")
SLICE = 20              # seconds a target has before the next has its turn
KEEP = 5000             # inputs a run's corpus may have for a target
MEGABYTE = 1 << 20
GROWTH = SLOWER * 64 * MEGABYTE     # that a backend may keep for good
PEAK = SLOWER * 768 * MEGABYTE      # that it may need for one input


class Finding:
    def __init__(self, kind, detail):
        self.kind = kind
        self.detail = detail

    def same_kind(self, other):
        return other is not None and self.title() == other.title()

    def title(self):
        """Kind and detail without what differs from input to input."""
        detail = re.sub(r'"[^"]*"|\d+', "*", self.detail.split("\n")[0])
        return f"{self.kind}: {detail[:100]}"


class Run:
    """One target's inputs, corpus and score."""

    def __init__(self, number, target, fuzzer):
        self.number = number
        self.target = target
        self.fuzzer = fuzzer
        self.rng = random.Random(f"{fuzzer.options.seed}/{target.name}")
        self.mutator = Mutator(self.rng)
        self.corpus = load(os.path.join(CORPUS, target.name + ".jsonl"))
        self.seeds = len(self.corpus)
        self.inputs = self.accepted = 0
        self.slowest = 0
        self.made = None                # when set up last
        self.findings = {}              # title -> how often

    def next_input(self):
        """The corpus first, as it is; then one made or one changed."""
        rng = self.rng
        if self.inputs < self.seeds:
            return self.corpus[self.inputs]
        if not self.corpus or rng.random() < 0.25:
            fields = self.target.generate(rng)
            if rng.random() < 0.6:
                return fields
        else:
            # what was found last is not worn yet
            back = int(len(self.corpus) * rng.random() ** 2)
            fields = self.corpus[-1 - back]
        other = rng.choice(self.corpus) if self.corpus else fields
        return self.mutator.mutate(self.target.kinds, fields, other)

    def set_up(self):
        """Whenever another target, or a crash, may have changed things."""
        fuzzer = self.fuzzer
        state = (self.inputs // self.target.remake,
                 fuzzer.connection.generation)
        if self.made == state and fuzzer.last is self:
            return
        fuzzer.coverage.stop()
        if fuzzer.last:
            fuzzer.last.inspect()
        self.target.setup(fuzzer.connection)
        self.made = state
        fuzzer.last = self

    def inspect(self):
        """Look for lasting damage; which input did it is not known."""
        wrong = self.target.inspect(self.fuzzer.connection) or \
            self.fuzzer.ended_workers()
        if wrong:
            self.fuzzer.report(self, [], Finding("damage", wrong))

    def step(self):
        self.set_up()
        fields = self.next_input()
        fresh = self.fuzzer.coverage.fresh()
        self.fuzzer.coverage.start(self.number, self.fuzzer.epoch())
        start = time.monotonic()
        finding, accepted = self.fuzzer.attempt(self.target, fields)
        self.slowest = max(self.slowest, time.monotonic() - start)
        new = self.fuzzer.coverage.fresh() > fresh
        if self.inputs >= self.seeds and new and finding is None and \
                len(self.corpus) < KEEP:
            self.corpus.append(fields)
        self.inputs += 1
        self.accepted += accepted
        if finding is None and self.inputs % 1000 == 0:
            finding = self.fuzzer.memory_finding()
        if finding:
            self.fuzzer.report(self, fields, finding)


class Fuzzer:
    def __init__(self, options):
        self.options = options
        self.connection, self.coverage, self.log = \
            open_server(options.running)
        self.last = None
        self.epochs = 0
        self.base = {}                  # generation -> memory at its start
        chosen = options.targets.split(",") if options.targets else None
        self.runs = [Run(number + 1, target, self)
                     for number, target in enumerate(ALL)
                     if (not chosen or target.name in chosen)
                     and target.available(self.connection)]

    def epoch(self):
        self.epochs += 1
        return self.epochs

    def attempt(self, target, fields):
        """Send one input; (Finding or None, was it accepted?)."""
        connection = self.connection
        connection.warnings.clear()
        types, statement, checks = target.statements(fields)
        parameters = target.parameters(fields)
        answer = target.send(connection, statement, parameters, types)
        finding, accepted = None, False
        if answer.lost:
            finding = self.lost(answer)
        elif answer.state == "57014":
            finding = self.slow(statement, parameters, types)
        elif answer.state:
            if not answer.state.startswith(ALLOWED + tuple(target.allowed)):
                finding = Finding("SQLSTATE " + answer.state, answer.message)
        else:
            accepted = True
            wrong = target.judge(answer)
            if wrong:
                finding = Finding(wrong, self.cause(statement, parameters,
                                                    types))
            for check in checks:
                finding = finding or self.check(check, parameters, types)
        if finding is None and connection.warnings:
            finding = Finding("warning", connection.warnings[0])
        return finding, accepted

    def check(self, check, parameters, types):
        answer = self.connection.run(check, parameters, types)
        if answer.lost:
            return self.lost(answer)
        if answer.state == "57014":
            return self.slow(check, parameters, types)
        if answer.state:
            return Finding("property raises " + answer.state, answer.message)
        if answer.rows and answer.rows[0][0] == "f":
            return Finding("property does not hold", check)
        return None

    def cause(self, statement, parameters, types):
        """The error behind InternalServerError."""
        answer = self.connection.run(statement.replace("try_call", "call"),
                                     parameters, types)
        return f"{answer.state} {answer.message}"

    def slow(self, statement, parameters, types):
        """A statement timed out: was it slow, or was the machine busy?"""
        connection = self.connection
        connection.run(f"SET statement_timeout = '{TIMEOUT * 24}s'")
        before = connection.cpu()
        answer = connection.run(statement, parameters, types)
        if answer.lost:
            return self.lost(answer)
        used = connection.cpu() - before
        connection.run(f"SET statement_timeout = '{TIMEOUT}s'")
        if used > TIMEOUT or answer.state == "57014":
            return Finding("slow", f"{used:.0f} s of processor time")
        return None

    def lost(self, answer):
        """The backend died; why, says the log."""
        self.connection.connect()
        detail = answer.message
        if self.log:
            with open(self.log, errors="replace") as log:
                told = [line.strip() for line in log if re.search(
                    "TRAP:|terminated by signal|runtime error:"
                    "|ERROR: AddressSanitizer", line)]
            detail = " ".join(told[-2:]) or detail
        return Finding("lost connection", detail)

    def ended_workers(self):
        """A line of the log on a worker that did not end as it should."""
        if self.log:
            with open(self.log, errors="replace") as log:
                for line in log:
                    if "exited with exit code" in line:
                        return line.strip()
        return None

    def memory_finding(self):
        own, peak = self.connection.memory()
        base = self.base.setdefault(self.connection.generation, own)
        if own - base < GROWTH and peak < PEAK:
            return None
        self.connection.connect()
        return Finding("memory", f"from {base // MEGABYTE} MB to"
                       f" {own // MEGABYTE} MB, at most {peak // MEGABYTE} MB")

    def report(self, run, fields, finding):
        title = finding.title()
        run.findings[title] = run.findings.get(title, 0) + 1
        if run.findings[title] > 1:
            return
        self.coverage.stop()
        small = fields if finding.kind in ("memory", "damage") else \
            self.reduce(run.target, fields, finding)
        os.makedirs(OUT, exist_ok=True)
        count = sum(len(one.findings) for one in self.runs)
        path = os.path.join(OUT, f"finding-{count}.json")
        with open(path, "w") as file:
            json.dump({"target": run.target.name, "finding": title,
                       "detail": finding.detail, "input": packed(small),
                       "as_found": packed(fields)}, file, indent=1)
        print(f"FINDING in {run.target.name}, input {run.inputs}: {title}\n"
              f"  {finding.detail[:400]}\n"
              f"  {json.dumps(packed(small))[:2000]}\n"
              f"  test/fuzz/run.py --replay {os.path.relpath(path)}",
              flush=True)

    def reduce(self, target, fields, finding):
        """Leave out what can go while the finding stays of its kind."""
        tries = 40 if "lost" in finding.kind or finding.kind == "slow" \
            else 600
        fields = list(fields)

        def holds(place, candidate):
            nonlocal tries
            tries -= 1
            changed = fields[:place] + [candidate] + fields[place + 1:]
            return tries > 0 and finding.same_kind(
                self.attempt(target, changed)[0])

        for place, kind in enumerate(target.kinds):
            if isinstance(kind, tuple) or fields[place] is None:
                continue
            if holds(place, None):
                fields[place] = None
                continue
            size = len(fields[place]) // 2
            while size and tries > 0:
                start = 0
                while start < len(fields[place]) and tries > 0:
                    old = fields[place]
                    candidate = old[:start] + old[start + size:]
                    if holds(place, candidate):
                        fields[place] = candidate
                    else:
                        start += size
                size //= 2
        return fields

    def fuzz(self):
        """Give the targets their turns until the time is over."""
        if self.options.inputs:
            for run in self.runs:
                for _ in range(self.options.inputs):
                    run.step()
                run.inspect()
            return
        start = time.monotonic()
        end = start + self.options.seconds
        turn = max(1, min(SLICE, self.options.seconds / len(self.runs)))
        while time.monotonic() < end:
            for run in self.runs:
                stop = min(end, time.monotonic() + turn)
                while time.monotonic() < stop:
                    run.step()
            if self.options.seconds >= 300:
                self.coverage.stop()
                print(f"{time.monotonic() - start:.0f} s:"
                      f" {sum(run.inputs for run in self.runs)} inputs,"
                      f" {sum(len(run.findings) for run in self.runs)}"
                      " findings", file=sys.stderr, flush=True)
        self.coverage.stop()
        for run in self.runs:
            if self.last is run:
                run.inspect()

    def summary(self):
        print(f"{'target':18}{'inputs':>9}{'accepted':>10}{'corpus':>8}"
              f"{'reached':>9}{'slowest':>9}  findings")
        for run in self.runs:
            reached = self.coverage.reached(run.number)
            print(f"{run.target.name:18}{run.inputs:9}{run.accepted:10}"
                  f"{len(run.corpus):8}"
                  f"{'-' if reached is None else reached:>9}"
                  f"{run.slowest * 1000:6.0f} ms  {len(run.findings)}")
            for title, count in run.findings.items():
                print(f"    {count} x {title}")
        found = sum(len(run.findings) for run in self.runs)
        print(f"{sum(run.inputs for run in self.runs)} inputs,"
              f" {found} findings")
        return found

    def save(self):
        if self.coverage.map:
            os.makedirs(OUT, exist_ok=True)
            for run in self.runs:
                store(os.path.join(OUT, run.target.name + ".jsonl"),
                      run.corpus)

    def distill(self):
        """Let the corpus be the small inputs, of all known, that reach all
        that small inputs reach."""
        for run in self.runs:
            pool = run.corpus + load(os.path.join(OUT, run.target.name
                                                  + ".jsonl"))
            pool = sorted({json.dumps(packed(fields)) for fields in pool
                           if fits(run.target, fields)},
                          key=lambda line: (len(line), line))
            kept, size = [], 0
            for line in pool:
                run.set_up()
                fields = unpacked(json.loads(line))
                fresh = self.coverage.fresh()
                self.coverage.start(run.number, self.epoch())
                finding, _ = self.attempt(run.target, fields)
                if self.coverage.fresh() > fresh + 1 and not finding \
                        and len(line) < 1500 and size < 16000:
                    kept.append(fields)
                    size += len(line)
            self.coverage.stop()
            store(os.path.join(CORPUS, run.target.name + ".jsonl"), kept)
            print(f"{run.target.name}: {len(kept)} of {len(pool)}")


def packed(fields):
    """The fields as JSON has them."""
    return [{"hex": field.hex()} if isinstance(field, bytes) else field
            for field in fields]


def unpacked(fields):
    return [bytes.fromhex(field["hex"]) if isinstance(field, dict) else field
            for field in fields]


def fits(target, fields):
    return len(fields) == len(target.kinds)


def load(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [unpacked(json.loads(line)) for line in file]


def store(path, inputs):
    with open(path, "w") as file:
        for fields in inputs:
            file.write(json.dumps(packed(fields)) + "\n")


def replay(fuzzer, path):
    with open(path) as file:
        told = json.load(file)
    target, = [one for one in ALL if one.name == told["target"]]
    if not target.available(fuzzer.connection):
        raise SystemExit("this server serves no " + target.name)
    target.setup(fuzzer.connection)
    finding, accepted = fuzzer.attempt(target, unpacked(told["input"]))
    print(finding.title() + "\n" + finding.detail if finding else
          "accepted" if accepted else "refused")
    return finding is not None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--inputs", type=int, metavar="N")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--targets", help="names, separated by commas")
    parser.add_argument("--running", action="store_true",
                        help="use the server of PGHOST and PGPORT")
    parser.add_argument("--replay", metavar="FILE")
    parser.add_argument("--distill", action="store_true",
                        help="make test/fuzz/corpus from it and the last run")
    return parser.parse_args()


def main():
    options = arguments()
    fuzzer = Fuzzer(options)
    try:
        if options.replay:
            return replay(fuzzer, options.replay)
        if options.distill:
            return fuzzer.distill()
        fuzzer.fuzz()
        fuzzer.save()
        return fuzzer.summary() > 0
    finally:
        if not options.running:
            stop_server()


if __name__ == "__main__":
    sys.exit(bool(main()))

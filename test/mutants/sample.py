#!/usr/bin/env python3
"""Break the source at random places, and see whether a test notices.

    test/mutants/sample.py [--seed N] [--count N] [--rooms ROOM...]
                           [--only N...] [--copy NAME] [--show]

The lists of run.py hold breaks that somebody thought of.  This draws some that
nobody did, over all of src: a statement or a check is deleted, a condition
negated, a comparison, an operator, a constant changed.  The same seed, count and
source give the same sample.  --only runs these numbers of it, and --show only
tells what it is.

Each is made in a copy of the tree, tmp/NAME (so that several can run at the same
time, with others of its numbers each), and meets the tests of its room, then,
if it is still there, all regression and isolation tests, then the programs of
test/t and test/security that are named after its room.  It is killed by the first
of these three that fails, or does not end.  What does not compile is not counted.

Where there is no Citus (test/distributed/build), what survives in a file that only
a cluster runs is not counted, either.

What survives is printed as an entry for the list of its room.  Look at it: either
a test is missing, or the break changes nothing that matters.  Give the entry its
tests, or equivalent = "why": those are known to the next sample, and not counted.

Exit status: 0 if enough of those that count are killed, or 1.
"""

import argparse
import collections
import glob
import os
import random
import re
import sys
import time

import run

# What the tests of a room are called, where it is not the room's name.  First
# those that are tried at once, then more programs for what survives.
NAMES = {
    "archive": r"backup_|recovery_|call_\w*backup|call_restore",
    "api": "call_|sql_call|scenario_|partiql_|stat_explain",
    "backup": "backup_|recovery_",
    "base": "error_|call_|sql_|table_|engine_",
    "bucket": "bucket_|export_|call_export|call_import|call_start_bulk",
    "capacity": "call_capacity|table_throughput|throughput",
    "check": "check_table",
    "cluster": "table_distributed|citus",
    "codec": "item_|number|expr_",
    "console": "call_get",
    "control": r"table_|ttl_|stream_|recovery_|backup_|call_(create|delete|describe|disable|enable|import|list|restore|tag|untag|update)_|call_\w+_policy",
    "engine": "engine_|stream_|ttl_|recovery_|sql_insert",
    "expr": "expr_|partiql_|call_legacy",
    "http": "http_|sql_call",
    "identity": "http_|access_key",
    "item": "item_|key_|number|expr_",
    "job": "job_|backup_|export_|call_export|call_import|call_start_bulk",
    "journal": "recovery_|backup_|trim_",
    "meta": "stream_|recovery_|table_|trim_",
    "operation": "call_|error_|stat_|policy_",
    "partiql": r"partiql_|call_\w*execute_",
    "plan": "sql_|engine_insert|stat_explain",
    "peer": "citus|table_distributed",
    "policy": "policy_|scenario_e",
    "process": "error_refusal|slots|http_worker|maintenance",
    "schema": "table_|ttl_|engine_|stream_|key_",
    "monitor": "call_get_filter|call_describe_statistics|call_describe_hot|call_describe_plan|call_list_jobs|call_list_event|call_list_workers",
    "search": "vector_|call_search",
    "shard": "table_distributed|citus",
    "sql": "sql_|table_|item_|call_get|first_day|shop",
    "statement": r"partiql_|call_\w*execute_|scenario_|sql_call",
    "stats": "stat_|call_|table_describe",
    "store": "bucket_|store_",
    "stream": "stream_|handler_|call_describe_stream|call_get_records|call_get_shard|call_list_streams",
    "transfer": "call_import|call_start_bulk|call_export|export_",
    "wire": "call_|error_|table_",
    "worker": "ttl_|handler_|maintenance|index_build",
}
PROGRAMS = {
    "am": "check_table|dump",
    "api": "stat_|http_protocol|http_policy|error_list|moving|token_age|policy_sweep",
    "backup": "backup_|recovery_|trim_late|export",
    "base": "restart|http_worker|slots|session_|request_|hang_|left_|relation_|family_encodings",
    "bucket": "import_|bucket_|export",
    "capacity": "auto_scaling|throughput",
    "control": "http_region|table_race|auto_scaling|backup_|export|policy_sweep",
    "engine": "stream_|recovery_|trim_late|check_table|publication|restart|dump|moving|counter|few_buffers|blind_|refused",
    "handler": "handler_",
    "http": "http_|stat_requests|hang_|stranger|unread|unsigned|listen|doubled|unfinished|metrics|family_|policy_session",
    "identity": "http_|unsigned|key|content_hash|connect_privilege|stranger|family_",
    "job": "import_|handler_|maintenance|export|backup_http",
    "monitor": "monitor",
    "operation": "http_protocol|policy_|stat_|error_list|slots",
    "policy": "http_policy|policy_",
    "schema": "dump|restart|altered|left_|relation_|schema_|index_|recovery_|backup_expire|version",
    "sql": "serve_calls|dump|session_|beside|check_table|recovery_|auto_scaling|stat_",
    "statement": "http_protocol|policy_sweep|blind_",
    "stats": "stat_|metrics",
    "stream": "stream_|handler_|call_describe_stream|call_get_records|call_get_shard|call_list_streams",
    "transfer": "import_|export|policy_bulk",
    "worker": "maintenance|slots|handler_|index_build|session_of|http_worker|hang_expiry|backup_expire|recovery_dump|auto_scaling",
}
# What runs on a cluster of Citus only.  Where there is none, nothing can notice it.
CLUSTER = re.compile(r"^src/(shard|peer)/|am_watch\.c$|_(coordinator|shard|nodes|distribute|prepared|route)\.c$"
                     r"|shard_publish\.c$|control_shared\.c$|http_forward\.c$")

KEYWORDS = {"return", "if", "for", "while", "switch", "case", "goto", "else",
            "do", "default", "break", "foreach", "struct", "static", "const",
            "PG_TRY", "PG_CATCH", "PG_FINALLY", "PG_END_TRY", "typedef"}
# Without these a program does the same, only with more memory or words.
HARMLESS = re.compile(r"\b(pfree|list_free\w*|bms_free|Assert\w*|StaticAssert\w*"
                      r"|elog|errhint\w*|CHECK_FOR_INTERRUPTS|pgstat_\w+"
                      r"|pg_unreachable|compat_unused)\b")
STATEMENT = re.compile(r"\t+(\(void\) )?[*(]*(\w+)\s*(\(|->|\.|\[|[-+|&*/^%]?=[^=]|\+\+|--)")
CHECKS = re.compile(r"\t+(\w*(check|require|refuse|verify|forbid|may_)\w*)\(")
SWAPS = [("<=", "<"), (">=", ">"), ("<", "<="), (">", ">="), ("==", "!="),
         ("!=", "=="), ("&&", "||"), ("||", "&&"), ("+", "-"), ("-", "+")]


# -- what can be broken ---------------------------------------------------------

class Break:
    """Lines first to last (from 0) of a file become the text "new"."""

    def __init__(self, path, lines, first, last, what, new):
        self.path, self.first, self.last = path, first, last
        self.what, self.new = what, new
        self.lines = lines
        self.room = path.split("/")[1]

    def old(self):
        return "\n".join(self.lines[self.first:self.last + 1])

    def text(self):
        """The whole file, broken."""
        return "\n".join(self.lines[:self.first] + [self.new]
                         + self.lines[self.last + 1:])

    def __str__(self):
        return (f"{self.path}:{self.first + 1}: {self.what}: "
                f"{' '.join(self.old().split())}"
                + ("" if self.what.endswith("deleted")
                   else f"  ->  {' '.join(self.new.split())}"))

    def entry(self):
        """As it would stand in the list of its room, with as many lines
        around it as make it unique."""
        whole = "\n".join(self.lines)
        above = below = 0
        old = self.old()
        while whole.count(old) > 1 and above + below < 40:
            if above <= below:
                above += 1
            else:
                below += 1
            old = "\n".join(self.lines[self.first - above:
                                       self.last + 1 + below])
        new = "\n".join(self.lines[self.first - above:self.first] + [self.new]
                        + self.lines[self.last + 1:self.last + 1 + below])
        return (f'[[mutant]]\nfile = "{os.path.basename(self.path)}"\n'
                f'breaks = "{self.what}"\n'
                f"old = '''{old}'''\nnew = '''{new}'''\n")


def masked(text):
    """The text of a file, its strings, characters and comments blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank,
                  text, flags=re.DOTALL)


def statement_end(code, first):
    """The last line of the statement that begins in this one, or None."""
    depth = 0
    for number in range(first, min(first + 12, len(code))):
        line = code[number]
        if "{" in line or "}" in line:
            return None
        depth += line.count("(") - line.count(")")
        if depth <= 0 and line.rstrip().endswith(";"):
            return number if depth == 0 else None
    return None


def begins_statement(code, number):
    """Does the line before end a statement, or open one's body?"""
    number -= 1
    while number >= 0 and not code[number].strip():
        number -= 1
    before = code[number].strip()
    return before.endswith((";", "{", "}", ":", "else")) or (
        before.endswith(")") and re.match(r"(else )?(if|for|while|foreach)\b", before))


def line_breaks(line, code):
    """(what, the line broken), of one line whose code is masked."""
    def put(start, end, text):
        return line[:start] + text + line[end:]
    match = re.search(r"\bif \(", code)
    if match:
        depth, end = 1, match.end()
        while end < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if depth == 0:
            inner = line[match.end():end - 1]
            yield "condition negated", put(match.end(), end - 1, f"!({inner})")
            yield "condition never true", put(match.end(), end - 1, f"({inner}) && false")
    declares = re.match(r"\t+(?!return\b)[A-Za-z_]\w* +\**\w+(\[|;|,)", code)
    for match in re.finditer(r"<=|>=|(?<![-<])<(?![<=])|(?<![->])>(?![>=])|==|!="
                             r"|&&|\|\||(?<= )[-+](?= )", code):
        for old, new in SWAPS:
            if match.group() == old:
                yield f"{old} for {new}", put(*match.span(), new)
    if not declares:
        for match in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
            yield "constant changed", put(*match.span(), str(int(match.group()) + 1))
    for match in re.finditer(r"\b(true|false)\b", code):
        yield "constant changed", put(*match.span(),
                                      "false" if match.group() == "true" else "true")
    match = re.match(r"\t+(return|continue);$", code.rstrip())
    if match:
        yield "jump deleted", "\t(void) 0;"


def breaks_of(path):
    """All breaks of a file, by their first line."""
    text = run.read(os.path.join(run.TOP, path))
    lines, code = text.split("\n"), masked(text).split("\n")
    inside = False
    for number, line in enumerate(code):
        if line.startswith("{") or line.startswith("}"):
            inside = line.startswith("{")
        if not inside or not line.startswith("\t") or HARMLESS.search(line):
            continue
        found = [Break(path, lines, number, number, what, new)
                 for what, new in line_breaks(lines[number], line)]
        match = STATEMENT.match(line)
        end = statement_end(code, number)
        if match and match.group(2) not in KEYWORDS and end is not None \
                and begins_statement(code, number):
            what = "check deleted" if CHECKS.match(line) else "statement deleted"
            # As likely as all other breaks of the line, or else long lines
            # full of operators would hardly ever lose theirs.
            found += [Break(path, lines, number, end, what, "\t(void) 0;")] \
                * max(1, len(found))
        if found:
            yield found


def draw(options):
    """The sample: so many lines, and of each one of its breaks."""
    places = []
    for path in sorted(glob.glob("src/*/*.c", root_dir=run.TOP)):
        generated = re.search(r"_(gram|scan)\.c$", path)
        if not generated and (not options.rooms or path.split("/")[1] in options.rooms):
            places += breaks_of(path)
    chance = random.Random(options.seed)
    return [chance.choice(place) for place in
            chance.sample(places, min(options.count, len(places)))]


# -- what meets it ------------------------------------------------------------

def named(pattern, *places):
    """Tests in these places whose names begin like this."""
    return [test for place in places
            for test in sorted(glob.glob(place, root_dir=run.TOP))
            if re.match(pattern, os.path.basename(test))]


def these(tests):
    return ["test/run", "these"] + tests if tests else None


def quick_tests(room):
    """What a break of this room meets first."""
    return these(named(NAMES.get(room, room + "_"), "sql/*.sql", "test/specs/*.spec"))


def programs(room):
    """What it meets if nothing in SQL notices it."""
    return these(named(NAMES.get(room, room + "_") + "|" + PROGRAMS.get(room, room + "_"),
                       "test/t/*.pl", "test/security/*.pl"))


ALL = ["test/run", "sql"]


class Stages:
    """Runs what breaks meet, and knows how that goes when nothing is broken: how
    long it takes, and what fails even so."""

    def __init__(self):
        self.seconds, self.failing = {}, {}

    def run(self, command, limit):
        """(Did all pass, what failed, seconds)"""
        began = time.monotonic()
        passed, output = run.run(command, limit)
        failed = re.findall(r"^(?:not ok \d+\s+- (.*?)(?:\s+\d+ ms)?|test (\S+) +\.\.\. .*FAILED.*"
                            r"|(FAILED:.*)|(no end within .*))$", output, re.MULTILINE)
        return passed, ["".join(one) for one in failed], time.monotonic() - began

    def measure(self, command):
        """Run it on the source as it is.  False: it does not end."""
        key = tuple(command)
        if key not in self.seconds:
            _, failed, self.seconds[key] = self.run(command, 3600)
            self.failing[key] = set(failed)
            for one in failed:
                print(f"fails on the source as it is, and tells nothing: {one}")
        return self.seconds[key] < 3600

    def killer(self, command):
        """What notices the break in the copy, or None.  The quick tests are some
        of all, so they need not be measured."""
        key = tuple(command) if tuple(command) in self.seconds else tuple(ALL)
        passed, failed, _ = self.run(command, run.PATIENCE + run.SLOWNESS * self.seconds[key])
        told = [one for one in failed if one not in self.failing[key]]
        if passed or (failed and not told):
            return None
        return told[0][:90] if told else "it does not run"


def known_equivalents():
    """The broken texts of files of which the lists say that nothing changes."""
    known = collections.defaultdict(set)
    for path in glob.glob(os.path.join(run.HERE, "*.toml")):
        for mutant in run.read_list(path):
            if mutant.equivalent:
                text = run.read(os.path.join(run.TOP, mutant.path))
                known[mutant.path].add(text.replace(mutant.old, mutant.new))
    return known


def attempt(broken, tests, stages):
    """(What became of it, by what)"""
    path = os.path.join(run.COPY, broken.path)
    original = run.read(path)
    run.write(path, broken.text())
    try:
        if not run.build()[0]:
            return "does not compile", None
        for stage in stages:
            killer = tests.killer(stage)
            if killer:
                return "killed", killer
        return "SURVIVED", None
    finally:
        run.write(path, original)
        run.kill_all()


def try_all(sample, tests, stages, results):
    """Each that is alive meets the stages of its room."""
    for number, broken in sample:
        if results.get(number, "SURVIVED") != "SURVIVED":
            continue
        began = time.monotonic()
        results[number], killer = attempt(broken, tests,
                                          [stage for stage in stages(broken.room) if stage])
        print(f"{results[number]:9} {number} {broken}  ({killer or 'none'}, "
              f"{time.monotonic() - began:.0f} s)", flush=True)


def try_programs(sample, tests, results):
    """What is alive meets the programs of its room, if these pass without it."""
    rooms = sorted({broken.room for number, broken in sample
                    if results[number] == "SURVIVED" and programs(broken.room)})
    built, output = run.build()
    if not built:
        print(output)
    passing = [room for room in rooms if built and tests.measure(programs(room))]
    try_all([(number, broken) for number, broken in sample if broken.room in passing],
            tests, lambda room: [programs(room)], results)
    return built and passing == rooms


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--rooms", nargs="+", default=[], metavar="ROOM")
    parser.add_argument("--only", nargs="+", type=int, default=[], metavar="N")
    parser.add_argument("--copy", default="sample", metavar="NAME")
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    sample = [(number, broken) for number, broken in enumerate(draw(options), 1)
              if not options.only or number in options.only]
    known = known_equivalents()
    if options.show:
        for number, broken in sample:
            print(f"{number:4} {broken}")
        return 0
    for room in sorted({broken.room for _, broken in sample}):
        if not quick_tests(room) and not programs(room):
            sys.exit(f"no test is known of src/{room}: see NAMES")
    tests, results = Stages(), {}
    for number, broken in sample:
        if broken.text() in known[broken.path]:
            results[number] = "equivalent"
    run.make_copy(options.copy)
    built, output = run.build()
    if not built:
        print(output)
    if not built or not tests.measure(ALL):
        return 1
    try_all(sample, tests, lambda room: [quick_tests(room), ALL], results)
    complete = try_programs(sample, tests, results)
    print()
    for number, broken in sample:
        if results[number] == "SURVIVED":
            print(f"# {number} {broken}\n{broken.entry()}")
    if not run.has_cluster():
        for number, broken in sample:
            if results[number] == "SURVIVED" and CLUSTER.search(broken.path):
                results[number] = "left out (there is no Citus)"
    share = collections.Counter(results.values())
    counted = share["killed"] + share["SURVIVED"]
    print(", ".join(f"{count} {result}" for result, count in sorted(share.items())))
    print(f"{100 * share['killed'] // max(1, counted)} % of {counted} killed")
    return 0 if complete and 100 * share["killed"] >= run.SHARE * counted else 1


if __name__ == "__main__":
    os.environ["PATH"] = run.CCACHE + ":" + os.environ["PATH"]
    sys.exit(main())

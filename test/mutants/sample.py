#!/usr/bin/env python3
"""Break the source at random places, and see whether a test notices.

    test/mutants/sample.py [--seed N] [--count N] [--rooms ROOM...]
                           [--only N...] [--copy NAME] [--show]

The lists of run.py hold breaks that somebody thought of.  This draws some that
nobody did, over all of src: a statement or a check is deleted, a condition
negated, a comparison, an operator, a constant changed.  The same seed, count and
source give the same sample.  --only runs these numbers of it, and --show only
tells what it is.

All are built at once, in a copy of the tree, tmp/NAME (so that several can run at
the same time, with others of its numbers each): a function that one of them is in
is there as it is, and again for each break, and a variable of the environment picks
which of these is called.  Then all tests run once, without any break, and note which
of these functions they come to.  So each break meets the tests that reach it, and no
others: files of regression and isolation first, then programs of test/t and
test/security, quick ones first, a few at a time.  It is killed by the first test that
fails, or does not end, if that passes again without it.  What does not compile is not
counted, nor is what stands in no function, or in one that takes any number of
arguments.

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

# What runs on a cluster of Citus only.  Where there is none, nothing can notice it.
CLUSTER = re.compile(r"^src/(shard|peer)/|am_watch\.c$|_(coordinator|shard|nodes|distribute|prepared|route|gather|scatter)\.c$"
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


# -- all breaks in one build ----------------------------------------------------

# What picks a function: in each file, since none of them is included by all.
PICK = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char *application_name;
static inline int
sampled(int n)
{
	static int	picked = -1;
	static char seen[%d];

	if (picked < 0)
		picked = atoi(getenv("SAMPLE_BREAK") ? getenv("SAMPLE_BREAK") : "0");
	if (!seen[n] && getenv("SAMPLE_SEEN"))
	{
		const char *test = getenv("SAMPLE_TEST");
		int			file = open(getenv("SAMPLE_SEEN"), O_WRONLY | O_APPEND);
		char		line[256];
		int			length = snprintf(line, sizeof(line), "%%d %%s\\n", n,
									  test ? test : application_name ? application_name : "");

		if (file >= 0 && write(file, line, length) == length)
			seen[n] = 1;
		close(file);
	}
	return picked == n;
}
"""
# For programs: the server that one starts has its name.
NAMED = "$ENV{SAMPLE_TEST} = $0; 1;\n"


class Function:
    """The one around a line: its head from "type" to "body", and its end."""

    def __init__(self, lines, code, number):
        self.body = max(n for n in range(number + 1) if code[n].startswith("{"))
        self.end = min(n for n in range(number, len(code)) if code[n].startswith("}"))
        name = max(n for n in range(self.body) if re.match(r"\w+\(", code[n]))
        self.type = name - 1
        self.result = lines[self.type]
        self.name = re.match(r"\w+", code[name]).group()
        self.rest = "\n".join(lines[name:self.body])[len(self.name):]
        arguments = re.sub(r"\[[^]]*\]", "", " ".join(code[name:self.body]))
        arguments = arguments[len(self.name) + 1:arguments.rindex(")")]
        self.variadic = "..." in arguments
        self.arguments = [] if self.variadic else [
            one for one in map(self.argument, self.split(arguments)) if one]

    @staticmethod
    def around(code, number):
        """Is there one, or does the line stand in a struct or a table?"""
        body = max(n for n in range(number + 1) if code[n].startswith("{"))
        return code[body - 1].rstrip().endswith(")")

    @staticmethod
    def split(arguments):
        """At the commas that are in no parentheses."""
        depth, parts = 0, [""]
        for character in arguments:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if character == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += character
        return [part.strip() for part in parts]

    @staticmethod
    def argument(text):
        if text == "PG_FUNCTION_ARGS":
            return "fcinfo"
        pointer = re.match(r"[^(]*\(\*(\w+)\)", text)
        if pointer:
            return pointer.group(1)
        return None if text == "void" else re.search(r"(\w+)$", text).group(1)

    def copy(self, number, body):
        result = re.sub(r"\b(extern|static|inline|PGDLLEXPORT)\b *", "", self.result)
        return f"static {result}\n{self.name}__{number}{self.rest}\n{body}\n"

    def picker(self, numbers):
        call = f"({', '.join(self.arguments)});"
        nothing = re.sub(r"\b(extern|static|inline|PGDLLEXPORT|pg_noinline)\b *", "",
                         self.result).strip() == "void" and not self.rest.startswith("(*")
        lines = [f"\tif (sampled({n}))\n\t" + (f"{{ {self.name}__{n}{call} return; }}"
                 if nothing else f"return {self.name}__{n}{call}") for n in numbers]
        last = f"{self.name}__0{call}"
        return (f"{self.result}\n{self.name}{self.rest}\n{{\n" + "\n".join(lines)
                + f"\n\t{last if nothing else 'return ' + last}\n}}")


def functions_of(sample):
    """{path: {first line: (function, [(number, break)])}} of those that can be built."""
    found = collections.defaultdict(dict)
    for number, broken in sample:
        code = masked("\n".join(broken.lines)).split("\n")
        if not Function.around(code, broken.first):
            continue
        function = Function(broken.lines, code, broken.first)
        if not function.variadic:
            found[broken.path].setdefault(function.type, (function, []))[1].append(
                (number, broken))
    return found


def write_all(sample):
    """All of them into the copy."""
    for path, functions in functions_of(sample).items():
        lines = list(next(iter(functions.values()))[1][0][1].lines)
        for function, breaks in sorted(functions.values(), key=lambda f: -f[0].type):
            whole = lines[function.body:function.end + 1]
            text = [function.copy(0, "\n".join(whole))]
            for number, broken in breaks:
                first, last = broken.first - function.body, broken.last - function.body
                text.append(function.copy(number, "\n".join(
                    whole[:first] + [broken.new] + whole[last + 1:])))
            text.append(function.picker([number for number, _ in breaks]))
            lines[function.type:function.end + 1] = "\n".join(text).split("\n")
        size = max(number for number, _ in sample) + 1
        run.write(os.path.join(run.COPY, path), "\n".join(lines).replace(
            '#include "postgres.h"\n', '#include "postgres.h"\n\n' + PICK % size + "\n", 1))


def build_all(sample, results):
    """Build them; what does not compile is left out.  False: nothing does."""
    left = [(number, broken) for number, broken in sample if number not in results]
    while left:
        for path in {broken.path for _, broken in sample}:
            run.write(os.path.join(run.COPY, path),
                      run.read(os.path.join(run.TOP, path)))
        write_all(left)
        built, output = run.build()
        if built:
            return True
        bad = {int(n) for n in re.findall(r"In function .\w+__(\d+).:", output)}
        bad = {number for number, _ in left
               if number in bad and re.search(rf"__{number}\b.:\n(?:.*\n)*?.*error:", output)}
        if not bad:
            print(output)
            return False
        results.update(dict.fromkeys(bad, "does not compile"))
        left = [(number, broken) for number, broken in left if number not in bad]
    return True


# -- what meets them ------------------------------------------------------------

JOBS = 4                # programs at a time
FILES = 12              # of sql at a time
EVERYTHING = ["test/run", "sql"]


def these(tests):
    return ["test/run", "these"] + tests


def test_of(name):
    """The file of a test, by what it calls itself; None: any may be it."""
    for pattern, path in ((r"pg_regress/(\w+)", "sql/%s.sql"),
                          (r"isolation/(\w+)", "test/specs/%s.spec"),
                          (r".*?(test/(?:t|security)/\w+\.pl)$", "%s")):
        match = re.match(pattern, name)
        if match:
            return path % match.group(1)
    return None


class Tests:
    """Which tests come to which breaks, and how long they take."""

    def __init__(self):
        self.seen = os.path.join(run.COPY, "seen")
        run.write(self.seen, "")
        os.chmod(self.seen, 0o666)
        run.write(os.path.join(run.COPY, "SampleNamed.pm"), NAMED)
        os.environ["PERL5OPT"] = f"-I{run.COPY} -MSampleNamed"
        os.environ["HARNESS_OPTIONS"] = f"j{JOBS}"
        self.reached = collections.defaultdict(set)
        self.seconds = {}

    def look(self):
        """Run all of them once.  What fails without any break is not used."""
        os.environ["SAMPLE_SEEN"] = self.seen
        programs = sorted(glob.glob("test/t/*.pl", root_dir=run.TOP)
                          + glob.glob("test/security/*.pl", root_dir=run.TOP))
        self.failing = set()
        for command in EVERYTHING, these(programs):
            _, output = run.run(command, 7200)
            failed = self.failed(output)
            self.failing |= set(failed)
            self.seconds.update(
                {name: int(ms) / 1000 for name, ms in re.findall(
                    r"(test/\w+/\w+\.pl) \.+ *(?:\n.*)*?\nok +(\d+) ms", output)})
            for one in failed:
                print(f"fails without any break, and is not used: {one}", flush=True)
        del os.environ["SAMPLE_SEEN"]
        for line in run.read(self.seen).splitlines():
            number, _, name = line.partition(" ")
            self.reached[int(number)].add(test_of(name))

    @staticmethod
    def failed(output):
        """The files whose tests failed."""
        names = re.findall(r"^(test/\w+/\w+\.pl) +\(Wstat", output, re.MULTILINE)
        for suite, path in (("regression", "sql/%s.sql"), ("isolation", "test/specs/%s.spec")):
            for part in re.findall(rf"^== .*{suite}.*\n((?:(?!^== ).*\n)*)", output, re.MULTILINE):
                names += [path % name for name in re.findall(
                    r"^(?:not ok \d+\s+[-+] |(?:test|    ) +)(\w+)(?: +\.\.\. +(?:.*FAILED)| +\d+ ms$)",
                    part, re.MULTILINE)]
        return sorted(set(names))

    def batches(self, number):
        """The tests that come to it, a few at a time; those it alone comes to first."""
        tests = self.reached[number]
        common = collections.Counter(
            test for reached in self.reached.values() for test in reached)
        for pattern, size in ("sql/", FILES), ("test/specs/", FILES), ("test/", JOBS):
            some = sorted((test for test in tests if test and test.startswith(pattern)
                           and (pattern != "test/" or test.endswith(".pl"))
                           and test not in self.failing),
                          key=lambda test: (self.seconds.get(test, 0), common[test], test))
            while some:
                yield some[:size]
                some = some[size:]
        if None in tests:           # in a process that no test's name is known of
            yield None

    def killer(self, number):
        """What notices it, or None."""
        for tests in self.batches(number):
            command = these(tests) if tests else EVERYTHING
            limit = 4 * run.PATIENCE + run.SLOWNESS * sum(
                self.seconds.get(test, run.PATIENCE / 4) for test in tests or [None] * 60)
            os.environ["SAMPLE_BREAK"] = str(number)
            passed, output = run.run(command, limit)
            del os.environ["SAMPLE_BREAK"]
            run.kill_all()          # a server that has crashed may not end when told
            if passed:
                continue
            failed = [test for test in self.failed(output) if test not in self.failing]
            again = failed[:2] or tests
            if again and run.run(these(again), limit)[0]:
                return failed[0] if failed else f"one of {' '.join(tests)}"
        return None


def known_equivalents():
    """The broken texts of files of which the lists say that nothing changes."""
    known = collections.defaultdict(set)
    for path in glob.glob(os.path.join(run.HERE, "*.toml")):
        for mutant in run.read_list(path):
            if mutant.equivalent:
                text = run.read(os.path.join(run.TOP, mutant.path))
                known[mutant.path].add(text.replace(mutant.old, mutant.new))
    return known


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
    results = {}
    for number, broken in sample:
        if broken.text() in known[broken.path]:
            results[number] = "equivalent"
    built = {number for functions in functions_of(sample).values()
             for _, breaks in functions.values() for number, _ in breaks}
    results.update({number: "cannot be built"
                    for number, _ in sample if number not in built})
    run.make_copy(options.copy)
    began = time.monotonic()
    if not build_all(sample, results):
        return 1
    tests = Tests()
    tests.look()
    print(f"built, and all tests looked at: {time.monotonic() - began:.0f} s", flush=True)
    for number, broken in sample:
        if number in results:
            continue
        began = time.monotonic()
        killer = tests.killer(number)
        results[number] = "killed" if killer else "SURVIVED"
        print(f"{results[number]:9} {number} {broken}  ({killer or 'none'} of "
              f"{len(tests.reached[number])}, {time.monotonic() - began:.0f} s)", flush=True)
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
    return 0 if 100 * share["killed"] >= run.SHARE * counted else 1


if __name__ == "__main__":
    os.environ["PATH"] = run.CCACHE + ":" + os.environ["PATH"]
    sys.exit(main())

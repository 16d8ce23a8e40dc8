#!/usr/bin/env python3
"""Break the source on purpose, and see whether a test notices.

    test/mutants/run.py [--only TEXT] [--copy NAME] [--jobs N] [--tests FILE...] [--] [LIST.toml...]
    test/mutants/run.py --check     do the lists fit the source?  prints TAP

A list is a file test/mutants/FOLDER.toml; without arguments all are taken.
Each entry is a mutant of one file of src/FOLDER, or of another folder if the
file is named with it:

    [[mutant]]
    file = "codec_io.c"
    breaks = "what is wrong with the mutant, in a few words"
    old = '''text that stands once in the file'''
    new = '''what is put there instead'''
    tests = ["sql/item_io.sql"]

"tests" are the tests that notice, by their files (as of test/run these).  A
mutant that behaves as the original has, instead of tests,
equivalent = "why"; it is not run and not counted.  major = 18 is for one of what
older servers do not do.

The mutants are made one at a time in a copy of the tree, tmp/NAME, built with
assertions; with --jobs in N copies, tmp/NAME1 and so on, at the same time.  A mutant
is killed if one of its tests fails, crashes or does not end; it has survived if all
pass.  --tests runs these tests for every mutant instead of its own, --only takes the
mutants in whose file or description TEXT stands.

A test of test/distributed needs a cluster of Citus (test/distributed/build).
Where there is none, mutants that only such tests notice are left out, and said
to be, as are those for another server than that of PG_CONFIG; they are not counted.

A list must be true: old text that is not there exactly once, a test that does
not exist or fails without any mutant, a mutant that does not compile, are
errors.  The mutants of a test that fails are not run.  Exit status: 0 if there is
none and each folder has the share of killed mutants that is asked for, or 1.
"""

import argparse
import collections
import concurrent.futures
import glob
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
COPY = None             # where this process's copy of the tree is
PARTS = ["Makefile", "META.json", "*.control", "*.md", "*.sql", "docs", "sql", "expected", "test", "src"]
UNCOPIED = ["*.o", "*.so", "expr_gram.[ch]", "expr_scan.c",
            "partiql_gram.[ch]", "partiql_scan.c", "__pycache__"]
FLAGS = "-O1 -DUSE_ASSERT_CHECKING"
CCACHE = "/usr/lib/ccache"
PATIENCE = 60           # seconds that tests may take ...
SLOWNESS = 4            # ... beyond so many times what they take unchanged
BUILD_TIME = 3600       # seconds a build may take
SHARE = 90              # per cent of a folder's mutants that must be killed


class Mutant:
    def __init__(self, folder, entry):
        self.folder = folder
        self.file = entry.pop("file")
        self.breaks = entry.pop("breaks")
        self.old = entry.pop("old").strip("\n")
        self.new = entry.pop("new").strip("\n")
        self.tests = entry.pop("tests", [])
        self.equivalent = entry.pop("equivalent", None)
        self.major = entry.pop("major", 0)
        self.unknown = list(entry)
        self.path = os.path.join("src", self.file if "/" in self.file
                                 else os.path.join(folder, self.file))

    def __str__(self):
        return f"{self.path}: {self.breaks}"

    def errors(self, other_tests):
        """What is wrong with the entry itself."""
        if not os.path.exists(os.path.join(TOP, self.path)):
            return ["there is no such file"]
        errors = [f"unknown key {key}" for key in self.unknown]
        count = read(os.path.join(TOP, self.path)).count(self.old)
        if count != 1 or not self.old:
            errors.append(f"DID NOT APPLY, old text is there {count} times")
        if bool(self.tests) == bool(self.equivalent) and not other_tests:
            errors.append("wants either tests or equivalent")
        errors += [f"there is no {test}" for test in self.tests
                   if not os.path.isfile(os.path.join(TOP, test))]
        return errors


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def read_list(path):
    folder = os.path.basename(path).removesuffix(".toml")
    with open(path, "rb") as file:
        return [Mutant(folder, entry) for entry in tomllib.load(file)["mutant"]]


# -- the copy of the tree -----------------------------------------------------

def make_copy(name):
    """A copy of that name as it is, unbuilt."""
    global COPY
    COPY = os.path.join(os.path.realpath(os.path.join(TOP, "tmp")), name)
    shutil.rmtree(COPY, ignore_errors=True)
    os.makedirs(COPY)
    for pattern in PARTS:
        for path in glob.glob(os.path.join(TOP, pattern)):
            target = os.path.join(COPY, os.path.basename(path))
            if os.path.isdir(path):
                shutil.copytree(path, target, symlinks=True,
                                ignore=shutil.ignore_patterns(*UNCOPIED))
            else:
                shutil.copy2(path, target)


def kill_all():
    """Kill all processes that work in the copy: tests, and their servers."""
    for directory in glob.glob("/proc/[0-9]*"):
        try:
            cwd = os.readlink(os.path.join(directory, "cwd"))
            pid = int(os.path.basename(directory))
            if (cwd + os.sep).startswith(COPY + os.sep) and pid != os.getpid():
                os.kill(pid, signal.SIGKILL)
        except OSError:
            pass        # it has ended, or is somebody else's


def run(command, seconds):
    """Run a command in the copy.  (Did it succeed, its output)"""
    with open(os.path.join(COPY, "output"), "w+",
              errors="replace") as output:
        process = subprocess.Popen(
            command, cwd=COPY, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = 1
            output.write(f"no end within {seconds:.0f} seconds\n")
        finally:
            if process.poll() is None:
                kill_all()
                process.wait()
        output.seek(0)
        return status == 0, output.read()


def build():
    return run(["test/server", "install", FLAGS], BUILD_TIME)


def needs_cluster(test):
    return test.startswith("test/distributed/")


def has_cluster():
    """Can the copy have one?"""
    return run(["test/distributed/build", "--look"], PATIENCE)[0]


def command(test):
    """What runs a test."""
    if needs_cluster(test):
        return ["test/distributed/run", os.path.basename(test)]
    return ["test/run", "these", test]


def measure(test):
    """Run it on the source as it is.  (The test, its seconds, its output if it fails)"""
    began = time.monotonic()
    passed, output = run(command(test), 10 * PATIENCE)
    return test, time.monotonic() - began, None if passed else output


def all_pass(tests, seconds):
    """Do all pass?  One after the other, until one does not."""
    for test in tests:
        limit = PATIENCE + SLOWNESS * seconds[test]
        if not run(command(test), limit)[0]:
            return False, test
    return True, None


# -- the mutants --------------------------------------------------------------

def try_mutant(mutant, tests, seconds):
    """Tests that take so many seconds each on the source as it is:
    (the mutant, what became of it, by which test, in how many seconds)"""
    began = time.monotonic()
    path = os.path.join(COPY, mutant.path)
    original = read(path)
    write(path, original.replace(mutant.old, mutant.new))
    try:
        built, output = build()
        if not built:
            print(output)
            return mutant, "DID NOT COMPILE", None, 0
        survived, killer = all_pass(tests, seconds)
        return (mutant, "SURVIVED" if survived else "killed", killer,
                time.monotonic() - began)
    finally:
        write(path, original)
        kill_all()      # a server that has crashed may not end when told


def has_errors(mutants, other_tests):
    found = False
    for mutant in mutants:
        for error in mutant.errors(other_tests):
            print(f"ERROR: {mutant}: {error}")
            found = True
    return found


def check(lists):
    """Print TAP: does every entry of each list fit the source?"""
    print(f"1..{len(lists)}")
    fit = True
    for number, path in enumerate(lists, 1):
        errors = [f"{mutant}: {error}" for mutant in read_list(path)
                  for error in mutant.errors([])]
        fit = fit and not errors
        print(f"{'not ' if errors else ''}ok {number} -"
              f" mutants of {os.path.basename(path)}")
        for error in errors:
            print(f"# {error}")
    return 0 if fit else 1


def server_major():
    version = subprocess.run([os.environ.get("PG_CONFIG", "pg_config"), "--version"],
                             check=True, capture_output=True, text=True).stdout
    return int(re.search(r"\d+", version).group())


def leave_out(mutants, cluster):
    """Say which mutants need what cannot be had.  The others."""
    left, major = [], server_major()
    for mutant in mutants:
        if not cluster:
            mutant.tests = [test for test in mutant.tests
                            if not needs_cluster(test)]
        if mutant.major > major:
            print(f"left out  {mutant} (for PostgreSQL {mutant.major})")
        elif not mutant.tests:
            print(f"left out  {mutant} (there is no Citus)")
        else:
            left.append(mutant)
    return left


class Copies:
    """Copies of the tree, each with a process that works in it."""

    def __init__(self, name, number):
        names = multiprocessing.SimpleQueue()
        for each in range(1, number + 1):
            names.put(f"{name}{each if number > 1 else ''}")
        self.workers = concurrent.futures.ProcessPoolExecutor(
            number, initializer=self.begin, initargs=[names])

    @staticmethod
    def begin(names):
        """In a new process: make its copy, and build it."""
        make_copy(names.get())
        built, output = build()
        if not built:
            raise RuntimeError(output)

    def ask(self, function, *arguments):
        """What the function returns in one of the copies."""
        return self.workers.submit(function, *arguments).result()

    def ask_all(self, function, jobs):
        """What it returns for each of the jobs, as they end."""
        for done in concurrent.futures.as_completed(
                [self.workers.submit(function, *job) for job in jobs]):
            yield done.result()


def measure_all(copies, names):
    """How many seconds each test takes that passes."""
    seconds = {}
    for name, taken, output in copies.ask_all(measure, [[name] for name in names]):
        if output is None:
            seconds[name] = taken
        else:
            print(f"ERROR: {name} fails on the source as it is:\n{output}",
                  flush=True)
    return seconds


def table(results):
    """Print what became of the mutants, by folder.  Is it enough?"""
    enough = True
    print("\n| folder | mutants | killed | survived | share |"
          "\n| --- | ---: | ---: | ---: | ---: |")
    for folder, result in sorted(results.items()):
        killed, survived = result["killed"], result["SURVIVED"]
        total = sum(result.values())
        if 100 * killed < SHARE * total or killed + survived < total:
            enough = False
        print(f"| {folder} | {total} | {killed} | {survived} "
              f"| {100 * killed // total} % |")
    return enough


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--copy", default="mutants", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--tests", nargs="+", default=[], metavar="FILE")
    parser.add_argument("lists", nargs="*", metavar="LIST.toml",
                        default=sorted(glob.glob(os.path.join(HERE, "*.toml"))))
    return parser.parse_args()


def main():
    options = arguments()
    if options.check:
        return check(options.lists)
    mutants = [mutant for path in options.lists for mutant in read_list(path)]
    if has_errors(mutants, options.tests):
        return 1
    mutants = [mutant for mutant in mutants
               if not mutant.equivalent and options.only in str(mutant)]
    copies = Copies(options.copy, options.jobs)
    if not options.tests:
        mutants = leave_out(mutants, copies.ask(has_cluster))
    names = options.tests or sorted(
        {test for mutant in mutants for test in mutant.tests})
    seconds = measure_all(copies, names)
    sound = len(seconds) == len(names) and mutants
    jobs = [(mutant, options.tests or mutant.tests, seconds) for mutant in mutants]
    results = collections.defaultdict(collections.Counter)
    for mutant, result, killer, taken in copies.ask_all(
            try_mutant, [job for job in jobs if seconds.keys() >= set(job[1])]):
        results[mutant.folder][result] += 1
        print(f"{result:9} {mutant} ({killer or 'none'}, {taken:.0f} s)",
              flush=True)
    return 0 if table(results) and sound else 1


if __name__ == "__main__":
    os.environ["PATH"] = CCACHE + ":" + os.environ["PATH"]
    sys.exit(main())

"""Every scenario of this directory, in turn.

Each scenario_*.py has a function run(); the tables it makes are dropped after
it.  One that breaks off is one failure, the next ones run all the same.
"""
import importlib
import pathlib
import sys
import traceback

import harness

for path in sorted(pathlib.Path(__file__).parent.glob("scenario_*.py")):
    try:
        importlib.import_module(path.stem).run()
        harness.drop_tables()
    except Exception:
        print(f"not ok - boto3: {path.stem} ran to its end", flush=True)
        traceback.print_exc(file=sys.stdout)

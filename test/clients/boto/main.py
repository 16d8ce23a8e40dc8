"""Every scenario of this directory, in turn.

Each scenario_*.py has a function run(); the tables it makes are dropped after
it.  One that breaks off is one failure, the next ones run all the same.
CLIENTS_WITHOUT="scenario_a scenario_b" leaves these out.
"""
import importlib
import os
import pathlib
import sys
import traceback

import harness

for path in sorted(pathlib.Path(__file__).parent.glob("scenario_*.py")):
    if path.stem in os.environ.get("CLIENTS_WITHOUT", "").split():
        continue
    try:
        importlib.import_module(path.stem).run()
        harness.drop_tables()
    except Exception:
        print(f"not ok - boto3: {path.stem} ran to its end", flush=True)
        traceback.print_exc(file=sys.stdout)

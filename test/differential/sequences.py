"""Random sequences that make, change and drop tables, on both sides.

After each request the tables are described on both sides, their time to live
and their tags with them.  Where they differ both are dropped, so that one
difference does not breed others.
"""

import random
import time

import changes
import explained
from compare import Difference, differences, is_error, unlike_paths
from explained import explain
from tags import ARN, WithTags

LENGTH = 50                         # requests of a sequence
STUCK = "an index is neither made nor dropped"


class Tables:
    """Both sides with the same tables that come and go."""

    def __init__(self, ours, theirs):
        self.ours = ours
        self.theirs = WithTags(theirs)
        self.known = {}             # {table: what Local says of it}

    def reset(self):
        for name in changes.SPARE + ["Missing"]:
            for side in (self.ours, self.theirs):
                self._drop(side, name)
        self.known = {}

    def _drop(self, side, name):
        side.call("UpdateTable", {"TableName": name,
                                  "DeletionProtectionEnabled": False})
        side.call("DeleteTable", {"TableName": name})

    def send(self, operation, request):
        """Send to both sides; (ours, theirs, differences)."""
        ours = self.ours.call(operation, request)
        theirs = self.theirs.call(operation, request)
        found = each(operation, request, ours, theirs)
        state = self._compare_state()
        if not any(one.kind == "type" for one in found):
            found += [Difference("state", operation, detail)
                      for detail in state]
        return ours, theirs, found

    def _compare_state(self):
        """What differs in the tables that there are; those are dropped."""
        found = []
        self.known = {}
        for name in changes.SPARE + ["Missing"]:
            table, stuck = self._settled(name)
            details = [STUCK] if stuck else [
                one.detail for operation, request in (
                    ("DescribeTable", {"TableName": name}),
                    ("DescribeTimeToLive", {"TableName": name}),
                    ("ListTagsOfResource", {"ResourceArn": ARN + name}))
                for one in each(operation, request,
                                self.ours.call(operation, request),
                                self.theirs.call(operation, request))
                if one.kind != "text" and not is_known(one)]
            if details:
                found += details
                for side in (self.ours, self.theirs):
                    self._drop(side, name)
            elif table:
                self.known[name] = table
        return found

    def _settled(self, name):
        """Local's table, when it has made and dropped its indexes, and whether
        that does not end."""
        for _ in range(100):
            table = self.theirs.call("DescribeTable",
                                     {"TableName": name}).get("Table")
            indexes = (table or {}).get("GlobalSecondaryIndexes", ())
            if all(index["IndexStatus"] == "ACTIVE"
                   and "Backfilling" not in index for index in indexes):
                return table, False
            time.sleep(0.05)
        return table, True


def each(operation, request, ours, theirs):
    """The differences of two answers, one for each member that differs."""
    if is_error(ours) or is_error(theirs):
        return differences(operation, request, ours, theirs)
    return [Difference("result", operation, path) for path
            in unlike_paths(operation, request, ours, theirs)]


def is_known(difference):
    """Something that the service tells of every table, and Local does not."""
    return explain(difference.line(), {}) == explained.NOT_TOLD


def run(world, report, options, counts):
    """Send as many requests as asked for, in sequences."""
    tables = Tables(world.ours, world.theirs)
    for number in range(options.first, options.first + options.count):
        if number % LENGTH == 0 or number == options.first:
            tables.reset()
        rng = random.Random(f"{options.seed}/control/{number}")
        operation, request = changes.make(rng, tables.known)
        ours, theirs, found = tables.send(operation, request)
        if not found:
            counts[is_error(theirs)] += 1
        for difference in found:
            report.add(difference, {
                "number": number, "operation": operation, "request": request,
                "ours": ours, "theirs": theirs})
    tables.reset()

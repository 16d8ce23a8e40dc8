"""Reviewed differences between the extension and DynamoDB Local.

Each entry: a pattern searched in the line of the class, the reason in one
sentence, and optionally a test of the request.  An entry must be narrow
enough that it cannot hide a fault of the extension of another kind.
"""

import re

EXPLAINED = [
]


def explain(line, request):
    """The reason why this difference is right, or None."""
    for entry in EXPLAINED:
        pattern, reason = entry[:2]
        if re.search(pattern, line) and (len(entry) == 2
                                         or entry[2](request)):
            return reason
    return None

"""Reviewed differences between the extension and DynamoDB Local.

Each entry: a pattern searched in the line of the class, the reason in one
sentence, and optionally a test of the request.  The line reads "Operation
kind: extension | local".  An entry must be narrow enough that it cannot hide
a fault of the extension of another kind.
"""

import json
import re


def mentions(pattern):
    """A test: the request's text has the pattern."""
    return lambda request: re.search(
        pattern, json.dumps(request, ensure_ascii=False))


EXPLAINED = [
    (r" type: SerializationException: .* \| InternalFailure: ",
     "A member of the wrong JSON type: Local fails inside, the service says"
     " SerializationException."),
    (r"reserved keyword: … \| ",
     "SIZE is a reserved word; Local lets it through.",
     mentions(r"(?i)\bsize\b(?! *\()")),
]


def explain(line, request):
    """The reason why this difference is right, or None."""
    for entry in EXPLAINED:
        pattern, reason = entry[:2]
        if re.search(pattern, line) and (len(entry) == 2
                                         or entry[2](request)):
            return reason
    return None

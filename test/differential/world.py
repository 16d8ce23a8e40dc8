"""Both sides with the same tables, kept in step.

After each write the tables it names are compared by a full Scan, so that a
difference is seen at the request that made it; the extension is then given
Local's items again, so that one difference does not breed others.
"""

import re

from compare import (Difference, canonical, differences, is_error, ordered,
                     is_select)
from tables import TABLES

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem",
          "TransactWriteItems", "ExecuteStatement", "BatchExecuteStatement",
          "ExecuteTransaction"}

class World:
    def __init__(self, ours, theirs):
        self.ours = ours                # the extension
        self.theirs = theirs            # DynamoDB Local
        self.items = {}                 # {table: items both sides hold}

    def reset(self, items=None):
        """Fresh tables on both sides, holding the given items."""
        self._drop_spare()
        for side in (self.ours, self.theirs):
            for name in TABLES:
                side.call("DeleteTable", {"TableName": name})
            for name, table in TABLES.items():
                answer = side.call("CreateTable", table.definition())
                if is_error(answer):
                    raise SystemExit(f"{side.name}: CreateTable {name}:"
                                     f" {answer}")
        self.items = {name: [] for name in TABLES}
        for name, wanted in (items or {}).items():
            for item in wanted:
                self._put(self.ours, name, item)
                self._put(self.theirs, name, item)
            self.items[name] = list(wanted)

    def restore(self, items):
        """Make these tables hold just the given items, and no spare tables."""
        self._drop_spare()
        for side in (self.ours, self.theirs):
            for name, wanted in items.items():
                self._fill(side, name, wanted)
        if any(self.scan(self.ours, name) != self.scan(self.theirs, name)
               for name in items):
            self.reset(items)
        self.items.update({name: list(kept) for name, kept in items.items()})

    def _drop_spare(self):
        """Drop every table but the usual ones."""
        for side in (self.ours, self.theirs):
            names = side.call("ListTables", {})["TableNames"]
            for name in names:
                if name not in TABLES:
                    side.call("DeleteTable", {"TableName": name})

    def _fill(self, side, name, wanted):
        table, found = TABLES[name], self.scan(side, name)
        for item in found:
            if item not in wanted:
                side.call("DeleteItem", {"TableName": name,
                                         "Key": table.key_of(item)})
        for item in wanted:
            if item not in found:
                self._put(side, name, item)

    def _put(self, side, name, item):
        return side.call("PutItem", {"TableName": name, "Item": item})

    def send(self, operation, request):
        """Send to both sides; (ours, theirs, differences)."""
        ours = self.ours.call(operation, request)
        theirs = self.theirs.call(operation, request)
        found = differences(operation, request, ours, theirs)
        if operation in ("Scan", "Query") and not is_error(ours) \
                and not is_error(theirs):
            found += self._compare_pages(operation, request)
        if is_select(request) and not is_error(ours) and not is_error(theirs):
            found += self._compare_statement_pages(request)
        if operation == "CreateTable" and found:
            self._drop_spare()
        if operation in WRITES and not is_select(request):
            state = self._compare_state(operation, request)
            if not any(one.kind == "type" for one in found):
                found += state      # else but a consequence
        return ours, theirs, found

    def _compare_pages(self, operation, request):
        """Compare all pages together, where single ones may differ.

        Equal index keys, and the partitions of a Scan, come in an order
        that DynamoDB Local does not share with the service.
        """
        if "ExclusiveStartKey" in request or not (
                "Limit" in request or "TotalSegments" in request
                or "IndexName" in request):
            return []
        ours, theirs = [drain(side, operation, request)
                        for side in (self.ours, self.theirs)]
        if ordered(ours) != ordered(theirs):
            return [Difference("result", operation, "union of all pages")]
        if operation == "Query" and "IndexName" in request \
                and request.get("TableName") in TABLES:
            table = TABLES[request["TableName"]]
            keys = table.indexes[request["IndexName"]].keys
            one, two = [[[item.get(name) for name, _, _ in keys]
                         for item in items] for items in (ours, theirs)]
            if one != two:
                return [Difference("result", operation, "order of index")]
        return []

    def _compare_statement_pages(self, request):
        """All pages of a SELECT, by the tokens of each side.

        They come in the same order where ORDER BY says it, but for equal keys
        of an index.
        """
        if "Limit" not in request:
            return []
        ours, theirs = [drain_statement(side, request)
                        for side in (self.ours, self.theirs)]
        text = request["Statement"]
        if "ORDER BY" not in text or re.search(r'"\."', text):
            ours, theirs = ordered(ours), ordered(theirs)
        if ours != theirs:
            return [Difference("result", "ExecuteStatement",
                               "union of all pages")]
        return []

    def _compare_state(self, operation, request):
        found = []
        for name in tables_of(request):
            theirs = self.scan(self.theirs, name)
            ours = self.scan(self.ours, name)
            self.items[name] = theirs
            if ours != theirs:
                found.append(Difference("state", operation, "table differs"))
                self._mend(name, theirs)
        return found

    def scan(self, side, name):
        items, request = [], {"TableName": name, "ConsistentRead": True}
        while True:
            answer = side.call("Scan", request)
            items += answer.get("Items", ())
            if "LastEvaluatedKey" not in answer:
                return ordered(canonical(items))
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _mend(self, name, theirs):
        """Give the extension the items Local has."""
        self._fill(self.ours, name, theirs)
        if self.scan(self.ours, name) != theirs:
            self.reset()

    def compare_indexes(self):
        """The indexes of every table, by Scan."""
        found = []
        for table in TABLES.values():
            for index in table.indexes:
                request = {"TableName": table.name, "IndexName": index}
                one, two = [ordered(canonical(drain(side, "Scan", request)))
                            for side in (self.ours, self.theirs)]
                if one != two:
                    found.append((request, Difference(
                        "state", "index", f"{table.name}/{index} differs")))
        return found


def drain(side, operation, request):
    """All items of all pages of all segments, in the order they come."""
    items = []
    total = request.get("TotalSegments") or 1
    for segment in range(total):
        page = dict(request)
        if "TotalSegments" in request:
            page["Segment"] = segment
        for _ in range(10000):
            answer = side.call(operation, page)
            items += canonical(answer.get("Items", []))
            if "LastEvaluatedKey" not in answer:
                break
            page["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
    return items


def drain_statement(side, request):
    """All items of all pages of a SELECT, in the order they come."""
    items, page = [], dict(request)
    for _ in range(1000):
        answer = side.call("ExecuteStatement", page)
        items += canonical(answer.get("Items", [answer]))
        if "NextToken" not in answer:
            return items
        page["NextToken"] = answer["NextToken"]
    return items + ["no end"]


def tables_of(request):
    """Names of known tables anywhere in the request."""
    found = []

    def look(node):
        if isinstance(node, dict):
            for name, child in node.items():
                if name == "TableName" and isinstance(child, str):
                    found.append(child)
                if name == "Statement" and isinstance(child, str):
                    found.extend(re.findall(r"\w+", child))
                if name == "RequestItems" and isinstance(child, dict):
                    found.extend(child)
                look(child)
        elif isinstance(node, list):
            for child in node:
                look(child)
    look(request)
    return sorted({name for name in found if name in TABLES})

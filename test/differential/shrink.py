"""Make a differing request smaller while it still differs in the same way."""

import copy
import re

from breakage import places

ATTEMPTS = 150


class Shrinker:
    def __init__(self, world):
        self.world = world
        self.left = ATTEMPTS

    def differs(self, operation, request, items, line):
        if self.left <= 0:
            return False
        self.left -= 1
        self.world.restore(items)
        _, _, found = self.world.send(operation, request)
        return any(difference.line() == line for difference in found)

    def shrink(self, operation, request, items, line):
        """(smaller request, fewer items, both answers) with that class."""
        if not self.differs(operation, request, items, line):
            return request, items           # needs more than the items
        nothing = {name: [] for name in items}
        if self.differs(operation, request, nothing, line):
            items = nothing
        items = self._fewer_items(operation, request, items, line)
        request = self._fewer_members(operation, request, items, line)
        return request, items

    def _fewer_items(self, operation, request, items, line):
        for name in list(items):
            for size in (len(items[name]), 8, 4, 2, 1):
                position = 0
                while size and position < len(items[name]):
                    fewer = dict(items)
                    fewer[name] = items[name][:position] \
                        + items[name][position + size:]
                    if self.differs(operation, request, fewer, line):
                        items = fewer
                    else:
                        position += size
        return items

    def _fewer_members(self, operation, request, items, line):
        again = True
        while again and self.left > 0:
            again = False
            for number in range(len(places(request))):
                smaller = copy.deepcopy(request)
                every = places(smaller)
                if number >= len(every):
                    break
                node, key = every[number]
                del node[key]
                pruned = prune(copy.deepcopy(smaller))
                for candidate in (pruned, smaller):
                    if self.differs(operation, candidate, items, line):
                        request, again = candidate, True
                        break
                    if pruned == smaller:
                        break
                if again:
                    break
        return request


def prune(node):
    """Drop placeholders that no expression of the same structure uses."""
    if isinstance(node, list):
        for child in node:
            prune(child)
    elif isinstance(node, dict):
        for child in node.values():
            prune(child)
        texts = " ".join(text for name, text in node.items()
                         if name.endswith("Expression")
                         and isinstance(text, str))
        used = set(re.findall(r"[#:]\w+", texts))
        for member in ("ExpressionAttributeNames",
                       "ExpressionAttributeValues"):
            given = node.get(member)
            if isinstance(given, dict):
                kept = {k: v for k, v in given.items() if k in used}
                node[member] = kept
                if not kept:
                    del node[member]
    return node

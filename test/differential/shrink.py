"""Make a differing request smaller while it still differs in the same way."""

import copy

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
        self.world.reset(items)
        _, _, found = self.world.send(operation, request)
        return any(difference.line() == line for difference in found)

    def shrink(self, operation, request, items, line):
        """(smaller request, fewer items, both answers) with that class."""
        if not self.differs(operation, request, items, line):
            return request, items           # needs more than the items
        for fewer in ({}, ):
            if self.differs(operation, request, fewer, line):
                items = fewer
        items = self._fewer_items(operation, request, items, line)
        request = self._fewer_members(operation, request, items, line)
        return request, items

    def _fewer_items(self, operation, request, items, line):
        for name in list(items):
            for size in (len(items[name]), 8, 4, 2, 1):
                position = 0
                while size and position < len(items.get(name, ())):
                    fewer = dict(items)
                    fewer[name] = items[name][:position] \
                        + items[name][position + size:]
                    if self.differs(operation, request, fewer, line):
                        items = fewer
                    else:
                        position += size
        return {name: kept for name, kept in items.items() if kept}

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
                if self.differs(operation, smaller, items, line):
                    request, again = smaller, True
                    break
        return request

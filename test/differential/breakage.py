"""Break a request as a JSON document, whatever its operation."""

import copy

from values import bad_value, chance, misformed_value

JUNK = ["", "x", 0, 1, -1, 1.5, True, False, None, [], {}, ["x"], [[]],
        {"x": "y"}, [{}], "1", 10 ** 12]


def places(node, out=None):
    """Every (container, key) of the document."""
    out = [] if out is None else out
    children = node.items() if isinstance(node, dict) else \
        enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        out.append((node, key))
        places(child, out)
    return out


def break_request(rng, request):
    """Change, remove or add one member somewhere, mostly near the top."""
    candidates = places(request)
    if not candidates or chance(rng, 0.05):
        request["Unknown"] = "x"
        return
    if chance(rng, 0.6):
        candidates = [(request, key) for key in request] or candidates
    node, key = rng.choice(candidates)
    kind = rng.random()
    if kind < 0.25:
        del node[key]
    elif kind < 0.35:
        node[key] = bad_value(rng)
    elif kind < 0.45:
        node[key] = misformed_value(rng)
    elif kind < 0.9 or isinstance(node, list):
        node[key] = copy.deepcopy(rng.choice(JUNK))
    else:
        node[rng.choice(["", "Unknown", key + "s", key.lower()])] = node[key]

"""The parameters older than the expressions."""

from tables import ATTRIBUTES, attribute
from values import KEYS, bad_value, chance, key_value, value

OPERATORS = {"EQ": 1, "NE": 1, "LE": 1, "LT": 1, "GE": 1, "GT": 1,
             "BETWEEN": 2, "IN": 3, "BEGINS_WITH": 1, "CONTAINS": 1,
             "NOT_CONTAINS": 1, "NULL": 0, "NOT_NULL": 0}
ORDERED = ("LE", "LT", "GE", "GT", "BETWEEN", "IN")


def condition(rng, name, faults=0.0):
    """{ComparisonOperator, AttributeValueList} on one attribute."""
    operator = rng.choice(list(OPERATORS))
    sample = attribute(rng, name)
    type_ = next(iter(sample))
    if chance(rng, faults):
        type_ = None
    elif operator in ORDERED and type_ not in KEYS:
        type_ = rng.choice("SNB")
    elif operator == "BEGINS_WITH" and type_ not in ("S", "B"):
        type_ = rng.choice("SB")
    elif operator in ("CONTAINS", "NOT_CONTAINS") and type_ not in KEYS:
        type_ = type_[0] if type_ in ("SS", "NS", "BS") else rng.choice("SNB")
    count = OPERATORS[operator]
    if chance(rng, faults):
        count = rng.randint(0, 3)
    values = [value(rng, type_, 1) for _ in range(count)]
    if operator == "BETWEEN" and type_ in KEYS and not chance(rng, faults):
        pair = sorted((key_value(rng, type_)[type_] for _ in "12"),
                      key=float if type_ == "N" else None)
        values = [{type_: text} for text in pair]
    if chance(rng, faults / 2):
        values.append(bad_value(rng))
    if chance(rng, faults / 2):
        operator = rng.choice(["eq", "FOO", "", None])
    result = {"ComparisonOperator": operator}
    if values or chance(rng, 0.3):
        result["AttributeValueList"] = values
    return result


def conditions(rng, pool, faults=0.0):
    """QueryFilter or ScanFilter."""
    names = rng.sample(pool, min(len(pool), rng.choice([1, 1, 2, 3])))
    return {name: condition(rng, name, faults) for name in names}


def expected(rng, item=None, faults=0.0):
    """Expected, often true of the item at hand."""
    result = {}
    for name in rng.sample(ATTRIBUTES, rng.choice([1, 1, 2])):
        known = (item or {}).get(name)
        content = known if known and chance(rng, 0.7) \
            else attribute(rng, name)
        kind = rng.random()
        if kind < 0.35:
            result[name] = {"Value": content}
            if chance(rng, 0.3):
                result[name]["Exists"] = True
        elif kind < 0.6:
            result[name] = {"Exists": False}
        else:
            result[name] = condition(rng, name, faults)
        if chance(rng, faults):
            result[name].update(rng.choice([
                {"Exists": True}, {"Exists": False}, {"Value": content},
                {"Value": bad_value(rng)}, {"AttributeValueList": [content]},
                {"ComparisonOperator": "EQ"},
                {"ComparisonOperator": "NOT_NULL"}]))
        if chance(rng, faults / 3):
            result[name] = {}
    return result


def key_conditions(rng, keys, faults=0.0):
    result = {}
    for name, type_, kind in keys:
        if kind == "HASH":
            operator = "EQ"
        elif chance(rng, 0.5):
            operator = rng.choice(["EQ", "LE", "LT", "GE", "GT", "BETWEEN",
                                   "BEGINS_WITH"])
            if operator == "BEGINS_WITH" and type_ == "N":
                operator = "EQ"
        else:
            break
        if chance(rng, faults):
            operator = rng.choice(list(OPERATORS) + ["eq"])
        texts = sorted((key_value(rng, type_)[type_] for _ in "12"),
                       key=float if type_ == "N" else None)
        values = [{type_: text} for text in texts]
        values = values[:OPERATORS.get(operator, 1)]
        if chance(rng, faults):
            values = [value(rng, None, 1)]
        result[name] = {"ComparisonOperator": operator,
                        "AttributeValueList": values}
    if chance(rng, faults):
        result[rng.choice(ATTRIBUTES)] = condition(rng, "a", faults)
    if chance(rng, faults) and result:
        result.pop(rng.choice(list(result)))
    return result


def attribute_updates(rng, types, keys, faults=0.0):
    """AttributeUpdates over attributes of the given types."""
    pool = [name for name in types if name not in keys or chance(rng, faults)]
    result = {}
    for name in rng.sample(pool, rng.choice([0, 1, 1, 1, 2, 3])):
        type_ = types.get(name)
        action = rng.choice(["PUT", "PUT", "ADD", "DELETE", "DELETE", None])
        if action == "ADD" and type_ not in ("N", "SS", "NS", "BS", "L") \
                and not chance(rng, faults):
            action = "PUT"
        content = attribute(rng, name) if name in ATTRIBUTES \
            else value(rng, type_)
        update = {}
        if action:
            update["Action"] = action
        if action != "DELETE" or (type_ in ("SS", "NS", "BS")
                                  and chance(rng, 0.7)):
            update["Value"] = content
        if chance(rng, faults):
            update.pop("Value", None)
        elif chance(rng, faults):
            update["Value"] = rng.choice([bad_value(rng), value(rng)])
        if chance(rng, faults / 2):
            update["Action"] = rng.choice(["put", "SET", ""])
        result[name] = update
    return result

"""What counts as the same answer, and a class for every difference.

A Difference has a kind:
  type    one side refuses what the other does, or by another exception
  result  both succeed, with different answers
  state   the tables differ after the request
  text    both refuse by the same exception, in other words (informative)
"""

import re

class Difference:
    def __init__(self, kind, operation, detail):
        self.kind = kind
        self.operation = operation
        self.detail = detail

    def line(self):
        """The class as one line: what explained.py matches."""
        return f"{self.operation} {self.kind}: {self.detail}"


def is_error(answer):
    return "__type" in answer


def exception(answer):
    return answer["__type"].rpartition("#")[2]


def message(answer):
    for name in ("message", "Message"):
        if answer.get(name) is not None:
            return answer[name]
    return ""


def general(text):
    """The text without what varies from request to request."""
    text = re.sub(r'token: ".*", near: ".*"', 'token: "…", near: "…"',
                  text, flags=re.S)
    text = re.sub(r"path one: .*", "path one: …, path two: …", text,
                  flags=re.S)
    text = re.sub(r"Value '.*?' at", "Value '…' at", text, flags=re.S)
    text = re.sub(r"converted to a numeric value: .*", "converted to a numeric"
                  " value: …", text, flags=re.S)
    text = re.sub(r"(name|value|keyword|function|one|two|operand|Attribute|key"
                  r"|Key|type|element|index|bounds?|type set|level|count|size"
                  r"|operator or function|collection|specified): ?"
                  r"(\[.*?\]|\{.*?\}|[^,; ]+)",
                  r"\1: …", text, flags=re.S)
    text = re.sub(r"\[.*\]", "[…]", text, flags=re.S)
    text = re.sub(r"\{.*\}", "{…}", text, flags=re.S)
    text = re.sub(r"(requestItems\.|transactItems\.|[a-z]\.)[^ ]*\.member",
                  r"\1….member", text)
    return re.sub(r"\d+", "0", text)[:300]


def short(answer):
    if not is_error(answer):
        return "ok"
    return f"{exception(answer)}: {general(message(answer))}"


def unlike_paths(operation, request, ours, theirs):
    """Where two answers that are no errors differ, what may differ aside."""
    return sorted(set(_unlike(normal(operation, request, ours),
                              normal(operation, request, theirs))))


def differences(operation, request, ours, theirs):
    """The differences between two answers to one request."""
    if is_error(ours) or is_error(theirs):
        return _errors(operation, ours, theirs)
    paths = unlike_paths(operation, request, ours, theirs)
    if operation == "BatchExecuteStatement":
        return _members(operation, ours, theirs, paths)
    if all(path.startswith("Attributes") for path in paths) \
            and (not paths or _is_part(request, ours, theirs)):
        return []
    return [Difference("result", operation, ", ".join(paths[:6]))]


def is_select(request):
    """Is it an ExecuteStatement that reads?"""
    return str(request.get("Statement")).startswith("SELECT")


def _members(operation, ours, theirs, paths):
    """Members of a batch: each has an answer or an error of its own."""
    result = []
    for one, two in zip(ours["Responses"], theirs["Responses"]):
        one, two = [member.get("Error", {}) for member in (one, two)]
        kind = "text" if one.get("Code") == two.get("Code") else "type"
        if one.get("Code") != two.get("Code") \
                or one.get("Message") != two.get("Message"):
            result.append(Difference(kind, operation,
                                     f"{_member(one)} | {_member(two)}"))
    if paths and not any(one.kind == "type" for one in result):
        result.append(Difference("result", operation, ", ".join(paths[:6])))
    return result


def _member(error):
    if not error:
        return "ok"
    return f"{error.get('Code')}: {general(error.get('Message') or '')}"


def _is_part(request, ours, theirs):
    """UPDATED_OLD, UPDATED_NEW of a nested path: a part of the attribute.

    The service returns what lies at the paths, packed; DynamoDB Local the
    whole attributes.
    """
    return str(request.get("ReturnValues")).startswith("UPDATED_") \
        and re.search(r"[.\[]", str(request.get("UpdateExpression"))) \
        and fragment(canonical(ours.get("Attributes", {})),
                     canonical(theirs.get("Attributes", {})))


def fragment(part, whole):
    """True if the document is the other, or that with members left out."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and fragment(child, whole[name])
                   for name, child in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(fragment(child, other) for other in rest)
                   for child in part)
    return part == whole


def _errors(operation, ours, theirs):
    both = is_error(ours) and is_error(theirs)
    if not both or exception(ours) != exception(theirs):
        return [Difference("type", operation,
                           f"{short(ours)} | {short(theirs)}")]
    result = []
    if message(ours) != message(theirs):
        result.append(Difference("text", operation,
                                 f"{short(ours)} | {short(theirs)}"))
    ours, theirs = [
        {"Item": canonical(answer.get("Item")),
         "CancellationReasons": [
             {"Code": reason.get("Code"),
              "Item": canonical(reason.get("Item"))}
             for reason in answer.get("CancellationReasons", ())]}
        for answer in (ours, theirs)]
    paths = sorted(set(_unlike(ours, theirs)))
    if paths:
        result.append(Difference("result", operation, ", ".join(paths)))
    return result


def canonical(node):
    """An answer with sets sorted, so that order in them is not seen."""
    if isinstance(node, dict):
        if len(node) == 1:
            (type_, content), = node.items()
            if type_ in ("SS", "NS", "BS") and isinstance(content, list):
                return {type_: sorted(content)}
        return {name: canonical(child) for name, child in node.items()}
    if isinstance(node, list):
        return [canonical(child) for child in node]
    return node


def ordered(items):
    return sorted(items, key=repr_sorted)


def repr_sorted(node):
    if isinstance(node, dict):
        return "{" + ",".join(f"{k!r}:{repr_sorted(node[k])}"
                              for k in sorted(node)) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(repr_sorted, node)) + "]"
    return repr(node)


def normal(operation, request, answer):
    """The answer without what may rightly differ."""
    answer = canonical(answer)
    paged = "Limit" in request or "ExclusiveStartKey" in request
    if operation == "Scan" or operation == "Query" and "IndexName" in request:
        if paged or "Segment" in request:
            return {}       # pages follow the order of hashes, see world.py
        if "Items" in answer:
            answer["Items"] = ordered(answer["Items"])
    if is_select(request):
        answer.pop("LastEvaluatedKey", None)    # NextToken says the same
        answer.pop("NextToken", None)
        if "Limit" in request:
            return {}       # world.py compares all pages
        if "ORDER BY" not in request["Statement"] \
                or re.search(r'"\."', request["Statement"]):
            answer["Items"] = ordered(answer["Items"])
    for member in answer.get("Responses", ()) \
            if operation == "BatchExecuteStatement" else ():
        member.get("Error", {}).pop("Message", None)
    if operation == "BatchGetItem":
        for items in answer.get("Responses", {}).values():
            items.sort(key=repr_sorted)
        if _some_missing(request, answer):
            answer.pop("ConsumedCapacity", None)
    if operation in ("TransactGetItems", "ExecuteTransaction"):
        # {"Item": {}} and {} are one
        for response in answer.get("Responses", ()):
            if response.get("Item") == {}:
                del response["Item"]
    if operation in ("Query", "Scan") and answer.get("ScannedCount") == 0:
        answer.pop("ConsumedCapacity", None)
    capacity = answer.get("ConsumedCapacity")
    if isinstance(capacity, list):
        capacity.sort(key=lambda c: c["TableName"])
        answer["ConsumedCapacity"] = [_capacity(operation, c)
                                      for c in capacity]
    elif capacity:
        answer["ConsumedCapacity"] = _capacity(operation, capacity)
    for name in ("TableDescription", "Table"):
        if name in answer:
            answer[name] = _description(answer[name])
    if "Tags" in answer:
        answer["Tags"] = ordered(answer["Tags"])
    return answer


def _some_missing(request, answer):
    """Missing keys of a batch are charged, but by Local."""
    wanted = sum(len(entry.get("Keys", ()))
                 for entry in request["RequestItems"].values())
    return wanted > sum(map(len, answer.get("Responses", {}).values()))


# Global indexes with two attributes that an item may lack.  Local charges
# writes for an item that has one of them, though it is not in the index.
PARTIAL = {"gsiKeys", "two"}


def _capacity(operation, capacity):
    """Units without the arms that Local gets wrong, and without their sum.

    In transactions the service does not double the arms of indexes, and
    tells the kind of the units beside their number.
    """
    if operation in ("Query", "Scan", "GetItem", "BatchGetItem"):
        return capacity
    transact = operation.startswith("Transact")
    result = {name: content for name, content in capacity.items()
              if name not in ("ReadCapacityUnits", "WriteCapacityUnits")}
    if "Table" in result:
        result["Table"] = result["Table"]["CapacityUnits"]
    elif transact or capacity["TableName"] in ("RangeS", "Multi"):
        del result["CapacityUnits"]     # no telling what is in it
        return result
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        arms = result.pop(kind, {})
        for name in arms:
            if transact or name in PARTIAL:
                result["CapacityUnits"] -= arms[name]["CapacityUnits"]
            if name not in PARTIAL:
                result[name] = None if transact else arms[name]
    return result


VOLATILE = {"CreationDateTime", "TableId", "TableArn", "IndexArn",
            "TableSizeBytes", "ItemCount", "IndexSizeBytes", "TableStatus",
            "IndexStatus", "LastUpdateToPayPerRequestDateTime",
            "LastIncreaseDateTime", "LastDecreaseDateTime",
            # Local gives a table those of an earlier one of its name
            "LatestStreamArn", "LatestStreamLabel"}


def _description(node):
    if isinstance(node, dict):
        return {name: ordered(child) if name == "AttributeDefinitions"
                else _indexes(child) if name.endswith("SecondaryIndexes")
                else _description(child)
                for name, child in node.items() if name not in VOLATILE}
    if isinstance(node, list):
        return [_description(child) for child in node]
    return node


def _indexes(indexes):
    return sorted((_description(index) for index in indexes),
                  key=lambda index: index["IndexName"])


def _unlike(a, b, path=""):
    """Paths, generalised, at which two documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in sorted(set(a) | set(b)):
            step = f"{path}.{name}".lstrip(".")
            if _in_item(path):
                step = path
            if name not in a:
                yield step if _in_item(path) or name == "Attributes" \
                    else step + " missing"
            elif name not in b:
                yield step if _in_item(path) else step + " extra"
            else:
                yield from _unlike(a[name], b[name], step)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield path + "[] count"
        else:
            for one, two in zip(a, b):
                yield from _unlike(one, two, path + "[]")
    elif a != b:
        yield path


def _in_item(path):
    last = path.rpartition(".")[2]
    return last in ("Items[]", "Item", "Attributes", "Responses[]",
                    "LastEvaluatedKey", "ItemCollectionKey") \
        or path.startswith("Responses.")

"""Every member that a request may have by AWS's model is one of these:

    read      a shape of ours has it, and some code uses what it is filled into
    refused   by its name, when it is given
    passed    over, for a reason that stands here

so nothing that a client asks for is answered as if it had not been asked.
The model is that of the newest botocore: a member that comes with it fails
here until it is one of these.
"""
import json
import pathlib
import re
import subprocess

import botocore
import botocore.session

SOURCE = pathlib.Path(__file__).parents[3] / "src"

# Members that are passed over, and all in them.
PASSED = {
    "UpdateGlobalTableSettings": {
        name: "there is no global table to be found" for name in (
            "GlobalTableBillingMode", "GlobalTableProvisionedWriteCapacityUnits",
            "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate",
            "GlobalTableGlobalSecondaryIndexSettingsUpdate", "ReplicaSettingsUpdate")},
    "ListGlobalTables": {
        name: "no page of an empty list has anything" for name in (
            "ExclusiveStartGlobalTableName", "RegionName")},
}

# What fills a request and is not used, for a reason.
UNUSED = {"LegacyRequest.limit": "no page of an empty list has anything",
          "LegacyRequest.regions": "the operation is always refused",
          "BatchMemberRequest.on_failure": "the service takes it and shows no item",
          "DisassociationMode": "there is one mode"}

TABLE = {"TableName": "Model", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
         "BillingMode": "PAY_PER_REQUEST"}
# What the server asks for beyond what the model says is required.
BASE = {"CreateTable": TABLE,
        "RestoreTableFromBackup": {"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Model/backup/0"}}


def check(name, good, *words):
    """One result."""
    print(f"{'ok' if good else 'not ok'} - model: {name}", flush=True)
    for word in words if not good else ():
        print(f"# {word}", flush=True)


def sql(text, **variables):
    """What a query gives."""
    return subprocess.run(
        ["psql", "-XAtq", *(f"-v{name}={value}" for name, value in variables.items())],
        input=text, check=True, capture_output=True, text=True).stdout


def refusal(operation, request):
    """What the server says of a request that it refuses."""
    answer = json.loads(sql("SELECT dynamo.try_call(:'operation', :'request')",
                            operation=operation, request=json.dumps(request)))
    return answer.get("message", answer.get("Message", ""))


def paths(shape, path=""):
    """All members inside a value, as dynamo_internal.operations() writes their paths."""
    if path:
        yield path
    if shape.name == "AttributeValue":    # its members are types, each of which is read
        return
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            yield from paths(member, f"{path}.{name}" if path else name)
    elif shape.type_name in ("list", "map"):
        yield from paths(shape.member if shape.type_name == "list" else shape.value, path + "[]")


def inside(path, outer):
    """Is it that member, or in it?"""
    return path == outer or path.startswith((outer + ".", outer + "[]"))


def example(shape):
    """Some value of a shape: what is required, and no more."""
    if shape.type_name == "structure":
        return {name: example(shape.members[name]) for name in shape.required_members}
    if shape.type_name == "list":
        return [example(shape.member)]
    if shape.type_name == "map":
        return {"Model": example(shape.value)}
    if shape.type_name in ("integer", "long"):
        return shape.metadata.get("min", 1)
    if shape.type_name in ("double", "float", "timestamp"):
        return 1
    if shape.type_name == "boolean":
        return True
    return shape.enum[0] if getattr(shape, "enum", None) else "Model"


def asked(operation, shape, path):
    """A request of that operation, of that shape, with the member of a path."""
    request = {**example(shape), **BASE.get(operation, {})}
    place = request
    names = path.split(".")
    for i, name in enumerate(names):
        several = name.endswith("[]")
        name = name.removesuffix("[]")
        shape = shape.members[name]
        place.setdefault(name, example(shape))
        if i + 1 < len(names):
            place = place[name][0] if several else place[name]
            shape = shape.member if several else shape
    return request


def refused_by_name(operation, path, request, text, accepted):
    """Note a member in "accepted" unless the request is refused by that text."""
    answer = refusal(operation, request)
    if answer != f"One or more parameter values were invalid: {text}":
        accepted.append(f"{operation}.{path}: {answer}")


def check_members():
    """Each member of each operation."""
    ours = {row["operation"]: row for row in json.loads(
        sql("SELECT json_agg(o) FROM dynamo_internal.operations() o"))}
    counts = {"read": 0, "refused": 0, "passed over": 0, "of operations that are not here": 0}
    unknown, accepted, listed = [], [], set()
    session = botocore.session.get_session()
    for service in ("dynamodb", "dynamodbstreams"):
        model = session.get_service_model(service)
        for operation in model.operation_names:
            shape = model.operation_model(operation).input_shape
            row = ours.get(operation, {"available": False})
            members = set(row.get("members") or ())
            refused = row.get("refused") or ()
            passed = PASSED.get(operation, {})
            for path in paths(shape) if shape else ():
                by_list = [outer for outer in passed if inside(path, outer)]
                listed.update((operation, outer) for outer in by_list)
                if not row["available"]:
                    counts["of operations that are not here"] += 1
                elif any(inside(path, outer) for outer in refused):
                    counts["refused"] += 1
                    name = path.split(".")[-1].removesuffix("[]")
                    if path in refused:
                        refused_by_name(operation, path, asked(operation, shape, path),
                                        f"{name} is not supported", accepted)
                elif path in members:
                    counts["read"] += 1
                elif by_list:
                    counts["passed over"] += 1
                else:
                    unknown.append(f"{operation}.{path}")
    print(f"# botocore {botocore.__version__}: " + ", ".join(
        f"{count} {what}" for what, count in counts.items()))
    check("every member is read, refused or passed over", not unknown, *unknown)
    check("what is refused is refused by its name", not accepted, *accepted)
    stale = [f"{operation}.{path}" for operation in PASSED
             for path in PASSED[operation] if (operation, path) not in listed]
    check("the list names nothing that there is not", not stale, *stale)
    many = sum(counts.values())
    check(f"{many} members", many > 800)


def check_uses():
    """What a shape fills is used: the C member, or of inner structures the name."""
    files = [re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
             for path in sorted(SOURCE.glob("*/*.[ch]"))]
    words = [set(re.findall(r"\w+", text)) for text in files]
    taken = [set(re.findall(r"(?:->|\.)(\w+)", text)) for text in files]
    everything = "\n".join(files)
    unused = []
    fields = set(re.findall(r"WIRE_(?:FIELD|REQUIRED)\(\s*\"(\w+)\",\s*\w+,\s*(\w+),\s*([\w.]+)\)", everything))
    for _, struct, member in sorted(fields):
        last = member.split(".")[-1]
        if struct != "type" and not any(struct in some and last in members
                                        for some, members in zip(words, taken)):
            unused.append(f"{struct}.{member}")
    names = re.findall(r"CONTROL_(?:MEMBER|REQUIRED)\(\"(\w+)\"", everything)
    for name in sorted(set(names)):
        if everything.count(f'"{name}"') == names.count(name):
            unused.append(name)
    check(f"{len(fields)} fields and {len(set(names))} inner members are used by some code",
          len(fields) > 100 and sorted(unused) == sorted(UNUSED), *unused)


sql("SELECT dynamo.create_table('Model', 'k')")
check_members()
check_uses()
sql("SELECT dynamo.drop_table('Model')")

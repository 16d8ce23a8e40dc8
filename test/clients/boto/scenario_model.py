"""The table of commands against AWS's own model of the service: the same
operations, and members that name something are known to be such, so that
policies are asked about them.
"""
import json
import subprocess

import botocore.session

import harness

check = harness.checker("model")

# Shapes of AWS's model whose values name a resource, or hold such a name.
NAMING = {"TableName", "TableArn", "ResourceArnString", "StreamArn", "BackupArn",
          "ExportArn", "ImportArn", "BulkOperationArn", "IndexName",
          "PartiQLStatement", "ShardIterator"}

# Members that every operation refuses here.
REFUSED = {"GlobalTableSourceArn"}

# Operations of ours, which AWS has not.
OWN = "Dynamo_20261201"


def naming(shape, path=""):
    """The paths of what names something inside a value, as the table of commands has them."""
    if shape.name == "AttributeValue":
        return
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            if name not in REFUSED:
                yield from naming(member, f"{path}.{name}" if path else name)
    elif shape.type_name == "list":
        yield from naming(shape.member, path + "[]")
    elif shape.type_name == "map":
        yield from naming(shape.key, path + "{}")
        yield from naming(shape.value, path + "[]")
    elif shape.name in NAMING:
        yield path


def run():
    rows = json.loads(subprocess.run(
        ["psql", "-XAtc", "SELECT json_agg(o) FROM dynamo_internal.operations() o"],
        check=True, capture_output=True, text=True).stdout)
    ours = {row["operation"]: row for row in rows if row["service"] != OWN}
    session = botocore.session.get_session()
    theirs = {}
    for service, target in (("dynamodb", "DynamoDB_20120810"),
                            ("dynamodbstreams", "DynamoDBStreams_20120810")):
        model = session.get_service_model(service)
        for name in model.operation_names:
            theirs[name] = (target, model.operation_model(name).input_shape)
    check("the operations", sorted(ours), sorted(theirs))
    for name in sorted(set(ours) & set(theirs)):
        row, (target, shape) = ours[name], theirs[name]
        check(f"{name}: its service", row["service"], target)
        if row["available"] and row["checked"] != "all":
            # An index is named beside its table, and in definitions.
            known = {path for path in naming(shape) if path.count(".") == 0
                     or not path.endswith("IndexName")} if shape else set()
            if "Kinesis" in name:       # a stream of another service
                known.discard("StreamArn")
            if row["checked"] != "names":
                known = {path for path in known if path != "IndexName"}
            check(f"{name}: what names something", sorted(row["names"]), sorted(known))

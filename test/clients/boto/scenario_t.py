"""What Terraform does to aws_dynamodb_table and the resources beside it:
create, plan, update, drift, destroy; and backups.

CreateTable takes what it has members for, the rest is switched on afterwards.
A refresh reads everything by operations of its own, and a plan compares that
with the configuration. An apply changes one kind of thing at a time and waits
each time. A second apply makes no change.
"""

import json

from harness import checker, client, refusal, until
from infrastructure import (
    changes,
    describe,
    destinations,
    destroy,
    insights,
    policy,
    recovery,
    set_insights,
    set_recovery,
    set_tags,
    set_time_to_live,
    settled,
    tags,
    time_to_live,
)

check = checker("T")
NAME = "Managed"
ACCOUNT = "arn:aws:iam::000000000000:root"
KEYS = {"pk": "HASH", "sk": "RANGE"}


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def schema(hash_key, range_key):
    return [{"AttributeName": hash_key, "KeyType": "HASH"}] + (
        [{"AttributeName": range_key, "KeyType": "RANGE"}] if range_key else []
    )


def projection(index):
    return {
        "ProjectionType": index["projection_type"],
        **({"NonKeyAttributes": index["non_key_attributes"]} if index["non_key_attributes"] else {}),
    }


def an_index(
    hash_key, range_key=None, projection_type="ALL", non_key_attributes=(), read=0, write=0, limits=(-1, -1), warm=(12000, 4000)
):
    """global_secondary_index, as it is configured and as it is read."""
    return {
        "hash_key": hash_key,
        "range_key": range_key,
        "projection_type": projection_type,
        "non_key_attributes": sorted(non_key_attributes),
        "units": (read, write),
        "limits": limits,
        "warm": warm,
    }


def flat_index(index):
    key = {k["KeyType"]: k["AttributeName"] for k in index["KeySchema"]}
    throughput = index.get("ProvisionedThroughput", {})
    limits = index.get("OnDemandThroughput", {})
    return an_index(
        key["HASH"],
        key.get("RANGE"),
        index["Projection"]["ProjectionType"],
        index["Projection"].get("NonKeyAttributes", ()),
        throughput.get("ReadCapacityUnits", 0),
        throughput.get("WriteCapacityUnits", 0),
        (limits.get("MaxReadRequestUnits", -1), limits.get("MaxWriteRequestUnits", -1)),
        (index["WarmThroughput"]["ReadUnitsPerSecond"], index["WarmThroughput"]["WriteUnitsPerSecond"]),
    )


def read():
    """The state of all resources."""
    table = describe(NAME)
    if table is None:
        return None
    key = {k["KeyType"]: k["AttributeName"] for k in table["KeySchema"]}
    limits = table.get("OnDemandThroughput", {})
    return {
        "attribute": {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]},
        "hash_key": key["HASH"],
        "range_key": key.get("RANGE"),
        "billing_mode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        "units": (table["ProvisionedThroughput"]["ReadCapacityUnits"], table["ProvisionedThroughput"]["WriteCapacityUnits"]),
        "limits": (limits.get("MaxReadRequestUnits", -1), limits.get("MaxWriteRequestUnits", -1)),
        "warm": (table["WarmThroughput"]["ReadUnitsPerSecond"], table["WarmThroughput"]["WriteUnitsPerSecond"]),
        "local_secondary_index": {
            i["IndexName"]: (i["KeySchema"][1]["AttributeName"], i["Projection"]["ProjectionType"])
            for i in table.get("LocalSecondaryIndexes", [])
        },
        "global_secondary_index": {i["IndexName"]: flat_index(i) for i in table.get("GlobalSecondaryIndexes", [])},
        "stream": table.get("StreamSpecification", {}).get("StreamViewType"),
        "server_side_encryption": table.get("SSEDescription", {}).get("Status") == "ENABLED",
        "table_class": table.get("TableClassSummary", {}).get("TableClass", "STANDARD"),
        "deletion_protection": table["DeletionProtectionEnabled"],
        "replica": table.get("Replicas", []),
        "ttl": time_to_live(NAME),
        "recovery": recovery(NAME),
        "tags": tags(table["TableArn"]),
        # resources of their own
        "resource_policy": policy(table["TableArn"]),
        "contributor_insights": insights(NAME),
        "kinesis": destinations(NAME),
    }


def create(wanted):
    on_demand = wanted["billing_mode"] == "PAY_PER_REQUEST"
    table = client.create_table(
        TableName=NAME,
        BillingMode=wanted["billing_mode"],
        TableClass=wanted["table_class"],
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in wanted["attribute"].items()],
        KeySchema=schema(wanted["hash_key"], wanted["range_key"]),
        GlobalSecondaryIndexes=[
            {
                "IndexName": n,
                "KeySchema": schema(i["hash_key"], i["range_key"]),
                "Projection": projection(i),
                **({} if on_demand else {"ProvisionedThroughput": units(*i["units"])}),
            }
            for n, i in wanted["global_secondary_index"].items()
        ],
        LocalSecondaryIndexes=[
            {"IndexName": n, "KeySchema": schema(wanted["hash_key"], r), "Projection": {"ProjectionType": p}}
            for n, (r, p) in wanted["local_secondary_index"].items()
        ],
        StreamSpecification=(
            {"StreamEnabled": True, "StreamViewType": wanted["stream"]} if wanted["stream"] else {"StreamEnabled": False}
        ),
        SSESpecification={"Enabled": True, "SSEType": "KMS"} if wanted["server_side_encryption"] else {"Enabled": False},
        DeletionProtectionEnabled=wanted["deletion_protection"],
        Tags=[{"Key": k, "Value": v} for k, v in wanted["tags"].items()],
        **({} if on_demand else {"ProvisionedThroughput": units(*wanted["units"])}),
    )["TableDescription"]
    settled(NAME)
    if wanted["ttl"]:
        set_time_to_live(NAME, None, wanted["ttl"])
    if wanted["recovery"]:
        set_recovery(NAME, wanted["recovery"])
    return table["TableArn"]


def update_table(**members):
    client.update_table(TableName=NAME, **members)
    settled(NAME)


def set_throughput(found, wanted):
    """Billing mode, units, and those of the indexes, in one request."""
    if wanted["billing_mode"] == "PAY_PER_REQUEST":
        if found["billing_mode"] != "PAY_PER_REQUEST":
            update_table(BillingMode="PAY_PER_REQUEST")
        return
    switched = found["billing_mode"] != "PROVISIONED"
    updates = [
        {"Update": {"IndexName": n, "ProvisionedThroughput": units(*i["units"])}}
        for n, i in wanted["global_secondary_index"].items()
        if n in found["global_secondary_index"] and (switched or found["global_secondary_index"][n]["units"] != i["units"])
    ]
    request = {"GlobalSecondaryIndexUpdates": updates} if updates else {}
    if switched or found["units"] != wanted["units"]:
        request["ProvisionedThroughput"] = units(*wanted["units"])
    if switched:
        request["BillingMode"] = "PROVISIONED"
    if request:
        update_table(**request)


def set_indexes(found, wanted):
    """One index at a time: deleted, created; what cannot be changed is both."""
    on_demand = wanted["billing_mode"] == "PAY_PER_REQUEST"
    fixed = ("hash_key", "range_key", "projection_type", "non_key_attributes")
    same = {
        n
        for n, i in wanted["global_secondary_index"].items()
        if all(found["global_secondary_index"].get(n, {}).get(m) == i[m] for m in fixed)
    }
    for name in found["global_secondary_index"].keys() - same:
        update_table(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])
    for name, index in wanted["global_secondary_index"].items():
        if name not in same:
            update_table(
                AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in wanted["attribute"].items()],
                GlobalSecondaryIndexUpdates=[
                    {
                        "Create": {
                            "IndexName": name,
                            "KeySchema": schema(index["hash_key"], index["range_key"]),
                            "Projection": projection(index),
                            **({} if on_demand else {"ProvisionedThroughput": units(*index["units"])}),
                        }
                    }
                ],
            )
        had = read()["global_secondary_index"][name]
        if on_demand and had["limits"] != index["limits"]:
            update_table(
                GlobalSecondaryIndexUpdates=[
                    {
                        "Update": {
                            "IndexName": name,
                            "OnDemandThroughput": dict(zip(("MaxReadRequestUnits", "MaxWriteRequestUnits"), index["limits"])),
                        }
                    }
                ]
            )
        if had["warm"] != index["warm"]:
            update_table(
                GlobalSecondaryIndexUpdates=[
                    {
                        "Update": {
                            "IndexName": name,
                            "WarmThroughput": dict(zip(("ReadUnitsPerSecond", "WriteUnitsPerSecond"), index["warm"])),
                        }
                    }
                ]
            )


def apply(wanted):
    """Make it so; returns the operations that changed something."""
    with changes() as made:
        found = read()
        if found is None:
            arn = create(wanted)
            found = read()
        else:
            arn = describe(NAME)["TableArn"]
        set_throughput(found, wanted)
        if found["limits"] != wanted["limits"]:
            update_table(OnDemandThroughput=dict(zip(("MaxReadRequestUnits", "MaxWriteRequestUnits"), wanted["limits"])))
        if found["stream"] != wanted["stream"]:
            if found["stream"]:
                update_table(StreamSpecification={"StreamEnabled": False})
            if wanted["stream"]:
                update_table(StreamSpecification={"StreamEnabled": True, "StreamViewType": wanted["stream"]})
        if found["table_class"] != wanted["table_class"]:
            update_table(TableClass=wanted["table_class"])
        set_indexes(found, wanted)
        if found["server_side_encryption"] != wanted["server_side_encryption"]:
            update_table(
                SSESpecification={"Enabled": True, "SSEType": "KMS"} if wanted["server_side_encryption"] else {"Enabled": False}
            )
        if found["warm"] != wanted["warm"]:
            update_table(WarmThroughput=dict(zip(("ReadUnitsPerSecond", "WriteUnitsPerSecond"), wanted["warm"])))
        if found["ttl"] != wanted["ttl"]:
            set_time_to_live(NAME, found["ttl"], wanted["ttl"])
        if found["recovery"] != wanted["recovery"]:
            set_recovery(NAME, wanted["recovery"])
        if found["deletion_protection"] != wanted["deletion_protection"]:
            update_table(DeletionProtectionEnabled=wanted["deletion_protection"])
        set_tags(arn, wanted["tags"])
        if not same_policy(found["resource_policy"], wanted["resource_policy"]):
            set_policy(arn, wanted["resource_policy"])
        if found["contributor_insights"] != wanted["contributor_insights"]:
            set_insights(NAME, wanted["contributor_insights"])
    return made


def same_policy(one, other):
    """Policies are compared by what they say: of lists of one, and of an account's id."""

    def plain(node):
        if isinstance(node, list) and len(node) == 1:
            return plain(node[0])
        if isinstance(node, list):
            return sorted(map(plain, node), key=repr)
        if isinstance(node, dict):
            return {name: plain(child) for name, child in node.items()}
        return ACCOUNT if node == "000000000000" else node

    return one == other or None not in (one, other) and plain(json.loads(one)) == plain(json.loads(other))


def set_policy(arn, document):
    if document:
        client.put_resource_policy(ResourceArn=arn, Policy=document)
    else:
        client.delete_resource_policy(ResourceArn=arn)


def same(found, wanted):
    return {name: value for name, value in found.items() if name != "resource_policy"} == {
        name: value for name, value in wanted.items() if name != "resource_policy"
    } and same_policy(found["resource_policy"], wanted["resource_policy"])


def stays(what, wanted):
    """What is read is what is wanted, and neither another plan nor another apply changes anything."""
    check(f"{what}: what is read is what was asked for", (read() if not same(read(), wanted) else None), None)
    check(f"{what}: the next apply changes nothing", apply(wanted), [])


def run():
    wanted = {
        "attribute": {"pk": "S", "sk": "N", "g": "S", "l": "S"},
        "hash_key": "pk",
        "range_key": "sk",
        "billing_mode": "PAY_PER_REQUEST",
        "units": (0, 0),
        "limits": (-1, -1),
        "warm": (12000, 4000),
        "local_secondary_index": {"byL": ("l", "KEYS_ONLY")},
        "global_secondary_index": {"byG": an_index("g", "sk", "INCLUDE", ["z", "a"])},
        "stream": "NEW_AND_OLD_IMAGES",
        "server_side_encryption": True,
        "table_class": "STANDARD",
        "deletion_protection": False,
        "replica": [],
        "ttl": "until",
        "recovery": 35,
        "tags": {"env": "test", "Name": "it is"},
        "resource_policy": None,
        "contributor_insights": None,
        "kinesis": [],
    }
    check("nothing is there before", read(), None)
    check("created", apply(wanted), ["CreateTable", "UpdateTimeToLive", "UpdateContinuousBackups"])
    stays("created", wanted)

    # the resources beside the table
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "One",
                "Effect": "Allow",
                "Principal": {"AWS": ["000000000000"]},
                "Action": ["dynamodb:GetItem"],
                "Resource": [describe(NAME)["TableArn"]],
            }
        ],
    }
    wanted |= {"resource_policy": json.dumps(document, indent=2), "contributor_insights": "ACCESSED_AND_THROTTLED_KEYS"}
    check("a policy and insights", apply(wanted), ["PutResourcePolicy", "UpdateContributorInsights"])
    stays("a policy and insights", wanted)

    # each kind of change, one after the other
    for what, more, operations in (
        ("limits", {"limits": (100, -1)}, 1),
        ("other limits", {"limits": (-1, 50)}, 1),
        ("no limits", {"limits": (-1, -1)}, 1),
        ("another view", {"stream": "KEYS_ONLY"}, 2),
        ("no stream", {"stream": None}, 1),
        ("a stream again", {"stream": "NEW_IMAGE"}, 1),
        ("class", {"table_class": "STANDARD_INFREQUENT_ACCESS"}, 1),
        ("class again", {"table_class": "STANDARD"}, 1),
        ("not encrypted", {"server_side_encryption": False}, 1),
        ("encrypted", {"server_side_encryption": True}, 1),
        ("warm", {"warm": (13000, 4000)}, 1),
        ("protected", {"deletion_protection": True}, 1),
        ("free", {"deletion_protection": False}, 1),
        ("another ttl", {"ttl": "later"}, 2),
        ("no ttl", {"ttl": None}, 1),
        ("fewer days", {"recovery": 7}, 1),
        ("no recovery", {"recovery": 0}, 1),
        ("tags", {"tags": {"env": "live", "owner": "me"}}, 2),
        ("no tags", {"tags": {}}, 1),
        ("no policy", {"resource_policy": None}, 1),
        ("other insights", {"contributor_insights": "THROTTLED_KEYS"}, 1),
        ("no insights", {"contributor_insights": None}, 1),
    ):
        wanted = {**wanted, **more}
        check(what, len(apply(wanted)), operations)
        stays(what, wanted)

    # indexes: changed ones are made anew, and definitions follow
    wanted["attribute"] = {"pk": "S", "sk": "N", "l": "S", "h": "B"}
    wanted["global_secondary_index"] = {
        "byG": an_index("h"),
        "byL2": an_index("l", "sk", "KEYS_ONLY", limits=(10, 20), warm=(12000, 5000)),
    }
    check("indexes", apply(wanted), ["UpdateTable"] * 5)
    stays("indexes", wanted)
    # billing: to units, other units of the table and of an index, and back
    wanted |= {"billing_mode": "PROVISIONED", "units": (7, 8)}
    wanted["global_secondary_index"] = {
        "byG": an_index("h", read=1, write=2),
        "byL2": an_index("l", "sk", "KEYS_ONLY", read=3, write=4, warm=(12000, 5000)),
    }
    check("provisioned", apply(wanted), ["UpdateTable"])
    stays("provisioned", wanted)
    wanted["global_secondary_index"]["byG"]["units"] = (9, 2)
    check("units of an index", apply(wanted), ["UpdateTable"])
    stays("units of an index", wanted)
    wanted["units"] = (6, 8)
    check("units", apply(wanted), ["UpdateTable"])
    stays("units", wanted)
    wanted |= {"billing_mode": "PAY_PER_REQUEST", "units": (0, 0)}
    for index in wanted["global_secondary_index"].values():
        index["units"] = (0, 0)
    check("on demand", apply(wanted), ["UpdateTable"])
    stays("on demand", wanted)
    wanted["global_secondary_index"] = {}
    wanted["attribute"] = {"pk": "S", "sk": "N", "l": "S"}
    check("no indexes", apply(wanted), ["UpdateTable"] * 2)
    stays("no indexes", wanted)

    # drift: what others have changed is seen, and put right
    arn = describe(NAME)["TableArn"]
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "by", "Value": "hand"}])
    set_time_to_live(NAME, None, "byHand")
    set_recovery(NAME, 3)
    update_table(DeletionProtectionEnabled=True)
    update_table(StreamSpecification={"StreamEnabled": False})
    found = read()
    check(
        "drift is seen",
        {name for name in wanted if found[name] != wanted[name]},
        {"tags", "ttl", "recovery", "deletion_protection", "stream"},
    )
    check(
        "and put right",
        sorted(apply(wanted)),
        ["UntagResource", "UpdateContinuousBackups", "UpdateTable", "UpdateTable", "UpdateTimeToLive"],
    )
    stays("put right", wanted)
    wanted["deletion_protection"] = True
    apply(wanted)
    check("what is protected is not destroyed", refusal(client.delete_table, TableName=NAME)[0], "ValidationException")
    wanted["deletion_protection"] = False
    apply(wanted)

    wanted |= {"ttl": "until", "recovery": 35, "tags": {"env": "test"}}
    apply(wanted)
    stays("as at first", wanted)
    backups(wanted)


def backups(wanted):
    client.put_item(TableName=NAME, Item={"pk": {"S": "a"}, "sk": {"N": "1"}})
    backup = client.create_backup(TableName=NAME, BackupName="before")["BackupDetails"]["BackupArn"]
    status = lambda: client.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]["BackupStatus"]
    check("a backup is made", until(lambda: status() == "AVAILABLE"), True)
    destroy(NAME)
    check(
        "destroyed, it is gone", (read(), refusal(client.describe_table, TableName=NAME)[0]), (None, "ResourceNotFoundException")
    )
    client.restore_table_from_backup(TargetTableName=NAME, BackupArn=backup)
    settled(NAME)
    check("restored, it has its items", client.scan(TableName=NAME)["Items"], [{"pk": {"S": "a"}, "sk": {"N": "1"}}])
    found = read()
    check(
        "and neither stream nor warmth, time to live, recovery and tags",
        {name for name in wanted if found[name] != wanted[name]},
        {"stream", "warm", "ttl", "recovery", "tags"},
    )
    check(
        "which the next apply sets",
        sorted(apply(wanted)),
        ["TagResource", "UpdateContinuousBackups", "UpdateTable", "UpdateTable", "UpdateTimeToLive"],
    )
    stays("restored", wanted)
    check("the backup is listed", [b["BackupName"] for b in client.list_backups(TableName=NAME)["BackupSummaries"]], ["before"])
    check("and deleted", client.delete_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]["BackupStatus"], "DELETED")
    destroy(NAME)

"""What the AWS Controllers for Kubernetes do to a Table: they reconcile.

Each round reads the table and what belongs to it, compares that with the
resource's spec, and makes the first change that is needed; then the resource
is put back into the queue until nothing differs. Rounds go on for ever: what
others change is put right, and a round on a table that fits changes nothing.
"""

from harness import checker, client, refusal, until
from infrastructure import changes, describe, insights, policy, recovery, set_recovery, tags, time_to_live

check = checker("V")
NAME = "Reconciled"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/" + NAME


def find():
    """The observed spec, None where there is no table; and is it busy?"""
    table = describe(NAME)
    if table is None:
        return None, False
    busy = (
        table["TableStatus"] != "ACTIVE"
        or any(i["IndexStatus"] != "ACTIVE" for i in table.get("GlobalSecondaryIndexes", []))
        or table.get("SSEDescription", {}).get("Status", "ENABLED") != "ENABLED"
    )
    mode = table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    return {
        "attributeDefinitions": {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]},
        "keySchema": table["KeySchema"],
        "billingMode": mode,
        "provisionedThroughput": units(table) if mode == "PROVISIONED" else None,
        "globalSecondaryIndexes": {
            i["IndexName"]: {
                "keySchema": i["KeySchema"],
                "projection": i["Projection"],
                "provisionedThroughput": units(i) if mode == "PROVISIONED" else None,
                "contributorInsights": insights(NAME, i["IndexName"]) if i["IndexStatus"] == "ACTIVE" else None,
            }
            for i in table.get("GlobalSecondaryIndexes", [])
        },
        "streamSpecification": table.get("StreamSpecification", {}).get("StreamViewType"),
        "sseSpecification": "SSEDescription" in table,
        "tableClass": table.get("TableClassSummary", {}).get("TableClass", "STANDARD"),
        "deletionProtectionEnabled": table["DeletionProtectionEnabled"],
        "timeToLive": time_to_live(NAME),
        "continuousBackups": recovery(NAME),
        "tags": tags(table["TableArn"]),
        "contributorInsights": insights(NAME),
        "resourcePolicy": policy(table["TableArn"]),
        "replicas": table.get("Replicas", []),
    }, busy


def units(described):
    return {m: described["ProvisionedThroughput"][m] for m in ("ReadCapacityUnits", "WriteCapacityUnits")}


def index_request(name, index):
    return {
        "IndexName": name,
        "KeySchema": index["keySchema"],
        "Projection": index["projection"],
        **({"ProvisionedThroughput": index["provisionedThroughput"]} if index["provisionedThroughput"] else {}),
    }


def definitions(spec):
    return [{"AttributeName": n, "AttributeType": t} for n, t in spec["attributeDefinitions"].items()]


def create(spec):
    request = (
        {"GlobalSecondaryIndexes": [index_request(n, i) for n, i in spec["globalSecondaryIndexes"].items()]}
        if spec["globalSecondaryIndexes"]
        else {}
    )
    if spec["provisionedThroughput"]:
        request["ProvisionedThroughput"] = spec["provisionedThroughput"]
    if spec["streamSpecification"]:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": spec["streamSpecification"]}
    if spec["sseSpecification"]:
        request["SSESpecification"] = {"Enabled": True, "SSEType": "KMS"}
    client.create_table(
        TableName=NAME,
        AttributeDefinitions=definitions(spec),
        KeySchema=spec["keySchema"],
        BillingMode=spec["billingMode"],
        TableClass=spec["tableClass"],
        DeletionProtectionEnabled=spec["deletionProtectionEnabled"],
        Tags=[{"Key": k, "Value": v} for k, v in spec["tags"].items()],
        **request,
    )


def change(spec, found):
    """Make the first change that is needed; is there one?"""

    def differs(member):
        return spec[member] != found[member]

    def update(**members):
        client.update_table(TableName=NAME, **members)
        return True

    if differs("tags"):
        gone = sorted(found["tags"].keys() - spec["tags"].keys())
        if gone:
            client.untag_resource(ResourceArn=ARN, TagKeys=gone)
        else:
            client.tag_resource(ResourceArn=ARN, Tags=[{"Key": k, "Value": v} for k, v in spec["tags"].items()])
        return True
    if differs("timeToLive"):
        attribute = found["timeToLive"] or spec["timeToLive"]
        client.update_time_to_live(
            TableName=NAME, TimeToLiveSpecification={"AttributeName": attribute, "Enabled": found["timeToLive"] is None}
        )
        return True
    if differs("continuousBackups"):
        set_recovery(NAME, spec["continuousBackups"])
        return True
    if differs("contributorInsights"):
        client.update_contributor_insights(TableName=NAME, **action(spec["contributorInsights"]))
        return True
    if differs("resourcePolicy"):
        if spec["resourcePolicy"]:
            client.put_resource_policy(ResourceArn=ARN, Policy=spec["resourcePolicy"])
        else:
            client.delete_resource_policy(ResourceArn=ARN)
        return True
    if differs("streamSpecification"):
        return update(
            StreamSpecification=(
                {"StreamEnabled": False}
                if found["streamSpecification"]
                else {"StreamEnabled": True, "StreamViewType": spec["streamSpecification"]}
            )
        )
    if differs("sseSpecification"):
        return update(
            SSESpecification={"Enabled": spec["sseSpecification"], **({"SSEType": "KMS"} if spec["sseSpecification"] else {})}
        )
    if differs("tableClass"):
        return update(TableClass=spec["tableClass"])
    if differs("deletionProtectionEnabled"):
        return update(DeletionProtectionEnabled=spec["deletionProtectionEnabled"])
    return change_throughput(spec, found, update) or change_index(spec, found, update)


def action(mode):
    return (
        {"ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": mode}
        if mode
        else {"ContributorInsightsAction": "DISABLE"}
    )


def change_throughput(spec, found, update):
    """Of the table, and of the indexes that are there, in one request."""
    wanted, there = spec["globalSecondaryIndexes"], found["globalSecondaryIndexes"]
    updates = [
        {"Update": {"IndexName": n, "ProvisionedThroughput": wanted[n]["provisionedThroughput"]}}
        for n in wanted
        if n in there and wanted[n]["provisionedThroughput"] not in (None, there[n]["provisionedThroughput"])
    ]
    request = {"GlobalSecondaryIndexUpdates": updates} if updates else {}
    if spec["billingMode"] != found["billingMode"]:
        request["BillingMode"] = spec["billingMode"]
    if spec["provisionedThroughput"] not in (None, found["provisionedThroughput"]):
        request["ProvisionedThroughput"] = spec["provisionedThroughput"]
    return update(**request) if request else False


def change_index(spec, found, update):
    """Delete, create, or switch on the insights of, one index."""
    wanted, there = spec["globalSecondaryIndexes"], found["globalSecondaryIndexes"]
    for name in there:
        if name not in wanted or any(wanted[name][m] != there[name][m] for m in ("keySchema", "projection")):
            return update(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])
    for name in wanted:
        if name not in there:
            return update(
                AttributeDefinitions=definitions(spec),
                GlobalSecondaryIndexUpdates=[{"Create": index_request(name, wanted[name])}],
            )
        if wanted[name]["contributorInsights"] != there[name]["contributorInsights"]:
            client.update_contributor_insights(TableName=NAME, IndexName=name, **action(wanted[name]["contributorInsights"]))
            return True
    return False


def reconcile(spec):
    """Rounds until one finds nothing to do; the operations that changed something."""

    def done():
        found, busy = find()
        if found is None:
            create(spec)
            return False
        return not busy and not change(spec, found)

    with changes() as made:
        assert until(done), find()
    return made


def stays(what, spec):
    check(f"{what}: it is observed as specified", find() if find() != (spec, False) else None, None)
    check(f"{what}: another round changes nothing", reconcile(spec), [])


def an_index(attribute, provisioned=None, insights=None, kind="ALL"):
    return {
        "keySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "projection": {"ProjectionType": kind},
        "provisionedThroughput": provisioned,
        "contributorInsights": insights,
    }


def run():
    policy_text = (
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:root"},'
        '"Action":"dynamodb:GetItem","Resource":"%s"}]}' % ARN
    )
    five = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    spec = {
        "attributeDefinitions": {"pk": "S"},
        "keySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "billingMode": "PROVISIONED",
        "provisionedThroughput": five,
        "globalSecondaryIndexes": {},
        "streamSpecification": None,
        "sseSpecification": False,
        "tableClass": "STANDARD",
        "deletionProtectionEnabled": False,
        "timeToLive": "ttl",
        "continuousBackups": 35,
        "tags": {"services.k8s.aws/controller-version": "dynamodb-1.0", "services.k8s.aws/namespace": "default"},
        "contributorInsights": None,
        "resourcePolicy": policy_text,
        "replicas": [],
    }
    check(
        "a resource is created",
        reconcile(spec),
        ["CreateTable", "UpdateTimeToLive", "UpdateContinuousBackups", "PutResourcePolicy"],
    )
    stays("created", spec)
    for what, more, operations in (
        (
            "an index",
            {"attributeDefinitions": {"pk": "S", "a": "N"}, "globalSecondaryIndexes": {"byA": an_index("a", five)}},
            ["UpdateTable"],
        ),
        (
            "another projection, and one more",
            {
                "attributeDefinitions": {"pk": "S", "a": "N", "b": "B"},
                "globalSecondaryIndexes": {
                    "byA": an_index("a", five, kind="KEYS_ONLY"),
                    "byB": an_index("b", five, "THROTTLED_KEYS"),
                },
            },
            ["UpdateTable"] * 3 + ["UpdateContributorInsights"],
        ),
        (
            "more units",
            {
                "provisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 4},
                "globalSecondaryIndexes": {
                    "byA": an_index("a", {"ReadCapacityUnits": 1, "WriteCapacityUnits": 9}, kind="KEYS_ONLY"),
                    "byB": an_index("b", five, "THROTTLED_KEYS"),
                },
            },
            ["UpdateTable"],
        ),
        (
            "on demand",
            {
                "billingMode": "PAY_PER_REQUEST",
                "provisionedThroughput": None,
                "globalSecondaryIndexes": {"byA": an_index("a", kind="KEYS_ONLY"), "byB": an_index("b")},
            },
            ["UpdateTable", "UpdateContributorInsights"],
        ),
        (
            "provisioned",
            {
                "billingMode": "PROVISIONED",
                "provisionedThroughput": five,
                "globalSecondaryIndexes": {"byA": an_index("a", five, kind="KEYS_ONLY"), "byB": an_index("b", five)},
            },
            ["UpdateTable"],
        ),
        ("no index", {"attributeDefinitions": {"pk": "S"}, "globalSecondaryIndexes": {}}, ["UpdateTable"] * 2),
        ("a stream", {"streamSpecification": "OLD_IMAGE"}, ["UpdateTable"]),
        ("another", {"streamSpecification": "NEW_IMAGE"}, ["UpdateTable"] * 2),
        (
            "encryption, class, protection",
            {"sseSpecification": True, "tableClass": "STANDARD_INFREQUENT_ACCESS", "deletionProtectionEnabled": True},
            ["UpdateTable"] * 3,
        ),
        (
            "back",
            {
                "sseSpecification": False,
                "tableClass": "STANDARD",
                "deletionProtectionEnabled": False,
                "streamSpecification": None,
            },
            ["UpdateTable"] * 4,
        ),
        ("insights", {"contributorInsights": "ACCESSED_AND_THROTTLED_KEYS"}, ["UpdateContributorInsights"]),
        ("no insights", {"contributorInsights": None}, ["UpdateContributorInsights"]),
        ("another attribute to expire by", {"timeToLive": "until"}, ["UpdateTimeToLive"] * 2),
        ("less recovery", {"continuousBackups": 2}, ["UpdateContinuousBackups"]),
        ("none", {"continuousBackups": 0}, ["UpdateContinuousBackups"]),
        ("tags", {"tags": {"env": "test"}}, ["UntagResource", "TagResource"]),
        ("no policy", {"resourcePolicy": None}, ["DeleteResourcePolicy"]),
    ):
        spec = {**spec, **more}
        check(what, reconcile(spec), operations)
        stays(what, spec)

    # drift, in all that others may have changed at once
    client.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    client.tag_resource(ResourceArn=ARN, Tags=[{"Key": "by", "Value": "hand"}])
    client.put_resource_policy(ResourceArn=ARN, Policy=policy_text)
    client.update_contributor_insights(TableName=NAME, ContributorInsightsAction="ENABLE")
    set_recovery(NAME, 35)
    found, _ = find()
    check(
        "drift is observed",
        {m for m in spec if found[m] != spec[m]},
        {"streamSpecification", "tags", "resourcePolicy", "contributorInsights", "continuousBackups"},
    )
    check(
        "and put right",
        sorted(reconcile(spec)),
        ["DeleteResourcePolicy", "UntagResource", "UpdateContinuousBackups", "UpdateContributorInsights", "UpdateTable"],
    )
    stays("put right", spec)
    # a table that somebody has deleted is made again
    client.delete_table(TableName=NAME)
    assert until(lambda: describe(NAME) is None)
    check("what was deleted is made again", reconcile(spec), ["CreateTable", "UpdateTimeToLive"])
    stays("made again", spec)
    client.delete_table(TableName=NAME)
    check(
        "deleted, it is gone",
        until(lambda: refusal(client.describe_table, TableName=NAME)[0] == "ResourceNotFoundException"),
        True,
    )

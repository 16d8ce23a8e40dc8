"""What CloudFormation, and so CDK and SAM, do to AWS::DynamoDB::Table:
create, read back, an update that changes nothing, updates, drift, delete.

A stack describes the table in the words of the API. A handler makes the table,
waits until it is stable, switches on the rest, and reads the whole model back:
of each operation that tells something of a table, in which what is off is
absent. One update changes at most one index. Drift is where the model that is
read differs from the template.
"""

import copy
import json

from harness import checker, client, refusal
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

check = checker("U")
NAME = "Stacked"
# Members that are in the template as they are in the answers.
KEPT = ("IndexName", "KeySchema", "Projection")


def model():
    """The model as the handler reads it: of a table whose parts are off or absent, without them."""
    table = describe(NAME)
    if table is None:
        return None
    found = {
        "TableName": table["TableName"],
        "KeySchema": table["KeySchema"],
        "AttributeDefinitions": sorted(table["AttributeDefinitions"], key=lambda a: a["AttributeName"]),
        "BillingMode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        "DeletionProtectionEnabled": table["DeletionProtectionEnabled"],
        "TableClass": table.get("TableClassSummary", {}).get("TableClass", "STANDARD"),
    }
    provisioned = found["BillingMode"] == "PROVISIONED"
    if provisioned:
        found["ProvisionedThroughput"] = units(table)
    if "OnDemandThroughput" in table:
        found["OnDemandThroughput"] = table["OnDemandThroughput"]
    if "StreamSpecification" in table:
        found["StreamSpecification"] = {"StreamViewType": table["StreamSpecification"]["StreamViewType"]}
        document = policy(table["LatestStreamArn"])
        if document:
            found["StreamSpecification"]["ResourcePolicy"] = {"PolicyDocument": json.loads(document)}
    if "SSEDescription" in table:
        found["SSESpecification"] = {"SSEEnabled": True, "SSEType": table["SSEDescription"]["SSEType"]}
    if "LocalSecondaryIndexes" in table:
        found["LocalSecondaryIndexes"] = [{m: index[m] for m in KEPT} for index in table["LocalSecondaryIndexes"]]
    if "GlobalSecondaryIndexes" in table:
        found["GlobalSecondaryIndexes"] = sorted(
            (index_model(i, provisioned) for i in table["GlobalSecondaryIndexes"]), key=lambda i: i["IndexName"]
        )
    if recovery(NAME):
        found["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": recovery(NAME)}
    if time_to_live(NAME):
        found["TimeToLiveSpecification"] = {"Enabled": True, "AttributeName": time_to_live(NAME)}
    if insights(NAME):
        found["ContributorInsightsSpecification"] = {"Enabled": True, "Mode": insights(NAME)}
    if tags(table["TableArn"]):
        found["Tags"] = [{"Key": k, "Value": v} for k, v in sorted(tags(table["TableArn"]).items())]
    if policy(table["TableArn"]):
        found["ResourcePolicy"] = {"PolicyDocument": json.loads(policy(table["TableArn"]))}
    if destinations(NAME):
        found["KinesisStreamSpecification"] = {"StreamArn": destinations(NAME)[0]}
    return found


def units(described):
    return {m: described["ProvisionedThroughput"][m] for m in ("ReadCapacityUnits", "WriteCapacityUnits")}


def index_model(index, provisioned):
    found = {m: index[m] for m in KEPT}
    if provisioned:
        found["ProvisionedThroughput"] = units(index)
    if "OnDemandThroughput" in index:
        found["OnDemandThroughput"] = index["OnDemandThroughput"]
    if insights(NAME, index["IndexName"]):
        found["ContributorInsightsSpecification"] = {"Enabled": True, "Mode": insights(NAME, index["IndexName"])}
    return found


def create(template):
    """The create handler, and what it waits for."""
    request = {
        m: template[m]
        for m in (
            "TableName",
            "KeySchema",
            "AttributeDefinitions",
            "BillingMode",
            "DeletionProtectionEnabled",
            "TableClass",
            "ProvisionedThroughput",
            "OnDemandThroughput",
            "LocalSecondaryIndexes",
            "Tags",
        )
        if m in template
    }
    if "GlobalSecondaryIndexes" in template:
        request["GlobalSecondaryIndexes"] = [
            {m: v for m, v in i.items() if m != "ContributorInsightsSpecification"} for i in template["GlobalSecondaryIndexes"]
        ]
    if "StreamSpecification" in template:
        request["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": template["StreamSpecification"]["StreamViewType"],
        }
    if "SSESpecification" in template:
        request["SSESpecification"] = {"Enabled": True, "SSEType": template["SSESpecification"]["SSEType"]}
    if "ResourcePolicy" in template:
        request["ResourcePolicy"] = json.dumps(template["ResourcePolicy"]["PolicyDocument"])
    client.create_table(**request)
    settled(NAME)
    update(template)


def update(template):
    """The update handler: what differs, one kind after another."""
    found = model()
    table = describe(NAME)

    def differs(member):
        return found.get(member) != template.get(member)

    if differs("BillingMode") or differs("ProvisionedThroughput") or throughputs(found) != throughputs(template):
        request = {
            m: template[m]
            for m in ("BillingMode", "ProvisionedThroughput")
            if m in template and (m == "BillingMode" or differs(m) or differs("BillingMode"))
        }
        old, new = throughputs(found), throughputs(template)
        updates = [
            {"Update": {"IndexName": n, "ProvisionedThroughput": new[n]}} for n in new if n in old and new[n] and old[n] != new[n]
        ]
        if updates:
            request["GlobalSecondaryIndexUpdates"] = updates
        if "BillingMode" in request and not differs("BillingMode"):
            del request["BillingMode"]  # units alone
        if request:
            change(**request)
    if differs("OnDemandThroughput"):
        change(
            OnDemandThroughput={
                m: template.get("OnDemandThroughput", {}).get(m, -1) for m in ("MaxReadRequestUnits", "MaxWriteRequestUnits")
            }
        )
    set_stream(found.get("StreamSpecification"), template.get("StreamSpecification"))
    if differs("SSESpecification"):
        change(SSESpecification={"Enabled": True, "SSEType": "KMS"} if "SSESpecification" in template else {"Enabled": False})
    for member in ("TableClass", "DeletionProtectionEnabled"):
        if differs(member):
            change(**{member: template[member]})
    set_index(names(found), names(template), template)
    if differs("PointInTimeRecoverySpecification"):
        set_recovery(NAME, template.get("PointInTimeRecoverySpecification", {}).get("RecoveryPeriodInDays", 0))
    if differs("TimeToLiveSpecification"):
        set_time_to_live(
            NAME,
            found.get("TimeToLiveSpecification", {}).get("AttributeName"),
            template.get("TimeToLiveSpecification", {}).get("AttributeName"),
        )
    if differs("ContributorInsightsSpecification"):
        set_insights(NAME, template.get("ContributorInsightsSpecification", {}).get("Mode"))
    for index in template.get("GlobalSecondaryIndexes", []):
        mode = index.get("ContributorInsightsSpecification", {}).get("Mode")
        if insights(NAME, index["IndexName"]) != mode:
            set_insights(NAME, mode, index["IndexName"])
    set_tags(table["TableArn"], {t["Key"]: t["Value"] for t in template.get("Tags", [])})
    set_policy(table["TableArn"], found.get("ResourcePolicy"), template.get("ResourcePolicy"))


def change(**members):
    client.update_table(TableName=NAME, **members)
    settled(NAME)


def throughputs(a_model):
    return {i["IndexName"]: i.get("ProvisionedThroughput") for i in a_model.get("GlobalSecondaryIndexes", [])}


def names(a_model):
    return {i["IndexName"]: {m: i[m] for m in KEPT} for i in a_model.get("GlobalSecondaryIndexes", [])}


def set_index(found, wanted, template):
    """CloudFormation refuses to create or delete more than one index in an update."""
    gone, new = sorted(found.keys() - wanted.keys()), sorted(wanted.keys() - found.keys())
    assert len(gone) + len(new) <= 1, (gone, new)
    for name in gone:
        change(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])
    for name in new:
        index = next(i for i in template["GlobalSecondaryIndexes"] if i["IndexName"] == name)
        change(
            AttributeDefinitions=template["AttributeDefinitions"],
            GlobalSecondaryIndexUpdates=[{"Create": {m: v for m, v in index.items() if m != "ContributorInsightsSpecification"}}],
        )


def set_stream(found, wanted):
    view, wanted_view = [s["StreamViewType"] if s else None for s in (found, wanted)]
    if view != wanted_view:
        if view:
            change(StreamSpecification={"StreamEnabled": False})
        if wanted_view:
            change(StreamSpecification={"StreamEnabled": True, "StreamViewType": wanted_view})
    if wanted:
        found = found if view == wanted_view else {}
        set_policy(describe(NAME)["LatestStreamArn"], found.get("ResourcePolicy"), wanted.get("ResourcePolicy"))


def set_policy(arn, found, wanted):
    if found == wanted:
        return
    if wanted:
        client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(wanted["PolicyDocument"]))
    else:
        client.delete_resource_policy(ResourceArn=arn)


def deploy(template):
    """Create or update the stack; the operations that changed something."""
    with changes() as made:
        if describe(NAME) is None:
            create(template)
        else:
            update(template)
    return made


def stays(what, template):
    check(f"{what}: there is no drift", model() if model() != template else None, None)
    check(f"{what}: an update that changes nothing changes nothing", deploy(template), [])


def a_policy(action, resource):
    """As the service tells it, so that a template has no drift."""
    return {
        "PolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"AWS": "arn:aws:iam::000000000000:root"},
                    "Action": action,
                    "Resource": resource,
                }
            ],
        }
    }


def index(name, attribute, **more):
    return {
        "IndexName": name,
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
        **more,
    }


def definitions(*attributes):
    return [{"AttributeName": n, "AttributeType": "S"} for n in sorted(attributes)]


def run():
    # what CDK's Table makes of nothing but a name and a partition key
    template = {
        "TableName": NAME,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": definitions("pk"),
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        "DeletionProtectionEnabled": False,
        "TableClass": "STANDARD",
    }
    check("a small table is created", deploy(template), ["CreateTable"])
    stays("a small table", template)
    check("a second of its name is refused", refusal(create, template=template)[0], "ResourceInUseException")
    destroy(NAME)

    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + NAME
    template |= {
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "AttributeDefinitions": definitions("pk", "sk", "a", "l"),
        "LocalSecondaryIndexes": [
            {
                "IndexName": "Local",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
            }
        ],
        "GlobalSecondaryIndexes": [
            index(
                "ByA",
                "a",
                OnDemandThroughput={"MaxReadRequestUnits": 40},
                ContributorInsightsSpecification={"Enabled": True, "Mode": "THROTTLED_KEYS"},
            )
        ],
        "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
        "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
        "SSESpecification": {"SSEEnabled": True, "SSEType": "KMS"},
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 35},
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"},
        "ContributorInsightsSpecification": {"Enabled": True, "Mode": "ACCESSED_AND_THROTTLED_KEYS"},
        "Tags": [{"Key": "aTag", "Value": "1"}, {"Key": "other", "Value": ""}],
        "ResourcePolicy": a_policy("dynamodb:GetItem", arn),
    }
    del template["ProvisionedThroughput"]
    check(
        "a table of all parts",
        deploy(template),
        ["CreateTable", "UpdateContinuousBackups", "UpdateTimeToLive", "UpdateContributorInsights", "UpdateContributorInsights"],
    )
    stays("a table of all parts", template)
    stream = describe(NAME)["LatestStreamArn"]
    template["StreamSpecification"]["ResourcePolicy"] = a_policy(["dynamodb:DescribeStream", "dynamodb:GetRecords"], stream)
    check("a policy of the stream", deploy(template), ["PutResourcePolicy"])
    stays("a policy of the stream", template)

    for what, more, operations in (
        ("another class", {"TableClass": "STANDARD_INFREQUENT_ACCESS"}, ["UpdateTable"]),
        ("protection", {"DeletionProtectionEnabled": True}, ["UpdateTable"]),
        ("no protection", {"DeletionProtectionEnabled": False}, ["UpdateTable"]),
        (
            "fewer days",
            {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 1}},
            ["UpdateContinuousBackups"],
        ),
        ("no recovery", {"PointInTimeRecoverySpecification": None}, ["UpdateContinuousBackups"]),
        ("no time to live", {"TimeToLiveSpecification": None}, ["UpdateTimeToLive"]),
        ("no insights", {"ContributorInsightsSpecification": None}, ["UpdateContributorInsights"]),
        ("one limit", {"OnDemandThroughput": {"MaxWriteRequestUnits": 60}}, ["UpdateTable"]),
        ("no limits", {"OnDemandThroughput": None}, ["UpdateTable"]),
        ("no key", {"SSESpecification": None}, ["UpdateTable"]),
        (
            "another policy",
            {"ResourcePolicy": a_policy(["dynamodb:GetItem", "dynamodb:Query"], [arn, arn + "/index/*"])},
            ["PutResourcePolicy"],
        ),
        ("no policy", {"ResourcePolicy": None}, ["DeleteResourcePolicy"]),
        ("no stream", {"StreamSpecification": None}, ["UpdateTable"]),
        ("a stream", {"StreamSpecification": {"StreamViewType": "KEYS_ONLY"}}, ["UpdateTable"]),
        ("another view", {"StreamSpecification": {"StreamViewType": "NEW_IMAGE"}}, ["UpdateTable", "UpdateTable"]),
        ("tags", {"Tags": [{"Key": "other", "Value": "2"}]}, ["UntagResource", "TagResource"]),
        ("no tags", {"Tags": None}, ["UntagResource"]),
        (
            "an index more",
            {
                "AttributeDefinitions": definitions("pk", "sk", "a", "l", "b"),
                "GlobalSecondaryIndexes": template["GlobalSecondaryIndexes"] + [index("ByB", "b")],
            },
            ["UpdateTable"],
        ),
        (
            "and one less",
            {"AttributeDefinitions": definitions("pk", "sk", "l", "b"), "GlobalSecondaryIndexes": [index("ByB", "b")]},
            ["UpdateTable"],
        ),
        (
            "insights of an index",
            {
                "GlobalSecondaryIndexes": [
                    index("ByB", "b", ContributorInsightsSpecification={"Enabled": True, "Mode": "ACCESSED_AND_THROTTLED_KEYS"})
                ]
            },
            ["UpdateContributorInsights"],
        ),
        (
            "billing",
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3},
                "GlobalSecondaryIndexes": [
                    index("ByB", "b", ProvisionedThroughput={"ReadCapacityUnits": 4, "WriteCapacityUnits": 5})
                ],
            },
            ["UpdateTable", "UpdateContributorInsights"],
        ),
        (
            "units of an index",
            {
                "GlobalSecondaryIndexes": [
                    index("ByB", "b", ProvisionedThroughput={"ReadCapacityUnits": 4, "WriteCapacityUnits": 6})
                ]
            },
            ["UpdateTable"],
        ),
        ("units", {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 3}}, ["UpdateTable"]),
        (
            "billing again",
            {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": None, "GlobalSecondaryIndexes": [index("ByB", "b")]},
            ["UpdateTable"],
        ),
        ("no index", {"AttributeDefinitions": definitions("pk", "sk", "l"), "GlobalSecondaryIndexes": None}, ["UpdateTable"]),
    ):
        before = copy.deepcopy(template)
        template = {m: v for m, v in {**template, **more}.items() if v is not None}
        check(what, deploy(template), operations)
        stays(what, template)
        if what == "billing":  # rolled back, and deployed once more
            deploy(before)
            stays("rolled back", before)
            deploy(template)

    # drift, by hand; the next update that names these members puts them right
    client.update_table(TableName=NAME, TableClass="STANDARD")
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "by", "Value": "hand"}])
    set_insights(NAME, "THROTTLED_KEYS")
    found = model()
    check(
        "drift is detected",
        {m for m in found.keys() | template.keys() if found.get(m) != template.get(m)},
        {"TableClass", "Tags", "ContributorInsightsSpecification"},
    )
    check("and put right", sorted(deploy(template)), ["UntagResource", "UpdateContributorInsights", "UpdateTable"])
    stays("put right", template)
    destroy(NAME)
    check("deleted", model(), None)
    check("what is not there is deleted already", refusal(client.delete_table, TableName=NAME)[0], "ResourceNotFoundException")

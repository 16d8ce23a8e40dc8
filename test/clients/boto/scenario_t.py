"""What Terraform's aws_dynamodb_table asks and sets: create, read back, change, destroy; and backups beside it.

The sequence is the provider's: after CreateTable it waits for ACTIVE, switches
on what CreateTable has no member for, then reads everything back by operations
of its own, and compares.
"""

from harness import checker, client, refusal, until

check = checker("T")
NAME = "Managed"


def read():
    """All that a refresh asks for."""
    table = client.describe_table(TableName=NAME)["Table"]
    recovery = client.describe_continuous_backups(TableName=NAME)["ContinuousBackupsDescription"]
    return {
        "billing": table.get("BillingModeSummary", {}).get("BillingMode"),
        "stream": table.get("StreamSpecification", {}).get("StreamViewType"),
        "sse": table.get("SSEDescription", {}).get("Status"),
        "class": table.get("TableClassSummary", {}).get("TableClass"),
        "indexes": sorted(i["IndexName"] for i in table.get("GlobalSecondaryIndexes", [])),
        "replicas": table.get("Replicas", []),
        "protected": table["DeletionProtectionEnabled"],
        "ttl": client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"].get("AttributeName"),
        "backups": recovery["ContinuousBackupsStatus"],
        "recovery": recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
        "days": recovery["PointInTimeRecoveryDescription"].get("RecoveryPeriodInDays"),
        "tags": {t["Key"]: t["Value"] for t in client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]},
    }


def active():
    client.get_waiter("table_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1})


def recovery(enabled, **more):
    client.update_continuous_backups(TableName=NAME, PointInTimeRecoverySpecification={
        "PointInTimeRecoveryEnabled": enabled, **more})


def run():
    arn = client.create_table(
        TableName=NAME, BillingMode="PAY_PER_REQUEST", TableClass="STANDARD",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "g")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[{"IndexName": "byG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        SSESpecification={"Enabled": True, "SSEType": "KMS"}, DeletionProtectionEnabled=False,
        Tags=[{"Key": "env", "Value": "test"}])["TableDescription"]["TableArn"]
    active()
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    recovery(True)
    made = {"billing": "PAY_PER_REQUEST", "stream": "NEW_AND_OLD_IMAGES", "sse": "ENABLED", "class": "STANDARD", "indexes": ["byG"],
            "replicas": [], "protected": False, "ttl": "until", "backups": "ENABLED", "recovery": "ENABLED", "days": 35,
            "tags": {"env": "test"}}
    check("a plan after the apply is empty", read(), made)
    check("and stays so", read(), made)

    recovery(True, RecoveryPeriodInDays=7)
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "owner", "Value": "me"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["env"])
    client.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
    client.update_table(TableName=NAME, SSESpecification={"Enabled": False})
    client.update_table(TableName=NAME, DeletionProtectionEnabled=True)
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification={"Enabled": False, "AttributeName": "until"})
    check("each change is seen", read(), {**made, "stream": None, "sse": None, "protected": True, "ttl": None, "days": 7,
                                          "tags": {"owner": "me"}})
    check("what is protected is not destroyed", refusal(client.delete_table, TableName=NAME)[0], "ValidationException")
    client.update_table(TableName=NAME, DeletionProtectionEnabled=False)
    recovery(False)
    check("recovery is off", (read()["recovery"], read()["days"]), ("DISABLED", None))

    client.put_item(TableName=NAME, Item={"pk": {"S": "a"}, "g": {"S": "x"}})
    backup = client.create_backup(TableName=NAME, BackupName="before")["BackupDetails"]["BackupArn"]
    status = lambda: client.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]["BackupStatus"]
    check("a backup is made", until(lambda: status() == "AVAILABLE"), True)
    client.delete_table(TableName=NAME)
    client.get_waiter("table_not_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1})
    check("destroyed, it is gone", refusal(client.describe_table, TableName=NAME)[0], "ResourceNotFoundException")
    client.restore_table_from_backup(TargetTableName=NAME, BackupArn=backup)
    active()
    check("restored, it has its items", client.scan(TableName=NAME)["Items"], [{"pk": {"S": "a"}, "g": {"S": "x"}}])
    check("the backup is listed", [b["BackupName"] for b in client.list_backups(TableName=NAME)["BackupSummaries"]], ["before"])
    check("and deleted", client.delete_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]["BackupStatus"], "DELETED")
    client.delete_table(TableName=NAME)

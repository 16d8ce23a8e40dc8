"""What tools for infrastructure as code share: they read a table by many
operations, compare it with what is wanted, and change what differs.

    with changes() as made: ...

gathers the operations that change something: after an apply a second one makes
none, whatever was asked meanwhile.
"""

import contextlib

from harness import client, refusal, until

READS = ("Describe", "List", "Get")
_open = []


@contextlib.contextmanager
def changes():
    """The names of the operations called in the block, but for those that only read."""
    made = []
    _open.append(made)
    try:
        yield made
    finally:
        _open.remove(made)


def _note(model, **_):
    for made in _open:
        if not model.name.startswith(READS):
            made.append(model.name)


client.meta.events.register("before-call.dynamodb", _note)


def describe(name):
    """The table, or None where there is none."""
    try:
        return client.describe_table(TableName=name)["Table"]
    except client.exceptions.ResourceNotFoundException:
        return None


def settled(name):
    """Wait until the table and all that belongs to it is ACTIVE; the table."""

    def done():
        table = describe(name)
        return (
            table["TableStatus"] == "ACTIVE"
            and all(
                i["IndexStatus"] == "ACTIVE" and i["WarmThroughput"]["Status"] == "ACTIVE"
                for i in table.get("GlobalSecondaryIndexes", [])
            )
            and table["WarmThroughput"]["Status"] == "ACTIVE"
            and table.get("SSEDescription", {}).get("Status", "ENABLED") == "ENABLED"
        )

    assert until(done), describe(name)
    return describe(name)


def gone(name):
    """Wait until there is no such table."""
    assert until(lambda: describe(name) is None), name


def destroy(name):
    """Delete the table, again and again while it is in use."""
    assert until(lambda: refusal(client.delete_table, TableName=name)[0] in (None, "ResourceNotFoundException"))
    gone(name)


def tags(arn):
    """All tags of a resource, page by page."""
    request, found = {"ResourceArn": arn}, {}
    while True:
        answer = client.list_tags_of_resource(**request)
        found.update({tag["Key"]: tag["Value"] for tag in answer["Tags"]})
        if "NextToken" not in answer:
            return found
        request["NextToken"] = answer["NextToken"]


def set_tags(arn, wanted):
    """Remove what is not wanted, then set what is missing or has another value."""
    found = tags(arn)
    unwanted = sorted(found.keys() - wanted.keys())
    if unwanted:
        client.untag_resource(ResourceArn=arn, TagKeys=unwanted)
    new = [{"Key": key, "Value": value} for key, value in wanted.items() if found.get(key) != value]
    if new:
        client.tag_resource(ResourceArn=arn, Tags=new)


def recovery(name):
    """Point-in-time recovery's days, 0 where it is off."""
    found = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert found["ContinuousBackupsStatus"] == "ENABLED", found
    found = found["PointInTimeRecoveryDescription"]
    return found["RecoveryPeriodInDays"] if found["PointInTimeRecoveryStatus"] == "ENABLED" else 0


def set_recovery(name, days):
    specification = {"PointInTimeRecoveryEnabled": days > 0}
    if days:
        specification["RecoveryPeriodInDays"] = days
    client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=specification)


def time_to_live(name):
    """The attribute, None where it is off."""
    found = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    return found["AttributeName"] if found["TimeToLiveStatus"] in ("ENABLING", "ENABLED") else None


def set_time_to_live(name, found, wanted):
    """Switch off what there is, and on what is wanted."""
    for attribute, on in ((found, False), (wanted, True)):
        if attribute:
            client.update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": attribute, "Enabled": on})
            assert until(lambda: (time_to_live(name) is not None) == on)


def policy(arn):
    """The policy of a table or a stream, None where there is none."""
    try:
        return client.get_resource_policy(ResourceArn=arn)["Policy"]
    except client.exceptions.PolicyNotFoundException:
        return None


def insights(name, index=None):
    """Are the keys counted, and which: None where they are not."""
    request = {"TableName": name, **({"IndexName": index} if index else {})}
    found = client.describe_contributor_insights(**request)
    on = found["ContributorInsightsStatus"] in ("ENABLING", "ENABLED")
    return found["ContributorInsightsMode"] if on else None


def set_insights(name, mode, index=None):
    request = {"TableName": name, **({"IndexName": index} if index else {})}
    if mode:
        client.update_contributor_insights(**request, ContributorInsightsAction="ENABLE", ContributorInsightsMode=mode)
    else:
        client.update_contributor_insights(**request, ContributorInsightsAction="DISABLE")
    assert until(lambda: insights(name, index) == mode)


def destinations(name):
    """Streams at Kinesis that get the changes."""
    found = client.describe_kinesis_streaming_destination(TableName=name)
    return [
        d["StreamArn"]
        for d in found["KinesisDataStreamDestinations"]
        if d["DestinationStatus"] not in ("DISABLED", "ENABLE_FAILED")
    ]

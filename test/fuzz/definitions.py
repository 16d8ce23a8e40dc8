"""Requests that make, change, tag and describe tables, with every member."""

import base64
import copy

from breakage import break_request
from tables import NAMES, TABLES
from values import chance

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
SPARE = ["Spare1", "Spare2"]
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
LABEL = "2026-01-01T00:00:00.000"
SHARDS = ["shardId-00000001767225600000-76620a08",
          "shardId-00000001767225600003-478687ba"] * 2 + [
    "shardId-00000000000000000000-00000000", "x" * 28, "", "|" * 65]
SEQUENCE_NUMBERS = [
    "1" + "0" * 20, "0" * 21, "9" * 21, "1" + "9" * 20, "9" * 40, "x" * 21,
    "100000000000000000001", "100000281474976710655", "100000000001000000000", "-00000000000000000001", "1"]
ON_DEMAND = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": -1}
SETTINGS = {
    "BillingMode": ["PROVISIONED", "PAY_PER_REQUEST"],
    "ProvisionedThroughput": [THROUGHPUT],
    "OnDemandThroughput": [ON_DEMAND],
    "WarmThroughput": [{"ReadUnitsPerSecond": 12000,
                        "WriteUnitsPerSecond": 4000}],
    "StreamSpecification": [
        {"StreamEnabled": True, "StreamViewType": view} for view in
        ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")] + [
        {"StreamEnabled": False}, {"StreamEnabled": True}],
    "SSESpecification": [{"Enabled": True}, {"Enabled": False}, {
        "Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/x"}],
    "TableClass": ["STANDARD", "STANDARD_INFREQUENT_ACCESS"],
    "DeletionProtectionEnabled": [True, False],
}


def some_settings(rng, request):
    for name in rng.sample(list(SETTINGS), rng.choice([0, 1, 1, 2, 4])):
        request[name] = copy.deepcopy(rng.choice(SETTINGS[name]))


def tags(rng):
    return [{"Key": rng.choice(["a", "b", "c", "", "aws:x", "k" * 129]),
             "Value": rng.choice(["", "x", "v" * 257])}
            for _ in range(rng.choice([0, 1, 2, 51]))]


def arn(rng):
    return rng.choice([ARN + name for name in NAMES + SPARE + ["Missing", ""]]
                      + ["arn", "", "arn:aws:s3:::x", ARN + "HashS/index/x"])


def table_name(rng):
    return rng.choice(NAMES + SPARE + SPARE + [ARN + "HashS"])


def index(rng):
    chosen = rng.choice([i for table in TABLES.values()
                         for i in table.indexes.values()])
    return {**copy.deepcopy(chosen.definition()),
            "IndexName": rng.choice(["byS", "new", "gsiAll", "x" * 255])}


def create_table(rng):
    request = copy.deepcopy(rng.choice(list(TABLES.values())).definition())
    request["TableName"] = rng.choice(SPARE * 3 + NAMES)
    some_settings(rng, request)
    if chance(rng, 0.2):
        request["Tags"] = tags(rng)
    return request


def update_table(rng):
    request = {"TableName": table_name(rng)}
    some_settings(rng, request)
    if chance(rng, 0.5):
        request["AttributeDefinitions"] = [
            {"AttributeName": name, "AttributeType": rng.choice("SNB")}
            for name in rng.sample(["pk", "sk", "g", "h", "i", "j", "z"], 4)]
        request["GlobalSecondaryIndexUpdates"] = [rng.choice([
            {"Create": index(rng)}, {"Delete": {"IndexName": "byS"}},
            {"Delete": {"IndexName": "new"}},
            {"Update": {"IndexName": "gsiAll",
                        "ProvisionedThroughput": THROUGHPUT}},
            {"Update": {"IndexName": "gsiAll",
                        "OnDemandThroughput": ON_DEMAND}}, {}])
            for _ in range(rng.choice([1, 1, 1, 2]))]
    return request


def stream_arn(rng):
    return rng.choice([
        ARN + "Missing/stream/x", ARN + "HashS", "x" * 37, "arn:aws:dynamodb:::table/abc/stream/" + LABEL,
        ARN + "/stream/" + LABEL, ARN + "Spare1/stream/" + LABEL]
        + [ARN + "HashS/stream/" + LABEL] * 6)


def get_shard_iterator(rng):
    request = {"StreamArn": stream_arn(rng), "ShardId": rng.choice(SHARDS),
               "ShardIteratorType": rng.choice([
                   "TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER",
                   "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP"])}
    if chance(rng, 0.5):
        request["SequenceNumber"] = rng.choice(SEQUENCE_NUMBERS)
    if chance(rng, 0.3):
        request["Timestamp"] = rng.choice([0, 1, 1.5, -1, 1e300, 10 ** 20, "x", 1767225600.5])
    return request


def get_records(rng):
    place = "|".join([rng.choice(SHARDS), rng.choice(SEQUENCE_NUMBERS),
                      rng.choice(["0" * 20, "0" + "9" * 18, "0" * 2 + "9" * 18, "x"])])
    return {"Limit": rng.choice([1, 2, 1000, 1001, 0, -1]),
            "ShardIterator": rng.choice(["", "|", "||", stream_arn(rng)])
            + "|1|" + base64.b64encode(place.encode()).decode()}


MAKERS = {
    "CreateTable": create_table,
    "UpdateTable": update_table,
    "DeleteTable": lambda rng: {"TableName": rng.choice(SPARE)},
    "DescribeTable": lambda rng: {"TableName": table_name(rng)},
    "ListTables": lambda rng: {
        "Limit": rng.choice([1, 2, 100]),
        "ExclusiveStartTableName": rng.choice(NAMES + ["xxx"])},
    "TagResource": lambda rng: {"ResourceArn": arn(rng), "Tags": tags(rng)},
    "UntagResource": lambda rng: {
        "ResourceArn": arn(rng),
        "TagKeys": rng.sample(["a", "b", "c", ""], 2)},
    "ListTagsOfResource": lambda rng: {
        "ResourceArn": arn(rng), "NextToken": rng.choice(["", "x", "1"])},
    "DescribeLimits": lambda rng: {},
    "DescribeEndpoints": lambda rng: {},
    "UpdateTimeToLive": lambda rng: {
        "TableName": table_name(rng), "TimeToLiveSpecification": {
            "AttributeName": "n", "Enabled": chance(rng, 0.5)}},
    "DescribeTimeToLive": lambda rng: {"TableName": table_name(rng)},
    "ListStreams": lambda rng: {
        "TableName": table_name(rng), "Limit": rng.choice([1, 100, 101]),
        "ExclusiveStartStreamArn": stream_arn(rng)},
    "DescribeStream": lambda rng: {
        "StreamArn": stream_arn(rng), "Limit": rng.choice([1, 100, 0]),
        "ExclusiveStartShardId": rng.choice(SHARDS), "ShardFilter": {
            "Type": "CHILD_SHARDS", "ShardId": rng.choice(SHARDS)}},
    "GetShardIterator": get_shard_iterator,
    "GetRecords": get_records,
    "DescribeContinuousBackups": lambda rng: {"TableName": table_name(rng)},
}


def make(rng):
    """(operation, request), one in seven broken as JSON."""
    operation = rng.choice(list(MAKERS))
    request = MAKERS[operation](rng)
    if chance(rng, 0.15):
        break_request(rng, request)
    return operation, request

# An application with boto3 as it is, which reads from a standby.
#
#   client.py ENDPOINT reads|repeats|writes
import sys

import boto3
import botocore.exceptions

endpoint, what = sys.argv[1:]
client = boto3.client("dynamodb", endpoint_url=endpoint)


def attempt(operation, **arguments):
    try:
        operation(**arguments)
    except botocore.exceptions.ClientError as error:
        print(error.response["Error"]["Code"], error.response["ResponseMetadata"]["RetryAttempts"])


key = {"id": {"S": "a"}}
if what == "reads":
    print(client.get_item(TableName="Slow", Key=key)["Item"]["id"]["S"])
    attempt(client.put_item, TableName="Slow", Item=key)
    attempt(client.get_item, TableName="Slow", Key=key, ConsistentRead=True)
elif what == "repeats":
    answer = client.get_item(TableName="Slow", Key=key)
    print(answer["Item"]["id"]["S"], answer["ResponseMetadata"]["RetryAttempts"])
else:
    client.put_item(TableName="Shop", Item={"id": {"S": "sdk"}})
    print(client.get_item(TableName="Shop", Key={"id": {"S": "sdk"}}, ConsistentRead=True)["Item"]["id"]["S"])

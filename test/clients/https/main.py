"""boto3 with a certificate that it verifies: an item, a page of many, and who is refused."""
import sys
import time

import boto3
import botocore.config
import botocore.exceptions

quick = botocore.config.Config(retries={"max_attempts": 1})


def check(name, got, expected):
    print(f"{'ok' if got == expected else 'not ok'} - boto3 over HTTPS: {name}", flush=True)
    if got != expected:
        print(f"# got      {got!r}\n# expected {expected!r}", flush=True)


def served(client, seconds=120):
    """The server has just been given its certificate: does it answer within a while?"""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return client.list_tables()["TableNames"]
        except botocore.exceptions.EndpointConnectionError:
            time.sleep(0.1)
    return None


client = boto3.client("dynamodb", verify=sys.argv[1], config=quick)
check("the certificate is verified", served(client), [])
client.create_table(
    TableName="Shop", BillingMode="PAY_PER_REQUEST",
    KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "N"}])
table = boto3.resource("dynamodb", verify=sys.argv[1]).Table("Shop")
with table.batch_writer() as batch:
    for i in range(60):
        batch.put_item(Item={"PK": "a", "SK": i, "text": "x" * 10000})
answer = table.query(KeyConditionExpression=boto3.dynamodb.conditions.Key("PK").eq("a"))
check("a page of 600 kB", [(int(item["SK"]), len(item["text"])) for item in answer["Items"]],
      [(i, 10000) for i in range(60)])

try:
    boto3.client("dynamodb", config=quick).list_tables()
    refused = None
except botocore.exceptions.SSLError as error:
    refused = "CERTIFICATE_VERIFY_FAILED" in str(error)
check("a certificate that is not known is not trusted", refused, True)

try:
    boto3.client("dynamodb", verify=sys.argv[1], config=quick,
                 aws_secret_access_key="wrong", aws_access_key_id="AKIAIOSFODNN7EXAMPLE").list_tables()
    refused = None
except botocore.exceptions.ClientError as error:
    refused = error.response["Error"]["Code"]
check("an unknown key is refused", refused, "UnrecognizedClientException")

try:
    boto3.client("dynamodb", endpoint_url=client.meta.endpoint_url.replace("https", "http"),
                 config=quick).list_tables()
    refused = None
except botocore.exceptions.ConnectionClosedError:
    refused = True
check("plain HTTP is refused", refused, True)

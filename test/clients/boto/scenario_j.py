"""A shop with carts in two regions: both write, one fails and the other goes on, and it comes back."""
import json
import os
import subprocess

import boto3
import botocore.config
import botocore.exceptions

from harness import attributes, checker, schema, until

check = checker("J")
NAME, TABLE = "boto", "CartsBoto"
PATIENCE = 180


def regions(what, *more):
    """Two servers of their own: they are killed."""
    done = subprocess.run([os.environ["CLIENTS_REGIONS"], what, NAME, *more],
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def connect(place):
    return boto3.client(
        "dynamodb", endpoint_url=place["endpoint"], region_name=place["region"],
        aws_access_key_id=place["id"], aws_secret_access_key=place["secret"],
        config=botocore.config.Config(connect_timeout=10, read_timeout=60,
                                      retries={"total_max_attempts": 1}))


def cart(user):
    return {"PK": {"S": f"CART#{user}"}}


def put(client, user, what):
    client.put_item(TableName=TABLE, Item={**cart(user), "items": {"SS": [what]}})


def add(client, user, what):
    client.update_item(TableName=TABLE, Key=cart(user), UpdateExpression="ADD #i :i",
                       ExpressionAttributeNames={"#i": "items"},
                       ExpressionAttributeValues={":i": {"SS": [what]}})


def look(client, user):
    """What is in a cart; None: there is none."""
    item = client.get_item(TableName=TABLE, Key=cart(user), ConsistentRead=True).get("Item")
    return item and sorted(item["items"]["SS"])


def everything(client):
    return sorted((item["PK"]["S"], sorted(item["items"]["SS"]))
                  for item in client.scan(TableName=TABLE)["Items"])


def replicas(client):
    table = client.describe_table(TableName=TABLE)["Table"]
    return [(r["RegionName"], r["ReplicaStatus"]) for r in table.get("Replicas", [])]


def becomes(client, user, expected):
    return until(lambda: look(client, user) == expected, PATIENCE)


def shop(work, *clients):
    """Do it in the first region that answers."""
    for client in clients:
        try:
            return work(client)
        except (botocore.exceptions.EndpointConnectionError,
                botocore.exceptions.ConnectionClosedError):
            pass
    return "nobody answers"


def sell(us, eu):
    key = schema("PK")
    us.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST", KeySchema=key,
                    AttributeDefinitions=attributes([key], {}))
    us.get_waiter("table_exists").wait(TableName=TABLE)
    put(us, "old", "book")
    us.update_table(TableName=TABLE, ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])
    check("a replica is there", until(lambda: replicas(us) == [("eu-west-1", "ACTIVE")], PATIENCE), True)
    eu.get_waiter("table_exists").wait(TableName=TABLE)
    check("each knows the other", until(lambda: replicas(eu) == [("us-east-1", "ACTIVE")], PATIENCE), True)
    check("with what there was", becomes(eu, "old", ["book"]), True)

    put(us, "ann", "apple")
    check("a cart of one region is in the other", becomes(eu, "ann", ["apple"]), True)
    add(eu, "ann", "bread")
    check("and what is added there comes back", becomes(us, "ann", ["apple", "bread"]), True)
    for n in range(20):
        put(us, f"us{n}", "tea")
        put(eu, f"eu{n}", "tea")
        put(us, "both", f"us{n}")
        put(eu, "both", f"eu{n}")
    check("both write: the carts are equal", until(
        lambda: everything(us) == everything(eu) and len(everything(us)) == 43, PATIENCE), True)
    check("a last writer of one has won", look(us, "both")[0] in ("us19", "eu19"), True)
    eu.delete_item(TableName=TABLE, Key=cart("old"))
    check("a cart that is bought is gone", becomes(us, "old", None), True)

    regions("crash", "eu")
    check("a region fails: the other one goes on", shop(lambda c: add(c, "ann", "cheese"), eu, us), None)
    check("with what the customer had", shop(lambda c: look(c, "ann"), eu, us), ["apple", "bread", "cheese"])
    shop(lambda c: put(c, "bob", "beer"), eu, us)
    shop(lambda c: c.delete_item(TableName=TABLE, Key=cart("eu0")) and None, eu, us)
    regions("restart", "eu")
    check("it is back", until(lambda: shop(lambda c: c.list_tables()["TableNames"], eu) == [TABLE], PATIENCE), True)
    check("and learns what it has missed", becomes(eu, "bob", ["beer"]) and becomes(eu, "eu0", None)
          and becomes(eu, "ann", ["apple", "bread", "cheese"]), True)
    check("customers are there again", shop(lambda c: add(c, "ann", "dates"), eu, us), None)
    check("and the other one learns it", becomes(us, "ann", ["apple", "bread", "cheese", "dates"]), True)
    check("all carts are equal", until(lambda: everything(us) == everything(eu), PATIENCE), True)

    us.update_table(TableName=TABLE, ReplicaUpdates=[{"Delete": {"RegionName": "eu-west-1"}}])
    check("a region is given up", until(lambda: replicas(us) == [], PATIENCE), True)
    check("its table goes", until(lambda: eu.list_tables()["TableNames"] == [], PATIENCE), True)
    check("the other one keeps all", len(everything(us)), 42)


def run():
    try:
        places = json.loads(regions("start"))
        sell(connect(places["us"]), connect(places["eu"]))
    finally:
        regions("stop")

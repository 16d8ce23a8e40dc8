"""Counters: one hot item, and one spread over shards; no increment is lost."""
import threading

import boto3
from boto3.dynamodb.conditions import Key

from harness import checker, create, keys

check = checker("G")


def run():
    table = create("Counters")
    trouble = []

    def count(thread):
        own = boto3.session.Session().client("dynamodb")
        add = lambda sk: own.update_item(
            TableName=table.name, Key={"PK": {"S": "PAGEVIEW#home"}, "SK": {"S": sk}},
            UpdateExpression="ADD view_count :one", ExpressionAttributeValues={":one": {"N": "1"}})
        try:
            for n in range(25):
                add("HOT")
                add(f"SHARD#{(thread + n) % 10}")
        except Exception as error:
            trouble.append(error)

    threads = [threading.Thread(target=count, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("no client is refused", trouble, [])
    views = Key("PK").eq("PAGEVIEW#home")
    check("16 clients on one item, every ADD counts",
          keys(table.query(KeyConditionExpression=views & Key("SK").eq("HOT")), "view_count"), [400])
    shards = table.query(KeyConditionExpression=views & Key("SK").begins_with("SHARD#"))["Items"]
    check("ten shards, summed over one query", (len(shards), sum(i["view_count"] for i in shards)), (10, 400))

"""Relations in one table, and tenants that see only what is theirs."""
import os

import boto3
from boto3.dynamodb.conditions import Key

from harness import checker, client, create, index, keys, refusal

check = checker("E")


def parts(table):
    """One to one: a user's parts under one partition key."""
    table.put_item(Item={"PK": "USER#1", "SK": "METADATA", "name": "Ann"})
    table.put_item(Item={"PK": "USER#1", "SK": "PREFERENCES", "theme": "dark"})
    check("one to one, read together", keys(table.query(KeyConditionExpression=Key("PK").eq("USER#1"))),
          ["METADATA", "PREFERENCES"])
    table.update_item(Key={"PK": "USER#1", "SK": "PREFERENCES"}, UpdateExpression="SET theme = :t",
                      ExpressionAttributeValues={":t": "light"})
    check("one changes, the other does not", table.query(KeyConditionExpression=Key("PK").eq("USER#1"))["Items"], [
        {"PK": "USER#1", "SK": "METADATA", "name": "Ann"}, {"PK": "USER#1", "SK": "PREFERENCES", "theme": "light"}])


def edges(table):
    """Many to many: each edge stored once, found from both ends."""
    for student, course in (("1", "db"), ("1", "os"), ("2", "db")):
        table.put_item(Item={"PK": f"STUDENT#{student}", "SK": f"COURSE#{course}"})
    table.put_item(Item={"PK": "STUDENT#1", "SK": "STUDENT#1", "name": "Ann"})
    table.put_item(Item={"PK": "COURSE#db", "SK": "COURSE#db", "title": "Databases"})
    inverted = lambda condition, **more: table.query(IndexName="Inverted", KeyConditionExpression=condition, **more)
    check("courses of a student", keys(table.query(
        KeyConditionExpression=Key("PK").eq("STUDENT#1") & Key("SK").begins_with("COURSE#"))), ["COURSE#db", "COURSE#os"])
    check("students of a course, by the inverted index", keys(inverted(
        Key("SK").eq("COURSE#db") & Key("PK").begins_with("STUDENT#")), "PK"), ["STUDENT#1", "STUDENT#2"])
    check("the course stands beside them", keys(inverted(Key("SK").eq("COURSE#db")), "PK"),
          ["COURSE#db", "STUDENT#1", "STUDENT#2"])
    page = inverted(Key("SK").eq("COURSE#db"), Limit=2)
    check("a page of the inverted index ends by the keys of both", page["LastEvaluatedKey"],
          {"PK": "STUDENT#1", "SK": "COURSE#db"})
    check("and the next goes on there", keys(inverted(
        Key("SK").eq("COURSE#db"), ExclusiveStartKey=page["LastEvaluatedKey"]), "PK"), ["STUDENT#2"])
    for a, b in (1, 2), (1, 3), (2, 3), (3, 1):
        table.put_item(Item={"PK": f"NODE#{a}", "SK": f"EDGE#{b}"})
    check("an adjacency list outwards", keys(table.query(KeyConditionExpression=Key("PK").eq("NODE#1"))), ["EDGE#2", "EDGE#3"])
    check("and inwards", keys(inverted(Key("SK").eq("EDGE#3")), "PK"), ["NODE#1", "NODE#2"])


def places(table):
    """A hierarchy in the sort key; CAX is no part of CA."""
    stores = ["UK#ENG#London#E1", "US#CA#SanFrancisco#94102", "US#CA#SanFrancisco#94103", "US#CA#SanJose#95101",
              "US#CAX#Nowhere#1", "US#NY#NewYork#10001"]
    with table.batch_writer() as batch:
        for store in stores:
            batch.put_item(Item={"PK": "STORES", "SK": store})
    for level, first, end in (("country", 1, 6), ("state", 1, 4), ("city", 1, 3), ("store", 1, 2)):
        prefix = {"country": "US#", "state": "US#CA#", "city": "US#CA#SanFrancisco#", "store": "US#CA#SanFrancisco#94102"}[level]
        check(f"a hierarchy by {level}", keys(table.query(
            KeyConditionExpression=Key("PK").eq("STORES") & Key("SK").begins_with(prefix))), stores[first:end])


def versions(table):
    """v0_ is the current version; publishing writes the history beside it."""
    def publish(version, body):
        client.transact_write_items(TransactItems=[
            {"Update": {"TableName": table.name, "Key": {"PK": {"S": "DOC#1"}, "SK": {"S": "v0_doc"}},
                        "UpdateExpression": "SET body = :b, latest = :v",
                        "ConditionExpression": "attribute_not_exists(PK) OR latest = :old",
                        "ExpressionAttributeValues": {":b": {"S": body}, ":v": {"N": str(version)}, ":old": {"N": str(version - 1)}}}},
            {"Put": {"TableName": table.name, "ConditionExpression": "attribute_not_exists(PK)",
                     "Item": {"PK": {"S": "DOC#1"}, "SK": {"S": f"v{version}_doc"}, "body": {"S": body}}}}])
    publish(1, "one")
    publish(2, "two")
    check("a version is published once", refusal(publish, version=2, body="lost")[0], "TransactionCanceledException")
    current = table.get_item(Key={"PK": "DOC#1", "SK": "v0_doc"})["Item"]
    check("the current version", (current["body"], current["latest"]), ("two", 2))
    check("the history, newest first", keys(table.query(
        KeyConditionExpression=Key("PK").eq("DOC#1") & Key("SK").gt("v0_z"), ScanIndexForward=False), "body"), ["two", "one"])


def tenants():
    """Role acme by an access key of its own; a policy shows it TENANT#acme#... alone."""
    table = boto3.resource("dynamodb").Table("TenantsBoto")
    for tenant in "acme", "acme2", "beta":
        for user in 1, 2:
            table.put_item(Item={"PK": f"TENANT#{tenant}#USER#{user}", "SK": "PROFILE", "mail": f"u{user}@x.y"})
    acme = boto3.resource("dynamodb", aws_access_key_id=os.environ["ACME_ACCESS_KEY_ID"],
                          aws_secret_access_key=os.environ["ACME_SECRET_ACCESS_KEY"]).Table(table.name)
    own = {"PK": "TENANT#acme#USER#1", "SK": "PROFILE"}
    other = {"PK": "TENANT#beta#USER#1", "SK": "PROFILE"}
    longer = {"PK": "TENANT#acme2#USER#1", "SK": "PROFILE"}
    check("a tenant reads its own", acme.get_item(Key=own)["Item"], {**own, "mail": "u1@x.y"})
    check("another's is not there", ["Item" in acme.get_item(Key=key) for key in (other, longer)], [False, False])
    check("nor by query", acme.query(KeyConditionExpression=Key("PK").eq(other["PK"]))["Items"], [])
    check("nor by scan", sorted(keys(acme.scan(), "PK")), ["TENANT#acme#USER#1", "TENANT#acme#USER#2"])
    check("nor by an index", keys(acme.query(IndexName="ByMail", KeyConditionExpression=Key("mail").eq("u1@x.y")), "PK"),
          ["TENANT#acme#USER#1"])
    got = acme.meta.client.batch_get_item(RequestItems={table.name: {"Keys": [own, other]}})
    check("nor by batch", [item["PK"] for item in got["Responses"][table.name]], [own["PK"]])
    check("a tenant writes its own", acme.update_item(
        Key=own, UpdateExpression="ADD visits :one", ExpressionAttributeValues={":one": 1},
        ReturnValues="UPDATED_NEW")["Attributes"], {"visits": 1})
    check("another's cannot be written", [
        refusal(acme.put_item, Item=other)[0], refusal(acme.put_item, Item={**other, "PK": "TENANT#beta#USER#9"})[0],
        refusal(acme.update_item, Key=longer, UpdateExpression="SET mail = :m", ExpressionAttributeValues={":m": "x"})[0]],
        ["AccessDeniedException"] * 3)
    check("deleting what one cannot see deletes nothing", acme.delete_item(Key=other, ReturnValues="ALL_OLD").get("Attributes"), None)
    check("nor may a tenant drop the table", refusal(acme.delete)[0], "AccessDeniedException")
    check("the others are as they were", [table.get_item(Key=key)["Item"] for key in (other, longer)],
          [{**other, "mail": "u1@x.y"}, {**longer, "mail": "u1@x.y"}])


def run():
    table = create("Relations", indexes=[index("Inverted", ("SK", "PK"))])
    for relation in parts, edges, places, versions:
        relation(table)
    tenants()

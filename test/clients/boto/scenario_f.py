"""A local index: a customer's orders by status, read consistently."""
from boto3.dynamodb.conditions import Key

from harness import checker, client, create, index, keys, refusal, schema

check = checker("F")


def run():
    table = create("Local", local=[index("ByStatus", ("PK", "status"), "INCLUDE", ["day"]),
                                   index("ByTotal", ("PK", "total"), "KEYS_ONLY")], types={"total": "N"})
    for customer in "C#1", "C#2":
        for n, status in enumerate(("PENDING", "SHIPPED", "PENDING", "SHIPPED", "PENDING"), 1):
            table.put_item(Item={"PK": customer, "SK": f"O#{n}", "status": status, "total": n * 30 % 100, "day": f"2024-03-1{n}",
                                 "note": "n" * 100})
    pending = Key("PK").eq("C#1") & Key("status").eq("PENDING")
    by_status = lambda **more: table.query(IndexName="ByStatus", **{"KeyConditionExpression": pending, **more})
    check("orders of a status", sorted(keys(by_status())), ["O#1", "O#3", "O#5"])
    check("keys and what it includes", min(by_status()["Items"], key=lambda item: item["SK"]),
          {"PK": "C#1", "SK": "O#1", "status": "PENDING", "day": "2024-03-11"})
    table.update_item(Key={"PK": "C#1", "SK": "O#2"}, UpdateExpression="SET #s = :p",
                      ExpressionAttributeNames={"#s": "status"}, ExpressionAttributeValues={":p": "PENDING"})
    check("read consistently, a write is there at once", sorted(keys(by_status(ConsistentRead=True))), ["O#1", "O#2", "O#3", "O#5"])
    check("what it does not hold is fetched", [len(i["note"]) for i in by_status(Select="ALL_ATTRIBUTES", Limit=1)["Items"]], [100])
    table.update_item(Key={"PK": "C#1", "SK": "O#3"}, UpdateExpression="REMOVE #s", ExpressionAttributeNames={"#s": "status"})
    check("an order without a status leaves it", sorted(keys(by_status(ConsistentRead=True))), ["O#1", "O#2", "O#5"])
    check("a number sorts as one", keys(table.query(
        IndexName="ByTotal", KeyConditionExpression=Key("PK").eq("C#2") & Key("total").between(20, 60),
        ScanIndexForward=False), "total"), [60, 50, 30, 20])
    page = by_status(Limit=1)
    last = page["Items"][0]["SK"]
    check("a page ends by all three keys", page["LastEvaluatedKey"], {"PK": "C#1", "SK": last, "status": "PENDING"})
    check("and the next goes on there", sorted([last] + keys(by_status(ExclusiveStartKey=page["LastEvaluatedKey"]))),
          ["O#1", "O#2", "O#5"])

    five = [index(f"Local{n}", ("PK", f"a{n}")) for n in range(5)]
    create("Local5", local=five)
    check("five of them", len(client.describe_table(TableName="Local5Boto")["Table"]["LocalSecondaryIndexes"]), 5)
    six = five + [index("Local5", ("PK", "a5"))]
    code = refusal(client.create_table, TableName="Local6Boto", BillingMode="PAY_PER_REQUEST", KeySchema=schema("PK", "SK"),
                            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"}
                                                  for n in ("PK", "SK", "a0", "a1", "a2", "a3", "a4", "a5")],
                            LocalSecondaryIndexes=six)[0]
    check("a sixth is refused", code, "ValidationException")
    check("they cannot be dropped", refusal(client.update_table, TableName=table.name, GlobalSecondaryIndexUpdates=[
        {"Delete": {"IndexName": "ByStatus"}}])[0], "ValidationException")

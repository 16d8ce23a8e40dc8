"""A shop in one table."""
import decimal

from boto3.dynamodb.conditions import Attr, Key

from harness import checker, client, create, index, keys, refusal, resource

check = checker("A")


def run():
    table = create("Shop", indexes=[index("GSI1", ("GSI1PK", "GSI1SK")), index("GSI2", ("GSI2PK", "GSI2SK"), "KEYS_ONLY")])
    shop = table.name
    check("table is active", table.table_status, "ACTIVE")
    check("list_tables", shop in client.list_tables()["TableNames"], True)
    table.put_item(Item={"PK": "CUSTOMER#12345", "SK": "PROFILE", "name": "Ann", "email": "ann@example.com",
                         "GSI1PK": "EMAIL#ann@example.com", "GSI1SK": "CUSTOMER#12345"})
    orders = [("2024-03-11", "98701", "19.95", "SHIPPED"), ("2024-03-12", "98722", "240", "SHIPPED"),
              ("2024-03-15", "98765", "109.97", "SHIPPED"), ("2024-03-15", "98766", "5", "PENDING"),
              ("2024-03-18", "98799", "64.5", "PENDING")]
    with table.batch_writer() as batch:
        for day, number, total, status in orders:
            batch.put_item(Item={
                "PK": "CUSTOMER#12345", "SK": f"ORDER#{day}#{number}", "total": decimal.Decimal(total),
                "status": status, "GSI1PK": f"STATUS#{status}", "GSI1SK": f"{day}#ORDER#{number}"})
        batch.put_item(Item={"PK": "ORDER#98765", "SK": "META", "customer": "CUSTOMER#12345"})
        for line in 1, 2:
            batch.put_item(Item={"PK": "ORDER#98765", "SK": f"ITEM#{line:03}", "quantity": line,
                                 "price": decimal.Decimal("9.99")})
        batch.put_item(Item={"PK": "PRODUCT#p-456", "SK": "DETAILS", "price": decimal.Decimal("39.99"),
                             "inventory": 3, "version": 1, "tags": {"kitchen", "steel"},
                             "GSI1PK": "CATEGORY#electronics", "GSI1SK": "PRODUCT#p-456"})

    got = table.get_item(Key={"PK": "CUSTOMER#12345", "SK": "PROFILE"}, ConsistentRead=True)
    check("profile by key", (got["Item"]["name"], got["Item"]["email"]), ("Ann", "ann@example.com"))
    check("a missing item", "Item" in table.get_item(Key={"PK": "none", "SK": "none"}), False)

    own = Key("PK").eq("CUSTOMER#12345")
    page = table.query(KeyConditionExpression=own & Key("SK").begins_with("ORDER#"),
                       ScanIndexForward=False, Limit=2)
    check("newest orders", keys(page), ["ORDER#2024-03-18#98799", "ORDER#2024-03-15#98766"])
    pages = [keys(page)]
    while "LastEvaluatedKey" in page:
        page = table.query(KeyConditionExpression=own & Key("SK").begins_with("ORDER#"),
                           ScanIndexForward=False, Limit=2, ExclusiveStartKey=page["LastEvaluatedKey"])
        pages.append(keys(page))
    check("paging", [len(p) for p in pages], [2, 2, 1])
    paginator = client.get_paginator("query")
    found = [item["SK"]["S"] for answer in paginator.paginate(
        TableName=shop, KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": {"S": "CUSTOMER#12345"}},
        PaginationConfig={"PageSize": 1}) for item in answer["Items"]]
    check("a paginator", found, [f"ORDER#{d}#{n}" for d, n, _, _ in orders] + ["PROFILE"])
    check("order with its lines", keys(table.query(KeyConditionExpression=Key("PK").eq("ORDER#98765"))),
          ["ITEM#001", "ITEM#002", "META"])
    check("profile and orders", table.query(KeyConditionExpression=own)["Count"], 6)
    total = sum(i["total"] for i in table.query(KeyConditionExpression=own & Key("SK").begins_with("ORDER#"))["Items"])
    check("numbers are exact", total, decimal.Decimal("439.42"))

    by_index = lambda pk, sk=None, **more: table.query(
        IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(pk) & sk if sk else Key("GSI1PK").eq(pk), **more)
    check("orders by status and date", keys(by_index("STATUS#SHIPPED", Key("GSI1SK").between("2024-03-12", "2024-03-16"))),
          ["ORDER#2024-03-12#98722", "ORDER#2024-03-15#98765"])
    check("products of a category", keys(by_index("CATEGORY#electronics"), "PK"), ["PRODUCT#p-456"])
    check("customer by e-mail", keys(by_index("EMAIL#ann@example.com"), "PK"), ["CUSTOMER#12345"])

    order = {"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-15#98766"}
    table.update_item(Key=order, UpdateExpression="SET GSI2PK = :f, GSI2SK = :s",
                      ExpressionAttributeValues={":f": "FLAGGED", ":s": "2024-03-15"})
    check("flagged orders only, keys only", table.scan(IndexName="GSI2")["Items"],
          [{**order, "GSI2PK": "FLAGGED", "GSI2SK": "2024-03-15"}])
    table.update_item(Key=order, UpdateExpression="REMOVE GSI2PK, GSI2SK")
    check("resolved", table.scan(IndexName="GSI2")["Count"], 0)

    def place(number, quantity, **more):
        return dict(TransactItems=[
            {"Put": {"TableName": shop, "Item": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "META"}},
                     "ConditionExpression": "attribute_not_exists(PK)"}},
            {"Put": {"TableName": shop, "Item": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "ITEM#001"}}}},
            {"Update": {"TableName": shop, "Key": {"PK": {"S": "PRODUCT#p-456"}, "SK": {"S": "DETAILS"}},
                        "UpdateExpression": "SET inventory = inventory - :qty",
                        "ConditionExpression": "inventory >= :qty",
                        "ExpressionAttributeValues": {":qty": {"N": str(quantity)}}}}], **more)
    for _ in range(2):
        client.transact_write_items(**place("98800", 2, ClientRequestToken="order-98800"))
    product = {"PK": "PRODUCT#p-456", "SK": "DETAILS"}
    check("an order placed twice with one token is done once", table.get_item(Key=product)["Item"]["inventory"], 1)
    code, text, body = refusal(client.transact_write_items, **place("98801", 2))
    check("out of stock", (code, [r["Code"] for r in body["CancellationReasons"]]),
          ("TransactionCanceledException", ["None", "None", "ConditionalCheckFailed"]))
    check("and why", text, "Transaction cancelled, please refer cancellation reasons for specific reasons "
          "[None, None, ConditionalCheckFailed]")
    check("nothing is written", "Item" in table.get_item(Key={"PK": "ORDER#98801", "SK": "META"}), False)
    check("another request by the same token",
          refusal(client.transact_write_items, **place("98802", 1, ClientRequestToken="order-98800"))[0],
          "IdempotentParameterMismatchException")

    change = dict(Key=product, UpdateExpression="SET price = :p, version = :new",
                  ConditionExpression=Attr("version").eq(1), ReturnValues="ALL_NEW",
                  ExpressionAttributeValues={":p": decimal.Decimal("34.99"), ":new": 2})
    got = table.update_item(**change)["Attributes"]
    check("optimistic lock won", (got["price"], got["version"], got["tags"]),
          (decimal.Decimal("34.99"), 2, {"kitchen", "steel"}))
    check("optimistic lock lost", refusal(table.update_item, **change)[:2],
          ("ConditionalCheckFailedException", "The conditional request failed"))

    lines = [{"PutRequest": {"Item": {"PK": "ORDER#98900", "SK": f"ITEM#{line:03}", "quantity": 1}}} for line in range(26)]
    answer = resource.batch_write_item(RequestItems={shop: lines[:25]})
    check("25 lines by one call", (answer["UnprocessedItems"], table.query(
        KeyConditionExpression=Key("PK").eq("ORDER#98900"))["Count"]), ({}, 25))
    check("26 are refused", refusal(resource.batch_write_item, RequestItems={shop: lines})[0], "ValidationException")
    with table.batch_writer() as batch:
        for i in range(100):
            batch.put_item(Item={"PK": f"PRODUCT#{i:03}", "SK": "DETAILS", "n": i, "data": b"\x00\xff" * 10})
    answer = resource.batch_get_item(RequestItems={shop: {
        "Keys": [{"PK": f"PRODUCT#{i:03}", "SK": "DETAILS"} for i in range(100)]}})
    check("100 products by one call", sorted(i["n"] for i in answer["Responses"][shop]), list(range(100)))
    check("binary comes back", answer["Responses"][shop][0]["data"].value, b"\x00\xff" * 10)
    check("scan in segments is all, once",
          sum(table.scan(Segment=s, TotalSegments=4)["Count"] for s in range(4)), table.scan(Select="COUNT")["Count"])
    check("a filter", table.scan(FilterExpression=Attr("n").between(10, 12) & Attr("PK").begins_with("PRODUCT#"))["Count"], 3)
    got = table.put_item(Item={"PK": "types", "SK": "all", "null": None, "bool": True, "list": [1, "a", [None]],
                               "map": {"deep": {"er": decimal.Decimal("1E-10")}}, "ns": {1, 2}, "bs": {b"a", b"b"}},
                         ReturnConsumedCapacity="TOTAL")
    check("capacity", got["ConsumedCapacity"], {"TableName": shop, "CapacityUnits": 1.0})
    got = table.get_item(Key={"PK": "types", "SK": "all"})["Item"]
    check("types", (got["null"], got["bool"], got["list"], got["map"], got["ns"], len(got["bs"])),
          (None, True, [1, "a", [None]], {"deep": {"er": decimal.Decimal("1E-10")}}, {1, 2}, 2))

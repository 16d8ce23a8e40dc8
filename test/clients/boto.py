"""boto3, client and resource, through the models that people draw.

Prints TAP.  Every expected value is what DynamoDB answers.
"""
import decimal
import threading

import boto3
import botocore.exceptions
from boto3.dynamodb.conditions import Attr, Key

client = boto3.client("dynamodb")
resource = boto3.resource("dynamodb")


def check(name, got, expected):
    good = got == expected
    print(f"{'ok' if good else 'not ok'} - boto3: {name}", flush=True)
    if not good:
        print(f"# got      {got!r}\n# expected {expected!r}", flush=True)


def refusal(call, **arguments):
    """The error of a call that must fail: code, text, and the whole body."""
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"], error.response
    return None, None, {}


def keys(answer, name="SK"):
    return [item[name] for item in answer["Items"]]


def create(name, indexes=(), sort=True, **more):
    """A table with PK and SK, and global indexes (name, hash, range, projection)."""
    names = {"PK"} | ({"SK"} if sort else set())
    for index in indexes:
        names |= {index[1], index[2]}
    schema = lambda hash_key, range_key: [{"AttributeName": hash_key, "KeyType": "HASH"}] + (
        [{"AttributeName": range_key, "KeyType": "RANGE"}] if range_key else [])
    if indexes:
        more["GlobalSecondaryIndexes"] = [
            {"IndexName": n, "KeySchema": schema(h, r), "Projection": {"ProjectionType": p}}
            for n, h, r, p in indexes]
    names |= {a["AttributeName"] for i in more.get("LocalSecondaryIndexes", []) for a in i["KeySchema"]}
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        KeySchema=schema("PK", "SK" if sort else None),
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in sorted(names - {None})],
        **more)
    client.get_waiter("table_exists").wait(TableName=name)
    return resource.Table(name)


def shop():
    table = create("Shop", [("GSI1", "GSI1PK", "GSI1SK", "ALL"), ("GSI2", "GSI2PK", "GSI2SK", "KEYS_ONLY")])
    check("table is active", table.table_status, "ACTIVE")
    check("list_tables", client.list_tables()["TableNames"], ["Shop"])
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
        TableName="Shop", KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": {"S": "CUSTOMER#12345"}},
        PaginationConfig={"PageSize": 1}) for item in answer["Items"]]
    check("a paginator", found, [f"ORDER#{d}#{n}" for d, n, _, _ in orders] + ["PROFILE"])
    check("order with its lines", keys(table.query(KeyConditionExpression=Key("PK").eq("ORDER#98765"))),
          ["ITEM#001", "ITEM#002", "META"])
    check("profile and orders", table.query(KeyConditionExpression=own)["Count"], 6)
    total = sum(i["total"] for i in table.query(KeyConditionExpression=own & Key("SK").begins_with("ORDER#"))["Items"])
    check("numbers are exact", total, decimal.Decimal("439.42"))

    index = lambda pk, sk=None, **more: table.query(
        IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(pk) & sk if sk else Key("GSI1PK").eq(pk), **more)
    check("orders by status and date", keys(index("STATUS#SHIPPED", Key("GSI1SK").between("2024-03-12", "2024-03-16"))),
          ["ORDER#2024-03-12#98722", "ORDER#2024-03-15#98765"])
    check("products of a category", keys(index("CATEGORY#electronics"), "PK"), ["PRODUCT#p-456"])
    check("customer by e-mail", keys(index("EMAIL#ann@example.com"), "PK"), ["CUSTOMER#12345"])

    order = {"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-15#98766"}
    table.update_item(Key=order, UpdateExpression="SET GSI2PK = :f, GSI2SK = :s",
                      ExpressionAttributeValues={":f": "FLAGGED", ":s": "2024-03-15"})
    check("flagged orders only, keys only", table.scan(IndexName="GSI2")["Items"],
          [{**order, "GSI2PK": "FLAGGED", "GSI2SK": "2024-03-15"}])
    table.update_item(Key=order, UpdateExpression="REMOVE GSI2PK, GSI2SK")
    check("resolved", table.scan(IndexName="GSI2")["Count"], 0)

    def place(number, quantity, **more):
        return dict(TransactItems=[
            {"Put": {"TableName": "Shop", "Item": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "META"}},
                     "ConditionExpression": "attribute_not_exists(PK)"}},
            {"Put": {"TableName": "Shop", "Item": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "ITEM#001"}}}},
            {"Update": {"TableName": "Shop", "Key": {"PK": {"S": "PRODUCT#p-456"}, "SK": {"S": "DETAILS"}},
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

    with table.batch_writer() as batch:
        for i in range(100):
            batch.put_item(Item={"PK": f"PRODUCT#{i:03}", "SK": "DETAILS", "n": i, "data": b"\x00\xff" * 10})
    answer = resource.batch_get_item(RequestItems={"Shop": {
        "Keys": [{"PK": f"PRODUCT#{i:03}", "SK": "DETAILS"} for i in range(100)]}})
    check("100 products by one call", sorted(i["n"] for i in answer["Responses"]["Shop"]), list(range(100)))
    check("binary comes back", answer["Responses"]["Shop"][0]["data"].value, b"\x00\xff" * 10)
    check("scan in segments is all, once",
          sum(table.scan(Segment=s, TotalSegments=4)["Count"] for s in range(4)), table.scan(Select="COUNT")["Count"])
    check("a filter", table.scan(FilterExpression=Attr("n").between(10, 12) & Attr("PK").begins_with("PRODUCT#"))["Count"], 3)
    got = table.put_item(Item={"PK": "types", "SK": "all", "null": None, "bool": True, "list": [1, "a", [None]],
                               "map": {"deep": {"er": decimal.Decimal("1E-10")}}, "ns": {1, 2}, "bs": {b"a", b"b"}},
                         ReturnConsumedCapacity="TOTAL")
    check("capacity", got["ConsumedCapacity"], {"TableName": "Shop", "CapacityUnits": 1.0})
    got = table.get_item(Key={"PK": "types", "SK": "all"})["Item"]
    check("types", (got["null"], got["bool"], got["list"], got["map"], got["ns"], len(got["bs"])),
          (None, True, [1, "a", [None]], {"deep": {"er": decimal.Decimal("1E-10")}}, {1, 2}, 2))


def multi():
    """An index with several key attributes, added to a table that has items."""
    table = create("Multi")
    for n, (kind, day) in enumerate([("invoice", "2025-01-10"), ("invoice", "2025-02-10"), ("order", "2025-01-05")]):
        table.put_item(Item={"PK": f"o#{n}", "SK": "x", "CustomerId": "c#1", "EntityType": kind, "OrderDate": day})
    client.update_table(
        TableName="Multi",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("CustomerId", "EntityType", "OrderDate")],
        GlobalSecondaryIndexUpdates=[{"Create": {"IndexName": "ByKind", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
            {"AttributeName": "CustomerId", "KeyType": "HASH"}, {"AttributeName": "EntityType", "KeyType": "RANGE"},
            {"AttributeName": "OrderDate", "KeyType": "RANGE"}]}}])
    ask = lambda condition, **values: dict(
        TableName="Multi", IndexName="ByKind", KeyConditionExpression=condition,
        ExpressionAttributeValues={f":{k}": {"S": v} for k, v in values.items()})
    count = lambda *a, **k: client.query(**ask(*a, **k))["Count"]
    check("first attribute", count("CustomerId = :c AND EntityType = :t", c="c#1", t="invoice"), 2)
    check("first equal, second a range", count("CustomerId = :c AND EntityType = :t AND OrderDate BETWEEN :a AND :b",
                                              c="c#1", t="invoice", a="2025-01-01", b="2025-01-31"), 1)
    check("the first left out", refusal(client.query, **ask("CustomerId = :c AND OrderDate = :d", c="c#1", d="2025-01-10"))[0],
          "ValidationException")


def users():
    """A sparse index, and e-mail addresses that are unique by transaction."""
    table = create("Users", [("ByEmail", "email", None, "ALL")])
    for n in range(20):
        item = {"PK": f"USER#{n}", "SK": "PROFILE"}
        table.put_item(Item=item | ({"email": f"u{n}@example.com"} if n % 2 else {}))
    check("users by e-mail", keys(table.query(IndexName="ByEmail", KeyConditionExpression=Key("email").eq("u3@example.com")), "PK"),
          ["USER#3"])
    check("those without are not in the index", table.scan(IndexName="ByEmail")["Count"], 10)
    sign_up = lambda user: dict(TransactItems=[
        {"Put": {"TableName": "Users", "Item": {"PK": {"S": pk}, "SK": {"S": "PROFILE"}},
                 "ConditionExpression": "attribute_not_exists(PK)"}} for pk in (user, "EMAIL#new@example.com")])
    client.transact_write_items(**sign_up("USER#100"))
    check("an address taken", refusal(client.transact_write_items, **sign_up("USER#101"))[2].get("CancellationReasons", [{}])[-1].get("Code"),
          "ConditionalCheckFailed")


def relations():
    """Adjacency lists both ways, hierarchies, a local index."""
    table = create("Relations", [("Inverted", "SK", "PK", "ALL")], LocalSecondaryIndexes=[
        {"IndexName": "ByStatus", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]},
         "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "status", "KeyType": "RANGE"}]}])
    for user, group in (("1", "a"), ("1", "b"), ("2", "a")):
        table.put_item(Item={"PK": f"USER#{user}", "SK": f"GROUP#{group}", "status": f"s{group}", "note": "n", "more": "m"})
    check("groups of a user", keys(table.query(KeyConditionExpression=Key("PK").eq("USER#1"))), ["GROUP#a", "GROUP#b"])
    check("users of a group", keys(table.query(IndexName="Inverted", KeyConditionExpression=Key("SK").eq("GROUP#a")), "PK"),
          ["USER#1", "USER#2"])
    check("a local index, consistent, what it includes", table.query(
        IndexName="ByStatus", ConsistentRead=True, KeyConditionExpression=Key("PK").eq("USER#1") & Key("status").eq("sb"))["Items"],
        [{"PK": "USER#1", "SK": "GROUP#b", "status": "sb", "note": "n"}])
    for place in "US", "US#CA", "US#CA#SanFrancisco", "US#CA#SanFrancisco#94102", "US#NY":
        table.put_item(Item={"PK": "PLACES", "SK": place})
    check("a hierarchy", keys(table.query(KeyConditionExpression=Key("PK").eq("PLACES") & Key("SK").begins_with("US#CA#"))),
          ["US#CA#SanFrancisco", "US#CA#SanFrancisco#94102"])


def counters():
    """One hot item, and one in shards: no increment is lost."""
    create("Counters")

    def count(thread):
        own = boto3.session.Session().client("dynamodb")
        for n in range(50):
            for sk in "HOT", f"SHARD#{(thread + n) % 10}":
                own.update_item(TableName="Counters", Key={"PK": {"S": "PAGEVIEW#home"}, "SK": {"S": sk}},
                                UpdateExpression="ADD view_count :one", ExpressionAttributeValues={":one": {"N": "1"}})

    threads = [threading.Thread(target=count, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    items = resource.Table("Counters").query(KeyConditionExpression=Key("PK").eq("PAGEVIEW#home"))["Items"]
    check("a hot counter", items[0], {"PK": "PAGEVIEW#home", "SK": "HOT", "view_count": 400})
    check("a counter in shards", sum(i["view_count"] for i in items[1:]), 400)


def errors():
    check("no such table", refusal(client.get_item, TableName="None", Key={"a": {"S": "b"}})[:2],
          ("ResourceNotFoundException", "Requested resource not found"))
    check("a key that does not fit", refusal(client.get_item, TableName="Shop", Key={"PK": {"S": "b"}})[:2],
          ("ValidationException", "The provided key element does not match the schema"))
    stranger = boto3.client("dynamodb", aws_access_key_id="AKIAX", aws_secret_access_key="x")
    check("an unknown key", refusal(stranger.list_tables)[0], "UnrecognizedClientException")
    forger = boto3.client("dynamodb", aws_secret_access_key="x",
                          aws_access_key_id=client._request_signer._credentials.access_key)
    check("a wrong secret", refusal(forger.list_tables)[0], "InvalidSignatureException")
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)
        client.get_waiter("table_not_exists").wait(TableName=name)
    check("tables are gone", client.list_tables()["TableNames"], [])


for scenario in shop, multi, users, relations, counters, errors:
    scenario()

"""Orders by customer: keys with prefixes, then an index of several attributes."""
from boto3.dynamodb.conditions import Key

from harness import attributes, checker, client, create, index, keys, refusal, until

check = checker("B")


def prefixes():
    """Customers, products, orders and invoices told apart by c#, p#, o#, i#."""
    table = create("Prefixes", indexes=[index("GSI1", ("GSI1PK", "GSI1SK")), index("GSI2", ("GSI2PK", "GSI2SK"))])
    with table.batch_writer() as batch:
        for order, customer, day, products in (
                ("o#001", "c#001", "2025-02-10", ("p#001", "p#002")), ("o#002", "c#001", "2025-04-03", ("p#001",)),
                ("o#003", "c#002", "2025-02-12", ("p#001",))):
            number = order[2:]
            batch.put_item(Item={"PK": order, "SK": order, "day": day})
            for product in products:
                batch.put_item(Item={"PK": order, "SK": product, "quantity": 1, "GSI1PK": product, "GSI1SK": day,
                                     "GSI2PK": customer, "GSI2SK": f"p#{day}#{product[2:]}"})
            batch.put_item(Item={"PK": order, "SK": f"i#{number}", "amount": 320, "GSI1PK": f"i#{number}",
                                 "GSI1SK": f"i#{number}", "GSI2PK": customer, "GSI2SK": f"i#{day}"})
    find = lambda condition, **more: table.query(KeyConditionExpression=condition, **more)
    check("an order with its products and its invoice", keys(find(Key("PK").eq("o#001"))),
          ["i#001", "o#001", "p#001", "p#002"])
    check("the products of an order", keys(find(Key("PK").eq("o#001") & Key("SK").begins_with("p#"))), ["p#001", "p#002"])
    check("orders of a product between two dates", keys(find(
        Key("GSI1PK").eq("p#001") & Key("GSI1SK").between("2025-02-01", "2025-02-28"), IndexName="GSI1"), "PK"),
        ["o#001", "o#003"])
    check("an invoice by its id", keys(find(Key("GSI1PK").eq("i#002"), IndexName="GSI1"), "PK"), ["o#002"])
    check("invoices of a customer in a quarter", keys(find(
        Key("GSI2PK").eq("c#001") & Key("GSI2SK").between("i#2025-01-01", "i#2025-03-31"), IndexName="GSI2")), ["i#001"])
    check("products of a customer, the latest first", keys(find(
        Key("GSI2PK").eq("c#001") & Key("GSI2SK").begins_with("p#"), IndexName="GSI2", ScanIndexForward=False), "PK"),
        ["o#002", "o#001", "o#001"])


def several_attributes():
    """CustomerId, then EntityType and OrderDate, over items that were there before."""
    table = create("Multi")
    for sk, customer, kind, day in (
            ("o#001", "c#001", "order", "2025-02-10"), ("p#001", "c#001", "product", "2025-02-10"),
            ("p#002", "c#001", "product", "2025-02-10"), ("i#001", "c#001", "invoice", "2025-02-11"),
            ("i#002", "c#001", "invoice", "2025-04-03"), ("i#003", "c#002", "invoice", "2025-02-12")):
        table.put_item(Item={"PK": "all", "SK": sk, "CustomerId": customer, "EntityType": kind, "OrderDate": day})
    table.put_item(Item={"PK": "all", "SK": "x", "CustomerId": "c#001", "EntityType": "invoice"})
    before = table.scan()["Items"]
    add_index(table, index("ByCustomer", ("CustomerId", "EntityType", "OrderDate")))
    check("an index added leaves the items as they are", table.scan()["Items"], before)

    values = {":c": "c#001", ":t": "invoice", ":d": "2025-02-11", ":a": "2025-01-01", ":b": "2025-03-31", ":i": "i"}

    def request(condition):
        return dict(IndexName="ByCustomer", KeyConditionExpression=condition,
                    ExpressionAttributeValues={k: v for k, v in values.items() if k in condition})

    for name, condition, expected in (
            ("the partition alone, in order of both attributes", "CustomerId = :c",
             ["i#001", "i#002", "o#001", "p#001", "p#002"]),
            ("first equal", "CustomerId = :c AND EntityType = :t", ["i#001", "i#002"]),
            ("both equal", "CustomerId = :c AND EntityType = :t AND OrderDate = :d", ["i#001"]),
            ("first equal, second between", "CustomerId = :c AND EntityType = :t AND OrderDate BETWEEN :a AND :b", ["i#001"]),
            ("a range on the first", "CustomerId = :c AND begins_with(EntityType, :i)", ["i#001", "i#002"])):
        found = keys(table.query(**request(condition)))
        # Equal keys come in an order of the index's own.
        check(f"allowed: {name}", found[:3] + sorted(found[3:]), expected)
    passed_over = ("RANGE key attributes EntityType must have equality conditions specified in the query "
                   "because a condition is present on key attribute OrderDate")
    no_partition = "HASH key attributes CustomerId must have equality conditions specified in the query"
    for name, condition, expected in (
            ("the first passed over", "CustomerId = :c AND OrderDate = :d",
             passed_over),
            ("a range on the first and something after it", "CustomerId = :c AND begins_with(EntityType, :i) AND OrderDate = :d",
             passed_over),
            ("no partition", "EntityType = :t AND OrderDate = :d", no_partition),
            ("a range on the partition", "CustomerId > :c AND EntityType = :t", no_partition)):
        check(f"refused: {name}", refusal(table.query, **request(condition))[:2], ("ValidationException", expected))


def four_and_four():
    """As many attributes as an index may have, of all types."""
    table = create("Wide")
    item = {"PK": "1", "SK": "1", "h1": "h", "h2": 2, "h3": b"\xff", "h4": "i", "r1": -10, "r2": "s", "r3": b"\x00", "r4": 9}
    table.put_item(Item=item)
    types = {"h2": "N", "h3": "B", "r1": "N", "r3": "B", "r4": "N"}
    hashes, ranges = ("h1", "h2", "h3", "h4"), ("r1", "r2", "r3", "r4")
    add_index(table, index("Wide", (hashes, *ranges), "KEYS_ONLY"), types)
    condition = " AND ".join([f"{n} = :{n}" for n in hashes + ranges[:3]] + ["r4 > :r4"])
    found = table.query(IndexName="Wide", KeyConditionExpression=condition, ExpressionAttributeValues={
        f":{n}": item[n] - 1 if n == "r4" else item[n] for n in hashes + ranges})
    check("four and four attributes", keys(found, "PK"), ["1"])
    check("a fifth is refused", refusal(add_index, table=table, definition=index("Wider", (hashes + ("h5",),)), types=types)[0],
          "ValidationException")


def add_index(table, definition, types={}):
    """Add an index, and wait until it can be used."""
    client.update_table(
        TableName=table.name, AttributeDefinitions=attributes([definition["KeySchema"]], types),
        GlobalSecondaryIndexUpdates=[{"Create": definition}])
    until(lambda: client.describe_table(TableName=table.name)["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE")


def run():
    prefixes()
    several_attributes()
    four_and_four()

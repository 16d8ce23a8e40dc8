"""Users by e-mail: sparse indexes, and an address that only one may have."""
from boto3.dynamodb.conditions import Key

from harness import checker, client, create, index, keys, refusal

check = checker("C")


def run():
    table = create("Users", indexes=[index("ByEmail", ("email",)), index("ACTIVE_USERS", ("active_since",))])
    users = table.name
    with table.batch_writer() as batch:
        batch.put_item(Item={"PK": "USER#7f3a", "SK": "PROFILE", "name": "Ann", "email": "ann@x.y"})
        batch.put_item(Item={"PK": "USER#7f3a", "SK": "EMAIL#ann@home.y", "email": "ann@home.y"})
        batch.put_item(Item={"PK": "USER#0001", "SK": "PROFILE", "name": "Bob"})
    by_email = lambda address: keys(
        table.query(IndexName="ByEmail", KeyConditionExpression=Key("email").eq(address)), "PK")
    check("a user by e-mail", by_email("ann@x.y"), ["USER#7f3a"])
    check("and by a further address", by_email("ann@home.y"), ["USER#7f3a"])
    check("an address nobody has", by_email("Ann@x.y"), [])
    check("those without are not in the index", table.scan(IndexName="ByEmail")["Count"], 2)
    table.update_item(Key={"PK": "USER#0001", "SK": "PROFILE"}, UpdateExpression="SET email = :e",
                      ExpressionAttributeValues={":e": "bob@x.y"})
    check("who gets one comes in", by_email("bob@x.y"), ["USER#0001"])
    table.update_item(Key={"PK": "USER#0001", "SK": "PROFILE"}, UpdateExpression="REMOVE email")
    check("who loses it leaves", by_email("bob@x.y"), [])

    def sign_up(user, address):
        return dict(TransactItems=[
            {"Put": {"TableName": users, "Item": {"PK": {"S": user}, "SK": {"S": "PROFILE"}, "email": {"S": address}},
                     "ConditionExpression": "attribute_not_exists(PK)"}},
            {"Put": {"TableName": users, "Item": {"PK": {"S": f"EMAIL#{address}"}, "SK": {"S": "GUARD"}},
                     "ConditionExpression": "attribute_not_exists(PK)"}}])
    client.transact_write_items(**sign_up("USER#a1", "new@x.y"))
    reasons = lambda *who: [r["Code"] for r in refusal(client.transact_write_items, **sign_up(*who))[2]["CancellationReasons"]]
    check("an address is taken once", reasons("USER#b2", "new@x.y"), ["None", "ConditionalCheckFailed"])
    check("a user is, too", reasons("USER#a1", "other@x.y"), ["ConditionalCheckFailed", "None"])
    check("the loser is not made", "Item" in table.get_item(Key={"PK": "USER#b2", "SK": "PROFILE"}), False)
    check("the winner is found", by_email("new@x.y"), ["USER#a1"])

    # 300 users, a tenth of them active.
    with table.batch_writer() as batch:
        for n in range(300):
            active = {"active_since": f"2024-01-01T00:{n:03}"} if n % 10 == 0 else {}
            batch.put_item(Item={"PK": f"USER#n{n:03}", "SK": "PROFILE", "email": f"user{n:03}@example.com",
                                 "bio": "b" * 300, **active})
    check("a tenth is in the sparse index", table.scan(IndexName="ACTIVE_USERS")["Count"], 30)
    read = lambda name: table.scan(IndexName=name, Select="COUNT", ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]["CapacityUnits"]
    check("and reading it costs about a tenth", (read("ACTIVE_USERS"), read("ByEmail")), (1.5, 13))

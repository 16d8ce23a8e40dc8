"""Sessions: those that have ended may still be there, a read leaves them out, and then they go."""
import time

from boto3.dynamodb.conditions import Attr, Key

from harness import checker, create, expire, index, keys, refusal, until

check = checker("H")
now = 1700000000


def run():
    table = create("Sessions", key=("PK",), indexes=[index("ByUser", ("owner", "ttl"))], types={"ttl": "N"})
    for name, end in ("abc", now + 3600), ("old", now - 1), ("edge", now):
        table.put_item(Item={"PK": f"SESSION#{name}", "owner": "USER#1", "ttl": end})
    table.put_item(Item={"PK": "SESSION#forever", "owner": "USER#1"})
    alive = dict(FilterExpression="#ttl > :now", ExpressionAttributeNames={"#ttl": "ttl"})
    find = lambda name: keys(table.query(
        KeyConditionExpression="PK = :s", ExpressionAttributeValues={":s": f"SESSION#{name}", ":now": now}, **alive), "PK")
    check("a living session", find("abc"), ["SESSION#abc"])
    check("an ended one is filtered out", (find("old"), find("edge")), ([], []))
    answer = table.scan(ExpressionAttributeValues={":now": now}, **alive)
    check("all living ones; what was read is said", (keys(answer, "PK"), answer["ScannedCount"]), (["SESSION#abc"], 4))
    check("without a ttl there is no end", sorted(keys(table.scan(
        FilterExpression=Attr("ttl").gt(now) | Attr("ttl").not_exists()), "PK")), ["SESSION#abc", "SESSION#forever"])
    check("a user's living sessions, by an index", keys(table.query(
        IndexName="ByUser", KeyConditionExpression=Key("owner").eq("USER#1") & Key("ttl").gt(now)), "PK"), ["SESSION#abc"])
    check("a reserved word needs a name", refusal(table.scan, FilterExpression="ttl > :now", ExpressionAttributeValues={
        ":now": now})[1], "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: ttl")
    prolong = lambda name: dict(
        Key={"PK": f"SESSION#{name}"}, UpdateExpression="SET #ttl = :end", ConditionExpression="#ttl > :now", ReturnValues="UPDATED_NEW",
        ExpressionAttributeNames={"#ttl": "ttl"}, ExpressionAttributeValues={":now": now, ":end": now + 7200})
    check("a living one is prolonged", table.update_item(**prolong("abc"))["Attributes"], {"ttl": now + 7200})
    check("an ended one is not", refusal(table.update_item, **prolong("old"))[0], "ConditionalCheckFailedException")

    today = int(time.time())
    for name, end in ("over", today - 1), ("open", today + 3600), ("touched", today - 1):
        table.put_item(Item={"PK": f"SESSION#{name}", "owner": "USER#2", "ttl": end})
    table.update_item(Key={"PK": "SESSION#touched"}, UpdateExpression="SET #ttl = #ttl + :hour",
                      ExpressionAttributeNames={"#ttl": "ttl"}, ExpressionAttributeValues={":hour": 3600})
    check("sessions expire", expire(table)["TimeToLiveStatus"], "ENABLED")
    check("one that has ended goes", until(lambda: "Item" not in table.get_item(Key={"PK": "SESSION#over"})), True)
    check("from its user's, too; those that were touched stay", sorted(keys(table.query(
        IndexName="ByUser", KeyConditionExpression=Key("owner").eq("USER#2")), "PK")), ["SESSION#open", "SESSION#touched"])
    check("switched on, it is not switched on again", refusal(expire, table=table)[:2], ("ValidationException", "TimeToLive is already enabled"))

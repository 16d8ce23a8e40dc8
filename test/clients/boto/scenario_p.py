"""The shop, the users and the counters once more, in PartiQL."""
import decimal
import threading

import boto3

from harness import checker, create, index, keys, refusal, resource

check = checker("P")
client = resource.meta.client       # takes and gives Python's values


def execute(statement, *parameters, **more):
    if parameters:
        more["Parameters"] = list(parameters)
    return client.execute_statement(Statement=statement, **more)


def reasons(error):
    return [reason["Code"] for reason in error["CancellationReasons"]]


def run():
    shop()
    users()
    counters()


def shop():
    table = create("Shop", indexes=[index("GSI1", ("GSI1PK", "GSI1SK")), index("GSI2", ("GSI2PK",), "KEYS_ONLY")])
    name = f'"{table.name}"'
    orders = [("2024-03-11", "98701", "19.95", "SHIPPED"), ("2024-03-12", "98722", "240", "SHIPPED"),
              ("2024-03-15", "98765", "109.97", "SHIPPED"), ("2024-03-15", "98766", "5", "PENDING"),
              ("2024-03-18", "98799", "64.5", "PENDING")]
    insert = f"INSERT INTO {name} VALUE {{'PK': ?, 'SK': ?, 'total': ?, 'status': ?, 'GSI1PK': ?, 'GSI1SK': ?}}"
    answer = client.batch_execute_statement(Statements=[
        {"Statement": insert, "Parameters": ["CUSTOMER#12345", f"ORDER#{day}#{number}", decimal.Decimal(total), status,
                                             f"STATUS#{status}", f"{day}#ORDER#{number}"]}
        for day, number, total, status in orders])
    check("a batch of inserts", answer["Responses"], [{"TableName": table.name}] * 5)
    execute(f"INSERT INTO {name} VALUE {{'PK': 'CUSTOMER#12345', 'SK': 'PROFILE', 'name': 'Ann'}}")
    execute(f"INSERT INTO {name} VALUE {{'PK': 'PRODUCT#p-456', 'SK': 'DETAILS', 'price': 39.99, 'inventory': 3,"
            " 'version': 1, 'tags': <<'kitchen', 'steel'>>}")
    check("an item twice", refusal(
        execute, statement=f"INSERT INTO {name} VALUE {{'PK': 'CUSTOMER#12345', 'SK': 'PROFILE'}}")[:2],
          ("DuplicateItemException", "Duplicate primary key exists in table"))
    check("by key", execute(f"SELECT name FROM {name} WHERE PK = ? AND SK = ?", "CUSTOMER#12345", "PROFILE",
                            ConsistentRead=True)["Items"], [{"name": "Ann"}])
    newest = f"SELECT * FROM {name} WHERE PK = ? AND begins_with(SK, 'ORDER#') ORDER BY SK DESC"
    page = execute(newest, "CUSTOMER#12345", Limit=2)
    check("newest orders", keys(page), ["ORDER#2024-03-18#98799", "ORDER#2024-03-15#98766"])
    pages = [keys(page)]
    while "NextToken" in page:
        page = execute(newest, "CUSTOMER#12345", Limit=2, NextToken=page["NextToken"])
        pages.append(keys(page))
    check("paging", [len(p) for p in pages], [2, 2, 1])
    items = execute(f"SELECT total FROM {name} WHERE PK = 'CUSTOMER#12345' AND total > 0")["Items"]
    check("numbers are exact", sum(i["total"] for i in items), decimal.Decimal("439.42"))
    check("orders by status and date", keys(execute(
        f"SELECT SK FROM {name}.\"GSI1\" WHERE GSI1PK = ? AND GSI1SK BETWEEN ? AND ?",
        "STATUS#SHIPPED", "2024-03-12", "2024-03-16")), ["ORDER#2024-03-12#98722", "ORDER#2024-03-15#98765"])
    order = "WHERE PK = 'CUSTOMER#12345' AND SK = 'ORDER#2024-03-15#98766'"
    execute(f"UPDATE {name} SET GSI2PK = 'FLAGGED' {order}")
    check("flagged orders only, keys only", execute(f"SELECT * FROM {name}.\"GSI2\"")["Items"],
          [{"PK": "CUSTOMER#12345", "SK": "ORDER#2024-03-15#98766", "GSI2PK": "FLAGGED"}])
    execute(f"UPDATE {name} REMOVE GSI2PK {order}")
    check("resolved", execute(f"SELECT * FROM {name}.\"GSI2\"")["Items"], [])

    def place(number, quantity, **more):
        return dict(TransactStatements=[
            {"Statement": f"INSERT INTO {name} VALUE {{'PK': ?, 'SK': 'META'}}", "Parameters": [f"ORDER#{number}"]},
            {"Statement": f"EXISTS(SELECT * FROM {name} WHERE PK = 'CUSTOMER#12345' AND SK = 'PROFILE' AND name = 'Ann')"},
            {"Statement": f"UPDATE {name} SET inventory = inventory - ? WHERE PK = ? AND SK = 'DETAILS' AND inventory >= ?",
             "Parameters": [quantity, "PRODUCT#p-456", quantity]}], **more)
    for _ in range(2):
        client.execute_transaction(**place("98800", 2, ClientRequestToken="statement-98800"))
    stock = f"SELECT inventory FROM {name} WHERE PK = 'PRODUCT#p-456' AND SK = 'DETAILS'"
    check("an order placed twice with one token is done once", execute(stock)["Items"], [{"inventory": 1}])
    code, _, body = refusal(client.execute_transaction, **place("98801", 2))
    check("out of stock", (code, reasons(body)), ("TransactionCanceledException", ["None", "None", "ConditionalCheckFailed"]))
    check("an order that is there", reasons(refusal(client.execute_transaction, **place("98800", 1))[2]),
          ["DuplicateItem", "None", "None"])
    answer = client.execute_transaction(TransactStatements=[{"Statement": stock}])
    check("a transaction that reads", answer["Responses"], [{"Item": {"inventory": 1}}])
    change = (f"UPDATE {name} SET price = ?, version = ? SET tags = set_add(tags, <<'new'>>)"
              " WHERE PK = 'PRODUCT#p-456' AND SK = 'DETAILS' AND version = ? RETURNING ALL NEW *")
    got = execute(change, decimal.Decimal("34.99"), 2, 1)["Items"][0]
    check("optimistic lock won", (got["price"], got["version"], got["tags"]),
          (decimal.Decimal("34.99"), 2, {"kitchen", "steel", "new"}))
    check("optimistic lock lost", refusal(client.execute_statement, Statement=change, Parameters=[decimal.Decimal(1), 2, 1])[:2],
          ("ConditionalCheckFailedException", "The conditional request failed"))


def users():
    table = create("Users", indexes=[index("ByEmail", ("email",))])
    name = f'"{table.name}"'

    def sign_up(user, address):
        insert = f"INSERT INTO {name} VALUE {{'PK': ?, 'SK': ?, 'email': ?}}"
        return dict(TransactStatements=[
            {"Statement": insert, "Parameters": [user, "PROFILE", address]},
            {"Statement": f"INSERT INTO {name} VALUE {{'PK': ?, 'SK': 'GUARD'}}", "Parameters": [f"EMAIL#{address}"]}])
    client.execute_transaction(**sign_up("USER#a1", "new@x.y"))
    check("an address is taken once", reasons(refusal(client.execute_transaction, **sign_up("USER#b2", "new@x.y"))[2]),
          ["None", "DuplicateItem"])
    check("a user is, too", reasons(refusal(client.execute_transaction, **sign_up("USER#a1", "other@x.y"))[2]),
          ["DuplicateItem", "None"])
    by_email = lambda address: keys(execute(f'SELECT PK FROM {name}."ByEmail" WHERE email = ?', address), "PK")
    check("the winner is found", (by_email("new@x.y"), by_email("other@x.y")), (["USER#a1"], []))
    execute(f"FROM {name} WHERE PK = 'USER#a1' AND SK = 'PROFILE' REMOVE email")
    check("who loses an address leaves the index", by_email("new@x.y"), [])
    check("deleted, and shown", execute(f"DELETE FROM {name} WHERE PK = 'USER#a1' AND SK = 'PROFILE' RETURNING ALL OLD *")["Items"],
          [{"PK": "USER#a1", "SK": "PROFILE"}])


def counters():
    table = create("Counters")
    name = f'"{table.name}"'
    execute(f"INSERT INTO {name} VALUE {{'PK': 'PAGEVIEW#home', 'SK': 'HOT', 'views': 0}}")
    trouble = []

    def count():
        own = boto3.session.Session().client("dynamodb")
        try:
            for _ in range(25):
                own.execute_statement(Statement=f"UPDATE {name} SET views = views + 1 WHERE PK = 'PAGEVIEW#home' AND SK = 'HOT'")
        except Exception as error:
            trouble.append(error)

    threads = [threading.Thread(target=count) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("no client is refused", trouble, [])
    check("16 clients on one item, every increment counts",
          execute(f"SELECT views FROM {name} WHERE PK = 'PAGEVIEW#home' AND SK = 'HOT'")["Items"], [{"views": 400}])

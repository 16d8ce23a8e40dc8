"""Documents of tenants, found by their vectors: the nearest, and only a tenant's own."""
import math
import random

import harness
from harness import attributes, checker, client, refusal, schema

check = checker("W")
DIMENSIONS = 8
random.seed(1)


def vector_index(name, distance, *hash_attribute, filters=()):
    """An index of the attribute "embedding", by a partition attribute or none."""
    elements = [{"AttributeName": n, "SearchSchemaElementType": "HASH"} for n in hash_attribute]
    elements += [{"AttributeName": n, "SearchSchemaElementType": "INLINE_FILTER"} for n in filters]
    return {"IndexName": name, "VectorAttribute": {"AttributeName": "embedding"}, "Dimensions": DIMENSIONS,
            "DistanceFunction": distance, "Projection": {"ProjectionType": "ALL"},
            **({"SearchSchema": elements} if elements else {})}


def numbers(vector):
    """Elements as the API has them; they are exact as float32."""
    return [{"N": repr(n)} for n in vector]


def document(tenant, n):
    vector = [random.randrange(-64, 64) / 8 for _ in range(DIMENSIONS)]
    return {"PK": {"S": f"TENANT#{tenant}"}, "SK": {"S": f"DOC#{n:03}"}, "tenant": {"S": tenant},
            "kind": {"S": "note" if n % 3 else "paper"}, "embedding": {"L": numbers(vector)}}


def search(**more):
    answer = client.search_vectors(TableName=ARN, **more)
    return [r["Item"]["SK"]["S"] for r in answer["SearchResults"]], answer


def nearest(documents, target, top):
    """By the distance of Euclid; those with one distance in the order of their keys."""
    def distance(one):
        return math.dist(target, [float(n["N"]) for n in one["embedding"]["L"]])
    return [d["SK"]["S"] for d in sorted(documents, key=lambda d: (distance(d), d["SK"]["S"]))[:top]]


def run():
    global ARN
    name = "DocumentsBoto"
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=schema("PK", "SK"),
                        AttributeDefinitions=attributes([schema("PK", "SK", "tenant", "kind")], {}),
                        VectorIndexes=[vector_index("near", "EUCLIDEAN", "tenant", filters=["kind"])])
    harness.tables.append(name)
    description = client.describe_table(TableName=name)["Table"]
    ARN, shown = description["TableArn"], description["VectorIndexes"][0]
    check("DescribeTable shows the index", (shown["IndexName"], shown["IndexStatus"], shown["Dimensions"]), ("near", "ACTIVE", DIMENSIONS))
    documents = {tenant: [document(tenant, n) for n in range(120)] for tenant in ("acme", "other")}
    for tenant in documents:
        for i in range(0, 120, 25):
            client.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": d}} for d in documents[tenant][i:i + 25]]})
    target = [1.5, -2, 0.25, 3, 0, 4, -1, 2]

    found, answer = search(IndexName="near", SearchVector=numbers(target), TopK=10, SearchConditionExpression="tenant = :t",
                           ExpressionAttributeValues={":t": {"S": "acme"}})
    check("the nearest of a tenant", found, nearest(documents["acme"], target, 10))
    scores = [r["Score"] for r in answer["SearchResults"]]
    check("the nearest first", scores, sorted(scores))
    check("nothing of others", {r["Item"]["tenant"]["S"] for r in answer["SearchResults"]}, {"acme"})
    found, _ = search(IndexName="near", SearchVector=numbers(target), TopK=5, SearchConditionExpression="tenant = :t AND kind = :k",
                      ExpressionAttributeValues={":t": {"S": "acme"}, ":k": {"S": "paper"}})
    check("with a filter", found, nearest([d for d in documents["acme"] if d["kind"]["S"] == "paper"], target, 5))

    first = found[0]
    key = {"PK": {"S": "TENANT#acme"}, "SK": {"S": first}}
    client.delete_item(TableName=name, Key=key)
    rest = [d for d in documents["acme"] if d["SK"]["S"] != first]
    found, _ = search(IndexName="near", SearchVector=numbers(target), TopK=10, SearchConditionExpression="tenant = :t",
                      ExpressionAttributeValues={":t": {"S": "acme"}})
    check("what is deleted is not found", found, nearest(rest, target, 10))
    client.update_item(TableName=name, Key={"PK": {"S": "TENANT#acme"}, "SK": {"S": "DOC#119"}}, UpdateExpression="SET embedding = :e",
                       ExpressionAttributeValues={":e": {"L": numbers(target)}})
    found, answer = search(IndexName="near", SearchVector=numbers(target), TopK=1, SearchConditionExpression="tenant = :t",
                           ExpressionAttributeValues={":t": {"S": "acme"}})
    check("what is changed is found at once", (found, answer["SearchResults"][0]["Score"]), (["DOC#119"], 0.0))

    code, _, _ = refusal(client.search_vectors, TableName=ARN, IndexName="near", SearchVector=numbers(target[:3]), TopK=1,
                         SearchConditionExpression="tenant = :t", ExpressionAttributeValues={":t": {"S": "acme"}})
    check("a vector of another size is refused", code, "ValidationException")
    code, _, _ = refusal(client.put_item, TableName=name, Item={**document("acme", 1), "embedding": {"L": numbers([1, 2])}})
    check("and is not stored", code, "ValidationException")
    code, _, _ = refusal(client.search_vectors, TableName=ARN, IndexName="far", SearchVector=numbers(target), TopK=1)
    check("an index that is not there", code in ("ValidationException", "ResourceNotFoundException"), True)

"""What a client is refused, and who it is."""
import boto3

from harness import checker, client, create, drop_tables, refusal

check = checker("Z")


def run():
    table = create("Refused")
    check("no such table", refusal(client.get_item, TableName="NoneBoto", Key={"a": {"S": "b"}})[:2],
          ("ResourceNotFoundException", "Requested resource not found"))
    check("a key that does not fit", refusal(client.get_item, TableName=table.name, Key={"PK": {"S": "b"}})[:2],
          ("ValidationException", "The provided key element does not match the schema"))
    stranger = boto3.client("dynamodb", aws_access_key_id="AKIAX", aws_secret_access_key="x")
    check("an unknown key", refusal(stranger.list_tables)[0], "UnrecognizedClientException")
    forger = boto3.client("dynamodb", aws_secret_access_key="x",
                          aws_access_key_id=client._request_signer._credentials.access_key)
    check("a wrong secret", refusal(forger.list_tables)[0], "InvalidSignatureException")
    me = boto3.client("sts").get_caller_identity()
    check("who am I?", (me["Account"], me["Arn"]), ("000000000000", "arn:aws:iam::000000000000:user/clerk"))
    check("nobody, with a wrong secret", refusal(boto3.client(
        "sts", aws_access_key_id=client._request_signer._credentials.access_key,
        aws_secret_access_key="x").get_caller_identity)[0], "SignatureDoesNotMatch")
    keys = client._request_signer._credentials
    habit = boto3.client("dynamodb", aws_access_key_id=keys.access_key, aws_secret_access_key=keys.secret_key,
                         aws_session_token="token")
    check("a session token by habit", table.name in habit.list_tables()["TableNames"], True)
    drop_tables()
    check("a table dropped is gone", table.name in client.list_tables()["TableNames"], False)
    check("and says so", refusal(table.scan)[0], "ResourceNotFoundException")

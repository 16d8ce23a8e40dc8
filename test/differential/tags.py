"""Tags of tables, which DynamoDB Local has not: a small model of the facts.

It stands before Local, answers the three operations on tags, and passes on
the others.  The rules are those that were measured on the service, written
down a second time, and more slowly.
"""

import re
import unicodedata

from compare import is_error

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


class Refused(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.answer = {"__type": kind, "message": message}


def invalid(message):
    return Refused("com.amazon.coral.validate#ValidationException", message)


class WithTags:
    """A DynamoDB Local whose tables have tags."""

    def __init__(self, side):
        self.side = side
        self.name = side.name
        self.tags = {}                  # {table: {key: value}}

    def call(self, operation, request):
        handler = {"TagResource": self._tag, "UntagResource": self._untag,
                   "ListTagsOfResource": self._list}.get(operation)
        if handler is None:
            answer = self.side.call(operation, request)
            if operation in ("CreateTable", "DeleteTable") \
                    and not is_error(answer):
                self.tags.pop(answer["TableDescription"]["TableName"], None)
            return answer
        try:
            check_types(operation, request)
            return handler(request)
        except Refused as refused:
            return refused.answer

    def stop(self):
        self.side.stop()

    def _table(self, arn):
        """The name of the table that an ARN names; it is there."""
        if not arn.startswith("arn:"):
            raise invalid("One or more parameter values were invalid: ARNs"
                          f" must start with 'arn:': {arn}")
        match = re.fullmatch(r"arn:aws:dynamodb:([\w-]+):(\d{12}):table/"
                             r"([\w.-]+)(/index/.*)?", arn)
        if not match:
            raise invalid("One or more parameter values were invalid: Provided"
                          f" Arn is not a DynamoDB resource arn: {arn}")
        if match[4]:
            raise invalid("One or more parameter values were invalid: Invalid"
                          " resource arn provided, only table or stream is"
                          f" accepted. Provided resource arn: {arn}")
        if match[2] != "000000000000":
            raise Refused("com.amazon.coral.service#AccessDeniedException",
                          "Access is denied")
        if match[1] != "us-east-1":
            raise invalid("Invalid TableArn: Invalid ResourceArn provided as"
                          f" input {arn}")
        if is_error(self.side.call("DescribeTable", {"TableName": match[3]})):
            raise Refused("#ResourceNotFoundException", "Requested resource"
                          f" not found: ResourceArn: {arn} not found")
        return match[3]

    def _tag(self, request):
        tags = request["Tags"]
        if not tags:
            raise invalid("Atleast one Tag needs to be provided as Input.")
        for tag in tags:
            check_key(tag.get("Key"))
            check_value(tag.get("Value"))
        keys = [tag["Key"] for tag in tags]
        check_once(keys)
        table = self._table(request["ResourceArn"])
        merged = {**self.tags.get(table, {}),
                  **{tag["Key"]: tag["Value"] for tag in tags}}
        check_limits(merged)
        self.tags[table] = merged
        return {}

    def _untag(self, request):
        keys = request["TagKeys"]
        if not keys:
            raise invalid("Atleast one Tag Key needs to be provided as Input.")
        for key in keys:
            if key.lower().startswith("aws:"):
                raise invalid(f"Tag Key cannot be prefixed with aws:, Key:"
                              f" {key}")
        if len(keys) > 50:
            raise too_many()
        table = self._table(request["ResourceArn"])
        for key in keys:
            self.tags.get(table, {}).pop(key, None)
        return {}

    def _list(self, request):
        table = self._table(request["ResourceArn"])
        return {"Tags": [{"Key": key, "Value": value} for key, value
                         in self.tags.get(table, {}).items()]}


def check_types(operation, request):
    """JSON types of the members, then what must be there."""
    wrong = Refused("com.amazon.coral.service#SerializationException", "")
    arn = request.get("ResourceArn")
    tags, keys = request.get("Tags"), request.get("TagKeys")
    if arn is not None and not isinstance(arn, str):
        raise wrong
    if operation == "TagResource" and tags is not None and not (
            isinstance(tags, list) and all(
                isinstance(tag, dict) and all(
                    isinstance(tag.get(name), (str, type(None)))
                    for name in ("Key", "Value")) for tag in tags)):
        raise wrong
    if operation == "UntagResource" and keys is not None and not (
            isinstance(keys, list)
            and all(isinstance(key, str) for key in keys)):
        raise wrong
    needed = {"TagResource": tags, "UntagResource": keys}
    missing = [name for name, value in (("resourceArn", arn),
               ("tags or tagKeys", needed.get(operation, ""))) if value is None]
    if missing or arn == "":
        raise invalid("constraints: " + ", ".join(missing))


def is_writing(text):
    """Letters, digits and spaces of any script, and + - = . _ : / @."""
    return all(char in "+-=._:/@" or unicodedata.category(char)[0] in "LN"
               or unicodedata.category(char) == "Zs" for char in text)


def check_key(key):
    if key is not None and key.lower().startswith("aws:"):
        raise invalid(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    if key is None or not 1 <= len(key) <= 128 or not is_writing(key):
        raise invalid("The Tag Key provided is invalid, Key:"
                      f" {'null' if key is None else key}")


def check_value(value):
    if value is None or len(value) > 256 or not is_writing(value):
        raise invalid("The Tag Value provided is invalid, Value:"
                      f" {'null' if value is None else value}")


def check_once(keys):
    for position, key in enumerate(keys):
        if key in keys[:position]:
            raise invalid("Duplicate Tag Keys provided as input: Duplicate Tag"
                          f" Key found {key}")


def too_many():
    return invalid("Number of Tags exceed the current limit for the provided"
                   " ResourceArn")


def check_limits(tags):
    if len(tags) > 50:
        raise too_many()
    size = sum(len((key + value).encode()) for key, value in tags.items())
    if size > 10240:
        raise invalid(f"Tag set size {size} bytes is above max size limit of"
                      " 10240 bytes")

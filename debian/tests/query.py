"""A table, an item and a Query, by boto3 at port 18000; the key is read from the
standard input.  Waits a while for the port: the server opens it once the extension
is there."""
import sys
import time

import boto3
from botocore.exceptions import EndpointConnectionError

key, secret = sys.stdin.read().split()
db = boto3.resource('dynamodb', endpoint_url='http://localhost:18000', region_name='us-east-1',
                    aws_access_key_id=key, aws_secret_access_key=secret)
for patience in range(30):
    try:
        db.meta.client.list_tables()
        break
    except EndpointConnectionError:
        time.sleep(1)
shop = db.create_table(TableName='Shop', BillingMode='PAY_PER_REQUEST',
                       KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'},
                                  {'AttributeName': 'SK', 'KeyType': 'RANGE'}],
                       AttributeDefinitions=[{'AttributeName': a, 'AttributeType': 'S'} for a in ('PK', 'SK')])
shop.put_item(Item={'PK': 'CUSTOMER#1', 'SK': 'ORDER#7', 'total': 12})
items = shop.query(KeyConditionExpression='PK = :c', ExpressionAttributeValues={':c': 'CUSTOMER#1'})['Items']
assert items == [{'PK': 'CUSTOMER#1', 'SK': 'ORDER#7', 'total': 12}], items
print('the first Query:', items)

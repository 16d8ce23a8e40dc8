// Counters: one hot item, and one spread over shards; no increment is lost.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checker, create, found, send } from './harness.mjs';

const check = checker('G');

export default async function () {
	const TableName = await create('Counters');
	const PK = 'PAGEVIEW#home';
	const add = (by, SK) => by.send(new UpdateCommand({
		TableName, Key: { PK, SK }, UpdateExpression: 'ADD view_count :one', ExpressionAttributeValues: { ':one': 1 }
	}));
	await Promise.all([...Array(16).keys()].map(async client => {
		const own = DynamoDBDocumentClient.from(new DynamoDBClient({}));
		for (let n = 0; n < 25; n++)
			await Promise.all([add(own, 'HOT'), add(own, `SHARD#${(client + n) % 10}`)]);
		own.destroy();
	}));
	check('16 clients on one item, every ADD counts',
		(await send(new GetCommand({ TableName, Key: { PK, SK: 'HOT' }, ConsistentRead: true }))).Item.view_count, 400);
	const shards = await found({
		TableName, KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)', ExpressionAttributeValues: { ':p': PK, ':s': 'SHARD#' }
	}, 'view_count');
	check('ten shards, summed over one query', [shards.length, shards.reduce((a, b) => a + b)], [10, 400]);
}

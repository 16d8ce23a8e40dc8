// A local index: a customer's orders by status, read consistently.
import { CreateTableCommand, DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { attributes, checker, client, create, found, index, refusal, schema, send } from './harness.mjs';

const check = checker('F');

export default async function () {
	const TableName = await create('Local', {
		local: [index('ByStatus', ['PK', 'status'], 'INCLUDE', ['day']), index('ByTotal', ['PK', 'total'], 'KEYS_ONLY')],
		types: { total: 'N' }
	});
	for (const customer of ['C#1', 'C#2'])
		for (const [i, status] of ['PENDING', 'SHIPPED', 'PENDING', 'SHIPPED', 'PENDING'].entries())
			await send(new PutCommand({
				TableName, Item: { PK: customer, SK: `O#${i + 1}`, status, total: (i + 1) * 30 % 100, day: `2024-03-1${i + 1}`, note: 'n'.repeat(100) }
			}));
	const pending = more => ({
		TableName, IndexName: 'ByStatus', KeyConditionExpression: 'PK = :c AND #s = :p',
		ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':c': 'C#1', ':p': 'PENDING' }, ...more
	});
	const consistent = async () => (await found(pending({ ConsistentRead: true }))).sort();
	check('orders of a status', (await found(pending())).sort(), ['O#1', 'O#3', 'O#5']);
	check('keys and what it includes', (await send(new QueryCommand(pending()))).Items.find(item => item.SK === 'O#1'),
		{ PK: 'C#1', SK: 'O#1', status: 'PENDING', day: '2024-03-11' });
	const change = (SK, UpdateExpression, ExpressionAttributeValues) => send(new UpdateCommand({
		TableName, Key: { PK: 'C#1', SK }, UpdateExpression, ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues
	}));
	await change('O#2', 'SET #s = :p', { ':p': 'PENDING' });
	check('read consistently, a write is there at once', await consistent(), ['O#1', 'O#2', 'O#3', 'O#5']);
	const whole = await send(new QueryCommand(pending({ Select: 'ALL_ATTRIBUTES', Limit: 1 })));
	check('what it does not hold is fetched', whole.Items.map(item => item.note.length), [100]);
	await change('O#3', 'REMOVE #s');
	check('an order without a status leaves it', await consistent(), ['O#1', 'O#2', 'O#5']);
	check('a number sorts as one', await found({
		TableName, IndexName: 'ByTotal', KeyConditionExpression: 'PK = :c AND #t BETWEEN :a AND :b', ScanIndexForward: false,
		ExpressionAttributeNames: { '#t': 'total' }, ExpressionAttributeValues: { ':c': 'C#2', ':a': 20, ':b': 60 }
	}, 'total'), [60, 50, 30, 20]);
	const page = await send(new QueryCommand(pending({ Limit: 1 })));
	const [{ SK }] = page.Items;
	check('a page ends by all three keys', page.LastEvaluatedKey, { PK: 'C#1', SK, status: 'PENDING' });
	check('and the next goes on there', [SK, ...await found(pending({ ExclusiveStartKey: page.LastEvaluatedKey }))].sort(),
		['O#1', 'O#2', 'O#5']);

	const some = n => [...Array(n).keys()].map(i => index(`Local${i}`, ['PK', `a${i}`]));
	const five = await create('Local5', { local: some(5) });
	check('five of them', (await client.send(new DescribeTableCommand({ TableName: five }))).Table.LocalSecondaryIndexes.length, 5);
	check('a sixth is refused', (await refusal(new CreateTableCommand({
		TableName: 'Local6Js', BillingMode: 'PAY_PER_REQUEST', KeySchema: schema('PK', 'SK'), LocalSecondaryIndexes: some(6),
		AttributeDefinitions: attributes([schema('PK', 'SK'), ...some(6).map(i => i.KeySchema)])
	}))).name, 'ValidationException');
	check('they cannot be dropped', (await refusal(new UpdateTableCommand({
		TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'ByStatus' } }]
	}))).name, 'ValidationException');
}

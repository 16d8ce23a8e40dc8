// Sessions: those that have ended may still be there, a read leaves them out, and then they go.
import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checker, create, expire, found, index, refusal, send, until } from './harness.mjs';

const check = checker('H');
const now = 1700000000;

export default async function () {
	const TableName = await create('Sessions', {
		key: ['PK'], indexes: [index('ByUser', ['owner', 'ttl'])], types: { ttl: 'N' }
	});
	for (const [name, ttl] of [['abc', now + 3600], ['old', now - 1], ['edge', now], ['forever', undefined]])
		await send(new PutCommand({ TableName, Item: { PK: `SESSION#${name}`, owner: 'USER#1', ttl } }));
	const alive = { TableName, FilterExpression: '#ttl > :now', ExpressionAttributeNames: { '#ttl': 'ttl' } };
	const find = name => found({
		...alive, KeyConditionExpression: 'PK = :s', ExpressionAttributeValues: { ':s': `SESSION#${name}`, ':now': now }
	}, 'PK');
	check('a living session', await find('abc'), ['SESSION#abc']);
	check('an ended one is filtered out', [await find('old'), await find('edge')], [[], []]);
	const all = await send(new ScanCommand({ ...alive, ExpressionAttributeValues: { ':now': now } }));
	check('all living ones; what was read is said', [all.Items.map(item => item.PK), all.ScannedCount], [['SESSION#abc'], 4]);
	const lasting = await send(new ScanCommand({
		...alive, FilterExpression: '#ttl > :now OR attribute_not_exists(#ttl)', ExpressionAttributeValues: { ':now': now }
	}));
	check('without a ttl there is no end', lasting.Items.map(item => item.PK).sort(), ['SESSION#abc', 'SESSION#forever']);
	check("a user's living sessions, by an index", await found({
		TableName, IndexName: 'ByUser', KeyConditionExpression: '#o = :u AND #ttl > :now',
		ExpressionAttributeNames: { '#o': 'owner', '#ttl': 'ttl' }, ExpressionAttributeValues: { ':u': 'USER#1', ':now': now }
	}, 'PK'), ['SESSION#abc']);
	check('a reserved word needs a name', (await refusal(new ScanCommand({
		TableName, FilterExpression: 'ttl > :now', ExpressionAttributeValues: { ':now': now }
	}))).message, 'Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: ttl');
	const prolong = name => new UpdateCommand({
		TableName, Key: { PK: `SESSION#${name}` }, UpdateExpression: 'SET #ttl = :end', ConditionExpression: '#ttl > :now',
		ExpressionAttributeNames: { '#ttl': 'ttl' }, ExpressionAttributeValues: { ':now': now, ':end': now + 7200 }, ReturnValues: 'UPDATED_NEW'
	});
	check('a living one is prolonged', (await send(prolong('abc'))).Attributes, { ttl: now + 7200 });
	check('an ended one is not', (await refusal(prolong('old'))).name, 'ConditionalCheckFailedException');

	const today = Math.floor(Date.now() / 1000);
	for (const [name, ttl] of [['over', today - 1], ['open', today + 3600], ['touched', today - 1]])
		await send(new PutCommand({ TableName, Item: { PK: `SESSION#${name}`, owner: 'USER#2', ttl } }));
	await send(new UpdateCommand({
		TableName, Key: { PK: 'SESSION#touched' }, UpdateExpression: 'SET #ttl = #ttl + :hour',
		ExpressionAttributeNames: { '#ttl': 'ttl' }, ExpressionAttributeValues: { ':hour': 3600 }
	}));
	check('sessions expire', (await expire(TableName))[1].TimeToLiveStatus, 'ENABLED');
	check('one that has ended goes', await until(async () =>
		!(await send(new GetCommand({ TableName, Key: { PK: 'SESSION#over' } }))).Item), true);
	check("from its user's, too; those that were touched stay", (await found({
		TableName, IndexName: 'ByUser', KeyConditionExpression: '#o = :u',
		ExpressionAttributeNames: { '#o': 'owner' }, ExpressionAttributeValues: { ':u': 'USER#2' }
	}, 'PK')).sort(), ['SESSION#open', 'SESSION#touched']);
}

// Users by e-mail: sparse indexes, and an address that only one may have.
import { BatchWriteCommand, GetCommand, PutCommand, ScanCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checker, create, found, index, refusal, send } from './harness.mjs';

const check = checker('C');

export default async function () {
	const TableName = await create('Users', { indexes: [index('ByEmail', ['email']), index('ACTIVE_USERS', ['active_since'])] });
	for (const Item of [
		{ PK: 'USER#7f3a', SK: 'PROFILE', name: 'Ann', email: 'ann@x.y' },
		{ PK: 'USER#7f3a', SK: 'EMAIL#ann@home.y', email: 'ann@home.y' },
		{ PK: 'USER#0001', SK: 'PROFILE', name: 'Bob', email: undefined }])
		await send(new PutCommand({ TableName, Item }));
	const byEmail = email => found({
		TableName, IndexName: 'ByEmail', KeyConditionExpression: 'email = :e', ExpressionAttributeValues: { ':e': email }
	}, 'PK');
	const scan = async (IndexName, more) => send(new ScanCommand({ TableName, IndexName, Select: 'COUNT', ...more }));
	check('a user by e-mail', await byEmail('ann@x.y'), ['USER#7f3a']);
	check('and by a further address', await byEmail('ann@home.y'), ['USER#7f3a']);
	check('an address nobody has', await byEmail('Ann@x.y'), []);
	check('those without are not in the index', (await scan('ByEmail')).Count, 2);
	const bob = { TableName, Key: { PK: 'USER#0001', SK: 'PROFILE' } };
	await send(new UpdateCommand({ ...bob, UpdateExpression: 'SET email = :e', ExpressionAttributeValues: { ':e': 'bob@x.y' } }));
	check('who gets one comes in', await byEmail('bob@x.y'), ['USER#0001']);
	await send(new UpdateCommand({ ...bob, UpdateExpression: 'REMOVE email' }));
	check('who loses it leaves', await byEmail('bob@x.y'), []);

	const signUp = (user, email) => new TransactWriteCommand({
		TransactItems: [
			{ Put: { TableName, Item: { PK: user, SK: 'PROFILE', email }, ConditionExpression: 'attribute_not_exists(PK)' } },
			{ Put: { TableName, Item: { PK: `EMAIL#${email}`, SK: 'GUARD' }, ConditionExpression: 'attribute_not_exists(PK)' } }]
	});
	const reasons = async (...who) => (await refusal(signUp(...who))).CancellationReasons?.map(r => r.Code);
	await send(signUp('USER#a1', 'new@x.y'));
	check('an address is taken once', await reasons('USER#b2', 'new@x.y'), ['None', 'ConditionalCheckFailed']);
	check('a user is, too', await reasons('USER#a1', 'other@x.y'), ['ConditionalCheckFailed', 'None']);
	check('the loser is not made', (await send(new GetCommand({ TableName, Key: { PK: 'USER#b2', SK: 'PROFILE' } }))).Item, undefined);
	check('the winner is found', await byEmail('new@x.y'), ['USER#a1']);

	// 300 users, a tenth of them active.
	const users = [...Array(300).keys()].map(n => ({
		PK: `USER#n${`${n}`.padStart(3, '0')}`, SK: 'PROFILE', email: `user${`${n}`.padStart(3, '0')}@example.com`,
		bio: 'b'.repeat(300), active_since: n % 10 ? undefined : `2024-01-01T00:${`${n}`.padStart(3, '0')}`
	}));
	while (users.length)
		await send(new BatchWriteCommand({
			RequestItems: { [TableName]: users.splice(0, 25).map(Item => ({ PutRequest: { Item } })) }
		}));
	check('a tenth is in the sparse index', (await scan('ACTIVE_USERS')).Count, 30);
	const cost = async name => (await scan(name, { ReturnConsumedCapacity: 'INDEXES' })).ConsumedCapacity.CapacityUnits;
	check('and reading it costs about a tenth', [await cost('ACTIVE_USERS'), await cost('ByEmail')], [1.5, 13]);
}

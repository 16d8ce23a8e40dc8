// Readings of devices: a partition is an hour of one, a day is 24 queries.
import { BatchWriteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { checker, create, expire, found, send, until } from './harness.mjs';

const check = checker('D');

// The reading number n: one every 29 minutes and a quarter of a second.
function reading(device, n) {
	const time = new Date(Date.UTC(2024, 2, 15, 0, 0, 0, 125) + n * (29 * 60000 + 250)).toISOString();
	return { PK: `DEVICE#${device}#${time.slice(0, 13).replace('T', '-')}`, SK: time, n };
}

export default async function () {
	const TableName = await create('Iot');
	for (const device of ['123', '12'])
		for (let n = 0; n < 60; n += 20)
			await send(new BatchWriteCommand({
				RequestItems: { [TableName]: [...Array(20).keys()].map(i => ({ PutRequest: { Item: reading(device, n + i) } })) }
			}));
	const hour = (condition, values, more) => ({
		TableName, KeyConditionExpression: `PK = :p${condition}`,
		ExpressionAttributeValues: { ':p': 'DEVICE#123#2024-03-15-14', ...values }, ...more
	});
	check('an hour, in order of time', await found(hour('')),
		['2024-03-15T14:01:07.375Z', '2024-03-15T14:30:07.625Z', '2024-03-15T14:59:07.875Z']);
	check('milliseconds count, both bounds belong to it', await found(hour(' AND SK BETWEEN :a AND :b',
		{ ':a': '2024-03-15T14:01:07.376Z', ':b': '2024-03-15T14:30:07.625Z' })), ['2024-03-15T14:30:07.625Z']);
	check('the latest reading', await found(hour('', {}, { ScanIndexForward: false, Limit: 1 })), ['2024-03-15T14:59:07.875Z']);
	const day = await Promise.all([...Array(24).keys()].map(h => send(new QueryCommand({
		TableName, KeyConditionExpression: 'PK = :p',
		ExpressionAttributeValues: { ':p': `DEVICE#123#2024-03-15-${`${h}`.padStart(2, '0')}` }
	}))));
	check('a day is 24 queries at once, merged', day.flatMap(answer => answer.Items.map(item => item.n)), [...Array(50).keys()]);
	check('every hour has some', day.every(answer => answer.Count > 0), true);
	const again = await send(new PutCommand({ TableName, Item: reading('123', 7), ReturnValues: 'ALL_OLD' }));
	check('a reading that comes twice is stored once',
		[again.Attributes, (await send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count], [reading('123', 7), 120]);

	const now = Math.floor(Date.now() / 1000);
	for (const [SK, ttl] of Object.entries({
		over: now - 60, 'half a second': now - 59.5, 'long over': now - 86400, 'to come': now + 86400, text: `${now - 60}`, milliseconds: Date.now() - 60000
	}))
		await send(new PutCommand({ TableName, Item: { PK: 'DEVICE#123#now', SK, ttl } }));
	check('readings expire', await expire(TableName),
		[{ Enabled: true, AttributeName: 'ttl' }, { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' }]);
	const left = () => found({ TableName, KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': 'DEVICE#123#now' } });
	check('they are gone when their time is over', [await until(async () => (await left()).length <= 3), await left()],
		[true, ['milliseconds', 'text', 'to come']]);
	check('they do no more', await expire(TableName, false), [{ Enabled: false, AttributeName: 'ttl' }, { TimeToLiveStatus: 'DISABLED' }]);
}

// Change capture: a consumer reads a stream while writers write; each change once, per item in order.
import { UpdateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
	DescribeStreamCommand, DynamoDBStreamsClient, GetRecordsCommand, GetShardIteratorCommand, ListStreamsCommand
} from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { checker, client, create, expire, refusal, send, until } from './harness.mjs';

const check = checker('I');
const streams = new DynamoDBStreamsClient({});
const ask = command => streams.send(command);

// All shards of a stream, two at a time.
async function shards(StreamArn) {
	const found = [];
	for (let ExclusiveStartShardId; ;) {
		const { StreamDescription: page } = await ask(new DescribeStreamCommand({ StreamArn, Limit: 2, ExclusiveStartShardId }));
		found.push(...page.Shards);
		ExclusiveStartShardId = page.LastEvaluatedShardId;
		if (!ExclusiveStartShardId)
			return found;
	}
}

// The records of a shard from its beginning, until it ends or has no more and "whole" is false.
async function* records(StreamArn, { ShardId }, whole = true) {
	let { ShardIterator } = await ask(new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }));
	while (ShardIterator) {
		const { Records, NextShardIterator } = await ask(new GetRecordsCommand({ ShardIterator, Limit: 10 }));
		yield* Records;
		if (!Records.length && !whole)
			return;
		ShardIterator = NextShardIterator;
	}
}

// Every record there is now.
async function present(StreamArn) {
	const found = [];
	for (const shard of await shards(StreamArn))
		for await (const record of records(StreamArn, shard, false))
			found.push(record);
	return found;
}

// Follow what happens to each item; returns what cannot be.
function follow(seen) {
	const items = new Map();
	return seen.filter(({ eventName, dynamodb: { Keys, OldImage, NewImage } }) => {
		const key = Keys.PK.S;
		const before = items.get(key);
		items.set(key, NewImage && JSON.stringify(unmarshall(NewImage)));
		return before !== (OldImage && JSON.stringify(unmarshall(OldImage))) ||
			eventName !== (!OldImage ? 'INSERT' : NewImage ? 'MODIFY' : 'REMOVE');
	});
}

async function write(TableName, writer) {
	for (let n = 0; n < 20; n++) {
		const key = { PK: `${n % 4}` };
		const own = { PK: `${writer}#${n}` };
		await send(new UpdateCommand({
			TableName, Key: key, UpdateExpression: 'SET mark = :m ADD n :one', ExpressionAttributeValues: { ':m': `${writer}#${n}`, ':one': 1 }
		}));
		await send(new TransactWriteCommand({
			TransactItems: [1, 2].map(i => ({ Put: { TableName, Item: { ...own, PK: `${own.PK}#${i}` } } }))
		}));
		await send(new PutCommand({ TableName, Item: { ...own, set: new Set(['a', 'b']), n: 1 } }));
		await send(new PutCommand({ TableName, Item: { n: 1, set: new Set(['b', 'a']), ...own } }));
		await send(new DeleteCommand({ TableName, Key: own }));
		await send(new DeleteCommand({ TableName, Key: own }));
	}
}

export default async function () {
	const listed = async table => (await ask(new ListStreamsCommand(table))).Streams.map(s => s.StreamArn);
	const before = await listed({});
	const TableName = await create('Changes', { key: ['PK'] });
	const change = StreamSpecification => client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
	const arn = (await change({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' })).TableDescription.LatestStreamArn;
	check('a stream is listed', (await listed({ TableName })).filter(other => !before.includes(other)), [arn]);

	const all = await shards(arn);
	const consumers = all.map(async shard => {
		const seen = [];
		for await (const record of records(arn, shard))
			seen.push(record);
		return seen;
	});
	await Promise.all([...Array(6).keys()].map(writer => write(TableName, writer)));
	await change({ StreamEnabled: false });
	const seen = await Promise.all(consumers);
	check('each change once', seen.flat().length, 6 * 20 * 5);
	check('each record has an ID of its own', new Set(seen.flat().map(r => r.eventID)).size, 6 * 20 * 5);
	check('images follow one another', seen.flatMap(follow).slice(0, 1), []);
	check('numbers increase in a shard', seen.map(shard => shard.every((r, i) => i === 0 ||
		BigInt(r.dynamodb.SequenceNumber) > BigInt(shard[i - 1].dynamodb.SequenceNumber))), all.map(() => true));
	check('every shard is closed', (await shards(arn)).map(s => !!s.SequenceNumberRange.EndingSequenceNumber), all.map(() => true));

	await change({ StreamEnabled: true, StreamViewType: 'OLD_IMAGE' });
	const latest = (await client.send(new DescribeTableCommand({ TableName }))).Table.LatestStreamArn;
	await expire(TableName);
	await send(new PutCommand({ TableName, Item: { PK: 'expired', ttl: Math.floor(Date.now() / 1000) - 60 } }));
	const removed = async () => (await present(latest)).filter(r => r.eventName === 'REMOVE');
	check('what has expired is removed', await until(async () => (await removed()).length === 1), true);
	check('by the service', (await removed()).map(r => [r.userIdentity, r.dynamodb.OldImage.PK.S]),
		[[{ PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' }, 'expired']]);
	check('no such stream', (await refusal(new DescribeStreamCommand({ StreamArn: arn.replace('Changes', 'Nothing') }), streams)).name,
		'ResourceNotFoundException');
	check('no iterator', (await refusal(new GetRecordsCommand({ ShardIterator: 'x' }), streams)).message, 'Invalid ShardIterator');
}

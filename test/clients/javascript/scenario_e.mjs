// Relations in one table, and tenants that see only what is theirs.
import {
	BatchGetCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, ScanCommand,
	TransactWriteCommand, UpdateCommand
} from '@aws-sdk/lib-dynamodb';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checker, create, documents, found, index, refusal, send } from './harness.mjs';

const check = checker('E');
let TableName;
const put = Item => send(new PutCommand({ TableName, Item }));
const query = (KeyConditionExpression, values, more) => ({
	TableName, KeyConditionExpression, ExpressionAttributeValues: values, ...more
});
const inverted = (condition, values, more) => query(condition, values, { IndexName: 'Inverted', ...more });

// One to one: a user's parts under one partition key.
async function parts() {
	await put({ PK: 'USER#1', SK: 'METADATA', name: 'Ann' });
	await put({ PK: 'USER#1', SK: 'PREFERENCES', theme: 'dark' });
	await send(new UpdateCommand({
		TableName, Key: { PK: 'USER#1', SK: 'PREFERENCES' }, UpdateExpression: 'SET theme = :t',
		ExpressionAttributeValues: { ':t': 'light' }
	}));
	check('one to one: read together; one changes, the other does not',
		(await send(new QueryCommand(query('PK = :u', { ':u': 'USER#1' })))).Items,
		[{ PK: 'USER#1', SK: 'METADATA', name: 'Ann' }, { PK: 'USER#1', SK: 'PREFERENCES', theme: 'light' }]);
}

// Many to many: each edge stored once, found from both ends.
async function edges() {
	for (const [student, course] of [['1', 'db'], ['1', 'os'], ['2', 'db']])
		await put({ PK: `STUDENT#${student}`, SK: `COURSE#${course}` });
	await put({ PK: 'STUDENT#1', SK: 'STUDENT#1', name: 'Ann' });
	await put({ PK: 'COURSE#db', SK: 'COURSE#db', title: 'Databases' });
	check('courses of a student', await found(query('PK = :s AND begins_with(SK, :c)', { ':s': 'STUDENT#1', ':c': 'COURSE#' })),
		['COURSE#db', 'COURSE#os']);
	check('students of a course, by the inverted index', await found(
		inverted('SK = :c AND begins_with(PK, :s)', { ':c': 'COURSE#db', ':s': 'STUDENT#' }), 'PK'), ['STUDENT#1', 'STUDENT#2']);
	check('the course stands beside them', await found(inverted('SK = :c', { ':c': 'COURSE#db' }), 'PK'),
		['COURSE#db', 'STUDENT#1', 'STUDENT#2']);
	const { LastEvaluatedKey } = await send(new QueryCommand(inverted('SK = :c', { ':c': 'COURSE#db' }, { Limit: 2 })));
	check('a page of the inverted index ends by the keys of both', LastEvaluatedKey, { PK: 'STUDENT#1', SK: 'COURSE#db' });
	check('and the next goes on there', await found(
		inverted('SK = :c', { ':c': 'COURSE#db' }, { ExclusiveStartKey: LastEvaluatedKey }), 'PK'), ['STUDENT#2']);
	for (const [a, b] of [[1, 2], [1, 3], [2, 3], [3, 1]])
		await put({ PK: `NODE#${a}`, SK: `EDGE#${b}` });
	check('an adjacency list outwards', await found(query('PK = :n', { ':n': 'NODE#1' })), ['EDGE#2', 'EDGE#3']);
	check('and inwards', await found(inverted('SK = :e', { ':e': 'EDGE#3' }), 'PK'), ['NODE#1', 'NODE#2']);
}

// A hierarchy in the sort key; CAX is no part of CA.
async function places() {
	const stores = ['UK#ENG#London#E1', 'US#CA#SanFrancisco#94102', 'US#CA#SanFrancisco#94103', 'US#CA#SanJose#95101',
		'US#CAX#Nowhere#1', 'US#NY#NewYork#10001'];
	await Promise.all(stores.map(SK => put({ PK: 'STORES', SK })));
	for (const [level, prefix, end] of [['country', 'US#', 6], ['state', 'US#CA#', 4], ['city', 'US#CA#SanFrancisco#', 3],
		['store', 'US#CA#SanFrancisco#94102', 2]])
		check(`a hierarchy by ${level}`, await found(query('PK = :p AND begins_with(SK, :l)', { ':p': 'STORES', ':l': prefix })),
			stores.slice(1, end));
}

// v0_ is the current version; publishing writes the history beside it.
async function versions() {
	const publish = (version, body) => new TransactWriteCommand({
		TransactItems: [
			{
				Update: {
					TableName, Key: { PK: 'DOC#1', SK: 'v0_doc' }, UpdateExpression: 'SET body = :b, latest = :v',
					ConditionExpression: 'attribute_not_exists(PK) OR latest = :old',
					ExpressionAttributeValues: { ':b': body, ':v': version, ':old': version - 1 }
				}
			},
			{ Put: { TableName, Item: { PK: 'DOC#1', SK: `v${version}_doc`, body }, ConditionExpression: 'attribute_not_exists(PK)' } }]
	});
	await send(publish(1, 'one'));
	await send(publish(2, 'two'));
	check('a version is published once', (await refusal(publish(2, 'lost'))).name, 'TransactionCanceledException');
	check('the current version', (await send(new GetCommand({ TableName, Key: { PK: 'DOC#1', SK: 'v0_doc' } }))).Item,
		{ PK: 'DOC#1', SK: 'v0_doc', body: 'two', latest: 2 });
	check('the history, newest first', await found(
		query('PK = :d AND SK > :v', { ':d': 'DOC#1', ':v': 'v0_z' }, { ScanIndexForward: false }), 'body'), ['two', 'one']);
}

// Role acme by an access key of its own; a policy shows it TENANT#acme#... alone.
async function tenants() {
	TableName = 'TenantsJs';
	for (const tenant of ['acme', 'acme2', 'beta'])
		for (const user of [1, 2])
			await put({ PK: `TENANT#${tenant}#USER#${user}`, SK: 'PROFILE', mail: `u${user}@x.y` });
	const acme = DynamoDBDocumentClient.from(new DynamoDBClient({
		credentials: { accessKeyId: process.env.ACME_ACCESS_KEY_ID, secretAccessKey: process.env.ACME_SECRET_ACCESS_KEY }
	}));
	const own = { PK: 'TENANT#acme#USER#1', SK: 'PROFILE' };
	const other = { PK: 'TENANT#beta#USER#1', SK: 'PROFILE' };
	const longer = { PK: 'TENANT#acme2#USER#1', SK: 'PROFILE' };
	const get = async (Key, by = acme) => (await by.send(new GetCommand({ TableName, Key }))).Item;
	check('a tenant reads its own', await get(own), { ...own, mail: 'u1@x.y' });
	check("another's is not there", [await get(other), await get(longer)], [undefined, undefined]);
	check('nor by query', await found(query('PK = :p', { ':p': other.PK }), 'PK', acme), []);
	check('nor by scan', (await acme.send(new ScanCommand({ TableName }))).Items.map(item => item.PK).sort(),
		['TENANT#acme#USER#1', 'TENANT#acme#USER#2']);
	check('nor by an index', await found(query('mail = :m', { ':m': 'u1@x.y' }, { IndexName: 'ByMail' }), 'PK', acme),
		['TENANT#acme#USER#1']);
	const batch = await acme.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [own, other] } } }));
	check('nor by batch', batch.Responses[TableName].map(item => item.PK), [own.PK]);
	const visit = Key => new UpdateCommand({
		TableName, Key, UpdateExpression: 'ADD visits :one', ExpressionAttributeValues: { ':one': 1 }, ReturnValues: 'UPDATED_NEW'
	});
	check('a tenant writes its own', (await acme.send(visit(own))).Attributes, { visits: 1 });
	const refused = [new PutCommand({ TableName, Item: other }), new PutCommand({ TableName, Item: { ...other, PK: 'TENANT#beta#USER#9' } }),
		visit(longer)].map(async command => (await refusal(command, acme)).name);
	check("another's cannot be written", await Promise.all(refused), Array(3).fill('AccessDeniedException'));
	check('deleting what one cannot see deletes nothing',
		(await acme.send(new DeleteCommand({ TableName, Key: other, ReturnValues: 'ALL_OLD' }))).Attributes, undefined);
	check('nor may a tenant drop the table', (await refusal(new DeleteTableCommand({ TableName }), acme)).name, 'AccessDeniedException');
	check('the others are as they were', [await get(other, documents), await get(longer, documents)],
		[{ ...other, mail: 'u1@x.y' }, { ...longer, mail: 'u1@x.y' }]);
}

export default async function () {
	TableName = await create('Relations', { indexes: [index('Inverted', ['SK', 'PK'])] });
	await parts();
	await edges();
	await places();
	await versions();
	await tenants();
}

// A shop with carts in two regions: both write, one fails and the other goes on, and it comes back.
import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import {
	CreateTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand, UpdateTableCommand, waitUntilTableExists
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { attributes, checker, schema, until } from './harness.mjs';

const check = checker('J');
const TableName = 'CartsJs';

// Two servers of their own: they are killed.
const regions = (what, ...more) => execFileSync(process.env.CLIENTS_REGIONS, [what, 'js', ...more],
	{ stdio: ['ignore', 'pipe', 'inherit'] }).toString();

const connect = place => DynamoDBDocumentClient.from(new DynamoDBClient({
	endpoint: place.endpoint, region: place.region, maxAttempts: 1,
	credentials: { accessKeyId: place.id, secretAccessKey: place.secret }
}));

const cart = user => ({ PK: `CART#${user}` });
const put = (client, user, what) => client.send(new PutCommand({
	TableName, Item: { ...cart(user), items: new Set([what]) }
}));
const add = (client, user, what) => client.send(new UpdateCommand({
	TableName, Key: cart(user), UpdateExpression: 'ADD #i :i',
	ExpressionAttributeNames: { '#i': 'items' }, ExpressionAttributeValues: { ':i': new Set([what]) }
}));
const remove = (client, user) => client.send(new DeleteCommand({ TableName, Key: cart(user) }));

// What is in a cart; undefined: there is none.
async function look(client, user) {
	const { Item } = await client.send(new GetCommand({ TableName, Key: cart(user), ConsistentRead: true }));
	return Item && [...Item.items].sort();
}

async function everything(client) {
	const { Items } = await client.send(new ScanCommand({ TableName }));
	return Items.map(item => `${item.PK} ${[...item.items].sort()}`).sort();
}

async function replicas(client) {
	const { Table } = await client.send(new DescribeTableCommand({ TableName }));
	return (Table.Replicas ?? []).map(r => `${r.RegionName} ${r.ReplicaStatus}`);
}

// Three minutes long.
async function becomes(ask, expected) {
	for (let i = 0; i < 3; i++)
		if (await until(async () => isDeepStrictEqual(await ask(), expected)))
			return true;
	return ask();
}
const equal = (us, eu) => becomes(async () => isDeepStrictEqual(await everything(us), await everything(eu)), true);

// Do it in the first region that answers.
async function shop(work, ...clients) {
	for (const client of clients) {
		try {
			return await work(client);
		} catch (error) {
			if (!['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(error.code))
				throw error;
		}
	}
	return 'nobody answers';
}

async function sell(us, eu) {
	const key = schema('PK');
	await us.send(new CreateTableCommand({
		TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: key, AttributeDefinitions: attributes([key])
	}));
	await waitUntilTableExists({ client: us, maxWaitTime: 180 }, { TableName });
	await put(us, 'old', 'book');
	await us.send(new UpdateTableCommand({ TableName, ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }] }));
	check('a replica is there', await becomes(() => replicas(us), ['eu-west-1 ACTIVE']), true);
	await waitUntilTableExists({ client: eu, maxWaitTime: 180 }, { TableName });
	check('each knows the other', await becomes(() => replicas(eu), ['us-east-1 ACTIVE']), true);
	check('with what there was', await becomes(() => look(eu, 'old'), ['book']), true);

	await put(us, 'ann', 'apple');
	check('a cart of one region is in the other', await becomes(() => look(eu, 'ann'), ['apple']), true);
	await add(eu, 'ann', 'bread');
	check('and what is added there comes back', await becomes(() => look(us, 'ann'), ['apple', 'bread']), true);
	await Promise.all(Array.from({ length: 20 }, async (_, n) => {
		await Promise.all([put(us, `us${n}`, 'tea'), put(eu, `eu${n}`, 'tea'), put(us, 'both', `us${n}`), put(eu, 'both', `eu${n}`)]);
	}));
	check('both write: all carts are there', await becomes(async () => (await everything(us)).length, 43), true);
	check('and equal', await equal(us, eu), true);
	await remove(eu, 'old');
	check('a cart that is bought is gone', await becomes(() => look(us, 'old'), undefined), true);

	regions('crash', 'eu');
	await shop(client => add(client, 'ann', 'cheese'), eu, us);
	check('a region fails: the other one goes on', await shop(client => look(client, 'ann'), eu, us), ['apple', 'bread', 'cheese']);
	await shop(client => put(client, 'bob', 'beer'), eu, us);
	await shop(client => remove(client, 'eu0'), eu, us);
	regions('restart', 'eu');
	check('it is back', await becomes(() => shop(async client =>
		(await client.send(new ListTablesCommand({}))).TableNames, eu), [TableName]), true);
	check('and learns what it has missed', await becomes(() => look(eu, 'bob'), ['beer']), true);
	check('all of it', await equal(us, eu), true);
	await shop(client => add(client, 'ann', 'dates'), eu, us);
	check('customers are there again', await becomes(() => look(us, 'ann'), ['apple', 'bread', 'cheese', 'dates']), true);
	check('all carts are equal', await equal(us, eu), true);

	await us.send(new UpdateTableCommand({ TableName, ReplicaUpdates: [{ Delete: { RegionName: 'eu-west-1' } }] }));
	check('a region is given up', await becomes(() => replicas(us), []), true);
	check('its table goes', await becomes(async () => (await eu.send(new ListTablesCommand({}))).TableNames, []), true);
	check('the other one keeps all', (await everything(us)).length, 42);
}

export default async function () {
	try {
		const places = JSON.parse(regions('start'));
		await sell(connect(places.us), connect(places.eu));
	} finally {
		regions('stop');
	}
}

// What the scenarios share: the clients, tables, and TAP.
import { isDeepStrictEqual } from 'node:util';
import {
	CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient,
	UpdateTableCommand, UpdateTimeToLiveCommand, waitUntilTableExists, waitUntilTableNotExists
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

export const client = new DynamoDBClient({});
export const documents = DynamoDBDocumentClient.from(client, {
	marshallOptions: { removeUndefinedValues: true }
});
export const send = command => documents.send(command);

// A function that compares what a scenario got with what it should have got.
export function checker(scenario) {
	return (name, got, expected) => {
		const good = isDeepStrictEqual(got, expected);
		console.log(`${good ? 'ok' : 'not ok'} - JavaScript ${scenario}: ${name}`);
		if (!good)
			console.log('# got     ', got, '\n# expected', expected);
	};
}

// What a command is refused with.
export async function refusal(command, by = documents) {
	try {
		await by.send(command);
	} catch (error) {
		return error;
	}
	return {};
}

// One attribute of each item that a query finds.
export async function found(request, name = 'SK', by = documents) {
	return (await by.send(new QueryCommand(request))).Items.map(item => item[name]);
}

// A key: its partition attributes, one or several of them, then those it sorts by.
export const schema = (hash, ...ranges) => [
	...[hash].flat().map(n => ({ AttributeName: n, KeyType: 'HASH' })),
	...ranges.map(n => ({ AttributeName: n, KeyType: 'RANGE' }))
];

export const index = (IndexName, key, ProjectionType = 'ALL', NonKeyAttributes = undefined) => ({
	IndexName, KeySchema: schema(...key), Projection: { ProjectionType, NonKeyAttributes }
});

// The definitions of all attributes in some key schemas: strings, if not said otherwise.
export function attributes(schemas, types = {}) {
	const names = new Set(schemas.flat().map(k => k.AttributeName));
	return [...names].map(n => ({ AttributeName: n, AttributeType: types[n] ?? 'S' }));
}

const tables = [];

// Have a table that a scenario creates dropped at its end.
export function track(TableName) {
	tables.push(TableName);
	return TableName;
}

// A table on demand, active; returns its name.
export async function create(name, { key = ['PK', 'SK'], indexes = [], local = [], types = {} } = {}) {
	const TableName = `${name}Js`;
	await client.send(new CreateTableCommand({
		TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: schema(...key),
		AttributeDefinitions: attributes([schema(...key), ...[...indexes, ...local].map(i => i.KeySchema)], types),
		GlobalSecondaryIndexes: indexes.length ? indexes : undefined,
		LocalSecondaryIndexes: local.length ? local : undefined
	}));
	tables.push(TableName);
	await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
	return TableName;
}

// Add an index to a table that has none, and wait until it can be used.
export async function addIndex(TableName, Create, types = {}) {
	await client.send(new UpdateTableCommand({
		TableName, AttributeDefinitions: attributes([Create.KeySchema], types), GlobalSecondaryIndexUpdates: [{ Create }]
	}));
	const describe = () => client.send(new DescribeTableCommand({ TableName }));
	await until(async () => (await describe()).Table.GlobalSecondaryIndexes[0].IndexStatus === 'ACTIVE');
}

// Let a table's items expire by their ttl, or no more; returns the answer and what the service says then.
export async function expire(TableName, Enabled = true) {
	const answer = await client.send(new UpdateTimeToLiveCommand({
		TableName, TimeToLiveSpecification: { Enabled, AttributeName: 'ttl' }
	}));
	const description = await client.send(new DescribeTimeToLiveCommand({ TableName }));
	return [answer.TimeToLiveSpecification, description.TimeToLiveDescription];
}

// Ask again and again, for five minutes; returns whether it came true.
export async function until(done) {
	for (const end = Date.now() + 300000; !await done(); await new Promise(resolve => setTimeout(resolve, 200)))
		if (Date.now() > end)
			return false;
	return true;
}

// Drop what was created, and wait until it is gone.
export async function dropTables() {
	for (const TableName of tables.splice(0)) {
		await client.send(new DeleteTableCommand({ TableName }));
		await waitUntilTableNotExists({ client, maxWaitTime: 60 }, { TableName });
	}
}

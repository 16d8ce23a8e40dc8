// What the libraries' scripts share: a client, a table, and TAP.
import { isDeepStrictEqual } from 'node:util';
import {
	CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export const client = new DynamoDBClient({});
export const documents = DynamoDBDocumentClient.from(client, {
	marshallOptions: { removeUndefinedValues: true }
});

// A function that compares what LIBRARY got with what it should have got.
export function checker(library) {
	return (name, got, expected) => {
		const good = isDeepStrictEqual(got, expected);
		console.log(`${good ? 'ok' : 'not ok'} - ${library}: ${name}`);
		if (!good)
			console.log('# got     ', got, '\n# expected', expected);
	};
}

// What a promise is refused with.
export async function refusal(promise) {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	return {};
}

const key = (name, type) => ({ AttributeName: name, KeyType: type });

// A table with PK, SK and an index GSI1 on GSI1PK, GSI1SK.
export async function createTable(TableName) {
	await client.send(new CreateTableCommand({
		TableName, BillingMode: 'PAY_PER_REQUEST',
		AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK'].map(n => ({ AttributeName: n, AttributeType: 'S' })),
		KeySchema: [key('PK', 'HASH'), key('SK', 'RANGE')],
		GlobalSecondaryIndexes: [{
			IndexName: 'GSI1', KeySchema: [key('GSI1PK', 'HASH'), key('GSI1SK', 'RANGE')],
			Projection: { ProjectionType: 'ALL' }
		}]
	}));
	await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
}

export const dropTable = TableName => client.send(new DeleteTableCommand({ TableName }));

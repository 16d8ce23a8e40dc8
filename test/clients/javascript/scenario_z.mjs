// What a client is refused.
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { checker, client, create, dropTables, refusal } from './harness.mjs';

const check = checker('Z');

export default async function () {
	const TableName = await create('Refused');
	const wrong = await refusal(new GetCommand({ TableName, Key: { PK: 'a' } }));
	check('a key that does not fit', [wrong.name, wrong.message],
		['ValidationException', 'The provided key element does not match the schema']);
	const stranger = await refusal(new ListTablesCommand({}),
		new DynamoDBClient({ credentials: { accessKeyId: 'AKIAX', secretAccessKey: 'x' } }));
	check('an unknown key', [stranger.name, stranger.$metadata?.httpStatusCode], ['UnrecognizedClientException', 400]);
	const { accessKeyId } = await client.config.credentials();
	const forger = await refusal(new ListTablesCommand({}),
		new DynamoDBClient({ credentials: { accessKeyId, secretAccessKey: 'x' } }));
	check('a wrong secret', forger.name, 'InvalidSignatureException');
	await dropTables();
	check('a table dropped is gone', (await refusal(new ScanCommand({ TableName }))).name, 'ResourceNotFoundException');
}

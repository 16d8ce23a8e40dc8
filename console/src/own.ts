// Operations of ours, which AWS has not: their targets begin with Dynamo_20261201.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamodb } from './client';
import type { Item } from './values';

const SERVICE = 'Dynamo_20261201.';

/**
 * An item as it was at a moment, in milliseconds since 1970.  The SDK does not
 * know the operation; its answer is GetItem's, so is the request but for a member,
 * and what is changed here is signed after that.
 */
export async function getItemAsOf(table: string, key: Item, at: number): Promise<Item | undefined> {
	const command = new GetItemCommand({ TableName: table, Key: key });
	command.middlewareStack.add(
		(next) => async (args) => {
			const request = args.request as { headers: Record<string, string>; body: string };
			request.headers['x-amz-target'] = SERVICE + 'GetItemAsOf';
			request.body = JSON.stringify({ ...JSON.parse(request.body), AsOf: at / 1000 });
			return next(args);
		},
		{ step: 'build', priority: 'high' },
	);
	return (await dynamodb.send(command)).Item;
}

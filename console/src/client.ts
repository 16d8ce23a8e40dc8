// The way to the server: the AWS SDK, and the console's own operations.
import { DynamoDBClient, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';

export interface Keys {
	accessKeyId: string;
	secretAccessKey: string;
	region: string;
}

/** What a server takes that authenticates nobody. */
export const NOBODY: Keys = { accessKeyId: 'console', secretAccessKey: 'console', region: 'us-east-1' };

export let dynamodb: DynamoDBClient;
export let streams: DynamoDBStreamsClient;

/** The keys stay in this tab's memory, and nowhere else. */
export function connect(keys: Keys): void {
	const config = {
		endpoint: location.origin,
		region: keys.region,
		credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
		maxAttempts: 2,
	};
	dynamodb = new DynamoDBClient(config);
	streams = new DynamoDBStreamsClient(config);
}

const AT_ONCE = 50; // rows of a list that are asked about
let free = AT_ONCE;
const waiting: (() => void)[] = [];

/** Work for a row of a list, when its turn comes: a browser refuses requests beyond some thousands. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
	if (free > 0) free--;
	else await new Promise<void>((go) => waiting.push(go));
	try {
		return await work();
	} finally {
		const next = waiting.shift();
		if (next) next();
		else free++;
	}
}

/** An error as people read it: the service's text, and its name. */
export function errorText(error: unknown): string {
	const e = error as { name?: string; message?: string; CancellationReasons?: unknown };
	const text = e.message || String(error);
	return e.name && e.name !== 'Error' ? `${e.name}: ${text}` : text;
}

export interface KeyAttribute {
	name: string;
	type: string;
}

export interface View {
	index?: string; // none: the table itself
	hash: KeyAttribute[];
	range: KeyAttribute[];
	only?: Set<string>; // attributes that an index has; none: all
}

/** The table and its indexes, as something to read from. */
export function viewsOf(table: TableDescription): View[] {
	const types = new Map((table.AttributeDefinitions ?? []).map((a) => [a.AttributeName!, a.AttributeType!]));
	const view = (schema: { AttributeName?: string; KeyType?: string }[] = [], index?: string, projection?: { ProjectionType?: string; NonKeyAttributes?: string[] }): View => {
		const of = (kind: string) => schema.filter((k) => k.KeyType === kind).map((k) => ({ name: k.AttributeName!, type: types.get(k.AttributeName!) ?? 'S' }));
		const some = projection?.ProjectionType === 'KEYS_ONLY' || projection?.ProjectionType === 'INCLUDE';
		const only = some ? new Set([...[...(table.KeySchema ?? []), ...schema].map((k) => k.AttributeName!), ...(projection?.NonKeyAttributes ?? [])]) : undefined;
		return { index, hash: of('HASH'), range: of('RANGE'), only };
	};
	return [view(table.KeySchema), ...[...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].map((i) => view(i.KeySchema, i.IndexName, i.Projection))];
}

/** The key of an item in its table. */
export function keyOf(table: TableDescription, item: Record<string, AttributeValue>): Record<string, AttributeValue> {
	return Object.fromEntries((table.KeySchema ?? []).map((k) => [k.AttributeName!, item[k.AttributeName!]!]));
}

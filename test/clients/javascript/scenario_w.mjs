// Documents of tenants, found by their vectors: the nearest, and only a tenant's own.
import { CreateTableCommand, DescribeTableCommand, SearchVectorsCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { attributes, checker, client, refusal, schema, send, track } from './harness.mjs';

const check = checker('W');
const DIMENSIONS = 8;
const target = [1.5, -2, 0.25, 3, 0, 4, -1, 2];

// Elements as the API has them; they are exact as float32.
const numbers = vector => vector.map(n => ({ N: String(n) }));

// The same "random" documents in each run.
let seed = 1;
const random = () => (seed = seed * 48271 % 2147483647) % 128 / 8 - 8;
const document = (tenant, n) => ({
	PK: `TENANT#${tenant}`, SK: `DOC#${String(n).padStart(3, '0')}`, tenant, kind: n % 3 ? 'note' : 'paper',
	embedding: Array.from({ length: DIMENSIONS }, random)
});

// By the distance of Euclid; those with one distance in the order of their keys.
function nearest(documents, top) {
	const distance = one => Math.hypot(...one.embedding.map((n, i) => n - target[i]));
	return [...documents].sort((a, b) => distance(a) - distance(b) || (a.SK < b.SK ? -1 : 1)).slice(0, top).map(d => d.SK);
}

export default async function () {
	const TableName = track('DocumentsJs');
	await client.send(new CreateTableCommand({
		TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: schema('PK', 'SK'),
		AttributeDefinitions: attributes([schema('PK', 'SK', 'tenant', 'kind')]),
		VectorIndexes: [{
			IndexName: 'near', VectorAttribute: { AttributeName: 'embedding' }, Dimensions: DIMENSIONS,
			DistanceFunction: 'EUCLIDEAN', Projection: { ProjectionType: 'ALL' },
			SearchSchema: [
				{ AttributeName: 'tenant', SearchSchemaElementType: 'HASH' },
				{ AttributeName: 'kind', SearchSchemaElementType: 'INLINE_FILTER' }
			]
		}]
	}));
	const { Table } = await client.send(new DescribeTableCommand({ TableName }));
	check('DescribeTable shows the index', [Table.VectorIndexes[0].IndexName, Table.VectorIndexes[0].IndexStatus], ['near', 'ACTIVE']);
	const documents = {};
	for (const tenant of ['acme', 'other']) {
		documents[tenant] = Array.from({ length: 100 }, (_, n) => document(tenant, n));
		for (let i = 0; i < 100; i += 25)
			await send(new BatchWriteCommand({
				RequestItems: { [TableName]: documents[tenant].slice(i, i + 25).map(Item => ({ PutRequest: { Item } })) }
			}));
	}

	const search = async (TopK, condition, values, vector = target) => client.send(new SearchVectorsCommand({
		TableName: Table.TableArn, IndexName: 'near', SearchVector: numbers(vector), TopK,
		SearchConditionExpression: condition, ExpressionAttributeValues: values
	}));
	const keys = answer => answer.SearchResults.map(r => r.Item.SK.S);
	const acme = { ':t': { S: 'acme' } };
	const found = await search(10, 'tenant = :t', acme);
	check('the nearest of a tenant', keys(found), nearest(documents.acme, 10));
	check('the nearest first', found.SearchResults.map(r => r.Score), found.SearchResults.map(r => r.Score).sort((a, b) => a - b));
	check('nothing of others', [...new Set(found.SearchResults.map(r => r.Item.tenant.S))], ['acme']);
	check('with a filter', keys(await search(5, 'tenant = :t AND kind = :k', { ...acme, ':k': { S: 'paper' } })),
		nearest(documents.acme.filter(d => d.kind === 'paper'), 5));

	const [first] = keys(found);
	await send(new DeleteCommand({ TableName, Key: { PK: 'TENANT#acme', SK: first } }));
	check('what is deleted is not found', keys(await search(10, 'tenant = :t', acme)),
		nearest(documents.acme.filter(d => d.SK !== first), 10));
	await send(new UpdateCommand({
		TableName, Key: { PK: 'TENANT#acme', SK: 'DOC#new' }, UpdateExpression: 'SET embedding = :e, tenant = :t',
		ExpressionAttributeValues: { ':e': target, ':t': 'acme' }
	}));
	const best = await search(1, 'tenant = :t', acme);
	check('what is written is found at once', [keys(best), best.SearchResults[0].Score], [['DOC#new'], 0]);

	const tooShort = new SearchVectorsCommand({
		TableName: Table.TableArn, IndexName: 'near', SearchVector: numbers([1, 2]), TopK: 1,
		SearchConditionExpression: 'tenant = :t', ExpressionAttributeValues: acme
	});
	check('a vector of another size is refused', (await refusal(tooShort, client)).name, 'ValidationException');
	check('and is not stored', (await refusal(new PutCommand({ TableName, Item: { ...document('acme', 1), embedding: [1, 2] } }))).name, 'ValidationException');
}

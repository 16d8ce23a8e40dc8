// A shop in one table.
import { paginateListTables } from '@aws-sdk/client-dynamodb';
import {
	BatchGetCommand, BatchWriteCommand, GetCommand, paginateQuery, paginateScan, PutCommand,
	QueryCommand, ScanCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand
} from '@aws-sdk/lib-dynamodb';
import { checker, client, create, documents, found, index, refusal, send } from './harness.mjs';

const check = checker('A');

export default async function () {
	const TableName = await create('Shop', {
		indexes: [index('GSI1', ['GSI1PK', 'GSI1SK']), index('GSI2', ['GSI2PK', 'GSI2SK'], 'KEYS_ONLY')]
	});
	const names = [];
	for await (const page of paginateListTables({ client, pageSize: 1 }, {}))
		names.push(...page.TableNames);
	check('the table is listed, page by page', names.includes(TableName), true);

	const profile = { PK: 'CUSTOMER#12345', SK: 'PROFILE', name: 'Ann', GSI1PK: 'EMAIL#ann@example.com', GSI1SK: 'CUSTOMER#12345' };
	await send(new PutCommand({ TableName, Item: profile }));
	check('profile by key', (await send(new GetCommand({ TableName, Key: { PK: 'CUSTOMER#12345', SK: 'PROFILE' } }))).Item, profile);

	const orders = [['2024-03-11', 1], ['2024-03-12', 2], ['2024-03-15', 3], ['2024-03-18', 4], ['2024-03-20', 5]];
	await send(new BatchWriteCommand({
		RequestItems: {
			[TableName]: orders.map(([day, n]) => ({
				PutRequest: {
					Item: {
						PK: 'CUSTOMER#12345', SK: `ORDER#${day}#${n}`, total: n * 1.5,
						GSI1PK: n < 4 ? 'STATUS#SHIPPED' : 'STATUS#PENDING', GSI1SK: `${day}#ORDER#${n}`
					}
				}
			}))
		}
	}));
	const byPrefix = {
		TableName, KeyConditionExpression: 'PK = :pk AND begins_with(SK, :o)', ScanIndexForward: false,
		ExpressionAttributeValues: { ':pk': 'CUSTOMER#12345', ':o': 'ORDER#' }
	};
	const newest = await send(new QueryCommand({ ...byPrefix, Limit: 2 }));
	check('newest orders', newest.Items.map(i => i.SK), ['ORDER#2024-03-20#5', 'ORDER#2024-03-18#4']);
	check('where the page ends', newest.LastEvaluatedKey, { PK: 'CUSTOMER#12345', SK: 'ORDER#2024-03-18#4' });
	const totals = [];
	for await (const page of paginateQuery({ client: documents, pageSize: 2 }, byPrefix))
		totals.push(...page.Items.map(i => i.total));
	check('a paginator', totals, [7.5, 6, 4.5, 3, 1.5]);
	check('profile and orders in one query', (await found({
		TableName, KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': 'CUSTOMER#12345' }
	})).length, 6);
	check('orders by status and date', (await send(new QueryCommand({
		TableName, IndexName: 'GSI1', KeyConditionExpression: 'GSI1PK = :s AND GSI1SK BETWEEN :a AND :b',
		ExpressionAttributeValues: { ':s': 'STATUS#SHIPPED', ':a': '2024-03-12', ':b': '2024-03-16' }
	}))).Items.map(i => i.total), [3, 4.5]);

	check('a customer by e-mail', await found({
		TableName, IndexName: 'GSI1', KeyConditionExpression: 'GSI1PK = :e', ExpressionAttributeValues: { ':e': 'EMAIL#ann@example.com' }
	}, 'name'), ['Ann']);
	const flags = async () => (await send(new ScanCommand({ TableName, IndexName: 'GSI2' }))).Items;
	const flagged = { TableName, Key: { PK: 'CUSTOMER#12345', SK: 'ORDER#2024-03-12#2' } };
	await send(new UpdateCommand({
		...flagged, UpdateExpression: 'SET GSI2PK = :f, GSI2SK = :d', ExpressionAttributeValues: { ':f': 'FLAGGED', ':d': '2024-03-12' }
	}));
	check('flagged orders alone, keys only', await flags(), [{ ...flagged.Key, GSI2PK: 'FLAGGED', GSI2SK: '2024-03-12' }]);
	await send(new UpdateCommand({ ...flagged, UpdateExpression: 'REMOVE GSI2PK, GSI2SK' }));
	check('resolved', await flags(), []);

	const types = {
		PK: 'types', SK: 'all', nothing: null, yes: true, list: [1, 'a', [false]], map: { deep: { er: -1.25e-10 } },
		strings: new Set(['a', 'b']), numbers: new Set([1, 2]), binary: new Uint8Array([0, 255, 128])
	};
	await send(new PutCommand({ TableName, Item: { ...types, absent: undefined } }));
	const { Item: back } = await send(new GetCommand({ TableName, Key: { PK: 'types', SK: 'all' } }));
	check('types come back', { ...back, binary: new Uint8Array(back.binary) }, types);

	await send(new PutCommand({
		TableName, Item: {
			PK: 'PRODUCT#p-456', SK: 'DETAILS', price: 39.99, inventory: 3, version: 1,
			GSI1PK: 'CATEGORY#electronics', GSI1SK: 'PRODUCT#p-456'
		}
	}));
	check('products of a category', await found({
		TableName, IndexName: 'GSI1', KeyConditionExpression: 'GSI1PK = :c', ExpressionAttributeValues: { ':c': 'CATEGORY#electronics' }
	}, 'PK'), ['PRODUCT#p-456']);
	const product = { PK: 'PRODUCT#p-456', SK: 'DETAILS' };
	const place = (number, qty, token) => new TransactWriteCommand({
		ClientRequestToken: token,
		TransactItems: [
			{ Put: { TableName, Item: { PK: `ORDER#${number}`, SK: 'META' }, ConditionExpression: 'attribute_not_exists(PK)' } },
			{ Put: { TableName, Item: { PK: `ORDER#${number}`, SK: 'ITEM#001' } } },
			{
				Update: {
					TableName, Key: product, UpdateExpression: 'SET inventory = inventory - :qty',
					ConditionExpression: 'inventory >= :qty', ExpressionAttributeValues: { ':qty': qty }
				}
			}]
	});
	await send(place('98800', 2, 'js-98800'));
	await send(place('98800', 2, 'js-98800'));
	const got = await send(new TransactGetCommand({
		TransactItems: [{ Get: { TableName, Key: product } }, { Get: { TableName, Key: { PK: 'ORDER#98800', SK: 'META' } } }]
	}));
	check('an order placed twice with one token is done once', got.Responses.map(r => r.Item.inventory ?? r.Item.SK), [1, 'META']);
	check('the order with its lines in one query', await found({
		TableName, KeyConditionExpression: 'PK = :o', ExpressionAttributeValues: { ':o': 'ORDER#98800' }
	}), ['ITEM#001', 'META']);
	const short = await refusal(place('98801', 2));
	check('out of stock', [short.name, short.CancellationReasons?.map(r => r.Code)],
		['TransactionCanceledException', ['None', 'None', 'ConditionalCheckFailed']]);
	check('nothing is written', (await send(new GetCommand({ TableName, Key: { PK: 'ORDER#98801', SK: 'META' } }))).Item, undefined);

	const change = new UpdateCommand({
		TableName, Key: product, UpdateExpression: 'SET price = :p, version = :new', ConditionExpression: 'version = :old',
		ExpressionAttributeValues: { ':p': 34.99, ':new': 2, ':old': 1 }, ReturnValues: 'ALL_NEW',
		ReturnValuesOnConditionCheckFailure: 'ALL_OLD'
	});
	check('optimistic lock won', (await send(change)).Attributes, {
		...product, price: 34.99, inventory: 1, version: 2, GSI1PK: 'CATEGORY#electronics', GSI1SK: 'PRODUCT#p-456'
	});
	const lost = await refusal(change);
	check('optimistic lock lost', [lost.name, lost.Item?.version?.N], ['ConditionalCheckFailedException', '2']);

	const lines = [...Array(100).keys()].map(n => ({ PK: 'LINES', SK: `${n}`.padStart(3, '0') }));
	for (let n = 0; n < 100; n += 25)
		await send(new BatchWriteCommand({
			RequestItems: { [TableName]: lines.slice(n, n + 25).map(Item => ({ PutRequest: { Item } })) }
		}));
	const hundred = await send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: lines } } }));
	check('100 items by one call, written by 25', hundred.Responses[TableName].map(item => item.SK).sort(), lines.map(item => item.SK));
	let scanned = 0;
	for await (const page of paginateScan({ client: documents, pageSize: 20 }, { TableName }))
		scanned += page.Count;
	check('a scan by pages', scanned, 1 + 5 + 1 + 1 + 2 + 100);
}

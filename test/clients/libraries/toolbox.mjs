// dynamodb-toolbox on a single table of customers and orders.  Prints TAP.
import {
	$add, $append, $remove, $set, BatchGetCommand, BatchGetRequest, BatchPutRequest, BatchWriteCommand,
	ConditionCheck, DeleteItemCommand, DeletePartitionCommand, Entity, executeBatchGet, executeBatchWrite,
	executeTransactWrite, GetItemCommand, item, list, map, number, prefix, PutItemCommand, PutTransaction,
	QueryCommand, ScanCommand, set, string, Table, UpdateItemCommand, UpdateTransaction
} from 'dynamodb-toolbox';
import { checker, createTable, documents, dropTable, refusal } from './common.mjs';

const check = checker('dynamodb-toolbox');
const name = 'Toolbox';
await createTable(name);

const table = new Table({
	name, documentClient: documents,
	partitionKey: { name: 'PK', type: 'string' },
	sortKey: { name: 'SK', type: 'string' },
	indexes: {
		GSI1: {
			type: 'global',
			partitionKey: { name: 'GSI1PK', type: 'string' },
			sortKey: { name: 'GSI1SK', type: 'string' }
		}
	}
});
const Customer = new Entity({
	name: 'Customer', table,
	schema: item({
		id: string().key().savedAs('PK').transform(prefix('CUSTOMER', { delimiter: '#' })),
		kind: string().key().savedAs('SK').default('PROFILE'),
		name: string(),
		email: string().savedAs('GSI1PK').transform(prefix('EMAIL', { delimiter: '#' })),
		byEmail: string().savedAs('GSI1SK').default('CUSTOMER'),
		visits: number().default(0),
		tags: set(string()).optional(),
		notes: list(string()).default([]),
		address: map({ city: string(), zip: string().optional() }).optional()
	})
});
const Order = new Entity({
	name: 'Order', table,
	schema: item({
		customer: string().key().savedAs('PK').transform(prefix('CUSTOMER', { delimiter: '#' })),
		day: string().key().savedAs('SK').transform(prefix('ORDER', { delimiter: '#' })),
		status: string().enum('SHIPPED', 'PENDING').savedAs('GSI1PK'),
		date: string().savedAs('GSI1SK'),
		total: number()
	})
});

// Entities.
await Customer.build(PutItemCommand).item({
	id: '1', name: 'Ann', email: 'ann@example.com', tags: new Set(['vip', 'press']), address: { city: 'Århus' }
}).send();
const ann = { id: '1', kind: 'PROFILE' };
let got = (await Customer.build(GetItemCommand).key(ann).options({ consistent: true }).send()).Item;
check('an entity is put and read', [got.name, got.email, got.tags, got.notes, got.address],
	['Ann', 'ann@example.com', new Set(['vip', 'press']), [], { city: 'Århus' }]);
check('with its times', [got.created, got.modified].map((time) => new Date(time).toISOString() === time), [true, true]);

const update = async changes => (await Customer.build(UpdateItemCommand).item({ ...ann, ...changes })
	.options({ returnValues: 'ALL_NEW' }).send()).Attributes;
got = await update({ visits: $add(3), notes: $append(['called']), address: { zip: '8000' }, tags: $remove() });
check('an update adds, appends, sets deep and removes', [got.visits, got.notes, got.address, got.tags],
	[3, ['called'], { city: 'Århus', zip: '8000' }, undefined]);
got = await update({ address: $set({ city: 'Odense' }), name: 'Ann B.' });
check('or replaces', [got.name, got.address], ['Ann B.', { city: 'Odense' }]);
check('attributes in part', (await Customer.build(GetItemCommand).key(ann)
	.options({ attributes: ['name', 'address.city'] }).send()).Item, { name: 'Ann B.', address: { city: 'Odense' } });

// Conditions.
let error = await refusal(Customer.build(PutItemCommand)
	.item({ id: '1', name: 'Eve', email: 'eve@example.com' })
	.options({ condition: { attr: 'id', exists: false }, returnValuesOnConditionFalse: 'ALL_OLD' }).send());
check('a put under a condition is refused', [error.name, error.message],
	['ConditionalCheckFailedException', 'The conditional request failed']);
check('and shows the item', error.Item?.name?.S ?? error.Item?.name, 'Ann B.');
await Customer.build(UpdateItemCommand).item({ ...ann, visits: 4 })
	.options({ condition: { and: [{ attr: 'visits', eq: 3 }, { attr: 'name', beginsWith: 'Ann' }] } }).send();
error = await refusal(Customer.build(UpdateItemCommand).item({ ...ann, visits: 5 })
	.options({ condition: { or: [{ attr: 'visits', eq: 3 }, { attr: 'address.city', in: ['Rome'] }] } }).send());
check('the loser of two updates', error.name, 'ConditionalCheckFailedException');

// Queries.
const order = (day, status, total) => ({ customer: '1', day, date: day, status, total });
await executeBatchWrite(table.build(BatchWriteCommand).requests(
	...[order('2024-03-11', 'SHIPPED', 19.95), order('2024-03-12', 'SHIPPED', 240), order('2024-03-15', 'SHIPPED', 109.97),
		order('2024-03-18', 'PENDING', 64.5)].map(o => Order.build(BatchPutRequest).item(o))));
const query = (q, options = {}) => table.build(QueryCommand).entities(Customer, Order).query(q).options(options).send();
let page = await query({ partition: 'CUSTOMER#1', range: { beginsWith: 'ORDER#' } }, { reverse: true, limit: 3 });
check('orders, newest first', page.Items.map(o => o.day), ['2024-03-18', '2024-03-15', '2024-03-12']);
page = await query({ partition: 'CUSTOMER#1', range: { beginsWith: 'ORDER#' } },
	{ reverse: true, exclusiveStartKey: page.LastEvaluatedKey });
check('and the next page', page.Items.map(o => o.total), [19.95]);
page = await query({ partition: 'CUSTOMER#1' }, { maxPages: Infinity, limit: 2 });
check('profile and orders, two entities of one query', page.Items.map(o => o.name ?? o.day),
	['2024-03-11', '2024-03-12', '2024-03-15', '2024-03-18', 'Ann B.']);
page = await query({ index: 'GSI1', partition: 'SHIPPED', range: { between: ['2024-03-12', '2024-03-16'] } });
check('by status and date', page.Items.map(o => o.day), ['2024-03-12', '2024-03-15']);
page = await query({ index: 'GSI1', partition: 'EMAIL#ann@example.com' });
check('a customer by e-mail', page.Items.map(o => o.name), ['Ann B.']);
page = await query({ partition: 'CUSTOMER#1' }, { filters: { Order: { attr: 'total', gt: 100 } } });
check('a filter', page.Items.map(o => o.total ?? o.name), [240, 109.97, 'Ann B.']);
page = await table.build(ScanCommand).entities(Order).options({ entityAttrFilter: true, maxPages: Infinity, limit: 2 }).send();
check('a scan for one entity', page.Items.length, 4);
const batch = await executeBatchGet(table.build(BatchGetCommand).requests(
	Customer.build(BatchGetRequest).key(ann), Order.build(BatchGetRequest).key({ customer: '1', day: '2024-03-12' })));
check('a batch', batch.Responses[0].map(i => i.name ?? i.total), ['Ann B.', 240]);

// Transactions.
const place = (day, visits) => executeTransactWrite(
	Order.build(PutTransaction).item(order(day, 'PENDING', 1)).options({ condition: { attr: 'customer', exists: false } }),
	Customer.build(UpdateTransaction).item({ ...ann, visits: $add(1) }).options({ condition: { attr: 'visits', lte: visits } }),
	Order.build(ConditionCheck).key({ customer: '1', day: '2024-03-11' }).condition({ attr: 'status', eq: 'SHIPPED' }));
await place('2024-04-01', 4);
check('a transaction counts', (await Customer.build(GetItemCommand).key(ann).send()).Item.visits, 5);
error = await refusal(place('2024-04-02', 4));
check('the second of three fails', error.CancellationReasons?.map(r => r.Code), ['None', 'ConditionalCheckFailed', 'None']);
check('and nothing was written',
	(await Order.build(GetItemCommand).key({ customer: '1', day: '2024-04-02' }).send()).Item, undefined);

// Ends.
const gone = await Order.build(DeleteItemCommand).key({ customer: '1', day: '2024-04-01' })
	.options({ returnValues: 'ALL_OLD' }).send();
check('a delete returns what was', gone.Attributes.total, 1);
await table.build(DeletePartitionCommand).entities(Customer, Order).query({ partition: 'CUSTOMER#1' }).send();
check('a partition is emptied', (await query({ partition: 'CUSTOMER#1' })).Count, 0);
await dropTable(name);

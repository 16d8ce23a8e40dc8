// Orders by customer: keys with prefixes, then an index of several attributes.
import { BatchWriteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { addIndex, checker, create, found, index, refusal, send } from './harness.mjs';

const check = checker('B');

const putAll = (TableName, items) => send(new BatchWriteCommand({
	RequestItems: { [TableName]: items.map(Item => ({ PutRequest: { Item } })) }
}));

// Customers, products, orders and invoices told apart by c#, p#, o#, i#.
async function prefixes() {
	const TableName = await create('Prefixes', {
		indexes: [index('GSI1', ['GSI1PK', 'GSI1SK']), index('GSI2', ['GSI2PK', 'GSI2SK'])]
	});
	const orders = [['001', 'c#001', '2025-02-10', ['p#001', 'p#002']], ['002', 'c#001', '2025-04-03', ['p#001']],
		['003', 'c#002', '2025-02-12', ['p#001']]];
	for (const [n, customer, day, products] of orders)
		await putAll(TableName, [
			{ PK: `o#${n}`, SK: `o#${n}`, day },
			...products.map(p => ({
				PK: `o#${n}`, SK: p, quantity: 1, GSI1PK: p, GSI1SK: day, GSI2PK: customer, GSI2SK: `p#${day}#${p}`
			})),
			{
				PK: `o#${n}`, SK: `i#${n}`, amount: 320, GSI1PK: `i#${n}`, GSI1SK: `i#${n}`,
				GSI2PK: customer, GSI2SK: `i#${day}`
			}]);
	const query = (KeyConditionExpression, values, more) => ({
		TableName, KeyConditionExpression, ExpressionAttributeValues: values, ...more
	});
	check('an order with its products and its invoice', await found(query('PK = :o', { ':o': 'o#001' })),
		['i#001', 'o#001', 'p#001', 'p#002']);
	check('the products of an order', await found(query('PK = :o AND begins_with(SK, :p)', { ':o': 'o#001', ':p': 'p#' })),
		['p#001', 'p#002']);
	check('orders of a product between two dates', await found(query('GSI1PK = :p AND GSI1SK BETWEEN :a AND :b',
		{ ':p': 'p#001', ':a': '2025-02-01', ':b': '2025-02-28' }, { IndexName: 'GSI1' }), 'PK'), ['o#001', 'o#003']);
	check('an invoice by its id', await found(query('GSI1PK = :i', { ':i': 'i#002' }, { IndexName: 'GSI1' }), 'PK'), ['o#002']);
	check('invoices of a customer in a quarter', await found(query('GSI2PK = :c AND GSI2SK BETWEEN :a AND :b',
		{ ':c': 'c#001', ':a': 'i#2025-01-01', ':b': 'i#2025-03-31' }, { IndexName: 'GSI2' })), ['i#001']);
	check('products of a customer, the latest first', await found(query('GSI2PK = :c AND begins_with(GSI2SK, :p)',
		{ ':c': 'c#001', ':p': 'p#' }, { IndexName: 'GSI2', ScanIndexForward: false }), 'PK'), ['o#002', 'o#001', 'o#001']);
}

// CustomerId, then EntityType and OrderDate, over items that were there before.
async function severalAttributes() {
	const TableName = await create('Multi');
	const items = [['o#001', 'c#001', 'order', '2025-02-10'], ['p#001', 'c#001', 'product', '2025-02-10'],
		['i#001', 'c#001', 'invoice', '2025-02-11'], ['i#002', 'c#001', 'invoice', '2025-04-03'],
		['i#003', 'c#002', 'invoice', '2025-02-12']];
	await putAll(TableName, [{ PK: 'all', SK: 'x', CustomerId: 'c#001', EntityType: 'invoice' },
		...items.map(([SK, CustomerId, EntityType, OrderDate]) => ({ PK: 'all', SK, CustomerId, EntityType, OrderDate }))]);
	const before = (await send(new ScanCommand({ TableName }))).Items;
	await addIndex(TableName, index('ByCustomer', ['CustomerId', 'EntityType', 'OrderDate']));
	check('an index added leaves the items as they are', (await send(new ScanCommand({ TableName }))).Items, before);

	const values = { ':c': 'c#001', ':t': 'invoice', ':d': '2025-02-11', ':a': '2025-01-01', ':b': '2025-03-31', ':i': 'i' };
	const query = condition => ({
		TableName, IndexName: 'ByCustomer', KeyConditionExpression: condition,
		ExpressionAttributeValues: Object.fromEntries(Object.entries(values).filter(([k]) => condition.includes(k)))
	});
	const allowed = {
		'the partition alone, in order of both': ['CustomerId = :c', ['i#001', 'i#002', 'o#001', 'p#001']],
		'first equal': ['CustomerId = :c AND EntityType = :t', ['i#001', 'i#002']],
		'both equal': ['CustomerId = :c AND EntityType = :t AND OrderDate = :d', ['i#001']],
		'first equal, second between': ['CustomerId = :c AND EntityType = :t AND OrderDate BETWEEN :a AND :b', ['i#001']],
		'a range on the first': ['CustomerId = :c AND begins_with(EntityType, :i)', ['i#001', 'i#002']]
	};
	for (const [name, [condition, expected]] of Object.entries(allowed))
		check(`allowed: ${name}`, await found(query(condition)), expected);
	const passedOver = 'RANGE key attributes EntityType must have equality conditions specified in the query ' +
		'because a condition is present on key attribute OrderDate';
	const noPartition = 'HASH key attributes CustomerId must have equality conditions specified in the query';
	const refused = {
		'the first passed over': ['CustomerId = :c AND OrderDate = :d', passedOver],
		'a range on the first and something after it':
			['CustomerId = :c AND begins_with(EntityType, :i) AND OrderDate = :d', passedOver],
		'no partition': ['EntityType = :t AND OrderDate = :d', noPartition],
		'a range on the partition': ['CustomerId > :c AND EntityType = :t', noPartition]
	};
	for (const [name, [condition, expected]] of Object.entries(refused)) {
		const { name: code, message } = await refusal(new QueryCommand(query(condition)));
		check(`refused: ${name}`, [code, message], ['ValidationException', expected]);
	}
}

// As many attributes as an index may have, of all types.
async function fourAndFour() {
	const TableName = await create('Wide');
	const item = { h1: 'h', h2: 2, h3: new Uint8Array([255]), h4: 'i', r1: -10, r2: 's', r3: new Uint8Array([0]), r4: 9 };
	const types = { h2: 'N', h3: 'B', r1: 'N', r3: 'B', r4: 'N' };
	const hash = ['h1', 'h2', 'h3', 'h4'];
	await send(new PutCommand({ TableName, Item: { PK: '1', SK: '1', ...item } }));
	await addIndex(TableName, index('Wide', [hash, 'r1', 'r2', 'r3', 'r4'], 'KEYS_ONLY'), types);
	check('four and four attributes', await found({
		TableName, IndexName: 'Wide',
		KeyConditionExpression: Object.keys(item).map(n => `${n} ${n === 'r4' ? '>' : '='} :${n}`).join(' AND '),
		ExpressionAttributeValues: Object.fromEntries(Object.entries(item).map(([n, v]) => [`:${n}`, n === 'r4' ? v - 1 : v]))
	}), ['1']);
	check('a fifth is refused', (await addIndex(TableName, index('Wider', [[...hash, 'h5']]), types).catch(e => e)).name,
		'ValidationException');
}

export default async function () {
	await prefixes();
	await severalAttributes();
	await fourAndFour();
}

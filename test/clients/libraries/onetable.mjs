// dynamodb-onetable on a single table of users and orders, which it creates
// itself.  Prints TAP.
import { Table } from 'dynamodb-onetable';
import { checker, client, refusal } from './common.mjs';

const check = checker('dynamodb-onetable');
const schema = {
	format: 'onetable:1.1.0',
	version: '0.0.1',
	indexes: {
		primary: { hash: 'PK', sort: 'SK' },
		gs1: { hash: 'GSI1PK', sort: 'GSI1SK', project: 'all' }
	},
	models: {
		User: {
			PK: { type: String, value: 'USER#${id}' },
			SK: { type: String, value: 'PROFILE' },
			id: { type: String, generate: 'ulid' },
			email: { type: String, required: true, unique: true },
			name: { type: String },
			role: { type: String, enum: ['user', 'admin'], default: 'user' },
			visits: { type: Number, default: 0 },
			since: { type: Date },
			tags: { type: Set },
			picture: { type: Buffer },
			address: { type: Object, schema: { city: { type: String }, zip: { type: String } } },
			notes: { type: Array },
			GSI1PK: { type: String, value: 'ROLE#${role}' },
			GSI1SK: { type: String, value: 'USER#${name}' }
		},
		Order: {
			PK: { type: String, value: 'USER#${user}' },
			SK: { type: String, value: 'ORDER#${day}#${id}' },
			user: { type: String, required: true },
			id: { type: String, required: true },
			day: { type: String, required: true },
			status: { type: String, default: 'PENDING' },
			total: { type: Number },
			GSI1PK: { type: String, value: 'STATUS#${status}' },
			GSI1SK: { type: String, value: '${day}#${id}' }
		}
	},
	params: { isoDates: true, timestamps: true }
};
const table = new Table({ name: 'OneTable', client, schema, partial: true, logger: false });
await table.createTable();
check('it creates its table', await table.exists(), true);
const User = table.getModel('User');
const Order = table.getModel('Order');

// Entities.
const since = new Date('2024-03-15T10:11:12.123Z');
const ann = await User.create({
	email: 'ann@example.com', name: 'Ann', since, tags: new Set(['vip', 'press']),
	picture: Buffer.from([0, 255, 128]), address: { city: 'Århus', zip: '8000' }, notes: ['a']
});
const id = ann.id;
let got = await User.get({ id }, { consistent: true });
check('an entity is created and read', [got.email, got.role, got.visits, got.address, got.notes],
	['ann@example.com', 'user', 0, { city: 'Århus', zip: '8000' }, ['a']]);
check('with a date, a set and binary', [got.since, got.tags, Buffer.from(got.picture)],
	[since, new Set(['vip', 'press']), Buffer.from([0, 255, 128])]);
got = await User.update({ id, name: 'Ann B.', address: { city: 'Odense' } },
	{ add: { visits: 3 }, push: { notes: ['b'] }, remove: ['picture'], return: 'get' });
check('an update sets, deep too, adds, pushes and removes',
	[got.name, got.visits, got.address, got.notes, got.picture],
	['Ann B.', 3, { city: 'Odense', zip: '8000' }, ['a', 'b'], undefined]);
got = await User.update({ id }, { set: { 'address.zip': '5000', visits: '${visits} + {1}' } });
check('and by expressions', [got.visits, got.address.zip], [4, '5000']);

// Conditions.
let error = await refusal(User.create({ id, email: 'eve@example.com', name: 'Eve' }));
check('an id is there but once', error.name, 'OneTableError');
error = await refusal(User.create({ email: 'ann@example.com', name: 'Eve' }));
check('and so is an e-mail, a unique field', [error.name, error.code], ['OneTableError', 'UniqueError']);
error = await refusal(User.update({ id, role: 'admin' }, { where: '${visits} > {4}' }));
check('an update under a condition is refused', error.code, 'ConditionalCheckFailedException');
got = await User.update({ id, role: 'admin' }, { where: '${visits} = {4} and attribute_exists(${name})' });
check('or done', got.role, 'admin');
error = await refusal(User.update({ id: 'none', name: 'None' }));
check('what is not there is not updated', error.code, 'ConditionalCheckFailedException');

// Queries.
const batch = {};
for (const [day, n, status, total] of [['2024-03-11', 1, 'SHIPPED', 19.95], ['2024-03-12', 2, 'SHIPPED', 240],
	['2024-03-15', 3, 'SHIPPED', 109.97], ['2024-03-18', 4, 'PENDING', 64.5]])
	await Order.create({ user: id, id: `${n}`, day, status, total }, { batch });
check('a batch is written', await table.batchWrite(batch), true);
let orders = await Order.find({ user: id }, { reverse: true, limit: 3 });
check('orders, newest first', orders.map(o => o.id), ['4', '3', '2']);
orders = await Order.find({ user: id }, { reverse: true, limit: 3, next: orders.next });
check('and the next page', orders.map(o => o.total), [19.95]);
orders = await Order.find({ user: id, SK: { begins_with: 'ORDER#2024' } }, { where: '${total} > {100}' });
check('a filter', orders.map(o => o.total), [240, 109.97]);
orders = await Order.find({ status: 'SHIPPED', GSI1SK: { between: ['2024-03-12', '2024-03-16'] } }, { index: 'gs1' });
check('by status and date', orders.map(o => o.day), ['2024-03-12', '2024-03-15']);
check('users of a role', (await User.find({ role: 'admin' }, { index: 'gs1' })).map(u => u.name), ['Ann B.']);
const items = table.groupByType(await table.queryItems({ PK: `USER#${id}` }, { parse: true, hidden: true }));
check('profile and orders in one query', [items.User.length, items.Order.length], [1, 4]);
check('counted only', (await Order.find({ user: id }, { count: true })).count, 4);
check('a scan', (await Order.scan({}, { limit: 100 })).length, 4);
const reads = {};
await User.get({ id }, { batch: reads });
await Order.get({ user: id, day: '2024-03-12', id: '2' }, { batch: reads });
check('a batch is read', (await table.batchGet(reads, { parse: true, hidden: false })).map(i => i.name ?? i.id).sort(), ['2', 'Ann B.']);

// Transactions.
const place = async (n, visits) => {
	const transaction = {};
	await Order.create({ user: id, id: n, day: '2024-04-01', total: 1 }, { transaction });
	await User.update({ id }, { add: { visits: 1 }, where: `\${visits} <= {${visits}}`, transaction });
	return table.transact('write', transaction);
};
await place('5', 4);
check('a transaction counts', (await User.get({ id })).visits, 5);
error = await refusal(place('6', 4));
check('and fails as a whole', [error.name, error.code], ['OneTableError', 'TransactionCanceledException']);
check('with nothing written', await Order.get({ user: id, day: '2024-04-01', id: '6' }), undefined);

// Ends.
check('a delete returns what was', (await Order.remove({ user: id, day: '2024-04-01', id: '5' })).total, 1);
await User.remove({ id });
check('its e-mail is free again', (await User.create({ email: 'ann@example.com', name: 'Ann' })).name, 'Ann');
await table.deleteTable('DeleteTableForever');
check('the table is gone', await table.exists(), false);

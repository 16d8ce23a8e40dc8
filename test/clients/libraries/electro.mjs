// electrodb on a single table of employees and tasks, with a service of both.
// Prints TAP.
import { Entity, Service } from 'electrodb';
import { checker, client, createTable, dropTable, refusal } from './common.mjs';

const check = checker('electrodb');
const table = 'Electro';
await createTable(table);

const config = { client, table };
const key = (field, ...composite) => ({ field, composite });
const Employee = new Entity({
	model: { entity: 'employee', version: '1', service: 'shop' },
	attributes: {
		employee: { type: 'string', default: () => 'e-' + Math.random().toString(36).slice(2) },
		office: { type: 'string', required: true },
		name: { type: 'string', required: true },
		salary: { type: 'number', validate: v => v === undefined || v >= 0 },
		skills: { type: 'set', items: 'string' },
		address: { type: 'map', properties: { city: { type: 'string' }, zip: { type: 'string' } } },
		notes: { type: 'list', items: { type: 'string' } },
		active: { type: 'boolean', default: true },
		extra: { type: 'any' },
		created: { type: 'number', readOnly: true, default: () => Date.now() }
	},
	indexes: {
		employee: { collection: 'workload', pk: key('PK', 'employee'), sk: key('SK') },
		office: { collection: 'place', index: 'GSI1', pk: key('GSI1PK', 'office'), sk: key('GSI1SK', 'name') }
	}
}, config);
const Task = new Entity({
	model: { entity: 'task', version: '1', service: 'shop' },
	attributes: {
		task: { type: 'string', required: true },
		employee: { type: 'string', required: true },
		office: { type: 'string', required: true },
		status: { type: ['open', 'closed'], default: 'open' },
		due: { type: 'string', required: true },
		points: { type: 'number', default: 0 }
	},
	indexes: {
		task: { collection: 'workload', pk: key('PK', 'employee'), sk: key('SK', 'due', 'task') },
		office: { collection: 'place', index: 'GSI1', pk: key('GSI1PK', 'office'), sk: key('GSI1SK', 'status', 'due') }
	}
}, config);
const shop = new Service({ employee: Employee, task: Task }, config);

// Entities.
const who = { employee: 'ann' };
await Employee.create({
	...who, office: 'aarhus', name: 'Ann', salary: 1000.5, skills: ['c', 'sql'], address: { city: 'Århus' }, notes: ['a'],
	extra: { deep: [1, { er: true }] }
}).go();
let got = (await Employee.get(who).go({ consistent: true })).data;
check('an entity is created and read', [got.name, got.salary, got.active, got.address, got.notes, got.extra],
	['Ann', 1000.5, true, { city: 'Århus' }, ['a'], { deep: [1, { er: true }] }]);
check('with a set', [...got.skills].sort(), ['c', 'sql']);
got = (await Employee.patch(who).set({ name: 'Ann B.', 'address.zip': '8000' }).add({ salary: 99.5, skills: ['perl'] })
	.append({ notes: ['b'] }).delete({ skills: ['c'] }).go({ response: 'all_new' }).catch(e => ({ data: e }))).data;
check('two clauses on one attribute are refused', /overlap/.test(got.message), true);
got = (await Employee.patch(who).set({ name: 'Ann B.' }).add({ salary: 99.5, skills: ['perl'] })
	.append({ notes: ['b'] }).remove(['extra']).go({ response: 'all_new' })).data;
check('a patch sets, adds, appends and removes', [got.name, got.salary, [...got.skills].sort(), got.notes, got.extra],
	['Ann B.', 1100, ['c', 'perl', 'sql'], ['a', 'b'], undefined]);
got = (await Employee.update(who).data(({ address, salary, skills }, { set, subtract, del }) => {
	set(address.zip, '8000');
	subtract(salary, 100);
	del(skills, ['c']);
}).go({ response: 'updated_new' })).data;
check('an update by operations', [got.address, got.salary, [...got.skills].sort()], [{ zip: '8000' }, 1000, ['perl', 'sql']]);

// Conditions.
let error = await refusal(Employee.create({ ...who, office: 'x', name: 'Eve' }).go());
check('a second creation is refused', [error.name, error.code, /conditional request failed/.test(error.message)],
	['ElectroError', 4001, true]);
error = await refusal(Employee.patch({ employee: 'nobody' }).set({ active: false }).go());
check('and a patch of what is not there', error.code, 4001);
await Employee.patch(who).set({ active: false }).where(({ salary }, { gte }) => gte(salary, 1000)).go();
error = await refusal(Employee.patch(who).set({ active: true }).where(({ salary }, { lt }) => lt(salary, 1000)).go());
check('an update under a condition', [error.code, (await Employee.get(who).go()).data.active], [4001, false]);
got = (await Employee.upsert({ employee: 'bob', office: 'aarhus', name: 'Bob' }).go({ response: 'all_new' })).data;
check('an upsert', [got.name, got.office], ['Bob', 'aarhus']);

// Queries.
const tasks = [['1', '2024-03-11', 'closed'], ['2', '2024-03-12', 'closed'], ['3', '2024-03-15', 'open'], ['4', '2024-03-18', 'open']]
	.map(([task, due, status]) => ({ ...who, office: 'aarhus', task, due, status, points: Number(task) }));
check('a batch is written', (await Task.put(tasks).go()).unprocessed, []);
let page = await Task.query.task(who).go({ order: 'desc', limit: 3 });
check('tasks, latest first', page.data.map(t => t.task), ['4', '3', '2']);
page = await Task.query.task(who).go({ order: 'desc', limit: 3, cursor: page.cursor });
check('and the next page, by its cursor', [page.data.map(t => t.task), page.cursor], [['1'], null]);
const due = async query => (await query.go()).data.map(t => t.task);
check('between', await due(Task.query.task(who).between({ due: '2024-03-12' }, { due: '2024-03-16' })), ['2', '3']);
check('gte', await due(Task.query.task(who).gte({ due: '2024-03-15' })), ['3', '4']);
check('begins', await due(Task.query.task(who).begins({ due: '2024-03-1' })), ['1', '2', '3', '4']);
check('by an index', await due(Task.query.office({ office: 'aarhus', status: 'open' })), ['3', '4']);
check('a filter', await due(Task.query.task(who).where(({ points }, { gt, between }) =>
	`${gt(points, 1)} AND ${between(points, 0, 3)}`)), ['2', '3']);
got = (await shop.collections.workload(who).go()).data;
check('two entities of one query', [got.employee.map(e => e.name), got.task.length], [['Ann B.'], 4]);
got = (await shop.collections.place({ office: 'aarhus' }).go()).data;
check('and of one query of an index', [got.employee.map(e => e.name), got.task.length], [['Ann B.', 'Bob'], 4]);
check('a scan', (await Task.scan.go({ pages: 'all' })).data.length, 4);
check('a batch is read', (await Task.get(tasks.map(({ employee, due, task }) => ({ employee, due, task }))).go()).data.length, 4);

// Transactions.
const move = (task, salary) => shop.transaction.write(({ employee, task: t }) => [
	t.create({ ...who, office: 'aarhus', task, due: '2024-04-01' }).commit(),
	employee.patch(who).add({ salary: 1 }).where((a, { eq }) => eq(a.salary, salary)).commit(),
	employee.check({ employee: 'bob' }).where((a, { exists }) => exists(a.name)).commit()
]).go();
check('a transaction', [(await move('5', 1000)).canceled, (await Employee.get(who).go()).data.salary], [false, 1001]);
got = await move('6', 1000);
check('the second of three fails', [got.canceled, got.data.map(r => r.code)], [true, ['None', 'ConditionalCheckFailed', 'None']]);
got = await shop.transaction.get(({ employee, task }) => [
	employee.get(who).commit(), task.get({ ...who, due: '2024-04-01', task: '6' }).commit()]).go();
check('and nothing was written', got.data.map(r => r.item?.name ?? null), ['Ann B.', null]);

// Ends.
got = (await Task.delete({ ...who, due: '2024-04-01', task: '5' }).go({ response: 'all_old' })).data;
check('a delete returns what was', got.status, 'open');
error = await refusal(Task.remove({ ...who, due: '2024-04-01', task: '5' }).go());
check('a removal wants it to be there', error.code, 4001);
await dropTable(table);

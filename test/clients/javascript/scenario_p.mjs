// The shop, the users and the counters once more, in PartiQL.
import { BatchExecuteStatementCommand, ExecuteStatementCommand, ExecuteTransactionCommand } from '@aws-sdk/lib-dynamodb';
import { checker, create, index, refusal, send } from './harness.mjs';

const check = checker('P');
const statement = (Statement, Parameters, more) => new ExecuteStatementCommand({ Statement, Parameters, ...more });
const execute = async (...args) => (await send(statement(...args))).Items;
const transaction = (statements, more) => new ExecuteTransactionCommand({
	TransactStatements: statements.map(([Statement, Parameters]) => ({ Statement, Parameters })), ...more
});
const reasons = async command => (await refusal(command)).CancellationReasons?.map(r => r.Code);

export default async function () {
	await shop();
	await users();
	await counters();
}

async function shop() {
	const name = `"${await create('Shop', { indexes: [index('GSI1', ['GSI1PK', 'GSI1SK'])] })}"`;
	const orders = [['2024-03-11', 19.95, 'SHIPPED'], ['2024-03-12', 240, 'SHIPPED'], ['2024-03-15', 109.97, 'SHIPPED'],
		['2024-03-16', 5, 'PENDING'], ['2024-03-18', 64.5, 'PENDING']];
	const { Responses } = await send(new BatchExecuteStatementCommand({
		Statements: orders.map(([day, total, status]) => ({
			Statement: `INSERT INTO ${name} VALUE {'PK': ?, 'SK': ?, 'total': ?, 'GSI1PK': ?, 'GSI1SK': ?}`,
			Parameters: ['CUSTOMER#1', `ORDER#${day}`, total, `STATUS#${status}`, day]
		}))
	}));
	check('a batch of inserts', Responses.map(r => r.Error), Array(5).fill(undefined));
	const newest = (NextToken) => send(statement(
		`SELECT * FROM ${name} WHERE PK = ? AND begins_with(SK, 'ORDER#') ORDER BY SK DESC`, ['CUSTOMER#1'], { Limit: 2, NextToken }));
	const pages = [];
	for (let page = await newest(); ; page = await newest(page.NextToken)) {
		pages.push(page.Items.map(i => i.SK.slice(6)));
		if (!page.NextToken)
			break;
	}
	check('newest orders, in pages', pages, [['2024-03-18', '2024-03-16'], ['2024-03-15', '2024-03-12'], ['2024-03-11']]);
	check('orders by status and date', await execute(
		`SELECT SK FROM ${name}."GSI1" WHERE GSI1PK = 'STATUS#SHIPPED' AND GSI1SK > ?`, ['2024-03-12']), [{ SK: 'ORDER#2024-03-15' }]);
	await execute(`INSERT INTO ${name} VALUE {'PK': 'PRODUCT#p', 'SK': 'DETAILS', 'inventory': 3, 'tags': ['a']}`);
	const place = (number, quantity, more) => transaction([
		[`INSERT INTO ${name} VALUE {'PK': ?, 'SK': 'META'}`, [`ORDER#${number}`]],
		[`UPDATE ${name} SET inventory = inventory - ? WHERE PK = 'PRODUCT#p' AND SK = 'DETAILS' AND inventory >= ?`, [quantity, quantity]]
	], more);
	await send(place(1, 2, { ClientRequestToken: 'order-1' }));
	await send(place(1, 2, { ClientRequestToken: 'order-1' }));
	check('an order placed twice with one token is done once', await execute(
		`SELECT inventory FROM ${name} WHERE PK = 'PRODUCT#p' AND SK = 'DETAILS'`), [{ inventory: 1 }]);
	check('out of stock', await reasons(place(2, 2)), ['None', 'ConditionalCheckFailed']);
	check('an order that is there', await reasons(place(1, 1)), ['DuplicateItem', 'None']);
	check('what an update returns', await execute(
		`UPDATE ${name} SET tags = list_append(tags, ?) SET version = 2 WHERE PK = 'PRODUCT#p' AND SK = 'DETAILS' RETURNING MODIFIED NEW *`,
		[['b']]), [{ tags: ['a', 'b'], version: 2 }]);
	check('what is wrong with a statement', (await refusal(statement('SLECT'))).message,
		"Statement wasn't well formed, can't be processed: Expected data manipulation");
}

async function users() {
	const name = `"${await create('Users', { indexes: [index('ByEmail', ['email'])] })}"`;
	const signUp = (user, email) => transaction([
		[`INSERT INTO ${name} VALUE {'PK': ?, 'SK': 'PROFILE', 'email': ?}`, [user, email]],
		[`INSERT INTO ${name} VALUE {'PK': ?, 'SK': 'GUARD'}`, [`EMAIL#${email}`]]]);
	const byEmail = async email => (await execute(`SELECT PK FROM ${name}."ByEmail" WHERE email = ?`, [email])).map(i => i.PK);
	await send(signUp('USER#a1', 'new@x.y'));
	check('an address is taken once', await reasons(signUp('USER#b2', 'new@x.y')), ['None', 'DuplicateItem']);
	check('a user is, too', await reasons(signUp('USER#a1', 'other@x.y')), ['DuplicateItem', 'None']);
	check('the winner is found', [await byEmail('new@x.y'), await byEmail('other@x.y')], [['USER#a1'], []]);
	await execute(`DELETE FROM ${name} WHERE PK = 'USER#a1' AND SK = 'PROFILE'`);
	check('and gone', await byEmail('new@x.y'), []);
}

async function counters() {
	const name = `"${await create('Counters')}"`;
	const key = "PK = 'PAGEVIEW#home' AND SK = 'HOT'";
	await execute(`INSERT INTO ${name} VALUE {'PK': 'PAGEVIEW#home', 'SK': 'HOT', 'views': 0}`);
	await Promise.all([...Array(16)].map(async () => {
		for (let n = 0; n < 25; n++)
			await execute(`UPDATE ${name} SET views = views + 1 WHERE ${key}`);
	}));
	check('16 clients on one item, every increment counts', await execute(`SELECT views FROM ${name} WHERE ${key}`), [{ views: 400 }]);
}

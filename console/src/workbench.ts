// Model files of NoSQL Workbench: tables, kinds of items ("facets"), and items.
import { BatchWriteItemCommand, CreateTableCommand, DescribeTableCommand, TagResourceCommand, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { dynamodb, viewsOf, type KeyAttribute, type View } from './client';
import { findEntities, tagKey, type Entity } from './entities';
import { itemJson, readItem, typedJson, typeOf, type Item, type Json } from './values';

interface KeyNames {
	PartitionKey: { AttributeName: string; AttributeType: string };
	SortKey?: { AttributeName: string; AttributeType: string };
}

export interface ModelTable {
	name: string;
	view: View;
	indexes: (View & { projection: string; attributes?: string[] })[];
	items: Item[];
	names: Map<string, string>; // of kinds of items, by pattern
	throughput?: { ReadCapacityUnits: number; WriteCapacityUnits: number }; // none: on demand
}

const TYPES = ['S', 'N', 'B'];
const BATCH = 25; // items of a BatchWriteItem

const keyNames = (view: View): KeyNames => {
	const of = (k: KeyAttribute) => ({ AttributeName: k.name, AttributeType: k.type });
	return { PartitionKey: of(view.hash[0]!), ...(view.range[0] ? { SortKey: of(view.range[0]) } : {}) };
};

/** A table, its kinds of items and these items as a model file. */
export function exportModel(table: TableDescription, items: Item[], entities: Entity[], nameOf: (pattern: string) => string, typeOfItem: (item: Item) => string): string {
	const [base, ...indexes] = viewsOf(table);
	const keys = new Set([...base!.hash, ...base!.range].map((k) => k.name));
	const types = new Map<string, string>();
	const attributes = new Map<string, Set<string>>(); // of a kind
	for (const item of items) {
		const mine = attributes.get(typeOfItem(item)) ?? new Set<string>();
		attributes.set(typeOfItem(item), mine);
		for (const [name, value] of Object.entries(item))
			if (!keys.has(name)) {
				mine.add(name);
				if (!types.has(name)) types.set(name, typeOf(value));
			}
	}
	const projections = new Map((table.GlobalSecondaryIndexes ?? []).map((i) => [i.IndexName, i.Projection]));
	const now = new Date().toISOString();
	return JSON.stringify(
		{
			ModelName: table.TableName,
			ModelMetadata: { Author: '', DateCreated: now, DateLastModified: now, Description: '', AWSService: 'Amazon DynamoDB', Version: '3.0' },
			DataModel: [
				{
					TableName: table.TableName,
					KeyAttributes: keyNames(base!),
					NonKeyAttributes: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
					TableFacets: entities.map((e) => {
						const [partition, sort] = e.pattern.split(' / ');
						return {
							FacetName: nameOf(e.pattern),
							KeyAttributeAlias: { PartitionKeyAlias: partition, ...(sort === undefined ? {} : { SortKeyAlias: sort }) },
							TableData: [],
							NonKeyAttributes: [...(attributes.get(e.pattern) ?? [])],
							DataAccess: { MySql: {} },
						};
					}),
					// Workbench knows no local indexes, and one attribute for each part of a key.
					GlobalSecondaryIndexes: indexes
						.filter((v) => projections.has(v.index) && v.hash.length === 1 && v.range.length <= 1)
						.map((v) => ({ IndexName: v.index, KeyAttributes: keyNames(v), Projection: projections.get(v.index) ?? { ProjectionType: 'ALL' } })),
					TableData: items.map(itemJson),
					DataAccess: { MySql: {} },
					...(table.ProvisionedThroughput?.ReadCapacityUnits
						? { BillingMode: 'PROVISIONED', ProvisionedCapacitySettings: { ProvisionedThroughput: { ReadCapacityUnits: table.ProvisionedThroughput.ReadCapacityUnits, WriteCapacityUnits: table.ProvisionedThroughput.WriteCapacityUnits } } }
						: { BillingMode: 'PAY_PER_REQUEST' }),
				},
			],
		},
		null,
		2,
	);
}

type Given = { [name: string]: Json } | undefined;

const object = (json: Json | undefined, what: string): { [name: string]: Json } => {
	if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error(`${what} is missing, or no object`);
	return json;
};
const list = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);
const text = (json: Json | undefined, what: string): string => {
	if (typeof json !== 'string' || json === '') throw new Error(`${what} is missing, or no text`);
	return json;
};

function readKeys(json: Json | undefined, what: string): View {
	const keys = object(json, `${what}: KeyAttributes`);
	const part = (k: Json): KeyAttribute => {
		const key = object(k, `${what}: a key`);
		const type = text(key.AttributeType, `${what}: AttributeType`);
		if (!TYPES.includes(type)) throw new Error(`${what}: a key of type ${type}`);
		return { name: text(key.AttributeName, `${what}: AttributeName`), type };
	};
	return { hash: [part(keys.PartitionKey ?? null)], range: keys.SortKey ? [part(keys.SortKey)] : [] };
}

/** A place for data in the alias of a key: <id>, {id}, [id]. */
const patternOf = (alias: string) => alias.replace(/<[^>]*>|\{[^}]*\}|\[[^\]]*\]/g, '*');

/** What a model file describes; says what is wrong with it. */
export function readModel(source: string): ModelTable[] {
	const model = object(JSON.parse(source) as Json, 'the model');
	const tables = list(model.DataModel);
	if (tables.length === 0) throw new Error('DataModel is missing, or has no table: this is no model of NoSQL Workbench');
	return tables.map((t) => {
		const table = object(t, 'a table');
		const name = text(table.TableName, 'TableName');
		const indexes = list(table.GlobalSecondaryIndexes).map((i) => {
			const index = object(i, `${name}: an index`);
			const label = text(index.IndexName, `${name}: IndexName`);
			const projection = index.Projection as Given;
			return {
				...readKeys(index.KeyAttributes, `${name}, ${label}`),
				index: label,
				projection: typeof projection?.ProjectionType === 'string' ? projection.ProjectionType : 'ALL',
				attributes: projection?.NonKeyAttributes ? list(projection.NonKeyAttributes).map((a) => text(a, `${label}: NonKeyAttributes`)) : undefined,
			};
		});
		const facets = list(table.TableFacets).map((f): Facet => {
			const facet = object(f, `${name}: a facet`);
			const alias = facet.KeyAttributeAlias as Given;
			const parts = [alias?.PartitionKeyAlias, alias?.SortKeyAlias].filter((p) => typeof p === 'string' && p !== '') as string[];
			return { name: text(facet.FacetName, `${name}: FacetName`), pattern: parts.map(patternOf).join(' / '), attributes: list(facet.NonKeyAttributes).map((a) => text(a, `${name}: NonKeyAttributes`)) };
		});
		const view = readKeys(table.KeyAttributes, name);
		// Older files have items in their facets, where newer ones have them in the table.
		const keyOf = (item: Item) => JSON.stringify([...view.hash, ...view.range].map((k) => item[k.name] && typedJson(item[k.name]!)));
		const byKey = new Map<string, Item>();
		const parts = [...list(table.TableFacets).map((f) => object(f, `${name}: a facet`).TableData), table.TableData];
		for (const json of parts.flatMap(list)) {
			const item = readItem(json, `${name}, item ${byKey.size + 1}`);
			byKey.set(keyOf(item), item);
		}
		const items = [...byKey.values()];
		return { name, view, indexes, items, names: namesOf(facets, items, view), throughput: readThroughput(table) };
	});
}

interface Facet {
	name: string;
	pattern: string; // of keys, where its alias is one
	attributes: string[];
}

const LIKE = 0.5; // share of the attributes that a kind of items and its facet have in common

/**
 * Names of kinds of items.  A facet is known by the pattern of its keys, or else, since
 * an alias may be any word, by the attributes that it names.
 */
function namesOf(facets: Facet[], items: Item[], view: View): Map<string, string> {
	const { entities, typeOf: kindOf } = findEntities(items, view.hash[0]!.name, view.range[0]?.name);
	const keys = new Set([...view.hash, ...view.range].map((k) => k.name));
	const attributes = new Map(entities.map((e) => [e.pattern, new Set<string>()]));
	for (const item of items) for (const n of Object.keys(item)) if (!keys.has(n)) attributes.get(kindOf(item))!.add(n);
	const names = new Map<string, string>();
	for (const f of facets) if (attributes.has(f.pattern)) names.set(f.pattern, f.name);
	for (const f of facets) {
		if (attributes.has(f.pattern) || f.attributes.length === 0) continue;
		let best: { pattern: string; like: number } | undefined;
		for (const [pattern, has] of attributes) {
			const common = f.attributes.filter((a) => has.has(a)).length;
			const like = common / new Set([...f.attributes, ...has]).size;
			if (!names.has(pattern) && like >= LIKE && like > (best?.like ?? 0)) best = { pattern, like };
		}
		if (best) names.set(best.pattern, f.name);
	}
	return names;
}

function readThroughput(table: { [name: string]: Json }): ModelTable['throughput'] {
	if (table.BillingMode !== 'PROVISIONED') return undefined;
	const given = (table.ProvisionedCapacitySettings as Given)?.ProvisionedThroughput as Given;
	const units = (u: Json | undefined) => (typeof u === 'number' && u >= 1 ? u : 1);
	return { ReadCapacityUnits: units(given?.ReadCapacityUnits), WriteCapacityUnits: units(given?.WriteCapacityUnits) };
}

/** Makes the table of a model, with its items and the names of their kinds.  A table of that name must not be there. */
export async function createModelTable(t: ModelTable, told: (items: number) => void): Promise<void> {
	const schema = (v: View) => [...v.hash.map((k) => ({ AttributeName: k.name, KeyType: 'HASH' as const })), ...v.range.map((k) => ({ AttributeName: k.name, KeyType: 'RANGE' as const }))];
	const types = new Map([t.view, ...t.indexes].flatMap((v) => [...v.hash, ...v.range]).map((k) => [k.name, k.type]));
	const ProvisionedThroughput = t.throughput;
	const created = await dynamodb.send(
		new CreateTableCommand({
			TableName: t.name,
			BillingMode: t.throughput ? 'PROVISIONED' : 'PAY_PER_REQUEST',
			ProvisionedThroughput,
			KeySchema: schema(t.view),
			AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType: AttributeType as 'S' })),
			GlobalSecondaryIndexes: t.indexes.length
				? t.indexes.map((v) => ({ ProvisionedThroughput, IndexName: v.index!, KeySchema: schema(v), Projection: { ProjectionType: v.projection as 'ALL', ...(v.projection === 'INCLUDE' ? { NonKeyAttributes: v.attributes } : {}) } }))
				: undefined,
		}),
	);
	while ((await dynamodb.send(new DescribeTableCommand({ TableName: t.name }))).Table?.TableStatus !== 'ACTIVE') await new Promise((done) => setTimeout(done, 300));
	for (let i = 0; i < t.items.length; i += BATCH) {
		let left: { PutRequest: { Item: Record<string, AttributeValue> } }[] = t.items.slice(i, i + BATCH).map((Item) => ({ PutRequest: { Item } }));
		while (left.length > 0) {
			const answer = await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [t.name]: left } }));
			left = (answer.UnprocessedItems?.[t.name] ?? []) as typeof left;
		}
		told(Math.min(i + BATCH, t.items.length));
	}
	const tags = [...t.names].map(([pattern, name]) => ({ Key: tagKey(pattern), Value: name.replace(/[^\p{L}\p{N} +\-=._:/@]/gu, '.').slice(0, 256) }));
	if (tags.length) await dynamodb.send(new TagResourceCommand({ ResourceArn: created.TableDescription!.TableArn, Tags: tags.slice(0, 50) }));
}

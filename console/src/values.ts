// Items as people read and write them.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The type of a value, as DynamoDB names it: "S", "N", "M", ... */
export function typeOf(value: AttributeValue): string {
	return Object.keys(value ?? {})[0] ?? '?';
}

export function toBase64(bytes: Uint8Array): string {
	let text = '';
	for (const byte of bytes) text += String.fromCharCode(byte);
	return btoa(text);
}

export function fromBase64(text: string): Uint8Array {
	return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/**
 * Is all of an item here, and would all of it be sent?  The SDK loses an attribute that is
 * named __proto__ either way, and to save such an item would delete that.
 */
export function isWhole(map: Item): boolean {
	return Object.getPrototypeOf(map) === Object.prototype && !Object.hasOwn(map, '__proto__') && Object.values(map).every(isWholeValue);
}

function isWholeValue(value: AttributeValue): boolean {
	if (value === undefined || value === null || typeOf(value) === '?') return false;
	if (value.M) return isWhole(value.M);
	return value.L ? value.L.every(isWholeValue) : true;
}

/** One line of text for a value, at most so long. */
export function show(value: AttributeValue | undefined, limit = 80): string {
	if (value === undefined) return '';
	const type = typeOf(value);
	let text: string;
	if (type === 'S') text = value.S!;
	else if (type === 'N') text = value.N!;
	else if (type === 'BOOL') text = String(value.BOOL);
	else if (type === 'NULL') text = 'null';
	else if (type === 'B') text = toBase64(value.B as Uint8Array);
	else text = JSON.stringify(typedJson(value)[type as keyof object]);
	return text.length > limit ? text.slice(0, limit - 1) + '…' : text;
}

/** A value as the API writes it, bytes as Base64: {"S":"a"}. */
export function typedJson(value: AttributeValue): { [type: string]: Json } {
	const type = typeOf(value);
	if (type === 'B') return { B: toBase64(value.B as Uint8Array) };
	if (type === 'BS') return { BS: value.BS!.map((b) => toBase64(b as Uint8Array)) };
	if (type === 'L') return { L: value.L!.map(typedJson) };
	if (type === 'M') return { M: itemJson(value.M!) };
	return (value ?? {}) as unknown as { [type: string]: Json };
}

export function itemJson(item: Item): { [name: string]: Json } {
	return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typedJson(value)]));
}

/** The other way; says what is wrong with the text. */
export function readValue(json: Json, path: string): AttributeValue {
	if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error(`${path} needs a type, as {"S": "text"}`);
	const types = Object.keys(json);
	if (types.length !== 1) throw new Error(`${path} needs one type, and has ${types.length}`);
	const type = types[0]!;
	const value = json[type]!;
	const texts = () => {
		if (!Array.isArray(value) || value.length === 0 || value.some((v) => typeof v !== 'string')) throw new Error(`${path} of type ${type} needs a list of texts with at least one`);
		if (new Set(value).size !== value.length) throw new Error(`${path} of type ${type} has a value twice`);
		return value as string[];
	};
	switch (type) {
		case 'S':
			if (typeof value !== 'string') throw new Error(`${path} of type S needs a text`);
			return { S: value };
		case 'N':
			if (typeof value !== 'string') throw new Error(`${path} of type N needs the number as a text, as {"N": "1"}`);
			return { N: checkNumber(value, path) };
		case 'B':
			return { B: bytes(value, path) };
		case 'BOOL':
			if (typeof value !== 'boolean') throw new Error(`${path} of type BOOL needs true or false`);
			return { BOOL: value };
		case 'NULL':
			if (value !== true) throw new Error(`${path} of type NULL needs true`);
			return { NULL: true };
		case 'SS':
			return { SS: texts() };
		case 'NS':
			return { NS: texts().map((n) => checkNumber(n, path)) };
		case 'BS':
			return { BS: texts().map((b) => bytes(b, path)) };
		case 'L':
			if (!Array.isArray(value)) throw new Error(`${path} of type L needs a list`);
			return { L: value.map((v, i) => readValue(v, `${path}[${i}]`)) };
		case 'M':
			return { M: readItem(value, path) };
		default:
			throw new Error(`${path} has the type ${type}, which is none of S N B BOOL NULL SS NS BS L M`);
	}
}

export function readItem(json: Json, path = ''): Item {
	if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error(`${path || 'an item'} needs to be an object`);
	return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, readValue(value, path ? `${path}.${name}` : name)]));
}

function checkNumber(text: string, path: string): string {
	if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text)) throw new Error(`${path}: ${text} is no number`);
	return text;
}

function bytes(value: Json, path: string): Uint8Array {
	try {
		if (typeof value === 'string') return fromBase64(value);
	} catch {
		// it is none
	}
	throw new Error(`${path} needs bytes in Base64`);
}

/** A key attribute from what was typed into a field. */
export function keyValue(text: string, type: string): AttributeValue {
	if (type === 'N') return { N: checkNumber(text, 'the key') };
	if (type === 'B') return { B: bytes(text, 'the key') };
	return { S: text };
}

/** Text of a key attribute for a field, and for an address. */
export function keyText(value: AttributeValue): string {
	return show(value, Infinity);
}

/** Does a number, and each within a value, stay what it is in plain JSON? */
export function fitsPlain(value: AttributeValue | undefined): boolean {
	if (value === undefined) return false; // the SDK could not read it
	if (value.N !== undefined) return String(Number(value.N)) === value.N;
	return (value.L ?? Object.values(value.M ?? {})).every(fitsPlain);
}

/** JSON.parse() rounds a number without a word: says which one of the text it would change. */
export function checkPlainNumbers(text: string): void {
	const digits = (n: string) => n.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+|0+$/g, '');
	const numbers: string[] = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').match(/\d[\d.eE+-]*/g) ?? [];
	const changed = numbers.find((n) => digits(n) !== digits(String(Number(n))));
	if (changed !== undefined) throw new Error(`${changed} has more digits than plain JSON keeps: write it with its type`);
}

/** Plain JSON, which has no sets and no bytes: they are lists and Base64. */
export function plainJson(value: AttributeValue): Json {
	const type = typeOf(value);
	if (type === 'N') return Number(value.N);
	if (type === 'NULL') return null;
	if (type === 'L') return value.L!.map(plainJson);
	if (type === 'M') return plainItem(value.M!);
	return Object.values(typedJson(value))[0]!;
}

export function plainItem(item: Item): { [name: string]: Json } {
	return Object.fromEntries(Object.entries(item).map(([n, v]) => [n, plainJson(v)]));
}

/** The other way; what was a set or bytes stays that.  Says what is wrong with the text. */
export function readPlain(json: Json, path: string, was?: AttributeValue): AttributeValue {
	if (json === null) return { NULL: true };
	if (typeof json === 'boolean') return { BOOL: json };
	if (typeof json === 'number') return { N: String(json) };
	if (typeof json === 'string') return was?.B ? { B: bytes(json, path) } : { S: json };
	if (!Array.isArray(json)) return { M: readPlainItem(json, was?.M, path) };
	const set = was && ['SS', 'NS', 'BS'].find((t) => t === typeOf(was));
	return set ? readValue({ [set]: json }, path) : { L: json.map((v, i) => readPlain(v, `${path}[${i}]`, was?.L?.[i])) };
}

export function readPlainItem(json: Json, was?: Item, path = ''): Item {
	if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error(`${path || 'an item'} needs to be an object`);
	return Object.fromEntries(Object.entries(json).map(([n, v]) => [n, readPlain(v, path ? `${path}.${n}` : n, was?.[n])]));
}

const MAX_BYTES = 400 * 1024;
const MAX_LEVELS = 32;

/** What the service refuses whatever the table is; undefined: nothing. */
export function checkItem(item: Item): string | undefined {
	if (!isWhole(item)) return 'The AWS SDK for JavaScript cannot send an attribute named __proto__.';
	if (levels({ M: item }) > MAX_LEVELS) return `Lists and maps are nested deeper than ${MAX_LEVELS} levels.`;
	if (sizeOf(item) > MAX_BYTES) return 'The item is larger than 400 kB.';
	return undefined;
}

function levels(value: AttributeValue | undefined): number {
	const inner = value?.L ?? (value?.M && Object.values(value.M));
	return inner ? 1 + Math.max(0, ...inner.map(levels)) : 0;
}

const utf8 = new TextEncoder();

/** Bytes that an item counts, as the service counts them: names and values. */
export function sizeOf(item: Item): number {
	let bytes = 0;
	for (const [name, value] of Object.entries(item)) bytes += utf8.encode(name).length + sizeOfValue(value);
	return bytes;
}

function sizeOfValue(value: AttributeValue | undefined): number {
	const sum = <T,>(members: T[], size: (member: T) => number) => members.reduce((n, m) => n + size(m), 0);
	const text = (s: string) => utf8.encode(s).length;
	if (value === undefined) return 0;
	if (value.S !== undefined) return text(value.S);
	if (value.N !== undefined) return sizeOfNumber(value.N);
	if (value.B !== undefined) return value.B.length;
	if (value.SS) return sum(value.SS, text);
	if (value.NS) return sum(value.NS, sizeOfNumber);
	if (value.BS) return sum(value.BS, (b) => b.length);
	if (value.L) return 3 + sum(value.L, (v) => 1 + sizeOfValue(v));
	if (value.M) return 3 + Object.keys(value.M).length + sizeOf(value.M);
	return 1;
}

/** Two digits a byte: a byte less at most than the service counts for a point or a sign. */
const sizeOfNumber = (n: string) => 1 + Math.ceil(n.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+|0+$/g, '').length / 2);

export function formatBytes(n: number): string {
	if (n < 1024) return `${n} B`;
	if (n < 1024 ** 2) return `${(n / 1024).toFixed(1)} kB`;
	if (n < 1024 ** 3) return `${(n / 1024 ** 2).toFixed(1)} MB`;
	return `${(n / 1024 ** 3).toFixed(1)} GB`;
}

export interface Change {
	name: string;
	before?: AttributeValue;
	after?: AttributeValue;
}

/** What is different between two images of an item, attribute by attribute. */
export function diff(before: Item | undefined, after: Item | undefined): Change[] {
	const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
	const changes: Change[] = [];
	const own = (item: Item | undefined, name: string) => (item && Object.hasOwn(item, name) ? item[name] : undefined); // not its constructor
	for (const name of [...names].sort()) {
		const b = own(before, name);
		const a = own(after, name);
		if (canonical(b) !== canonical(a)) changes.push({ name, before: b, after: a });
	}
	return changes;
}

/** Equal texts for equal values: maps by name, sets in order. */
function canonical(value: AttributeValue | undefined): string {
	return value === undefined ? '' : JSON.stringify(ordered(value));
}

function ordered(value: AttributeValue): Json {
	if (value.M) return { M: Object.keys(value.M).sort().map((n) => [n, ordered(value.M![n]!)]) };
	if (value.L) return { L: value.L.map(ordered) };
	const json = typedJson(value);
	for (const [type, inner] of Object.entries(json)) if (Array.isArray(inner)) json[type] = [...inner].sort() as Json[];
	return json;
}

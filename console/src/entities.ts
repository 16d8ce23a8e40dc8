// Entity types, found from the keys of items: "ORDER#2024-03-15" is ORDER#*.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { keyText, sizeOf, type Item } from './values';

export interface Entity {
	pattern: string;
	count: number;
	bytes: number;
	example: Item;
}

/** A part that so many values share is a word of the model, not data. */
const SHARED = 0.02;

/** So many words of capitals may take turns behind others; more are data, as states and currencies are. */
const WORDS = 12;

const SEPARATOR = /([#|:/_])/;
const VERSION = /^(v)\d+$/i; // v0_body, v1_body: the versions of one thing

/** Words that stand in many keys, by where they stand: a trie of parts, in which all data of a place is one branch. */
export class Patterns {
	private patterns = new Map<string, string>();
	private total: number;

	constructor(texts: string[]) {
		this.total = texts.length;
		this.divide(
			texts.map((text) => ({ text, parts: text.split(SEPARATOR) })),
			0,
			'',
		);
	}

	/** A key that was among the texts, with what is data as "*". */
	of(text: string): string {
		return this.patterns.get(text) ?? '*';
	}

	/** Keys that have the same words in front of part "i". */
	private divide(keys: { text: string; parts: string[] }[], i: number, before: string): void {
		const counts = new Map<string, number>();
		for (const { parts } of keys) if (i < parts.length) counts.set(parts[i]!, (counts.get(parts[i]!) ?? 0) + 1);
		const capitals = [...counts.keys()].filter(isCapitals).length;
		const branches = new Map<string, typeof keys>();
		for (const key of keys) {
			const part = key.parts[i];
			if (part === undefined) {
				this.patterns.set(key.text, before.replace(/\*(?:[#|:/_]\*)+/g, '*'));
				continue;
			}
			const count = counts.get(part)!;
			const shared = count >= Math.max(3, this.total * SHARED);
			const version = VERSION.exec(part);
			let word = '*';
			if (SEPARATOR.test(part)) word = part;
			else if (version) word = version[1] + '*';
			else if (isCapitals(part) ? i === 0 || capitals <= WORDS || shared : i === 0 && shared && part !== '' && !/\d/.test(part)) word = part;
			const branch = branches.get(word);
			if (branch) branch.push(key);
			else branches.set(word, [key]);
		}
		for (const [word, branch] of branches) this.divide(branch, i + 1, before + word);
	}
}

const isCapitals = (part: string) => /^[A-Z][A-Z]+$/.test(part);

/** The types of items, the most frequent first. */
export function findEntities(items: Item[], hash: string, range: string | undefined): { entities: Entity[]; typeOf: (item: Item) => string } {
	const text = (v: AttributeValue | undefined) => (v ? (v.S ?? (v.N !== undefined ? '*' : keyText(v))) : '');
	const hashes = new Patterns(items.map((i) => text(i[hash])));
	// What a word of the sort key is depends on the partition key that it stands beside.
	const beside = new Map<string, string[]>();
	if (range)
		for (const item of items) {
			const pattern = hashes.of(text(item[hash]));
			const texts = beside.get(pattern);
			if (texts) texts.push(text(item[range]));
			else beside.set(pattern, [text(item[range])]);
		}
	const ranges = new Map([...beside].map(([pattern, texts]) => [pattern, new Patterns(texts)]));
	const typeOf = (item: Item) => {
		const pattern = hashes.of(text(item[hash]));
		return range ? `${pattern} / ${ranges.get(pattern)?.of(text(item[range])) ?? '*'}` : pattern;
	};
	const found = new Map<string, Entity>();
	for (const item of items) {
		const pattern = typeOf(item);
		const entity = found.get(pattern);
		if (entity) {
			entity.count++;
			entity.bytes += sizeOf(item);
		} else found.set(pattern, { pattern, count: 1, bytes: sizeOf(item), example: item });
	}
	return { entities: [...found.values()].sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1)), typeOf };
}

/** The key of a tag that keeps a name or the colour of an entity type; tags take no # and *. */
export function tagKey(pattern: string, what: 'entity' | 'colour' = 'entity'): string {
	return (what + ' ' + pattern.replace(/#/g, ':').replace(/\*/g, '@').replace(/[^\p{L}\p{N} +\-=._:/@]/gu, '.')).slice(0, 128);
}

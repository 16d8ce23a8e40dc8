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

interface Node {
	count: number;
	parts: Map<string, Node>;
}

const SEPARATOR = /([#|:/_])/;

/** Words that stand in many keys, by where they stand: a trie of parts. */
export class Patterns {
	private root: Node = { count: 0, parts: new Map() };
	private total = 0;

	constructor(texts: string[]) {
		for (const text of texts) {
			this.total++;
			let node = this.root;
			for (const part of text.split(SEPARATOR)) {
				let next = node.parts.get(part);
				if (!next) node.parts.set(part, (next = { count: 0, parts: new Map() }));
				next.count++;
				node = next;
			}
		}
	}

	/** A key with what is data as "*". */
	of(text: string): string {
		let node: Node | undefined = this.root;
		const parts = text.split(SEPARATOR);
		const words: string[] = [];
		for (const [i, part] of parts.entries()) {
			node = node?.parts.get(part);
			if (SEPARATOR.test(part) || (node && this.isWord(part, node, parts.length === 1 || i === 0))) words.push(part);
			else {
				// behind data each key goes its own way
				words.push('*');
				node = undefined;
			}
		}
		return words.join('').replace(/\*(?:[#|:/_]\*)+$/, '*');
	}

	private isWord(part: string, node: Node, first: boolean): boolean {
		if (/\d/.test(part)) return false;
		if (/^[A-Z][A-Z_]+$/.test(part)) return true;
		return first && part !== '' && node.count >= Math.max(3, this.total * SHARED);
	}
}

/** The types of items, the most frequent first. */
export function findEntities(items: Item[], hash: string, range: string | undefined): { entities: Entity[]; typeOf: (item: Item) => string } {
	const text = (v: AttributeValue | undefined) => (v ? (v.S ?? (v.N !== undefined ? '*' : keyText(v))) : '');
	const hashes = new Patterns(items.map((i) => text(i[hash])));
	const ranges = range ? new Patterns(items.map((i) => text(i[range]))) : undefined;
	const typeOf = (item: Item) => hashes.of(text(item[hash])) + (range ? ' / ' + ranges!.of(text(item[range])) : '');
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

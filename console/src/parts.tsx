// Small pieces that all views are made of.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from './client';
import { diff, show, typeOf, type Item } from './values';

export function Problem({ error }: { error: unknown }) {
	return error ? (
		<p class="problem" role="alert">
			{errorText(error)}
		</p>
	) : null;
}

/** Runs "load" now and when one of "inputs" changes; the newest answer counts. */
export function useLoaded<T>(load: () => Promise<T>, inputs: unknown[]): { value?: T; error?: unknown; busy: boolean; again: () => void } {
	const [state, setState] = useState<{ value?: T; error?: unknown; busy: boolean }>({ busy: true });
	const [turn, setTurn] = useState(0);
	const newest = useRef(0);
	useEffect(() => {
		const mine = ++newest.current;
		setState((s) => ({ ...s, busy: true, error: undefined }));
		load().then(
			(value) => mine === newest.current && setState({ value, busy: false }),
			(error) => mine === newest.current && setState({ error, busy: false }),
		);
		return () => {
			newest.current++;
		};
	}, [...inputs, turn]);
	return { ...state, again: () => setTurn((t) => t + 1) };
}

const SMALL = matchMedia('(max-width: 600px)');

export function useNarrow(): boolean {
	const [narrow, setNarrow] = useState(SMALL.matches);
	useEffect(() => {
		const changed = () => setNarrow(SMALL.matches);
		SMALL.addEventListener('change', changed);
		return () => SMALL.removeEventListener('change', changed);
	}, []);
	return narrow;
}

export function Busy({ busy }: { busy: boolean }) {
	return (
		<span class="busy" role="status" aria-live="polite">
			{busy ? 'Working…' : ''}
		</span>
	);
}

export function Value({ value }: { value?: AttributeValue }) {
	if (value === undefined) return <span class="none">–</span>;
	return (
		<span class={`value type-${typeOf(value)}`}>
			<abbr title={typeNames[typeOf(value)] ?? typeOf(value)}>{typeOf(value)}</abbr> {show(value, 200)}
		</span>
	);
}

const typeNames: Record<string, string> = {
	S: 'string', N: 'number', B: 'binary', BOOL: 'Boolean', NULL: 'null', L: 'list', M: 'map', SS: 'string set', NS: 'number set', BS: 'binary set',
};

export function Diff({ before, after }: { before?: Item; after?: Item }) {
	const changes = diff(before, after);
	if (changes.length === 0) return <p class="note">No attribute differs.</p>;
	return (
		<table class="diff">
			<thead>
				<tr>
					<th scope="col">Attribute</th>
					<th scope="col">Before</th>
					<th scope="col">After</th>
				</tr>
			</thead>
			<tbody>
				{changes.map((c) => (
					<tr key={c.name} class={c.before === undefined ? 'added' : c.after === undefined ? 'removed' : 'changed'}>
						<th scope="row">{c.name}</th>
						<td>
							<Value value={c.before} />
						</td>
						<td>
							<Value value={c.after} />
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

export interface Column<T> {
	head: string;
	number?: boolean;
	bad?: (row: T) => boolean;
	cell: (row: T) => ComponentChildren;
}

/** A short table; its first column names the rows. */
export function List<T>({ rows, columns, id }: { rows: T[]; columns: Column<T>[]; id: (row: T, i: number) => string | number }) {
	const style = (c: Column<T>, row?: T) => `${c.number ? 'number' : ''}${row && c.bad?.(row) ? ' bad' : ''}` || undefined;
	return (
		<table class="list" tabIndex={0}>
			<thead>
				<tr>
					{columns.map((c) => (
						<th scope="col" class={style(c)} key={c.head}>
							{c.head}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row, i) => (
					<tr key={id(row, i)}>
						{columns.map((c, n) =>
							n === 0 ? (
								<th scope="row" key={c.head}>
									{c.cell(row)}
								</th>
							) : (
								<td class={style(c, row)} key={c.head}>
									{c.cell(row)}
								</td>
							),
						)}
					</tr>
				))}
			</tbody>
		</table>
	);
}

const ROW_HEIGHT = 30; // px, as console.css has it
const MARGIN = 10; // rows drawn above and below what is seen

/** A table whose rows are drawn where they are seen, so that many cost nothing. */
export function Rows<T>({ rows, label, head, row }: { rows: T[]; label: string; head: ComponentChildren; row: (row: T, i: number) => ComponentChildren }) {
	const [top, setTop] = useState(0);
	const [height, setHeight] = useState(600);
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const measure = () => setHeight(box.current?.clientHeight ?? 600);
		measure();
		addEventListener('resize', measure);
		return () => removeEventListener('resize', measure);
	}, [rows.length > 0]);
	// Fewer rows may have come since it was scrolled.
	const first = Math.max(0, Math.min(Math.floor(top / ROW_HEIGHT), rows.length) - MARGIN);
	const last = Math.min(rows.length, Math.ceil((top + height) / ROW_HEIGHT) + MARGIN);
	return (
		<div class="rows" ref={box} tabIndex={0} role="region" aria-label={label} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
			<table aria-rowcount={rows.length}>
				<thead>
					<tr>{head}</tr>
				</thead>
				<tbody>
					{first > 0 && <tr aria-hidden="true" style={{ height: `${first * ROW_HEIGHT}px` }} />}
					{rows.slice(first, last).map((r, i) => row(r, first + i))}
					{last < rows.length && <tr aria-hidden="true" style={{ height: `${(rows.length - last) * ROW_HEIGHT}px` }} />}
				</tbody>
			</table>
		</div>
	);
}

export function download(name: string, type: string, text: string): void {
	const a = document.createElement('a');
	a.href = URL.createObjectURL(new Blob([text], { type }));
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

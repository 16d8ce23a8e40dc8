// What the server does: requests, latencies, hot keys, jobs, mappings, workers.
import { ListTablesCommand, UpdateContributorInsightsCommand } from '@aws-sdk/client-dynamodb';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Heat, Lines, format, type HeatRow } from './charts';
import { dynamodb } from './client';
import { describeHotKeys, describeStatistics, listJobs, listMappings, listWorkers, updateMapping, type HotKey, type Job, type JobsPage, type Latency, type Mapping, type Statistics, type Worker } from './own';
import { List, Problem, type Column } from './parts';
import { go, link } from './route';
import { formatBytes, type Json } from './values';

const KEPT = 120; // looks that stay in the page
const LEAST = 24; // for which there is room in a drawing from the beginning
const TABLES = 50; // that are asked for at most
const OF_ALL_NODES = 5; // tables whose counts all nodes of a cluster are asked for at each look
const HOT = 15; // keys that are shown
const ROWS = 50; // of a list

/** What one look has found.  A part that this key may not see is an error, and the others go on. */
interface Look {
	at: number;
	statistics: Statistics[];
	refused: number; // tables whose statistics this key may not see
	silent: Set<string>; // nodes that do not answer
	keys?: HotKey[];
	keysError?: unknown;
	jobs?: JobsPage;
	jobsError?: unknown;
	mappings?: Mapping[];
	mappingsError?: unknown;
	workers?: Worker[];
	workersError?: unknown;
}

async function look(names: string[], hot: string | undefined, before: string | undefined): Promise<Look> {
	const found: Look = { at: Date.now(), statistics: [], refused: 0, silent: new Set() };
	const part = async <T,>(work: Promise<T>, good: (value: T) => void, bad: (error: unknown) => void) => work.then(good, bad);
	await Promise.all([
		...names.map((name) => part(describeStatistics(name, names.length <= OF_ALL_NODES), (s) => (found.statistics.push(...s.answers), s.silent.forEach((n) => found.silent.add(n))), () => found.refused++)),
		hot ? part(describeHotKeys(hot), (k) => (found.keys = k), (e) => (found.keysError = e)) : undefined,
		part(listJobs(before), (j) => (found.jobs = j), (e) => (found.jobsError = e)),
		part(listMappings(), (m) => (found.mappings = m), (e) => (found.mappingsError = e)),
		part(listWorkers(), (w) => (found.workers = w), (e) => (found.workersError = e)),
	]);
	return found;
}

async function tableNames(): Promise<string[]> {
	const names: string[] = [];
	let start: string | undefined;
	do {
		const page = await dynamodb.send(new ListTablesCommand({ ExclusiveStartTableName: start }));
		names.push(...(page.TableNames ?? []));
		start = page.LastEvaluatedTableName;
	} while (start);
	return names;
}

export function Operations({ query }: { query: URLSearchParams }) {
	const table = query.get('table') ?? '';
	const every = Math.min(3600, Math.max(1, Number(query.get('every')) || 2)); // a timer of weeks fires at once
	const before = query.get('before') ?? undefined;
	const [names, setNames] = useState<string[]>([]);
	const [looks, setLooks] = useState<Look[]>([]);
	const [error, setError] = useState<unknown>();
	const paused = query.get('paused') !== null;
	const to = (changes: Record<string, string | undefined>) => go(['operations'], { ...Object.fromEntries(query), ...changes });
	const turn = useRef(0);
	const what = JSON.stringify([table, every, before]);
	const seen = useRef<string>(); // the last "what" that was looked at
	useEffect(() => setLooks([]), [table, every, before]);
	useEffect(() => {
		const mine = ++turn.current;
		const stale = () => mine !== turn.current;
		let timer: ReturnType<typeof setTimeout>;
		const step = async (all: string[]) => {
			if (!document.hidden) {
				const found = await look(table ? [table] : all.slice(0, TABLES), table || all[0], before);
				if (stale()) return;
				setLooks((l) => [...l, found].slice(-KEPT));
				seen.current = what;
			}
			if (!stale() && !paused) timer = setTimeout(() => step(all), every * 1000);
		};
		// What has been seen stays while it is paused; a link to a paused page looks once.
		if (!paused || seen.current !== what)
			tableNames().then(
				(all) => {
					if (stale()) return;
					setNames(all);
					setError(undefined);
					void step(all);
				},
				(e) => {
					if (stale()) return;
					setError(e); // a key that may not list tables may see one that it names
					if (table) void step([table]);
				},
			);
		return () => {
			turn.current++;
			clearTimeout(timer);
		};
	}, [table, every, before, paused]);
	const now = looks.at(-1);
	const hot = table || names[0];
	return (
		<>
			<div class="bar">
				<h1>Operations</h1>
				<label>
					Table{' '}
					<select value={table} onChange={(e) => to({ table: e.currentTarget.value, before: undefined })}>
						<option value="">all</option>
						{[...new Set([...names, ...(table ? [table] : [])])].map((n) => (
							<option key={n}>{n}</option>
						))}
					</select>
				</label>
				<label>
					Every{' '}
					<select value={String(every)} onChange={(e) => to({ every: e.currentTarget.value })}>
						{[...new Set([1, 2, 5, 15, 60, every])].sort((a, b) => a - b).map((s) => (
							<option key={s} value={s}>
								{s} s
							</option>
						))}
					</select>
				</label>
				<button type="button" class="quiet" aria-pressed={paused} onClick={() => to({ paused: paused ? undefined : '1' })}>
					{paused ? 'Go on' : 'Pause'}
				</button>
				<span role="status" class="note">
					{!now && 'Looking…'}
					{now && now.refused > 0 && `${now.refused} tables are not this key's to see. `}
					{!table && names.length > TABLES && `The first ${TABLES} of ${names.length} tables. `}
					{now && now.silent.size > 0 && `What ${[...now.silent].join(', ')} has counted is missing: no answer.`}
				</span>
			</div>
			<Problem error={error} />
			{now && <Requests looks={looks} every={every} />}
			{now && hot && <HotKeys table={hot} looks={looks} />}
			{now && <Jobs look={now} query={query} />}
			{now && <Mappings look={now} changed={(m) => setLooks((all) => [...all.slice(0, -1), { ...all.at(-1)!, mappings: all.at(-1)!.mappings?.map((old) => (old.Mapping === m.Mapping ? m : old)) }])} />}
			{now && <Workers look={now} />}
			<p class="note">For days and weeks there are Prometheus and the dashboard for Grafana: docs/monitoring.md.</p>
		</>
	);
}

interface Sums {
	requests: number;
	errors: number; // the caller's, conditions included
	conflicts: number;
	throttles: number;
	failures: number; // the server's
	readUnits: number;
	writeUnits?: number;
	latencies: Map<number, number>; // where a bucket ends, in ms, and its requests
}

/** All tables' counters by operation. */
function sum(statistics: Statistics[]): Map<string, Sums> {
	const sums = new Map<string, Sums>();
	for (const o of statistics.flatMap((s) => s.Operations)) {
		if (o.Operation === 'DescribeHotKeys') continue; // what this page asks for
		const s: Sums = sums.get(o.Operation) ?? { requests: 0, errors: 0, conflicts: 0, throttles: 0, failures: 0, readUnits: 0, latencies: new Map() };
		sums.set(o.Operation, s);
		s.requests += o.Requests;
		s.errors += o.UserErrors + o.ConditionFailures;
		s.conflicts += o.Conflicts;
		s.throttles += o.Throttles;
		s.failures += o.SystemErrors;
		s.readUnits += o.ReadUnits;
		if (o.WriteUnits !== undefined) s.writeUnits = (s.writeUnits ?? 0) + o.WriteUnits;
		for (const l of o.Latencies) s.latencies.set(endOf(l), (s.latencies.get(endOf(l)) ?? 0) + l.Requests);
	}
	return sums;
}

const endOf = (l: Latency) => l.Milliseconds ?? Infinity;

/** One histogram less another, which was there before; the newer alone if it has begun anew. */
function since(after: Map<number, number>, before: Map<number, number>): Map<number, number> {
	const left = new Map<number, number>();
	for (const [end, n] of after) {
		const more = n - (before.get(end) ?? 0);
		if (more < 0) return after;
		if (more > 0) left.set(end, more);
	}
	return left;
}

function merge(histograms: Iterable<Map<number, number>>): Map<number, number> {
	const all = new Map<number, number>();
	for (const h of histograms) for (const [end, n] of h) all.set(end, (all.get(end) ?? 0) + n);
	return all;
}

/** What a share q of the requests did not exceed, in ms; within a bucket they are spread evenly. */
export function quantile(histogram: Map<number, number>, q: number): number | undefined {
	const ends = [...histogram.keys()].sort((a, b) => a - b);
	let total = 0;
	for (const n of histogram.values()) total += n;
	if (total === 0) return undefined;
	let before = 0;
	for (const end of ends) {
		const n = histogram.get(end)!;
		if (before + n >= q * total) {
			if (end === Infinity) return ends.at(-2) ?? 0;
			// four buckets for each doubling: a bucket is as wide as a quarter of the power of two below it
			const low = end - 2 ** (Math.ceil(Math.log2(end * 1e6)) - 3) / 1e6;
			return low + ((end - low) * (q * total - before)) / n;
		}
		before += n;
	}
	return undefined;
}

/** None: a table or a node did not answer one of the two looks, so what they counted does not compare. */
const secondsBetween = (a: Look, b: Look) => (a.statistics.length === b.statistics.length ? Math.max(0.001, (b.at - a.at) / 1000) : undefined);

function Requests({ looks, every }: { looks: Look[]; every: number }) {
	const sums = looks.map((l) => sum(l.statistics));
	const steps = looks.slice(1).map((l, i) => {
		const seconds = secondsBetween(looks[i]!, l);
		const [before, after] = [sums[i]!, sums[i + 1]!];
		const rate = (what: (s: Sums) => number) => {
			let more = 0;
			for (const [name, s] of after) more += Math.max(0, what(s) - (before.get(name) ? what(before.get(name)!) : 0));
			return seconds && more / seconds;
		};
		const latencies = merge([...after].map(([name, s]) => since(s.latencies, before.get(name)?.latencies ?? new Map())));
		return { requests: rate((s) => s.requests), throttles: rate((s) => s.throttles), errors: rate((s) => s.errors), conflicts: rate((s) => s.conflicts), failures: rate((s) => s.failures), p50: seconds && quantile(latencies, 0.5), p99: seconds && quantile(latencies, 0.99) };
	});
	const columns = Math.max(LEAST, steps.length);
	const seconds = columns * every;
	const last = sums.at(-1)!;
	const rows = [...last].sort((a, b) => b[1].requests - a[1].requests);
	const uncounted = looks.at(-1)!.statistics.length > 0 && looks.at(-1)!.statistics.every((s) => s.Since === undefined);
	if (uncounted) return <p class="note">Nothing is counted here: dynamo is not in shared_preload_libraries, or no request has come yet.</p>;
	const rate = ([name, s]: [string, Sums]) => {
		const before = sums.at(-2);
		const seconds = before && secondsBetween(looks.at(-2)!, looks.at(-1)!);
		return seconds && Math.max(0, s.requests - (before.get(name)?.requests ?? 0)) / seconds;
	};
	const series = (name: string, of: (s: (typeof steps)[number]) => number | undefined) => ({ name, values: steps.map(of) });
	return (
		<section aria-label="Requests">
			<div class="charts">
				<Lines title="Requests" unit="a second" columns={columns} seconds={seconds} series={[series('requests', (s) => s.requests)]} />
				<Lines title="Latency" unit="ms" columns={columns} seconds={seconds} series={[series('p50', (s) => s.p50), series('p99', (s) => s.p99)]} />
				<Lines title="Not successful" unit="a second" columns={columns} seconds={seconds} series={[series('errors', (s) => s.errors), series('throttles', (s) => s.throttles), series('conflicts', (s) => s.conflicts), series('server errors', (s) => s.failures)]} />
			</div>
			<h2>By operation, since counting began</h2>
			<List rows={rows.slice(0, ROWS)} columns={columnsOf(rate)} id={([name]) => name} />
			{rows.length === 0 && <p class="note">No request has been counted yet.</p>}
		</section>
	);
}

const columnsOf = (rate: (row: [string, Sums]) => number | undefined): Column<[string, Sums]>[] => {
	const number = (head: string, of: (s: Sums) => number | undefined): Column<[string, Sums]> => ({ head, number: true, cell: ([, s]) => format(of(s)) });
	const bad = (head: string, of: (s: Sums) => number): Column<[string, Sums]> => ({ ...number(head, of), bad: ([, s]) => of(s) > 0 });
	return [
		{ head: 'Operation', cell: ([name]) => name },
		number('Requests', (s) => s.requests),
		{ head: 'a second', number: true, cell: (row) => format(rate(row)) },
		number('p50 ms', (s) => quantile(s.latencies, 0.5)),
		number('p99 ms', (s) => quantile(s.latencies, 0.99)),
		bad('Errors', (s) => s.errors),
		bad('Throttles', (s) => s.throttles),
		bad('Conflicts', (s) => s.conflicts),
		bad('Server errors', (s) => s.failures),
		number('Read units', (s) => s.readUnits),
		number('Write units', (s) => s.writeUnits),
	];
};

const textOf = (part: Json | undefined) => (part === undefined ? undefined : String(Object.values(part as object)[0]));
const nameOf = (k: HotKey) => [textOf(k.PartitionKey), textOf(k.SortKey)].filter((t) => t !== undefined).join(' / ');

function HotKeys({ table, looks }: { table: string; looks: Look[] }) {
	const [error, setError] = useState<unknown>();
	const [asked, setAsked] = useState(false);
	const now = looks.at(-1)!;
	const whole = now.keys?.some((k) => k.SortKey !== undefined);
	const wanted = (k: HotKey) => k.Event === 'accessed' && (k.SortKey !== undefined) === !!whole;
	const count = async () => {
		try {
			await dynamodb.send(new UpdateContributorInsightsCommand({ TableName: table, ContributorInsightsAction: 'ENABLE' }));
			setError(undefined);
			setAsked(true);
		} catch (e) {
			setError(e);
		}
	};
	const top = (now.keys ?? []).filter(wanted).sort((a, b) => b.Requests - a.Requests).slice(0, HOT);
	const throttled = (now.keys ?? []).filter((k) => k.Event === 'throttled');
	const known = looks.map((l) => new Map((l.keys ?? []).filter(wanted).map((k) => [nameOf(k), k.Requests])));
	const rows: HeatRow[] = top.map((k) => ({
		name: nameOf(k),
		total: k.Requests,
		values: known.slice(1).map((m, i) => Math.max(0, (m.get(nameOf(k)) ?? 0) - (known[i]!.get(nameOf(k)) ?? m.get(nameOf(k)) ?? 0))),
	}));
	return (
		<section aria-label="Hot keys">
			<h2>Hot keys of {table}</h2>
			<Problem error={now.keysError} />
			<Problem error={error} />
			{now.keys?.length === 0 && (
				<p class="note">
					No key is counted.{' '}
					{asked ? (
						'They are from now on.'
					) : (
						<button type="button" onClick={count}>
							Count them
						</button>
					)}
				</p>
			)}
			{rows.length > 0 && <Heat title={whole ? 'Whole keys that are asked for most' : 'Partition keys that are asked for most'} rows={rows} columns={Math.max(LEAST, looks.length - 1)} />}
			{throttled.length > 0 && <p class="problem">Throttled: {throttled.slice(0, 5).map((k) => `${nameOf(k)} (${k.Requests})`).join(', ')}</p>}
		</section>
	);
}

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);

function ageText(seconds: number): string {
	if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
	if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** A list of what the key may see; "none" is said where there is nothing. */
function Seen<T>({ title, rows, error, none, refused, columns, id, children }: { title: string; rows?: T[]; error: unknown; none: string; refused?: string; columns: Column<T>[]; id: (row: T, i: number) => string | number; children?: ComponentChildren }) {
	return (
		<section aria-label={title}>
			<h2>{title}</h2>
			{refused && (error as Error | undefined)?.name === 'AccessDeniedException' ? <p class="note">{refused}</p> : <Problem error={error} />}
			{rows?.length === 0 && <p class="note">{none}</p>}
			{rows && rows.length > 0 && <List rows={rows.slice(0, ROWS)} columns={columns} id={id} />}
			{children}
		</section>
	);
}

function Jobs({ look, query }: { look: Look; query: URLSearchParams }) {
	const to = (before: string | undefined) => link(['operations'], { ...Object.fromEntries(query), before });
	return (
		<Seen
			title="Backups, restores, exports, imports"
			rows={look.jobs?.Jobs}
			error={look.jobsError}
			none={look.jobs?.NextToken ? 'There is none here that this key may see.' : 'There is none in the last 90 days that this key may see.'}
			id={(j) => j.JobId}
			columns={[
				{ head: 'Kind', cell: (j) => j.Kind.toLowerCase().replace('_', ' ') },
				{ head: 'Table', cell: (j) => <a href={link(['table', j.TableName])}>{j.TableName}</a> },
				{
					head: 'Status',
					bad: (j) => j.Status === 'FAILED' || j.Status === 'COMPLETED_WITH_ERRORS',
					cell: (j) => (
						<>
							{j.Status}
							{j.FailureMessage && <div class="problem">{`${j.FailureCode ?? ''} ${j.FailureMessage}`.trim()}</div>}
						</>
					),
				},
				{ head: 'Progress', cell: progress },
				{ head: 'Asked for (UTC)', cell: (j) => timeText(j.CreationDateTime) },
				{ head: 'Took', number: true, cell: (j) => ageText((j.EndDateTime ?? look.at / 1000) - (j.StartDateTime ?? j.CreationDateTime)) },
				{ head: 'By', cell: (j) => j.Owner },
			]}
		>
			{(look.jobs?.NextToken || query.get('before')) && (
				<p class="bar">
					{query.get('before') && (
						<a class="button quiet" href={to(undefined)}>
							The newest
						</a>
					)}
					{look.jobs?.NextToken && (
						<a class="button quiet" href={to(look.jobs.NextToken)}>
							Older ones
						</a>
					)}
				</p>
			)}
		</Seen>
	);
}

function progress(j: Job) {
	const done = [j.ProcessedItems !== undefined ? `${j.ProcessedItems.toLocaleString('en')} items` : '', j.ProcessedBytes ? formatBytes(j.ProcessedBytes) : ''].filter(Boolean).join(', ');
	if (j.EndDateTime !== undefined) return done || 'done';
	return (
		<>
			<progress aria-label={`${j.Kind} of ${j.TableName}`} max={j.TotalBytes || undefined} value={j.TotalBytes ? (j.ProcessedBytes ?? 0) : undefined} /> {done}
		</>
	);
}

function Mappings({ look, changed }: { look: Look; changed: (mapping: Mapping) => void }) {
	const [error, setError] = useState<unknown>();
	const change = (m: Mapping, enabled: boolean) =>
		updateMapping(m.Mapping, enabled).then(
			(now) => (setError(undefined), changed(now)),
			(e) => setError(e),
		);
	const button = (m: Mapping, text: string, enabled: boolean) => (
		<button type="button" class="quiet" aria-label={`${text}: ${m.FunctionName}`} onClick={() => change(m, enabled)}>
			{text}
		</button>
	);
	return (
		<Seen
			title="Event source mappings"
			rows={look.mappings}
			error={look.mappingsError}
			none="There is none that this key may see."
			id={(m) => m.Mapping}
			columns={[
				{ head: 'Function', cell: (m) => m.FunctionName },
				{ head: 'Table', cell: (m) => <a href={link(['table', m.TableName, 'stream'], { filter: m.FilterCriteria ? JSON.stringify(m.FilterCriteria) : undefined })}>{m.TableName}</a> },
				{ head: 'State', cell: (m) => (m.Enabled ? 'enabled' : 'disabled') },
				{ head: 'Lag', number: true, cell: (m) => (m.LagSeconds === undefined ? 'none' : ageText(m.LagSeconds)) },
				{ head: 'Handled', number: true, cell: (m) => m.Handled.toLocaleString('en') },
				{ head: 'Given up', number: true, bad: (m) => m.Discarded > 0, cell: (m) => m.Discarded.toLocaleString('en') },
				{
					head: 'Last result',
					bad: (m) => m.RetryDateTime !== undefined,
					cell: (m) => (
						<>
							{m.LastProcessingResult ?? '–'}
							{m.RetryDateTime !== undefined && <small> again at {timeText(m.RetryDateTime)}</small>}
						</>
					),
				},
				{
					head: 'Change',
					cell: (m) => (
						<>
							{m.Enabled && m.RetryDateTime !== undefined && button(m, 'Retry now', true)} {m.Enabled ? button(m, 'Stop', false) : button(m, 'Start', true)}
						</>
					),
				},
			]}
		>
			<Problem error={error} />
		</Seen>
	);
}

function Workers({ look }: { look: Look }) {
	return (
		<Seen
			title="Worker slots"
			rows={look.workers}
			error={look.workersError}
			none="There is none."
			refused="Workers serve all databases, so they are shown to members of pg_monitor."
			id={(w, i) => w.ProcessId ?? `-${i}`}
			columns={[
				{ head: 'Process', cell: (w) => w.ProcessId ?? '–' },
				{ head: 'Kind', cell: (w) => w.Kind ?? '–' },
				{ head: 'Database', cell: (w) => w.Database ?? '–' },
				{ head: 'Service', cell: (w) => w.Service ?? '–' },
				{ head: 'State', bad: (w) => /^(?:ending|lost|waiting)$/.test(w.State), cell: (w) => `${w.State}${w.Waiting ? ` (${w.Waiting})` : ''}` },
				{ head: 'For', number: true, cell: (w) => (w.SinceDateTime === undefined ? '–' : ageText(look.at / 1000 - w.SinceDateTime)) },
				{ head: 'Does, or did last', cell: (w) => w.Activity ?? '–' },
			]}
		/>
	);
}

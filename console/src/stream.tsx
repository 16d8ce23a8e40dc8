// A table's stream as it flows, with what each change changed.
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand, type _Record } from '@aws-sdk/client-dynamodb-streams';
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useRef, useState } from 'preact/hooks';
import { streams } from './client';
import { getFilterMatches } from './own';
import { Diff, Problem } from './parts';
import { go } from './route';
import { itemJson, keyText, type Item } from './values';

const KEPT = 500; // records that stay in the page
const PAUSE = 1000; // ms between two looks
const MOVES = 10_000; // the same for shards: those of a distributed table begin and end while nodes come and go

const EXAMPLE = '{"Filters": [{"Pattern": "{\\"eventName\\": [\\"INSERT\\"]}"}]}';
const BATCH = 20; // records that are asked about at once

export function Stream({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const [records, setRecords] = useState<_Record[]>([]);
	const from = query.get('from') === 'LATEST' ? 'LATEST' : 'TRIM_HORIZON';
	const criteria = query.get('filter') ?? '';
	const flowing = query.get('paused') === null;
	const [error, setError] = useState<unknown>();
	const [draft, setDraft] = useState(criteria);
	const [filterError, setFilterError] = useState<unknown>();
	const [passes, setPasses] = useState<Map<string, boolean>>(new Map());
	const asking = useRef<string>(); // the filter that an answer is waited for
	const part = query.get('part') ?? '';
	const to = (changes: Record<string, string | undefined>) => go(['table', table.TableName!, 'stream'], { ...Object.fromEntries(query), ...changes });
	const arn = table.LatestStreamArn;
	useEffect(() => {
		if (!arn || (!flowing && records.length > 0)) return;
		let stopped = false;
		setRecords([]);
		setError(undefined);
		follow(arn, from, flowing, () => stopped, (more) => setRecords((r) => [...more, ...r].slice(0, KEPT))).catch((e) => stopped || setError(e));
		return () => {
			stopped = true;
		};
	}, [arn, from, flowing]);
	useEffect(() => {
		setDraft(criteria);
		setPasses(new Map());
		setFilterError(undefined);
	}, [criteria]);
	useEffect(() => {
		// Only what has not been asked about, a part at a time: the next answer asks for the next.
		const open = records.filter((r) => !passes.has(r.eventID!)).slice(0, BATCH);
		if (!criteria || open.length === 0 || filterError || asking.current === criteria) return;
		asking.current = criteria;
		const mine = () => {
			if (asking.current !== criteria) return false;
			asking.current = undefined;
			return true;
		};
		getFilterMatches(criteria, open.map((r) => eventOf(r, arn!))).then(
			(matches) => mine() && setPasses((p) => new Map([...p, ...matches.map((m, i): [string, boolean] => [open[i]!.eventID!, m])])),
			(e) => mine() && setFilterError(e),
		);
	}, [criteria, records, passes, filterError]);
	if (!arn || !table.StreamSpecification?.StreamEnabled) return <p class="note">This table has no stream. UpdateTable with StreamSpecification makes one.</p>;
	const keyTexts = (r: _Record) => Object.values(r.dynamodb?.Keys ?? {}).map((v) => keyText(v as never)).join(' / ');
	const shown = records.filter((r) => (!part || keyTexts(r).includes(part) || r.eventName === part) && (!criteria || passes.get(r.eventID!)));
	return (
		<>
			<p class="bar">
				<label>
					From{' '}
					<select value={from} onChange={(e) => to({ from: e.currentTarget.value })}>
						<option value="TRIM_HORIZON">the oldest record</option>
						<option value="LATEST">now on</option>
					</select>
				</label>
				<label>
					Only with <input value={part} placeholder="a part of the key, or INSERT" onChange={(e) => to({ part: e.currentTarget.value })} />
				</label>
				<button type="button" aria-pressed={!flowing} onClick={() => to({ paused: flowing ? '1' : undefined })}>
					{flowing ? 'Pause' : 'Go on'}
				</button>
				<span role="status">
					{criteria || part ? `${shown.length} of ${records.length} records` : `${records.length} records`}
				</span>
			</p>
			<details class="panel" open={criteria !== ''}>
				<summary>Try a filter of event source mappings</summary>
				<form
					onSubmit={(e) => {
						e.preventDefault();
						to({ filter: draft });
					}}
				>
					<label>
						FilterCriteria
						<textarea name="criteria" rows={3} spellcheck={false} placeholder={EXAMPLE} value={draft} onInput={(e) => setDraft(e.currentTarget.value)} />
					</label>
					<button>Try it</button>
					{criteria !== '' && (
						<button type="button" class="quiet" onClick={() => to({ filter: undefined })}>
							No filter
						</button>
					)}
					<Problem error={filterError} />
				</form>
			</details>
			<Problem error={error} />
			<ol class="records">
				{shown.map((r) => (
					<li key={r.eventID}>
						<details>
							<summary>
								<span class={`event ${r.eventName}`}>{r.eventName}</span> {keyTexts(r)} <small>{r.dynamodb?.ApproximateCreationDateTime?.toISOString()}</small>
								{r.userIdentity && <small> by Time to Live</small>}
							</summary>
							<Diff before={r.dynamodb?.OldImage as Item | undefined} after={r.dynamodb?.NewImage as Item | undefined} />
						</details>
					</li>
				))}
			</ol>
		</>
	);
}

/** A record as a function of a mapping gets it. */
function eventOf(r: _Record, arn: string): object {
	const d = r.dynamodb;
	const image = (i: unknown) => (i ? itemJson(i as Item) : undefined);
	return {
		...r,
		eventSourceARN: arn,
		dynamodb: { ...d, ApproximateCreationDateTime: (d?.ApproximateCreationDateTime?.getTime() ?? 0) / 1000, Keys: image(d?.Keys), NewImage: image(d?.NewImage), OldImage: image(d?.OldImage) },
	};
}

/** Reads all shards in turns until it is told to stop, or, unless it is to go on, has what is there. */
async function follow(arn: string, from: 'LATEST' | 'TRIM_HORIZON', on: boolean, stopped: () => boolean, found: (records: _Record[]) => void): Promise<void> {
	const iterators = new Map<string, string | undefined>();
	let looked = 0;
	const findShards = async (ShardIteratorType: 'LATEST' | 'TRIM_HORIZON') => {
		looked = Date.now();
		let start: string | undefined;
		do {
			const page = (await streams.send(new DescribeStreamCommand({ StreamArn: arn, ExclusiveStartShardId: start }))).StreamDescription;
			for (const { ShardId } of page?.Shards ?? [])
				if (!iterators.has(ShardId!)) iterators.set(ShardId!, (await streams.send(new GetShardIteratorCommand({ StreamArn: arn, ShardId, ShardIteratorType }))).ShardIterator);
			start = page?.LastEvaluatedShardId;
		} while (start);
	};
	await findShards(from);
	while (!stopped()) {
		let any = false;
		for (const [shard, iterator] of iterators) {
			if (!iterator || stopped()) continue;
			const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 100 }));
			iterators.set(shard, page.NextShardIterator);
			if (page.Records?.length && !stopped()) {
				any = true;
				found([...page.Records].reverse());
			}
		}
		if (!any && !on) return;
		if (!any) await new Promise((done) => setTimeout(done, PAUSE));
		if (!stopped() && on && Date.now() - looked > MOVES) await findShards('TRIM_HORIZON');
	}
}

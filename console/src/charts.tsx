// Drawings of numbers over time.  Each has its numbers as text, too.

export interface Series {
	name: string;
	values: (number | undefined)[]; // the newest last
}

const WIDTH = 600;
const HEIGHT = 150;
const LEFT = 52; // for the scale

/** Lines over time, with the newest value of each in the legend. */
export function Lines({ title, unit, series, columns, seconds }: { title: string; unit: string; series: Series[]; columns: number; seconds: number }) {
	const top = niceTop(Math.max(0, ...series.flatMap((s) => s.values.map((v) => v ?? 0))));
	const n = Math.max(2, columns);
	const x = (i: number, length: number) => LEFT + ((i + n - length) * (WIDTH - LEFT - 4)) / (n - 1);
	const y = (v: number) => 8 + (1 - v / top) * (HEIGHT - 16);
	return (
		<figure class="chart">
			<figcaption>
				{title} <small>({unit})</small>
			</figcaption>
			<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${series.map((s) => `${s.name} ${format(s.values.at(-1))} ${unit}`).join(', ')}`}>
				{[0, 0.5, 1].map((share) => (
					<g key={share}>
						<line x1={LEFT} x2={WIDTH - 4} y1={y(top * share)} y2={y(top * share)} class="grid" />
						<text x={LEFT - 6} y={y(top * share) + 4} text-anchor="end">
							{format(top * share)}
						</text>
					</g>
				))}
				{series.map((s, k) => (
					<path key={s.name} class={`line kind${k}`} d={pathOf(s.values, (i) => x(i, s.values.length), y)} />
				))}
			</svg>
			<ul class="legend">
				{series.map((s, k) => (
					<li key={s.name}>
						<span class={`swatch kind${k}`} aria-hidden="true" />
						{s.name} <strong>{format(s.values.at(-1))}</strong>
					</li>
				))}
				<li class="note">last {spanText(seconds)}</li>
			</ul>
		</figure>
	);
}

function pathOf(values: (number | undefined)[], x: (i: number) => number, y: (v: number) => number): string {
	let path = '';
	let pen = 'M';
	for (const [i, v] of values.entries()) {
		if (v === undefined) pen = 'M';
		else {
			path += `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
			pen = 'L';
		}
	}
	return path;
}

/** The next of 1, 2, 5, 10, ... */
function niceTop(most: number): number {
	if (most <= 0) return 1;
	const power = 10 ** Math.floor(Math.log10(most));
	return power * [1, 2, 5, 10].find((f) => f * power >= most)!;
}

export function format(v: number | undefined): string {
	if (v === undefined || Number.isNaN(v)) return '–';
	return v >= 100 || v === Math.round(v) ? Math.round(v).toLocaleString('en') : v.toPrecision(2);
}

function spanText(seconds: number): string {
	return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}

export interface HeatRow {
	name: string;
	total: number;
	values: number[]; // requests in each interval, the newest last
}

/** Rows of cells: the more requests in an interval, the stronger the colour. */
export function Heat({ title, rows, columns }: { title: string; rows: HeatRow[]; columns: number }) {
	const most = Math.max(1, ...rows.flatMap((r) => r.values));
	return (
		<table class="heat">
			<caption>{title}</caption>
			<thead>
				<tr>
					<th scope="col">Key</th>
					<th scope="col" class="number">
						Requests
					</th>
					<th scope="col">Over time, now at the right</th>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<tr key={row.name}>
						<th scope="row">
							<code>{row.name}</code>
						</th>
						<td class="number">{row.total.toLocaleString('en')}</td>
						<td>
							<svg viewBox={`0 0 ${columns * 8} 18`} preserveAspectRatio="none" role="img" aria-label={`${row.values.at(-1) ?? 0} requests in the last interval`}>
								{row.values.map((v, i) => (
									<rect key={i} x={(columns - row.values.length + i) * 8} y="0" width="7.4" height="18" opacity={v === 0 ? 0.08 : 0.2 + (0.8 * v) / most} />
								))}
							</svg>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

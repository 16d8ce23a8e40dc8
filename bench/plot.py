"""Draw what "make bench" printed: DIR/results.md becomes DIR/*.svg.

    python3 bench/plot.py DIR

All plots there are replaced; one whose table is not in the results is left out.
The colours follow the reader's choice of a light or a dark page.
"""
import html
import math
import re
import sys
from pathlib import Path

WIDTH = 760
STYLE = """
svg { font: 13px system-ui, sans-serif; }
.page { fill: #ffffff; } .text { fill: #1f2328; } .faint { fill: #59636e; }
.grid { stroke: #d1d9e0; } .axis { stroke: #59636e; }
.goal { stroke: #cf222e; stroke-width: 3; }
.a { fill: #0969da; } .b { fill: #bc4c00; } .line { fill: none; stroke-width: 2; }
.line.a { stroke: #0969da; fill: none; } .line.b { stroke: #bc4c00; fill: none; }
.c { fill: #8250df; } .d { fill: #6e7781; }
.line.c { stroke: #8250df; fill: none; } .line.d { stroke: #6e7781; fill: none; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } .text { fill: #f0f6fc; } .faint { fill: #9198a1; }
.grid { stroke: #3d444d; } .axis { stroke: #9198a1; }
.goal { stroke: #ff7b72; }
.a { fill: #4493f8; } .b { fill: #f0883e; }
.line.a { stroke: #4493f8; } .line.b { stroke: #f0883e; }
.c { fill: #ab7df8; } .d { fill: #9198a1; }
.line.c { stroke: #ab7df8; } .line.d { stroke: #9198a1; }
}
"""

# What a ratio should reach: instructions, throughput; None: no goal.
GOALS = {
    "get: `dynamo.get_item`, key in JSON": (1.05, 1.05),
    "get: `dynamo.get_item`, bare keys": (1.05, 1.05),
    "get: plain SQL on the relation": (1.05, 1.05),
    "Query of 100": (2.1, 2.1),
    "Query of 25 on an index": (1.5, 1.5),
    "`ADD`": (1.9, None),
    "`SET` if a condition holds": (1.6, None),
    "put, overwrite": (1.2, 1.1),
    "put, new": (1.2, 1.1),
    "transaction of 4; plain: one statement": (1.7, None),
    "`COPY`, a row": (0.9, 0.9),
}
BYTES_GOALS = {"2": 0.80, "10": 0.95}
HTTP_GOALS = {"dynalite": (6, 4)}
COLD_GOALS = {"Query of 100": 12, "get: `dynamo.get_item`, key in JSON": 1.0}


class Drawing:
    """Elements of an SVG, in the order they are painted."""

    def __init__(self, height, title):
        self.height = height
        self.elements = []
        self.text(WIDTH / 2, 24, title, "middle", "text", 'font-weight="600" font-size="15"')

    def add(self, element):
        self.elements.append(element)

    def text(self, x, y, words, anchor="start", kind="text", more=""):
        words = html.escape(words.replace("`", ""))
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}" {more}>{words}</text>')

    def line(self, x1, y1, x2, y2, kind, more=""):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}" {more}/>')

    def bar(self, x, y, width, height, kind):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" class="{kind}"/>')

    def dot(self, x, y, kind):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="{kind}"/>')

    def path(self, points, kind, dashed=False):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.add(f'<polyline points="{joined}" class="line {kind}"{dashes}/>')

    def legend(self, x, y, entries):
        for kind, words in entries:
            if kind == "goal":
                self.line(x + 6, y - 11, x + 6, y + 1, "goal")
            else:
                self.bar(x, y - 10, 12, 10, kind)
            self.text(x + 18, y, words, kind="faint")
            x += 40 + 7 * len(words)

    def write(self, path):
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}"><style>{STYLE}</style>'
            f'<rect width="{WIDTH}" height="{self.height}" rx="6" class="page"/>\n'
            + "\n".join(self.elements) + "\n</svg>\n")


def read_tables(path):
    """The tables of a Markdown file: {script: [[row, ...], ...]}, heads first."""
    tables, script, rows = {}, "", []
    for line in path.read_text().splitlines() + [""]:
        if line.startswith("## "):
            script = line[3:].strip("` ").removeprefix("bench/")
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                rows.append(cells)
        elif rows:
            tables.setdefault(script, []).append(rows)
            rows = []
    return tables


def number(cell):
    """What stands in a cell; None if it could not be measured."""
    return None if cell in ("-", "") else float(cell)


def ratio_bars(drawing, top, rows, series, limit, step_of_ticks, left=300):
    """Bars of rows (what, values, goals), each value at the right; returns the
    y below them."""
    right = WIDTH - 70
    thick = 11
    step = thick * len(series) + 12

    def place(value):
        return left + min(value, limit) / limit * (right - left)

    bottom = top + step * len(rows)
    for tick in (n * step_of_ticks for n in range(int(limit / step_of_ticks) + 1)):
        drawing.line(place(tick), top, place(tick), bottom, "axis" if tick in (0, 1) else "grid")
        drawing.text(place(tick), bottom + 16, f"{tick:g}", "middle", "faint")
    for nth, (what, values, goals) in enumerate(rows):
        y = top + nth * step + 6
        drawing.text(left - 10, y + step / 2 - 2, what, "end")
        for kind, value, goal in zip(series, values, goals):
            if value is not None:
                drawing.bar(left, y, place(value) - left, thick, kind)
                drawing.text(WIDTH - 20, y + thick - 1, f"{value:.2f}", "end", "faint", 'font-size="11"')
            if goal is not None:
                drawing.line(place(goal), y - 1, place(goal), y + thick + 1, "goal")
            y += thick
    return bottom


def draw_ratios(tables, path):
    found = {}
    for column, script in ((1, "plain"), (0, "instructions")):
        for row in tables.get(script, [[]])[0][1:]:
            found.setdefault(row[0], [None, None])[column] = number(row[3])
    rows = [(what, values, GOALS.get(what, (None, None))) for what, values in found.items() if "nothing" not in what]
    if not rows:
        return
    drawing = Drawing(120 + 34 * len(rows), "Against the table an expert would write")
    drawing.legend(300, 48, [("a", "fewer instructions"), ("b", "more throughput"), ("goal", "goal")])
    bottom = ratio_bars(drawing, 62, rows, ("a", "b"), 3, 0.5)
    drawing.text(WIDTH / 2, bottom + 40, "how many times as good as plain; above 1: dynamo is ahead", "middle", "faint")
    drawing.write(path)


def draw_bytes(tables, path):
    both = tables.get("plain", [])
    if len(both) < 2:
        return
    rows = [(f"{row[0]} global indexes", [number(row[3])], [BYTES_GOALS.get(row[0])]) for row in both[1][1:]]
    drawing = Drawing(120 + 23 * len(rows), "Bytes an item, indexes included")
    drawing.legend(300, 48, [("a", "dynamo / plain"), ("goal", "goal: at most")])
    bottom = ratio_bars(drawing, 62, rows, ("a",), 2, 0.5)
    drawing.text(WIDTH / 2, bottom + 40, "share of the plain table's bytes; below 1: dynamo is smaller", "middle", "faint")
    drawing.write(path)


def draw_http(tables, path):
    found = [table for table in tables.get("http", []) if table[0][0] == "server"]
    if not found:
        return
    ratios = [found[0][0].index(operation) + 1 for operation in ("GetItem/s", "PutItem/s")]
    rows = [(row[0], [number(row[nth]) for nth in ratios], HTTP_GOALS.get(row[0].split()[0], (None, None)))
            for row in found[0][1:] if not row[0].startswith("dynamo,")]
    if not rows:
        return
    drawing = Drawing(120 + 34 * len(rows), "Requests a second over HTTP, beside other servers")
    drawing.legend(300, 48, [("a", "GetItem"), ("b", "PutItem"), ("goal", "goal")])
    limit, step = nice_limit(max(value or 1 for _, values, _ in rows for value in values))
    bottom = ratio_bars(drawing, 62, rows, ("a", "b"), limit, step)
    drawing.text(WIDTH / 2, bottom + 40, "how many times as many dynamo answers", "middle", "faint")
    drawing.write(path)


def nice_limit(value):
    """A round number not below the value, and the step of its ticks."""
    size = 10 ** math.floor(math.log10(value))
    for factor in (1, 2, 2.5, 5, 10):
        if value <= factor * size:
            return factor * size, factor * size / 5
    raise AssertionError


def growth_panel(drawing, left, rows, lines, title, below):
    """Lines (kind, dashed, values) over the first column of rows."""
    top, bottom, right = 70, 270, left + 290
    limit, step = nice_limit(max(value for line in lines for value in line[2]))

    def place(nth, value):
        x = left + (right - left) * nth / max(len(rows) - 1, 1)
        return x, bottom - value / limit * (bottom - top)

    drawing.text((left + right) / 2, top - 12, title, "middle")
    for n in range(6):
        y = place(0, n * step)[1]
        drawing.line(left, y, right, y, "axis" if n == 0 else "grid")
        drawing.text(left - 6, y + 4, f"{n * step:g}", "end", "faint")
    for nth, row in enumerate(rows):
        drawing.text(place(nth, 0)[0], bottom + 18, re.sub(r"\^(\d)", lambda found: "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(found[1])], row[0]), "middle", "faint")
    for kind, dashed, values in lines:
        points = [place(nth, value) for nth, value in enumerate(values)]
        drawing.path(points, kind, dashed)
        for x, y in points:
            drawing.dot(x, y, kind)
    drawing.text((left + right) / 2, bottom + 40, below, "middle", "faint")


def column(rows, nth):
    return [float(row[nth]) for row in rows]


def draw_growth(tables, path):
    if "growth" not in tables:
        return
    rows = tables["growth"][0][1:]
    drawing = Drawing(360, "As a table grows")
    for left, nth, title in ((75, 1, "GetItem"), (445, 5, "Query of 100")):
        lines = [("a", False, column(rows, nth)), ("b", False, column(rows, nth + 1))]
        growth_panel(drawing, left, rows, lines, f"{title}, thousands of instructions", "items in the table")
    drawing.legend(290, 345, [("a", "dynamo"), ("b", "plain")])
    drawing.write(path)


def draw_churn(tables, path):
    """The first week with autovacuum's default settings, the second, dashed, with early ones."""
    weeks = [table[1:] for table in tables.get("churn", []) if table[0][0] == "day"]
    if len(weeks) < 2:
        return
    drawing = Drawing(360, "A week of churn")
    for left, nth, title in ((75, 1, "pages a collection"), (445, 5, "pages full, %")):
        lines = [(kind, dashed, column(week, nth + side))
                 for week, dashed in zip(weeks, (False, True)) for side, kind in enumerate("ab")]
        growth_panel(drawing, left, weeks[0], lines, title, "days; dashed: with early autovacuum")
    drawing.legend(290, 345, [("a", "dynamo"), ("b", "plain")])
    drawing.write(path)


def latency_marks(drawing, row, head, y, place):
    """For each way a line from p50 to p99, with a dot at each percentile."""
    for kind, shift, y_off in (("a", 0, -5), ("b", 1, 6)):
        values = [float(row[head.index(p) + shift]) for p in ("p50", "p90", "p99")]
        drawing.path([(place(value), y + y_off) for value in values], kind)
        for value in values:
            drawing.dot(place(value), y + y_off, kind)


def draw_latency(tables, path):
    found = [table for table in tables.get("http", []) if table[0][0] == "beside"]
    if not found:
        return
    head, rows = found[0][0], found[0][1:]
    values = [float(row[head.index(p) + shift]) for row in rows for p in ("p50", "p90", "p99") for shift in (0, 1)]
    low, high = math.floor(math.log10(max(min(values), 1))), math.ceil(math.log10(max(values)))
    left, right, top = 230, WIDTH - 40, 62
    bottom = top + 36 * len(rows)

    def place(value):
        return left + (math.log10(max(value, 1)) - low) / (high - low) * (right - left)

    drawing = Drawing(bottom + 60, "How long a GetItem takes beside long requests")
    drawing.legend(left, 48, [("a", "HTTP"), ("b", "SQL connections")])
    for power in range(low, high + 1):
        drawing.line(place(10 ** power), top, place(10 ** power), bottom, "grid")
        drawing.text(place(10 ** power), bottom + 16, f"{10 ** power / 1000:g} ms", "middle", "faint")
    for nth, row in enumerate(rows):
        y = top + 36 * nth + 18
        drawing.text(left - 10, y + 4, row[0], "end")
        latency_marks(drawing, row, head, y, place)
    drawing.text(WIDTH / 2, bottom + 42, "dots: p50, p90, p99; each step of the scale is ten times as long", "middle", "faint")
    drawing.write(path)


def open_panel(drawing, left, top, title, rows, kinds):
    """Milliseconds over the share of dynamo's maximum: p99, and dashed p50."""
    right, bottom = left + 190, top + 170
    loads = sorted({int(row[1]) for row in rows})

    def place(load, milliseconds):
        power = math.log10(min(max(milliseconds, 0.1), 10000))
        return (left + (right - left) * loads.index(load) / max(len(loads) - 1, 1),
                bottom - (power + 1) / 5 * (bottom - top))

    drawing.text((left + right) / 2, top - 10, title, "middle")
    for power in range(-1, 5):
        y = place(loads[0], 10 ** power)[1]
        drawing.line(left, y, right, y, "axis" if power == -1 else "grid")
        drawing.text(left - 6, y + 4, f"{10 ** power:g}", "end", "faint", 'font-size="11"')
    for load in loads:
        drawing.text(place(load, 1)[0], bottom + 16, f"{load} %", "middle", "faint", 'font-size="11"')
    for server, kind in reversed(kinds.items()):
        of_server = [row for row in rows if row[3] == server]
        for nth, dashed in ((5, True), (6, False)):
            drawing.path([place(int(row[1]), float(row[nth])) for row in of_server], kind, dashed)
        for row in of_server:
            drawing.dot(*place(int(row[1]), float(row[6])), kind)


def draw_open(tables, path):
    found = [table[1:] for table in tables.get("open", []) if table[0][2] == "operations/s"]
    if not found:
        return
    rows = [row for row in found[0] if row[1].isdigit()]
    kinds = dict(zip(dict.fromkeys(row[3] for row in rows), "abcd"))
    workloads = list(dict.fromkeys(row[0] for row in rows))
    lines = math.ceil(len(workloads) / 3)
    drawing = Drawing(120 + 235 * lines, "Latency at the same number of requests a second")
    drawing.legend(110, 48, [(kind, server) for server, kind in kinds.items()])
    for nth, workload in enumerate(workloads):
        open_panel(drawing, 60 + 240 * (nth % 3), 90 + 235 * (nth // 3), workload,
                   [row for row in rows if row[0] == workload], kinds)
    drawing.text(WIDTH / 2, drawing.height - 30, "milliseconds, each step ten times as long: p99, dashed p50", "middle", "faint")
    drawing.text(WIDTH / 2, drawing.height - 12, "over the rate, as a share of the most that dynamo answers to 64 connections", "middle", "faint")
    drawing.write(path)


def draw_cold(tables, path):
    found = [table for table in tables.get("cold", []) if "half of the rounds" in table[0]]
    if not found:
        return
    rows = [(row[0], [number(row[3])], [COLD_GOALS.get(row[0])]) for row in found[0][1:]]
    drawing = Drawing(120 + 23 * len(rows), "Tables beyond memory, against the table an expert would write")
    drawing.legend(300, 48, [("a", "statements a second: dynamo / plain"), ("goal", "goal")])
    limit, step = nice_limit(max(value for _, values, goals in rows for value in values + goals if value is not None))
    bottom = ratio_bars(drawing, 62, rows, ("a",), limit, step)
    drawing.text(WIDTH / 2, bottom + 40, "how many times as many as plain; above 1: dynamo is ahead", "middle", "faint")
    drawing.write(path)


def graph_axis(drawing, left, right, bottom, place):
    """A scale of milliseconds, each step ten times as long."""
    for power in range(3):
        drawing.line(place(10 ** power), bottom - 170, place(10 ** power), bottom, "grid")
        drawing.text(place(10 ** power), bottom + 16, f"{10 ** power:g} ms", "middle", "faint")
    drawing.line(left, bottom, right, bottom, "axis")


def graph_panel(drawing, left, bottom, rows, title):
    """Recall over time: the graph's, that of the plain table, and exactly."""
    right = left + 290
    least = min(float(row[column]) for row in rows for column in (4, 7))
    low = math.floor(least * 20 - 0.01) / 20

    def place(value):
        return left + min(max(math.log10(max(value, 0.1)) + 0.3, 0), 2.5) / 2.5 * (right - left)

    def height(recall):
        return bottom - (recall - low) / (1 - low) * 150

    drawing.text((left + right) / 2, bottom - 180, title, "middle")
    graph_axis(drawing, left, right, bottom, place)
    for n in range(round((1 - low) * 20) + 1):
        y = height(low + n / 20)
        drawing.line(left, y, right, y, "grid")
        drawing.text(left - 6, y + 4, f"{low + n / 20:.2f}", "end", "faint")
    for kind, ms, recall in (("b", 6, 7), ("a", 3, 4)):
        points = [(place(float(row[ms])), height(float(row[recall]))) for row in rows]
        drawing.path(points, kind)
        for x, y in points:
            drawing.dot(x, y, kind)
    exact = place(float(rows[0][2]))
    drawing.dot(exact, height(1), "text")
    drawing.text(exact, height(1) + 18, "exact", "middle", "faint")


def filter_panel(drawing, left, bottom, rows, title):
    """Time over the share that meets a filter; the recall beside each dot."""
    right = left + 290
    values = [max(float(row[column]), 0.01) for row in rows for column in (2, 3, 6)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(nth, value):
        return (left + 15 + (right - left - 30) * nth / (len(rows) - 1),
                bottom - (math.log10(max(value, 0.01)) - low) / max(high - low, 1) * 150)

    drawing.text((left + right) / 2, bottom - 165, title, "middle")
    for power in range(low, high + 1):
        y = place(0, 10 ** power)[1]
        drawing.line(left, y, right, y, "axis" if power == low else "grid")
        drawing.text(left - 6, y + 4, f"{10 ** power:g} ms", "end", "faint")
    for kind, ms, recall, other in (("b", 6, 7, 3), ("a", 3, 4, 6)):
        points = [place(nth, float(row[ms])) for nth, row in enumerate(rows)]
        drawing.path(points, kind)
        for (x, y), row in zip(points, rows):
            drawing.dot(x, y, kind)
            shift = 18 if float(row[ms]) < float(row[other]) else -9
            drawing.text(x, y + shift, f"{float(row[recall]):.2f}", "middle", kind, 'font-size="11"')
    for nth, row in enumerate(rows):
        drawing.text(place(nth, 1)[0], bottom + 16, f"{row[1]} %", "middle", "faint")


def draw_graph(tables, path):
    found = [table[1:] for table in tables.get("graph", [])]
    if len(found) < 2:
        return
    drawing = Drawing(555, "Searches of vectors by a graph")
    drawing.legend(240, 48, [("a", "dynamo, auto"), ("b", "plain table, pgvector")])
    for nth, rows in enumerate(found):
        left, bottom = (75, 445)[nth // 2 % 2], (265, 505)[nth % 2]
        items = f"{int(rows[0][0]):,} items"
        if nth % 2 == 0:
            graph_panel(drawing, left, bottom, rows, f"{items}: recall of the nearest 10")
        else:
            filter_panel(drawing, left, bottom, rows, f"{items}: time with a filter, and recall")
            drawing.text(left + 145, bottom + 34, "items that meet the filter", "middle", "faint")
    drawing.write(path)


def main():
    directory = Path(sys.argv[1])
    tables = read_tables(directory / "results.md")
    for old in directory.glob("*.svg"):
        old.unlink()
    draw_ratios(tables, directory / "ratios.svg")
    draw_bytes(tables, directory / "bytes.svg")
    draw_growth(tables, directory / "growth.svg")
    draw_churn(tables, directory / "churn.svg")
    draw_graph(tables, directory / "graph.svg")
    draw_http(tables, directory / "http.svg")
    draw_latency(tables, directory / "latency.svg")
    draw_open(tables, directory / "open.svg")
    draw_cold(tables, directory / "cold.svg")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the chart and writes the table of the README, from the reports in docs/benchmarks: charts.py [FOLDER]

FOLDER gets tpch-gpu.svg and README.md, by default those of this tree. Needs no package.
"""

import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE.parent.parent / "README.md"

# Names of managers, the first that a report has.
BASELINES = ["sort-shm", "sort", "rapids-nvidia-profile", "rapids-multithreaded"]
OURS = ["symshuffle", "rapids-symshuffle"]

# The report that the chart shows: TPC-H at scale 100, all 22 queries.
TWO_HOSTS = "rapids-two-hosts-tpch-sf100-tuned-2xh200"

# The table of the README: data and what part of it, machine, name of the rival, and reports of which each query counts
# once, with a rate of links if it has several. At most seven rows.
TABLE = [
    ("TPC-H 100, 22 queries", "1 host, 2 H200", "RAPIDS", ["rapids-tpch-sf100-tuned-2xh200"]),
    ("TPC-H 100, 22 queries", "2 hosts, 1 H200 each", "RAPIDS", [TWO_HOSTS]),
    ("TPC-H 30, 22 queries", "1 H200", "RAPIDS", ["rapids-tpch-sf30-tuned-h200"]),
    ("TPC-DS 10, 103 queries", "1 H200, shared by both", "RAPIDS",
     ["rapids-64-partitions-tpcds-sf10-q1-to-q34-h200", "rapids-64-partitions-tpcds-sf10-q35-to-q99-h200",
      "rapids-64-partitions-tpcds-sf10-q67-to-q83-h200", "rapids-64-partitions-tpcds-sf10-q84-to-q95-h200"]),
    ("TPC-H 30, 22 queries", "16 cores", "sort shuffle", ["tpch-sf30-16cores"]),
    ("TPC-H 10, 22 queries", "8 hosts of 4 cores, 1 Gbit/s", "sort shuffle", ["hosts-8-tpch-sf10-32cores"], "1gbit"),
    ("TPC-H 10, 22 queries", "2 cores", "sort shuffle", ["tpch-sf10-shm-2cores"]),
]

# The chart with its own background, so that it is readable on light and dark pages.
CHART = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 360" font-family="sans-serif" font-size="13" role="img">
<title>{title}</title>
<style>
text{{fill:#1f2328}}.note{{fill:#59636e}}.base{{fill:#8c959f}}.ours{{fill:#0969da}}.back{{fill:#fff}}.back,path{{stroke:#d0d7de}}
@media (prefers-color-scheme:dark){{
text{{fill:#f0f6fc}}.note{{fill:#9198a1}}.base{{fill:#7d8590}}.ours{{fill:#4493f8}}.back{{fill:#0d1117}}.back,path{{stroke:#3d444d}}
}}
.query text{{text-anchor:middle}}
</style>
<rect x="0.5" y="0.5" width="919" height="359" rx="6" class="back"/>
<text x="24" y="32" font-size="17" font-weight="bold">{title}</text>
<rect class="base" x="24" y="47" width="12" height="12"/><text x="42" y="58">RAPIDS' multi-threaded shuffle</text>
<rect class="ours" x="254" y="47" width="12" height="12"/><text x="272" y="58">SymShuffle</text>
<text class="note" x="896" y="58" text-anchor="end">seconds, lower is better; numbers: speed-up</text>
{grid}
<g class="query">
{bars}
</g>
<text class="note" x="24" y="344">One run of each query after a warm-up; all results compared, none differ.</text>
</svg>
"""

REPORTS = {report["name"]: report for file in (HERE.parent / "benchmarks").glob("*.json")
           for report in json.loads(file.read_text(encoding="utf-8"))}


def outcomes(name, rate=None):
    """Yields name, and seconds of the baseline's and of our runs, of each query; with a rate, on links of that rate."""
    report = REPORTS[name]
    base, ours = (next(report["managers"].index(manager) for manager in known if manager in report["managers"])
                  for known in (BASELINES, OURS))
    for result in report["results"]:
        if rate in (None, result.get("rate")):
            yield result["name"], result["seconds"][base], result["seconds"][ours]


def chart():
    """Returns the SVG of the two hosts with a GPU each."""
    queries = [(name, statistics.median(base), statistics.median(ours)) for name, base, ours in outcomes(TWO_HOSTS)]
    queries.sort(key=lambda query: int(query[0][1:]))
    base, ours = (sum(query[i] for query in queries) for i in (1, 2))
    bottom, step = 308, 852 / len(queries)
    scale = 215 / max(max(seconds) for _, *seconds in queries)
    grid = [f'<path d="M44 {bottom - scale * second:.1f}H896"/>'
            f'<text class="note" x="36" y="{bottom + 4 - scale * second:.1f}" text-anchor="end">{second}</text>'
            for second in range(0, int(215 / scale) + 1, 5)]
    bars = []
    for i, (name, slow, fast) in enumerate(queries):
        x = 44 + (i + 0.5) * step
        bars += [f'<rect class="{kind}" x="{left:.1f}" y="{bottom - scale * seconds:.1f}" width="12" height="{scale * seconds:.1f}"/>'
                 for kind, left, seconds in (("base", x - 13, slow), ("ours", x, fast))]
        gain = f"{slow / fast:.2g}x" if abs(slow / fast - 1) >= 0.05 else "="
        bars.append(f'<text x="{x:.1f}" y="{bottom - 5 - scale * max(slow, fast):.1f}" font-size="12">{gain}</text>'
                    f'<text x="{x:.1f}" y="{bottom + 17}">{name}</text>')
    return CHART.format(title=f"TPC-H, scale 100, two hosts with one H200 each: {base:.1f} s becomes {ours:.1f} s",
                        grid="\n".join(grid), bars="\n".join(bars))


def figure(seconds):
    """Returns seconds with three significant digits."""
    return f"{seconds:.{0 if seconds >= 99.95 else 1 if seconds >= 9.995 else 2}f}"


def with_table(text):
    """Returns the text of the README with its table."""
    assert len(TABLE) <= 7, "the table has more than seven rows"
    lines = ["| data | machine | rival | rival, s | SymShuffle, s | ratio | runs |", "| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    for data, machine, rival, names, *rate in TABLE:
        queries = [query for name in names for query in outcomes(name, *rate)]
        base, ours = (sum(statistics.median(query[i]) for query in queries) for i in (1, 2))
        runs = {len(query[i]) for query in queries for i in (1, 2)}
        lines.append(f"| {data} | {machine} | {rival} | {figure(base)} | **{figure(ours)}** | {base / ours:.2f} | "
                     f"{' to '.join(map(str, sorted({min(runs), max(runs)})))} |")
    before, _, rest = text.partition("| data |")
    return before + "\n".join(lines) + "\n\n" + rest.partition("\n\n")[2].lstrip("\n")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    readme = (folder if len(sys.argv) > 1 else README.parent) / README.name
    readme.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "tpch-gpu.svg").write_text(chart(), encoding="utf-8")


if __name__ == "__main__":
    main()

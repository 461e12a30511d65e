#!/usr/bin/env python3
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the charts and writes the table of the README, from the reports in docs/benchmarks: charts.py [FOLDER]

FOLDER gets tpch-gpu.svg, gpus.svg, speed-up.svg and README.md, by default those of this tree. Needs no package.
"""

import html
import json
import math
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPORTS = HERE.parent / "benchmarks"
README = HERE.parent.parent / "README.md"

# Names of managers, the first that a report has.
BASELINES = ["sort-shm", "sort", "rapids-multithreaded"]
OURS = ["symshuffle", "rapids-symshuffle"]

# TPC-H at scale 100 on two hosts, all 22 queries.
TWO_HOSTS = ["rapids-two-hosts-tpch-sf100-large-2xh100", "rapids-two-hosts-tpch-sf100-small-2xh100"]

# TPC-H at scale 100, all 22 queries: number of GPUs of one host, end of the file's name.
CURVE = {1: "h200", 2: "2xh200", 4: "4xh200"}

# Reports of suites, as far as they ran, one shuffle manager against ours: legend, class of the color, files.
SUITES = [
    ("CPUs, against sort shuffle: TPC-H scale 1 to 100 and TPC-DS scale 1 to 30 on 2 and 32 cores, TPC-H scale 10 on 8 hosts",
     "cpu", ["demo-sf1-2cores", "tpch-sf10-shm-2cores", "tpcds-sf1-journal-2cores", "tpcds-sf10-shm-2cores",
             "hosts-8-tpch-sf10-16cores", "hosts-8-tpch-sf10-32cores", "tpch-sf30-32cores", "tpch-sf100-32cores",
             "tpch-sf100-disk-32cores", "tpcds-sf30-32cores"]),
    ("GPUs, against RAPIDS: TPC-H scale 10, 30, 100 and TPC-DS scale 10 on one to four H100 or H200", "gpu",
     [*TWO_HOSTS, *(f"rapids-gpus-tpch-sf100-{gpus}" for gpus in CURVE.values()),
      "rapids-tpch-sf10-multithreaded-2xh200", "rapids-tpch-sf30-q1-to-q20-h200", "rapids-tpch-sf30-q21-q22-h200",
      "rapids-64-partitions-tpcds-sf10-q1-to-q34-h200", "rapids-64-partitions-tpcds-sf10-q35-to-q99-h200",
      "rapids-64-partitions-tpcds-sf10-q67-to-q83-h200", "rapids-64-partitions-tpcds-sf10-q84-to-q95-h200"]),
]

# The table of the README: data and what part of it, machine, name of the rival, and reports of which each query counts
# once, with a rate of links if it has several. At most seven rows.
TABLE = [
    ("TPC-H 100, 22 queries", "1 host, 2 H200", "RAPIDS", ["rapids-gpus-tpch-sf100-2xh200"]),
    ("TPC-H 100, 22 queries", "2 hosts, 1 H100 each", "RAPIDS", TWO_HOSTS),
    ("TPC-DS 10, 103 queries", "1 H200, shared by both", "RAPIDS",
     ["rapids-64-partitions-tpcds-sf10-q1-to-q34-h200", "rapids-64-partitions-tpcds-sf10-q35-to-q99-h200",
      "rapids-64-partitions-tpcds-sf10-q67-to-q83-h200", "rapids-64-partitions-tpcds-sf10-q84-to-q95-h200"]),
    ("TPC-H 100, 22 queries", "32 cores", "sort shuffle", ["tpch-sf100-32cores"]),
    ("TPC-H 10, 22 queries", "8 hosts of 4 cores, 1 Gbit/s", "sort shuffle", ["hosts-8-tpch-sf10-32cores"], "1gbit"),
    ("TPC-H 10, 22 queries", "2 cores", "sort shuffle", ["tpch-sf10-shm-2cores"]),
]

STYLE = """<style>
.back{fill:#ffffff;stroke:#d0d7de}.text{fill:#1f2328}.note{fill:#59636e}.grid{stroke:#d8dee4}.one{stroke:#59636e}
.base{fill:#8c959f}.ours{fill:#0969da}.cpu{fill:#bc4c00}.gpu{fill:#0969da}.cpu-mean{stroke:#bc4c00}.gpu-mean{stroke:#0969da}
@media (prefers-color-scheme:dark){
.back{fill:#0d1117;stroke:#3d444d}.text{fill:#f0f6fc}.note{fill:#9198a1}.grid{stroke:#2a313c}.one{stroke:#9198a1}
.base{fill:#7d8590}.ours{fill:#4493f8}.cpu{fill:#f0883e}.gpu{fill:#4493f8}.cpu-mean{stroke:#f0883e}.gpu-mean{stroke:#4493f8}}
</style>"""


ALL = {report["name"]: report for file in sorted(REPORTS.glob("*.json"))
       for report in json.loads(file.read_text(encoding="utf-8"))}


class Picture:
    """An SVG with its own background, so that it is readable on light and dark pages."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="13" role="img" aria-label="{html.escape(title)}">',
            STYLE,
            f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
        ]

    def text(self, x, y, text, kind="text", anchor="start", more=""):
        self.parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(text)}</text>')

    def bar(self, x, y, width, height, kind):
        self.parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>')

    def line(self, x1, y1, x2, y2, kind, more=""):
        self.parts.append(f'<path class="{kind}" d="M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}"{more}/>')

    def dot(self, x, y, kind, name):
        self.parts.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill-opacity="0.6">'
            f"<title>{html.escape(name)}</title></circle>")

    def write(self, file):
        file.write_text("\n".join(self.parts + ["</svg>", ""]), encoding="utf-8")


def outcomes(name, rate=None):
    """Yields name, seconds of the baseline's and of our runs, and bytes that the baseline wrote, of each query.

    With a rate, of the queries on links of that rate.
    """
    report = ALL[name]
    base, ours = (next(report["managers"].index(manager) for manager in known if manager in report["managers"])
                  for known in (BASELINES, OURS))
    for result in report["results"]:
        seconds = result["seconds"]
        if rate not in (None, result.get("rate")):
            continue
        yield result["name"], seconds[base], seconds[ours], result.get("bytesWritten", [0] * len(seconds))[base]


def medians(names):
    """Returns names and medians with both of all queries of reports."""
    return [(query, statistics.median(base), statistics.median(ours))
            for name in names for query, base, ours, _ in outcomes(name) if base and ours]


def legend(picture):
    """Names the two bars of a chart."""
    picture.bar(24, 47, 12, 12, "base")
    picture.text(42, 58, "RAPIDS' multi-threaded shuffle")
    picture.bar(254, 47, 12, 12, "ours")
    picture.text(272, 58, "SymShuffle")


def tpch_on_gpus(file):
    queries = sorted(medians(TWO_HOSTS), key=lambda query: int(query[0][1:]))
    base, ours = (f"{sum(query[i] for query in queries):.1f}" for i in (1, 2))
    picture = Picture(920, 360, f"TPC-H at scale 100 on two hosts with one H100 each: {base} s with RAPIDS' multi-threaded "
                                f"shuffle, {ours} s with SymShuffle")
    picture.text(24, 32, f"TPC-H, scale 100, two hosts with one H100 each: {base} s becomes {ours} s", more=' font-size="17" '
                 'font-weight="bold"')
    legend(picture)
    picture.text(896, 58, "seconds, lower is better; numbers: speed-up", "note", "end")
    left, bottom, height = 44, 308, 215
    top = max(max(seconds) for _, *seconds in queries)
    for second in range(0, math.ceil(top), 5):
        y = bottom - height * second / top
        picture.line(left, y, 896, y, "grid", ' fill="none"')
        picture.text(left - 8, y + 4, str(second), "note", "end")
    step = (896 - left) / len(queries)
    for i, (name, slow, fast) in enumerate(queries):
        x = left + (i + 0.5) * step
        for kind, offset, seconds in (("base", -13, slow), ("ours", 0, fast)):
            tall = height * seconds / top
            picture.bar(x + offset, bottom - tall, 12, tall, kind)
        picture.text(x, bottom - height * max(slow, fast) / top - 5, f"{slow / fast:.2g}x" if abs(slow / fast - 1) >= 0.05 else "=",
                     "text", "middle", ' font-size="12"')
        picture.text(x, bottom + 17, name, "text", "middle")
    picture.text(24, 344, "One run of each query after a warm-up; all results compared, none differ.", "note")
    picture.write(file)


def seconds_over_gpus(file):
    sums = {}
    for gpus, name in CURVE.items():
        queries = medians(["rapids-gpus-tpch-sf100-" + name])
        sums[gpus] = [sum(query[i] for query in queries) for i in (1, 2)]
    picture = Picture(560, 300, "Seconds of TPC-H at scale 100 on " + ", ".join(
        f"{gpus} H200: {base:.1f} with RAPIDS, {ours:.1f} with SymShuffle" for gpus, (base, ours) in sums.items()))
    picture.text(24, 32, "TPC-H, scale 100, H200 of one host", more=' font-size="17" font-weight="bold"')
    legend(picture)
    picture.text(536, 58, "seconds", "note", "end")
    left, right, bottom, height = 44, 536, 260, 165
    top = max(max(both) for both in sums.values())
    for second in range(0, math.ceil(top), 20):
        y = bottom - height * second / top
        picture.line(left, y, right, y, "grid", ' fill="none"')
        picture.text(left - 8, y + 4, str(second), "note", "end")
    step = (right - left) / len(sums)
    for i, (gpus, both) in enumerate(sums.items()):
        x = left + (i + 0.5) * step
        for kind, offset, seconds in zip(("base", "ours"), (-42, 2), both):
            picture.bar(x + offset, bottom - height * seconds / top, 40, height * seconds / top, kind)
            picture.text(x + offset + 20, bottom - height * seconds / top - 5, f"{seconds:.1f}", "text", "middle")
        picture.text(x, bottom + 20, f"{gpus} GPU" + ("s" if gpus > 1 else ""), "text", "middle")
    picture.write(file)


def speed_ups(names):
    """Yields name of the query, bytes that the other manager wrote, and speed-up of the medians."""
    for name in names:
        for query, base, ours, size in outcomes(name):
            if base and ours and size > 0:
                yield f"{ALL[name]['title']} {query}", size, statistics.median(base) / statistics.median(ours)


def speed_up_by_bytes(file):
    suites = [(legend, kind, list(speed_ups(names))) for legend, kind, names in SUITES]
    dots = [dot for _, _, dots in suites for dot in dots]
    picture = Picture(920, 460, f"Speed-up of {len(dots)} queries against the bytes that they shuffle: the more bytes, the "
                                "larger the gain")
    picture.text(24, 32, f"The more a query shuffles, the more it gains ({len(dots)} queries, one dot each)",
                 more=' font-size="17" font-weight="bold"')
    left, right, top, bottom = 60, 870, 100, 404
    low = math.floor(math.log10(min(size for _, size, _ in dots)))
    high = math.ceil(math.log10(max(size for _, size, _ in dots)))
    floor = math.log(0.98 * min(gain for _, _, gain in dots))
    ceiling = math.log(1.02 * max(gain for _, _, gain in dots))

    def x(size):
        return left + (right - left) * (math.log10(size) - low) / (high - low)

    def y(gain):
        return bottom - (bottom - top) * (math.log(gain) - floor) / (ceiling - floor)

    for power in range(low, high + 1):
        picture.line(x(10**power), top, x(10**power), bottom, "grid", ' fill="none"')
        picture.text(x(10**power), bottom + 18, f"{10**(power % 3)} {('B', 'KB', 'MB', 'GB', 'TB')[power // 3]}", "note",
                     "middle")
    for gain in (0.5, 0.7, 1, 1.5, 2, 3, 4, 6):
        if floor <= math.log(gain) <= ceiling:
            picture.line(left, y(gain), right, y(gain), "one" if gain == 1 else "grid", ' fill="none"')
            picture.text(left - 8, y(gain) + 4, f"{gain:g}x", "note", "end")
    for i, (legend, kind, found) in enumerate(suites):
        picture.parts.append(f'<circle class="{kind}" cx="30" cy="{52 + 20 * i}" r="5"/>')
        picture.text(42, 57 + 20 * i, legend)
        for name, size, gain in found:
            picture.dot(x(size), y(gain), kind, f"{name}: {gain:.2f}x")
    for _, kind, found in suites:
        for power in range(low, high):
            gains = [gain for _, size, gain in found if 10**power <= size < 10**(power + 1)]
            if len(gains) >= 5:
                mean = statistics.geometric_mean(gains)
                picture.line(x(10**power) + 3, y(mean), x(10**(power + 1)) - 3, y(mean), kind + "-mean",
                             ' stroke-width="3"')
    picture.text((left + right) / 2, bottom + 42, "bytes that the other shuffle writes; bars: geometric mean of each power of "
                 "ten with at least 5 queries", "note", "middle")
    picture.write(file)


def figure(seconds):
    """Returns seconds with three significant digits."""
    return f"{seconds:.{0 if seconds >= 99.95 else 1 if seconds >= 9.995 else 2}f}"


def table():
    """Returns the table of the README as Markdown."""
    lines = ["| data | machine | rival | rival, s | SymShuffle, s | ratio | runs |", "| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    for data, machine, rival, names, *rate in TABLE:
        queries = [query for name in names for query in outcomes(name, *rate)]
        base, ours = (sum(statistics.median(query[i]) for query in queries) for i in (1, 2))
        runs = {len(query[i]) for query in queries for i in (1, 2)}
        lines.append(f"| {data} | {machine} | {rival} | {figure(base)} | **{figure(ours)}** | {base / ours:.2f} | "
                     f"{' to '.join(map(str, sorted({min(runs), max(runs)})))} |")
    return "\n".join(lines) + "\n"


def with_table(text):
    """Returns the text of the README with its table."""
    assert len(TABLE) <= 7, "the table has more than seven rows"
    before, _, rest = text.partition("| data |")
    _, _, after = rest.partition("\n\n")
    return before + table() + "\n" + after


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    readme = (folder if len(sys.argv) > 1 else README.parent) / README.name
    readme.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
    tpch_on_gpus(folder / "tpch-gpu.svg")
    seconds_over_gpus(folder / "gpus.svg")
    speed_up_by_bytes(folder / "speed-up.svg")


if __name__ == "__main__":
    main()

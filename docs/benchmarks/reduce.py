#!/usr/bin/env python3
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Reduces reports of commands to what the pages need, and adds them to a file: reduce.py FILE REPORT...

FILE is a list of reports, a line per result, in docs/benchmarks. A REPORT is a JSON file of a command; its name without
`.json` is its name in FILE, where it replaces a report of that name. Machine, versions, command, options and the seconds
of each run stay, with sums over the tasks of a typical run; rows per task go. In a result, lists have a value
per manager. Needs no package.
"""

import json
import re
import sys
from pathlib import Path

# What a report says of its circumstances, in the order of FILE.
CIRCUMSTANCES = ["command", "started", "master", "executors", "cores", "machine", "spark", "symshuffle", "java"]

# The sums over tasks that stay, by their names in reports of commands.
FIGURES = {"tasks": "tasks", "bytesWritten": "bytesWritten", "runSeconds": "taskSeconds", "writeSeconds": "writeSeconds",
           "fetchWaitSeconds": "waitSeconds"}

# The counters of executors that stay: they tell where the time between hosts goes.
COUNTERS = re.compile(r"transfer\..*|read\.transfer\.bytes|served\.(staged\.sent\.)?bytes|written\.host\.bytes")

# The folder of an absolute path, which is one of the machine's, unless it tells which file system was used.
FOLDER = re.compile(r"(?<![^\s=,])/(?!dev/|mnt/)(?:[^\s/]+/)+(?=[^\s/])")

# Reduce stages with this many tasks stay, as tasks, seconds and task seconds: they tell whether all hosts take part.
MANY_TASKS = 25


def short(value):
    """Returns numbers with five significant digits; whole ones stay."""
    if isinstance(value, dict):
        return {key: short(part) for key, part in value.items()}
    if isinstance(value, list):
        return [short(part) for part in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(f"{value:.5g}")
    return value


def columns(managers, outcome, costs):
    """Returns what was measured, a value per manager; what is 0 for all of them is left out."""
    entries = {entry["manager"]: entry for entry in outcome["entries"]}
    of = [entries.get(manager, {"seconds": [], "figures": {}}) for manager in managers]
    result = {"seconds": [entry["seconds"] for entry in of]}
    result |= {name: [entry["figures"].get(key, 0) for entry in of] for key, name in FIGURES.items()}
    result |= {name: [cost[name] for cost in costs] for name in ("sentBytes", "cpuSeconds")
               if costs and all(name in cost for cost in costs)}
    gpu = [[stage.get("gpu") or {} for stage in cost.get("stages", [])] for cost in costs]
    for name in sorted({name for stages in gpu for stage in stages for name in stage}):
        result[name] = [sum(stage.get(name, 0) for stage in stages) for stages in gpu]
    result["reduceStages"] = [[[stage["tasks"], stage["seconds"], stage["runSeconds"]] for stage in cost.get("stages", [])
                               if stage["bytesRead"] and stage["tasks"] >= MANY_TASKS] for cost in costs]
    for name in sorted({name for cost in costs for name in cost.get("executors", {}) if COUNTERS.fullmatch(name)}):
        result[name] = [cost.get("executors", {}).get(name, 0) for cost in costs]
    result |= {"failure": [entry.get("failure", "") for entry in of]}
    return {name: values for name, values in result.items() if any(values)}


def seconds_of(base):
    """Returns the seconds of the runs without the exchange, which are the same work for all managers."""
    return sorted(second for of in base["entries"] for second in of["seconds"])


def result(of, managers):
    """Returns a query or a case."""
    outcome = of.get("outcome", of)
    first = {"name": outcome["name"], "rate": of.get("rate"), "rows": of.get("rows"), "partitions": of.get("partitions"),
             "difference": outcome.get("difference"), "base": seconds_of(of["base"]) if of.get("base") else None}
    return {key: value for key, value in first.items() if value} | columns(managers, outcome, of.get("costs") or [])


def reduced(name, report):
    """Returns a report with its name and circumstances first."""
    report = dict(report)
    info = report.pop("info", {})
    known = {"command": FOLDER.sub("", info.get("commandLine", "")), "started": info.get("started"), "master": info.get("master"),
             "executors": info.get("executors"), "cores": info.get("cores"), "machine": info.get("machine"),
             "spark": info.get("sparkVersion"), "symshuffle": info.get("symshuffleVersion"), "java": info.get("javaVersion")}
    plan = report.pop("plan", {})
    title = plan.get("title") or (f"{report['suite']} at scale {report['scale']:g}" if "suite" in report else None)
    options = {"title": title, "warmUps": plan.get("warmUps", report.get("warmUps")), "note": plan.get("note", report.get("note")),
               "runs": plan.get("runs", report.get("runs", report.get("rounds"))), "starts": plan.get("starts"),
               "busy": report.get("busy")}
    first = {"name": name, **{key: known[key] for key in CIRCUMSTANCES}, **options}
    results = report.get("queries") or report.get("results")
    if results and ("entries" in results[0] or "outcome" in results[0]):
        managers = report["managers"]
        rest = {"managers": managers, "results": [result(one, managers) for one in results]}
    else:
        rest = {key: value for key, value in report.items() if key not in options or first[key] is None}
    return short({key: value for key, value in (first | rest).items() if value not in (None, "", [], {})})


def text(reports):
    """Returns JSON with a line per field of a report, and per element of a list of objects in it."""
    def field(key, value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n".join("    " + json.dumps(one, ensure_ascii=False) for one in value)
            return f"  {json.dumps(key)}: [\n{inner}\n  ]"
        return f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"

    return "[\n" + ",\n".join(
        " {\n" + ",\n".join(field(*item) for item in report.items()) + "\n }" for report in reports) + "\n]\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    file = Path(sys.argv[1])
    reports = {one["name"]: one for one in json.loads(file.read_text(encoding="utf-8"))} if file.exists() else {}
    for path in map(Path, sys.argv[2:]):
        reports[path.stem] = reduced(path.stem, json.loads(path.read_text(encoding="utf-8")))
    file.write_text(text(reports.values()), encoding="utf-8")


if __name__ == "__main__":
    main()

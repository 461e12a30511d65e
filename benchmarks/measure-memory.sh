#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Measures the memory of drivers and executors while a command runs:
#
#   benchmarks/measure-memory.sh COMMAND...
#
# for example
#
#   benchmarks/measure-memory.sh bin/symshuffle bench shuffle --managers symshuffle --cases repartition \
#     --master 'local-cluster[4,1,1024]' --conf spark.symshuffle.heap.size=1g
#
# It prints the highest value of each of them in MiB: RSS (by which YARN limits a container), its parts (anonymous
# memory, mapped files and shared memory), and PSS (RSS in which a page that n processes map counts 1/n). Values of all
# executors together are the highest sum at one moment. If this user may create control groups with a memory limit
# (root, and in version 2 a parent that delegates the controller), the command runs in one, and the highest charge of
# the group is printed, by which Kubernetes limits a pod. It includes the driver and file pages.
#
# Environment: INTERVAL (seconds between samples, default 0.5), LIMIT_MIB (memory limit of the control group; if the
# kernel kills a process, that is printed), JSON (a file to which the same values are written). Exit status: that of the
# command.
set -uo pipefail

(($# > 0)) || {
  echo "usage: measure-memory.sh COMMAND..." >&2
  exit 2
}
interval=${INTERVAL:-0.5}
samples=$(mktemp)
group=

clean_up() {
  rm -f -- "$samples"
  [[ -n $group ]] || return 0
  # The last processes of the group may still be ending.
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rmdir -- "$group" 2>/dev/null && return 0
    sleep 0.5
  done
}
trap clean_up EXIT
trap 'kill "$command" 2>/dev/null' INT TERM

# Prints the memory folder and version of this process's control group.
control_group() {
  local path
  if path=$(sed -n 's/^[0-9]*:\([^:]*,\)\?memory\(,[^:]*\)\?:\(.*\)$/\3/p' /proc/self/cgroup) && [[ -n $path ]]; then
    echo "/sys/fs/cgroup/memory$path 1"
  elif path=$(sed -n 's/^0:://p' /proc/self/cgroup) && [[ -n $path ]]; then
    echo "/sys/fs/cgroup$path 2"
  fi
}

create_group() {
  local parent version limit
  read -r parent version < <(control_group) || return 1
  limit=memory.max
  ((version == 2)) || limit=memory.limit_in_bytes
  group=$parent/symshuffle-measure-$$
  mkdir -- "$group" 2>/dev/null || return 1
  if [[ ! -w $group/$limit ]]; then
    rmdir -- "$group"
    return 1
  fi
  [[ -z ${LIMIT_MIB:-} ]] || echo "$((LIMIT_MIB << 20))" >"$group/$limit"
}

create_group || {
  group=
  echo "No control group with a memory limit can be created here, so the charge is not measured."
}

started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
(
  [[ -z $group ]] || echo "$BASHPID" >"$group/cgroup.procs"
  exec "$@"
) &
command=$!

descendants() {
  local child
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
    echo "$child"
    descendants "$child"
  done
}

moment=0
while kill -0 "$command" 2>/dev/null; do
  moment=$((moment + 1))
  for pid in $(descendants "$command"); do
    kind=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | sed -nE '/ExecutorBackend$/s/.*/executor/p; /\.SparkSubmit$/s/.*/driver/p')
    if [[ -n $kind ]]; then
      awk -v moment="$moment" -v pid="$pid" -v kind="$kind" '
        /^Rss(Anon|File|Shmem):/ { rss[$1] = $2 }
        /^Pss:/ { pss = $2 }
        END {
          print moment, pid, rss["RssAnon:"] + rss["RssFile:"] + rss["RssShmem:"], rss["RssAnon:"], rss["RssFile:"],
            rss["RssShmem:"], pss, kind
        }' "/proc/$pid/status" "/proc/$pid/smaps_rollup" 2>/dev/null >>"$samples"
    fi
  done
  sleep "$interval"
done
wait "$command"
status=$?

charge=null
kills=null
if [[ -n $group ]]; then
  for file in memory.peak memory.max_usage_in_bytes; do
    [[ ! -r $group/$file ]] || charge=$(($(cat "$group/$file") >> 20))
  done
  found=$(sed -n 's/^oom_kill //p' "$group/memory.events" "$group/memory.oom_control" 2>/dev/null | head -1)
  kills=${found:-null}
fi
command_line=$(printf ' %s' "$@")

awk -v json="${JSON:-}" -v command="${command_line# }" -v started="$started" -v charge="$charge" -v kills="$kills" \
  -v cpu="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" -v cores="$(nproc)" -v kernel="$(uname -sr)" \
  -v memory="$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)" '
  {
    for (i = 3; i <= 7; i++) {
      if ($i > most[$2, i]) most[$2, i] = $i
      if ($8 == "executor") sum[$1, i] += $i
      if (sum[$1, i] > total[i]) total[i] = sum[$1, i]
    }
    if (!($2 in name)) { order[++processes] = $2; name[$2] = $8 " " ++number[$8] }
  }
  function line(name, a, b, c, d, e) {
    printf "%-12s %8d %8d %8d %8d %8d\n", name, a / 1024, b / 1024, c / 1024, d / 1024, e / 1024
  }
  function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return "\"" text "\""
  }
  function object(a, b, c, d, e) {
    return sprintf("{\"rss\": %d, \"anonymous\": %d, \"files\": %d, \"shared\": %d, \"pss\": %d}",
      a / 1024, b / 1024, c / 1024, d / 1024, e / 1024)
  }
  END {
    printf "%-12s %8s %8s %8s %8s %8s\n", "MiB", "RSS", "anon", "files", "shared", "PSS"
    for (i = 1; i <= processes; i++) {
      pid = order[i]
      line(name[pid], most[pid, 3], most[pid, 4], most[pid, 5], most[pid, 6], most[pid, 7])
    }
    line("executors", total[3], total[4], total[5], total[6], total[7])
    if (json == "") exit
    printf "{\n  \"started\": %s,\n  \"command\": %s,\n", quoted(started), quoted(command) > json
    printf "  \"machine\": {\"cpu\": %s, \"cores\": %d, \"memoryMiB\": %d, \"kernel\": %s},\n", quoted(cpu), cores,
      memory / 1024, quoted(kernel) > json
    printf "  \"highestMiB\": {" > json
    for (i = 1; i <= processes; i++) {
      pid = order[i]
      printf "%s\n    \"%s\": %s", (i > 1 ? "," : ""), name[pid],
        object(most[pid, 3], most[pid, 4], most[pid, 5], most[pid, 6], most[pid, 7]) > json
    }
    printf "\n  },\n  \"highestMiBOfExecutors\": %s,\n", object(total[3], total[4], total[5], total[6], total[7]) > json
    printf "  \"chargeMiB\": %s,\n  \"killedByKernel\": %s\n}\n", charge, kills > json
  }' "$samples"
if [[ -n $group ]]; then
  echo "charge of the control group: $charge MiB"
  echo "processes killed by the kernel: ${kills/null/unknown}"
fi
exit "$status"

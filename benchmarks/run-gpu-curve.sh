#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Measures seconds over GPUs on one machine: TPC-H and exchanges with RAPIDS' best manager and with SymShuffle on 1, 2,
# 4 and 8 GPUs, one application at a time on whole GPUs, and collectives between them:
#
#   benchmarks/run-gpu-curve.sh OUT RAPIDS_JAR [RAPIDS_LIBS]
#
# OUT gets a JSON report per step, NAME.json, and its output with the table, NAME.log. A report is rewritten after each
# query; its name is NAME.partial.json until its step is over. A second call with the same OUT skips what is there and
# goes on with the rest, so a run can be cut off at any time. RAPIDS_LIBS is the folder of RAPIDS' native libraries, if
# they are not in the jar.
#
#   tpch-N-PART       the queries of PART on N GPUs (PART counts from 1)
#   exchange-N        repartition, group by and join on N GPUs
#   collectives-N     bench collectives --backend nvshmem with N PEs
#
# Environment:
#   GPUS      numbers of GPUs (default: "1 2 4 8", as far as the machine has them)
#   PES       numbers of PEs of collectives (default: "2 3 4 8", likewise)
#   SCALE     scale of TPC-H (default 100); DATA: folder of its tables (default: below benchmarks/target)
#   QUERIES   queries of each part, parts separated by spaces (default: three parts, q9 on its own)
#   MANAGERS  managers, baseline first (default rapids-nvidia-profile,rapids-symshuffle)
#   RUNS      timed runs of a query in each start of an application (default 2)
#   STARTS    starts of each application, in turn (default 1)
#   ROWS      rows of an exchange (default 800000000)
#   STEPS     kinds of steps (default "tpch exchange collectives")
#   LIMIT     seconds for everything; the step that runs then is cut off (default: no limit)
#   OPTIONS   further options of demo and bench shuffle, such as --conf KEY=VALUE
# and the variables of bin/symshuffle. A failure of a step does not stop the others. Exit status: 0 if all steps are
# done and passed, 1 if one failed or is left, 2 if the arguments are invalid.
set -uo pipefail

fail() {
  printf 'run-gpu-curve: %s\n' "$*" >&2
  exit 2
}

(($# == 2 || $# == 3)) || fail "usage: run-gpu-curve.sh OUT RAPIDS_JAR [RAPIDS_LIBS]"
home=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
[[ -f $2 ]] || fail "the RAPIDS Accelerator's jar $2 does not exist"
rapids=(--rapids "$2")
[[ -z ${3:-} ]] || rapids+=(--rapids-libs "$3")
out=$(mkdir -p -- "$1" && cd -- "$1" && pwd -P) || fail "the folder $1 cannot be created"
present=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ') || fail "nvidia-smi lists no GPUs"
all="tpch exchange collectives"
steps=${STEPS:-$all}
for step in $steps; do
  [[ " $all " == *" $step "* ]] || fail "unknown step '$step' in STEPS: use some of $all"
done
for count in ${GPUS:-} ${PES:-}; do
  ((count <= present)) || fail "$count GPUs are asked for, but this machine has only $present"
done
read -ra parts <<<"${QUERIES:-q1,q2,q3,q4,q5,q6,q7,q8 q10,q11,q12,q13,q14,q15,q16,q17,q18,q19,q20,q21,q22 q9}"
read -ra options <<<"${OPTIONS:-}"
data=()
[[ -z ${DATA:-} ]] || data=(--data "$DATA")
# Multicast objects can make the GPUs of a shared machine unusable.
export NVSHMEM_DISABLE_NVLS=1 NCCL_NVLS_ENABLE=0

wanted() { [[ " $steps " == *" $1 "* ]]; }

# numbers LIST: those that the machine has GPUs for.
numbers() {
  local number
  for number in $1; do
    ((number > present)) || printf '%s ' "$number"
  done
}

# Prints the seconds that are left of LIMIT; 0 if none are.
left() {
  if [[ -z ${LIMIT:-} ]]; then
    printf '1000000'
  else
    printf '%d' $((LIMIT > SECONDS ? LIMIT - SECONDS : 0))
  fi
}

failed=0
open=0
# step NAME COMMAND...: runs a command that writes a report to the file of its option --json, unless that is done.
step() {
  local name=$1 partial=$out/$1.partial.json began=$SECONDS code=0 result
  shift
  if [[ -s $out/$name.json ]]; then
    printf '%s: done before\n' "$name"
    return
  fi
  if (($(left) == 0)); then
    printf '%s: left, the time is up\n' "$name"
    open=$((open + 1))
    return
  fi
  rm -f -- "$partial"
  timeout -k 30 "$(left)" "$@" --json "$partial" >"$out/$name.log" 2>&1 || code=$?
  # A query that failed, or rows that differ, are a result: running the step again would not change them.
  if ((code <= 1)) && [[ -s $partial ]] && ! grep -q '"complete" : false' "$partial"; then
    mv -- "$partial" "$out/$name.json"
    result=passed
    ((code == 0)) || result="FAILED (see $name.log)"
  else
    result="cut off or failed ($code, see $name.log)"
    open=$((open + 1))
  fi
  ((code == 0)) || failed=$((failed + 1))
  printf '%s: %s, %s s\n' "$name" "$result" $((SECONDS - began))
}

tpch() {
  local gpus=$1 part
  for part in "${!parts[@]}"; do
    step "tpch-$gpus-$((part + 1))" "$home/bin/symshuffle" demo "${rapids[@]}" --gpus "$gpus" \
      --starts "${STARTS:-1}" --managers "${MANAGERS:-rapids-nvidia-profile,rapids-symshuffle}" \
      --scale "${SCALE:-100}" "${data[@]}" --queries "${parts[part]}" --runs "${RUNS:-2}" --warm-ups 1 \
      --driver-memory 8g --out "$out/tpch-$gpus-$((part + 1))" "${options[@]}"
  done
}

exchange() {
  local gpus=$1
  step "exchange-$gpus" "$home/bin/symshuffle" bench shuffle "${rapids[@]}" --gpus "$gpus" \
    --starts "${STARTS:-1}" --managers "${MANAGERS:-rapids-nvidia-profile,rapids-symshuffle}" \
    --rows "${ROWS:-800000000}" --cases repartition,groupby,join --partitions $((64 * gpus)) --runs "${RUNS:-2}" \
    --warm-ups 1 --driver-memory 4g --out "$out/exchange-$gpus" "${options[@]}"
}

for count in $(numbers "${GPUS:-1 2 4 8}"); do
  ! wanted tpch || tpch "$count"
done
for count in $(numbers "${GPUS:-1 2 4 8}"); do
  ! wanted exchange || exchange "$count"
done
for count in $(numbers "${PES:-2 3 4 8}"); do
  ! wanted collectives || step "collectives-$count" "$home/bin/symshuffle" bench collectives --backend nvshmem \
    --pes "$count" --sizes 4MiB:256MiB --limit "$(left)"
done
printf '%d failed, %d left; %s\n' "$failed" "$open" "$out"
((failed == 0 && open == 0))

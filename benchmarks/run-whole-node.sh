#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Shows on all GPUs of a machine that they exchange data rightly, and how fast:
#
#   benchmarks/run-whole-node.sh TESTS OUT [RAPIDS_JAR [RAPIDS_LIBS]]
#
# TESTS is what integration-tests/package-gpu-tests.sh has made; OUT gets logs, JSON, plots and summary.md. With the
# RAPIDS Accelerator's jar (and the folder of its libraries, if they are not in it) its shuffles are timed, too.
# Steps, each on all GPUs unless it says otherwise; rows and rapids take turns, from 2 GPUs on:
#
#   ring       a ring of PEs
#   contract   the tests with the tag gpu that need no Spark, among them the contract of all heaps
#   alltoall   bench alltoall with all PEs, and with 3, 5 and 7 where there are more
#   rows       bench shuffle: sort shuffle, host heap and rows in GPU memory on 2, 4, 8... GPUs
#   rapids     bench shuffle --rapids on 2, 4, 8... GPUs with ROWS rows, on all with four times as many
#
# From the environment: STEPS (default: all), ROWS (default 400000000), ROUNDS (default 5), LIMIT (seconds a command,
# default 580), SYMSHUFFLE_CONF (options for every bench shuffle, such as --conf KEY=VALUE) and what bin/symshuffle
# takes. A command that fails or runs late does not keep the next one from running. Exit status: 0 all passed, 1 not.
set -uo pipefail

fail() {
  printf 'run-whole-node: %s\n' "$*" >&2
  exit 2
}

(($# >= 2 && $# <= 4)) || fail "usage: run-whole-node.sh TESTS OUT [RAPIDS_JAR [RAPIDS_LIBS]]"
home=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
tests=$1
[[ -x $tests/run-gpu-tests.sh ]] || fail "$tests has no run-gpu-tests.sh: make it with integration-tests/package-gpu-tests.sh $tests"
out=$(mkdir -p -- "$2" && cd -- "$2" && pwd -P) || fail "the folder $2 cannot be made"
rapids=()
[[ -z ${3:-} ]] || rapids=(--rapids "$3")
[[ -z ${4:-} ]] || rapids+=(--rapids-libs "$4")
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ') || fail "nvidia-smi lists no GPU"
((gpus >= 2)) || fail "this machine has one GPU: nothing can be exchanged"
all="ring contract alltoall rows rapids"
steps=${STEPS:-$all}
for step in $steps; do
  [[ " $all " == *" $step "* ]] || fail "there is no step '$step' in STEPS: take some of $all"
done
[[ " ${STEPS:-} " != *" rapids "* || ${#rapids[@]} -gt 0 ]] || fail "the step rapids needs the RAPIDS Accelerator's jar as third argument"
rows=${ROWS:-400000000}
rounds=${ROUNDS:-5}
# The tests have a limit of their own, by the same name.
export LIMIT=${LIMIT:-580}
read -ra conf <<<"${SYMSHUFFLE_CONF:-}"
# Multicast objects can put the GPUs of a shared machine out of service.
export NVSHMEM_DISABLE_NVLS=1 NCCL_NVLS_ENABLE=0

wanted() { [[ " $steps " == *" $1 "* ]]; }

summary=$out/summary.md
{
  printf '# %s GPUs of one machine\n\n' "$gpus"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c
} >"$summary"
failed=0
# run NAME COMMAND...: what it prints goes to NAME.log, how it ended into the summary.
run() {
  local name=$1 began=$SECONDS code=0
  shift
  printf '%s ... ' "$name"
  timeout -k 5 "$LIMIT" "$@" >"$out/$name.log" 2>&1 || code=$?
  local said="passed"
  ((code == 0)) || { said="FAILED ($code, see $name.log)" && failed=$((failed + 1)); }
  printf '%s, %s s\n' "$said" $((SECONDS - began))
  printf '\n## %s: %s, %s s\n\n' "$name" "$said" $((SECONDS - began)) >>"$summary"
}
# shuffle NAME GPUS MANAGERS ROWS OPTION...: a bench shuffle whose table goes into the summary.
shuffle() {
  local name=$1 count=$2 managers=$3 most=$4
  shift 4
  rm -f "$out/$name.json" "$out/$name.md"
  run "$name" "$home/bin/symshuffle" bench shuffle --gpus "$count" --managers "$managers" --rows "$most" \
    --cases repartition,groupby,join --partitions 64 --rounds "$rounds" --warm-ups 1 --driver-memory 4g \
    --out "$out/$name" --json "$out/$name.json" --markdown "$out/$name.md" "${conf[@]}" "$@"
  cat "$out/$name.md" >>"$summary" 2>/dev/null || tail -5 "$out/$name.log" >>"$summary"
}
alltoall() {
  run "alltoall-$1" "$home/bin/symshuffle" bench alltoall --backend nvshmem --pes "$1" --limit "$LIMIT" \
    --sizes 4KiB:1GiB --json "$out/alltoall-$1.json" --svg "$out/alltoall-$1.svg"
  cat "$out/alltoall-$1.log" >>"$summary"
}

if wanted ring; then
  run ring "$home/bin/symshuffle" ring --pes "$gpus" --backend nvshmem
  cat "$out/ring.log" >>"$summary"
fi
if wanted contract; then
  run contract "$tests/run-gpu-tests.sh" "$tests" "$out/contract"
  tail -15 "$out/contract.log" >>"$summary"
fi
if wanted alltoall; then
  alltoall "$gpus"
  for pes in 3 5 7; do
    ((pes >= gpus)) || alltoall "$pes"
  done
fi
for ((count = 2; count <= gpus; count *= 2)); do
  ! wanted rows || shuffle "rows-$count" "$count" sort,symshuffle,symshuffle-device "$rows"
  if wanted rapids && ((${#rapids[@]} > 0)); then
    shuffle "rapids-$count" "$count" rapids,rapids-multithreaded,rapids-symshuffle "$rows" "${rapids[@]}"
  fi
done
if wanted rapids && ((${#rapids[@]} > 0)); then
  shuffle "rapids-$gpus-more" "$gpus" rapids,rapids-multithreaded,rapids-symshuffle $((4 * rows)) "${rapids[@]}"
fi

printf '\n%s failed; %s\n' "$failed" "$summary"
((failed == 0))

#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Checks that all GPUs of a machine exchange data correctly, and measures how fast:
#
#   benchmarks/run-whole-node.sh TESTS OUT [RAPIDS_JAR [RAPIDS_LIBS]]
#
# TESTS is the output of integration-tests/package-gpu-tests.sh. OUT gets logs, JSON, plots and summary.md. With the
# RAPIDS Accelerator's jar (and the folder of its native libraries, if they are not in the jar), its shuffles are
# timed too. The steps run on all GPUs unless noted:
#
#   ring       a ring of PEs
#   contract   the tests with the tag gpu that do not need Spark, including the contract of all heaps
#   alltoall   bench alltoall with all PEs, and with 3, 5 and 7 if there are more
#   rapids     bench shuffle --rapids on 2, 4, 8... GPUs with ROWS rows, then on all with four times as many
#
# Environment: STEPS (default: all), ROWS (default 400000000), ROUNDS (default 5), LIMIT (seconds per command, default
# 580), SYMSHUFFLE_CONF (options for every bench shuffle, such as --conf KEY=VALUE) and the variables of
# bin/symshuffle. A failure or timeout of one command does not stop the others. Exit status: 0 if all commands
# passed, 1 if one failed, 2 if the arguments are invalid.
set -uo pipefail

fail() {
  printf 'run-whole-node: %s\n' "$*" >&2
  exit 2
}

(($# >= 2 && $# <= 4)) || fail "usage: run-whole-node.sh TESTS OUT [RAPIDS_JAR [RAPIDS_LIBS]]"
home=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
tests=$1
[[ -x $tests/run-gpu-tests.sh ]] || fail "$tests contains no run-gpu-tests.sh: create it with integration-tests/package-gpu-tests.sh $tests"
out=$(mkdir -p -- "$2" && cd -- "$2" && pwd -P) || fail "the folder $2 cannot be created"
rapids=()
[[ -z ${3:-} ]] || rapids=(--rapids "$3")
[[ -z ${4:-} ]] || rapids+=(--rapids-libs "$4")
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ') || fail "nvidia-smi lists no GPUs"
((gpus >= 2)) || fail "this machine has one GPU, but at least 2 are needed"
all="ring contract alltoall rapids"
steps=${STEPS:-$all}
for step in $steps; do
  [[ " $all " == *" $step "* ]] || fail "unknown step '$step' in STEPS: use some of $all"
done
[[ " ${STEPS:-} " != *" rapids "* || ${#rapids[@]} -gt 0 ]] || fail "the step rapids needs the RAPIDS Accelerator's jar as the third argument"
rows=${ROWS:-400000000}
rounds=${ROUNDS:-5}
# run-gpu-tests.sh reads LIMIT too.
export LIMIT=${LIMIT:-580}
read -ra conf <<<"${SYMSHUFFLE_CONF:-}"
# Multicast objects can make the GPUs of a shared machine unusable.
export NVSHMEM_DISABLE_NVLS=1 NCCL_NVLS_ENABLE=0

wanted() { [[ " $steps " == *" $1 "* ]]; }

summary=$out/summary.md
{
  printf '# %s GPUs of one machine\n\n' "$gpus"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c
} >"$summary"
failed=0
# run NAME COMMAND...: writes the output to NAME.log and the result to the summary.
run() {
  local name=$1 began=$SECONDS code=0
  shift
  printf '%s ... ' "$name"
  timeout -k 5 "$LIMIT" "$@" >"$out/$name.log" 2>&1 || code=$?
  local result="passed"
  ((code == 0)) || { result="FAILED ($code, see $name.log)" && failed=$((failed + 1)); }
  printf '%s, %s s\n' "$result" $((SECONDS - began))
  printf '\n## %s: %s, %s s\n\n' "$name" "$result" $((SECONDS - began)) >>"$summary"
}
# shuffle NAME GPUS MANAGERS ROWS OPTION...: runs bench shuffle and adds its table to the summary.
shuffle() {
  local name=$1 count=$2 managers=$3 most=$4
  shift 4
  rm -f "$out/$name.json" "$out/$name.md"
  run "$name" "$home/bin/symshuffle" bench shuffle --gpus "$count" --managers "$managers" --rows "$most" \
    --cases repartition,groupby,join --partitions 64 --runs "$rounds" --warm-ups 1 --driver-memory 4g \
    --out "$out/$name" --json "$out/$name.json" --markdown "$out/$name.md" "${conf[@]}" "$@"
  cat "$out/$name.md" >>"$summary" 2>/dev/null || tail -5 "$out/$name.log" >>"$summary"
}
alltoall() {
  run "alltoall-$1" "$home/bin/symshuffle" bench alltoall --backend nvshmem --pes "$1" --limit "$LIMIT" \
    --sizes 4KiB:1GiB --json "$out/alltoall-$1.json"
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
  if wanted rapids && ((${#rapids[@]} > 0)); then
    shuffle "rapids-$count" "$count" rapids,rapids-multithreaded,rapids-symshuffle "$rows" "${rapids[@]}"
  fi
done
if wanted rapids && ((${#rapids[@]} > 0)); then
  shuffle "rapids-$gpus-more" "$gpus" rapids,rapids-multithreaded,rapids-symshuffle $((4 * rows)) "${rapids[@]}"
fi

printf '\n%s failed; %s\n' "$failed" "$summary"
((failed == 0))

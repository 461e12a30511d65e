#!/bin/sh
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0

# Tells Spark which GPUs a worker or an executor has: prints {"name": "gpu", "addresses": ["0", "1"]}.
# For spark.worker.resource.gpu.discoveryScript (standalone) and
# spark.executor.resource.gpu.discoveryScript (YARN, Kubernetes).
#
# SYMSHUFFLE_GPUS, a list such as 0,1 in the environment, leaves the others out: two workers of one
# machine must not name the same GPU. GPUs that are divided by MIG are left out, too: NVSHMEM cannot
# reach the memory of an instance from another GPU.
#
# The numbers are nvidia-smi's, in the order of the PCI bus. CUDA counts in the same order where all
# GPUs of a machine are alike; where they are not, set CUDA_DEVICE_ORDER=PCI_BUS_ID for workers and
# executors.

set -eu

if ! listed=$(nvidia-smi --query-gpu=index,mig.mode.current --format=csv,noheader 2>/dev/null); then
  echo "find-gpus.sh: nvidia-smi does not run, so there are no GPUs for Spark" >&2
  listed=""
fi

addresses=$(
  printf '%s\n' "$listed" | awk -F ', *' -v wanted="${SYMSHUFFLE_GPUS:-}" '
    BEGIN {
      count = split(wanted, names, /[ ,]+/)
      for (i = 1; i <= count; i++) {
        if (names[i] != "") { allowed[names[i]] = 1; limited = 1 }
      }
    }
    $1 ~ /^[0-9]+$/ && $2 != "Enabled" && (!limited || $1 in allowed) {
      printf "%s\"%s\"", separator, $1
      separator = ", "
    }'
)

printf '{"name": "gpu", "addresses": [%s]}\n' "$addresses"

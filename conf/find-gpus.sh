#!/bin/sh
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0

# Tells Spark which GPUs a worker or an executor has, for example {"name": "gpu", "addresses": ["0", "1"]}.
# Use it for spark.worker.resource.gpu.discoveryScript (standalone) and
# spark.executor.resource.gpu.discoveryScript (YARN, Kubernetes).
#
# Two workers of one machine must not name the same GPU: set the environment variable SYMSHUFFLE_GPUS to a
# list such as 0,1 to exclude all others. GPUs in MIG mode are excluded, too, because NVSHMEM cannot reach
# the memory of an instance from another GPU.
#
# The numbers are those of nvidia-smi, in the order of the PCI bus. CUDA uses the same order if all GPUs of
# a machine are alike. Otherwise set CUDA_DEVICE_ORDER=PCI_BUS_ID for workers and executors.

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

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// All kernels of benchmarks.fatbin as one translation unit: no device linking, so that PTX is kept too.
// device_pull.cu is separate: it is linked on the user's machine.
#include "benchmark_layout.cu"
#include "broadcast.cu"
#include "multimem.cu"
#include "pull_tma.cu"
#include "push.cu"
#include "reduce.cu"
#include "signal.cu"

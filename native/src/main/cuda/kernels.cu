// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// All kernels of symshuffle.fatbin as one translation unit: no device linking, so that PTX is kept too.
// device_pull.cu is apart: it is linked on the user's machine.
#include "broadcast.cu"
#include "crc32c.cu"
#include "layout.cu"
#include "multimem.cu"
#include "pull.cu"
#include "pull_tma.cu"
#include "push.cu"
#include "reduce.cu"
#include "row_partition.cu"
#include "signal.cu"

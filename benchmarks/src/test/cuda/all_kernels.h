// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of both fatbins in one program.
#include "broadcast.cu"
#include "crc32c.cu"
#include "multimem.cu"
#include "pull.cu"
#include "pull_tma.cu"
#include "push.cu"
#include "reduce.cu"
#include "row_partition.cu"
#include "signal.cu"

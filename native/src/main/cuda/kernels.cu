// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// All kernels of symshuffle.fatbin as one translation unit: no device linking, so that PTX is kept too.
#include "all_reduce.cu"
#include "check_tables.cu"
#include "crc32c.cu"
#include "layout.cu"
#include "pack.cu"
#include "pull.cu"
#include "unpack.cu"

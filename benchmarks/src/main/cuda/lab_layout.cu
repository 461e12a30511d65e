// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lab_layout.h"

#include "bulk_memory.h"
#include "lab_tuning.h"

namespace symshuffle {

/// Sizes of structs, then three numbers of pull_tma: threads per CTA, dynamic shared memory per CTA in
/// bytes, and the largest tile in units.
inline constexpr uint32_t kLabLayoutWords[] = {
    SYM_LAB_STRUCT_SIZES,
    kTmaCtaThreads,
    sizeof(BulkMemory),
    kTmaTileUnits,
};
inline constexpr uint32_t kLabNumbers = 3;

}  // namespace symshuffle

#if defined(__CUDACC__)
/// The host reads this when it loads the module and compares it with its own layout.
extern "C" __constant__ const auto symshuffle_layout = symshuffle::make_layout_table(
    symshuffle::kCtaThreads, symshuffle::kLabLayoutWords, symshuffle::kLabNumbers);
#endif

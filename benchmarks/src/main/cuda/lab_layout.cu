// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lab_layout.h"

namespace symshuffle {

inline constexpr uint32_t kLabLayoutWords[] = {SYM_LAB_STRUCT_SIZES};

}  // namespace symshuffle

#if defined(__CUDACC__)
/// The host reads this when it loads the module and compares it with its own layout.
extern "C" __constant__ const auto symshuffle_layout =
    symshuffle::make_layout_table(symshuffle::kCtaThreads, symshuffle::kLabLayoutWords);
#endif

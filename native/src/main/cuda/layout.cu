// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"

#include "tuning.h"

#if defined(__CUDACC__)
/// The host reads this when it loads the module and compares it with its own layout.
extern "C" __constant__ const auto symshuffle_layout =
    symshuffle::make_layout_table(symshuffle::kCtaThreads, symshuffle::kStructSizes);
#endif

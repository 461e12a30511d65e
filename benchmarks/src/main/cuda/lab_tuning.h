// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuning.h"

// Tuning constants of the lab's kernels; see tuning.h.
namespace symshuffle {

/// 16-byte loads that a thread of sum has in flight from one PE; not measured.
inline constexpr int kSumRows = 4;

/// Nanoseconds that a wait sleeps between two polls: initially, and at most. A flag takes about a microsecond
/// over NVLink, so polling more often only adds load to the link.
inline constexpr uint32_t kFirstPauseNanoseconds = 32;
inline constexpr uint32_t kLastPauseNanoseconds = 512;

}  // namespace symshuffle

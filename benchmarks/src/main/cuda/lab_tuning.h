// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuning.h"

// Tuning constants of the lab's kernels; see tuning.h.
namespace symshuffle {

/// 16-byte loads that a thread of sum has in flight from one PE; not measured.
inline constexpr int kSumRows = 4;

/// Threads per CTA of pull_tma: one warp, whose first lane starts all copies.
inline constexpr uint32_t kTmaCtaThreads = 32;

/// Ring of pull_tma. 8 x 16 KiB = 128 KiB per CTA, of at most 227 KiB on Hopper, so 17 MiB in flight on an
/// H200: it reads 335 GB/s between two and among four GPUs, like pull. Bytes are a multiple of kUnitBytes.
inline constexpr uint32_t kTmaStages = 8;
inline constexpr uint32_t kTmaStageBytes = 16384;

/// Steps between the load and the store of one stage: half of the ring is loading while the other half
/// is storing; not measured.
inline constexpr uint32_t kTmaLag = 4;

/// Nanoseconds that a wait sleeps between two polls: initially, and at most. A flag takes about a microsecond
/// over NVLink, so polling more often only adds load to the link.
inline constexpr uint32_t kFirstPauseNanoseconds = 32;
inline constexpr uint32_t kLastPauseNanoseconds = 512;

/// Timeout of pull_tma for one bulk copy, in nanoseconds: 10 s. A 16 KiB copy takes microseconds; after 10 s
/// the link or the peer is gone.
inline constexpr uint64_t kBulkTimeoutNanoseconds = 10'000'000'000ULL;

}  // namespace symshuffle

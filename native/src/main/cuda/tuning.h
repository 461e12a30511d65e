// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The numbers of the kernels, apart from their mechanism. Each has its unit, what limits it, and where
// it was measured; those without a measurement say so.
namespace symshuffle {

/// Threads per CTA, for every kernel of the product. 16 warps: four CTAs fill a multiprocessor at 32
/// registers per thread, two at 64; and one CTA per multiprocessor already has 132 x 16 x 2 KiB = 4.2 MiB
/// in flight on an H200, against some 0.5 MiB that NVLink needs (340 GB/s x 1.5 us).
inline constexpr uint32_t kCtaThreads = 512;

/// 16-byte loads that a lane of pull and push has in flight. 4 is one unit (2 KiB a warp): between two
/// H200 it measured 326 GB/s with 16 CTAs and 338 with 132. It is not what limits: with 2, 4 and 8 the best
/// launch of an all-to-all reads 334, 335 and 335 GB/s, with L2::256B 334, by bulk copies 335. That is where
/// reads of 128 bytes, the longest that a multiprocessor asks for, fill NVLink; a copy engine gets to 355.
inline constexpr int kCopyRows = 4;

/// 16-byte loads that a lane of crc32c has in flight; not measured.
inline constexpr int kCrcRows = 4;

/// Items that a lane of the sort of row_partition has in flight, and values that a thread of its scans takes at
/// a time; not measured.
inline constexpr int kRowItems = 4;
inline constexpr int kScanValues = 4;

}  // namespace symshuffle

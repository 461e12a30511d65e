// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Tuning constants of the kernels, with their units, limits and measurements.
namespace symshuffle {

/// Threads per CTA of every kernel in symshuffle.fatbin. 16 warps: four CTAs fill a multiprocessor at 32
/// registers per thread, two at 64; and one CTA per multiprocessor already has 132 x 16 x 2 KiB = 4.2 MiB in
/// flight on an H200, while NVLink needs about 0.5 MiB (340 GB/s x 1.5 us).
inline constexpr uint32_t kCtaThreads = 512;

/// 16-byte loads that a lane of pull has in flight. 4 is one unit (2 KiB per warp): between two H200
/// it measured 326 GB/s with 16 CTAs and 338 with 132. It is not the bottleneck: with 2, 4 and 8, the best
/// launch of an all-to-all reads 334, 335 and 335 GB/s, with L2::256B 334, and with bulk copies 335. Reads of
/// 128 bytes, the longest that a multiprocessor issues, saturate NVLink there; a copy engine reaches 355.
inline constexpr int kCopyRows = 4;

/// 16-byte loads that a lane of crc32c has in flight; not measured.
inline constexpr int kCrcRows = 4;

/// Offsets that a lane of check_tables has in flight, each with the next one; not measured.
inline constexpr uint32_t kCheckRows = 4;

/// 16-byte loads that a lane of all_reduce has in flight, of each PE; not measured.
inline constexpr int kReduceRows = 4;

/// How often a wait of all_reduce looks at a flag before it looks at the host's word.
inline constexpr uint32_t kLooksPerStop = 256;

/// Threads per CTA of the kernels of pack and unpack: 8 warps with 4 KiB of shared memory each, so that six
/// CTAs fit on a multiprocessor.
inline constexpr uint32_t kPackThreads = 256;

/// Blocks that a thread of pack_place processes at a time.
inline constexpr uint32_t kPackPlaceBlocks = 8;

}  // namespace symshuffle

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "copy.h"
#include "layout.h"
#include "platform.h"
#include "report.h"
#include "slices.h"
#include "threads.h"

namespace symshuffle {

/// Copies every piece of the list, mostly from other PEs' memory, to this PE's: one PE's part of a shuffle's
/// all-to-all. A piece may have any alignment and length. The source must have been published before the
/// launch. Any number of PEs may pull concurrently. The owner of the data takes no part and need not know who
/// reads what, when and to where; so a shuffle pulls, although pushing reached 359 GB/s where pulling reached
/// 329 (2 H200).
template <class Thread>
SYM_FN void pull(const Thread& t, const PullArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const auto* list = reinterpret_cast<const PullDescriptor*>(a.descriptors);
  const auto shape_of = [](const PullDescriptor& d) { return copy_shape(d.source, d.destination, d.bytes); };
  if (!check_plan(t, list, a.descriptor_count, a.tile_units, a.unit_count, reporter, shape_of)) {
    return;
  }
  const TileRange tiles = tiles_of(warp_of(t), warps_of(t), a.unit_count, a.tile_units, a.spans);
  for_each_slice(t, list, a.descriptor_count, a.tile_units, a.unit_count, tiles, reporter, shape_of,
                 [&](const PullDescriptor&, uint32_t, const CopyShape& shape, uint32_t begin, uint32_t end) {
                   copy_units<kCopyRows>(t, shape, begin, end);
                 });
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_pull(const __grid_constant__ symshuffle::PullArguments arguments) {
  symshuffle::pull(symshuffle::DeviceThread{}, arguments);
}
#endif

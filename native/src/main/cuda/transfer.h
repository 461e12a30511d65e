// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy.h"
#include "layout.h"
#include "platform.h"
#include "report.h"
#include "slices.h"

namespace symshuffle {

/// This warp's number in the launch. Consecutive numbers are in different CTAs, so that a list of few tiles
/// is spread over all multiprocessors.
template <class Thread>
SYM_FN uint32_t warp_of(const Thread& t) {
  return t.thread() / Thread::kLanes * t.ctas() + t.cta();
}

template <class Thread>
SYM_FN uint32_t warps_of(const Thread& t) {
  return t.threads() / Thread::kLanes * t.ctas();
}

/// The body of pull and push: every warp copies its tiles of the list.
template <Remote kRemote, int kRows, class Load, class Thread>
SYM_FN void transfer(const Thread& t, const PullArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const auto* list = reinterpret_cast<const PullDescriptor*>(a.descriptors);
  const auto shape_of = [](const PullDescriptor& d) {
    return copy_shape(d.source, d.destination, d.bytes, kRemote);
  };
  if (!check_plan(t, list, a.descriptor_count, a.tile_units, a.unit_count, reporter, shape_of)) {
    return;
  }
  const TileRange tiles = tiles_of(warp_of(t), warps_of(t), a.unit_count, a.tile_units, a.spans);
  for_each_slice(t, list, a.descriptor_count, a.tile_units, a.unit_count, tiles, reporter, shape_of,
                 [&](const PullDescriptor&, uint32_t, const CopyShape& shape, uint32_t begin, uint32_t end) {
                   copy_units<kRows, Load>(t, shape, begin, end);
                 });
}

}  // namespace symshuffle

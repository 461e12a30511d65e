// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "benchmark_layout.cu"
#include "nvshmem_device.h"
#include "threads.h"
#include "transfer.h"

namespace symshuffle {

/// Like pull, for lists that also name PEs that loads cannot reach. Pieces of a PE that the list of peers
/// does not map go through NVSHMEM: with copies if NVSHMEM has mapped the PE, otherwise with its transports,
/// one tile at a time. A CTA takes a tile; its warps share the units of a copy.
template <class Thread, class Transport>
SYM_FN void device_pull(const Thread& t, const DevicePullArguments& a, const Transport& transport) {
  const Reporter reporter{a.pull.status, a.pull.pe};
  const auto* list = reinterpret_cast<const PullDescriptor*>(a.pull.descriptors);
  const auto* peers = reinterpret_cast<const uint64_t*>(a.peers);
  const auto shape_of = [](const PullDescriptor& d) {
    return copy_shape(d.source, d.destination, d.bytes, Remote::kSource);
  };
  if (transport.state_version() != Transport::kStateVersion) {
    reporter.report(Code::kUnsupported, a.pull.pe, Transport::kStateVersion, transport.state_version(), 0);
    return;
  }
  const uint32_t count = a.pull.descriptor_count;
  const uint32_t units = a.pull.unit_count;
  if (!check_plan(t, list, count, a.pull.tile_units, units, reporter, shape_of)) {
    return;
  }
  const TileRange tiles = tiles_of(t.cta(), t.ctas(), units, a.pull.tile_units, a.pull.spans);
  for_each_slice(
      t, list, count, a.pull.tile_units, units, tiles, reporter, shape_of,
      [&](const PullDescriptor& d, uint32_t, const CopyShape& shape, uint32_t begin, uint32_t end) {
        const uint64_t source =
            peers[d.pe] == 0 ? transport.mapped(d.source, d.pe) : d.source - a.heap_base + peers[d.pe];
        if (source == 0) {
          const uint64_t from = shape.bytes_before(shape.granule_begin(begin));
          const uint64_t to = shape.bytes_before(shape.granule_end(end));
          transport.get(d.source + from, d.destination + from, to - from, d.pe);
          return;
        }
        const CopyShape reached = copy_shape(source, d.destination, d.bytes, Remote::kSource);
        for (uint32_t unit = begin + t.thread() / Thread::kLanes; unit < end;
             unit += t.threads() / Thread::kLanes) {
          copy_units<kCopyRows, LoadOnce>(t, reached, unit, unit + 1);
        }
      });
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps). Heap bases are 128-byte aligned,
/// so that a piece has the same units in its owner's heap as in this PE's. Relocatable: the host links it
/// with the user's libnvshmem_device.a and passes it to nvshmemx_cumodule_init.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_device_pull(const __grid_constant__ symshuffle::DevicePullArguments arguments) {
  symshuffle::device_pull(symshuffle::DeviceThread{}, arguments, symshuffle::NvshmemTransport{});
}
#endif

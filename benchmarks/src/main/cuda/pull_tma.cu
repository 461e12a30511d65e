// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "bulk_copy.h"
#include "bulk_memory.h"
#include "bulk_ring.h"
#include "geometry.h"
#include "slices.h"
#include "threads.h"
#include "lab_tuning.h"

namespace symshuffle {

/// Like pull, with bulk copies through a ring in shared memory, for pieces whose source, destination and
/// length are multiples of 16 bytes; others are reported. Each CTA is one warp: the warp searches for the
/// next slice, its first lane starts the copies. Only that lane uses `ring`.
template <class Thread, class Ring>
SYM_FN void pull_tma(const Thread& t, const PullArguments& a, Ring& ring) {
  const Reporter reporter{a.status, a.pe};
  const auto* list = reinterpret_cast<const PullDescriptor*>(a.descriptors);
  const auto shape_of = [](const PullDescriptor& d) {
    return copy_shape(d.source, d.destination, d.bytes, Remote::kSource);
  };
  if (!check_plan(t, list, a.descriptor_count, a.tile_units, a.unit_count, reporter, shape_of)) {
    return;
  }
  enum Argument : uint64_t { kTileUnits };
  if (a.tile_units > kTmaTileUnits) {
    reporter.report(Code::kInvalidArgument, a.pe, kTmaTileUnits, a.tile_units, kTileUnits);
    return;
  }
  bool alive = true;
  const TileRange tiles = tiles_of(t.cta(), t.ctas(), a.unit_count, a.tile_units, a.spans);
  for_each_slice(
      t, list, a.descriptor_count, a.tile_units, a.unit_count, tiles, reporter, shape_of,
      [&](const PullDescriptor& d, uint32_t index, const CopyShape& shape, uint32_t begin, uint32_t end) {
        const uint64_t low_bits = (d.source | d.destination | d.bytes) % kGranuleBytes;
        if (low_bits != 0) {
          reporter.report(Code::kMisaligned, d.pe, 0, low_bits, index);
        } else if (t.lane() == 0 && alive) {
          const int64_t from = shape.granule_begin(begin);
          const int64_t granules = shape.granule_end(end) - from;
          alive = ring.copy(shape.load_base + from * kGranuleBytes,
                            BulkPiece{shape.store_base + from * kGranuleBytes,
                                      static_cast<uint32_t>(granules) * kGranuleBytes, d.pe});
        }
      });
  if (t.lane() == 0 && alive) {
    ring.finish();
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kTmaCtaThreads threads, sizeof(BulkMemory) bytes of dynamic shared memory
/// (more than 48 KiB: the host raises the function's limit first). Needs sm_90.
extern "C" __global__ void __launch_bounds__(symshuffle::kTmaCtaThreads)
    symshuffle_pull_tma(const __grid_constant__ symshuffle::PullArguments arguments) {
  using namespace symshuffle;
#if SYM_HAS_HOPPER
  extern __shared__ __align__(128) unsigned char shared[];
  auto* memory = reinterpret_cast<BulkMemory*>(shared);
  const DeviceThread t;
  const BulkEngine engine{BulkEngine::shared_address(memory->stages), kTmaStageBytes,
                          BulkEngine::shared_address(memory->barriers), kBulkTimeoutNanoseconds,
                          Reporter{arguments.status, arguments.pe}};
  if (t.lane() == 0) {
    engine.prepare(kTmaStages);
  }
  t.sync_warp();
  BulkRing<kTmaStages, kTmaLag, BulkEngine> ring(engine, memory->pieces);
  pull_tma(t, arguments, ring);
#else
  Reporter{arguments.status, arguments.pe}.report(Code::kUnsupported, 0, 900, 0, 0);
#endif
}
#endif

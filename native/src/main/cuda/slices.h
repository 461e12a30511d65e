// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "platform.h"
#include "report.h"

// Distributes a list of pieces over workers (warps or CTAs). The host numbers the units of the whole list
// from 0 (first_unit of each descriptor); a tile is `tile_units` consecutive units, regardless of pieces. The
// list is divided into `spans` equal parts of whole tiles. Worker w serves span w % spans and takes every
// n-th tile of it, where n is the number of workers of that span. So every span is in progress at any time (a
// list ordered by PE, me + 1, me + 2, …, with one span per PE keeps every link busy), each span is read from
// front to back, and the workers of a span differ by at most one tile.
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

/// Maximum number of units of one list: 4 TiB.
inline constexpr uint32_t kMaxUnits = 1U << 31;

/// The tiles of one worker: first, first + stride, … below end.
struct TileRange {
  uint32_t first;
  uint32_t end;
  uint32_t stride;
};

SYM_CONST_FN TileRange tiles_of(uint32_t worker, uint32_t workers, uint32_t unit_count, uint32_t tile_units,
                                uint32_t spans) {
  const uint32_t tiles = divide_up(unit_count, tile_units);
  const uint32_t parts = larger(1U, smaller(spans, smaller(workers, tiles)));
  const uint32_t part = worker % parts;
  const uint64_t begin = static_cast<uint64_t>(tiles) * part / parts;
  const uint64_t end = static_cast<uint64_t>(tiles) * (part + 1) / parts;
  return TileRange{static_cast<uint32_t>(begin) + worker / parts, static_cast<uint32_t>(end),
                   divide_up(workers - part, parts)};
}

/// Index of the last of `count` ascending values that is not above `wanted`, or 0. Called by a whole warp:
/// each step compares kLanes of them, so 32 K values take three steps.
template <class Thread, class Value>
SYM_FN uint32_t find_last_not_above(const Thread& t, uint32_t count, uint32_t wanted, Value value_at) {
  uint32_t low = 0;
  uint32_t size = count;
  while (size > 1) {
    const uint32_t step = divide_up(size, Thread::kLanes);
    const uint32_t at = t.lane() * step;
    const uint32_t votes = t.ballot(at < size && value_at(low + at) <= wanted);
    const uint32_t skipped = votes == 0 ? 0 : (count_bits(votes) - 1) * step;
    low += skipped;
    size = smaller(step, size - skipped);
  }
  return low;
}

/// Index of the last of `count` descriptors whose first_unit is not above `unit`, or 0.
template <class Descriptor, class Thread>
SYM_FN uint32_t find_descriptor(const Thread& t, const Descriptor* list, uint32_t count, uint32_t unit) {
  return find_last_not_above(t, count, unit, [list](uint32_t i) { return list[i].first_unit; });
}

/// Returns whether the numbers of a list are plausible; reports the first that is not. If false, the kernel
/// must return.
template <class Descriptor, class Thread, class ShapeOf>
SYM_FN bool check_plan(const Thread& t, const Descriptor* list, uint32_t count, uint32_t tile_units,
                       uint32_t unit_count, const Reporter& reporter, ShapeOf shape_of) {
  enum Argument : uint64_t { kThreads, kTileUnits, kUnitCount };
  if (t.threads() % Thread::kLanes != 0) {
    reporter.report(Code::kInvalidArgument, reporter.pe, Thread::kLanes, t.threads(), kThreads);
    return false;
  }
  if (tile_units == 0 || tile_units > kMaxUnits) {
    reporter.report(Code::kInvalidArgument, reporter.pe, kMaxUnits, tile_units, kTileUnits);
    return false;
  }
  if (unit_count > kMaxUnits) {
    reporter.report(Code::kInvalidArgument, reporter.pe, kMaxUnits, unit_count, kUnitCount);
    return false;
  }
  uint64_t units = 0;
  if (count != 0) {
    const Descriptor last = list[count - 1];
    units = static_cast<uint64_t>(last.first_unit) + shape_of(last).units();
  }
  if (units != unit_count) {
    reporter.report(Code::kInvalidPlan, reporter.pe, unit_count, units, count);
    return false;
  }
  return true;
}

/// Calls visit(descriptor, index, shape, unit_begin, unit_end) for every slice of this worker: the part of
/// one piece in one tile, as units of that piece. All lanes of a warp call it together and get the same
/// slices. `shape_of` returns the shape of a descriptor. An inconsistent list is reported, and the rest of
/// this worker's slices are skipped.
template <class Descriptor, class Thread, class ShapeOf, class Visit>
SYM_FN void for_each_slice(const Thread& t, const Descriptor* list, uint32_t count, uint32_t tile_units,
                           uint32_t unit_count, const TileRange& tiles, const Reporter& reporter,
                           ShapeOf shape_of, Visit visit) {
  for (uint32_t tile = tiles.first; tile < tiles.end; tile += tiles.stride) {
    uint32_t unit = tile * tile_units;
    const uint32_t end = smaller(unit_count, unit + tile_units);
    uint32_t index = find_descriptor(t, list, count, unit);
    for (bool found = true; unit < end; ++index, found = false) {
      if (index == count) {
        reporter.report(Code::kInvalidPlan, reporter.pe, unit, unit_count, index);
        return;
      }
      const Descriptor d = list[index];
      const auto shape = shape_of(d);
      const uint32_t units = shape.units();
      // The search may end inside a piece; after that, each piece starts where the last one ended.
      const bool starts_here = d.first_unit == unit;
      const bool holds_unit = found && d.first_unit < unit && unit - d.first_unit < units;
      if (!starts_here && !holds_unit) {
        reporter.report(Code::kInvalidPlan, d.pe, unit, d.first_unit, index);
        return;
      }
      if (units != 0) {
        const uint32_t stop = smaller(end - d.first_unit, units);
        visit(d, index, shape, unit - d.first_unit, stop);
        unit = d.first_unit + stop;
      }
    }
  }
}

}  // namespace symshuffle

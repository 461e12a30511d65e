// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "packed.h"
#include "scan.h"
#include "slices.h"
#include "threads.h"
#include "tuning.h"

// unpack decodes packed tables (packed.h), a warp per block. Packed bytes may come from another host and are
// not trusted: headers, entries of the directory and lengths are checked before they are used. A block is
// decoded only if its entry is consistent with the one after it, and reads only its own payload and writes only
// its own plain bytes; the values in a payload cannot lead anywhere.
namespace symshuffle::packed {

/// A code of `width` bits of a stream whose codes start at `address`.
SYM_FN uint64_t read_code(uint64_t address, uint32_t i, uint32_t width) {
  if (width == 0) {
    return 0;
  }
  const uint32_t at = i * width;
  const uint64_t word = address + at / 32 * 4;
  const uint32_t shift = at % 32;
  uint64_t code = load_value<uint32_t>(word) >> shift;
  if (32 - shift < width) {
    code |= static_cast<uint64_t>(load_value<uint32_t>(word + 4)) << (32 - shift);
  }
  if (64 - shift < width) {
    code |= static_cast<uint64_t>(load_value<uint32_t>(word + 8)) << (64 - shift);
  }
  return width == 64 ? code : code & ((1ULL << width) - 1);
}

SYM_FN uint64_t read_long(uint64_t address) {
  return static_cast<uint64_t>(load_value<uint32_t>(address + 4)) << 32 | load_value<uint32_t>(address);
}

template <class Thread, uint32_t kPerLong>
SYM_FN void read_delta(const Thread& t, uint64_t codes, const Integers<kPerLong>& values, uint32_t width,
                       uint64_t first, uint64_t step) {
  // Each lane has neighboring values, so that one scan over the warp is enough.
  const uint32_t groups = divide_up(values.groups(), Thread::kLanes);
  const uint32_t begin = t.lane() * groups;
  const uint32_t end = smaller(values.groups(), begin + groups);
  uint64_t sum = 0;
  SYM_NO_UNROLL
  for (uint32_t i = begin * kPerLong; i < smaller(values.count, end * kPerLong); ++i) {
    sum += read_code(codes, i, width);
  }
  const uint64_t through = sum_through(t, sum);
  uint64_t value = first + (through - sum) + step * (begin * kPerLong) - step;
  SYM_NO_UNROLL
  for (uint32_t group = begin; group < end; ++group) {
    values.set_group(group, [&](uint32_t i) {
      value += step + read_code(codes, i, width);
      return value;
    });
  }
}

/// Sets `table` to the bytes of a bitmap in ascending order, then zeros; returns their number.
template <class Thread>
SYM_FN uint32_t read_symbols(const Thread& t, uint64_t bitmap, uint8_t* table) {
  t.sync_warp();
  for (uint32_t b = t.lane(); b < 256; b += Thread::kLanes) {
    table[b] = 0;
  }
  t.sync_warp();
  uint32_t below = 0;
  SYM_NO_UNROLL
  for (uint32_t w = 0; w < kBitmapWords; ++w) {
    const uint32_t bits = load_value<uint32_t>(bitmap + 4 * w);
    for (uint32_t b = t.lane(); b < 32; b += Thread::kLanes) {
      if ((bits >> b & 1) != 0) {
        table[below + count_bits(bits & ((1U << b) - 1))] = static_cast<uint8_t>(32 * w + b);
      }
    }
    below += count_bits(bits);
  }
  t.sync_warp();
  return below;
}

template <class Thread, uint32_t kPerLong>
SYM_FN void read_stream(const Thread& t, uint64_t address, const Integers<kPerLong>& values, Stream stream,
                        WarpMemory* memory) {
  const uint64_t base = read_long(address);
  const uint64_t codes = address + 4 * stream.parameter_words();
  if (stream.kind == StreamKind::kRanked) {
    const uint32_t rank_bits = smaller(stream.width, symbol_width(read_symbols(t, address + 8, memory->table)));
    const uint32_t low = stream.width - rank_bits;
    SYM_NO_UNROLL
    for (uint32_t group = t.lane(); group < values.groups(); group += Thread::kLanes) {
      values.set_group(group, [&](uint32_t i) {
        const uint64_t code = read_code(codes, i, stream.width);
        const uint64_t rank = rank_bits == 0 ? 0 : code >> low;
        return base + (static_cast<uint64_t>(memory->table[static_cast<uint8_t>(rank)]) << low % 64) +
               (code - (rank << low % 64));
      });
    }
    return;
  }
  const uint64_t second = stream.kind == StreamKind::kFrame ? 1 : read_long(address + 8);
  if (stream.kind == StreamKind::kDelta) {
    read_delta(t, codes, values, stream.width, base, second);
    return;
  }
  SYM_NO_UNROLL
  for (uint32_t group = t.lane(); group < values.groups(); group += Thread::kLanes) {
    values.set_group(group,
                     [&](uint32_t i) { return base + read_code(codes, i, stream.width) * second; });
  }
}

/// Decodes a block of kText. The block is the sequences one after the other: the literals, which are 0 where
/// there are none left, then the repetition, which is 0 where it starts before the block. What is beyond the end
/// is dropped, and what is missing is 0.
template <class Thread>
SYM_FN void read_text(const Thread& t, uint64_t address, uint32_t bytes, const BlockCode& code,
                      WarpMemory* memory) {
  const uint32_t width = text_width(code);
  const uint32_t sequences = text_sequences(code);
  const uint64_t to_sequences = address + 4 * kBitmapWords;
  const uint32_t sequence_words = code_words(sequences, kTextSequenceBits);
  const uint64_t to_literals = to_sequences + 4 * sequence_words;
  const uint32_t literal_bits = 32 * (code.words - kBitmapWords - sequence_words);
  auto* block = reinterpret_cast<uint8_t*>(memory->block);
  for (uint32_t q = t.lane(); q < kBlockLongs; q += Thread::kLanes) {
    memory->block[q] = 0;
  }
  t.sync_warp();
  uint32_t at = 0;
  uint32_t literal = 0;
  SYM_NO_UNROLL
  for (uint32_t first = 0; first < sequences; first += Thread::kLanes) {
    const uint32_t s = first + t.lane();
    const auto sequence =
        s < sequences ? static_cast<uint32_t>(read_code(to_sequences, s, kTextSequenceBits)) : 0;
    const uint32_t literals = sequence & 15;
    const uint32_t length = (sequence >> 4 & 15) == 0 ? 0 : (sequence >> 4 & 15) + 3;
    const uint64_t both = static_cast<uint64_t>(literals + length) << 32 | literals;
    const uint64_t through = sum_through(t, both);
    const uint32_t start = at + static_cast<uint32_t>((through - both) >> 32);
    const uint32_t from = literal + static_cast<uint32_t>(through - both);
    SYM_NO_UNROLL
    for (uint32_t i = 0; i < literals && start + i < bytes; ++i) {
      const bool exists = (from + i + 1) * width <= literal_bits;
      block[start + i] =
          exists ? memory->table[static_cast<uint8_t>(read_code(to_literals, from + i, width))] : 0;
    }
    t.sync_warp();
    const uint32_t repetition = start + literals;
    uint32_t left = t.ballot(length != 0 && repetition < bytes);
    while (left != 0) {
      const uint32_t lane = trailing_zeros(left);
      left &= left - 1;
      const uint32_t to = t.from_lane(repetition, lane);
      const uint32_t what = t.from_lane(sequence, lane);
      const uint32_t distance = (what >> 8) + 1;
      const uint32_t end = smaller(bytes, to + (what >> 4 & 15) + 3);
      for (uint32_t i = to + t.lane(); i < end; i += Thread::kLanes) {
        const uint32_t ahead = to + (i - to) % distance;
        block[i] = ahead < distance ? 0 : block[ahead - distance];
      }
      t.sync_warp();
    }
    at += t.from_lane(static_cast<uint32_t>(through >> 32), Thread::kLanes - 1);
    literal += t.from_lane(static_cast<uint32_t>(through), Thread::kLanes - 1);
  }
}

/// Decodes a payload into shared memory.
template <class Thread>
SYM_FN void read_payload(const Thread& t, uint64_t address, uint32_t bytes, const BlockCode& code,
                         WarpMemory* memory) {
  uint64_t* block = memory->block;
  const Stream first = stream_of(code.first);
  switch (code.layout) {
    case BlockLayout::kRaw: {
      const Integers<2> words{block, 0, 1, code.words};
      for (uint32_t group = t.lane(); group < words.groups(); group += Thread::kLanes) {
        words.set_group(group, [&](uint32_t i) { return load_value<uint32_t>(address + 4 * i); });
      }
      break;
    }
    case BlockLayout::kBytes:
      read_stream(t, address, Integers<8>{block, 0, 1, bytes}, first, memory);
      break;
    case BlockLayout::kInts:
      read_stream(t, address, Integers<2>{block, 0, 1, bytes / 4}, first, memory);
      break;
    case BlockLayout::kLongs:
    case BlockLayout::kPairs:
    case BlockLayout::kShifted: {
      const LongStreams s = long_streams(code, bytes);
      SYM_NO_UNROLL
      for (uint32_t k = 0; k < s.streams; ++k) {
        read_stream(t, address + (k == 0 ? 0 : 4 * first.words(s.count(0))),
                    Integers<1>{block, k, s.streams, s.count(k)}, k == 0 ? first : stream_of(code.second), memory);
      }
      if (code.layout == BlockLayout::kShifted) {
        const uint64_t edges = read_long(address + 4 * (code.words - 2));
        shift_up(t, bytes, Edges{static_cast<uint32_t>(edges), static_cast<uint32_t>(edges >> 32)}, block);
      }
      break;
    }
    case BlockLayout::kSymbols: {
      read_symbols(t, address, memory->table);
      const Integers<8> values{block, 0, 1, bytes};
      const uint64_t codes = address + 4 * kBitmapWords;
      SYM_NO_UNROLL
      for (uint32_t group = t.lane(); group < values.groups(); group += Thread::kLanes) {
        values.set_group(group, [&](uint32_t i) {
          return memory->table[static_cast<uint8_t>(read_code(codes, i, code.first))];
        });
      }
      break;
    }
    case BlockLayout::kText:
      read_symbols(t, address, memory->table);
      read_text(t, address, bytes, code, memory);
      break;
  }
  t.sync_warp();
}

/// Writes the block in shared memory to its place.
template <class Thread>
SYM_FN void store_block(const Thread& t, uint64_t address, uint32_t bytes, const uint64_t* block) {
  const uint32_t granules = address % 16 == 0 ? bytes / 16 : 0;
  for (uint32_t g = t.lane(); g < granules; g += Thread::kLanes) {
    const uint64_t low = block[2 * g];
    const uint64_t high = block[2 * g + 1];
    store(address + g * 16, Granule{{static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                                     static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)}});
  }
  const uint32_t words = address % 4 == 0 ? bytes / 4 : 0;
  for (uint32_t w = 4 * granules + t.lane(); w < words; w += Thread::kLanes) {
    store_value<uint32_t>(address + 4 * w, static_cast<uint32_t>(block[w / 2] >> (32 * (w % 2))));
  }
  for (uint32_t b = 4 * words + t.lane(); b < bytes; b += Thread::kLanes) {
    store_value<uint8_t>(address + b, static_cast<uint8_t>(block[b / 8] >> (8 * (b % 8))));
  }
}

/// Returns whether the header of a packed table is that of a table of this length, and its directory exists.
SYM_FN bool header_is_valid(const UnpackDescriptor& d) {
  const uint32_t blocks = blocks_of(d.plain_bytes);
  const uint64_t shortest = kPackedHeaderBytes + static_cast<uint64_t>(blocks) * kPackedEntryBytes;
  return d.packed_bytes >= shortest && d.packed_bytes % 16 == 0 &&
         load_value<uint32_t>(d.packed) == kPackedMagic &&
         load_value<uint32_t>(d.packed + 4) == kPackedVersion &&
         load_value<uint64_t>(d.packed + 8) == d.plain_bytes &&
         load_value<uint64_t>(d.packed + 16) == d.packed_bytes &&
         load_value<uint32_t>(d.packed + 24) == blocks && load_value<uint32_t>(d.packed + 28) == 0 &&
         (blocks != 0 || d.packed_bytes == shortest);
}

/// Returns whether a block of a table with a valid header can be decoded: its payload has the length that its
/// encoding needs and lies between those of its neighbors.
SYM_FN bool entry_is_valid(const UnpackDescriptor& d, uint32_t block, uint64_t entry) {
  const uint32_t blocks = blocks_of(d.plain_bytes);
  const uint64_t start = static_cast<uint32_t>(entry);
  const BlockCode code = block_code_of(static_cast<uint32_t>(entry >> 32));
  const uint64_t end = start + code.words;
  const uint64_t words = d.packed_bytes / 4;
  if (!is_valid(code, block_bytes(d.plain_bytes, block)) || start < first_payload(blocks) || end > words ||
      (block == 0 && start != first_payload(blocks))) {
    return false;
  }
  if (block + 1 == blocks) {
    return divide_up<uint64_t>(end, 4) * 4 == words;
  }
  const uint64_t next = d.packed + kPackedHeaderBytes + (static_cast<uint64_t>(block) + 1) * kPackedEntryBytes;
  return load_value<uint32_t>(next) == end;
}

template <class Thread>
SYM_FN void unpack(const Thread& t, const UnpackArguments& a, Memory* shared) {
  WarpMemory* memory = &shared->of_warp[t.thread() / Thread::kLanes];
  const auto* list = reinterpret_cast<const UnpackDescriptor*>(a.tables);
  for (uint32_t unit = warp_of(t); unit < a.block_count; unit += warps_of(t)) {
    const uint32_t table = find_last_not_above(t, a.table_count, unit,
                                               [list](uint32_t i) { return list[i].first_block; });
    const UnpackDescriptor d = list[table];
    const uint32_t block = unit - d.first_block;
    const uint32_t bytes = block_bytes(d.plain_bytes, block);
    bool valid = header_is_valid(d);
    if (valid && bytes != 0) {
      const uint64_t entry =
          load_value<uint64_t>(d.packed + kPackedHeaderBytes + static_cast<uint64_t>(block) * kPackedEntryBytes);
      valid = entry_is_valid(d, block, entry);
      if (valid) {
        read_payload(t, d.packed + 4 * (entry & 0xffffffffU), bytes,
                     block_code_of(static_cast<uint32_t>(entry >> 32)), memory);
        store_block(t, d.plain + static_cast<uint64_t>(block) * kPackBlockBytes, bytes, memory->block);
        t.sync_warp();
      }
    }
    if (!valid && t.lane() == 0) {
      store_value<uint32_t>(a.results + static_cast<uint64_t>(table) * sizeof(uint32_t), block + 1);
    }
  }
}

}  // namespace symshuffle::packed

#if defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(symshuffle::kPackThreads, 4)
    symshuffle_unpack(const __grid_constant__ symshuffle::UnpackArguments arguments) {
  __shared__ symshuffle::packed::Memory memory;
  symshuffle::packed::unpack(symshuffle::DeviceThread{}, arguments, &memory);
}
#endif

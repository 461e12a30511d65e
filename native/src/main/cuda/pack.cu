// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "packed.h"
#include "report.h"
#include "scan.h"
#include "slices.h"
#include "text.h"
#include "threads.h"
#include "tuning.h"

// pack encodes a list of tables (packed.h), one after the other in `to`. The kernels are launched on one
// stream, without the host in between (io.symshuffle.kernel.PackLaunch):
//
//     pack_measure   a warp per block: how it is encoded in the fewest words
//     pack_place     a CTA per table: where the payload of each block starts, and the length of the table
//     pack_starts    one CTA: where each table starts
//     pack_write     a warp per block: header, entry of the directory, payload
//
// Tables are read twice, which costs less than keeping the payloads of unknown length somewhere: a GPU reads
// 3 TB/s, a network card 0.05.
namespace symshuffle::packed {

/// Reads `bytes` bytes into `block` and pads the last long with zeros.
template <class Thread>
SYM_FN void load_block(const Thread& t, uint64_t address, uint32_t bytes, uint64_t* block) {
  const uint32_t granules = address % 16 == 0 ? bytes / 16 : 0;
  SYM_UNROLL
  for (uint32_t k = 0; k < divide_up(kPackBlockBytes / 16, Thread::kLanes); ++k) {
    const uint32_t g = t.lane() + k * Thread::kLanes;
    if (g < granules) {
      const Granule value = load_once(address + g * 16);
      block[2 * g] = static_cast<uint64_t>(value.word[1]) << 32 | value.word[0];
      block[2 * g + 1] = static_cast<uint64_t>(value.word[3]) << 32 | value.word[2];
    }
  }
  SYM_NO_UNROLL
  for (uint32_t q = 2 * granules + t.lane(); q < divide_up(bytes, 8U); q += Thread::kLanes) {
    uint64_t value = 0;
    if (address % 4 == 0 && 8 * q + 8 <= bytes) {
      value = static_cast<uint64_t>(load_value<uint32_t>(address + 8 * q + 4)) << 32 |
              load_value<uint32_t>(address + 8 * q);
    } else {
      for (uint32_t b = 0; b < smaller(8U, bytes - 8 * q); ++b) {
        value |= static_cast<uint64_t>(load_value<uint8_t>(address + 8 * q + b)) << (8 * b);
      }
    }
    block[q] = value;
  }
  t.sync_warp();
}

template <class Thread>
SYM_FN uint64_t exchange_long(const Thread& t, uint64_t value, uint32_t mask) {
  const uint32_t low = t.exchange(static_cast<uint32_t>(value), mask);
  const uint32_t high = t.exchange(static_cast<uint32_t>(value >> 32), mask);
  return static_cast<uint64_t>(high) << 32 | low;
}

/// The inverse of 5 modulo 2^64: x is divisible by 5 if and only if x * kInverse is at most kFifth, and that
/// is the quotient.
inline constexpr uint64_t kInverse = 0xcccccccccccccccdULL;
inline constexpr uint64_t kFifth = 0x3333333333333333ULL;

/// What the choice of a stream's encoding needs. The same on all lanes.
struct Statistics {
  int64_t first;
  int64_t min;
  int64_t max;
  int64_t min_step;  // of the differences of neighbors
  int64_t max_step;
  uint32_t twos;   // every difference is divisible by 2^twos * 5^fives
  uint32_t fives;

  SYM_FN uint64_t range() const { return static_cast<uint64_t>(max) - static_cast<uint64_t>(min); }
  SYM_FN uint64_t step_range() const {
    return static_cast<uint64_t>(max_step) - static_cast<uint64_t>(min_step);
  }
};

/// Divides exactly by 2^twos * 5^fives.
SYM_FN uint64_t divide_exactly(uint64_t value, uint32_t twos, uint32_t fives) {
  value >>= twos % 64;
  for (uint32_t i = 0; i < fives; ++i) {
    value *= kInverse;
  }
  return value;
}

template <class Thread, uint32_t kPerLong>
SYM_FN Statistics statistics_of(const Thread& t, const Integers<kPerLong>& values) {
  const int64_t first = values.value(0);
  Statistics s{first, first, first, INT64_MAX, INT64_MIN, 0, 27};
  uint64_t differences = 0;
  SYM_NO_UNROLL
  for (uint32_t i = t.lane(); i < values.count; i += Thread::kLanes) {
    const int64_t value = values.value(i);
    s.min = smaller(s.min, value);
    s.max = larger(s.max, value);
    if (i != 0) {
      const auto step = static_cast<int64_t>(static_cast<uint64_t>(value) -
                                             static_cast<uint64_t>(values.value(i - 1)));
      s.min_step = smaller(s.min_step, step);
      s.max_step = larger(s.max_step, step);
    }
    uint64_t difference = static_cast<uint64_t>(value) - static_cast<uint64_t>(first);
    differences |= difference;
    if (s.fives != 0 && difference != 0) {
      difference = static_cast<int64_t>(difference) < 0 ? ~difference + 1 : difference;
      uint32_t fives = 0;
      for (uint64_t next = difference * kInverse; fives < s.fives && next <= kFifth; next *= kInverse) {
        ++fives;
      }
      s.fives = fives;
    }
  }
  for (uint32_t mask = 1; mask < Thread::kLanes; mask *= 2) {
    s.min = smaller(s.min, static_cast<int64_t>(exchange_long(t, static_cast<uint64_t>(s.min), mask)));
    s.max = larger(s.max, static_cast<int64_t>(exchange_long(t, static_cast<uint64_t>(s.max), mask)));
    s.min_step =
        smaller(s.min_step, static_cast<int64_t>(exchange_long(t, static_cast<uint64_t>(s.min_step), mask)));
    s.max_step =
        larger(s.max_step, static_cast<int64_t>(exchange_long(t, static_cast<uint64_t>(s.max_step), mask)));
    differences |= exchange_long(t, differences, mask);
    s.fives = smaller(s.fives, t.exchange(s.fives, mask));
  }
  s.twos = trailing_zeros(differences);
  if (static_cast<int64_t>(s.range()) < 0) {
    // A difference may have wrapped around, which keeps only powers of two.
    s.fives = 0;
  }
  return s;
}

/// The encoding of a stream with the fewest words.
SYM_FN Stream best_stream(const Statistics& s, uint32_t count) {
  Stream best{StreamKind::kFrame, bits_of(s.range())};
  if (best.width != 0) {
    const Stream scaled{StreamKind::kScaled, bits_of(divide_exactly(s.range(), s.twos, s.fives))};
    if (scaled.words(count) < best.words(count)) {
      best = scaled;
    }
    const Stream delta{StreamKind::kDelta, bits_of(s.step_range())};
    if (delta.words(count) < best.words(count)) {
      best = delta;
    }
  }
  return best;
}

/// Sets `bitmap` to the bytes that occur among byte_of(0) to byte_of(count - 1); returns their number.
template <class Thread, class ByteOf>
SYM_FN uint32_t mark_symbols(const Thread& t, uint32_t count, WarpMemory* memory, ByteOf byte_of) {
  t.sync_warp();
  for (uint32_t b = t.lane(); b < 256; b += Thread::kLanes) {
    memory->table[b] = 0;
  }
  t.sync_warp();
  SYM_NO_UNROLL
  for (uint32_t i = t.lane(); i < count; i += Thread::kLanes) {
    memory->table[static_cast<uint8_t>(byte_of(i))] = 1;
  }
  t.sync_warp();
  uint32_t symbols = 0;
  SYM_NO_UNROLL
  for (uint32_t w = 0; w < kBitmapWords; ++w) {
    uint32_t bits = 0;
    SYM_UNROLL
    for (uint32_t b = 0; b < 32; b += Thread::kLanes) {
      bits |= t.ballot(memory->table[32 * w + b + t.lane()] != 0) << b;
    }
    if (t.lane() == 0) {
      memory->bitmap[w] = bits;
    }
    symbols += count_bits(bits);
  }
  t.sync_warp();
  return symbols;
}

/// As mark_symbols; also sets `table` to the rank of each byte.
template <class Thread, class ByteOf>
SYM_FN void rank_symbols(const Thread& t, uint32_t count, WarpMemory* memory, ByteOf byte_of) {
  mark_symbols(t, count, memory, byte_of);
  uint32_t below = 0;
  SYM_NO_UNROLL
  for (uint32_t w = 0; w < kBitmapWords; ++w) {
    const uint32_t bits = memory->bitmap[w];
    for (uint32_t b = t.lane(); b < 32; b += Thread::kLanes) {
      memory->table[32 * w + b] = static_cast<uint8_t>(below + count_bits(bits & ((1U << b) - 1)));
    }
    below += count_bits(bits);
  }
  t.sync_warp();
}

template <class Thread>
SYM_FN void write_bitmap(const Thread& t, uint64_t address, const WarpMemory* memory) {
  for (uint32_t w = t.lane(); w < kBitmapWords; w += Thread::kLanes) {
    store_value<uint32_t>(address + 4 * w, memory->bitmap[w]);
  }
}

/// The bits of a value above the minimum that kRanked keeps as they are; 0 if there are too few bits for it.
SYM_FN uint32_t low_bits(const Statistics& s) {
  const uint32_t bits = bits_of(s.range());
  return bits > kHighBits ? bits - kHighBits : 0;
}

/// The encoding of integers with the fewest words.
template <class Thread, uint32_t kPerLong>
SYM_FN Stream choose_stream(const Thread& t, const Integers<kPerLong>& values, WarpMemory* memory) {
  const Statistics s = statistics_of(t, values);
  const Stream best = best_stream(s, values.count);
  const uint32_t low = low_bits(s);
  if (low == 0 || Stream{StreamKind::kRanked, low + 1}.words(values.count) >= best.words(values.count)) {
    return best;
  }
  const uint32_t symbols = mark_symbols(t, values.count, memory, [&](uint32_t i) {
    return (static_cast<uint64_t>(values.value(i)) - static_cast<uint64_t>(s.min)) >> low;
  });
  const Stream ranked{StreamKind::kRanked, low + symbol_width(symbols)};
  return ranked.words(values.count) < best.words(values.count) ? ranked : best;
}

/// The encoding of the block in shared memory with the fewest words.
template <class Thread>
SYM_FN BlockCode best_code(const Thread& t, uint32_t bytes, WarpMemory* memory) {
  BlockCode best{BlockLayout::kRaw, 0, 0, divide_up(bytes, 4U)};
  const auto take = [&best](BlockLayout layout, uint32_t first, uint32_t second, uint32_t words) {
    if (words < best.words) {
      best = BlockCode{layout, first, second, words};
    }
  };
  if (bytes == 0) {
    return best;
  }
  if (bytes % 4 == 0) {
    const Integers<2> ints{memory->block, 0, 1, bytes / 4};
    const Stream s = choose_stream(t, ints, memory);
    take(BlockLayout::kInts, s.bits(), 0, s.words(ints.count));
  }
  if (bytes % 8 == 0) {
    Edges edges{};
    uint32_t first = 0;
    // One loop over kLongs, kPairs and both shifted, so that choose_stream is there once.
    SYM_NO_UNROLL
    for (uint32_t k = 0; k < 6; ++k) {
      const bool shifted = k >= 3;
      if (k == 3) {
        if (bytes < kShiftedShortest || best.words * 16 <= bytes) {
          break;
        }
        edges = shift_down(t, bytes, memory->block);
      }
      const uint32_t stream = k % 3 == 2 ? 1 : 0;
      const uint32_t streams = k % 3 == 0 ? 1 : 2;
      if (streams == 2 && !shifted && bytes % 16 != 0) {
        continue;
      }
      const LongStreams s{streams, bytes / 8 - (shifted ? 1 : 0)};
      const uint32_t bits =
          choose_stream(t, Integers<1>{memory->block, stream, streams, s.count(stream)}, memory).bits();
      if (k % 3 == 1) {
        first = bits;
        continue;
      }
      BlockCode code{shifted        ? BlockLayout::kShifted
                     : streams == 1 ? BlockLayout::kLongs
                                    : BlockLayout::kPairs,
                     streams == 1 ? bits : first, streams == 2 ? bits : shifted ? kNoStream : 0, 0};
      code.words = long_words(code, bytes);
      best = code.words < best.words ? code : best;
      if (k == 5) {
        shift_up(t, bytes, edges, memory->block);
      }
    }
  }
  if (best.words * 16 > bytes) {
    const Integers<8> each{memory->block, 0, 1, bytes};
    const Stream s = best_stream(statistics_of(t, each), bytes);
    take(BlockLayout::kBytes, s.bits(), 0, s.words(bytes));
    const uint32_t width = symbol_width(
        mark_symbols(t, bytes, memory, [&](uint32_t i) { return static_cast<uint64_t>(each.value(i)); }));
    take(BlockLayout::kSymbols, width, 0, kBitmapWords + code_words(bytes, width));
    if (stride_of(best.layout) == 1) {
      const BlockCode text = text_code(t, bytes, width, memory);
      best = text.words < best.words ? text : best;
    }
  }
  return best;
}

/// Step 1: chooses the encoding of each block.
template <class Thread>
SYM_FN void pack_measure(const Thread& t, const PackArguments& a, Memory* shared) {
  WarpMemory* memory = &shared->of_warp[t.thread() / Thread::kLanes];
  const auto* list = reinterpret_cast<const PackDescriptor*>(a.tables);
  for (uint32_t unit = warp_of(t); unit < a.block_count; unit += warps_of(t)) {
    const uint32_t table = find_last_not_above(t, a.table_count, unit,
                                               [list](uint32_t i) { return list[i].first_block; });
    const uint32_t block = unit - list[table].first_block;
    const uint32_t bytes = block_bytes(list[table].bytes, block);
    load_block(t, list[table].plain + static_cast<uint64_t>(block) * kPackBlockBytes, bytes, memory->block);
    const BlockCode code = best_code(t, bytes, memory);
    if (t.lane() == 0) {
      store_value<uint64_t>(a.entries + static_cast<uint64_t>(unit) * kPackedEntryBytes,
                            static_cast<uint64_t>(code.bits()) << 32);
    }
    t.sync_warp();
  }
}

/// Step 2: the place of each block in its table, and the length of each table.
template <class Thread>
SYM_FN void pack_place(const Thread& t, const PackArguments& a, ScanMemory* memory) {
  const auto* list = reinterpret_cast<const PackDescriptor*>(a.tables);
  for (uint32_t table = t.cta(); table < a.table_count; table += t.ctas()) {
    const uint32_t blocks = blocks_of(list[table].bytes);
    const uint64_t entries = a.entries + static_cast<uint64_t>(list[table].first_block) * kPackedEntryBytes;
    uint64_t place = first_payload(blocks);
    SYM_NO_UNROLL
    for (uint32_t base = 0; base < blocks; base += t.threads() * kPackPlaceBlocks) {
      const uint32_t first = base + t.thread() * kPackPlaceBlocks;
      uint32_t code[kPackPlaceBlocks];
      uint32_t words = 0;
      SYM_UNROLL
      for (uint32_t k = 0; k < kPackPlaceBlocks; ++k) {
        code[k] = first + k < blocks
                      ? load_value<uint32_t>(entries + static_cast<uint64_t>(first + k) * kPackedEntryBytes + 4)
                      : 0;
        words += block_code_of(code[k]).words;
      }
      uint64_t total;
      uint64_t here = place + sum_before(t, words, memory, &total);
      SYM_UNROLL
      for (uint32_t k = 0; k < kPackPlaceBlocks; ++k) {
        if (first + k < blocks) {
          store_value<uint32_t>(entries + static_cast<uint64_t>(first + k) * kPackedEntryBytes,
                                static_cast<uint32_t>(here));
        }
        here += block_code_of(code[k]).words;
      }
      place += total;
    }
    if (t.thread() == 0) {
      const uint64_t result = a.results + static_cast<uint64_t>(table) * sizeof(PackResult);
      store_value<uint64_t>(result + offsetof(PackResult, bytes), divide_up<uint64_t>(place, 4) * 16);
    }
  }
}

/// Step 3, one CTA: where each table starts.
template <class Thread>
SYM_FN void pack_starts(const Thread& t, const PackArguments& a, ScanMemory* memory) {
  uint64_t start = 0;
  SYM_NO_UNROLL
  for (uint32_t base = 0; base < a.table_count; base += t.threads()) {
    const uint32_t table = base + t.thread();
    const uint64_t result = a.results + static_cast<uint64_t>(table) * sizeof(PackResult);
    const uint64_t bytes =
        table < a.table_count ? load_value<uint64_t>(result + offsetof(PackResult, bytes)) : 0;
    uint64_t total;
    const uint64_t before = sum_before(t, bytes, memory, &total);
    if (table < a.table_count) {
      store_value<uint64_t>(result + offsetof(PackResult, offset), start + before);
    }
    start += total;
  }
}

/// Writes `count` codes of `width` bits: code_at(i).
template <class Thread, class CodeAt>
SYM_FN void write_codes(const Thread& t, uint64_t address, uint32_t count, uint32_t width, CodeAt code_at) {
  const uint32_t words = code_words(count, width);
  SYM_NO_UNROLL
  for (uint32_t w = t.lane(); w < words; w += Thread::kLanes) {
    uint32_t bits = 0;
    SYM_NO_UNROLL
    for (uint32_t i = 32 * w / width; i < count && i * width < 32 * w + 32; ++i) {
      const uint64_t code = code_at(i);
      const uint32_t at = i * width;
      bits |= static_cast<uint32_t>(at >= 32 * w ? code << (at - 32 * w) : code >> (32 * w - at));
    }
    store_value<uint32_t>(address + 4 * w, bits);
  }
}

template <class Thread>
SYM_FN void write_long(const Thread& t, uint64_t address, uint64_t value) {
  if (t.lane() == 0) {
    store_value<uint32_t>(address, static_cast<uint32_t>(value));
    store_value<uint32_t>(address + 4, static_cast<uint32_t>(value >> 32));
  }
}

template <class Thread, uint32_t kPerLong>
SYM_FN void write_stream(const Thread& t, uint64_t address, const Integers<kPerLong>& values, Stream stream,
                         WarpMemory* memory) {
  const Statistics s = statistics_of(t, values);
  const uint64_t codes = address + 4 * stream.parameter_words();
  const auto base = static_cast<uint64_t>(s.min);
  const bool is_delta = stream.kind == StreamKind::kDelta;
  const uint32_t twos = stream.kind == StreamKind::kScaled ? s.twos : 0;
  const uint32_t fives = stream.kind == StreamKind::kScaled ? s.fives : 0;
  write_long(t, address, is_delta ? static_cast<uint64_t>(s.first) : base);
  if (is_delta) {
    write_long(t, address + 8, static_cast<uint64_t>(s.min_step));
    write_codes(t, codes, values.count, stream.width, [&](uint32_t i) {
      return i == 0 ? 0
                    : static_cast<uint64_t>(values.value(i)) - static_cast<uint64_t>(values.value(i - 1)) -
                          static_cast<uint64_t>(s.min_step);
    });
    return;
  }
  if (stream.kind == StreamKind::kRanked) {
    const uint32_t low = low_bits(s);
    const auto above = [&](uint32_t i) { return static_cast<uint64_t>(values.value(i)) - base; };
    rank_symbols(t, values.count, memory, [&](uint32_t i) { return above(i) >> low; });
    write_bitmap(t, address + 8, memory);
    write_codes(t, codes, values.count, stream.width, [&](uint32_t i) {
      const uint64_t value = above(i);
      return static_cast<uint64_t>(memory->table[static_cast<uint8_t>(value >> low)]) << low |
             (value & ((1ULL << low) - 1));
    });
    return;
  }
  uint64_t inverse = 1;
  uint64_t factor = 1ULL << twos % 64;
  SYM_NO_UNROLL
  for (uint32_t i = 0; i < fives; ++i) {
    inverse *= kInverse;
    factor *= 5;
  }
  if (stream.kind == StreamKind::kScaled) {
    write_long(t, address + 8, factor);
  }
  write_codes(t, codes, values.count, stream.width, [&](uint32_t i) {
    return ((static_cast<uint64_t>(values.value(i)) - base) >> twos % 64) * inverse;
  });
}

/// Writes the payload of a block of kText. Sequences and literals are collected until there are 32 of them, which
/// are whole words.
template <class Thread>
SYM_FN void write_text(const Thread& t, uint64_t address, uint32_t bytes, const BlockCode& code,
                       WarpMemory* memory) {
  const uint32_t width = text_width(code);
  uint64_t to_sequences = address + 4 * kBitmapWords;
  uint64_t to_literals = to_sequences + 4 * code_words(text_sequences(code), kTextSequenceBits);
  uint32_t sequences = 0;
  uint32_t literals = 0;
  const auto write_sequences = [&](uint32_t count) {
    t.sync_warp();
    write_codes(t, to_sequences, count, kTextSequenceBits,
                [&](uint32_t i) { return static_cast<uint64_t>(memory->sequences[i]); });
    t.sync_warp();
    to_sequences += 4 * kTextSequenceBits;
    sequences = 0;
  };
  const auto write_literals = [&](uint32_t count) {
    t.sync_warp();
    write_codes(t, to_literals, count, width,
                [&](uint32_t i) { return static_cast<uint64_t>(memory->literals[i]); });
    t.sync_warp();
    to_literals += 4 * width;
    literals -= count;
  };
  text_of(
      t, bytes, text_shortest(width), memory,
      [&](uint32_t count, uint32_t length, uint32_t distance) {
        if (t.lane() == 0) {
          memory->sequences[sequences] = length == 0 ? count : count | (length - 3) << 4 | (distance - 1) << 8;
        }
        if (++sequences == 32) {
          write_sequences(32);
        }
      },
      [&](uint32_t first, uint32_t mask) {
        if ((mask >> t.lane() & 1) != 0) {
          memory->literals[literals + count_bits(mask & ((1U << t.lane()) - 1))] =
              memory->table[byte_at(memory->block, first + t.lane())];
        }
        literals += count_bits(mask);
        if (literals >= 32) {
          write_literals(32);
          const uint8_t moved = memory->literals[32 + t.lane() % 32];
          t.sync_warp();
          memory->literals[t.lane()] = moved;
          t.sync_warp();
        }
      });
  write_sequences(sequences);
  write_literals(literals);
}

/// Writes the payload of the block in shared memory.
template <class Thread>
SYM_FN void write_payload(const Thread& t, uint64_t address, uint32_t bytes, const BlockCode& code,
                          WarpMemory* memory) {
  uint64_t* block = memory->block;
  const Stream first = stream_of(code.first);
  switch (code.layout) {
    case BlockLayout::kRaw:
      for (uint32_t w = t.lane(); w < code.words; w += Thread::kLanes) {
        store_value<uint32_t>(address + 4 * w, static_cast<uint32_t>(block[w / 2] >> (32 * (w % 2))));
      }
      break;
    case BlockLayout::kBytes:
      write_stream(t, address, Integers<8>{block, 0, 1, bytes}, first, memory);
      break;
    case BlockLayout::kInts:
      write_stream(t, address, Integers<2>{block, 0, 1, bytes / 4}, first, memory);
      break;
    case BlockLayout::kLongs:
    case BlockLayout::kPairs:
    case BlockLayout::kShifted: {
      if (code.layout == BlockLayout::kShifted) {
        const Edges edges = shift_down(t, bytes, block);
        write_long(t, address + 4 * (code.words - 2), static_cast<uint64_t>(edges.last) << 32 | edges.first);
      }
      const LongStreams s = long_streams(code, bytes);
      SYM_NO_UNROLL
      for (uint32_t k = 0; k < s.streams; ++k) {
        write_stream(t, address + (k == 0 ? 0 : 4 * first.words(s.count(0))),
                     Integers<1>{block, k, s.streams, s.count(k)}, k == 0 ? first : stream_of(code.second), memory);
      }
      break;
    }
    case BlockLayout::kSymbols: {
      const Integers<8> values{block, 0, 1, bytes};
      rank_symbols(t, bytes, memory, [&](uint32_t i) { return static_cast<uint64_t>(values.value(i)); });
      write_bitmap(t, address, memory);
      write_codes(t, address + 4 * kBitmapWords, bytes, code.first, [&](uint32_t i) {
        return static_cast<uint64_t>(memory->table[static_cast<uint8_t>(values.value(i))]);
      });
      break;
    }
    case BlockLayout::kText:
      rank_symbols(t, bytes, memory, [block](uint32_t i) { return static_cast<uint64_t>(byte_at(block, i)); });
      write_bitmap(t, address, memory);
      write_text(t, address, bytes, code, memory);
      break;
  }
}

/// Step 4: writes everything.
template <class Thread>
SYM_FN void pack_write(const Thread& t, const PackArguments& a, Memory* shared) {
  const Reporter reporter{a.status, a.pe};
  WarpMemory* memory = &shared->of_warp[t.thread() / Thread::kLanes];
  const auto* list = reinterpret_cast<const PackDescriptor*>(a.tables);
  for (uint32_t unit = warp_of(t); unit < a.block_count; unit += warps_of(t)) {
    const uint32_t table = find_last_not_above(t, a.table_count, unit,
                                               [list](uint32_t i) { return list[i].first_block; });
    const uint32_t block = unit - list[table].first_block;
    const uint32_t bytes = block_bytes(list[table].bytes, block);
    const uint32_t blocks = blocks_of(list[table].bytes);
    const uint64_t result = a.results + static_cast<uint64_t>(table) * sizeof(PackResult);
    const uint64_t start = load_value<uint64_t>(result + offsetof(PackResult, offset));
    const uint64_t length = load_value<uint64_t>(result + offsetof(PackResult, bytes));
    if (start > a.to_bytes || length > a.to_bytes - start) {
      reporter.report(Code::kInvalidArgument, a.pe, a.to_bytes, start + length, table);
      return;
    }
    const uint64_t to = a.to + start;
    if (block == 0) {
      const uint64_t plain_bytes = list[table].bytes;
      if (t.lane() == 0) {
        store_value<uint32_t>(to, kPackedMagic);
        store_value<uint32_t>(to + 4, kPackedVersion);
        store_value<uint64_t>(to + 8, plain_bytes);
        store_value<uint64_t>(to + 16, length);
        store_value<uint32_t>(to + 24, blocks);
        store_value<uint32_t>(to + 28, 0);
      }
    }
    if (blocks == 0) {
      continue;
    }
    const uint64_t entry = a.entries + static_cast<uint64_t>(unit) * kPackedEntryBytes;
    const uint32_t place = load_value<uint32_t>(entry);
    const BlockCode code = block_code_of(load_value<uint32_t>(entry + 4));
    const uint64_t to_entry = to + kPackedHeaderBytes + static_cast<uint64_t>(block) * kPackedEntryBytes;
    if (t.lane() == 0) {
      store_value<uint64_t>(to_entry, static_cast<uint64_t>(code.bits()) << 32 | place);
      if (block + 1 == blocks) {
        for (uint64_t w = static_cast<uint64_t>(place) + code.words; w < length / 4; ++w) {
          store_value<uint32_t>(to + 4 * w, 0);
        }
      }
    }
    load_block(t, list[table].plain + static_cast<uint64_t>(block) * kPackBlockBytes, bytes, memory->block);
    write_payload(t, to + 4 * static_cast<uint64_t>(place), bytes, code, memory);
    t.sync_warp();
  }
}

}  // namespace symshuffle::packed

#if defined(__CUDACC__)
/// Launch of these and of `symshuffle_unpack`: any number of CTAs, kPackThreads threads, no dynamic shared
/// memory; one CTA for `symshuffle_pack_starts`.
extern "C" __global__ void __launch_bounds__(symshuffle::kPackThreads, 4)
    symshuffle_pack_measure(const __grid_constant__ symshuffle::PackArguments arguments) {
  __shared__ symshuffle::packed::Memory memory;
  symshuffle::packed::pack_measure(symshuffle::DeviceThread{}, arguments, &memory);
}

extern "C" __global__ void __launch_bounds__(symshuffle::kPackThreads)
    symshuffle_pack_place(const __grid_constant__ symshuffle::PackArguments arguments) {
  __shared__ symshuffle::ScanMemory memory;
  symshuffle::packed::pack_place(symshuffle::DeviceThread{}, arguments, &memory);
}

extern "C" __global__ void __launch_bounds__(symshuffle::kPackThreads)
    symshuffle_pack_starts(const __grid_constant__ symshuffle::PackArguments arguments) {
  __shared__ symshuffle::ScanMemory memory;
  symshuffle::packed::pack_starts(symshuffle::DeviceThread{}, arguments, &memory);
}

extern "C" __global__ void __launch_bounds__(symshuffle::kPackThreads, 4)
    symshuffle_pack_write(const __grid_constant__ symshuffle::PackArguments arguments) {
  __shared__ symshuffle::packed::Memory memory;
  symshuffle::packed::pack_write(symshuffle::DeviceThread{}, arguments, &memory);
}
#endif

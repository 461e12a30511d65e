// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "tuning.h"

// The format of a packed table: the bytes of a table in GPU memory, in blocks of kPackBlockBytes that are
// encoded independently. Java: PackedTables, which draws it. All numbers are little-endian; a word is 4 bytes.
//
//     header      u32 magic, u32 version, u64 plain bytes, u64 packed bytes, u32 blocks, u32 zero
//     directory   u64 for each block: the word that its payload starts at (low 32 bits), and how it is encoded:
//                 bits 32-34 BlockLayout, 35-43 first stream, 44-52 second stream, 53-63 words of the payload
//     payloads    one after the other, without gaps; then zeros up to a multiple of 16 bytes
//
// A block is one or two streams of integers of the same size. A stream has parameters of 2, 4 or 10 words, then
// a code of `width` bits for each integer, the first in the lowest bits of the first word:
//
//     kFrame    i64 base               value = base + code
//     kScaled   i64 base, u64 factor   value = base + code * factor
//     kDelta    i64 first, i64 step    value = value before it + step + code; the first code is 0
//     kRanked   i64 base, a bitmap     value = base + high * 2^low bits + low
//
// kRanked is for values in a few places of a wide range, such as the keys of several files that a map task has
// read. The bitmap of 8 words has the high parts that occur, of 0 to 255. A code is the rank of one among them
// above the low part. A rank has as many bits as the highest needs, and the low part has the others.
//
// In a table that is itself a list of columns, those of 8-byte integers may start 4 bytes after a multiple of 8.
// kShifted is for them: the bytes from the fifth on, but not the last four, are one or two streams of i64. After
// the streams, the payload has the first word of the block and the last.
//
// Sums and products are modulo 2^64, and a value is cut to its size, so that every payload decodes to
// something.
namespace symshuffle::packed {

/// How the bytes of a block are divided into integers.
enum class BlockLayout : uint32_t {
  kRaw = 0,      ///< not encoded
  kBytes = 1,    ///< i8
  kInts = 2,     ///< i32
  kLongs = 3,    ///< i64
  kPairs = 4,    ///< two i64 in turn, a stream of each
  kSymbols = 5,  ///< u8: a bitmap of the bytes that occur (8 words), then their ranks in it
  kText = 6,     ///< u8: the bitmap, then sequences of literals and a repetition, then the ranks of the literals
  kShifted = 7,  ///< as kPairs, or as kLongs if the second stream is kNoStream, 4 bytes later
};

enum class StreamKind : uint32_t { kFrame = 0, kScaled = 1, kDelta = 2, kRanked = 3 };

inline constexpr uint32_t kBlockLongs = kPackBlockBytes / 8;
inline constexpr uint32_t kBitmapWords = 8;
inline constexpr uint32_t kHighBits = 8;  // of kRanked
inline constexpr uint32_t kNone = 0xffffffffU;
inline constexpr uint32_t kNoStream = 511;  // not the bits of a stream
inline constexpr uint32_t kShiftedShortest = 32;

/// A sequence of kText has the number of its literals in bits 0-3, the length of the repetition after them in
/// bits 4-7 (0: none, otherwise 3 less), and its distance from the bytes that it repeats in bits 8-19 (1 less).
inline constexpr uint32_t kTextSequenceBits = 20;
inline constexpr uint32_t kTextLiterals = 15;
inline constexpr uint32_t kTextShortest = 4;
inline constexpr uint32_t kTextLongest = 18;
inline constexpr uint32_t kTextMaxSequences = 2047;
inline constexpr uint32_t kTextHashBits = 9;

SYM_FN uint32_t bits_of(uint64_t value) {
  return 64 - leading_zeros(value);
}

/// Zero bits below the lowest set bit, 64 if there is none.
SYM_FN uint32_t trailing_zeros(uint64_t value) {
  return value == 0 ? 64 : bits_of(value & (~value + 1)) - 1;
}

SYM_CONST_FN uint32_t blocks_of(uint64_t bytes) {
  return static_cast<uint32_t>(divide_up<uint64_t>(bytes, kPackBlockBytes));
}

/// Blocks as the kernels count them: an empty table has one.
SYM_CONST_FN uint32_t units_of(uint64_t bytes) {
  return larger(1U, blocks_of(bytes));
}

/// Bytes of block `block` of a table.
SYM_CONST_FN uint32_t block_bytes(uint64_t bytes, uint32_t block) {
  const uint64_t start = static_cast<uint64_t>(block) * kPackBlockBytes;
  return start >= bytes ? 0 : static_cast<uint32_t>(smaller<uint64_t>(kPackBlockBytes, bytes - start));
}

/// The word that the first payload starts at.
SYM_CONST_FN uint32_t first_payload(uint32_t blocks) {
  return (kPackedHeaderBytes + blocks * kPackedEntryBytes) / 4;
}

/// Words of `count` codes.
SYM_CONST_FN uint32_t code_words(uint32_t count, uint32_t width) {
  return divide_up(count * width, 32U);
}

/// Bits of the ranks of `symbols` symbols.
SYM_FN uint32_t symbol_width(uint32_t symbols) {
  return bits_of(larger(1U, symbols) - 1);
}

/// How a stream is encoded.
struct Stream {
  StreamKind kind;
  uint32_t width;  // 0 to 64

  SYM_CONST_FN uint32_t parameter_words() const {
    return kind == StreamKind::kFrame ? 2 : kind == StreamKind::kRanked ? 2 + kBitmapWords : 4;
  }
  SYM_CONST_FN uint32_t words(uint32_t count) const { return parameter_words() + code_words(count, width); }
  SYM_CONST_FN uint32_t bits() const { return static_cast<uint32_t>(kind) << 7 | width; }
  SYM_CONST_FN bool valid() const { return width <= 64; }
};

SYM_CONST_FN Stream stream_of(uint32_t bits) {
  return Stream{static_cast<StreamKind>(bits >> 7 & 3), bits & 127};
}

/// How a block is encoded: the high half of its entry of the directory.
struct BlockCode {
  BlockLayout layout;
  uint32_t first;   // Stream::bits
  uint32_t second;  // Stream::bits
  uint32_t words;

  SYM_CONST_FN uint32_t bits() const {
    return static_cast<uint32_t>(layout) | first << 3 | second << 12 | words << 21;
  }
};

SYM_CONST_FN BlockCode block_code_of(uint32_t bits) {
  return BlockCode{static_cast<BlockLayout>(bits & 7), bits >> 3 & 511, bits >> 12 & 511, bits >> 21};
}

/// The code of a block of kText: the number of its sequences and the bits of a literal are in the fields of the
/// streams.
SYM_CONST_FN BlockCode text_block_code(uint32_t sequences, uint32_t width, uint32_t words) {
  return BlockCode{BlockLayout::kText, sequences & 511, sequences >> 9 | width << 2, words};
}

SYM_CONST_FN uint32_t text_sequences(const BlockCode& code) {
  return (code.second & 3) << 9 | code.first;
}

SYM_CONST_FN uint32_t text_width(const BlockCode& code) {
  return code.second >> 2;
}

/// The streams of a block of 8-byte integers.
struct LongStreams {
  uint32_t streams;
  uint32_t longs;

  /// The integers of stream `k`.
  SYM_CONST_FN uint32_t count(uint32_t k) const { return (longs + streams - 1 - k) / streams; }
};

SYM_CONST_FN LongStreams long_streams(const BlockCode& code, uint32_t bytes) {
  const bool shifted = code.layout == BlockLayout::kShifted;
  const bool two = code.layout == BlockLayout::kPairs || (shifted && code.second != kNoStream);
  return LongStreams{two ? 2U : 1U, bytes / 8 - (shifted ? 1 : 0)};
}

/// Words of the streams of a block of 8-byte integers, and of what kShifted has after them.
SYM_CONST_FN uint32_t long_words(const BlockCode& code, uint32_t bytes) {
  const LongStreams s = long_streams(code, bytes);
  return stream_of(code.first).words(s.count(0)) + (s.streams == 1 ? 0 : stream_of(code.second).words(s.count(1))) +
         (code.layout == BlockLayout::kShifted ? 2 : 0);
}

/// Bytes from one integer of a stream to the next.
SYM_CONST_FN uint32_t stride_of(BlockLayout layout) {
  return layout == BlockLayout::kInts    ? 4
         : layout == BlockLayout::kLongs ? 8
         : layout == BlockLayout::kPairs ? 16
                                         : 1;
}

/// Returns whether a block of `bytes` bytes can be encoded like this.
SYM_CONST_FN bool is_valid(const BlockCode& code, uint32_t bytes) {
  const Stream first = stream_of(code.first);
  const Stream second = stream_of(code.second);
  const uint32_t stride = stride_of(code.layout);
  if (code.layout == BlockLayout::kText) {
    return text_width(code) <= 8 &&
           code.words >= kBitmapWords + code_words(text_sequences(code), kTextSequenceBits);
  }
  if (code.layout == BlockLayout::kShifted) {
    return bytes % 8 == 0 && bytes >= kShiftedShortest && first.valid() &&
           (second.valid() || code.second == kNoStream) && code.words == long_words(code, bytes);
  }
  if (bytes % stride != 0 || !first.valid() || !second.valid() ||
      (code.layout != BlockLayout::kPairs && code.second != 0)) {
    return false;
  }
  const uint32_t count = bytes / stride;
  switch (code.layout) {
    case BlockLayout::kRaw:
      return code.first == 0 && code.words == divide_up(bytes, 4U);
    case BlockLayout::kBytes:
    case BlockLayout::kInts:
      return code.words == first.words(count);
    case BlockLayout::kLongs:
    case BlockLayout::kPairs:
      return code.words == long_words(code, bytes);
    case BlockLayout::kSymbols:
      return code.first <= 8 && code.words == kBitmapWords + code_words(bytes, code.first);
    case BlockLayout::kText:
    case BlockLayout::kShifted:
      break;
  }
  return false;
}

/// A warp's part of shared memory.
struct alignas(16) WarpMemory {
  uint64_t block[kBlockLongs];                // plain, padded with zeros
  uint32_t bitmap[kBitmapWords];              // of kSymbols, kText and kRanked
  uint32_t sequences[64];                     // of kText, until there are enough to write
  uint16_t positions[1 << kTextHashBits];     // of kText: the last place of a hash
  uint8_t table[256];                         // of them: ranks of bytes, or bytes of ranks
  uint8_t literals[64];                       // of kText, as sequences
};

/// Shared memory of a CTA.
struct Memory {
  WarpMemory of_warp[kPackThreads / 32];
};

/// The first word of a block and the last, between which kShifted has its integers.
struct Edges {
  uint32_t first;
  uint32_t last;
};

/// Moves the bytes of a block down by 4, so that what is at 4 bytes after a multiple of 8 is at one.
template <class Thread>
SYM_FN Edges shift_down(const Thread& t, uint32_t bytes, uint64_t* block) {
  const uint32_t longs = bytes / 8;
  t.sync_warp();
  const Edges edges{static_cast<uint32_t>(block[0]), static_cast<uint32_t>(block[longs - 1] >> 32)};
  t.sync_warp();
  SYM_NO_UNROLL
  for (uint32_t base = 0; base + 1 < longs; base += Thread::kLanes) {
    const uint32_t q = base + t.lane();
    const uint64_t value = q + 1 < longs ? block[q] >> 32 | block[q + 1] << 32 : 0;
    t.sync_warp();
    if (q + 1 < longs) {
      block[q] = value;
    }
    t.sync_warp();
  }
  return edges;
}

/// The opposite of shift_down.
template <class Thread>
SYM_FN void shift_up(const Thread& t, uint32_t bytes, const Edges& edges, uint64_t* block) {
  const uint32_t longs = bytes / 8;
  t.sync_warp();
  SYM_NO_UNROLL
  for (uint32_t end = divide_up(longs, Thread::kLanes) * Thread::kLanes; end != 0; end -= Thread::kLanes) {
    const uint32_t q = end - Thread::kLanes + t.lane();
    uint64_t value = 0;
    if (q < longs) {
      value = q == 0 ? edges.first : block[q - 1] >> 32;
      value |= (q + 1 == longs ? edges.last : block[q]) << 32;
    }
    t.sync_warp();
    if (q < longs) {
      block[q] = value;
    }
    t.sync_warp();
  }
}

/// The integers of a stream in `block`: kPerLong of them in each of the longs `first`, `first + step`, …
template <uint32_t kPerLong>
struct Integers {
  static constexpr uint32_t kBits = 64 / kPerLong;

  uint64_t* block;
  uint32_t first;
  uint32_t step;
  uint32_t count;

  SYM_FN uint32_t groups() const { return divide_up(count, kPerLong); }

  SYM_FN int64_t value(uint32_t i) const {
    const uint64_t group = block[first + i / kPerLong * step];
    return static_cast<int64_t>(group << (64 - kBits * (i % kPerLong + 1))) >> (64 - kBits);
  }

  /// Sets the integers of a group: value_of(i). Those beyond the end are 0.
  template <class ValueOf>
  SYM_FN void set_group(uint32_t group, ValueOf value_of) const {
    uint64_t bits = 0;
    SYM_UNROLL
    for (uint32_t k = 0; k < kPerLong; ++k) {
      const uint32_t i = group * kPerLong + k;
      if (i < count) {
        const auto value = static_cast<uint64_t>(value_of(i));
        bits |= (kPerLong == 1 ? value : value & ((1ULL << kBits % 64) - 1)) << (kBits * k);
      }
    }
    block[first + group * step] = bits;
  }
};

}  // namespace symshuffle::packed

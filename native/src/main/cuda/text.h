// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "packed.h"

// The layout kText of packed.h: repetitions within a block. A warp looks for a repetition at kLanes neighboring
// positions at a time and takes the first that is long enough, again and again. The result depends on the
// number of lanes, but two calls with the same block and the same number find the same.
namespace symshuffle::packed {

SYM_FN uint8_t byte_at(const uint64_t* block, uint32_t i) {
  return static_cast<uint8_t>(block[i / 8] >> (8 * (i % 8)));
}

/// Where text_of finds a repetition of the four bytes at `i`.
SYM_FN uint32_t text_hash(const uint64_t* block, uint32_t i) {
  const uint32_t shift = 8 * (i % 8);
  uint64_t bytes = block[i / 8] >> shift;
  if (shift > 32) {
    bytes |= block[i / 8 + 1] << (64 - shift);
  }
  return static_cast<uint32_t>(bytes) * 2654435761U >> (32 - kTextHashBits);
}

/// Calls sequence(literals, length, distance) for each sequence of a block, and literals(first, mask) after
/// each chunk: bit l of `mask` is set if byte `first` + l is a literal. `shortest` is the shortest length of a
/// repetition. All lanes call, and get the same.
template <class Thread, class Sequence, class Literals>
SYM_FN void text_of(const Thread& t, uint32_t bytes, uint32_t shortest, WarpMemory* memory, Sequence sequence,
                    Literals literals) {
  const uint64_t* block = memory->block;
  for (uint32_t k = t.lane(); k < 1U << kTextHashBits; k += Thread::kLanes) {
    memory->positions[k] = 0xffff;
  }
  t.sync_warp();
  uint32_t at = 0;
  uint32_t pending = 0;
  SYM_NO_UNROLL
  for (uint32_t chunk = 0; chunk < bytes; chunk += Thread::kLanes) {
    const uint32_t i = chunk + t.lane();
    const bool hashed = i + 4 <= bytes;
    const uint32_t hash = hashed ? text_hash(block, i) : (1U << kTextHashBits) + t.lane();
    const uint32_t before = hashed ? memory->positions[hash] : 0xffff;
    // The last of those with the same hash is remembered.
    const bool is_last = t.same_value(hash) >> t.lane() == 1;
    if (hashed && is_last) {
      memory->positions[hash] = static_cast<uint16_t>(i);
    }
    t.sync_warp();
    uint32_t length = 0;
    if (before != 0xffff) {
      const uint32_t longest = smaller(kTextLongest, bytes - i);
      while (length < longest && byte_at(block, before + length) == byte_at(block, i + length)) {
        ++length;
      }
    }
    const uint32_t found = t.ballot(length >= shortest);
    const uint32_t end = smaller(bytes, chunk + Thread::kLanes);
    uint32_t mask = 0;
    uint32_t here = larger(at, chunk);
    while (here < end) {
      const uint32_t rest = found >> (here - chunk);
      const uint32_t next = rest == 0 ? end : here + trailing_zeros(rest);
      mask |= (next - here == 32 ? ~0U : (1U << (next - here)) - 1) << ((here - chunk) % 32);
      pending += next - here;
      here = next;
      if (rest != 0) {
        for (; pending > kTextLiterals; pending -= kTextLiterals) {
          sequence(kTextLiterals, 0, 0);
        }
        const uint32_t both = t.from_lane(length << 16 | before, next - chunk);
        sequence(pending, both >> 16, next - (both & 0xffff));
        pending = 0;
        here += both >> 16;
      }
    }
    at = here;
    literals(chunk, mask);
  }
  while (pending != 0) {
    const uint32_t some = smaller(pending, kTextLiterals);
    sequence(some, 0, 0);
    pending -= some;
  }
}

/// The shortest repetition that takes fewer bits than its bytes as literals.
SYM_FN uint32_t text_shortest(uint32_t width) {
  return larger(kTextShortest, kTextSequenceBits / larger(1U, width) + 1);
}

/// How the block in shared memory is encoded as text with literals of `width` bits.
template <class Thread>
SYM_FN BlockCode text_code(const Thread& t, uint32_t bytes, uint32_t width, WarpMemory* memory) {
  uint32_t sequences = 0;
  uint32_t literals = 0;
  if (text_shortest(width) <= kTextLongest) {
    text_of(
        t, bytes, text_shortest(width), memory,
        [&](uint32_t count, uint32_t, uint32_t) {
          literals += count;
          ++sequences;
        },
        [](uint32_t, uint32_t) {});
  } else {
    sequences = kTextMaxSequences + 1;
  }
  const uint32_t words = kBitmapWords + code_words(sequences, kTextSequenceBits) + code_words(literals, width);
  return sequences > kTextMaxSequences ? BlockCode{BlockLayout::kText, 0, 0, kNone}
                                       : text_block_code(sequences, width, words);
}

}  // namespace symshuffle::packed

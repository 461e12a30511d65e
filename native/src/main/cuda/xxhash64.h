// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.h"
#include "platform.h"

// XXH64 of short values, as in the specification of xxHash (doc/xxhash_spec.md in github.com/Cyan4973/xxHash)
// and in Spark's org.apache.spark.sql.catalyst.expressions.XXH64.
namespace symshuffle::xxhash64 {

inline constexpr uint64_t kPrime1 = 0x9e3779b185ebca87ULL;
inline constexpr uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fULL;
inline constexpr uint64_t kPrime3 = 0x165667b19e3779f9ULL;
inline constexpr uint64_t kPrime4 = 0x85ebca77c2b2ae63ULL;
inline constexpr uint64_t kPrime5 = 0x27d4eb2f165667c5ULL;

SYM_CONST_FN uint64_t rotate_left(uint64_t value, uint32_t bits) {
  return value << bits | value >> (64 - bits);
}

/// One of the four sums of a long value after 8 more bytes.
SYM_CONST_FN uint64_t sum_after(uint64_t sum, uint64_t word) {
  return rotate_left(sum + word * kPrime2, 31) * kPrime1;
}

SYM_CONST_FN uint64_t merge_sum(uint64_t hash, uint64_t sum) {
  return (hash ^ sum_after(0, sum)) * kPrime1 + kPrime4;
}

/// The hash after 8 more bytes.
SYM_CONST_FN uint64_t add_word(uint64_t hash, uint64_t word) {
  return rotate_left(hash ^ sum_after(0, word), 27) * kPrime1 + kPrime4;
}

/// The hash after 4 more bytes.
SYM_CONST_FN uint64_t add_half(uint64_t hash, uint32_t half) {
  return rotate_left(hash ^ half * kPrime1, 23) * kPrime2 + kPrime3;
}

/// The hash after the last `bytes` of a value, 0 to 7, which are the low bytes of `word`.
SYM_CONST_FN uint64_t add_rest(uint64_t hash, uint64_t word, uint32_t bytes) {
  if (bytes >= 4) {
    hash = add_half(hash, static_cast<uint32_t>(word));
    word >>= 32;
    bytes -= 4;
  }
  for (; bytes != 0; --bytes, word >>= 8) {
    hash = rotate_left(hash ^ (word & 0xff) * kPrime5, 11) * kPrime1;
  }
  return hash;
}

SYM_CONST_FN uint64_t finish(uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

SYM_CONST_FN uint64_t of_4_bytes(uint32_t value, uint64_t seed) {
  return finish(add_half(seed + kPrime5 + 4, value));
}

SYM_CONST_FN uint64_t of_8_bytes(uint64_t value, uint64_t seed) {
  return finish(add_word(seed + kPrime5 + 8, value));
}

/// The hash of the first `bytes` of `first`, `second`, 1 to 16.
SYM_CONST_FN uint64_t of_16_bytes_or_less(uint64_t first, uint64_t second, uint32_t bytes, uint64_t seed) {
  uint64_t hash = seed + kPrime5 + bytes;
  if (bytes < 8) {
    return finish(add_rest(hash, first, bytes));
  }
  hash = add_word(hash, first);
  return finish(bytes == 16 ? add_word(hash, second) : add_rest(hash, second, bytes - 8));
}

/// `bytes` bytes at any address, 1 to 8, as the low bytes of the result; the other bytes have any value. Only
/// aligned words that contain one of the bytes are read.
SYM_FN uint64_t load_bytes(uint64_t address, uint32_t bytes) {
  const auto skipped = static_cast<uint32_t>(address % 8);
  const uint64_t aligned = address - skipped;
  uint64_t word = load_value<uint64_t>(aligned) >> 8 * skipped;
  if (skipped + bytes > 8) {
    word |= load_value<uint64_t>(aligned + 8) << (64 - 8 * skipped);
  }
  return word;
}

/// The hash of `bytes` bytes at any address.
SYM_FN uint64_t of_bytes(uint64_t address, uint64_t bytes, uint64_t seed) {
  uint64_t hash = seed + kPrime5;
  uint64_t left = bytes;
  if (left >= 32) {
    uint64_t sum1 = seed + kPrime1 + kPrime2;
    uint64_t sum2 = seed + kPrime2;
    uint64_t sum3 = seed;
    uint64_t sum4 = seed - kPrime1;
    SYM_NO_UNROLL
    for (; left >= 32; left -= 32, address += 32) {
      sum1 = sum_after(sum1, load_bytes(address, 8));
      sum2 = sum_after(sum2, load_bytes(address + 8, 8));
      sum3 = sum_after(sum3, load_bytes(address + 16, 8));
      sum4 = sum_after(sum4, load_bytes(address + 24, 8));
    }
    hash = rotate_left(sum1, 1) + rotate_left(sum2, 7) + rotate_left(sum3, 12) + rotate_left(sum4, 18);
    hash = merge_sum(merge_sum(merge_sum(merge_sum(hash, sum1), sum2), sum3), sum4);
  }
  hash += bytes;
  SYM_NO_UNROLL
  for (; left >= 8; left -= 8, address += 8) {
    hash = add_word(hash, load_bytes(address, 8));
  }
  if (left != 0) {
    hash = add_rest(hash, load_bytes(address, static_cast<uint32_t>(left)), static_cast<uint32_t>(left));
  }
  return finish(hash);
}

}  // namespace symshuffle::xxhash64

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform.h"

namespace symshuffle {

/// 16 bytes, the largest unit that a thread loads or stores. Little-endian: byte b of the granule is byte b %
/// 4 of word[b / 4].
struct alignas(16) Granule {
  uint32_t word[4];
};

/// The low 32 bits of (high:low) >> bits, for bits in [0, 32).
SYM_FN uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, bits);
#else
  return static_cast<uint32_t>(((static_cast<uint64_t>(high) << 32) | low) >> bits);
#endif
}

/// Bytes [shift, shift + 16) of the 32 bytes `first`, `second`, for shift in [1, 16). The whole warp has one
/// shift, so the selects below do not diverge.
SYM_FN Granule join(const Granule& first, const Granule& second, uint32_t shift) {
  const bool by_two = (shift & 8) != 0;
  const bool by_one = (shift & 4) != 0;
  const uint32_t bits = (shift & 3) * 8;
  uint32_t w[8];
  SYM_UNROLL
  for (int i = 0; i < 4; ++i) {
    w[i] = first.word[i];
    w[i + 4] = second.word[i];
  }
  SYM_UNROLL
  for (int i = 0; i < 6; ++i) {
    w[i] = by_two ? w[i + 2] : w[i];
  }
  SYM_UNROLL
  for (int i = 0; i < 5; ++i) {
    w[i] = by_one ? w[i + 1] : w[i];
  }
  Granule result;
  SYM_UNROLL
  for (int i = 0; i < 4; ++i) {
    result.word[i] = funnel_right(w[i], w[i + 1], bits);
  }
  return result;
}

/// Selects one of two granules word by word: selecting an address would put both in local memory.
SYM_FN Granule choose(bool first, const Granule& a, const Granule& b) {
  Granule result;
  SYM_UNROLL
  for (int i = 0; i < 4; ++i) {
    result.word[i] = first ? a.word[i] : b.word[i];
  }
  return result;
}

/// `value` with the bytes outside [from, to) cleared, for 0 <= from, to <= 16.
SYM_FN Granule keep_bytes(const Granule& value, uint32_t from, uint32_t to) {
  Granule result;
  SYM_UNROLL
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t word = value.word[i];
    SYM_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      const uint32_t at = 4 * i + b;
      if (at < from || at >= to) {
        word &= ~(0xffU << (8 * b));
      }
    }
    result.word[i] = word;
  }
  return result;
}

}  // namespace symshuffle

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform.h"

// CRC-32C (Castagnoli: RFC 3720 appendix B.4, java.util.zip.CRC32C) as arithmetic on polynomials over
// GF(2), in the usual reflected notation: bit 31 of a u32 is the coefficient of x^0, bit 0 that of
// x^31. The "raw" CRC of bytes starts from 0 and ends without inversion; so it is linear: the raw CRC
// of a message is the XOR of those of its parts, each multiplied by x^(8 x bytes that follow it).
namespace symshuffle::crc32c {

inline constexpr uint32_t kPolynomial = 0x82f63b78;
inline constexpr uint32_t kOne = 0x80000000;  // x^0
inline constexpr uint32_t kPowers = 31;

/// x^kOrder = 1: the polynomial is x + 1 times a primitive one of degree 31. So exponents are taken modulo
/// this, and dividing by x^n means multiplying by x^(kOrder - n).
inline constexpr uint64_t kOrder = (1ULL << 31) - 1;

/// a times x.
SYM_CONST_FN uint32_t times_x(uint32_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? kPolynomial : 0);
}

/// a times b.
SYM_CONST_FN uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  SYM_UNROLL
  for (int i = 31; i >= 0; --i) {
    product ^= (a >> i & 1) != 0 ? b : 0;
    b = times_x(b);
  }
  return product;
}

/// The exponent of x that moves a value `bytes` bytes away from the end (closer to it if negative).
SYM_CONST_FN uint32_t exponent_of(int64_t bytes) {
  const int64_t order = static_cast<int64_t>(kOrder);
  const int64_t rest = bytes % order;
  return static_cast<uint32_t>(8 * (rest < 0 ? rest + order : rest) % order);
}

/// x^(2^k) for each bit k of an exponent.
struct Powers {
  uint32_t of_bit[kPowers];
};

constexpr Powers make_powers() {
  Powers powers{};
  uint32_t power = times_x(kOne);
  for (uint32_t k = 0; k < kPowers; ++k) {
    powers.of_bit[k] = power;
    power = multiply(power, power);
  }
  return powers;
}

/// x^exponent.
constexpr uint32_t power_of_x(const Powers& powers, uint32_t exponent) {
  uint32_t power = kOne;
  for (uint32_t k = 0; k < kPowers; ++k) {
    if ((exponent >> k & 1) != 0) {
      power = multiply(power, powers.of_bit[k]);
    }
  }
  return power;
}

/// The contribution of each half byte of 16 bytes to the raw CRC of a message in which (lanes - 1) x 16 bytes
/// follow these 16: a lane steps from its granule of one row to its granule of the next. A table of half
/// bytes, since 32 lanes that look up one of 16 adjacent words have no bank conflicts.
struct FoldTable {
  uint32_t entry[32][16];
};

constexpr FoldTable make_fold_table(uint32_t lanes) {
  uint32_t of_bit[128] = {};
  // The last bit of the 16 bytes has `following` bits after it; a bit itself enters as x^31, then x^32.
  const uint32_t following = (lanes - 1) * 128;
  uint32_t value = 1;
  for (uint32_t i = 0; i <= following; ++i) {
    value = times_x(value);
  }
  for (int bit = 127; bit >= 0; --bit) {
    of_bit[bit] = value;
    value = times_x(value);
  }
  FoldTable table{};
  for (int half = 0; half < 32; ++half) {
    for (uint32_t n = 0; n < 16; ++n) {
      for (int b = 0; b < 4; ++b) {
        table.entry[half][n] ^= (n >> b & 1) != 0 ? of_bit[4 * half + b] : 0;
      }
    }
  }
  return table;
}

/// Lane l's sum ends 16 x l bytes past the row's end: x^(-128 l) brings it back.
struct LaneFactors {
  uint32_t of_lane[32];
};

constexpr LaneFactors make_lane_factors() {
  LaneFactors factors{};
  const Powers powers = make_powers();
  const uint32_t step = power_of_x(powers, exponent_of(-16));
  uint32_t factor = kOne;
  for (uint32_t& f : factors.of_lane) {
    f = factor;
    factor = multiply(factor, step);
  }
  return factors;
}

}  // namespace symshuffle::crc32c

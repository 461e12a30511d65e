// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

// A minimal test framework for the kernels.
namespace symshuffle::test {

using Random = std::mt19937_64;

inline uint64_t below(Random& random, uint64_t bound) {
  return random() % bound;
}

/// A test: a sentence and a body. Each test gets a separate random generator with the seed of the run.
struct Test {
  std::string name;
  std::function<void(Random&)> body;
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

struct Registration {
  Registration(const char* name, std::function<void(Random&)> body) {
    all_tests().push_back({name, std::move(body)});
  }
};

/// Prints the location and the values, and ends the program. The caller of the program prints the seed.
template <class... Values>
[[noreturn]] void fail(const char* file, int line, const char* what, const Values&... values) {
  std::fprintf(stderr, "%s:%d: %s", file, line, what);
  (std::fprintf(stderr, " %s", std::to_string(values).c_str()), ...);
  std::fprintf(stderr, "\n");
  std::abort();
}

#define SYM_CONCAT_(a, b) a##b
#define SYM_CONCAT(a, b) SYM_CONCAT_(a, b)
#define TEST(sentence, random)                                                       \
  static void SYM_CONCAT(test_, __LINE__)(::symshuffle::test::Random&);              \
  static const ::symshuffle::test::Registration SYM_CONCAT(registration_, __LINE__)( \
      sentence, SYM_CONCAT(test_, __LINE__));                                        \
  static void SYM_CONCAT(test_, __LINE__)(::symshuffle::test::Random & random)

/// CHECK(condition, value…) prints the values if the condition does not hold.
#define CHECK(condition, ...)                                                              \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      ::symshuffle::test::fail(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                      \
  } while (false)

/// Bytes at a given offset from a 128-byte boundary, with a fence of 256 known bytes on both sides.
class Bytes {
 public:
  Bytes(Random& random, uint64_t bytes, uint64_t offset) : storage_(bytes + 2 * kFence + 256), bytes_(bytes) {
    const auto base = reinterpret_cast<uintptr_t>(storage_.data()) + kFence;
    start_ = (base + 127) / 128 * 128 + offset % 128 - reinterpret_cast<uintptr_t>(storage_.data());
    for (auto& b : storage_) {
      b = static_cast<uint8_t>(random());
    }
    copy_ = storage_;
  }

  uint8_t* data() { return storage_.data() + start_; }
  uint64_t address() { return reinterpret_cast<uint64_t>(data()); }
  uint64_t size() const { return bytes_; }

  /// Returns whether the fences are unchanged.
  bool fences_hold() const {
    for (uint64_t i = 0; i < storage_.size(); ++i) {
      if ((i < start_ || i >= start_ + bytes_) && storage_[i] != copy_[i]) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr uint64_t kFence = 256;
  std::vector<uint8_t> storage_;
  std::vector<uint8_t> copy_;
  uint64_t bytes_;
  uint64_t start_;
};

}  // namespace symshuffle::test

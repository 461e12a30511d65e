// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// Runs the kernels' logic on the host.
//   host_tests layout            prints the structs of layout.h, one `name.field offset bytes` per line
//   host_tests list              prints the names of all tests
//   host_tests units             reads lines `source destination bytes side`, prints the units of each
//   host_tests SEED [SENTENCE]   runs all tests, or the one with that name

#include <chrono>
#include <cstring>

#include "check.h"
#include "geometry.h"
#include "print_layout.h"

int main(int count, char** arguments) {
  using namespace symshuffle;
  if (count < 2) {
    std::fprintf(stderr, "usage: host_tests layout | list | units | SEED [SENTENCE]\n");
    return 2;
  }
  if (std::strcmp(arguments[1], "layout") == 0) {
    test::print_layout();
    return 0;
  }
  if (std::strcmp(arguments[1], "list") == 0) {
    for (const test::Test& t : test::all_tests()) {
      std::printf("%s\n", t.name.c_str());
    }
    return 0;
  }
  if (std::strcmp(arguments[1], "units") == 0) {
    unsigned long long source, destination, bytes;
    while (std::scanf("%llu %llu %llu", &source, &destination, &bytes) == 3) {
      std::printf("%u\n", copy_shape(source, destination, bytes).units());
    }
    return 0;
  }
  const uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  int ran = 0;
  for (const test::Test& t : test::all_tests()) {
    if (count > 2 && t.name != arguments[2]) {
      continue;
    }
    std::printf("run  %s (seed %llu)\n", t.name.c_str(), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    test::Random random(seed);
    t.body(random);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("pass %s %.2f s\n", t.name.c_str(), seconds.count());
    ++ran;
  }
  return ran == 0 ? 3 : 0;
}

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <utility>

// Prints structs as the compiler lays them out, for the tests in Java to compare with theirs.

#define SYM_STRUCT(name) std::printf("struct %s %zu\n", #name, sizeof(name))
#define SYM_FIELD(name, field)                                               \
  std::printf("field %s.%s %zu %zu\n", #name, #field, offsetof(name, field), \
              sizeof(std::declval<name>().field))
#define SYM_NUMBER(name) std::printf("number %s %llu\n", #name, static_cast<unsigned long long>(name))
#define SYM_ENUM(type, name) std::printf("enum %s.%s %u\n", #type, #name, static_cast<unsigned>(type::name))

namespace symshuffle::test {

/// Prints the structs, numbers and constants of a module.
void print_layout();

}  // namespace symshuffle::test

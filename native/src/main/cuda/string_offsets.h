// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"

namespace symshuffle {

/// Entry `i` of the offsets of strings.
SYM_FN uint64_t string_offset(const TableColumn& column, bool large, uint32_t i) {
  return large ? load_value<uint64_t>(column.offsets + uint64_t{i} * sizeof(uint64_t))
               : load_value<uint32_t>(column.offsets + uint64_t{i} * sizeof(uint32_t));
}

}  // namespace symshuffle

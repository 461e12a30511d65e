// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "check.h"
#include "layout.h"

namespace symshuffle::test {

/// A column of a table in memory, as kernels read it.
struct ColumnMemory {
  ColumnKind kind{};
  std::unique_ptr<Bytes> data;
  std::unique_ptr<Bytes> validity;
  std::unique_ptr<Bytes> offsets;

  TableColumn descriptor() const {
    TableColumn d{};
    d.data = data->address();
    d.bytes = data->size();
    d.validity = validity ? validity->address() : 0;
    d.offsets = offsets ? offsets->address() : 0;
    d.kind = static_cast<uint32_t>(kind);
    return d;
  }
};

}  // namespace symshuffle::test

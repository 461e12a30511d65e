// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmark_layout.h"
#include "platform.h"

namespace symshuffle {

template <class T, class Body>
SYM_FN bool dispatch_operation(uint32_t operation, Body body) {
  switch (static_cast<ReduceOperation>(operation)) {
    case ReduceOperation::kSum:
      body.template run<T, ReduceOperation::kSum>();
      return true;
    case ReduceOperation::kMin:
      body.template run<T, ReduceOperation::kMin>();
      return true;
    case ReduceOperation::kMax:
      body.template run<T, ReduceOperation::kMax>();
      return true;
  }
  return false;
}

/// Calls body.run<T, operation>() for the type and operation of these numbers (ElementType, ReduceOperation);
/// false if a number is invalid.
template <class Body>
SYM_FN bool dispatch_reduction(uint32_t type, uint32_t operation, Body body) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::kI32:
      return dispatch_operation<int32_t>(operation, body);
    case ElementType::kI64:
      return dispatch_operation<int64_t>(operation, body);
    case ElementType::kF32:
      return dispatch_operation<float>(operation, body);
    case ElementType::kF64:
      return dispatch_operation<double>(operation, body);
  }
  return false;
}

}  // namespace symshuffle

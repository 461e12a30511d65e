// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The lab's kernels behind the fake driver: the real sources, compiled for the CPU.

#include <cstring>

#include "barrier.cu"
#include "fake_kernels.h"
#include "fake_script.h"
#include "lab_layout.cu"
#include "push.cu"
#include "sum.cu"

namespace symshuffle {

int extra_launch(const char* name, const void* arguments) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("symshuffle_push")) {
    return run<PullArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { push(t, a); });
  }
  if (is("symshuffle_barrier")) {
    return run<BarrierArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { barrier(t, a); });
  }
  if (is("symshuffle_sum")) {
    return run<SumArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { sum(t, a); });
  }
  return 1;
}

constexpr auto kExtraLayoutTable = make_layout_table(kCtaThreads, kLabLayoutWords);

}  // namespace symshuffle

extern "C" int fake_extra_launch(const char* name, const void* arguments, const fake_module*) {
  return symshuffle::extra_launch(name, arguments);
}

extern "C" const void* fake_extra_variable(const char* name, size_t* bytes) {
  *bytes = sizeof symshuffle::kExtraLayoutTable;
  return std::strcmp(name, "symshuffle_layout") == 0 ? &symshuffle::kExtraLayoutTable : nullptr;
}

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The benchmarks' kernels behind the fake driver: the real sources, compiled for the CPU.

#include <cstring>

#include "benchmark_layout.cu"
#include "broadcast.cu"
#include "device_pull.cu"
#include "fake_kernels.h"
#include "fake_script.h"
#include "pull.cu"
#include "push.cu"
#include "reduce.cu"
#include "signal.cu"

namespace symshuffle {

/// NVSHMEM's device code, by way of the fake host library.
struct FakeTransport {
  static constexpr uint32_t kStateVersion = 1;
  const fake_module* module;

  uint32_t state_version() const { return module->get == nullptr ? 0 : 1; }

  uint64_t mapped(uint64_t remote, uint32_t pe) const {
    return reinterpret_cast<uint64_t>(
        module->pointer(reinterpret_cast<const void*>(remote), static_cast<int>(pe)));
  }

  void get(uint64_t remote, uint64_t local, uint64_t bytes, uint32_t pe) const {
    module->get(reinterpret_cast<void*>(local), reinterpret_cast<const void*>(remote), bytes,
                static_cast<int>(pe));
  }
};

int extra_launch(const char* name, const void* arguments, const fake_module* module) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  // The CPU has no bulk copies: this shows only that pieces and arguments are right.
  if (is("symshuffle_pull_tma")) {
    return run<PullArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { pull(t, a); });
  }
  if (is("symshuffle_push")) {
    return run<PullArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { push(t, a); });
  }
  if (is("symshuffle_signal")) {
    return run<SignalArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { signal(t, a); });
  }
  if (is("symshuffle_wait")) {
    return run<WaitArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { wait(t, a); });
  }
  if (is("symshuffle_barrier")) {
    return run<BarrierArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { barrier(t, a); });
  }
  if (is("symshuffle_reduce")) {
    return run<ReduceArguments>(arguments, 0, [](const auto& t, const auto& a, void*) { reduce(t, a); });
  }
  if (is("symshuffle_broadcast")) {
    return run<BroadcastArguments>(arguments, 0,
                                   [](const auto& t, const auto& a, void*) { broadcast(t, a); });
  }
  if (is("symshuffle_device_pull")) {
    return run<DevicePullArguments>(arguments, 0, [=](const auto& t, const auto& a, void*) {
      device_pull(t, a, FakeTransport{module});
    });
  }
  // They can be looked up, as on a GPU without a switch, but not launched.
  return std::strncmp(name, "symshuffle_multimem_", 20) == 0 && arguments == nullptr ? 0 : 1;
}

constexpr auto kExtraLayoutTable =
    make_layout_table(kCtaThreads, kBenchmarkLayoutWords, kBenchmarkNumbers);

}  // namespace symshuffle

extern "C" int fake_extra_launch(const char* name, const void* arguments, const fake_module* module) {
  return symshuffle::extra_launch(name, arguments, module);
}

extern "C" const void* fake_extra_variable(const char* name, size_t* bytes) {
  *bytes = sizeof symshuffle::kExtraLayoutTable;
  return std::strcmp(name, "symshuffle_layout") == 0 ? &symshuffle::kExtraLayoutTable : nullptr;
}

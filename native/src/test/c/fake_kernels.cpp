// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The kernels behind the fake driver: the real sources, compiled for the CPU.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "fake_script.h"

#if __has_include("kernels.cu")
#include "broadcast.cu"
#include "bulk_memory.h"
#include "crc32c.cu"
#include "device_pull.cu"
#include "emulation.h"
#include "layout.h"
#include "pull.cu"
#include "push.cu"
#include "reduce.cu"
#include "row_partition.cu"
#include "signal.cu"
#include "tuning.h"

namespace symshuffle {

/// A thread of a launch of one CTA of one narrow warp, emulated by fibers, whose clock is the host's.
constexpr uint32_t kHostLanes = 4;
using EmulatedThread = emulation::EmulatedThread<kHostLanes>;

struct HostThread : EmulatedThread {
  explicit HostThread(const EmulatedThread& thread) : EmulatedThread(thread) {}

  uint64_t now_nanoseconds() const {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
  }
  void pause(uint32_t nanoseconds) const {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    EmulatedThread::pause(nanoseconds);
  }
};

constexpr size_t kSharedBytes =
    std::max({sizeof(crc32c::FoldTable), sizeof(RowSortMemory), sizeof(RowScanMemory), sizeof(RowMoveMemory),
              sizeof(RowCrcMemory)});

template <class Arguments, class Kernel>
int run(const void* arguments, Kernel kernel) {
  static std::mutex one_at_a_time;
  if (arguments != nullptr) {
    const std::lock_guard<std::mutex> guard(one_at_a_time);
    const auto& a = *static_cast<const Arguments*>(arguments);
    emulation::launch<kHostLanes>(1, 1, kHostLanes, kSharedBytes,
                                  [&](const EmulatedThread& thread, unsigned char* shared) {
                                    kernel(HostThread(thread), a, shared);
                                  });
  }
  return 0;
}

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

int launch(const char* name, const void* arguments, const fake_module* module) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("symshuffle_pull") || is("symshuffle_pull_tma")) {
    return run<PullArguments>(arguments, [](const auto& t, const auto& a, void*) { pull(t, a); });
  }
  if (is("symshuffle_push")) {
    return run<PullArguments>(arguments, [](const auto& t, const auto& a, void*) { push(t, a); });
  }
  if (is("symshuffle_crc32c")) {
    return run<CrcArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      crc32c_pieces(t, a, static_cast<crc32c::FoldTable*>(shared));
    });
  }
  if (is("symshuffle_signal")) {
    return run<SignalArguments>(arguments, [](const auto& t, const auto& a, void*) { signal(t, a); });
  }
  if (is("symshuffle_wait")) {
    return run<WaitArguments>(arguments, [](const auto& t, const auto& a, void*) { wait(t, a); });
  }
  if (is("symshuffle_barrier")) {
    return run<BarrierArguments>(arguments, [](const auto& t, const auto& a, void*) { barrier(t, a); });
  }
  if (is("symshuffle_reduce")) {
    return run<ReduceArguments>(arguments, [](const auto& t, const auto& a, void*) { reduce(t, a); });
  }
  if (is("symshuffle_broadcast")) {
    return run<BroadcastArguments>(arguments,
                                   [](const auto& t, const auto& a, void*) { broadcast(t, a); });
  }
  if (is("symshuffle_row_parse")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_parse(t, a, static_cast<uint32_t*>(shared));
    });
  }
  if (is("symshuffle_row_count")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_count(t, a, static_cast<RowSortMemory*>(shared));
    });
  }
  if (is("symshuffle_row_count_parts")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_count_parts(t, a, static_cast<RowScanMemory*>(shared));
    });
  }
  if (is("symshuffle_row_count_entries")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_count_entries(t, a, static_cast<RowScanMemory*>(shared));
    });
  }
  if (is("symshuffle_row_scatter")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_scatter(t, a, static_cast<RowSortMemory*>(shared));
    });
  }
  if (is("symshuffle_row_place_parts")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_place_parts(t, a, static_cast<RowScanMemory*>(shared));
    });
  }
  if (is("symshuffle_row_place_entries")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_place_entries(t, a, static_cast<RowScanMemory*>(shared));
    });
  }
  if (is("symshuffle_row_move")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_move(t, a, static_cast<RowMoveMemory*>(shared));
    });
  }
  if (is("symshuffle_row_crc32c")) {
    return run<RowArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      row_crc32c(t, a, static_cast<RowCrcMemory*>(shared));
    });
  }
  if (is("symshuffle_device_pull")) {
    return run<DevicePullArguments>(arguments, [&](const auto& t, const auto& a, void*) {
      device_pull(t, a, FakeTransport{module});
    });
  }
  // They can be looked up, as on a GPU without a switch, but not be launched.
  return std::strncmp(name, "symshuffle_multimem_", 20) == 0 && arguments == nullptr ? 0 : 1;
}

const LayoutTable& layout_table() {
  static const LayoutTable table = [] {
    LayoutTable t{};
    t.magic = kLayoutMagic;
    t.version = kLayoutVersion;
    t.unit_bytes = kUnitBytes;
    t.cta_threads = kCtaThreads;
    t.tma_cta_threads = kTmaCtaThreads;
    t.tma_shared_bytes = sizeof(BulkMemory);
    t.tma_tile_units = 8;
    t.struct_count = kStructCount;
    std::memcpy(t.struct_sizes, kStructSizes, sizeof kStructSizes);
    return t;
  }();
  return table;
}

}  // namespace symshuffle

extern "C" int fake_launch(const char* name, const void* arguments, const fake_module* module) {
  return symshuffle::launch(name, arguments, module);
}

extern "C" const void* fake_variable(const char* name, size_t* bytes) {
  *bytes = sizeof(symshuffle::LayoutTable);
  return std::strcmp(name, "symshuffle_layout") == 0 ? &symshuffle::layout_table() : nullptr;
}

#else

extern "C" int fake_launch(const char*, const void*, const fake_module*) { return 1; }
extern "C" const void* fake_variable(const char*, size_t*) { return nullptr; }

#endif

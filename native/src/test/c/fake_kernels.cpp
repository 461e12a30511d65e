// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The kernels behind the fake driver: the real sources, compiled for the CPU.

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "fake_script.h"

#if __has_include("kernels.cu")
#include "all_reduce.cu"
#include "check_tables.cu"
#include "crc32c.cu"
#include "emulation.h"
#include "fake_queue.h"
#include "layout.h"
#include "pack.cu"
#include "pull.cu"
#include "tuning.h"
#include "unpack.cu"

namespace symshuffle {

/// A thread of a launch with one CTA of one narrow warp, which fibers emulate.
constexpr uint32_t kHostLanes = 4;
using EmulatedThread = emulation::EmulatedThread<kHostLanes>;

constexpr size_t kSharedBytes =
    std::max({sizeof(crc32c::FoldTable), sizeof(ScanMemory), sizeof(packed::Memory), sizeof(CheckMemory)});

/// The memory that a kernel uses: the allocations that its arguments point into.
template <class Arguments>
std::vector<fake_use> uses_of(const Arguments& arguments) {
  std::vector<fake_use> uses;
  for (size_t at = 0; at + sizeof(uint64_t) <= sizeof arguments; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(&arguments) + at, sizeof word);
    const fake_use region = fake_region_of(word);
    if (region.bytes != 0) {
      uses.push_back(region);
    }
  }
  return uses;
}

/// The memory of a list of `count` descriptors, and where they are now.
template <class Descriptor>
const Descriptor* read_list(std::vector<fake_use>& uses, uint64_t address, uint32_t count) {
  uses.push_back({address, count * sizeof(Descriptor), fake_use::kReads});
  return static_cast<const Descriptor*>(fake_future(address, count * sizeof(Descriptor)));
}

std::vector<fake_use> uses_of(const PullArguments& a) {
  std::vector<fake_use> uses{{a.status, sizeof(KernelStatus), fake_use::kWrites}};
  const auto* list = read_list<PullDescriptor>(uses, a.descriptors, a.descriptor_count);
  for (uint32_t i = 0; i < a.descriptor_count; i++) {
    uses.push_back({list[i].source, list[i].bytes, fake_use::kReads});
    uses.push_back({list[i].destination, list[i].bytes, fake_use::kWrites});
  }
  return uses;
}

std::vector<fake_use> uses_of(const CrcArguments& a) {
  std::vector<fake_use> uses{{a.status, sizeof(KernelStatus), fake_use::kWrites},
                             {a.results, a.descriptor_count * sizeof(uint32_t), fake_use::kWrites}};
  const auto* list = read_list<CrcDescriptor>(uses, a.descriptors, a.descriptor_count);
  for (uint32_t i = 0; i < a.descriptor_count; i++) {
    uses.push_back({list[i].address, list[i].bytes, fake_use::kReads});
  }
  return uses;
}

std::vector<fake_use> uses_of(const CheckArguments& a) {
  std::vector<fake_use> uses{{a.status, sizeof(KernelStatus), fake_use::kWrites},
                             {a.results, a.table_count * sizeof(uint32_t), fake_use::kWrites}};
  read_list<CheckColumn>(uses, a.columns, a.column_count);
  const auto* list = read_list<CheckDescriptor>(uses, a.tables, a.table_count);
  for (uint32_t i = 0; i < a.table_count; i++) {
    uses.push_back({list[i].address, list[i].bytes, fake_use::kReads});
  }
  return uses;
}

/// An all-reduce. Other PEs read and write the same memory, in an order that the driver does not know.
std::vector<fake_use> uses_of(const AllReduceArguments& a) {
  std::vector<fake_use> uses{{a.status, sizeof(KernelStatus), fake_use::kWrites}};
  const auto* memories = static_cast<const uint64_t*>(fake_future(a.memories, a.pe_count * sizeof(uint64_t)));
  for (uint32_t pe = 0; pe < a.pe_count; pe++) {
    uses.push_back({memories[pe], a.offset, fake_use::kSome});
  }
  uses.push_back({a.memories, a.pe_count * sizeof(uint64_t), fake_use::kReads});
  return uses;
}

int run_all_reduce(const void* arguments) {
  if (arguments == nullptr) {
    return 0;
  }
  const auto& a = *static_cast<const AllReduceArguments*>(arguments);
  return fake_enqueue_waiting(uses_of(a), [a] {
    emulation::launch<kHostLanes>(1, 1, kHostLanes, sizeof(AllReduceMemory),
                                  [&](const EmulatedThread& thread, unsigned char* shared) {
                                    all_reduce(thread, a, reinterpret_cast<AllReduceMemory*>(shared));
                                  });
    return 0;
  });
}

template <class Arguments, class Kernel>
int run(const void* arguments, Kernel kernel) {
  static std::mutex one_at_a_time;
  if (arguments == nullptr) {
    return 0;
  }
  // A launch copies its arguments.
  const auto& a = *static_cast<const Arguments*>(arguments);
  return fake_enqueue(uses_of(a), [a, kernel] {
    const std::lock_guard<std::mutex> guard(one_at_a_time);
    emulation::launch<kHostLanes>(1, 1, kHostLanes, kSharedBytes,
                                  [&](const EmulatedThread& thread, unsigned char* shared) {
                                    kernel(thread, a, shared);
                                  });
    return 0;
  });
}

int launch(const char* name, const void* arguments) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("symshuffle_pull")) {
    return run<PullArguments>(arguments, [](const auto& t, const auto& a, void*) { pull(t, a); });
  }
  if (is("symshuffle_all_reduce")) {
    return run_all_reduce(arguments);
  }
  if (is("symshuffle_crc32c")) {
    return run<CrcArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      crc32c_pieces(t, a, static_cast<crc32c::FoldTable*>(shared));
    });
  }
  if (is("symshuffle_check_tables")) {
    return run<CheckArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      check_tables(t, a, static_cast<CheckMemory*>(shared));
    });
  }
  if (is("symshuffle_pack_measure")) {
    return run<PackArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      packed::pack_measure(t, a, static_cast<packed::Memory*>(shared));
    });
  }
  if (is("symshuffle_pack_place")) {
    return run<PackArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      packed::pack_place(t, a, static_cast<ScanMemory*>(shared));
    });
  }
  if (is("symshuffle_pack_starts")) {
    return run<PackArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      packed::pack_starts(t, a, static_cast<ScanMemory*>(shared));
    });
  }
  if (is("symshuffle_pack_write")) {
    return run<PackArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      packed::pack_write(t, a, static_cast<packed::Memory*>(shared));
    });
  }
  if (is("symshuffle_unpack")) {
    return run<UnpackArguments>(arguments, [](const auto& t, const auto& a, void* shared) {
      packed::unpack(t, a, static_cast<packed::Memory*>(shared));
    });
  }
  return 1;
}

constexpr auto kLayoutTable = make_layout_table(kCtaThreads, kStructSizes);

}  // namespace symshuffle

extern "C" int fake_launch(const char* name, const void* arguments) {
  return symshuffle::launch(name, arguments);
}

extern "C" const void* fake_variable(const char* name, size_t* bytes) {
  *bytes = sizeof symshuffle::kLayoutTable;
  return std::strcmp(name, "symshuffle_layout") == 0 ? &symshuffle::kLayoutTable : nullptr;
}

#else

extern "C" int fake_launch(const char*, const void*) { return 1; }
extern "C" const void* fake_variable(const char*, size_t*) { return nullptr; }

#endif

// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device_pull.cu"
#include "gpu_pes.h"

// Checks device_pull with a fake of NVSHMEM's device library, for gpu_check.cu: its state, which is set as
// nvshmemx_cumodule_init sets it, and a transport that copies.

__constant__ unsigned long long nvshmemi_device_state_d[97];

/// The heaps that the transport can access, and this PE's heap. The host sets them.
__constant__ uint64_t transport_heaps[64];
__constant__ uint64_t transport_own_heap;

template <threadgroup_t kScope, nvshmemi_op_t kOperation>
__device__ void nvshmemi_transfer_rma(void* remote, void* local, size_t bytes, int pe) {
  static_assert(kScope == SYM_NVSHMEM_BLOCK && kOperation == SYM_NVSHMEM_GET);
  const uint64_t offset = reinterpret_cast<uint64_t>(remote) - transport_own_heap;
  const auto* from = reinterpret_cast<const unsigned char*>(transport_heaps[pe] + offset);
  auto* to = static_cast<unsigned char*>(local);
  for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) {
    to[i] = from[i];
  }
}

namespace symshuffle::gpu_check {

inline void check_device_pull(Random& random, const std::vector<Pe>& pes) {
  constexpr uint64_t kHeapBytes = 300000;
  const uint32_t me = static_cast<uint32_t>(below(random, pes.size()));
  std::vector<std::vector<uint8_t>> contents;
  std::vector<Device<uint8_t>> heaps;
  std::vector<uint64_t> bases;
  std::vector<uint64_t> ours;
  std::vector<uint64_t> nvshmems;
  for (const Pe& pe : pes) {
    contents.push_back(random_bytes(random, kHeapBytes));
    heaps.emplace_back(pe, contents.back());
    bases.push_back(heaps.back().address());
    const uint64_t way = below(random, 3);
    ours.push_back(way == 0 ? bases.back() : 0);
    nvshmems.push_back(way == 1 ? bases.back() : 0);
  }
  std::vector<PullDescriptor> list;
  uint64_t to = 0;
  for (int i = 0; i < 300; ++i) {
    const uint64_t bytes = i % 10 == 0 ? 0 : below(random, i % 30 == 1 ? 40000 : 600);
    to += below(random, 130);
    list.push_back({bases[me] + below(random, kHeapBytes - bytes), to, bytes, 0,
                    static_cast<uint32_t>(below(random, pes.size()))});
    to += bytes;
  }
  std::vector<uint8_t> expected = random_bytes(random, to + 256);
  Device<uint8_t> destination(pes[me], expected);
  for (PullDescriptor& d : list) {
    std::copy_n(&contents[d.pe][d.source - bases[me]], d.bytes, &expected[d.destination]);
    d.destination += destination.address();
  }
  const uint32_t units = number(list, Kind::kPull);
  Device<PullDescriptor> device_list(pes[me], list);
  Device<uint64_t> our_table(pes[me], ours);
  Device<uint64_t> nvshmem_table(pes[me], nvshmems);
  NvshmemStateStart state{};
  state.version = (1 << 16) + 776;
  state.heap_base = reinterpret_cast<const char*>(bases[me]);
  state.heap_size = kHeapBytes;
  state.mapped = reinterpret_cast<const char* const*>(nvshmem_table.address());
  pes[me].use();
  CUDA(cudaMemcpyToSymbol(nvshmemi_device_state_d, &state, sizeof(state)));
  CUDA(cudaMemcpyToSymbol(transport_heaps, bases.data(), 8 * bases.size()));
  CUDA(cudaMemcpyToSymbol(transport_own_heap, &bases[me], 8));
  CUDA(cudaDeviceSynchronize());
  DevicePullArguments a{};
  a.pull = arguments_of(pes[me], me, device_list, list.size(), units, static_cast<uint32_t>(1 + below(random, 8)),
                        static_cast<uint32_t>(1 + below(random, 4)));
  a.peers = our_table.address();
  a.heap_base = bases[me];
  const int ctas = static_cast<int>(1 + below(random, 40));
  const int threads = static_cast<int>(32 * (1 + below(random, kCtaThreads / 32)));
  pes[me].clear_status();
  symshuffle_device_pull<<<ctas, threads, 0, pes[me].stream>>>(a);
  const std::string what = "device_pull by " + std::to_string(ctas) + " CTAs of " + std::to_string(threads);
  expect_ok(pes[me], what);
  const std::vector<uint8_t> actual = destination.read();
  const auto at = std::mismatch(actual.begin(), actual.end(), expected.begin()).first - actual.begin();
  expect(actual == expected, what + ": first difference at byte " + std::to_string(at));

  state.version = 0;
  CUDA(cudaMemcpyToSymbol(nvshmemi_device_state_d, &state, sizeof(state)));
  CUDA(cudaDeviceSynchronize());
  pes[me].clear_status();
  symshuffle_device_pull<<<ctas, threads, 0, pes[me].stream>>>(a);
  expect(pes[me].read_status().code == static_cast<uint32_t>(Code::kUnsupported),
         "uninitialized NVSHMEM state is reported");
}

}  // namespace symshuffle::gpu_check

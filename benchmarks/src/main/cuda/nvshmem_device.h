// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "platform.h"

// The parts of NVSHMEM's device library that device_pull uses, declared here so that the build does not need
// NVSHMEM. Its API (nvshmemx_getmem_block) is inline code in its headers, which checks in the device state
// whether the PE's heap is mapped: if so it loads, otherwise it calls a transfer. libnvshmem_device.a has the
// state and the transfer to link with:
//
//   nvshmemi_device_state_d: the state that nvshmemx_cumodule_init fills in. Later versions only append
//   fields, since host libraries accept device code of every older minor version; its first 64 bytes are the same
//   from 3.0 to 3.7 (src/include/device_host/nvshmem_types.h, nvshmemi_device_host_state).
//
//   NVSHMEM 3.4 and before  _Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mi
//   with queue pairs        _Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mii
//
// Taken from libnvshmem_device.a 3.4.5 and NVSHMEM's public headers
// (src/include/non_abi/device/pt-to-pt/nvshmemi_transfer_api.cuh). One object is built for each, by
// SYM_NVSHMEM_QUEUE_PAIRS; the host links the one whose symbol the user's library has. The types have
// NVSHMEM's names, since they are part of the symbol.

#if defined(__CUDACC__)

enum threadgroup_t { SYM_NVSHMEM_BLOCK = 3 };
enum nvshmemi_op_t { SYM_NVSHMEM_GET = 4 };

#if SYM_NVSHMEM_QUEUE_PAIRS
template <threadgroup_t kScope, nvshmemi_op_t kOperation>
__device__ void nvshmemi_transfer_rma(void* remote, void* local, size_t bytes, int pe, int queue_pair);
#else
template <threadgroup_t kScope, nvshmemi_op_t kOperation>
__device__ void nvshmemi_transfer_rma(void* remote, void* local, size_t bytes, int pe);
#endif

/// The first fields of nvshmemi_device_host_state, version 1.
struct NvshmemStateStart {
  int version;  // (1 << 16) + bytes of the whole; 0 before nvshmemx_cumodule_init
  int not_used[8];
  bool not_used_either[2];
  const char* heap_base;
  size_t heap_size;
  const char* const* mapped;  // the base of each PE's heap, or null: out of reach of load and store
};
static_assert(offsetof(NvshmemStateStart, heap_base) == 40);
static_assert(offsetof(NvshmemStateStart, mapped) == 56);

/// Without a length: the linker compares lengths, and the user's version may have another one.
extern __constant__ unsigned long long nvshmemi_device_state_d[];

namespace symshuffle {

/// Accesses other PEs like NVSHMEM's device API. `remote` is an address in this PE's own heap for the same
/// offset in the heap of `pe`.
struct NvshmemTransport {
  static constexpr uint32_t kStateVersion = 1;

  static SYM_FN const NvshmemStateStart& state() {
    return *reinterpret_cast<const NvshmemStateStart*>(nvshmemi_device_state_d);
  }

  /// Version of the state that the host has set in this module; 0 for none.
  SYM_FN uint32_t state_version() const {
    return static_cast<uint32_t>(state().version) >> 16;
  }

  /// The address for loads, or 0 if it is not mapped.
  SYM_FN uint64_t mapped(uint64_t remote, uint32_t pe) const {
    const char* base = state().mapped[pe];
    const auto own = reinterpret_cast<uint64_t>(state().heap_base);
    return base == nullptr ? 0 : reinterpret_cast<uint64_t>(base) + (remote - own);
  }

  /// Copies with NVSHMEM's network transports, for memory that is not mapped. All threads of a CTA call it
  /// together. `local` must be in the symmetric heap or registered with NVSHMEM. Returns when the copy is
  /// complete. NVSHMEM has no timeout, so the host must have one.
  SYM_FN void get(uint64_t remote, uint64_t local, uint64_t bytes, uint32_t pe) const {
    constexpr int kDefaultQueuePair = 1;  // NVSHMEMX_QP_DEFAULT
    auto* from = reinterpret_cast<void*>(remote);
    auto* to = reinterpret_cast<void*>(local);
    __syncthreads();
#if SYM_NVSHMEM_QUEUE_PAIRS
    nvshmemi_transfer_rma<SYM_NVSHMEM_BLOCK, SYM_NVSHMEM_GET>(from, to, bytes, static_cast<int>(pe),
                                                              kDefaultQueuePair);
#else
    static_cast<void>(kDefaultQueuePair);
    nvshmemi_transfer_rma<SYM_NVSHMEM_BLOCK, SYM_NVSHMEM_GET>(from, to, bytes, static_cast<int>(pe));
#endif
    __syncthreads();
  }
};

}  // namespace symshuffle

#endif

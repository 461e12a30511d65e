// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "platform.h"

// The one function of NVSHMEM's device library that we call, declared here so that no NVSHMEM is needed
// to build. Its API (nvshmemx_getmem_block) is inline code in its headers; what libnvshmem_device.a has
// to link with is the transfer to a PE that load and store do not reach:
//
//   NVSHMEM 3.4 and before  _Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mi
//   with queue pairs        _Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mii
//
// Read off libnvshmem_device.a 3.4.5 and off NVSHMEM's public headers
// (src/include/non_abi/device/pt-to-pt/nvshmemi_transfer_api.cuh). One object is built for each, by
// SYM_NVSHMEM_QUEUE_PAIRS; the host links the one whose name the user's library has. The names of the
// types are NVSHMEM's, since they are part of the symbol.

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

namespace symshuffle {

/// NVSHMEM's transports. All threads of a CTA call together. `remote` is an address in this PE's own heap
/// that names the same place in the heap of `pe`; `local` must be in the symmetric heap or registered with
/// NVSHMEM. Returns when the bytes are there. NVSHMEM waits without a deadline: the host must watch.
struct NvshmemTransport {
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

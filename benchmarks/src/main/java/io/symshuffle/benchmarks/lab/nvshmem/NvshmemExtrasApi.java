// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.ffi.Symbol;

/**
 * The functions of libnvshmem_host.so.3 that only the lab calls, with their prototypes from
 * nvshmem_api.h, nvshmemx_api.h and nvshmemx_coll_api.h of NVSHMEM 3.4.5. Every 3.x since 3.3 has
 * them. A team is an int; device addresses and handles are {@code long}. Functions without a result
 * print a message and end the process when they fail.
 */
interface NvshmemExtrasApi {
  // void nvshmemx_putmem_nbi_on_stream(void *dest, const void *source, size_t bytes, int pe,
  //                                    cudaStream_t cstrm);
  @Symbol("nvshmemx_putmem_nbi_on_stream")
  void putNonBlockingOnStream(long destination, long source, long bytes, int pe, long stream);

  // void nvshmemx_quiet_on_stream(cudaStream_t cstrm);
  @Symbol("nvshmemx_quiet_on_stream")
  void quietOnStream(long stream);

  // int nvshmemx_alltoallmem_on_stream(nvshmem_team_t team, void *dest, const void *src,
  //                                    size_t nelem, cudaStream_t stream);
  @Symbol("nvshmemx_alltoallmem_on_stream")
  int allToAllOnStream(int team, long destination, long source, long bytesPerPe, long stream);
}

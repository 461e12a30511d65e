// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libnvshmem_host.so.3 that SymShuffle calls, with their prototypes from
 * nvshmem_api.h, nvshmemx_api.h and nvshmemx_coll_api.h of NVSHMEM 3.4.5. Every 3.x since 3.3 has
 * them. Device addresses are {@code long}. Functions without a result print a message and end the
 * process when they fail.
 */
interface NvshmemApi {
  // ---- version, initialization and finalization

  // void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch);
  @Symbol("nvshmemx_vendor_get_version_info")
  void vendorVersion(MemorySegment major, MemorySegment minor, MemorySegment patch);

  // int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uid);
  @Symbol("nvshmemx_get_uniqueid")
  int getUniqueId(MemorySegment id);

  // int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks,
  //     const nvshmemx_uniqueid_t *uniqueid, nvshmemx_init_attr_t *attr);
  @Symbol("nvshmemx_set_attr_uniqueid_args")
  int setUniqueIdArguments(int pe, int peCount, MemorySegment id, MemorySegment attributes);

  // int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
  @Symbol("nvshmemx_hostlib_init_attr")
  int initialize(int flags, MemorySegment attributes);

  // int nvshmemx_init_status(void);
  @Symbol("nvshmemx_init_status")
  int initStatus();

  // void nvshmemx_hostlib_finalize(void);
  @Symbol("nvshmemx_hostlib_finalize")
  void finish();

  // int nvshmem_my_pe(void);
  @Symbol("nvshmem_my_pe")
  int myPe();

  // int nvshmem_n_pes(void);
  @Symbol("nvshmem_n_pes")
  int peCount();

  // ---- memory

  // void *nvshmem_align(size_t alignment, size_t size);
  @Symbol("nvshmem_align")
  long align(long alignment, long bytes);

  // void nvshmem_free(void *ptr);
  @Symbol("nvshmem_free")
  void free(long address);

  // void *nvshmem_ptr(const void *dest, int pe);
  @Symbol("nvshmem_ptr")
  long pointer(long address, int pe);

  // ---- barrier

  // void nvshmem_barrier_all(void);
  @Symbol("nvshmem_barrier_all")
  void barrierAll();
}

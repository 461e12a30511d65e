// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libnvshmem_host.so.3 that only benchmarks call, with their prototypes from
 * nvshmem_api.h, nvshmemx_api.h and nvshmemx_coll_api.h of NVSHMEM 3.4.5. Every 3.x since 3.3 has
 * them. A team is an int; device addresses and handles are {@code long}. Functions without a result
 * print a message and end the process when they fail.
 */
interface NvshmemExtrasApi {
  // void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr);
  @Symbol("nvshmemx_mc_ptr")
  long multicastPointer(int team, long address);

  // ---- one-sided

  // void nvshmem_putmem(void *dest, const void *source, size_t bytes, int pe);
  @Symbol("nvshmem_putmem")
  void put(long destination, long source, long bytes, int pe);

  // void nvshmem_putmem_nbi(void *dest, const void *source, size_t bytes, int pe);
  @Symbol("nvshmem_putmem_nbi")
  void putNonBlocking(long destination, long source, long bytes, int pe);

  // void nvshmem_getmem(void *dest, const void *source, size_t bytes, int pe);
  @Symbol("nvshmem_getmem")
  void get(long destination, long source, long bytes, int pe);

  // void nvshmem_getmem_nbi(void *dest, const void *source, size_t bytes, int pe);
  @Symbol("nvshmem_getmem_nbi")
  void getNonBlocking(long destination, long source, long bytes, int pe);

  // void nvshmemx_putmem_on_stream(void *dest, const void *source, size_t bytes, int pe,
  //                                cudaStream_t cstrm);
  @Symbol("nvshmemx_putmem_on_stream")
  void putOnStream(long destination, long source, long bytes, int pe, long stream);

  // void nvshmemx_putmem_nbi_on_stream(void *dest, const void *source, size_t bytes, int pe,
  //                                    cudaStream_t cstrm);
  @Symbol("nvshmemx_putmem_nbi_on_stream")
  void putNonBlockingOnStream(long destination, long source, long bytes, int pe, long stream);

  // void nvshmemx_getmem_on_stream(void *dest, const void *source, size_t bytes, int pe,
  //                                cudaStream_t cstrm);
  @Symbol("nvshmemx_getmem_on_stream")
  void getOnStream(long destination, long source, long bytes, int pe, long stream);

  // void nvshmemx_putmem_signal_on_stream(void *dest, const void *source, size_t bytes,
  //     uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, cudaStream_t cstrm);
  @Symbol("nvshmemx_putmem_signal_on_stream")
  void putSignalOnStream(
      long destination,
      long source,
      long bytes,
      long signal,
      long value,
      int operation,
      int pe,
      long stream);

  // void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe,
  //                                   cudaStream_t cstrm);
  @Symbol("nvshmemx_signal_op_on_stream")
  void signalOnStream(long signal, long value, int operation, int pe, long stream);

  // void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value,
  //                                           cudaStream_t cstream);
  @Symbol("nvshmemx_signal_wait_until_on_stream")
  void awaitSignalOnStream(long signal, int comparison, long value, long stream);

  // ---- order and barriers

  // void nvshmem_fence(void);
  @Symbol("nvshmem_fence")
  void fence();

  // void nvshmem_quiet(void);
  @Symbol("nvshmem_quiet")
  void quiet();

  // void nvshmemx_quiet_on_stream(cudaStream_t cstrm);
  @Symbol("nvshmemx_quiet_on_stream")
  void quietOnStream(long stream);

  // int nvshmem_barrier(nvshmem_team_t team);
  @Symbol("nvshmem_barrier")
  int barrier(int team);

  // int nvshmemx_barrier_on_stream(nvshmem_team_t team, cudaStream_t);
  @Symbol("nvshmemx_barrier_on_stream")
  int barrierOnStream(int team, long stream);

  // ---- collectives on a stream

  // int nvshmemx_alltoallmem_on_stream(nvshmem_team_t team, void *dest, const void *src,
  //                                    size_t nelem, cudaStream_t stream);
  @Symbol("nvshmemx_alltoallmem_on_stream")
  int allToAllOnStream(int team, long destination, long source, long bytesPerPe, long stream);

  // int nvshmemx_broadcastmem_on_stream(nvshmem_team_t team, void *dest, const void *src,
  //                                     size_t nelem, int PE_root, cudaStream_t stream);
  @Symbol("nvshmemx_broadcastmem_on_stream")
  int broadcastOnStream(int team, long destination, long source, long bytes, int root, long stream);

  // ---- teams

  // int nvshmem_team_my_pe(nvshmem_team_t team);
  @Symbol("nvshmem_team_my_pe")
  int teamMyPe(int team);

  // int nvshmem_team_n_pes(nvshmem_team_t team);
  @Symbol("nvshmem_team_n_pes")
  int teamPeCount(int team);

  // int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team);
  @Symbol("nvshmem_team_translate_pe")
  int translatePe(int team, int pe, int toTeam);

  // int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start, int PE_stride,
  //     int PE_size, const nvshmem_team_config_t *config, long config_mask,
  //     nvshmem_team_t *new_team);
  @Symbol("nvshmem_team_split_strided")
  int splitStrided(
      int parent,
      int start,
      int stride,
      int size,
      MemorySegment config,
      long mask,
      MemorySegment team);

  // void nvshmem_team_destroy(nvshmem_team_t team);
  @Symbol("nvshmem_team_destroy")
  void destroyTeam(int team);

  // ---- modules with NVSHMEM device code

  // int nvshmemx_cumodule_init(CUmodule module);
  @Symbol("nvshmemx_cumodule_init")
  int initializeModule(long module);

  // int nvshmemx_cumodule_finalize(CUmodule module);
  @Symbol("nvshmemx_cumodule_finalize")
  int finalizeModule(long module);
}
